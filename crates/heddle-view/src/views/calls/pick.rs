//! The call under the pointer.

use rayon::prelude::*;

use heddle_model::{Ns, RegionId, SpanRow};

use super::CallsPicture;
use super::options::{CallHeight, CallStyle};
use super::scatter::{Having, Seen};
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::request::names::SpanName;
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::window::row_name;
use crate::scene::Rgba;
use crate::scene::frame::time_at;
use crate::scene::ticks::{duration_text, time_text_between};

/// How far from a call the pointer may be, in pixels.
const REACH: f32 = 5.0;

/// The call that is drawn nearest to a place, if it is near.
pub(super) fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let store = trace.store;
    let colours = request.colours(store);
    let picture = CallsPicture::new(trace, request, &colours, true);
    if !picture.plot.contains(at) {
        return None;
    }
    let style = picture.style();
    let time = [at.0 - REACH, at.0 + REACH + 1.0].map(|x| time_at(picture.time, picture.plot, x));
    // At the end of the run lies what ends with it.
    let until = if time[1] >= picture.time.1 { picture.time_in_sight().1 } else { Ns(time[1].0 + 1) };
    let nearest = |place: usize| {
        let mut nearest: Option<(f32, Seen)> = None;
        picture.visit(place, (time[0], until), Having::of(style), |call| {
            let distance = picture.distance(&call, style, at);
            if distance <= REACH && nearest.as_ref().is_none_or(|(least, _)| distance < *least) {
                nearest = Some((distance, call));
            }
        });
        nearest
    };
    let found = (0..picture.calls_of.locations().len()).into_par_iter().filter_map(nearest);
    let (_, call) = found.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.span.cmp(&b.1.span)))?;
    let span = SpanRow(call.span);
    let region = store.spans.region.get(span.0);
    let who = row_name(store, store.locations.of_span(span));
    let mut lines =
        vec![format!("{who} · {}", duration_text(call.end.since(call.start))), time_text_between(call.start, call.end)];
    if matches!(picture.options.y, CallHeight::Bytes | CallHeight::Counter(_)) {
        lines.push(format!("{}: {}", picture.measure.title(), picture.measure.text(call.value)));
    }
    if picture.looks.callers().is_some() {
        lines.push(match call.caller {
            RegionId::NONE => "no caller".to_owned(),
            caller => format!("called from {}", store.regions.name.get(u64::from(caller.0))),
        });
    }
    Some(Picked {
        title: store.regions.name.get(u64::from(region.0)).to_owned(),
        colour: {
            let [red, green, blue] = call.look.colour;
            if picture.looks.callers().is_some() { Rgba(red, green, blue, 255) } else { colours.rgba(region) }
        },
        lines,
        select: Some(Selection::Span(SpanName::of(store, span))),
        toggles: None,
        sets: None,
        area: Some(picture.box_of(&call, style)),
    })
}

impl CallsPicture<'_> {
    /// How far a call is drawn from a place, in pixels.
    fn distance(&self, call: &Seen, style: CallStyle, at: (f32, f32)) -> f32 {
        let x = |time: Ns| self.x(time);
        let beside = |from: f32, to: f32| (from - at.0).max(at.0 - to).max(0.0);
        let y = self.y(call.level);
        let above = ((y - at.1).abs() - self.band_height() / 2.0).max(0.0);
        match style {
            CallStyle::PointsStart => (x(call.start) - at.0).hypot(above),
            CallStyle::PointsEnd => (x(call.end) - at.0).hypot(above),
            CallStyle::Lines => beside(x(call.start), x(call.end)).hypot(above),
            CallStyle::Arches => {
                let (from, to) = (x(call.start), x(call.end));
                let (middle, radius) = (f32::midpoint(from, to), ((to - from) / 2.0).max(0.5));
                let floor = self.plot.y + self.plot.height;
                let part = ((at.0 - middle) / radius).clamp(-1.0, 1.0);
                let height = (floor - y) * (1.0 - part * part).sqrt();
                // Legs are steep: beside them, the distance is across.
                let across = radius * (1.0 - ((floor - at.1) / (floor - y).max(1.0)).clamp(0.0, 1.0).powi(2)).sqrt();
                let to_leg = ((at.0 - middle).abs() - across).abs().hypot((y - at.1).max(0.0));
                beside(from, to).hypot((floor - height - at.1).abs()).min(to_leg)
            }
        }
    }
}
