//! The tables of the command line's contract, made from the store's.
//!
//! Leading columns and their names are fixed; further ones may follow. Locations go by their id in the
//! trace, ranks are those of the world, regions and operations go by name.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use heddle_logical::Logical;
use heddle_model::{LocationId, Rank};
use heddle_store::Store;

use crate::args::Table;

/// How to make one table.
pub(super) struct ExportTable {
    pub(super) schema: SchemaRef,
    /// How many rows there will be.
    pub(super) rows: CountRows,
    /// The columns of some of the rows.
    pub(super) columns: MakeColumns,
}

/// What tables are made from.
#[derive(Clone, Copy)]
pub(super) struct Exported<'a> {
    pub(super) store: &'a Store,
    /// Logical time, for the tables of it.
    pub(super) logical: Option<&'a Logical>,
}

type CountRows = fn(&Exported) -> u64;
type MakeColumns = fn(&Exported, Range<u64>) -> Vec<ArrayRef>;

pub(super) fn table(table: Table) -> ExportTable {
    use DataType::{Float64, Int64, UInt32, UInt64, Utf8};
    let (fields, rows, columns): (&[(&str, DataType)], CountRows, MakeColumns) = match table {
        Table::Spans => (
            &[
                ("location", UInt64),
                ("rank", UInt32),
                ("region", Utf8),
                ("start_ns", Int64),
                ("end_ns", Int64),
                ("depth", UInt32),
            ],
            |from| from.store.spans.len(),
            spans,
        ),
        Table::Messages => (
            &[
                ("send_rank", UInt32),
                ("recv_rank", UInt32),
                ("send_ns", Int64),
                ("recv_ns", Int64),
                ("bytes", UInt64),
                ("tag", UInt32),
                ("comm", UInt32),
                ("send_location", UInt64),
                ("recv_location", UInt64),
                ("recv_posted_ns", Int64),
                ("send_completed_ns", Int64),
            ],
            |from| from.store.messages.len(),
            messages,
        ),
        Table::Collectives => (
            &[
                ("id", UInt64),
                ("comm", UInt32),
                ("op", Utf8),
                ("root", UInt32),
                ("rank", UInt32),
                ("start_ns", Int64),
                ("end_ns", Int64),
                ("location", UInt64),
                ("bytes_sent", UInt64),
                ("bytes_received", UInt64),
            ],
            |from| from.store.collective_members.len(),
            collectives,
        ),
        Table::Marks => (
            &[("location", UInt64), ("rank", UInt32), ("time_ns", Int64), ("name", Utf8), ("text", Utf8)],
            |from| from.store.marks.len(),
            marks,
        ),
        Table::Metrics => (
            &[("location", UInt64), ("rank", UInt32), ("metric", Utf8), ("time_ns", Int64), ("value", Float64)],
            |from| from.store.metric_values.len(),
            metrics,
        ),
        Table::Steps => (
            &[
                ("rank", UInt32),
                ("region", Utf8),
                ("kind", Utf8),
                ("start_ns", Int64),
                ("end_ns", Int64),
                ("phase", UInt32),
                ("step", UInt32),
                ("lateness_ns", Int64),
                ("phase_lateness_ns", Int64),
                ("aggregate_lateness_ns", Int64),
                ("phase_aggregate_lateness_ns", Int64),
                ("coalesced", UInt32),
                ("unmatched", UInt32),
                ("location", UInt64),
            ],
            |from| from.logical.map_or(0, |logical| logical.events.len()),
            super::logical::steps,
        ),
        Table::Phases => (
            &[
                ("phase", UInt64),
                ("first_step", UInt32),
                ("last_step", UInt32),
                ("ranks", UInt32),
                ("events", UInt64),
                ("max_lateness_ns", Int64),
                ("total_lateness_ns", Int64),
                ("max_phase_lateness_ns", Int64),
                ("start_ns", Int64),
                ("end_ns", Int64),
                ("is_split", UInt32),
            ],
            |from| from.logical.map_or(0, |logical| logical.phases.len()),
            super::logical::phases,
        ),
    };
    let fields: Vec<Field> = fields.iter().map(|(name, kind)| Field::new(*name, kind.clone(), true)).collect();
    ExportTable { schema: Arc::new(Schema::new(fields)), rows, columns }
}

fn file_id(store: &Store, location: LocationId) -> Option<u64> {
    location.some().map(|location| store.locations.file_id.get(u64::from(location.0)))
}

fn rank(store: &Store, location: LocationId) -> Option<u32> {
    location.some().and_then(|location| store.locations.rank.get(u64::from(location.0)).some()).map(|Rank(rank)| rank)
}

pub(super) fn ids(store: &Store, locations: impl Iterator<Item = LocationId>) -> ArrayRef {
    Arc::new(locations.map(|location| file_id(store, location)).collect::<UInt64Array>())
}

pub(super) fn ranks(store: &Store, locations: impl Iterator<Item = LocationId>) -> ArrayRef {
    Arc::new(locations.map(|location| rank(store, location)).collect::<UInt32Array>())
}

pub(super) fn times(times: impl Iterator<Item = heddle_model::Ns>) -> ArrayRef {
    Arc::new(times.map(|time| time.is_some().then_some(time.0)).collect::<Int64Array>())
}

fn spans(from: &Exported, rows: Range<u64>) -> Vec<ArrayRef> {
    let store = from.store;
    let table = &store.spans;
    // A span's location is not stored: it is the one whose stretch of rows it lies in.
    let mut location =
        store.locations.first_span.partition_point(0..store.locations.len(), |first| first <= rows.start);
    location = location.saturating_sub(1);
    let mut locations = Vec::with_capacity((rows.end - rows.start) as usize);
    for row in rows.clone() {
        while store.spans_of(LocationId(location as u32)).end <= row {
            location += 1;
        }
        locations.push(LocationId(location as u32));
    }
    let names = table.region.iter(rows.clone()).map(|region| Some(store.regions.name.get(u64::from(region.0))));
    vec![
        ids(store, locations.iter().copied()),
        ranks(store, locations.iter().copied()),
        Arc::new(names.collect::<StringArray>()),
        times(table.start.iter(rows.clone())),
        times(table.end.iter(rows.clone())),
        Arc::new(table.depth.iter(rows).map(u32::from).collect::<UInt32Array>()),
    ]
}

fn messages(from: &Exported, rows: Range<u64>) -> Vec<ArrayRef> {
    let store = from.store;
    let table = &store.messages;
    vec![
        ranks(store, table.send_location.iter(rows.clone())),
        ranks(store, table.recv_location.iter(rows.clone())),
        times(table.send.iter(rows.clone())),
        times(table.recv.iter(rows.clone())),
        Arc::new(table.bytes.iter(rows.clone()).collect::<UInt64Array>()),
        Arc::new(table.tag.iter(rows.clone()).collect::<UInt32Array>()),
        Arc::new(table.comm.iter(rows.clone()).map(|comm| comm.0).collect::<UInt32Array>()),
        ids(store, table.send_location.iter(rows.clone())),
        ids(store, table.recv_location.iter(rows.clone())),
        times(table.posted.iter(rows.clone())),
        times(table.completed.iter(rows)),
    ]
}

fn collectives(from: &Exported, rows: Range<u64>) -> Vec<ArrayRef> {
    let store = from.store;
    let (table, members) = (&store.collectives, &store.collective_members);
    let mut collective =
        table.first_member.partition_point(0..table.len(), |first| first <= rows.start).saturating_sub(1);
    let mut of_row = Vec::with_capacity((rows.end - rows.start) as usize);
    for row in rows.clone() {
        while table.first_member.get(collective) + u64::from(table.members.get(collective)) <= row {
            collective += 1;
        }
        of_row.push(collective);
    }
    let each = || of_row.iter().copied();
    vec![
        Arc::new(each().collect::<UInt64Array>()),
        Arc::new(each().map(|id| table.comm.get(id).0).collect::<UInt32Array>()),
        Arc::new(each().map(|id| Some(table.op.get(id).name())).collect::<StringArray>()),
        ranks(store, each().map(|id| table.root.get(id))),
        ranks(store, members.location.iter(rows.clone())),
        times(members.start.iter(rows.clone())),
        times(members.end.iter(rows.clone())),
        ids(store, members.location.iter(rows.clone())),
        Arc::new(members.sent.iter(rows.clone()).collect::<UInt64Array>()),
        Arc::new(members.received.iter(rows).collect::<UInt64Array>()),
    ]
}

fn marks(from: &Exported, rows: Range<u64>) -> Vec<ArrayRef> {
    let store = from.store;
    let table = &store.marks;
    vec![
        ids(store, table.location.iter(rows.clone())),
        ranks(store, table.location.iter(rows.clone())),
        times(table.time.iter(rows.clone())),
        Arc::new(rows.clone().map(|row| Some(table.name.get(row))).collect::<StringArray>()),
        Arc::new(rows.map(|row| Some(table.text.get(row))).collect::<StringArray>()),
    ]
}

fn metrics(from: &Exported, rows: Range<u64>) -> Vec<ArrayRef> {
    let store = from.store;
    let table = &store.metric_values;
    let names = table.metric.iter(rows.clone()).map(|metric| Some(store.metrics.name.get(u64::from(metric.0))));
    vec![
        ids(store, table.location.iter(rows.clone())),
        ranks(store, table.location.iter(rows.clone())),
        Arc::new(names.collect::<StringArray>()),
        times(table.time.iter(rows.clone())),
        Arc::new(table.value.iter(rows).collect::<Float64Array>()),
    ]
}
