//! Whether clocks disagree so much that moments of different ranks cannot be compared.

use heddle_store::Store;

/// Messages that are looked at: more change nothing.
const MOST_MESSAGES: u64 = 1 << 16;
/// Messages that arrive before they are sent, of all: more are no odd records.
const TOO_MANY: f64 = 0.001;

/// Whether messages arrive before they are sent.
pub(super) fn disagree(store: &Store) -> bool {
    let messages = &store.messages;
    let stride = messages.len().div_ceil(MOST_MESSAGES).max(1);
    let rows = (0..messages.len()).step_by(usize::try_from(stride).unwrap_or(usize::MAX));
    let (mut looked, mut early) = (0u64, 0u64);
    for row in rows {
        let (sent, received) = (messages.send.get(row), messages.recv.get(row));
        if sent.is_some() && received.is_some() {
            looked += 1;
            early += u64::from(received < sent);
        }
    }
    early as f64 > TOO_MANY * looked as f64
}
