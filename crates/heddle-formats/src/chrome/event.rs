//! One event of the array: its own fields, with the arguments as one unread piece.

use super::number;
use super::scan::{Fault, next_key, value_end};

/// A process, thread or id as a file names it. A number and the same digits as text are different.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Name<'a> {
    Number(i64),
    Text(&'a [u8]),
}

impl<'a> Name<'a> {
    fn of(value: &'a [u8]) -> Name<'a> {
        match value {
            [b'"', inside @ .., b'"'] => Name::Text(inside),
            other => number::integer(other).map_or(Name::Text(other), Name::Number),
        }
    }
}

/// An event as it stands in the file; strings are unescaped by whoever wants them.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawEvent<'a> {
    pub(super) phase: u8,
    pub(super) name: &'a [u8],
    pub(super) category: &'a [u8],
    pub(super) pid: Name<'a>,
    pub(super) tid: Name<'a>,
    /// Microseconds.
    pub(super) time: &'a [u8],
    pub(super) duration: &'a [u8],
    /// Of asynchronous events, flows and counters.
    pub(super) id: &'a [u8],
    /// The `local` of `id2`: such an id counts within its process.
    pub(super) local_id: &'a [u8],
    /// Whether a flow ends at the slice around it (`bp` is `e`), not at the next one.
    pub(super) encloses: bool,
    /// How far an instant reaches: `g`, `p` or `t`.
    pub(super) reach: u8,
    /// The whole object, or empty.
    pub(super) arguments: &'a [u8],
}

/// The event whose brace opens at `start`, and the place behind it.
pub(super) fn event(bytes: &[u8], start: usize) -> Result<(RawEvent<'_>, usize), Fault> {
    let mut event = RawEvent {
        phase: 0,
        name: &[],
        category: &[],
        pid: Name::Number(0),
        tid: Name::Number(0),
        time: &[],
        duration: &[],
        id: &[],
        local_id: &[],
        encloses: false,
        reach: b't',
        arguments: &[],
    };
    let mut at = start + 1;
    while let Some(key) = next_key(bytes, &mut at)? {
        let end = value_end(bytes, at)?;
        let value = &bytes[at..end];
        at = end;
        let inside = super::scan::content(value);
        match key {
            b"ph" => event.phase = inside.first().copied().unwrap_or(0),
            b"name" => event.name = inside,
            b"cat" => event.category = inside,
            b"pid" => event.pid = Name::of(value),
            b"tid" => event.tid = Name::of(value),
            b"ts" => event.time = inside,
            b"dur" => event.duration = inside,
            b"id" => event.id = value,
            b"id2" => {
                for (key, value) in super::scan::members(value) {
                    match key {
                        b"local" => event.local_id = value,
                        _ => event.id = value,
                    }
                }
            }
            b"bp" => event.encloses = inside == b"e",
            b"s" => event.reach = inside.first().copied().unwrap_or(b't'),
            b"args" if value.first() == Some(&b'{') => event.arguments = value,
            _ => {}
        }
        // Between members there is a comma; anything else is damage, most often an unescaped quote in a name.
        at = super::scan::skip_space(bytes, at);
        match bytes.get(at) {
            None => return Err(Fault::Ends),
            Some(b',' | b'}') => {}
            Some(_) => return Err(Fault::Bad),
        }
    }
    Ok((event, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_in_any_order() {
        let json = br#" {"args": {"ph":"B"}, "dur":"2", "ts":1.5, "tid":"7", "pid":-7, "ph":"X", "name":"a\"b",} ,"#;
        let (event, end) = event(json, 1).unwrap();
        assert_eq!(
            (event.phase, event.name, event.time, event.duration),
            (b'X', &br#"a\"b"#[..], &b"1.5"[..], &b"2"[..])
        );
        assert_eq!((event.pid, event.tid), (Name::Number(-7), Name::Text(b"7")));
        assert_eq!(event.arguments, br#"{"ph":"B"}"#);
        assert_eq!(&json[end..], b" ,");
    }

    #[test]
    fn damage_is_told_from_a_cut() {
        let json = br#"{"name":"a "b" c","ph":"X"},"#;
        assert_eq!(event(json, 0).unwrap_err(), Fault::Bad);
        let sound = br#"{"name":"a","ts":12,"args":{"x":[1]}}"#;
        for cut in 1..sound.len() {
            assert_eq!(event(&sound[..cut], 0).unwrap_err(), Fault::Ends, "{cut}");
        }
    }
}
