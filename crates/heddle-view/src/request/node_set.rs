//! Nodes of a machine and links between them, by coordinates: what outlives a mapping.

use std::fmt;
use std::str::FromStr;

use heddle_topology::{Element, Link, Shape, Topology, Torus};

/// Coordinates that a text may have: more than any torus.
const MOST_DIMENSIONS: usize = 8;

/// Nodes: those of some boxes of coordinates, as people write them. `*,*,5` is a plane, `0-3,2,5;7,7,7` a row and a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSet {
    boxes: Vec<Vec<(u32, u32)>>,
}

/// Not a set of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "write coordinates, ranges of them or * for all, for instance *,*,5 or 0-3,2,5;7,7,7; in a tree layer and number, 2,120"
)]
pub struct NodeSetError;

impl FromStr for NodeSet {
    type Err = NodeSetError;

    fn from_str(text: &str) -> Result<NodeSet, NodeSetError> {
        let number = |word: &str| word.trim().parse::<u32>().map_err(|_| NodeSetError);
        let range = |word: &str| match word.split_once('-') {
            None if word.trim() == "*" => Ok((0, u32::MAX)),
            None => number(word).map(|at| (at, at)),
            Some((from, to)) => Ok((number(from)?, number(to)?)),
        };
        let of_box = |text: &str| text.split(',').map(range).collect::<Result<Vec<_>, _>>();
        let boxes = text.split(';').map(of_box).collect::<Result<Vec<_>, _>>()?;
        let is_sound =
            |of_box: &Vec<(u32, u32)>| of_box.len() <= MOST_DIMENSIONS && of_box.iter().all(|(from, to)| from <= to);
        if boxes.iter().all(is_sound) { Ok(NodeSet { boxes }) } else { Err(NodeSetError) }
    }
}

impl fmt::Display for NodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |(from, to): &(u32, u32)| match (from, to) {
            (0, &u32::MAX) => "*".to_owned(),
            (from, to) if from == to => from.to_string(),
            (from, to) => format!("{from}-{to}"),
        };
        let of_box = |of_box: &Vec<(u32, u32)>| of_box.iter().map(range).collect::<Vec<_>>().join(",");
        f.write_str(&self.boxes.iter().map(of_box).collect::<Vec<_>>().join(";"))
    }
}

impl NodeSet {
    /// One node.
    pub fn one(at: &[u32]) -> NodeSet {
        NodeSet { boxes: vec![at.iter().map(|at| (*at, *at)).collect()] }
    }

    /// All nodes with one coordinate: a plane of a torus of three dimensions.
    pub fn plane(dimensions: usize, dim: usize, at: u32) -> NodeSet {
        let range = |other: usize| if other == dim { (at, at) } else { (0, u32::MAX) };
        NodeSet { boxes: vec![(0..dimensions).map(range).collect()] }
    }

    /// Those of a machine that are marked; none if none is.
    pub fn of(shape: &Shape, is_in: &[bool]) -> Option<NodeSet> {
        match shape {
            Shape::Torus(torus) => NodeSet::of_torus(torus, is_in),
            other => NodeSet::of_rows(&**other, is_in),
        }
    }

    /// Those whose addresses differ in the last number alone follow each other: one box for each stretch of them.
    fn of_rows(topology: &dyn Topology, is_in: &[bool]) -> Option<NodeSet> {
        let mut boxes: Vec<Vec<(u32, u32)>> = Vec::new();
        for element in (0..topology.elements()).map(Element).filter(|element| is_in[element.index()]) {
            let address = topology.address(element);
            let (row, last) = address.split_at(address.len().saturating_sub(1));
            let goes_on = |of_box: &&mut Vec<(u32, u32)>| {
                of_box.len() == address.len()
                    && of_box.iter().zip(row).all(|((from, to), at)| from == at && to == at)
                    && of_box.last().is_some_and(|(_, to)| last.first().is_some_and(|at| to + 1 == *at))
            };
            match boxes.last_mut().filter(goes_on).and_then(|of_box| of_box.last_mut()) {
                Some((_, to)) => *to += 1,
                None => boxes.push(address.iter().map(|at| (*at, *at)).collect()),
            }
        }
        (!boxes.is_empty()).then_some(NodeSet { boxes })
    }

    /// Those of a torus that are marked, in as few boxes as come of growing each as far as it goes.
    fn of_torus(torus: &Torus, is_in: &[bool]) -> Option<NodeSet> {
        let dimensions = torus.dimensions();
        let mut is_left = is_in.to_vec();
        let mut boxes = Vec::new();
        for first in 0..torus.elements() {
            if !is_left.get(first as usize).copied().unwrap_or(false) {
                continue;
            }
            let at = torus.coordinates(Element(first));
            let mut of_box: Vec<(u32, u32)> = at[..dimensions.len()].iter().map(|at| (*at, *at)).collect();
            let mut held = vec![first];
            for (dim, dimension) in dimensions.iter().enumerate() {
                let layer = held.clone();
                // Dimension by dimension: what the box has so far, once more beside itself.
                while of_box[dim].1 + 1 < dimension.size {
                    let by = (of_box[dim].1 + 1 - at[dim]) * torus.stride(dim);
                    let next = layer.iter().map(|node| node + by);
                    if !next.clone().all(|node| is_left[node as usize]) {
                        break;
                    }
                    held.extend(next);
                    of_box[dim].1 += 1;
                }
            }
            for node in held {
                is_left[node as usize] = false;
            }
            boxes.push(of_box);
        }
        // All along a dimension of several nodes is written shorter, and holds for other sizes too.
        for of_box in &mut boxes {
            for (range, dimension) in of_box.iter_mut().zip(dimensions) {
                if dimension.size > 1 && *range == (0, dimension.size - 1) {
                    *range = (0, u32::MAX);
                }
            }
        }
        (!boxes.is_empty()).then_some(NodeSet { boxes })
    }

    /// Whether a node is one of them.
    pub fn contains(&self, at: &[u32]) -> bool {
        let in_box = |of_box: &Vec<(u32, u32)>| {
            of_box.len() == at.len() && of_box.iter().zip(at).all(|((from, to), at)| (from..=to).contains(&at))
        };
        self.boxes.iter().any(in_box)
    }
}

/// A link by its ends: `1,6,5>2,6,5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkName {
    /// Who sends.
    pub from: Vec<u32>,
    /// Who receives.
    pub to: Vec<u32>,
}

impl FromStr for LinkName {
    type Err = NodeSetError;

    fn from_str(text: &str) -> Result<LinkName, NodeSetError> {
        let end = |text: &str| -> Result<Vec<u32>, NodeSetError> {
            let at: Option<Vec<u32>> = text.split(',').map(|at| at.trim().parse().ok()).collect();
            at.filter(|at| at.len() <= MOST_DIMENSIONS).ok_or(NodeSetError)
        };
        let (from, to) = text.split_once('>').ok_or(NodeSetError)?;
        Ok(LinkName { from: end(from)?, to: end(to)? })
    }
}

impl LinkName {
    /// The name of a link.
    pub fn of(topology: &dyn Topology, link: Link) -> LinkName {
        let (from, to) = topology.ends(link);
        LinkName { from: topology.address(from), to: topology.address(to) }
    }

    /// The link of a machine that is called so; the first of several between the same ends.
    pub fn find(&self, topology: &dyn Topology) -> Option<Link> {
        topology.link_between(topology.at(&self.from)?, topology.at(&self.to)?)
    }
}

impl fmt::Display for LinkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |at: &[u32]| at.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        write!(f, "{}>{}", end(&self.from), end(&self.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_nodes_become_few_boxes() {
        let torus = Torus::new(heddle_topology::Dimension::named(&[4, 3, 5], true)).unwrap();
        for text in ["*,*,3", "1,2,4", "0-2,1,*", "0-1,0-1,0;3,2,4", "*,*,*", "0-1,0,0;0-1,2,0"] {
            let set: NodeSet = text.parse().unwrap();
            let is_in: Vec<bool> =
                (0..torus.elements()).map(|node| set.contains(&torus.coordinates(Element(node))[..3])).collect();
            assert_eq!(NodeSet::of_torus(&torus, &is_in), Some(set), "{text}");
        }
        assert_eq!(NodeSet::of_torus(&torus, &[false; 60]), None);
    }

    #[test]
    fn sets_of_nodes_are_read_and_written_back() {
        for text in ["1,6,5", "*,*,5", "0-3,2,5;7,7,7", "3,0,1,2,1"] {
            assert_eq!(text.parse::<NodeSet>().unwrap().to_string(), text);
        }
        let plane = NodeSet::plane(3, 2, 5);
        assert!(plane.contains(&[7, 0, 5]) && !plane.contains(&[7, 0, 4]) && !plane.contains(&[7, 5]));
        for text in ["", "a", "1,2,", "4-3,0,0", "1;;2", "1,2,3,4,5,6,7,8,9"] {
            assert_eq!(text.parse::<NodeSet>(), Err(NodeSetError), "{text}");
        }
        assert_eq!("1,6,5>2,6,5".parse::<LinkName>().unwrap().to_string(), "1,6,5>2,6,5");
        assert!("1,6,5".parse::<LinkName>().is_err() && "1>".parse::<LinkName>().is_err());
    }
}
