//! The tables of logical time.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Float64Array, Int64Array, StringArray, UInt32Array, UInt64Array};

use heddle_logical::cluster::{Member, Scope};
use heddle_logical::tables::flags;
use heddle_logical::{Kind, Logical};

use super::tables::{Column, Exported, ids, ranks, times};
use crate::progress::Unseen;

/// Events with their steps; a run of coalesced sends is one.
pub(super) fn steps(from: &Exported, rows: Range<u64>) -> Vec<Column> {
    let Some(logical) = from.logical else { return Vec::new() };
    let (store, table) = (from.store, &logical.events);
    let locations = || rows.clone().map(|event| logical.rows.location.get(u64::from(logical.row_of(event))));
    let regions = table.span.iter(rows.clone()).map(|span| store.spans.region.get(span.0));
    let flag = |flag: u8| table.kind.iter(rows.clone()).map(move |kind| u32::from(kind & flag != 0));
    vec![
        ("rank", ranks(store, locations())),
        (
            "region",
            Arc::new(regions.map(|region| Some(store.regions.name.get(u64::from(region.0)))).collect::<StringArray>()),
        ),
        ("kind", Arc::new(rows.clone().map(|event| Some(kind(logical, event))).collect::<StringArray>())),
        ("start_ns", times(table.enter.iter(rows.clone()))),
        ("end_ns", times(table.leave.iter(rows.clone()))),
        ("phase", Arc::new(table.phase.iter(rows.clone()).collect::<UInt32Array>())),
        ("step", Arc::new(table.step.iter(rows.clone()).collect::<UInt32Array>())),
        ("lateness_ns", Arc::new(rows.clone().map(|event| logical.lateness(event)).collect::<Int64Array>())),
        (
            "phase_lateness_ns",
            Arc::new(rows.clone().map(|event| logical.phase_lateness(event)).collect::<Int64Array>()),
        ),
        (
            "aggregate_lateness_ns",
            Arc::new(rows.clone().map(|event| logical.aggregate_lateness(event)).collect::<Int64Array>()),
        ),
        (
            "phase_aggregate_lateness_ns",
            Arc::new(rows.clone().map(|event| logical.phase_aggregate_lateness(event)).collect::<Int64Array>()),
        ),
        ("coalesced", Arc::new(flag(flags::COALESCED).collect::<UInt32Array>())),
        ("unmatched", Arc::new(flag(flags::UNMATCHED).collect::<UInt32Array>())),
        ("location", ids(store, locations())),
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
pub(super) fn phases(from: &Exported, rows: Range<u64>) -> Vec<Column> {
    let Some(logical) = from.logical else { return Vec::new() };
    let table = &logical.phases;
    vec![
        ("phase", Arc::new(rows.clone().collect::<UInt64Array>())),
        ("first_step", Arc::new(table.first_step.iter(rows.clone()).collect::<UInt32Array>())),
        ("last_step", Arc::new(table.last_step.iter(rows.clone()).collect::<UInt32Array>())),
        ("ranks", Arc::new(table.rows.iter(rows.clone()).collect::<UInt32Array>())),
        ("events", Arc::new(table.events.iter(rows.clone()).collect::<UInt64Array>())),
        ("max_lateness_ns", Arc::new(table.max_lateness.iter(rows.clone()).collect::<Int64Array>())),
        ("total_lateness_ns", Arc::new(table.total_lateness.iter(rows.clone()).collect::<Int64Array>())),
        ("max_phase_lateness_ns", Arc::new(table.max_phase_lateness.iter(rows.clone()).collect::<Int64Array>())),
        ("start_ns", times(table.first.iter(rows.clone()))),
        ("end_ns", times(table.last.iter(rows.clone()))),
        ("is_split", Arc::new(rows.map(|phase| u32::from(logical.is_split(phase as u32))).collect::<UInt32Array>())),
    ]
}

/// Ranks with their clusters: of every phase, or of the scope that was chosen.
pub(super) fn clusters(from: &Exported, rows: Range<u64>) -> Vec<Column> {
    let (Some(logical), Some(list)) = (from.logical, from.clusters) else { return Vec::new() };
    // It fails only when the user stops it, and then nobody writes what there is not.
    let members = list.get(rows, &Unseen).unwrap_or_default();
    let scope = |member: &Member| match &member.scope {
        Scope::Phase(_) => "phase",
        scope if scope.is_run(logical) => "run",
        Scope::Steps(_) => "steps",
    };
    let phase = |member: &Member| if let Scope::Phase(phase) = member.scope { Some(phase) } else { None };
    let of_rows = |row: fn(&Member) -> u32| {
        ranks(from.store, members.iter().map(|member| logical.rows.location.get(u64::from(row(member)))))
    };
    let height = |member: &Member| member.height.filter(|height| height.is_finite());
    vec![
        ("scope", Arc::new(members.iter().map(|member| Some(scope(member))).collect::<StringArray>())),
        ("phase", Arc::new(members.iter().map(phase).collect::<UInt32Array>())),
        ("rank", of_rows(|member| member.row)),
        ("cluster", Arc::new(members.iter().map(|member| member.cluster).collect::<UInt32Array>())),
        ("medoid_rank", of_rows(|member| member.medoid)),
        ("height", Arc::new(members.iter().map(height).collect::<Float64Array>())),
    ]
}
