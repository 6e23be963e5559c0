//! The single longest call, and how many ranks communicate meanwhile.
//!
//! It is told if it takes [`LONG`] of the window. A rank counts if it spends [`HELD`] of that time in communication; whether
//! it waits there for this call is not known.

use rayon::prelude::*;

use heddle_model::{LocationId, RegionId};

use super::calls::{Call, Calls};
use super::survey::Usual;
use super::words::{Words, percent};
use super::{Finding, FindingKind, call_named, finding};
use crate::lookup::enclosing::spans_in;
use crate::scene::ticks::{duration_text, grouped};

/// A call that takes so much of the window is worth a sentence.
const LONG: f64 = 0.05;
/// Who spends so much of the time of the longest call in communication is counted.
const HELD: f64 = 0.5;

pub(super) fn longest(calls: &Calls, usual: &[Usual]) -> Option<Finding> {
    let longer = |a: Call, b: Call| if b.length() > a.length() { b } else { a };
    let call = usual.iter().filter_map(|usual| usual.longest).reduce(longer)?;
    let window = calls.time.1.since(calls.time.0) as f64;
    if (call.length() as f64) < LONG * window {
        return None;
    }
    let others: Vec<LocationId> = calls.locations.iter().copied().filter(|other| *other != call.location).collect();
    let waits: Vec<(u64, u64)> = others.par_iter().map(|other| waiting(calls, *other, &call)).collect();
    let is_held = |time: u64| time as f64 >= HELD * call.length() as f64;
    let held = waits.iter().filter(|(any, _)| is_held(*any)).count();
    let in_same = waits.iter().filter(|(_, same)| is_held(*same)).count();
    let run = calls.store.summary().end_ns.max(1) as f64;
    let words = Words::new(calls)
        .say("The longest call is one of ")
        .function(call.function)
        .say(" on ")
        .who(&[call.location])
        .say(": ")
        .call(duration_text(call.length() as i64), call.row)
        .say(format!(", {} of the run.", percent(call.length() as f64 / run)));
    let words = match (held, in_same) {
        _ if others.is_empty() => words,
        (0, _) => words.say(" Meanwhile no other communicates for long."),
        (held, same) => {
            let all = grouped(others.len() as u64);
            let who = match held {
                1 if others.len() == 1 => "the other is".to_owned(),
                1 => format!("1 of the {all} others is"),
                held if held == others.len() => format!("all {all} others are"),
                held => format!("{} of the {all} others are", grouped(held as u64)),
            };
            let words = words.say(format!(" Meanwhile {who} in "));
            match same {
                0 => words.say("communication."),
                same if same == held => words.function(call.function).say(" too."),
                same => words
                    .say(format!("communication, {} of them in ", grouped(same as u64)))
                    .function(call.function)
                    .say("."),
            }
        }
    };
    let lost = call.length() + waits.iter().map(|(_, same)| same).sum::<u64>();
    let mut finding = finding(calls, FindingKind::LongestCall, call.function, lost as f64, words.done());
    finding.window = Some((call.start, call.end));
    finding.select = Some(call_named(calls, call.row));
    Some(finding)
}

/// Time that a location spends in communication while a call lasts, and in the same function.
fn waiting(calls: &Calls, location: LocationId, call: &Call) -> (u64, u64) {
    let store = calls.store;
    let (mut any, mut same) = (0, 0);
    let wanted = |region: RegionId| store.regions.communicates(region);
    spans_in(store, location, (call.start, call.end)).for_each_stretch(store, wanted, |stretch| {
        let (from, to) = (stretch.start.max(call.start), stretch.end.min(call.end));
        if to > from {
            let time = to.since(from).unsigned_abs();
            any += time;
            if stretch.region == calls.functions[call.function] {
                same += time;
            }
        }
    });
    (any, same)
}
