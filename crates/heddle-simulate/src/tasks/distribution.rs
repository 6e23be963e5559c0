//! Who owns which tile.

/// How tiles are dealt to the nodes of a grid of `rows` by `columns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Block-cyclic: nodes are numbered along the rows of the grid, and the grid is repeated over the matrix.
    Cyclic,
    /// The heterogeneous 1D-1D of Beaumont, Legrand, Rastello and Robert (2001): a square is cut into columns in proportion
    /// to what their nodes are to get, each column among its nodes likewise, and the rows and columns of tiles are
    /// dealt to the rows and columns of that square so that every trailing matrix is shared about as it should be. Nodes
    /// are numbered along the columns.
    OneD,
}

/// The owner of each tile, row by row.
pub(crate) fn owners(distribution: Distribution, grid: [u32; 2], loads: &[f64], tiles: u32) -> Vec<u32> {
    let [rows, columns] = grid;
    let all = (0..tiles).flat_map(|row| (0..tiles).map(move |column| (row, column)));
    match distribution {
        Distribution::Cyclic => all.map(|(row, column)| row % rows * columns + column % columns).collect(),
        Distribution::OneD => {
            let square = Square::new(rows as usize, loads);
            let (across, down) = (deal(&square.widths, tiles), deal(&square.heights, tiles));
            all.map(|(row, column)| square.owner(down[row as usize], across[column as usize])).collect()
        }
    }
}

/// A square cut into columns, and those among their nodes.
struct Square {
    /// Of the columns.
    widths: Vec<f64>,
    /// Of the strips between any two cuts of any column.
    heights: Vec<f64>,
    /// By column: where its nodes end, from 0 to 1, and its first node.
    columns: Vec<(Vec<f64>, u32)>,
    /// Middles of the strips.
    middles: Vec<f64>,
}

/// Cuts that are closer than this are one.
const SAME: f64 = 1e-9;

impl Square {
    fn new(rows: usize, loads: &[f64]) -> Square {
        let widths: Vec<f64> = loads.chunks(rows).map(|nodes| nodes.iter().sum()).collect();
        let mut first = 0;
        let mut columns = Vec::new();
        for (nodes, width) in loads.chunks(rows).zip(&widths) {
            let mut end = 0.0;
            let ends: Vec<f64> = nodes
                .iter()
                .map(|load| {
                    end += load / width;
                    end
                })
                .collect();
            columns.push((ends, first));
            first += nodes.len() as u32;
        }
        let mut cuts: Vec<f64> = columns.iter().flat_map(|(ends, _)| ends.iter().copied()).chain([0.0]).collect();
        cuts.sort_by(f64::total_cmp);
        cuts.dedup_by(|later, earlier| *later - *earlier < SAME);
        let heights = cuts.windows(2).map(|cut| cut[1] - cut[0]).collect();
        let middles = cuts.windows(2).map(|cut| 0.5 * (cut[0] + cut[1])).collect();
        Square { widths, heights, columns, middles }
    }

    /// The node at a strip and a column.
    fn owner(&self, strip: usize, column: usize) -> u32 {
        let (ends, first) = &self.columns[column];
        let place = ends.partition_point(|end| *end < self.middles[strip]).min(ends.len() - 1);
        first + place as u32
    }
}

/// Deals lines to shares, from the last line on: each goes to the share that then has the least for its size. So the lines
/// from any one to the last are shared about as all of them are, which is what a factorisation needs.
fn deal(shares: &[f64], lines: u32) -> Vec<usize> {
    let mut has = vec![0_u32; shares.len()];
    let mut dealt: Vec<usize> = (0..lines)
        .map(|_| {
            let fill = |share: usize| f64::from(has[share] + 1) / shares[share];
            let least = (0..shares.len()).min_by(|a, b| fill(*a).total_cmp(&fill(*b))).unwrap_or(0);
            has[least] += 1;
            least
        })
        .collect();
    dealt.reverse();
    dealt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cyclic_owners_repeat_the_grid() {
        let owners = owners(Distribution::Cyclic, [5, 6], &[1.0; 30], 12);
        assert_eq!(owners[..12], [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
        assert_eq!(owners.iter().step_by(12).copied().collect::<Vec<_>>(), [0, 6, 12, 18, 24, 0, 6, 12, 18, 24, 0, 6]);
    }

    #[test]
    fn equal_loads_are_cyclic_too_and_whoever_shares_a_line_shares_all_of_it() {
        let owners = owners(Distribution::OneD, [5, 6], &[1.0; 30], 30);
        let in_row = |row: usize| {
            let mut nodes = owners[row * 30..(row + 1) * 30].to_vec();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let of_first = (0..30).filter(|row| in_row(*row).contains(&0));
        assert!(of_first.clone().count() == 6 && of_first.clone().all(|row| in_row(row) == [0, 5, 10, 15, 20, 25]));
        assert!((0..30).all(|node| owners.iter().filter(|owner| **owner == node).count() == 30));
    }

    #[test]
    fn every_trailing_matrix_is_shared_by_load() {
        let mut loads = vec![1.0; 30];
        (loads[0], loads[1]) = (1.5, 1.25);
        let tiles = 120;
        let owners = owners(Distribution::OneD, [5, 6], &loads, tiles);
        for from in [0, 30, 60] {
            let side = tiles - from;
            let share = |node: u32| {
                let tile = |row: u32, column: u32| owners[(row * tiles + column) as usize] == node;
                let count =
                    (from..tiles).flat_map(|row| (from..tiles).map(move |c| (row, c))).filter(|(r, c)| tile(*r, *c));
                count.count() as f64 / f64::from(side * side) * 30.75
            };
            for (node, load) in (0..).zip(&loads) {
                assert!((share(node) - load).abs() < 0.15, "{node} from {from}: {}", share(node));
            }
        }
    }
}
