//! Groups on a circle: routers as ticks of an arc, nodes outside, cables between groups as chords that bend towards the middle.
//! All cables between two groups are one chord.

use std::f32::consts::TAU;

use heddle_topology::{Element, Topology};

use super::{Fly, chosen_groups};
use crate::request::picked::Picked;
use crate::scene::ramp::{Ramp, Tone};
use crate::scene::theme::Colours;
use crate::scene::ticks::{counted, grouped};
use crate::scene::{Anchor, ColourId, Label, Layer, Rect, Scene, SegmentMark};
use crate::views::machine::chosen::Chosen;
use crate::views::machine::told::node_picked;

/// Pieces that a chord is drawn in.
const PIECES: u32 = 14;
/// Of a group's part of the circle, what is left open beside it.
const GAP: f32 = 0.18;
/// How far chords bend towards the middle, between neighbours and between groups that face each other: 1 is through it.
const BENDS: (f32, f32) = (0.3, 0.9);
/// Ticks closer than this are no longer apart.
const LEAST_TICK: f32 = 1.6;

/// The circle and what stands on it.
struct Circle {
    centre: (f32, f32),
    radius: f32,
    groups: u32,
    per_group: u32,
}

impl Circle {
    fn new(fly: &Fly<'_>, plot: Rect) -> Circle {
        let centre = (plot.x + plot.width / 2.0, plot.y + plot.height / 2.0);
        let radius = (plot.width.min(plot.height) / 2.0 - 26.0).max(10.0);
        Circle { centre, radius, groups: fly.machine.plan().groups, per_group: fly.machine.per_group() }
    }

    /// A place by its angle, from the top clockwise, and its distance from the middle in radii.
    fn at(&self, angle: f32, distance: f32) -> (f32, f32) {
        let (sin, cos) = angle.sin_cos();
        (self.centre.0 + sin * self.radius * distance, self.centre.1 - cos * self.radius * distance)
    }

    /// The angle of a group's share of the circle, from 0 to 1 along it.
    fn angle(&self, group: u32, share: f32) -> f32 {
        let share = GAP / 2.0 + share * (1.0 - GAP);
        TAU * (group as f32 + share) / self.groups as f32
    }

    fn router_angle(&self, router: u32) -> f32 {
        self.angle(router / self.per_group, ((router % self.per_group) as f32 + 0.5) / self.per_group as f32)
    }

    /// Pixels along the circle for each router.
    fn tick(&self) -> f32 {
        TAU * self.radius * (1.0 - GAP) / (self.groups * self.per_group).max(1) as f32
    }

    /// The way of the chord between two groups; each end stands where the other group lies, so that chords do not cross at it.
    fn chord(&self, one: u32, other: u32) -> Vec<(f32, f32)> {
        let share = |from: u32, to: u32| {
            let round = (from + self.groups - to) % self.groups;
            round as f32 / self.groups as f32
        };
        let from = self.at(self.angle(one, share(one, other)), 0.94);
        let to = self.at(self.angle(other, share(other, one)), 0.94);
        let apart = (one.abs_diff(other)).min(self.groups - one.abs_diff(other)) as f32 / self.groups as f32 * 2.0;
        let bend = BENDS.0 + (BENDS.1 - BENDS.0) * apart;
        let pull = |(x, y): (f32, f32)| (x + (self.centre.0 - x) * bend, y + (self.centre.1 - y) * bend);
        let (first, second) = (pull(from), pull(to));
        (0..=PIECES)
            .map(|at| {
                let t = at as f32 / PIECES as f32;
                let s = 1.0 - t;
                let blend = |a: f32, b: f32, c: f32, d: f32| {
                    s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
                };
                (blend(from.0, first.0, second.0, to.0), blend(from.1, first.1, second.1, to.1))
            })
            .collect()
    }
}

/// What the cables between two groups carry on average, each way.
fn both_ways(fly: &Fly<'_>, one: u32, other: u32) -> f64 {
    match (fly.mean(one, other), fly.mean(other, one)) {
        (there, back) if there.is_nan() => back,
        (there, back) if back.is_nan() => there,
        (there, back) => f64::midpoint(there, back),
    }
}

pub(super) fn draw(fly: &Fly<'_>, chosen: &Chosen, ramp: Ramp, colours: &Colours, scene: &mut Scene) {
    let circle = Circle::new(fly, scene.plot);
    let (selected, pair) = chosen_groups(fly, chosen);
    let has_chosen = !selected.is_empty() || pair.is_some();
    let mut chords: Vec<(f64, Vec<SegmentMark>)> = Vec::new();
    let mut idle = 0_u64;
    for one in 0..circle.groups {
        for other in one + 1..circle.groups {
            let value = both_ways(fly, one, other);
            if value == 0.0 {
                idle += 1;
                continue;
            }
            let is_chosen = pair == Some((one, other)) || selected.contains(&one) || selected.contains(&other);
            let tone = if has_chosen && !is_chosen { Tone::DimmedPale } else { Tone::Full };
            let Some(colour) = fly.colour(value, ramp, tone) else { continue };
            let share = if fly.range.1 > 0.0 { (value / fly.range.1).clamp(0.0, 1.0) as f32 } else { 0.0 };
            let width = if pair == Some((one, other)) { 4.0 } else { 0.7 + 2.3 * share };
            let way = circle.chord(one, other);
            let marks = way.windows(2).map(|ends| SegmentMark { from: ends[0], to: ends[1], width, colour });
            let order = if is_chosen { 2.0 } else { 0.0 } + f64::from(share);
            chords.push((order, marks.collect()));
        }
    }
    chords.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut marks: Vec<SegmentMark> = chords.into_iter().flat_map(|(_, marks)| marks).collect();
    arcs(&circle, &selected, fly.open, colours, &mut marks);
    let most = (0..fly.machine.routers()).map(|router| fly.of_router(router)).fold(0.0, f64::max);
    let shows_routers = circle.tick() >= LEAST_TICK;
    if shows_routers {
        for router in 0..fly.machine.routers() {
            let share = if most > 0.0 { (fly.of_router(router) / most) as f32 } else { 0.0 };
            let angle = circle.router_angle(router);
            let colour = ramp.at(share, Tone::Full);
            let width = (circle.tick() * 0.8).clamp(1.0, 10.0);
            marks.push(SegmentMark { from: circle.at(angle, 0.945), to: circle.at(angle, 0.985), width, colour });
        }
    }
    let nodes = fly.machine.plan().nodes;
    let shows_nodes = circle.tick() / nodes as f32 >= LEAST_TICK;
    if shows_nodes {
        for node in 0..fly.machine.hosts() {
            let part = (node % nodes) as f32 + 0.5 - nodes as f32 / 2.0;
            let angle = circle.router_angle(node / nodes) + part * circle.tick() / nodes as f32 / circle.radius;
            let is_chosen = chosen.has_node(Element(node));
            let colour = if is_chosen { colours.accent() } else { colours.ink().faint };
            let width = (circle.tick() / nodes as f32 * 0.6).clamp(0.8, 5.0);
            marks.push(SegmentMark { from: circle.at(angle, 1.0), to: circle.at(angle, 1.018), width, colour });
        }
    }
    scene.layers = vec![Layer::Segments(marks)];
    scene.labels.extend(names(&circle, colours));
    let cables = fly.machine.plan().global;
    scene.notes.push(format!(
        "A chord is the mean of {} between two groups, both ways.",
        counted(u64::from(cables) * 2, "link")
    ));
    if idle > 0 {
        let pairs = u64::from(circle.groups) * u64::from(circle.groups.saturating_sub(1)) / 2;
        scene.notes.push(format!(
            "{} of {} pairs of groups send each other nothing: no chord.",
            grouped(idle),
            grouped(pairs)
        ));
    }
    if shows_routers {
        scene.notes.push(format!("Routers by what they send to others, up to {}.", fly.text(most)));
    } else {
        scene
            .notes
            .push(format!("{} routers are too many to be drawn one by one.", grouped(fly.machine.routers().into())));
    }
}

/// The arc of each group.
fn arcs(circle: &Circle, selected: &[u32], open: Option<u32>, colours: &Colours, marks: &mut Vec<SegmentMark>) {
    let pieces = (240 / circle.groups).clamp(2, 24);
    for group in 0..circle.groups {
        let colour: ColourId = match group {
            group if selected.contains(&group) => colours.accent(),
            group if open == Some(group) => colours.ink().strong,
            _ => colours.ink().line,
        };
        let place = |at: u32| circle.at(circle.angle(group, at as f32 / pieces as f32), 0.992);
        marks.extend((0..pieces).map(|at| SegmentMark { from: place(at), to: place(at + 1), width: 3.0, colour }));
    }
}

fn names(circle: &Circle, colours: &Colours) -> Vec<Label> {
    let room = TAU * circle.radius / circle.groups as f32;
    let each = [1, 2, 5, 10, 20, 50].into_iter().find(|each| *each as f32 * room >= 20.0).unwrap_or(100);
    (0..circle.groups)
        .step_by(each)
        .map(|group| {
            let at = circle.at(circle.angle(group, 0.5), 1.0 + 15.0 / circle.radius);
            let at = (at.0, at.1 + 3.5);
            Label { at, text: group.to_string(), size: 10.5, colour: colours.ink().text, anchor: Anchor::Middle }
        })
        .collect()
}

pub(super) fn pick(fly: &Fly<'_>, plot: Rect, at: (f32, f32)) -> Option<Picked> {
    let circle = Circle::new(fly, plot);
    let (x, y) = (at.0 - circle.centre.0, at.1 - circle.centre.1);
    let distance = x.hypot(y) / circle.radius;
    let turned = (x.atan2(-y) / TAU).rem_euclid(1.0);
    if (0.93..=1.12).contains(&distance) {
        let place = turned * circle.groups as f32;
        let group = (place as u32).min(circle.groups - 1);
        let share = ((place.fract() - GAP / 2.0) / (1.0 - GAP)).clamp(0.0, 0.999_9);
        let router = group * circle.per_group + (share * circle.per_group as f32) as u32;
        return Some(if distance < 0.988 && circle.tick() >= LEAST_TICK {
            node_picked(fly, fly.machine.router(router), super::PLAIN)
        } else {
            fly.group_picked(group, None)
        });
    }
    let mut best: Option<(f32, (u32, u32))> = None;
    for one in 0..circle.groups {
        for other in one + 1..circle.groups {
            let way = circle.chord(one, other);
            let near = way.windows(2).map(|ends| far(at, ends[0], ends[1])).fold(f32::INFINITY, f32::min);
            if near < 5.0 && best.is_none_or(|(known, _)| near < known) {
                best = Some((near, (one, other)));
            }
        }
    }
    let (_, (one, other)) = best?;
    // The fuller way first.
    let (from, to) = if fly.mean(other, one) > fly.mean(one, other) { (other, one) } else { (one, other) };
    Some(fly.pair_picked(from, to, None))
}

/// How far a place is from a line.
fn far(at: (f32, f32), from: (f32, f32), to: (f32, f32)) -> f32 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx * dx + dy * dy;
    let along = if length > 0.0 { ((at.0 - from.0) * dx + (at.1 - from.1) * dy) / length } else { 0.0 };
    let along = along.clamp(0.0, 1.0);
    (at.0 - from.0 - along * dx).hypot(at.1 - from.1 - along * dy)
}

/// The groups whose arcs an area holds the middle of.
pub(super) fn groups_in(fly: &Fly<'_>, plot: Rect, area: Rect) -> Vec<u32> {
    let circle = Circle::new(fly, plot);
    (0..circle.groups).filter(|group| area.contains(circle.at(circle.angle(*group, 0.5), 0.99))).collect()
}
