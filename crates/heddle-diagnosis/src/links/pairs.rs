//! How slow the messages of each pair of ranks are, and whether all the time or from some time on.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use heddle_model::RegionId;
use heddle_store::{Progress, StoreError};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::usual::{Expected, Usual, median};
use super::way::{Ground, Way, ways};
use crate::histogram::Histogram;
use crate::rows::Rows;

/// A message is slow from so many times the usual on.
pub(super) const SLOW: f64 = 1.5;
/// A pair is not judged by fewer messages, unless it is very slow.
const LEAST_MESSAGES: usize = 10;
const FEW_MESSAGES: usize = 4;
const VERY_SLOW: f64 = 3.0;
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
        let known = |way: &Way| Some((*way, usual.of_class(way.class)?));
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
    /// What a message takes there, and usually.
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
    /// Pairs with enough messages, by receiver, then sender.
    pub(super) scores: Vec<Score>,
    /// By row: partners, near and far, and how many of them are slow.
    pub(super) partners: Vec<Partners>,
    /// By part of the run: how messages did.
    pub(super) parts: Vec<Histogram>,
    /// How many messages told anything.
    pub(super) judged: u64,
}

/// The partners of a row, by direction: received from, sent to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Partners {
    /// All partners, and those at other nodes.
    pub(super) all: [Tally; 2],
    pub(super) far: [Tally; 2],
    /// Whether there is more than one.
    pub(super) several: bool,
}

/// How many partners, and how many of them slow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) known: u32,
    pub(super) slow: u32,
}

impl Tally {
    pub(super) fn add(&mut self, other: Tally) {
        self.known += other.known;
        self.slow += other.slow;
    }
}

/// Tallies of senders, which all receivers add to.
struct Shared {
    counts: Vec<[AtomicU32; 4]>,
    lowest: Vec<AtomicU32>,
    highest: Vec<AtomicU32>,
}

impl Shared {
    fn new(rows: usize) -> Shared {
        let none = || [AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0)];
        Shared {
            counts: (0..rows).map(|_| none()).collect(),
            lowest: (0..rows).map(|_| AtomicU32::new(u32::MAX)).collect(),
            highest: (0..rows).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    fn meets(&self, row: u32, partner: u32) {
        self.lowest[row as usize].fetch_min(partner, Relaxed);
        self.highest[row as usize].fetch_max(partner, Relaxed);
    }

    fn sent(&self, row: u32, is_far: bool, is_slow: bool) {
        let counts = &self.counts[row as usize];
        counts[0].fetch_add(1, Relaxed);
        counts[1].fetch_add(u32::from(is_slow), Relaxed);
        counts[2].fetch_add(u32::from(is_far), Relaxed);
        counts[3].fetch_add(u32::from(is_far && is_slow), Relaxed);
    }
}

/// What one row's receives tell.
#[derive(Default)]
struct OfRow {
    scores: Vec<Score>,
    all: Tally,
    far: Tally,
    parts: FxHashMap<usize, Histogram>,
    judged: u64,
}

impl Pairs {
    /// How much single messages vary: the standard deviation of the logarithm of how many times the usual they take, from the
    /// quarters.
    pub(super) fn spread(&self) -> f64 {
        let mut all = Histogram::default();
        self.parts.iter().for_each(|part| all.merge(part.clone()));
        match (all.quantile(0.25), all.quantile(0.75)) {
            (Some(low), Some(high)) => (high.max(LEAST_RATIO) / low.max(LEAST_RATIO)).ln() / 1.349,
            _ => 0.0,
        }
    }

    /// Judges all pairs.
    pub(super) fn new(
        rows: &Rows<'_>,
        ground: &Ground,
        usual: &Usual,
        progress: &dyn Progress,
    ) -> Result<Pairs, StoreError> {
        let shared = Shared::new(rows.len());
        let of_row = |row: usize| -> Result<OfRow, StoreError> {
            progress.check()?;
            let found = of_row(rows, ground, usual, row, &shared);
            progress.advance(1);
            Ok(found)
        };
        let found: Vec<OfRow> = (0..rows.len()).into_par_iter().map(of_row).collect::<Result<_, _>>()?;
        let mut pairs = Pairs { parts: vec![Histogram::default(); PARTS], ..Pairs::default() };
        for (row, of_row) in found.into_iter().enumerate() {
            pairs.scores.extend(of_row.scores);
            pairs.judged += of_row.judged;
            for (part, histogram) in of_row.parts {
                pairs.parts[part].merge(histogram);
            }
            let [all, slow, far, far_slow] = &shared.counts[row];
            let tally =
                |known: &AtomicU32, slow: &AtomicU32| Tally { known: known.load(Relaxed), slow: slow.load(Relaxed) };
            pairs.partners.push(Partners {
                all: [of_row.all, tally(all, slow)],
                far: [of_row.far, tally(far, far_slow)],
                several: shared.lowest[row].load(Relaxed) < shared.highest[row].load(Relaxed),
            });
        }
        Ok(pairs)
    }
}

fn of_row(rows: &Rows<'_>, ground: &Ground, usual: &Usual, row: usize, shared: &Shared) -> OfRow {
    let mut paces = paces(rows, &ways(rows, ground, row), usual);
    let mut found = OfRow { judged: paces.len() as u64, ..OfRow::default() };
    let (start, length) = (rows.run.0.0, rows.run.1.since(rows.run.0).max(1));
    for pace in paces.iter().filter(|pace| !pace.shares) {
        let part = (i128::from(pace.end - start) * PARTS as i128 / i128::from(length)).clamp(0, PARTS as i128 - 1);
        found.parts.entry(part as usize).or_default().add(pace.ratio);
    }
    paces.sort_by_key(|pace| (pace.sender, pace.end));
    for pair in paces.chunk_by(|a, b| a.sender == b.sender) {
        let first = pair[0];
        let is_slow = slow_among(pair) as f64 >= MOSTLY * pair.len() as f64;
        found.all.add(Tally { known: 1, slow: u32::from(is_slow) });
        if first.is_far {
            found.far.add(Tally { known: 1, slow: u32::from(is_slow) });
        }
        shared.sent(first.sender, first.is_far, is_slow);
        shared.meets(first.sender, row as u32);
        shared.meets(row as u32, first.sender);
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
    let is_enough = inside.len() >= LEAST_MESSAGES || (inside.len() >= FEW_MESSAGES && whole && ratio >= VERY_SLOW);
    if !is_enough {
        return None;
    }
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
        found: middle(|pace| pace.found)?,
        usual: middle(|pace| pace.usual)?,
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
