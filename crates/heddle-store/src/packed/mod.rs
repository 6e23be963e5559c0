//! Packed columns: large tables of numbers in a fraction of their bytes, mapped, and read at random in nanoseconds.
//!
//! Each column is cut into blocks of [`BLOCK_ROWS`] rows. A block is a straight line through its values and, for each of
//! them, what it lies above that line, in as few bits as the largest of them needs; a few that lie far off are kept whole. So
//! times that rise, ids that count up and columns that never change take little or nothing, whatever their type; and the value
//! of any row is two reads away. A column may be declared as relative to another ([`Relative`]): a block then holds the
//! differences, where they take less.
//! Blocks have a fixed number of rows, wherever locations begin: the block of a row is a shift then, for all columns alike,
//! and a location of fourteen calls costs no block of its own. `docs/packed.md` describes the file for strangers.
//!
//! A store is input like a trace. What the file says about itself is checked when it is opened; every block carries a
//! checksum that is compared when it is first touched. Reads cannot fail in the middle of an analysis, so a damaged block
//! reads as missing values or zeros and is noted; whoever shows a result asks before and after ([`crate::Store::check`]). So does a block with
//! values beyond the limits of its column ([`limits`]): checksums can be made right, ids that lead nowhere cannot.

mod bits;
mod block;
mod column;
mod file;
mod limits;
mod line;
mod records;
mod relative;
mod writer;

pub(crate) use block::BLOCK_ROWS;
pub(crate) use column::{FEW, PackedColumn};
pub use file::{Field, PackedFile};
pub(crate) use limits::Limits;
pub(crate) use records::{append_record_column, read_record, unpack_record_columns};
pub use relative::Relative;
pub(crate) use writer::PackedWriter;
pub use writer::Words;

/// Rows that are packed and written together, with the places of their blocks in front: small enough that what waits for it
/// takes little memory, large enough for long writes.
pub(crate) const CHUNK_ROWS: usize = 1 << CHUNK_SHIFT;
const CHUNK_SHIFT: usize = 16;

/// The ending of a file.
pub(crate) const ENDING: &str = "packed";

#[cfg(test)]
mod tests;
