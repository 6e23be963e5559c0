//! What `heddle info` says of a diagnosis: its sentences, the tree of efficiencies, and how several runs scale.

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use serde::Serialize;

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_store::Store;
use heddle_view::{
    DiagnosisTold, EfficiencyColumn, FindingTold, ScalingKind, ScalingTold, diagnosis_told, efficiency_lines,
    scaling_told, stage_efficiencies,
};

use crate::args::{InfoArgs, ScalingArg};
use crate::commands::open_store;
use crate::progress::TerminalProgress;
use crate::text::{duration, grouped, printable_name};

/// The diagnosis in sentences.
#[derive(Serialize)]
pub(super) struct DiagnosisInfo {
    verdict: &'static str,
    /// The verdict first, then what costs time.
    sentences: Vec<String>,
}

/// How well time was used.
#[derive(Serialize)]
pub(super) struct EfficiencyInfo {
    /// The run, then its stages; none where clocks disagree.
    efficiencies: Vec<EfficiencyColumn>,
    /// Left out where there is one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    scaling: Option<ScalingTold>,
}

/// What the options ask for.
#[derive(Default, Serialize)]
pub(super) struct Diagnosed {
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnosis: Option<DiagnosisInfo>,
    #[serde(flatten)]
    efficiency: Option<EfficiencyInfo>,
}

impl Diagnosed {
    pub(super) fn of(store: &Store, args: &InfoArgs) -> anyhow::Result<Diagnosed> {
        if !args.findings && !args.efficiency {
            return Ok(Diagnosed::default());
        }
        let diagnosis = Diagnosis::open(store, &TerminalProgress::new())?;
        let told = args.findings.then(|| DiagnosisInfo::of(&diagnosis_told(store, &diagnosis)));
        let efficiency = if args.efficiency { Some(EfficiencyInfo::of(store, &diagnosis, args)?) } else { None };
        Ok(Diagnosed { diagnosis: told, efficiency })
    }

    /// The diagnosis, for people.
    pub(super) fn print_diagnosis(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let Some(diagnosis) = &self.diagnosis else { return Ok(()) };
        for (number, sentence) in diagnosis.sentences.iter().enumerate() {
            let head = if number == 0 { "diagnosis:".to_owned() } else { format!("  {number}.") };
            writeln!(out, "\n  {head} {}", printable_name(sentence))?;
        }
        Ok(())
    }

    /// Efficiencies, for people.
    pub(super) fn print_efficiency(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let Some(info) = &self.efficiency else { return Ok(()) };
        writeln!(out)?;
        if info.efficiencies.is_empty() {
            writeln!(out, "  Efficiency: not told, since the clocks disagree.")?;
        }
        for line in efficiency_lines(&info.efficiencies, &printable_name) {
            writeln!(out, "  {line}")?;
        }
        info.scaling.as_ref().map_or(Ok(()), |scaling| print_scaling(scaling, out))
    }
}

impl DiagnosisInfo {
    fn of(told: &DiagnosisTold) -> DiagnosisInfo {
        let findings = told.findings.iter().map(FindingTold::sentences);
        DiagnosisInfo {
            verdict: told.verdict,
            sentences: std::iter::once(told.headline_text()).chain(findings).collect(),
        }
    }
}

impl EfficiencyInfo {
    fn of(store: &Store, diagnosis: &Diagnosis, args: &InfoArgs) -> anyhow::Result<EfficiencyInfo> {
        // Efficiencies rest on moments of different ranks.
        if diagnosis.clocks.is_broken {
            return Ok(EfficiencyInfo { efficiencies: Vec::new(), scaling: None });
        }
        let efficiencies = stage_efficiencies(store, diagnosis);
        let mut runs = vec![(store.name().to_owned(), diagnosis.whole)];
        for other in &args.against {
            runs.push(run_of(other, args)?);
        }
        let kind = args.scaling.map(|kind| match kind {
            ScalingArg::Strong => ScalingKind::Strong,
            ScalingArg::Weak => ScalingKind::Weak,
        });
        let scaling = if runs.len() > 1 { scaling_told(runs, kind) } else { None };
        Ok(EfficiencyInfo { efficiencies, scaling })
    }
}

/// Another run, by its name, and how well it was used.
fn run_of(trace: &PathBuf, args: &InfoArgs) -> anyhow::Result<(String, heddle_diagnosis::efficiency::Efficiency)> {
    let store = open_store(std::slice::from_ref(trace), &args.store)?;
    let diagnosis = Diagnosis::open(&store, &TerminalProgress::new())?;
    if diagnosis.clocks.is_broken {
        bail!(
            "{}: the clocks of this run disagree, so it has no efficiencies to compare; leave it out",
            trace.display()
        );
    }
    Ok((store.name().to_owned(), diagnosis.whole))
}

fn print_scaling(scaling: &ScalingTold, out: &mut impl Write) -> anyhow::Result<()> {
    let how = if scaling.is_guessed { ", as useful time tells (--scaling says otherwise)" } else { "" };
    writeln!(out, "\n  {} scaling{how}", scaling.scaling.name())?;
    let runs = &scaling.runs;
    let row = |name: &str, value: &dyn Fn(usize) -> String| -> String {
        let values: Vec<String> = (0..runs.len()).map(|at| format!("  {:>10}", value(at))).collect();
        let values = values.concat();
        format!("  {name:24}{values}")
    };
    writeln!(out, "{}", row("ranks", &|at| grouped(runs[at].ranks)))?;
    writeln!(out, "{}", row("elapsed", &|at| duration(runs[at].elapsed_ns)))?;
    writeln!(out, "{}", row("speed-up", &|at| format!("{:.2}", runs[at].speed_up)))?;
    writeln!(out, "{}", row("global efficiency", &|at| format!("{:.2}", runs[at].global)))?;
    writeln!(out, "{}", row("  parallel efficiency", &|at| format!("{:.2}", runs[at].tree.parallel)))?;
    writeln!(out, "{}", row("    load balance", &|at| format!("{:.2}", runs[at].tree.load_balance)))?;
    writeln!(out, "{}", row("    communication", &|at| format!("{:.2}", runs[at].tree.communication)))?;
    writeln!(out, "{}", row("      serialisation", &|at| format!("{:.2}", runs[at].tree.serialisation)))?;
    writeln!(out, "{}", row("      transfer", &|at| format!("{:.2}", runs[at].tree.transfer)))?;
    writeln!(out, "{}", row("  computation scaling", &|at| format!("{:.2}", runs[at].computation_scaling)))?;
    Ok(writeln!(out, "  {}", scaling.limit)?)
}
