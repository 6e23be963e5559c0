//! Traffic without a trace: single patterns, by their names.

use std::str::FromStr;

use heddle_topology::mapping::Placement;
use heddle_topology::routing::Routing;
use heddle_topology::{Element, Shape, Topology, most_cubic};

use crate::predict::{RankFlow, Sends, binomial, predict};
use crate::traffic::{Origin, Section, Traffic, Unit};

/// Bytes of a message of a pattern: loads then count messages in MiB.
const BYTES: f64 = 1_048_576.0;
/// Ranks that may all send to each other.
const MOST_BETWEEN_ALL: u32 = 4_096;
/// Nodes of a machine that has no rule to add up what all of them send to each other.
const MOST_UNIFORM: u32 = 16_384;

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
    /// Every rank sends one message in all, in equal parts to all others: what random destinations come to.
    Uniform,
    /// Every rank sends one message in all, in equal parts to its six neighbours on a closed grid of ranks.
    Nearest {
        /// Lengths of the grid, the last varying fastest; none for the most cubic one.
        grid: Option<[u32; 3]>,
    },
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
    #[error(
        "must be message:FROM:TO, all-to-all, uniform, nearest, nearest:16x16x16, broadcast:ROOT or deposit:ROOT, with numbers of ranks"
    )]
    Unknown,
    /// A grid of another size.
    #[error("has a grid of {}x{}x{}, which does not hold {ranks} ranks", .grid[0], .grid[1], .grid[2])]
    Grid {
        /// Its lengths.
        grid: [u32; 3],
        /// How many ranks there are.
        ranks: u32,
    },
    /// Too many nodes.
    #[error(
        "uniform is for fat-trees by a rule, dragonflies, and other machines of at most {MOST_UNIFORM} nodes; there are {0}"
    )]
    TooManyNodes(u32),
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
            ["uniform"] => Ok(Pattern::Uniform),
            ["nearest"] => Ok(Pattern::Nearest { grid: None }),
            ["nearest", grid] => {
                let lengths: Vec<u32> = grid.split('x').map(number).collect::<Result<_, _>>()?;
                let grid = <[u32; 3]>::try_from(lengths).map_err(|_| PatternError::Unknown)?;
                Ok(Pattern::Nearest { grid: Some(grid) })
            }
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
            Pattern::Uniform => "uniform traffic".to_owned(),
            Pattern::Nearest { grid: None } => "traffic between nearest neighbours".to_owned(),
            Pattern::Nearest { grid: Some([a, b, c]) } => {
                format!("traffic between nearest neighbours of a {a}x{b}x{c} grid")
            }
            Pattern::Broadcast { root } => format!("broadcast from rank {root} along a binomial tree"),
            Pattern::Deposit { root } => format!("broadcast from rank {root} by deposit"),
        }
    }

    /// Whether it can be of so many ranks on such a machine.
    pub fn check(self, ranks: u32, shape: &Shape) -> Result<(), PatternError> {
        let named = match self {
            Pattern::Nearest { grid: Some(grid) }
                if grid.iter().map(|length| u128::from(*length)).product::<u128>() != u128::from(ranks) =>
            {
                return Err(PatternError::Grid { grid, ranks });
            }
            Pattern::Uniform
                if shape.hosts() > MOST_UNIFORM
                    && shape.dragonfly().is_none()
                    && shape.fat_tree().is_none_or(|tree| tree.rule().is_none()) =>
            {
                return Err(PatternError::TooManyNodes(shape.hosts()));
            }
            Pattern::Message { from, to } => from.max(to),
            Pattern::Broadcast { root } | Pattern::Deposit { root } => root,
            Pattern::AllToAll if ranks > MOST_BETWEEN_ALL => return Err(PatternError::TooManyRanks(ranks)),
            Pattern::AllToAll | Pattern::Nearest { .. } | Pattern::Uniform => 0,
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
            Pattern::Uniform => return uniform(self, shape, placement, routing),
            Pattern::Nearest { grid } => nearest(ranks, grid.unwrap_or_else(|| most_cubic(ranks))),
            Pattern::Deposit { root } => return deposit(self, shape, placement.node(root)),
        };
        predict(&Sends::of_flows(vec![(self.title(), flows)]), &**shape, placement, routing)
    }
}

/// Every rank sends a message in all to all others: expected values, never written out pair by pair.
fn uniform(pattern: Pattern, shape: &Shape, placement: &Placement, routing: &dyn Routing) -> Traffic {
    let ranks = placement.ranks();
    let weights: Vec<f64> = (0..shape.hosts()).map(|host| placement.ranks_of(Element(host)).len() as f64).collect();
    let mut loads = vec![0.0; shape.links() as usize];
    routing.load_all_pairs(&weights, &mut loads);
    let each = BYTES / f64::from(ranks.saturating_sub(1).max(1));
    for load in &mut loads {
        *load *= each;
    }
    let (operations, sent) = (u64::from(ranks) * u64::from(ranks.saturating_sub(1)), f64::from(ranks) * BYTES);
    let section = Section { name: pattern.title(), operations, sent, loads };
    Traffic { origin: Origin::Predicted, unit: Unit::Bytes, sections: vec![section], notes: Vec::new() }
}

/// Every rank sends a message in all to its neighbours on a closed grid whose last length varies fastest; where that has a length
/// of 1 there are none, and of 2 the same one twice.
fn nearest(ranks: u32, lengths: [u32; 3]) -> Vec<RankFlow> {
    let mut strides = [0; 3];
    let mut stride = 1;
    for axis in (0..3).rev() {
        strides[axis] = stride;
        stride *= lengths[axis];
    }
    let axes: Vec<(u32, u32)> = lengths.into_iter().zip(strides).filter(|(length, _)| *length > 1).collect();
    let bytes = BYTES / (2 * axes.len()).max(1) as f64;
    let of_rank = |from: u32| {
        axes.iter().flat_map(move |(length, stride)| {
            let at = from / stride % length;
            let there = |at: u32, to: u32| from - at * stride + to * stride;
            [there(at, (at + 1) % length), there(at, (at + length - 1) % length)]
        })
    };
    (0..ranks).flat_map(|from| of_rank(from).map(move |to| RankFlow { from, to, bytes })).collect()
}

/// One copy over each link that the deposit takes: along the first dimension both ways to the middle, then from each of those
/// nodes along the second, and so on. Machines without dimensions have no deposit, and the traffic says so.
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
    let none = || format!("A deposit goes along the dimensions of a torus; a {} has none.", shape.kind());
    let notes = if shape.torus().is_some() { Vec::new() } else { vec![none()] };
    Traffic { origin: Origin::Predicted, unit: Unit::Bytes, sections: vec![section], notes }
}

/// The one link of a node along a dimension of size 2.
fn only_link(torus: &heddle_topology::Torus, node: Element, dim: usize) -> Option<heddle_topology::Link> {
    heddle_topology::Direction::BOTH.into_iter().find_map(|direction| torus.link_from(node, dim, direction))
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use heddle_topology::Mapping;
    use heddle_topology::routing::{RoutingKind, routing};

    use super::*;
    use crate::utilisation::{Offered, Utilisation};

    fn of(pattern: &str, shape: &Shape, kind: RoutingKind) -> (Traffic, Utilisation) {
        let pattern: Pattern = pattern.parse().unwrap();
        pattern.check(shape.hosts(), shape).unwrap();
        let placement = Mapping::Block.place(shape, shape.hosts(), 1).unwrap();
        let traffic = pattern.traffic(shape, &placement, &*routing(kind, shape).unwrap());
        let used = Utilisation::of(&**shape, &traffic.sections[0].loads, Offered::default());
        (traffic, used)
    }

    #[test]
    fn uniform_traffic_reaches_each_layer_as_often_as_the_formula_says() {
        // The fraction of pairs that reach layer l or higher is (4^L - 4^(l-1)) / (4^L - 1), and each crosses its cables twice.
        let shape: Shape = "fat-tree:4^4".parse().unwrap();
        for kind in [RoutingKind::DModK, RoutingKind::Spread] {
            let (traffic, used) = of("uniform", &shape, kind);
            assert_eq!(traffic.sections[0].sent, 256.0 * BYTES);
            for (layer, class) in (1..).zip(&used.classes) {
                let fraction = (256.0 - 4_f64.powi(layer - 1)) / 255.0;
                let expected = 2.0 * fraction * traffic.sections[0].sent;
                assert!(
                    (class.bytes / expected - 1.0).abs() < 1e-12,
                    "{kind} layer {layer}: {} {expected}",
                    class.bytes
                );
                assert!(class.utilisation.cv < 1e-9, "all links of a layer alike");
            }
        }
    }

    #[test]
    fn neighbours_leave_the_upper_layers_almost_idle() {
        let shape: Shape = "fat-tree:4^6".parse().unwrap();
        let bytes = |pattern: &str| {
            let (traffic, used) = of(pattern, &shape, RoutingKind::Spread);
            let sent = traffic.sections[0].sent / (4_096.0 * BYTES);
            assert!((sent - 1.0).abs() < 1e-9, "as much is sent, so that the two can be compared: {sent}");
            used.classes.iter().map(|class| class.bytes).collect::<Vec<f64>>()
        };
        let (uniform, nearest) = (bytes("uniform"), bytes("nearest"));
        assert!(uniform[5] / uniform[0] > 0.75, "uniform traffic loads all layers almost alike: {uniform:?}");
        assert!(nearest[5] / nearest[0] < 0.25, "neighbours do not: {nearest:?}");
        assert!(nearest.windows(2).all(|two| two[1] <= two[0]));
    }

    #[test]
    fn neighbours_are_those_of_the_grid() {
        let shape: Shape = "4x4x4".parse().unwrap();
        // x varies fastest on the machine, the last length on the grid: they are the same.
        let (_, used) = of("nearest:4x4x4", &shape, RoutingKind::Dor);
        assert!(used.links.iter().all(|value| (value - 1.0).abs() < 1e-12), "each link carries one message");
        let flows = nearest(12, [3, 1, 4]);
        assert_eq!(flows.len(), 4 * 12);
        let to: Vec<u32> = flows.iter().filter(|flow| flow.from == 3).map(|flow| flow.to).collect();
        assert_eq!(to, [7, 11, 0, 2]);
        assert_eq!(
            nearest(2, [2, 1, 1]).iter().map(|flow| (flow.from, flow.to)).collect::<Vec<_>>(),
            [(0, 1), (0, 1), (1, 0), (1, 0)]
        );
        assert!(nearest(1, [1, 1, 1]).is_empty());
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let torus: Shape = "4x4x4".parse().unwrap();
        let wrong = |text: &str, ranks: u32, shape: &Shape| {
            text.parse::<Pattern>().and_then(|pattern| pattern.check(ranks, shape)).unwrap_err().to_string()
        };
        assert_eq!(wrong("nearest:4x4x5", 64, &torus), "has a grid of 4x4x5, which does not hold 64 ranks");
        assert!(wrong("nearest:4x4", 64, &torus).starts_with("must be message:FROM:TO"));
        let large: Shape = "32x32x32".parse().unwrap();
        assert!(wrong("uniform", 32_768, &large).contains("at most 16384 nodes; there are 32768"));
        assert_eq!(
            "uniform".parse::<Pattern>().unwrap().check(65_536, &"fat-tree:16x16x16x16".parse().unwrap()),
            Ok(())
        );
    }
}
