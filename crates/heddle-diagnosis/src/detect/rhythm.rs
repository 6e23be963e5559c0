//! Interruptions at equal distances in time: something else takes the processor away, again and again.
//!
//! Such interruptions say for every visit by how much it is prolonged: by those that begin in it. A period, a length and a first
//! time are looked for that predict the excess of all visits, of the long ones and of the others.

use super::interrupted::Against;
use super::shape::Observed;
use super::stats::median;

/// Long visits that it takes.
pub(super) const LEAST_LONG: usize = 5;
/// Visits that are looked at, from the first.
const MOST_VISITS: usize = 256;
/// An interval is at least so many times as long as an interruption, and the run holds so many of them.
const LEAST_INTERVAL: f64 = 1.8;
const LEAST_INTERVALS: f64 = 4.0;
/// Shorter interruptions, as a share of the time that is looked at, cost nothing that matters; and they have too many periods.
const LEAST_BUSY: f64 = 0.000_5;
/// Share of the excess that is predicted, in squares; and how unlikely chance predicts as much, as a logarithm.
const LEAST_PREDICTED: f64 = 0.5;
const CERTAIN: f64 = 6.0;
/// Excess beyond so many interruptions counts as that.
const MOST_EXCESS: f64 = 3.0;
/// Where fewer visits than this fall into a period, it is that of the program.
const SEEN_VISITS: f64 = 1.5;

/// A rhythm that long visits keep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rhythm {
    pub(super) period: f64,
    /// How long an interruption takes.
    pub(super) busy: f64,
    /// Share of the excess that it predicts.
    pub(super) predicted: f64,
    /// How many visits are long.
    pub(super) long: usize,
    /// What they are longer than.
    pub(super) against: Against,
}

/// A visit with its excess.
struct Beat {
    start: f64,
    end: f64,
    excess: f64,
}

/// By how much a visit is prolonged: by those interruptions that begin in what it would take without, and by the rest of one that
/// it begins in. Where its excess ends does not count, else every excess would predict itself.
fn prolonged(beat: &Beat, period: f64, busy: f64, first: f64) -> f64 {
    let (start, end) = ((beat.start - first) / period, (beat.end - beat.excess.max(0.0) - first) / period);
    let rest = (busy - start.fract() * period).max(0.0);
    (end.floor() - start.floor()).max(0.0) * busy + rest
}

/// How much of the excess is predicted, in squares.
fn predicted(beats: &[Beat], period: f64, busy: f64, first: f64, whole: f64) -> f64 {
    let mut missed = 0.0;
    for beat in beats {
        missed += (beat.excess - prolonged(beat, period, busy, first)).powi(2);
    }
    1.0 - missed / whole.max(1.0)
}

/// Squares of the excess around the mean of each place: that places differ is no rhythm, though they come in turns.
fn varying(visits: &[Observed], beats: &[Beat]) -> f64 {
    let places = visits.iter().map(|visit| visit.place as usize + 1).max().unwrap_or(0);
    let mut sums = vec![(0.0, 0.0, 0.0); places];
    for (visit, beat) in visits.iter().zip(beats) {
        let (count, sum, squares) = &mut sums[visit.place as usize];
        (*count, *sum, *squares) = (*count + 1.0, *sum + beat.excess, *squares + beat.excess * beat.excess);
    }
    sums.iter().filter(|(count, _, _)| *count > 0.0).map(|(count, sum, squares)| squares - sum * sum / count).sum()
}

/// The rhythm of the visits of a row; `excess` is what one takes beyond what is usual for it, and whether that is no chance.
pub(super) fn rhythm(visits: &[Observed], excess: impl Fn(&Observed) -> (f64, bool)) -> Option<Rhythm> {
    let visits = &visits[..visits.len().min(MOST_VISITS)];
    let origin = visits.first()?.start;
    let mut lengths: Vec<f64> =
        visits.iter().map(&excess).filter(|(_, is_long)| *is_long).map(|(excess, _)| excess).collect();
    let long = lengths.len();
    if long < LEAST_LONG {
        return None;
    }
    let busy = median(&mut lengths);
    let beat = |visit: &Observed| Beat {
        start: (visit.start - origin) as f64,
        end: (visit.end - origin) as f64,
        excess: excess(visit).0.clamp(-busy, MOST_EXCESS * busy),
    };
    let beats: Vec<Beat> = visits.iter().map(beat).collect();
    let whole = varying(visits, &beats);
    let length = beats[beats.len() - 1].end;
    if busy < LEAST_BUSY * length {
        return None;
    }
    let anchor = beats.iter().filter(|beat| beat.excess >= 0.9 * busy).min_by(|a, b| {
        let of = |beat: &Beat| beat.end - beat.start;
        of(a).total_cmp(&of(b))
    })?;
    let mut tries = 1.0;
    let mut best = Rhythm { busy, long, ..Rhythm::default() };
    let mut period = length / LEAST_INTERVALS;
    let least = f64::max(LEAST_INTERVAL * busy, SEEN_VISITS * length / beats.len() as f64);
    while period >= least {
        // The interruption of the shortest long visit begins somewhere in it.
        let room = (anchor.end - anchor.start - busy).max(0.0);
        let phases = (2.0 * room / busy).ceil().min(32.0);
        for phase in 0..=phases as u32 {
            let share = if phases > 0.0 { f64::from(phase) / phases } else { 0.0 };
            let at = anchor.start + share * room;
            let first = at - (at / period).ceil() * period;
            let found = predicted(&beats, period, busy, first, whole);
            tries += 1.0;
            if found > best.predicted {
                best = Rhythm { period, predicted: found, ..best };
            }
        }
        // The interruption farthest away moves by half of its length.
        period /= 1.0 + 0.5 * busy / length;
    }
    let unlikely = -0.5 * beats.len() as f64 * (1.0 - best.predicted).max(1e-9).ln();
    (best.predicted >= LEAST_PREDICTED && unlikely >= f64::ln(tries) + CERTAIN).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visits(long: impl Fn(i64, i64) -> bool) -> Vec<Observed> {
        let mut time = 0;
        let visit = |at: i64| {
            let length = 1_000_000 + at * 7_919 % 100_000;
            let extra = if long(time, time + length) { 1_000_000 } else { 0 };
            let (start, end) = (time, time + length + extra);
            time = end + 50_000;
            Observed { place: 0, start, end, time: (end - start) as f64, usual: 1e6, excess: 0.0, evidence: 0.0 }
        };
        (0..200).map(visit).collect()
    }

    #[test]
    fn equal_distances_are_found_and_others_are_not() {
        let excess = |visit: &Observed| (visit.time - 1e6, visit.time > 1.5e6);
        let every = |period: i64| move |start: i64, end: i64| start / period != end / period;
        let found = rhythm(&visits(every(10_000_000)), excess).unwrap();
        assert!((found.period / 1e7 - 1.0).abs() < 0.02, "{found:?}");
        let by_chance = |start: i64, _: i64| (start as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60 == 3;
        assert_eq!(rhythm(&visits(by_chance), excess), None);
        assert_eq!(rhythm(&visits(|start, _| start > 200_000_000), excess), None);
    }
}
