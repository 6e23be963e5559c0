//! How much memory a diagnosis takes, told before it begins.
//!
//! What grows with the trace lies in lists that go to a file when they find no more room ([`heddle_store::LongList`]). The
//! rest is little per message and member of a collective, and what is held of a row while it is looked at.

use heddle_store::{Store, StoreError};

use crate::detect::{SAMPLE_ROWS, SAMPLE_VISITS};
use crate::rows::CALLS_AT_ONCE;

/// Of the memory that may be taken, the part that is for lists: one in so many bytes.
const PART_OF_LISTS: u64 = 4;
/// Bytes for a location: its state in replays, and where its parts of lists begin.
const PER_LOCATION: u64 = 600;
/// For a member of a collective: whom it held up, and what is found of many before it is put with the rest.
const PER_MEMBER: u64 = 64;
/// For a call of those that are looked at at a time: what was found of it, before it is put with the rest.
const PER_CALL_AT_ONCE: u64 = 8;
/// For a call of a row that is looked at: what it did, and with whom, put in order.
const PER_CALL_OF_ROW: u64 = 48;
/// For a call of the rows that are asked how visits are paired, as long as these are not too many: one in eight is a visit.
const PER_CALL_SAMPLED: u64 = 8;
const MOST_SAMPLED: u64 = 8 * SAMPLE_VISITS as u64;
/// Whatever the trace: what tables are written and read through, and counts of lengths.
const ALWAYS: u64 = 64 << 20;
/// Messages that a byte is for: two bits for each say whether anybody waited for it.
const MESSAGES_PER_BYTE: u64 = 4;

/// What lists may take of the memory.
pub(crate) fn in_room(store: &Store) -> u64 {
    store.memory() / PART_OF_LISTS
}

/// What a diagnosis takes beside its lists.
fn beside_lists(store: &Store) -> u64 {
    let (calls, locations) = (store.spans.len(), store.locations.len());
    let longest = store.locations.spans.iter(0..locations).max().unwrap_or(0);
    let threads = rayon::current_num_threads() as u64;
    let sampled = (calls / locations.max(1)).saturating_mul(locations.min(SAMPLE_ROWS as u64)).min(MOST_SAMPLED);
    ALWAYS
        + locations * PER_LOCATION
        + store.messages.len() / MESSAGES_PER_BYTE
        + store.collective_members.len() * PER_MEMBER
        + calls.min(CALLS_AT_ONCE.max(longest)) * PER_CALL_AT_ONCE
        + sampled * PER_CALL_SAMPLED
        + longest.saturating_mul(threads).min(calls) * PER_CALL_OF_ROW
}

/// The least memory that a diagnosis can be made with.
fn needed(store: &Store) -> u64 {
    beside_lists(store) / (PART_OF_LISTS - 1) * PART_OF_LISTS
}

/// Refuses a diagnosis that would take more memory than it may.
pub fn check(store: &Store) -> Result<(), StoreError> {
    let (needed, allowed) = (needed(store), store.memory());
    if needed <= allowed {
        return Ok(());
    }
    let gigabytes = |bytes: u64| format!("{:.1} GB", bytes as f64 / 1e9);
    let calls = store.spans.len();
    Err(StoreError::Memory(format!(
        "the diagnosis of {calls} calls takes about {} of memory, and {} are allowed",
        gigabytes(needed),
        gigabytes(allowed)
    )))
}
