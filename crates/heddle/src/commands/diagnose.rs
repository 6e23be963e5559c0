//! `heddle diagnose`: what is wrong with a run, who did it, since when and what it costs; or that nothing is.

use std::io::Write;

use serde::Serialize;

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_diagnosis::finding::Finding;
use heddle_model::LocationId;
use heddle_store::Store;
use heddle_view::{
    Check, DiagnosisTold, EfficiencyColumn, FindingTold, SplitPart, Window, diagnosis_markdown, diagnosis_text,
    diagnosis_told, efficiency_told,
};

use super::open_store;
use crate::args::DiagnoseArgs;
use crate::progress::TerminalProgress;
use crate::text::{harmless_json, printable_name};

/// A diagnosis for scripts. No dates and no paths: the same trace gives the same bytes.
#[derive(Serialize)]
struct Told<'a> {
    verdict: &'static str,
    headline: String,
    findings: Vec<FindingJson<'a>>,
    split: &'a [SplitPart],
    lost_share: f64,
    remaining: String,
    /// The run first, then before and after the onset of the first finding that has one.
    efficiency: Vec<EfficiencyJson<'a>>,
    checks: &'a [Check],
    notes: &'a [String],
    clocks: ClocksJson,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    kind: &'static str,
    ranks: Vec<u32>,
    /// Names of locations where there are no ranks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<&'a str>,
    nodes: &'a [String],
    function: Option<&'a str>,
    since_ns: i64,
    until_ns: i64,
    is_throughout: bool,
    cost_share: f64,
    without_ns: Option<i64>,
    /// Time in excess of what peers take, of all its ranks together.
    excess_ns: i64,
    /// How many times longer than usual; none where nothing is usual.
    factor: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pairs: Vec<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    period_ns: Option<f64>,
    text: String,
    advice: &'static str,
}

#[derive(Serialize)]
struct EfficiencyJson<'a> {
    name: &'a str,
    from_ns: i64,
    to_ns: i64,
    parallel: f64,
    load_balance: f64,
    communication: f64,
    serialisation: f64,
    transfer: f64,
}

#[derive(Serialize)]
struct ClocksJson {
    violations: u64,
    checked: u64,
    largest_ns: i64,
    is_broken: bool,
}

pub(super) fn run(args: &DiagnoseArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let store = open_store(&args.traces, &args.store)?;
    let diagnosis = Diagnosis::open(&store, &TerminalProgress::new())?;
    let told = diagnosis_told(&store, &diagnosis);
    // Efficiencies rest on moments of different ranks as well.
    let columns = if diagnosis.clocks.is_broken {
        Vec::new()
    } else {
        efficiency_told(&store, &diagnosis, &Window::default()).columns
    };
    let text = if args.json {
        harmless_json(&serde_json::to_string_pretty(&json(&store, &diagnosis, &told, &columns))?) + "\n"
    } else if args.markdown {
        diagnosis_markdown(&told, &columns, printable_name)
    } else {
        diagnosis_text(&told, &columns, printable_name)
    };
    Ok(out.write_all(text.as_bytes())?)
}

fn json<'a>(
    store: &'a Store,
    diagnosis: &'a Diagnosis,
    told: &'a DiagnosisTold,
    columns: &'a [EfficiencyColumn],
) -> Told<'a> {
    let clocks = diagnosis.clocks;
    Told {
        verdict: told.verdict,
        headline: told.headline_text(),
        findings: told
            .findings
            .iter()
            .zip(&diagnosis.findings)
            .map(|(told, found)| finding(store, told, found))
            .collect(),
        split: &told.split,
        lost_share: told.lost.share,
        remaining: told.remaining_text(),
        efficiency: columns.iter().map(EfficiencyJson::of).collect(),
        checks: &told.checks,
        notes: &told.notes,
        clocks: ClocksJson {
            violations: clocks.violations,
            checked: clocks.checked,
            largest_ns: clocks.largest,
            is_broken: clocks.is_broken,
        },
    }
}

impl EfficiencyJson<'_> {
    fn of(column: &EfficiencyColumn) -> EfficiencyJson<'_> {
        EfficiencyJson {
            name: &column.name,
            from_ns: column.from.0,
            to_ns: column.to.0,
            parallel: column.parallel,
            load_balance: column.load_balance,
            communication: column.communication,
            serialisation: column.serialisation,
            transfer: column.transfer,
        }
    }
}

fn finding<'a>(store: &'a Store, told: &'a FindingTold, found: &'a Finding) -> FindingJson<'a> {
    let suspect = &found.suspect;
    let rank = |location: &LocationId| store.locations.rank.get(u64::from(location.0)).some().map(|rank| rank.0);
    let number = |location: LocationId| rank(&location).unwrap_or(location.0);
    let mut ranks: Vec<u32> = suspect.locations.iter().filter_map(rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let nameless = ranks.is_empty();
    let names = suspect.locations.iter().filter(|_| nameless);
    FindingJson {
        kind: told.kind,
        ranks,
        locations: names.map(|location| store.locations.name.get(u64::from(location.0))).collect(),
        nodes: &told.nodes,
        function: told.function_name.as_deref(),
        since_ns: told.since.0,
        until_ns: told.until.0,
        is_throughout: told.is_throughout,
        cost_share: told.cost_share,
        without_ns: told.without_ns,
        excess_ns: suspect.excess(),
        factor: Some(suspect.factor()).filter(|factor| factor.is_finite()),
        pairs: suspect.pairs.iter().map(|(from, to)| [number(*from), number(*to)]).collect(),
        period_ns: suspect.period,
        text: told.sentences(),
        advice: told.advice,
    }
}
