//! How many ranks wait because of what a row does, at any time.
//!
//! A charge says that a row's time in a function, between two moments, cost others so much. Spread over that time it is a
//! rate: nanoseconds of waiting per nanosecond, which is how many ranks wait for it. Charges that overlap add up. Kept are,
//! per function, the moments at which the rate changes; the row's calls say when it is in that function. Waiting inside a
//! call that communicates is no work, and has no rate.

use heddle_diagnosis::run::Run;
use heddle_diagnosis::waits::Wait;
use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::Store;

use crate::lookup::enclosing::spans_in;

/// From a moment on, so many ranks wait while the row is in the function.
#[derive(Clone, Copy, Debug)]
struct Step {
    time: i64,
    rate: f32,
}

/// The rates of a row.
#[derive(Debug, Default)]
pub(crate) struct RowRates {
    /// Functions that are charged, ascending, and where their steps end.
    regions: Vec<(RegionId, u32)>,
    /// Of one function after the other, by time.
    steps: Vec<Step>,
}

/// A function's time that is charged.
struct Interval {
    region: RegionId,
    from: i64,
    to: i64,
    cost: f64,
}

/// What is left of sums of rates that should cancel.
const NOTHING: f64 = 1e-6;

/// Rates by powers of the square root of 2, from 2⁻⁸ on.
pub(super) const BUCKETS: usize = 72;

pub(super) fn bucket(rate: f32) -> usize {
    (((rate.max(1e-6).log2() + 8.0) * 2.0).max(0.0) as usize).min(BUCKETS - 1)
}

/// The upper end of a bucket.
pub(super) fn upper(bucket: usize) -> f32 {
    2f32.powf(bucket as f32 / 2.0 - 7.5)
}

impl RowRates {
    pub(super) fn new(store: &Store, run: &Run, row: usize, location: LocationId) -> RowRates {
        let intervals = intervals(run, row);
        if intervals.is_empty() {
            return RowRates::default();
        }
        let mut rates = RowRates::default();
        let mut times = Times::new(&intervals);
        times.fill(store, run.waits.of(row), location);
        let mut changes: Vec<(i64, f64)> = Vec::new();
        for of_region in intervals.chunk_by(|a, b| a.region == b.region) {
            let region = of_region[0].region;
            changes.clear();
            for interval in of_region {
                let length = times.between(region, interval.from, interval.to);
                if length > 0 {
                    let rate = interval.cost / length as f64;
                    changes.extend([(interval.from, rate), (interval.to, -rate)]);
                }
            }
            changes.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let mut rate = 0.0;
            for of_moment in changes.chunk_by(|a, b| a.0 == b.0) {
                rate += of_moment.iter().map(|(_, change)| change).sum::<f64>();
                let shown = if rate < NOTHING { 0.0 } else { rate as f32 };
                rates.steps.push(Step { time: of_moment[0].0, rate: shown });
            }
            rates.regions.push((region, rates.steps.len() as u32));
        }
        rates.steps.shrink_to_fit();
        rates
    }

    /// Whether it made nobody wait.
    pub(crate) fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    fn steps_of(&self, region: RegionId) -> &[Step] {
        let Ok(at) = self.regions.binary_search_by_key(&region, |(region, _)| *region) else { return &[] };
        let first = at.checked_sub(1).map_or(0, |before| self.regions[before].1);
        &self.steps[first as usize..self.regions[at].1 as usize]
    }

    /// Calls `visit` with the parts of a stretch in a function in which others wait for it, and how many do.
    fn for_each_part(&self, region: RegionId, (from, to): (i64, i64), mut visit: impl FnMut(Ns, Ns, f32)) {
        let steps = self.steps_of(region);
        let first = steps.partition_point(|step| step.time <= from).saturating_sub(1);
        for at in first..steps.len() {
            let step = steps[at];
            if step.time >= to {
                break;
            }
            let end = steps.get(at + 1).map_or(to, |next| next.time.min(to));
            let begin = step.time.max(from);
            if step.rate > 0.0 && end > begin {
                visit(Ns(begin), Ns(end), step.rate);
            }
        }
    }

    /// Calls `visit` with every stretch of a window in which others wait for this row, and how many do, in order of time;
    /// of functions for which `wanted` holds.
    pub(crate) fn for_each(
        &self,
        store: &Store,
        (waits, location): (&[Wait], LocationId),
        window: (Ns, Ns),
        wanted: impl Fn(RegionId) -> bool,
        mut visit: impl FnMut(Ns, Ns, f32),
    ) {
        if self.is_empty() {
            return;
        }
        for_each_work(store, waits, location, window, |region, from, to| {
            if wanted(region) {
                self.for_each_part(region, (from, to), &mut visit);
            }
        });
    }
}

/// What a row is charged, by function, then time; of one stretch together.
fn intervals(run: &Run, row: usize) -> Vec<Interval> {
    let of_charge = |charge: &heddle_diagnosis::delays::Charge| Interval {
        region: charge.region,
        from: run.delays.since[charge.wait as usize],
        to: run.waits.list[charge.wait as usize].arrival,
        cost: f64::from(charge.cost),
    };
    let mut all: Vec<Interval> = run.delays.charges_of(row).iter().map(of_charge).collect();
    all.retain(|interval| interval.cost > 0.0 && interval.to > interval.from);
    all.sort_by_key(|interval| (interval.region, interval.from, interval.to));
    all.dedup_by(|next, kept| {
        let is_same = (next.region, next.from, next.to) == (kept.region, kept.from, kept.to);
        if is_same {
            kept.cost += next.cost;
        }
        is_same
    });
    all
}

/// Calls `visit` with every stretch of a row's work in a window: what it was in, without waiting; `NONE` outside of all
/// functions.
pub(crate) fn for_each_work(
    store: &Store,
    waits: &[Wait],
    location: LocationId,
    window: (Ns, Ns),
    mut visit: impl FnMut(RegionId, i64, i64),
) {
    let mut next = waits.partition_point(|wait| wait.end() <= window.0.0);
    let mut reached = window.0.0;
    let mut work = |region: RegionId, from: i64, to: i64| {
        let (mut from, to) = (from.max(window.0.0), to.min(window.1.0));
        while let Some(wait) = waits.get(next).filter(|wait| wait.enter < to) {
            if wait.enter > from {
                visit(region, from, wait.enter);
            }
            from = from.max(wait.end());
            if wait.end() > to {
                return;
            }
            next += 1;
        }
        if to > from {
            visit(region, from, to);
        }
    };
    spans_in(store, location, window).for_each_stretch(
        store,
        |_| true,
        |stretch| {
            if stretch.start.0 > reached {
                work(RegionId::NONE, reached, stretch.start.0);
            }
            work(stretch.region, stretch.start.0.max(reached), stretch.end.0);
            reached = reached.max(stretch.end.0);
        },
    );
    if window.1.0 > reached {
        work(RegionId::NONE, reached, window.1.0);
    }
}

/// When a row was in the functions that it is charged for.
struct Times {
    regions: Vec<(RegionId, Vec<Worked>)>,
    window: (Ns, Ns),
}

/// A stretch, and all time in the function before it.
struct Worked {
    from: i64,
    to: i64,
    before: i64,
}

impl Times {
    fn new(intervals: &[Interval]) -> Times {
        let mut regions: Vec<RegionId> = intervals.iter().map(|interval| interval.region).collect();
        regions.dedup();
        let from = intervals.iter().map(|interval| interval.from).min().unwrap_or(0);
        let to = intervals.iter().map(|interval| interval.to).max().unwrap_or(0);
        Times { regions: regions.into_iter().map(|region| (region, Vec::new())).collect(), window: (Ns(from), Ns(to)) }
    }

    fn fill(&mut self, store: &Store, waits: &[Wait], location: LocationId) {
        let regions = &mut self.regions;
        for_each_work(store, waits, location, self.window, |region, from, to| {
            let Ok(at) = regions.binary_search_by_key(&region, |(region, _)| *region) else { return };
            let list = &mut regions[at].1;
            let before = list.last().map_or(0, |last| last.before + last.to - last.from);
            list.push(Worked { from, to, before });
        });
    }

    /// All time in a function until a moment.
    fn until(list: &[Worked], time: i64) -> i64 {
        let after = list.partition_point(|worked| worked.from < time);
        let last = after.checked_sub(1).and_then(|at| list.get(at));
        last.map_or(0, |last| last.before + time.min(last.to) - last.from)
    }

    fn between(&self, region: RegionId, from: i64, to: i64) -> i64 {
        let Ok(at) = self.regions.binary_search_by_key(&region, |(region, _)| *region) else { return 0 };
        let list = &self.regions[at].1;
        Times::until(list, to) - Times::until(list, from)
    }
}
