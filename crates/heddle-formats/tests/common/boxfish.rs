//! Boxfish runs out of memory.

// Every test file is a crate of its own and uses some of this.
#![allow(dead_code)]

use heddle_formats::boxfish::{Run, open};
use heddle_formats::{MemoryFiles, OpenError};
use heddle_model::{Counted, MeasuredNetwork, Source, Tally, Warning, WarningKind};
use heddle_testkit::with_input;

/// Files by name.
pub(crate) fn files<'a>(all: impl IntoIterator<Item = (&'a str, &'a str)>) -> MemoryFiles {
    let files = MemoryFiles::default();
    for (name, text) in all {
        files.insert(name, text.as_bytes().to_vec());
    }
    files
}

pub(crate) fn read(files: &MemoryFiles, meta: &str) -> Result<Run, OpenError> {
    with_input(files, &[meta], 1 << 30, open)
}

/// All tallies of a counter, summed over sections: by entity.
pub(crate) fn totals(network: &MeasuredNetwork, of: Counted, name: &str) -> Vec<Option<Tally>> {
    let counter = network.counters.iter().position(|counter| counter.of == of && counter.name == name).unwrap() as u32;
    let entities = match of {
        Counted::Links => network.links.len(),
        Counted::Nodes => network.nodes.len(),
    };
    let mut totals: Vec<Option<Tally>> = vec![None; entities];
    for tally in network.tallies.iter().filter(|tally| tally.counter == counter) {
        match &mut totals[tally.entity as usize] {
            Some(total) => total.add(tally),
            total => *total = Some(*tally),
        }
    }
    totals
}

/// Warnings of a kind.
pub(crate) fn warned(run: &Run, kind: WarningKind) -> Vec<Warning> {
    run.warnings().to_vec().into_iter().filter(|warning| warning.kind == kind).collect()
}
