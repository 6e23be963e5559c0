//! The table of a profile: a row for each location and function, in their order.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use heddle_model::{LocationId, RegionId};
use heddle_profile::{CallProfile, Grouping, RowSums, Visited};
use heddle_store::{Store, StoreError};
use heddle_view::Window;

use super::Sink;
use super::tables::{ids, ranks};
use crate::progress::is_cancelled;

/// Rows that are written at once, about.
const AT_ONCE: usize = 1 << 16;

pub(super) fn schema() -> SchemaRef {
    let field = |name: &str, kind: DataType| Field::new(name, kind, true);
    Arc::new(Schema::new(vec![
        field("rank", DataType::UInt32),
        field("region", DataType::Utf8),
        field("count", DataType::UInt64),
        field("inclusive_ns", DataType::Int64),
        field("exclusive_ns", DataType::Int64),
        field("min_ns", DataType::Int64),
        field("max_ns", DataType::Int64),
        field("location", DataType::UInt64),
    ]))
}

pub(super) fn write(
    store: &Store,
    profile: &CallProfile,
    window: &Window,
    mut sink: Box<dyn Sink + '_>,
) -> anyhow::Result<()> {
    let by = Grouping::by_function(profile.paths(), |_| false);
    let time = window.time(store);
    let mut sums = RowSums::default();
    let mut rows: Vec<(LocationId, RegionId, Visited)> = Vec::new();
    for location in window.locations(store) {
        if is_cancelled() {
            return Err(StoreError::Cancelled.into());
        }
        sums.count(profile, store, location, time, &by);
        let first = rows.len();
        rows.extend(sums.iter().map(|(row, visited)| (location, by.rows()[row as usize].region, *visited)));
        rows[first..].sort_unstable_by_key(|(_, region, _)| *region);
        if rows.len() >= AT_ONCE {
            sink.write(&batch(store, &rows)?)?;
            rows.clear();
        }
    }
    sink.write(&batch(store, &rows)?)?;
    sink.finish()
}

fn batch(store: &Store, rows: &[(LocationId, RegionId, Visited)]) -> anyhow::Result<RecordBatch> {
    let times = |of: fn(&Visited) -> i64| -> ArrayRef {
        Arc::new(rows.iter().map(|(.., visited)| Some(of(visited))).collect::<Int64Array>())
    };
    let names = rows.iter().map(|(_, region, _)| Some(store.regions.name.get(u64::from(region.0))));
    let columns: Vec<ArrayRef> = vec![
        ranks(store, rows.iter().map(|(location, ..)| *location)),
        Arc::new(names.collect::<StringArray>()),
        Arc::new(rows.iter().map(|(.., visited)| Some(visited.count)).collect::<UInt64Array>()),
        times(|visited| visited.inclusive),
        times(|visited| visited.exclusive),
        times(|visited| visited.shortest),
        times(|visited| visited.longest),
        ids(store, rows.iter().map(|(location, ..)| *location)),
    ];
    Ok(RecordBatch::try_new(schema(), columns)?)
}
