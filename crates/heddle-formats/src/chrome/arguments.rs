//! The few arguments that are wanted, taken out of the unread object.

use heddle_model::{CollectiveOp, MessageEnd, RequestId};

use super::bound::{Bound, NONE, Peer, What};
use super::event::{Name, RawEvent};
use super::flows::{FlowEnd, NEVER, mix, mix_text};
use super::names::Names;
use super::number;
use super::rows::CommArguments;
use super::scan::{content, members, text};

/// A whole number among the arguments.
pub(super) fn integer_of(arguments: &[u8], key: &[u8]) -> Option<i64> {
    members(arguments).find(|(found, _)| *found == key).and_then(|(_, value)| number::integer(value))
}

/// What the arguments say about a communication.
pub(super) fn communication(arguments: &[u8], texts: &mut Names) -> CommArguments {
    let mut out = CommArguments::default();
    let mut id = |value: &[u8]| {
        let value = content(value);
        (!value.is_empty()).then(|| texts.id(text(value).as_bytes()))
    };
    let whole = |value: &[u8]| number::integer(value).and_then(|number| u64::try_from(number).ok());
    let short = |value: &[u8]| number::integer(value).and_then(|number| u32::try_from(number).ok());
    for (key, value) in members(arguments) {
        match key {
            b"Collective name" => out.operation = id(value),
            b"Process Group Name" => out.group = id(value),
            b"Process Group Ranks" => out.ranks = id(value),
            b"Group size" => out.size = short(value),
            b"In msg nelems" => out.sent = whole(value),
            b"Out msg nelems" => out.received = whole(value),
            b"dtype" => out.element = id(value),
            b"Seq" => out.sequence = whole(value),
            b"Comms Id" => out.key = id(value),
            b"External id" => out.external = number::integer(value),
            b"correlation" => out.correlation = number::integer(value),
            b"Rank" => out.rank = short(value),
            b"Src Rank" => out.source = short(value),
            b"Dst Rank" => out.destination = short(value),
            _ => {}
        }
    }
    out
}

/// The end of a flow. Arguments are those that our own writer gives, and that others may give: `bytes`, `tag`, `comm`.
pub(super) fn flow(event: &RawEvent, time: i64, track: u32, file: u32) -> FlowEnd {
    let mut key = mix_text(mix_text(mix(0, u64::from(file)), event.category), event.name);
    if event.local_id.is_empty() {
        key = mix_text(key, content(event.id));
    } else {
        key = match event.pid {
            Name::Number(pid) => mix(key, pid as u64),
            Name::Text(pid) => mix_text(key, pid),
        };
        key = mix_text(key, content(event.local_id));
    }
    let phase = match event.phase {
        b's' => 0,
        b't' => 1,
        _ => 2,
    };
    let mut end = FlowEnd {
        key,
        at: time,
        time,
        other: NEVER,
        bytes: MessageEnd::UNKNOWN_LENGTH,
        comm: NONE,
        tag: 0,
        track,
        peer: NONE,
        phase,
        next: phase == 2 && !event.encloses,
        said: false,
    };
    let mut tagged = false;
    for (key, value) in members(event.arguments) {
        let short = || number::integer(value).and_then(|number| u32::try_from(number).ok());
        match key {
            b"bytes" => end.bytes = number::integer(value).and_then(|n| u64::try_from(n).ok()).unwrap_or(end.bytes),
            b"tag" => (end.tag, tagged) = (short().unwrap_or(0), true),
            b"communicator" => end.comm = short().unwrap_or(NONE),
            b"peer" => end.peer = short().unwrap_or(NONE),
            b"time" => end.time = number::nanoseconds(content(value)).unwrap_or(time),
            b"posted" | b"completed" => end.other = number::nanoseconds(content(value)).unwrap_or(NEVER),
            _ => {}
        }
    }
    // Others may have arguments of these names; all of them only our writer has.
    end.said = file == 0 && tagged && end.comm != NONE && end.peer != NONE;
    if !end.said {
        (end.time, end.other) = (time, NEVER);
    }
    end
}

/// A collective that our own writer tells in the arguments of its row: what happens in the row, in order.
pub(super) fn collective(arguments: &[u8], start: i64, end: i64) -> [Option<Bound>; 2] {
    if memchr::memmem::find(arguments, b"\"collective\"").is_none() {
        return [None, None];
    }
    let mut bound = Bound {
        at: start,
        time: start,
        what: What::Begin,
        next: false,
        op: CollectiveOp::UNKNOWN.0,
        comm: NONE,
        tag: NONE,
        peer: Peer::Nobody,
        bytes: 0,
        received: 0,
        request: RequestId::NONE.0,
    };
    let (mut is_one, mut from, mut to, mut posted) = (false, start, end, None);
    for (key, value) in members(arguments) {
        let long = || number::integer(value).and_then(|number| u64::try_from(number).ok());
        let short = || long().and_then(|number| u32::try_from(number).ok());
        let time = || number::nanoseconds(content(value));
        match key {
            b"collective" => {
                is_one = true;
                bound.op = CollectiveOp::from_name(&text(content(value))).0;
            }
            b"communicator" => bound.comm = short().unwrap_or(NONE),
            b"number" => bound.tag = short().unwrap_or(NONE),
            b"root" => bound.peer = short().map_or(Peer::Nobody, Peer::Thread),
            b"sent" => bound.bytes = long().unwrap_or(0),
            b"received" => bound.received = long().unwrap_or(0),
            b"from" => from = time().unwrap_or(from),
            b"to" => to = time().unwrap_or(to),
            b"posted" => posted = time(),
            _ => {}
        }
    }
    if !is_one || bound.comm == NONE {
        return [None, None];
    }
    // Inside of the row, whatever is said.
    (from, to) = (from.clamp(start, end), to.clamp(start, end));
    let last = Bound { at: to.min(end.saturating_sub(1)).max(start), time: to, what: What::End, ..bound };
    match posted {
        None => [Some(Bound { at: start, time: from.min(to), ..bound }), Some(last)],
        Some(posted) => {
            // On a location a request is known by its number: what is asked for earlier is another one.
            let request = mix(posted as u64, to as u64) | 1 << 63;
            let asked = Bound { at: posted, time: posted, what: What::Ask, request, ..bound };
            [Some(asked), Some(Bound { what: What::Done, request, ..last })]
        }
    }
}

/// Bytes of one element of a tensor.
pub(super) fn element_bytes(name: &[u8]) -> u64 {
    let name = name.to_ascii_lowercase();
    match name.as_slice() {
        b"double" | b"long" | b"complexfloat" => 8,
        b"float" | b"int" => 4,
        b"half" | b"bfloat16" | b"short" => 2,
        b"complexdouble" => 16,
        _ => 1,
    }
}
