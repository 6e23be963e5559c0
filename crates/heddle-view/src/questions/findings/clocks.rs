//! By how much clocks disagree: moments of different ranks that are not much further apart cannot be compared.

use heddle_store::Store;

/// Messages that are looked at: more change nothing.
const MOST_MESSAGES: u64 = 1 << 16;
/// Messages that arrive before they are sent, of all: fewer are odd records.
const TOO_MANY: f64 = 0.001;
/// Nine of ten disagreements are shorter than what is said: single records are not believed.
const MOST: usize = 9;
/// What is told from clocks is so many times as long as their disagreement.
const CLEAR: i64 = 10;

/// The shortest time between moments of different ranks that can be spoken of, in nanoseconds; 0 where clocks agree.
pub(super) fn least_to_compare(store: &Store) -> i64 {
    let messages = &store.messages;
    let stride = messages.len().div_ceil(MOST_MESSAGES).max(1);
    let rows = (0..messages.len()).step_by(usize::try_from(stride).unwrap_or(usize::MAX));
    let (mut looked, mut early) = (0u64, Vec::new());
    for row in rows {
        let (sent, received) = (messages.send.get(row), messages.recv.get(row));
        if sent.is_some() && received.is_some() {
            looked += 1;
            early.extend((received < sent).then(|| sent.since(received)));
        }
    }
    if early.len() as f64 <= TOO_MANY * looked as f64 {
        return 0;
    }
    early.sort_unstable();
    early[(early.len() - 1) * MOST / 10].saturating_mul(CLEAR)
}
