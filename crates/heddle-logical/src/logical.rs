//! The result, mapped: phases, steps and what lateness is measured from.

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use heddle_model::{LocationId, Ns, SpanRow};
use heddle_store::table::require;
use heddle_store::{Derived, Progress, Store, StoreError};

use crate::build::{Memory, build};
use crate::extract::Regions;
use crate::step_map::StepMap;
use crate::tables::{
    EventRows, EventTable, FORMAT, HintTable, PHASE_IS_SPLIT, PhaseRows, PhaseStepTable, PhaseTable, RowRows, RowTable,
    StepRows, StepTable, flags, kind_of,
};
use crate::{Kind, LogicalOptions};

/// Logical time of a trace. Opening maps it and touches hardly anything.
#[derive(Debug)]
pub struct Logical {
    options: LogicalOptions,
    place: Derived,
    /// Communication events.
    pub events: EventTable,
    /// Whose they are.
    pub rows: RowTable,
    /// Steps.
    pub steps: StepTable,
    /// Steps of phases.
    pub phase_steps: PhaseStepTable,
    /// Phases.
    pub phases: PhaseTable,
    hints: Vec<String>,
    /// Location and row, by location.
    row_of_location: Vec<(LocationId, u32)>,
    step_map: StepMap,
    /// What functions mean, for ends of messages that lie in no call.
    regions: OnceLock<Regions>,
}

struct Tables {
    events: EventTable,
    rows: RowTable,
    steps: StepTable,
    phase_steps: PhaseStepTable,
    phases: PhaseTable,
    hints: HintTable,
}

impl Tables {
    /// Of a store; what leads out of its tables is refused, or counts as damage once it is read.
    fn open(store: &Store, path: &Path) -> Result<Tables, StoreError> {
        let mut tables = Tables {
            events: EventTable::open(path)?,
            rows: RowTable::open(path)?,
            steps: StepTable::open(path)?,
            phase_steps: PhaseStepTable::open(path)?,
            phases: PhaseTable::open(path)?,
            hints: HintTable::open(path)?,
        };
        let Tables { events, rows, steps, phase_steps, phases, .. } = &mut tables;
        let fits = events.span.must_be_below(store.spans.len())
            && events.enter.must_be_times()
            && events.leave.must_be_later_times()
            && events.phase.must_be_below(phases.len())
            && events.step.must_be_below(steps.len());
        require::<EventRows>(path, fits)?;
        let fits = rows.location.must_be_below(store.locations.len())
            && rows.first_event.must_be_below(events.len() + 1)
            && rows.len() <= store.locations.len();
        require::<RowRows>(path, fits)?;
        let fits = steps.first_enter.must_be_times()
            && steps.last_leave.must_be_times()
            && steps.least_leave.must_be_times()
            && steps.len() <= events.len();
        require::<StepRows>(path, fits)?;
        let fits = phases.first_step.must_be_below(steps.len())
            && phases.last_step.must_be_below(steps.len())
            && phases.first_cell.must_be_below(phase_steps.len())
            && phases.first.must_be_times()
            && phases.last.must_be_times()
            && phases.len() <= events.len();
        require::<PhaseRows>(path, fits)?;
        Ok(tables)
    }
}

impl Logical {
    /// What the place of a result is named after.
    const KIND: &'static str = "logical";

    /// The result with these options, if it is there.
    pub fn find(store: &Store, options: &LogicalOptions) -> Result<Option<Logical>, StoreError> {
        let Some(place) = Derived::existing(store, Logical::KIND, &key(options)) else { return Ok(None) };
        Ok(place.find(|path| Tables::open(store, path)).map(|tables| Logical::new(place, options, tables)))
    }

    /// The result with these options; computed if it is not there. That takes a quarter of the machine's memory, or more
    /// where a phase does not fit.
    pub fn open(store: &Store, options: &LogicalOptions, progress: &dyn Progress) -> Result<Logical, StoreError> {
        Logical::open_with(store, options, Memory::About(store.memory()), progress)
    }

    /// The same; computed with as much memory.
    pub fn open_with(
        store: &Store,
        options: &LogicalOptions,
        memory: Memory,
        progress: &dyn Progress,
    ) -> Result<Logical, StoreError> {
        let place = Derived::place(store, Logical::KIND, &key(options));
        let open = |path: &Path| Tables::open(store, path);
        let tables =
            place.open_or_make(progress, open, |directory| build(store, options, memory, directory, progress))?;
        Ok(Logical::new(place, options, tables))
    }

    fn new(place: Derived, options: &LogicalOptions, tables: Tables) -> Logical {
        let Tables { events, rows, steps, phase_steps, phases, hints } = tables;
        let mut row_of_location: Vec<(LocationId, u32)> = rows.location.iter(0..rows.len()).zip(0..).collect();
        row_of_location.sort_unstable();
        let hints = (0..hints.len()).map(|row| hints.text.get(row).to_owned()).collect();
        let step_map = StepMap::of(&steps);
        let options = options.clone();
        Logical {
            options,
            place,
            events,
            rows,
            steps,
            phase_steps,
            phases,
            hints,
            row_of_location,
            step_map,
            regions: OnceLock::new(),
        }
    }

    /// What decided it.
    pub fn options(&self) -> &LogicalOptions {
        &self.options
    }

    /// Where it is kept: what belongs to it may be kept there too.
    pub fn place(&self) -> &Derived {
        &self.place
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// What a user should know.
    pub fn hints(&self) -> &[String] {
        &self.hints
    }

    /// Between steps and time.
    pub fn step_map(&self) -> &StepMap {
        &self.step_map
    }

    /// The call that an end of a message or collective belongs to: its own, or else one that it touches.
    pub(crate) fn call(&self, store: &Store, span: SpanRow, (location, time): (LocationId, Ns)) -> Option<SpanRow> {
        let regions = || self.regions.get_or_init(|| Regions::of(store, None));
        if span.is_some() { Some(span) } else { regions().touching(store, location, time).map(SpanRow) }
    }

    /// The events of a row.
    pub fn events_of(&self, row: u32) -> Range<u64> {
        let row = u64::from(row);
        if row >= self.rows.len() {
            return 0..0;
        }
        let next = if row + 1 < self.rows.len() { self.rows.first_event.get(row + 1) } else { self.events.len() };
        self.rows.first_event.get(row).min(next)..next
    }

    /// The row of an event.
    pub fn row_of(&self, event: u64) -> u32 {
        // Rows without events begin where the next one does: the last that begins here has it.
        let after = self.rows.first_event.partition_point(0..self.rows.len(), |first| first <= event);
        after.saturating_sub(1) as u32
    }

    /// The row of a location.
    pub fn row_of_location(&self, location: LocationId) -> Option<u32> {
        let at = self.row_of_location.binary_search_by_key(&location, |(other, _)| *other).ok()?;
        Some(self.row_of_location[at].1)
    }

    /// The event of a row in a step: at most one.
    pub fn event_at(&self, row: u32, step: u32) -> Option<u64> {
        let events = self.events_of(row);
        let at = self.events.step.partition_point(events.clone(), |other| other < step);
        (at < events.end && self.events.step.get(at) == step).then_some(at)
    }

    /// The events of a row in some steps.
    pub fn events_in(&self, row: u32, steps: Range<u32>) -> Range<u64> {
        let mut events = self.events_of(row);
        // Often all steps are asked for, of many rows: then there is nothing to search.
        if steps.start > 0 {
            events.start = self.events.step.partition_point(events.clone(), |step| step < steps.start);
        }
        if u64::from(steps.end) < self.steps.len() {
            events.end = self.events.step.partition_point(events.clone(), |step| step < steps.end);
        }
        events
    }

    /// The events at a call: usually one; none for calls that do not communicate.
    pub fn events_of_span(&self, store: &Store, span: SpanRow) -> Range<u64> {
        let Some(row) = self.row_of_location(store.locations.of_span(span)) else { return 0..0 };
        let events = self.events_of(row);
        let end = self.events.span.partition_point(events.clone(), |other| other <= span);
        let first = self.events.span.partition_point(events.start..end, |other| other < span);
        if first < end {
            return first..end;
        }
        // A later part of a run of sends is an event together with the first.
        let is_part = end > events.start
            && self.events.kind.get(end - 1) & flags::COALESCED != 0
            && store.spans.end.get(span.0) <= self.events.leave.get(end - 1)
            && self.is_isend_of(store, end - 1, span);
        if is_part { end - 1..end } else { end..end }
    }

    /// Whether a call has the depth of the calls of a run of sends: calls inside of them are not part of it.
    fn is_isend_of(&self, store: &Store, event: u64, span: SpanRow) -> bool {
        store.spans.depth.get(span.0) == store.spans.depth.get(self.events.span.get(event).0)
    }

    /// What an event does.
    pub fn kind(&self, event: u64) -> Kind {
        kind_of(self.events.kind.get(event))
    }

    /// Whether collectives of a phase had to be taken apart.
    pub fn is_split(&self, phase: u32) -> bool {
        self.phases.flags.get(u64::from(phase)) & PHASE_IS_SPLIT != 0
    }

    /// How much later than the first of its step an event ends.
    pub fn lateness(&self, event: u64) -> i64 {
        self.times(event).lateness(self)
    }

    /// How much later than the first of its step and phase an event ends.
    pub fn phase_lateness(&self, event: u64) -> i64 {
        self.times(event).phase_lateness(self)
    }

    /// How much later than the first of its step the aggregate before an event ends.
    pub fn aggregate_lateness(&self, event: u64) -> i64 {
        self.times(event).aggregate_lateness(self)
    }

    /// How much later than the first of its step and phase the aggregate before an event ends.
    pub fn phase_aggregate_lateness(&self, event: u64) -> i64 {
        self.times(event).phase_aggregate_lateness(self)
    }

    /// How much longer than the shortest of its step and phase an event takes.
    pub fn duration(&self, event: u64) -> i64 {
        self.times(event).duration(self)
    }

    /// How much longer than the shortest of its step and phase the aggregate before an event takes.
    pub fn gap(&self, event: u64) -> i64 {
        self.times_since(event).gap(self)
    }

    /// The time since the event before it on its row; 0 for the first, and for events at one call.
    pub fn gap_before(&self, event: u64) -> i64 {
        self.times_since(event).gap_before()
    }
}

/// What decides a result, in words.
fn key(options: &LogicalOptions) -> String {
    format!("logical {FORMAT} {}", options.to_query())
}
