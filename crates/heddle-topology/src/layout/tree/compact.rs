//! Compact layouts: a cell for each switch, and nodes in the cells of theirs.

use super::Place;
use super::nest::{Nest, edge, in_square};
use crate::{Element, FatTree, Topology};

/// How much of its part of a cell a node fills.
const NODE: f64 = 0.5;

/// Nodes in the cell of the switch that they are plugged into, the first of several.
pub(super) fn with_nodes(tree: &FatTree, switches: Vec<Place>) -> (Vec<Place>, Vec<Place>) {
    let hosts = tree.hosts() as usize;
    let home = |node: u32| tree.up(Element(node)).first().map_or(0, |cable| tree.cable(*cable).1.index() - hosts);
    let mut held = vec![0_u32; switches.len()];
    for node in 0..tree.hosts() {
        held[home(node)] += 1;
    }
    let mut seen = vec![0_u32; switches.len()];
    let nodes = (0..tree.hosts()).map(|node| {
        let switch = home(node);
        let each = 1.0 / f64::from(edge(held[switch]).max(1));
        let (column, row) = in_square(seen[switch], held[switch]);
        seen[switch] += 1;
        let [x, y, _] = switches[switch].at;
        let along = |at: u32| (f64::from(at) + 0.5) * each - 0.5;
        Place { at: [x + along(column), y - along(row), 0.0], size: [NODE * each; 2] }
    });
    (nodes.collect(), switches)
}

/// The H tree of any tree: a pod is a square with its child pods on a grid, and its own switches in a square in the middle, for
/// which the grid makes room.
pub(super) fn boxes(tree: &FatTree) -> Vec<Place> {
    let nest = Nest::of(tree);
    // How wide a pod of each layer is, and the square of its own switches.
    let own: Vec<u32> = nest.most_switches.iter().map(|count| edge(*count)).collect();
    let columns: Vec<u32> = nest.most_children.iter().map(|count| edge(*count)).collect();
    let mut sides = vec![0.0];
    for layer in 1..=tree.layers() as usize {
        // Nodes are in the cells of their switches.
        let children = if layer > 1 { f64::from(columns[layer]) * sides[layer - 1] } else { 0.0 };
        sides.push(children + f64::from(own[layer]));
    }
    // Where a child begins along an edge of its pod: those of the second half come after the square in the middle.
    let begin = |layer: usize, at: u32| {
        let beyond = at >= columns[layer].div_ceil(2);
        f64::from(at) * sides[layer - 1] + if beyond { f64::from(own[layer]) } else { 0.0 }
    };
    let mut cells = Vec::with_capacity(tree.switches() as usize);
    for layer in 1..=tree.layers() as usize {
        let middle = if layer > 1 { f64::from(columns[layer].div_ceil(2)) * sides[layer - 1] } else { 0.0 };
        for (number, pod) in tree.pods(layer as u32).all().iter().enumerate() {
            let mut corner = [middle; 2];
            for (above, child) in (layer + 1..).zip(nest.path(layer as u32, number)) {
                let (column, row) = in_square(child, nest.most_children[above]);
                corner[0] += begin(above, column);
                corner[1] += begin(above, row);
            }
            cells.extend((0..pod.switches.len() as u32).map(|at| {
                let (column, row) = in_square(at, nest.most_switches[layer]);
                let half = sides[sides.len() - 1] / 2.0;
                let [x, y] = [corner[0] + f64::from(column), corner[1] + f64::from(row)];
                Place { at: [x + 0.5 - half, half - y - 0.5, 0.0], size: [1.0; 2] }
            }));
        }
    }
    cells
}
