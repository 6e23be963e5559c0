//! What stands out, in words: sentences found by stated rules, each of which selects what it speaks of.
//!
//! | rule | what it says | module |
//! |---|---|---|
//! | ends apart | Calls of one function begin together on all or nearly all ranks, and end apart. | `together` |
//! | ends together | They begin apart and end together. | `together` |
//! | longest call | The single longest call, and how many ranks communicate meanwhile. | `longest` |
//! | unusual calls | Calls far longer than is usual for their function, gathered in time or on few ranks. | `unusual` |
//! | locks ranks | A function that takes in rank after rank and lets go of all at once. | `locking` |
//!
//! The thresholds are constants with their reasons beside the rules. A rule speaks only where it costs something:
//! [`LEAST_LOSS`] of the time that all ranks have. Findings are ranked by the time they cost.
//!
//! Calls are those that communicate, and count with their whole length if they reach into the window. In a trace where
//! nothing communicates only unusual calls are looked for: there, that tasks begin together means little.
//!
//! These are facts about calls. Nobody is blamed: who keeps others waiting is for the diagnosis to say. Rules that compare moments
//! of different ranks stay silent about what is not much longer than the disagreement of clocks.

mod calls;
mod clocks;
mod locking;
mod longest;
mod rounds;
mod survey;
mod together;
mod unusual;
mod words;

use heddle_model::{Ns, RegionId, SpanRow};
use heddle_store::Store;
use serde::Serialize;

use crate::questions::stages::{Stage, stages};
use crate::request::names::{SpanName, region_number};
use crate::request::selection::Selection;
use crate::request::window::Window;
use crate::views::activity::efficiency;
use calls::Calls;
pub(crate) use words::LONGEST_FILTER;
pub use words::Piece;
pub(crate) use words::window_text;

/// What costs less of the time of all ranks is not worth a sentence.
const LEAST_LOSS: f64 = 0.02;
/// More sentences are not read.
const MOST_FINDINGS: usize = 8;

/// By which rule something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// Calls begin together and end apart.
    EndsApart,
    /// Calls begin apart and end together.
    EndsTogether,
    /// The single longest call.
    LongestCall,
    /// Calls far from their function's usual duration.
    UnusualCalls,
    /// A function that takes in rank after rank.
    LocksRanks,
}

/// Something that stands out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// By which rule.
    pub kind: FindingKind,
    /// The sentence.
    pub text: Vec<Piece>,
    /// Which share of the time of all ranks it costs.
    pub lost: f64,
    /// When it is: what the whole sentence selects.
    #[serde(serialize_with = "window_text")]
    pub window: Option<(Ns, Ns)>,
    /// On which ranks, as a filter; none if on all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<String>,
    /// Which function.
    #[serde(serialize_with = "region_number")]
    pub region: Option<RegionId>,
    /// The call that shows it best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Selection>,
}

impl Finding {
    /// The sentence as plain text.
    pub fn sentence(&self) -> String {
        self.text.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// Whether most of this one's time lies in the other's, and both speak of the same function.
    fn is_within(&self, other: &Finding) -> bool {
        let (Some(ours), Some(theirs)) = (self.window, other.window) else { return false };
        let common = ours.1.min(theirs.1).since(ours.0.max(theirs.0));
        self.region == other.region && common * 2 > ours.1.since(ours.0)
    }
}

/// What stands out in a window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Findings {
    /// The sentences, those that cost most first.
    pub findings: Vec<Finding>,
    /// The stages of the window, in order.
    pub stages: Vec<Stage>,
    /// Share of the time of all ranks that they compute; none if nothing in the trace communicates.
    pub efficiency: Option<f64>,
    /// What was left out.
    pub notes: Vec<String>,
}

/// Looks for everything that stands out in a window.
pub fn findings(store: &Store, window: &Window) -> Findings {
    let calls = Calls::new(store, window);
    let mut found = Vec::new();
    let mut notes = Vec::new();
    if !calls.locations.is_empty() && !calls.functions.is_empty() {
        let usual = survey::survey(&calls);
        if calls.is_communication {
            let least = clocks::least_to_compare(store);
            let mut rounds = rounds::rounds(&calls, &usual);
            let all = rounds.rounds.len();
            rounds.rounds.retain(|round| round.starts().max(round.ends()) >= least);
            if rounds.rounds.len() < all {
                notes.push("Clocks disagree: calls that are not much further apart are not compared.".to_owned());
            }
            if rounds.sampled > 0 {
                notes.push("Of functions that are called very often only some rounds were compared.".to_owned());
            }
            let (locking, told): (Vec<Finding>, Vec<_>) = locking::locking(&calls, &rounds.rounds).into_iter().unzip();
            found.extend(locking);
            let rest: Vec<_> = rounds.rounds.into_iter().filter(|round| !told.contains(round)).collect();
            found.extend(together::together(&calls, &rest));
            let long = |finding: &Finding| finding.window.is_some_and(|(from, to)| to.since(from) >= least);
            found.extend(longest::longest(&calls, &usual).filter(long));
        }
        found.extend(unusual::unusual(&calls, &usual));
    }
    Findings { findings: ranked(found), stages: stages(store, window), efficiency: efficiency(store, window), notes }
}

/// Those that cost most first, without what another rule says better.
fn ranked(mut found: Vec<Finding>) -> Vec<Finding> {
    let rounds = [FindingKind::LocksRanks, FindingKind::EndsApart, FindingKind::EndsTogether];
    let better: Vec<Finding> = found.iter().filter(|finding| rounds.contains(&finding.kind)).cloned().collect();
    found.retain(|finding| {
        // A round that takes unusually long says why; that its calls are unusual says nothing more.
        finding.kind != FindingKind::UnusualCalls || !better.iter().any(|other| finding.is_within(other))
    });
    found.sort_by(|a, b| b.lost.total_cmp(&a.lost));
    found.truncate(MOST_FINDINGS);
    found
}

/// A finding about one function; the rules fill in the rest.
fn finding(calls: &Calls, kind: FindingKind, function: usize, lost: f64, text: Vec<Piece>) -> Finding {
    let region = Some(calls.functions[function]);
    // Calls count with their whole length, also beyond the window: what they cost of it is at most all of it.
    let lost = (lost / calls.available().max(1.0)).min(1.0);
    Finding { kind, text, lost, window: None, ranks: None, region, select: None }
}

fn call_named(calls: &Calls, row: u64) -> Selection {
    Selection::Span(SpanName::of(calls.store, SpanRow(row)))
}
