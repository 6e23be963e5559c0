//! The first reading: what lines must know before their time comes.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use heddle_model::{
    CollectiveEnd, CommId, Event, LocationId, MarkText, MessageEnd, Ns, Part, RecordBlock, RegionId, RequestId, Source,
};

use super::super::calls::COLLECTIVE;
use super::layout::Layout;
use super::parts_by_location;
use crate::WriteError;

/// Both ends of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matched {
    pub(super) sender: LocationId,
    pub(super) receiver: LocationId,
    /// Called, and complete.
    pub(super) sent: (Ns, Ns),
    pub(super) received: (Ns, Ns),
    pub(super) bytes: u64,
    pub(super) tag: u32,
}

/// What was found.
pub(super) struct Survey {
    /// By the time of sending.
    pub(super) messages: Vec<Matched>,
    /// Of each location: what the calls of collectives will have done, in the order they begin.
    pub(super) collectives: Vec<Vec<Option<CollectiveEnd>>>,
    /// Names of marks, each with its texts and their values.
    pub(super) marks: Vec<(String, FxHashMap<String, i64>)>,
    pub(super) mark_types: FxHashMap<String, u32>,
    pub(super) end: Ns,
    pub(super) records: u64,
    pub(super) left_out: u64,
}

#[derive(Clone, Copy)]
struct End {
    location: LocationId,
    message: MessageEnd,
    /// Called, and complete.
    times: (Ns, Ns),
}

/// What one location has.
#[derive(Default)]
struct Found {
    sends: Vec<End>,
    receives: Vec<Option<End>>,
    collectives: Vec<Option<CollectiveEnd>>,
    marks: Vec<MarkText>,
    end: Option<Ns>,
    records: u64,
    left_out: u64,
}

impl Survey {
    pub(super) fn of(
        source: &dyn Source,
        layout: &Layout,
        progress: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<Survey, WriteError> {
        let records = AtomicU64::new(0);
        let found = parts_by_location(source).into_par_iter().enumerate().map_init(
            RecordBlock::default,
            |block, (at, parts)| {
                let mut walk = Walk::new(LocationId(at as u32), layout);
                for part in parts {
                    let part: &Part = part;
                    block.clear();
                    source.read(part, block)?;
                    walk.feed(block);
                    let count = block.len() as u64;
                    if !progress(records.fetch_add(count, Ordering::Relaxed) + count) {
                        return Err(WriteError::Cancelled);
                    }
                }
                Ok(walk.found)
            },
        );
        let found: Vec<Found> = found.collect::<Result<_, _>>()?;
        Ok(Survey::put_together(source, found))
    }

    fn put_together(source: &dyn Source, found: Vec<Found>) -> Survey {
        let mut survey = Survey {
            messages: Vec::new(),
            collectives: Vec::new(),
            marks: Vec::new(),
            mark_types: FxHashMap::default(),
            end: Ns(0),
            records: 0,
            left_out: 0,
        };
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        for mut of in found {
            survey.end = survey.end.max(of.end.unwrap_or(Ns(0)));
            survey.records += of.records;
            survey.left_out += of.left_out;
            survey.collectives.push(of.collectives);
            sends.append(&mut of.sends);
            let posted = of.receives.len();
            receives.extend(of.receives.into_iter().flatten());
            survey.left_out += posted as u64;
            for mark in of.marks {
                survey.mark(&mark.name, &mark.text);
            }
        }
        for mark in &source.definitions().marks {
            survey.mark(&mark.name, &mark.text);
            survey.left_out += 1;
        }
        let main = |location: LocationId| source.definitions().main_location(location);
        let by_send = |end: &End| (end.message.comm, main(end.location), end.message.peer, end.message.tag);
        let by_receive = |end: &End| (end.message.comm, end.message.peer, main(end.location), end.message.tag);
        // Stable: within a key the order of sending and of posting.
        sends.par_sort_by_key(by_send);
        receives.par_sort_by_key(by_receive);
        let mut rest = &receives[..];
        for of_key in sends.chunk_by(|a, b| by_send(a) == by_send(b)) {
            let key: (CommId, LocationId, LocationId, u32) = by_send(&of_key[0]);
            rest = &rest[rest.partition_point(|receive| by_receive(receive) < key)..];
            let count = rest.partition_point(|receive| by_receive(receive) == key).min(of_key.len());
            let pairs = of_key.iter().zip(&rest[..count]);
            survey.messages.extend(pairs.map(|(send, receive)| Matched {
                sender: send.location,
                receiver: receive.location,
                sent: send.times,
                received: receive.times,
                bytes: send.message.bytes,
                tag: send.message.tag,
            }));
            survey.left_out += (of_key.len() - count) as u64;
        }
        survey.left_out -= (survey.messages.len() as u64).min(survey.left_out);
        survey.messages.par_sort_by_key(|message| message.sent.1);
        survey
    }

    fn mark(&mut self, name: &str, text: &str) {
        let at = if let Some(at) = self.mark_types.get(name) {
            *at as usize
        } else {
            self.mark_types.insert(name.to_owned(), self.marks.len() as u32);
            self.marks.push((name.to_owned(), FxHashMap::default()));
            self.marks.len() - 1
        };
        let texts = &mut self.marks[at].1;
        let next = texts.len() as i64 + 1;
        texts.entry(text.to_owned()).or_insert(next);
    }
}

/// The walk over one location.
struct Walk<'a> {
    location: LocationId,
    layout: &'a Layout,
    found: Found,
    /// Open regions, with their place among the calls of collectives if they are one.
    open: Vec<(RegionId, Option<usize>)>,
    begun: Option<usize>,
    sends: FxHashMap<RequestId, usize>,
    posts: FxHashMap<RequestId, (usize, Ns)>,
    requests: FxHashMap<RequestId, usize>,
}

impl<'a> Walk<'a> {
    fn new(location: LocationId, layout: &'a Layout) -> Walk<'a> {
        Walk {
            location,
            layout,
            found: Found::default(),
            open: Vec::new(),
            begun: None,
            sends: FxHashMap::default(),
            posts: FxHashMap::default(),
            requests: FxHashMap::default(),
        }
    }

    fn feed(&mut self, block: &RecordBlock) {
        self.found.records += block.len() as u64;
        self.found.end = self.found.end.max(block.last);
        for (time, event) in block.iter() {
            self.found.end = self.found.end.max(Some(time));
            self.event(time, &event);
        }
    }

    fn event(&mut self, time: Ns, event: &Event<'_>) {
        match event {
            Event::Enter(region) => {
                let is_collective = self.layout.calls.get(region.index()).is_some_and(|call| call.0 == COLLECTIVE);
                let place = is_collective.then(|| {
                    self.found.collectives.push(None);
                    self.found.collectives.len() - 1
                });
                self.open.push((*region, place));
            }
            Event::Leave(None) => _ = self.open.pop(),
            Event::Leave(Some(region)) => {
                if let Some(depth) = self.open.iter().rposition(|(open, _)| open == region) {
                    self.open.truncate(depth);
                }
            }
            Event::Send(end) | Event::Isend(end) => {
                if end.request.is_some() {
                    self.sends.insert(end.request, self.found.sends.len());
                }
                self.found.sends.push(End { location: self.location, message: *end, times: (time, time) });
            }
            Event::SendComplete(request) => {
                if let Some(send) = self.sends.remove(request).and_then(|at| self.found.sends.get_mut(at)) {
                    send.times.1 = time;
                }
            }
            Event::RecvRequest(request) => {
                self.posts.insert(*request, (self.found.receives.len(), time));
                self.found.receives.push(None);
            }
            Event::Recv(end) | Event::Irecv(end) => {
                let received = |posted: Ns| Some(End { location: self.location, message: *end, times: (posted, time) });
                match self.posts.remove(&end.request) {
                    Some((at, posted)) => self.found.receives[at] = received(posted),
                    None => self.found.receives.push(received(time)),
                }
            }
            Event::RequestCancelled(request) => {
                self.posts.remove(request);
                self.requests.remove(request);
            }
            Event::CollectiveBegin => self.begun = self.open.last().and_then(|open| open.1),
            Event::CollectiveRequest(request) => {
                if let Some(place) = self.open.last().and_then(|open| open.1) {
                    self.requests.insert(*request, place);
                }
            }
            Event::CollectiveEnd(end) => {
                let place = self.begun.take();
                self.collective(place, end);
            }
            Event::CollectiveComplete(end) => {
                let place = self.requests.remove(&end.request);
                self.collective(place, end);
            }
            Event::Mark(mark) => self.found.marks.push((*mark).clone()),
            Event::Metric(_) => {}
        }
    }

    fn collective(&mut self, place: Option<usize>, end: &CollectiveEnd) {
        match place.and_then(|place| self.found.collectives.get_mut(place)) {
            Some(slot) => *slot = Some(*end),
            None => self.found.left_out += 1,
        }
    }
}
