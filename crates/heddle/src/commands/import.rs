//! `heddle import`: builds the store.

use std::io::Write;
use std::time::Instant;

use heddle_logical::extract::memory_needed;
use heddle_logical::{Logical, LogicalOptions, Memory};
use heddle_store::{StoreError, StorePlace};

use super::{import_options, use_threads};
use crate::args::ImportArgs;
use crate::progress::TerminalProgress;
use crate::stage_times::StageTimes;
use crate::text::{grouped, harmless_json, write_path};

pub(super) fn run(args: &ImportArgs) -> anyhow::Result<()> {
    use_threads(&args.store.machine)?;
    let mut options = import_options(&args.store);
    options.force = args.force;
    if let Some(output) = &args.output {
        options.place = StorePlace::Exactly(output.clone());
    }
    let start = Instant::now();
    let terminal = TerminalProgress::new();
    let progress = StageTimes::new(&terminal);
    let imported = heddle_store::import_all(&args.traces, &options, &progress)?;
    // What the page and most figures ask for first. A trace too large for the memory given waits until it is asked for.
    if memory_needed(&imported.store) <= options.memory {
        let memory = Memory::AtMost(options.memory);
        match Logical::open_with(&imported.store, &LogicalOptions::default(), memory, &progress) {
            Ok(_) | Err(StoreError::Memory(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let stages = progress.stages();
    drop(progress);
    drop(terminal);
    let seconds = start.elapsed().as_secs_f64();
    let (summary, store) = (imported.store.summary(), imported.store.path());
    if args.json {
        let result = serde_json::json!({
            "store": store.to_string_lossy(),
            "reused": imported.reused,
            "seconds": seconds,
            "stages": stages,
            "events": summary.events,
            "spans": summary.spans,
            "messages": summary.messages,
        });
        return Ok(writeln!(std::io::stdout(), "{}", harmless_json(&result.to_string()))?);
    }
    if imported.reused {
        eprintln!("the store is up to date; --force rebuilds it");
    } else if let Some(network) = imported.store.network().filter(|_| summary.events == 0) {
        eprintln!(
            "a measured network in {seconds:.1} s: {} nodes, {} links, {} sections, {} values",
            grouped(network.nodes.len()),
            grouped(network.links.len()),
            grouped(network.sections.len()),
            grouped(network.values.len()),
        );
    } else {
        eprintln!(
            "{} events in {seconds:.1} s ({} per second): {} spans, {} messages",
            grouped(summary.events),
            grouped((summary.events as f64 / seconds) as u64),
            grouped(summary.spans),
            grouped(summary.messages),
        );
    }
    let warnings = imported.store.warnings();
    if !warnings.is_empty() {
        eprintln!("{} kinds of warning; `heddle info` lists them", warnings.len());
    }
    Ok(write_path(&mut std::io::stdout(), store)?)
}
