//! The tables of a result: what is kept of logical time in `derived/logical-HASH/`.
//!
//! Changing a column changes the format: raise [`FORMAT`] with it.

use heddle_model::{LocationId, Ns, SpanRow};
use heddle_store::table;

use crate::Kind;

/// Number of this layout, and of what is computed. Results of another are made again.
pub(crate) const FORMAT: u32 = 2;

/// What else there is to know of an event; beside its kind, in the upper bits.
pub mod flags {
    /// Bits of the kind itself.
    pub const KIND: u8 = 3;
    /// A run of non-blocking sends.
    pub const COALESCED: u8 = 4;
    /// Has several messages.
    pub const SEVERAL: u8 = 8;
    /// The other end of one of its messages is missing.
    pub const UNMATCHED: u8 = 16;
    /// Other events belong to the same call.
    pub const SPLIT: u8 = 32;
}

/// The kind of an event, out of its column.
pub fn kind_of(cell: u8) -> Kind {
    match cell & flags::KIND {
        0 => Kind::Send,
        1 => Kind::Receive,
        _ => Kind::Collective,
    }
}

/// Collectives of the phase were taken apart, as their order contradicts itself.
pub const PHASE_IS_SPLIT: u8 = 1;

table! {
    /// Communication events, by row, then in the order of the program.
    EventRows, EventTable = "events" packed {
        /// The call; of several the first.
        span: SpanRow => "span",
        /// When it was entered.
        enter: Ns => "enter_ns",
        /// When it was left, of several the last.
        leave: Ns => "leave_ns" - enter,
        /// What it does, and [`flags`].
        kind: u8 => "kind",
        /// Its phase.
        phase: u32 => "phase",
        /// Its step.
        step: u32 => "step",
    }
}

table! {
    /// Rows: one for each rank.
    RowRows, RowTable = "rows" packed {
        /// Whose events these are.
        location: LocationId => "location",
        /// The first of them.
        first_event: u64 => "first_event",
    }
}

table! {
    /// Steps.
    StepRows, StepTable = "steps" packed {
        /// When the first of its events was entered: what lateness of aggregates is measured from.
        first_enter: Ns => "first_enter_ns",
        /// When the last of its events was left.
        last_leave: Ns => "last_leave_ns" - first_enter,
        /// When the first of its events was left: what lateness is measured from.
        least_leave: Ns => "least_leave_ns" - first_enter,
        /// How many events it has.
        events: u32 => "events",
    }
}

table! {
    /// What the events of each phase have in each of its steps, phase by phase, step by step.
    PhaseStepRows, PhaseStepTable = "phase_steps" packed {
        /// When the first of them was left.
        least_leave: Ns => "least_leave_ns",
        /// When the first of them was entered.
        least_enter: Ns => "least_enter_ns" - least_leave,
        /// When the shortest of them would have been left, entered with the first: of a single event, when it was left.
        shortest_leave: Ns => "shortest_leave_ns" - least_leave,
        /// The shortest time since the event before it on its row.
        least_gap: i64 => "least_gap_ns",
    }
}

table! {
    /// Phases, by their first step.
    PhaseRows, PhaseTable = "phases" packed {
        /// Its first step.
        first_step: u32 => "first_step",
        /// Its last step.
        last_step: u32 => "last_step" - first_step,
        /// Its first row in the table of steps of phases.
        first_cell: u64 => "first_cell",
        /// When its first event was entered.
        first: Ns => "first_ns",
        /// When its last event was left.
        last: Ns => "last_ns" - first,
        /// On how many rows it has events.
        rows: u32 => "rows",
        /// How many events it has.
        events: u64 => "events",
        /// The largest lateness of its events.
        max_lateness: i64 => "max_lateness_ns",
        /// The sum of the lateness of its events; it wraps around.
        total_lateness: i64 => "total_lateness_ns" - max_lateness,
        /// The largest phase lateness of its events.
        max_phase_lateness: i64 => "max_phase_lateness_ns",
        /// What is odd, as bits.
        flags: u8 => "flags",
    }
}

table! {
    /// What a user should know.
    HintRows, HintTable = "hints" {
        /// In words.
        text: String => "text",
    }
}
