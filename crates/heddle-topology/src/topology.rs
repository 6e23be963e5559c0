//! What all machines have in common: elements, and directed links between them.

use std::fmt::Debug;

/// A part of a machine: a node, a switch or a router. Those that ranks can run on come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Element(pub u32);

/// One direction of a cable, from the element that sends to the one that receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link(pub u32);

impl Element {
    /// Its position in lists of elements.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Link {
    /// Its position in lists of links.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Both directions of it.
    pub fn cable(self) -> Cable {
        Cable(self.0 / 2)
    }
}

/// Both directions of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cable(pub u32);

impl Cable {
    /// Its position in lists of cables.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Both directions.
    pub fn links(self) -> [Link; 2] {
        [Link(2 * self.0), Link(2 * self.0 + 1)]
    }
}

/// Links that are alike: of one dimension, of one level. What is compared, and summed up, together.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkClass {
    /// What kind of machine it is of: `torus`, `fat-tree`, `dragonfly`.
    pub kind: &'static str,
    /// Which of that kind: the name of a dimension, `layer 2`, `global`.
    pub name: String,
    /// Bytes per second in one direction; none if nobody said.
    pub capacity: Option<f64>,
}

/// A machine. Elements and links are numbered from 0 without gaps. Cables carry both ways: links 2n and 2n + 1 are the two
/// directions of cable n.
pub trait Topology: Debug + Send + Sync {
    /// Number of elements.
    fn elements(&self) -> u32;

    /// Number of elements that ranks can run on: the first ones.
    fn hosts(&self) -> u32;

    /// Number of directed links.
    fn links(&self) -> u32;

    /// Who sends over a link, and who receives.
    fn ends(&self, link: Link) -> (Element, Element);

    /// The other direction of the same cable, if there is one.
    fn opposite(&self, link: Link) -> Option<Link>;

    /// All classes of links.
    fn classes(&self) -> &[LinkClass];

    /// The class of a link, as a position in [`Topology::classes`].
    fn class(&self, link: Link) -> usize;

    /// The way of a link within its class: `+` or `-` in a torus, `up` or `down` in a tree.
    fn direction(&self, link: Link) -> &'static str;

    /// The link from an element straight to another; the first of several.
    fn link_between(&self, from: Element, to: Element) -> Option<Link> {
        (0..self.links()).map(Link).find(|link| self.ends(*link) == (from, to))
    }

    /// The layer of an element: 0 for what ranks run on, above it for switches.
    fn layer(&self, element: Element) -> u32;

    /// Where an element is, in numbers: coordinates of a torus; layer and number in a tree; group, router and node in a
    /// dragonfly, where routers have two of these.
    fn address(&self, element: Element) -> Vec<u32>;

    /// The element that is there.
    fn at(&self, address: &[u32]) -> Option<Element>;

    /// What an element is called: `(1,6,5)` in a torus, `switch 2.120` in a tree.
    fn label(&self, element: Element) -> String;

    /// The element that is called so; blanks and brackets do not matter.
    fn find(&self, label: &str) -> Option<Element>;
}
