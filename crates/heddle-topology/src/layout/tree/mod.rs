//! Where the parts of a fat-tree are drawn: seven representations (Berkbigler et al., 2002), and those that users add.
//!
//! A place is where something stands across and into the picture, and in which layer; whoever draws chooses how high a layer is.
//! All layouts follow from pods, so they hold for every tree: for a quaternary one they are the formulas of the paper.

mod blocks;
mod compact;
mod direct;
mod generators;
mod nest;

use std::fmt;
use std::str::FromStr;

use crate::{Element, FatTree, Topology};

pub use blocks::{Block, blocks};
pub use generators::{Generators, GeneratorsError, Overlap};

/// A way to lay out a fat-tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Representation {
    /// Layers of switches above a line of nodes, on a plane.
    Qs,
    /// The same in space: direct linear.
    Dl,
    /// The line bent to a circle: a cone with a cylinder on top.
    Dc,
    /// Nodes and each layer of switches on a rectangle.
    Dr,
    /// Blocks of switches below a diagonal of nodes.
    Lb,
    /// The H tree: pods as squares with their switches in the middle.
    Ht,
    /// The fractal.
    F1,
    /// Cells by a pair of generators that a user wrote.
    Cells,
}

impl Representation {
    /// All of them.
    pub const ALL: [Representation; 8] = [
        Representation::Qs,
        Representation::Dl,
        Representation::Dc,
        Representation::Dr,
        Representation::Lb,
        Representation::Ht,
        Representation::F1,
        Representation::Cells,
    ];

    /// Its short name.
    pub fn name(self) -> &'static str {
        match self {
            Representation::Qs => "qs",
            Representation::Dl => "dl",
            Representation::Dc => "dc",
            Representation::Dr => "dr",
            Representation::Lb => "lb",
            Representation::Ht => "ht",
            Representation::F1 => "f1",
            Representation::Cells => "cells",
        }
    }

    /// What it is, in words.
    pub fn words(self) -> &'static str {
        match self {
            Representation::Qs => "layers of switches",
            Representation::Dl => "direct, linear",
            Representation::Dc => "direct, cone",
            Representation::Dr => "direct, rectangular",
            Representation::Lb => "layered blocks",
            Representation::Ht => "H tree",
            Representation::F1 => "fractal",
            Representation::Cells => "own cells",
        }
    }

    /// Whether every switch has a cell of its own on one plane.
    pub fn is_compact(self) -> bool {
        matches!(self, Representation::Ht | Representation::F1 | Representation::Cells)
    }

    /// Whether everything lies on one plane.
    pub fn is_flat(self) -> bool {
        self.is_compact() || self == Representation::Qs
    }
}

/// No representation is called so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be of qs, dl, dc, dr, lb, ht, f1 and cells, several with commas between them")]
pub struct UnknownRepresentation;

impl FromStr for Representation {
    type Err = UnknownRepresentation;

    fn from_str(text: &str) -> Result<Representation, UnknownRepresentation> {
        let is_it = |one: &Representation| one.name().eq_ignore_ascii_case(text.trim());
        Representation::ALL.into_iter().find(is_it).ok_or(UnknownRepresentation)
    }
}

impl fmt::Display for Representation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where something stands, and how much of the plane it covers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// Across, into the picture, and in which layer: nodes in layer 0; layers of blocks go down.
    pub at: [f64; 3],
    /// How wide and how deep.
    pub size: [f64; 2],
}

/// A representation that a tree cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfitLayout {
    /// More than four somewhere.
    #[error(
        "is not for this tree: cells by generators have room for four children and four parents, and {what} of layer {layer} \
         has {count}; use ht, which has room for any number"
    )]
    TooMany {
        /// `a pod`, `a pod's row of switches`
        what: &'static str,
        /// Of which layer.
        layer: u32,
        /// How many there are.
        count: u64,
    },
    /// More layers than factors.
    #[error("is not for this tree: it has {layers} layers, and there are factors for {factors}")]
    TooDeep {
        /// Layers of switches.
        layers: u32,
        /// Layers that there are factors for.
        factors: usize,
    },
    /// Two switches in one place.
    #[error(transparent)]
    Overlap(#[from] Overlap),
}

/// Where everything stands.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeLayout {
    /// Nodes, by number.
    pub nodes: Vec<Place>,
    /// Network cards: one for each cable of a node, by that cable.
    pub nics: Vec<(u32, Place)>,
    /// Switches, in the order of elements.
    pub switches: Vec<Place>,
}

impl TreeLayout {
    /// The layout of a tree. `cells` are the generators of [`Representation::Cells`], `grouping` is that of [`blocks`].
    pub fn new(
        tree: &FatTree,
        representation: Representation,
        cells: Option<&Generators>,
        grouping: u32,
    ) -> Result<TreeLayout, UnfitLayout> {
        let (nodes, switches) = match representation {
            Representation::Qs | Representation::Dl => direct::linear(tree),
            Representation::Dc => direct::cone(tree),
            Representation::Dr => direct::rectangular(tree),
            Representation::Lb => blocks::placed(tree, grouping),
            Representation::Ht => match Generators::ht().cells(tree) {
                Ok(switches) => compact::with_nodes(tree, switches),
                // A tree of other numbers has the same idea from its pods.
                Err(_) => compact::with_nodes(tree, compact::boxes(tree)),
            },
            Representation::F1 => compact::with_nodes(tree, Generators::f1().cells(tree)?),
            Representation::Cells => {
                let own = Generators::f1();
                let switches = cells.unwrap_or(&own).cells(tree)?;
                generators::check_disjoint(tree, &switches)?;
                compact::with_nodes(tree, switches)
            }
        };
        let nics = nics(tree, representation, &nodes, &switches);
        Ok(TreeLayout { nodes, nics, switches })
    }

    /// Where a node or a switch stands.
    pub fn element(&self, element: Element) -> &Place {
        let nodes = self.nodes.len();
        if element.index() < nodes { &self.nodes[element.index()] } else { &self.switches[element.index() - nodes] }
    }
}

/// Half a layer above each node; side by side where a node has several cables. Where cables lean, they are on them; in cells there
/// is no above, so they are on the way to its middle; and blocks have them at the feet of pillars.
fn nics(tree: &FatTree, representation: Representation, nodes: &[Place], switches: &[Place]) -> Vec<(u32, Place)> {
    let mut nics = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        let cables = tree.up(Element(number as u32));
        let size = node.size.map(|length| length * 0.7 / cables.len().max(1) as f64);
        for (at, cable) in cables.iter().enumerate() {
            let mut nic = Place { at: node.at, size };
            nic.at[0] += node.size[0] * ((at as f64 + 0.5) / cables.len() as f64 - 0.5);
            let part = match representation {
                _ if representation.is_compact() => 0.6,
                Representation::Dc | Representation::Dr => 0.5,
                _ => 0.0,
            };
            let switch = &switches[tree.cable(*cable).1.index() - tree.hosts() as usize];
            for axis in 0..2 {
                nic.at[axis] += (switch.at[axis] - nic.at[axis]) * part;
            }
            nic.at[2] += match representation {
                _ if representation.is_compact() => 0.0,
                Representation::Lb => -0.08,
                _ => 0.5,
            };
            nics.push((*cable, nic));
        }
    }
    nics.sort_unstable_by_key(|(cable, _)| *cable);
    nics
}

#[cfg(test)]
mod tests;
