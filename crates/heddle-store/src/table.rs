//! Tables: one file each, which maps straight into memory. Small ones are Arrow IPC, uncompressed; large ones, of numbers
//! only, are packed ([`crate::packed`]).
//!
//! `table!` declares a table once: its fields give the columns that are written, the columns that are
//! read, and the names that pandas, Polars and DuckDB see.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{Schema, SchemaRef};

use heddle_model::Name;

use crate::StoreError;
use crate::column::BATCH_ROWS;
use crate::map::Mapped;
use crate::packed::{self, CHUNK_ROWS, PackedWriter};

/// Rows waiting to be written: a vector for each column.
pub trait Rows: Default + Send {
    /// Name of the file without its ending.
    const NAME: &'static str;

    /// Whether the table is packed. If not, it is Arrow.
    const PACKED: bool;

    /// Names and types of the columns.
    fn schema() -> Schema;

    /// The same for a packed file.
    fn fields() -> Vec<Field>;

    /// The place of a column, by what the program calls it.
    fn place_of(field: &str) -> Option<usize>;

    /// Number of rows.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes room for `count` more.
    fn reserve(&mut self, count: usize);

    /// Moves `count` rows of `from`, starting at `at`, to the end of this.
    fn append(&mut self, from: &mut Self, at: usize, count: usize);

    /// Forgets all rows but keeps the memory.
    fn clear(&mut self);

    /// All rows as Arrow arrays.
    fn into_arrays(self) -> Vec<ArrayRef>;

    /// All columns, to be packed.
    fn columns(&self) -> Vec<&dyn Words>;

    /// No rows, in the memory of arrays that nobody else holds any more.
    fn from_buffers(buffers: Vec<Buffer>) -> Self;
}

/// An open table, whatever is in it: for those who hand it to other programs.
pub trait Table {
    /// Name of the file without its ending.
    fn name(&self) -> &'static str;

    /// Names and types of the columns.
    fn schema(&self) -> Schema;

    /// Number of rows.
    fn rows(&self) -> u64;

    /// Some of the rows, column by column.
    fn arrays(&self, rows: Range<u64>) -> Vec<ArrayRef>;
}

/// Declares a table: `Rows` to write, `Table` to read. A column of a packed table may be relative to another:
/// `"end_ns" - start` keeps, where that takes less, how much later the end is, and `"send_ns" - SpanRows.start[send_span]` how
/// much later than the start in that row of the table of spans, which must be written before.
///
/// ```
/// heddle_store::table! {
///     /// Fruit.
///     FruitRows, FruitTable = "fruit" {
///         /// How heavy.
///         grams: u32 => "grams",
///         /// What it is called.
///         name: String => "name" nullable,
///     }
/// }
/// ```
#[macro_export]
macro_rules! table {
    (
        $(#[$doc:meta])*
        $rows:ident, $table:ident = $file:literal $($packed:ident)? {
            $( $(#[$field_doc:meta])* $field:ident: $type:ty => $name:literal
                $(- $other:ident $(. $there:ident [$row:ident])?)? $($nullable:ident)?, )*
        }
    ) => {
        $(#[$doc])*
        #[allow(unreachable_pub)]
        #[derive(Debug, Default)]
        pub struct $rows {
            $( $(#[$field_doc])* pub $field: Vec<$type>, )*
        }

        impl $crate::table::Rows for $rows {
            const NAME: &'static str = $file;
            const PACKED: bool = $crate::table!(@packed $($packed)?);

            fn schema() -> $crate::table::arrow_schema::Schema {
                $crate::table::arrow_schema::Schema::new(vec![$(
                    $crate::table::arrow_schema::Field::new(
                        $name,
                        <$type as $crate::Cell>::data_type(),
                        $crate::table!(@nullable $($nullable)?),
                    ),
                )*])
            }

            fn fields() -> Vec<$crate::table::Field> {
                $crate::table::fields(&[$(
                    $crate::table::Declared {
                        field: stringify!($field),
                        name: $name,
                        packed_as: <$type as $crate::Cell>::packed_as(),
                        is_nullable: $crate::table!(@nullable $($nullable)?),
                        relative_to: $crate::table!(@other $($other $(. $there [$row])?)?),
                    },
                )*])
            }

            fn place_of(field: &str) -> Option<usize> {
                [$(stringify!($field),)*].iter().position(|other| *other == field)
            }

            #[allow(unreachable_code)]
            fn len(&self) -> usize {
                $( return self.$field.len(); )*
            }

            fn reserve(&mut self, count: usize) {
                $( self.$field.reserve(count); )*
            }

            fn append(&mut self, from: &mut Self, at: usize, count: usize) {
                $( self.$field.extend(from.$field[at..at + count].iter_mut().map($crate::table::take_or_copy)); )*
            }

            fn clear(&mut self) {
                $( self.$field.clear(); )*
            }

            fn into_arrays(self) -> Vec<$crate::table::arrow_array::ArrayRef> {
                vec![$(
                    <$type as $crate::Cell>::to_array(self.$field, $crate::table!(@nullable $($nullable)?)),
                )*]
            }

            fn columns(&self) -> Vec<&dyn $crate::table::Words> {
                vec![$( &self.$field, )*]
            }

            fn from_buffers(buffers: Vec<$crate::table::arrow_buffer::Buffer>) -> Self {
                let mut buffers = buffers.into_iter();
                Self { $( $field: buffers.next().map(<$type as $crate::Cell>::from_buffer).unwrap_or_default(), )* }
            }
        }

        $(#[$doc])*
        #[allow(dead_code, unreachable_pub)]
        #[derive(Debug)]
        pub struct $table {
            $( $(#[$field_doc])* pub $field: <$type as $crate::Cell>::Column, )*
            row_count: u64,
        }

        // Tables of the indexes are private, and some are only ever asked for their columns.
        #[allow(dead_code, unreachable_pub)]
        impl $table {
            /// Number of rows.
            pub fn len(&self) -> u64 {
                self.row_count
            }

            /// Whether there are no rows.
            pub fn is_empty(&self) -> bool {
                self.row_count == 0
            }

            /// Opens the table in a directory.
            pub fn open(directory: &std::path::Path) -> Result<$table, $crate::StoreError> {
                let path = $crate::table::path_of::<$rows>(directory);
                let opened = $crate::table::Opened::open::<$rows>(&path)?;
                let mut number = 0..;
                let wrong = || $crate::StoreError::Damaged {
                    path: path.to_owned(),
                    what: "a column has the wrong type".to_owned(),
                };
                Ok($table {
                    $( $field: number
                        .next()
                        .and_then(|number| <$type as $crate::Cell>::column(&opened, number))
                        .ok_or_else(wrong)?, )*
                    row_count: opened.rows(),
                })
            }
        }

        impl $crate::table::Table for $table {
            fn name(&self) -> &'static str {
                <$rows as $crate::table::Rows>::NAME
            }

            fn schema(&self) -> $crate::table::arrow_schema::Schema {
                <$rows as $crate::table::Rows>::schema()
            }

            fn rows(&self) -> u64 {
                self.row_count
            }

            fn arrays(&self, rows: std::ops::Range<u64>) -> Vec<$crate::table::arrow_array::ArrayRef> {
                vec![$(
                    <$type as $crate::Cell>::to_array(
                        <$type as $crate::Cell>::cells(&self.$field, rows.clone()),
                        $crate::table!(@nullable $($nullable)?),
                    ),
                )*]
            }
        }
    };
    (@packed) => { false };
    (@packed packed) => { true };
    (@other) => { None };
    (@other $other:ident) => { Some($crate::table::Near::Field(stringify!($other))) };
    (@other $rows:ident . $there:ident [$row:ident]) => {
        Some($crate::table::Near::Through {
            row: stringify!($row),
            table: <$rows as $crate::table::Rows>::NAME,
            fields: <$rows as $crate::table::Rows>::fields,
            column: <$rows as $crate::table::Rows>::place_of(stringify!($there)),
        })
    };
    (@nullable) => { false };
    (@nullable nullable) => { true };
}
pub(crate) use table;

#[doc(hidden)]
pub use {arrow_array, arrow_buffer, arrow_schema};

pub use crate::packed::{Field, PackedFile, Relative, Words};

/// Takes a cell out of the rows it came in; numbers are copied, text is moved.
pub fn take_or_copy<T: TakeCell>(cell: &mut T) -> T {
    cell.take_cell()
}

/// How a cell leaves its rows.
pub trait TakeCell {
    /// The cell; of text an empty one stays behind.
    #[must_use]
    fn take_cell(&mut self) -> Self;
}

impl<T: crate::column::Fixed> TakeCell for T {
    #[inline]
    fn take_cell(&mut self) -> T {
        *self
    }
}

impl TakeCell for String {
    fn take_cell(&mut self) -> String {
        std::mem::take(self)
    }
}

impl TakeCell for Name {
    fn take_cell(&mut self) -> Name {
        std::mem::take(self)
    }
}

/// A column as `table!` has it.
#[derive(Debug)]
pub struct Declared {
    /// What the program calls it.
    pub field: &'static str,
    /// What outsiders call it.
    pub name: &'static str,
    /// Its type, and the word that means "not there".
    pub packed_as: Option<(&'static str, u64)>,
    /// Whether values may be missing.
    pub is_nullable: bool,
    /// What it is relative to.
    pub relative_to: Option<Near>,
}

/// What a column is relative to, as `table!` has it.
#[derive(Debug)]
pub enum Near {
    /// A field of the same table.
    Field(&'static str),
    /// A column of another table, in the row that a field has.
    Through {
        /// The field with the row.
        row: &'static str,
        /// The other table.
        table: &'static str,
        /// Its columns.
        fields: fn() -> Vec<Field>,
        /// Its column.
        column: Option<usize>,
    },
}

/// The columns of a packed file.
pub fn fields(declared: &[Declared]) -> Vec<Field> {
    let place_of = |field: &str| declared.iter().position(|column| column.field == field);
    let relative = |near: &Near| {
        Some(match near {
            Near::Field(field) => Relative::Column(place_of(field)?),
            Near::Through { row, table, fields, column } => {
                Relative::Through { row: place_of(row)?, table, fields: *fields, column: (*column)? }
            }
        })
    };
    let field = |column: &Declared| {
        let (kind, missing) = column.packed_as.unwrap_or_default();
        let relative_to = column.relative_to.as_ref().and_then(relative);
        Field { name: column.name.to_owned(), kind, is_nullable: column.is_nullable, missing, relative_to }
    };
    declared.iter().map(field).collect()
}

/// The file of a table in a directory.
pub fn path_of<R: Rows>(directory: &Path) -> PathBuf {
    directory.join(format!("{}.{}", R::NAME, if R::PACKED { packed::ENDING } else { "arrow" }))
}

/// Refuses a table whose ids or places lead out of the tables that they point to.
pub fn require<R: Rows>(directory: &Path, leads_somewhere: bool) -> Result<(), StoreError> {
    if leads_somewhere { Ok(()) } else { Err(unfit::<R>(directory)) }
}

/// The error for such a table.
pub(crate) fn unfit<R: Rows>(directory: &Path) -> StoreError {
    StoreError::damaged(&path_of::<R>(directory), "what it points to is not there")
}

/// Whether stretches of rows, given by their beginnings and lengths, lie within a table of so many rows.
pub fn lie_within(stretches: impl IntoIterator<Item = (u64, u64)>, rows: u64) -> bool {
    stretches.into_iter().all(|(first, count)| first.checked_add(count).is_some_and(|end| end <= rows))
}

/// An open table file.
#[derive(Debug)]
pub enum Opened {
    /// The arrays of each column, batch by batch, and the number of rows.
    Arrow(Vec<Vec<ArrayRef>>, u64),
    /// A packed file.
    Packed(PackedFile),
}

impl Opened {
    /// Opens the file of a table.
    pub fn open<R: Rows>(path: &Path) -> Result<Opened, StoreError> {
        if R::PACKED {
            return PackedFile::open(path, &R::fields()).map(Opened::Packed);
        }
        let mapped = Mapped::open(path).map_err(|cause| StoreError::read(path, cause))?;
        let (columns, rows) = read_columns(path, &mapped, &R::schema())?;
        Ok(Opened::Arrow(columns, rows))
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        match self {
            Opened::Arrow(_, rows) => *rows,
            Opened::Packed(file) => file.rows(),
        }
    }
}

/// Writes a table, batch by batch.
pub struct TableWriter<R: Rows> {
    path: PathBuf,
    file: Output,
    pending: R,
    written: u64,
}

enum Output {
    Arrow(SchemaRef, Box<FileWriter<BufWriter<File>>>),
    Packed(PackedWriter),
}

impl<R: Rows> TableWriter<R> {
    /// Begins a table in a directory, which is made if needed.
    pub fn create(directory: &Path) -> Result<TableWriter<R>, StoreError> {
        let path = path_of::<R>(directory);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|cause| StoreError::write(parent, cause))?;
        }
        let file = if R::PACKED {
            Output::Packed(PackedWriter::create(&path, R::fields())?)
        } else {
            let schema = Arc::new(R::schema());
            Output::Arrow(schema.clone(), Box::new(arrow_writer(&path, &schema)?))
        };
        Ok(TableWriter { path, file, pending: R::default(), written: 0 })
    }

    /// Rows that are written together.
    const AT_ONCE: usize = if R::PACKED { CHUNK_ROWS } else { BATCH_ROWS };

    /// Rows so far, written or waiting.
    pub fn rows(&self) -> u64 {
        self.written + self.pending.len() as u64
    }

    /// The rows not yet on disk and the number of the first: what can still be changed cheaply.
    pub fn pending(&mut self) -> (u64, &mut R) {
        (self.written, &mut self.pending)
    }

    /// Appends rows.
    pub fn append(&mut self, mut rows: R) -> Result<(), StoreError> {
        self.append_from(&mut rows)
    }

    /// Moves rows here; `rows` is empty afterwards and keeps its memory.
    pub fn append_from(&mut self, rows: &mut R) -> Result<(), StoreError> {
        self.append_seen(rows, |_, _| {})
    }

    /// The same, and shows all rows that go to disk together, with the number of the first, before they do.
    pub(crate) fn append_seen(&mut self, rows: &mut R, mut see: impl FnMut(u64, &mut R)) -> Result<(), StoreError> {
        let total = rows.len();
        let mut at = 0;
        while at < total {
            let count = (total - at).min(Self::AT_ONCE - self.pending.len());
            self.pending.append(rows, at, count);
            at += count;
            if self.pending.len() == Self::AT_ONCE {
                see(self.written, &mut self.pending);
                self.flush()?;
            }
        }
        rows.clear();
        Ok(())
    }

    /// Writes the waiting rows once they make a full batch. Call after filling [`Self::pending`] by hand.
    pub fn flush_full(&mut self) -> Result<(), StoreError> {
        if self.pending.len() < Self::AT_ONCE {
            return Ok(());
        }
        if self.pending.len() == Self::AT_ONCE {
            return self.flush();
        }
        // More than goes at once: what is left moves once, not once for each batch.
        let mut all = std::mem::take(&mut self.pending);
        let total = all.len();
        let mut at = 0;
        while at < total {
            let count = (total - at).min(Self::AT_ONCE);
            self.pending.append(&mut all, at, count);
            at += count;
            if count == Self::AT_ONCE {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        self.written += self.pending.len() as u64;
        let (schema, writer) = match &mut self.file {
            Output::Packed(file) => {
                file.append(&self.pending.columns(), self.pending.len())?;
                self.pending.clear();
                return Ok(());
            }
            Output::Arrow(schema, writer) => (schema, writer),
        };
        let rows = std::mem::take(&mut self.pending);
        let batch = RecordBatch::try_new(schema.clone(), rows.into_arrays())
            .map_err(|cause| StoreError::arrow(&self.path, cause))?;
        writer.write(&batch).map_err(|cause| StoreError::arrow(&self.path, cause))?;
        // The next batch uses the memory of this one: fresh pages for every batch cost more than the writing.
        let buffers = batch.columns().iter().map(|column| column.to_data().buffers()[0].clone()).collect();
        drop(batch);
        self.pending = R::from_buffers(buffers);
        Ok(())
    }

    /// Sets values of a column of a packed table that may have been written already, then ends it: rows in ascending order.
    /// Returns the number of rows.
    pub(crate) fn finish_patched(mut self, column: &str, values: &[(u64, u64)]) -> Result<u64, StoreError> {
        self.flush_rest()?;
        if let Output::Packed(file) = &mut self.file {
            file.patch(column, values)?;
        }
        self.finish()
    }

    fn flush_rest(&mut self) -> Result<(), StoreError> {
        if self.pending.is_empty() { Ok(()) } else { self.flush() }
    }

    /// Writes what is left and the footer; returns the number of rows.
    pub fn finish(mut self) -> Result<u64, StoreError> {
        self.flush_rest()?;
        match self.file {
            Output::Packed(file) => file.finish(),
            Output::Arrow(_, mut writer) => {
                writer.finish().map_err(|cause| StoreError::arrow(&self.path, cause))?;
                let mut inner = writer.into_inner().map_err(|cause| StoreError::arrow(&self.path, cause))?;
                inner.flush().map_err(|cause| StoreError::write(&self.path, cause))?;
                Ok(self.written)
            }
        }
    }
}

fn arrow_writer(path: &Path, schema: &Schema) -> Result<FileWriter<BufWriter<File>>, StoreError> {
    let file = File::create(path).map_err(|cause| StoreError::write(path, cause))?;
    // Buffers aligned to 64 bytes in the file are aligned in the mapping too.
    let options = IpcWriteOptions::try_new(64, false, arrow_ipc::MetadataVersion::V5)
        .map_err(|cause| StoreError::arrow(path, cause))?;
    FileWriter::try_new_with_options(BufWriter::with_capacity(1 << 20, file), schema, options)
        .map_err(|cause| StoreError::arrow(path, cause))
}

/// Writes a small table at once.
pub fn write_table<R: Rows>(directory: &Path, rows: R) -> Result<u64, StoreError> {
    let mut writer = TableWriter::create(directory)?;
    writer.pending = rows;
    writer.flush_full()?;
    writer.finish()
}

/// The arrays of each column, batch by batch, over the mapped file; and the number of rows.
fn read_columns(path: &Path, mapped: &Mapped, expected: &Schema) -> Result<(Vec<Vec<ArrayRef>>, u64), StoreError> {
    let damaged = |what: &str| StoreError::damaged(path, what);
    let bytes = mapped.bytes();
    let trailer: [u8; 10] =
        bytes.last_chunk::<10>().copied().ok_or_else(|| damaged("it is too short for an Arrow file"))?;
    let footer_length = read_footer_length(trailer).map_err(|_| damaged("it does not end like an Arrow file"))?;
    let footer_start =
        bytes.len().checked_sub(10 + footer_length).ok_or_else(|| damaged("its footer is longer than the file"))?;
    let footer = arrow_ipc::root_as_footer(&bytes[footer_start..bytes.len() - 10])
        .map_err(|_| damaged("its footer cannot be read"))?;
    let arrow = |cause| StoreError::arrow(path, cause);
    let schema = footer.schema().ok_or_else(|| damaged("it has no schema"))?;
    let schema = Arc::new(arrow_ipc::convert::try_fb_to_schema(schema).map_err(arrow)?);
    if schema.fields() != expected.fields() {
        return Err(damaged("its columns are not those of this version"));
    }
    let decoder = FileDecoder::new(schema, footer.version()).with_require_alignment(true);
    let buffer = mapped.buffer();
    let mut columns: Vec<Vec<ArrayRef>> = vec![Vec::new(); expected.fields().len()];
    let mut rows = 0;
    for block in footer.recordBatches().iter().flatten() {
        let length = usize::try_from(i64::from(block.metaDataLength()).saturating_add(block.bodyLength()))
            .map_err(|_| damaged("a batch has a negative length"))?;
        let start = usize::try_from(block.offset()).map_err(|_| damaged("a batch has a negative offset"))?;
        if start.checked_add(length).is_none_or(|end| end > bytes.len()) {
            return Err(damaged("a batch reaches past the end"));
        }
        if !fits(&bytes[start..start + length], block.metaDataLength()) {
            return Err(damaged("a column reaches past the end of its batch"));
        }
        let batch = decoder
            .read_record_batch(block, &buffer.slice_with_length(start, length))
            .map_err(arrow)?
            .ok_or_else(|| damaged("a batch is empty"))?;
        if rows % BATCH_ROWS as u64 != 0 || batch.num_rows() > BATCH_ROWS {
            return Err(damaged("a batch does not have its number of rows"));
        }
        rows += batch.num_rows() as u64;
        for (column, array) in columns.iter_mut().zip(batch.columns()) {
            column.push(array.clone());
        }
    }
    Ok((columns, rows))
}

/// Whether the buffers of a batch lie inside it. Arrow takes that for granted and would panic.
fn fits(batch: &[u8], head: i32) -> bool {
    /// What precedes the description of a batch: a marker and the description's length.
    const PREFIX: usize = 8;
    let Some((head, body)) = usize::try_from(head).ok().and_then(|head| batch.split_at_checked(head)) else {
        return false;
    };
    let message = head.get(PREFIX..).and_then(|head| arrow_ipc::root_as_message(head).ok());
    let Some(buffers) = message.and_then(|message| message.header_as_record_batch()?.buffers()) else { return false };
    let inside = |buffer: &arrow_ipc::Buffer| {
        let (offset, length) = (usize::try_from(buffer.offset()), usize::try_from(buffer.length()));
        let end = offset.ok().zip(length.ok()).and_then(|(offset, length)| offset.checked_add(length));
        end.is_some_and(|end| end <= body.len())
    };
    buffers.iter().all(inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{MessageByReceiveRows, MessageByReceiveTable};

    #[test]
    fn rows_beyond_a_batch_stay_in_their_places() {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = TableWriter::<MessageByReceiveRows>::create(directory.path()).unwrap();
        let total = 3 * BATCH_ROWS as u64 + 17;
        for part in [0..1000, 1000..BATCH_ROWS as u64 + 5, BATCH_ROWS as u64 + 5..total] {
            writer.pending().1.message.extend(part);
            writer.flush_full().unwrap();
        }
        assert_eq!(writer.finish().unwrap(), total);
        let table = MessageByReceiveTable::open(directory.path()).unwrap();
        assert!(table.message.iter(0..table.len()).eq(0..total));
        assert_eq!(table.message.get(BATCH_ROWS as u64 + 2), BATCH_ROWS as u64 + 2);
    }
}
