//! Chrome trace events: JSON that browsers, PyTorch's profiler (Kineto) and countless small tools write.
//!
//! Followed are the trace event format as Perfetto reads it and the JSON writer of Kineto as of 2026. Writers deviate:
//! arrays without an end, commas too many, names with unescaped quotes, numbers as text, times as whole microseconds;
//! all of that is read, and counted where it costs something.
//!
//! Events come in no order. They are gathered as small entries on tracks, put in order there, and laid out in rows that
//! nest. Rows of different recorders on one thread (Python frames, annotations, operators) are tracks of their own, for
//! they do not nest in each other.
//!
//! Flows between processes are messages. What this module writes says more than a browser needs, and is read again as the
//! trace it was.
//!
//! A file of PyTorch is one rank. Several make one trace: kernels of NCCL and its like become collectives of their
//! process group, matched across ranks.

mod arguments;
mod block;
mod bound;
mod category;
mod comms;
mod container;
mod event;
mod finish;
mod flows;
mod info;
mod matching;
mod names;
mod number;
mod places;
mod ranks;
mod reading;
mod rows;
mod scan;
mod stated;
mod track;
mod write;

pub use self::write::write;
use crate::{Gathered, Input, OpenError};

/// Whether a file begins like a list of trace events: an array or object of JSON in which an event stands, or keys that
/// only such files have.
pub fn recognise(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let start = scan::skip_space(head, 0);
    match head.get(start) {
        Some(b'[') => {
            let first = scan::skip_space(head, start + 1);
            match head.get(first) {
                Some(b'{') => has_key(&head[first..], b"ph"),
                // An array that was opened and never got an event.
                _ => false,
            }
        }
        Some(b'{') => {
            let mut at = start + 1;
            let mut telling = false;
            loop {
                match scan::next_key(head, &mut at) {
                    Ok(Some(b"traceEvents")) => return true,
                    Ok(Some(key)) => {
                        telling |= matches!(key, b"deviceProperties" | b"distributedInfo" | b"schemaVersion");
                    }
                    // The head ends before the events do begin.
                    Err(scan::Fault::Ends) => return telling,
                    Ok(None) | Err(scan::Fault::Bad) => return false,
                }
                match scan::value_end(head, at) {
                    Ok(end) => at = end,
                    Err(fault) => return telling && fault == scan::Fault::Ends,
                }
            }
        }
        _ => false,
    }
}

/// Whether a key stands somewhere in the bytes.
fn has_key(bytes: &[u8], key: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, key).any(|at| {
        let end = at + key.len();
        at > 0
            && bytes[at - 1] == b'"'
            && bytes.get(end) == Some(&b'"')
            && bytes.get(scan::skip_space(bytes, end + 1)) == Some(&b':')
    })
}

/// Reads one file, or the files of several ranks as one trace.
pub fn open<'a>(input: &Input<'a>) -> Result<Gathered<'a>, OpenError> {
    let mut trace = reading::Reading::new(input);
    for name in input.names {
        trace.read(name)?;
    }
    finish::finish(trace, input.scratch, input.memory)
}
