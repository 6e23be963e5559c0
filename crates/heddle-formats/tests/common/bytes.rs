//! Archives by hand, in the documented byte form and either byte order; nothing here knows our writer.

use std::collections::BTreeMap;

use heddle_formats::MemoryFiles;

/// One field of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum F<'a> {
    /// One byte.
    U8(u8),
    /// A variable number of 32 bits; all ones is undefined.
    I(u32),
    /// A variable number of 64 bits; all ones is undefined.
    V(u64),
    /// Eight fixed bytes.
    Raw(u64),
    /// Text and a zero.
    S(&'a str),
}

/// How a record stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// Id, length in one byte, payload.
    Short,
    /// Id, 0xff, length in eight bytes, payload.
    Long,
    /// Id, payload.
    Bare,
    /// A timestamp: no length, and not an event.
    Time,
    /// Just bytes.
    Verbatim,
}

/// A record in both byte orders.
#[derive(Clone, Debug)]
pub(crate) struct Rec {
    id: u8,
    frame: Frame,
    /// Little-endian, big-endian.
    payload: [Vec<u8>; 2],
}

fn encode(fields: &[F], big: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let variable = |out: &mut Vec<u8>, value: u64, undefined: u64| {
        if value == undefined {
            return out.push(0xff);
        }
        let count = 8 - value.leading_zeros() as usize / 8;
        out.push(count as u8);
        if big { out.extend(&value.to_be_bytes()[8 - count..]) } else { out.extend(&value.to_le_bytes()[..count]) }
    };
    for field in fields {
        match *field {
            F::U8(byte) => out.push(byte),
            F::I(value) => variable(&mut out, u64::from(value), u64::from(u32::MAX)),
            F::V(value) => variable(&mut out, value, u64::MAX),
            F::Raw(value) => out.extend(fixed(value, big)),
            F::S(text) => {
                out.extend(text.as_bytes());
                out.push(0);
            }
        }
    }
    out
}

fn fixed(value: u64, big: bool) -> [u8; 8] {
    if big { value.to_be_bytes() } else { value.to_le_bytes() }
}

impl Rec {
    fn new(id: u8, frame: Frame, fields: &[F]) -> Rec {
        Rec { id, frame, payload: [encode(fields, false), encode(fields, true)] }
    }

    /// A record with a length, as most have.
    pub(crate) fn of(id: u8, fields: &[F]) -> Rec {
        Rec::new(id, Frame::Short, fields)
    }

    /// The same with the long form of its length.
    pub(crate) fn long(id: u8, fields: &[F]) -> Rec {
        Rec::new(id, Frame::Long, fields)
    }

    /// One of the ten events without a length.
    pub(crate) fn bare(id: u8, value: u64) -> Rec {
        Rec::new(id, Frame::Bare, &[F::V(value)])
    }

    pub(crate) fn time(ticks: u64) -> Rec {
        Rec::new(5, Frame::Time, &[F::Raw(ticks)])
    }

    pub(crate) fn enter(region: u32) -> Rec {
        Rec::new(12, Frame::Bare, &[F::I(region)])
    }

    pub(crate) fn leave(region: u32) -> Rec {
        Rec::new(13, Frame::Bare, &[F::I(region)])
    }

    /// Bytes as they are, in place of a record.
    pub(crate) fn verbatim(bytes: &[u8]) -> Rec {
        Rec { id: 0, frame: Frame::Verbatim, payload: [bytes.to_vec(), bytes.to_vec()] }
    }

    fn is_event(&self) -> bool {
        self.frame != Frame::Time && !(self.frame == Frame::Short && self.id == 6)
    }

    fn bytes(&self, big: bool) -> Vec<u8> {
        let payload = &self.payload[usize::from(big)];
        let mut out = Vec::new();
        match self.frame {
            Frame::Verbatim => {}
            Frame::Bare | Frame::Time => out.push(self.id),
            Frame::Short if payload.len() < 255 => out.extend([self.id, payload.len() as u8]),
            Frame::Short | Frame::Long => {
                out.extend([self.id, 0xff]);
                out.extend(fixed(payload.len() as u64, big));
            }
        }
        out.extend(payload);
        out
    }
}

/// A whole archive, to be written in either byte order.
#[derive(Clone, Debug)]
pub(crate) struct Handmade {
    pub(crate) big: bool,
    pub(crate) trace_format: u8,
    pub(crate) substrate: u8,
    pub(crate) compression: u8,
    pub(crate) event_chunk: u64,
    pub(crate) definition_chunk: u64,
    pub(crate) definitions: Vec<Rec>,
    pub(crate) local: BTreeMap<u64, Vec<Rec>>,
    pub(crate) events: BTreeMap<u64, Vec<Rec>>,
    pub(crate) markers: Vec<Rec>,
    strings: u32,
}

pub(crate) const NONE: u32 = u32::MAX;
pub(crate) const USER: u8 = 1;
pub(crate) const MPI: u8 = 4;
pub(crate) const MEASUREMENT: u8 = 6;
pub(crate) const LOCATIONS: u8 = 4;
pub(crate) const GROUP: u8 = 5;

impl Handmade {
    /// An archive that defines nothing but its clock: a tick is a nanosecond.
    pub(crate) fn empty() -> Handmade {
        Handmade {
            big: false,
            trace_format: 2,
            substrate: 1,
            compression: 1,
            event_chunk: 1 << 20,
            definition_chunk: 256 << 10,
            definitions: vec![Rec::of(5, &[F::V(1_000_000_000), F::V(0), F::V(5000), F::V(u64::MAX)])],
            local: BTreeMap::new(),
            events: BTreeMap::new(),
            markers: Vec::new(),
            strings: 0,
        }
    }

    /// `count` ranks, rank `r` with location id `10 r`; communicator 0 is the world (groups 0 and 1);
    /// region 0 is `main`, region 1 `MPI_Recv`.
    pub(crate) fn ranks(count: u64) -> Handmade {
        let mut made = Handmade::empty();
        made.region(0, "main", USER, 1);
        made.region(1, "MPI_Recv", MPI, 28);
        for rank in 0..count {
            made.location(10 * rank, rank as u32);
        }
        let places: Vec<u64> = (0..count).map(|rank| 10 * rank).collect();
        made.group(0, LOCATIONS, MPI, 0, &places);
        made.group(1, GROUP, MPI, 0, &(0..count).collect::<Vec<_>>());
        made.comm(0, 1);
        made
    }

    pub(crate) fn define(&mut self, id: u8, fields: &[F]) {
        self.definitions.push(Rec::of(id, fields));
    }

    pub(crate) fn string(&mut self, text: &str) -> u32 {
        let id = self.strings;
        self.strings += 1;
        self.define(10, &[F::I(id), F::S(text)]);
        id
    }

    pub(crate) fn region(&mut self, id: u32, name: &str, paradigm: u8, role: u8) {
        let name = F::I(self.string(name));
        let (line, none) = (F::I(7), F::I(NONE));
        let tail = [name, F::U8(role), F::U8(paradigm), F::I(0)];
        self.define(15, &[&[F::I(id), name, none, F::U8(0), none, line, line][..], &tail].concat());
    }

    /// A process of its own and its only thread.
    pub(crate) fn location(&mut self, id: u64, process: u32) {
        let name = F::I(self.string(&format!("process {process}")));
        self.define(13, &[F::I(process), name, F::U8(1), F::I(NONE), F::I(NONE)]);
        self.thread(id, process);
    }

    pub(crate) fn thread(&mut self, id: u64, process: u32) {
        let name = F::I(self.string(&format!("location {id}")));
        self.define(14, &[F::V(id), name, F::U8(1), F::V(2), F::I(process)]);
    }

    pub(crate) fn group(&mut self, id: u32, kind: u8, paradigm: u8, flags: u32, members: &[u64]) {
        let mut fields = vec![F::I(id), F::I(NONE), F::U8(0), F::I(members.len() as u32)];
        fields.extend(members.iter().map(|member| F::V(*member)));
        fields.extend([F::U8(kind), F::U8(paradigm), F::I(flags)]);
        self.define(18, &fields);
    }

    pub(crate) fn comm(&mut self, id: u32, group: u32) {
        self.define(22, &[F::I(id), F::I(NONE), F::I(group), F::I(NONE), F::I(0)]);
    }

    /// Adds events to a location; an empty list makes an empty file.
    pub(crate) fn on(&mut self, location: u64, events: &[Rec]) -> &mut Handmade {
        self.events.entry(location).or_default().extend_from_slice(events);
        self
    }

    pub(crate) fn own(&mut self, location: u64, definitions: &[Rec]) -> &mut Handmade {
        self.local.entry(location).or_default().extend_from_slice(definitions);
        self
    }

    /// A map of a location's ids of one kind: entry i is the global id of the local id i.
    pub(crate) fn dense_map(kind: u8, to: &[u64]) -> Rec {
        let mut fields = vec![F::U8(kind), F::V(to.len() as u64), F::U8(0)];
        fields.extend(to.iter().map(|id| F::V(*id)));
        Rec::of(5, &fields)
    }

    pub(crate) fn sparse_map(kind: u8, entries: &[(u64, u64)]) -> Rec {
        let mut fields = vec![F::U8(kind), F::V(entries.len() as u64), F::U8(1)];
        fields.extend(entries.iter().flat_map(|(local, global)| [F::V(*local), F::V(*global)]));
        Rec::of(5, &fields)
    }

    pub(crate) fn clock_offset(time: u64, offset: i64) -> Rec {
        Rec::of(6, &[F::Raw(time), F::V(offset.cast_unsigned()), F::Raw(0)])
    }

    pub(crate) fn anchor(&self) -> Vec<u8> {
        let mut out = vec![3, if self.big { 0x23 } else { 0x42 }];
        out.extend(b"OTF2\0");
        out.extend([3, self.trace_format, 3, 0, 2]);
        out.extend(fixed(self.event_chunk, self.big));
        out.extend(fixed(self.definition_chunk, self.big));
        out.extend([self.substrate, self.compression]);
        out.extend(fixed(self.events.len() as u64, self.big));
        out.extend(fixed(self.definitions.len() as u64, self.big));
        out.extend(b"machine\0by hand\0\0");
        out.extend([0; 4]);
        out.extend(fixed(1, self.big));
        out.extend([0; 8]);
        out.extend([2, 1, 0]);
        out
    }

    /// All files of the archive `t`.
    pub(crate) fn files(&self) -> MemoryFiles {
        let files = MemoryFiles::default();
        files.insert("t.otf2", self.anchor());
        files.insert("t.def", self.file(&self.definitions, self.definition_chunk));
        for (location, records) in &self.local {
            files.insert(&format!("t/{location}.def"), self.file(records, self.definition_chunk));
        }
        for (location, records) in &self.events {
            files.insert(&format!("t/{location}.evt"), self.file(records, self.event_chunk));
        }
        if !self.markers.is_empty() {
            files.insert("t.marker", self.file(&self.markers, self.definition_chunk));
        }
        files
    }

    /// Cuts records into chunks; the current time is said again at the head of each.
    fn file(&self, records: &[Rec], chunk_size: u64) -> Vec<u8> {
        let (mut out, mut start, mut events) = (Vec::new(), 0, 0_u64);
        let mut now: Option<Vec<u8>> = None;
        let head = |out: &mut Vec<u8>, first: u64| {
            out.extend([3, if self.big { 0x23 } else { 0x42 }]);
            out.extend(fixed(first, self.big));
            out.extend([0; 8]);
        };
        head(&mut out, 1);
        for record in records {
            let bytes = record.bytes(self.big);
            if (out.len() - start + bytes.len()) as u64 >= chunk_size {
                out[start + 10..start + 18].copy_from_slice(&fixed(events, self.big));
                start += chunk_size as usize;
                out.resize(start, 0);
                head(&mut out, events + 1);
                out.extend(now.iter().flatten());
            }
            out.extend(&bytes);
            match record.frame {
                Frame::Time => now = Some(bytes),
                _ => events += u64::from(record.is_event()),
            }
        }
        out[start + 10..start + 18].copy_from_slice(&fixed(events, self.big));
        out.extend([2, 1]);
        out
    }
}
