//! The machine of a trace, and where its ranks sit: as options say, else as the trace says, else assumed.

use std::sync::Arc;

use heddle_model::{LocationId, Rank};
use heddle_options::Given;
use heddle_store::Store;
use heddle_topology::mapping::{MapFileError, Mapping, MappingError, Placement, read_placement};
use heddle_topology::{Dimension, Element, Shape, ShapeError, Torus};
use rustc_hash::FxHashMap;

use crate::options::NetworkOptions;
use crate::simgrid;

/// Why there is no machine, or no place for the ranks on it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// The topology is none.
    #[error("topology: {0}")]
    Shape(#[from] ShapeError),
    /// A file does not describe a machine.
    #[error("topology: {name}: {why}")]
    TopologyFile {
        /// Which.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// The mapping is none, or does not fit.
    #[error("mapping: {0}")]
    Mapping(#[from] MappingError),
    /// Something is wrong in a map file.
    #[error("mapping: {name}: {cause}")]
    MapFile {
        /// Which.
        name: String,
        /// What, and where.
        cause: MapFileError,
    },
    /// The trace has more nodes than the machine.
    #[error(
        "the trace has {trace} nodes and the machine {machine}; give a larger --topology, or say with --mapping where ranks sit"
    )]
    TooManyNodes {
        /// Nodes in the trace.
        trace: usize,
        /// Nodes of the machine.
        machine: u32,
    },
}

/// How the shape of the machine is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Somebody gave it.
    Given,
    /// The trace has it.
    Trace,
    /// A torus that the trace's nodes fill.
    Assumed,
}

/// A machine with ranks on it.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its shape.
    pub shape: Arc<Shape>,
    /// How that is known.
    pub known: Known,
    /// Where ranks sit.
    pub placement: Arc<Placement>,
    /// What that is called: `TXYZ`, `node.map`, or `as in the trace`.
    pub mapping: String,
}

/// Where ranks sit if neither options nor the trace say.
const USUAL: &str = "block";

impl Machine {
    /// The machine that options and a trace say. Files are those that came along with the options.
    pub fn of(store: &Store, options: &NetworkOptions, given: &Given) -> Result<Machine, MachineError> {
        let nodes = NodesOfTrace::read(store);
        let (shape, known, hosts) = shape(store, options, given, &nodes)?;
        let ranks = nodes.of_rank.len() as u32;
        let ranks_per_node = match options.ranks_per_node.0 {
            0 if nodes.is_known => nodes.most_per_node().max(1),
            0 => ranks.div_ceil(shape.hosts()).max(1),
            given => given,
        };
        let (placement, mapping) = match options.mapping.trim() {
            "" if nodes.is_known && options.ranks_per_node.0 == 0 => {
                (nodes.place(&shape)?, "as in the trace".to_owned())
            }
            "" => (USUAL.parse::<Mapping>()?.place(&shape, ranks, ranks_per_node)?, USUAL.to_owned()),
            name => {
                if let Some(text) = given.file(name) {
                    let host = |name: &str| hosts.get(name).copied();
                    let map_file = |cause| MachineError::MapFile { name: name.to_owned(), cause };
                    let placement =
                        read_placement(text, &shape, Some(ranks), ranks_per_node, &host).map_err(map_file)?;
                    (placement, name.to_owned())
                } else {
                    let mapping: Mapping = name.parse()?;
                    (mapping.place(&shape, ranks, ranks_per_node)?, mapping.to_string())
                }
            }
        };
        Ok(Machine { shape: Arc::new(shape), known, placement: Arc::new(placement), mapping })
    }
}

type Hosts = FxHashMap<String, Element>;

fn shape(
    store: &Store,
    options: &NetworkOptions,
    given: &Given,
    nodes: &NodesOfTrace,
) -> Result<(Shape, Known, Hosts), MachineError> {
    let name = options.topology.trim();
    if let Some(text) = given.file(name) {
        let wrong = |why| MachineError::TopologyFile { name: name.to_owned(), why };
        let platform = simgrid::read_platform(text).map_err(wrong)?;
        return Ok((platform.shape, Known::Given, platform.hosts));
    }
    if !name.is_empty() {
        return Ok((name.parse()?, Known::Given, Hosts::default()));
    }
    if let Some(shape) =
        crate::measured::shape(store).or_else(|| simgrid::shape_of_links(store)).or_else(|| nodes.coordinates())
    {
        return Ok((shape, Known::Trace, Hosts::default()));
    }
    let count = if nodes.is_known { nodes.names.len() } else { nodes.of_rank.len() };
    Ok((filled(count.max(1) as u32), Known::Assumed, Hosts::default()))
}

/// The most cubic torus of three dimensions with so many nodes; a few more where their number has no such factors.
fn filled(nodes: u32) -> Shape {
    let mut best: Option<([u32; 3], (u32, u32))> = None;
    // A prime number of nodes would be one long ring: a few idle nodes are closer to what machines look like.
    for count in nodes..=nodes + nodes / 8 {
        for x in (1..=count).take_while(|x| x * x * x <= count).filter(|x| count.is_multiple_of(*x)) {
            let rest = count / x;
            for y in (x..=rest).take_while(|y| y * y <= rest).filter(|y| rest.is_multiple_of(*y)) {
                let sizes = [x, y, rest / y];
                let worth = (rest / y, count);
                if best.is_none_or(|(_, known)| worth < known) {
                    best = Some((sizes, worth));
                }
            }
        }
    }
    let sizes = best.map_or([1, 1, nodes], |(sizes, _)| sizes);
    // Within what a torus can have: there are at most as many nodes as ranks.
    let torus = Torus::new(Dimension::named(&sizes, true)).or_else(|_| Torus::new(Dimension::named(&[1], true)));
    Shape::Torus(torus.unwrap_or_else(|_| unreachable!("a torus of one node is one")))
}

/// The nodes that a trace names for its ranks.
#[derive(Debug)]
pub struct NodesOfTrace {
    /// For each rank the number of its node, in the order of first ranks.
    pub of_rank: Vec<u32>,
    /// What nodes are called. Hostile text.
    pub names: Vec<String>,
    /// Whether the trace knows of nodes; if not each rank has one of its own.
    pub is_known: bool,
}

impl NodesOfTrace {
    /// Reads them.
    pub fn read(store: &Store) -> NodesOfTrace {
        let locations = &store.locations;
        let mut main: Vec<(Rank, LocationId)> = (0..locations.len() as u32)
            .filter(|at| locations.is_main.get(u64::from(*at)) != 0)
            .map(|at| (locations.rank.get(u64::from(at)), LocationId(at)))
            .filter(|(rank, _)| *rank != Rank::NONE)
            .collect();
        main.sort_unstable();
        main.dedup_by_key(|(rank, _)| *rank);
        let ranks = main.last().map_or(0, |(rank, _)| rank.0 + 1);
        let nodes: Vec<_> = main.iter().map(|(_, location)| store.node_of(*location)).collect();
        let is_known = !nodes.is_empty() && nodes.iter().all(Option::is_some);
        let (mut numbers, mut names) = (FxHashMap::default(), Vec::new());
        let mut of_rank: Vec<u32> = (0..ranks).collect();
        if is_known {
            for ((rank, _), node) in main.iter().zip(nodes) {
                let Some(node) = node else { continue };
                let next = names.len() as u32;
                let number = *numbers.entry(node).or_insert(next);
                if number == next {
                    names.push(store.system_tree.name.get(u64::from(node.0)).to_owned());
                }
                of_rank[rank.0 as usize] = number;
            }
        }
        NodesOfTrace { of_rank, names, is_known }
    }

    fn most_per_node(&self) -> u32 {
        let mut counts = vec![0_u32; self.names.len()];
        for node in &self.of_rank {
            if let Some(count) = counts.get_mut(*node as usize) {
                *count += 1;
            }
        }
        counts.into_iter().max().unwrap_or(0)
    }

    /// The torus whose coordinates the names of all nodes are, if they are.
    fn coordinates(&self) -> Option<Shape> {
        let mut sizes: Vec<u32> = Vec::new();
        for name in &self.names {
            let at: Vec<u32> = coordinates(name)?;
            if sizes.is_empty() {
                sizes = vec![0; at.len()];
            }
            if at.len() != sizes.len() {
                return None;
            }
            sizes.iter_mut().zip(at).for_each(|(size, at)| *size = (*size).max(at.saturating_add(1)));
        }
        (sizes.len() > 1).then(|| Torus::new(Dimension::named(&sizes, true)).ok()).flatten().map(Shape::Torus)
    }

    /// Ranks on the nodes of a machine: by coordinates where names are coordinates, else one node after the other.
    fn place(&self, shape: &Shape) -> Result<Placement, MachineError> {
        let hosts = shape.hosts();
        let found: Option<Vec<Element>> = self.names.iter().map(|name| shape.find(bare(name)?)).collect();
        let elements = match found {
            Some(elements) => elements,
            None if self.names.len() > hosts as usize => {
                return Err(MachineError::TooManyNodes { trace: self.names.len(), machine: hosts });
            }
            None => (0..self.names.len() as u32).map(Element).collect(),
        };
        let mut cores = vec![0_u32; elements.len()];
        let places = self.of_rank.iter().map(|node| {
            let core = &mut cores[*node as usize];
            *core += 1;
            (elements[*node as usize], *core - 1)
        });
        Ok(Placement::new(hosts, places.collect::<Vec<_>>()))
    }
}

/// The part of a node's name in brackets: `node (1,6,5)` is where its name says.
fn bare(name: &str) -> Option<&str> {
    let from = name.find('(')?;
    let to = name[from..].find(')')? + from;
    Some(&name[from..=to])
}

fn coordinates(name: &str) -> Option<Vec<u32>> {
    let bare = bare(name)?;
    bare[1..bare.len() - 1].split(',').map(|at| at.trim().parse().ok()).collect()
}
