//! Nodes and links while they are read.

use heddle_model::{MeasuredNetwork, NetworkDimension, NetworkLink, NetworkNode, WarningKind, Warnings};
use heddle_topology::{Coordinates, Element, MOST_DIMENSIONS, Topology, Torus};
use rustc_hash::FxHashMap;

use super::meta::Hardware;
use super::table::{Row, RowFault};

/// Nodes, in the order of the file.
#[derive(Default)]
pub(super) struct Nodes {
    pub(super) list: Vec<NetworkNode>,
    by_id: FxHashMap<i64, u32>,
    by_place: FxHashMap<u32, u32>,
}

impl Nodes {
    /// The node of an id.
    pub(super) fn find(&self, id: i64) -> Option<u32> {
        self.by_id.get(&id).copied()
    }

    /// The node of a row: a new one, or the same as in an earlier row.
    pub(super) fn node(&mut self, id: Option<i64>, place: u32) -> Result<u32, RowFault> {
        let known = match id {
            Some(id) => self.by_id.get(&id),
            None => self.by_place.get(&place),
        };
        if let Some(node) = known {
            let is_same = self.list[*node as usize].place == place;
            return is_same
                .then_some(*node)
                .ok_or_else(|| "a node should have the same coordinates in all rows".to_owned());
        }
        if self.by_place.contains_key(&place) {
            return Err("two nodes have the same coordinates; every node should have its own".to_owned());
        }
        let node = self.list.len() as u32;
        self.list.push(NetworkNode { file_id: id, place });
        self.by_place.insert(place, node);
        if let Some(id) = id {
            self.by_id.insert(id, node);
        }
        Ok(node)
    }

    /// Puts nodes into the order of their places; for each in the order of the file the place in that list.
    pub(super) fn by_place(&mut self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.list.len() as u32).collect();
        order.sort_unstable_by_key(|node| self.list[*node as usize].place);
        let mut renumbered = vec![0; order.len()];
        for (place, node) in order.iter().enumerate() {
            renumbered[*node as usize] = place as u32;
        }
        self.list = order.iter().map(|node| self.list[*node as usize]).collect();
        for node in self.by_id.values_mut().chain(self.by_place.values_mut()) {
            *node = renumbered[*node as usize];
        }
        renumbered
    }

    /// The id of the node at a place.
    pub(super) fn id_at(&self, place: u32) -> Option<i64> {
        self.by_place.get(&place).and_then(|node| self.list[*node as usize].file_id)
    }

    fn at(&self, place: u32) -> u32 {
        self.by_place.get(&place).copied().unwrap_or(MeasuredNetwork::NOWHERE)
    }
}

/// The place of a node from the columns of its coordinates.
pub(super) fn place(torus: &Torus, columns: &[usize], row: &Row) -> Result<u32, RowFault> {
    let mut at: Coordinates = [0; MOST_DIMENSIONS];
    for ((at, dimension), column) in at.iter_mut().zip(torus.dimensions()).zip(columns) {
        let coordinate = row.integer(*column)?;
        let inside = u32::try_from(coordinate).ok().filter(|coordinate| *coordinate < dimension.size);
        *at = inside.ok_or_else(|| {
            format!("the coordinate `{}` should lie between 0 and {}", dimension.name, dimension.size - 1)
        })?;
    }
    Ok(torus.node(&at).0)
}

/// A link as its rows tell it.
#[derive(Clone, Copy)]
struct RawLink {
    file_id: Option<i64>,
    source: u32,
    destination: u32,
    dimension: u32,
    /// Which way round; both are the same in a dimension of size 2.
    is_positive: bool,
}

/// Links, in the order of the file.
#[derive(Default)]
pub(super) struct Links {
    list: Vec<RawLink>,
    by_id: FxHashMap<i64, u32>,
    by_ends: FxHashMap<(u32, u32), u32>,
}

impl Links {
    /// The link of an id.
    pub(super) fn find(&self, id: i64) -> Option<u32> {
        self.by_id.get(&id).copied()
    }

    /// The link of a row: a new one, or the same as in an earlier row.
    pub(super) fn link(
        &mut self,
        torus: &Torus,
        id: Option<i64>,
        source: u32,
        destination: u32,
    ) -> Result<u32, RowFault> {
        let known = match id {
            Some(id) => self.by_id.get(&id),
            None => self.by_ends.get(&(source, destination)),
        };
        if let Some(link) = known {
            let raw = self.list[*link as usize];
            let is_same = (raw.source, raw.destination) == (source, destination);
            return is_same.then_some(*link).ok_or_else(|| "a link should have the same ends in all rows".to_owned());
        }
        let (dimension, is_positive) = way(torus, Element(source), Element(destination))?;
        let link = self.list.len() as u32;
        self.list.push(RawLink { file_id: id, source, destination, dimension, is_positive });
        match id {
            Some(id) => drop(self.by_id.insert(id, link)),
            None => drop(self.by_ends.insert((source, destination), link)),
        }
        Ok(link)
    }

    /// Ids of links, with the places that they lead from and to.
    pub(super) fn ends(&self) -> impl Iterator<Item = (i64, u32, u32)> {
        self.list.iter().filter_map(|link| Some((link.file_id?, link.source, link.destination)))
    }

    /// Nodes that only links tell of.
    pub(super) fn add_nodes(&self, nodes: &mut Nodes) -> u64 {
        let before = nodes.list.len();
        for place in self.list.iter().flat_map(|link| [link.source, link.destination]) {
            if !nodes.by_place.contains_key(&place) {
                // Its place is free, so it cannot fail.
                let _ = nodes.node(None, place);
            }
        }
        (nodes.list.len() - before) as u64
    }

    /// Which way links lead, which are the same one, and what that says about the dimensions: the dimensions, the links, and
    /// for each in the order of the file its place among them.
    pub(super) fn finish(
        &self,
        hardware: &Hardware,
        nodes: &Nodes,
        name: &str,
        warnings: &mut Warnings,
    ) -> (Vec<NetworkDimension>, Vec<NetworkLink>, Vec<u32>) {
        let torus = &hardware.torus;
        let mut dimensions: Vec<NetworkDimension> = torus
            .dimensions()
            .iter()
            .map(|dimension| NetworkDimension {
                name: dimension.name.clone(),
                size: dimension.size,
                wraps: !hardware.is_mesh,
                cables: 1,
            })
            .collect();
        // How many links a node has along a dimension of size 2, so far.
        let mut parallel: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut has_links = vec![false; dimensions.len()];
        let mut has_wraps = vec![false; dimensions.len()];
        let mut number_of = vec![0; self.list.len()];
        for (link, number) in self.list.iter().zip(&mut number_of) {
            let dim = link.dimension as usize;
            has_links[dim] = true;
            if dimensions[dim].size == 2 {
                let before = parallel.entry((link.source, link.dimension)).or_default();
                *number = *before;
                *before += 1;
                dimensions[dim].cables = if *before > 1 { 2 } else { dimensions[dim].cables };
                has_wraps[dim] = true;
            } else {
                let (from, to) =
                    (torus.coordinate(Element(link.source), dim), torus.coordinate(Element(link.destination), dim));
                has_wraps[dim] |= from.abs_diff(to) > 1;
            }
        }
        for ((dimension, has_links), has_wraps) in dimensions.iter_mut().zip(has_links).zip(has_wraps) {
            if has_links {
                dimension.wraps = has_wraps;
            }
        }
        let mut links: Vec<NetworkLink> = Vec::with_capacity(self.list.len());
        let mut known: FxHashMap<(u32, u32, bool), u32> = FxHashMap::default();
        let mut renumbered = Vec::with_capacity(self.list.len());
        for (link, number) in self.list.iter().zip(number_of) {
            let dimension = &dimensions[link.dimension as usize];
            let is_positive = match (dimension.size, dimension.cables) {
                // The ends do not tell which cable it is: the first link of a node is taken for the one that leads up.
                (2, 2) => number == 0,
                (2, _) => torus.coordinate(Element(link.source), link.dimension as usize) == 0,
                _ => link.is_positive,
            };
            let next = links.len() as u32;
            let at = *known.entry((link.source, link.dimension, is_positive)).or_insert(next);
            renumbered.push(at);
            if at == next {
                links.push(NetworkLink {
                    file_id: link.file_id,
                    source: nodes.at(link.source),
                    destination: nodes.at(link.destination),
                    dimension: link.dimension,
                    is_positive,
                });
            } else {
                let id = link.file_id.map_or_else(String::new, |id| format!(", link {id}"));
                warnings.add(WarningKind::DuplicateDefinition, || format!("{name}{id}"), SAME_ENDS);
            }
        }
        (dimensions, links, renumbered)
    }
}

const SAME_ENDS: &str = "links with different ids lead from the same node to the same node; there is one cable, and their values were added up";

/// The dimension that two neighbours differ in, and whether the way is the one towards larger coordinates.
fn way(torus: &Torus, source: Element, destination: Element) -> Result<(u32, bool), RowFault> {
    if source == destination {
        return Err(format!("a link should lead to another node; this one leads from {0} to {0}", torus.label(source)));
    }
    let differing = |dim: &usize| torus.coordinate(source, *dim) != torus.coordinate(destination, *dim);
    let mut differing = (0..torus.dimensions().len()).filter(differing);
    if let (Some(dim), None) = (differing.next(), differing.next()) {
        for (by, is_positive) in [(1, true), (-1, false)] {
            if torus.beyond(source, dim, by) == destination {
                return Ok((dim as u32, is_positive));
            }
        }
    }
    Err("a link should join neighbours: nodes whose coordinates differ by 1 along one dimension, around the ring"
        .to_owned())
}
