//! `heddle bench-decode`: how fast events are decoded, on one core, with nothing done about them.

use std::io::Write;
use std::time::Instant;

use heddle_formats::MemoryScratch;
use heddle_model::RecordBlock;
use heddle_store::open_trace;

use crate::args::BenchDecodeArgs;

pub(super) fn run(args: &BenchDecodeArgs) -> anyhow::Result<()> {
    let trace = open_trace(&args.trace)?;
    let scratch = MemoryScratch::default();
    let source = trace.source(&scratch, u64::MAX, &|_| true)?;
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
    writeln!(std::io::stdout(), "{}", serde_json::json!({ "events": events, "records": records, "seconds": seconds }))?;
    Ok(())
}
