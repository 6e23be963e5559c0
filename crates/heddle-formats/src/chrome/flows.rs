//! Arrows between rows, `s` `t` `f`: which of them are messages, and between whom.
//!
//! Ends of one flow have the same category, name and id within a file, and an id may be used again later; so ends are
//! put in the order of their id and time, in runs that may lie aside, and paired there. A flow with steps is a chain of
//! messages. Only what joins two processes is a message: inside one, flows tie launches to what they launch. A file of
//! PyTorch is one process.
//!
//! Where the ends say neither communicator nor tag, a tag is made up, so that whoever matches sends with receives in the
//! order of time finds the pairs of the file again. Files that Heddle wrote say both, and their flows are messages
//! wherever they go.

use std::io;

use heddle_model::{MessageEnd, Ns, RequestId, WarningKind};
use rustc_hash::FxHashMap;

use super::bound::{Bound, NONE, Peer, What};
use super::reading::Reading;
use super::rows::{Entry, Id, word};
use crate::lanes::{Ends, Lanes};
use crate::runs::{Row, Runs};

/// A time that is not there.
pub(super) const NEVER: i64 = i64::MIN;

/// One end of a flow, or a step of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlowEnd {
    /// Of category, name, id and file.
    pub(super) key: u64,
    /// By which its row is found.
    pub(super) at: i64,
    /// When it happened.
    pub(super) time: i64,
    /// When the send was complete, or the receive posted.
    pub(super) other: i64,
    pub(super) bytes: u64,
    pub(super) comm: u32,
    pub(super) tag: u32,
    pub(super) track: u32,
    /// Number of the thread at the other end.
    pub(super) peer: u32,
    /// 0, 1 and 2 for `s`, `t` and `f`.
    pub(super) phase: u8,
    /// Whether it belongs to the next row and not to the one around it.
    pub(super) next: bool,
    /// Whether it says its communicator.
    pub(super) said: bool,
}

impl Row for FlowEnd {
    type Key = (u64, i64, u8);
    type Bytes = [u8; FlowEnd::BYTES];
    const BYTES: usize = 64;

    fn key(&self) -> Self::Key {
        (self.key, self.at, self.phase)
    }

    fn to_bytes(self) -> [u8; FlowEnd::BYTES] {
        let mut bytes = [0; FlowEnd::BYTES];
        let flags = u64::from(self.phase) | u64::from(self.next) << 8 | u64::from(self.said) << 16;
        let words = [
            self.key,
            self.at as u64,
            self.time as u64,
            self.other as u64,
            self.bytes,
            u64::from(self.comm) | u64::from(self.tag) << 32,
            u64::from(self.track) | u64::from(self.peer) << 32,
            flags,
        ];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> FlowEnd {
        let (both, places, flags) = (word(bytes, 40), word(bytes, 48), word(bytes, 56));
        FlowEnd {
            key: word(bytes, 0),
            at: word(bytes, 8) as i64,
            time: word(bytes, 16) as i64,
            other: word(bytes, 24) as i64,
            bytes: word(bytes, 32),
            comm: both as u32,
            tag: (both >> 32) as u32,
            track: places as u32,
            peer: (places >> 32) as u32,
            phase: flags as u8,
            next: flags >> 8 & 1 == 1,
            said: flags >> 16 & 1 == 1,
        }
    }
}

/// A message.
#[derive(Clone, Copy, Debug)]
struct Pair(FlowEnd, FlowEnd);

impl Row for Pair {
    type Key = (i64, i64);
    type Bytes = [u8; Pair::BYTES];
    const BYTES: usize = 2 * FlowEnd::BYTES;

    fn key(&self) -> Self::Key {
        (self.0.at, if self.1.other == NEVER { self.1.at } else { self.1.other })
    }

    fn to_bytes(self) -> [u8; Pair::BYTES] {
        let mut bytes = [0; Pair::BYTES];
        bytes[..FlowEnd::BYTES].copy_from_slice(&self.0.to_bytes());
        bytes[FlowEnd::BYTES..].copy_from_slice(&self.1.to_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Pair {
        let (first, second) = bytes.split_at(FlowEnd::BYTES.min(bytes.len()));
        Pair(FlowEnd::from_bytes(first), FlowEnd::from_bytes(second))
    }
}

/// Mixes one more word into a hash: different words give different hashes.
pub(super) fn mix(hash: u64, word: u64) -> u64 {
    let mut mixed = (hash ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// The same for a text.
pub(super) fn mix_text(hash: u64, text: &[u8]) -> u64 {
    let padded = |piece: &[u8]| {
        let mut word = [0; 8];
        word[..piece.len()].copy_from_slice(piece);
        u64::from_le_bytes(word)
    };
    text.chunks(8).fold(mix(hash, text.len() as u64), |hash, piece| mix(hash, padded(piece)))
}

/// Whether flows of a category never leave their process: most of what PyTorch writes.
pub(super) fn is_local(category: &[u8]) -> bool {
    [&b"ac2g"[..], b"fwdbwd", b"async_gpu", b"async_cpu_to_gpu"].contains(&category)
}

/// Pairs all ends and puts messages on their tracks. Says how many flows are not shown.
pub(super) fn pair(trace: &mut Reading) -> io::Result<()> {
    let (scratch, most) = (trace.input.scratch, trace.most_entries() * Entry::BYTES / Pair::BYTES);
    let mut flows = std::mem::take(&mut trace.flows);
    if flows.is_empty() {
        return Ok(());
    }
    let processes = processes(trace);
    let mut found = Found { pairs: Runs::default(), alone: Runs::default(), counts: vec![(0, 0); trace.files.len()] };
    let mut open: Option<Open> = None;
    for end in flows.merged(scratch)? {
        let end = end?;
        if open.as_ref().is_some_and(|open| open.key != end.key) {
            found.finish(trace, &processes, open.take().as_ref());
        }
        let of_key = open.get_or_insert(Open { key: end.key, last: None, early: None });
        found.next(trace, &processes, of_key, end);
        found.pairs.put_aside_beyond(most, scratch)?;
        found.alone.put_aside_beyond(most, scratch)?;
    }
    found.finish(trace, &processes, open.take().as_ref());
    drop(flows);
    let Found { mut pairs, mut alone, counts } = found;
    let mut placing = Placing { lanes: Lanes::new(trace.input.memory / 16), request: 0, since: 0, most };
    for pair in pairs.merged(scratch)? {
        placing.message(trace, &processes, &pair?)?;
    }
    for end in alone.merged(scratch)? {
        placing.end(trace, &end?)?;
    }
    for (file, (inside, unpaired)) in trace.files.iter().zip(counts) {
        let name = || file.name.clone();
        let text = "flow events inside of one process are counted but not shown";
        trace.warnings.add_many(WarningKind::UnusedRecords, inside, name, text);
        let text = "flow events without a partner are not shown";
        trace.warnings.add_many(WarningKind::UnusedRecords, unpaired, name, text);
    }
    Ok(())
}

/// The process of each track.
fn processes(trace: &Reading) -> Vec<u32> {
    let mut ids: FxHashMap<(u32, Option<Id>), u32> = FxHashMap::default();
    let process = |key: &super::rows::TrackKey| {
        let next = ids.len() as u32;
        let pid = (!trace.files[key.file as usize].is_kineto).then_some(key.pid);
        *ids.entry((key.file, pid)).or_insert(next)
    };
    trace.tables.tracks.iter().map(process).collect()
}

/// Ends of one key that have no partner yet.
struct Open {
    key: u64,
    /// The start or step that the next end belongs to, and whether it is part of a message already.
    last: Option<(FlowEnd, bool)>,
    /// The last finish that came before any start: by clocks that differ, or because it is alone.
    early: Option<FlowEnd>,
}

struct Found {
    pairs: Runs<Pair>,
    /// Ends without a partner that say to whom they belong.
    alone: Runs<FlowEnd>,
    /// Of each file: events inside of one process, and without a partner.
    counts: Vec<(u64, u64)>,
}

impl Found {
    fn next(&mut self, trace: &Reading, processes: &[u32], of_key: &mut Open, end: FlowEnd) {
        let Some((before, in_message)) = of_key.last.take() else {
            if end.phase == 0 {
                of_key.last = Some((end, false));
            } else if let Some(lost) = of_key.early.replace(end) {
                self.unpaired(trace, lost);
            }
            return;
        };
        if end.phase == 0 {
            if !in_message {
                self.unpaired(trace, before);
            }
            of_key.last = Some((end, false));
            return;
        }
        let is_message = self.link(trace, processes, before, end, in_message);
        if end.phase == 1 {
            of_key.last = Some((end, is_message));
        } else if !is_message {
            self.count(trace, end).0 += 1;
        }
    }

    /// Whether two ends are a message; if so it is taken.
    fn link(&mut self, trace: &Reading, processes: &[u32], from: FlowEnd, to: FlowEnd, in_message: bool) -> bool {
        let is_message = (from.said && to.said) || processes[from.track as usize] != processes[to.track as usize];
        if is_message {
            self.pairs.push(Pair(from, to));
        } else if !in_message {
            self.count(trace, from).0 += 1;
        }
        is_message
    }

    fn finish(&mut self, trace: &Reading, processes: &[u32], open: Option<&Open>) {
        let Some(open) = open else { return };
        match (open.last, open.early) {
            (Some((start, false)), Some(end)) if start.phase == 0 && end.phase == 2 => {
                if !self.link(trace, processes, start, end, false) {
                    self.count(trace, end).0 += 1;
                }
            }
            (last, early) => {
                let lost = last.filter(|(_, in_message)| !in_message).map(|(end, _)| end);
                for end in lost.into_iter().chain(early) {
                    self.unpaired(trace, end);
                }
            }
        }
    }

    fn count(&mut self, trace: &Reading, end: FlowEnd) -> &mut (u64, u64) {
        &mut self.counts[trace.tables.tracks[end.track as usize].file as usize]
    }

    fn unpaired(&mut self, trace: &Reading, end: FlowEnd) {
        if end.said && end.peer != NONE && end.phase != 1 {
            self.alone.push(end);
        } else {
            self.count(trace, end).1 += 1;
        }
    }
}

/// Puts messages on tracks.
struct Placing {
    lanes: Lanes,
    request: u64,
    since: usize,
    most: usize,
}

impl Placing {
    fn message(&mut self, trace: &mut Reading, processes: &[u32], pair: &Pair) -> io::Result<()> {
        let Pair(mut from, mut to) = *pair;
        if !(from.said && to.said) {
            let ends = Ends {
                mains: (processes[from.track as usize], processes[to.track as usize]),
                tag: u32::from(to.next),
                sender: from.track,
                receiver: to.track,
                sent: Ns(from.at),
                posted: Ns(to.at),
            };
            let tag = self.lanes.place(&ends).wrapping_mul(2) | u32::from(to.next);
            let bytes = from.bytes.min(to.bytes);
            for end in [&mut from, &mut to] {
                (end.tag, end.comm, end.bytes) = (tag, NONE, bytes);
            }
        }
        let (sender, receiver) = (Peer::Track(from.track), Peer::Track(to.track));
        self.send(trace, &from, receiver);
        self.receive(trace, &to, sender);
        self.settle(trace)
    }

    /// An end whose other one is not in the file.
    fn end(&mut self, trace: &mut Reading, end: &FlowEnd) -> io::Result<()> {
        let peer = Peer::Thread(end.peer);
        if end.phase == 0 {
            self.send(trace, end, peer);
        } else {
            self.receive(trace, end, peer);
        }
        self.settle(trace)
    }

    fn send(&mut self, trace: &mut Reading, end: &FlowEnd, peer: Peer) {
        let done = end.other != NEVER;
        let bound = self.bound(end, What::Send, peer, done);
        let track = &mut trace.tracks[end.track as usize];
        track.bound.push(bound);
        if done {
            track.bound.push(Bound { at: end.other, time: end.other, what: What::SendDone, ..bound });
        }
    }

    fn receive(&mut self, trace: &mut Reading, end: &FlowEnd, peer: Peer) {
        let posted = end.other != NEVER;
        let bound = self.bound(end, What::Receive, peer, posted);
        let track = &mut trace.tracks[end.track as usize];
        if posted {
            track.bound.push(Bound { at: end.other, time: end.other, what: What::Post, ..bound });
        }
        track.bound.push(bound);
    }

    fn bound(&mut self, end: &FlowEnd, what: What, peer: Peer, requested: bool) -> Bound {
        self.request += u64::from(requested);
        self.since += 1;
        Bound {
            at: end.at,
            time: end.time.max(end.at),
            what,
            next: end.next,
            op: 0,
            comm: end.comm,
            tag: end.tag,
            peer,
            bytes: end.bytes,
            received: MessageEnd::UNKNOWN_LENGTH,
            request: if requested { self.request } else { RequestId::NONE.0 },
        }
    }

    fn settle(&mut self, trace: &mut Reading) -> io::Result<()> {
        if self.since > self.most {
            self.since = 0;
            let scratch = trace.input.scratch;
            trace.tracks.iter_mut().try_for_each(|track| track.bound.put_aside(scratch))?;
        }
        Ok(())
    }
}
