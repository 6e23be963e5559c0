//! The events of one location, and the markers that are met on the way.

use heddle_model::{CollectiveEnd, Definitions, Event, LocationId, MarkText, MessageEnd, Ns, RecordBlock, RegionId};

use super::Marker;
use super::encode::{ChunkedFile, put_raw64, put_short_record, put_u32, put_u64};
use super::groups::Groups;
use crate::{FileSink, WriteError};

/// Record ids of event files.
mod id {
    pub(super) const TIMESTAMP: u8 = 5;
    pub(super) const ENTER: u8 = 12;
    pub(super) const LEAVE: u8 = 13;
    pub(super) const SEND: u8 = 14;
    pub(super) const ISEND: u8 = 15;
    pub(super) const ISEND_COMPLETE: u8 = 16;
    pub(super) const IRECV_REQUEST: u8 = 17;
    pub(super) const RECV: u8 = 18;
    pub(super) const IRECV: u8 = 19;
    pub(super) const REQUEST_CANCELLED: u8 = 21;
    pub(super) const COLLECTIVE_BEGIN: u8 = 22;
    pub(super) const COLLECTIVE_END: u8 = 23;
    pub(super) const METRIC: u8 = 31;
    pub(super) const COLLECTIVE_REQUEST: u8 = 85;
    pub(super) const COLLECTIVE_COMPLETE: u8 = 86;
}

/// Number of the value type f64.
pub(super) const TYPE_F64: u8 = 10;

/// A timestamp (9 bytes) and the longest event, the end of a non-blocking collective (40).
pub(super) const LONGEST_EVENT: usize = 64;

/// What is known of a location when its events are written.
#[derive(Debug, Default)]
pub(super) struct LocationTotals {
    pub(super) events: u64,
    pub(super) last: u64,
    pub(super) markers: Vec<Marker>,
}

/// Writes the events of one location, block after block.
pub(super) struct EventFile<'a> {
    file: ChunkedFile<'a>,
    groups: &'a Groups<'a>,
    location: LocationId,
    /// The time that the file has said last in this chunk.
    said: Option<u64>,
    /// Open regions, to name the one that a leave without a name means.
    open: Vec<RegionId>,
    totals: LocationTotals,
}

impl<'a> EventFile<'a> {
    pub(super) fn create(
        sink: &'a dyn FileSink,
        name: String,
        chunk_size: usize,
        groups: &'a Groups<'a>,
        location: LocationId,
    ) -> Result<Self, WriteError> {
        let file = ChunkedFile::create(sink, name, chunk_size)?;
        Ok(EventFile { file, groups, location, said: None, open: Vec::new(), totals: LocationTotals::default() })
    }

    pub(super) fn append(&mut self, block: &RecordBlock) -> Result<(), WriteError> {
        for (time, event) in block.iter() {
            let time = self.advance(time);
            self.event(time, &event)?;
        }
        if let Some(last) = block.last {
            self.advance(last);
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<LocationTotals, WriteError> {
        let events = self.file.finish()?;
        Ok(LocationTotals { events, ..self.totals })
    }

    /// The format has no times before zero, and none that fall.
    fn advance(&mut self, time: Ns) -> u64 {
        self.totals.last = self.totals.last.max(ticks(time));
        self.totals.last
    }

    fn event(&mut self, time: u64, event: &Event<'_>) -> Result<(), WriteError> {
        match *event {
            Event::Enter(region) => {
                self.open.push(region);
                self.put(time, |out| put_plain(out, id::ENTER, region))
            }
            Event::Leave(region) => match self.leave(region) {
                Some(region) => self.put(time, |out| put_plain(out, id::LEAVE, region)),
                None => Ok(()),
            },
            Event::Send(message) => self.message(time, id::SEND, &message),
            Event::Isend(message) => self.message(time, id::ISEND, &message),
            Event::Recv(message) => self.message(time, id::RECV, &message),
            Event::Irecv(message) => self.message(time, id::IRECV, &message),
            Event::SendComplete(request) => self.request(time, id::ISEND_COMPLETE, request.0),
            Event::RecvRequest(request) => self.request(time, id::IRECV_REQUEST, request.0),
            Event::RequestCancelled(request) => self.request(time, id::REQUEST_CANCELLED, request.0),
            Event::CollectiveBegin => self.put(time, |out| put_short_record(out, id::COLLECTIVE_BEGIN, |_| {})),
            Event::CollectiveEnd(end) => self.collective(time, id::COLLECTIVE_END, &end),
            Event::CollectiveRequest(request) => self.put(time, |out| {
                put_short_record(out, id::COLLECTIVE_REQUEST, |out| put_u64(out, request.0));
            }),
            Event::CollectiveComplete(end) => self.collective(time, id::COLLECTIVE_COMPLETE, &end),
            Event::Metric(metric) => self.put(time, |out| {
                put_short_record(out, id::METRIC, |out| {
                    put_u32(out, metric.metric.0);
                    out.extend_from_slice(&[1, TYPE_F64]);
                    put_u64(out, metric.value.to_bits());
                });
            }),
            Event::Mark(mark) => {
                self.mark(time, mark);
                Ok(())
            }
            // A task is its span; the format has no place for the rest.
            Event::Task(_) | Event::DependsOn(_) => Ok(()),
        }
    }

    #[inline]
    fn put(&mut self, time: u64, encode: impl FnOnce(&mut Vec<u8>)) -> Result<(), WriteError> {
        // Every chunk can be read without the one before: it says its first time.
        if self.file.make_room(LONGEST_EVENT)? {
            self.said = None;
        }
        let out = self.file.chunk();
        if self.said != Some(time) {
            out.push(id::TIMESTAMP);
            put_raw64(out, time);
            self.said = Some(time);
        }
        encode(out);
        self.file.count_event();
        Ok(())
    }

    /// Which region a leave closes. Like a reader, closes those that were entered after it.
    fn leave(&mut self, region: Option<RegionId>) -> Option<RegionId> {
        let Some(region) = region else { return self.open.pop() };
        if let Some(depth) = self.open.iter().rposition(|open| *open == region) {
            self.open.truncate(depth);
        }
        Some(region)
    }

    fn message(&mut self, time: u64, id: u8, message: &MessageEnd) -> Result<(), WriteError> {
        let rank = self.groups.rank(self.location, message.peer, message.comm);
        self.put(time, |out| {
            put_short_record(out, id, |out| {
                put_u32(out, rank);
                put_u32(out, message.comm.0);
                put_u32(out, message.tag);
                put_u64(out, message.bytes);
                if matches!(id, id::ISEND | id::IRECV) {
                    put_u64(out, message.request.0);
                }
            });
        })
    }

    fn request(&mut self, time: u64, id: u8, request: u64) -> Result<(), WriteError> {
        self.put(time, |out| {
            out.push(id);
            put_u64(out, request);
        })
    }

    fn collective(&mut self, time: u64, id: u8, end: &CollectiveEnd) -> Result<(), WriteError> {
        let root = self.groups.rank(self.location, end.root, end.comm);
        self.put(time, |out| {
            put_short_record(out, id, |out| {
                out.push(end.op.0);
                put_u32(out, end.comm.0);
                put_u32(out, root);
                put_u64(out, end.sent);
                put_u64(out, end.received);
                if id == id::COLLECTIVE_COMPLETE {
                    put_u64(out, end.request.0);
                }
            });
        })
    }

    fn mark(&mut self, time: u64, mark: &MarkText) {
        let (name, text) = (mark.name.clone(), mark.text.clone());
        self.totals.markers.push(Marker { time, location: self.location, name, text });
    }
}

/// Enter and leave have no length.
#[inline]
fn put_plain(out: &mut Vec<u8>, id: u8, region: RegionId) {
    out.push(id);
    put_u32(out, region.0);
}

/// A time of the model in ticks of the archive's clock, which counts nanoseconds from zero.
pub(super) fn ticks(time: Ns) -> u64 {
    u64::try_from(time.0).unwrap_or(0)
}

/// The marks that no location's records hold, in the archive's clock.
pub(super) fn global_markers(definitions: &Definitions) -> impl Iterator<Item = Marker> {
    definitions.marks.iter().map(|mark| Marker {
        time: ticks(mark.time),
        location: mark.location,
        name: mark.name.clone(),
        text: mark.text.clone(),
    })
}
