//! Record blocks as bytes, for records that are put aside while a trace is read.
//!
//! Times are differences, numbers are as short as they are small: about five bytes for an enter or a leave. The bytes
//! never leave the machine and are gone when the import ends, so there is no version in them.

use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Event, LocationId, MarkText, MessageEnd, MetricId, MetricValue, Ns,
    RecordBlock, RegionId, RequestId, TaskId, TaskInfo,
};

/// The bytes of a block. Its warnings are not in them.
pub(crate) fn pack(block: &RecordBlock) -> Vec<u8> {
    let mut out = Packer { bytes: Vec::with_capacity(block.len() * 6) };
    out.number(block.events);
    out.number(block.last.map_or(0, |last| zigzag(last.0) + 1));
    let mut before = 0;
    for (time, event) in block.iter() {
        let (kind, message, collective, request) = match &event {
            Event::Enter(_) => (0, None, None, None),
            Event::Leave(_) => (1, None, None, None),
            Event::Send(end) => (2, Some(end), None, None),
            Event::Isend(end) => (3, Some(end), None, None),
            Event::SendComplete(request) => (4, None, None, Some(request)),
            Event::RecvRequest(request) => (5, None, None, Some(request)),
            Event::Recv(end) => (6, Some(end), None, None),
            Event::Irecv(end) => (7, Some(end), None, None),
            Event::RequestCancelled(request) => (8, None, None, Some(request)),
            Event::CollectiveBegin => (9, None, None, None),
            Event::CollectiveEnd(end) => (10, None, Some(end), None),
            Event::CollectiveRequest(request) => (11, None, None, Some(request)),
            Event::CollectiveComplete(end) => (12, None, Some(end), None),
            Event::Metric(_) => (13, None, None, None),
            Event::Mark(_) => (14, None, None, None),
            Event::Task(_) => (15, None, None, None),
            Event::DependsOn(_) => (16, None, None, None),
        };
        out.bytes.push(kind);
        out.number(zigzag(time.0.wrapping_sub(before)));
        before = time.0;
        match &event {
            Event::Enter(region) => out.number(u64::from(region.0)),
            Event::Leave(region) => out.number(u64::from(RegionId::from(*region).0)),
            Event::Metric(value) => {
                out.number(u64::from(value.metric.0));
                out.bytes.extend_from_slice(&value.value.to_le_bytes());
            }
            Event::Mark(mark) => {
                out.text(&mark.name);
                out.text(&mark.text);
            }
            Event::Task(task) => {
                out.number(task.id.0);
                // Zero is a time that is not known.
                for known in [task.submitted, task.ready] {
                    let before = zigzag(time.0.wrapping_sub(known.0)).wrapping_add(1);
                    out.number(if known.is_some() { before } else { 0 });
                }
                for number in [task.iteration, task.tile[0], task.tile[1]] {
                    out.number(u64::from(number.wrapping_add(1)));
                }
            }
            Event::DependsOn(on) => out.number(on.0),
            _ => {}
        }
        if let Some(end) = message {
            for number in [end.peer.0, end.comm.0, end.tag] {
                out.number(u64::from(number));
            }
            out.number(end.bytes);
            out.number(end.request.0);
        }
        if let Some(end) = collective {
            for number in [u32::from(end.op.0), end.comm.0, end.root.0] {
                out.number(u64::from(number));
            }
            let number = end.number.map_or(0, |number| u64::from(number) + 1);
            for number in [end.sent, end.received, end.request.0, number] {
                out.number(number);
            }
        }
        if let Some(request) = request {
            out.number(request.0);
        }
    }
    out.bytes
}

/// The block that bytes were made from; `None` if they were not.
pub(crate) fn unpack(bytes: &[u8]) -> Option<RecordBlock> {
    let mut input = Unpacker { bytes };
    let mut block = RecordBlock::default();
    block.events = input.number()?;
    block.last = input.number()?.checked_sub(1).map(|last| Ns(unzigzag(last)));
    let mut before = 0i64;
    while let Some((&kind, rest)) = input.bytes.split_first() {
        input.bytes = rest;
        before = before.wrapping_add(unzigzag(input.number()?));
        let time = Ns(before);
        match kind {
            0 => block.enter(time, RegionId(input.short()?)),
            1 => block.leave(time, RegionId(input.short()?).some()),
            2 => block.send(time, input.message()?),
            3 => block.isend(time, input.message()?),
            4 => block.send_complete(time, RequestId(input.number()?)),
            5 => block.recv_request(time, RequestId(input.number()?)),
            6 => block.recv(time, input.message()?),
            7 => block.irecv(time, input.message()?),
            8 => block.request_cancelled(time, RequestId(input.number()?)),
            9 => block.collective_begin(time),
            10 => block.collective_end(time, input.collective()?),
            11 => block.collective_request(time, RequestId(input.number()?)),
            12 => block.collective_complete(time, input.collective()?),
            13 => {
                let metric = MetricId(input.short()?);
                let (value, rest) = input.bytes.split_first_chunk::<8>()?;
                input.bytes = rest;
                block.metric(time, MetricValue { metric, value: f64::from_le_bytes(*value) });
            }
            14 => block.mark(time, MarkText { name: input.text()?, text: input.text()? }),
            15 => block.task(time, input.task(time)?),
            16 => block.depends_on(time, TaskId(input.number()?)),
            _ => return None,
        }
    }
    Some(block)
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

struct Packer {
    bytes: Vec<u8>,
}

impl Packer {
    /// Seven bits a byte, the lowest first.
    #[inline]
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }
}

struct Unpacker<'a> {
    bytes: &'a [u8],
}

impl Unpacker<'_> {
    #[inline]
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn short(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn message(&mut self) -> Option<MessageEnd> {
        Some(MessageEnd {
            peer: LocationId(self.short()?),
            comm: CommId(self.short()?),
            tag: self.short()?,
            bytes: self.number()?,
            request: RequestId(self.number()?),
        })
    }

    fn task(&mut self, time: Ns) -> Option<TaskInfo> {
        let id = TaskId(self.number()?);
        let mut known = || {
            let before = self.number()?.checked_sub(1).map(unzigzag);
            Some(before.map_or(Ns::NONE, |before| Ns(time.0.wrapping_sub(before))))
        };
        let (submitted, ready) = (known()?, known()?);
        let mut number = || Some(self.short()?.wrapping_sub(1));
        Some(TaskInfo { id, submitted, ready, iteration: number()?, tile: [number()?, number()?] })
    }

    fn collective(&mut self) -> Option<CollectiveEnd> {
        Some(CollectiveEnd {
            op: CollectiveOp(self.short()?.try_into().ok()?),
            comm: CommId(self.short()?),
            root: LocationId(self.short()?),
            sent: self.number()?,
            received: self.number()?,
            request: RequestId(self.number()?),
            number: self.number()?.checked_sub(1).and_then(|number| u32::try_from(number).ok()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind of record, with numbers of all lengths.
    fn sample() -> RecordBlock {
        let mut block = RecordBlock::default();
        let end = MessageEnd {
            peer: LocationId(7),
            comm: CommId::NONE,
            tag: u32::MAX,
            bytes: 1 << 40,
            request: RequestId(u64::MAX),
        };
        let collective = CollectiveEnd {
            op: CollectiveOp::ALLREDUCE,
            comm: CommId(3),
            root: LocationId::NONE,
            sent: 8,
            received: u64::MAX,
            request: RequestId::NONE,
            number: Some(7),
        };
        block.enter(Ns(-5), RegionId(0));
        block.send(Ns(0), end);
        block.isend(Ns(1), end);
        block.send_complete(Ns(1), RequestId(9));
        block.recv_request(Ns(i64::MAX), RequestId(1));
        block.recv(Ns(i64::MIN), end);
        block.irecv(Ns(3), end);
        block.request_cancelled(Ns(4), RequestId(2));
        block.collective_begin(Ns(5));
        block.collective_end(Ns(6), collective);
        block.collective_request(Ns(6), RequestId(4));
        block.collective_complete(Ns(7), collective);
        block.metric(Ns(8), MetricValue { metric: MetricId(1), value: -0.5 });
        block.mark(Ns(9), MarkText { name: "µ".to_owned(), text: String::new() });
        block.task(Ns(9), TaskInfo::new(TaskId::new(3, 1426)));
        block.task(
            Ns(9),
            TaskInfo { id: TaskId(7), submitted: Ns(-4), ready: Ns(9), iteration: 0, tile: [4, u32::MAX - 1] },
        );
        block.depends_on(Ns(9), TaskId::new(1 << 20, 5));
        block.leave(Ns(10), None);
        block.leave(Ns(11), Some(RegionId(300)));
        (block.last, block.events) = (Some(Ns(12)), 99);
        block
    }

    #[test]
    fn what_is_unpacked_is_what_was_packed() {
        let (block, again) = (sample(), unpack(&pack(&sample())).unwrap());
        assert_eq!((again.last, again.events), (block.last, block.events));
        assert!(again.iter().eq(block.iter()));
    }

    #[test]
    fn bytes_that_were_cut_or_changed_do_not_panic() {
        let bytes = pack(&sample());
        for at in 0..bytes.len() {
            let _ = unpack(&bytes[..at]);
            let mut changed = bytes.clone();
            changed[at] ^= 0xff;
            let _ = unpack(&changed);
        }
    }
}
