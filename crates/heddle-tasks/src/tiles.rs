//! Which node has which tile of the matrix, as far as tasks tell, and the rule behind it if there is one.
//!
//! A tile is where the tasks run that write it. Nothing about the distribution is assumed: a period is looked for in the
//! tiles themselves and must explain every one of them.

use heddle_model::TaskInfo;
use heddle_store::Store;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Where a tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The node that runs most of its tasks; the first of several.
    pub node: u32,
    /// How many nodes run tasks that write it.
    pub nodes: u32,
    /// How many tasks write it.
    pub tasks: u32,
}

/// A distribution that repeats itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    /// Rows after which it does.
    pub rows: u32,
    /// The same of columns.
    pub columns: u32,
    /// Nodes of one period, row by row; none where no tile lies.
    pub nodes: Vec<Option<u32>>,
}

/// The tiles of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// How many rows of tiles there are.
    pub rows: u32,
    /// How many columns.
    pub columns: u32,
    /// Row by row; none where no task writes.
    pub owners: Vec<Option<Owner>>,
    period: Option<Period>,
}

/// Matrices with more tiles than this are not held.
const MOST_TILES: u64 = 1 << 24;

impl Tiles {
    /// The tiles that tasks of a trace write; `None` if none is known, or there are far too many.
    pub fn of(store: &Store) -> Option<Tiles> {
        Tiles::from_counts(Tiles::counts(store).into_iter())
    }

    /// How many tasks write each tile on each node: row, column, node, tasks; in that order.
    pub(crate) fn counts(store: &Store) -> Vec<(u32, u32, u32, u32)> {
        let tasks = &store.tasks;
        // Tasks are sorted by location, so those of a worker are neighbours.
        let mut pieces: Vec<(u64, u64, u32)> = Vec::new();
        for row in 0..store.workers.len() {
            let location = store.workers.location.get(row);
            let spans = store.spans_of(location);
            let place = |span: u64| tasks.span.partition_point(0..tasks.len(), |row| row.0 < span);
            let node = store.locations.rank.get(u64::from(location.0)).some().map_or(0, |rank| rank.0);
            pieces.push((place(spans.start), place(spans.end), node));
        }
        let counts = pieces
            .into_par_iter()
            .fold(FxHashMap::<(u32, u32, u32), u32>::default, |mut counts, (from, to, node)| {
                let columns = tasks.tile_column.iter(from..to);
                for (row, column) in tasks.tile_row.iter(from..to).zip(columns) {
                    if row != TaskInfo::UNKNOWN && column != TaskInfo::UNKNOWN {
                        *counts.entry((row, column, node)).or_default() += 1;
                    }
                }
                counts
            })
            .reduce(FxHashMap::default, |mut all, part| {
                for (key, count) in part {
                    *all.entry(key).or_default() += count;
                }
                all
            });
        let mut counts: Vec<(u32, u32, u32, u32)> =
            counts.into_iter().map(|((row, column, node), tasks)| (row, column, node, tasks)).collect();
        counts.sort_unstable();
        counts
    }

    /// The tiles by how many tasks write each on each node: row, column, node, tasks.
    pub(crate) fn from_counts(counts: impl Iterator<Item = (u32, u32, u32, u32)>) -> Option<Tiles> {
        let mut counts: Vec<(u32, u32, u32, u32)> = counts.collect();
        counts.sort_unstable();
        let rows = counts.iter().map(|(row, ..)| *row).max()?.checked_add(1)?;
        let columns = counts.iter().map(|(_, column, ..)| *column).max()?.checked_add(1)?;
        if u64::from(rows) * u64::from(columns) > MOST_TILES {
            return None;
        }
        let mut owners = vec![None; rows as usize * columns as usize];
        for tile in counts.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let most = tile.iter().max_by_key(|(_, _, node, tasks)| (*tasks, std::cmp::Reverse(*node)))?;
            owners[tile[0].0 as usize * columns as usize + tile[0].1 as usize] = Some(Owner {
                node: most.2,
                nodes: tile.len() as u32,
                tasks: tile.iter().map(|(.., tasks)| tasks).sum(),
            });
        }
        let mut tiles = Tiles { rows, columns, owners, period: None };
        tiles.period = tiles.find_period();
        Some(tiles)
    }

    /// The owner of a tile.
    pub fn at(&self, row: u32, column: u32) -> Option<Owner> {
        self.owners[row as usize * self.columns as usize + column as usize]
    }

    /// Tiles that tasks of several nodes write.
    pub fn on_several(&self) -> usize {
        self.owners.iter().flatten().filter(|owner| owner.nodes > 1).count()
    }

    /// The rule behind the distribution: the smallest period that explains every tile; none if there is none.
    pub fn period(&self) -> Option<&Period> {
        self.period.as_ref()
    }

    /// The smallest period that explains every tile and is seen at least twice in either direction in which it is not the
    /// whole matrix. `None` if there is none, or if all tiles are on one node.
    fn find_period(&self) -> Option<Period> {
        let first = self.owners.iter().flatten().next()?.node;
        if self.owners.iter().flatten().all(|owner| owner.node == first) {
            return None;
        }
        // A period of both directions is one of each direction by itself, so the two are found one after the other.
        let rows = (1..=self.rows).find(|period| self.rows_repeat(*period))?;
        let columns = (1..=self.columns).find(|period| self.repeats(rows, *period))?;
        let is_seen = |period: u32, of: u32| period == 1 || period.saturating_mul(2) <= of;
        if !is_seen(rows, self.rows) || !is_seen(columns, self.columns) {
            return None;
        }
        let mut nodes = vec![None; rows as usize * columns as usize];
        for (at, owner) in self.owners.iter().enumerate() {
            let (row, column) = (at as u32 / self.columns, at as u32 % self.columns);
            if let Some(owner) = owner {
                nodes[(row % rows * columns + column % columns) as usize] = Some(owner.node);
            }
        }
        Some(Period { rows, columns, nodes })
    }

    /// Whether tiles of a column that are so many rows apart are always on one node. Goes down the columns, where a
    /// period that is none shows at once.
    fn rows_repeat(&self, rows: u32) -> bool {
        (0..self.columns).all(|column| {
            let mut known: Vec<Option<u32>> = vec![None; rows as usize];
            (0..self.rows).all(|row| match self.at(row, column) {
                Some(owner) => *known[(row % rows) as usize].get_or_insert(owner.node) == owner.node,
                None => true,
            })
        })
    }

    /// Whether tiles so many rows and columns apart are always on one node.
    fn repeats(&self, rows: u32, columns: u32) -> bool {
        let mut known: Vec<Option<u32>> = vec![None; rows as usize * columns as usize];
        for row in 0..self.rows {
            for column in 0..self.columns {
                let Some(owner) = self.at(row, column) else { continue };
                let place = &mut known[(row % rows) as usize * columns as usize + (column % columns) as usize];
                if *place.get_or_insert(owner.node) != owner.node {
                    return false;
                }
            }
        }
        true
    }
}

impl Period {
    /// How the node follows from row i and column j, where that is a matter of two remainders.
    pub fn formula(&self) -> Option<String> {
        let base = self.nodes.first().copied().flatten()?;
        let (rows, columns) = (self.rows, self.columns);
        let holds = |of_row: u32, of_column: u32| {
            (0..rows * columns).all(|at| {
                let (i, j) = (at / columns, at % columns);
                self.nodes[at as usize] == Some(base + of_row * i + of_column * j)
            })
        };
        let part = |factor: u32, index: char, period: u32| match factor {
            0 => String::new(),
            1 => format!("{index} mod {period}"),
            _ => format!("{factor} ({index} mod {period})"),
        };
        let pairs = [(columns, 1), (1, rows)];
        let (of_row, of_column) = pairs.into_iter().find(|(of_row, of_column)| holds(*of_row, *of_column))?;
        let (of_row, of_column) = (if rows > 1 { of_row } else { 0 }, if columns > 1 { of_column } else { 0 });
        let parts = [part(of_row, 'i', rows), part(of_column, 'j', columns)];
        // The larger factor first, and the number of the first node where that is not 0.
        let mut parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        if of_column > of_row {
            parts.reverse();
        }
        if base > 0 {
            parts.insert(0, base.to_string());
        }
        Some(format!("Tile (i, j) on node {}", parts.join(" + ")))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tiles(rows: u32, columns: u32, node: impl Fn(u32, u32) -> u32) -> Tiles {
        let all = (0..rows * columns).map(|at| (at / columns, at % columns, node(at / columns, at % columns), 1));
        Tiles::from_counts(all).unwrap()
    }

    #[test]
    fn a_cyclic_distribution_is_found_with_its_formula() {
        let period = tiles(30, 30, |i, j| 6 * (i % 5) + j % 6).period().cloned().unwrap();
        assert_eq!((period.rows, period.columns), (5, 6));
        assert_eq!(period.formula().unwrap(), "Tile (i, j) on node 6 (i mod 5) + j mod 6");
        let period = tiles(31, 29, |i, j| 6 * (j % 5) + i % 6).period().cloned().unwrap();
        assert_eq!((period.rows, period.columns), (6, 5));
        assert_eq!(period.formula().unwrap(), "Tile (i, j) on node 6 (j mod 5) + i mod 6");
        let period = tiles(8, 9, |i, _| 3 + i % 4).period().cloned().unwrap();
        assert_eq!(
            ((period.rows, period.columns), period.formula().unwrap().as_str()),
            ((4, 1), "Tile (i, j) on node 3 + i mod 4")
        );
    }

    #[test]
    fn what_repeats_by_no_formula_still_repeats() {
        let pattern = [4, 0, 1, 2, 3, 3];
        let period = tiles(12, 12, |i, j| pattern[(i % 2 * 3 + j % 3) as usize]).period().cloned().unwrap();
        assert_eq!((period.rows, period.columns, period.formula()), (2, 3, None));
    }

    #[test]
    fn unequal_shares_and_chance_have_no_period() {
        // 1D-1D: columns in blocks of unequal widths, rows of each cut by its own shares.
        let one_one = tiles(30, 30, |i, j| if j < 11 { i * 3 / 30 } else { 3 + i * 4 / 30 });
        assert_eq!(one_one.period(), None);
        assert_eq!(tiles(20, 20, |i, j| (i * 7919 + j * 104_729) % 97 % 8).period(), None);
        assert_eq!(tiles(9, 9, |_, _| 0).period(), None, "one node has everything");
        assert_eq!(tiles(5, 6, |i, j| 6 * i + j).period(), None, "seen once it is no period");
    }

    #[test]
    fn a_triangle_of_tiles_is_enough_and_tiles_on_several_nodes_are_counted() {
        let lower = (0..400).map(|at| (at / 20, at % 20)).filter(|(i, j)| j <= i);
        let mut counts: Vec<(u32, u32, u32, u32)> = lower.map(|(i, j)| (i, j, 4 * (i % 3) + j % 4, 2)).collect();
        counts.push((7, 3, 99, 1));
        let tiles = Tiles::from_counts(counts.into_iter()).unwrap();
        assert_eq!(tiles.on_several(), 1);
        assert_eq!(tiles.at(7, 3).unwrap(), Owner { node: 4 + 3, nodes: 2, tasks: 3 });
        assert_eq!(tiles.at(3, 7), None);
        let period = tiles.period().cloned().unwrap();
        assert_eq!((period.rows, period.columns), (3, 4));
    }

    proptest! {
        #[test]
        fn the_period_explains_all_tiles_and_none_is_smaller(
            p in 1u32..5, q in 1u32..5, rows in 8u32..20, columns in 8u32..20, seed in 0u32..1000,
        ) {
            let node = |i: u32, j: u32| ((i % p) * 31 + (j % q) * 17 + seed).wrapping_mul(2_654_435_761) % 1009;
            let tiles = tiles(rows, columns, node);
            if let Some(found) = tiles.period() {
                prop_assert!(found.rows <= p && found.columns <= q && tiles.repeats(found.rows, found.columns));
                prop_assert!((1..found.rows).all(|less| !tiles.repeats(less, found.columns)));
                prop_assert!((1..found.columns).all(|less| !tiles.repeats(found.rows, less)));
            } else {
                prop_assert!(p * q == 1 || tiles.owners.iter().flatten().all(|o| o.node == tiles.owners[0].unwrap().node));
            }
        }
    }
}
