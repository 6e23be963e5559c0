//! Ranks on a grid, and who is next to whom.

use heddle_topology::{divisor_below_root, most_cubic};

use super::Dimensions;

/// Three axes, two directions each.
pub(crate) const MOST_NEIGHBOURS: usize = 6;

/// A rank next to another. Direction `2 * axis` is down the axis, `2 * axis + 1` up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Neighbour {
    pub(crate) rank: u32,
    /// Where it lies, as seen from the rank that asked.
    pub(crate) direction: u32,
}

impl Neighbour {
    /// The direction in which its messages travel to the rank that asked.
    pub(crate) fn opposite(self) -> u32 {
        self.direction ^ 1
    }
}

/// The neighbours of a rank, by rising direction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Neighbours {
    list: [Neighbour; MOST_NEIGHBOURS],
    count: usize,
}

impl std::ops::Deref for Neighbours {
    type Target = [Neighbour];

    fn deref(&self) -> &[Neighbour] {
        &self.list[..self.count]
    }
}

/// A balanced grid; the last axis varies fastest with the rank, as in MPI. Axes of length 1 have no
/// neighbours, not even around the edge: nobody sends to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    lengths: [u32; 3],
    periodic: bool,
}

impl Grid {
    pub(crate) fn new(ranks: u32, dimensions: Dimensions, periodic: bool) -> Grid {
        let ranks = ranks.max(1);
        let lengths = match dimensions {
            Dimensions::Two => {
                let short = divisor_below_root(ranks);
                [1, ranks / short, short]
            }
            Dimensions::Three => most_cubic(ranks),
        };
        Grid::of(lengths, periodic)
    }

    /// Of these lengths, none of them 0.
    pub(crate) fn of(lengths: [u32; 3], periodic: bool) -> Grid {
        Grid { lengths, periodic }
    }

    fn coordinates(&self, rank: u32) -> [u32; 3] {
        let [_, rows, columns] = self.lengths;
        [rank / columns / rows, rank / columns % rows, rank % columns]
    }

    fn rank(&self, [plane, row, column]: [u32; 3]) -> u32 {
        let [_, rows, columns] = self.lengths;
        (plane * rows + row) * columns + column
    }

    /// The place one step in a direction, if there is one.
    fn step(&self, mut from: [u32; 3], direction: u32) -> Option<[u32; 3]> {
        let (axis, up) = ((direction / 2) as usize, direction % 2 == 1);
        let (length, at) = (self.lengths[axis], from[axis]);
        let edge = if up { length - 1 } else { 0 };
        from[axis] = match (at == edge, up) {
            (true, _) if length == 1 || !self.periodic => return None,
            (true, true) => 0,
            (true, false) => length - 1,
            (false, true) => at + 1,
            (false, false) => at - 1,
        };
        Some(from)
    }

    pub(crate) fn neighbours(&self, rank: u32) -> Neighbours {
        let at = self.coordinates(rank);
        let mut found = Neighbours::default();
        for direction in 0..MOST_NEIGHBOURS as u32 {
            if let Some(there) = self.step(at, direction) {
                found.list[found.count] = Neighbour { rank: self.rank(there), direction };
                found.count += 1;
            }
        }
        found
    }

    /// Ordered pairs of neighbours: messages of one exchange.
    pub(crate) fn messages(&self) -> u64 {
        let ranks: u64 = self.lengths.iter().map(|length| u64::from(*length)).product();
        let along = |length: u32| match length {
            1 => 0,
            _ if self.periodic => 2 * ranks,
            _ => 2 * ranks / u64::from(length) * u64::from(length - 1),
        };
        self.lengths.into_iter().map(along).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_balanced() {
        for (ranks, two, three) in [
            (1, [1, 1, 1], [1, 1, 1]),
            (7, [1, 7, 1], [7, 1, 1]),
            (12, [1, 4, 3], [3, 2, 2]),
            (30, [1, 6, 5], [5, 3, 2]),
            (64, [1, 8, 8], [4, 4, 4]),
            (16_384, [1, 128, 128], [32, 32, 16]),
            (1 << 20, [1, 1024, 1024], [128, 128, 64]),
        ] {
            assert_eq!(Grid::new(ranks, Dimensions::Two, true).lengths, two);
            assert_eq!(Grid::new(ranks, Dimensions::Three, true).lengths, three);
        }
    }

    #[test]
    fn neighbours_know_each_other() {
        for periodic in [false, true] {
            for ranks in [1, 2, 6, 12, 27, 30] {
                for dimensions in [Dimensions::Two, Dimensions::Three] {
                    let grid = Grid::new(ranks, dimensions, periodic);
                    let mut messages = 0;
                    for rank in 0..ranks {
                        for neighbour in grid.neighbours(rank).iter() {
                            messages += 1;
                            let back = Neighbour { rank, direction: neighbour.opposite() };
                            assert!(grid.neighbours(neighbour.rank).contains(&back));
                        }
                    }
                    assert_eq!(messages, grid.messages(), "{grid:?}");
                }
            }
        }
    }
}
