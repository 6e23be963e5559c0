//! What lies under the pointer: a group, a way between groups, a bound, the line of a node, or else the nearest instant.

use std::collections::BTreeMap;

use heddle_tasks::Segment;

use super::marks::{Drawn, has_ribbons, way_width};
use super::shown::{Shown, percent, time_text, times_text};
use super::{Chosen, Places};
use crate::analyses::Trace;
use crate::questions::findings::LONGEST_FILTER;
use crate::request::ViewRequest;
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::scene::ticks::counted;
use crate::scene::{Rect, Rgba};

/// How far from a mark the pointer may be, in pixels.
const NEAR: f32 = 4.0;
/// Groups of an instant that are told.
const MOST_GROUPS: usize = 4;
/// From how close to an instant a click shows it, as a share of a step.
const NEAR_STEP: f32 = 0.5;

/// What is at a place of the picture.
pub(super) fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let progression = trace.progress.as_deref()?;
    let (shown, places) = (Shown::of(progression, request), Places::of(trace, request));
    if !places.plot.contains(at) {
        return None;
    }
    let chosen = Chosen::of(progression, request);
    let drawn = Drawn { shown: &shown, places: &places, chosen: &chosen };
    let colours = request.colours(trace.store);
    let palette = colours.palette();
    let ink = |id: crate::scene::ColourId| palette[usize::from(id.0)];
    drawn
        .group_at(at)
        .or_else(|| drawn.bound_at(at, ink(colours.ink().strong)))
        .or_else(|| drawn.way_at(at))
        .or_else(|| drawn.node_at(at, ink(colours.ink().faint)))
        .or_else(|| drawn.instant_at(at, ink(colours.accent())))
}

/// What a group is, for people: the lines of its tip.
pub(super) fn group_lines(shown: &Shown<'_>, instant: usize, group: usize) -> Vec<String> {
    let cluster = &shown.clusters(instant)[group];
    let shares = cluster.members.iter().map(|node| shown.progression.line(*node as usize)[instant]);
    let (low, high) = shares.fold((1.0f64, 0.0f64), |(low, high), share| (low.min(share), high.max(share)));
    let mut lines =
        vec![format!("{}, group {} of {}", shown.instant_text(instant), group + 1, shown.clusters(instant).len())];
    let range = if high - low > 5e-4 { format!(" ({} to {})", percent(low), percent(high)) } else { String::new() };
    lines.push(format!("{} of its work done{range}", percent(cluster.mean)));
    if let Some((points, time)) = shown.behind(instant, group) {
        lines.push(format!("behind the fastest group by {:.1} points · {}", points * 100.0, time_text(time)));
    }
    let next = shown.next_groups(instant, &cluster.members);
    if next.len() > 1 {
        let parts: Vec<String> = next.iter().map(|part| shown.short_names(part)).collect();
        lines.push(format!("next step: {}", parts.join(" | ")));
    }
    lines
}

/// Nodes as a title: `Node 0`, `Nodes 1-6, 12`.
pub(super) fn title(shown: &Shown<'_>, nodes: &[u32]) -> String {
    let word = if nodes.len() == 1 { "Node" } else { "Nodes" };
    format!("{word} {}", shown.short_names(nodes))
}

/// What a click on nodes selects, unless that is too long for a link.
pub(super) fn select(shown: &Shown<'_>, nodes: &[u32]) -> Option<Selection> {
    Some(shown.select(nodes)).filter(|selection| selection.to_string().len() <= LONGEST_FILTER)
}

/// Something without options or joints.
pub(super) fn picked(title: String, colour: Rgba, lines: Vec<String>, select: Option<Selection>, area: Rect) -> Picked {
    Picked { title, colour, lines, select, toggles: None, sets: None, area: Some(area) }
}

/// A square around a place.
pub(super) fn around((x, y): (f32, f32), half: f32) -> Rect {
    Rect { x: x - half, y: y - half, width: 2.0 * half, height: 2.0 * half }
}

impl Drawn<'_> {
    fn group_at(&self, at: (f32, f32)) -> Option<Picked> {
        let radius = self.dot() + NEAR;
        let mut nearest: Option<(f32, usize, usize)> = None;
        for instant in 0..self.shown.progression.times.len() {
            if (self.x(instant) - at.0).abs() > radius {
                continue;
            }
            for group in 0..self.shown.clusters(instant).len() {
                let away = distance(self.group_place(instant, group), at);
                if away <= radius && nearest.is_none_or(|(least, ..)| away < least) {
                    nearest = Some((away, instant, group));
                }
            }
        }
        let (_, instant, group) = nearest?;
        let nodes = &self.shown.clusters(instant)[group].members;
        let lines = group_lines(self.shown, instant, group);
        let place = around(self.group_place(instant, group), self.dot() + 2.0);
        let title = format!("{} · {}", title(self.shown, nodes), counted(nodes.len() as u64, "node"));
        let found = picked(title, self.shown.colour(instant, group), lines, select(self.shown, nodes), place);
        Some(Picked { sets: Some(shows(instant)), ..found })
    }

    fn way_at(&self, at: (f32, f32)) -> Option<Picked> {
        let all = self.shown.progression.nodes.len();
        let ends = |way: &Segment| {
            let from = self.group_place(way.instant as usize - 1, way.from as usize);
            (from, self.group_place(way.instant as usize, way.to as usize))
        };
        let reach = |way: &Segment| way_width(way.nodes.len(), all) / 2.0 + NEAR / 2.0;
        let found = self.shown.groups.segments.iter().filter_map(|way| {
            let (from, to) = ends(way);
            let is_near = at.0 >= from.0 - NEAR && at.0 <= to.0 + NEAR;
            let away = if is_near { distance_to(from, to, at) } else { f32::INFINITY };
            (away <= reach(way)).then_some((away, way))
        });
        let (_, way) = found.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let (from, to) = ends(way);
        let shown = self.shown;
        let instant = way.instant as usize;
        let means =
            (shown.clusters(instant - 1)[way.from as usize].mean, shown.clusters(instant)[way.to as usize].mean);
        let times = &shown.progression.times;
        let lines = vec![
            counted(way.nodes.len() as u64, "node"),
            format!("step {instant}, {} to {}", time_text(times[instant - 1].0), time_text(times[instant].0)),
            format!("from a group at {} to one at {}", percent(means.0), percent(means.1)),
        ];
        let area = Rect { x: from.0, y: from.1.min(to.1), width: to.0 - from.0, height: (from.1 - to.1).abs() };
        Some(picked(title(shown, &way.nodes), shown.way_colour(way), lines, select(shown, &way.nodes), area))
    }

    fn bound_at(&self, at: (f32, f32), colour: Rgba) -> Option<Picked> {
        let (plot, progression) = (self.places.plot, self.shown.progression);
        let bounds = &progression.bounds;
        let points = self.bound_points();
        let star = points.iter().enumerate().skip(1).filter(|(_, place)| distance(**place, at) <= NEAR + 1.0);
        let star = star.min_by(|a, b| distance(*a.1, at).total_cmp(&distance(*b.1, at)));
        if let Some((instant, place)) = star {
            let sum = bounds.cumulative()[instant];
            let lines = vec![
                format!("the work until {} takes {} at least", self.shown.instant_text(instant), time_text(sum as i64)),
                format!("step {instant} alone {}", time_text(bounds.steps[instant - 1] as i64)),
                format!("{} of all work done", percent(progression.pooled[instant])),
            ];
            return Some(picked(
                "Area bound of each step, summed".to_owned(),
                colour,
                lines,
                None,
                around(*place, 5.0),
            ));
        }
        let line = |x: f32| Rect { x: x - 2.0, y: plot.y, width: 4.0, height: plot.height };
        if (self.bound_x() - at.0).abs() <= NEAR && bounds.area > 0.0 {
            let workers: u64 = bounds.workers.iter().sum();
            let lines = vec![
                format!("{}: {} at work all the time", time_text(bounds.area as i64), counted(workers, "worker")),
                format!("the run takes {} as long", times_text(progression.makespan() as f64 / bounds.area)),
                "whatever waits for what, at the mean durations of the run".to_owned(),
            ];
            return Some(picked("Area bound of the run".to_owned(), colour, lines, None, line(self.bound_x())));
        }
        let (x, chain) = (self.chain_x()?, bounds.chain?);
        ((x - at.0).abs() <= NEAR).then(|| {
            let lines = vec![
                format!("{}: tasks that wait for each other", time_text(chain as i64)),
                "each as fast as its type ever ran on average".to_owned(),
            ];
            picked("Longest chain of tasks".to_owned(), colour, lines, None, line(x))
        })
    }

    /// The node whose line is nearest. Of very many only those that are chosen have one.
    fn node_at(&self, at: (f32, f32), colour: Rgba) -> Option<Picked> {
        let progression = self.shown.progression;
        let (time, _) = self.places.at(at);
        let after = progression.times.partition_point(|instant| (instant.0 as f64) < time);
        let before = after.checked_sub(1).filter(|_| after < progression.times.len())?;
        let (from, to) = (progression.times[before].0 as f64, progression.times[after].0 as f64);
        let part = (time - from) / (to - from).max(1.0);
        let share = |node: usize| {
            let line = progression.line(node);
            line[before] + (line[after] - line[before]) * part
        };
        // Across the line, not down: steep ones are as easy to hit.
        let away = |node: usize| {
            let line = progression.line(node);
            let place = |instant: usize| (self.x(instant), self.places.y(line[instant]));
            distance_to(place(before), place(after), at)
        };
        let is_drawn = |node: &u32| !has_ribbons(progression) || self.chosen.has(&[*node]);
        let nodes = (0..progression.nodes.len() as u32).filter(is_drawn);
        let nearest = nodes.map(|node| (away(node as usize), node)).min_by(|a, b| a.0.total_cmp(&b.0))?;
        let (_, node) = Some(nearest).filter(|(away, _)| *away <= NEAR)?;
        let here = share(node as usize);
        let lines = vec![
            format!("{} of its work done at {}", percent(here), time_text(time as i64)),
            counted(progression.tasks[node as usize], "task"),
        ];
        Some(picked(
            title(self.shown, &[node]),
            colour,
            lines,
            select(self.shown, &[node]),
            around((at.0, self.places.y(here)), NEAR),
        ))
    }

    /// The nearest instant: a click shows it.
    fn instant_at(&self, at: (f32, f32), colour: Rgba) -> Option<Picked> {
        let progression = self.shown.progression;
        let instants = 0..progression.times.len();
        let nearest = instants.min_by(|a, b| (self.x(*a) - at.0).abs().total_cmp(&(self.x(*b) - at.0).abs()))?;
        let step = (self.x(progression.times.len() - 1) - self.x(0)) / (progression.times.len() - 1).max(1) as f32;
        if (self.x(nearest) - at.0).abs() > step * NEAR_STEP + 1.0 {
            return None;
        }
        let clusters = self.shown.clusters(nearest);
        let mut lines = vec![counted(clusters.len() as u64, "group")];
        lines.extend(
            clusters
                .iter()
                .rev()
                .take(MOST_GROUPS)
                .map(|cluster| format!("{} · {}", percent(cluster.mean), self.shown.short_names(&cluster.members))),
        );
        if clusters.len() > MOST_GROUPS {
            lines.push(format!("and {} more", clusters.len() - MOST_GROUPS));
        }
        let mut title = self.shown.instant_text(nearest);
        title.replace_range(..1, "S");
        let area = Rect { x: self.x(nearest) - 1.0, width: 2.0, ..self.places.plot };
        Some(Picked { sets: Some(shows(nearest)), ..picked(title, colour, lines, None, area) })
    }
}

/// The option that a click sets to show an instant.
fn shows(instant: usize) -> BTreeMap<&'static str, String> {
    BTreeMap::from([("shown-step", instant.to_string())])
}

fn distance(a: (f32, f32), b: (f32, f32)) -> f32 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// How far a place is from a line between two others.
fn distance_to(from: (f32, f32), to: (f32, f32), at: (f32, f32)) -> f32 {
    let (across, down) = (to.0 - from.0, to.1 - from.1);
    let length = across * across + down * down;
    let part = if length > 0.0 { ((at.0 - from.0) * across + (at.1 - from.1) * down) / length } else { 0.0 };
    let part = part.clamp(0.0, 1.0);
    distance((from.0 + across * part, from.1 + down * part), at)
}
