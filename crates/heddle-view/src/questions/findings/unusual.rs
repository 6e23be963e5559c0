//! Calls far longer than is usual for their function, if they are gathered: in time, or on few ranks.
//!
//! Far is [`FAR`] times the median. Such calls must be rare ([`RARE`] of the function's calls: what happens in every
//! tenth call is usual too), and [`MOST`] of the time that they take beyond the usual must lie in [`GATHERED`] of the
//! window or on [`GATHERED`] of the ranks. On few ranks they may cost little of all time: there it counts what they
//! cost those ranks ([`COSTS_FEW`]).

use heddle_model::{LocationId, Ns};

use super::calls::{Call, Calls};
use super::survey::Usual;
use super::words::{Words, about, percent, ranks};
use super::{Finding, FindingKind, LEAST_LOSS, call_named, finding};
use crate::scene::ticks::{duration_text, grouped};

/// Times the median.
const FAR: u64 = 20;
/// Share of a function's calls that may be unusual.
const RARE: f64 = 0.05;
/// What gathered calls must hold of the time beyond the usual.
const MOST: f64 = 0.8;
/// Share of the window, or of the ranks, that they are gathered in.
const GATHERED: f64 = 0.1;
/// What calls on few ranks must cost of those ranks' time.
const COSTS_FEW: f64 = 0.05;
/// Fewer are no group.
const LEAST_CALLS: u64 = 2;
/// Pieces of the window in which they are counted.
const BINS: usize = 256;

/// The unusual calls of a function.
#[derive(Clone)]
struct Group {
    calls: u64,
    beyond: u64,
    shortest: u64,
    longest: Option<Call>,
    /// Time beyond the usual by piece of the window, of the moment they end.
    of_time: Vec<u64>,
    /// The same by location, in the order of locations.
    of_location: Vec<(LocationId, u64)>,
}

impl Group {
    fn new() -> Group {
        let of_time = vec![0; BINS];
        Group { calls: 0, beyond: 0, shortest: u64::MAX, longest: None, of_time, of_location: Vec::new() }
    }

    fn add(&mut self, call: Call, beyond: u64, bin: usize) {
        self.calls += 1;
        self.beyond += beyond;
        self.shortest = self.shortest.min(call.length());
        if self.longest.is_none_or(|longest| call.length() > longest.length()) {
            self.longest = Some(call);
        }
        self.of_time[bin] += beyond;
        match self.of_location.last_mut() {
            Some((location, sum)) if *location == call.location => *sum += beyond,
            _ => self.of_location.push((call.location, beyond)),
        }
    }

    fn merge(&mut self, other: Group) {
        self.calls += other.calls;
        self.beyond += other.beyond;
        self.shortest = self.shortest.min(other.shortest);
        if let Some(theirs) = other.longest
            && self.longest.is_none_or(|ours| theirs.length() > ours.length())
        {
            self.longest = Some(theirs);
        }
        self.of_time.iter_mut().zip(other.of_time).for_each(|(sum, part)| *sum += part);
        self.of_location.extend(other.of_location);
    }

    /// The shortest run of pieces of the window that holds most of it.
    fn when(&self) -> (usize, usize) {
        let enough = (self.beyond as f64 * MOST).ceil() as u64;
        let (mut best, mut from, mut sum) = ((0, BINS), 0, 0);
        for to in 0..BINS {
            sum += self.of_time[to];
            while sum - self.of_time[from] >= enough && from < to {
                sum -= self.of_time[from];
                from += 1;
            }
            if sum >= enough && to + 1 - from < best.1 - best.0 {
                best = (from, to + 1);
            }
        }
        best
    }

    /// The fewest locations that hold most of it.
    fn where_(&self) -> Vec<LocationId> {
        let mut by_cost = self.of_location.clone();
        by_cost.sort_by_key(|(location, beyond)| (std::cmp::Reverse(*beyond), *location));
        let (mut sum, enough) = (0, (self.beyond as f64 * MOST).ceil() as u64);
        let mut few: Vec<LocationId> = by_cost
            .into_iter()
            .take_while(|(_, beyond)| {
                let is_needed = sum < enough;
                sum += beyond;
                is_needed
            })
            .map(|(location, _)| location)
            .collect();
        few.sort_unstable();
        few
    }
}

pub(super) fn unusual(calls: &Calls, usual: &[Usual]) -> Vec<Finding> {
    let limits: Vec<u64> = usual.iter().map(|usual| usual.median().max(1).saturating_mul(FAR)).collect();
    let length = calls.time.1.since(calls.time.0);
    let bin_of = |end: Ns| {
        let into = end.min(calls.time.1).since(calls.time.0).max(0);
        ((i128::from(into) * BINS as i128 / i128::from(length)) as usize).min(BINS - 1)
    };
    let groups = calls.gather(
        || vec![Group::new(); calls.functions.len()],
        |found, call| {
            let limit = limits[call.function];
            if call.length() > limit {
                found[call.function].add(call, call.length() - limit / FAR, bin_of(call.end));
            }
        },
        |all, piece| all.iter_mut().zip(piece).for_each(|(sum, part)| sum.merge(part)),
    );
    let told = groups.iter().enumerate().filter_map(|(function, group)| tell(calls, &usual[function], function, group));
    told.collect()
}

fn tell(calls: &Calls, usual: &Usual, function: usize, group: &Group) -> Option<Finding> {
    if group.calls < LEAST_CALLS || group.calls as f64 > RARE * usual.calls as f64 {
        return None;
    }
    let longest = group.longest?;
    let (from, to) = group.when();
    let few = group.where_();
    let length = calls.time.1.since(calls.time.0);
    let is_gathered_in_time = (to - from) as f64 <= GATHERED * BINS as f64;
    let is_on_few = few.len() as f64 <= (GATHERED * calls.locations.len() as f64).max(1.0) && calls.locations.len() > 1;
    let costs = group.beyond as f64 >= LEAST_LOSS * calls.available();
    let costs_few = is_on_few && group.beyond as f64 >= COSTS_FEW * length as f64 * few.len() as f64;
    if !(costs && (is_gathered_in_time || is_on_few) || costs_few) {
        return None;
    }
    let edge = |bin: usize| Ns(calls.time.0.0 + (i128::from(length) * bin as i128 / BINS as i128) as i64);
    let when = is_gathered_in_time.then(|| (edge(from), edge(to)));
    let [least, most] = [group.shortest, longest.length()].map(|length| duration_text(length as i64));
    let range = if least == most { String::new() } else { format!("{least} to ") };
    let mut words = Words::new(calls)
        .say(format!("{} calls of ", grouped(group.calls)))
        .function(function)
        .say(format!(" ({}) take {range}", percent(group.calls as f64 / usual.calls as f64)))
        .call(most, longest.row)
        .say(format!(" where about {} is usual, most of it", about(usual.median())));
    if is_on_few {
        words = words.say(" on ").who(&few);
    }
    if let Some((from, to)) = when {
        words = words.say(" in ").between(from, to);
    }
    let mut finding = finding(calls, FindingKind::UnusualCalls, function, group.beyond as f64, words.say(".").done());
    finding.window = when.or(Some(calls.time));
    finding.ranks = if is_on_few { ranks(calls, &few) } else { None };
    finding.select = Some(call_named(calls, longest.row));
    Some(finding)
}
