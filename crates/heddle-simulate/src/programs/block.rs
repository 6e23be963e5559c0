//! Ranks in a box: three axes, x fastest with the rank, no way around the edges.

/// The axes, slowest first.
pub(crate) const AXES: [usize; 3] = [0, 1, 2];

/// A box of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Along z, y and x.
    pub(crate) lengths: [u32; 3],
}

impl Block {
    pub(crate) fn place(self, rank: u32) -> [u32; 3] {
        let [_, rows, columns] = self.lengths;
        [rank / columns / rows, rank / columns % rows, rank % columns]
    }

    pub(crate) fn rank(self, [z, y, x]: [u32; 3]) -> u32 {
        let [_, rows, columns] = self.lengths;
        (z * rows + y) * columns + x
    }

    /// The rank so many places on along an axis.
    pub(crate) fn above(self, rank: u32, axis: usize, distance: u32) -> Option<u32> {
        let mut place = self.place(rank);
        place[axis] = place[axis].checked_add(distance).filter(|at| *at < self.lengths[axis])?;
        Some(self.rank(place))
    }

    /// The rank so many places back along an axis.
    pub(crate) fn below(self, rank: u32, axis: usize, distance: u32) -> Option<u32> {
        let mut place = self.place(rank);
        place[axis] = place[axis].checked_sub(distance)?;
        Some(self.rank(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_mutual_and_end_at_the_edges() {
        let block = Block { lengths: [5, 3, 2] };
        for rank in 0..30 {
            assert_eq!(block.rank(block.place(rank)), rank);
            for axis in AXES {
                for distance in [1, 2] {
                    if let Some(above) = block.above(rank, axis, distance) {
                        assert_eq!(block.below(above, axis, distance), Some(rank));
                    } else {
                        assert!(block.place(rank)[axis] + distance >= block.lengths[axis]);
                    }
                }
            }
        }
        assert_eq!(block.above(0, 0, 1), Some(6), "z is slowest");
        assert_eq!(block.above(0, 2, 1), Some(1), "x is fastest");
        assert_eq!(block.above(0, 2, u32::MAX), None);
    }
}
