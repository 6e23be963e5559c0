//! How well a run was used, as a tree of efficiencies: parallel = load balance × communication, and communication =
//! serialisation × transfer.

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_diagnosis::efficiency::Efficiency;
use heddle_diagnosis::rows::Rows;
use heddle_model::Ns;
use heddle_store::Store;
use serde::Serialize;

use super::verdict::verdict;
use crate::request::names::time_text;
use crate::request::window::Window;
use heddle_diagnosis::finding::Verdict;

/// Efficiencies of the run and of parts of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EfficiencyTold {
    /// The run first.
    pub columns: Vec<EfficiencyColumn>,
    /// The onset of the first finding that has one.
    #[serde(rename = "cut_ns", serialize_with = "some_text")]
    pub cut: Option<Ns>,
}

/// The efficiencies of a stretch of time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EfficiencyColumn {
    /// `run`, `window`, `until`, `since`, or the name of a stage.
    pub name: String,
    /// From.
    #[serde(rename = "from_ns", serialize_with = "time_text")]
    pub from: Ns,
    /// To.
    #[serde(rename = "to_ns", serialize_with = "time_text")]
    pub to: Ns,
    /// Share of the ranks' time that was useful.
    pub parallel: f64,
    /// How evenly useful time is spread over the ranks.
    pub load_balance: f64,
    /// Share of the time that the busiest rank computed.
    pub communication: f64,
    /// What waiting for each other in turn leaves.
    pub serialisation: f64,
    /// What the network and its library leave.
    pub transfer: f64,
    /// Shares of the time that are lost: together 1 less the parallel efficiency.
    pub lost: LostTold,
}

/// What time is lost to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LostTold {
    /// Useful work is unevenly spread.
    pub imbalance: f64,
    /// Ranks wait for each other in turn.
    pub serialisation: f64,
    /// The network and its library take time.
    pub transfer: f64,
}

#[allow(clippy::trivially_copy_pass_by_ref, clippy::ref_option, reason = "the signature is serde's")]
fn some_text<S: serde::Serializer>(time: &Option<Ns>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.0.to_string()).serialize(serializer)
}

impl EfficiencyColumn {
    pub(super) fn of(name: &str, from: Ns, to: Ns, efficiency: Efficiency) -> EfficiencyColumn {
        let [imbalance, serialisation, transfer] = efficiency.lost();
        EfficiencyColumn {
            name: name.to_owned(),
            from,
            to,
            parallel: efficiency.parallel(),
            load_balance: efficiency.load_balance(),
            communication: efficiency.communication(),
            serialisation: efficiency.serialisation(),
            transfer: efficiency.transfer(),
            lost: LostTold { imbalance, serialisation, transfer },
        }
    }
}

/// The efficiencies of the run, of a window if one is set, and before and after the onset of the first finding that has one.
pub fn efficiency_told(store: &Store, diagnosis: &Diagnosis, window: &Window) -> EfficiencyTold {
    let run = Rows::new(store).run;
    let column = |name: &str, from: Ns, to: Ns| {
        EfficiencyColumn::of(name, from, to, diagnosis.run.efficiency(store, (from, to)))
    };
    let mut columns = vec![EfficiencyColumn::of("run", run.0, run.1, diagnosis.whole)];
    if let Some((from, to)) = window.time.map(|(from, to)| (from.max(run.0), to.min(run.1)))
        && from < to
        && (from, to) != run
    {
        columns.push(column("window", from, to));
    }
    let cut = onset(store, diagnosis, run);
    if let Some(cut) = cut {
        columns.push(column("until", run.0, cut));
        columns.push(column("since", cut, run.1));
    }
    EfficiencyTold { columns, cut }
}

/// When the first finding began that was not there from the beginning.
fn onset(store: &Store, diagnosis: &Diagnosis, run: (Ns, Ns)) -> Option<Ns> {
    if verdict(store, diagnosis) == Verdict::Unknown {
        return None;
    }
    let began = |since: &Ns| run.0 < *since && *since < run.1;
    let later = diagnosis.findings.iter().filter(|finding| !finding.suspect.is_throughout);
    later.map(|finding| finding.suspect.since).find(began)
}

/// The efficiencies of the run and of each of its stages.
pub fn stage_efficiencies(store: &Store, diagnosis: &Diagnosis) -> Vec<EfficiencyColumn> {
    let run = Rows::new(store).run;
    let whole = EfficiencyColumn::of("run", run.0, run.1, diagnosis.whole);
    let stages = crate::questions::stages::stages(store, &Window::default());
    let of_stage = |stage: crate::questions::stages::Stage| {
        let efficiency = diagnosis.run.efficiency(store, (stage.start, stage.end));
        EfficiencyColumn::of(&stage.name, stage.start, stage.end, efficiency)
    };
    let stages = if stages.len() > 1 { stages } else { Vec::new() };
    std::iter::once(whole).chain(stages.into_iter().map(of_stage)).collect()
}
