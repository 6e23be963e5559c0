//! Lines of nodes, ways and points of groups, and lower bounds.

use heddle_tasks::Progression;

use super::inks::Inks;
use super::shown::Shown;
use super::{Chosen, Places};
use crate::scene::{Band, ColourId, DiscMark, Layer, Scene, SegmentMark};

/// More nodes than this have no line each.
const MOST_LINES: usize = 2_000;
/// Nor if that would take more pieces than this.
const MOST_PIECES: usize = 100_000;
/// Chosen nodes have lines of their own up to so many.
const MOST_CHOSEN: usize = 200;
/// Quantiles that ribbons and their middle show.
const QUANTILES: [f64; 5] = [0.0, 0.1, 0.5, 0.9, 1.0];

/// Widths of ways: of one node, and of all. Among many nodes the range is larger.
const WIDTHS: (f32, f32) = (1.2, 7.5);
const MANY_WIDTHS: (f32, f32) = (0.8, 10.0);
const MANY: usize = 100;

/// Radius of a point, with what lies around it; of the selected one; of the ring around that.
const DOT: f32 = 4.5;
const RIM: f32 = 1.5;
const LARGE_DOT: f32 = 6.5;
const RING: f32 = 10.0;
const LEAST_DOT: f32 = 1.5;

/// Dashes of the area bound, and dots of the cumulative one: length and gap.
const DASH: (f32, f32) = (6.0, 4.0);
const DOTS: (f32, f32) = (1.5, 3.0);
/// Half the size of a star.
const STAR: f32 = 3.4;

/// Whether nodes are too many for a line each.
pub(super) fn has_ribbons(progression: &Progression) -> bool {
    let nodes = progression.nodes.len();
    nodes > MOST_LINES || nodes * progression.times.len() > MOST_PIECES
}

/// The width of a way of some nodes.
pub(super) fn way_width(nodes: usize, all: usize) -> f32 {
    let (least, most) = if all > MANY { MANY_WIDTHS } else { WIDTHS };
    if all <= 1 {
        return most;
    }
    least + (most - least) * (nodes.saturating_sub(1) as f32 / (all - 1) as f32).sqrt()
}

/// What is drawn, and where.
pub(super) struct Drawn<'a> {
    pub(super) shown: &'a Shown<'a>,
    pub(super) places: &'a Places,
    pub(super) chosen: &'a Chosen,
}

impl Drawn<'_> {
    fn progression(&self) -> &Progression {
        self.shown.progression
    }

    /// The x of an instant.
    pub(super) fn x(&self, instant: usize) -> f32 {
        self.places.x(self.progression().times[instant].0 as f64)
    }

    /// Whether something between two places is in the plot, left to right.
    pub(super) fn is_in_sight(&self, from: f32, to: f32) -> bool {
        let plot = self.places.plot;
        to >= plot.x && from <= plot.x + plot.width
    }

    /// The radius of points.
    pub(super) fn dot(&self) -> f32 {
        let times = &self.progression().times;
        let each = (self.x(times.len() - 1) - self.x(0)) / (times.len() - 1).max(1) as f32;
        (each * 0.3).clamp(LEAST_DOT, DOT)
    }

    /// A point of a group.
    pub(super) fn group_place(&self, instant: usize, group: usize) -> (f32, f32) {
        (self.x(instant), self.places.y(self.shown.clusters(instant)[group].mean))
    }

    /// Lines of nodes, or ribbons; those that are chosen above the others.
    pub(super) fn nodes(&self, scene: &mut Scene, inks: &mut Inks) {
        let nodes = self.progression().nodes.len();
        if has_ribbons(self.progression()) {
            self.ribbons(scene, inks);
        } else {
            let colour = inks.line(nodes, self.chosen.count > 0);
            let lines = (0..nodes).flat_map(|node| self.line(node, 1.0, colour)).collect();
            scene.layers.push(Layer::Segments(lines));
        }
        if (1..=MOST_CHOSEN).contains(&self.chosen.count) {
            let colour = inks.chosen_line(self.chosen.count);
            let lines = self.chosen.nodes().flat_map(|node| self.line(node as usize, 1.2, colour)).collect();
            scene.layers.push(Layer::Segments(lines));
        }
    }

    /// The line of a node, as far as it is in sight.
    fn line(&self, node: usize, width: f32, colour: ColourId) -> Vec<SegmentMark> {
        let line = self.progression().line(node);
        let place = |instant: usize| (self.x(instant), self.places.y(line[instant]));
        (1..line.len())
            .map(|instant| SegmentMark { from: place(instant - 1), to: place(instant), width, colour })
            .filter(|mark| self.is_in_sight(mark.from.0, mark.to.0))
            .collect()
    }

    /// All nodes and the middle of them as ribbons, with their median.
    fn ribbons(&self, scene: &mut Scene, inks: &mut Inks) {
        let plot = self.places.plot;
        let progression = self.progression();
        let at: Vec<[f64; 5]> = (0..progression.times.len()).map(|instant| quantiles(progression, instant)).collect();
        let x: Vec<f32> = (0..at.len()).map(|instant| self.x(instant)).collect();
        let edge = |which: usize| -> Vec<f32> {
            let column = |column: usize| {
                let here = plot.x + column as f32;
                let after = x.partition_point(|x| *x < here);
                if after == 0 || after == x.len() {
                    // The first instant itself lies on a column or between two.
                    let is_there = x.get(after).is_some_and(|x| *x < here + 1.0);
                    return if is_there { self.places.y(at[after][which]) } else { f32::NAN };
                }
                let part = f64::from((here - x[after - 1]) / (x[after] - x[after - 1]).max(f32::MIN_POSITIVE));
                self.places.y(at[after - 1][which] + (at[after][which] - at[after - 1][which]) * part)
            };
            (0..=plot.width as usize).map(column).collect()
        };
        let band = |low: usize, high: usize, colour| Band { upper: edge(high), lower: edge(low), colour };
        let (all, most) = (inks.ribbon(0), inks.ribbon(1));
        scene.layers.push(Layer::Bands(vec![band(0, 4, all), band(1, 3, most)]));
        let middle = |instant: usize| (x[instant], self.places.y(at[instant][2]));
        let median = (1..at.len())
            .map(|to| SegmentMark { from: middle(to - 1), to: middle(to), width: 1.0, colour: inks.faint })
            .filter(|mark| self.is_in_sight(mark.from.0, mark.to.0));
        scene.layers.push(Layer::Segments(median.collect()));
    }

    /// The bounds: of the run as a dashed line, of its steps, added up, as a dotted one with a star each; the longest chain
    /// of tasks where it is known.
    pub(super) fn bounds(&self, scene: &mut Scene, inks: &Inks) {
        // Work without durations, such as logical steps, has no bound.
        if self.progression().bounds.area <= 0.0 {
            return;
        }
        let mut marks = Vec::new();
        let plot = self.places.plot;
        let mut upright = |x: f32, (dash, gap): (f32, f32)| {
            let mut y = plot.y;
            while y < plot.y + plot.height && self.is_in_sight(x, x) {
                let to = (y + dash).min(plot.y + plot.height);
                marks.push(SegmentMark { from: (x, y), to: (x, to), width: 1.3, colour: inks.strong });
                y += dash + gap;
            }
        };
        upright(self.bound_x(), DASH);
        if let Some(x) = self.chain_x() {
            upright(x, DOTS);
        }
        let points = self.bound_points();
        marks.extend(dotted(&points, inks.strong, (plot.x, plot.x + plot.width)));
        for (x, y) in points.into_iter().skip(1).filter(|(x, _)| self.is_in_sight(*x, *x)) {
            marks.extend([30.0f32, 90.0, -30.0].map(|angle| {
                let (sin, cos) = angle.to_radians().sin_cos();
                let (across, down) = (STAR * cos, STAR * sin);
                SegmentMark {
                    from: (x - across, y - down),
                    to: (x + across, y + down),
                    width: 1.0,
                    colour: inks.strong,
                }
            }));
        }
        scene.layers.push(Layer::Segments(marks));
    }

    /// The x of the area bound.
    pub(super) fn bound_x(&self) -> f32 {
        self.places.x(self.progression().span.0.0 as f64 + self.progression().bounds.area)
    }

    /// The x of the longest chain of tasks, where that is known.
    pub(super) fn chain_x(&self) -> Option<f32> {
        let chain = self.progression().bounds.chain?;
        Some(self.places.x(self.progression().span.0.0 as f64 + chain))
    }

    /// Where the cumulative bound is at each instant.
    pub(super) fn bound_points(&self) -> Vec<(f32, f32)> {
        let progression = self.progression();
        let start = progression.span.0.0 as f64;
        let points = progression.bounds.cumulative().into_iter().zip(&progression.pooled);
        points.map(|(at, share)| (self.places.x(start + at), self.places.y(*share))).collect()
    }

    /// The shown step.
    pub(super) fn step(&self, scene: &mut Scene, inks: &Inks) {
        let (x, plot) = (self.x(self.shown.instant), self.places.plot);
        if self.is_in_sight(x, x) {
            let (from, to) = ((x, plot.y), (x, plot.y + plot.height));
            let line = SegmentMark { from, to, width: 1.0, colour: inks.accent };
            scene.layers.push(Layer::Segments(vec![line]));
        }
    }

    /// Ways between groups, as thick as they have nodes, and a point for each group.
    pub(super) fn groups(&self, scene: &mut Scene, inks: &mut Inks) {
        let all = self.progression().nodes.len();
        let mut ways = Vec::new();
        for way in &self.shown.groups.segments {
            let from = self.group_place(way.instant as usize - 1, way.from as usize);
            let to = self.group_place(way.instant as usize, way.to as usize);
            if !self.is_in_sight(from.0, to.0) {
                continue;
            }
            let fades = self.chosen.fades(&way.nodes);
            let colour = inks.way(self.shown.way_colour(way), fades);
            ways.push((fades, SegmentMark { from, to, width: way_width(way.nodes.len(), all), colour }));
        }
        // What stands out lies above; thin lines above thick ones, which would cover them.
        ways.sort_by(|a, b| (b.0, b.1.width).partial_cmp(&(a.0, a.1.width)).unwrap_or(std::cmp::Ordering::Equal));
        scene.layers.push(Layer::Segments(ways.into_iter().map(|(_, way)| way).collect()));
        let usual = self.dot();
        let rim = RIM * usual / DOT;
        let mut dots = Vec::new();
        for instant in 0..self.progression().times.len() {
            let x = self.x(instant);
            if !self.is_in_sight(x - LARGE_DOT, x + LARGE_DOT) {
                continue;
            }
            for (group, cluster) in self.shown.clusters(instant).iter().enumerate() {
                let at = self.group_place(instant, group);
                let is_chosen = instant == self.shown.instant && self.chosen.is_all(&cluster.members);
                let fades = self.chosen.fades(&cluster.members);
                let colour = inks.dot(self.shown.colour(instant, group), fades);
                let radius = if is_chosen { LARGE_DOT } else { usual };
                if is_chosen {
                    dots.push(DiscMark { at, radius: RING, colour: inks.accent });
                }
                dots.push(DiscMark { at, radius: radius + rim, colour: inks.background });
                dots.push(DiscMark { at, radius, colour });
            }
        }
        scene.layers.push(Layer::Discs(dots));
    }
}

/// A dotted line through some points, as far as it lies between two x: a picture may be zoomed in as far as one likes.
fn dotted(points: &[(f32, f32)], colour: ColourId, (left, right): (f32, f32)) -> Vec<SegmentMark> {
    let (dot, gap) = DOTS;
    let mut marks = Vec::new();
    for pair in points.windows(2) {
        let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
        let length = (to_x - x).hypot(to_y - y);
        if to_x < left || x > right || length <= 0.0 {
            continue;
        }
        let place = |way: f32| (x + (to_x - x) * way / length, y + (to_y - y) * way / length);
        let way_to = |edge: f32| ((edge - x) / (to_x - x).max(f32::MIN_POSITIVE)).clamp(0.0, 1.0) * length;
        let (mut at, end) = (way_to(left), way_to(right).max(f32::EPSILON));
        let end = if to_x > x { end } else { length };
        while at < end {
            marks.push(SegmentMark { from: place(at), to: place((at + dot).min(length)), width: 1.3, colour });
            at += dot + gap;
        }
    }
    marks
}

/// Shares at some quantiles of all nodes.
fn quantiles(progression: &Progression, instant: usize) -> [f64; 5] {
    let mut shares = progression.at(instant);
    let last = shares.len().saturating_sub(1);
    QUANTILES.map(|quantile| {
        let place = (quantile * last as f64).round() as usize;
        if shares.is_empty() { 0.0 } else { *shares.select_nth_unstable_by(place, f64::total_cmp).1 }
    })
}
