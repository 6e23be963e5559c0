//! What is looked at in a program of tasks: workers by node, and the messages between nodes.

use std::ops::Range;

use heddle_model::LocationId;
use heddle_store::{Progress, Store, StoreError};
use heddle_tasks::{Crew, Runs as _, TaskRuns, node_of};

/// No node.
const NO_NODE: u32 = u32::MAX;

/// A program of tasks.
pub(crate) struct Scene<'a> {
    pub(crate) store: &'a Store,
    pub(crate) runs: TaskRuns<'a>,
    /// By worker of the crew: its rows of the tasks table.
    pub(crate) rows: Vec<Range<u64>>,
    /// Who sends: the position of its node, and its rows of the messages table.
    pub(crate) senders: Vec<(u32, Range<u64>)>,
    /// By location: the position of its node.
    node_of: Vec<u32>,
}

impl<'a> Scene<'a> {
    /// The scene of a trace that has tasks.
    pub(crate) fn new(store: &'a Store, progress: &dyn Progress) -> Result<Scene<'a>, StoreError> {
        let runs = TaskRuns::new(store, false, progress)?;
        let crew = runs.crew();
        let locations = store.locations.len() as usize;
        let place = |rank: u32| crew.nodes.binary_search(&rank).map_or(NO_NODE, |node| node as u32);
        let all = (0..locations as u32).map(LocationId);
        let mut node_of: Vec<u32> = all.map(|at| node_of(store, at).map_or(NO_NODE, place)).collect();
        for worker in &crew.workers {
            node_of[worker.location.index()] = worker.node;
        }
        let rows = crew.workers.iter().map(|worker| task_rows(store, worker.location)).collect();
        let mut senders = Vec::new();
        let (messages, mut at) = (&store.messages, 0);
        while at < messages.len() {
            let sender = messages.send_location.get(at);
            let end = messages.send_location.partition_point(at..messages.len(), |other| other <= sender);
            if let Some(node) = node_of.get(sender.index()).filter(|node| **node != NO_NODE) {
                senders.push((*node, at..end));
            }
            at = end.max(at + 1);
        }
        Ok(Scene { store, runs, rows, senders, node_of })
    }

    /// Who works where.
    pub(crate) fn crew(&self) -> &Crew {
        self.runs.crew()
    }

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> usize {
        self.crew().nodes.len()
    }

    /// The position of a location's node.
    pub(crate) fn node(&self, location: LocationId) -> Option<u32> {
        self.node_of.get(location.index()).copied().filter(|node| *node != NO_NODE)
    }
}

/// The rows of a location in the tasks table.
fn task_rows(store: &Store, location: LocationId) -> Range<u64> {
    let spans = store.spans_of(location);
    let at = |span: u64| store.tasks.span.partition_point(0..store.tasks.len(), |row| row.0 < span);
    at(spans.start)..at(spans.end)
}
