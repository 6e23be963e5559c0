//! Groups by groups: a row sends to a column. A group that is opened has its routers beside it.

use heddle_model::SpanRow;
use heddle_topology::{Link, Topology};

use super::{Fly, PLAIN, chosen_groups};
use crate::request::node_set::{LinkName, NodeSet};
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::scene::frame::outline;
use crate::scene::ramp::{Ramp, Tone};
use crate::scene::theme::Colours;
use crate::scene::ticks::{counted, grouped};
use crate::scene::{Anchor, Label, Layer, Rect, RectMark, Scene};
use crate::views::machine::chosen::Chosen;

/// Room between the groups and the routers of an opened one.
const APART: f32 = 64.0;
/// Room above a square for numbers and what they count.
const HEAD: f32 = 36.0;
/// Room that a number needs.
const NUMBER: f32 = 22.0;

/// A square of cells.
#[derive(Clone, Copy)]
struct Square {
    x: f32,
    y: f32,
    cell: f32,
    count: u32,
}

impl Square {
    fn new(x: f32, y: f32, side: f32, count: u32) -> Square {
        Square { x, y, cell: (side / count.max(1) as f32).min(48.0), count }
    }

    fn cell(&self, row: u32, column: u32) -> Rect {
        let gap = if self.cell > 8.0 { 1.0 } else { 0.0 };
        Rect {
            x: self.x + column as f32 * self.cell,
            y: self.y + row as f32 * self.cell,
            width: self.cell - gap,
            height: self.cell - gap,
        }
    }

    fn at(&self, (x, y): (f32, f32)) -> Option<(u32, u32)> {
        let place = |at: f32| (at >= 0.0).then(|| (at / self.cell) as u32).filter(|at| *at < self.count);
        Some((place(y - self.y)?, place(x - self.x)?))
    }

    fn side(&self) -> f32 {
        self.cell * self.count as f32
    }

    /// A row or column of it.
    fn row(&self, row: u32) -> Rect {
        Rect { width: self.side(), ..self.cell(row, 0) }
    }

    fn column(&self, column: u32) -> Rect {
        Rect { height: self.side(), ..self.cell(0, column) }
    }

    /// Numbers at the left and above, as many as there is room for, and what they count.
    fn numbers(&self, what: [&str; 2], colours: &Colours) -> Vec<Label> {
        let each =
            [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].into_iter().find(|each| *each as f32 * self.cell >= NUMBER);
        let colour = colours.ink().text;
        let mut labels = Vec::new();
        for at in (0..self.count).step_by(each.unwrap_or(1000)) {
            let middle = (at as f32 + 0.5) * self.cell;
            let text = grouped(at.into());
            let left = (self.x - 5.0, self.y + middle + 3.5);
            let above = (self.x + middle, self.y - 4.0);
            labels.push(Label { at: left, text: text.clone(), size: 10.0, colour, anchor: Anchor::End });
            labels.push(Label { at: above, text, size: 10.0, colour, anchor: Anchor::Middle });
        }
        let faint = colours.ink().faint;
        let name = |text: &str, at: (f32, f32), anchor: Anchor| Label {
            at,
            text: text.to_owned(),
            size: 11.0,
            colour: faint,
            anchor,
        };
        labels.push(name(&format!("{} → {}", what[0], what[1]), (self.x, self.y - 19.0), Anchor::Start));
        labels
    }
}

/// Where the groups are, and the routers of the opened one.
fn squares(fly: &Fly<'_>, plot: Rect) -> (Square, Option<Square>) {
    let plot = Rect { y: plot.y + HEAD, height: (plot.height - HEAD).max(1.0), ..plot };
    let groups = fly.machine.plan().groups;
    if fly.open.is_none() {
        return (Square::new(plot.x, plot.y, plot.width.min(plot.height), groups), None);
    }
    let routers = fly.machine.per_group();
    if plot.width >= plot.height {
        let side = ((plot.width - APART) / 2.0).min(plot.height);
        let left = Square::new(plot.x, plot.y, side, groups);
        (left, Some(Square::new(plot.x + left.side() + APART, plot.y, side, routers)))
    } else {
        let side = ((plot.height - APART) / 2.0).min(plot.width);
        let above = Square::new(plot.x, plot.y, side, groups);
        (above, Some(Square::new(plot.x, plot.y + above.side() + APART, side, routers)))
    }
}

/// The link from a router of the opened group to another, if they are joined.
fn local(fly: &Fly<'_>, group: u32, from: u32, to: u32) -> Option<Link> {
    let first = group * fly.machine.per_group();
    fly.machine.local_link(first + from, first + to)
}

pub(super) fn draw(fly: &Fly<'_>, chosen: &Chosen, ramp: Ramp, colours: &Colours, scene: &mut Scene) {
    let (groups, routers) = squares(fly, scene.plot);
    let mut marks = Vec::new();
    let mut mark = |rect: Rect, value: f64| {
        if let Some(colour) = fly.colour(value, ramp, Tone::Full) {
            marks.push(RectMark { rect, colour, span: SpanRow::NONE });
        }
    };
    let has_locals = fly.machine.per_group() > 1;
    for from in 0..groups.count {
        for to in (0..groups.count).filter(|to| *to != from || has_locals) {
            mark(groups.cell(from, to), fly.mean(from, to));
        }
    }
    if let (Some(square), Some(group)) = (&routers, fly.open) {
        for from in 0..square.count {
            for to in 0..square.count {
                if let Some(link) = local(fly, group, from, to) {
                    mark(square.cell(from, to), fly.links[link.index()]);
                }
            }
        }
    }
    let mut frames = Vec::new();
    let (selected, pair) = chosen_groups(fly, chosen);
    for group in selected.iter().take(40) {
        frames.extend(outline(groups.row(*group), colours.accent()));
        frames.extend(outline(groups.column(*group), colours.accent()));
    }
    if let Some((one, other)) = pair {
        frames.extend(outline(groups.cell(one, other), colours.accent()));
        frames.extend(outline(groups.cell(other, one), colours.accent()));
    }
    if let Some(group) = fly.open {
        frames.extend(outline(groups.cell(group, group), colours.ink().strong));
    }
    scene.labels.extend(groups.numbers(["group sends", "to group"], colours));
    if let (Some(square), Some(group)) = (&routers, fly.open) {
        let what = format!("group {group}: router sends");
        scene.labels.extend(square.numbers([&what, "to router"], colours));
    }
    scene.layers = vec![Layer::Rects(marks), Layer::Rects(frames)];
    let cables = fly.machine.plan().global;
    scene.notes.push(format!(
        "A cell is the mean of {} between two groups, one way; on the diagonal, of those within the group.",
        counted(cables.into(), "link")
    ));
    if fly.open.is_none() {
        scene.notes.push("A cell of the diagonal opens its group.".to_owned());
    }
}

pub(super) fn pick(fly: &Fly<'_>, plot: Rect, at: (f32, f32)) -> Option<Picked> {
    let (groups, routers) = squares(fly, plot);
    if let Some((from, to)) = groups.at(at) {
        let area = Some(groups.cell(from, to));
        return Some(if from == to { fly.group_picked(from, area) } else { fly.pair_picked(from, to, area) });
    }
    let (square, group) = (routers?, fly.open?);
    let (from, to) = square.at(at)?;
    let first = group * fly.machine.per_group();
    if from == to {
        let router = fly.machine.router(first + from);
        return Some(Picked {
            title: format!("Router {group}.{from}"),
            colour: PLAIN,
            lines: vec![format!("{} leaves it for other routers", fly.text(fly.of_router(first + from)))],
            select: Some(Selection::Nodes(NodeSet::one(&fly.machine.address(router)))),
            toggles: None,
            sets: None,
            area: Some(square.cell(from, to)),
        });
    }
    let link = local(fly, group, from, to)?;
    Some(Picked {
        title: format!("Router {group}.{from} → router {group}.{to}"),
        colour: PLAIN,
        lines: vec![format!("{}, {}", fly.text_or_unknown(fly.links[link.index()]), fly.traffic.origin.name())],
        select: Some(Selection::Link(LinkName::of(fly.machine, link))),
        toggles: None,
        sets: None,
        area: Some(square.cell(from, to)),
    })
}

/// The groups whose rows an area touches.
pub(super) fn groups_in(fly: &Fly<'_>, plot: Rect, area: Rect) -> Vec<u32> {
    let (groups, _) = squares(fly, plot);
    let touches = |group: &u32| {
        let row = groups.row(*group);
        row.y < area.y + area.height && row.y + row.height > area.y
    };
    (0..groups.count).filter(touches).collect()
}
