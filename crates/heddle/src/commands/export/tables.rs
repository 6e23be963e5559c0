//! The tables of the command line's contract, made from the store's.
//!
//! Leading columns and their names are fixed; further ones may follow. Locations go by their id in the
//! trace, ranks are those of the world, regions and operations go by name.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{Field, Schema, SchemaRef};

use heddle_logical::Logical;
use heddle_logical::cluster::MemberList;
use heddle_model::{LocationId, Rank};
use heddle_store::Store;

use super::diagnosis::Diagnosed;
use super::progress::Progressed;
use super::tasks::TaskEnds;
use crate::args::Table;

/// How to make one table.
pub(super) struct ExportTable {
    /// How many rows there will be.
    pub(super) rows: fn(&Exported) -> u64,
    /// The columns of some of the rows.
    pub(super) columns: fn(&Exported, Range<u64>) -> Vec<Column>,
}

/// A column: its name, and its values in some of the rows.
pub(super) type Column = (&'static str, ArrayRef);

/// What tables are made from.
#[derive(Clone, Copy)]
pub(super) struct Exported<'a> {
    pub(super) store: &'a Store,
    /// Logical time, for the tables of it.
    pub(super) logical: Option<&'a Logical>,
    /// Clusters of ranks, for the table of them.
    pub(super) clusters: Option<&'a MemberList<'a>>,
    /// How far nodes had come, for the tables of it.
    pub(super) progress: Option<&'a Progressed<'a>>,
    /// When tasks were done, for the table of them.
    pub(super) ends: Option<&'a TaskEnds>,
    /// Who waited, and what that cost, for the tables of it.
    pub(super) diagnosis: Option<&'a Diagnosed<'a>>,
}

impl ExportTable {
    /// How to make a table; `None` for that of links, whose columns depend on what was counted, and for the critical path,
    /// the profile and the matrix, whose rows are not counted beforehand.
    pub(super) fn of(table: Table) -> Option<ExportTable> {
        Some(match table {
            Table::Spans => ExportTable { rows: |from| from.store.spans.len(), columns: spans },
            Table::Messages => ExportTable { rows: |from| from.store.messages.len(), columns: messages },
            Table::Collectives => {
                ExportTable { rows: |from| from.store.collective_members.len(), columns: collectives }
            }
            Table::Marks => ExportTable { rows: |from| from.store.marks.len(), columns: marks },
            Table::Metrics => ExportTable { rows: |from| from.store.metric_values.len(), columns: metrics },
            Table::Steps => ExportTable {
                rows: |from| from.logical.map_or(0, |logical| logical.events.len()),
                columns: super::logical::steps,
            },
            Table::Phases => ExportTable {
                rows: |from| from.logical.map_or(0, |logical| logical.phases.len()),
                columns: super::logical::phases,
            },
            Table::Clusters => {
                ExportTable { rows: |from| from.clusters.map_or(0, MemberList::len), columns: super::logical::clusters }
            }
            Table::Tasks => ExportTable { rows: |from| from.store.tasks.len(), columns: super::tasks::tasks },
            Table::Dependencies => {
                ExportTable { rows: |from| from.store.dependencies.len(), columns: super::tasks::dependencies }
            }
            Table::Waits => ExportTable {
                rows: |from| from.diagnosis.map_or(0, Diagnosed::waits),
                columns: super::diagnosis::waits,
            },
            Table::Delays => ExportTable {
                rows: |from| from.diagnosis.map_or(0, Diagnosed::delays),
                columns: super::diagnosis::delays,
            },
            Table::Links | Table::CriticalPath | Table::Profile | Table::Matrix => return None,
            Table::Progress => ExportTable {
                rows: |from| from.progress.map_or(0, Progressed::rows),
                columns: super::progress::progress,
            },
            Table::Bounds => ExportTable {
                rows: |from| from.progress.map_or(0, Progressed::instants),
                columns: super::progress::bounds,
            },
        })
    }

    /// Names and types of the columns. Those of no rows have them too.
    pub(super) fn schema(&self, from: &Exported) -> SchemaRef {
        let columns = (self.columns)(from, 0..0).into_iter();
        let fields = columns.map(|(name, values)| Field::new(name, values.data_type().clone(), true));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }
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

fn spans(from: &Exported, rows: Range<u64>) -> Vec<Column> {
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
        ("location", ids(store, locations.iter().copied())),
        ("rank", ranks(store, locations.iter().copied())),
        ("region", Arc::new(names.collect::<StringArray>())),
        ("start_ns", times(table.start.iter(rows.clone()))),
        ("end_ns", times(table.end.iter(rows.clone()))),
        ("depth", Arc::new(table.depth.iter(rows).map(u32::from).collect::<UInt32Array>())),
    ]
}

fn messages(from: &Exported, rows: Range<u64>) -> Vec<Column> {
    let store = from.store;
    let table = &store.messages;
    vec![
        ("send_rank", ranks(store, table.send_location.iter(rows.clone()))),
        ("recv_rank", ranks(store, table.recv_location.iter(rows.clone()))),
        ("send_ns", times(table.send.iter(rows.clone()))),
        ("recv_ns", times(table.recv.iter(rows.clone()))),
        ("bytes", Arc::new(table.bytes.iter(rows.clone()).collect::<UInt64Array>())),
        ("tag", Arc::new(table.tag.iter(rows.clone()).collect::<UInt32Array>())),
        ("comm", Arc::new(table.comm.iter(rows.clone()).map(|comm| comm.0).collect::<UInt32Array>())),
        ("send_location", ids(store, table.send_location.iter(rows.clone()))),
        ("recv_location", ids(store, table.recv_location.iter(rows.clone()))),
        ("recv_posted_ns", times(table.posted.iter(rows.clone()))),
        ("send_completed_ns", times(table.completed.iter(rows))),
    ]
}

fn collectives(from: &Exported, rows: Range<u64>) -> Vec<Column> {
    let store = from.store;
    let (table, members) = (&store.collectives, &store.collective_members);
    let mut collective =
        table.first_member.partition_point(0..table.len(), |first| first <= rows.start).saturating_sub(1);
    let mut of_row = Vec::with_capacity((rows.end - rows.start) as usize);
    for row in rows.clone() {
        // Members behind the last collective, of a damaged store, count as its own.
        while collective + 1 < table.len()
            && table.first_member.get(collective) + u64::from(table.members.get(collective)) <= row
        {
            collective += 1;
        }
        of_row.push(collective);
    }
    let each = || of_row.iter().copied();
    vec![
        ("id", Arc::new(each().collect::<UInt64Array>())),
        ("comm", Arc::new(each().map(|id| table.comm.get(id).0).collect::<UInt32Array>())),
        ("op", Arc::new(each().map(|id| Some(table.op.get(id).name())).collect::<StringArray>())),
        ("root", ranks(store, each().map(|id| table.root.get(id)))),
        ("rank", ranks(store, members.location.iter(rows.clone()))),
        ("start_ns", times(members.start.iter(rows.clone()))),
        ("end_ns", times(members.end.iter(rows.clone()))),
        ("location", ids(store, members.location.iter(rows.clone()))),
        ("bytes_sent", Arc::new(members.sent.iter(rows.clone()).collect::<UInt64Array>())),
        ("bytes_received", Arc::new(members.received.iter(rows).collect::<UInt64Array>())),
    ]
}

fn marks(from: &Exported, rows: Range<u64>) -> Vec<Column> {
    let store = from.store;
    let table = &store.marks;
    vec![
        ("location", ids(store, table.location.iter(rows.clone()))),
        ("rank", ranks(store, table.location.iter(rows.clone()))),
        ("time_ns", times(table.time.iter(rows.clone()))),
        ("name", Arc::new(rows.clone().map(|row| Some(table.name.get(row))).collect::<StringArray>())),
        ("text", Arc::new(rows.map(|row| Some(table.text.get(row))).collect::<StringArray>())),
    ]
}

fn metrics(from: &Exported, rows: Range<u64>) -> Vec<Column> {
    let store = from.store;
    let table = &store.metric_values;
    let names = table.metric.iter(rows.clone()).map(|metric| Some(store.metrics.name.get(u64::from(metric.0))));
    vec![
        ("location", ids(store, table.location.iter(rows.clone()))),
        ("rank", ranks(store, table.location.iter(rows.clone()))),
        ("metric", Arc::new(names.collect::<StringArray>())),
        ("time_ns", times(table.time.iter(rows.clone()))),
        ("value", Arc::new(table.value.iter(rows).collect::<Float64Array>())),
    ]
}
