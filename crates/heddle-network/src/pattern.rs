//! Traffic without a trace: single patterns, by their names.

use std::str::FromStr;

use heddle_topology::mapping::Placement;
use heddle_topology::routing::Routing;
use heddle_topology::{Element, Shape, Topology};

use crate::predict::{RankFlow, Sends, binomial, predict};
use crate::traffic::{Origin, Section, Traffic, Unit};

/// Bytes of a message of a pattern: loads then count messages in MiB.
const BYTES: f64 = 1_048_576.0;
/// Ranks that may all send to each other.
const MOST_BETWEEN_ALL: u32 = 4_096;

/// A pattern of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// One rank sends one message.
    Message {
        /// Who sends.
        from: u32,
        /// Who receives.
        to: u32,
    },
    /// Every rank sends one to every other.
    AllToAll,
    /// A message reaches everyone along a binomial tree of ranks.
    Broadcast {
        /// Who has it first.
        root: u32,
    },
    /// A message runs along the first dimension, from all those nodes along the second, and so on, and every node on the way
    /// keeps a copy: the deposit bit of Blue Gene/P.
    Deposit {
        /// The rank that has it first.
        root: u32,
    },
}

/// Not the name of a pattern, or not possible here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// No pattern is called so.
    #[error("must be message:FROM:TO, all-to-all, broadcast:ROOT or deposit:ROOT, with numbers of ranks")]
    Unknown,
    /// A rank that there is not.
    #[error("names rank {0}, but the last rank is {1}")]
    NoSuchRank(u32, u32),
    /// Too many pairs.
    #[error("all-to-all is for at most {MOST_BETWEEN_ALL} ranks, and there are {0}")]
    TooManyRanks(u32),
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Pattern, PatternError> {
        let number = |text: &str| text.parse().map_err(|_| PatternError::Unknown);
        let parts: Vec<&str> = text.split(':').collect();
        match parts.as_slice() {
            ["message", from, to] => Ok(Pattern::Message { from: number(from)?, to: number(to)? }),
            ["all-to-all"] => Ok(Pattern::AllToAll),
            ["broadcast", root] => Ok(Pattern::Broadcast { root: number(root)? }),
            ["broadcast"] => Ok(Pattern::Broadcast { root: 0 }),
            ["deposit", root] => Ok(Pattern::Deposit { root: number(root)? }),
            ["deposit"] => Ok(Pattern::Deposit { root: 0 }),
            _ => Err(PatternError::Unknown),
        }
    }
}

impl Pattern {
    /// What it is, in a few words.
    pub fn title(self) -> String {
        match self {
            Pattern::Message { from, to } => format!("one message from rank {from} to rank {to}"),
            Pattern::AllToAll => "all-to-all".to_owned(),
            Pattern::Broadcast { root } => format!("broadcast from rank {root} along a binomial tree"),
            Pattern::Deposit { root } => format!("broadcast from rank {root} by deposit"),
        }
    }

    /// Whether it can be of so many ranks.
    pub fn check(self, ranks: u32) -> Result<(), PatternError> {
        let named = match self {
            Pattern::Message { from, to } => from.max(to),
            Pattern::Broadcast { root } | Pattern::Deposit { root } => root,
            Pattern::AllToAll if ranks > MOST_BETWEEN_ALL => return Err(PatternError::TooManyRanks(ranks)),
            Pattern::AllToAll => 0,
        };
        if named < ranks { Ok(()) } else { Err(PatternError::NoSuchRank(named, ranks.saturating_sub(1))) }
    }

    /// What it puts on the links.
    pub fn traffic(self, shape: &Shape, placement: &Placement, routing: &dyn Routing) -> Traffic {
        let ranks = placement.ranks();
        let flow = |from: u32, to: u32| RankFlow { from, to, bytes: BYTES };
        let flows: Vec<RankFlow> = match self {
            Pattern::Message { from, to } => vec![flow(from, to)],
            Pattern::AllToAll => {
                let others = |from: u32| (0..ranks).filter(move |to| *to != from).map(move |to| flow(from, to));
                (0..ranks).flat_map(others).collect()
            }
            Pattern::Broadcast { root } => {
                let mut flows = Vec::new();
                let rank = |relative: usize| (relative as u32 + root) % ranks;
                binomial(ranks as usize, |parent, child| flows.push(flow(rank(parent), rank(child))));
                flows
            }
            Pattern::Deposit { root } => return deposit(self, shape, placement.node(root)),
        };
        predict(&Sends::of_flows(vec![(self.title(), flows)]), &**shape, placement, routing)
    }
}

/// One copy over each link that the deposit takes: along the first dimension both ways to the middle, then from each of those
/// nodes along the second, and so on. Machines without dimensions have no deposit.
fn deposit(pattern: Pattern, shape: &Shape, root: Element) -> Traffic {
    let mut loads = vec![0.0; shape.links() as usize];
    if let Some(torus) = shape.torus() {
        let mut reached = vec![root];
        for (dim, dimension) in torus.dimensions().iter().enumerate() {
            let mut further = Vec::new();
            for node in &reached {
                let at = torus.coordinate(*node, dim);
                // Halfway round a ring each end stops; a mesh is walked to its edges.
                let (up, down) = if dimension.wraps {
                    (dimension.size / 2, (dimension.size - 1) / 2)
                } else {
                    (dimension.size - 1 - at, at)
                };
                for (direction, count) in heddle_topology::Direction::BOTH.into_iter().zip([up, down]) {
                    let mut at = *node;
                    for _ in 0..count {
                        let Some(link) = torus.link_from(at, dim, direction).or_else(|| only_link(torus, at, dim))
                        else {
                            break;
                        };
                        loads[link.index()] += BYTES;
                        at = torus.ends(link).1;
                        further.push(at);
                    }
                }
            }
            reached.extend(further);
        }
    }
    let section = Section { name: pattern.title(), operations: 1, sent: BYTES, loads };
    Traffic { origin: Origin::Predicted, unit: Unit::Bytes, sections: vec![section], notes: Vec::new() }
}

/// The one link of a node along a dimension of size 2.
fn only_link(torus: &heddle_topology::Torus, node: Element, dim: usize) -> Option<heddle_topology::Link> {
    heddle_topology::Direction::BOTH.into_iter().find_map(|direction| torus.link_from(node, dim, direction))
}
