//! Builds the index of activity: the trace is cut into stretches of equal work, each adds up on its own for groups of all
//! sizes at once, and the sums are added.

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId};

use super::sums::{Bins, EvenBins, Sums};
use super::{GROUP_LOCATIONS, GROUPS_PER_GROUP, GroupRows, KnotRows, RegionNumberRows, RegionNumbers};
use super::{SPANS_PER_BIN, SeriesRows};
use crate::StoreError;
use crate::index::IndexContext;
use crate::index::depths::DepthIndex;
use crate::index::sight::SpansInSight;
use crate::index::stretches::{Stretch, Stretches};
use crate::table::{TableWriter, write_table};

/// Bytes of a knot.
const KNOT_BYTES: f64 = 12.0;
/// Bytes of a sum while it is made.
const SUM_BYTES: f64 = 16.0;
/// Where spans crowd, there are up to so many times as many bins.
const MOST_CROWDED: f64 = 16.0;
/// A location with fewer spans is not cut.
const LEAST_SPANS: u64 = 1 << 14;

pub(crate) fn build(context: &IndexContext) -> Result<(), StoreError> {
    let numbers = RegionNumbers::choose(&context.regions);
    let levels = levels(context, numbers.regions.len());
    let chunks = chunks(context, &levels, numbers.regions.len());
    let depths = DepthIndex::open(context.directory)?;
    let builder = Builder { context, numbers: &numbers, levels: &levels, depths: &depths };
    let parts = chunks.into_par_iter().map(|chunk| builder.add_up(chunk)).collect::<Result<Vec<_>, _>>()?;
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    let mut groups = GroupRows::default();
    let mut series = SeriesRows::default();
    let mut knots = TableWriter::<KnotRows>::create(context.directory)?;
    // The parts have the smallest size last, so that this takes the largest first, as they are to lie.
    for (size, level) in levels.iter().enumerate().rev() {
        let of_level = parts.iter_mut().filter_map(Iterator::next).flatten();
        let mut merged: Vec<(usize, Sums<EvenBins>)> = Vec::new();
        for (group, sums) in of_level {
            match merged.last_mut() {
                Some((same, all)) if *same == group => all.merge(&sums),
                _ => merged.push((group, sums)),
            }
        }
        let written: Vec<_> = merged.into_par_iter().map(|(group, sums)| (group, knots_of(&sums))).collect();
        for (group, of_regions) in written {
            let first = group as u32 * level.locations;
            groups.size.push(size as u8);
            groups.first_location.push(LocationId(first));
            groups.last_location.push(LocationId(first + (level.locations - 1).min(levels[0].all - first - 1)));
            groups.bin_log2.push(level.bins[group].log2_ns as u8);
            groups.first.push(series.region.len() as u64);
            groups.count.push(of_regions.len() as u32);
            for (region, rows) in of_regions {
                series.region.push(region);
                series.first.push(knots.rows());
                series.count.push(rows.bin.len() as u32);
                knots.append(rows)?;
            }
        }
    }
    knots.finish()?;
    write_table(context.directory, groups)?;
    write_table(context.directory, series)?;
    write_table(context.directory, RegionNumberRows { region: numbers.regions })?;
    context.progress.check()
}

/// Where the time before the edges of bins begins to grow faster or slower, for each region that has any.
fn knots_of(sums: &Sums<EvenBins>) -> Vec<(u32, KnotRows)> {
    let of_region = |region: usize| {
        let mut rows = KnotRows::default();
        let (mut before, mut growth) = (0u64, 0);
        for (edge, time) in (0..).zip(sums.of_region(region).chain([0])) {
            if time != growth {
                rows.bin.push(edge);
                rows.before.push(before);
                growth = time;
            }
            before = before.wrapping_add(time);
        }
        (region as u32, rows)
    };
    (0..sums.regions()).map(of_region).filter(|(_, rows)| !rows.bin.is_empty()).collect()
}

/// Groups of one size.
struct Level {
    /// Locations of the trace.
    all: u32,
    /// Locations of a group.
    locations: u32,
    /// The bins of each group.
    bins: Vec<EvenBins>,
}

/// The sizes of groups, the smallest first; of the last there is one.
fn levels(context: &IndexContext, regions: usize) -> Vec<Level> {
    let all = context.locations.len() as u32;
    let mut spans: Vec<u64> = Vec::new();
    for (at, count) in context.locations.spans.iter(0..context.locations.len()).enumerate() {
        if at.is_multiple_of(GROUP_LOCATIONS as usize) {
            spans.push(0);
        }
        if let Some(sum) = spans.last_mut() {
            *sum += count;
        }
    }
    let mut sizes = vec![(GROUP_LOCATIONS, spans)];
    while let Some((locations, spans)) = sizes.last().filter(|(_, spans)| spans.len() > 1) {
        let larger = spans.chunks(GROUPS_PER_GROUP as usize).map(|some| some.iter().sum()).collect();
        sizes.push((locations.saturating_mul(GROUPS_PER_GROUP), larger));
    }
    // All sums lie in memory at once, those of the largest group once for every chunk (`chunks`).
    let most = context.memory as f64 / 16.0 / SUM_BYTES / sizes.len() as f64 / context.spans.len().max(1) as f64;
    let regions = regions.max(1) as f64;
    let per_span = (crowding(context) / SPANS_PER_BIN as f64).min(1.0 / (KNOT_BYTES * regions)).min(most / regions);
    let bins = |spans: &u64| even_bins(context.end, *spans as f64 * per_span);
    sizes
        .into_iter()
        .map(|(locations, spans)| Level { all, locations, bins: spans.iter().map(bins).collect() })
        .collect()
}

/// The narrowest bins of which there are no more than `most`, if that is more than one.
fn even_bins(end: Ns, most: f64) -> EvenBins {
    let end = end.0.max(0);
    let count = |log2_ns: u32| (end >> log2_ns) + 1;
    let log2_ns = (0..i64::BITS - 2).find(|log2_ns| count(*log2_ns) as f64 <= most.max(1.0)).unwrap_or(i64::BITS - 2);
    EvenBins { log2_ns, count: count(log2_ns) as usize }
}

/// How many times as close to each other spans lie as if they were spread evenly: the mean over spans.
fn crowding(context: &IndexContext) -> f64 {
    const CELLS: u64 = 1 << 12;
    let spans = &context.spans;
    let step = (spans.len() >> 18) | 1;
    let end = context.end.0.max(0).cast_unsigned();
    let width = end / CELLS + 1;
    let mut cells = vec![0u64; (end / width) as usize + 1];
    let last = cells.len() - 1;
    let mut starts = spans.start.cursor();
    for row in (0..spans.len()).step_by(step as usize) {
        cells[((starts.get(row).0.max(0).cast_unsigned() / width) as usize).min(last)] += 1;
    }
    let all: u64 = cells.iter().sum();
    // How many others share a span's cell, against how many would by chance.
    let others: f64 = cells.iter().map(|count| *count as f64 * (*count as f64 - 1.0)).sum();
    let by_chance = all as f64 * (all as f64 - 1.0) / cells.len() as f64;
    (others / by_chance.max(1.0)).clamp(1.0, MOST_CROWDED)
}

/// A place in the trace: a location, and a moment there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    location: u32,
    time: Ns,
}

/// What lies between two places.
type Chunk = (Place, Place);

/// Cuts the trace into chunks of about equal numbers of spans: as many as keep all threads busy, but no more than can each have
/// sums of their own.
fn chunks(context: &IndexContext, levels: &[Level], regions: usize) -> Vec<Chunk> {
    let whole = levels.last().map_or(0.0, |level| {
        level.bins.iter().map(|bins| bins.count() as f64).sum::<f64>() * regions as f64 * SUM_BYTES
    });
    let most = (context.memory as f64 / 8.0 / whole.max(1.0)) as usize;
    let count = (2 * rayon::current_num_threads()).min(most).max(1) as u64;
    let each = context.spans.len().div_ceil(count).max(LEAST_SPANS);
    let mut cuts = vec![Place { location: 0, time: Ns(0) }];
    let mut reached = 0;
    for (at, spans) in context.locations.spans.iter(0..context.locations.len()).enumerate() {
        let location = at as u32;
        while (reached + spans) / each >= cuts.len() as u64 {
            let inside = (cuts.len() as u64 * each - reached).min(spans);
            let row = context.spans_of(LocationId(location)).start + inside;
            cuts.push(match inside {
                _ if inside == spans => Place { location: location + 1, time: Ns(0) },
                _ if spans < LEAST_SPANS => Place { location, time: Ns(0) },
                _ => Place { location, time: context.spans.start.get(row).max(Ns(0)) },
            });
        }
        reached += spans;
    }
    cuts.push(Place { location: context.locations.len() as u32, time: Ns(0) });
    cuts.windows(2).map(|pair| (pair[0], pair[1])).filter(|(from, to)| from < to).collect()
}

/// The sums of the groups of one size that a chunk touches, in order.
type LevelSums = Vec<(usize, Sums<EvenBins>)>;

struct Builder<'a> {
    context: &'a IndexContext<'a>,
    numbers: &'a RegionNumbers,
    levels: &'a [Level],
    depths: &'a DepthIndex,
}

impl Builder<'_> {
    /// The sums of a chunk, the largest groups first.
    fn add_up(&self, (from, to): Chunk) -> Result<Vec<LevelSums>, StoreError> {
        let mut sums: Vec<LevelSums> = self.levels.iter().map(|_| Vec::new()).collect();
        let last = if to.time > Ns(0) { to.location + 1 } else { to.location };
        for location in from.location..last {
            self.context.progress.check()?;
            let time = (
                if location == from.location { from.time } else { Ns(0) },
                if location == to.location { to.time } else { Ns(i64::MAX) },
            );
            let mut groups = Vec::with_capacity(self.levels.len());
            for (level, sums) in self.levels.iter().zip(&mut sums) {
                let group = (location / level.locations) as usize;
                if sums.last().is_none_or(|(latest, _)| *latest != group) {
                    sums.push((group, Sums::new(level.bins[group].clone())));
                }
                groups.extend(sums.last_mut().map(|(_, sums)| sums));
            }
            let spans = self.add_location(LocationId(location), time, &mut groups);
            self.context.progress.advance(spans);
        }
        sums.reverse();
        Ok(sums)
    }

    /// Adds what a location does in some time; returns how many spans that took.
    fn add_location(&self, location: LocationId, time: (Ns, Ns), groups: &mut [&mut Sums<EvenBins>]) -> u64 {
        let (context, numbers) = (self.context, self.numbers);
        let rows = context.spans_of(location);
        let wants = |region: RegionId| numbers.counts(region);
        // Nothing lies behind the end of the trace.
        let until = time.1.min(Ns(context.end.0.max(0)));
        let add = |stretch: Stretch| {
            let (start, end) = (stretch.start.max(time.0).0, stretch.end.min(until).0);
            if start < end {
                let region = numbers.number(stretch.region);
                for sums in groups.iter_mut() {
                    sums.add(region, start, end);
                }
            }
        };
        if time == (Ns(0), Ns(i64::MAX)) {
            let spans = rows.end - rows.start;
            let mut stretches = Stretches::new(add);
            stretches.feed_rows(&context.spans, rows, wants);
            stretches.finish();
            return spans;
        }
        let sight = SpansInSight::of(&context.spans, self.depths, rows, time);
        let spans = sight.inside.end - sight.inside.start;
        sight.for_each_stretch_of(&context.spans, wants, add);
        spans
    }
}
