//! How many calls start and end when, how long they are, and of which region: a pyramid over time.
//!
//! The finest level has 2^k bins of time, and each coarser one half as many, down to 2^11. A bin lists how many of its
//! calls have which duration (one of about 2,000 bins) and region. Bins of duration are at most a 1,024th of the axis
//! from the shortest to the longest call, on a logarithmic and on a linear axis: no more than a pixel. There is one
//! pyramid for starts and one for ends.
//!
//! There are as many levels as it takes until few enough calls are in sight to visit them one by one; a trace with few
//! calls has none. An entry has 5 bytes and there are at most two for every call and level: in practice it is about a
//! tenth of the spans.

mod build;
mod keys;

use std::ops::Range;
use std::path::Path;

use heddle_model::{LocationId, Paradigm, RegionId};

pub(crate) use build::build;

use crate::block::Columns;
use crate::index::spans_times;
use crate::progress::Progress;
use crate::table::{lie_within, require, table};
use crate::tables::RegionTable;
use crate::{Column, Store, StoreError};

/// The number of all regions without one of their own.
const OTHERS: u8 = u8::MAX;
/// Numbers that there are, that of all others among them.
pub const NUMBERS: usize = OTHERS as usize + 1;
/// log2 of the number of kinds that calls may be told apart by.
const KIND_BITS: u32 = 12;
/// So many kinds of calls can be told apart.
pub const MOST_KINDS: u16 = 1 << KIND_BITS;

table! {
    /// The levels, finest first, those of starts before those of ends.
    LevelRows, LevelTable = "index/call_levels" {
        /// 0 for starts, 1 for ends.
        edge: u8 => "edge",
        /// Number of time bins.
        bins: u32 => "bins",
        /// Width of a bin.
        bin_ns: i64 => "bin_ns",
        /// First of its rows in the bins.
        first: u64 => "first_bin",
    }
}

table! {
    /// Time bins, by level.
    BinRows, BinTable = "index/call_bins" packed {
        /// First entry.
        first: u64 => "first_entry",
        /// Number of entries.
        entries: u32 => "entries",
        /// Number of calls.
        calls: u32 => "calls" - entries,
    }
}

table! {
    /// What is in the bins. Bins lie in the order they were finished, each in one piece.
    EntryRows, EntryTable = "index/calls" packed {
        /// Bin of duration.
        duration: u16 => "duration_bin",
        /// Number of the region, in the order of `index/call_regions`; 255 for all others. In an index of kinds, the number of
        /// the kind.
        number: u16 => "number",
        /// How many calls. More than fit have several entries.
        count: u16 => "count",
    }
}

table! {
    /// The regions with numbers of their own.
    CallRegionRows, CallRegionTable = "index/call_regions" {
        /// The region.
        region: RegionId => "region",
    }
}

table! {
    /// Edges of the bins of duration: the shortest call first, one beyond the longest last.
    DurationRows, DurationTable = "index/call_durations" {
        /// Least duration of the bin.
        least: i64 => "least_ns",
    }
}

/// Which end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEdge {
    /// When it begins.
    Start,
    /// When it ends.
    End,
}

/// One level of a pyramid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallLevel {
    /// Number of time bins.
    pub bins: u32,
    /// Width of a bin in nanoseconds.
    pub bin_ns: i64,
    first: u64,
}

/// The index, open.
#[derive(Debug)]
pub struct CallIndex {
    levels: [Vec<CallLevel>; 2],
    bins: BinTable,
    entries: EntryTable,
    regions: Vec<RegionId>,
    durations: Vec<i64>,
}

/// Which regions count as calls: those that communicate; in a trace without any, all that do not idle.
pub fn call_regions(regions: &RegionTable) -> Vec<bool> {
    let is_busy = |region| regions.paradigm_of(RegionId(region)) != Paradigm::Idle;
    regions.communication().unwrap_or_else(|| (0..regions.len() as u32).map(is_busy).collect())
}

impl CallIndex {
    /// Makes an index of a store's calls that tells others kinds of them apart than functions: each span has a number below
    /// [`MOST_KINDS`], or none if it is not to be counted. It is written to an empty directory. Of memory, it takes some 64 bytes
    /// for each call of a slice of time, and as many calls as may be open at a moment; slices are so short that this fits.
    pub fn make(
        store: &Store,
        numbers: &Column<u16>,
        directory: &Path,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<(), StoreError> {
        build::build_kinds(store, numbers, directory, memory, progress)
    }

    /// Opens an index of so many kinds of calls, made of this store.
    pub fn open_kinds(directory: &Path, store: &Store, kinds: u64) -> Result<CallIndex, StoreError> {
        let index = CallIndex::read(directory, 0, kinds)?;
        require::<DurationRows>(directory, index.durations == store.calls.durations)?;
        Ok(index)
    }

    /// Makes an index of the calls of some locations alone, with the bins of duration and the numbers of the store's own, in an
    /// empty directory. It takes as much memory as [`CallIndex::make`].
    pub fn make_chosen(
        store: &Store,
        locations: impl Iterator<Item = LocationId>,
        directory: &Path,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<(), StoreError> {
        build::build_chosen(store, locations, directory, memory, progress)
    }

    /// Opens an index of the calls of some locations, made of this store.
    pub fn open_chosen(directory: &Path, store: &Store) -> Result<CallIndex, StoreError> {
        let index = CallIndex::open(directory, store.regions.len())?;
        require::<DurationRows>(directory, index.durations == store.calls.durations)?;
        require::<CallRegionRows>(directory, index.regions == store.calls.regions)?;
        Ok(index)
    }

    /// Of a store with so many regions.
    pub(crate) fn open(directory: &Path, all_regions: u64) -> Result<CallIndex, StoreError> {
        CallIndex::read(directory, all_regions, u64::from(OTHERS) + 1)
    }

    fn read(directory: &Path, all_regions: u64, numbers: u64) -> Result<CallIndex, StoreError> {
        let table = LevelTable::open(directory)?;
        let level =
            |row| CallLevel { bins: table.bins.get(row), bin_ns: table.bin_ns.get(row), first: table.first.get(row) };
        let of_edge = |edge: u8| (0..table.len()).filter(|row| table.edge.get(*row) == edge).map(level).collect();
        let levels: [Vec<CallLevel>; 2] = [of_edge(0), of_edge(1)];
        let (mut bins, mut entries) = (BinTable::open(directory)?, EntryTable::open(directory)?);
        let fits = |level: &CallLevel| {
            spans_times(level.bins, level.bin_ns) && lie_within([(level.first, u64::from(level.bins))], bins.len())
        };
        require::<LevelRows>(directory, levels.iter().flatten().all(fits))?;
        let most = entries.len().saturating_add(1);
        require::<BinRows>(directory, bins.first.must_be_below(most) && bins.entries.must_be_below(most))?;
        let mut regions = CallRegionTable::open(directory)?;
        require::<CallRegionRows>(directory, regions.region.must_be_below(all_regions))?;
        let durations = DurationTable::open(directory)?;
        let durations: Vec<i64> = durations.least.iter(0..durations.len()).collect();
        let are_durations = durations.is_sorted() && durations.first().is_none_or(|least| *least >= 0);
        require::<DurationRows>(directory, are_durations)?;
        let fits = entries.duration.must_be_below(durations.len() as u64) && entries.number.must_be_below(numbers);
        require::<EntryRows>(directory, fits)?;
        let regions = regions.region.iter(0..regions.len()).collect();
        Ok(CallIndex { levels, bins, entries, regions, durations })
    }

    /// Edges of the bins of duration: the shortest call first, one beyond the longest last. Empty without calls.
    pub fn durations(&self) -> &[i64] {
        &self.durations
    }

    /// All levels of a pyramid, finest first, each with half as many bins as the one before; none if calls are few.
    pub fn levels(&self, edge: CallEdge) -> &[CallLevel] {
        &self.levels[edge as usize]
    }

    /// The regions by their numbers in entries. Numbers beyond them stand for any other.
    pub fn regions(&self) -> &[RegionId] {
        &self.regions
    }

    /// The numbers of a store's regions in the index of its calls; none of those that are no calls.
    pub fn numbers(&self, regions: &RegionTable) -> Vec<Option<u16>> {
        let others = |is_call: bool| is_call.then_some(u16::from(OTHERS));
        let mut numbers: Vec<Option<u16>> = call_regions(regions).into_iter().map(others).collect();
        for (number, region) in (0..).zip(&self.regions) {
            if let Some(of_region) = numbers.get_mut(region.index()) {
                *of_region = Some(number);
            }
        }
        numbers
    }

    /// How many calls start or end in some bins of a level.
    pub fn calls(&self, level: &CallLevel, bins: Range<u32>) -> u64 {
        let rows =
            level.first + u64::from(bins.start.min(level.bins))..level.first + u64::from(bins.end.min(level.bins));
        self.bins.calls.iter(rows).map(u64::from).sum()
    }

    /// Calls `visit` with bin of duration, number, and count of everything in a bin of a level.
    #[inline]
    pub fn for_each(&self, level: &CallLevel, bin: u32, mut visit: impl FnMut(u16, u16, u16)) {
        if bin >= level.bins {
            return;
        }
        let row = level.first + u64::from(bin);
        let first = self.bins.first.get(row);
        let rows = first..first + u64::from(self.bins.entries.get(row));
        let entries = &self.entries;
        let columns = (&entries.duration, &entries.number, &entries.count);
        columns.for_each(rows, |(duration, number, count)| visit(duration, number, count));
    }
}
