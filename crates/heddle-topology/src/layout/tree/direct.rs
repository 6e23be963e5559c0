//! Layouts in which every layer stands above the one below: on a line, around a circle, on rectangles.

use std::f64::consts::TAU;

use super::Place;
use super::nest::{Nest, edge, in_square};
use crate::{FatTree, Topology};

/// How much of its place a node, and a switch, fills.
const NODE: f64 = 0.5;
const SWITCH: f64 = 0.72;

type Placed = (Vec<Place>, Vec<Place>);

/// Nodes on a line, and the switches of each pod spread over its nodes.
pub(super) fn linear(tree: &FatTree) -> Placed {
    let node = |at: u32| Place { at: [f64::from(at), 0.0, 0.0], size: [NODE; 2] };
    let mut switches = Vec::with_capacity(tree.switches() as usize);
    for layer in 1..=tree.layers() {
        for pod in tree.pods(layer).all() {
            let each = pod.nodes.len() as f64 / pod.switches.len().max(1) as f64;
            switches.extend((0..pod.switches.len()).map(|at| Place {
                at: [f64::from(pod.nodes.start) + (at as f64 + 0.5) * each - 0.5, 0.0, f64::from(layer)],
                size: [SWITCH * each, SWITCH * each.min(4.0)],
            }));
        }
    }
    ((0..tree.hosts()).map(node).collect(), switches)
}

/// The line around a circle, switches on a smaller one: as dense as nodes, but no closer to the middle than a quarter.
pub(super) fn cone(tree: &FatTree) -> Placed {
    let count = f64::from(tree.hosts());
    let fullest = (1..=tree.layers()).map(|layer| tree.in_layer(layer)).max().unwrap_or(1);
    let radius = count / TAU;
    let inner = radius * (f64::from(fullest) / count).clamp(0.25, 1.0);
    let bent = |place: Place, radius: f64, size: f64| {
        let (sine, cosine) = (TAU * (place.at[0] + 0.5) / count).sin_cos();
        Place { at: [radius * cosine, radius * sine, place.at[2]], size: [size; 2] }
    };
    let (nodes, switches) = linear(tree);
    let nodes = nodes.into_iter().map(|node| bent(node, radius, NODE)).collect();
    let around = |switch: Place| bent(switch, inner, (switch.size[0] * inner / radius).min(4.0));
    (nodes, switches.into_iter().map(around).collect())
}

/// Nodes on a square of squares, pod by pod, and the switches of each pod in a square above its nodes.
pub(super) fn rectangular(tree: &FatTree) -> Placed {
    let nest = Nest::of(tree);
    // How wide a pod of each layer is.
    let mut sides = vec![1_u32];
    for children in &nest.most_children[1..] {
        sides.push(sides[sides.len() - 1].saturating_mul(edge(*children)));
    }
    let corner = |layer: u32, pod: usize| {
        let mut at = [0.0; 2];
        for (above, child) in (layer as usize..).zip(nest.path(layer, pod)) {
            let (column, row) = in_square(child, nest.most_children[above + 1]);
            at[0] += f64::from(column) * f64::from(sides[above]);
            at[1] += f64::from(row) * f64::from(sides[above]);
        }
        at
    };
    let node = |at: u32| {
        let [x, y] = corner(0, at as usize);
        Place { at: [x, y, 0.0], size: [NODE; 2] }
    };
    let mut switches = Vec::with_capacity(tree.switches() as usize);
    for layer in 1..=tree.layers() {
        let room = nest.most_switches[layer as usize];
        let each = f64::from(sides[layer as usize]) / f64::from(edge(room).max(1));
        for (number, pod) in tree.pods(layer).all().iter().enumerate() {
            let [x, y] = corner(layer, number);
            switches.extend((0..pod.switches.len() as u32).map(|at| {
                let (column, row) = in_square(at, room);
                let along = |corner: f64, at: u32| corner + (f64::from(at) + 0.5) * each - 0.5;
                Place { at: [along(x, column), along(y, row), f64::from(layer)], size: [SWITCH * each.min(4.0); 2] }
            }));
        }
    }
    ((0..tree.hosts()).map(node).collect(), switches)
}
