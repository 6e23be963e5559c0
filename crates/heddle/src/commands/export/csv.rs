//! Comma-separated text: a header, then a line for every row; nulls are empty.

use std::io::Write;

use anyhow::bail;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};

use super::Sink;
use crate::text::printable;

pub(super) struct CsvSink<W: Write> {
    out: W,
    line: String,
    is_for_terminal: bool,
}

impl<W: Write> CsvSink<W> {
    pub(super) fn new(mut out: W, schema: &Schema) -> anyhow::Result<CsvSink<W>> {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        writeln!(out, "{}", names.join(","))?;
        Ok(CsvSink { out, line: String::new(), is_for_terminal: false })
    }

    /// Text is made harmless.
    pub(super) fn for_a_terminal(self) -> CsvSink<W> {
        CsvSink { is_for_terminal: true, ..self }
    }
}

impl<W: Write> Sink for CsvSink<W> {
    fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        for row in 0..batch.num_rows() {
            self.line.clear();
            for (at, column) in batch.columns().iter().enumerate() {
                if at > 0 {
                    self.line.push(',');
                }
                if column.is_valid(row) {
                    append_cell(&mut self.line, column, row)?;
                }
            }
            if self.is_for_terminal {
                self.line = printable(&self.line);
            }
            self.line.push('\n');
            self.out.write_all(self.line.as_bytes())?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        Ok(self.out.flush()?)
    }
}

fn append_cell(line: &mut String, column: &ArrayRef, row: usize) -> anyhow::Result<()> {
    use std::fmt::Write;
    match column.data_type() {
        DataType::Int64 => write!(line, "{}", column.as_primitive::<Int64Type>().value(row))?,
        DataType::UInt64 => write!(line, "{}", column.as_primitive::<UInt64Type>().value(row))?,
        DataType::UInt8 => write!(line, "{}", column.as_primitive::<UInt8Type>().value(row))?,
        DataType::UInt16 => write!(line, "{}", column.as_primitive::<UInt16Type>().value(row))?,
        DataType::UInt32 => write!(line, "{}", column.as_primitive::<UInt32Type>().value(row))?,
        DataType::Float64 => write!(line, "{}", column.as_primitive::<Float64Type>().value(row))?,
        DataType::Utf8 => append_text(line, column.as_string::<i32>().value(row)),
        other => bail!("no way to write {other} as text"),
    }
    Ok(())
}

/// Quotes what would break the row: a separator, a quote, a line end.
fn append_text(line: &mut String, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::append_text;

    #[test]
    fn names_with_separators_are_quoted() {
        let mut line = String::new();
        append_text(&mut line, "int main(int, char**)");
        append_text(&mut line, "|say \"hi\"\n");
        assert_eq!(line, "\"int main(int, char**)\"\"|say \"\"hi\"\"\n\"");
    }
}
