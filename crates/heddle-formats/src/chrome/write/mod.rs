//! Writes any [`Source`] as trace events: one JSON object that Perfetto, `chrome://tracing` and Heddle open.
//!
//! A location is a thread: its process has the rank for its number, or one behind all ranks; threads are numbered
//! throughout the file, from 1. Spans are complete events (`X`), in microseconds with three decimals, so that nanoseconds
//! survive. A message is a flow (`s` and `f`) between the spans of its two ends; a collective stands in the arguments of
//! each member's span; counters are `C`, marks `i`.
//!
//! Browsers show a flow at the slice that is open at its time, and a slice is not open any more when it ends. What
//! happens at the end of a call is therefore placed a nanosecond earlier, and says its own `time` in the arguments. What
//! else a browser has no use for is in arguments and in metadata events that begin with `heddle_`.
//!
//! Locations are written one after the other. Memory is that of one part, of the requests that are open, and of the
//! channels of one process. Not carried: machines and nodes above processes; receives that never complete; collectives
//! outside of calls, or several in one.

mod define;
mod text;
mod walk;

use std::io::{self, Write};

use heddle_model::{LocationId, RecordBlock, Source};

use self::define::Places;
use self::walk::{Channels, Walk};
use crate::{Output, WriteError, WriteSummary};

/// Bytes that are handed over at a time.
const CHUNK: usize = 1 << 18;

/// Writes `source` as the file `name`, packed if that ends in `.gz`. What is left out: receives that never complete, and collectives that have no call of their own.
pub fn write(source: &dyn Source, to: &Output<'_>) -> Result<WriteSummary, WriteError> {
    let (name, progress) = (to.name, to.go_on);
    let failed = |cause| WriteError::Io { file: name.to_owned(), cause };
    let mut file = to.files.create(name).map_err(failed)?;
    if name.strip_suffix(".gz").is_some() {
        let mut packer = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        let summary = write_events(source, &mut packer, &failed, progress)?;
        packer.finish().and_then(|mut file| file.flush()).map_err(failed)?;
        return Ok(summary);
    }
    let summary = write_events(source, &mut *file, &failed, progress)?;
    file.flush().map_err(failed)?;
    Ok(summary)
}

fn write_events(
    source: &dyn Source,
    file: &mut dyn Write,
    failed: &dyn Fn(io::Error) -> WriteError,
    progress: &(dyn Fn(u64) -> bool + Sync),
) -> Result<WriteSummary, WriteError> {
    let definitions = source.definitions();
    let places = Places::of(definitions);
    let mut out = Vec::with_capacity(CHUNK + (CHUNK >> 2));
    out.extend_from_slice(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    places
        .write(definitions, &mut out, &mut |out| {
            if out.len() >= CHUNK {
                file.write_all(out)?;
                out.clear();
            }
            Ok(())
        })
        .map_err(failed)?;
    let mut summary = WriteSummary { locations: definitions.locations.len() as u64, ..WriteSummary::default() };
    let mut channels = Channels::default();
    let mut block = RecordBlock::default();
    let mut read = 0;
    // The threads of a process one after the other: its messages are counted together.
    let mut by_location: Vec<_> = source.parts().chunk_by(|a, b| a.location == b.location).collect();
    by_location.sort_by_key(|parts| (definitions.main_location(parts[0].location), parts[0].location));
    for parts in by_location {
        let location = parts[0].location;
        if location.index() >= definitions.locations.len() {
            continue;
        }
        let mut walk = Walk::new(location, definitions, &places, &mut channels, &mut out);
        for part in parts {
            block.clear();
            source.read(part, &mut block)?;
            read += block.len() as u64;
            if !progress(read) {
                return Err(WriteError::Cancelled);
            }
            for (time, event) in block.iter() {
                walk.event(time, &event);
                if walk.out.len() >= CHUNK {
                    file.write_all(walk.out).map_err(failed)?;
                    walk.out.clear();
                }
            }
            walk.last = walk.last.max(block.last);
        }
        walk.finish();
        summary.events += walk.events;
        summary.left_out += walk.left_out;
    }
    for mark in &definitions.marks {
        let place = places.suffix(if mark.location.is_some() { mark.location } else { LocationId(0) });
        text::mark(&mut out, mark.time, &mark.name, &mark.text, if mark.location.is_some() { "t" } else { "g" }, place);
        summary.events += 1;
    }
    out.extend_from_slice(b"\n]}\n");
    file.write_all(&out).map_err(failed)?;
    Ok(summary)
}
