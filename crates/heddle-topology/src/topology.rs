//! What all machines have in common: elements, and directed links between them.

use std::fmt::Debug;

/// A part of a machine: a node, and later a switch or a network card. Those that ranks can run on come first.
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
}

/// Links that are alike: of one dimension, of one level. What is compared, and summed up, together.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkClass {
    /// What kind of link it is: `torus`.
    pub kind: &'static str,
    /// Which of that kind: the dimension's name.
    pub name: String,
    /// Bytes per second in one direction; none if nobody said.
    pub capacity: Option<f64>,
}

/// A machine. Elements and links are numbered from 0 without gaps.
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

    /// The way of a link within its class: `+` or `-` in a torus.
    fn direction(&self, link: Link) -> &'static str;

    /// What an element is called: `(1,6,5)` in a torus.
    fn label(&self, element: Element) -> String;

    /// The element that is called so; blanks and brackets do not matter.
    fn find(&self, label: &str) -> Option<Element>;
}
