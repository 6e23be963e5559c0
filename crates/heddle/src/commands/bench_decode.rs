//! `heddle bench-decode`: how fast a trace becomes records, with nothing done about them.
//!
//! Opening and reading are timed apart: formats in which the records of all locations are mixed are read while they are
//! opened, with all cores; of the others only definitions are, and their parts are then read on one core.

use std::io::Write;
use std::time::Instant;

use heddle_formats::MemoryScratch;
use heddle_model::RecordBlock;
use heddle_store::open_trace;

use crate::args::BenchDecodeArgs;

pub(super) fn run(args: &BenchDecodeArgs) -> anyhow::Result<()> {
    let trace = open_trace(&args.trace)?;
    let scratch = MemoryScratch::default();
    let opening = Instant::now();
    let source = trace.source(&scratch, u64::MAX, &|_| true, &|_| {})?;
    let open_seconds = opening.elapsed().as_secs_f64();
    let start = Instant::now();
    let mut block = RecordBlock::default();
    let (mut events, mut records) = (0, 0);
    for part in source.parts() {
        block.clear();
        source.read(part, &mut block)?;
        events += block.events;
        records += block.len();
    }
    let seconds = start.elapsed().as_secs_f64();
    let answer = serde_json::json!({
        "events": events, "records": records, "open_seconds": open_seconds, "seconds": seconds,
    });
    writeln!(std::io::stdout(), "{answer}")?;
    Ok(())
}
