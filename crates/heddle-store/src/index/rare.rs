//! Spans of rare regions, listed by themselves.
//!
//! A single stall among a hundred million calls vanishes in any summary. Regions with few spans are
//! therefore never summarised: views draw their spans on top, one by one, at every zoom.

use std::path::Path;

use rayon::prelude::*;

use heddle_model::{LocationId, RegionId, SpanRow};

use super::IndexContext;
use crate::StoreError;
use crate::column::pieces;
use crate::table::{require, table, write_table};
use crate::tables::LocationTable;

/// A region with at most this many spans in the whole trace is rare.
pub const RARE_SPANS: u64 = 1000;

table! {
    /// The spans of rare regions, by region, then row.
    RareSpanRows, RareSpanTable = "index/rare" packed {
        /// The region.
        region: RegionId => "region",
        /// The span.
        span: SpanRow => "span",
        /// Its location.
        location: LocationId => "location",
    }
}

/// The list of rare spans.
#[derive(Debug)]
pub struct RareIndex {
    table: RareSpanTable,
}

impl RareIndex {
    /// Of a store with so many spans and regions.
    pub(crate) fn open(
        directory: &Path,
        locations: &LocationTable,
        spans: u64,
        regions: u64,
    ) -> Result<RareIndex, StoreError> {
        let mut table = RareSpanTable::open(directory)?;
        let fits = table.region.must_be_below(regions)
            && table.span.must_be_below(spans)
            && table.location.must_be_below(locations.len());
        require::<RareSpanRows>(directory, fits)?;
        Ok(RareIndex { table })
    }

    /// All spans of rare regions.
    pub fn spans(&self) -> impl Iterator<Item = (RegionId, SpanRow, LocationId)> + '_ {
        (0..self.table.len())
            .map(|row| (self.table.region.get(row), self.table.span.get(row), self.table.location.get(row)))
    }
}

pub(crate) fn build(context: &IndexContext) -> Result<(), StoreError> {
    let is_rare: Vec<bool> =
        context.regions.count.iter(0..context.regions.len()).map(|count| count <= RARE_SPANS).collect();
    let mut found: Vec<(RegionId, SpanRow)> = pieces(context.spans.len())
        .into_par_iter()
        .flat_map_iter(|rows| {
            context
                .spans
                .region
                .iter(rows.clone())
                .zip(rows)
                .filter(|(region, _)| is_rare.get(region.index()).copied().unwrap_or(false))
                .map(|(region, row)| (region, SpanRow(row)))
                .collect::<Vec<_>>()
        })
        .collect();
    found.par_sort_unstable();
    write_table(
        context.directory,
        RareSpanRows {
            region: found.iter().map(|(region, _)| *region).collect(),
            span: found.iter().map(|(_, span)| *span).collect(),
            location: found.iter().map(|(_, span)| context.locations.of_span(*span)).collect(),
        },
    )?;
    context.progress.check()
}
