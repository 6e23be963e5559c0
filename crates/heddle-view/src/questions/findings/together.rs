//! Calls that begin together and end apart, and the other way round.
//!
//! A round begins together if the spread of its starts is at most a fifth of that of its ends, and ends together if it is
//! the other way round. What it costs is the time of its calls beyond the shortest of them. The rounds of a function
//! are told in one sentence, with the costliest as the example, or that one alone if it costs most.
//!
//! Nobody is named. Who comes last may have waited for another before, and in a round or two it is chance: who keeps others
//! waiting is for the diagnosis to say.

use heddle_model::Ns;

use super::calls::Calls;
use super::rounds::{Bond, NEARLY_ALL, Round, calls_of};
use super::words::{Words, how_many, percent};
use super::{Finding, FindingKind, LEAST_LOSS, call_named, finding};
use crate::questions::details::communicator_name;
use crate::scene::ticks::{duration_text, grouped};

/// A round with this share of the cost of all is told alone.
const ALONE: f64 = 0.5;
/// The ends follow a logarithm if so much of their variance is explained by it.
const FITS: f64 = 0.95;
/// Fewer ends lie on any curve.
const LEAST_TO_FIT: usize = 8;

pub(super) fn together(calls: &Calls, rounds: &[Round]) -> Vec<Finding> {
    let mut found = Vec::new();
    for function in 0..calls.functions.len() {
        let of_this: Vec<&Round> = rounds.iter().filter(|round| round.function == function).collect();
        let total = of_this.iter().map(|round| round.weight).sum();
        let apart: Vec<&Round> = of_this.iter().copied().filter(|round| round.ends_apart()).collect();
        let at_once: Vec<&Round> = of_this.iter().copied().filter(|round| round.ends_together()).collect();
        found.extend(tell(calls, &apart, total, FindingKind::EndsApart));
        found.extend(tell(calls, &at_once, total, FindingKind::EndsTogether));
    }
    found
}

fn cost(round: &Round) -> f64 {
    round.lost() as f64 * round.weight as f64
}

/// One sentence about the rounds of one function.
fn tell(calls: &Calls, rounds: &[&Round], total: u64, kind: FindingKind) -> Option<Finding> {
    let lost: f64 = rounds.iter().map(|round| cost(round)).sum();
    if lost < LEAST_LOSS * calls.available() {
        return None;
    }
    let worst = *rounds.iter().copied().reduce(|a, b| if b.lost() > a.lost() { b } else { a })?;
    let count: u64 = rounds.iter().map(|round| round.weight).sum();
    let is_one = worst.lost() as f64 >= ALONE * lost;
    let is_apart = kind == FindingKind::EndsApart;
    let mut words = Words::new(calls);
    if !is_one {
        let how = if is_apart { "begin together and end apart" } else { "begin apart and end together" };
        words = words
            .say(format!("{} of {} rounds of ", grouped(count), grouped(total)))
            .function(worst.function)
            .say(format!(" {how}, which costs {} of all time", percent(lost / calls.available())));
        words = words.say(". The worst: ");
    }
    let words =
        if is_apart { one_apart(calls, words, &worst, !is_one) } else { one_at_once(calls, words, &worst, !is_one) };
    let mut finding = finding(calls, kind, worst.function, lost, words.done());
    finding.window = Some((worst.first_start, worst.last_end));
    finding.select = Some(call_named(calls, worst.longest.row));
    Some(finding)
}

/// Begins a sentence, or goes on.
fn first(text: &str, is_inside: bool) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(letter) if !is_inside => letter.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

/// Who takes part in a round.
fn who(calls: &Calls, round: &Round) -> String {
    let number = round.calls as usize;
    let is_most = number as f64 >= calls.locations.len() as f64 * NEARLY_ALL;
    match round.bond {
        Bond::Collective(row) if !is_most => {
            let comm = calls.store.collectives.comm.get(row);
            format!("{} {} of {}", grouped(number as u64), calls.noun(), communicator_name(calls.store, comm))
        }
        _ => how_many(calls, number),
    }
}

impl Words<'_, '_> {
    /// A round's function, and which of its calls.
    fn which(self, round: &Round) -> Self {
        match round.bond {
            Bond::Collective(_) => self.say("one ").function(round.function),
            Bond::Order(order) => self.function(round.function).say(format!(" for the {} time", ordinal(order + 1))),
        }
    }
}

/// `1st`, `2nd`, `3rd`, `11th`.
fn ordinal(number: u64) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{}{ending}", grouped(number))
}

fn one_apart<'a, 'b>(calls: &'b Calls<'a>, words: Words<'a, 'b>, round: &Round, is_inside: bool) -> Words<'a, 'b> {
    let words = words
        .say(first(&who(calls, round), is_inside))
        .say(" enter ")
        .which(round)
        .say(format!(" within {} and leave it over ", duration_text(round.starts())))
        .within(duration_text(round.ends()), round.first_start, round.last_end);
    let mut ends: Vec<Ns> = calls_of(calls, round).iter().map(|call| call.end).collect();
    ends.sort_unstable();
    match levels(&ends) {
        Some(levels) => words.say(format!(", along a logarithm of their order, as from a tree of {levels} levels.")),
        None => words.say("."),
    }
}

fn one_at_once<'a, 'b>(calls: &'b Calls<'a>, words: Words<'a, 'b>, round: &Round, is_inside: bool) -> Words<'a, 'b> {
    let longest = duration_text(round.longest.length() as i64);
    words
        .say(first(&who(calls, round), is_inside))
        .say(" enter ")
        .which(round)
        .say(" over ")
        .within(duration_text(round.starts()), round.first_start, round.last_end)
        .say(format!(" and leave it within {}; the first are in it for up to ", duration_text(round.ends())))
        .call(longest, round.longest.row)
        .say(".")
}

/// How many levels a tree has if the ends come as from one: the n-th at a time that grows with log2 n.
fn levels(ends: &[Ns]) -> Option<u32> {
    if ends.len() < LEAST_TO_FIT {
        return None;
    }
    let time = |at: usize| ends[at].since(ends[0]) as f64;
    let by_log = explained(ends.len(), |at| ((at + 1) as f64).log2(), time);
    let by_order = explained(ends.len(), |at| at as f64, time);
    (by_log >= FITS && by_log > by_order).then(|| (ends.len() as f64).log2().ceil() as u32)
}

/// Which part of y's variance a straight line over x explains.
fn explained(count: usize, x: impl Fn(usize) -> f64, y: impl Fn(usize) -> f64) -> f64 {
    let n = count as f64;
    let mean = |of: &dyn Fn(usize) -> f64| (0..count).map(of).sum::<f64>() / n;
    let (x_mean, y_mean) = (mean(&x), mean(&y));
    let sum = |of: &dyn Fn(usize) -> f64| (0..count).map(of).sum::<f64>();
    let xx = sum(&|at| (x(at) - x_mean).powi(2));
    let yy = sum(&|at| (y(at) - y_mean).powi(2));
    let xy = sum(&|at| (x(at) - x_mean) * (y(at) - y_mean));
    if xx > 0.0 && yy > 0.0 && xy > 0.0 { xy * xy / (xx * yy) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_endings() {
        let texts = [1, 2, 3, 4, 11, 12, 21, 112, 1_023].map(ordinal);
        assert_eq!(texts, ["1st", "2nd", "3rd", "4th", "11th", "12th", "21st", "112th", "1,023rd"]);
    }

    #[test]
    fn a_tree_is_told_from_a_line_and_from_chance() {
        let times = |of: &dyn Fn(f64) -> f64| (0..64).map(|at| Ns(of(f64::from(at)) as i64)).collect::<Vec<_>>();
        assert_eq!(levels(&times(&|at| 1e6 * (at + 1.0).log2())), Some(6));
        assert_eq!(levels(&times(&|at| 1e6 * at)), None);
        assert_eq!(levels(&times(&|_| 5.0)), None);
        assert_eq!(levels(&times(&|at| 1e6 * at * at)), None);
        assert_eq!(levels(&[Ns(0), Ns(5), Ns(7)]), None);
    }
}
