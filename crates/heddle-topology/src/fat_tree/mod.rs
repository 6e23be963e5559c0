//! Nodes below layers of switches: fat-trees by rule, and the trees and fabrics that files describe.
//!
//! Layer 0 are the nodes, layer 1 the switches that nodes are plugged into. A **pod** of a layer is what switches up to that
//! layer hold together: in a tree by rule, the switches of a layer that share all digits above it. Nodes are numbered so that
//! those of every pod are neighbours; that is what all layouts rest on. Each cable is two links: the even one up, the odd one down.

mod cabling;
mod pods;
mod regular;
mod xgft;

use crate::{Element, Link, LinkClass, ShapeError, Topology};

pub use cabling::{Cabling, CablingError, End};
pub use pods::{Pod, Pods};
pub use xgft::Xgft;

/// The most elements, and the most cables, that a tree can have.
const MOST: u64 = 1 << 25;

/// Nodes below layers of switches.
#[derive(Clone, Debug, PartialEq)]
pub struct FatTree {
    /// The rule that it follows, if it follows one.
    rule: Option<Xgft>,
    /// The first element of each layer, and the end of the last.
    first: Vec<u32>,
    /// Lower and upper end of each cable, class by class.
    cables: Vec<(u32, u32)>,
    classes: Vec<LinkClass>,
    /// The first cable of each class, and the end of the last.
    first_cables: Vec<u32>,
    up: Lists,
    down: Lists,
    /// By layer, from the first.
    pods: Vec<Pods>,
    /// What elements are called; empty where they only have numbers.
    names: Vec<String>,
}

/// A list of cables for each element.
#[derive(Clone, Debug, PartialEq)]
struct Lists {
    first: Vec<u32>,
    cables: Vec<u32>,
}

impl Lists {
    fn new(elements: u32, cables: &[(u32, u32)], end: impl Fn(&(u32, u32)) -> u32) -> Lists {
        let mut first = vec![0_u32; elements as usize + 1];
        for cable in cables {
            first[end(cable) as usize + 1] += 1;
        }
        for at in 0..elements as usize {
            first[at + 1] += first[at];
        }
        let mut next = first.clone();
        let mut list = vec![0; cables.len()];
        for (number, cable) in cables.iter().enumerate() {
            let at = &mut next[end(cable) as usize];
            list[*at as usize] = number as u32;
            *at += 1;
        }
        Lists { first, cables: list }
    }

    fn of(&self, element: Element) -> &[u32] {
        &self.cables[self.first[element.index()] as usize..self.first[element.index() + 1] as usize]
    }
}

/// A cable's classes, ends and names: what a tree is put together from. Cables stand class by class.
struct Parts {
    rule: Option<Xgft>,
    first: Vec<u32>,
    cables: Vec<(u32, u32)>,
    classes: Vec<LinkClass>,
    first_cables: Vec<u32>,
    pods: Vec<Pods>,
    names: Vec<String>,
}

impl FatTree {
    /// The tree of a rule.
    pub fn new(rule: Xgft) -> Result<FatTree, ShapeError> {
        rule.build().map(FatTree::of)
    }

    /// The tree or fabric that somebody found. Nodes are renumbered so that those of each pod are neighbours;
    /// [`Topology::find`] knows them by their names. If it follows a rule, it is the tree of that rule, with names.
    pub fn from_cabling(cabling: Cabling) -> Result<FatTree, CablingError> {
        let found = cabling.build().map(FatTree::of)?;
        let ruled = regular::rule_of(&found).and_then(|(rule, order)| {
            let names = order.iter().map(|element| found.names[element.index()].clone()).collect();
            Some(FatTree { names, ..FatTree::new(rule).ok()? })
        });
        Ok(ruled.unwrap_or(found))
    }

    fn of(parts: Parts) -> FatTree {
        let Parts { rule, first, cables, classes, first_cables, pods, names } = parts;
        let elements = first.last().copied().unwrap_or(0);
        let up = Lists::new(elements, &cables, |(lower, _)| *lower);
        let down = Lists::new(elements, &cables, |(_, upper)| *upper);
        FatTree { rule, first, cables, classes, first_cables, up, down, pods, names }
    }

    /// The rule that it follows, if it follows one.
    pub fn rule(&self) -> Option<&Xgft> {
        self.rule.as_ref()
    }

    /// Number of layers of switches.
    pub fn layers(&self) -> u32 {
        self.first.len() as u32 - 2
    }

    /// Number of switches of a layer; of layer 0, of nodes.
    pub fn in_layer(&self, layer: u32) -> u32 {
        self.first[layer as usize + 1] - self.first[layer as usize]
    }

    /// Number of switches.
    pub fn switches(&self) -> u32 {
        self.elements() - self.hosts()
    }

    /// The element with that number in a layer that has so many.
    pub fn element(&self, layer: u32, number: u32) -> Element {
        debug_assert!(number < self.in_layer(layer));
        Element(self.first[layer as usize] + number)
    }

    /// The layer of an element, and its number there.
    pub fn place(&self, element: Element) -> (u32, u32) {
        let layer = self.first.partition_point(|first| *first <= element.0) as u32 - 1;
        (layer, element.0 - self.first[layer as usize])
    }

    /// The pods of a layer, from 1.
    pub fn pods(&self, layer: u32) -> &Pods {
        &self.pods[layer as usize - 1]
    }

    /// Cables that lead up from an element, in the order of ports.
    pub fn up(&self, element: Element) -> &[u32] {
        self.up.of(element)
    }

    /// Cables that lead down from an element, in the order of ports.
    pub fn down(&self, element: Element) -> &[u32] {
        self.down.of(element)
    }

    /// Number of cables.
    pub fn cables(&self) -> u32 {
        self.cables.len() as u32
    }

    /// Lower and upper end of a cable. Ends of one layer are possible in fabrics that files describe.
    pub fn cable(&self, cable: u32) -> (Element, Element) {
        let (lower, upper) = self.cables[cable as usize];
        (Element(lower), Element(upper))
    }

    /// Whether elements have names of their own.
    pub fn is_named(&self) -> bool {
        !self.names.is_empty()
    }

    /// The rule as people write it, or how many switches there are in each layer: `fat-tree:4^6`, `tree of 4, 2 and 1 switches`.
    pub fn words(&self) -> String {
        if let Some(rule) = &self.rule {
            return rule.to_string();
        }
        let layers: Vec<String> = (1..=self.layers()).map(|layer| self.in_layer(layer).to_string()).collect();
        format!("{} layers of {} switches", self.layers(), layers.join(", "))
    }
}

impl Topology for FatTree {
    fn elements(&self) -> u32 {
        self.first.last().copied().unwrap_or(0)
    }

    fn hosts(&self) -> u32 {
        self.first[1]
    }

    fn links(&self) -> u32 {
        2 * self.cables()
    }

    fn ends(&self, link: Link) -> (Element, Element) {
        let (lower, upper) = self.cable(link.0 / 2);
        if link.0.is_multiple_of(2) { (lower, upper) } else { (upper, lower) }
    }

    fn opposite(&self, link: Link) -> Option<Link> {
        Some(Link(link.0 ^ 1))
    }

    fn classes(&self) -> &[LinkClass] {
        &self.classes
    }

    fn class(&self, link: Link) -> usize {
        self.first_cables.partition_point(|first| *first <= link.0 / 2) - 1
    }

    fn direction(&self, link: Link) -> &'static str {
        if link.0.is_multiple_of(2) { "up" } else { "down" }
    }

    fn layer(&self, element: Element) -> u32 {
        self.place(element).0
    }

    fn address(&self, element: Element) -> Vec<u32> {
        let (layer, number) = self.place(element);
        vec![layer, number]
    }

    fn at(&self, address: &[u32]) -> Option<Element> {
        let [layer, number] = address else { return None };
        let is_there = *layer <= self.layers() && *number < self.in_layer(*layer);
        is_there.then(|| self.element(*layer, *number))
    }

    fn label(&self, element: Element) -> String {
        match (self.names.get(element.index()), self.place(element)) {
            (Some(name), _) => name.clone(),
            (None, (0, number)) => format!("node {number}"),
            (None, (layer, number)) => format!("switch {layer}.{number}"),
        }
    }

    fn find(&self, label: &str) -> Option<Element> {
        let label = label.trim();
        if let Some(found) = self.names.iter().position(|name| name == label) {
            return Some(Element(found as u32));
        }
        if let Some(number) = label.strip_prefix("node ") {
            return self.at(&[0, number.parse().ok()?]);
        }
        let (layer, number) = label.strip_prefix("switch ")?.split_once('.')?;
        self.at(&[layer.parse().ok()?, number.parse().ok()?])
    }
}

#[cfg(test)]
mod tests;
