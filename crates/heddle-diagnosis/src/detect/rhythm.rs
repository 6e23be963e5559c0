//! Interruptions at equal distances in time: something else takes the processor away, again and again.
//!
//! What counts is when long visits are, not how long. Interruptions that fall into communication are not seen, so distances may
//! be multiples of the period. Programs have a rhythm of their own: the long visits must keep time better than all visits do.

use super::shape::Observed;
use super::stats::median;

/// Long visits that it takes.
pub(super) const LEAST_LONG: usize = 5;
/// More of them are not looked at.
const MOST_LONG: usize = 256;
/// Periods are tried this close to each other, as a share of the phase that the last visit has.
const FINE: f64 = 0.15;
/// How well long visits keep time: 1 is perfectly.
const LEAST_COHERENT: f64 = 0.75;
/// And how much better than all visits.
const MORE_COHERENT: f64 = 0.25;
/// A period holds at least so many visits.
const LEAST_VISITS: f64 = 1.6;
/// Share of the interruptions that must be seen.
const LEAST_SEEN: f64 = 0.4;
/// How unlikely chance is to keep time so well, as a logarithm.
const CERTAIN: f64 = 3.0;

/// A rhythm that long visits keep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rhythm {
    pub(super) period: f64,
    pub(super) coherent: f64,
    /// How many visits are long.
    pub(super) long: usize,
    /// What they take in excess, the median in nanoseconds.
    pub(super) excess: f64,
    /// Whether chance can hardly make such a rhythm.
    pub(super) is_certain: bool,
}

/// Middle of a visit.
fn middle(visit: &Observed) -> f64 {
    0.5 * (visit.start as f64 + visit.end as f64)
}

/// How well times agree on a phase of a period.
fn coherence(times: &[f64], period: f64) -> f64 {
    let (mut x, mut y) = (0.0, 0.0);
    for time in times {
        let phase = (time / period).fract() * std::f64::consts::TAU;
        x += phase.cos();
        y += phase.sin();
    }
    x.hypot(y) / times.len().max(1) as f64
}

/// The rhythm of the visits that are long.
pub(super) fn rhythm(visits: &[Observed], is_long: impl Fn(&Observed) -> bool) -> Option<Rhythm> {
    let long: Vec<&Observed> = visits.iter().filter(|visit| is_long(visit)).take(MOST_LONG).collect();
    if long.len() < LEAST_LONG {
        return None;
    }
    let first = middle(long[0]);
    let times: Vec<f64> = long.iter().map(|visit| middle(visit) - first).collect();
    let length = times[times.len() - 1];
    let last = visits.partition_point(|visit| middle(visit) - first <= length);
    let begin = visits.partition_point(|visit| middle(visit) < first);
    let all: Vec<f64> = visits[begin..last.max(begin)].iter().map(|visit| middle(visit) - first).collect();
    let between = length / (times.len() - 1) as f64;
    let least = (LEAST_VISITS * length / all.len().max(1) as f64).max(LEAST_SEEN * between);
    let mut best: Option<(f64, f64)> = None;
    let mut period = 1.15 * between;
    let mut tries = 1.0;
    while period > least {
        let found = coherence(&times, period);
        if found > best.map_or(0.0, |(_, most)| most) + 0.02 {
            best = Some((period, found));
        }
        tries += FINE;
        // The phase of the last visit moves by a fixed share.
        period /= 1.0 + FINE * period / length;
    }
    let (period, _) = best?;
    let (period, coherent) = refined(&times, period, length);
    if coherent < LEAST_COHERENT || coherent < coherence(&all, period) + MORE_COHERENT {
        return None;
    }
    let excess = median(&mut long.iter().map(|visit| visit.time - visit.usual).collect::<Vec<f64>>());
    let is_certain = times.len() as f64 * coherent * coherent >= f64::ln(tries) + CERTAIN;
    Some(Rhythm { period, coherent, long: long.len(), excess, is_certain })
}

/// The best period near another.
fn refined(times: &[f64], near: f64, length: f64) -> (f64, f64) {
    let step = 0.02 * near * near / length;
    let tried = (-20..=20).map(|at| near + f64::from(at) * step);
    tried.map(|period| (period, coherence(times, period))).fold((near, 0.0), |best, one| if one.1 > best.1 { one } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visits(long: impl Fn(i64, i64) -> bool) -> Vec<Observed> {
        let mut time = 0;
        (0..400)
            .map(|at| {
                let length = 1_000_000 + at * 7_919 % 100_000;
                let extra = if long(time, time + length) { 1_000_000 } else { 0 };
                let (start, end) = (time, time + length + extra);
                time = end + 50_000;
                Observed {
                    place: 0,
                    start,
                    end,
                    time: (end - start) as f64,
                    usual: 1e6,
                    excess: 0.0,
                    evidence: 0.0,
                }
            })
            .collect()
    }

    #[test]
    fn equal_distances_are_found_and_others_are_not() {
        let is_long = |visit: &Observed| visit.time > 1.5e6;
        let every = |period: i64| move |start: i64, end: i64| start / period != end / period;
        let found = rhythm(&visits(every(10_000_000)), is_long).unwrap();
        assert!((found.period / 1e7 - 1.0).abs() < 0.01, "{found:?}");
        let by_chance = |start: i64, _: i64| (start as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60 == 3;
        assert_eq!(rhythm(&visits(by_chance), is_long), None);
    }
}
