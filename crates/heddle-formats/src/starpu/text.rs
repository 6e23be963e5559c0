//! The text files of StarPU and StarVZ as lines, records of fields, and tables.

use heddle_model::{WarningKind, Warnings};

use crate::paje::lines::Lines;
use crate::paje::warn_of_end;
use crate::{Input, OpenError, stream, unpacking_memory};

/// Tells `take` the number, from 1, and the bytes of each line; `tell` says whether whoever shows progress hears of it.
/// Whether the file ends as it should.
pub(crate) fn for_each_line(
    input: &Input,
    name: &str,
    tell: bool,
    warnings: &mut Warnings,
    mut take: impl FnMut(u64, &[u8]),
) -> Result<bool, OpenError> {
    let mut lines = Lines::new(stream(input.files, name).map_err(OpenError::unreadable(name))?);
    let mut number = 0;
    while let Some(block) = lines.next() {
        if !(input.go_on)(if tell { block.bytes.len() as u64 } else { 0 }) {
            return Err(OpenError::Cancelled);
        }
        for line in block.bytes.split_inclusive(|byte| *byte == b'\n') {
            number += 1;
            take(number, line.trim_ascii());
        }
    }
    warn_of_end(&lines, name, number, warnings);
    Ok(lines.failure.is_none() && !lines.unfinished)
}

/// The same for a file that lies beside the trace: it does without if that cannot be read, and says so.
pub(crate) fn for_each_line_beside(
    input: &Input,
    name: &str,
    warnings: &mut Warnings,
    take: impl FnMut(u64, &[u8]),
) -> Result<bool, OpenError> {
    let needed = unpacking_memory(input.files, name).unwrap_or(0);
    let read = if needed > input.memory / 2 {
        Err("unpacking it takes more memory than --memory allows; unpack it first".to_owned())
    } else {
        match for_each_line(input, name, false, warnings, take) {
            Err(OpenError::Unreadable { cause, .. }) => Err(cause.to_string()),
            other => Ok(other?),
        }
    };
    Ok(read.unwrap_or_else(|why| {
        let text = format!("a file beside the trace could not be read ({why}); the trace is shown without it");
        warnings.add(WarningKind::MissingFile, || name.to_owned(), &text);
        false
    }))
}

/// The fields of a record or of a row, by name. Those that are empty are not there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a>(pub(crate) &'a [(&'a [u8], &'a [u8])]);

impl<'a> Fields<'a> {
    pub(crate) fn get(&self, name: &str) -> Option<&'a [u8]> {
        self.0.iter().find(|(key, _)| *key == name.as_bytes()).map(|(_, value)| *value)
    }
}

/// More lines, or more bytes, are no record.
const MOST_LINES: usize = 4096;
const MOST_BYTES: usize = 16 << 20;

/// Collects the lines `Key: value` of a record until a blank line ends it.
#[derive(Default)]
pub(crate) struct Record {
    text: Vec<u8>,
    /// Where keys end, values begin, and values end.
    fields: Vec<[usize; 4]>,
    /// The line that it begins in.
    pub(crate) first_line: u64,
    /// Lines that are none of a record.
    pub(crate) odd: u64,
    pub(crate) first_odd: u64,
}

impl Record {
    /// Takes a line; whether a record is complete, to be looked at with [`Record::with`].
    pub(crate) fn line(&mut self, number: u64, line: &[u8]) -> bool {
        if line.is_empty() {
            return !self.fields.is_empty();
        }
        if self.fields.is_empty() {
            self.first_line = number;
        }
        let colon = line.iter().position(|byte| *byte == b':').filter(|at| *at > 0);
        let fits = self.fields.len() < MOST_LINES && self.text.len() + line.len() < MOST_BYTES;
        match colon.filter(|_| fits) {
            Some(colon) => {
                let start = self.text.len();
                self.text.extend_from_slice(line);
                self.fields.push([start, start + colon, start + colon + 1, start + line.len()]);
            }
            // Sections (`%rec: …`), comments and continued values are not of interest.
            None if matches!(line[0], b'%' | b'#' | b'+') => {}
            None => {
                if self.odd == 0 {
                    self.first_odd = number;
                }
                self.odd += 1;
            }
        }
        false
    }

    /// Looks at the record and forgets it.
    pub(crate) fn with<T>(&mut self, look: impl FnOnce(&Fields) -> T) -> T {
        let pairs: Vec<(&[u8], &[u8])> = self
            .fields
            .iter()
            .map(|[start, end, value, last]| (&self.text[*start..*end], self.text[*value..*last].trim_ascii()))
            .filter(|(_, value)| !value.is_empty())
            .collect();
        let seen = look(&Fields(&pairs));
        drop(pairs);
        self.text.clear();
        self.fields.clear();
        seen
    }

    /// Whether a record has begun.
    pub(crate) fn is_open(&self) -> bool {
        !self.fields.is_empty()
    }
}

/// The headings of a table whose columns are separated by commas.
#[derive(Default)]
pub(crate) struct Headings(Vec<Vec<u8>>);

impl Headings {
    /// Takes the first line for the headings. Looks at the fields of a row; those that are empty, or `NA`, are not there.
    pub(crate) fn with<T>(&mut self, line: &[u8], look: impl FnOnce(&Fields) -> T) -> Option<T> {
        let columns = columns(line);
        if self.0.is_empty() {
            self.0 = columns.iter().map(|column| column.to_vec()).collect();
            return None;
        }
        let pairs = self.0.iter().map(Vec::as_slice).zip(columns);
        let pairs: Vec<(&[u8], &[u8])> =
            pairs.filter(|(_, value)| !value.is_empty() && *value != b"NA" && *value != b"NULL").collect();
        Some(look(&Fields(&pairs)))
    }
}

/// A column of a row.
pub(crate) type Column<'l> = &'l [u8];

/// The columns of a row, without blanks and quotes around them.
pub(crate) fn columns(line: &[u8]) -> Vec<Column<'_>> {
    let mut columns = Vec::with_capacity(20);
    let mut rest = line;
    loop {
        let start = rest.trim_ascii_start();
        let quoted = start.strip_prefix(b"\"").and_then(|inside| {
            let end = inside.iter().position(|byte| *byte == b'"')?;
            Some((&inside[..end], &inside[end + 1..]))
        });
        let (column, after) = quoted.unwrap_or((start, start));
        let comma = after.iter().position(|byte| *byte == b',');
        let column = match (quoted, comma) {
            (Some(_), _) => column,
            (None, Some(comma)) => start[..comma].trim_ascii_end(),
            (None, None) => start.trim_ascii_end(),
        };
        columns.push(column);
        match comma {
            Some(comma) => rest = &after[comma + 1..],
            None => return columns,
        }
    }
}
