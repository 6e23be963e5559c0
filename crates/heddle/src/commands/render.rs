//! `heddle render`: a view as a figure, without a screen.

use anyhow::Context;

use heddle_model::Ns;
use heddle_view::{CallsOptions, Emphasis, Framing, Size, Theme, ViewRequest, Window};

use super::{Usage, open_store};
use crate::args::{RenderArgs, ThemeArg};

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
    let store = open_store(&args.traces, &args.store)?;
    let end = store.summary().end_ns;
    let time = args.time.map(|(from, to)| (Ns(from.unwrap_or(0)), Ns(to.unwrap_or(end))));
    if let Some((from, to)) = time
        && (from >= to || from.0 > end)
    {
        return Err(Usage(format!("--time: the run lasts from 0 to {}", crate::text::duration(end))).into());
    }
    let window = Window { time, ranks: args.ranks.clone(), rows: None };
    if window.locations(&store).is_empty() && args.ranks.is_some() {
        return Err(
            Usage(format!("--ranks: none of them is in the trace, which has {} ranks", store.summary().ranks)).into()
        );
    }
    let theme = if args.theme == ThemeArg::Dark { Theme::Dark } else { Theme::Light };
    let request = ViewRequest {
        window,
        emphasis: Emphasis::default(),
        theme,
        framing: Framing::Figure,
        size: Size { width: args.size.0, height: args.size.1 },
        calls: CallsOptions::default(),
    };
    let scene = args.view.scene(&store, &request);
    let bytes = match kind {
        Kind::Png => heddle_draw::png(&scene, f32::from(args.scale))?,
        Kind::Svg => heddle_draw::svg(&scene).into_bytes(),
        Kind::Pdf => heddle_draw::pdf(&scene)?,
    };
    std::fs::write(&args.output, bytes).with_context(|| format!("{}: cannot write", args.output.display()))
}
