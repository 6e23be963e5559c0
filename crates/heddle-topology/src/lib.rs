//! Shapes of machines: what they are made of, how messages travel through them, where ranks sit, and how to draw them.
//!
//! A [`Topology`] knows elements and directed links, each with a class and a capacity; nothing that counts, colours or
//! compares traffic needs to know more. What is special to one kind of machine, its routes and its layouts, is with that
//! kind ([`Torus`], [`FatTree`], [`Dragonfly`]); [`Shape`] is the list of kinds. The crate knows no traces and no files, so that the simulator can use it.

pub mod dragonfly;
mod factors;
pub mod fat_tree;
pub mod layout;
pub mod mapping;
pub mod routing;
mod shape;
mod statistics;
mod topology;
mod torus;

pub use dragonfly::Dragonfly;
pub use factors::{divisor_below_root, most_cubic};
pub use fat_tree::FatTree;
pub use mapping::{Mapping, Placement};
pub use shape::{Shape, ShapeError};
pub use statistics::LoadStatistics;
pub use topology::{Cable, Element, Link, LinkClass, Topology};
pub use torus::{Coordinates, Dimension, Direction, MOST_DIMENSIONS, Torus};
