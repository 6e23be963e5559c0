//! How slow the messages of each pair of ranks are, and whether all the time or from some time on.

use heddle_model::RegionId;
use heddle_store::{Progress, StoreError};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::network::{Taken, at_most};
use super::usual::{Expected, Usual, median};
use super::way::{Ground, Way, ways};
use crate::histogram::Histogram;
use crate::rows::Rows;

/// A message is slow from so many times the usual on.
pub(super) const SLOW: f64 = 1.5;
/// A stretch in which messages are slow has at least so many.
const LEAST_MESSAGES: usize = 10;
/// So many of the messages of a slow stretch must be slow, and so few of those outside of it.
const MOSTLY: f64 = 0.75;
const RARELY: f64 = 0.1;
/// Ratios below are the clocks'.
pub(super) const LEAST_RATIO: f64 = 0.01;
/// Parts of the run in which the pace of all messages is kept.
pub(super) const PARTS: usize = 128;

/// How a message did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pace {
    /// Its sender's row.
    pub(super) sender: u32,
    /// When it was received.
    pub(super) end: i64,
    /// How many times the usual it took.
    pub(super) ratio: f64,
    /// How much longer than usual, in nanoseconds.
    pub(super) excess: f64,
    /// What it took, and what it should have.
    pub(super) found: f64,
    pub(super) usual: f64,
    /// Another message may have been the slow one.
    pub(super) shares: bool,
    pub(super) is_far: bool,
    /// The call that received it.
    pub(super) region: RegionId,
}

/// How a message did, if that is known.
fn judged(way: &Way, expected: Expected) -> Option<(f64, f64)> {
    let ratio = |time: i64| 1.0 + (time as f64 - expected.time) / expected.alone;
    if way.exact().is_some() {
        return Some((ratio(way.most), way.most as f64));
    }
    let (least, most) = (ratio(way.least), ratio(way.most));
    if most < SLOW {
        Some((most.min(1.0), (way.most as f64).min(expected.time)))
    } else if way.least > 0 && least >= SLOW && !way.shares {
        Some((least, way.least as f64))
    } else {
        None
    }
}

/// How the messages of a row did, in the order of receiving.
pub(super) fn paces(rows: &Rows<'_>, ways: &[Way], usual: &Usual) -> Vec<Pace> {
    let mut paces = Vec::with_capacity(ways.len());
    let pace = |way: &Way, ratio: f64, found: f64, expected: Expected, shares: bool| Pace {
        sender: way.sender,
        end: way.end,
        ratio,
        excess: found - expected.time,
        found,
        usual: expected.time,
        shares,
        is_far: way.class.is_far,
        region: rows.store.spans.region.get(way.call.0),
    };
    for together in ways.chunk_by(|a, b| a.call == b.call && a.end == b.end) {
        let expected = |way: &Way| usual.of_class(way.class).or_else(|| usual.as_if_alone(way.class, way.most as f64));
        let known = |way: &Way| Some((*way, expected(way)?));
        let known: Vec<(Way, Expected)> = together.iter().filter_map(known).collect();
        let before = paces.len();
        paces.extend(known.iter().filter_map(|(way, expected)| {
            let (ratio, found) = judged(way, *expected)?;
            Some(pace(way, ratio, found, *expected, false))
        }));
        // Nobody can have come in time: one of them is slow, whichever it is.
        let at_least = |way: &Way, expected: &Expected| 1.0 + (way.least as f64 - expected.time) / expected.alone;
        let all_slow = known.iter().all(|(way, expected)| way.least > 0 && at_least(way, expected) >= SLOW);
        if together.len() > 1 && paces.len() == before && known.len() == together.len() && all_slow {
            paces.extend(
                known
                    .iter()
                    .map(|(way, expected)| pace(way, at_least(way, expected), way.least as f64, *expected, true)),
            );
        }
    }
    paces
}

/// How slow a pair is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Score {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) is_far: bool,
    /// How many messages tell.
    pub(super) messages: u32,
    /// How many of those in the stretch in which they are slow, or in the whole run, and how many of those are slow.
    pub(super) inside: u32,
    pub(super) slow: u32,
    /// How many times the usual they take: the median, in the stretch in which they are slow.
    pub(super) ratio: f64,
    /// All time in excess.
    pub(super) excess: f64,
    /// How much longer than usual they take: the median.
    pub(super) off: f64,
    /// What a typical message takes there, and usually.
    pub(super) found: f64,
    pub(super) usual: f64,
    /// Nearly all of them are slow, in the whole run or in a stretch.
    pub(super) is_slow: bool,
    /// Since when, until when; none for the whole run.
    pub(super) stretch: Option<(i64, i64)>,
    /// Part of the slow ones of which another may have been the slow one.
    pub(super) shared: f64,
    pub(super) region: RegionId,
}

/// What is known of all pairs.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// By receiver, then sender.
    pub(super) scores: Vec<Score>,
    /// How many times the usual messages take.
    pub(super) ratios: Histogram,
    /// By part of the run: how many times as long as the fastest messages take.
    pub(super) parts: Vec<Histogram>,
    /// What messages took whose time is known.
    pub(super) taken: Taken,
    /// What a message takes, in the middle.
    pub(super) typical: Option<f64>,
}

/// What one row's receives tell.
#[derive(Default)]
struct OfRow {
    scores: Vec<Score>,
    parts: FxHashMap<usize, Histogram>,
    taken: Taken,
    times: Histogram,
    ratios: Histogram,
}

impl Pairs {
    /// How much single messages vary: the standard deviation of the logarithm of how many times the usual they take.
    pub(super) fn spread(&self, ground: &Ground) -> f64 {
        let log = |part: f64| self.ratios.quantile(part).map_or(0.0, |ratio| ratio.max(LEAST_RATIO).ln());
        let middle = ground.middle(true);
        // Many may be slow for a reason: those that are slower than the middle count only near it.
        ((log(middle) - log(0.5 * middle)) / 0.6745).max((log(1.2 * middle) - log(middle)) / 0.2533)
    }

    /// Judges all pairs.
    pub(super) fn new(
        rows: &Rows<'_>,
        ground: &Ground,
        usual: &Usual,
        progress: &dyn Progress,
    ) -> Result<Pairs, StoreError> {
        let of_row = |row: usize| -> Result<OfRow, StoreError> {
            progress.check()?;
            let found = of_row(rows, ground, usual, row);
            progress.advance(1);
            Ok(found)
        };
        let mut typical = Histogram::default();
        let mut pairs = Pairs { parts: vec![Histogram::default(); PARTS], ..Pairs::default() };
        for batch in rows.batches() {
            let found: Vec<OfRow> = batch.into_par_iter().map(of_row).collect::<Result<_, _>>()?;
            pairs.take(found, &mut typical);
        }
        pairs.typical = typical.quantile(0.5);
        Ok(pairs)
    }

    /// Adds what some rows tell, in their order.
    fn take(&mut self, found: Vec<OfRow>, typical: &mut Histogram) {
        for of_row in found {
            self.scores.extend(of_row.scores);
            self.taken.merge(of_row.taken);
            typical.merge(of_row.times);
            self.ratios.merge(of_row.ratios);
            for (part, histogram) in of_row.parts {
                self.parts[part].merge(histogram);
            }
        }
    }
}

fn of_row(rows: &Rows<'_>, ground: &Ground, usual: &Usual, row: usize) -> OfRow {
    let ways = ways(rows, ground, row);
    let mut paces = paces(rows, &ways, usual);
    let mut found = OfRow::default();
    let (start, length) = (rows.run.0.0, rows.run.1.since(rows.run.0).max(1));
    for (way, time) in ways.iter().filter_map(|way| Some((way, way.exact()? as f64))) {
        let latency = usual.latency(way.class).unwrap_or(0.0);
        let at_most = at_most(way.bytes as f64 + way.class.bytes_ahead());
        let is_slow = usual.of_class(way.class).is_some_and(|expected| expected.time > at_most);
        found.taken.add(time, latency, is_slow);
        if let Some(ratio) = usual.fastest(way.class).map(|fastest| time / fastest) {
            let part = (i128::from(way.end - start) * PARTS as i128 / i128::from(length)).clamp(0, PARTS as i128 - 1);
            found.parts.entry(part as usize).or_default().add(ratio);
            found.times.add(time);
        }
    }
    for pace in paces.iter().filter(|pace| !pace.shares) {
        found.ratios.add(pace.found / pace.usual);
    }
    paces.sort_by_key(|pace| (pace.sender, pace.end));
    for pair in paces.chunk_by(|a, b| a.sender == b.sender) {
        found.scores.extend(score(pair, row as u32));
    }
    found
}

fn slow_among(paces: &[Pace]) -> usize {
    paces.iter().filter(|pace| pace.ratio >= SLOW).count()
}

/// The score of a pair, from its messages in the order of time.
fn score(pair: &[Pace], to: u32) -> Option<Score> {
    let whole = slow_among(pair) as f64 >= MOSTLY * pair.len() as f64;
    let slow_stretch = if whole { None } else { stretch(pair) };
    let inside = slow_stretch.map_or(pair, |(from, to)| &pair[from..to]);
    let middle = |value: fn(&Pace) -> f64| median(&mut inside.iter().map(value).collect::<Vec<_>>());
    let ratio = middle(|pace| pace.ratio)?;
    let typical = inside.iter().min_by(|a, b| (a.ratio - ratio).abs().total_cmp(&(b.ratio - ratio).abs()))?;
    let slow: Vec<&Pace> = inside.iter().filter(|pace| pace.ratio >= SLOW).collect();
    let shared = slow.iter().filter(|pace| pace.shares).count() as f64 / slow.len().max(1) as f64;
    Some(Score {
        from: pair[0].sender,
        to,
        is_far: pair[0].is_far,
        messages: pair.len() as u32,
        inside: inside.len() as u32,
        slow: slow.len() as u32,
        ratio,
        excess: inside.iter().map(|pace| pace.excess).sum(),
        off: middle(|pace| pace.excess)?,
        found: typical.found,
        usual: typical.usual,
        is_slow: whole || slow_stretch.is_some(),
        stretch: slow_stretch.map(|(from, to)| (pair[from].end - pair[from].found as i64, pair[to - 1].end)),
        shared,
        region: pair[0].region,
    })
}

/// The stretch of a pair's messages in which most are slow, if hardly any outside of it are.
fn stretch(pair: &[Pace]) -> Option<(usize, usize)> {
    // The run of messages with the largest sum, where a slow one counts 1 and another as much less as makes up for those that
    // may be among the slow.
    const OTHER: f64 = -MOSTLY / (1.0 - MOSTLY);
    let (mut best, mut best_range) = (0.0, None);
    let (mut sum, mut from) = (0.0, 0);
    for (at, pace) in pair.iter().enumerate() {
        sum += if pace.ratio >= SLOW { 1.0 } else { OTHER };
        if sum <= 0.0 {
            (sum, from) = (0.0, at + 1);
        } else if sum > best {
            (best, best_range) = (sum, Some((from, at + 1)));
        }
    }
    let (from, to) = best_range?;
    let outside = pair.len() - (to - from);
    let slow_outside = slow_among(&pair[..from]) + slow_among(&pair[to..]);
    (to - from >= LEAST_MESSAGES && slow_outside as f64 <= RARELY * outside as f64).then_some((from, to))
}
