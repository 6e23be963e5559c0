//! `heddle info`: what is in a trace.

mod diagnosis;
mod network;
mod tasks;

use std::cmp::Reverse;
use std::io::Write;

use serde::Serialize;

use heddle_logical::Logical;
use heddle_model::Warning;
use heddle_options::Given;
use heddle_store::{Store, Summary};
use heddle_view::{AnalysisKind, Findings, Need, Trace, Urgency, Window, findings, progress_sentences};

use self::diagnosis::Diagnosed;
use self::network::NetworkInfo;
use self::tasks::TasksInfo;
use super::open_store;
use crate::args::InfoArgs;
use crate::progress::TerminalProgress;
use crate::text::{counted, duration, grouped, harmless_json, printable, printable_name};

#[derive(Serialize)]
struct Info<'a> {
    name: &'a str,
    #[serde(flatten)]
    summary: &'a Summary,
    /// Left out where there are none.
    #[serde(flatten)]
    tasks: Option<TasksInfo<'a>>,
    regions: Vec<RegionInfo<'a>>,
    /// Left out where none was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<NetworkInfo<'a>>,
    warnings: Vec<Warning>,
    /// What is wrong, and how well time was used.
    #[serde(flatten)]
    diagnosed: Diagnosed,
    #[serde(flatten)]
    findings: Option<Findings>,
    /// How far nodes had come, in sentences. Left out without tasks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    progress: Vec<String>,
    /// Left out where there is none, or nobody has computed it and it would take long.
    #[serde(skip_serializing_if = "Option::is_none")]
    logical: Option<LogicalInfo>,
}

/// Logical time in short.
#[derive(Serialize)]
struct LogicalInfo {
    events: u64,
    phases: u64,
    steps: u64,
    /// The phases with the largest lateness.
    latest_phases: Vec<PhaseInfo>,
    hints: Vec<String>,
}

#[derive(Serialize)]
struct PhaseInfo {
    phase: u64,
    first_step: u32,
    last_step: u32,
    ranks: u32,
    events: u64,
    max_lateness_ns: i64,
    start_ns: i64,
    end_ns: i64,
}

impl LogicalInfo {
    fn of(logical: &Logical) -> LogicalInfo {
        let table = &logical.phases;
        let mut latest: Vec<(Reverse<i64>, u64)> = Vec::new();
        // There may be millions: only the latest so far are kept in order.
        for (lateness, phase) in table.max_lateness.iter(0..table.len()).zip(0..).filter(|(lateness, _)| *lateness > 0)
        {
            let place = latest.partition_point(|other| *other < (Reverse(lateness), phase));
            if place < LATEST {
                latest.truncate(LATEST - 1);
                latest.insert(place, (Reverse(lateness), phase));
            }
        }
        let latest_phases = latest
            .into_iter()
            .map(|(_, phase)| phase)
            .map(|phase| PhaseInfo {
                phase,
                first_step: table.first_step.get(phase),
                last_step: table.last_step.get(phase),
                ranks: table.rows.get(phase),
                events: table.events.get(phase),
                max_lateness_ns: table.max_lateness.get(phase),
                start_ns: table.first.get(phase).0,
                end_ns: table.last.get(phase).0,
            })
            .collect();
        LogicalInfo {
            events: logical.events.len(),
            phases: table.len(),
            steps: logical.steps.len(),
            latest_phases,
            hints: logical.hints().to_vec(),
        }
    }
}

/// How many phases are told.
const LATEST: usize = 5;

#[derive(Serialize)]
struct RegionInfo<'a> {
    name: &'a str,
    paradigm: &'a str,
    count: u64,
    total_ns: i64,
    exclusive_ns: i64,
}

impl<'a> Info<'a> {
    /// Regions that were visited, the ones with most time of their own first.
    fn of(store: &'a Store, with_findings: bool, logical: Option<LogicalInfo>) -> Info<'a> {
        let table = &store.regions;
        let mut regions: Vec<RegionInfo> = (0..table.len())
            .filter(|row| table.count.get(*row) > 0)
            .map(|row| RegionInfo {
                name: table.name.get(row),
                paradigm: table.paradigm.get(row),
                count: table.count.get(row),
                total_ns: table.total.get(row),
                exclusive_ns: table.exclusive.get(row),
            })
            .collect();
        regions.sort_by_key(|region| Reverse(region.exclusive_ns));
        let findings = with_findings.then(|| findings(store, &Window::default()));
        Info {
            name: store.name(),
            summary: store.summary(),
            tasks: TasksInfo::of(store),
            regions,
            network: NetworkInfo::of(store),
            warnings: store.warnings(),
            diagnosed: Diagnosed::default(),
            findings,
            progress: Vec::new(),
            logical,
        }
    }
}

pub(super) fn run(args: &InfoArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let store = open_store(&args.traces, &args.store)?;
    let logical = args.logical.open_if_quick(&store, &TerminalProgress::new())?;
    let mut info = Info::of(&store, args.findings, logical.as_ref().map(LogicalInfo::of));
    info.diagnosed = Diagnosed::of(&store, args)?;
    if args.findings && !store.tasks.is_empty() {
        info.progress = progress(&store)?;
    }
    if args.json {
        return Ok(writeln!(out, "{}", harmless_json(&serde_json::to_string_pretty(&info)?))?);
    }
    print(&info, out)
}

/// How far the nodes of a program of tasks had come, in sentences.
fn progress(store: &Store) -> anyhow::Result<Vec<String>> {
    let need = AnalysisKind::Progress.need(store, &Given::default())?;
    let open = |need: &Need, _| need.open(store, [], &TerminalProgress::new()).map(Some);
    let trace = Trace::with(store, [(need, Urgency::Required)], open)?;
    Ok(progress_sentences(&trace))
}

/// The same for people.
fn print(info: &Info, out: &mut impl Write) -> anyhow::Result<()> {
    let summary = info.summary;
    let by = if summary.creator.is_empty() { String::new() } else { format!(", {}", printable_name(&summary.creator)) };
    writeln!(out, "{} ({}{by})", printable_name(info.name), summary.format)?;
    match &info.network {
        // There are no times in it, so all that is usually told would be noughts.
        Some(network) if summary.events == 0 => {
            writeln!(out, "  a measured network: counters of its nodes and links, without times, calls or messages")?;
            network::print(network, summary.ranks, out)?;
        }
        network => {
            print_counts(summary, out)?;
            if let Some(tasks) = &info.tasks {
                tasks::print(tasks, out)?;
            }
            if let Some(network) = network {
                writeln!(out, "\n  a measured network:")?;
                network::print(network, summary.ranks, out)?;
            }
        }
    }
    print_regions(&info.regions, out)?;
    if let Some(logical) = &info.logical {
        print_logical(logical, out)?;
    }
    info.diagnosed.print_diagnosis(out)?;
    info.diagnosed.print_efficiency(out)?;
    if let Some(findings) = &info.findings {
        print_findings(findings, out)?;
    }
    if !info.progress.is_empty() {
        writeln!(out, "\n  progression of the nodes:")?;
    }
    for sentence in &info.progress {
        writeln!(out, "  - {}", printable_name(sentence))?;
    }
    for warning in &info.warnings {
        let kind = warning.kind.name();
        writeln!(
            out,
            "\nwarning: {kind} ({} times, first at {})",
            grouped(warning.count),
            printable_name(&warning.place)
        )?;
        writeln!(out, "  {}", printable(&warning.text))?;
    }
    Ok(())
}

/// How many there are of everything in a trace.
fn print_counts(summary: &Summary, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "  {} · {} · {}",
        counted(summary.ranks, "rank"),
        counted(summary.locations, "location"),
        duration(summary.end_ns - summary.start_ns),
    )?;
    writeln!(
        out,
        "  {} · {} · {} · {} · {}",
        counted(summary.events, "event"),
        counted(summary.spans, "span"),
        counted(summary.messages, "message"),
        counted(summary.collectives, "collective"),
        counted(summary.communicators, "communicator"),
    )?;
    if summary.unmatched_sends + summary.unmatched_receives > 0 {
        writeln!(
            out,
            "  unmatched: {}, {}",
            counted(summary.unmatched_sends, "send"),
            counted(summary.unmatched_receives, "receive"),
        )?;
    }
    Ok(())
}

fn print_regions(regions: &[RegionInfo], out: &mut impl Write) -> anyhow::Result<()> {
    const MOST: usize = 20;
    const WIDEST: usize = 40;
    if regions.is_empty() {
        return Ok(());
    }
    let all: i64 = regions.iter().map(|region| region.exclusive_ns).fold(0, i64::wrapping_add);
    let shown = &regions[..regions.len().min(MOST)];
    let names: Vec<String> = shown.iter().map(|region| shortened(&printable_name(region.name), WIDEST)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(6);
    writeln!(
        out,
        "\n  {:width$}  {:11}  {:>13}  {:>10}  {:>10}  {:>6}",
        "region", "paradigm", "count", "total", "exclusive", "share"
    )?;
    for (region, name) in shown.iter().zip(names) {
        let share = if all > 0 { 100.0 * region.exclusive_ns as f64 / all as f64 } else { 0.0 };
        writeln!(
            out,
            "  {name:width$}  {:11}  {:>13}  {:>10}  {:>10}  {share:>5.1}%",
            region.paradigm,
            grouped(region.count),
            duration(region.total_ns),
            duration(region.exclusive_ns),
        )?;
    }
    if regions.len() > MOST {
        writeln!(out, "  … and {}; --json lists all", counted((regions.len() - MOST) as u64, "region"))?;
    }
    Ok(())
}

fn print_logical(logical: &LogicalInfo, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "\n  logical time: {} in {} over {}",
        counted(logical.events, "communication event"),
        counted(logical.phases, "phase"),
        counted(logical.steps, "step"),
    )?;
    if logical.latest_phases.is_empty() && logical.events > 0 {
        writeln!(out, "\n  no event is later than others of its step")?;
    } else if logical.events > 0 {
        writeln!(
            out,
            "\n  {:>12}  {:>15}  {:>9}  {:>11}  {:>10}  {:>10}",
            "latest phase", "steps", "ranks", "events", "late by", "from"
        )?;
    }
    for phase in &logical.latest_phases {
        writeln!(
            out,
            "  {:>12}  {:>15}  {:>9}  {:>11}  {:>10}  {:>10}",
            grouped(phase.phase),
            format!("{} to {}", grouped(u64::from(phase.first_step)), grouped(u64::from(phase.last_step))),
            grouped(u64::from(phase.ranks)),
            grouped(phase.events),
            duration(phase.max_lateness_ns),
            duration(phase.start_ns),
        )?;
    }
    for hint in &logical.hints {
        writeln!(out, "\n  {}", printable(hint))?;
    }
    Ok(())
}

fn print_findings(found: &Findings, out: &mut impl Write) -> anyhow::Result<()> {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    if let Some(efficiency) = found.efficiency {
        writeln!(out, "\n  efficiency: {} of the time is not spent in communication", percent(efficiency))?;
    }
    writeln!(out, "\n  {:>10}  {:>10}  {:>10}  stage", "from", "to", "efficiency")?;
    for stage in &found.stages {
        let (start, end) = (duration(stage.start.0), duration(stage.end.0));
        let mostly = format!("mostly {} ({})", printable_name(&stage.mostly), percent(stage.share));
        let what = if stage.is_caller { format!("{}, {mostly}", printable_name(&stage.name)) } else { mostly };
        let rounds = stage.rounds.map_or_else(String::new, |rounds| {
            format!("; {} rounds of {}", grouped(u64::from(rounds.count)), duration(rounds.each.0))
        });
        writeln!(out, "  {start:>10}  {end:>10}  {:>10}  {what}{rounds}", percent(stage.efficiency))?;
    }
    if found.findings.is_empty() {
        writeln!(out, "\n  Nothing stands out.")?;
    }
    for (number, finding) in (1..).zip(&found.findings) {
        writeln!(out, "\n  {number}. {}", printable_name(&finding.sentence()))?;
    }
    for note in &found.notes {
        writeln!(out, "\n  {note}")?;
    }
    Ok(())
}

fn shortened(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most - 1).chain(['…']).collect()
}
