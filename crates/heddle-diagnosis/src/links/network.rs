//! Whether the network as a whole is slow: slower than it was, or than any of today should be.
//!
//! A run that is slow from end to end has nothing to be compared with. Then the network is blamed only if its messages are
//! slow by any measure, all of them alike, and take much of the run; else it is said how much that is, and nobody is blamed.
//! Where messages vary much, it is the processors that were late to take them, not the network.

use heddle_model::{LocationId, Ns, RegionId};

use super::pairs::{LEAST_RATIO, PARTS, Pairs, SLOW};
use super::together::Together;
use super::usual::{Usual, median};
use super::way::Ground;
use crate::efficiency::Efficiency;
use crate::finding::FindingKind;
use crate::histogram::Histogram;
use crate::rows::Rows;
use crate::suspect::{Place, Suspect};

/// Transfers that take less of the run are not worth blaming a network.
pub const LEAST_TRANSFER: f64 = 0.1;
/// No network of today needs as long for a short message: 1 µs is usual within a cluster, some tens over Ethernet without
/// bypass of the kernel, which is what one would want to know.
const SLOW_LATENCY: f64 = 20_000.0;
/// Or so many nanoseconds for each byte of a long one: 1 GB/s, where 10 and more are usual.
const SLOW_PER_BYTE: f64 = 1.0;
/// Messages of one class differ by no more, as a logarithm, where the network decides what they take.
const ALIKE: f64 = 0.35;
/// A part of the run tells if so many messages do; parts are put together until most do.
const LEAST_TOLD: u64 = 4;
const WANTED: u64 = 16;
/// Fewer transfers do not make a network.
const LEAST_TRANSFERS: u64 = 32;
/// A slow stretch, and the rest, have at least so many transfers in so many parts.
const LEAST_PARTS: usize = 2;
const LEAST_IN_A_STRETCH: u64 = 16;
/// And a slow stretch at least this part of all.
const LEAST_PART: f64 = 0.03;
/// Most parts of a slow stretch are slow, and few of the rest.
const MOSTLY: f64 = 0.75;
const RARELY: f64 = 0.1;
/// In a slow stretch hardly any message is not slow.
const HARDLY_ANY: f64 = 0.1;

/// What transfers take, and of what kind they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// Share of the run that would be saved by a network that takes no time.
    pub share: f64,
    /// What the shortest messages take, in nanoseconds, and how short these are.
    pub latency: Option<(f64, f64)>,
    /// What the longest messages achieve, in bytes per nanosecond, which is GB/s, and how long these are.
    pub bandwidth: Option<(f64, f64)>,
    /// Messages and collectives that show what they took.
    pub transfers: u64,
    /// How many of them could be compared with others of their length.
    pub judged: u64,
    /// Share of the transfers' time that is latency: what it would be if they were empty.
    pub latency_share: f64,
    /// Share of the transfers' time in those that take longer than any network of today should.
    pub slow_share: f64,
    /// How much messages of one length vary, as a logarithm.
    pub spread: f64,
}

/// Time of transfers by what it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken {
    pub(super) transfers: u64,
    pub(super) time: f64,
    pub(super) latency: f64,
    pub(super) slow: f64,
}

impl Taken {
    /// A transfer that took some time, what of it is latency, and whether those of its kind are slow by any measure.
    pub(super) fn add(&mut self, time: f64, latency: f64, is_slow: bool) {
        let time = time.max(0.0);
        self.transfers += 1;
        self.time += time;
        self.latency += latency.min(time);
        self.slow += if is_slow { time } else { 0.0 };
    }

    pub(super) fn merge(&mut self, other: Taken) {
        self.transfers += other.transfers;
        self.time += other.time;
        self.latency += other.latency;
        self.slow += other.slow;
    }
}

/// What a message should take at most.
pub(super) fn at_most(bytes: f64) -> f64 {
    SLOW_LATENCY + SLOW_PER_BYTE * bytes
}

impl Network {
    pub(super) fn new(
        ground: &Ground,
        usual: &Usual,
        pairs: &Pairs,
        together: &[Together],
        whole: &Efficiency,
    ) -> Network {
        let curve = usual.curve();
        let latency = curve.first().map_or(0.0, |(bytes, time)| if *bytes <= SHORT { *time } else { 0.0 });
        let mut taken = pairs.taken;
        for one in together {
            let at_most = one.at_most(SLOW_LATENCY, SLOW_PER_BYTE);
            taken.add(one.time as f64, one.at_most(latency, 0.0), one.time as f64 / one.ratio.max(1e-9) > at_most);
        }
        let mut spread_together = Histogram::default();
        for one in together {
            spread_together.add(one.ratio);
        }
        let quarter = |part: f64| spread_together.quantile(part).map_or(0.0, f64::ln);
        Network {
            share: whole.lost()[2],
            latency: curve.first().filter(|point| point.0 <= SHORT).map(|(bytes, time)| (*time, *bytes)),
            bandwidth: curve.last().filter(|point| point.0 >= LONG).map(|(bytes, time)| (*bytes / time, *bytes)),
            transfers: taken.transfers,
            judged: pairs.ratios.total() + together.len() as u64,
            latency_share: taken.latency / taken.time.max(1.0),
            slow_share: taken.slow / taken.time.max(1.0),
            spread: pairs.spread(ground).max((quarter(0.75) - quarter(0.25)) / 1.349),
        }
    }

    /// Whether it is slow by any measure.
    fn is_slow(&self) -> bool {
        self.share >= LEAST_TRANSFER && self.slow_share >= 0.5 && self.spread <= ALIKE && self.judged >= LEAST_TRANSFERS
    }
}

/// Messages that are all latency, and those that have hardly any.
const SHORT: f64 = 4096.0;
const LONG: f64 = 65_536.0;

/// The network as a suspect, if it is one, and how many times as long as the fastest messages usually take.
pub(super) fn suspect(
    rows: &Rows<'_>,
    network: &Network,
    pairs: &Pairs,
    together: &[Together],
) -> Option<(Suspect, f64)> {
    let parts = parts(rows, pairs, together);
    if let Some((from, to, ratio, usual)) = stretch(&parts) {
        let length = rows.run.1.since(rows.run.0);
        let at = |part: usize| Ns(rows.run.0.0 + (i128::from(length) * part as i128 / parts.len() as i128) as i64);
        let typical = pairs.typical.unwrap_or(1.0);
        let visits = parts.iter().map(Histogram::total).sum();
        let slow_visits = parts[from..to].iter().map(Histogram::total).sum();
        let mut found = new(at(from), at(to), (typical * usual, typical * ratio), (visits, slow_visits));
        found.is_throughout = false;
        return Some((found, usual));
    }
    if !network.is_slow() {
        return None;
    }
    let (found, usual) = match (network.bandwidth, network.latency) {
        (Some((rate, bytes)), _) if bytes / rate > at_most(bytes) => (bytes / rate, at_most(bytes)),
        (_, Some((latency, bytes))) => (latency, at_most(bytes)),
        _ => {
            let slow = together.iter().map(|one| (one.time as f64, one.at_most(SLOW_LATENCY, SLOW_PER_BYTE)));
            slow.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((1.0, 1.0))
        }
    };
    Some((new(rows.run.0, rows.run.1, (usual, found), (network.transfers, network.transfers)), f64::INFINITY))
}

fn new(since: Ns, until: Ns, (usual, found): (f64, f64), (visits, slow_visits): (u64, u64)) -> Suspect {
    let locations: Vec<LocationId> = Vec::new();
    Suspect {
        kind: FindingKind::SlowNetwork,
        locations,
        group: None,
        pairs: Vec::new(),
        place: Place { region: RegionId::NONE, before: None },
        since,
        until,
        is_throughout: true,
        usual,
        found,
        visits,
        slow_visits,
        z: 0.0,
        period: None,
        cuts: Vec::new(),
    }
}

/// By part of the run: how messages and collectives did.
fn parts(rows: &Rows<'_>, pairs: &Pairs, together: &[Together]) -> Vec<Histogram> {
    let mut parts = pairs.parts.clone();
    let (start, length) = (rows.run.0.0, rows.run.1.since(rows.run.0).max(1));
    for one in together {
        let part = (i128::from(one.begin - start) * PARTS as i128 / i128::from(length)).clamp(0, PARTS as i128 - 1);
        parts[part as usize].add(one.ratio);
    }
    let total: u64 = parts.iter().map(Histogram::total).sum();
    let mut together = 1;
    while together < PARTS / 8 && total * (together as u64) < WANTED * PARTS as u64 {
        together *= 2;
    }
    let merged = |several: &[Histogram]| {
        let mut merged = Histogram::default();
        for part in several {
            merged.merge(part.clone());
        }
        merged
    };
    parts.chunks(together).map(merged).collect()
}

/// A stretch of the run in which nearly all parts are slow against the rest: from which part to which, and how many times the
/// usual messages take there, and in the rest.
fn stretch(parts: &[Histogram]) -> Option<(usize, usize, f64, f64)> {
    let told = parts.iter().enumerate().filter(|(_, part)| part.total() >= LEAST_TOLD);
    let told: Vec<(usize, f64)> = told.filter_map(|(at, part)| Some((at, part.quantile(0.5)?))).collect();
    let mut sorted: Vec<(f64, u64)> = told.iter().map(|(at, ratio)| (*ratio, parts[*at].total())).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: u64 = sorted.iter().map(|(_, count)| count).sum();
    let mut below = 0;
    let lowest = sorted.iter().find(|(_, count)| {
        below += count;
        below * 10 > all
    });
    // What took no time at all is a clock's.
    let lowest = lowest.map(|(ratio, _)| *ratio).filter(|lowest| *lowest > LEAST_RATIO)?;
    let is_slow = |ratio: f64| ratio >= SLOW * lowest;
    let weight = |ratio: f64| if is_slow(ratio) { 1.0 } else { -MOSTLY / (1.0 - MOSTLY) };
    let (mut best, mut found) = (0.0, None);
    let (mut sum, mut from) = (0.0, 0);
    for (at, (_, ratio)) in told.iter().enumerate() {
        sum += weight(*ratio);
        if sum <= 0.0 {
            (sum, from) = (0.0, at + 1);
        } else if sum > best {
            (best, found) = (sum, Some((from, at + 1)));
        }
    }
    let (from, to) = found?;
    let outside: Vec<f64> = told[..from].iter().chain(&told[to..]).map(|(_, ratio)| *ratio).collect();
    let slow_outside = outside.iter().filter(|ratio| is_slow(**ratio)).count();
    let count = |told: &[(usize, f64)]| told.iter().map(|(at, _)| parts[*at].total()).sum::<u64>();
    let (inside, rest) = (count(&told[from..to]), count(&told[..from]) + count(&told[to..]));
    let is_one = to - from >= LEAST_PARTS
        && outside.len() >= LEAST_PARTS
        && inside.min(rest) >= LEAST_IN_A_STRETCH
        && inside as f64 >= LEAST_PART * (inside + rest) as f64
        && slow_outside as f64 <= RARELY * outside.len() as f64;
    if !is_one {
        return None;
    }
    let inside = median(&mut told[from..to].iter().map(|(_, ratio)| *ratio).collect::<Vec<_>>())?;
    let rest = median(&mut outside.clone())?;
    // Where messages get into each other's way some always get through. The parts at either end are only partly slow.
    let inner = if to - from > 3 { &told[from + 1..to - 1] } else { &told[from..to] };
    let mut all = Histogram::default();
    for (at, _) in inner {
        all.merge(parts[*at].clone());
    }
    if all.quantile(HARDLY_ANY)? < SLOW * rest {
        return None;
    }
    let end = if to == told.len() { parts.len() } else { told[to - 1].0 + 1 };
    (inside >= SLOW * rest).then_some((told[from].0, end, inside, rest))
}
