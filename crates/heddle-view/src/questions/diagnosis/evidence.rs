//! The evidence of a finding in numbers: where, when, how much longer than usual, and what the run would take without it.

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_diagnosis::finding::{Finding, FindingKind};
use heddle_model::{Ns, SpanRow};
use heddle_store::Store;

use super::kinds::between;
use super::sentence::{Sentence, brief, moment, percent, times};
use super::who::{Who, counted_waiting, everybody};
use crate::lookup::enclosing::spans_in;
use crate::questions::findings::Piece;
use crate::scene::ticks::grouped;

/// A gain below this part of the run is none.
const LEAST_GAIN: f64 = 0.002;

/// Whom and when: `ranks 96–103 · 310 ms to the end`.
pub(super) fn where_line(store: &Store, finding: &Finding) -> String {
    let suspect = &finding.suspect;
    let who = match finding.kind() {
        FindingKind::SlowLink | FindingKind::SlowCard if !suspect.pairs.is_empty() => {
            let count = suspect.pairs.len() as u64;
            format!("{} {} of {}", grouped(count), if count == 1 { "pair" } else { "pairs" }, everybody(store))
        }
        _ if suspect.locations.is_empty() => format!("all {}", everybody(store)),
        _ => Who::named(store, &suspect.locations).name,
    };
    format!("{who} · {}", when(store, finding))
}

/// `throughout`, `310 ms to the end`, `at 521 ms`.
fn when(store: &Store, finding: &Finding) -> String {
    let (suspect, summary) = (&finding.suspect, store.summary());
    let length = summary.end_ns - summary.start_ns;
    // The last visits of a run end some time before it does.
    let is_end = summary.end_ns - suspect.until.0 <= length / 50;
    if finding.kind() == FindingKind::Stall && suspect.slow_visits <= 1 {
        return format!("at {}", moment(store, suspect.since));
    }
    if suspect.is_throughout {
        return "throughout".to_owned();
    }
    match (suspect.since.0 - summary.start_ns <= length / 50, is_end) {
        (true, true) => "throughout".to_owned(),
        (true, false) => format!("until {}", moment(store, suspect.until)),
        (false, true) => format!("{} to the end", moment(store, suspect.since)),
        (false, false) => format!("{} to {}", moment(store, suspect.since), moment(store, suspect.until)),
    }
}

/// The evidence: `stencil takes 3.16 ms, elsewhere 1.75 ms: 1.80×, in all 712 visits.`
pub(super) fn evidence(store: &Store, diagnosis: &Diagnosis, finding: &Finding) -> Vec<Piece> {
    let suspect = &finding.suspect;
    let sentence = Sentence::new(store);
    let (found, usual) = (brief(suspect.found), brief(suspect.usual));
    let factor = Some(suspect.factor()).filter(|factor| factor.is_finite() && *factor > 1.0);
    let factor = factor.map_or_else(String::new, |factor| format!(": {}", times(factor)));
    let sentence = match finding.kind() {
        FindingKind::SlowRanks => sentence
            .place(suspect.place)
            .say(format!(" takes {found}, elsewhere {usual}{factor}{}.", of_visits(finding, "visits"))),
        FindingKind::Drift => sentence
            .place(suspect.place)
            .say(format!(" takes ever longer, in the end {found} where {usual} is usual{factor}.")),
        FindingKind::Stall => sentence
            .say(if suspect.slow_visits > 1 { "The longest of these visits of " } else { "One visit of " })
            .place_inside(suspect.place)
            .say(" took ")
            .call(found, stalled(store, finding))
            .say(format!(", usually {usual}.")),
        FindingKind::PeriodicNoise => {
            let every = suspect.period.map_or_else(String::new, |period| format!(" every {}", brief(period)));
            let sentence = sentence.say("Visits of ").place_inside(suspect.place);
            sentence
                .say(format!(" that are hit{every} take {found}, the others {usual}{}.", of_visits(finding, "visits")))
        }
        FindingKind::SlowLink | FindingKind::SlowCard => {
            let whose = match finding.kind() {
                FindingKind::SlowCard => format!("of {}", Who::of(store, finding).name),
                _ => between(store, finding),
            };
            sentence.say("Messages ").who(&whose, &suspect.locations).say(format!(
                " take {found}, others of their length {usual}{factor}{}.",
                of_visits(finding, "messages")
            ))
        }
        FindingKind::SlowNetwork if !store.tasks.is_empty() => {
            sentence.say(format!("{} messages take {found} each", grouped(suspect.visits)))
        }
        FindingKind::SlowNetwork => network(sentence, diagnosis, finding, &found, &usual, &factor),
        FindingKind::SerialWork => {
            let who = Who::of(store, finding);
            sentence
                .say("Only ")
                .who(&who.name, &suspect.locations)
                .say(if who.is_many { " execute " } else { " executes " })
                .place_inside(suspect.place)
                .say(format!(" ({found} in all)"))
        }
        FindingKind::Imbalance if !store.tasks.is_empty() => {
            sentence.say(format!("The heaviest node has {found} of work where an even share is {usual}{factor}."))
        }
        FindingKind::Imbalance => sentence.place(suspect.place).say(format!(
            " takes up to {found}, usually {usual}{factor}; it changes from rank to rank, no one stands out."
        )),
        FindingKind::SerialChain => sentence.say(format!(
            "The critical path goes over {} ranks in turn; serialisation takes {} of the run.",
            grouped(path_ranks(diagnosis)),
            percent(diagnosis.whole.lost()[1])
        )),
        FindingKind::LateReceiver => sentence.say("Sends wait until their receive is posted"),
        FindingKind::WrongOrder => {
            sentence.say("Receives wait for a message while one that was sent earlier is there already")
        }
        FindingKind::Noise => sentence
            .say("Visits of ")
            .place_inside(suspect.place)
            .say(format!(" take {found} instead of {usual} now and then, on all ranks alike")),
        FindingKind::ExposedCommunication => sentence.say(format!(
            "Communication that nothing computes beside takes {} of the time",
            percent(finding.cost_share)
        )),
        FindingKind::SlowNodes if suspect.usual > 0.0 && suspect.place.region.is_some() => {
            sentence.place(suspect.place).say(format!(" takes {found} there, elsewhere {usual}{factor}."))
        }
        FindingKind::SlowNodes if suspect.usual > 0.0 => {
            sentence.say(format!("Tasks there take {found} in all, where {usual} is usual{factor}."))
        }
        FindingKind::SlowNodes => sentence.say("The others wait for work from there"),
    };
    waited(store, finding, sentence).done()
}

/// What the network takes, and how much longer than at other times where that is known.
fn network<'a>(
    sentence: Sentence<'a>,
    diagnosis: &Diagnosis,
    finding: &Finding,
    found: &str,
    usual: &str,
    factor: &str,
) -> Sentence<'a> {
    let share = percent(diagnosis.whole.lost()[2]);
    let sentence = sentence.say(format!("Transfers take {share} of the run"));
    if finding.suspect.factor() > 1.05 && finding.suspect.factor().is_finite() {
        sentence.say(format!("; a message takes {found} where {usual} is usual{factor}."))
    } else {
        sentence.say(".")
    }
}

/// How many ranks waited; ends the sentence before it if that is still open.
fn waited<'a>(store: &'a Store, finding: &Finding, sentence: Sentence<'a>) -> Sentence<'a> {
    let is_open = !sentence.ends_with('.');
    let is_everybody = finding.kind() == FindingKind::ExposedCommunication;
    let counts = finding.waiting > 0 && !is_everybody && (is_open || finding.kind() == FindingKind::Stall);
    match (is_open, counts) {
        (true, true) => {
            let who = counted_waiting(store, finding.waiting);
            sentence.say(format!("; {who} {}.", if finding.waiting == 1 { "waits" } else { "wait" }))
        }
        (true, false) => sentence.say("."),
        (false, true) => sentence.say(format!(" {} waited for it.", counted_waiting(store, finding.waiting))),
        (false, false) => sentence,
    }
}

/// `, in all 712 visits`; empty where that is not known.
fn of_visits(finding: &Finding, noun: &str) -> String {
    let (slow, all) = (finding.suspect.slow_visits, finding.suspect.visits);
    match (slow, all) {
        (_, 0) => String::new(),
        (slow, all) if slow >= all => format!(", in all {} {noun}", grouped(all)),
        (slow, all) => format!(", in {} of {} {noun}", grouped(slow), grouped(all)),
    }
}

/// Ranks that the critical path visits.
fn path_ranks(diagnosis: &Diagnosis) -> u64 {
    let mut visited: Vec<u32> = diagnosis.run.path.iter().map(|piece| piece.location.0).collect();
    visited.sort_unstable();
    visited.dedup();
    visited.len() as u64
}

/// The innermost call around the largest excess of a stall.
pub(super) fn stalled(store: &Store, finding: &Finding) -> Option<SpanRow> {
    let cut = finding.suspect.cuts.iter().max_by_key(|cut| (cut.excess, std::cmp::Reverse(cut.start)))?;
    let middle = Ns(cut.start.0 + cut.end.since(cut.start) / 2);
    let around = spans_in(store, cut.location, (middle, Ns(middle.0.saturating_add(1)))).around;
    let region = finding.suspect.place.region;
    let own = around.iter().rev().find(|row| store.spans.region.get(**row) == region);
    own.or(around.last()).map(|row| SpanRow(*row))
}

/// What the run would take without a finding; and, where that is more, what it would gain once those before it are mended.
pub(super) fn without(store: &Store, diagnosis: &Diagnosis, at: usize) -> Vec<Piece> {
    let run = &diagnosis.run;
    let Some(without) = diagnosis.findings.get(at).and_then(|finding| finding.without) else { return Vec::new() };
    let least = (run.replayed as f64 * LEAST_GAIN) as i64;
    let gain = run.replayed - without;
    let said = if gain <= least {
        "Without it the run would take as long".to_owned()
    } else {
        format!("Without it: {}, {} less", brief(without as f64), brief(gain as f64))
    };
    let sentence = Sentence::new(store).say(said);
    match hidden(diagnosis, at, least) {
        Some(more) => {
            let first = &diagnosis.findings[0];
            let who = if at == 1 { Who::of(store, first).name } else { "those above".to_owned() };
            let who = if first.kind().blames() || at > 1 { who } else { "the first".to_owned() };
            sentence.say(format!("; with {who} mended, {} less.", brief(more as f64))).done()
        }
        None => sentence.say(".").done(),
    }
}

/// What mending it gains once all before it are mended, if that is clearly more than at first.
fn hidden(diagnosis: &Diagnosis, at: usize, least: i64) -> Option<i64> {
    let own = diagnosis.run.replayed - diagnosis.findings.get(at)?.without?;
    let known = |at: usize| diagnosis.findings.get(at).and_then(|finding| finding.without_dearer);
    let before = known(at.checked_sub(1)?)?;
    let together = known(at)?;
    let after = before - together;
    (after > own + least && after as f64 > 1.2 * own as f64).then_some(after)
}
