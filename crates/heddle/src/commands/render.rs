//! `heddle render`: a view as a figure, without a screen.

use anyhow::Context;

use heddle_model::{Ns, RegionId};
use heddle_store::Store;
use heddle_view::{Emphasis, Framing, LogicalData, Size, Theme, Trace, View, ViewRequest, Window};

use super::{Usage, open_store};
use crate::args::{RenderArgs, ThemeArg};
use crate::call_args::ScaleArg;
use crate::progress::TerminalProgress;

/// What the ending of the figure's name asks for.
enum Kind {
    Png,
    Svg,
    Pdf,
}

pub(super) fn run(args: &RenderArgs) -> anyhow::Result<()> {
    let ending = args.output.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let kind = match ending.as_deref() {
        Some("png") => Kind::Png,
        Some("svg") => Kind::Svg,
        Some("pdf") => Kind::Pdf,
        _ => {
            let name = args.output.display();
            return Err(Usage(format!("-o {name}: the name must end in .png, .svg or .pdf")).into());
        }
    };
    let axis = args.scale.iter().rev().find_map(|scale| match scale {
        ScaleArg::Axis(spacing) => Some(*spacing),
        ScaleArg::Pixels(_) => None,
    });
    if args.view != View::Calls
        && let Some(option) = args.calls.given().or(axis.map(|_| "--scale log|linear"))
    {
        return Err(Usage(format!("{option}: only `heddle render calls` has it")).into());
    }
    let has_steps = matches!(args.view, View::Logical | View::Metric | View::Timeline);
    if !has_steps && let Some(option) = args.steps.given().or(args.logical.given()) {
        return Err(Usage(format!("{option}: only `heddle render logical`, `metric` and `timeline` have it")).into());
    }
    let store = open_store(&args.traces, &args.store)?;
    let data = logical(args, &store)?;
    let end = store.summary().end_ns;
    let time = args.time.map(|(from, to)| (Ns(from.unwrap_or(0)), Ns(to.unwrap_or(end))));
    if let Some((from, to)) = time
        && (from >= to || from.0 > end)
    {
        return Err(Usage(format!("--time: the run lasts from 0 to {}", crate::text::duration(end))).into());
    }
    let steps = args.steps.view(&store, data.as_ref().map_or(0, |data| data.logical.steps.len()))?;
    let time = match (&data, time, steps.steps) {
        (Some(data), None, Some(steps)) => Some(data.logical.step_map().time_of(steps)),
        _ => time,
    };
    let window = Window { time, ranks: args.ranks.clone(), rows: None, main_only: false };
    if window.locations(&store).is_empty() && args.ranks.is_some() {
        return Err(
            Usage(format!("--ranks: none of them is in the trace, which has {} ranks", store.summary().ranks)).into()
        );
    }
    if let Some(id) = args.calls.communicator()
        && u64::from(id) >= store.communicators.len()
    {
        let count = store.communicators.len();
        return Err(Usage(format!("--communicator: the trace has {count}, from 0 on; `heddle info` lists them")).into());
    }
    let emphasis = Emphasis {
        highlighted: regions(&store, "--highlight", &args.highlight)?,
        hidden: regions(&store, "--hide", &args.hide)?,
        selected: match &data {
            Some(data) => args.steps.selected(&store, &data.logical)?,
            None => None,
        },
    };
    let theme = if args.theme == ThemeArg::Dark { Theme::Dark } else { Theme::Light };
    let request = ViewRequest {
        window,
        emphasis,
        theme,
        framing: Framing::Figure,
        size: Size { width: args.size.0, height: args.size.1 },
        calls: args.calls.options(&store, axis)?,
        logical: steps,
    };
    let scene = args.view.scene(Trace { store: &store, logical: data.as_ref() }, &request);
    let pixels = args.scale.iter().rev().find_map(|scale| match scale {
        ScaleArg::Pixels(pixels) => Some(*pixels),
        ScaleArg::Axis(_) => None,
    });
    let bytes = match kind {
        Kind::Png => heddle_draw::png(&scene, f32::from(pixels.unwrap_or(1)))?,
        Kind::Svg => heddle_draw::svg(&scene).into_bytes(),
        Kind::Pdf => heddle_draw::pdf(&scene)?,
    };
    std::fs::write(&args.output, bytes).with_context(|| format!("{}: cannot write", args.output.display()))
}

/// Logical time with the metric, where the picture needs it.
fn logical(args: &RenderArgs, store: &Store) -> anyhow::Result<Option<LogicalData>> {
    let needs_logical = match args.view {
        View::Logical | View::Metric => true,
        View::Timeline => args.steps.needs_logical(),
        View::Activity | View::Calls => false,
    };
    if !needs_logical {
        return Ok(None);
    }
    let progress = TerminalProgress::new();
    let logical = args.logical.open(store, &progress)?;
    if logical.events.is_empty() {
        return Err(Usage("the trace has no communication to put in order: there is no logical time".to_owned()).into());
    }
    args.steps.open(store, logical, &progress).map(Some)
}

/// The regions of these names.
fn regions(store: &Store, option: &str, names: &[String]) -> anyhow::Result<Vec<RegionId>> {
    let mut found = Vec::new();
    for name in names {
        let before = found.len();
        let alike = (0..store.regions.len()).filter(|row| store.regions.name.get(*row) == name);
        found.extend(alike.map(|row| RegionId(row as u32)));
        if found.len() == before {
            return Err(Usage(format!("{option}: the trace has no function `{name}`; `heddle info` lists them")).into());
        }
    }
    Ok(found)
}
