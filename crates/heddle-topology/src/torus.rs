//! A torus or mesh of any number of dimensions.
//!
//! Nodes are numbered with the first coordinate fastest. A **cable** joins two neighbours along a dimension and is known by its
//! lower end; a cable that wraps around by its upper one. Cables are numbered by dimension, then line by line, so the cables of
//! one line are neighbours in memory: routing adds to stretches of a line. Each cable is two links, one in each direction.
//!
//! In a dimension of size 2 the way round and the way forth join the same two nodes. Machines differ: [`Dimension::cables`]
//! says whether there are one or two.

use crate::{Cable, Element, Link, LinkClass, ShapeError, Topology};

/// The most dimensions that a torus can have.
pub const MOST_DIMENSIONS: usize = 8;

/// More nodes have more links than fit into 32 bits.
const MOST_NODES: u64 = 1 << 26;

/// Where a node is; dimensions that there are none of are 0.
pub type Coordinates = [u32; MOST_DIMENSIONS];

/// A dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// `x`
    pub name: String,
    /// Number of nodes along it.
    pub size: u32,
    /// Whether the last node is joined to the first.
    pub wraps: bool,
    /// Cables between the two nodes of a dimension of size 2 that wraps; of no meaning otherwise.
    pub cables: u32,
    /// Bytes per second in one direction of a cable.
    pub capacity: Option<f64>,
}

impl Dimension {
    /// Dimensions of these sizes with the names that people use: x, y, z up to three; a, b, c, d, e for four and five, as on
    /// Blue Gene/Q; x, y, z, a, b, c for six, as on Tofu.
    pub fn named(sizes: &[u32], wraps: bool) -> Vec<Dimension> {
        let names = match sizes.len() {
            0..=3 => "xyz",
            4..=5 => "abcde",
            6 => "xyzabc",
            _ => "abcdefgh",
        };
        let names = names.chars().map(String::from).chain(std::iter::repeat("?".to_owned()));
        let dimension =
            |(size, name): (&u32, String)| Dimension { name, size: *size, wraps, cables: 1, capacity: None };
        sizes.iter().zip(names).map(dimension).collect()
    }

    /// Whether its nodes form rings. Two nodes with one cable do not.
    pub fn is_ring(&self) -> bool {
        self.cables_per_line() == self.size
    }

    /// Number of cables of each line of nodes along it.
    pub fn cables_per_line(&self) -> u32 {
        match (self.wraps, self.size) {
            (_, 0 | 1) => 0,
            (true, 2) => self.cables,
            (true, size) => size,
            (false, size) => size - 1,
        }
    }
}

/// The way along a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Towards larger coordinates.
    Plus,
    /// Towards smaller ones.
    Minus,
}

impl Direction {
    /// Both.
    pub const BOTH: [Direction; 2] = [Direction::Plus, Direction::Minus];

    /// `+` or `-`.
    pub fn sign(self) -> &'static str {
        match self {
            Direction::Plus => "+",
            Direction::Minus => "-",
        }
    }
}

/// A torus, or a mesh where dimensions do not wrap.
#[derive(Clone, Debug, PartialEq)]
pub struct Torus {
    dimensions: Vec<Dimension>,
    classes: Vec<LinkClass>,
    /// Nodes between neighbours along each dimension.
    strides: Vec<u32>,
    nodes: u32,
    /// The first cable of each dimension, and the end of the last.
    first_cables: Vec<u32>,
}

impl Torus {
    /// A torus of these dimensions.
    pub fn new(dimensions: Vec<Dimension>) -> Result<Torus, ShapeError> {
        let text = || dimensions.iter().map(|d| d.size.to_string()).collect::<Vec<_>>().join("x");
        if dimensions.is_empty() || dimensions.iter().any(|d| d.size == 0 || !(1..=2).contains(&d.cables)) {
            return Err(ShapeError::NotSizes(text()));
        }
        if dimensions.len() > MOST_DIMENSIONS {
            let (dimensions, text) = (dimensions.len(), text());
            return Err(ShapeError::Dimensions { text, dimensions, most: MOST_DIMENSIONS });
        }
        let mut nodes = 1_u64;
        let mut strides = Vec::with_capacity(dimensions.len());
        for dimension in &dimensions {
            strides.push(nodes as u32);
            nodes *= u64::from(dimension.size);
            if nodes > MOST_NODES {
                return Err(ShapeError::TooLarge(text()));
            }
        }
        let nodes = nodes as u32;
        let mut first_cables = vec![0];
        let mut end = 0;
        for dimension in &dimensions {
            end += nodes / dimension.size * dimension.cables_per_line();
            first_cables.push(end);
        }
        let class = |d: &Dimension| LinkClass { kind: "torus", name: d.name.clone(), capacity: d.capacity };
        let classes = dimensions.iter().map(class).collect();
        Ok(Torus { dimensions, classes, strides, nodes, first_cables })
    }

    /// Its dimensions.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// The dimension of that name, whatever its case.
    pub fn dimension(&self, name: &str) -> Option<usize> {
        self.dimensions.iter().position(|dimension| dimension.name.eq_ignore_ascii_case(name))
    }

    /// `8x8x16`
    pub fn sizes(&self) -> String {
        self.dimensions.iter().map(|d| d.size.to_string()).collect::<Vec<_>>().join("x")
    }

    /// Number of nodes between neighbours along a dimension.
    pub fn stride(&self, dim: usize) -> u32 {
        self.strides[dim]
    }

    /// Where a node is.
    pub fn coordinates(&self, node: Element) -> Coordinates {
        let mut at = [0; MOST_DIMENSIONS];
        for (dim, (dimension, stride)) in self.dimensions.iter().zip(&self.strides).enumerate() {
            at[dim] = node.0 / stride % dimension.size;
        }
        at
    }

    /// One coordinate of a node.
    pub fn coordinate(&self, node: Element, dim: usize) -> u32 {
        node.0 / self.strides[dim] % self.dimensions[dim].size
    }

    /// The node at a place within the sizes.
    pub fn node(&self, at: &Coordinates) -> Element {
        debug_assert!(self.dimensions.iter().zip(at).all(|(dimension, at)| *at < dimension.size));
        Element(self.strides.iter().zip(at).map(|(stride, at)| stride * at).sum())
    }

    /// The node that lies `by` further along a dimension, around the ring.
    pub fn beyond(&self, node: Element, dim: usize, by: i64) -> Element {
        let (size, stride) = (i64::from(self.dimensions[dim].size), self.strides[dim]);
        let at = i64::from(self.coordinate(node, dim));
        let to = (at + by).rem_euclid(size);
        Element((i64::from(node.0) + (to - at) * i64::from(stride)) as u32)
    }

    /// Number of cables.
    pub fn cables(&self) -> u32 {
        self.first_cables[self.dimensions.len()]
    }

    /// The cables of a dimension, line by line.
    pub fn cables_of(&self, dim: usize) -> std::ops::Range<u32> {
        self.first_cables[dim]..self.first_cables[dim + 1]
    }

    /// The dimension of a cable.
    pub fn dimension_of(&self, cable: Cable) -> usize {
        self.first_cables.partition_point(|first| *first <= cable.0) - 1
    }

    /// The cable that leaves a node towards larger coordinates.
    pub fn cable(&self, node: Element, dim: usize) -> Option<Cable> {
        let at = self.coordinate(node, dim);
        let exists = at < self.dimensions[dim].cables_per_line();
        exists.then(|| Cable(self.first_cable_of_line(node, dim) + at))
    }

    /// The number of the first cable of the line along a dimension that runs through a node; those of the line follow it.
    pub(crate) fn first_cable_of_line(&self, node: Element, dim: usize) -> u32 {
        let (stride, dimension) = (self.strides[dim], &self.dimensions[dim]);
        let line = node.0 / (stride * dimension.size) * stride + node.0 % stride;
        self.first_cables[dim] + line * dimension.cables_per_line()
    }

    /// The node at the lower end of a cable; of one that wraps around, the last node of its line.
    pub fn lower_end(&self, cable: Cable) -> Element {
        let dim = self.dimension_of(cable);
        let (stride, dimension) = (self.strides[dim], &self.dimensions[dim]);
        let per_line = dimension.cables_per_line();
        let (line, at) = ((cable.0 - self.first_cables[dim]) / per_line, (cable.0 - self.first_cables[dim]) % per_line);
        Element(line / stride * stride * dimension.size + line % stride + at * stride)
    }

    /// Whether a cable joins the last node of its line to the first.
    pub fn wraps(&self, cable: Cable) -> bool {
        let dim = self.dimension_of(cable);
        self.coordinate(self.lower_end(cable), dim) + 1 == self.dimensions[dim].size
    }

    /// A direction of a cable.
    pub fn link(cable: Cable, direction: Direction) -> Link {
        Link(2 * cable.0 + u32::from(direction == Direction::Minus))
    }

    /// The cable of a link, and the link's way along it.
    pub fn cable_of(link: Link) -> (Cable, Direction) {
        (Cable(link.0 / 2), Direction::BOTH[(link.0 % 2) as usize])
    }

    /// The link over which a node sends along a dimension.
    pub fn link_from(&self, node: Element, dim: usize, direction: Direction) -> Option<Link> {
        let cable = match direction {
            Direction::Plus => self.cable(node, dim),
            Direction::Minus if !self.dimensions[dim].wraps && self.coordinate(node, dim) == 0 => None,
            Direction::Minus => self.cable(self.beyond(node, dim, -1), dim),
        };
        cable.map(|cable| Torus::link(cable, direction))
    }
}

impl Torus {
    /// All links from a node straight to another: two where a dimension of size 2 has two cables.
    pub fn links_between(&self, from: Element, to: Element) -> impl Iterator<Item = Link> + '_ {
        let dims = 0..self.dimensions.len();
        let all = dims.flat_map(move |dim| Direction::BOTH.map(|direction| self.link_from(from, dim, direction)));
        all.flatten().filter(move |link| self.ends(*link).1 == to)
    }
}

impl Topology for Torus {
    fn elements(&self) -> u32 {
        self.nodes
    }

    fn hosts(&self) -> u32 {
        self.nodes
    }

    fn links(&self) -> u32 {
        2 * self.cables()
    }

    fn ends(&self, link: Link) -> (Element, Element) {
        let (cable, direction) = Torus::cable_of(link);
        let low = self.lower_end(cable);
        let high = self.beyond(low, self.dimension_of(cable), 1);
        match direction {
            Direction::Plus => (low, high),
            Direction::Minus => (high, low),
        }
    }

    fn opposite(&self, link: Link) -> Option<Link> {
        Some(Link(link.0 ^ 1))
    }

    fn classes(&self) -> &[LinkClass] {
        &self.classes
    }

    fn class(&self, link: Link) -> usize {
        self.dimension_of(Cable(link.0 / 2))
    }

    fn direction(&self, link: Link) -> &'static str {
        Torus::cable_of(link).1.sign()
    }

    fn link_between(&self, from: Element, to: Element) -> Option<Link> {
        self.links_between(from, to).next()
    }

    fn layer(&self, _element: Element) -> u32 {
        0
    }

    fn address(&self, element: Element) -> Vec<u32> {
        self.coordinates(element)[..self.dimensions.len()].to_vec()
    }

    fn at(&self, address: &[u32]) -> Option<Element> {
        let is_there = address.len() == self.dimensions.len()
            && address.iter().zip(&self.dimensions).all(|(at, dimension)| *at < dimension.size);
        let mut place = Coordinates::default();
        is_there.then(|| place[..address.len()].copy_from_slice(address))?;
        Some(self.node(&place))
    }

    fn label(&self, element: Element) -> String {
        let at: Vec<String> = self.address(element).iter().map(u32::to_string).collect();
        format!("({})", at.join(","))
    }

    fn find(&self, label: &str) -> Option<Element> {
        let label: String = label.chars().filter(|c| !c.is_whitespace() && *c != '(' && *c != ')').collect();
        let address: Option<Vec<u32>> = label.split(',').map(|at| at.parse().ok()).collect();
        self.at(&address?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn torus(sizes: &[u32]) -> Torus {
        Torus::new(Dimension::named(sizes, true)).unwrap()
    }

    #[test]
    fn links_lead_to_neighbours_and_back() {
        for (sizes, wraps) in
            [(&[4, 4, 4][..], true), (&[3, 6, 5], true), (&[4, 3, 5], false), (&[6, 5, 4, 3, 2], true)]
        {
            let torus = Torus::new(Dimension::named(sizes, wraps)).unwrap();
            let mut seen = vec![false; torus.links() as usize];
            for node in (0..torus.elements()).map(Element) {
                assert_eq!(torus.node(&torus.coordinates(node)), node);
                assert_eq!(torus.find(&torus.label(node)), Some(node));
                for dim in 0..sizes.len() {
                    for direction in Direction::BOTH {
                        let Some(link) = torus.link_from(node, dim, direction) else { continue };
                        assert!(!std::mem::replace(&mut seen[link.index()], true), "{node:?} {dim} {direction:?}");
                        let by = if direction == Direction::Plus { 1 } else { -1 };
                        assert_eq!(torus.ends(link), (node, torus.beyond(node, dim, by)));
                        assert_eq!((torus.class(link), torus.direction(link)), (dim, direction.sign()));
                        let (back_from, back_to) = torus.ends(torus.opposite(link).unwrap());
                        assert_eq!((back_to, back_from), torus.ends(link));
                    }
                }
            }
            assert!(seen.iter().all(|seen| *seen), "{sizes:?}");
        }
    }

    #[test]
    fn machines_have_as_many_links_as_they_are_known_for() {
        assert_eq!(torus(&[8, 8, 8]).links(), 3_072);
        assert_eq!(torus(&[6, 5, 4, 3, 2]).links(), 6_480, "one link per node in the dimension of size 2");
        let mut two_cables = Dimension::named(&[4, 2], true);
        two_cables[1].cables = 2;
        assert_eq!(Torus::new(two_cables).unwrap().links(), 32);
        assert_eq!(Torus::new(Dimension::named(&[4, 4], false)).unwrap().links(), 48);
        assert_eq!(torus(&[7, 1, 1]).links(), 14);
        assert_eq!(torus(&[24, 23, 24, 2, 3, 2]).elements(), 158_976);
    }
}
