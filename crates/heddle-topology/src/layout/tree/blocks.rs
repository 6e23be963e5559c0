//! Layered blocks: nodes on the diagonal of a square, and below them, layer by layer, one square for the switches of a pod.

use std::ops::Range;

use super::Place;
use super::nest::{edge, in_square};
use crate::{FatTree, Topology};

/// How much of its part of a block a switch fills.
const SWITCH: f64 = 0.86;
/// How much of its place a node fills.
const NODE: f64 = 0.5;

/// The switches of a layer that one square stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Of which layer.
    pub layer: u32,
    /// Its number there.
    pub number: u32,
    /// The nodes that it lies below, in both directions.
    pub nodes: Range<u32>,
    /// Its switches, by number in the layer.
    pub switches: Range<u32>,
}

impl Block {
    /// Where it lies.
    pub fn place(&self) -> Place {
        let middle = f64::midpoint(f64::from(self.nodes.start), f64::from(self.nodes.end));
        Place { at: [middle, middle, -f64::from(self.layer)], size: [self.nodes.len() as f64; 2] }
    }

    /// Where one of its switches lies when it is drawn as single ones.
    fn part(&self, at: u32) -> Place {
        let count = self.switches.len() as u32;
        let each = self.nodes.len() as f64 / f64::from(edge(count).max(1));
        let (column, row) = in_square(at, count);
        let along = |at: u32| f64::from(self.nodes.start) + (f64::from(at) + 0.5) * each;
        Place { at: [along(column), along(row), -f64::from(self.layer)], size: [SWITCH * each; 2] }
    }
}

/// The blocks of all layers, from the first. A block is a pod of its layer; with a `grouping` it holds what pods so many layers
/// further up hold: with 1 the first layer has groups of four switches, as the paper's text has it, and not of four nodes.
pub fn blocks(tree: &FatTree, grouping: u32) -> Vec<Block> {
    let mut blocks = Vec::new();
    for layer in 1..=tree.layers() {
        let own = tree.pods(layer).all();
        let mut next = own.iter().peekable();
        for (number, group) in (0..).zip(tree.pods(layer.saturating_add(grouping).min(tree.layers())).all()) {
            let (mut from, mut to) = (None, 0);
            while let Some(pod) = next.next_if(|pod| pod.nodes.end <= group.nodes.end) {
                from = from.or(Some(pod.switches.start));
                to = pod.switches.end;
            }
            let switches = from.unwrap_or(to)..to;
            if !switches.is_empty() {
                blocks.push(Block { layer, number, nodes: group.nodes.clone(), switches });
            }
        }
    }
    blocks
}

pub(super) fn placed(tree: &FatTree, grouping: u32) -> (Vec<Place>, Vec<Place>) {
    let node = |at: u32| Place { at: [f64::from(at) + 0.5, f64::from(at) + 0.5, 0.0], size: [NODE; 2] };
    let switches = blocks(tree, grouping)
        .iter()
        .flat_map(|block| (0..block.switches.len() as u32).map(|at| block.part(at)).collect::<Vec<_>>())
        .collect();
    ((0..tree.hosts()).map(node).collect(), switches)
}
