//! Texts in a picture of progression: bounds, the shown step, who is on the minority paths, chosen nodes.
//!
//! Texts keep clear of each other and, as far as there is room, of points and lines: each takes the place near what it
//! speaks of where it covers the least.

use rustc_hash::FxHashMap;

use super::inks::{FEW_CHOSEN, Inks};
use super::marks::Drawn;
use super::shown::{time_text, times_text};
use crate::scene::{Anchor, ColourId, Label, Layer, Rect, RectMark, Scene, SegmentMark};
use heddle_model::SpanRow;

/// Heights of texts: of minority paths, and of all others.
const PATH: f32 = 11.5;
const SMALL: f32 = 11.0;
/// More paths than these are not named.
const MOST_PATHS: usize = 40;
/// A path is not named again if it was within so many instants before.
const AGAIN: u32 = 3;
/// Side of the cells in which it is counted what lies where.
const CELL: f32 = 6.0;
/// What it costs to cover points and ways, vertical lines, lines of chosen nodes, lines of nodes.
const ON_WAY: f32 = 3.0;
const ON_UPRIGHT: f32 = 1.5;
const ON_CHOSEN: f32 = 0.5;
const ON_NODE: f32 = 0.1;
/// Another text is never covered.
const ON_TEXT: f32 = 1000.0;
/// What it costs at most to stand on lines of nodes, however many there are.
const MOST_NODES: f32 = 0.6;

/// How wide a text is, about.
pub(super) fn text_width(text: &str, size: f32) -> f32 {
    let width = |character: char| match character {
        ',' | '.' | ' ' | '-' | '·' | ';' | 'i' | 'l' | '(' | ')' => 0.34,
        'm' | 'w' | '%' | '…' | '×' => 0.9,
        _ => 0.63,
    };
    text.chars().map(width).sum::<f32>() * size
}

/// Adds all texts. Names of paths only if they are asked for.
/// The layers from `first` on are what is drawn so far.
pub(super) fn add(drawn: &Drawn<'_>, first: usize, scene: &mut Scene, inks: &mut Inks, names_paths: bool) {
    let mut room = Room::of(drawn, &scene.layers[first..]);
    bound(drawn, inks, &mut room);
    chain(drawn, inks, &mut room);
    step(drawn, inks, &mut room);
    if names_paths {
        paths(drawn, inks, &mut room);
    }
    chosen(drawn, inks, &mut room);
    let papers = room.texts.iter().map(|(area, _)| RectMark { rect: *area, colour: inks.paper, span: SpanRow::NONE });
    scene.layers.push(Layer::Rects(papers.collect()));
    scene.labels.extend(room.texts.into_iter().map(|(_, label)| label));
}

/// What the area bound says.
fn bound(drawn: &Drawn<'_>, inks: &Inks, room: &mut Room) {
    let (x, plot) = (drawn.bound_x(), drawn.places.plot);
    let progression = drawn.shown.progression;
    if progression.bounds.area <= 0.0 || !drawn.is_in_sight(x, x) {
        return;
    }
    let area = progression.bounds.area;
    let says = format!("area bound {}", time_text(area as i64));
    room.beside(x, plot.y + 11.0, says, inks.strong);
    let ratio = times_text(progression.makespan() as f64 / area);
    room.beside(x, plot.y + 26.0, format!("the run takes {ratio} as long"), inks.text);
}

/// What the longest chain says.
fn chain(drawn: &Drawn<'_>, inks: &Inks, room: &mut Room) {
    let (Some(x), Some(chain)) = (drawn.chain_x(), drawn.shown.progression.bounds.chain) else { return };
    if drawn.is_in_sight(x, x) {
        let plot = drawn.places.plot;
        room.beside(x, plot.y + plot.height - 10.0, format!("longest chain {}", time_text(chain as i64)), inks.text);
    }
}

/// What the line of the shown step says: where ways are not.
fn step(drawn: &Drawn<'_>, inks: &Inks, room: &mut Room) {
    let (instant, plot) = (drawn.shown.instant, drawn.places.plot);
    let x = drawn.x(instant);
    if drawn.is_in_sight(x, x) {
        let is_early = drawn.shown.progression.pooled.get(instant).is_none_or(|share| *share <= 0.6);
        let y = if is_early { plot.y + 44.0 } else { plot.y + plot.height - 26.0 };
        room.beside(x, y, drawn.shown.instant_text(instant), inks.accent);
    }
}

/// Who is on the minority paths, at their middles.
fn paths(drawn: &Drawn<'_>, inks: &mut Inks, room: &mut Room) {
    let shown = drawn.shown;
    let mut named = FxHashMap::<&[u32], u32>::default();
    let mut found = Vec::new();
    for way in shown.groups.segments.iter().filter(|way| way.is_minority) {
        // Who was named a moment ago is still seen to be the same.
        if named.insert(&way.nodes, way.instant).is_some_and(|before| way.instant - before <= AGAIN) {
            continue;
        }
        let from = drawn.group_place(way.instant as usize - 1, way.from as usize);
        let to = drawn.group_place(way.instant as usize, way.to as usize);
        let middle = (f32::midpoint(from.0, to.0), f32::midpoint(from.1, to.1));
        if !drawn.is_in_sight(middle.0, middle.0) {
            continue;
        }
        // How far it leads from those with whom the nodes were.
        let main = shown.groups.segments.iter().filter(|other| other.instant == way.instant && other.from == way.from);
        let main = main.max_by_key(|other| (!other.is_minority, other.nodes.len()));
        let apart =
            main.map_or(0.0, |main| (drawn.group_place(main.instant as usize, main.to as usize).1 - to.1).abs());
        found.push((apart, middle, way));
    }
    // Where there is no room for all, those who go farthest.
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, middle, way) in found.into_iter().take(MOST_PATHS) {
        let fades = drawn.chosen.fades(&way.nodes);
        let colour = inks.dot(shown.way_colour(way), fades);
        room.near(middle, shown.short_names(&way.nodes), PATH, colour);
    }
}

/// Names of chosen nodes, on their lines.
fn chosen(drawn: &Drawn<'_>, inks: &Inks, room: &mut Room) {
    if drawn.chosen.count > FEW_CHOSEN {
        return;
    }
    let (progression, plot) = (drawn.shown.progression, drawn.places.plot);
    for node in drawn.chosen.nodes() {
        let line = progression.line(node as usize);
        // Where the line is farthest from the middle of all: there it is alone.
        let apart = |at: usize| (line[at] - progression.pooled.get(at).copied().unwrap_or(0.0)).abs();
        let inside = |at: &usize| (plot.x + 30.0..plot.x + plot.width - 30.0).contains(&drawn.x(*at));
        let place = (0..line.len()).filter(inside).max_by(|a, b| apart(*a).total_cmp(&apart(*b)));
        if let Some(at) = place {
            let number = progression.nodes[node as usize];
            room.near((drawn.x(at), drawn.places.y(line[at])), format!("node {number}"), SMALL, inks.text);
        }
    }
}

/// What lies where, and the texts that found a place.
struct Room {
    plot: Rect,
    columns: usize,
    rows: usize,
    costs: Vec<f32>,
    texts: Vec<(Rect, Label)>,
}

impl Room {
    /// The room that lines and points leave.
    fn of(drawn: &Drawn<'_>, layers: &[Layer]) -> Room {
        let plot = drawn.places.plot;
        let (columns, rows) = ((plot.width / CELL) as usize + 1, (plot.height / CELL) as usize + 1);
        let mut room = Room { plot, columns, rows, costs: vec![0.0; columns * rows], texts: Vec::new() };
        let mut layers = layers.iter().filter_map(|layer| match layer {
            Layer::Segments(lines) => Some(lines.as_slice()),
            _ => None,
        });
        let (ways, before) = (layers.next_back().unwrap_or(&[]), layers.collect::<Vec<_>>());
        for (at, lines) in before.iter().enumerate() {
            for line in *lines {
                // The first are those of all nodes; what follows are few.
                let is_upright = (line.from.0 - line.to.0).abs() < f32::EPSILON;
                room.cover(
                    line,
                    if at == 0 {
                        ON_NODE
                    } else if is_upright {
                        ON_UPRIGHT
                    } else {
                        ON_CHOSEN
                    },
                );
            }
            if at == 0 {
                room.costs.iter_mut().for_each(|cost| *cost = cost.min(MOST_NODES));
            }
        }
        for line in ways {
            room.cover(line, ON_WAY);
        }
        room
    }

    fn cell(&self, (x, y): (f32, f32)) -> Option<usize> {
        let (column, row) = ((x - self.plot.x) / CELL, (y - self.plot.y) / CELL);
        let is_inside = column >= 0.0 && row >= 0.0 && column < self.columns as f32 && row < self.rows as f32;
        is_inside.then(|| row as usize * self.columns + column as usize)
    }

    /// Counts a line in the cells that it crosses.
    fn cover(&mut self, line: &SegmentMark, cost: f32) {
        let (left, right) = (self.plot.x, self.plot.x + self.plot.width);
        let ((x, y), (to_x, to_y)) = (line.from, line.to);
        let part = |edge: f32| ((edge - x) / (to_x - x)).clamp(0.0, 1.0);
        let (from, to) = if to_x > x { (part(left), part(right)) } else { (0.0, 1.0) };
        let length = ((to_x - x).abs().max((to_y - y).abs()) * (to - from)).min(4.0 * right);
        let pieces = (length / CELL).ceil().max(1.0) as usize;
        for piece in 0..=pieces {
            let way = from + (to - from) * piece as f32 / pieces as f32;
            if let Some(cell) = self.cell((x + (to_x - x) * way, y + (to_y - y) * way)) {
                self.costs[cell] += cost;
            }
        }
    }

    /// What it costs to cover an area.
    fn cost(&self, area: Rect) -> f32 {
        let column = |x: f32| (((x - self.plot.x) / CELL).max(0.0) as usize).min(self.columns - 1);
        let row = |y: f32| (((y - self.plot.y) / CELL).max(0.0) as usize).min(self.rows - 1);
        let (left, right) = (column(area.x), column(area.x + area.width));
        (row(area.y)..=row(area.y + area.height))
            .map(|row| self.costs[row * self.columns + left..=row * self.columns + right].iter().sum::<f32>())
            .sum()
    }

    fn put(&mut self, area: Rect, text: String, size: f32, colour: ColourId) {
        let row = |y: f32| (((y - self.plot.y) / CELL).max(0.0) as usize).min(self.rows - 1);
        let column = |x: f32| (((x - self.plot.x) / CELL).max(0.0) as usize).min(self.columns - 1);
        for row in row(area.y)..=row(area.y + area.height) {
            for column in column(area.x)..=column(area.x + area.width) {
                self.costs[row * self.columns + column] += ON_TEXT;
            }
        }
        let at = (area.x + 2.0, area.y + size * 0.88);
        self.texts.push((area, Label { at, text, size, colour, anchor: Anchor::Start }));
    }

    /// The box of a text, with a little room around it.
    fn area(text: &str, size: f32, x: f32, middle: f32) -> Rect {
        let height = size * 1.15;
        Rect { x: x - 2.0, y: middle - height / 2.0, width: text_width(text, size) + 4.0, height }
    }

    fn holds(&self, area: Rect) -> bool {
        area.x >= self.plot.x
            && area.y >= self.plot.y
            && area.x + area.width <= self.plot.x + self.plot.width
            && area.y + area.height <= self.plot.y + self.plot.height
    }

    /// A text beside a vertical line, rather right of it and as high as is asked for, where it covers the least.
    fn beside(&mut self, x: f32, middle: f32, text: String, colour: ColourId) {
        const AWAY: f32 = 7.0;
        const LINE: f32 = 15.0;
        let right = Room::area(&text, SMALL, x + AWAY, middle);
        let left = Rect { x: x - AWAY - right.width + 2.0, ..right };
        let mut best: Option<(f32, Rect)> = None;
        for (side, area) in [(0.0, right), (3.0, left)] {
            for line in 0..6 {
                let area = Rect { y: area.y + LINE * line as f32, ..area };
                let cost = self.cost(area) + side + 2.0 * line as f32;
                if self.holds(area) && best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, area));
                }
            }
        }
        if let Some((_, area)) = best.filter(|(cost, _)| *cost < ON_TEXT) {
            self.put(area, text, SMALL, colour);
        }
    }

    /// A text near a place, rather below it, where it covers the least; none where it would lie on another one.
    fn near(&mut self, (x, y): (f32, f32), text: String, size: f32, colour: ColourId) {
        let width = text_width(&text, size);
        let mut places = vec![(x + 12.0, y), (x - 12.0 - width, y)];
        for down in [-30.0, -24.0, -18.0, -13.0, 13.0, 18.0, 24.0, 30.0] {
            places.extend((0..19).map(|at| {
                let across = -1.3 + 0.1 * at as f32;
                let aside = if across < -0.9 {
                    -8.0
                } else if across > -0.1 {
                    8.0
                } else {
                    0.0
                };
                (x + across * width + aside, y + down)
            }));
        }
        let mut best: Option<(f32, Rect)> = None;
        for (left, middle) in places {
            let area = Room::area(&text, size, left, middle);
            if !self.holds(area) {
                continue;
            }
            let away = ((left + width / 2.0 - x).abs() - width / 2.0).max(0.0).hypot(middle - y);
            let cost = self.cost(area) + away / 9.0 + if middle < y { 2.5 } else { 0.0 };
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, area));
            }
        }
        if let Some((cost, area)) = best
            && cost < ON_TEXT
        {
            self.put(area, text, size, colour);
        }
    }
}
