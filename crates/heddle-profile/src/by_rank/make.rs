//! The pass over all calls that counts them: each group for itself, several at once.

use std::ops::Range;
use std::path::Path;

use heddle_model::{LocationId, RegionId};
use heddle_store::index::NUMBERS;
use heddle_store::{Columns, Progress, Store, StoreError, TableWriter, Work, write_table};
use rayon::prelude::*;

use super::{CHUNK_BINS, COARSER, ChunkRows, CountRows, GroupRows, LevelRows, RankLevel, group_size};

/// Counting.
const COUNTING: Work = Work::new("counting calls by rank");
/// Few calls are visited in a moment.
const FEW_CALLS: u64 = 1 << 18;
/// Calls per value of the finest level, at least.
const CALLS_PER_VALUE: u64 = 6;
/// Values that a group has at most, and so what it takes of memory while it is counted: eight bytes for each.
const MOST_VALUES: u64 = 1 << 21;
/// A level has more bins than this, unless it is the finest.
const FEW_BINS: u32 = 2_048;

/// Makes it all in an empty directory.
pub(super) fn make(store: &Store, directory: &Path, progress: &dyn Progress) -> Result<(), StoreError> {
    let numbers = store.calls.numbers(&store.regions);
    let levels = levels(store, &numbers);
    let mut rows = LevelRows::default();
    for level in &levels {
        rows.bin_ns.push(level.bin_ns);
        rows.bins.push(level.bins);
    }
    write_table(directory, rows)?;
    progress.begin(COUNTING, store.spans.len());
    let (mut chunks, mut counts) = (TableWriter::<ChunkRows>::create(directory)?, TableWriter::create(directory)?);
    let mut groups = GroupRows::default();
    let all: Vec<Range<u64>> = if levels.is_empty() { Vec::new() } else { groups_of(store) };
    for some in all.chunks(2 * rayon::current_num_threads()) {
        progress.check()?;
        let counted: Vec<Found> = some.par_iter().map(|rows| count(store, &numbers, &levels, rows.clone())).collect();
        for found in counted {
            groups.first.extend(found.first.iter().map(|first| chunks.rows() + first));
            chunks.append(found.chunks)?;
            counts.append(found.counts)?;
        }
        progress.advance(some.iter().map(|rows| rows.end - rows.start).sum());
    }
    groups.first.push(chunks.rows());
    chunks.finish()?;
    counts.finish()?;
    write_table(directory, groups).map(drop)
}

/// The rows of the spans of each group.
fn groups_of(store: &Store) -> Vec<Range<u64>> {
    let (size, locations) = (group_size(store) as u32, store.locations.len() as u32);
    let rows = |first: u32| {
        let last = first.saturating_add(size).min(locations) - 1;
        store.spans_of(LocationId(first)).start..store.spans_of(LocationId(last)).end
    };
    (0..locations).step_by(size as usize).map(rows).collect()
}

/// Levels with as narrow bins as there may be.
fn levels(store: &Store, numbers: &[Option<u16>]) -> Vec<RankLevel> {
    let mut by_number = vec![0u64; NUMBERS];
    for (row, number) in (0..).zip(numbers) {
        if let Some(sum) = number.and_then(|number| by_number.get_mut(usize::from(number))) {
            *sum = sum.saturating_add(store.regions.count.get(row));
        }
    }
    let calls: u64 = by_number.iter().fold(0, |sum, calls| sum.saturating_add(*calls));
    if calls <= FEW_CALLS {
        return Vec::new();
    }
    let groups = store.locations.len().div_ceil(group_size(store) as u64);
    let used = by_number.iter().filter(|calls| **calls > 0).count() as u64;
    let fits = |bins: u64| {
        let cells = groups.saturating_mul(bins);
        let values = by_number.iter().fold(0u64, |sum, calls| sum.saturating_add(cells.min(*calls)));
        bins.saturating_mul(used) <= MOST_VALUES && values <= calls / CALLS_PER_VALUE
    };
    // As many as fit: with one more they do not.
    let (mut bins, mut too_many) = (1, MOST_VALUES + 1);
    while too_many - bins > 1 {
        let some = bins.midpoint(too_many);
        if fits(some) {
            bins = some;
        } else {
            too_many = some;
        }
    }
    let end = store.summary().end_ns;
    let finest = RankLevel::of(end, end / bins.cast_signed() + 1);
    let coarser =
        |finer: &RankLevel| (finer.bins >> COARSER >= FEW_BINS).then(|| RankLevel::of(end, finer.bin_ns << COARSER));
    std::iter::successors(Some(finest), coarser).collect()
}

/// What was found of a group.
#[derive(Default)]
struct Found {
    /// Of each level the first of its chunks.
    first: Vec<u64>,
    chunks: ChunkRows,
    counts: CountRows,
}

/// Calls of a function by bin: how many start in it, and how many end.
type Edges = (Vec<u32>, Vec<u32>);

/// Counts the calls of a group, which are some rows of the spans.
fn count(store: &Store, numbers: &[Option<u16>], levels: &[RankLevel], rows: Range<u64>) -> Found {
    let mut found = Found::default();
    let Some(finest) = levels.first() else { return found };
    let last = finest.bins.saturating_sub(1);
    let bin = |time: i64| (time.max(0) / finest.bin_ns).min(i64::from(last)) as usize;
    let mut all: Vec<Option<Edges>> = (0..NUMBERS).map(|_| None).collect();
    let spans = &store.spans;
    (&spans.start, &spans.end, &spans.region).for_each(rows, |(start, end, region): (_, _, RegionId)| {
        let Some(Some(number)) = numbers.get(region.index()) else { return };
        let empty = || (vec![0; finest.bins as usize], vec![0; finest.bins as usize]);
        let (started, ended) = all[usize::from(*number)].get_or_insert_with(empty);
        started[bin(start.0)] += 1;
        ended[bin(end.0)] += 1;
    });
    // From here on, what is open in the place of what ends.
    for (started, ended) in all.iter_mut().flatten() {
        let mut open = 0u32;
        for (started, ended) in started.iter().zip(ended) {
            let behind = open.wrapping_add(*started).wrapping_sub(*ended);
            *ended = std::mem::replace(&mut open, behind);
        }
    }
    for (at, _) in levels.iter().enumerate() {
        if at > 0 {
            all.iter_mut().flatten().for_each(coarser);
        }
        found.take(&all);
    }
    found
}

/// The same by wider bins.
fn coarser((started, open): &mut Edges) {
    let width = 1 << COARSER;
    *started = started.chunks(width).map(|some| some.iter().sum()).collect();
    *open = open.iter().copied().step_by(width).collect();
}

impl Found {
    /// Takes in a level.
    fn take(&mut self, all: &[Option<Edges>]) {
        self.first.push(self.chunks.chunk.len() as u64);
        for (number, counted) in (0..).zip(all) {
            let Some((started, open)) = counted else { continue };
            for (chunk, (started, open)) in (0..).zip(started.chunks(CHUNK_BINS).zip(open.chunks(CHUNK_BINS))) {
                if started.iter().chain(open).all(|count| *count == 0) {
                    continue;
                }
                self.chunks.number.push(number);
                self.chunks.chunk.push(chunk);
                self.counts.started.extend_from_slice(started);
                self.counts.open.extend_from_slice(open);
                // The last chunk of a level is filled up.
                let rows = self.chunks.chunk.len() * CHUNK_BINS;
                self.counts.started.resize(rows, 0);
                self.counts.open.resize(rows, 0);
            }
        }
    }
}
