//! Links as messages.
//!
//! A link is two lines with the same type, container and key, in any order. Whom a message goes to is known only when
//! both are there, and StarPU writes all messages after everything else, so links are kept until the end of the
//! file, then sorted into tracks of their own. The store pairs sends and receives of the same communicator, ends and tag
//! first in, first out. Links that overtake each other would be paired wrongly by that, so they are dealt out to lanes in
//! which none does; a lane is a communicator with the name of the link type.

use heddle_model::{CommId, LocationId, MessageEnd, Ns, RequestId};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::builder::Builder;
use super::odd::Oddity;

/// One end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinkEnd {
    pub(super) container: u32,
    pub(super) time: Ns,
    pub(super) bytes: Option<u64>,
    pub(super) tag: Option<u32>,
}

/// A link; one of its ends may be missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) kind: u32,
    pub(super) start: Option<LinkEnd>,
    pub(super) end: Option<LinkEnd>,
}

/// Ends of one key that wait for the other side: the first, and in odd files some more.
#[derive(Debug)]
struct Waiting {
    are_starts: bool,
    first: LinkEnd,
    more: std::collections::VecDeque<LinkEnd>,
}

type ByKey = FxHashMap<Box<[u8]>, Waiting>;

/// Links so far.
pub(super) struct Links {
    /// By type and container.
    waiting: FxHashMap<(u32, u32), ByKey>,
    waiting_bytes: usize,
    whole: Vec<Link>,
    most_bytes: usize,
    /// Type and lane of each communicator after the world.
    pub(super) lanes: Vec<(u32, u32)>,
    lane_index: FxHashMap<(u32, u32), CommId>,
    /// Link types that only go between processes, and those that do not.
    pub(super) kinds_of_world: FxHashSet<u32>,
    kinds_of_others: FxHashSet<u32>,
}

/// Further lanes do not help to draw anything.
const MOST_LANES: usize = 64;

/// What a waiting end takes beside its key.
const WAITING_BYTES: usize = 120;

impl Links {
    pub(super) fn new(memory: u64) -> Links {
        Links {
            waiting: FxHashMap::default(),
            waiting_bytes: 0,
            whole: Vec::new(),
            most_bytes: usize::try_from(memory / 4).unwrap_or(usize::MAX).max(1 << 16),
            lanes: Vec::new(),
            lane_index: FxHashMap::default(),
            kinds_of_world: FxHashSet::default(),
            kinds_of_others: FxHashSet::default(),
        }
    }

    /// Whether links must be written before the end.
    pub(super) fn are_many(&self) -> bool {
        self.whole.len() * size_of::<Link>() * 3 + self.waiting_bytes > self.most_bytes
    }

    /// One end of a link that lives in `container`.
    pub(super) fn add(&mut self, kind: u32, container: u32, key: &[u8], is_start: bool, end: LinkEnd) {
        let by_key = self.waiting.entry((kind, container)).or_default();
        let Some(waiting) = by_key.get_mut(key) else {
            self.waiting_bytes += WAITING_BYTES + key.len();
            by_key.insert(key.into(), Waiting { are_starts: is_start, first: end, more: <_>::default() });
            return;
        };
        if waiting.are_starts == is_start {
            self.waiting_bytes += size_of::<LinkEnd>();
            waiting.more.push_back(end);
            return;
        }
        let other = waiting.first;
        if let Some(next) = waiting.more.pop_front() {
            waiting.first = next;
            self.waiting_bytes = self.waiting_bytes.saturating_sub(size_of::<LinkEnd>());
        } else {
            by_key.remove(key);
            self.waiting_bytes = self.waiting_bytes.saturating_sub(WAITING_BYTES + key.len());
        }
        let (start, end) = if is_start { (end, other) } else { (other, end) };
        self.add_whole(Link { kind, start: Some(start), end: Some(end) });
    }

    /// A link of which both ends are known.
    pub(super) fn add_whole(&mut self, link: Link) {
        self.whole.push(link);
    }

    /// Ends that wait are given up.
    fn give_up(&mut self) -> u64 {
        let mut alone: Vec<Link> = Vec::new();
        for ((kind, _), by_key) in self.waiting.drain() {
            for waiting in by_key.into_values() {
                for end in std::iter::once(waiting.first).chain(waiting.more) {
                    let (start, end) = if waiting.are_starts { (Some(end), None) } else { (None, Some(end)) };
                    alone.push(Link { kind, start, end });
                }
            }
        }
        // A table gives its content in no particular order.
        alone.sort_by_key(|link| (link.kind, link.start.map(order_of), link.end.map(order_of)));
        self.waiting_bytes = 0;
        let count = alone.len() as u64;
        self.whole.append(&mut alone);
        count
    }

    /// The communicator of a lane of a link type.
    fn comm(&mut self, kind: u32, lane: u32) -> CommId {
        let lanes = &mut self.lanes;
        *self.lane_index.entry((kind, lane)).or_insert_with(|| {
            lanes.push((kind, lane));
            CommId(lanes.len() as u32)
        })
    }
}

fn order_of(end: LinkEnd) -> (Ns, u32, Option<u64>, Option<u32>) {
    (end.time, end.container, end.bytes, end.tag)
}

/// A send or receive that is ready to be written.
struct Ready {
    track: u32,
    time: Ns,
    /// Position in the order of sending.
    order: usize,
    is_start: bool,
    end: MessageEnd,
}

impl Builder<'_> {
    /// Writes the links so far, those that wait for their other end too if `is_end` or if they are too many.
    pub(super) fn write_links(&mut self, is_end: bool) {
        let waiting = self.links.waiting_bytes;
        if is_end || waiting > self.links.most_bytes / 2 {
            let alone = self.links.give_up();
            if !is_end {
                self.odd.count_many(Oddity::LinksWaiting, alone);
            }
        }
        let links = std::mem::take(&mut self.links.whole);
        if links.is_empty() {
            return;
        }
        if !is_end {
            self.odd.count_many(Oddity::LinksOverflow, links.len() as u64);
        }
        let mut ready = self.ready(&links);
        ready.par_sort_unstable_by_key(|ready| (ready.track, ready.time, ready.order, ready.is_start));
        for one in ready {
            let time = self.raised(one.track, one.time);
            self.added += 56;
            let block = self.gather.block(LocationId(one.track));
            block.events += 1;
            if one.is_start {
                block.send(time, one.end);
            } else {
                block.recv(time, one.end);
            }
        }
    }

    /// The location that stands for a container when ends of messages are matched.
    fn speaker(&mut self, container: u32) -> LocationId {
        let process = self.containers[container as usize].process;
        let speaks = self.speaks_for_process(container);
        LocationId(if speaks { self.main_track(process) } else { self.link_track(container) })
    }

    fn ready(&mut self, links: &[Link]) -> Vec<Ready> {
        // Group by what the store matches by; in a group in the order of sending.
        let mut keyed: Vec<_> = links
            .iter()
            .enumerate()
            .map(|(at, link)| {
                let tag = link.start.and_then(|end| end.tag).or(link.end.and_then(|end| end.tag)).unwrap_or(0);
                let from = link.start.map_or(LocationId::NONE, |end| self.speaker(end.container));
                let to = link.end.map_or(LocationId::NONE, |end| self.speaker(end.container));
                let sent = link.start.map_or(Ns::NONE, |end| end.time);
                ((link.kind, from, to, tag), sent, at)
            })
            .collect();
        keyed.par_sort_unstable();
        let mut ready = Vec::with_capacity(2 * links.len());
        // When the last message of each lane of the group arrived.
        let mut lanes: Vec<Ns> = Vec::new();
        let mut group = None;
        for (order, (key, _, at)) in keyed.iter().enumerate() {
            if group != Some(*key) {
                group = Some(*key);
                lanes.clear();
            }
            let (kind, from, to, tag) = *key;
            let link = links[*at];
            let lane = match link.end.filter(|_| link.start.is_some()) {
                None => 0,
                Some(end) => {
                    let lane = lanes.iter().position(|last| *last <= end.time).unwrap_or(lanes.len());
                    if lane == lanes.len() && lane < MOST_LANES {
                        lanes.push(end.time);
                    }
                    let lane = lane.min(MOST_LANES - 1);
                    lanes[lane] = lanes[lane].max(end.time);
                    lane
                }
            };
            let comm = self.links.comm(kind, lane as u32);
            let bytes = link.start.and_then(|end| end.bytes).or(link.end.and_then(|end| end.bytes));
            for (end, is_start, peer) in [(link.start, true, to), (link.end, false, from)] {
                let Some(end) = end else { continue };
                let bytes = if is_start { bytes.unwrap_or(0) } else { end.bytes.or(bytes).unwrap_or(0) };
                let message = MessageEnd { peer, comm, tag, bytes, request: RequestId::NONE };
                let track = self.link_track(end.container);
                if !self.speaks_for_process(end.container) {
                    self.links.kinds_of_others.insert(kind);
                    self.links.kinds_of_world.remove(&kind);
                } else if !self.links.kinds_of_others.contains(&kind) {
                    self.links.kinds_of_world.insert(kind);
                }
                ready.push(Ready { track, time: end.time, order, is_start, end: message });
            }
        }
        ready
    }
}
