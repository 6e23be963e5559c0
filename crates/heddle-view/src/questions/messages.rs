//! What is known of the messages from some ranks to others in a window: how many, how large, how fast, how long they were waited
//! for, and between whom most of that is.

use rayon::prelude::*;

use heddle_model::{CommId, LocationId};
use heddle_profile::messages::{Exchanged, Wanted};
use heddle_store::Store;
use rustc_hash::FxHashMap;

use super::details::{Details, Fact, communicator_name};
use crate::analyses::Trace;
use crate::request::rows::Rows;
use crate::request::selection::{Between, Selection};
use crate::request::window::{RankSet, Window, number_of, row_name, shortened};
use crate::request::{Emphasis, ViewRequest};
use crate::scene::ticks::{bytes_text, counted, duration_text, grouped, time_text_between};
use crate::views::matrix::bandwidth_text;

/// Characters of a list of ranks.
const MOST_RANKS: usize = 80;

/// The locations of a window at both ends of selected messages, ascending.
pub(crate) fn ends_of(store: &Store, window: &Window, between: &Between) -> (Vec<LocationId>, Vec<LocationId>) {
    let all = window.locations(store);
    let some = |ranks: &RankSet| all.iter().copied().filter(|at| ranks.contains(number_of(store, *at))).collect();
    (some(&between.from), some(&between.to))
}

/// Which messages are meant, without those of hidden functions.
pub(crate) fn wanted(between: &Between, emphasis: &Emphasis) -> Wanted {
    Wanted { communicator: between.communicator.map(CommId), hidden: emphasis.hidden.clone(), ..Wanted::default() }
}

/// A pair of locations, and its messages.
type Pair = ((LocationId, LocationId), Exchanged);

/// The messages between some ranks in the window of a request, in words; none if the trace has no such ranks, or its messages are not
/// added up yet.
pub fn messages_told(trace: &Trace<'_>, request: &ViewRequest, between: &Between) -> Option<Details> {
    let (store, messages) = (trace.store, trace.messages.as_ref()?);
    let (window, wanted) = (&request.window, wanted(between, &request.emphasis));
    let (senders, receivers) = ends_of(store, window, between);
    if senders.is_empty() || receivers.is_empty() {
        return None;
    }
    let time = window.time(store);
    let of_sender = |sender: &LocationId| {
        let mut to: FxHashMap<LocationId, Exchanged> = FxHashMap::default();
        messages.sent(store, *sender, time, &wanted, |receiver, sum| {
            if receivers.binary_search(&receiver).is_ok() {
                to.entry(receiver).or_default().add(sum);
            }
        });
        to.into_iter().map(|(receiver, sum)| ((*sender, receiver), sum)).collect::<Vec<Pair>>()
    };
    let mut pairs: Vec<Pair> = senders.par_iter().flat_map_iter(of_sender).collect();
    // The same answer in whichever order they were found.
    pairs.sort_unstable_by_key(|(pair, _)| *pair);
    let mut all = Exchanged::default();
    for (_, sum) in &pairs {
        all.add(sum);
    }
    let mut details = Details::new(Selection::Messages(between.clone()));
    details.title = format!("Messages of {} to {}", who(store, &senders), who(store, &receivers));
    let all_rows = Rows::of(store, &Window { rows: None, ..window.clone() });
    let stretch = |ranks: &RankSet| {
        let stretches = all_rows.stretches(store, |_, at| ranks.contains(number_of(store, at)));
        stretches.first().zip(stretches.last()).map(|(first, last)| (first.start, last.end))
    };
    details.rows = Some(stretch(&between.from));
    details.columns = stretch(&between.to);
    let mut say = |label, text| details.facts.push(Fact::plain(label, text));
    say("Messages", grouped(all.messages));
    if let Some(mean) = all.bytes.checked_div(all.messages) {
        say("Bytes", format!("{}, {} per message", bytes_text(all.bytes), bytes_text(mean)));
        let bandwidth = all.bandwidth().map(|bandwidth| format!("{} on average", bandwidth_text(bandwidth)));
        say("Bandwidth", bandwidth.unwrap_or_else(|| "unknown: they arrive before they are sent".to_owned()));
        let wait = all.mean_wait().unwrap_or_default().round() as i64;
        let in_all = duration_text(i64::try_from(all.wait).unwrap_or(i64::MAX));
        say("Wait", format!("{} per message, {in_all} in all", duration_text(wait)));
    }
    for (label, ranks, ends) in [("From", &between.from, &senders), ("To", &between.to, &receivers)] {
        let text =
            format!("{} {}", if ends.len() == 1 { "rank" } else { "ranks" }, shortened(&ranks.to_string(), MOST_RANKS));
        details.facts.push(Fact::selecting(label, text, Selection::Ranks(ranks.clone())));
    }
    if senders.len() * receivers.len() > 1 {
        let some = grouped(pairs.len() as u64);
        let text = format!("{some} of {} exchange any", counted(senders.len() as u64 * receivers.len() as u64, "pair"));
        details.facts.push(Fact::plain("Pairs", text));
        details.facts.extend(most(store, between, &pairs, "Most bytes", |sum| sum.bytes, bytes_text));
        let time = |ns: u64| duration_text(i64::try_from(ns).unwrap_or(i64::MAX));
        details.facts.extend(most(store, between, &pairs, "Longest wait", |sum| sum.wait, time));
    }
    if let Some(comm) = wanted.communicator {
        details.facts.push(Fact::plain("Communicator", communicator_name(store, comm)));
    }
    details.facts.push(Fact::plain("Sent", time_text_between(time.0, time.1)));
    Some(details)
}

/// The pair with the most of something, of several the first.
fn most(
    store: &Store,
    between: &Between,
    pairs: &[Pair],
    label: &'static str,
    of: fn(&Exchanged) -> u64,
    text: impl Fn(u64) -> String,
) -> Option<Fact> {
    let ((from, to), sum) = pairs.iter().rev().max_by_key(|(_, sum)| of(sum)).filter(|(_, sum)| of(sum) > 0)?;
    let one = |at: LocationId| [number_of(store, at)].into_iter().collect();
    let select = Selection::Messages(Between { from: one(*from), to: one(*to), communicator: between.communicator });
    let text = format!("{}: {} to {}", text(of(sum)), row_name(store, *from), row_name(store, *to));
    Some(Fact::selecting(label, text, select))
}

fn who(store: &Store, ends: &[LocationId]) -> String {
    match ends {
        [one] => row_name(store, *one),
        several => format!("{} ranks", grouped(several.len() as u64)),
    }
}
