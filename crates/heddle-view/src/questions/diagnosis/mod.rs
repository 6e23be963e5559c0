//! What is wrong with a run, in words: the verdict, what costs time with its evidence, and what is not a problem.
//!
//! A sentence never names anybody whom the diagnosis did not establish, and never says "because" of what merely coincides.
//! Where clocks disagree nothing is said about time. Figures that must add up are rounded together.
//!
//! | part | module |
//! |---|---|
//! | who is meant | `who` |
//! | what each kind is called, what to look at | `kinds` |
//! | evidence in numbers, what the run would take without it | `evidence` |
//! | the verdict, what is left to chance, what was examined | `verdict` |
//! | functions by cost, the critical path | `costs` |
//! | the tree of efficiencies | `efficiency` |
//! | several runs of one program | `scaling` |
//! | text for people and Markdown | `text` |

mod costs;
mod efficiency;
mod evidence;
mod kinds;
mod scaling;
mod sentence;
mod shares;
mod text;
mod verdict;
mod who;

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_diagnosis::finding::{Finding, Verdict};
use heddle_model::{Ns, RegionId};
use heddle_store::Store;
use serde::Serialize;

use crate::questions::findings::{Piece, window_text};
use crate::request::names::{SpanName, region_number, time_text};
use crate::request::selection::Selection;
pub use costs::{FunctionCost, FunctionPart, PathPart, PathTold, path_stretches};
pub use efficiency::{EfficiencyColumn, EfficiencyTold, LostTold, efficiency_told, stage_efficiencies};
pub use scaling::{ScalingKind, ScalingRun, ScalingTold, scaling_told};
use sentence::{plain, region_name};
pub use text::{diagnosis_markdown, diagnosis_text, efficiency_lines};
pub(crate) use verdict::nothing_to_compare;

/// A diagnosis in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiagnosisTold {
    /// `balanced`, `uneven`, `faulty` or `unknown`.
    pub verdict: &'static str,
    /// One sentence: the verdict in words.
    pub headline: Vec<Piece>,
    /// What costs time, the dearest first.
    pub findings: Vec<FindingTold>,
    /// Where the time of all ranks went.
    pub split: Vec<SplitPart>,
    /// What was not useful.
    pub lost: ShareTold,
    /// What no finding explains; empty if nothing can be said of it.
    pub remaining: Vec<Piece>,
    /// What was examined.
    pub checks: Vec<Check>,
    /// What cannot be said, and why.
    pub notes: Vec<String>,
    /// Functions by what they cost others.
    pub functions: Vec<FunctionCost>,
    /// The critical path.
    pub path: PathTold,
    /// All waits.
    pub waits: WaitsTold,
    /// How well the replay of the unchanged run fits.
    pub replay: ReplayTold,
}

/// A finding in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FindingTold {
    /// Its number, from 1.
    pub number: usize,
    /// Its kind, in a word.
    pub kind: &'static str,
    /// What it is called.
    pub title: String,
    /// The same for pictures.
    pub label: String,
    /// Whom and when.
    #[serde(rename = "where")]
    pub place: String,
    /// The evidence in numbers.
    pub text: Vec<Piece>,
    /// What the run would take without it.
    pub without: Vec<Piece>,
    /// What to look at next.
    pub advice: &'static str,
    /// What it makes others wait, as a share of the time of all ranks.
    pub cost_share: f64,
    /// The same, rounded together with the split.
    pub cost_text: String,
    /// What the run would take without it.
    #[serde(serialize_with = "some_time_text")]
    pub without_ns: Option<i64>,
    /// Who, as a filter.
    pub ranks: Option<String>,
    /// Nodes that it accuses, by name.
    pub nodes: Vec<String>,
    /// The function.
    #[serde(serialize_with = "region_number")]
    pub function: Option<RegionId>,
    /// Its name.
    pub function_name: Option<String>,
    /// From when on.
    #[serde(rename = "since_ns", serialize_with = "time_text")]
    pub since: Ns,
    /// Until when.
    #[serde(rename = "until_ns", serialize_with = "time_text")]
    pub until: Ns,
    /// Whether that is the whole run.
    pub is_throughout: bool,
    /// The time to look at.
    #[serde(serialize_with = "window_text")]
    pub window: Option<(Ns, Ns)>,
    /// The call that shows it best, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Selection>,
}

/// A part of the time of all ranks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SplitPart {
    /// `useful`, `finding`, `chance`, `communication` or `other`.
    pub kind: &'static str,
    /// The number of the finding.
    pub finding: Option<usize>,
    /// The share: all of them add up to 1.
    pub share: f64,
    /// The same as text: all of them add up to 100 %.
    pub text: String,
}

/// A share of the time of all ranks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShareTold {
    /// From 0 to 1.
    pub share: f64,
    /// The same as text.
    pub text: String,
}

/// Something that was examined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Whether it is all right.
    pub ok: bool,
    /// What it is.
    pub text: String,
}

/// All waits of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WaitsTold {
    /// How many.
    pub count: u64,
    /// Their time on all ranks.
    #[serde(rename = "total_ns", serialize_with = "signed_text")]
    pub total: i64,
    /// The share of it that is charged to somebody's work.
    pub explained: f64,
}

/// How well the replay of the unchanged run fits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplayTold {
    /// What the run took.
    #[serde(rename = "length_ns", serialize_with = "signed_text")]
    pub length: i64,
    /// What its replay takes.
    #[serde(rename = "replayed_ns", serialize_with = "signed_text")]
    pub replayed: i64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn signed_text<S: serde::Serializer>(number: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

#[allow(clippy::trivially_copy_pass_by_ref, clippy::ref_option, reason = "the signature is serde's")]
fn some_time_text<S: serde::Serializer>(time: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.to_string()).serialize(serializer)
}

/// A diagnosis in words.
pub fn diagnosis_told(store: &Store, diagnosis: &Diagnosis) -> DiagnosisTold {
    let verdict = verdict::verdict(store, diagnosis);
    // What a single rank or device does with its time can be told without anybody to compare it with.
    let is_told = verdict != Verdict::Unknown || !diagnosis.clocks.is_broken && !diagnosis.findings.is_empty();
    let split = costs::split(diagnosis, is_told);
    let shown: &[Finding] = if is_told { &diagnosis.findings } else { &[] };
    let findings: Vec<FindingTold> =
        (0..shown.len()).map(|at| finding_told(store, diagnosis, at, cost_of(&split, at))).collect();
    let useful = split.iter().find(|part| part.kind == "useful");
    let useful_tenths = useful.map_or(0, |part| costs::tenths_of(&part.text));
    let (waits, delays) = (&diagnosis.run.waits, &diagnosis.run.delays);
    let total = waits.total();
    let explained = if total > 0 { (1.0 - delays.unexplained / total as f64).clamp(0.0, 1.0) } else { 1.0 };
    DiagnosisTold {
        verdict: verdict.name(),
        headline: verdict::headline(store, diagnosis, verdict, &split),
        findings,
        lost: ShareTold {
            share: 1.0 - useful.map_or(0.0, |part| part.share),
            text: shares::tenths_text(1_000 - useful_tenths),
        },
        remaining: if is_told { verdict::remaining(store, diagnosis, &split) } else { Vec::new() },
        checks: verdict::checks(store, diagnosis),
        notes: verdict::notes(store, diagnosis),
        functions: costs::functions(store, diagnosis, is_told),
        path: if is_told { costs::path(store, diagnosis) } else { PathTold::default() },
        split,
        waits: WaitsTold { count: waits.list.len() as u64, total, explained },
        replay: ReplayTold { length: diagnosis.run.length, replayed: diagnosis.run.replayed },
    }
}

/// What a finding costs, as the split has it.
fn cost_of(split: &[SplitPart], at: usize) -> ShareTold {
    let part = split.iter().find(|part| part.finding == Some(at + 1));
    part.map_or_else(
        || ShareTold { share: 0.0, text: shares::tenths_text(0) },
        |part| ShareTold { share: part.share, text: part.text.clone() },
    )
}

fn finding_told(store: &Store, diagnosis: &Diagnosis, at: usize, cost: ShareTold) -> FindingTold {
    let finding = &diagnosis.findings[at];
    let suspect = &finding.suspect;
    let function = Some(suspect.place.region).filter(|region| (region.index() as u64) < store.regions.len());
    let stalled = (finding.kind().name() == "stall").then(|| evidence::stalled(store, finding)).flatten();
    FindingTold {
        number: at + 1,
        kind: finding.kind().name(),
        title: kinds::title(store, finding),
        label: kinds::label(store, finding),
        place: evidence::where_line(store, finding),
        text: evidence::evidence(store, diagnosis, finding),
        without: evidence::without(store, diagnosis, at),
        advice: kinds::advice(finding),
        cost_share: cost.share,
        cost_text: cost.text,
        without_ns: finding.without,
        ranks: who::filter(store, &suspect.locations),
        nodes: who::nodes(store, finding),
        function,
        function_name: function.map(|region| region_name(store, region).to_owned()),
        since: suspect.since,
        until: suspect.until,
        is_throughout: suspect.is_throughout,
        window: Some(finding.window),
        select: stalled.map(|span| Selection::Span(SpanName::of(store, span))),
    }
}

impl DiagnosisTold {
    /// The verdict in words, without links.
    pub fn headline_text(&self) -> String {
        plain(&self.headline)
    }

    /// What no finding explains, without links.
    pub fn remaining_text(&self) -> String {
        plain(&self.remaining)
    }
}

impl FindingTold {
    /// All its sentences as plain text: what, whom and when, the evidence, and what the run would take without it.
    pub fn sentences(&self) -> String {
        let parts = [format!("{} ({}).", self.title, self.place), plain(&self.text), plain(&self.without)];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The evidence, without links.
    pub fn evidence(&self) -> String {
        plain(&self.text)
    }

    /// What the run would take without it, without links.
    pub fn without_text(&self) -> String {
        plain(&self.without)
    }
}

/// A diagnosis in plain sentences: the verdict, then what costs time.
pub fn diagnosis_sentences(store: &Store, diagnosis: &Diagnosis) -> Vec<String> {
    let told = diagnosis_told(store, diagnosis);
    std::iter::once(told.headline_text()).chain(told.findings.iter().map(FindingTold::sentences)).collect()
}

/// What a finding is called in pictures.
pub fn label(store: &Store, finding: &Finding) -> String {
    kinds::label(store, finding)
}
