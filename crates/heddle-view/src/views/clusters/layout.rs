//! Where things are: focus ranks above, clusters below, each cluster as high as it has ranks.

use heddle_logical::cluster::Clusters;

use crate::scene::Rect;

/// Share of the plot that focus ranks take at most, and how high their rows are.
const FOCUS_SHARE: f32 = 0.45;
pub(super) const FOCUS_ROW: (f32, f32) = (9.0, 18.0);
/// Between focus ranks and clusters.
const BETWEEN: f32 = 10.0;
/// A cluster's row is at least so high if there is room, a bit more if there is plenty; and at most.
const LEAST_ROW: f32 = 18.0;
const ROOMY_ROW: f32 = 38.0;
/// The share of the room that rows of few ranks may take together.
const FEW_SHARE: f32 = 0.45;
const MOST_ROW: f32 = 168.0;

/// The row of a cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClusterRow {
    pub(super) node: u32,
    pub(super) members: u32,
    pub(super) top: f32,
    pub(super) height: f32,
}

impl ClusterRow {
    pub(super) fn middle(&self) -> f32 {
        self.top + self.height / 2.0
    }

    pub(super) fn contains(&self, y: f32) -> bool {
        (self.top..self.top + self.height).contains(&y)
    }
}

/// How many focus ranks a plot has room for.
pub(super) fn room_for_focus(plot: Rect) -> usize {
    ((plot.height * FOCUS_SHARE - BETWEEN) / FOCUS_ROW.0).max(0.0) as usize
}

/// The height of a focus rank's row, and where the clusters begin.
pub(super) fn focus_area(plot: Rect, ranks: usize) -> (f32, f32) {
    if ranks == 0 {
        return (FOCUS_ROW.1, plot.y);
    }
    let height = ((plot.height * FOCUS_SHARE - BETWEEN) / ranks as f32).clamp(FOCUS_ROW.0, FOCUS_ROW.1);
    (height, plot.y + height * ranks as f32 + BETWEEN)
}

/// Rows of clusters between two heights: in proportion to their ranks, those of few ranks higher than that.
pub(super) fn cluster_rows(clusters: &Clusters, nodes: &[u32], top: f32, bottom: f32) -> Vec<ClusterRow> {
    let members: Vec<u32> = nodes.iter().map(|node| clusters.size(*node)).collect();
    let heights = heights(&members, (bottom - top).max(1.0));
    let mut y = top;
    let rows = nodes.iter().zip(members).zip(heights).map(|((node, members), height)| {
        let row = ClusterRow { node: *node, members, top: y, height };
        y += height;
        row
    });
    rows.collect()
}

/// In proportion to the weights, but none below the least height: what that takes, the others give.
fn heights(weights: &[u32], room: f32) -> Vec<f32> {
    let count = weights.len().max(1) as f32;
    let least = (room * FEW_SHARE / count).clamp(LEAST_ROW, ROOMY_ROW).min(room / count);
    let mut is_least = vec![false; weights.len()];
    loop {
        let fixed = is_least.iter().filter(|is| **is).count() as f32 * least;
        let free: f64 =
            weights.iter().zip(&is_least).filter(|(_, is)| !**is).map(|(weight, _)| f64::from(*weight)).sum();
        let scale = f64::from((room - fixed).max(0.0)) / free.max(1.0);
        let height = |weight: u32| (f64::from(weight) * scale) as f32;
        let small = (0..weights.len()).find(|at| !is_least[*at] && height(weights[*at]) < least);
        if let Some(at) = small {
            is_least[at] = true;
            continue;
        }
        let of = |(weight, is): (&u32, &bool)| if *is { least } else { height(*weight).min(MOST_ROW) };
        return weights.iter().zip(&is_least).map(of).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_alone_is_seen_beside_thousands() {
        let of = heights(&[16_000, 300, 1], 400.0);
        assert!(of[1] >= LEAST_ROW && of[2] >= LEAST_ROW && of[0] <= MOST_ROW, "{of:?}");
        let even = heights(&[30, 30, 60], 300.0);
        assert!((even[2] - 2.0 * even[0]).abs() < 0.01, "{even:?}");
        assert!(heights(&[5; 100], 300.0).iter().sum::<f32>() <= 300.5, "many rows share what there is");
        assert!(heights(&[], 300.0).is_empty());
    }
}
