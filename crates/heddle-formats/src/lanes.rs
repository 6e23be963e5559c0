//! Keeps the pairs that the file gives.
//!
//! Some formats give whole messages (a line of Paraver, a flow of trace events), but whoever matches sends with receives
//! does so anew: within a communicator, sender, receiver and tag the first send belongs to the first posted receive. So
//! messages are dealt out to lanes, each with a communicator or a tag of its own, such that within a lane neither sends
//! nor postings go back in time. Nearly always one lane is enough; traces in which messages overtake need more.

use rustc_hash::FxHashMap;

use heddle_model::Ns;

/// More lanes for one key are not opened: whoever needs them has clocks that mean nothing.
const MOST: usize = 1024;

/// About what a key takes.
const BYTES_A_KEY: u64 = 96;

/// One sequence of messages.
#[derive(Debug)]
struct Lane {
    sender: u32,
    receiver: u32,
    sent: Ns,
    posted: Ns,
}

/// A message as matching sees it. Keys name processes; order is that of threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    /// Sending and receiving process, by their main locations.
    pub(crate) mains: (u32, u32),
    pub(crate) tag: u32,
    pub(crate) sender: u32,
    pub(crate) receiver: u32,
    pub(crate) sent: Ns,
    pub(crate) posted: Ns,
}

/// All lanes.
#[derive(Debug)]
pub(crate) struct Lanes {
    open: FxHashMap<(u32, u32, u32), Vec<Lane>>,
    /// Keys that may be remembered.
    most_keys: usize,
    base: u32,
    /// How many there are.
    pub(crate) count: u32,
    /// Messages that found none.
    pub(crate) lost: u64,
}

impl Lanes {
    pub(crate) fn new(memory: u64) -> Lanes {
        let most_keys = usize::try_from(memory / BYTES_A_KEY).unwrap_or(usize::MAX).max(1024);
        Lanes { open: FxHashMap::default(), most_keys, base: 0, count: 0, lost: 0 }
    }

    /// The lane of the next message.
    pub(crate) fn place(&mut self, ends: &Ends) -> u32 {
        if self.open.len() >= self.most_keys {
            // Forgotten keys must not meet their old lanes again.
            self.open.clear();
            self.base = self.count;
        }
        let lanes = self.open.entry((ends.mains.0, ends.mains.1, ends.tag)).or_default();
        let fits = |lane: &Lane| {
            lane.sender == ends.sender
                && lane.receiver == ends.receiver
                && lane.sent <= ends.sent
                && lane.posted <= ends.posted
        };
        let at = match lanes.iter().position(fits) {
            Some(at) => at,
            None if lanes.len() < MOST => {
                let Ends { sender, receiver, sent, posted, .. } = *ends;
                lanes.push(Lane { sender, receiver, sent, posted });
                lanes.len() - 1
            }
            None => {
                self.lost += 1;
                MOST - 1
            }
        };
        (lanes[at].sent, lanes[at].posted) = (ends.sent, ends.posted);
        let number = self.base + at as u32;
        self.count = self.count.max(number + 1);
        number
    }
}
