//! The kinds of machines, and the short text that names one.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use crate::dragonfly::{Dragonfly, DragonflyPlan};
use crate::fat_tree::{FatTree, Xgft};
use crate::{Dimension, Element, Topology, Torus};

/// A machine of one of the kinds that there are. As a [`Topology`] it is used without asking which.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A torus or a mesh of any number of dimensions.
    Torus(Torus),
    /// Nodes below layers of switches.
    FatTree(FatTree),
    /// Groups of routers, each joined to every other.
    Dragonfly(Dragonfly),
}

impl Deref for Shape {
    type Target = dyn Topology;

    fn deref(&self) -> &(dyn Topology + 'static) {
        match self {
            Shape::Torus(torus) => torus,
            Shape::FatTree(tree) => tree,
            Shape::Dragonfly(dragonfly) => dragonfly,
        }
    }
}

impl Shape {
    /// The torus, if it is one.
    pub fn torus(&self) -> Option<&Torus> {
        if let Shape::Torus(torus) = self { Some(torus) } else { None }
    }

    /// The tree, if it is one.
    pub fn fat_tree(&self) -> Option<&FatTree> {
        if let Shape::FatTree(tree) = self { Some(tree) } else { None }
    }

    /// The dragonfly, if it is one.
    pub fn dragonfly(&self) -> Option<&Dragonfly> {
        if let Shape::Dragonfly(dragonfly) = self { Some(dragonfly) } else { None }
    }

    /// The part of a machine that a host is in: cables join those of one part, and no cable joins two. Only machines that files
    /// describe have more than one.
    pub fn part(&self, host: Element) -> usize {
        self.fat_tree().map_or(0, |tree| tree.pods(tree.layers()).of_node(host.0))
    }

    /// What kind of machine it is: `torus`, `fat-tree` or `dragonfly`.
    pub fn kind(&self) -> &'static str {
        match self {
            Shape::Torus(_) => "torus",
            Shape::FatTree(_) => "fat-tree",
            Shape::Dragonfly(_) => "dragonfly",
        }
    }
}

/// What it is called, as [`Shape::from_str`] reads it back where it has a rule.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Torus(torus) => f.write_str(&torus.sizes()),
            Shape::FatTree(tree) => f.write_str(&tree.words()),
            Shape::Dragonfly(dragonfly) => write!(f, "{dragonfly}"),
        }
    }
}

/// A text, or a file, does not describe a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// Not of the form `8x8x8`.
    #[error(
        "`{0}` is not a shape; write the sizes of a torus, for instance 8x8x16, or mesh:8x8x16 without wrap-around, or \
         fat-tree:4x4x4, or dragonfly:9x4x2"
    )]
    NotSizes(String),
    /// Not a fat-tree.
    #[error(
        "`{0}` is not a fat-tree; write the children of a switch, layer by layer from the nodes up, for instance \
         fat-tree:4x4x4, or fat-tree:4^6; then, where it is thinner towards the top, the parents: fat-tree:16x8;1x4, and where \
         cables are parallel, their number: fat-tree:16x8;1x4;1x2"
    )]
    NotATree(String),
    /// Not a dragonfly.
    #[error(
        "`{0}` is not a dragonfly; write groups, routers of a group and nodes of a router, for instance dragonfly:9x4x2, or \
         groups, rows, columns and nodes, dragonfly:9x6x16x4; and, if you like, the cables between two groups: dragonfly:9x4x2:3"
    )]
    NotADragonfly(String),
    /// Too many dimensions.
    #[error("`{text}` has {dimensions} dimensions; there can be at most {most}")]
    Dimensions {
        /// What was given.
        text: String,
        /// How many it has.
        dimensions: usize,
        /// How many there can be.
        most: usize,
    },
    /// More nodes than there are numbers.
    #[error("{0} has more nodes, switches or cables than Heddle can number")]
    TooLarge(String),
}

impl FromStr for Shape {
    type Err = ShapeError;

    fn from_str(text: &str) -> Result<Shape, ShapeError> {
        let wrong = || ShapeError::NotSizes(text.to_owned());
        let (wraps, sizes) = match text.trim().split_once(':') {
            Some(("mesh", sizes)) => (false, sizes),
            Some(("torus", sizes)) => (true, sizes),
            Some(("fat-tree", rule)) => return FatTree::new(rule.parse::<Xgft>()?).map(Shape::FatTree),
            Some(("dragonfly", plan)) => {
                return Dragonfly::new(plan.parse::<DragonflyPlan>()?).map(Shape::Dragonfly);
            }
            Some(_) => return Err(wrong()),
            None => (true, text),
        };
        let sizes: Option<Vec<u32>> =
            sizes.split('x').map(|size| size.trim().parse().ok().filter(|n| *n > 0)).collect();
        Torus::new(Dimension::named(&sizes.ok_or_else(wrong)?, wraps)).map(Shape::Torus)
    }
}
