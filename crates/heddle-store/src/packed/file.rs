//! A packed file as a whole: how it begins and ends, and what is checked before it is believed.
//!
//! ```text
//! magic                                   8 bytes
//! chunks: entries and blocks, by column   whole words of 8 bytes, little-endian
//! places of the chunks, by column         a word each
//! description: JSON, padded with spaces   whole words
//! length of the places and the description in bytes, their checksum, magic: three words
//! ```

use std::path::Path;
use std::sync::Arc;

use arrow_buffer::ScalarBuffer;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{BLOCK_ROWS, CHUNK_ROWS, ENDING, Relative};
use crate::StoreError;
use crate::map::Mapped;

/// What a file begins and ends with.
pub(super) const MAGIC: [u8; 8] = *b"HDLPACK1";

/// A column: what it is called, and what its words mean.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// `u8`, `u16`, `u32`, `u64`, `i64`, `f32` or `f64`.
    pub kind: &'static str,
    /// Whether values may be missing, as far as others are told.
    pub is_nullable: bool,
    /// The value, as a word, that means "not there".
    pub missing: u64,
    /// What its blocks may be relative to.
    pub relative_to: Option<Relative>,
}

/// What stands behind the chunks.
pub(super) struct Footer {
    pub(super) rows: u64,
    pub(super) fields: Vec<Field>,
    pub(super) chunks: Vec<Vec<u64>>,
}

/// The description in words that any program can read.
#[derive(Debug, Deserialize, Serialize)]
struct Description {
    rows: u64,
    rows_per_block: u64,
    rows_per_chunk: u64,
    columns: Vec<ColumnDescription>,
}

#[derive(Debug, Deserialize, Serialize)]
struct ColumnDescription {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    /// Whether values may be missing.
    nullable: bool,
    /// The word of a missing value, as a hexadecimal number.
    missing: String,
    /// What relative blocks are differences to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    relative_to: Option<RelativeDescription>,
    /// Where in the file the places of its chunks are, in bytes.
    chunks_at: u64,
}

/// A column: of the same table and row, or of another table in the row that a column here has.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct RelativeDescription {
    column: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    row: Option<String>,
}

/// How a field of a table says what it is relative to.
fn describe(field: &Field, fields: &[Field]) -> Option<RelativeDescription> {
    let name = |fields: &[Field], column: usize| fields.get(column).map(|field| field.name.clone());
    Some(match field.relative_to.as_ref()? {
        Relative::Column(column) => RelativeDescription { column: name(fields, *column)?, table: None, row: None },
        Relative::Through { row, table, fields: there, column } => RelativeDescription {
            column: name(&there(), *column)?,
            table: Some((*table).to_owned()),
            row: name(fields, *row),
        },
    })
}

impl Footer {
    /// As it is written at `at`, the length of the file so far.
    pub(super) fn to_bytes(&self, at: u64) -> Vec<u8> {
        let mut bytes: Vec<u8> = Vec::new();
        let mut columns = Vec::with_capacity(self.fields.len());
        for (field, chunks) in self.fields.iter().zip(&self.chunks) {
            columns.push(ColumnDescription {
                name: field.name.clone(),
                kind: field.kind.to_owned(),
                nullable: field.is_nullable,
                missing: format!("{:016x}", field.missing),
                relative_to: describe(field, &self.fields),
                chunks_at: at + bytes.len() as u64,
            });
            for chunk in chunks {
                bytes.extend_from_slice(&chunk.to_le_bytes());
            }
        }
        let description = Description {
            rows: self.rows,
            rows_per_block: BLOCK_ROWS as u64,
            rows_per_chunk: CHUNK_ROWS as u64,
            columns,
        };
        // A description of numbers and short names always becomes text.
        bytes.extend_from_slice(&serde_json::to_vec(&description).unwrap_or_default());
        bytes.resize(bytes.len().next_multiple_of(8), b' ');
        let (length, checksum) = (bytes.len() as u64, xxh3_64(&bytes));
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes.extend_from_slice(&MAGIC);
        bytes
    }
}

/// A mapped packed file whose ends were checked.
#[derive(Clone, Debug)]
pub struct PackedFile {
    pub(super) mapped: Mapped,
    pub(super) words: ScalarBuffer<u64>,
    pub(super) rows: u64,
    pub(super) fields: Vec<Field>,
    /// Where the chunks of each column begin, in words. All lie within the file, entries included.
    pub(super) chunks: Vec<Vec<u64>>,
    /// The tables beside it that columns are relative to.
    siblings: Siblings,
}

/// Tables by name.
type Siblings = Vec<(&'static str, Arc<PackedFile>)>;

impl PackedFile {
    /// Opens a file that should have these columns.
    pub(crate) fn open(path: &Path, fields: &[Field]) -> Result<PackedFile, StoreError> {
        let damaged = |what: &str| StoreError::damaged(path, what);
        let mapped = Mapped::open(path).map_err(|cause| StoreError::read(path, cause))?;
        let bytes = mapped.bytes();
        let [.., length, checksum, magic] = bytes.as_chunks::<8>().0 else {
            return Err(damaged("it is too short for a packed table"));
        };
        if *magic != MAGIC || bytes.first_chunk() != Some(&MAGIC) || bytes.len() % 8 != 0 {
            return Err(damaged("it does not begin and end like a packed table"));
        }
        let end = bytes.len() - 24;
        let start = usize::try_from(u64::from_le_bytes(*length)).ok().and_then(|length| end.checked_sub(length));
        let start = start.filter(|start| start % 8 == 0).ok_or_else(|| damaged("its end is longer than the file"))?;
        if xxh3_64(&bytes[start..end]) != u64::from_le_bytes(*checksum) {
            return Err(damaged("its end is not what was written"));
        }
        let words = ScalarBuffer::new(mapped.buffer(), 0, bytes.len() / 8);
        let description = description(&bytes[start..end]).ok_or_else(|| damaged("its description cannot be read"))?;
        if !describes(&description, fields) {
            return Err(damaged("its columns are not those of this version"));
        }
        let chunks = description
            .columns
            .iter()
            .map(|column| places(&words, start / 8, column.chunks_at, description.rows))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| damaged("a chunk reaches past the end"))?;
        if !are_apart(&chunks, description.rows, start / 8) {
            return Err(damaged("its chunks lie over each other"));
        }
        let siblings = PackedFile::siblings(path, fields)?;
        Ok(PackedFile { mapped, words, rows: description.rows, fields: fields.to_vec(), chunks, siblings })
    }

    /// Opens the tables beside a file that its columns are relative to.
    pub(super) fn siblings(path: &Path, fields: &[Field]) -> Result<Siblings, StoreError> {
        let mut siblings = Siblings::new();
        for field in fields {
            if let Some(Relative::Through { table, fields, .. }) = &field.relative_to
                && siblings.iter().all(|(name, _)| name != table)
            {
                let path = path.with_file_name(format!("{table}.{ENDING}"));
                siblings.push((table, Arc::new(PackedFile::open(&path, &fields())?)));
            }
        }
        Ok(siblings)
    }

    pub(super) fn sibling(&self, table: &str) -> Option<&PackedFile> {
        self.siblings.iter().find(|(name, _)| *name == table).map(|(_, file)| &**file)
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }
}

/// The description at the end of these bytes, behind the places of the chunks, which are no text.
fn description(bytes: &[u8]) -> Option<Description> {
    // The places are known by their number, which only the description tells: it begins at a word, with a brace.
    (0..bytes.len()).step_by(8).rev().filter(|at| bytes[*at] == b'{').find_map(|at| {
        let description: Description = serde_json::from_slice(&bytes[at..]).ok()?;
        Some(description)
    })
}

fn describes(description: &Description, fields: &[Field]) -> bool {
    let is_same = |(column, field): (&ColumnDescription, &Field)| {
        column.name == field.name
            && column.kind == field.kind
            && column.nullable == field.is_nullable
            && column.relative_to == describe(field, fields)
    };
    description.rows_per_block == BLOCK_ROWS as u64
        && description.rows_per_chunk == CHUNK_ROWS as u64
        && description.columns.len() == fields.len()
        && description.columns.iter().zip(fields).all(is_same)
}

/// Whether every chunk has words of its own before `end`, one for the entry and one at least for each block: so there are no
/// more rows than a file of this length may have.
fn are_apart(chunks: &[Vec<u64>], rows: u64, end: usize) -> bool {
    let least = |at: usize| 2 * (rows - (at * CHUNK_ROWS) as u64).min(CHUNK_ROWS as u64).div_ceil(BLOCK_ROWS as u64);
    let of_column =
        |places: &[u64]| places.iter().enumerate().map(|(at, place)| (*place, least(at))).collect::<Vec<_>>();
    let mut all: Vec<(u64, u64)> = chunks.iter().flat_map(|places| of_column(places)).collect();
    all.sort_unstable();
    let behind =
        all.last().is_none_or(|(place, words)| place.checked_add(*words).is_some_and(|end_of| end_of <= end as u64));
    behind && all.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0)
}

/// The places of a column's chunks, if all of them lie before `end`, a word.
fn places(words: &[u64], end: usize, chunks_at: u64, rows: u64) -> Option<Vec<u64>> {
    let count = usize::try_from(rows.div_ceil(CHUNK_ROWS as u64)).ok()?;
    let first = usize::try_from(chunks_at / 8).ok()?;
    let places = words.get(first..first.checked_add(count)?)?;
    let fits = |(at, place): (usize, &u64)| {
        let rows = (rows - (at * CHUNK_ROWS) as u64).min(CHUNK_ROWS as u64);
        place.checked_add(rows.div_ceil(BLOCK_ROWS as u64)).is_some_and(|behind| behind <= end as u64)
    };
    places.iter().enumerate().all(fits).then(|| places.to_vec())
}
