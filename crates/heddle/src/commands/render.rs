//! `heddle render`: a view as a figure, without a screen.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heddle_draw::{Figure, FigureOptions, Format};
use heddle_model::{Ns, RegionId};
use heddle_options::OptionError;
use heddle_store::{Store, group_traces};
use heddle_view::{
    Analysis, AnalysisKind, Emphasis, Framing, LogicalNeed, MetricOptions, Need, RankSet, Scene, Selection, Size,
    Theme, Trace, Urgency, View, ViewRequest, Window, compare_progress, latest_event,
};

use super::frames;
use super::output::write_file;
use super::{Usage, nobody, open_store};
use crate::args::ThemeArg;
use crate::logical_args;
use crate::option_args::with_files;
use crate::progress::TerminalProgress;
use crate::render_args::{RenderArgs, SelectArg};

/// What the ending of the figure's name asks for.
fn format_of(output: &Path) -> Result<Format, Usage> {
    let ending = output.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
    let wrong = || Usage(format!("-o {}: the name must end in .png, .svg or .pdf", output.display()));
    Format::of_ending(&ending).ok_or_else(wrong)
}

/// Writes a view as a figure, in the format that the ending of its name asks for.
pub(super) fn figure(
    view: View,
    request: &ViewRequest,
    options: &FigureOptions,
    (output, resolution): (&Path, u8),
    scene: impl Fn(&ViewRequest) -> Scene,
) -> anyhow::Result<()> {
    let format = format_of(output)?;
    let figure = Figure::of(view, request, options, format, f32::from(resolution), scene).map_err(Usage::from)?;
    let bytes = figure.write(format)?;
    write_file(output, |mut file| Ok(file.write_all(&bytes)?))
}

/// Whether what is asked of the figure goes together.
fn check(args: &RenderArgs) -> Result<(), Usage> {
    let (shared, figure) = (&args.shared, &args.figure);
    if args.frames.is_some() {
        if let Some(first) = figure.first() {
            return Err(Usage(format!(
                "--frames: pictures that move have the size of --size; leave out the option for {first}"
            )));
        }
        return frames::check(args.view, &shared.output);
    }
    let format = format_of(&shared.output)?;
    if figure.get("dpi").is_some() && format != Format::Png {
        return Err(Usage("--dpi: only a PNG has pixels; SVG and PDF are as fine as the paper".to_owned()));
    }
    Ok(())
}

pub(super) fn run(args: &RenderArgs) -> anyhow::Result<()> {
    let shared = &args.shared;
    check(args)?;
    let runs = group_traces(&shared.traces);
    if runs.len() > 1 && args.view == View::Progress {
        return compare(args, &runs);
    }
    let (_folder, store) = if shared.traces.is_empty() {
        let (folder, store) = nobody::store(std::slice::from_ref(&args.options), &shared.store)?;
        (Some(folder), store)
    } else {
        (None, open_store(&shared.traces, &shared.store)?)
    };
    let mut request = request(args, &store)?;
    let trace = prepare(args, &store, &request)?;
    if let Some(data) = &trace.logical {
        place_steps(args, &store, data, &mut request)?;
    }
    if let Some(wanted) = args.frames {
        return frames::write(args, wanted, &trace, &request);
    }
    let options = args.figure.read().map_err(Usage::from)?;
    let output = (shared.output.as_path(), shared.resolution);
    figure(args.view, &request, &options, output, |request| args.view.scene(trace.clone(), request))
}

/// Several runs in one figure, on one scale of time.
fn compare(args: &RenderArgs, runs: &[Vec<PathBuf>]) -> anyhow::Result<()> {
    if args.frames.is_some() {
        return Err(Usage("--frames: several runs in one figure do not move".to_owned()).into());
    }
    let stores: Vec<Store> = runs.iter().map(|run| open_store(run, &args.shared.store)).collect::<Result<_, _>>()?;
    let mut compared = Vec::new();
    for (store, name) in stores.iter().zip(names(&stores, runs)) {
        compared.push((name, prepare(args, store, &request(args, store)?)?));
    }
    let first = compared.first().map(|(_, trace)| request(args, trace.store)).transpose()?;
    let none = || Usage("there is no run to draw".to_owned());
    let first = first.ok_or_else(none)?;
    let scene = compare_progress(&compared, &first).ok_or_else(none)?;
    let options = args.figure.read().map_err(Usage::from)?;
    let output = (args.shared.output.as_path(), args.shared.resolution);
    // What could be drawn once can be drawn at any size.
    figure(args.view, &first, &options, output, |request| {
        compare_progress(&compared, request).unwrap_or_else(|| scene.clone())
    })
}

/// What runs are called: by their traces or, where those have one name, by the folders in which these are.
fn names(stores: &[Store], runs: &[Vec<PathBuf>]) -> Vec<String> {
    let own = |store: &Store| store.name().to_owned();
    let is_twice = |name: &str| stores.iter().filter(|store| store.name() == name).count() > 1;
    let folder = |run: &Vec<PathBuf>| Some(run.first()?.parent()?.file_name()?.to_string_lossy().into_owned());
    stores
        .iter()
        .zip(runs)
        .map(|(store, run)| Some(run).filter(|_| is_twice(store.name())).and_then(folder).unwrap_or_else(|| own(store)))
        .collect()
}

/// The part of a trace that --time and --ranks name.
pub(super) fn window(
    store: &Store,
    time: Option<(Option<i64>, Option<i64>)>,
    ranks: Option<&RankSet>,
) -> anyhow::Result<Window> {
    let end = store.summary().end_ns;
    let time = time.map(|(from, to)| (Ns(from.unwrap_or(0)), Ns(to.unwrap_or(end))));
    if let Some((from, to)) = time
        && (from >= to || from.0 > end)
    {
        return Err(Usage(format!("--time: the run lasts from 0 to {}", crate::text::duration(end))).into());
    }
    let window = Window { time, ranks: ranks.cloned(), ..Window::default() };
    if window.locations(store).is_empty() && ranks.is_some() {
        return Err(
            Usage(format!("--ranks: none of them is in the trace, which has {} ranks", store.summary().ranks)).into()
        );
    }
    Ok(window)
}

/// The question, as far as it can be put without logical time.
fn request(args: &RenderArgs, store: &Store) -> anyhow::Result<ViewRequest> {
    let shared = &args.shared;
    // Only that there is a window; which steps there are is known later.
    let steps = args.steps.map(|(from, to)| (f64::from(from.unwrap_or(0)), f64::from(to.unwrap_or(u32::MAX))));
    let window = Window { steps, ..window(store, shared.time, shared.ranks.as_ref())? };
    let selected = match &shared.select {
        Some(SelectArg::This(selected)) => Some(selected.clone()),
        Some(SelectArg::Latest) | None => None,
    };
    Ok(ViewRequest {
        window,
        emphasis: Emphasis {
            highlighted: regions(store, "--highlight", &shared.highlight)?,
            hidden: regions(store, "--hide", &shared.hide)?,
            selected,
        },
        theme: if shared.theme == ThemeArg::Dark { Theme::Dark } else { Theme::Light },
        book: Arc::default(),
        framing: Framing::Figure,
        has_names: false,
        size: Size { width: shared.size.0, height: shared.size.1 },
        options: with_files(args.options.clone())?,
    })
}

/// What can go wrong on the way to what a picture needs.
struct Unprepared(anyhow::Error);

impl From<OptionError> for Unprepared {
    fn from(error: OptionError) -> Unprepared {
        Unprepared(Usage::from(error).into())
    }
}

/// The trace with all that the picture needs, computed where it is not there.
fn prepare<'a>(args: &RenderArgs, store: &'a Store, request: &ViewRequest) -> anyhow::Result<Trace<'a>> {
    let progress = TerminalProgress::new();
    let is_latest = args.shared.select == Some(SelectArg::Latest);
    let selects_steps = request.emphasis.selected.as_ref().is_some_and(Selection::needs_logical);
    if is_latest && !args.view.analyses().any(AnalysisKind::has_steps) {
        return Err(Usage(format!("--select latest: `heddle render {}` has no logical time", args.view.name())).into());
    }
    // Which event is the latest is known once there is logical time: ask for it as if one were selected.
    let mut asked = request.clone();
    if is_latest {
        asked.emphasis.selected = Some(Selection::Event { rank: 0, step: 0 });
    }
    let trace = Trace::prepare(store, args.view, &asked, |need, urgency| -> Result<_, Unprepared> {
        // One picture is drawn sooner without what is useful to many.
        let is_optional = urgency == Urgency::Welcome && !selects_steps && !is_latest;
        if is_optional || urgency == Urgency::Useful {
            return Ok(need.find(store, []));
        }
        open(store, args, need, &progress).map(Some).map_err(Unprepared)
    });
    trace.map_err(|Unprepared(error)| error)
}

fn open(store: &Store, args: &RenderArgs, need: &Need, progress: &TerminalProgress) -> anyhow::Result<Analysis> {
    if let Some(LogicalNeed { options, metric }) = need.logical() {
        logical_args::check(store, options)?;
        let range = args.options.read::<MetricOptions>().map_err(Usage::from)?.range;
        if metric.is_time() && range.is_some_and(|range| !range.has_units) {
            return Err(Usage("--range: the metric is a time; write for instance 0:4ms".to_owned()).into());
        }
    }
    let analysis = need.open(store, [], progress)?;
    if analysis.nothing().is_some() {
        return Err(Usage("the trace has no communication to put in order: there is no logical time".to_owned()).into());
    }
    Ok(analysis)
}

/// What takes logical time to know: the window of steps, the time that it takes, and the latest event.
fn place_steps(
    args: &RenderArgs,
    store: &Store,
    data: &heddle_view::LogicalData,
    request: &mut ViewRequest,
) -> anyhow::Result<()> {
    let logical = &data.logical;
    let all = u32::try_from(logical.steps.len()).unwrap_or(u32::MAX);
    if let Some((from, to)) = args.steps {
        let (from, to) = (from.unwrap_or(0), to.unwrap_or(all).min(all));
        if from >= to {
            return Err(Usage(format!("--steps: there are {all} steps, from 0 on")).into());
        }
        let steps = (f64::from(from), f64::from(to));
        request.window.steps = Some(steps);
        if request.window.time.is_none() {
            request.window.time = Some(logical.step_map().time_of(steps));
        }
    }
    if let Some(Selection::Event { rank, step }) = request.emphasis.selected {
        let event = heddle_view::event_at(store, logical, rank, step);
        event.ok_or_else(|| Usage(format!("--select: rank {rank} has no event at step {step}")))?;
    }
    if args.shared.select == Some(SelectArg::Latest) {
        let latest = latest_event(logical).ok_or_else(|| Usage("--select latest: no event is late".to_owned()))?;
        let location = logical.rows.location.get(u64::from(logical.row_of(latest)));
        let rank = store.locations.rank.get(u64::from(location.0)).0;
        request.emphasis.selected = Some(Selection::Event { rank, step: logical.events.step.get(latest) });
    }
    Ok(())
}

/// The regions of these names.
fn regions(store: &Store, option: &str, names: &[String]) -> anyhow::Result<Vec<RegionId>> {
    let mut found = Vec::new();
    for name in names {
        let alike = heddle_view::regions_named(store, name);
        if alike.is_empty() {
            return Err(Usage(format!("{option}: the trace has no function `{name}`; `heddle info` lists them")).into());
        }
        found.extend(alike);
    }
    Ok(found)
}
