//! Trees against the numbers that were found by counting paths.

use std::collections::HashSet;

use super::*;
use crate::{FatTree, Topology};

fn quaternary(layers: u32) -> (Shape, FatTree) {
    let shape: Shape = format!("fat-tree:4^{layers}").parse().unwrap();
    let tree = shape.fat_tree().unwrap().clone();
    (shape, tree)
}

#[test]
fn paths_from_node_0_have_the_lengths_and_are_as_many_as_counted() {
    let (shape, _) = quaternary(3);
    let spread = routing(RoutingKind::Spread, &shape);
    for (to, links, count) in [(1, 2, 1), (4, 4, 4), (15, 4, 4), (16, 6, 16), (63, 6, 16)] {
        let paths: HashSet<Vec<Link>> = (0..64).map(|choice| spread.path(Element(0), Element(to), choice)).collect();
        assert_eq!(paths.len(), count, "to node {to}");
        assert!(paths.iter().all(|path| path.len() == links), "to node {to}");
        // As many choices as there are paths are enough to see each.
        let first: HashSet<Vec<Link>> =
            (0..count as u64).map(|choice| spread.path(Element(0), Element(to), choice)).collect();
        assert_eq!(first, paths, "to node {to}");
    }
}

#[test]
fn parallel_cables_up_and_down_are_paths_of_their_own() {
    let shape: Shape = "fat-tree:2x2;1x2;1x3".parse().unwrap();
    let spread = routing(RoutingKind::Spread, &shape);
    let paths: HashSet<Vec<Link>> = (0..100).map(|choice| spread.path(Element(0), Element(3), choice)).collect();
    assert_eq!(paths.len(), 2 * 3 * 3);
}

/// At the step from layer l: p = floor(j / 4^(l-1)) mod 4; into port `4 + x_l` of the parent, and down by the
/// receiver's digits.
#[test]
fn the_receivers_number_chooses_the_way_up() {
    for layers in 2..=4 {
        let (shape, tree) = quaternary(layers);
        let static_choice = routing(RoutingKind::DModK, &shape);
        for (i, j) in (0..tree.hosts()).map(|at| (at, (at * 37 + 11) % tree.hosts())).filter(|(i, j)| i != j) {
            let path = static_choice.path(Element(i), Element(j), 0);
            let (mut layer, mut x) = (1, i / 4);
            let (up, down) = path.split_at(path.len() / 2);
            assert_eq!(tree.place(shape.ends(up[0]).1), (1, x));
            for link in &up[1..] {
                let p = j / 4_u32.pow(layer - 1) % 4;
                // Digit l of x is replaced by p, and the parent is entered by the port with the digit's number.
                let low = 4_u32.pow(layer - 1);
                let digit = x / low % 4;
                let parent = x - digit * low + p * low;
                assert_eq!(tree.place(shape.ends(*link).1), (layer + 1, parent));
                let ports = tree.down(shape.ends(*link).1);
                assert_eq!(ports.iter().position(|cable| *cable == link.0 / 2), Some(digit as usize));
                (layer, x) = (layer + 1, parent);
            }
            for link in down {
                layer -= 1;
                let below = tree.place(shape.ends(*link).1);
                assert_eq!(below.0, layer);
                if layer == 0 {
                    assert_eq!(below.1, j);
                } else {
                    let low = 4_u32.pow(layer - 1);
                    assert_eq!(below.1 / low, j / 4 / low, "the receiver's digits from layer {layer} up");
                }
            }
        }
    }
}

#[test]
fn a_message_puts_a_quarter_per_layer_on_the_links_that_it_can_take() {
    let (shape, tree) = quaternary(3);
    routing(RoutingKind::Spread, &shape).route(Element(0), Element(63), &mut |link, share| {
        // The links up from layer l, or down to it.
        let lower = tree.layer(tree.cable(link.0 / 2).0);
        assert_eq!(share, 0.25_f64.powi(lower as i32));
    });
}

/// The part of all pairs that reaches layer l or a higher one is (4^L - 4^(l-1)) / (4^L - 1).
#[test]
fn pairs_reach_layers_as_the_formula_says() {
    for layers in 2..=4_u32 {
        let (shape, tree) = quaternary(layers);
        let static_choice = routing(RoutingKind::DModK, &shape);
        let mut reached = vec![0_u64; layers as usize + 1];
        for i in 0..tree.hosts() {
            for j in (0..tree.hosts()).filter(|j| *j != i) {
                let path = static_choice.path(Element(i), Element(j), 0);
                let top = path.iter().map(|link| tree.layer(shape.ends(*link).1)).max().unwrap();
                reached[1..=top as usize].iter_mut().for_each(|count| *count += 1);
            }
        }
        let nodes = 4_u64.pow(layers);
        for layer in 1..=layers {
            let expected = (nodes - 4_u64.pow(layer - 1)) * nodes;
            assert_eq!(
                reached[layer as usize],
                expected,
                "layer {layer} of {layers}, of {} pairs",
                nodes * (nodes - 1)
            );
        }
    }
}

/// Uniform traffic loads all links of a layer alike, whichever way up is taken.
#[test]
fn all_to_all_is_even() {
    for text in ["fat-tree:4^3", "fat-tree:8x4;1x4;1x2", "fat-tree:4x4;1x2"] {
        let shape: Shape = text.parse().unwrap();
        let nodes = || (0..shape.hosts()).map(Element);
        let flows: Vec<Flow> = nodes().flat_map(|from| nodes().map(move |to| Flow { from, to, bytes: 1.0 })).collect();
        for kind in [RoutingKind::DModK, RoutingKind::Spread] {
            let mut loads = vec![0.0; shape.links() as usize];
            routing(kind, &shape).load(&flows, &mut loads);
            for class in 0..shape.classes().len() {
                let of_class: Vec<f64> = (0..)
                    .map(Link)
                    .zip(&loads)
                    .filter(|(link, _)| shape.class(*link) == class)
                    .map(|(_, load)| *load)
                    .collect();
                let (least, most) =
                    of_class.iter().fold((f64::MAX, 0.0_f64), |(a, b), load| (a.min(*load), b.max(*load)));
                assert!(most - least < 1e-9 * most, "{text} {kind}, class {class}: {least} to {most}");
            }
        }
    }
}
