//! The verdict in a sentence, what is left to chance, what was examined, and what cannot be said.

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_diagnosis::finding::{FindingKind, Verdict};
use heddle_diagnosis::rows::Rows;
use heddle_diagnosis::waits::WaitKind;
use heddle_model::WarningKind;
use heddle_store::Store;

use super::sentence::{Sentence, brief, percent};
use super::who::{counted_rows, everybody};
use super::{Check, SplitPart, kinds};
use crate::questions::findings::Piece;
use crate::scene::ticks::{counted, duration_text, grouped};

/// More communication without an explanation is worth a note: its share.
const MUCH_UNEXPLAINED: f64 = 0.1;
/// A replay that differs by more from the run is worth a note.
const REPLAY_OFF: f64 = 0.01;
/// So much time in neither computing nor communication belongs into the verdict.
const MUCH_OTHER: f64 = 0.1;
/// Waiting for receives below this share of the time of all ranks is no problem.
const LEAST_COST: f64 = 0.02;
/// Messages in another order are no problem below this share of the waiting for messages.
const MUCH_OUT_OF_ORDER: f64 = 0.2;

/// The verdict; unknown where there was nothing to compare. Of a trace that is not whole nobody can say that all is well.
pub(super) fn verdict(store: &Store, diagnosis: &Diagnosis) -> Verdict {
    match diagnosis.verdict {
        _ if diagnosis.clocks.is_broken => Verdict::Unknown,
        Verdict::Faulty => Verdict::Faulty,
        _ if nothing_to_compare(store).is_some() => Verdict::Unknown,
        Verdict::Balanced if damage(store).is_some() => Verdict::Unknown,
        verdict => verdict,
    }
}

/// What of the trace is missing, if it is not whole: that belongs before whatever is said of the rest.
fn damage(store: &Store) -> Option<String> {
    let lost = store.warnings().into_iter().filter_map(|warning| {
        let place = &warning.place;
        let what = match warning.kind {
            WarningKind::Truncated => format!("it breaks off at {place}"),
            WarningKind::Corrupt => format!("it cannot be read from {place} on"),
            WarningKind::MissingFile => format!("{place} is missing or cannot be read"),
            _ => return None,
        };
        Some((what, warning.count))
    });
    let lost: Vec<(String, u64)> = lost.collect();
    let others = lost.iter().map(|(_, count)| count).sum::<u64>().saturating_sub(1);
    let others = match others {
        0 => String::new(),
        others => format!(", and so on in {}", counted(others, "other place")),
    };
    lost.first().map(|(first, _)| format!("The trace is not whole: {first}{others}."))
}

/// Why there is nothing to diagnose, if that is so.
pub(crate) fn nothing_to_compare(store: &Store) -> Option<&'static str> {
    let rows = Rows::new(store);
    if rows.is_empty() {
        return Some("The trace has no calls: there is nothing to diagnose.");
    }
    if !store.tasks.is_empty() {
        return None;
    }
    if rows.len() == 1 {
        return Some("The trace has one rank with calls: there is nobody to compare it with.");
    }
    match (rows.communicates(), rows.has_partners()) {
        (_, true) => None,
        (true, false) => Some("The trace has neither messages nor collectives: who waited for whom is not known."),
        (false, false) => Some("Nothing in the trace communicates: nobody waits for anybody."),
    }
}

/// The verdict in one sentence.
pub(super) fn headline(store: &Store, diagnosis: &Diagnosis, verdict: Verdict, split: &[SplitPart]) -> Vec<Piece> {
    let cost = |number: usize| {
        split.iter().find(|part| part.finding == Some(number)).map_or_else(String::new, |part| part.text.clone())
    };
    let lost = damage(store);
    let sentence = match &lost {
        Some(lost) => Sentence::new(store).say(format!("{lost} ")),
        None => Sentence::new(store),
    };
    match (verdict, diagnosis.findings.first()) {
        (Verdict::Unknown, _) if diagnosis.clocks.is_broken => sentence.say(times_contradict(store, diagnosis)),
        (Verdict::Unknown, first) => {
            let sentence = sentence.say(match (nothing_to_compare(store), lost) {
                (Some(reason), _) => reason,
                (None, Some(_)) => "In what could be read nobody stands out.",
                (None, None) => "The trace allows no verdict.",
            });
            match first {
                Some(first) => sentence.say(format!(" {}: {}.", kinds::title(store, first), cost(1))),
                None => sentence,
            }
        }
        (Verdict::Faulty, Some(first)) => sentence
            .who(&kinds::title(store, first), &first.suspect.locations)
            .say(format!(": that costs {} of the time of all {}.", cost(1), everybody(store))),
        (Verdict::Uneven, first) => {
            let uneven = diagnosis.findings.iter().position(|finding| finding.kind().is_uneven());
            let sentence = unevenly(store, sentence, diagnosis, uneven, split, &cost);
            match first {
                // What costs more belongs into the verdict too.
                Some(first) if uneven.is_some_and(|at| at > 0) => {
                    sentence.say(format!(" {}: {}.", kinds::title(store, first), cost(1)))
                }
                _ => sentence,
            }
        }
        _ => {
            let lost = split.iter().find(|part| part.kind == "chance").map_or("0.0 %", |part| part.text.as_str());
            let other = split.iter().find(|part| part.kind == "other" && part.share >= MUCH_OTHER);
            let other = other.map_or_else(String::new, |part| {
                format!("; {} is spent waiting for work or files, or in the recorder", part.text)
            });
            let chance = format!("{lost} is lost to chance{other}");
            match diagnosis.findings.first() {
                Some(first) => {
                    let title = small(&kinds::title(store, first));
                    sentence.say(format!("Balanced: nobody stands out, but {title}: {}; {chance}.", cost(1)))
                }
                None => sentence.say(format!("Balanced: nobody stands out; {chance}.")),
            }
        }
    }
    .done()
}

/// How work is cut or ordered so that ranks wait: by the finding that tells it, or by all waiting.
fn unevenly<'a>(
    store: &'a Store,
    sentence: Sentence<'a>,
    diagnosis: &Diagnosis,
    uneven: Option<usize>,
    split: &[SplitPart],
    cost: &impl Fn(usize) -> String,
) -> Sentence<'a> {
    let noun = if store.tasks.is_empty() { "rank" } else { "node" };
    let Some(at) = uneven else {
        let waits = split.iter().find(|part| part.kind == "chance").map_or("0.0 %", |part| part.text.as_str());
        return sentence
            .say(format!("Uneven: {waits} is spent waiting, more than chance explains; no one {noun} is to blame."));
    };
    let finding = &diagnosis.findings[at];
    let title = kinds::title(store, finding);
    let sentence = match finding.kind() {
        FindingKind::SerialWork => {
            let sentence = sentence.say("Uneven: ").who(&small(&title), &finding.suspect.locations);
            sentence.say(" while the others wait")
        }
        FindingKind::Imbalance | FindingKind::SerialChain => {
            sentence.say(format!("Uneven by design: {}", small(&title)))
        }
        _ => sentence.say(title),
    };
    sentence.say(format!(", which costs {}; no one {noun} is to blame.", cost(at + 1)))
}

/// Titles begin with a capital letter; inside a sentence they do not.
fn small(title: &str) -> String {
    let mut letters = title.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Clocks are to blame where every end of a message has its partner; else pairs may be wrong as well.
fn times_contradict(store: &Store, diagnosis: &Diagnosis) -> String {
    let summary = store.summary();
    let (head, or) = match summary.unmatched_sends + summary.unmatched_receives {
        0 => ("The clocks disagree", String::new()),
        ends => {
            let ends = counted(ends, "end");
            (
                "Times contradict each other",
                format!(" Clocks disagree, or messages are paired wrongly ({ends} without a partner)."),
            )
        }
    };
    let clocks = diagnosis.clocks;
    let count = if clocks.checked > 0 {
        format!("{} of {} messages and collectives", grouped(clocks.violations), grouped(clocks.checked))
    } else {
        counted(clocks.violations, "message or collective").replace("collectives", "collective")
    };
    format!(
        "{head}: {count} end before what they wait for begins, by up to {}.{or} So nothing is said about time.",
        duration_text(clocks.largest)
    )
}

/// What no finding explains, and what it looks like.
pub(super) fn remaining(store: &Store, diagnosis: &Diagnosis, split: &[SplitPart]) -> Vec<Piece> {
    let Some(chance) = split.iter().find(|part| part.kind == "chance" && part.share > 0.0005) else {
        return Vec::new();
    };
    let head = if diagnosis.findings.is_empty() { "" } else { "The remaining " };
    if diagnosis.waits_by_design() {
        let most = percent(diagnosis.most_by_chance());
        return Sentence::new(store)
            .say(format!(
                "{head}{} is spent waiting by the way that work is cut and ordered: chance accounts for at most {most}, and nobody \
                 stands out.",
                chance.text
            ))
            .done();
    }
    let sentence = Sentence::new(store).say(format!("{head}{} is lost to chance", chance.text));
    let Some(spread) = diagnosis.spreads.first().filter(|spread| spread.deviation >= 0.0005) else {
        return sentence.say(".").done();
    };
    let deviation = if spread.deviation < 0.1 {
        format!("{:.1}", 100.0 * spread.deviation)
    } else {
        format!("{:.0}", 100.0 * spread.deviation)
    };
    sentence
        .say(": ")
        .place_inside(spread.place)
        .say(format!(" varies by ±{deviation} % from visit to visit, on all ranks alike."))
        .done()
}

/// What was examined, whether or not it is all right. Says nothing of what was not.
pub(super) fn checks(store: &Store, diagnosis: &Diagnosis) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut check = |ok: bool, fine: &str, wrong: String| {
        checks.push(Check { ok, text: if ok { fine.to_owned() } else { wrong } });
    };
    let clocks = diagnosis.clocks;
    let has_messages = !store.messages.is_empty();
    if nothing_to_compare(store).is_some() {
        return checks;
    }
    if !clocks.is_broken {
        let has = |kind: FindingKind| diagnosis.findings.iter().any(|finding| finding.kind() == kind);
        if !diagnosis.spreads.is_empty() {
            check(!has(FindingKind::Imbalance), "work evenly cut", "work unevenly cut".to_owned());
        }
        if has_messages {
            let all = (diagnosis.whole.elapsed as f64 * diagnosis.whole.ranks as f64).max(1.0);
            let [receivers, order, senders] = waiting(diagnosis);
            let is_late = receivers >= LEAST_COST * all;
            let late = format!("sends wait for receives: {}", percent(receivers / all));
            check(!is_late, "no late receivers", late);
            let is_mixed = order >= LEAST_COST * all && order >= MUCH_OUT_OF_ORDER * (order + senders);
            let mixed = format!("received in another order than sent: {}", percent(order / all));
            check(!is_mixed, "message order", mixed);
        }
    }
    if has_messages || !store.collectives.is_empty() {
        let off =
            format!("clocks: {} too early, by up to {}", grouped(clocks.violations), duration_text(clocks.largest));
        check(clocks.violations == 0 && !clocks.is_broken, "clocks agree", off);
    }
    checks
}

/// Waiting for receives, for messages in another order, and for other messages.
fn waiting(diagnosis: &Diagnosis) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for wait in diagnosis.run.waits.list.iter() {
        match wait.kind() {
            WaitKind::LateReceiver => sums[0] += wait.wait as f64,
            WaitKind::WrongOrder => sums[1] += wait.wait as f64,
            WaitKind::LateSender => sums[2] += wait.wait as f64,
            _ => {}
        }
    }
    sums
}

/// What cannot be said, and why.
pub(super) fn notes(store: &Store, diagnosis: &Diagnosis) -> Vec<String> {
    let (run, summary) = (&diagnosis.run, store.summary());
    let mut notes = Vec::new();
    if diagnosis.clocks.is_broken {
        notes.push("Waits, causes and the critical path would be made from the disagreement of the clocks.".to_owned());
        return notes;
    }
    let communication = (diagnosis.whole.time.waiting + diagnosis.whole.time.communication).max(1) as f64;
    let unexplained = run.waits.unexplained as f64 / communication;
    if unexplained > MUCH_UNEXPLAINED {
        notes.push(format!(
            "Of {} of the time in communication it is not known whom it waited for: ends without a partner, or \
             collectives that do not fit together.",
            percent(unexplained)
        ));
    }
    let unmatched = summary.unmatched_sends + summary.unmatched_receives;
    if unmatched > 0 {
        notes.push(format!(
            "{} of messages have no partner: nobody is said to wait for them.",
            counted(unmatched, "end")
        ));
    }
    let off = (run.replayed - run.length).abs();
    if run.length > 0 && off as f64 > REPLAY_OFF * run.length as f64 {
        notes.push(format!(
            "The replay of the unchanged run takes {} instead of {}: what it would take without something is as uncertain.",
            brief(run.replayed as f64),
            brief(run.length as f64)
        ));
    }
    if run.unmet > 0 {
        notes.push(format!(
            "{} of the replay could not be met.",
            counted(run.unmet, "dependency").replace("dependencys", "dependencies")
        ));
    }
    let shown = diagnosis.whole.ranks;
    if shown < summary.locations && store.tasks.is_empty() && nothing_to_compare(store).is_none() {
        notes.push(format!("Compared are {}, by their main locations.", counted_rows(store, shown)));
    }
    notes
}
