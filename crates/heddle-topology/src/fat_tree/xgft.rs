//! Fat-trees by rule: extended generalised fat-trees, XGFT(h; m; w) with parallel cables.
//!
//! A switch of layer i has `m_i` children in the layer below, and what is below has `w_i` parents in layer i, each joined by `c_i`
//! cables. An element of layer i is known by one digit per layer: base `w_j` up to its own layer, base `m_j` above, the lowest
//! first. The way up from layer i−1 to layer i replaces digit i, a child's number, by the number of the parent. A quaternary
//! fat-tree has m = 4 throughout, and w = 1 for its nodes and 4 for its switches.

use std::fmt;
use std::str::FromStr;

use super::{MOST, Parts, Pod, Pods};
use crate::{LinkClass, ShapeError};

/// The rule of a fat-tree; one number per layer of switches, from the nodes up.
#[derive(Clone, Debug, PartialEq)]
pub struct Xgft {
    /// Children of a switch.
    pub children: Vec<u32>,
    /// Parents of what is below.
    pub parents: Vec<u32>,
    /// Cables between a child and a parent.
    pub cables: Vec<u32>,
    /// Bytes per second in one direction of a cable, per layer; none if nobody said.
    pub capacity: Vec<Option<f64>>,
}

impl Xgft {
    /// A tree of switches with as many ways up as down, except at the top: nodes hang on one switch each. All four for each layer
    /// is the quaternary fat-tree.
    pub fn full(children: &[u32]) -> Xgft {
        let parents = std::iter::once(1).chain(children.iter().copied()).take(children.len()).collect();
        Xgft::with(children.to_vec(), parents, vec![1; children.len()])
    }

    /// A tree of these numbers of children, parents and cables.
    pub fn with(children: Vec<u32>, parents: Vec<u32>, cables: Vec<u32>) -> Xgft {
        let capacity = vec![None; children.len()];
        Xgft { children, parents, cables, capacity }
    }

    /// Number of layers of switches.
    pub fn layers(&self) -> usize {
        self.children.len()
    }

    /// Nodes below a switch of a layer: `M_i`.
    pub fn nodes_below(&self, layer: usize) -> u64 {
        self.children[..layer].iter().map(|n| u64::from(*n)).product()
    }

    /// Switches of a pod of a layer: `W_i`.
    pub fn switches_of_pod(&self, layer: usize) -> u64 {
        self.parents[..layer].iter().map(|n| u64::from(*n)).product()
    }

    /// Pods of a layer.
    pub fn pods(&self, layer: usize) -> u64 {
        self.children[layer..].iter().map(|n| u64::from(*n)).product()
    }

    /// The number in layer `layer` of a parent of an element of the layer below.
    pub fn parent(&self, layer: usize, below: u32, choice: u32) -> u32 {
        let low = self.switches_of_pod(layer - 1) as u32;
        let pod = below / low / self.children[layer - 1];
        below % low + low * (choice + self.parents[layer - 1] * pod)
    }

    pub(super) fn build(self) -> Result<Parts, ShapeError> {
        let is_sound = !self.children.is_empty()
            && [&self.parents, &self.cables].iter().all(|list| list.len() == self.layers())
            && [&self.children, &self.parents, &self.cables].iter().all(|list| list.iter().all(|n| *n > 0));
        if !is_sound {
            return Err(ShapeError::NotATree(self.to_string()));
        }
        let counts = self.counts().ok_or_else(|| ShapeError::TooLarge(self.to_string()))?;
        let mut first = vec![0];
        for count in &counts {
            first.push(first[first.len() - 1] + count);
        }
        let (mut cables, mut first_cables, mut classes) = (Vec::new(), vec![0], Vec::new());
        for layer in 1..=self.layers() {
            for below in 0..counts[layer - 1] {
                for choice in 0..self.parents[layer - 1] {
                    let (lower, upper) = (first[layer - 1] + below, first[layer] + self.parent(layer, below, choice));
                    cables.extend(std::iter::repeat_n((lower, upper), self.cables[layer - 1] as usize));
                }
            }
            first_cables.push(cables.len() as u32);
            classes.push(LinkClass {
                kind: "fat-tree",
                name: format!("layer {layer}"),
                capacity: self.capacity[layer - 1],
            });
        }
        let pods = (1..=self.layers())
            .map(|layer| {
                let (nodes, switches) = (self.nodes_below(layer) as u32, self.switches_of_pod(layer) as u32);
                let pod =
                    |at: u32| Pod { nodes: at * nodes..(at + 1) * nodes, switches: at * switches..(at + 1) * switches };
                Pods::new((0..self.pods(layer) as u32).map(pod).collect())
            })
            .collect();
        Ok(Parts { rule: Some(self), first, cables, classes, first_cables, pods, names: Vec::new() })
    }

    /// Elements of each layer, nodes first; none if there are too many, or too many cables.
    fn counts(&self) -> Option<Vec<u32>> {
        let product = |list: &[u32]| list.iter().try_fold(1_u64, |all, n| all.checked_mul(u64::from(*n)));
        let (mut counts, mut elements, mut cables) = (Vec::new(), 0_u64, 0_u64);
        for layer in 0..=self.layers() {
            let count = product(&self.children[layer..])?.checked_mul(product(&self.parents[..layer])?)?;
            elements = elements.checked_add(count)?;
            if let (Some(parents), Some(each)) = (self.parents.get(layer), self.cables.get(layer)) {
                cables = count.checked_mul(u64::from(*parents))?.checked_mul(u64::from(*each))?.checked_add(cables)?;
            }
            if elements > MOST || cables > MOST {
                return None;
            }
            counts.push(count as u32);
        }
        Some(counts)
    }
}

impl FromStr for Xgft {
    type Err = ShapeError;

    /// `4^6`, `4x4x4`, `16x8;1x4`, `16x8;1x4;1x2`: children, then parents, then cables, from the nodes up.
    fn from_str(text: &str) -> Result<Xgft, ShapeError> {
        let wrong = || ShapeError::NotATree(text.to_owned());
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|n| *n > 0);
        let list = |text: &str| -> Option<Vec<u32>> {
            match text.split_once('^') {
                Some((each, layers)) => {
                    let layers = number(layers).filter(|layers| *layers <= 32)?;
                    Some(vec![number(each)?; layers as usize])
                }
                None => text.split('x').map(number).collect(),
            }
        };
        let mut lists = text.split(';').map(list);
        let children = lists.next().flatten().ok_or_else(wrong)?;
        let full = Xgft::full(&children);
        let mut or = |usual: Vec<u32>| match lists.next() {
            None => Ok(usual),
            Some(list) => list.filter(|list| list.len() == children.len()).ok_or_else(wrong),
        };
        let (parents, cables) = (or(full.parents)?, or(full.cables)?);
        if lists.next().is_some() {
            return Err(wrong());
        }
        Ok(Xgft::with(children, parents, cables))
    }
}

impl fmt::Display for Xgft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |list: &[u32]| match list {
            [first, .., _] if list.len() > 2 && list.iter().all(|n| n == first) => format!("{first}^{}", list.len()),
            _ => list.iter().map(u32::to_string).collect::<Vec<_>>().join("x"),
        };
        write!(f, "fat-tree:{}", list(&self.children))?;
        let full = Xgft::full(&self.children);
        let has_cables = self.cables != full.cables;
        if self.parents != full.parents || has_cables {
            write!(f, ";{}", list(&self.parents))?;
        }
        if has_cables { write!(f, ";{}", list(&self.cables)) } else { Ok(()) }
    }
}
