//! What lies under the pointer in a timeline.

use heddle_logical::Logical;
use heddle_model::{Ns, RegionId, SpanRow};
use heddle_store::index::Busiest;

use super::TimelinePicture;
use crate::analyses::Trace;
use crate::lookup::enclosing::spans_in;
use crate::request::ViewRequest;
use crate::request::names::SpanName;
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::window::row_name;
use crate::scene::Rect;
use crate::scene::blame::BlameInks;
use crate::scene::ramp::Ramp;
use crate::scene::ticks::{duration_text, grouped, time_text_between};
use crate::views::options::MetricOptions;

/// How far beside a span the pointer may be, in pixels.
const REACH: f32 = 2.0;
/// Spans looked at to say what a cell holds.
const MOST_VISITED: usize = 200_000;

/// The span, rare span or cell at a place.
pub(super) fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let mut picked = pick_span(trace, request, at)?;
    if let (Some(data), Some(Selection::Span(name))) = (&trace.logical, &picked.select) {
        let events = name.find(trace.store).map_or(0..0, |span| data.logical.events_of_span(trace.store, span));
        picked.lines.extend(events.map(|event| event_line(&data.logical, event)));
    }
    Some(picked)
}

/// Step, phase and lateness of an event.
fn event_line(logical: &Logical, event: u64) -> String {
    let (step, phase) = (logical.events.step.get(event), logical.events.phase.get(event));
    let late = match logical.lateness(event) {
        0 => "first of its step".to_owned(),
        late => format!("{} late", duration_text(late)),
    };
    format!("step {} · phase {} · {late}", grouped(u64::from(step)), grouped(u64::from(phase)))
}

fn pick_span(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let store = trace.store;
    let colours = request.colours(store);
    let palette = request.options.checked::<MetricOptions>().palette;
    let mut inked = colours.palette();
    let inks = BlameInks::add(&mut inked, request.theme);
    let ramp = Ramp::add(&mut inked, request.theme, palette);
    let picture = TimelinePicture::new(trace, request, &colours, (ramp, inks));
    if !picture.plot.contains(at) || picture.rows.is_empty() {
        return None;
    }
    if let Some(picked) = picture.tracks.as_ref().and_then(|tracks| tracks.pick(&colours, at)) {
        return Some(picked);
    }
    if let Some(picked) = picture.blamed.as_ref().and_then(|blamed| picture.pick_blamed(blamed, &inked, at)) {
        return Some(picked);
    }
    if picture.is_drawn_one_by_one(&picture.count()) {
        return picture.span_at(at).map(|(row, span)| picture.picked_span(row, span));
    }
    let near = |rect: &Rect| {
        let wide = Rect { x: rect.x - REACH, width: rect.width + 2.0 * REACH, ..*rect };
        wide.contains(at)
    };
    if let Some(rare) = picture.rare().into_iter().rev().find(|mark| near(&mark.rect)) {
        let row = picture.rows.row_of(store.locations.of_span(rare.span))?;
        return Some(picture.picked_span(row, rare.span));
    }
    picture.cell_at(at)
}

impl TimelinePicture<'_> {
    /// The innermost span drawn there, or the nearest within reach.
    fn span_at(&self, at: (f32, f32)) -> Option<(usize, SpanRow)> {
        let row = self.rows.row_at((at.1 - self.plot.y) / self.plot.height);
        let distance = |rect: &Rect| {
            let beside = (rect.x - at.0).max(at.0 - rect.x - rect.width).max(0.0);
            (beside <= REACH && at.1 >= rect.y).then_some(beside)
        };
        let depth = |span: SpanRow| std::cmp::Reverse(self.store.spans.depth.get(span.0));
        self.places(row, self.rows.locations()[row])
            .drawn
            .into_iter()
            .filter_map(|(span, rect)| Some((distance(&rect)?, depth(span), span)))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
            .map(|(.., span)| (row, span))
    }

    pub(super) fn picked_span(&self, row: usize, span: SpanRow) -> Picked {
        let spans = &self.store.spans;
        let (start, end, region) = (spans.start.get(span.0), spans.end.get(span.0), spans.region.get(span.0));
        Picked {
            title: self.store.regions.name.get(u64::from(region.0)).to_owned(),
            colour: self.colours.rgba(region),
            lines: vec![
                format!("{} · {}", row_name(self.store, self.rows.locations()[row]), duration_text(end.since(start))),
                time_text_between(start, end),
            ],
            select: Some(Selection::Span(SpanName::of(self.store, span))),
            toggles: None,
            sets: None,
            area: Some(self.rect(row, span)),
        }
    }

    /// What dominates a cell of the raster, and the longest call there: the one that a click selects.
    fn cell_at(&self, at: (f32, f32)) -> Option<Picked> {
        let (columns, rows) = (self.plot.width as u32, self.rows.bands(self.plot.height));
        let row = (((at.1 - self.plot.y) / self.plot.height * rows as f32) as u32).min(rows - 1);
        let column = ((at.0 - self.plot.x) as u32).min(columns - 1);
        let time = [column, column + 1].map(|edge| crate::scene::frame::column_time(self.time, columns, edge));
        let window = (time[0], Ns(time[1].0.max(time[0].0 + 1)));
        let locations = self.rows.band(row, rows);
        let mut busiest = Busiest::<8>::default();
        let mut longest: Vec<(RegionId, i64, u64)> = Vec::new();
        let (mut visited, spans) = (0usize, &self.store.spans);
        for location in locations {
            let in_sight = spans_in(self.store, *location, window);
            visited += (in_sight.inside.end - in_sight.inside.start) as usize;
            for span in in_sight.around.iter().copied().chain(in_sight.inside.clone()) {
                let region = spans.region.get(span);
                let length = spans.end.get(span).since(spans.start.get(span));
                match longest.iter_mut().find(|(other, ..)| *other == region) {
                    Some(known) if known.1 < length => *known = (region, length, span),
                    Some(_) => {}
                    None => longest.push((region, length, span)),
                }
            }
            in_sight.for_each_stretch(
                self.store,
                |_| true,
                |stretch| {
                    let inside = stretch.end.min(window.1).since(stretch.start.max(window.0));
                    if inside > 0 && !self.emphasis.hides(stretch.region) {
                        busiest.add(stretch.region, inside as f64);
                    }
                },
            );
            if visited > MOST_VISITED {
                break;
            }
        }
        let all = window.1.since(window.0) as f64 * locations.len() as f64;
        let shown = |(region, _): &(RegionId, f64)| !self.emphasis.fades(*region);
        let best = |times: &mut dyn Iterator<Item = (RegionId, f64)>| times.max_by(|a, b| a.1.total_cmp(&b.1));
        let (region, time_in) = best(&mut busiest.times().filter(shown)).or_else(|| best(&mut busiest.times()))?;
        if !region.is_some() {
            return None;
        }
        let span = longest.iter().find(|(other, ..)| *other == region).map(|(.., span)| SpanRow(*span));
        let who = match locations {
            [one] => row_name(self.store, *one),
            [first, .., last] => format!(
                "{} to {} · {} rows",
                row_name(self.store, *first),
                row_name(self.store, *last),
                grouped(locations.len() as u64)
            ),
            [] => return None,
        };
        let mut lines =
            vec![who, format!("{:.0} % of {}", 100.0 * time_in / all, time_text_between(window.0, window.1))];
        if let Some(span) = span {
            let length = spans.end.get(span.0).since(spans.start.get(span.0));
            let whose = row_name(self.store, self.store.locations.of_span(span));
            lines.push(format!("longest: {} on {whose}", duration_text(length)));
        }
        let height = self.plot.height / rows as f32;
        Some(Picked {
            title: self.store.regions.name.get(u64::from(region.0)).to_owned(),
            colour: self.colours.rgba(region),
            lines,
            select: span.map(|span| Selection::Span(SpanName::of(self.store, span))),
            toggles: None,
            sets: None,
            area: Some(Rect {
                x: self.plot.x + column as f32,
                y: self.plot.y + row as f32 * height,
                width: 1.0,
                height,
            }),
        })
    }
}
