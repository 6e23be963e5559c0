//! What links, clocks and patterns say of a run.

use heddle_diagnosis::clocks::{Clocks, clocks};
use heddle_diagnosis::links::{Network, links};
use heddle_diagnosis::patterns::{Found, patterns};
use heddle_diagnosis::rows::Rows;
use heddle_diagnosis::run::Run;
use heddle_diagnosis::suspect::Suspect;
use heddle_model::Source;
use heddle_store::{NoProgress, Store};

use super::stored;

/// All of it.
pub(crate) struct Looked {
    pub(crate) suspects: Vec<Suspect>,
    pub(crate) network: Network,
    pub(crate) clocks: Clocks,
    pub(crate) patterns: Vec<Found>,
    /// What the run takes without each of the suspects.
    pub(crate) without: Vec<i64>,
    pub(crate) length: i64,
}

pub(crate) fn look(source: &dyn Source) -> Looked {
    look_at(&stored(source).1)
}

pub(crate) fn look_at(store: &Store) -> Looked {
    let (run, replay) = Run::new(store, &NoProgress).expect("a run");
    let rows = Rows::new(store);
    let linked = links(&rows, &run, &NoProgress).expect("links");
    let whole = run.efficiency(store, rows.run);
    let patterns = patterns(&rows, &run, &whole, &linked);
    let clocks = clocks(&rows, &run.waits);
    let without = linked.suspects.iter().map(|suspect| replay.without(&suspect.cuts)).collect();
    Looked { suspects: linked.suspects, network: linked.network, clocks, patterns, without, length: run.length }
}
