//! Indexes: what lets a view answer in time proportional to its pixels.
//!
//! Each index is a module with its own tables, built from finished tables and nothing else, so that a
//! further one can be added without touching the import.

mod activity;
mod busiest;
mod calls;
mod counters;
mod depths;
mod rare;
mod sight;
mod stretches;
mod tiles;

use std::path::Path;

use heddle_model::{LocationId, Ns, RegionId};
use rustc_hash::FxHashMap;

pub use activity::{ActivityIndex, RegionTimes};
pub use busiest::Busiest;
pub use calls::{CallEdge, CallIndex, CallLevel, MOST_KINDS, NUMBERS, call_regions};
pub use counters::{Counted, CounterIndex, MANY_SERIES, Reading, Series};
pub use depths::DepthIndex;
pub use rare::{RARE_SPANS, RareIndex};
pub use sight::SpansInSight;
pub use stretches::{Stretch, Stretches};
pub use tiles::{Tile, TileIndex, TileLevel};

use crate::StoreError;
use crate::build::RegionTotals;
use crate::progress::Progress;
use crate::tables::{LocationTable, RegionTable, SpanTable};

/// Whether so many bins of such a width are some stretch of time.
fn spans_times(bins: u32, bin_ns: i64) -> bool {
    bins > 0 && bin_ns > 0 && i64::from(bins).checked_mul(bin_ns).is_some_and(|end| end / 4 <= Ns::MAX.0)
}

/// What index builders read.
pub(crate) struct IndexContext<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) spans: SpanTable,
    pub(crate) locations: LocationTable,
    pub(crate) regions: RegionTable,
    /// The last event of the trace.
    pub(crate) end: Ns,
    /// How often and how long regions were visited.
    pub(crate) totals: &'a FxHashMap<RegionId, RegionTotals>,
    pub(crate) memory: u64,
    pub(crate) progress: &'a dyn Progress,
}

impl<'a> IndexContext<'a> {
    /// Opens what the store being made in `directory` has so far.
    pub(crate) fn open(
        directory: &'a Path,
        end: Ns,
        totals: &'a FxHashMap<RegionId, RegionTotals>,
        memory: u64,
        progress: &'a dyn Progress,
    ) -> Result<IndexContext<'a>, StoreError> {
        Ok(IndexContext {
            directory,
            spans: SpanTable::open(directory)?,
            locations: LocationTable::open(directory)?,
            regions: RegionTable::open(directory)?,
            end,
            totals,
            memory,
            progress,
        })
    }

    /// How much [`Self::build`] will report as done, in visits of spans.
    pub(crate) fn work(&self) -> u64 {
        self.spans.len() * (2 + tiles::passes(self))
    }

    /// Builds all indexes.
    pub(crate) fn build(&self) -> Result<(), StoreError> {
        rare::build(self)?;
        depths::build(self)?;
        activity::build(self)?;
        calls::build(self)?;
        counters::build(self)?;
        tiles::build(self)
    }

    /// The rows of a location in the spans table.
    pub(crate) fn spans_of(&self, location: LocationId) -> std::ops::Range<u64> {
        let first = self.locations.first_span.get(u64::from(location.0));
        first..first + self.locations.spans.get(u64::from(location.0))
    }
}
