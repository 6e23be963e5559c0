//! Where the rows of nodes lie: by number or by group, chosen ones taller, and several nodes in one row where there are more
//! of them than there is room for.

use std::ops::Range;

use crate::scene::Rect;
use crate::views::progress::options::NodeOrder;

/// Room between groups.
const GAP: f32 = 6.0;
/// Least height of the row of a kind where every node has its own, and where a row stands for several.
const LEAST: f32 = 2.0;
const LEAST_SHARED: f32 = 8.0;
/// How many times as high chosen nodes are: one, and several.
const TALL: [f32; 2] = [3.2, 2.0];
/// Nodes that are so high need not be made taller.
const HIGH: f32 = 40.0;

/// What is known of a node before it has a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) number: u32,
    /// Its group; none if it had no work.
    pub(super) group: Option<usize>,
    pub(super) is_chosen: bool,
}

/// Nodes that share a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    /// Places in the order.
    pub(super) nodes: Range<usize>,
    pub(super) y: f32,
    pub(super) height: f32,
    /// Their group, if they are all of one.
    pub(super) group: Option<usize>,
    /// Whether one of them is chosen.
    pub(super) is_chosen: bool,
}

/// Nodes in their order, and their rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    /// Positions among the known nodes.
    pub(super) order: Vec<usize>,
    pub(super) items: Vec<Item>,
    kinds: usize,
}

impl Layout {
    pub(super) fn new(plot: Rect, known: &[Known], order: NodeOrder, kinds: usize) -> Layout {
        let mut ordered: Vec<usize> = (0..known.len()).collect();
        if order == NodeOrder::Group {
            ordered.sort_by_key(|at| (known[*at].group.map_or(usize::MAX, |group| group), known[*at].number));
        }
        let mut layout = Layout { order: ordered, items: Vec::new(), kinds: kinds.max(1) };
        let is_apart = order == NodeOrder::Group;
        layout.items = layout
            .single(plot, known, is_apart)
            .or_else(|| layout.shared(plot, known, is_apart, true))
            .or_else(|| layout.shared(plot, known, is_apart, false))
            .unwrap_or_else(|| layout.even(plot, known));
        layout
    }

    fn known<'a>(&self, known: &'a [Known], place: usize) -> &'a Known {
        &known[self.order[place]]
    }

    /// Where a group ends and the next begins, as places in the order; all as one if they are not told apart.
    fn groups(&self, known: &[Known], is_apart: bool) -> Vec<Range<usize>> {
        let mut groups: Vec<Range<usize>> = Vec::new();
        for place in 0..self.order.len() {
            match groups.last_mut() {
                Some(last) if !is_apart || self.known(known, last.start).group == self.known(known, place).group => {
                    last.end = place + 1;
                }
                _ => groups.push(place..place + 1),
            }
        }
        groups
    }

    fn item(&self, known: &[Known], nodes: Range<usize>, y: f32, height: f32) -> Item {
        let first = self.known(known, nodes.start).group;
        let is_one = nodes.clone().all(|place| self.known(known, place).group == first);
        let is_chosen = nodes.clone().any(|place| self.known(known, place).is_chosen);
        Item { nodes, y, height, group: first.filter(|_| is_one), is_chosen }
    }

    /// Every node in a row of its own, if there is room.
    fn single(&self, plot: Rect, known: &[Known], is_apart: bool) -> Option<Vec<Item>> {
        let groups = self.groups(known, is_apart);
        let free = plot.height - GAP * groups.len().saturating_sub(1) as f32;
        let chosen = known.iter().filter(|node| node.is_chosen).count();
        let tall = if chosen * 2 > known.len() || plot.height / known.len().max(1) as f32 > HIGH {
            1.0
        } else {
            TALL[usize::from(chosen > 1)]
        };
        let weight = |node: &Known| if node.is_chosen { tall } else { 1.0 };
        let unit = free / known.iter().map(weight).sum::<f32>();
        if unit < self.kinds as f32 * LEAST + 1.0 {
            return None;
        }
        let (mut y, mut items) = (plot.y, Vec::with_capacity(known.len()));
        for group in groups {
            for place in group {
                let height = unit * weight(self.known(known, place));
                items.push(self.item(known, place..place + 1, y, height));
                y += height;
            }
            y += GAP;
        }
        Some(items)
    }

    /// Several nodes in a row; chosen ones still have their own if they are few.
    fn shared(&self, plot: Rect, known: &[Known], is_apart: bool, are_own: bool) -> Option<Vec<Item>> {
        let least = self.kinds as f32 * LEAST_SHARED + 1.0;
        let tall = least * TALL[1];
        let chosen = known.iter().filter(|node| node.is_chosen).count();
        if are_own && chosen as f32 * tall > plot.height / 3.0 {
            return None;
        }
        let is_own = |place: usize| are_own && self.known(known, place).is_chosen;
        let groups = self.groups(known, is_apart);
        let mut stretches: Vec<(Range<usize>, bool, bool)> = Vec::new();
        for group in groups {
            let mut is_first = !stretches.is_empty();
            for place in group {
                match stretches.last_mut() {
                    Some((last, false, _)) if !is_first && !is_own(place) => last.end = place + 1,
                    _ => stretches.push((place..place + 1, is_own(place), std::mem::take(&mut is_first))),
                }
            }
        }
        let own = stretches.iter().filter(|(_, is_own, _)| *is_own).count();
        let gaps = stretches.iter().filter(|(_, _, is_after_gap)| *is_after_gap).count();
        let free = plot.height - own as f32 * tall - gaps as f32 * GAP;
        let (shared, nodes) = (stretches.len() - own, self.order.len() - own);
        let rows = (free / least).floor();
        if rows < (shared as f32 * 1.5).max(1.0) || nodes == 0 {
            return None;
        }
        // Each stretch gets a row, and what is left goes by the number of nodes.
        let rows_of = |nodes_in: usize| {
            let more = (rows - shared as f32) * nodes_in as f32 / nodes as f32;
            ((1.0 + more).floor() as usize).min(nodes_in)
        };
        let all: usize = stretches.iter().filter(|(_, is_own, _)| !is_own).map(|(of, ..)| rows_of(of.len())).sum();
        let height = free / all as f32;
        let (mut y, mut items) = (plot.y, Vec::new());
        for (places, is_own, is_after_gap) in stretches {
            y += if is_after_gap { GAP } else { 0.0 };
            let (rows, height) = if is_own { (1, tall) } else { (rows_of(places.len()), height) };
            for row in 0..rows {
                items.push(self.item(known, part(&places, row, rows), y, height));
                y += height;
            }
        }
        Some(items)
    }

    /// Equal rows of equally many nodes.
    fn even(&self, plot: Rect, known: &[Known]) -> Vec<Item> {
        let least = self.kinds as f32 * LEAST_SHARED + 1.0;
        let rows = ((plot.height / least) as usize).clamp(1, self.order.len().max(1));
        let height = plot.height / rows as f32;
        let all = 0..self.order.len();
        let item = |row: usize| self.item(known, part(&all, row, rows), plot.y + row as f32 * height, height);
        if all.is_empty() { Vec::new() } else { (0..rows).map(item).collect() }
    }

    /// Where the row of a kind lies within that of its nodes, on whole pixels.
    pub(super) fn lane(&self, item: &Item, kind: usize) -> (f32, f32) {
        let pad = if item.height >= 16.0 { 3.0 } else { 1.0 };
        let between = if item.height >= self.kinds as f32 * 4.0 { 1.0 } else { 0.0 };
        let each = (item.height - pad - between * (self.kinds - 1) as f32) / self.kinds as f32;
        let top = item.y + kind as f32 * (each + between);
        let (top, bottom) = (top.round(), (top + each).round());
        (top, (bottom - top).max(1.0))
    }

    /// Most nodes that a row stands for.
    pub(super) fn most(&self) -> usize {
        self.items.iter().map(|item| item.nodes.len()).max().unwrap_or(0)
    }
}

/// One of several equal parts of a range.
fn part(of: &Range<usize>, at: usize, parts: usize) -> Range<usize> {
    let edge = |at: usize| of.start + of.len() * at / parts;
    edge(at)..edge(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(count: u32, chosen: &[u32]) -> Vec<Known> {
        let known = |number: u32| Known {
            number,
            group: Some(usize::from(!number.is_multiple_of(7))),
            is_chosen: chosen.contains(&number),
        };
        (0..count).map(known).collect()
    }

    #[test]
    fn every_node_has_one_row_and_no_row_leaves_the_plot() {
        let plot = Rect { x: 0.0, y: 10.0, width: 500.0, height: 300.0 };
        for count in [1, 2, 30, 60, 256, 10_000] {
            for chosen in [&[][..], &[0], &[1, 3, 5], &[9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]] {
                for order in [NodeOrder::Number, NodeOrder::Group] {
                    for kinds in 1..4 {
                        let known = nodes(count, chosen);
                        let layout = Layout::new(plot, &known, order, kinds);
                        let mut seen: Vec<usize> =
                            layout.items.iter().flat_map(|item| layout.order[item.nodes.clone()].to_vec()).collect();
                        seen.sort_unstable();
                        assert_eq!(seen, (0..count as usize).collect::<Vec<_>>(), "{count} {order:?}");
                        let mut end = plot.y;
                        for item in &layout.items {
                            assert!(item.y >= end - 0.01 && !item.nodes.is_empty());
                            end = item.y + item.height;
                            for kind in 0..kinds {
                                let (top, height) = layout.lane(item, kind);
                                assert!(top >= item.y - 0.5 && top + height <= end + 0.5, "{count} {item:?}");
                            }
                        }
                        assert!(end <= plot.y + plot.height + 0.01, "{count} {order:?} {end}");
                    }
                }
            }
        }
    }

    #[test]
    fn groups_stand_apart_and_the_slowest_is_first() {
        let plot = Rect { x: 0.0, y: 0.0, width: 500.0, height: 400.0 };
        let layout = Layout::new(plot, &nodes(30, &[]), NodeOrder::Group, 2);
        assert_eq!(layout.order[..5], [0, 7, 14, 21, 28]);
        let gap = layout.items[5].y - (layout.items[4].y + layout.items[4].height);
        assert!((gap - GAP).abs() < 0.01);
        let many = Layout::new(plot, &nodes(10_000, &[3]), NodeOrder::Group, 2);
        assert!(many.items.iter().all(|item| item.group.is_some()), "no row is of two groups");
        assert!(many.items.iter().any(|item| item.nodes.len() == 1 && item.is_chosen), "the chosen one is seen");
    }
}
