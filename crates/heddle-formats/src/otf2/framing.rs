//! Chunks and records of files without timestamps: definitions and markers.
//!
//! Every file but the anchor is a row of chunks of one fixed size; a record never crosses a border.

use heddle_model::{WarningKind, Warnings};

use super::bytes::{ByteOrder, Fields};

/// Length of a chunk's header: mark, byte order, first and last event number.
pub(crate) const CHUNK_HEADER: usize = 18;

/// Control bytes in the place of a record's id.
pub(crate) mod control {
    pub(crate) const END_OF_CHUNK: u8 = 0;
    pub(crate) const END_OF_BUFFER: u8 = 1;
    pub(crate) const END_OF_FILE: u8 = 2;
    pub(crate) const CHUNK_HEADER: u8 = 3;
}

/// The byte order that a chunk's header says, or `None` if it has no header.
pub(crate) fn chunk_order(chunk: &[u8]) -> Option<ByteOrder> {
    if chunk.len() < CHUNK_HEADER || chunk[0] != control::CHUNK_HEADER {
        return None;
    }
    ByteOrder::from_mark(chunk[1])
}

/// Sizes that the library writes, for archives whose anchor was lost.
pub(crate) const USUAL_CHUNK_SIZES: [u64; 7] = [256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20];

/// Calls `visit(id, payload)` for every record of a definition or marker file.
///
/// `visit` says `None` if a payload makes no sense; that record is dropped and counted, and reading
/// goes on behind it, since its length is known.
pub(crate) fn for_each_record(
    bytes: &[u8],
    chunk_size: Option<u64>,
    name: &str,
    warnings: &mut Warnings,
    mut visit: impl FnMut(u8, &mut Fields) -> Option<()>,
) {
    let chunk_size = chunk_size.unwrap_or_else(|| guess_chunk_size(bytes));
    let chunk_size = usize::try_from(chunk_size).unwrap_or(usize::MAX).max(1);
    let mut told = false;
    for (number, chunk) in bytes.chunks(chunk_size).enumerate() {
        let start = number * chunk_size;
        let Some(order) = chunk_order(chunk) else {
            let kind = if chunk.len() < CHUNK_HEADER { WarningKind::Truncated } else { WarningKind::Corrupt };
            warnings.add(
                kind,
                || format!("{name} byte {start}"),
                "a chunk without a header (03, byte order, counts) was skipped",
            );
            told = true;
            continue;
        };
        let mut fields = Fields::new(&chunk[CHUNK_HEADER..], order);
        told = false;
        loop {
            let at = start + CHUNK_HEADER + fields.position();
            match fields.u8() {
                Some(control::END_OF_CHUNK) | None => break,
                Some(control::END_OF_FILE | control::END_OF_BUFFER) => return,
                Some(id) => {
                    let payload = fields.record_length().and_then(|length| fields.sub(length));
                    let Some(mut payload) = payload else {
                        warnings.add(
                            WarningKind::Truncated,
                            || format!("{name} byte {at}"),
                            "a record is longer than what is left of its chunk; definitions after it are missing",
                        );
                        told = true;
                        break;
                    };
                    if visit(id, &mut payload).is_none() {
                        warnings.add(
                            WarningKind::Corrupt,
                            || format!("{name} byte {at}"),
                            "a definition whose fields make no sense was dropped",
                        );
                    }
                }
            }
        }
    }
    // A cut between two chunks leaves every chunk whole: only the missing end mark tells.
    if !told {
        warnings.add(
            WarningKind::Truncated,
            || format!("{name} byte {}", bytes.len()),
            "the file ends without its end mark; definitions after this are missing",
        );
    }
}

fn guess_chunk_size(bytes: &[u8]) -> u64 {
    USUAL_CHUNK_SIZES
        .into_iter()
        .find(|size| bytes.get(*size as usize..).is_some_and(|rest| chunk_order(rest).is_some()))
        .unwrap_or(u64::MAX)
}
