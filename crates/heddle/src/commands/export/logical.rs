//! The tables of logical time.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray, UInt32Array, UInt64Array};

use heddle_logical::tables::flags;
use heddle_logical::{Kind, Logical};

use super::tables::{Exported, ids, ranks, times};

/// Events with their steps; a run of coalesced sends is one.
pub(super) fn steps(from: &Exported, rows: Range<u64>) -> Vec<ArrayRef> {
    let Some(logical) = from.logical else { return Vec::new() };
    let (store, table) = (from.store, &logical.events);
    let locations = || rows.clone().map(|event| logical.rows.location.get(u64::from(logical.row_of(event))));
    let regions = table.span.iter(rows.clone()).map(|span| store.spans.region.get(span.0));
    let flag = |flag: u8| table.kind.iter(rows.clone()).map(move |kind| u32::from(kind & flag != 0));
    vec![
        ranks(store, locations()),
        Arc::new(regions.map(|region| Some(store.regions.name.get(u64::from(region.0)))).collect::<StringArray>()),
        Arc::new(rows.clone().map(|event| Some(kind(logical, event))).collect::<StringArray>()),
        times(table.enter.iter(rows.clone())),
        times(table.leave.iter(rows.clone())),
        Arc::new(table.phase.iter(rows.clone()).collect::<UInt32Array>()),
        Arc::new(table.step.iter(rows.clone()).collect::<UInt32Array>()),
        Arc::new(rows.clone().map(|event| logical.lateness(event)).collect::<Int64Array>()),
        Arc::new(rows.clone().map(|event| logical.phase_lateness(event)).collect::<Int64Array>()),
        Arc::new(rows.clone().map(|event| logical.aggregate_lateness(event)).collect::<Int64Array>()),
        Arc::new(rows.clone().map(|event| logical.phase_aggregate_lateness(event)).collect::<Int64Array>()),
        Arc::new(flag(flags::COALESCED).collect::<UInt32Array>()),
        Arc::new(flag(flags::UNMATCHED).collect::<UInt32Array>()),
        ids(store, locations()),
    ]
}

fn kind(logical: &Logical, event: u64) -> &'static str {
    match logical.kind(event) {
        Kind::Send => "send",
        Kind::Receive => "receive",
        Kind::Collective => "collective",
    }
}

/// Phases.
pub(super) fn phases(from: &Exported, rows: Range<u64>) -> Vec<ArrayRef> {
    let Some(logical) = from.logical else { return Vec::new() };
    let table = &logical.phases;
    vec![
        Arc::new(rows.clone().collect::<UInt64Array>()),
        Arc::new(table.first_step.iter(rows.clone()).collect::<UInt32Array>()),
        Arc::new(table.last_step.iter(rows.clone()).collect::<UInt32Array>()),
        Arc::new(table.rows.iter(rows.clone()).collect::<UInt32Array>()),
        Arc::new(table.events.iter(rows.clone()).collect::<UInt64Array>()),
        Arc::new(table.max_lateness.iter(rows.clone()).collect::<Int64Array>()),
        Arc::new(table.total_lateness.iter(rows.clone()).collect::<Int64Array>()),
        Arc::new(table.max_phase_lateness.iter(rows.clone()).collect::<Int64Array>()),
        times(table.first.iter(rows.clone())),
        times(table.last.iter(rows.clone())),
        Arc::new(rows.map(|phase| u32::from(logical.is_split(phase as u32))).collect::<UInt32Array>()),
    ]
}
