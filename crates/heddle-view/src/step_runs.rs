//! Logical steps as pieces of work: how far ranks of programs without tasks have come.

use heddle_logical::Logical;
use heddle_model::{RegionId, TaskId, TaskInfo};
use heddle_store::{Columns as _, Store};
use heddle_tasks::{Crew, Run, Runs, Worker, node_of};

/// The communication events of a trace: a rank has completed a step when it leaves its event there.
#[derive(Debug)]
pub(crate) struct StepRuns {
    logical: Logical,
    crew: Crew,
}

impl StepRuns {
    pub(crate) fn new(store: &Store, logical: Logical) -> StepRuns {
        let locations = logical.rows.location.iter(0..logical.rows.len());
        let workers = locations.map(|location| (location, node_of(store, location).unwrap_or(0), "CPU".to_owned()));
        // Steps are all alike, whatever is called in them.
        let crew = Crew::new(vec![RegionId::NONE], workers.collect());
        StepRuns { logical, crew }
    }
}

impl Runs for StepRuns {
    fn crew(&self) -> &Crew {
        &self.crew
    }

    fn visit(&self, worker: &Worker, mut visit: impl FnMut(Run)) {
        let Some(row) = self.logical.row_of_location(worker.location) else { return };
        let events = &self.logical.events;
        (&events.enter, &events.leave).for_each(self.logical.events_of(row), |(enter, leave)| {
            let (id, iteration) = (TaskId::NONE, TaskInfo::UNKNOWN);
            visit(Run { of: 0, start: enter.0, end: leave.0, id, iteration });
        });
    }
}
