//! The progression of nodes in figures and words: what the panels beside its pictures show.

mod selected;
mod words;

use heddle_model::Ns;
use heddle_tasks::{Cluster, GroupOptions, Modes, Progression, area_bound};
use rayon::prelude::*;
use serde::Serialize;

use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::request::selection::Selection;
use crate::scene::Rgba;
use crate::scene::ticks::grouped;
use crate::views::progress::numbered;
use crate::views::progress::shown::{Shown, extent, ranges, time_text};

/// What there is to say of a progression.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProgressTold {
    /// What counts as work, for people: `tasks`, `iterations`, `logical steps`, `calls of dgemm`.
    pub work: String,
    /// The first task's start and the last one's end, in nanoseconds of the trace.
    pub span: (i64, i64),
    /// The instants, in nanoseconds of the trace.
    pub times: Vec<i64>,
    /// Number of the instant that is shown.
    pub shown: u32,
    /// How many nodes have work.
    pub nodes: u32,
    /// Which nodes have none, as ranges; empty if all have.
    pub idle_nodes: String,
    /// Tasks in all.
    pub tasks: u64,
    /// Kinds of workers, in the order of their names.
    pub kinds: Vec<KindTold>,
    /// Types of tasks, those that take most time first.
    pub types: Vec<TypeTold>,
    /// Share of the time of all declared workers in which they run no task, 0 to 1.
    pub idle: f64,
    /// By instant.
    pub instants: Vec<InstantTold>,
    /// How fast the machine could have been.
    pub bounds: BoundsTold,
    /// For the bandwidths that the slider offers: how many groups the shown instant has at each.
    pub bandwidths: Vec<(f64, u32)>,
    /// The selected nodes as a whole, if ranks are selected.
    pub selected: Option<SelectedTold>,
    /// What is worth saying, those that matter most first.
    pub words: Vec<ProgressWords>,
    /// What was left out, or assumed.
    pub notes: Vec<String>,
}

/// A kind of workers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindTold {
    /// Its name: `CPU`; empty if not known. Hostile text.
    pub name: String,
    /// How many there are.
    pub declared: u64,
    /// How many ran a task.
    pub observed: u64,
    /// Share of their time in tasks, 0 to 1, over all declared.
    pub busy: f64,
}

/// A type of tasks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TypeTold {
    /// Its region, as the legend numbers them.
    pub region: u32,
    /// Its name. Hostile text.
    pub name: String,
    /// How many tasks.
    pub tasks: u64,
    /// Share of the time of all declared workers, 0 to 1.
    pub share: f64,
    /// Mean duration by kind of workers, in nanoseconds; none where none ran.
    pub means: Vec<Option<f64>>,
    /// Runs outside of the fences of their type and kind of worker.
    pub outliers: u64,
}

/// An instant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InstantTold {
    /// Share of the slowest node and of the fastest.
    pub extent: (f64, f64),
    /// Of all nodes together.
    pub pooled: f64,
    /// From the slowest.
    pub groups: Vec<GroupTold>,
}

/// A group of nodes at an instant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupTold {
    /// Its nodes as ranges: `1-6, 12`.
    pub nodes: String,
    /// How many they are.
    pub count: u32,
    /// Mean share of work done.
    pub mean: f64,
    /// Of the slowest and the fastest of them.
    pub extent: (f64, f64),
    /// How it is coloured, as `#rrggbb`.
    pub colour: String,
    /// What a click selects.
    pub select: Selection,
}

/// Lower bounds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoundsTold {
    /// Of the run, in nanoseconds.
    pub area: f64,
    /// The sum of those of the steps, in nanoseconds.
    pub by_steps: f64,
    /// The longest chain of tasks that wait for each other, in nanoseconds, where that is known.
    pub chain: Option<f64>,
    /// How many times as long the run took as the area bound.
    pub ratio: f64,
    /// Workers that the bound counts on, and that there are.
    pub workers: (u64, u64),
}

/// Selected nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SelectedTold {
    /// As ranges.
    pub nodes: String,
    /// How many.
    pub count: u32,
    /// What is known of them: names and texts, for people.
    pub facts: Vec<(String, String)>,
}

/// A sentence about the progression.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProgressWords {
    /// The sentence, pieces that matter marked as in findings.
    pub text: Vec<crate::questions::findings::Piece>,
    /// Whether it tells of a loss: it is set off then.
    pub is_loss: bool,
    /// What it speaks of.
    pub select: Option<Selection>,
    /// When that begins.
    pub since: Option<i64>,
}

/// Bandwidths of the slider: the least, the largest, and how many between them, evenly spaced by their logarithms.
const BANDWIDTHS: (f64, f64) = (0.002, 0.2);
const BANDWIDTHS_TOLD: u32 = 40;

/// What there is to say of a progression; none if the trace has nothing to count.
pub fn about_progress(trace: &Trace<'_>, request: &ViewRequest) -> Option<ProgressTold> {
    let progression = trace.progress.as_deref()?;
    let shown = Shown::of(progression, request);
    let (Ns(start), Ns(end)) = progression.span;
    let bounds = &progression.bounds;
    // The time that all workers have.
    let available: f64 =
        (progression.kinds.iter()).map(|kind| kind.declared as f64 * progression.makespan() as f64).sum();
    let types = types(trace, progression, available);
    Some(ProgressTold {
        work: progression.work.name(),
        span: (start, end),
        times: progression.times.iter().map(|time| time.0).collect(),
        shown: shown.instant as u32,
        nodes: progression.nodes.len() as u32,
        idle_nodes: ranges(progression.idle.iter().copied()),
        tasks: progression.tasks.iter().sum(),
        kinds: kinds(progression),
        idle: (1.0 - types.iter().map(|of| of.share).sum::<f64>()).clamp(0.0, 1.0),
        types,
        instants: (0..progression.times.len()).map(|instant| about_instant(&shown, instant)).collect(),
        bounds: BoundsTold {
            area: bounds.area,
            by_steps: bounds.steps.iter().sum(),
            chain: bounds.chain,
            ratio: ratio(progression).unwrap_or(0.0),
            workers: (bounds.workers.iter().sum(), bounds.declared.iter().sum()),
        },
        bandwidths: bandwidths(&shown, request),
        selected: selected::about(trace, &shown, request),
        words: words::words(trace, progression, &request.options.checked()),
        notes: notes(progression),
    })
}

/// What is worth saying of a progression at the usual bandwidth, as plain text; nothing without one.
pub fn progress_sentences(trace: &Trace<'_>) -> Vec<String> {
    let Some(progression) = trace.progress.as_deref() else { return Vec::new() };
    let plain = |words: ProgressWords| words.text.into_iter().map(|piece| piece.text).collect();
    let words = words::words(trace, progression, &GroupOptions::default()).into_iter().map(plain);
    words.chain(notes(progression).into_iter().map(|note| note + ".")).collect()
}

/// How many times as long as the area bound the run took; none if there is no bound.
pub(crate) fn ratio(progression: &Progression) -> Option<f64> {
    let area = progression.bounds.area;
    (area > 0.0).then(|| progression.makespan() as f64 / area)
}

/// How long workers of each kind ran tasks.
fn kinds(progression: &Progression) -> Vec<KindTold> {
    let told = |(at, kind): (usize, &heddle_tasks::WorkerKind)| {
        let busy: i64 = progression.on_node.iter().map(|kinds| kinds[at].1).sum();
        let available = kind.declared as f64 * progression.makespan() as f64;
        KindTold {
            name: kind.name.clone(),
            declared: kind.declared,
            observed: kind.observed,
            busy: if available > 0.0 { busy as f64 / available } else { 0.0 },
        }
    };
    progression.kinds.iter().enumerate().map(told).collect()
}

/// Types of tasks, those that take most time first.
fn types(trace: &Trace<'_>, progression: &Progression, available: f64) -> Vec<TypeTold> {
    let regions = &trace.store.regions;
    let told = |of: &heddle_tasks::WorkType| {
        let total: i64 = of.on_kind.iter().map(|on| on.total).sum();
        let is_known = of.region.is_some() && u64::from(of.region.0) < regions.len();
        TypeTold {
            region: of.region.0,
            name: if is_known { regions.name.get(u64::from(of.region.0)).to_owned() } else { String::new() },
            tasks: of.tasks,
            share: if available > 0.0 { total as f64 / available } else { 0.0 },
            means: of.on_kind.iter().map(|on| on.mean()).collect(),
            outliers: of.outliers.iter().sum(),
        }
    };
    let mut types: Vec<TypeTold> = progression.types.iter().filter(|of| of.tasks > 0).map(told).collect();
    types.sort_by(|a, b| b.share.total_cmp(&a.share));
    types
}

fn about_instant(shown: &Shown<'_>, instant: usize) -> InstantTold {
    let progression = shown.progression;
    let group = |(group, cluster): (usize, &Cluster)| {
        let shares = cluster.members.iter().map(|node| progression.line(*node as usize)[instant]);
        let extent = shares.fold((1.0f64, 0.0f64), |(low, high), share| (low.min(share), high.max(share)));
        let Rgba(red, green, blue, _) = shown.colour(instant, group);
        GroupTold {
            nodes: shown.names(&cluster.members),
            count: cluster.members.len() as u32,
            mean: cluster.mean,
            extent,
            colour: format!("#{red:02x}{green:02x}{blue:02x}"),
            select: shown.select(&cluster.members),
        }
    };
    let clusters = shown.clusters(instant);
    InstantTold {
        extent: extent(progression, instant),
        pooled: progression.pooled.get(instant).copied().unwrap_or(0.0),
        groups: if progression.nodes.is_empty() {
            Vec::new()
        } else {
            clusters.iter().enumerate().map(group).collect()
        },
    }
}

/// How many groups the shown instant has, by bandwidth.
fn bandwidths(shown: &Shown<'_>, request: &ViewRequest) -> Vec<(f64, u32)> {
    let options: GroupOptions = request.options.checked();
    let shares = shown.progression.at(shown.instant);
    let (least, most) = BANDWIDTHS;
    let told = |at: u32| {
        let bandwidth = least * (most / least).powf(f64::from(at) / f64::from(BANDWIDTHS_TOLD - 1));
        let modes = Modes::of(&shares, bandwidth, f64::from(options.min_depth.0));
        (bandwidth, modes.clusters.len() as u32)
    };
    (0..BANDWIDTHS_TOLD).into_par_iter().map(told).collect()
}

/// What was assumed, and what is odd about the work; each without its full stop.
fn notes(progression: &Progression) -> Vec<String> {
    let mut notes: Vec<String> = progression.notes.iter().map(|note| note.trim_end_matches('.').to_owned()).collect();
    let bounds = &progression.bounds;
    let unused: Vec<String> = progression
        .kinds
        .iter()
        .filter(|kind| kind.observed < kind.declared)
        .map(|kind| {
            let (idle, all) = (grouped(kind.declared - kind.observed), grouped(kind.declared));
            format!("{idle} of {all} {}", if kind.name.is_empty() { "workers" } else { &kind.name })
                .trim_end()
                .to_owned()
                + if kind.name.is_empty() { "" } else { " workers" }
        })
        .collect();
    if !unused.is_empty() {
        let (declared, observed): (u64, u64) = (bounds.declared.iter().sum(), bounds.observed.iter().sum());
        let (counted, others) = if bounds.workers == bounds.declared {
            (
                format!("all {}", grouped(declared)),
                (&bounds.observed, format!("the {} that ran one", grouped(observed))),
            )
        } else {
            (grouped(observed), (&bounds.declared, format!("all {}", grouped(declared))))
        };
        let counts: Vec<f64> = progression.types.iter().map(|of| of.tasks as f64).collect();
        let means: Vec<Vec<Option<f64>>> =
            progression.types.iter().map(|of| of.on_kind.iter().map(|on| on.mean()).collect()).collect();
        let other = area_bound(&counts, &means, others.0);
        notes.push(format!(
            "{} ran no task: the bound counts {counted} workers ({} with {})",
            unused.join(" and "),
            time_text(other as i64),
            others.1
        ));
    }
    if !progression.idle.is_empty() {
        let idle = numbered(progression.idle.iter().copied(), progression.idle.len());
        notes.push(format!("No work, and so in no group: {idle}"));
    }
    notes
}
