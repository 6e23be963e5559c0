//! Event chunks: the hot loop.
//!
//! Every chunk begins with a timestamp, so chunks are decoded on their own, in any order and in
//! parallel. Nine records in ten are timestamp, enter and leave: they are tried first.

use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Communicator, LocationId, MarkText, MessageEnd, MetricValue, Ns, RecordBlock,
    RegionId, RequestId, WarningKind,
};

use super::bytes::Fields;
use super::clock::LocationClock;
use super::framing::{CHUNK_HEADER, chunk_order, control};
use super::ids::Translate;
use super::resolve::MetricMember;

const TIMESTAMP: u8 = 5;
const ATTRIBUTE_LIST: u8 = 6;

/// Ids of event records that make model records, or need care.
mod id {
    pub(super) const BUFFER_FLUSH: u8 = 10;
    pub(super) const MEASUREMENT_ON_OFF: u8 = 11;
    pub(super) const ENTER: u8 = 12;
    pub(super) const LEAVE: u8 = 13;
    pub(super) const MPI_SEND: u8 = 14;
    pub(super) const MPI_ISEND: u8 = 15;
    pub(super) const MPI_ISEND_COMPLETE: u8 = 16;
    pub(super) const MPI_IRECV_REQUEST: u8 = 17;
    pub(super) const MPI_RECV: u8 = 18;
    pub(super) const MPI_IRECV: u8 = 19;
    pub(super) const MPI_REQUEST_TEST: u8 = 20;
    pub(super) const MPI_REQUEST_CANCELLED: u8 = 21;
    pub(super) const MPI_COLLECTIVE_BEGIN: u8 = 22;
    pub(super) const MPI_COLLECTIVE_END: u8 = 23;
    pub(super) const OMP_FORK: u8 = 24;
    pub(super) const OMP_TASK_CREATE: u8 = 28;
    pub(super) const OMP_TASK_SWITCH: u8 = 29;
    pub(super) const OMP_TASK_COMPLETE: u8 = 30;
    pub(super) const METRIC: u8 = 31;
    pub(super) const CALLING_CONTEXT_ENTER: u8 = 66;
    pub(super) const CALLING_CONTEXT_LEAVE: u8 = 67;
    pub(super) const NON_BLOCKING_COLLECTIVE_REQUEST: u8 = 85;
    pub(super) const NON_BLOCKING_COLLECTIVE_COMPLETE: u8 = 86;
    pub(super) const LAST_KNOWN: u8 = 88;
}

/// Everything needed to understand one location's events.
pub(crate) struct EventDecoder<'a> {
    /// Who speaks for the location in communicators: the main thread of its process.
    pub(crate) main: LocationId,
    /// The file's name, for warnings.
    pub(crate) file: &'a str,
    pub(crate) regions: Translate<'a, RegionId>,
    pub(crate) comms: Translate<'a, CommId>,
    pub(crate) metrics: Translate<'a, u32>,
    pub(crate) calling_contexts: Translate<'a, RegionId>,
    pub(crate) metric_classes: &'a [Vec<MetricMember>],
    pub(crate) communicators: &'a [Communicator],
    pub(crate) undefined_region: RegionId,
    pub(crate) clock: LocationClock<'a>,
}

/// Why decoding of a chunk stopped early.
enum Damage {
    Truncated,
    Corrupt,
}

impl EventDecoder<'_> {
    /// Decodes one chunk that begins at byte `offset` of its file, appending to `out`.
    ///
    /// Says whether the chunk promises that another one follows.
    pub(crate) fn decode_chunk(&mut self, chunk: &[u8], offset: u64, out: &mut RecordBlock) -> bool {
        let Some(order) = chunk_order(chunk) else {
            let kind = if chunk.len() < CHUNK_HEADER { WarningKind::Truncated } else { WarningKind::Corrupt };
            out.warnings.add(
                kind,
                || format!("{} byte {offset}", self.file),
                "an event chunk without a header (03, byte order, counts) was skipped",
            );
            return false;
        };
        let body = &chunk[CHUNK_HEADER..];
        // 14 bytes an event is what recorders write; the vector grows if this one is denser.
        out.reserve(body.len() / 14);
        let mut fields = Fields::new(body, order);
        let mut time = Ns(0);
        if body.first().is_some_and(|id| *id != TIMESTAMP && *id > control::END_OF_FILE) {
            out.warnings.add(
                WarningKind::Corrupt,
                || format!("{} byte {}", self.file, offset + CHUNK_HEADER as u64),
                "an event chunk does not begin with a time; its first events are put at the start of the trace",
            );
        }
        loop {
            let start = fields.position();
            if let Err(damage) = self.next(&mut fields, offset, &mut time, out) {
                let Some(damage) = damage else { return body[start] == control::END_OF_CHUNK };
                let (kind, text) = match damage {
                    Damage::Truncated => (
                        WarningKind::Truncated,
                        "an event file breaks off; events after this are missing, regions still open end at the last event",
                    ),
                    Damage::Corrupt => {
                        (WarningKind::Corrupt, "an event that makes no sense; the rest of its chunk was skipped")
                    }
                };
                let at = offset + (CHUNK_HEADER + start) as u64;
                out.warnings.add(kind, || format!("{} byte {at}", self.file), text);
                return false;
            }
        }
    }

    /// Decodes one record of the chunk at byte `offset`. `Err(None)` is the ordinary end of the chunk.
    #[inline]
    fn next(
        &mut self,
        fields: &mut Fields,
        offset: u64,
        time: &mut Ns,
        out: &mut RecordBlock,
    ) -> Result<(), Option<Damage>> {
        let corrupt = |fields: &Fields| Some(if fields.remaining() < 9 { Damage::Truncated } else { Damage::Corrupt });
        match fields.u8().ok_or(Some(Damage::Truncated))? {
            TIMESTAMP => {
                let raw = fields.raw64().ok_or(Some(Damage::Truncated))?;
                *time = self.clock.ns(raw);
                return Ok(());
            }
            id::ENTER => {
                let region = fields.u32().ok_or_else(|| corrupt(fields))?;
                let region = self.regions.get(region).unwrap_or_else(|| self.undefined(region, out));
                out.enter(*time, region);
            }
            id::LEAVE => {
                let region = fields.u32().ok_or_else(|| corrupt(fields))?;
                let known = match self.regions.get(region) {
                    None if region != u32::MAX => Some(self.undefined(region, out)),
                    known => known,
                };
                out.leave(*time, known);
            }
            control::END_OF_CHUNK | control::END_OF_FILE | control::END_OF_BUFFER => return Err(None),
            control::CHUNK_HEADER => return Err(Some(Damage::Corrupt)),
            ATTRIBUTE_LIST => {
                let length = fields.record_length().ok_or(Some(Damage::Truncated))?;
                fields.sub(length).ok_or(Some(Damage::Truncated))?;
                return Ok(());
            }
            bare @ (id::MPI_ISEND_COMPLETE
            | id::MPI_IRECV_REQUEST
            | id::MPI_REQUEST_TEST
            | id::MPI_REQUEST_CANCELLED
            | id::OMP_FORK
            | id::OMP_TASK_CREATE
            | id::OMP_TASK_SWITCH
            | id::OMP_TASK_COMPLETE) => {
                let number = fields.u64().ok_or_else(|| corrupt(fields))?;
                self.bare(bare, *time, RequestId(number), out);
            }
            id => {
                let start = fields.position() - 1;
                let length = fields.record_length().ok_or(Some(Damage::Truncated))?;
                let mut payload = fields.sub(length).ok_or(Some(Damage::Truncated))?;
                if self.framed(id, *time, &mut payload, out).is_none() {
                    out.warnings.add(
                        WarningKind::Corrupt,
                        || format!("{} byte {}", self.file, offset + (CHUNK_HEADER + start) as u64),
                        "an event whose fields make no sense was dropped",
                    );
                }
            }
        }
        out.events += 1;
        out.last = Some(out.last.map_or(*time, |last| last.max(*time)));
        Ok(())
    }

    #[cold]
    fn undefined(&self, region: u32, out: &mut RecordBlock) -> RegionId {
        out.warnings.add(
            WarningKind::UndefinedReference,
            || format!("{}, region {region}", self.file),
            "events name regions that are not defined; they are shown as \"(undefined region)\"",
        );
        self.undefined_region
    }

    /// The ten records without a length; two of them are in the hot loop itself.
    fn bare(&self, kind: u8, time: Ns, request: RequestId, out: &mut RecordBlock) {
        match kind {
            id::MPI_ISEND_COMPLETE => out.send_complete(time, request),
            id::MPI_IRECV_REQUEST => out.recv_request(time, request),
            id::MPI_REQUEST_CANCELLED => out.request_cancelled(time, request),
            id::MPI_REQUEST_TEST => {}
            other => self.unused(other, out),
        }
    }

    /// Records with a length; `None` if the payload makes no sense.
    fn framed(&mut self, kind: u8, time: Ns, f: &mut Fields, out: &mut RecordBlock) -> Option<()> {
        match kind {
            id::MPI_SEND | id::MPI_ISEND | id::MPI_RECV | id::MPI_IRECV => {
                let with_request = matches!(kind, id::MPI_ISEND | id::MPI_IRECV);
                let end = self.message(f, with_request, out)?;
                match kind {
                    id::MPI_SEND => out.send(time, end),
                    id::MPI_ISEND => out.isend(time, end),
                    id::MPI_RECV => out.recv(time, end),
                    _ => out.irecv(time, end),
                }
            }
            id::MPI_COLLECTIVE_BEGIN => out.collective_begin(time),
            id::MPI_COLLECTIVE_END => {
                let end = self.collective(f, false, out)?;
                out.collective_end(time, end);
            }
            id::NON_BLOCKING_COLLECTIVE_REQUEST => out.collective_request(time, RequestId(f.u64()?)),
            id::NON_BLOCKING_COLLECTIVE_COMPLETE => {
                let end = self.collective(f, true, out)?;
                out.collective_complete(time, end);
            }
            id::METRIC => self.metric(f, time, out)?,
            id::CALLING_CONTEXT_ENTER | id::CALLING_CONTEXT_LEAVE => {
                let context = f.u32()?;
                let region = self.calling_contexts.get(context);
                if kind == id::CALLING_CONTEXT_ENTER {
                    let region = region.unwrap_or_else(|| self.undefined(context, out));
                    out.enter(time, region);
                } else {
                    out.leave(time, region);
                }
            }
            id::BUFFER_FLUSH => {
                let stall = self.clock.ns(f.raw64()?).since(time);
                let text = format!("the recorder stopped for {stall} ns to write its buffer");
                out.mark(time, MarkText { name: "buffer flush".to_owned(), text });
            }
            id::MEASUREMENT_ON_OFF => {
                let name = if f.u8()? == 1 { "measurement on" } else { "measurement off" };
                out.mark(time, MarkText { name: name.to_owned(), text: String::new() });
            }
            other => self.unused(other, out),
        }
        Some(())
    }

    fn comm(&self, id: u32, out: &mut RecordBlock) -> CommId {
        self.comms.get(id).unwrap_or_else(|| {
            out.warnings.add(
                WarningKind::UndefinedReference,
                || format!("{}, communicator {id}", self.file),
                "messages or collectives name communicators that are not defined; they cannot be matched",
            );
            CommId::NONE
        })
    }

    fn message(&self, f: &mut Fields, with_request: bool, out: &mut RecordBlock) -> Option<MessageEnd> {
        let (rank, comm, tag, bytes) = (f.u32()?, f.u32()?, f.u32()?, f.u64()?);
        let request = RequestId(if with_request { f.u64()? } else { u64::MAX });
        let comm = self.comm(comm, out);
        let peer = self.communicators.get(comm.index()).and_then(|c| c.resolve(self.main, rank));
        // A group may list a location that nothing defines.
        let peer = peer.filter(|peer| peer.is_some());
        if peer.is_none() && comm.is_some() {
            out.warnings.add(
                WarningKind::PartnerOutsideCommunicator,
                || format!("{}, rank {rank}", self.file),
                "messages name a partner that is not in the communicator; they stay unmatched",
            );
        }
        Some(MessageEnd { peer: peer.into(), comm, tag, bytes, request })
    }

    fn collective(&self, f: &mut Fields, with_request: bool, out: &mut RecordBlock) -> Option<CollectiveEnd> {
        let (op, comm, root, sent, received) = (f.u8()?, f.u32()?, f.u32()?, f.u64()?, f.u64()?);
        let request = RequestId(if with_request { f.u64()? } else { u64::MAX });
        let comm = self.comm(comm, out);
        let communicator = self.communicators.get(comm.index()).filter(|_| root != u32::MAX);
        let root = communicator.and_then(|c| c.resolve(self.main, root));
        Some(CollectiveEnd { op: CollectiveOp(op), comm, root: root.into(), sent, received, request, number: None })
    }

    fn metric(&self, f: &mut Fields, time: Ns, out: &mut RecordBlock) -> Option<()> {
        let (metric, count) = (f.u32()?, f.u8()?);
        let members = self.metrics.get(metric).and_then(|class| self.metric_classes.get(class as usize));
        if members.is_none_or(|members| members.iter().any(|member| !member.metric.is_some())) {
            out.warnings.add(
                WarningKind::UndefinedReference,
                || format!("{}, metric {metric}", self.file),
                "counter values name metrics that are not defined; they were dropped",
            );
        }
        for position in 0..count as usize {
            let (value_type, bits) = (f.u8()?, f.u64()?);
            let member = members.and_then(|members| members.get(position)).filter(|member| member.metric.is_some());
            let Some(member) = member else { continue };
            let value = match value_type {
                8 => bits.cast_signed() as f64,
                10 => f64::from_bits(bits),
                _ => bits as f64,
            };
            out.metric(time, MetricValue { metric: member.metric, value: value * member.scale });
        }
        Some(())
    }

    /// Counts records that are understood but that no view shows, and those of a newer format.
    fn unused(&self, kind: u8, out: &mut RecordBlock) {
        let what = match kind {
            id::OMP_FORK..=id::OMP_TASK_COMPLETE | 53..=62 | 64 => "thread and task records",
            32..=34 => "parameter records",
            35..=52 => "one-sided (RMA) records",
            68 => "call-stack samples",
            69..=82 => "input/output records",
            known if (10..=id::LAST_KNOWN).contains(&known) => return, // program and thread begin and end, …
            unknown => {
                let text = format!("records of unknown type {unknown} were skipped; a newer OTF2 wrote them");
                out.warnings.add(WarningKind::UnknownRecords, || self.file.to_owned(), &text);
                return;
            }
        };
        let text = format!("{what} were read but are not shown by any view");
        out.warnings.add(WarningKind::UnusedRecords, || self.file.to_owned(), &text);
    }
}
