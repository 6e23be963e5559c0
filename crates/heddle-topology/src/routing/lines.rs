//! The way along one dimension of a torus.

use crate::{Dimension, Direction};

/// A shortest way along a dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Way {
    pub(super) direction: Direction,
    pub(super) steps: u32,
    /// As short the other way round.
    pub(super) tie: bool,
}

/// The shortest way; a tie is given as going up.
pub(super) fn shortest(dimension: &Dimension, from: u32, to: u32) -> Way {
    let size = dimension.size;
    if !dimension.is_ring() {
        let direction = if to >= from { Direction::Plus } else { Direction::Minus };
        return Way { direction, steps: to.abs_diff(from), tie: false };
    }
    let up = if to >= from { to - from } else { to + size - from };
    if 2 * up <= size {
        Way { direction: Direction::Plus, steps: up, tie: 2 * up == size }
    } else {
        Way { direction: Direction::Minus, steps: size - up, tie: false }
    }
}

/// Which way to go half-way round a ring: size, from, to.
pub(super) type HalfWay = fn(u32, u32, u32) -> Direction;

pub(super) fn half_way_up(_: u32, _: u32, _: u32) -> Direction {
    Direction::Plus
}

/// The comparison in SimGrid's torus zone. On other ways than half-way round it agrees with the shortest one.
pub(super) fn half_way_simgrid(size: u32, from: u32, to: u32) -> Direction {
    let half = size / 2;
    if (to > from && to <= from + half) || (from > half && (from + half) % size >= to) {
        Direction::Plus
    } else {
        Direction::Minus
    }
}

/// The first cable, in its line, of a way that starts at a node: the cables of a way are `steps` in a row from there, beginning
/// anew at the end of a ring.
pub(super) fn first_cable(dimension: &Dimension, from: u32, way: Way) -> u32 {
    match way.direction {
        Direction::Plus => from,
        Direction::Minus if from >= way.steps => from - way.steps,
        Direction::Minus => from + dimension.size - way.steps,
    }
}
