//! `heddle render … --frames`: one picture after the other, as files or as one animated PNG.

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context;

use heddle_draw::Animation;
use heddle_model::Ns;
use heddle_store::StoreError;
use heddle_view::{MotionKind, MotionOptions, Scene, Trace, View, ViewRequest};

use super::Usage;
use super::output::write_file;
use crate::progress::is_cancelled;
use crate::render_args::{Frames, RenderArgs};

/// Whether a name asks for one animated PNG; otherwise it is that of a directory.
fn is_one_file(output: &Path) -> bool {
    output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"))
}

/// Refuses a view in which nothing moves, and an output that is neither an animated PNG nor a directory.
pub(super) fn check(view: View, output: &Path) -> Result<(), Usage> {
    if !view.has_motion() {
        let moving: Vec<&str> = View::ALL.iter().filter(|view| view.has_motion()).map(|view| view.name()).collect();
        return Err(Usage(format!(
            "--frames: nothing moves in `heddle render {}`; messages are seen on their way in {}",
            view.name(),
            moving.join(", ")
        )));
    }
    let ending = output.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let is_other_figure = ending.is_some_and(|ending| ending == "svg" || ending == "pdf");
    let is_file = !is_one_file(output) && output.is_file();
    if is_other_figure || is_file {
        let name = output.display();
        return Err(Usage(format!(
            "-o {name}: with --frames, name a directory for numbered PNGs, or FIG.png for one that moves"
        )));
    }
    Ok(())
}

/// Writes the frames: moments from the beginning of the window to its end.
pub(super) fn write(args: &RenderArgs, frames: Frames, trace: &Trace<'_>, request: &ViewRequest) -> anyhow::Result<()> {
    let output = &args.shared.output;
    let resolution = f32::from(args.shared.resolution);
    let end = Ns(trace.store.summary().end_ns.saturating_add(1));
    let window = request.window.time.unwrap_or((Ns(0), end));
    let options: MotionOptions = request.options.checked();
    let scene = |frame: u32| -> anyhow::Result<Scene> {
        if is_cancelled() {
            return Err(StoreError::Cancelled.into());
        }
        let share = f64::from(frame) / f64::from(frames.count - 1);
        let at = window.0.0 + (share * (window.1.since(window.0) - 1) as f64) as i64;
        let mut request = request.clone();
        if options.motion == MotionKind::None {
            request.options = request.options.with("motion", "dots");
        }
        request.options = request.options.with("at", &format!("{at}ns"));
        Ok(args.view.scene(trace.clone(), &request))
    };
    if is_one_file(output) {
        return write_file(output, |file| {
            let mut file = BufWriter::new(file);
            let mut animation = Animation::new(&mut file, request.size, resolution, frames.count, frames.per_second)?;
            for frame in 0..frames.count {
                animation.add(&scene(frame)?)?;
            }
            animation.finish()?;
            Ok(file.flush()?)
        });
    }
    std::fs::create_dir_all(output).with_context(|| format!("{}: cannot make this directory", output.display()))?;
    let digits = frames.count.to_string().len().max(4);
    for frame in 0..frames.count {
        let bytes = heddle_draw::png(&scene(frame)?, resolution)?;
        let file = output.join(format!("frame-{:0digits$}.png", frame + 1));
        write_file(&file, |mut file| Ok(file.write_all(&bytes)?))?;
    }
    Ok(())
}
