//! Several runs side by side on one scale of time: who is faster, and who is nearer to its bound.

use heddle_model::{Ns, SpanRow};

use super::inks::Inks;
use super::options::ProgressionOptions;
use super::shown::Shown;
use super::{Chosen, Places, draw, key, share_area, share_axis};
use crate::analyses::Trace;
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{frame, time_axis};
use crate::scene::{Anchor, Axis, Band, Label, Layer, Rect, RectMark, Scene, SegmentMark};

/// Room between two runs.
const GAP: f32 = 26.0;
const TITLE: f32 = 13.0;

/// The progressions of several runs, each with its name and its bounds. Those without any have an empty place.
pub fn compare_progress(runs: &[(String, Trace<'_>)], request: &ViewRequest) -> Option<Scene> {
    let (_, first) = runs.first()?;
    let whole = share_area(first, request);
    let colours = request.colours(first.store);
    let longest = runs.iter().map(|(_, trace)| request.window.time(trace.store).1).max()?;
    let time = (request.window.time.map_or(Ns(0), |(from, _)| from), longest);
    let count = runs.len() as f32;
    let width = ((whole.width - GAP * (count - 1.0)) / count).floor().max(1.0);
    let part = |at: usize| Rect { x: whole.x + at as f32 * (width + GAP).floor(), width, ..whole };
    let ticks = (0..runs.len()).flat_map(|at| time_axis(time, part(at)).ticks).collect();
    let axes = (Axis { ticks, ..Axis::default() }, share_axis(whole));
    let mut scene = frame(request, whole, String::new(), axes, &colours, Vec::new());
    let mut inks = Inks::new(std::mem::take(&mut scene.palette), &colours, request.theme);
    let asked: ProgressionOptions = request.options.checked();
    for (at, (name, trace)) in runs.iter().enumerate() {
        let plot = part(at);
        let mark = |x: f32, width: f32, colour| {
            let rect = Rect { x, width, ..whole };
            RectMark { rect, colour, span: SpanRow::NONE }
        };
        if at > 0 {
            // The lines of the axis end where a run does.
            scene.layers.push(Layer::Rects(vec![mark(plot.x - GAP, GAP, colours.background())]));
            scene.layers.push(Layer::Rects(vec![mark(plot.x - 1.0, 1.0, colours.ink().line)]));
        }
        let (place, size) = ((plot.x, whole.y - 10.0), TITLE);
        scene.labels.push(Label {
            at: place,
            text: name.clone(),
            size,
            colour: colours.ink().strong,
            anchor: Anchor::Start,
        });
        let Some(progression) = trace.progress.as_deref() else { continue };
        let (shown, places) = (Shown::of(progression, request), Places { plot, time });
        let before = scene.layers.len();
        draw(&shown, &places, &Chosen::of(progression, request), &asked, &mut scene, &mut inks);
        scene.layers[before..].iter_mut().for_each(|layer| keep_within(layer, plot, whole));
        if at == 0 && request.framing == Framing::Figure {
            key::add(&shown, &mut scene, &inks);
        }
    }
    scene.palette = inks.palette;
    Some(scene)
}

/// Leaves of a layer what lies in a part of the plot.
fn keep_within(layer: &mut Layer, part: Rect, whole: Rect) {
    let (left, right) = (part.x, part.x + part.width);
    match layer {
        Layer::Segments(lines) => *lines = lines.iter().filter_map(|line| clipped(line, left, right)).collect(),
        Layer::Discs(discs) => discs.retain(|disc| (left..=right).contains(&disc.at.0)),
        Layer::Bands(bands) => {
            for Band { upper, lower, .. } in bands {
                for edge in [upper, lower] {
                    let before = (part.x - whole.x) as usize;
                    let columns = whole.width as usize + 1;
                    let padded = std::iter::repeat_n(f32::NAN, before).chain(edge.iter().copied());
                    *edge = padded.chain(std::iter::repeat(f32::NAN)).take(columns).collect();
                }
            }
        }
        Layer::Rects(_) | Layer::Raster(_) | Layer::Density(_) => {}
    }
}

/// The part of a line between two x.
fn clipped(line: &SegmentMark, left: f32, right: f32) -> Option<SegmentMark> {
    let ((x, y), (to_x, to_y)) = (line.from, line.to);
    if x.max(to_x) < left || x.min(to_x) > right {
        return None;
    }
    let way = to_x - x;
    let place = |at: f32, own: f32| {
        let inside = at.clamp(left, right);
        // Upright lines are all inside here.
        (inside, if way.abs() > f32::EPSILON { y + (to_y - y) * (inside - x) / way } else { own })
    };
    Some(SegmentMark { from: place(x, y), to: place(to_x, to_y), ..*line })
}
