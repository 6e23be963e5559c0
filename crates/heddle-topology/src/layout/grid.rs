//! A torus in space: nodes on a grid around the origin, each cable a stick from its lower end upwards. Those across the seam stick
//! out in the open.

use super::Slice;
use crate::{Cable, Element};

/// A torus in space.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    slice: Slice,
}

/// A cable in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stick {
    /// Which.
    pub cable: Cable,
    /// Its lower end.
    pub from: [f64; 3],
    /// One unit further along its dimension.
    pub to: [f64; 3],
    /// Whether it crosses the seam, and so ends in the open.
    pub open: bool,
}

impl Grid {
    /// Lays out a slice, its dimensions along the first, second and third axis.
    pub fn new(slice: Slice) -> Grid {
        Grid { slice }
    }

    /// What is shown.
    pub fn slice(&self) -> &Slice {
        &self.slice
    }

    fn position_at(&self, place: [u32; 3]) -> [f64; 3] {
        let sizes = self.slice.sizes();
        [0, 1, 2].map(|axis| f64::from(place[axis]) - f64::from(sizes[axis] - 1) / 2.0)
    }

    /// Where a node is; nowhere if it is not of this slice.
    pub fn position(&self, node: Element) -> Option<[f64; 3]> {
        self.slice.place(node).map(|place| self.position_at(place))
    }

    /// All nodes with their positions.
    pub fn nodes(&self) -> impl Iterator<Item = (Element, [f64; 3])> {
        self.slice.places().map(|place| (self.slice.node(place), self.position_at(place)))
    }

    /// All cables of the slice.
    pub fn sticks(&self) -> impl Iterator<Item = Stick> {
        let stick = |(axis, place): (usize, [u32; 3])| {
            let cable = self.slice.cable(place, axis)?;
            let from = self.position_at(place);
            let mut to = from;
            to[axis] += 1.0;
            Some(Stick { cable, from, to, open: self.slice.wraps(place, axis) })
        };
        (0..3).flat_map(|axis| self.slice.places().map(move |place| (axis, place))).filter_map(stick)
    }
}
