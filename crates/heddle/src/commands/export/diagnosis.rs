//! The tables of a diagnosis: who waited for whom, what work made others wait, and the critical path.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_diagnosis::rows::Rows;
use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_store::{Store, StoreError};
use heddle_view::path_stretches;

use super::Sink;
use super::tables::{Column, Exported, ids, ranks, times};
use crate::progress::is_cancelled;

/// What the tables of a diagnosis are made from.
pub(super) struct Diagnosed<'a> {
    run: &'a heddle_diagnosis::run::Run,
    /// Locations by row of the analysis.
    locations: Vec<LocationId>,
}

impl<'a> Diagnosed<'a> {
    pub(super) fn of(store: &Store, diagnosis: &'a Diagnosis) -> Diagnosed<'a> {
        Diagnosed { run: &diagnosis.run, locations: Rows::new(store).locations }
    }

    pub(super) fn waits(&self) -> u64 {
        self.run.waits.list.len() as u64
    }

    pub(super) fn delays(&self) -> u64 {
        self.run.delays.costs.len() as u64
    }
}

fn name(store: &Store, region: RegionId) -> Option<&str> {
    ((region.index() as u64) < store.regions.len()).then(|| store.regions.name.get(u64::from(region.0)))
}

fn names<'a>(store: &'a Store, regions: impl Iterator<Item = Option<RegionId>> + 'a) -> ArrayRef {
    Arc::new(regions.map(|region| region.and_then(|region| name(store, region))).collect::<StringArray>())
}

pub(super) fn waits(from: &Exported, rows: Range<u64>) -> Vec<Column> {
    let store = from.store;
    let list = from.diagnosis.map_or(&[][..], |of| &of.run.waits.list[rows.start as usize..rows.end as usize]);
    let region = |span: SpanRow| span.some().map(|span| store.spans.region.get(span.0));
    vec![
        ("rank", ranks(store, list.iter().map(|wait| wait.location))),
        ("region", names(store, list.iter().map(|wait| region(wait.span)))),
        ("kind", Arc::new(list.iter().map(|wait| Some(wait.kind().name())).collect::<StringArray>())),
        ("start_ns", times(list.iter().map(|wait| Ns(wait.enter)))),
        ("wait_ns", Arc::new(list.iter().map(|wait| Some(wait.wait)).collect::<Int64Array>())),
        ("culprit_rank", ranks(store, list.iter().map(|wait| wait.culprit))),
        ("culprit_region", names(store, list.iter().map(|wait| region(wait.culprit_span)))),
        ("location", ids(store, list.iter().map(|wait| wait.location))),
        ("culprit_location", ids(store, list.iter().map(|wait| wait.culprit))),
        ("is_capped", Arc::new(list.iter().map(|wait| Some(i64::from(wait.is_capped()))).collect::<Int64Array>())),
    ]
}

pub(super) fn delays(from: &Exported, rows: Range<u64>) -> Vec<Column> {
    let store = from.store;
    let list = from.diagnosis.map_or(&[][..], |of| &of.run.delays.costs[rows.start as usize..rows.end as usize]);
    let location =
        |row: u32| from.diagnosis.and_then(|of| of.locations.get(row as usize).copied()).unwrap_or(LocationId::NONE);
    vec![
        ("rank", ranks(store, list.iter().map(|(row, _, _)| location(*row)))),
        ("region", names(store, list.iter().map(|(_, region, _)| Some(*region)))),
        ("short_ns", Arc::new(list.iter().map(|(_, _, cost)| Some(cost.short)).collect::<Float64Array>())),
        ("long_ns", Arc::new(list.iter().map(|(_, _, cost)| Some(cost.long)).collect::<Float64Array>())),
        ("location", ids(store, list.iter().map(|(row, _, _)| location(*row)))),
    ]
}

/// The columns of the critical path.
pub(super) fn path_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("rank", DataType::UInt32, true),
        Field::new("region", DataType::Utf8, true),
        Field::new("start_ns", DataType::Int64, true),
        Field::new("end_ns", DataType::Int64, true),
        Field::new("location", DataType::UInt64, true),
    ]))
}

/// Writes the critical path, function by function, a batch at a time: rows touch, from the beginning of the run to its end.
pub(super) fn write_path(store: &Store, diagnosis: &Diagnosis, mut sink: Box<dyn Sink + '_>) -> anyhow::Result<()> {
    const ROWS: usize = 1 << 16;
    let mut batch: Vec<(LocationId, RegionId, Ns, Ns)> = Vec::new();
    let mut written = Ok(());
    for piece in &diagnosis.run.path {
        path_stretches(store, piece, |region, start, end| {
            batch.push((piece.location, region, start, end));
            if batch.len() == ROWS && written.is_ok() {
                written = path_batch(store, &batch).and_then(|rows| sink.write(&rows));
                batch.clear();
            }
        });
        if is_cancelled() {
            return Err(StoreError::Cancelled.into());
        }
        std::mem::replace(&mut written, Ok(()))?;
    }
    if !batch.is_empty() {
        sink.write(&path_batch(store, &batch)?)?;
    }
    sink.finish()
}

fn path_batch(store: &Store, rows: &[(LocationId, RegionId, Ns, Ns)]) -> anyhow::Result<RecordBatch> {
    let columns = vec![
        ranks(store, rows.iter().map(|row| row.0)),
        names(store, rows.iter().map(|row| Some(row.1))),
        times(rows.iter().map(|row| row.2)),
        times(rows.iter().map(|row| row.3)),
        ids(store, rows.iter().map(|row| row.0)),
    ];
    Ok(RecordBatch::try_new(path_schema(), columns)?)
}
