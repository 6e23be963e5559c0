//! Finds out which receive each send belongs to.
//!
//! Key: communicator, sender, receiver, tag. Within a key the i-th send belongs to the i-th posted
//! receive, since MPI does not let messages overtake; clocks play no part.
//!
//! Sends lie by location, so those of neighbouring locations, a group of [`Senders`], can be matched apart from all others: to
//! them belong the receives that name one of these locations. Most programs send to few others, so few blocks of receives
//! name any of a group, and the others need not be looked through. Groups are as large as the memory budget allows. If
//! one process alone sends more than that, its keys are dealt out by a hash and matched a share at a time.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use heddle_model::{CommId, LocationId};

use super::ends::{EndState, RecvEnd, SendEnd};
use super::spill::{Spill, SpillWriter, first_of_block};
use super::{BuildContext, LocationTotals, Walked};
use crate::StoreError;

/// Memory that a queued receive may take: its place, a link, and a key of its own in the worst case.
const BYTES_PER_RECEIVE: u64 = 64;

/// Fewer receives than so many are not worth a group of their own.
const FEW: u64 = 1 << 16;

/// Groups for each thread, so that threads end at about the same time.
const PER_THREAD: u64 = 4;

/// In the place of a receive's number, where a send has none.
pub(super) const NO_RECEIVE: u64 = u64::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    comm: CommId,
    sender: LocationId,
    receiver: LocationId,
    tag: u32,
}

impl Key {
    /// Threads speak for their process: a key names main locations.
    fn of_send(context: &BuildContext, send: &SendEnd) -> Key {
        Key {
            comm: send.envelope.comm,
            sender: context.main_location(send.envelope.location),
            receiver: send.envelope.peer,
            tag: send.envelope.tag,
        }
    }

    fn of_receive(context: &BuildContext, recv: &RecvEnd) -> Key {
        Key {
            comm: recv.envelope.comm,
            sender: recv.envelope.peer,
            receiver: context.main_location(recv.envelope.location),
            tag: recv.envelope.tag,
        }
    }

    fn share(self, shares: u64) -> u64 {
        let mixed = (u64::from(self.comm.0) << 32 | u64::from(self.sender.0))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(u64::from(self.receiver.0) << 32 | u64::from(self.tag))
            .wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed >> 40) % shares
    }
}

/// Whom a receive names as its sender; none if it never got a message.
fn sender_of(recv: &RecvEnd) -> Option<LocationId> {
    (recv.state == EndState::COMPLETE).then(|| recv.envelope.peer.some()).flatten()
}

/// Neighbouring locations whose sends are matched together. No process has locations in two groups.
pub(super) struct Senders {
    locations: Range<u32>,
    /// Their sends.
    pub(super) sends: Range<u64>,
    /// How many receives name them.
    receives: u64,
}

/// Sends and receives, and where to look for which.
pub(super) struct Matching<'a> {
    context: &'a BuildContext<'a>,
    walked: &'a Walked,
    /// Where the senders lie that the receives of a block name, by block.
    named: Vec<Range<u32>>,
    /// Most receives that are queued at once by a thread.
    most: u64,
    pub(super) senders: Vec<Senders>,
}

impl<'a> Matching<'a> {
    /// Looks through all receives once to cut the locations into groups.
    pub(super) fn new(context: &'a BuildContext<'a>, walked: &'a Walked) -> Matching<'a> {
        let threads = rayon::current_num_threads().max(1) as u64;
        let allowed = context.memory / 2 / threads / BYTES_PER_RECEIVE;
        let most = (walked.recvs.len() / threads / PER_THREAD).max(FEW).min(allowed.max(1 << 14));
        let receives: Vec<AtomicU64> = walked.locations.iter().map(|_| AtomicU64::new(0)).collect();
        let named = walked.recvs.map_blocks(|recvs| {
            let (mut first, mut behind) = (u32::MAX, 0);
            for run in recvs.chunk_by(|a, b| sender_of(a) == sender_of(b)) {
                let Some(sender) = sender_of(&run[0]) else { continue };
                (first, behind) = (first.min(sender.0), behind.max(sender.0.saturating_add(1)));
                if let Some(count) = receives.get(sender.index()) {
                    count.fetch_add(run.len() as u64, Ordering::Relaxed);
                }
            }
            first..behind
        });
        let receives: Vec<u64> = receives.into_iter().map(AtomicU64::into_inner).collect();
        let senders = groups(&context.main_locations, &walked.locations, &receives, most);
        Matching { context, walked, named, most, senders }
    }

    /// The receive of each send of a group, or [`NO_RECEIVE`].
    pub(super) fn receives_of(&self, senders: &Senders) -> Result<Spill<u64>, StoreError> {
        let shares = senders.receives.div_ceil(self.most).max(1);
        let of_shares = (0..shares).into_par_iter().map(|share| self.receives_of_share(senders, share, shares));
        let mut of_shares: Vec<Spill<u64>> = of_shares.collect::<Result<_, _>>()?;
        if of_shares.len() == 1
            && let Some(only) = of_shares.pop()
        {
            return Ok(only);
        }
        // Each has its own sends' receives in the order of sending, so one walk over the sends uses them up.
        let mut of_shares: Vec<_> = of_shares.iter().map(Spill::iter).collect();
        let mut receives = self.writer(senders, "all");
        for send in self.sends(senders) {
            let share = Key::of_send(self.context, &send).share(shares);
            receives.append(&[of_shares[share as usize].next().unwrap_or(NO_RECEIVE)])?;
        }
        receives.finish()
    }

    /// The same for the keys of a share, in the order of sending.
    fn receives_of_share(&self, senders: &Senders, share: u64, shares: u64) -> Result<Spill<u64>, StoreError> {
        self.context.progress.check()?;
        let is_in = |key: Key| shares == 1 || key.share(shares) == share;
        let mut queues = self.queues(senders, is_in);
        let mut receives = self.writer(senders, &share.to_string());
        for send in self.sends(senders) {
            let key = Key::of_send(self.context, &send);
            if is_in(key) {
                receives.append(&[queues.take(key).unwrap_or(NO_RECEIVE)])?;
            }
        }
        receives.finish()
    }

    /// Receives that name senders of a group, in the order of posting.
    fn queues(&self, senders: &Senders, is_in: impl Fn(Key) -> bool) -> Queues {
        let mut queues = Queues::default();
        let locations = &senders.locations;
        for (block, named) in self.named.iter().enumerate() {
            if named.start >= locations.end || named.end <= locations.start {
                continue;
            }
            let first = first_of_block(block);
            for (number, recv) in (first..).zip(self.walked.recvs.keys_of_block(block).iter()) {
                if sender_of(recv).is_some_and(|sender| locations.contains(&sender.0)) {
                    let key = Key::of_receive(self.context, recv);
                    if is_in(key) {
                        queues.add(key, number);
                    }
                }
            }
        }
        queues
    }

    fn sends(&self, senders: &Senders) -> impl Iterator<Item = SendEnd> {
        let count = senders.sends.end - senders.sends.start;
        self.walked.sends.keys_from(senders.sends.start).take(count as usize)
    }

    fn writer(&self, senders: &Senders, which: &str) -> SpillWriter<u64> {
        let name = format!("receives-{}-{which}.tmp", senders.locations.start);
        let memory = self.context.memory / 8 / rayon::current_num_threads().max(1) as u64;
        SpillWriter::create(self.context.directory, &name, memory)
    }
}

/// Cuts locations into groups of which `most` receives name any, if no process has more.
fn groups(mains: &[LocationId], locations: &[LocationTotals], receives: &[u64], most: u64) -> Vec<Senders> {
    // For each location the last one of its process, at the first one.
    let mut lasts: Vec<usize> = (0..mains.len()).collect();
    for (at, main) in mains.iter().enumerate() {
        let (first, last) = (at.min(main.index()), at.max(main.index()));
        lasts[first] = lasts[first].max(last);
    }
    let mut groups: Vec<Senders> = Vec::new();
    let (mut at, mut sends) = (0, 0);
    while at < locations.len() {
        let first = at;
        let mut unit = Senders { locations: first as u32..0, sends: sends..sends, receives: 0 };
        let mut last = at;
        while at <= last {
            last = last.max(lasts[at]);
            unit.receives += receives[at];
            sends += locations[at].sends;
            at += 1;
        }
        (unit.locations.end, unit.sends.end) = (at as u32, sends);
        let fits =
            |before: &Senders| before.receives + unit.receives <= most && unit.sends.end - before.sends.start <= most;
        match groups.last_mut().filter(|before| fits(before)) {
            Some(before) => {
                before.locations.end = unit.locations.end;
                before.sends.end = unit.sends.end;
                before.receives += unit.receives;
            }
            None => groups.push(unit),
        }
    }
    groups
}

/// Numbers of receives that wait for their sends, by key, first in, first out.
#[derive(Default)]
struct Queues {
    of_keys: FxHashMap<Key, Queue>,
    numbers: Vec<u64>,
    /// For each of those the next one of the same key.
    next: Vec<u32>,
}

/// First and last receive in a queue.
struct Queue {
    head: u32,
    tail: u32,
}

const END_OF_QUEUE: u32 = u32::MAX;

impl Queues {
    fn add(&mut self, key: Key, number: u64) {
        let at = self.numbers.len() as u32;
        self.numbers.push(number);
        self.next.push(END_OF_QUEUE);
        let queue = self.of_keys.entry(key).or_insert(Queue { head: at, tail: at });
        if queue.tail != at {
            self.next[queue.tail as usize] = at;
            queue.tail = at;
        }
    }

    /// Takes the first receive of a key out.
    fn take(&mut self, key: Key) -> Option<u64> {
        let queue = self.of_keys.get_mut(&key).filter(|queue| queue.head != END_OF_QUEUE)?;
        let head = queue.head as usize;
        queue.head = self.next[head];
        Some(self.numbers[head])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of locations that send once each: where each begins and ends, and how many receives name it.
    fn cut(mains: &[u32], receives: &[u64], most: u64) -> Vec<(Range<u32>, u64)> {
        let mains: Vec<LocationId> = mains.iter().map(|main| LocationId(*main)).collect();
        let locations = vec![LocationTotals { sends: 1, ..LocationTotals::default() }; mains.len()];
        let groups = groups(&mains, &locations, receives, most);
        for group in &groups {
            let sends = u64::from(group.locations.start)..u64::from(group.locations.end);
            assert_eq!(group.sends, sends);
        }
        groups.into_iter().map(|group| (group.locations, group.receives)).collect()
    }

    #[test]
    fn groups_are_as_large_as_allowed_and_never_part_a_process() {
        assert_eq!(cut(&[], &[], 10), []);
        assert_eq!(cut(&[0, 1, 2, 3, 4], &[4, 6, 1, 30, 2], 10), [(0..2, 10), (2..3, 1), (3..4, 30), (4..5, 2)]);
        assert_eq!(cut(&[0, 1, 2, 3], &[0; 4], 3), [(0..3, 0), (3..4, 0)], "sends count as well");
        assert_eq!(cut(&[0, 0, 2, 2, 4], &[2, 0, 2, 0, 1], 3), [(0..2, 2), (2..5, 3)], "threads behind their process");
        // All processes first, then their threads.
        assert_eq!(cut(&[0, 1, 2, 1, 2, 5], &[5, 1, 1, 0, 0, 9], 5), [(0..1, 5), (1..5, 2), (5..6, 9)]);
    }
}
