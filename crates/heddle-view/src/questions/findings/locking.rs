//! A function that takes in rank after rank and lets go of all at once: a broadcast whose root is late, say, while the
//! others come to it one by one. Whom they wait for is for the diagnosis to say.
//!
//! That is a round that ends together, with more to it: it has calls of [`MANY`] of the ranks, they begin over [`SLOW`]
//! of the window, and gradually: no pause between two is longer than [`PAUSE`] of that time, and the middle half of
//! them takes at least as much.

use heddle_model::Ns;

use super::calls::Calls;
use super::rounds::{Round, calls_of};
use super::words::{Words, how_many};
use super::{Finding, FindingKind, LEAST_LOSS, call_named, finding};
use crate::scene::ticks::duration_text;

/// Share of the ranks that are held in the end.
const MANY: f64 = 0.5;
/// Share of the window over which they come.
const SLOW: f64 = 0.05;
/// The longest pause between two that come, and the least time in which the middle half comes, of all that time.
const PAUSE: f64 = 0.25;
/// Rounds that are looked at call by call, the costliest first.
const MOST_ROUNDS: usize = 4;

/// What is told, each with the round that it is about.
pub(super) fn locking(calls: &Calls, rounds: &[Round]) -> Vec<(Finding, Round)> {
    let window = calls.time.1.since(calls.time.0) as f64;
    let mut long: Vec<&Round> = rounds
        .iter()
        .filter(|round| round.ends_together() && round.starts() as f64 >= SLOW * window)
        .filter(|round| f64::from(round.calls) >= MANY * calls.locations.len() as f64)
        .filter(|round| round.lost() as f64 >= LEAST_LOSS * calls.available())
        .collect();
    long.sort_by_key(|round| std::cmp::Reverse(round.lost()));
    long.truncate(MOST_ROUNDS);
    long.into_iter().filter(|round| is_gradual(calls, round)).map(|round| (tell(calls, round), *round)).collect()
}

fn is_gradual(calls: &Calls, round: &Round) -> bool {
    let mut starts: Vec<Ns> = calls_of(calls, round).iter().map(|call| call.start).collect();
    starts.sort_unstable();
    let quartile = |part: usize| starts[(starts.len() - 1) * part / 4];
    let pause = starts.windows(2).map(|two| two[1].since(two[0])).max().unwrap_or(0);
    let all = round.starts() as f64;
    !starts.is_empty() && pause as f64 <= PAUSE * all && quartile(3).since(quartile(1)) as f64 >= PAUSE * all
}

fn tell(calls: &Calls, round: &Round) -> Finding {
    let longest = round.longest;
    let words = Words::new(calls)
        .function(round.function)
        .say(format!(" locks rank after rank, {} in the end, for up to ", how_many(calls, round.calls as usize)))
        .call(duration_text(longest.length() as i64), longest.row)
        .say(", and frees them within ")
        .within(duration_text(round.ends()), round.first_start, round.last_end)
        .say(".");
    let mut finding = finding(calls, FindingKind::LocksRanks, round.function, round.lost() as f64, words.done());
    finding.window = Some((round.first_start, round.last_end));
    finding.select = Some(call_named(calls, longest.row));
    finding
}
