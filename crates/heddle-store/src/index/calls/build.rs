//! Builds the index of calls: slice of time by slice of time, each counted by sorting keys in memory.
//!
//! All locations are read side by side, each from where the slice before ended, so that the spans are read once and in
//! order. A call that ends in a later slice waits for it: those are as many as calls can be open at a moment.
//!
//! What is counted are the numbers of calls: those of their regions in the index of a store, and of some locations alone in an
//! index that is made from a finished store ([`build_chosen`]); those of finer kinds in another one ([`build_kinds`]).

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId};

use super::keys::{Key, Keys, sort};
use super::{BinRows, CallRegionRows, DurationRows, EntryRows, LevelRows, OTHERS, call_regions};
use crate::block::Columns;
use crate::build::RegionTotals;
use crate::index::IndexContext;
use crate::progress::Progress;
use crate::table::{TableWriter, write_table};
use crate::tables::{LocationTable, RegionTable, SpanTable};
use crate::{Column, Fixed, Store, StoreError};

/// A trace with at most so many calls needs no summary.
const FEW_CALLS: u64 = 1 << 18;
/// A window of so many bins of the finest level holds, on average, no more than so many calls.
const BINS_IN_SIGHT: u64 = 1_600;
const CALLS_IN_SIGHT: u64 = 1 << 19;
/// log2 of the number of time bins of the coarsest level, and of the finest.
const COARSEST: u32 = 11;
const FINEST: std::ops::RangeInclusive<u32> = 14..=19;
/// Parts of an axis that a bin of duration does not exceed.
const PARTS: f64 = 1_024.0;
/// log2 of the number of bins of duration.
pub(super) const DURATION_BITS: u32 = 11;

pub(crate) fn build(context: &IndexContext) -> Result<(), StoreError> {
    let numbers = RegionNumbers::of(&context.regions);
    let (shortest, longest) = range(context, &numbers);
    let durations = DurationBins::new(shortest, longest);
    let total = calls(&context.regions, &numbers.is_call);
    let counted = Counted {
        spans: &context.spans,
        end: context.end,
        directory: context.directory,
        memory: context.memory,
        progress: context.progress,
    };
    let rows = rows_of(&context.locations, context.spans.len());
    counted.build::<Keys<u32, 8>>(rows, total, &durations, &numbers)?;
    let least = if total > 0 { durations.edges } else { Vec::new() };
    write_table(context.directory, DurationRows { least })?;
    write_table(context.directory, CallRegionRows { region: numbers.regions })?;
    context.progress.check()
}

/// Builds an index of a store's calls by numbers of another kind, one for each span, in an empty directory; spans without one are not
/// counted. Bins of duration are those of the store's own index.
pub(super) fn build_kinds(
    store: &Store,
    numbers: &Column<u16>,
    directory: &Path,
    memory: u64,
    progress: &dyn Progress,
) -> Result<(), StoreError> {
    let edges = store.calls.durations().to_vec();
    let counted = Counted::of(store, directory, memory, progress);
    let total = calls(&store.regions, &call_regions(&store.regions));
    // Without calls there are no bins.
    let total = if edges.is_empty() { 0 } else { total };
    let (rows, durations) = (rows_of(&store.locations, store.spans.len()), DurationBins::of_edges(edges.clone()));
    counted.build::<Keys<u64, { super::KIND_BITS }>>(rows, total, &durations, numbers)?;
    write_table(directory, DurationRows { least: edges })?;
    write_table(directory, CallRegionRows::default()).map(drop)
}

/// Builds an index of the calls of some of a store's locations in an empty directory: with the bins of duration and the numbers of
/// the store's own.
pub(super) fn build_chosen(
    store: &Store,
    locations: impl Iterator<Item = LocationId>,
    directory: &Path,
    memory: u64,
    progress: &dyn Progress,
) -> Result<(), StoreError> {
    let edges = store.calls.durations().to_vec();
    let numbers = RegionNumbers::known(&store.regions, store.calls.regions().to_vec());
    let rows: Vec<Range<u64>> = locations.map(|location| store.spans_of(location)).collect();
    let spans = count(&rows);
    // How many of them are calls is known of all locations together: at most that many, and at most all.
    let total = if edges.is_empty() { 0 } else { spans.min(calls(&store.regions, &numbers.is_call)) };
    let counted = Counted::of(store, directory, memory, progress);
    counted.build::<Keys<u32, 8>>(rows, total, &DurationBins::of_edges(edges.clone()), &numbers)?;
    write_table(directory, DurationRows { least: edges })?;
    write_table(directory, CallRegionRows { region: numbers.regions }).map(drop)
}

/// The rows of the spans of all locations.
fn rows_of(locations: &LocationTable, spans: u64) -> Vec<Range<u64>> {
    let all = locations.first_span.iter(0..locations.len()).zip(locations.spans.iter(0..locations.len()));
    all.map(|(first, count)| first..first.saturating_add(count).min(spans)).collect()
}

/// How many calls there are.
fn calls(regions: &RegionTable, is_call: &[bool]) -> u64 {
    (0..regions.len()).filter(|row| is_call[*row as usize]).map(|row| regions.count.get(row)).sum()
}

/// What is counted, and where the index is written.
struct Counted<'a> {
    spans: &'a SpanTable,
    /// The last event of the trace.
    end: Ns,
    directory: &'a Path,
    memory: u64,
    progress: &'a dyn Progress,
}

impl<'a> Counted<'a> {
    fn of(store: &'a Store, directory: &'a Path, memory: u64, progress: &'a dyn Progress) -> Counted<'a> {
        Counted { spans: &store.spans, end: Ns(store.summary().end_ns), directory, memory, progress }
    }

    /// Of some rows of each location, of which at most so many are calls.
    fn build<K: Key>(
        &self,
        rows: Vec<Range<u64>>,
        calls: u64,
        durations: &DurationBins,
        numbers: &impl Numbers,
    ) -> Result<(), StoreError> {
        let mut writer = PyramidWriter::create(self, if calls > FEW_CALLS { finest(calls) } else { 0 })?;
        if calls > FEW_CALLS {
            let (finest, bin_ns) = (writer.finest, writer.bin_ns);
            let slices = Slices { counted: self, numbers, durations, finest, bin_ns, left: rows, later: Vec::new() };
            slices.write::<K>(calls, &mut writer)?;
        } else {
            self.progress.advance(count(&rows));
        }
        writer.finish()
    }
}

/// How many rows there are.
fn count(rows: &[Range<u64>]) -> u64 {
    rows.iter().fold(0, |sum: u64, rows| sum.saturating_add(rows.end.saturating_sub(rows.start)))
}

/// Which spans are counted as calls, and under which number.
trait Numbers: Sync {
    /// Calls `visit` with start, end and number of the calls among some rows.
    fn for_each(&self, spans: &SpanTable, rows: Range<u64>, visit: impl FnMut(Ns, Ns, u16));
}

impl Numbers for RegionNumbers {
    #[inline]
    fn for_each(&self, spans: &SpanTable, rows: Range<u64>, mut visit: impl FnMut(Ns, Ns, u16)) {
        (&spans.start, &spans.end, &spans.region).for_each(rows, |(start, end, region)| {
            if let Some(number) = self.get(region) {
                visit(start, end, u16::from(number));
            }
        });
    }
}

impl Numbers for Column<u16> {
    #[inline]
    fn for_each(&self, spans: &SpanTable, rows: Range<u64>, mut visit: impl FnMut(Ns, Ns, u16)) {
        (&spans.start, &spans.end, self).for_each(rows, |(start, end, number)| {
            if number != u16::NONE {
                visit(start, end, number);
            }
        });
    }
}

/// log2 of the number of time bins of the finest level.
fn finest(calls: u64) -> u32 {
    (calls * BINS_IN_SIGHT / CALLS_IN_SIGHT).max(1).next_power_of_two().ilog2().clamp(*FINEST.start(), *FINEST.end())
}

/// Which regions are calls, and the numbers of those that have one: the ones with most time.
struct RegionNumbers {
    is_call: Vec<bool>,
    number: Vec<u8>,
    regions: Vec<RegionId>,
}

impl RegionNumbers {
    fn of(table: &RegionTable) -> RegionNumbers {
        let is_call = call_regions(table);
        let mut order: Vec<u64> =
            (0..table.len()).filter(|row| is_call[*row as usize] && table.count.get(*row) > 0).collect();
        order.sort_by_key(|row| (std::cmp::Reverse(table.total.get(*row)), *row));
        order.truncate(usize::from(OTHERS));
        RegionNumbers::known(table, order.into_iter().map(|row| RegionId(row as u32)).collect())
    }

    /// Where it is known which regions have numbers.
    fn known(table: &RegionTable, regions: Vec<RegionId>) -> RegionNumbers {
        let is_call = call_regions(table);
        let mut number = vec![OTHERS; is_call.len()];
        for (at, region) in (0..OTHERS).zip(&regions) {
            if let Some(of_region) = number.get_mut(region.index()) {
                *of_region = at;
            }
        }
        RegionNumbers { is_call, number, regions }
    }

    /// The number of a region, if it is a call.
    #[inline]
    fn get(&self, region: RegionId) -> Option<u8> {
        self.is_call.get(region.index()).filter(|is_call| **is_call).map(|_| self.number[region.index()])
    }
}

/// Bins of duration, found without a logarithm.
struct DurationBins {
    edges: Vec<i64>,
    /// The bin of the least duration with given first nine bits.
    guesses: Vec<u16>,
}

impl DurationBins {
    fn new(shortest: i64, longest: i64) -> DurationBins {
        let (shortest, longest) = (shortest.max(1), longest.max(shortest).max(1));
        let factor = (longest as f64 / shortest as f64).powf(1.0 / PARTS);
        let step = longest as f64 / PARTS;
        let mut edges = vec![shortest];
        let mut reached = shortest as f64;
        while reached <= longest as f64 && edges.len() < (1 << DURATION_BITS) {
            reached = (reached * factor).min(reached + step).max((edges[edges.len() - 1] + 1) as f64);
            edges.push(reached.ceil() as i64);
        }
        let last = edges.len() - 1;
        edges[last] = edges[last].max(longest + 1);
        DurationBins::of_edges(edges)
    }

    /// Of bins that are known.
    fn of_edges(edges: Vec<i64>) -> DurationBins {
        let mut guesses = Vec::with_capacity(64 << 8);
        let mut bin = 0;
        for first in 0..64u32 << 8 {
            let least = ((0x100 | u128::from(first & 0xff)) << (first >> 8) >> 8).min(i64::MAX as u128) as i64;
            while bin + 2 < edges.len() && edges[bin + 1] <= least {
                bin += 1;
            }
            guesses.push(bin as u16);
        }
        DurationBins { edges, guesses }
    }

    #[inline]
    fn bin(&self, duration: i64) -> u16 {
        let value = duration.max(1).cast_unsigned();
        let size = value.ilog2();
        let rest = (value << (63 - size) >> 55) as usize & 0xff;
        let mut bin = usize::from(self.guesses[((size as usize) << 8) | rest]);
        while bin + 2 < self.edges.len() && duration >= self.edges[bin + 1] {
            bin += 1;
        }
        bin as u16
    }
}

/// The shortest and the longest call.
fn range(context: &IndexContext, numbers: &RegionNumbers) -> (i64, i64) {
    let calls = context.totals.iter().filter(|(region, _)| numbers.get(**region).is_some());
    let wider = |range: (i64, i64), of: &RegionTotals| (of.shortest.min(range.0), of.longest.max(range.1));
    let (shortest, longest) = calls.fold((i64::MAX, 0), |range, (_, of_region)| wider(range, of_region));
    (shortest.min(longest), longest)
}

/// The trace cut into slices of time, each small enough to be sorted in memory.
struct Slices<'a, N> {
    counted: &'a Counted<'a>,
    numbers: &'a N,
    durations: &'a DurationBins,
    /// log2 of the number of bins, and their width.
    finest: u32,
    bin_ns: i64,
    /// The rows of every location from the next one on.
    left: Vec<Range<u64>>,
    /// Calls that end in a later slice: bin, and the rest of the key.
    later: Vec<(u32, u32)>,
}

/// What a location has in a slice.
struct SliceKeys<K> {
    starts: Vec<K>,
    ends: Vec<K>,
    later: Vec<(u32, u32)>,
}

impl<N: Numbers> Slices<'_, N> {
    fn write<K: Key>(mut self, calls: u64, writer: &mut PyramidWriter) -> Result<(), StoreError> {
        // Keys of both ends, twice for sorting: four per call.
        let most = (self.counted.memory / (16 * size_of::<K>() as u64)).clamp(1 << 20, 1 << 24);
        let time_bits = K::BITS - DURATION_BITS - K::NUMBER_BITS;
        let slices = calls.div_ceil(most).next_power_of_two().ilog2().max(self.finest.saturating_sub(time_bits));
        let bins = 1u32 << (self.finest - slices.min(self.finest));
        for first in (0..1u32 << self.finest).step_by(bins as usize) {
            self.counted.progress.check()?;
            let before = count(&self.left);
            let (mut starts, mut ends) = self.keys::<K>(first..first + bins);
            let bits = DURATION_BITS + K::NUMBER_BITS + bins.ilog2();
            rayon::join(|| sort(&mut starts, bits), || sort(&mut ends, bits));
            writer.append(first..first + bins, &starts, &ends)?;
            self.counted.progress.advance(before - count(&self.left));
        }
        Ok(())
    }

    /// The keys of all calls that start, and of all that end, in some bins.
    fn keys<K: Key>(&mut self, bins: Range<u32>) -> (Vec<K>, Vec<K>) {
        let is_last = bins.end == 1 << self.finest;
        let until = if is_last { Ns(i64::MAX) } else { Ns(i64::from(bins.end) * self.bin_ns) };
        let last = bins.end - 1;
        let (counted, numbers, durations, bin_ns) = (self.counted, self.numbers, self.durations, self.bin_ns);
        let of_location = |found: &mut SliceKeys<K>, left: &mut Range<u64>| {
            let after = counted.spans.start.partition_point(left.clone(), |start| start < until);
            found.starts.reserve((after - left.start) as usize);
            found.ends.reserve((after - left.start) as usize);
            numbers.for_each(counted.spans, left.start..after, |start, end, number| {
                let rest = K::rest(durations.bin(end.since(start)), number);
                let bin = |time: Ns| ((time.0.max(0) / bin_ns) as u32).min((1 << self.finest) - 1);
                let key = |bin: u32| K::new(bin - bins.start, rest);
                found.starts.push(key(bin(start).clamp(bins.start, last)));
                match bin(end) {
                    later if later > last => found.later.push((later, rest)),
                    here => found.ends.push(key(here.max(bins.start))),
                }
            });
            left.start = after;
        };
        let each = self.left.len().div_ceil(4 * rayon::current_num_threads()).max(1);
        let found: Vec<SliceKeys<K>> = self
            .left
            .par_chunks_mut(each)
            .map(|left| {
                let mut found = SliceKeys { starts: Vec::new(), ends: Vec::new(), later: Vec::new() };
                for left in left {
                    of_location(&mut found, left);
                }
                found
            })
            .collect();
        // Put together in memory that is taken once.
        let starts = found.iter().map(|found| &found.starts[..]).collect::<Vec<_>>().concat();
        let mut ends = found.iter().map(|found| &found.ends[..]).collect::<Vec<_>>().concat();
        self.later.retain(|(bin, rest)| {
            let is_here = *bin <= last;
            if is_here {
                ends.push(K::new(bin - bins.start, *rest));
            }
            !is_here
        });
        self.later.extend(found.into_iter().flat_map(|found| found.later));
        (starts, ends)
    }
}

/// Entries of a bin: bin of duration and number as a key has them, and how many calls.
type Entries = Vec<(u32, u32)>;

/// Writes bins as they come, and the coarser ones as soon as both halves are there.
struct PyramidWriter<'a> {
    counted: &'a Counted<'a>,
    finest: u32,
    bin_ns: i64,
    entries: TableWriter<EntryRows>,
    /// Starts and ends; levels, finest first.
    pyramids: [Vec<Level>; 2],
}

#[derive(Default)]
struct Level {
    bins: BinRows,
    /// The left half of the next bin of the coarser level.
    left: Entries,
}

impl<'a> PyramidWriter<'a> {
    /// With a `finest` of 0 there are no levels.
    fn create(counted: &'a Counted<'a>, finest: u32) -> Result<PyramidWriter<'a>, StoreError> {
        let levels = || (COARSEST..=finest).map(|_| Level::default()).collect();
        Ok(PyramidWriter {
            counted,
            finest,
            bin_ns: (counted.end.0.max(0) >> finest) + 1,
            entries: TableWriter::create(counted.directory)?,
            pyramids: [levels(), levels()],
        })
    }

    /// Sorted keys of the calls that start and end in some bins.
    fn append<K: Key>(&mut self, bins: Range<u32>, starts: &[K], ends: &[K]) -> Result<(), StoreError> {
        let of_bin = |keys: &[K], from: &mut usize, bin: u32| {
            let mut entries: Entries = Vec::new();
            while let Some((_, rest)) = keys.get(*from).map(|key| key.parts()).filter(|(of, _)| *of == bin) {
                match entries.last_mut() {
                    Some((same, count)) if *same == rest => *count += 1,
                    _ => entries.push((rest, 1)),
                }
                *from += 1;
            }
            entries
        };
        let mut reached = [0, 0];
        for bin in 0..bins.end - bins.start {
            for (edge, keys) in [starts, ends].into_iter().enumerate() {
                let entries = of_bin(keys, &mut reached[edge], bin);
                self.append_bin::<K>(edge, bins.start + bin, entries)?;
            }
        }
        Ok(())
    }

    fn append_bin<K: Key>(&mut self, edge: usize, bin: u32, mut entries: Entries) -> Result<(), StoreError> {
        let (mut level, mut bin) = (0, bin);
        while level < self.pyramids[edge].len() {
            let mut rows = EntryRows::default();
            for (rest, count) in &entries {
                let mut count = *count;
                while count > 0 {
                    let some = count.min(u32::from(u16::MAX));
                    let (duration, number) = K::of_rest(*rest);
                    rows.duration.push(duration);
                    rows.number.push(number);
                    rows.count.push(some as u16);
                    count -= some;
                }
            }
            let this = &mut self.pyramids[edge][level];
            this.bins.first.push(self.entries.rows());
            this.bins.entries.push(rows.duration.len() as u32);
            this.bins.calls.push(entries.iter().map(|(_, count)| count).sum());
            self.entries.append(rows)?;
            if bin.is_multiple_of(2) {
                this.left = entries;
                break;
            }
            entries = merged(&this.left, &entries);
            level += 1;
            bin /= 2;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), StoreError> {
        self.entries.finish()?;
        let mut levels = LevelRows::default();
        let mut bins = TableWriter::<BinRows>::create(self.counted.directory)?;
        for (edge, pyramid) in self.pyramids.into_iter().enumerate() {
            for (at, level) in pyramid.into_iter().enumerate() {
                levels.edge.push(edge as u8);
                levels.bins.push(1 << (self.finest as usize - at));
                levels.bin_ns.push(self.bin_ns << at);
                levels.first.push(bins.rows());
                bins.append(level.bins)?;
            }
        }
        bins.finish()?;
        write_table(self.counted.directory, levels).map(drop)
    }
}

/// The entries of two bins as one.
fn merged(left: &Entries, right: &Entries) -> Entries {
    let mut sum = Entries::with_capacity(left.len().max(right.len()));
    let (mut a, mut b) = (left.iter().peekable(), right.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some((one, x)), Some((two, y))) if one == two => {
                let both = (*one, x + y);
                a.next();
                b.next();
                both
            }
            (Some((one, _)), Some((two, _))) if one > two => *b.next().unwrap_or(&(0, 0)),
            (Some(_), _) => *a.next().unwrap_or(&(0, 0)),
            (None, Some(_)) => *b.next().unwrap_or(&(0, 0)),
            (None, None) => return sum,
        };
        sum.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn durations_lie_in_their_bins_and_bins_are_narrow(
            shortest in 0i64..100_000,
            above in 0i64..10_000_000_000_000,
            share in 0.0f64..=1.0,
        ) {
            let longest = shortest + above;
            let durations = DurationBins::new(shortest, longest);
            prop_assert!(durations.edges.len() <= 1 << DURATION_BITS);
            let duration = shortest + (above as f64 * share) as i64;
            let bin = usize::from(durations.bin(duration));
            prop_assert!(durations.edges[bin] <= duration.max(1) && duration < durations.edges[bin + 1].max(2));
            let whole = (longest.max(2) as f64 / shortest.max(1) as f64).ln();
            let wide = |pair: &[i64]| {
                let linear = (pair[1] - pair[0] - 1) as f64 / longest.max(1) as f64;
                let log = ((pair[1] - 1) as f64 / pair[0] as f64).ln() / whole;
                linear > 1.01 / PARTS || log > 1.01 / PARTS
            };
            prop_assert!(!durations.edges.windows(2).any(wide));
        }
    }
}
