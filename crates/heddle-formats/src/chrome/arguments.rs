//! The few arguments that are wanted, taken out of the unread object.

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
