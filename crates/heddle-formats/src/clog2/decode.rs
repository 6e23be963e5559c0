//! The second pass: a stretch of the log becomes records of its locations.

use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, LocationId, MarkText, MessageEnd, Ns, RecordBlock, RequestId, WarningKind,
    Warnings,
};
use rustc_hash::FxHashMap;

use super::comms::{Comms, FileComms, WORLD};
use super::cut::Stretch;
use super::event_text;
use super::events::{Events, Meaning, State};
use super::preamble::Preamble;
use super::recent::Recent;
use super::record::{self, CARGO, Header, Line, text};
use super::scan::nanoseconds;
use crate::spare::Spare;

/// What is needed to decode a stretch of one file.
pub(super) struct Decoder<'a> {
    pub(super) preamble: &'a Preamble,
    pub(super) file: &'a str,
    pub(super) events: &'a Events,
    pub(super) all_comms: &'a Comms,
    pub(super) comms: &'a FileComms,
    pub(super) lines: &'a FxHashMap<Line, LocationId>,
    /// The main thread of every rank.
    pub(super) main: &'a [LocationId],
    /// Corrections that times still lack: from which byte on, seconds.
    pub(super) shifts: &'a [(u64, f64)],
    /// Whether the communicator of a collective is known.
    pub(super) has_collectives: bool,
    /// Memory of blocks that are done with.
    pub(super) spare: Spare<RecordBlock>,
}

/// Records of one stretch.
#[derive(Default)]
pub(super) struct Decoded {
    /// By location, in the order of first appearance.
    pub(super) blocks: Vec<(LocationId, RecordBlock)>,
    pub(super) warnings: Warnings,
    /// The earliest time of any record, also of those that only define something.
    pub(super) first: Option<Ns>,
}

impl Decoder<'_> {
    /// Decodes a stretch.
    pub(super) fn decode(&self, stretch: &Stretch) -> Decoded {
        let mut out =
            Output { decoder: self, decoded: Decoded::default(), places: FxHashMap::default(), recent: Recent::new() };
        let before = self.shifts.partition_point(|(from, _)| *from <= stretch.offset);
        let mut shift = before.checked_sub(1).and_then(|at| self.shifts.get(at)).map_or(0.0, |(_, shift)| *shift);
        let layout = self.preamble.layout;
        stretch.records(self.preamble, |offset, kind, bytes| {
            let header = layout.read_header(bytes);
            let body = layout.body(bytes);
            if kind == record::TIME_SHIFT && !self.preamble.finalised {
                shift = layout.f64(body, 0);
            }
            out.record(offset, kind, Header { time: header.time + shift, ..header }, body);
        });
        out.decoded
    }

    /// Takes a block back whose memory can serve again. What was hardly used would only add up.
    pub(super) fn give_back(&self, mut block: RecordBlock) {
        if !block.is_roomy() {
            block.clear();
            self.spare.give_back(block);
        }
    }

    fn location(&self, line: Line) -> LocationId {
        self.lines.get(&line).copied().into()
    }
}

/// Records as they come.
struct Output<'a> {
    decoder: &'a Decoder<'a>,
    decoded: Decoded,
    /// Where the block of a location is.
    places: FxHashMap<LocationId, usize>,
    /// Where the block of a line is.
    recent: Recent<Line, usize>,
}

impl Output<'_> {
    #[inline]
    fn block(&mut self, line: Line) -> usize {
        let Output { decoder, decoded, places, recent } = self;
        recent.get(line, || {
            let location = decoder.location(line);
            *places.entry(location).or_insert_with(|| {
                decoded.blocks.push((location, decoder.spare.take()));
                decoded.blocks.len() - 1
            })
        })
    }

    fn odd(&mut self, kind: WarningKind, offset: u64, text: &str) {
        let file = self.decoder.file;
        self.decoded.warnings.add(kind, || format!("{file} byte {offset}"), text);
    }

    fn record(&mut self, offset: u64, kind: i32, header: Header, body: &[u8]) {
        let at = self.block(header.line);
        let last = self.decoded.blocks[at].1.last;
        let time = match (nanoseconds(header.time), last) {
            (Some(time), Some(last)) if time < last => {
                let text = "times go backwards within a location; they were raised to the time before";
                self.odd(WarningKind::TimeFalls, offset, text);
                last
            }
            (Some(time), _) => time,
            (None, last) => {
                self.odd(WarningKind::Corrupt, offset, "a time that is not a number; the time before was used");
                last.unwrap_or_default()
            }
        };
        self.decoded.first = Some(self.decoded.first.map_or(time, |first| first.min(time)));
        let layout = self.decoder.preamble.layout;
        let block = &mut self.decoded.blocks[at].1;
        block.last = Some(time);
        block.events += u64::from(kind >= record::BARE);
        match kind {
            record::BARE | CARGO => {
                let cargo = if kind == CARGO { body.get(8..).unwrap_or_default() } else { &[] };
                self.event(at, time, offset, (layout.i32(body, 0), header.line.0), cargo);
            }
            record::MESSAGE => self.message(at, time, offset, header, body),
            record::COLLECTIVE => {
                let field = |at: usize| layout.i32(body, at);
                let size = if layout.old { field(12) } else { field(8) };
                let text = format!("kind {} root {} size {size}", field(0), field(4));
                block.mark(time, MarkText { name: "collective".to_owned(), text });
            }
            record::SOURCE_LINE => {
                let text = format!("{}:{} (id {})", text(body, 8, 40), layout.i32(body, 4), layout.i32(body, 0));
                block.mark(time, MarkText { name: "source line".to_owned(), text });
            }
            // The others have done their work in the first pass.
            _ => {}
        }
    }

    fn event(&mut self, at: usize, time: Ns, offset: u64, (event, comm): (i32, i32), cargo: &[u8]) {
        let decoder = self.decoder;
        let block = &mut self.decoded.blocks[at].1;
        // A span has no text of its own: what the program said about it becomes an instant inside.
        let say = |block: &mut RecordBlock, name: &str, format: &str| {
            if !cargo.is_empty() && !format.is_empty() {
                block.mark(time, MarkText { name: name.to_owned(), text: event_text::text(format, cargo) });
            }
        };
        let without_words = match decoder.events.get(event) {
            Some(Meaning::Start(state)) => {
                let Some(state) = decoder.events.states.get(state as usize) else { return };
                block.enter(time, state.region);
                if decoder.collective(state).is_some() {
                    block.collective_begin(time);
                }
                say(block, &state.name, &state.format);
                state.format.is_empty()
            }
            Some(Meaning::End(state)) => {
                let Some(state) = decoder.events.states.get(state as usize) else { return };
                say(block, &state.name, &state.format);
                if let Some(op) = decoder.collective(state) {
                    block.collective_end(time, decoder.collective_end(op, comm));
                }
                block.leave(time, Some(state.region));
                state.format.is_empty()
            }
            Some(Meaning::Solo(solo)) => {
                let Some(solo) = decoder.events.solos.get(solo as usize) else { return };
                let text = if cargo.is_empty() { String::new() } else { event_text::text(&solo.format, cargo) };
                block.mark(time, MarkText { name: solo.name.clone(), text });
                solo.format.is_empty()
            }
            None => false,
        };
        if without_words && !cargo.is_empty() {
            let text = "events carry bytes that no format explains; the bytes are not shown";
            self.odd(WarningKind::UnusedRecords, offset, text);
        }
    }

    fn message(&mut self, at: usize, time: Ns, offset: u64, header: Header, body: &[u8]) {
        let decoder = self.decoder;
        let message = decoder.preamble.layout.message(body, header.line);
        let comm = decoder.comm_of(header.line.0, message.comm);
        let peer = decoder.all_comms.world_rank(decoder.comms, message.comm, message.rank);
        let peer = LocationId::from(peer.and_then(|rank| decoder.main.get(rank as usize)).copied());
        if !peer.is_some() {
            let text = "messages whose partner is not known: its rank is not in the communicator as the file has it";
            self.odd(WarningKind::PartnerOutsideCommunicator, offset, text);
        }
        let end = MessageEnd {
            peer,
            comm,
            tag: message.tag as u32,
            // Sizes of 2 GiB and more have wrapped once.
            bytes: u64::from(message.size as u32),
            request: RequestId::NONE,
        };
        let block = &mut self.decoded.blocks[at].1;
        match message.kind {
            record::SENT => block.send(time, end),
            record::RECEIVED => block.recv(time, end),
            _ => self.odd(WarningKind::UnknownRecords, offset, "messages that are neither sent nor received"),
        }
    }
}

impl Decoder<'_> {
    fn collective(&self, state: &State) -> Option<CollectiveOp> {
        state.collective.filter(|_| self.has_collectives)
    }

    /// The communicator of a message between two groups.
    fn comm_of(&self, one: i32, other: i32) -> CommId {
        if one == other {
            return self.comms.ids.get(&one).copied().into();
        }
        self.comms.between.get(&(one, other)).copied().into()
    }

    fn collective_end(&self, op: CollectiveOp, comm: i32) -> CollectiveEnd {
        CollectiveEnd {
            op,
            comm: self.comms.ids.get(&comm).copied().unwrap_or(WORLD),
            root: LocationId::NONE,
            sent: 0,
            received: 0,
            request: RequestId::NONE,
            number: None,
        }
    }
}
