//! What is known of the calls of a function that take so long, on some ranks in a window: how many, how long together, and which part
//! of all calls of the function.
//!
//! From the bins of the profile: exact where the ends are those of bins, as what is marked off in the histogram is.

use heddle_model::LocationId;
use heddle_profile::bins::bin_of;
use rayon::prelude::*;

use super::details::{Details, Fact};
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::request::rows::Rows;
use crate::request::selection::{CallRange, Selection};
use crate::request::window::{Window, number_of, row_name, shortened};
use crate::scene::ticks::{counted, duration_text, grouped, time_text_between};
use crate::views::selected::regions_named;

/// Characters of a list of ranks.
const MOST_RANKS: usize = 80;

/// Some calls: how many, and how long together.
#[derive(Clone, Copy, Default)]
struct Sum {
    calls: u64,
    ns: i64,
}

/// The calls in words; none if the trace has no such function or ranks, or there is no profile yet.
pub fn calls_told(trace: &Trace<'_>, request: &ViewRequest, range: &CallRange) -> Option<Details> {
    let (store, profile) = (trace.store, trace.profile.as_ref()?);
    let region = *regions_named(store, &range.function).first()?;
    let (window, time) = (&request.window, request.window.time(store));
    let ranks: Vec<LocationId> =
        window.locations(store).into_iter().filter(|at| range.ranks.contains(number_of(store, *at))).collect();
    if ranks.is_empty() {
        return None;
    }
    let bins = bin_of(range.lasting.0)..=bin_of(range.lasting.1 - 1);
    let of_rank = |location: &LocationId| {
        let (mut some, mut all) = (Sum::default(), Sum::default());
        profile.durations(store, *location, time, region, |bin, calls, ns| {
            for sum in std::iter::once(&mut all).chain(bins.contains(&bin).then_some(&mut some)) {
                *sum = Sum { calls: sum.calls.saturating_add_signed(calls), ns: sum.ns.saturating_add(ns) };
            }
        });
        (*location, some, all)
    };
    let of_ranks: Vec<(LocationId, Sum, Sum)> = ranks.par_iter().map(of_rank).collect();
    let add = |a: Sum, b: Sum| Sum { calls: a.calls + b.calls, ns: a.ns.saturating_add(b.ns) };
    let some = of_ranks.iter().fold(Sum::default(), |sum, (_, some, _)| add(sum, *some));
    let all = of_ranks.iter().fold(Sum::default(), |sum, (.., all)| add(sum, *all));
    let mut details = Details::new(Selection::Calls(range.clone()));
    let (least, below) = range.lasting;
    details.title = format!("{} of {} to {}", range.function, duration_text(least), duration_text(below - 1));
    details.colour = Some(request.colours(store).rgba(region));
    details.region = Some(region.0);
    let rows = Rows::of(store, &Window { rows: None, ..window.clone() });
    let stretches = rows.stretches(store, |_, at| range.ranks.contains(number_of(store, at)));
    details.rows = Some(stretches.first().zip(stretches.last()).map(|(first, last)| (first.start, last.end)));
    let share = |part: f64, whole: f64| if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
    let mut say = |label, text| details.facts.push(Fact::plain(label, text));
    let part = share(some.calls as f64, all.calls as f64);
    say("Calls", format!("{}, {part:.1} % of {}", grouped(some.calls), grouped(all.calls)));
    let part = share(some.ns as f64, all.ns as f64);
    say("Time", format!("{} together, {part:.1} % of {}", duration_text(some.ns), duration_text(all.ns)));
    if some.calls > 0 {
        say("Usual", format!("{} on average", duration_text(some.ns / some.calls as i64)));
    }
    let with = of_ranks.iter().filter(|(_, some, _)| some.calls > 0).count() as u64;
    let text = format!("{} of {} have any", grouped(with), counted(ranks.len() as u64, "rank"));
    say("Ranks", text);
    if let Some((most, sum, _)) =
        of_ranks.iter().rev().max_by_key(|(_, some, _)| some.calls).filter(|_| ranks.len() > 1)
    {
        say("Most", format!("{} on {}", counted(sum.calls, "call"), row_name(store, *most)));
    }
    let select = Selection::Ranks(range.ranks.clone());
    details.facts.push(Fact::selecting(
        "On",
        format!("ranks {}", shortened(&range.ranks.to_string(), MOST_RANKS)),
        select,
    ));
    details.facts.push(Fact::plain("Window", time_text_between(time.0, time.1)));
    Some(details)
}
