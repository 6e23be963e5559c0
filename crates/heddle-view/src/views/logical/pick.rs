//! What lies under the pointer in a logical timeline.

use heddle_logical::{Kind, Metric};

use super::LogicalPicture;
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::window::row_name;
use crate::scene::ramp::{Ramp, Tone};
use crate::scene::ticks::{duration_text, grouped, time_text_between};
use crate::scene::{ColourId, Rect, Rgba};
use crate::views::kinds::EventKind;
use crate::views::options::{ColourBy, MetricOptions};
use crate::views::valued::value_text;

/// Events looked at to find the largest of a cell.
const MOST_VISITED: u64 = 2_000_000;

/// The event, aggregate or cell at a place.
pub(super) fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let data = trace.logical.as_ref()?;
    let colours = request.colours(trace.store);
    let mut palette = colours.palette();
    let ramp = Ramp::add(&mut palette, request.theme, request.options.checked::<MetricOptions>().palette);
    let picture = LogicalPicture::new(trace, data, request, &colours, ramp);
    if !picture.plot.contains(at) || picture.rows.is_empty() {
        return None;
    }
    if picture.has_boxes() { picture.box_at(at, &palette) } else { picture.cell_at(at, &palette) }
}

impl LogicalPicture<'_> {
    fn box_at(&self, at: (f32, f32), palette: &[Rgba]) -> Option<Picked> {
        let row = (((at.1 - self.plot.y) / self.row_height()) as usize).min(self.rows.len() - 1);
        let place = self.steps.0 + f64::from((at.0 - self.plot.x) / self.plot.width) * (self.steps.1 - self.steps.0);
        if !(0.0..f64::from(self.all_steps)).contains(&place) {
            return None;
        }
        let event = self.logical.event_at(self.event_rows[row], place as u32)?;
        let [_, aggregate] = self.parts();
        let is_aggregate = self.asked.aggregates && place.fract() < aggregate.1 + 0.02;
        let step = place as u32;
        if is_aggregate {
            let colour = self.scaled.colour(self.data.aggregate(event) as f32, step..step + 1, Tone::Full);
            return Some(self.picked_aggregate(event, rgba(palette, colour), self.aggregate_rect(row, step)));
        }
        let colour = self.event_colour(event, Tone::Full);
        Some(self.picked_event(event, rgba(palette, colour), self.event_rect(row, step)))
    }

    fn picked_event(&self, event: u64, colour: Rgba, area: Rect) -> Picked {
        let (logical, events) = (self.logical, &self.logical.events);
        let span = events.span.get(event);
        let region = self.store.spans.region.get(span.0);
        let (enter, leave) = (events.enter.get(event), events.leave.get(event));
        let metric = self.data.values.metric();
        let mut lines = vec![self.place_text(event)];
        if self.colour_by() == ColourBy::Kind {
            lines.push(EventKind::of(self.store, self.logical, event).title().to_owned());
        }
        if metric != Metric::Lateness {
            let value = value_text(self.store, metric, self.data.value(event));
            lines.push(format!("{}: {value}", metric.title(self.store)));
        }
        lines.push(match logical.lateness(event) {
            0 => "the first of its step to end".to_owned(),
            late => format!("{} later than the first of its step", duration_text(late)),
        });
        let partners = |events: &[u64]| {
            let names: Vec<String> = events.iter().take(3).map(|event| self.who(*event)).collect();
            let more = events.len().saturating_sub(3);
            if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
        };
        match logical.kind(event) {
            Kind::Send => match logical.receivers(self.store, event) {
                to if to.is_empty() => lines.push("what it sends is not received".to_owned()),
                to => lines.push(format!("sends to {}", partners(&to))),
            },
            Kind::Receive => match logical.senders(self.store, event) {
                from if from.is_empty() => lines.push("nobody sent what it receives".to_owned()),
                from => lines.push(format!("receives from {}", partners(&from))),
            },
            Kind::Collective => {
                let members = logical.members(self.store, event).len() as u64;
                lines.push(format!("one of {} in a collective", grouped(members)));
            }
        }
        lines.push(format!("{} · {}", duration_text(leave.since(enter)), time_text_between(enter, leave)));
        Picked {
            title: self.store.regions.name.get(u64::from(region.0)).to_owned(),
            colour,
            lines,
            select: self.selection(event),
            toggles: None,
            sets: None,
            area: Some(area),
        }
    }

    fn picked_aggregate(&self, event: u64, colour: Rgba, area: Rect) -> Picked {
        let events = &self.logical.events;
        let span = events.span.get(event);
        let region = self.store.spans.region.get(span.0);
        let name = self.store.regions.name.get(u64::from(region.0));
        let metric = self.data.values.metric();
        let mut lines = vec![self.place_text(event), format!("before {name}")];
        lines.push(format!("takes {}", duration_text(self.logical.gap_before(event))));
        if metric != Metric::Lateness {
            let value = value_text(self.store, metric, self.data.aggregate(event));
            lines.push(format!("{}: {value}", metric.title(self.store)));
        }
        lines.push(match self.logical.aggregate_lateness(event) {
            0 => "the first of its step to be done".to_owned(),
            late => format!("done {} later than the first of its step", duration_text(late)),
        });
        let title = "Between communication".to_owned();
        Picked { title, colour, lines, select: self.selection(event), toggles: None, sets: None, area: Some(area) }
    }

    /// What a click on an event selects.
    fn selection(&self, event: u64) -> Option<Selection> {
        let location = self.logical.rows.location.get(u64::from(self.logical.row_of(event)));
        let rank = self.store.locations.rank.get(u64::from(location.0));
        let step = self.logical.events.step.get(event);
        rank.is_some().then_some(Selection::Event { rank: rank.0, step })
    }

    /// Rank, step and phase of an event.
    fn place_text(&self, event: u64) -> String {
        let events = &self.logical.events;
        let (step, phase) = (events.step.get(event), events.phase.get(event));
        format!("{} · step {} · phase {}", self.who(event), grouped(u64::from(step)), grouped(u64::from(phase)))
    }

    fn who(&self, event: u64) -> String {
        row_name(self.store, self.logical.rows.location.get(u64::from(self.logical.row_of(event))))
    }

    /// What a cell of the raster stands for: its largest event, which a click selects.
    fn cell_at(&self, at: (f32, f32), palette: &[Rgba]) -> Option<Picked> {
        let (columns, rows) = (self.plot.width as u32, self.rows.bands(self.plot.height));
        let row = (((at.1 - self.plot.y) / self.plot.height * rows as f32) as u32).min(rows - 1);
        let column = ((at.0 - self.plot.x) as u32).min(columns - 1);
        let each = (self.steps.1 - self.steps.0) / f64::from(columns);
        let from = self.steps.0 + f64::from(column) * each;
        let clamp = |step: f64| step.clamp(0.0, f64::from(self.all_steps)) as u32;
        // The steps whose middles are in the column, or else the one around it.
        let middles = clamp((from - 0.5).ceil())..clamp((from + each - 0.5).ceil());
        let steps = if middles.is_empty() { clamp(from)..clamp(from + 1.0) } else { middles };
        let event_rows = self.event_rows_of(row as usize, rows as usize);
        let (mut count, mut largest) = (0, None::<(f64, u64)>);
        for event_row in event_rows {
            let events = self.logical.events_in(*event_row, steps.clone());
            count += events.end - events.start;
            if count > MOST_VISITED {
                continue;
            }
            for event in events {
                let value = self.data.value(event);
                let value = if self.asked.aggregates { value.max(self.data.aggregate(event)) } else { value };
                if largest.is_none_or(|(most, _)| value > most) {
                    largest = Some((value, event));
                }
            }
        }
        let (value, event) = largest?;
        let colour = self.scaled.colour(value as f32, steps.clone(), Tone::Full);
        let height = self.plot.height / rows as f32;
        let area = Rect { x: self.plot.x + column as f32, y: self.plot.y + row as f32 * height, width: 1.0, height };
        let mut picked = self.picked_event(event, rgba(palette, colour), area);
        if count > 1 {
            let ranks = grouped(event_rows.len() as u64);
            let steps = if steps.len() == 1 {
                format!("step {}", grouped(u64::from(steps.start)))
            } else {
                format!("steps {} to {}", grouped(u64::from(steps.start)), grouped(u64::from(steps.end - 1)))
            };
            picked.lines.insert(0, format!("latest of {} events: {ranks} ranks, {steps}", grouped(count)));
        }
        Some(picked)
    }
}

fn rgba(palette: &[Rgba], colour: ColourId) -> Rgba {
    palette.get(usize::from(colour.0)).copied().unwrap_or(Rgba::hex(0))
}
