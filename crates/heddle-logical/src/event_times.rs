//! What the metrics of an event follow from, read event by event or, in order, for whole rows.
//!
//! Everything here is a difference to what its peers have: the events of the same step, or those of the same step and phase,
//! which share a cell.

use std::ops::Range;

use heddle_model::Ns;
use heddle_store::Columns;

use crate::Logical;

/// An event's times, and whom they are compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventTimes {
    pub(crate) step: u32,
    pub(crate) phase: u32,
    pub(crate) enter: Ns,
    pub(crate) leave: Ns,
    /// When the event before it on its row was left.
    pub(crate) before: Option<Ns>,
}

impl EventTimes {
    #[inline]
    pub(crate) fn lateness(&self, logical: &Logical) -> i64 {
        self.leave.since(logical.steps.least_leave.get(u64::from(self.step)))
    }

    #[inline]
    pub(crate) fn phase_lateness(&self, logical: &Logical) -> i64 {
        self.leave.since(logical.phase_steps.least_leave.get(self.cell(logical)))
    }

    #[inline]
    pub(crate) fn aggregate_lateness(&self, logical: &Logical) -> i64 {
        self.enter.since(logical.steps.first_enter.get(u64::from(self.step)))
    }

    #[inline]
    pub(crate) fn phase_aggregate_lateness(&self, logical: &Logical) -> i64 {
        self.enter.since(logical.phase_steps.least_enter.get(self.cell(logical)))
    }

    #[inline]
    pub(crate) fn duration(&self, logical: &Logical) -> i64 {
        let (cell, cells) = (self.cell(logical), &logical.phase_steps);
        let shortest = cells.shortest_leave.get(cell).since(cells.least_enter.get(cell));
        self.leave.since(self.enter).wrapping_sub(shortest)
    }

    #[inline]
    pub(crate) fn gap(&self, logical: &Logical) -> i64 {
        self.gap_before().wrapping_sub(logical.phase_steps.least_gap.get(self.cell(logical)))
    }

    #[inline]
    pub(crate) fn gap_before(&self) -> i64 {
        self.before.map_or(0, |before| self.enter.since(before).max(0))
    }

    /// Where its phase and step stand among the steps of phases.
    #[inline]
    fn cell(&self, logical: &Logical) -> u64 {
        let (phase, phases) = (u64::from(self.phase), &logical.phases);
        // Of a damaged result it may be nowhere.
        let first_step = u64::from(phases.first_step.get(phase));
        phases.first_cell.get(phase).wrapping_add(u64::from(self.step)).wrapping_sub(first_step)
    }
}

impl Logical {
    /// The times of an event, but for when the one before it was left: that takes a search.
    #[inline]
    pub(crate) fn times(&self, event: u64) -> EventTimes {
        EventTimes {
            step: self.events.step.get(event),
            phase: self.events.phase.get(event),
            enter: self.events.enter.get(event),
            leave: self.events.leave.get(event),
            before: None,
        }
    }

    /// The times of an event, with when the one before it was left.
    pub(crate) fn times_since(&self, event: u64) -> EventTimes {
        let before = self.left_before(self.row_of(event), event);
        EventTimes { before, ..self.times(event) }
    }

    /// Visits some events of a row in order.
    #[inline]
    pub(crate) fn for_each_event(&self, row: u32, events: Range<u64>, mut visit: impl FnMut(EventTimes)) {
        let table = &self.events;
        let mut before = self.left_before(row, events.start);
        let columns = (&table.step, &table.phase, &table.enter, &table.leave);
        columns.for_each(events, |(step, phase, enter, leave)| {
            visit(EventTimes { step, phase, enter, leave, before });
            before = Some(leave);
        });
    }

    /// When the event before an event of a row was left.
    fn left_before(&self, row: u32, event: u64) -> Option<Ns> {
        (self.events_of(row).start < event).then(|| self.events.leave.get(event - 1))
    }
}
