//! Time spent in each function between any moments, exactly.
//!
//! For groups of 256, 1,024, 4,096 … neighbouring locations, and for all of them, time is cut into bins of 2^n nanoseconds,
//! about [`SPANS_PER_BIN`] spans of the group each. The index keeps how much time the group spent in each region before the
//! edges of its bins: 12 bytes for each region and each edge at which that begins to grow faster or slower, so 12 R / s
//! bytes for every span and size of group, and nothing where nothing happens. What is asked for between two edges is told by
//! the spans themselves, of which a location has few there.
//!
//! Nothing here depends on the order in which spans are visited.

mod build;
mod sums;
mod times;

use std::path::Path;

use heddle_model::{LocationId, RegionId};

pub(crate) use build::build;
pub use times::RegionTimes;

use crate::StoreError;
use crate::table::{require, table};
use crate::tables::RegionTable;

/// The smallest groups have at most this many locations.
const GROUP_LOCATIONS: u32 = 256;
/// Groups of the next size have so many of them.
const GROUPS_PER_GROUP: u32 = 4;
/// So many spans of a group make a bin, on average over the time in which there are any; up to twice as many.
const SPANS_PER_BIN: u64 = 512;

table! {
    /// Groups of locations, the largest first.
    GroupRows, GroupTable = "index/activity_groups" {
        /// 0 for the smallest, one more for each larger size.
        size: u8 => "size",
        /// First location of the group.
        first_location: LocationId => "first_location",
        /// Last location of the group, itself included.
        last_location: LocationId => "last_location",
        /// log2 of the width of its bins in nanoseconds.
        bin_log2: u8 => "bin_log2_ns",
        /// First of its series.
        first: u64 => "first_series",
        /// Number of its series: of the regions in which it spends time.
        count: u32 => "series",
    }
}

table! {
    /// What a group spends in a region.
    SeriesRows, SeriesTable = "index/activity_series" {
        /// Number of the region.
        region: u32 => "region_number",
        /// First of its knots.
        first: u64 => "first_knot",
        /// Number of its knots.
        count: u32 => "knots",
    }
}

table! {
    /// Time spent before the edges of bins. Between two knots of a series every bin adds the same; behind the last one, nothing.
    KnotRows, KnotTable = "index/activity" packed {
        /// The edge: that of the bin with this number, at its beginning.
        bin: u32 => "bin",
        /// Nanoseconds before it.
        before: u64 => "before_ns",
    }
}

table! {
    /// The regions by their numbers: the ones with most time first.
    RegionNumberRows, RegionNumberTable = "index/activity_regions" {
        /// The region.
        region: RegionId => "region",
    }
}

/// The index, open.
#[derive(Debug)]
pub struct ActivityIndex {
    groups: GroupTable,
    series: SeriesTable,
    knots: KnotTable,
    regions: RegionNumberTable,
}

impl ActivityIndex {
    /// Of a store with so many regions.
    pub(crate) fn open(directory: &Path, regions: u64) -> Result<ActivityIndex, StoreError> {
        let mut numbers = RegionNumberTable::open(directory)?;
        require::<RegionNumberRows>(directory, numbers.region.must_be_below(regions))?;
        Ok(ActivityIndex {
            groups: GroupTable::open(directory)?,
            series: SeriesTable::open(directory)?,
            knots: KnotTable::open(directory)?,
            regions: numbers,
        })
    }
}

/// The regions whose time counts, by small numbers: those that communicate; in a trace without any, all.
#[derive(Debug, Default)]
struct RegionNumbers {
    regions: Vec<RegionId>,
    /// The number of each region, or `u32::MAX`.
    numbers: Vec<u32>,
}

impl RegionNumbers {
    /// The ones with most time get the least numbers.
    fn choose(table: &RegionTable) -> RegionNumbers {
        let is_visited = |region: u32| table.count.get(u64::from(region)) > 0;
        let counts = table.communication().unwrap_or_else(|| (0..table.len() as u32).map(is_visited).collect());
        let mut regions: Vec<RegionId> =
            (0..table.len() as u32).filter(|region| counts[*region as usize]).map(RegionId).collect();
        regions.sort_by_key(|region| (std::cmp::Reverse(table.total.get(u64::from(region.0))), *region));
        RegionNumbers::of(regions, counts.len())
    }

    /// Regions in the order of their numbers, of so many.
    fn of(regions: Vec<RegionId>, all: usize) -> RegionNumbers {
        let mut numbers = vec![u32::MAX; all];
        for (number, region) in regions.iter().enumerate() {
            if let Some(of_region) = numbers.get_mut(region.index()) {
                *of_region = number as u32;
            }
        }
        RegionNumbers { regions, numbers }
    }

    #[inline]
    fn counts(&self, region: RegionId) -> bool {
        self.numbers.get(region.index()).is_some_and(|number| *number != u32::MAX)
    }

    /// The number of a region that counts.
    #[inline]
    fn number(&self, region: RegionId) -> usize {
        self.numbers[region.index()] as usize
    }
}
