//! A table file: a header in YAML, a line `...`, then one row per line.
//!
//! The header is the business of a real parser; rows are many, and split by hand. Cells are separated by blanks or commas,
//! may be followed by more of them, and are understood whatever type their column claims: `40000.0` is an integer.

use std::io::{self, BufRead, Read};

use heddle_model::{WarningKind, Warnings};

use crate::yaml::{Item, documents};
use crate::{Files, stream};

/// Bytes of the longest header, and of the longest row.
const LONGEST_HEADER: usize = 1 << 18;
const LONGEST_ROW: usize = 1 << 16;

/// How files are called that were packed after the meta file had been written.
pub(super) const PACKED: [&str; 5] = ["", ".gz", ".zst", ".xz", ".bz2"];

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) is_text: bool,
}

/// A table, open behind its header.
pub(super) struct Table<'a> {
    /// The file as it is found.
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    reader: Box<dyn BufRead + Send + 'a>,
    /// Lines read so far.
    lines: u64,
}

/// Why a table cannot be read at all.
pub(super) enum NoTable {
    /// It is not there, or the system does not give it.
    Missing(String),
    /// Its header is wrong in a line.
    Header { line: u64, what: String },
}

/// What is wrong with a row: what was expected.
pub(super) type RowFault = String;

impl<'a> Table<'a> {
    /// Opens a table by its name in the run, packed or not.
    pub(super) fn open(files: &'a dyn Files, name: &str) -> Result<Table<'a>, NoTable> {
        let missing = |cause: io::Error| NoTable::Missing(format!("the file cannot be read ({cause})"));
        let mut found = None;
        for ending in PACKED {
            let name = format!("{name}{ending}");
            if files.len(&name).map_err(missing)?.is_some() {
                found = Some(name);
                break;
            }
        }
        let name = found.ok_or_else(|| NoTable::Missing("the file is not there".to_owned()))?;
        let mut reader = stream(files, &name).map_err(missing)?;
        let (header, lines) = read_header(&mut reader).map_err(missing)?;
        let Some(header) = header else {
            return Err(NoTable::Header {
                line: lines.max(1),
                what: "the header should end with a line `...` behind the list of columns".to_owned(),
            });
        };
        let columns = columns(&header)?;
        Ok(Table { name, columns, reader, lines })
    }

    /// The column of that name; without regard to case if there is none just so.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        let at = |is: &dyn Fn(&Column) -> bool| self.columns.iter().position(is);
        at(&|column| column.name == name).or_else(|| at(&|column| column.name.eq_ignore_ascii_case(name)))
    }

    /// Visits all rows. Those that `visit` refuses are counted as damage, with what it says was expected. Stops, and says so,
    /// when `go_on` does.
    pub(super) fn for_each_row(
        &mut self,
        go_on: &mut dyn FnMut() -> bool,
        warnings: &mut Warnings,
        mut visit: impl FnMut(&Row) -> Result<(), RowFault>,
    ) -> bool {
        let mut line = Vec::new();
        let mut cells = Vec::new();
        let mut has_rows = false;
        loop {
            line.clear();
            let read = self.reader.by_ref().take(LONGEST_ROW as u64).read_until(b'\n', &mut line);
            if let Err(cause) = read {
                let text = format!("the file could not be read further ({cause}); the rows before are kept");
                warnings.add(WarningKind::Truncated, || self.place(self.lines + 1), &text);
                return true;
            }
            if line.is_empty() {
                if !has_rows {
                    let text = "the table has a header and no rows";
                    warnings.add(WarningKind::Empty, || self.place(self.lines), text);
                }
                return true;
            }
            self.lines += 1;
            let has_end = line.ends_with(b"\n");
            if !has_end && line.len() >= LONGEST_ROW {
                let text = format!("a row should not be longer than {LONGEST_ROW} bytes; it was skipped");
                warnings.add(WarningKind::Corrupt, || self.place(self.lines), &text);
                if self.reader.skip_until(b'\n').is_err() {
                    return true;
                }
                continue;
            }
            split(&line, &mut cells);
            if cells.is_empty() || line[cells[0].0] == b'#' {
                continue;
            }
            has_rows = true;
            let seen = self.row(&line, &cells).and_then(|row| visit(&row));
            if let Err(what) = seen {
                let kind = if has_end { WarningKind::Corrupt } else { WarningKind::Truncated };
                warnings.add(kind, || self.place(self.lines), &format!("{what}; the row was skipped"));
            } else if !has_end {
                warnings.add(WarningKind::Assumed, || self.place(self.lines), NO_END);
            }
            if self.lines.is_multiple_of(4096) && !go_on() {
                return false;
            }
        }
    }

    fn row<'r>(&'r self, line: &'r [u8], cells: &'r [(usize, usize)]) -> Result<Row<'r>, RowFault> {
        if cells.len() != self.columns.len() {
            let (expected, found) =
                (self.columns.len(), if cells.len() < self.columns.len() { "fewer" } else { "more" });
            return Err(format!("a row should have {expected} values, one for each column, and has {found}"));
        }
        Ok(Row { line, cells, columns: &self.columns, number: self.lines })
    }

    pub(super) fn place(&self, line: u64) -> String {
        format!("{}, line {line}", self.name)
    }
}

const NO_END: &str = "the last row has no end of line; its last value was taken as it is, and may have been cut";

/// A row of a table.
pub(super) struct Row<'r> {
    line: &'r [u8],
    cells: &'r [(usize, usize)],
    columns: &'r [Column],
    /// Its line in the file.
    pub(super) number: u64,
}

impl Row<'_> {
    fn cell(&self, column: usize) -> &[u8] {
        self.cells.get(column).map_or(&[], |(start, end)| &self.line[*start..*end])
    }

    /// A whole number: an id, a coordinate, a section.
    pub(super) fn integer(&self, column: usize) -> Result<i64, RowFault> {
        let cell = self.cell(column);
        if let Some(value) = integer(cell) {
            return Ok(value);
        }
        let is_whole = |value: &f64| value.fract() == 0.0 && value.abs() < 9e15;
        match float(cell).filter(is_whole) {
            Some(value) => Ok(value as i64),
            None => Err(format!("the column `{}` should hold a whole number", self.name(column))),
        }
    }

    /// A value of a counter; `None` for one that says that there is none.
    pub(super) fn number(&self, column: usize) -> Result<Option<f64>, RowFault> {
        let cell = self.cell(column);
        if let Some(value) = integer(cell) {
            return Ok(Some(value as f64));
        }
        match float(cell) {
            Some(value) => Ok(value.is_finite().then_some(value)),
            None => Err(format!("the column `{}` should hold a number", self.name(column))),
        }
    }

    pub(super) fn text(&self, column: usize) -> String {
        String::from_utf8_lossy(self.cell(column)).into_owned()
    }

    fn name(&self, column: usize) -> &str {
        self.columns.get(column).map_or("", |column| &column.name)
    }
}

fn integer(cell: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match cell {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0i64;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_sub(i64::from(digit))?;
    }
    if is_negative { Some(value) } else { value.checked_neg() }
}

fn float(cell: &[u8]) -> Option<f64> {
    std::str::from_utf8(cell).ok()?.parse().ok()
}

/// Finds the cells of a line: where each begins and ends.
fn split(line: &[u8], cells: &mut Vec<(usize, usize)>) {
    let is_gap = |byte: u8| matches!(byte, b' ' | b'\t' | b',' | b'\r' | b'\n');
    cells.clear();
    let mut at = 0;
    while at < line.len() {
        if is_gap(line[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < line.len() && !is_gap(line[at]) {
            at += 1;
        }
        cells.push((start, at));
    }
}

/// The text before the line `...`, and how many lines that is; `None` for the text if there is no such line.
fn read_header(reader: &mut impl BufRead) -> io::Result<(Option<String>, u64)> {
    let mut header = Vec::new();
    let mut lines = 0;
    loop {
        let start = header.len();
        let room = (LONGEST_HEADER - start.min(LONGEST_HEADER)) as u64;
        reader.by_ref().take(room).read_until(b'\n', &mut header)?;
        if header.len() == start {
            return Ok((None, lines));
        }
        lines += 1;
        if header[start..].trim_ascii_end() == b"..." {
            header.truncate(start);
            return Ok((Some(String::from_utf8_lossy(&header).into_owned()), lines));
        }
    }
}

/// The columns that a header lists: the last of its documents that is a list.
fn columns(header: &str) -> Result<Vec<Column>, NoTable> {
    let mut list = None;
    for document in documents(header) {
        let item = document.map_err(|fault| NoTable::Header { line: fault.line, what: fault.what })?;
        if !item.list().is_empty() {
            list = Some(item);
        }
    }
    let expected = "expected a list of columns, each `- [name, type]`";
    let list = list.ok_or_else(|| NoTable::Header { line: 1, what: expected.to_owned() })?;
    let column = |item: &Item| {
        let [name, kind, ..] = item.list() else { return None };
        Some(Column { name: name.text()?.to_owned(), is_text: is_text(kind.text().unwrap_or_default()) })
    };
    let of = |item: &Item| column(item).ok_or_else(|| NoTable::Header { line: item.line, what: expected.to_owned() });
    list.list().iter().map(of).collect()
}

/// Whether a type of `NumPy` is one of texts: `S32`, `|S32`, `U8`, `str`, `object`; `u8` is a number.
fn is_text(kind: &str) -> bool {
    kind.trim_start_matches(['|', '<', '>', '=']).starts_with(['S', 's', 'a', 'O', 'o', 'U'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_understood_whatever_their_column_says() {
        assert_eq!(integer(b"-2026526266"), Some(-2_026_526_266));
        assert_eq!(
            (integer(b"9223372036854775807"), integer(b"-9223372036854775808")),
            (Some(i64::MAX), Some(i64::MIN))
        );
        assert_eq!(
            (integer(b"9223372036854775808"), integer(b""), integer(b"-"), integer(b"4.0")),
            (None, None, None, None)
        );
        let columns = [Column { name: "packets".to_owned(), is_text: false }];
        let of = |text: &str| {
            let row = Row { line: text.as_bytes(), cells: &[(0, text.len())], columns: &columns, number: 1 };
            (row.integer(0).ok(), row.number(0).ok().flatten())
        };
        assert_eq!(of("40000.0"), (Some(40_000), Some(40_000.0)));
        assert_eq!(of("4e3"), (Some(4_000), Some(4_000.0)));
        assert_eq!(of("0.5"), (None, Some(0.5)));
        assert_eq!((of("nan"), of("x")), ((None, None), (None, None)));
    }

    #[test]
    fn cells_stand_between_blanks_and_commas() {
        let mut cells = Vec::new();
        split(b"  1, 2\t3 ,\r\n", &mut cells);
        assert_eq!(cells, [(2, 3), (5, 6), (7, 8)]);
        split(b" , \n", &mut cells);
        assert!(cells.is_empty());
    }

    #[test]
    fn types_of_numpy_are_told_apart() {
        assert!(["S32", "|S8", "U16", "<U4", "str", "object"].iter().all(|kind| is_text(kind)));
        assert!(["int32", "int64", "float64", "uint8", "f8", "<i4", "u8"].iter().all(|kind| !is_text(kind)));
    }
}
