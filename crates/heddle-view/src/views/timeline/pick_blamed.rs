//! What lies under the pointer where colours show who waits for whom.

use heddle_diagnosis::waits::Wait;
use heddle_model::{LocationId, Ns, RegionId, SpanRow};

use super::TimelinePicture;
use super::blamed::Blamed;
use crate::diagnosed::waiting_in;
use crate::request::names::SpanName;
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::window::row_name;
use crate::scene::frame::time_at;
use crate::scene::ticks::{counted, duration_text, time_text_between};
use crate::scene::{Rect, Rgba};

/// How far beside a mark the pointer may be, in pixels.
const REACH: f32 = 2.0;
/// Locations of a cell that are looked at.
const MOST_ASKED: usize = 4_096;

/// What a location made others wait in a stretch of time.
struct Cost {
    location: LocationId,
    waiting: f64,
    from: Ns,
    to: Ns,
}

impl TimelinePicture<'_> {
    /// The wait, or the work that others wait for, at a place; none if there is neither.
    pub(super) fn pick_blamed(&self, blamed: &Blamed<'_>, palette: &[Rgba], at: (f32, f32)) -> Option<Picked> {
        let bands = self.rows.bands(self.plot.height);
        let share = (at.1 - self.plot.y) / self.plot.height;
        let is_single = self.is_drawn_one_by_one(&self.count());
        let locations = if is_single {
            let row = self.rows.row_at(share);
            &self.rows.locations()[row..=row]
        } else {
            self.rows.band(((share * bands as f32) as u32).min(bands - 1), bands)
        };
        let members = self.rows.stood_for(locations);
        let reach = if is_single { REACH } else { 0.5 };
        let window = (time_at(self.time, self.plot, at.0 - reach), time_at(self.time, self.plot, at.0 + reach));
        let window = (window.0, Ns(window.1.0.max(window.0.0 + 1)));
        let seen = &members[..members.len().min(MOST_ASKED)];
        let wait = seen.iter().filter_map(|at| longest_wait(blamed.waits(*at), window)).max_by_key(|wait| wait.wait);
        let cost = seen
            .iter()
            .filter_map(|at| self.cost_in(blamed, *at, window))
            .max_by(|a, b| a.waiting.total_cmp(&b.waiting));
        // What is drawn there: see `Blamed::cell`.
        let length = window.1.since(window.0).max(1) as f64;
        let waited: i64 = seen.iter().map(|at| waiting_in(blamed.waits(*at), window)).sum();
        let waited = waited as f64 / length / seen.len().max(1) as f64;
        let rate = cost.as_ref().map_or(0.0, |cost| cost.waiting / length) as f32;
        match (wait, cost) {
            (Some(wait), cost) if cost.is_none() || f64::from(blamed.share(rate)) <= waited => {
                self.picked_wait(blamed, wait, palette)
            }
            (_, Some(cost)) => self.picked_cost(blamed, &cost, palette),
            _ => None,
        }
    }

    /// What a location makes others wait in a window.
    fn cost_in(&self, blamed: &Blamed<'_>, location: LocationId, window: (Ns, Ns)) -> Option<Cost> {
        let mut cost = Cost { location, waiting: 0.0, from: window.1, to: window.0 };
        blamed.for_each_cost(self.store, location, window, |from, to, rate| {
            cost.waiting += f64::from(rate) * to.since(from) as f64;
            (cost.from, cost.to) = (cost.from.min(from), cost.to.max(to));
        });
        (cost.waiting > 0.0).then_some(cost)
    }

    /// "waits 3.2 ms for rank 98 in `MPI_Waitall`".
    fn picked_wait(&self, blamed: &Blamed<'_>, wait: &Wait, palette: &[Rgba]) -> Option<Picked> {
        let row = self.rows.row_for(wait.location)?;
        let region = self.store.spans.region.get(wait.span.0);
        let name = self.store.regions.name.get(u64::from(region.0));
        let mut lines = vec![
            format!("waits {} for {} in {name}", duration_text(wait.wait), row_name(self.store, wait.culprit)),
            format!("{} · {}", wait.kind().name().replace('-', " "), time_text_between(Ns(wait.enter), Ns(wait.end()))),
        ];
        if wait.is_capped() {
            lines.push("the call ended before that rank came: clocks disagree".to_owned());
        }
        let [from, to] = [wait.enter, wait.end()].map(|time| self.x(Ns(time)));
        Some(Picked {
            title: row_name(self.store, wait.location),
            colour: palette[usize::from(blamed.inks.waits(1.0).0)],
            lines,
            select: Some(Selection::Span(SpanName::of(self.store, wait.span))),
            toggles: None,
            sets: None,
            area: Some(Rect { x: from, width: (to - from).max(1.0), ..self.lane(row) }),
        })
    }

    /// "makes 12 ranks wait, 4.1 ms together".
    fn picked_cost(&self, blamed: &Blamed<'_>, cost: &Cost, palette: &[Rgba]) -> Option<Picked> {
        let row = self.rows.row_for(cost.location)?;
        let span = crate::lookup::enclosing::spans_in(self.store, cost.location, (cost.from, Ns(cost.from.0 + 1)));
        let span = span.rows().last().map(SpanRow);
        let whole = span.map_or((cost.from, cost.to), |span| {
            (self.store.spans.start.get(span.0), self.store.spans.end.get(span.0))
        });
        let of_call = self.cost_in(blamed, cost.location, (whole.0, Ns(whole.1.0.max(whole.0.0 + 1))));
        let together = of_call.map_or(cost.waiting, |cost| cost.waiting);
        let region = span.map_or(RegionId::NONE, |span| self.store.spans.region.get(span.0));
        let ranks = waiting_for(blamed, (cost.location, region), whole);
        let name = |span: SpanRow| {
            let region = self.store.spans.region.get(span.0);
            self.store.regions.name.get(u64::from(region.0)).to_owned()
        };
        let doing = span.map_or_else(|| "outside of all functions".to_owned(), |span| format!("in {}", name(span)));
        let [from, to] = [whole.0, whole.1].map(|time| self.x(time));
        Some(Picked {
            title: row_name(self.store, cost.location),
            colour: palette[usize::from(blamed.inks.makes(0.75).0)],
            lines: vec![
                format!("makes {} wait, {} together", counted(ranks, "rank"), duration_text(together.round() as i64)),
                format!("{doing} · {}", time_text_between(whole.0, whole.1)),
            ],
            select: span.map(|span| Selection::Span(SpanName::of(self.store, span))),
            toggles: None,
            sets: None,
            area: Some(Rect { x: from, width: (to - from).max(1.0), ..self.lane(row) }),
        })
    }
}

/// How many ranks wait directly for what a location does in a function in a stretch of time.
fn waiting_for(blamed: &Blamed<'_>, (location, region): (LocationId, RegionId), window: (Ns, Ns)) -> u64 {
    let Some(row) = blamed.index.row_of(location) else { return 0 };
    let run = &blamed.diagnosed.run;
    let mut ranks: Vec<LocationId> = Vec::new();
    for charge in run.delays.charges_of(row) {
        let wait = &run.waits.list[charge.wait as usize];
        let since = run.delays.since[charge.wait as usize];
        let is_here = since < window.1.0 && wait.arrival > window.0.0 && charge.region == region;
        if is_here && charge.cost > 0.0 {
            ranks.push(wait.location);
        }
    }
    ranks.sort_unstable();
    ranks.dedup();
    ranks.len() as u64
}

fn longest_wait(waits: &[Wait], window: (Ns, Ns)) -> Option<&Wait> {
    let first = waits.partition_point(|wait| wait.end() <= window.0.0);
    waits[first..].iter().take_while(|wait| wait.enter < window.1.0).max_by_key(|wait| wait.wait)
}
