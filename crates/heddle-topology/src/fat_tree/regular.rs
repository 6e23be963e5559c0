//! Finds the rule that cables follow, if they follow one.
//!
//! In a tree by rule every element above a node is reached by choosing a parent in each layer, and those choices are its place in
//! its pod. So the places in one pod can be handed out freely, by going up from its first node; they then determine the places in
//! all others, by going down: the switches at a place have their children at the same place of each pod below. Whatever comes out
//! is compared with the rule, cable by cable.

use super::{FatTree, Xgft};
use crate::{Element, Topology};

/// The rule of a tree that was found, and which of its elements stands for each of the rule's.
pub(super) fn rule_of(tree: &FatTree) -> Option<(Xgft, Vec<Element>)> {
    let layers = tree.layers() as usize;
    if tree.classes().len() != layers {
        return None;
    }
    let (mut children, mut parents, mut cables) = (Vec::new(), Vec::new(), Vec::new());
    // What is above the first node, by place.
    let mut pod = vec![tree.element(0, 0)];
    for _ in 0..layers {
        let above: Vec<Vec<Element>> = pod.iter().map(|element| parents_of(tree, *element)).collect();
        let count = above[0].len();
        if count == 0 || above.iter().any(|parents| parents.len() != count) {
            return None;
        }
        parents.push(count as u32);
        cables.push((tree.up(pod[0]).len() / count) as u32);
        pod = (0..count).flat_map(|choice| above.iter().map(move |parents| parents[choice])).collect();
        children.push(children_of(tree, pod[0]).len() as u32);
    }
    // Cables between neighbouring layers only are one class each.
    let capacity = tree.classes().iter().map(|class| class.capacity).collect();
    let rule = Xgft { capacity, ..Xgft::with(children, parents, cables) };
    let as_ruled = FatTree::new(rule.clone()).ok()?;
    let is_as_large =
        (0..=tree.layers()).all(|layer| as_ruled.layers() >= layer && as_ruled.in_layer(layer) == tree.in_layer(layer));
    if !is_as_large || as_ruled.cables() != tree.cables() {
        return None;
    }
    let order = places(tree, &rule, pod)?;
    let mut found = tree.cables.clone();
    let mut expected: Vec<(u32, u32)> =
        as_ruled.cables.iter().map(|(lower, upper)| (order[*lower as usize].0, order[*upper as usize].0)).collect();
    found.sort_unstable();
    expected.sort_unstable();
    (found == expected).then_some((rule, order))
}

/// The elements in the order of the rule, if there is one at each place.
fn places(tree: &FatTree, rule: &Xgft, top: Vec<Element>) -> Option<Vec<Element>> {
    let mut layers: Vec<Vec<Element>> = Vec::new();
    let mut pods = vec![top];
    for layer in (1..=rule.layers()).rev() {
        let below = rule.switches_of_pod(layer - 1) as usize;
        let mut next = Vec::new();
        for pod in &pods {
            let mut pods_below = vec![Vec::with_capacity(below); rule.children[layer - 1] as usize];
            for switch in pod.get(..below)? {
                // One of each pod below, and elements are numbered pod by pod.
                let children = children_of(tree, *switch);
                if children.len() != pods_below.len() {
                    return None;
                }
                pods_below.iter_mut().zip(children).for_each(|(pod, child)| pod.push(child));
            }
            next.append(&mut pods_below);
        }
        layers.push(std::mem::replace(&mut pods, next).concat());
    }
    layers.push(pods.concat());
    layers.reverse();
    let order = layers.concat();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    sorted.into_iter().eq((0..tree.elements()).map(Element)).then_some(order)
}

fn parents_of(tree: &FatTree, element: Element) -> Vec<Element> {
    distinct(tree.up(element).iter().map(|cable| tree.cable(*cable).1).collect())
}

fn children_of(tree: &FatTree, element: Element) -> Vec<Element> {
    distinct(tree.down(element).iter().map(|cable| tree.cable(*cable).0).collect())
}

fn distinct(mut elements: Vec<Element>) -> Vec<Element> {
    elements.sort_unstable();
    elements.dedup();
    elements
}
