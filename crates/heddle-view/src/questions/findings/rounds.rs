//! Rounds: calls of one function that belong together, one a location.
//!
//! Where the trace has collectives, a round is a collective operation. The other functions' rounds are made by order:
//! the first call of every location, the second, and so on, counted from the beginning of the run. That may put
//! together what does not belong together; the rules therefore only speak of rounds whose calls begin or end at
//! nearly the same time, which calls that have nothing to do with each other do not.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use heddle_model::{LocationId, Ns, SpanRow};

use super::calls::{Call, Calls};
use super::survey::Usual;

/// Rounds by order that are looked at, of all functions together. Where there are more, every second, third … is.
const MOST_ROUNDS: usize = 1 << 17;
/// A round by order has calls of so many of the locations.
pub(super) const NEARLY_ALL: f64 = 0.9;
/// Fewer calls are no round.
pub(super) const LEAST_CALLS: u32 = 4;

/// Moments are together if they spread over at most this part of what is apart.
const TOGETHER: f64 = 0.2;

/// What makes calls a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bond {
    /// A row of the table of collectives.
    Collective(u64),
    /// The calls that are their location's call of this number.
    Order(u64),
}

/// Calls of a function that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Round {
    pub(super) function: usize,
    pub(super) bond: Bond,
    pub(super) calls: u32,
    /// How many rounds it stands for.
    pub(super) weight: u64,
    pub(super) first_start: Ns,
    pub(super) first_end: Ns,
    pub(super) last_end: Ns,
    /// The call that begins last.
    pub(super) last: Call,
    /// The longest call.
    pub(super) longest: Call,
    /// The call of its first location.
    first: Call,
    shortest: u64,
    total: u64,
}

impl Round {
    fn of(call: Call, bond: Bond, weight: u64) -> Round {
        Round {
            function: call.function,
            bond,
            calls: 1,
            weight,
            first_start: call.start,
            first_end: call.end,
            last_end: call.end,
            last: call,
            longest: call,
            first: call,
            shortest: call.length(),
            total: call.length(),
        }
    }

    fn merge(&mut self, other: &Round) {
        self.calls += other.calls;
        self.first_start = self.first_start.min(other.first_start);
        self.first_end = self.first_end.min(other.first_end);
        self.last_end = self.last_end.max(other.last_end);
        if other.last.start > self.last.start {
            self.last = other.last;
        }
        if other.longest.length() > self.longest.length() {
            self.longest = other.longest;
        }
        if other.first.location < self.first.location {
            self.first = other.first;
        }
        self.shortest = self.shortest.min(other.shortest);
        self.total = self.total.saturating_add(other.total);
    }

    /// From the first to the last that begins.
    pub(super) fn starts(&self) -> i64 {
        self.last.start.since(self.first_start)
    }

    /// From the first to the last that ends.
    pub(super) fn ends(&self) -> i64 {
        self.last_end.since(self.first_end)
    }

    /// Whether the calls begin together and end apart.
    pub(super) fn ends_apart(&self) -> bool {
        is_within(self.starts(), self.ends())
    }

    /// Whether they begin apart and end together.
    pub(super) fn ends_together(&self) -> bool {
        is_within(self.ends(), self.starts())
    }

    /// Time lost: what the calls take beyond the shortest of them.
    pub(super) fn lost(&self) -> u64 {
        self.total.saturating_sub(self.shortest.saturating_mul(u64::from(self.calls)))
    }
}

fn is_within(part: i64, whole: i64) -> bool {
    part as f64 <= TOGETHER * whole as f64 && whole > 0
}

/// All rounds of the window, and how many functions had too many of them to look at each.
pub(super) struct Rounds {
    pub(super) rounds: Vec<Round>,
    pub(super) sampled: usize,
}

pub(super) fn rounds(calls: &Calls, usual: &[Usual]) -> Rounds {
    let (mut rounds, collective) = collectives(calls);
    let (by_order, sampled) = by_order(calls, usual, &collective);
    rounds.extend(by_order);
    Rounds { rounds, sampled }
}

/// The collectives of the window, and which functions have any.
fn collectives(calls: &Calls) -> (Vec<Round>, Vec<bool>) {
    let table = &calls.store.collectives;
    let is_in = {
        let mut is_in = vec![false; calls.store.locations.len() as usize];
        calls.locations.iter().for_each(|location| is_in[location.index()] = true);
        is_in
    };
    let found: Vec<(usize, Option<Round>)> =
        (0..table.len()).into_par_iter().filter_map(|row| collective(calls, row, &is_in)).collect();
    let mut has = vec![false; calls.functions.len()];
    for (function, _) in &found {
        has[*function] = true;
    }
    (counted_once(found.into_iter().filter_map(|(_, round)| round).collect()), has)
}

/// Without what other rounds count already: one call may complete several collectives that do not block, and its time is
/// lost once. Of those that share the call of their first location, or the one that begins last, that with most members stays.
fn counted_once(mut rounds: Vec<Round>) -> Vec<Round> {
    let mut order: Vec<usize> = (0..rounds.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(rounds[*at].calls), *at));
    let mut taken: FxHashSet<u64> = FxHashSet::default();
    let mut stays = vec![false; rounds.len()];
    for at in order {
        let ends = [rounds[at].first.row, rounds[at].last.row];
        stays[at] = ends.iter().all(|row| !taken.contains(row));
        if stays[at] {
            taken.extend(ends);
        }
    }
    let mut stays = stays.into_iter();
    rounds.retain(|_| stays.next().unwrap_or(true));
    rounds
}

/// The function of a collective, and its calls if they are a round of the window.
fn collective(calls: &Calls, row: u64, is_in: &[bool]) -> Option<(usize, Option<Round>)> {
    let (table, members) = (&calls.store.collectives, &calls.store.collective_members);
    let first = table.first_member.get(row);
    let of_this = first..first + u64::from(table.members.get(row));
    let mut round: Option<Round> = None;
    let mut function = None;
    let mut is_whole = table.doubtful.get(row) == 0;
    for member in of_this {
        let Some(call) = call_of(calls, members.span.get(member), members.location.get(member)) else {
            is_whole = false;
            continue;
        };
        // A collective that is completed by another function than the others' is none to compare.
        is_whole &= *function.get_or_insert(call.function) == call.function;
        if is_in[call.location.index()] {
            let this = Round::of(call, Bond::Collective(row), 1);
            round.as_mut().map(|round| round.merge(&this)).unwrap_or_else(|| round = Some(this));
        }
    }
    let is_seen = |round: &Round| round.first_start < calls.time.1 && round.last_end > calls.time.0;
    Some((function?, round.filter(|round| is_whole && round.calls >= LEAST_CALLS && is_seen(round))))
}

fn call_of(calls: &Calls, span: SpanRow, location: LocationId) -> Option<Call> {
    let (row, spans) = (span.some()?.0, &calls.store.spans);
    let function = calls.function_of(spans.region.get(row))?;
    Some(Call { function, order: 0, row, location, start: spans.start.get(row), end: spans.end.get(row) })
}

/// Rounds by order of the functions without collectives, and how many functions have too many to look at each.
fn by_order(calls: &Calls, usual: &[Usual], collective: &[bool]) -> (Vec<Round>, usize) {
    let each = (MOST_ROUNDS / usual.len().max(1)) as u64;
    let strides: Vec<u64> = usual
        .iter()
        .zip(collective)
        .map(|(usual, has)| if *has { 0 } else { usual.most_of_one.div_ceil(each).max(1) })
        .collect();
    let found = calls.gather(
        || vec![Vec::<Option<Round>>::new(); calls.functions.len()],
        |found, call| {
            let stride = strides[call.function];
            if stride == 0 || !call.order.is_multiple_of(stride) {
                return;
            }
            let (at, rounds) = ((call.order / stride) as usize, &mut found[call.function]);
            if rounds.len() <= at {
                rounds.resize(at + 1, None);
            }
            add(&mut rounds[at], &Round::of(call, Bond::Order(call.order), stride));
        },
        |all, piece| {
            for (sum, part) in all.iter_mut().zip(piece) {
                sum.resize(sum.len().max(part.len()), None);
                sum.iter_mut().zip(part).for_each(|(into, round)| {
                    if let Some(round) = round {
                        add(into, &round);
                    }
                });
            }
        },
    );
    let least = LEAST_CALLS.max((calls.locations.len() as f64 * NEARLY_ALL).ceil() as u32);
    let rounds = found.into_iter().flatten().flatten().filter(|round| round.calls >= least).collect();
    (rounds, strides.iter().filter(|stride| **stride > 1).count())
}

fn add(into: &mut Option<Round>, round: &Round) {
    match into {
        Some(known) => known.merge(round),
        None => *into = Some(*round),
    }
}

/// The calls of a round, by location.
pub(super) fn calls_of(calls: &Calls, round: &Round) -> Vec<Call> {
    match round.bond {
        Bond::Collective(row) => {
            let (table, members) = (&calls.store.collectives, &calls.store.collective_members);
            let first = table.first_member.get(row);
            (first..first + u64::from(table.members.get(row)))
                .filter_map(|member| call_of(calls, members.span.get(member), members.location.get(member)))
                .filter(|call| calls.locations.binary_search(&call.location).is_ok())
                .collect()
        }
        Bond::Order(order) => calls.gather(
            Vec::new,
            |found: &mut Vec<Call>, call| {
                if call.function == round.function && call.order == order {
                    found.push(call);
                }
            },
            Extend::extend,
        ),
    }
}
