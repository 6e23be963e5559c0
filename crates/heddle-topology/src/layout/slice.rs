//! What one picture can show of a torus.

use crate::{Cable, Coordinates, Element, MOST_DIMENSIONS, Torus};

/// Up to three dimensions of a torus, cut at one place of all others.
///
/// A node is at a **place**: its coordinates in the three dimensions, rolled. A dimension that there is none of has one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    torus: Torus,
    dims: [Option<usize>; 3],
    sizes: [u32; 3],
    fixed: Coordinates,
    roll: Coordinates,
}

impl Slice {
    /// These dimensions (different ones, of the torus) at the beginning of all others.
    pub fn new(torus: &Torus, dims: [Option<usize>; 3]) -> Slice {
        let sizes = dims.map(|dim| dim.map_or(1, |dim| torus.dimensions()[dim].size));
        let none = [0; MOST_DIMENSIONS];
        Slice { torus: torus.clone(), dims, sizes, fixed: none, roll: none }
    }

    /// Cut there; of the shown dimensions nothing is taken.
    #[must_use]
    pub fn at(mut self, place: &Coordinates) -> Slice {
        for (dim, dimension) in self.torus.dimensions().iter().enumerate() {
            self.fixed[dim] = if self.dims.contains(&Some(dim)) { 0 } else { place[dim] % dimension.size };
        }
        self
    }

    /// Draws every node so much further along each dimension, around the ring. Dimensions that are no rings stay as they are.
    #[must_use]
    pub fn rolled(mut self, by: &Coordinates) -> Slice {
        for (dim, dimension) in self.torus.dimensions().iter().enumerate() {
            self.roll[dim] = if dimension.is_ring() { by[dim] % dimension.size } else { 0 };
        }
        self
    }

    /// The roll that brings a node to the middle.
    pub fn roll_to_middle(torus: &Torus, node: Element) -> Coordinates {
        let mut roll = torus.coordinates(node);
        for (roll, dimension) in roll.iter_mut().zip(torus.dimensions()) {
            *roll = (dimension.size / 2 + dimension.size - *roll) % dimension.size;
        }
        roll
    }

    /// The torus.
    pub fn torus(&self) -> &Torus {
        &self.torus
    }

    /// The dimensions that are shown.
    pub fn dims(&self) -> [Option<usize>; 3] {
        self.dims
    }

    /// Their sizes.
    pub fn sizes(&self) -> [u32; 3] {
        self.sizes
    }

    /// Number of nodes in it.
    pub fn nodes(&self) -> u32 {
        self.sizes.iter().product()
    }

    /// Where a node is; nowhere if it is not of this slice.
    pub fn place(&self, node: Element) -> Option<[u32; 3]> {
        let at = self.torus.coordinates(node);
        let fixed = |dim: &usize| self.dims.contains(&Some(*dim)) || at[*dim] == self.fixed[*dim];
        let place = |dim: usize| (at[dim] + self.roll[dim]) % self.torus.dimensions()[dim].size;
        (0..self.torus.dimensions().len()).all(|dim| fixed(&dim)).then(|| self.dims.map(|dim| dim.map_or(0, place)))
    }

    /// The node at a place within the sizes.
    pub fn node(&self, place: [u32; 3]) -> Element {
        let mut at = self.fixed;
        for (role, place) in place.into_iter().enumerate() {
            if let Some(dim) = self.dims[role] {
                at[dim] = self.coordinate(dim, self.sizes[role], place);
            }
        }
        self.torus.node(&at)
    }

    fn coordinate(&self, dim: usize, size: u32, place: u32) -> u32 {
        (place + size - self.roll[dim]) % size
    }

    /// The coordinate, before rolling, that a place along one of the dimensions stands for, and the dimension.
    pub fn plane(&self, role: usize, place: u32) -> Option<(usize, u32)> {
        self.dims[role].map(|dim| (dim, self.coordinate(dim, self.sizes[role], place)))
    }

    /// The cable that leaves the node at a place upwards in one of the three dimensions.
    pub fn cable(&self, place: [u32; 3], role: usize) -> Option<Cable> {
        self.dims[role].and_then(|dim| self.torus.cable(self.node(place), dim))
    }

    /// Which of the three dimensions a cable runs along, and the place of its lower end as drawn; nothing for a cable of another
    /// slice, or to one.
    pub fn place_of(&self, cable: Cable) -> Option<(usize, [u32; 3])> {
        let dim = self.torus.dimension_of(cable);
        let role = self.dims.iter().position(|other| *other == Some(dim))?;
        self.place(self.torus.lower_end(cable)).map(|place| (role, place))
    }

    /// Whether a cable from a place upwards crosses the seam.
    pub fn wraps(&self, place: [u32; 3], role: usize) -> bool {
        place[role] + 1 == self.sizes[role]
    }

    /// All places, the first dimension fastest.
    pub fn places(&self) -> impl Iterator<Item = [u32; 3]> + use<> {
        let [a, b, c] = self.sizes;
        (0..c).flat_map(move |z| (0..b).flat_map(move |y| (0..a).map(move |x| [x, y, z])))
    }
}
