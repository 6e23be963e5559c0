//! Builds the index of calls: slice of time by slice of time, each counted by sorting keys in memory.
//!
//! All locations are read side by side, each from where the slice before ended, so that the spans are read once and in
//! order. A call that ends in a later slice waits for it: those are as many as calls can be open at a moment.

use std::ops::Range;

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId};

use super::{BinRows, CallRegionRows, DurationRows, EntryRows, LevelRows, OTHERS, call_regions};
use crate::StoreError;
use crate::block::Columns;
use crate::build::RegionTotals;
use crate::index::IndexContext;
use crate::table::{TableWriter, write_table};
use crate::tables::RegionTable;

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
/// Bits of a key for the bin of duration and the number of the region; the rest is for time.
const DURATION_BITS: u32 = 11;
const REGION_BITS: u32 = 8;
const TIME_BITS: u32 = 32 - DURATION_BITS - REGION_BITS;

pub(crate) fn build(context: &IndexContext) -> Result<(), StoreError> {
    let numbers = RegionNumbers::of(&context.regions);
    let (shortest, longest) = range(context, &numbers);
    let durations = DurationBins::new(shortest, longest);
    let total: u64 = (0..context.regions.len())
        .filter(|row| numbers.is_call[*row as usize])
        .map(|row| context.regions.count.get(row))
        .sum();
    let mut writer = PyramidWriter::create(context, if total > FEW_CALLS { finest(total) } else { 0 })?;
    if total > FEW_CALLS {
        Slices::new(context, &numbers, &durations, writer.finest, writer.bin_ns).write(total, &mut writer)?;
    }
    writer.finish()?;
    let least = if total > 0 { durations.edges } else { Vec::new() };
    write_table(context.directory, DurationRows { least })?;
    write_table(context.directory, CallRegionRows { region: numbers.regions })?;
    context.progress.check()
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
        let mut number = vec![OTHERS; is_call.len()];
        for (at, row) in order.iter().enumerate() {
            number[*row as usize] = at as u8;
        }
        RegionNumbers { is_call, number, regions: order.into_iter().map(|row| RegionId(row as u32)).collect() }
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

/// Calls `visit` for the calls among some rows, with the number of their region.
#[inline]
fn visit(context: &IndexContext, rows: Range<u64>, numbers: &RegionNumbers, mut visit: impl FnMut(Ns, Ns, u8)) {
    let spans = &context.spans;
    (&spans.start, &spans.end, &spans.region).for_each(rows, |(start, end, region)| {
        if let Some(number) = numbers.get(region) {
            visit(start, end, number);
        }
    });
}

/// The trace cut into slices of time, each small enough to be sorted in memory.
struct Slices<'a> {
    context: &'a IndexContext<'a>,
    numbers: &'a RegionNumbers,
    durations: &'a DurationBins,
    /// log2 of the number of bins, and their width.
    finest: u32,
    bin_ns: i64,
    /// The next row of every location.
    next: Vec<u64>,
    /// Calls that end in a later slice: bin, and the rest of the key.
    later: Vec<(u32, u32)>,
}

/// What a location has in a slice.
#[derive(Default)]
struct SliceKeys {
    starts: Vec<u32>,
    ends: Vec<u32>,
    later: Vec<(u32, u32)>,
}

impl<'a> Slices<'a> {
    fn new(
        context: &'a IndexContext<'a>,
        numbers: &'a RegionNumbers,
        durations: &'a DurationBins,
        finest: u32,
        bin_ns: i64,
    ) -> Slices<'a> {
        let next = (0..context.locations.len()).map(|at| context.spans_of(LocationId(at as u32)).start).collect();
        Slices { context, numbers, durations, finest, bin_ns, next, later: Vec::new() }
    }

    fn write(mut self, calls: u64, writer: &mut PyramidWriter) -> Result<(), StoreError> {
        // Keys of both ends, twice for sorting: 16 bytes per call.
        let most = (self.context.memory / 64).clamp(1 << 20, 1 << 24);
        let slices = calls.div_ceil(most).next_power_of_two().ilog2().max(self.finest.saturating_sub(TIME_BITS));
        let bins = 1u32 << (self.finest - slices.min(self.finest));
        for first in (0..1u32 << self.finest).step_by(bins as usize) {
            self.context.progress.check()?;
            let (mut starts, mut ends) = self.keys(first..first + bins);
            rayon::join(|| sort(&mut starts), || sort(&mut ends));
            writer.append(first..first + bins, &starts, &ends)?;
        }
        Ok(())
    }

    /// The keys of all calls that start, and of all that end, in some bins.
    fn keys(&mut self, bins: Range<u32>) -> (Vec<u32>, Vec<u32>) {
        let is_last = bins.end == 1 << self.finest;
        let until = if is_last { Ns(i64::MAX) } else { Ns(i64::from(bins.end) * self.bin_ns) };
        let last = bins.end - 1;
        let (context, numbers, durations, bin_ns) = (self.context, self.numbers, self.durations, self.bin_ns);
        let of_location = |found: &mut SliceKeys, (at, next): (usize, &mut u64)| {
            let rows = context.spans_of(LocationId(at as u32));
            let after = context.spans.start.partition_point(*next..rows.end, |start| start < until);
            found.starts.reserve((after - *next) as usize);
            found.ends.reserve((after - *next) as usize);
            visit(context, *next..after, numbers, |start, end, number| {
                let rest = (u32::from(durations.bin(end.since(start))) << REGION_BITS) | u32::from(number);
                let bin = |time: Ns| ((time.0.max(0) / bin_ns) as u32).min((1 << self.finest) - 1);
                let key = |bin: u32| ((bin - bins.start) << (DURATION_BITS + REGION_BITS)) | rest;
                found.starts.push(key(bin(start).clamp(bins.start, last)));
                match bin(end) {
                    later if later > last => found.later.push((later, rest)),
                    here => found.ends.push(key(here.max(bins.start))),
                }
            });
            *next = after;
        };
        let each = self.next.len().div_ceil(4 * rayon::current_num_threads()).max(1);
        let found: Vec<SliceKeys> = self
            .next
            .par_chunks_mut(each)
            .enumerate()
            .map(|(chunk, next)| {
                let mut found = SliceKeys::default();
                next.iter_mut().enumerate().for_each(|(at, next)| of_location(&mut found, (chunk * each + at, next)));
                found
            })
            .collect();
        // Put together in memory that is taken once.
        let starts = found.iter().map(|found| &found.starts[..]).collect::<Vec<_>>().concat();
        let mut ends = found.iter().map(|found| &found.ends[..]).collect::<Vec<_>>().concat();
        self.later.retain(|(bin, rest)| {
            let is_here = *bin <= last;
            if is_here {
                ends.push(((bin - bins.start) << (DURATION_BITS + REGION_BITS)) | rest);
            }
            !is_here
        });
        self.later.extend(found.into_iter().flat_map(|found| found.later));
        (starts, ends)
    }
}

/// Sorts by digits of eleven bits, the lowest first.
fn sort(keys: &mut Vec<u32>) {
    const DIGIT: u32 = 11;
    let mut other = vec![0; keys.len()];
    for shift in [0, DIGIT, 2 * DIGIT] {
        let digit = |key: u32| (key >> shift) as usize & ((1 << DIGIT) - 1);
        let mut places = vec![0usize; 1 << DIGIT];
        for key in keys.iter() {
            places[digit(*key)] += 1;
        }
        let mut sum = 0;
        for place in &mut places {
            (*place, sum) = (sum, sum + *place);
        }
        for key in keys.iter() {
            let place = &mut places[digit(*key)];
            other[*place] = *key;
            *place += 1;
        }
        std::mem::swap(keys, &mut other);
    }
}

/// Entries of a bin: bin of duration and number of region, and how many calls.
type Entries = Vec<(u32, u32)>;

/// Writes bins as they come, and the coarser ones as soon as both halves are there.
struct PyramidWriter<'a> {
    context: &'a IndexContext<'a>,
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
    fn create(context: &'a IndexContext<'a>, finest: u32) -> Result<PyramidWriter<'a>, StoreError> {
        let levels = || (COARSEST..=finest).map(|_| Level::default()).collect();
        Ok(PyramidWriter {
            context,
            finest,
            bin_ns: (context.end.0.max(0) >> finest) + 1,
            entries: TableWriter::create(context.directory)?,
            pyramids: [levels(), levels()],
        })
    }

    /// Sorted keys of the calls that start and end in some bins.
    fn append(&mut self, bins: Range<u32>, starts: &[u32], ends: &[u32]) -> Result<(), StoreError> {
        let of_bin = |keys: &[u32], from: &mut usize, bin: u32| {
            let mut entries: Entries = Vec::new();
            while let Some(key) = keys.get(*from).filter(|key| **key >> (DURATION_BITS + REGION_BITS) == bin) {
                let rest = key & ((1 << (DURATION_BITS + REGION_BITS)) - 1);
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
                self.append_bin(edge, bins.start + bin, entries)?;
            }
        }
        Ok(())
    }

    fn append_bin(&mut self, edge: usize, bin: u32, mut entries: Entries) -> Result<(), StoreError> {
        let (mut level, mut bin) = (0, bin);
        while level < self.pyramids[edge].len() {
            let mut rows = EntryRows::default();
            for (rest, count) in &entries {
                let mut count = *count;
                while count > 0 {
                    let some = count.min(u32::from(u16::MAX));
                    rows.duration.push((rest >> REGION_BITS) as u16);
                    rows.region.push(*rest as u8);
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
        let mut bins = TableWriter::<BinRows>::create(self.context.directory)?;
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
        write_table(self.context.directory, levels).map(drop)
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
        fn keys_are_sorted(mut keys: Vec<u32>) {
            let mut sorted = keys.clone();
            sorted.sort_unstable();
            sort(&mut keys);
            prop_assert_eq!(keys, sorted);
        }

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
