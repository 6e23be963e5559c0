//! What lines mean, below the legend of a figure: thickness, the line of a node, the bounds.

use heddle_model::SpanRow;

use super::inks::Inks;
use super::marks::way_width;
use super::shown::Shown;
use crate::scene::ticks::{grouped, round_step};
use crate::scene::{Anchor, ColourId, Label, Rect, RectMark, Scene};

const ROW: f32 = 18.0;
const TEXT: f32 = 12.0;
/// Length of a line in the legend.
const LINE: f32 = 26.0;
/// Groups in the legend; more are counted there.
const MOST_GROUPS: usize = 12;

/// Adds the key below the groups.
pub(super) fn add(shown: &Shown<'_>, scene: &mut Scene, inks: &Inks) {
    let area = scene.legend_area;
    let groups = scene.legend.len().min(MOST_GROUPS);
    scene.legend_area.height = (groups as f32 * ROW).min(area.height);
    let mut key = Key { scene, left: area.x, y: area.y + groups as f32 * ROW + 8.0, bottom: area.y + area.height };
    let all = shown.progression.nodes.len();
    for nodes in thicknesses(all) {
        // Thinner ones would fall between two pixels.
        let height = way_width(nodes, all).max(1.0);
        let says = if nodes == 1 { "1 node".to_owned() } else { format!("{} nodes", grouped(nodes as u64)) };
        key.row(&[(0.0, LINE, height)], inks.faint, &says, inks.text);
    }
    key.y += 6.0;
    key.row(&[(0.0, LINE, 1.0)], inks.faint, "one node", inks.text);
    if shown.progression.bounds.is_known {
        let dashes = [(0.0, 6.0, 1.3), (10.0, 6.0, 1.3), (20.0, 6.0, 1.3)];
        key.row(&dashes, inks.strong, "area bound of the run", inks.text);
        let dots: Vec<(f32, f32, f32)> = (0..6).map(|at| (at as f32 * 4.6, 1.5, 1.5)).collect();
        key.row(&dots, inks.strong, "of each step, summed", inks.text);
    }
    if shown.progression.bounds.chain.is_some() {
        let dots: Vec<(f32, f32, f32)> = (0..3).map(|at| (at as f32 * 9.2, 1.5, 1.5)).collect();
        key.row(&dots, inks.strong, "longest chain, upright", inks.text);
    }
}

/// Three round numbers of nodes up to all of them, and one node.
fn thicknesses(all: usize) -> Vec<usize> {
    let step = round_step((all as i64 / 3).max(1)).max(1) as usize;
    let mut counts: Vec<usize> = (1..=3).map(|at| at * step).filter(|count| *count <= all && *count > 1).collect();
    counts.insert(0, 1);
    counts
}

struct Key<'a> {
    scene: &'a mut Scene,
    left: f32,
    y: f32,
    bottom: f32,
}

impl Key<'_> {
    /// A line made of pieces, each with its left end, length and thickness, and what it means; if there is room.
    fn row(&mut self, pieces: &[(f32, f32, f32)], colour: ColourId, says: &str, text: ColourId) {
        if self.y + ROW > self.bottom {
            return;
        }
        let middle = self.y + ROW / 2.0;
        for (left, width, height) in pieces {
            let rect = Rect { x: self.left + left, y: middle - height / 2.0, width: *width, height: *height };
            self.scene.beside.push(RectMark { rect, colour, span: SpanRow::NONE });
        }
        let at = (self.left + LINE + 8.0, middle + TEXT * 0.36);
        self.scene.labels.push(Label { at, text: says.to_owned(), size: TEXT, colour: text, anchor: Anchor::Start });
        self.y += ROW;
    }
}
