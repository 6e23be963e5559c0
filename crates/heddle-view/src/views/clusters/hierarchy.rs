//! The hierarchy of clusters at the left of their rows: open joints can be closed, closed ones opened.

use heddle_model::SpanRow;

use super::ClusterPicture;
use super::layout::ClusterRow;
use crate::scene::ticks::grouped;
use crate::scene::{Anchor, ColourId, Label, Rect, RectMark, Scene};

/// Room for names of rows, right of the hierarchy.
pub(super) const NAMES: f32 = 86.0;
/// Side of a knob, and from one level to the next at most.
const KNOB: f32 = 9.0;
const LEVEL: f32 = 18.0;
/// Rows lower than this have no names where the next ones do.
const LEAST_NAMED: f32 = 11.0;

/// A joint of the hierarchy in the picture, or a row that could be opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knob {
    pub(super) node: u32,
    pub(super) is_open: bool,
    pub(super) at: (f32, f32),
}

impl Knob {
    /// Where it can be clicked: a bit around it too.
    pub(super) fn contains(&self, (x, y): (f32, f32)) -> bool {
        (x - self.at.0).abs() <= KNOB && (y - self.at.1).abs() <= KNOB
    }

    pub(super) fn area(&self) -> Rect {
        Rect { x: self.at.0 - KNOB / 2.0, y: self.at.1 - KNOB / 2.0, width: KNOB, height: KNOB }
    }
}

/// A node with its place: its level above the rows, and its height in the picture.
struct Placed {
    level: u32,
    y: f32,
}

impl ClusterPicture<'_> {
    /// All knobs, and the lines between them.
    pub(super) fn hierarchy(&self) -> (Vec<Knob>, Vec<Rect>) {
        let (mut knobs, mut lines) = (Vec::new(), Vec::new());
        if let Some(root) = self.clusters.tree().root() {
            let levels = self.level(root).max(1);
            let apart = (self.tree_area().width / (levels as f32 + 1.0)).min(LEVEL);
            self.placed(root, apart, &mut knobs, &mut lines);
        }
        (knobs, lines)
    }

    /// How many open joints are above one another below a node.
    fn level(&self, node: u32) -> u32 {
        match self.open_joint(node) {
            Some(children) => 1 + children.map(|child| self.level(child)).into_iter().max().unwrap_or(0),
            None => 0,
        }
    }

    fn open_joint(&self, node: u32) -> Option<[u32; 2]> {
        if !self.open.contains(&node) {
            return None;
        }
        self.clusters.tree().merge(node).map(|merge| merge.children)
    }

    fn placed(&self, node: u32, apart: f32, knobs: &mut Vec<Knob>, lines: &mut Vec<Rect>) -> Placed {
        let x = |level: u32| self.tree_area().x + self.tree_area().width - (level as f32 + 0.5) * apart;
        let Some(children) = self.open_joint(node) else {
            let y = self.cluster_rows.iter().find(|row| row.node == node).map_or(0.0, ClusterRow::middle);
            let end = self.tree_area().x + self.tree_area().width;
            lines.push(Rect { x: x(0), y: y - 0.5, width: end - x(0), height: 1.0 });
            if self.clusters.tree().merge(node).is_some() {
                knobs.push(Knob { node, is_open: false, at: (x(0), y) });
            }
            return Placed { level: 0, y };
        };
        let below = children.map(|child| self.placed(child, apart, knobs, lines));
        let level = 1 + below.iter().map(|placed| placed.level).max().unwrap_or(0);
        let y = below.iter().map(|placed| placed.y).sum::<f32>() / 2.0;
        for child in &below {
            let (from, to) = (x(level), x(child.level));
            lines.push(Rect { x: from, y: child.y - 0.5, width: to - from, height: 1.0 });
            lines.push(Rect { x: from - 0.5, y: y.min(child.y), width: 1.0, height: (y - child.y).abs() });
        }
        knobs.push(Knob { node, is_open: true, at: (x(level), y) });
        Placed { level, y }
    }

    pub(super) fn draw_hierarchy(&self, scene: &mut Scene) {
        let (knobs, lines) = self.hierarchy();
        let ink = self.colours.ink();
        let mark = |rect: Rect, colour: ColourId| RectMark { rect, colour, span: SpanRow::NONE };
        scene.beside.extend(lines.into_iter().map(|line| mark(line, ink.faint)));
        for knob in &knobs {
            let area = knob.area();
            let inner = Rect { x: area.x + 1.0, y: area.y + 1.0, width: KNOB - 2.0, height: KNOB - 2.0 };
            let is_selected = self.selected == Some(knob.node);
            let colour = if is_selected { self.colours.accent() } else { ink.text };
            scene.beside.push(mark(area, colour));
            scene.beside.push(mark(inner, self.colours.background()));
            let bar = |width: f32, height: f32| Rect {
                x: knob.at.0 - width / 2.0,
                y: knob.at.1 - height / 2.0,
                width,
                height,
            };
            scene.beside.push(mark(bar(5.0, 1.0), colour));
            if !knob.is_open {
                scene.beside.push(mark(bar(1.0, 5.0), colour));
            }
        }
        self.draw_names(scene);
    }

    fn draw_names(&self, scene: &mut Scene) {
        let mut before = f32::NEG_INFINITY;
        for row in &self.cluster_rows {
            let baseline = row.middle() + 4.0;
            if baseline - before < LEAST_NAMED {
                continue;
            }
            before = baseline;
            let is_selected = self.selected == Some(row.node);
            let colour = if is_selected { self.colours.accent() } else { self.colours.ink().text };
            let at = (self.plot.x - 8.0, baseline);
            scene.labels.push(Label { at, text: self.row_name(row), size: 11.0, colour, anchor: Anchor::End });
        }
    }

    /// What a row of clusters is called.
    pub(super) fn row_name(&self, row: &ClusterRow) -> String {
        if row.members == 1 {
            let leaf = self.clusters.tree().leaves_of(row.node).first().copied().unwrap_or(0);
            return format!("rank {}", self.rank_text(self.clusters.leaves()[leaf as usize].medoid));
        }
        format!("{} ranks", grouped(u64::from(row.members)))
    }
}
