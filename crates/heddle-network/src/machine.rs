//! The machine of a trace, and where its ranks sit: as options say, else as the trace says, else assumed.

use std::sync::Arc;

use heddle_model::{LocationId, Rank};
use heddle_options::Given;
use heddle_store::Store;
use heddle_topology::mapping::{MapFileError, MapProblem, Mapping, MappingError, Placement, read_placement};
use heddle_topology::{Dimension, Element, Shape, ShapeError, Torus};
use rustc_hash::FxHashMap;

use crate::options::NetworkOptions;
use crate::simgrid;
use crate::topology_file::{HostNames, TopologyFile, TopologyFileError};

/// Why there is no machine, or no place for the ranks on it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// The topology is none.
    #[error("topology: {0}")]
    Shape(#[from] ShapeError),
    /// A file does not describe a machine.
    #[error("topology: {name}: {cause}")]
    TopologyFile {
        /// Which.
        name: String,
        /// What is wrong, and where.
        cause: TopologyFileError,
    },
    /// The trace has nodes that the file has not.
    #[error(
        "topology: {name}: it has no host {hosts}, which the trace has; correct the file, or say with --mapping where ranks sit"
    )]
    UnknownHosts {
        /// Which file.
        name: String,
        /// Their names, each with one that is like it.
        hosts: String,
    },
    /// The mapping is none, or does not fit.
    #[error("mapping: {0}")]
    Mapping(#[from] MappingError),
    /// Something is wrong in a map file.
    #[error("mapping: {name}: {cause}{}", .near.as_ref().map(|near| format!("; did you mean {near}?")).unwrap_or_default())]
    MapFile {
        /// Which.
        name: String,
        /// What, and where.
        cause: MapFileError,
        /// A host that is called almost as the one that is not there.
        near: Option<String>,
    },
    /// The trace has more nodes than the machine.
    #[error(
        "topology: the trace has {trace} nodes and the machine {machine}; give a larger one, or say with --mapping where ranks sit"
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
    /// What the file of the machine left out or assumed, and what was assumed of ranks, in sentences.
    pub notes: Vec<String>,
}

/// Where ranks sit if neither options nor the trace say.
const USUAL: &str = "block";

impl Machine {
    /// The machine that options and a trace say. Files are those that came along with the options.
    pub fn of(store: &Store, options: &NetworkOptions, given: &Given) -> Result<Machine, MachineError> {
        let nodes = NodesOfTrace::read(store);
        let Found { shape, known, hosts, mut notes } = Found::of(store, options, given, &nodes)?;
        let ranks = nodes.of_rank.len() as u32;
        let ranks_per_node = match options.ranks_per_node.0 {
            0 if nodes.is_known => nodes.most_per_node().max(1),
            0 => ranks.div_ceil(shape.hosts()).max(1),
            given => given,
        };
        let (placement, mapping) = match options.mapping.trim() {
            "" if nodes.is_known && options.ranks_per_node.0 == 0 => {
                let file = options.topology.trim();
                (nodes.place(&shape, &hosts, file, &mut notes)?, "as in the trace".to_owned())
            }
            "" => (USUAL.parse::<Mapping>()?.place(&shape, ranks, ranks_per_node)?, USUAL.to_owned()),
            name => {
                if let Some(text) = given.file(name) {
                    let host = |name: &str| hosts.find(name);
                    let map_file = |cause| map_file_error(name, cause, &hosts);
                    let placement =
                        read_placement(text, &shape, Some(ranks), ranks_per_node, &host).map_err(map_file)?;
                    (placement, name.to_owned())
                } else {
                    let mapping: Mapping = name.parse()?;
                    (mapping.place(&shape, ranks, ranks_per_node)?, mapping.to_string())
                }
            }
        };
        Ok(Machine { shape: Arc::new(shape), known, placement: Arc::new(placement), mapping, notes })
    }

    /// The shape that options say where there is no trace; none if they say nothing.
    pub fn shape_of(options: &NetworkOptions, given: &Given) -> Result<Option<Shape>, MachineError> {
        let found = Found::given(options, given, &[])?;
        Ok(found.map(|found| found.shape))
    }
}

/// A shape, and what a file says of it.
struct Found {
    shape: Shape,
    known: Known,
    hosts: HostNames,
    notes: Vec<String>,
}

impl Found {
    fn of(store: &Store, options: &NetworkOptions, given: &Given, nodes: &NodesOfTrace) -> Result<Found, MachineError> {
        if let Some(found) = Found::given(options, given, &nodes.names)? {
            return Ok(found);
        }
        let of_trace =
            crate::measured::shape(store).or_else(|| simgrid::shape_of_links(store)).or_else(|| nodes.coordinates());
        let count = if nodes.is_known { nodes.names.len() } else { nodes.of_rank.len() };
        let (shape, known) = match of_trace {
            Some(shape) => (shape, Known::Trace),
            None => (filled(count.max(1) as u32), Known::Assumed),
        };
        Ok(Found { shape, known, hosts: HostNames::default(), notes: Vec::new() })
    }

    /// The file or the shape that the options name, if they do.
    fn given(options: &NetworkOptions, given: &Given, nodes: &[String]) -> Result<Option<Found>, MachineError> {
        let (name, known) = (options.topology.trim(), Known::Given);
        if let Some(text) = given.file(name) {
            let wrong = |cause| MachineError::TopologyFile { name: name.to_owned(), cause };
            let TopologyFile { shape, hosts, notes } = TopologyFile::read(text, nodes).map_err(wrong)?;
            return Ok(Some(Found { shape, known, hosts, notes }));
        }
        if name.is_empty() {
            return Ok(None);
        }
        Ok(Some(Found { shape: name.parse()?, known, hosts: HostNames::default(), notes: Vec::new() }))
    }
}

/// What is wrong in a map file, and which host may have been meant.
fn map_file_error(name: &str, cause: MapFileError, hosts: &HostNames) -> MachineError {
    let near = match &cause.problem {
        MapProblem::UnknownHost(host) => hosts.nearest(host).map(harmless),
        _ => None,
    };
    MachineError::MapFile { name: name.to_owned(), cause, near }
}

/// A name as it can be shown.
fn harmless(name: &str) -> String {
    name.chars().take(60).flat_map(char::escape_debug).collect()
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

    /// Ranks on the nodes of a machine: by the names of hosts where `file` has names, by coordinates or numbers where names are
    /// those; else one node after the other.
    fn place(
        &self,
        shape: &Shape,
        hosts: &HostNames,
        file: &str,
        notes: &mut Vec<String>,
    ) -> Result<Placement, MachineError> {
        let by_name = |name: &String| {
            if hosts.is_empty() {
                shape.find(bare(name).unwrap_or(name)).filter(|node| node.0 < shape.hosts())
            } else {
                hosts.find(name).or_else(|| hosts.find(name.strip_prefix("node ")?))
            }
        };
        let found: Vec<Option<Element>> = self.names.iter().map(by_name).collect();
        let elements: Vec<Element> = match found.iter().copied().collect::<Option<Vec<Element>>>() {
            Some(elements) => elements,
            None if !hosts.is_empty() && found.iter().any(Option::is_some) => {
                return Err(unknown_hosts(file, &self.names, &found, hosts));
            }
            None if self.names.len() > shape.hosts() as usize => {
                return Err(MachineError::TooManyNodes { trace: self.names.len(), machine: shape.hosts() });
            }
            None => {
                if !hosts.is_empty() {
                    let file = harmless(file);
                    notes.push(format!(
                        "No node of the trace is called as a host of {file}: they are taken in their order."
                    ));
                }
                (0..self.names.len() as u32).map(Element).collect()
            }
        };
        let mut cores = vec![0_u32; elements.len()];
        let places = self.of_rank.iter().map(|node| {
            let core = &mut cores[*node as usize];
            *core += 1;
            (elements[*node as usize], *core - 1)
        });
        Ok(Placement::new(shape.hosts(), places.collect::<Vec<_>>()))
    }
}

/// Some nodes of the trace are not in the file: the first few, with what may have been meant.
fn unknown_hosts(file: &str, names: &[String], found: &[Option<Element>], hosts: &HostNames) -> MachineError {
    const TOLD: usize = 3;
    let missing: Vec<&String> =
        names.iter().zip(found).filter(|(_, found)| found.is_none()).map(|(name, _)| name).collect();
    let mut told: Vec<String> = missing
        .iter()
        .take(TOLD)
        .map(|name| {
            let near = hosts.nearest(name).map(|near| format!(" (did you mean {}?)", harmless(near)));
            format!("{}{}", harmless(name), near.unwrap_or_default())
        })
        .collect();
    if missing.len() > TOLD {
        told.push(format!("and {} more", missing.len() - TOLD));
    }
    MachineError::UnknownHosts { name: file.to_owned(), hosts: told.join(", ") }
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
