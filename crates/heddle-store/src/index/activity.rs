//! Time spent in each function before any moment, exactly.
//!
//! For a set of stretches, the time spent in them before t is (n t - sum) over the starts before t, minus
//! the same over the ends before t. Sorted starts and ends with prefix sums (wrapping 64 bit,
//! sampled every 256 rows) answer that in O(log n). The sum over any sets is the sum over their parts, so
//! the stretches are kept twice: in blocks of neighbouring locations, for rank filters, and merged, for
//! the whole trace.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use heddle_model::{LocationId, Ns, RegionId};

use super::IndexContext;
use super::stretches::{Stretch, Stretches};
use crate::StoreError;
use crate::column::Column;
use crate::table::{Rows, TableWriter, table};

/// A block has at most this many locations, fewer where they have very many stretches.
pub const BLOCK_LOCATIONS: u32 = 256;

const SAMPLE: u64 = 256;

table! {
    /// Which rows of the sorted starts and ends belong to which region of which block.
    SeriesRows, SeriesTable = "index/activity_series" {
        /// First location of the block; null for the whole trace.
        first_location: LocationId => "first_location" nullable,
        /// Last location of the block, itself included.
        last_location: LocationId => "last_location" nullable,
        /// The region.
        region: RegionId => "region",
        /// First row in the starts and in the ends.
        first: u64 => "first",
        /// Number of stretches.
        count: u64 => "count",
        /// 1 if those rows are in the tables of the whole trace, 0 if in those of the blocks.
        merged: u8 => "merged",
    }
}

macro_rules! edge_tables {
    ($($doc:literal $edges:ident $edge_table:ident $file:literal, $sums:ident $sum_table:ident $sum_file:literal;)*) => {$(
        table! {
            #[doc = $doc]
            $edges, $edge_table = $file {
                /// When.
                time: Ns => "time_ns",
            }
        }
        table! {
            /// Wrapping sum of all times before every 256th row.
            $sums, $sum_table = $sum_file {
                /// The sum.
                sum: u64 => "sum",
            }
        }

        impl EdgeRows for $edges {
            type Sums = $sums;

            fn of(time: Vec<Ns>) -> Self {
                Self { time }
            }

            fn sums(sum: Vec<u64>) -> $sums {
                $sums { sum }
            }
        }
    )*};
}

/// Rows of a sorted list of starts or ends.
trait EdgeRows: Rows {
    type Sums: Rows;
    fn of(time: Vec<Ns>) -> Self;
    fn sums(sum: Vec<u64>) -> Self::Sums;
}

edge_tables! {
    "Starts of stretches, sorted within each series of a block."
    BlockStartRows BlockStartTable "index/activity_block_starts",
    BlockStartSumRows BlockStartSumTable "index/activity_block_start_sums";
    "Ends of stretches, sorted within each series of a block."
    BlockEndRows BlockEndTable "index/activity_block_ends",
    BlockEndSumRows BlockEndSumTable "index/activity_block_end_sums";
    "Starts of stretches of the whole trace, sorted within each region."
    MergedStartRows MergedStartTable "index/activity_starts",
    MergedStartSumRows MergedStartSumTable "index/activity_start_sums";
    "Ends of stretches of the whole trace, sorted within each region."
    MergedEndRows MergedEndTable "index/activity_ends",
    MergedEndSumRows MergedEndSumTable "index/activity_end_sums";
}

/// A sorted list with its sampled sums.
#[derive(Debug)]
struct Edges {
    time: Column<Ns>,
    sum: Column<u64>,
}

impl Edges {
    /// Wrapping sum of the times of all rows before `row`, of all series.
    fn sum_before(&self, row: u64) -> u64 {
        let sampled = row / SAMPLE * SAMPLE;
        let rest = self.time.iter(sampled..row).fold(0u64, |sum, time| sum.wrapping_add_signed(time.0));
        self.sum.get(row / SAMPLE).wrapping_add(rest)
    }

    /// Number of rows of `rows` before `t`, and n t - sum over them.
    fn before(&self, rows: Range<u64>, t: Ns) -> u64 {
        let reached = self.time.partition_point(rows.clone(), |time| time < t);
        let count = reached - rows.start;
        count
            .wrapping_mul(t.0.cast_unsigned())
            .wrapping_sub(self.sum_before(reached).wrapping_sub(self.sum_before(rows.start)))
    }
}

/// Stretches of which locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivityScope {
    /// All of them.
    Whole,
    /// Those of one block, by its first and last location.
    Block(LocationId, LocationId),
}

/// The index, open.
#[derive(Debug)]
pub struct ActivityIndex {
    series: SeriesTable,
    block_starts: Edges,
    block_ends: Edges,
    starts: Edges,
    ends: Edges,
}

impl ActivityIndex {
    pub(crate) fn open(directory: &Path) -> Result<ActivityIndex, StoreError> {
        let edges = |time, sum| Edges { time, sum };
        Ok(ActivityIndex {
            series: SeriesTable::open(directory)?,
            block_starts: edges(BlockStartTable::open(directory)?.time, BlockStartSumTable::open(directory)?.sum),
            block_ends: edges(BlockEndTable::open(directory)?.time, BlockEndSumTable::open(directory)?.sum),
            starts: edges(MergedStartTable::open(directory)?.time, MergedStartSumTable::open(directory)?.sum),
            ends: edges(MergedEndTable::open(directory)?.time, MergedEndSumTable::open(directory)?.sum),
        })
    }

    /// Every series: a scope, a region, and the handle to ask with.
    pub fn series(&self) -> impl Iterator<Item = (ActivityScope, RegionId, u64)> + '_ {
        (0..self.series.len()).map(|row| {
            let scope = match self.series.first_location.get(row).some() {
                Some(first) => ActivityScope::Block(first, self.series.last_location.get(row)),
                None => ActivityScope::Whole,
            };
            (scope, self.series.region.get(row), row)
        })
    }

    /// Nanoseconds spent in a series before `t`, summed over its locations.
    pub fn time_before(&self, series: u64, t: Ns) -> u64 {
        let first = self.series.first.get(series);
        let rows = first..first + self.series.count.get(series);
        let (starts, ends) = if self.series.merged.get(series) == 0 {
            (&self.block_starts, &self.block_ends)
        } else {
            (&self.starts, &self.ends)
        };
        starts.before(rows.clone(), t).wrapping_sub(ends.before(rows, t))
    }
}

/// Writes a sorted list and its sampled sums.
struct EdgeWriter<R: EdgeRows> {
    edges: TableWriter<R>,
    sums: TableWriter<R::Sums>,
    sum: u64,
}

impl<R: EdgeRows> EdgeWriter<R> {
    fn create(directory: &Path) -> Result<EdgeWriter<R>, StoreError> {
        Ok(EdgeWriter { edges: TableWriter::create(directory)?, sums: TableWriter::create(directory)?, sum: 0 })
    }

    fn append(&mut self, times: Vec<Ns>) -> Result<(), StoreError> {
        let mut sampled = Vec::new();
        for (row, time) in (self.edges.rows()..).zip(&times) {
            if row.is_multiple_of(SAMPLE) {
                sampled.push(self.sum);
            }
            self.sum = self.sum.wrapping_add_signed(time.0);
        }
        self.sums.append(R::sums(sampled))?;
        self.edges.append(R::of(times))
    }

    fn finish(mut self) -> Result<(), StoreError> {
        // One more sample, so that the sum before the end can be asked for too.
        if self.edges.rows().is_multiple_of(SAMPLE) {
            self.sums.append(R::sums(vec![self.sum]))?;
        }
        self.edges.finish()?;
        self.sums.finish()?;
        Ok(())
    }
}

/// The stretches of one block, by region.
struct LocationBlock {
    first: LocationId,
    last: LocationId,
    regions: Vec<(RegionId, Vec<Ns>, Vec<Ns>)>,
}

/// Writes blocks one after the other.
struct BlockWriter {
    series: SeriesRows,
    starts: EdgeWriter<BlockStartRows>,
    ends: EdgeWriter<BlockEndRows>,
}

impl BlockWriter {
    fn write(&mut self, block: LocationBlock) -> Result<(), StoreError> {
        for (region, starts, ends) in block.regions {
            self.series.first_location.push(block.first);
            self.series.last_location.push(block.last);
            self.series.region.push(region);
            self.series.first.push(self.starts.edges.rows());
            self.series.count.push(starts.len() as u64);
            self.series.merged.push(0);
            self.starts.append(starts)?;
            self.ends.append(ends)?;
        }
        Ok(())
    }
}

pub(crate) fn build(context: &IndexContext) -> Result<(), StoreError> {
    let wanted = wanted_regions(context);
    let most = (context.memory / 1024).clamp(1 << 16, 1 << 22);
    let mut writer = BlockWriter {
        series: SeriesRows::default(),
        starts: EdgeWriter::create(context.directory)?,
        ends: EdgeWriter::create(context.directory)?,
    };
    let groups = location_groups(context, most);
    let spans = |group: &Range<u32>| group.clone().map(|at| context.locations.spans.get(u64::from(at))).sum::<u64>();
    for some in groups.chunk_by(|a, b| spans(a) <= most && spans(b) <= most) {
        for some in some.chunks(2 * rayon::current_num_threads()) {
            context.progress.check()?;
            if let [only] = some {
                // Perhaps larger than memory: its blocks go to disk as they come.
                let mut written = Ok(());
                for_each_block(context, only, &wanted, most, |block| {
                    if written.is_ok() {
                        written = writer.write(block);
                    }
                });
                written?;
            } else {
                let blocks: Vec<Vec<LocationBlock>> = some
                    .par_iter()
                    .map(|group| {
                        let mut blocks = Vec::new();
                        for_each_block(context, group, &wanted, most, |block| blocks.push(block));
                        blocks
                    })
                    .collect();
                for block in blocks.into_iter().flatten() {
                    writer.write(block)?;
                }
            }
            context.progress.advance(some.iter().map(spans).sum());
        }
    }
    writer.starts.finish()?;
    writer.ends.finish()?;
    merge(context, &mut writer.series, most)?;
    crate::table::write_table(context.directory, writer.series).map(drop)
}

/// Communication; in a trace without any, everything.
fn wanted_regions(context: &IndexContext) -> Vec<bool> {
    let regions = &context.regions;
    regions.communication().unwrap_or_else(|| vec![true; regions.len() as usize])
}

/// Neighbouring locations that share a block: at most 256, with at most `most` spans unless there is but one.
fn location_groups(context: &IndexContext, most: u64) -> Vec<Range<u32>> {
    let mut groups = Vec::new();
    let (mut first, mut spans) = (0, 0);
    for at in 0..context.locations.len() as u32 {
        let count = context.locations.spans.get(u64::from(at));
        if at > first && (at - first >= BLOCK_LOCATIONS || spans + count > most) {
            groups.push(first..at);
            (first, spans) = (at, 0);
        }
        spans += count;
    }
    if first < context.locations.len() as u32 {
        groups.push(first..context.locations.len() as u32);
    }
    groups
}

/// Usually one block; a location with more than `most` stretches gives several of its own.
fn for_each_block(
    context: &IndexContext,
    group: &Range<u32>,
    wanted: &[bool],
    most: u64,
    mut visit: impl FnMut(LocationBlock),
) {
    let mut edges: FxHashMap<RegionId, (Vec<Ns>, Vec<Ns>)> = FxHashMap::default();
    let mut held = 0;
    let mut close = |edges: &mut FxHashMap<RegionId, (Vec<Ns>, Vec<Ns>)>| {
        let mut regions: Vec<_> = edges.drain().map(|(region, (starts, ends))| (region, starts, ends)).collect();
        regions.sort_unstable_by_key(|(region, ..)| *region);
        for (_, starts, ends) in &mut regions {
            // Each location's are in order already: a stable sort merges those runs.
            starts.sort();
            ends.sort();
        }
        visit(LocationBlock { first: LocationId(group.start), last: LocationId(group.end - 1), regions });
    };
    for location in group.clone() {
        let mut stretches = Stretches::new(|stretch: Stretch| {
            let (starts, ends) = edges.entry(stretch.region).or_default();
            starts.push(stretch.start);
            ends.push(stretch.end);
            held += 1;
            if held >= most && group.len() == 1 {
                close(&mut edges);
                held = 0;
            }
        });
        let wants = |region: RegionId| wanted.get(region.index()).copied().unwrap_or(false);
        stretches.feed_rows(&context.spans, context.spans_of(LocationId(location)), wants);
        stretches.finish();
    }
    if !edges.is_empty() {
        close(&mut edges);
    }
}

/// Merges all blocks into one series per region, slice of time by slice of time.
fn merge(context: &IndexContext, series: &mut SeriesRows, most: u64) -> Result<(), StoreError> {
    let starts = BlockStartTable::open(context.directory)?.time;
    let ends = BlockEndTable::open(context.directory)?.time;
    let mut by_region: FxHashMap<RegionId, Vec<Range<u64>>> = FxHashMap::default();
    for row in 0..series.region.len() {
        let rows = series.first[row]..series.first[row] + series.count[row];
        by_region.entry(series.region[row]).or_default().push(rows);
    }
    let mut regions: Vec<_> = by_region.into_iter().collect();
    regions.sort_unstable_by_key(|(region, _)| *region);
    let mut merged_starts = EdgeWriter::<MergedStartRows>::create(context.directory)?;
    let mut merged_ends = EdgeWriter::<MergedEndRows>::create(context.directory)?;
    for (region, runs) in regions {
        series.first_location.push(LocationId::NONE);
        series.last_location.push(LocationId::NONE);
        series.region.push(region);
        series.count.push(runs.iter().map(|run| run.end - run.start).sum());
        if let [only] = &runs[..] {
            // Sorted already: no need to have it twice.
            series.first.push(only.start);
            series.merged.push(0);
            continue;
        }
        series.first.push(merged_starts.edges.rows());
        series.merged.push(1);
        merge_runs(context, &starts, &runs, most, &mut merged_starts)?;
        merge_runs(context, &ends, &runs, most, &mut merged_ends)?;
    }
    merged_starts.finish()?;
    merged_ends.finish()
}

/// Appends the sorted union of sorted runs, holding only a few slices of time in memory.
fn merge_runs<R: EdgeRows>(
    context: &IndexContext,
    times: &Column<Ns>,
    runs: &[Range<u64>],
    most: u64,
    writer: &mut EdgeWriter<R>,
) -> Result<(), StoreError> {
    let bounds = slice_bounds(times, runs, most / 4);
    let slices: Vec<(Ns, Ns)> = bounds.windows(2).map(|pair| (pair[0], pair[1])).collect();
    for some in slices.chunks(2 * rayon::current_num_threads()) {
        context.progress.check()?;
        let sorted: Vec<Vec<Ns>> = some
            .par_iter()
            .map(|(from, to)| {
                let mut slice = Vec::new();
                for run in runs {
                    let first = times.partition_point(run.clone(), |time| time < *from);
                    let last = times.partition_point(first..run.end, |time| time < *to);
                    slice.extend(times.iter(first..last));
                }
                slice.sort();
                slice
            })
            .collect();
        for slice in sorted {
            writer.append(slice)?;
        }
    }
    Ok(())
}

/// Moments that cut the runs into slices of about `most` times each, from a sample of them.
fn slice_bounds(times: &Column<Ns>, runs: &[Range<u64>], most: u64) -> Vec<Ns> {
    let total: u64 = runs.iter().map(|run| run.end - run.start).sum();
    let stride = (total / 65_536).max(1);
    let mut sample: Vec<Ns> =
        runs.iter().flat_map(|run| run.clone().step_by(stride as usize)).map(|row| times.get(row)).collect();
    sample.sort_unstable();
    let slices = total.div_ceil(most).max(1) as usize;
    let mut bounds = vec![Ns(i64::MIN)];
    bounds.extend((1..slices).map(|slice| sample[slice * sample.len() / slices]));
    bounds.push(Ns(i64::MAX));
    bounds.dedup();
    bounds
}
