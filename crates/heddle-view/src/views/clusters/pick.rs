//! What lies under the pointer among clusters.

use heddle_logical::Kind;
use heddle_logical::cluster::{StepTotals, Total};

use super::ClusterPicture;
use super::focus::FocusRow;
use super::layout::ClusterRow;
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::scene::ramp::{Ramp, Tone};
use crate::scene::ticks::grouped;
use crate::scene::{ColourId, Rect, Rgba};
use crate::views::options::MetricOptions;
use crate::views::valued::value_text;

/// The joint, cluster or event at a place.
pub(super) fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let (data, clusters) = (trace.logical.as_ref()?, trace.clusters.as_ref()?);
    let colours = request.colours(trace.store);
    let mut palette = colours.palette();
    let ramp = Ramp::add(&mut palette, request.theme, request.options.checked::<MetricOptions>().palette);
    let picture = ClusterPicture::new(trace, data, clusters, request, &colours, ramp);
    let rgba = |colour: ColourId| palette.get(usize::from(colour.0)).copied().unwrap_or(Rgba::hex(0));
    if at.0 < picture.plot.x {
        return picture
            .knob_at(at, rgba(picture.colours.ink().text))
            .or_else(|| picture.name_at(at, rgba(colours.accent())));
    }
    if !picture.plot.contains(at) {
        return None;
    }
    let focus = picture.focus_rows.iter().find(|focus| (focus.top..focus.top + focus.height).contains(&at.1));
    if let Some(focus) = focus {
        return picture.event_at(focus, at.0, rgba);
    }
    let row = picture.cluster_rows.iter().find(|row| row.contains(at.1))?;
    picture.cluster_at(row, at.0, rgba)
}

impl ClusterPicture<'_> {
    fn step_at(&self, x: f32) -> Option<u32> {
        let place = self.steps.0 + f64::from((x - self.plot.x) / self.plot.width) * (self.steps.1 - self.steps.0);
        let step = (place >= 0.0).then_some(place as u32)?;
        self.steps_in_sight().contains(&step).then_some(step)
    }

    fn knob_at(&self, at: (f32, f32), colour: Rgba) -> Option<Picked> {
        let (knobs, _) = self.hierarchy();
        let knob = knobs.into_iter().find(|knob| knob.contains(at))?;
        let size = grouped(u64::from(self.clusters.size(knob.node)));
        let action = if knob.is_open { "click closes it into one row" } else { "click opens it" };
        let mut lines = vec![action.to_owned()];
        lines.extend(self.height_line(knob.node));
        Some(Picked {
            title: format!("Cluster of {size} ranks"),
            colour,
            lines,
            select: Some(Selection::Cluster(knob.node)),
            toggles: Some(knob.node),
            sets: None,
            area: Some(knob.area()),
        })
    }

    /// How far the two parts of a cluster are apart.
    fn height_line(&self, node: u32) -> Option<String> {
        let height = self.clusters.tree().merge(node)?.height;
        if !height.is_finite() {
            return Some("its two parts have no step in common".to_owned());
        }
        let apart = value_text(self.store, self.data.values.metric(), height.sqrt());
        Some(format!("its two parts are {apart} apart"))
    }

    fn name_at(&self, at: (f32, f32), colour: Rgba) -> Option<Picked> {
        let row = self.cluster_rows.iter().find(|row| row.contains(at.1))?;
        let is_name = at.0 >= self.tree_area().x + self.tree_area().width;
        is_name.then(|| {
            let area = Rect { x: self.plot.x, y: row.top, width: self.plot.width, height: row.height };
            Picked {
                title: self.title(row),
                colour,
                lines: self.about(row),
                select: Some(Selection::Cluster(row.node)),
                toggles: None,
                sets: None,
                area: Some(area),
            }
        })
    }

    fn title(&self, row: &ClusterRow) -> String {
        if row.members == 1 { self.row_name(row) } else { format!("Cluster of {}", self.row_name(row)) }
    }

    /// What there is to say of a cluster as a whole.
    fn about(&self, row: &ClusterRow) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some((value, rank, step)) = self.clusters.largest(row.node) {
            let value = value_text(self.store, self.data.values.metric(), value);
            let who = self.rank_text(rank);
            lines.push(format!("largest value {value}: rank {who}, step {}", grouped(u64::from(step))));
        }
        if row.members > 1 {
            if let Some(medoid) = self.clusters.medoid(self.logical, &self.data.values, row.node) {
                lines.push(format!("rank {} stands for it", self.rank_text(medoid)));
            }
            let hidden = self.clusters.tree().leaves_of(row.node).len() as u64;
            if hidden > 1 {
                lines.push(format!("{} clusters when opened", grouped(hidden)));
            }
        }
        lines
    }

    fn cluster_at(&self, row: &ClusterRow, x: f32, rgba: impl Fn(ColourId) -> Rgba) -> Option<Picked> {
        let Some(step) = self.step_at(x) else {
            return self.name_at((self.plot.x - 1.0, row.middle()), rgba(self.colours.accent()));
        };
        let mut totals = StepTotals::default();
        self.clusters.for_each_total(row.node, step..step + 1, |_, total| totals.plus(total));
        let mut lines = vec![format!("step {}", grouped(u64::from(step)))];
        let all = totals.active();
        let metric = self.data.values.metric();
        let mut say = |total: &Total, what: &str| {
            if total.count > 0 {
                let mean = value_text(self.store, metric, total.mean());
                let share = f64::from(total.count) / f64::from(row.members.max(1)) * 100.0;
                let count = grouped(u64::from(total.count));
                lines.push(format!("{count} {what} ({share:.1} %), {mean} on average"));
            }
        };
        let verb = |one: &'static str, many: &'static str, total: &Total| if total.count == 1 { one } else { many };
        say(&totals.sends, verb("sends", "send", &totals.sends));
        say(&totals.collectives, verb("is in a collective", "are in collectives", &totals.collectives));
        say(&totals.receives, verb("receives", "receive", &totals.receives));
        let idle = row.members.saturating_sub(all);
        if idle > 0 {
            lines.push(format!("{} without an event here", grouped(u64::from(idle))));
        }
        lines.extend(self.about(row));
        let largest = [&totals.sends, &totals.receives, &totals.collectives].map(Total::mean);
        let largest = largest.into_iter().filter(|mean| mean.is_finite()).fold(f64::NEG_INFINITY, f64::max);
        let colour = rgba(self.scaled.colour(largest as f32, step..step + 1, Tone::Full));
        let area = if row.members == 1 { self.alone_rect(row, step) } else { self.art(row, step) };
        Some(Picked {
            title: self.title(row),
            colour,
            lines,
            select: Some(Selection::Cluster(row.node)),
            toggles: None,
            sets: None,
            area: Some(area),
        })
    }

    fn event_at(&self, focus: &FocusRow, x: f32, rgba: impl Fn(ColourId) -> Rgba) -> Option<Picked> {
        let step = self.step_at(x)?;
        let event = self.logical.event_at(focus.row, step)?;
        let region = self.store.spans.region.get(self.logical.events.span.get(event).0);
        let metric = self.data.values.metric();
        let value = self.data.value(event);
        let mut lines = vec![
            format!("rank {} · step {}", self.rank_text(focus.row), grouped(u64::from(step))),
            format!("{}: {}", metric.title(self.store), value_text(self.store, metric, value)),
        ];
        let partners = match self.logical.kind(event) {
            Kind::Send => Some(("sends to", self.logical.receivers(self.store, event))),
            Kind::Receive => Some(("receives from", self.logical.senders(self.store, event))),
            Kind::Collective => None,
        };
        if let Some((verb, partners)) = partners.filter(|(_, partners)| !partners.is_empty()) {
            let names: Vec<String> =
                partners.iter().take(3).map(|partner| self.rank_text(self.logical.row_of(*partner))).collect();
            let more = if partners.len() > 3 { format!(" and {} more", partners.len() - 3) } else { String::new() };
            let ranks = if partners.len() == 1 { "rank" } else { "ranks" };
            lines.push(format!("{verb} {ranks} {}{more}", names.join(", ")));
        }
        if let Some(cluster) = self.cluster_row_of(focus.row) {
            lines.push(format!("in the row of {}", self.row_name(cluster)));
        }
        let location = self.logical.rows.location.get(u64::from(focus.row));
        let rank = self.store.locations.rank.get(u64::from(location.0));
        Some(Picked {
            title: self.store.regions.name.get(u64::from(region.0)).to_owned(),
            colour: rgba(self.scaled.colour(value as f32, step..step + 1, Tone::Full)),
            lines,
            select: rank.is_some().then_some(Selection::Event { rank: rank.0, step }),
            toggles: None,
            sets: None,
            area: Some(self.focus_rect(focus, step)),
        })
    }
}
