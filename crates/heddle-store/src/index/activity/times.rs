//! What the index answers: time in regions between moments, put together from groups and from spans.

use std::ops::Range;

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId};

use super::RegionNumbers;
use super::sums::{Between, Sums};
use crate::Store;
use crate::index::sight::SpansInSight;

/// Between two moments that may be moved there are at least so many bins: a moment moves by a sixth of the way, at most.
const LEAST_BINS: i64 = 3;

/// Time that some locations spent in each region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionTimes {
    /// The moments between which time was added up. The first and the last are those asked for.
    pub edges: Vec<Ns>,
    /// Nanoseconds in each region, from each moment to the next, summed over the locations. A region without any may be missing.
    pub regions: Vec<(RegionId, Vec<u64>)>,
}

impl Store {
    /// The time that locations spent in each region that communicates, or in each if none does, between moments in ascending
    /// order. Only what is innermost counts, so time counts once.
    ///
    /// All sums are exact. If it takes more than about `visits` spans to know them for just these moments, those between the
    /// first and the last are moved, by at most a sixth of the way to the next one.
    pub fn region_times(&self, locations: &[LocationId], edges: &[Ns], visits: u64) -> RegionTimes {
        let all = self.regions.len() as usize;
        let index = &self.activity;
        let numbers = RegionNumbers::of(index.regions.region.iter(0..index.regions.len()).collect(), all);
        let mut edges = edges.to_vec();
        if edges.len() < 2 {
            return RegionTimes { edges, regions: Vec::new() };
        }
        let question = Question { store: self, numbers: &numbers, chosen: Chosen::of(self, locations) };
        let plan = question.plan(&edges, visits);
        if let Some(log2_ns) = plan.groups.iter().map(|group| group.log2_ns).max() {
            move_to_bins(&mut edges, log2_ns);
        }
        let regions = question.answer(&plan, &edges);
        RegionTimes { edges, regions }
    }
}

/// Moves all moments but the first and the last to the nearest edge of a bin.
fn move_to_bins(edges: &mut [Ns], log2_ns: u32) {
    let last = edges.len() - 1;
    for edge in &mut edges[1..last] {
        *edge = Ns(edge.0.saturating_add((1 << log2_ns) >> 1) >> log2_ns << log2_ns);
    }
}

/// Which locations are asked for.
struct Chosen {
    /// Locations with spans.
    locations: Vec<LocationId>,
    /// How many locations before each one, or in all, have spans but are not asked for.
    others: Vec<u32>,
}

impl Chosen {
    fn of(store: &Store, locations: &[LocationId]) -> Chosen {
        let all = store.locations.len() as usize;
        let mut is_chosen = vec![false; all];
        for location in locations {
            if let Some(chosen) = is_chosen.get_mut(location.index()) {
                *chosen = true;
            }
        }
        let (mut chosen, mut others) = (Vec::new(), vec![0]);
        let mut left_out = 0;
        for (at, spans) in store.locations.spans.iter(0..all as u64).enumerate() {
            if spans > 0 && is_chosen[at] {
                chosen.push(LocationId(at as u32));
            }
            left_out += u32::from(spans > 0 && !is_chosen[at]);
            others.push(left_out);
        }
        Chosen { locations: chosen, others }
    }

    /// Whether all locations of a group that have spans are asked for.
    fn has_all(&self, group: &Range<usize>) -> bool {
        self.others[group.start] == self.others[group.end]
    }
}

/// A group whose bins are used.
struct Group {
    log2_ns: u32,
    series: Range<u64>,
    locations: Range<usize>,
}

/// How a question is answered.
struct Plan {
    groups: Vec<Group>,
    /// Time of locations that their spans must tell.
    visits: Vec<(LocationId, (Ns, Ns))>,
    /// Regions that are listed even without time.
    listed: Vec<bool>,
}

struct Question<'a> {
    store: &'a Store,
    numbers: &'a RegionNumbers,
    chosen: Chosen,
}

impl Question<'_> {
    fn plan(&self, edges: &[Ns], visits: u64) -> Plan {
        let (store, index) = (self.store, &self.store.activity);
        let (from, to) = (edges[0], edges[edges.len() - 1]);
        let mut plan = Plan { groups: Vec::new(), visits: Vec::new(), listed: vec![false; self.numbers.regions.len()] };
        // Between two moments alone bins are as exact as spans.
        let bins_help = edges.len() == 2 || self.spans_between(from, to) > visits;
        let narrowest = edges.windows(2).map(|pair| pair[1].since(pair[0])).min().unwrap_or(0);
        let is_fine = |log2_ns: u32| narrowest >> log2_ns >= LEAST_BINS;
        let mut is_covered = vec![false; store.locations.len() as usize];
        for row in 0..index.groups.len() {
            let (first, last) = (index.groups.first_location.get(row), index.groups.last_location.get(row));
            let locations = first.index()..(last.index() + 1).min(is_covered.len());
            if locations.is_empty() || !self.chosen.has_all(&locations) {
                continue;
            }
            let first = index.groups.first.get(row).min(index.series.len());
            let series = first..(first + u64::from(index.groups.count.get(row))).min(index.series.len());
            if index.groups.size.get(row) == 0 {
                for at in series.clone() {
                    if let Some(is_listed) = plan.listed.get_mut(index.series.region.get(at) as usize) {
                        *is_listed = true;
                    }
                }
            }
            let log2_ns = u32::from(index.groups.bin_log2.get(row)).min(i64::BITS - 2);
            if bins_help && !is_covered[locations.start] && is_fine(log2_ns) {
                is_covered[locations.clone()].fill(true);
                plan.groups.push(Group { log2_ns, series, locations });
            }
        }
        let whole = (from, to);
        let end = Ns(store.summary().end_ns);
        let mut visit = |location: LocationId, time: (Ns, Ns)| {
            if time.0 < time.1.min(end) {
                plan.visits.push((location, time));
            }
        };
        for group in &plan.groups {
            let bins = self.bins(group, whole);
            for location in group.locations.clone().map(|at| LocationId(at as u32)) {
                if store.locations.spans.get(u64::from(location.0)) > 0 {
                    visit(location, (from, Ns(bins.start << group.log2_ns)));
                    visit(location, (Ns(bins.end << group.log2_ns).max(from), to));
                }
            }
        }
        for location in self.chosen.locations.iter().filter(|location| !is_covered[location.index()]) {
            visit(*location, whole);
        }
        plan
    }

    /// About how many spans there are in a stretch of time.
    fn spans_between(&self, from: Ns, to: Ns) -> u64 {
        let store = self.store;
        let spans: u64 =
            self.chosen.locations.iter().map(|location| store.locations.spans.get(u64::from(location.0))).sum();
        let end = store.summary().end_ns.max(1);
        let inside = to.0.min(end).saturating_sub(from.0.max(0)).max(0);
        (spans as f64 * inside as f64 / end as f64) as u64
    }

    /// The bins of a group that lie in a window as a whole, or begin where nothing follows.
    fn bins(&self, group: &Group, (from, to): (Ns, Ns)) -> Range<i64> {
        let up = |time: Ns| (time.0.max(0) >> group.log2_ns) + i64::from(time.0 & ((1 << group.log2_ns) - 1) > 0);
        let end = Ns(self.store.summary().end_ns);
        let last = if to >= end { up(end) } else { to.0.max(0) >> group.log2_ns };
        up(from)..last.max(up(from))
    }

    fn answer(&self, plan: &Plan, edges: &[Ns]) -> Vec<(RegionId, Vec<u64>)> {
        let visited = self.visit(&plan.visits, edges);
        let whole = (edges[0], edges[edges.len() - 1]);
        let series: Vec<(&Group, u64)> =
            plan.groups.iter().flat_map(|group| group.series.clone().map(move |series| (group, series))).collect();
        let of_series: Vec<(usize, Vec<u64>)> = series
            .into_par_iter()
            .map(|(group, series)| {
                let bins = self.bins(group, whole);
                let last = edges.len() - 1;
                let bin = |at: usize| match at {
                    0 => bins.start,
                    _ if at == last => bins.end,
                    _ => edges[at].0 >> group.log2_ns,
                };
                let times = self.store.activity.between(series, (0..=last).map(bin));
                (self.store.activity.series.region.get(series) as usize, times)
            })
            .collect();
        let mut sums: Vec<Option<Vec<u64>>> = vec![None; self.numbers.regions.len()];
        let mut add = |region: usize, times: &mut dyn Iterator<Item = u64>| {
            let Some(sum) = sums.get_mut(region) else { return };
            let sum = sum.get_or_insert_with(|| vec![0; edges.len() - 1]);
            sum.iter_mut().zip(times).for_each(|(sum, time)| *sum = sum.wrapping_add(time));
        };
        for (region, times) in of_series {
            add(region, &mut times.into_iter());
        }
        for region in 0..visited.regions() {
            add(region, &mut visited.of_region(region));
        }
        let named = sums.into_iter().enumerate().filter_map(|(region, sum)| {
            let is_listed = plan.listed[region];
            let times = sum.or_else(|| is_listed.then(|| vec![0; edges.len() - 1]))?;
            (is_listed || times.iter().any(|time| *time > 0)).then(|| (self.numbers.regions[region], times))
        });
        named.collect()
    }

    /// Adds up spans.
    fn visit<'e>(&self, visits: &[(LocationId, (Ns, Ns))], edges: &'e [Ns]) -> Sums<Between<'e>> {
        let (store, numbers) = (self.store, self.numbers);
        let bins = Between::new(edges);
        let each = visits.len().div_ceil(4 * rayon::current_num_threads()).max(1);
        let of_chunk = |chunk: &[(LocationId, (Ns, Ns))]| {
            let mut sums = Sums::new(bins.clone());
            for (location, time) in chunk {
                let sight = SpansInSight::of(&store.spans, &store.depths, store.spans_of(*location), *time);
                sight.for_each_stretch(
                    store,
                    |region| numbers.counts(region),
                    |stretch| {
                        let (start, end) = (stretch.start.max(time.0), stretch.end.min(time.1));
                        if start < end {
                            sums.add(numbers.number(stretch.region), start.0, end.0);
                        }
                    },
                );
            }
            sums
        };
        let merged = |mut one: Sums<Between<'e>>, other: Sums<Between<'e>>| {
            one.merge(&other);
            one
        };
        visits.par_chunks(each).map(of_chunk).reduce(|| Sums::new(bins.clone()), merged)
    }
}

impl super::ActivityIndex {
    /// Time in a series between the edges of bins, which ascend.
    fn between(&self, series: u64, bins: impl Iterator<Item = i64>) -> Vec<u64> {
        let first = self.series.first.get(series);
        let rows = first..first.saturating_add(u64::from(self.series.count.get(series))).min(self.knots.len());
        let (mut edges, mut before) = (self.knots.bin.cursor(), self.knots.before.cursor());
        let mut next = rows.start;
        let mut times = Vec::new();
        let mut reached = None;
        for bin in bins {
            next = self.first_knot_after(next..rows.end, bin);
            let time = match next.checked_sub(1).filter(|knot| *knot >= rows.start) {
                None => 0,
                Some(knot) if next >= rows.end => before.get(knot),
                Some(knot) => {
                    let (since, sum) = (i64::from(edges.get(knot)), before.get(knot));
                    let bins = (i64::from(edges.get(next)) - since).max(1);
                    let growth = before.get(next).wrapping_sub(sum) / bins.cast_unsigned();
                    sum.wrapping_add(growth.wrapping_mul((bin - since).cast_unsigned()))
                }
            };
            if let Some(reached) = reached {
                times.push(time.wrapping_sub(reached));
            }
            reached = Some(time);
        }
        times
    }

    /// The first of some knots whose edge lies behind that of a bin: in steps that double, as most are near.
    fn first_knot_after(&self, knots: Range<u64>, bin: i64) -> u64 {
        let is_before = |edge: u32| i64::from(edge) <= bin;
        let (mut from, mut step) = (knots.start, 1);
        while from + step <= knots.end && is_before(self.knots.bin.get(from + step - 1)) {
            from += step;
            step *= 2;
        }
        self.knots.bin.partition_point(from..(from + step).min(knots.end), is_before)
    }
}
