//! Which faults are planted where: what is written on the command line, and what is then true.
//!
//! Every kind has a ladder of strengths. A fault that costs too little is planted again, stronger.

use std::collections::BTreeSet;

use super::runs::Measured;
use super::settings::{Machine, PROGRAMS, Setting, TASK_NODES};
use super::truth::Truth;

/// Factors of slow computations.
const FACTORS: [f64; 5] = [1.2, 1.5, 2.0, 3.0, 4.0];
/// Factors of slow messages.
const WIRES: [f64; 6] = [4.0, 10.0, 30.0, 100.0, 300.0, 1000.0];
/// Lengths of stalls, as shares of the run.
const STALLS: [f64; 4] = [0.06, 0.12, 0.25, 0.5];
/// How long the processor is away, as shares of the interval.
const AWAY: [f64; 4] = [0.08, 0.15, 0.25, 0.35];
/// Strengths of all ladders.
pub(super) const MOST_STRENGTH: usize = 5;
/// What the links of nodes carry in programs of tasks, in Gb/s.
const TASK_GBIT: f64 = 25.0;
/// Intervals of noise: so many visits of the function whose visits are longest, since shorter ones hit every visit alike.
const VISITS_PER_INTERVAL: f64 = 6.0;
/// Fewer intervals than this are no rhythm.
const LEAST_INTERVALS: f64 = 6.0;

/// Who computes for a smaller share of the time is not there when noise comes.
const LEAST_COMPUTING: f64 = 0.3;

/// A kind of fault, as the report counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    SlowRank,
    SlowRanks,
    SlowNode,
    SlowLater,
    SlowFunction,
    Stall,
    Drift,
    Link,
    Card,
    Network,
    NoiseOfRank,
    NoiseOfAll,
    Imbalance,
    Factors,
    Clock,
    Two,
    Tasks,
}

impl Kind {
    /// Those of programs of ranks.
    pub(super) const OF_RANKS: [Kind; 16] = [
        Kind::SlowRank,
        Kind::Link,
        Kind::Stall,
        Kind::Imbalance,
        Kind::SlowNode,
        Kind::Card,
        Kind::Drift,
        Kind::NoiseOfRank,
        Kind::SlowLater,
        Kind::Network,
        Kind::SlowFunction,
        Kind::NoiseOfAll,
        Kind::SlowRanks,
        Kind::Clock,
        Kind::Two,
        Kind::Factors,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::SlowRank => "slow-rank",
            Kind::SlowRanks => "slow-ranks",
            Kind::SlowNode => "slow-node",
            Kind::SlowLater => "slow-interval",
            Kind::SlowFunction => "slow-function",
            Kind::Stall => "stall",
            Kind::Drift => "drift",
            Kind::Link => "link",
            Kind::Card => "card",
            Kind::Network => "network",
            Kind::NoiseOfRank => "noise-of-rank",
            Kind::NoiseOfAll => "noise-of-all",
            Kind::Imbalance => "imbalance",
            Kind::Factors => "factors",
            Kind::Clock => "clock",
            Kind::Two => "two",
            Kind::Tasks => "tasks",
        }
    }
}

/// A fault: its words on the command line, and what is true with it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    pub(super) words: Vec<String>,
    pub(super) truth: Truth,
    /// The text of the file that it names, if it does, and how to make it.
    pub(super) file: Option<(String, String)>,
}

/// Where a fault is planted.
pub(super) struct Ground<'a> {
    pub(super) setting: &'a Setting,
    /// The run without it.
    pub(super) clean: &'a Measured,
    /// Pairs of ranks that exchange messages, busiest first.
    pub(super) pairs: &'a [(u32, u32)],
}

/// The faults that are planted into a setting: every kind comes into every program, and into all sizes.
pub(super) fn kinds(setting: &Setting) -> Vec<Kind> {
    if setting.machine.is_none() {
        return vec![Kind::Tasks; 3];
    }
    let (program, size) = setting.place;
    let count = Kind::OF_RANKS.len() / super::settings::SIZES;
    (0..count).map(|number| Kind::OF_RANKS[(size * count + number + 3 * program) % Kind::OF_RANKS.len()]).collect()
}

/// The two kinds of a run with two faults.
pub(super) fn two(setting: &Setting) -> [Kind; 2] {
    const PAIRS: [[Kind; 2]; 7] = [
        [Kind::SlowRank, Kind::Stall],
        [Kind::SlowNode, Kind::Network],
        [Kind::Stall, Kind::Card],
        [Kind::SlowFunction, Kind::Stall],
        [Kind::Network, Kind::Stall],
        [Kind::Drift, Kind::Stall],
        [Kind::SlowRank, Kind::Network],
    ];
    PAIRS[setting.place.0 % PAIRS.len()]
}

impl Ground<'_> {
    /// A number below `most`, for this purpose, by chance.
    fn draw(&self, purpose: u64, attempt: u64, most: u32) -> u32 {
        let mut value = self.setting.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (purpose << 32) ^ attempt;
        for _ in 0..2 {
            value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            value ^= value >> 27;
        }
        ((value >> 16) % u64::from(most.max(1))) as u32
    }

    /// The run without a fault, as a person would type it.
    pub(super) fn command(&self) -> String {
        format!("heddle simulate {} -o run.heddle", self.setting.words().join(" "))
    }

    /// Why nobody could see a fault of this kind in a trace of this program, however strong it is.
    pub(super) fn hides(&self, kind: Kind) -> Option<String> {
        let all = self.clean.length as f64 * self.clean.ranks;
        let computing: f64 = self.clean.functions.iter().map(|function| function.exclusive).sum();
        match kind {
            Kind::Link | Kind::Card if self.setting.machine.is_some() && self.pairs.is_empty() => {
                Some("the trace has no messages, only collectives, and those do not say whose was slow".to_owned())
            }
            Kind::NoiseOfRank | Kind::NoiseOfAll if computing < LEAST_COMPUTING * all => {
                let share = 100.0 * computing / all;
                Some(format!("ranks compute for {share:.0} % of the time only, so that most of the noise hits nobody"))
            }
            _ => None,
        }
    }

    /// The strength to begin with.
    pub(super) fn first_strength(&self, kind: Kind) -> usize {
        self.draw(kind as u64 + 100, 0, 3) as usize
    }

    /// A fault of some strength; another one on every attempt. None if there is none of this kind here, or none so strong.
    pub(super) fn plant(&self, kind: Kind, strength: usize, attempt: u64) -> Option<Fault> {
        let Some(machine) = self.setting.machine else { return self.tasks(strength, attempt) };
        let rank = self.draw(kind as u64, attempt, machine.ranks);
        let length = self.clean.length as f64;
        let us = |share: f64| format!("{}us", (length * share / 1000.0).round());
        let ns = |share: f64| (length * share / 1000.0).round() as i64 * 1000;
        let set = |ranks: &[u32]| ranks.iter().copied().collect::<BTreeSet<u32>>();
        let slow = |ranks| Truth::Slow { ranks, function: None, from: None, until: None };
        let factor = FACTORS.get(strength);
        let wire = WIRES.get(strength);
        Some(match kind {
            Kind::SlowRank => fault(format!("slow:rank={rank},factor={}", factor?), slow(set(&[rank]))),
            Kind::SlowRanks => {
                let ranks: BTreeSet<u32> = (0..3).map(|more| self.draw(50 + more, attempt, machine.ranks)).collect();
                let list: Vec<String> = ranks.iter().map(u32::to_string).collect();
                fault(format!("slow:ranks={},factor={}", list.join("+"), factor?), slow(ranks))
            }
            Kind::SlowNode => {
                let node = self.draw(1, attempt, machine.nodes());
                fault(format!("slow:node={node},factor={}", factor?), slow(machine.ranks_of(node).collect()))
            }
            Kind::SlowLater => {
                let which = self.setting.place.0 + attempt as usize;
                let (from, until) = ([0.3, 0.4, 0.5][which % 3], (which % 2 == 1).then_some(0.8));
                let end = until.map(|until| format!(",until={}", us(until))).unwrap_or_default();
                let text = format!("slow:rank={rank},factor={},from={}{end}", factor?, us(from));
                let (from, until) = (Some(ns(from)), until.map(ns));
                fault(text, Truth::Slow { ranks: set(&[rank]), function: None, from, until })
            }
            Kind::SlowFunction => {
                let functions = &self.clean.functions;
                let name = &functions.get(attempt as usize % functions.len().clamp(1, 2))?.name;
                let text = format!("slow:rank={rank},factor={},function={name}", factor?);
                fault(text, Truth::Slow { ranks: set(&[rank]), function: Some(name.clone()), from: None, until: None })
            }
            Kind::Stall => {
                let at = 0.2 + 0.05 * f64::from(self.draw(2, attempt, 10));
                let text = format!("stall:rank={rank},at={},for={}", us(at), us(*STALLS.get(strength)?));
                fault(text, Truth::Stall { rank, at: ns(at) })
            }
            // On average half of it is felt.
            Kind::Drift => {
                fault(format!("drift:rank={rank},to={}", 2.0 * factor? - 1.0), Truth::Drift { ranks: set(&[rank]) })
            }
            Kind::Link => self.link(machine, *wire?, attempt)?,
            Kind::Card => self.card(machine, *wire?, attempt)?,
            Kind::Network => fault(format!("network:factor={}", wire?), Truth::Network),
            Kind::NoiseOfRank => fault(format!("{},rank={rank}", self.noise(strength)?), Truth::Noise { rank }),
            Kind::NoiseOfAll => fault(self.noise(strength)?, Truth::NoiseEverywhere),
            Kind::Imbalance => {
                let shape = ["linear", "hill"][attempt as usize % 2];
                fault(format!("imbalance:to={},shape={shape}", factor?), Truth::Uneven)
            }
            Kind::Factors => {
                Fault { file: Some(valley(machine.ranks, *factor?)), ..fault(String::new(), Truth::Uneven) }
            }
            Kind::Clock => self.clock(machine, rank, strength),
            Kind::Two | Kind::Tasks => return None,
        })
    }

    fn link(&self, machine: Machine, factor: f64, attempt: u64) -> Option<Fault> {
        let busy = self.pairs.len().div_ceil(4) as u32;
        let (one, other) = *self.pairs.get(self.draw(3, attempt, busy) as usize)?;
        let nodes = [one, other].map(|rank| rank / machine.per_node);
        if self.setting.place.0.is_multiple_of(3) && nodes[0] != nodes[1] {
            let names = nodes.iter().map(|node| format!("node {node}")).collect();
            let joins = |pair: [u32; 2]| nodes.iter().all(|node| pair.contains(node));
            let pairs = self.pairs.iter().filter(|pair| joins([pair.0, pair.1].map(|rank| rank / machine.per_node)));
            let truth = Truth::NodeLink { nodes: names, pairs: pairs.copied().collect() };
            return Some(fault(format!("link:nodes={}-{},factor={factor}", nodes[0], nodes[1]), truth));
        }
        Some(fault(
            format!("link:ranks={one}-{other},factor={factor}"),
            Truth::RankLink(one.min(other), one.max(other)),
        ))
    }

    fn card(&self, machine: Machine, factor: f64, attempt: u64) -> Option<Fault> {
        if self.setting.place.0.is_multiple_of(2) {
            let node = self.draw(4, attempt, machine.nodes());
            let its = machine.ranks_of(node);
            let leaves = |pair: &&(u32, u32)| its.contains(&pair.0) != its.contains(&pair.1);
            let pairs: BTreeSet<(u32, u32)> = self.pairs.iter().filter(leaves).copied().collect();
            let ranks = pairs.iter().map(|pair| if its.contains(&pair.0) { pair.0 } else { pair.1 }).collect();
            let is_used = !pairs.is_empty();
            let truth = Truth::Card { ranks, node: Some(format!("node {node}")), pairs };
            return is_used.then(|| fault(format!("card:node={node},factor={factor}"), truth));
        }
        let rank = self.draw(4, attempt, machine.ranks);
        let its = self.pairs.iter().filter(|pair| pair.0 == rank || pair.1 == rank);
        let pairs: BTreeSet<(u32, u32)> = its.copied().collect();
        let is_used = !pairs.is_empty();
        let truth = Truth::Card { ranks: BTreeSet::from([rank]), node: None, pairs };
        is_used.then(|| fault(format!("card:rank={rank},factor={factor}"), truth))
    }

    /// The slow link that may leave the same records as the slow card of a node, if all that leaves or reaches the node goes
    /// from and to one other.
    pub(super) fn link_for(&self, card: &Fault) -> Option<Fault> {
        let (machine, Truth::Card { node: Some(_), pairs, .. }) = (self.setting.machine?, &card.truth) else {
            return None;
        };
        let ends = pairs.iter().flat_map(|pair| [pair.0, pair.1]).map(|rank| rank / machine.per_node);
        let nodes: Vec<u32> = ends.collect::<BTreeSet<u32>>().into_iter().collect();
        let [one, other] = nodes.as_slice() else { return None };
        let (_, factor) = card.words.last()?.split_once(",factor=")?;
        let names = nodes.iter().map(|node| format!("node {node}")).collect();
        let truth = Truth::NodeLink { nodes: names, pairs: pairs.clone() };
        Some(fault(format!("link:nodes={one}-{other},factor={factor}"), truth))
    }

    fn noise(&self, strength: usize) -> Option<String> {
        let visits = self.clean.functions.iter().map(|function| function.exclusive / function.count);
        let every = VISITS_PER_INTERVAL * visits.max_by(f64::total_cmp)?;
        let away = every * AWAY.get(strength)?;
        let is_rhythm = self.clean.length as f64 / every >= LEAST_INTERVALS;
        is_rhythm.then(|| format!("noise:every={}ns,for={}ns", every.round(), away.round()))
    }

    /// Some can be seen by messages that are there before they are sent, some are too small for that.
    fn clock(&self, machine: Machine, rank: u32, strength: usize) -> Fault {
        let is_visible = !self.pairs.is_empty() && strength.is_multiple_of(2);
        // Half of what a message takes at least; or a twentieth of the run.
        let offset = if is_visible { self.clean.length / 20 } else { 700 };
        let who = if self.setting.place.0.is_multiple_of(2) {
            format!("node={}", rank / machine.per_node)
        } else {
            format!("rank={rank}")
        };
        fault(format!("clock:{who},offset={offset}ns"), Truth::Clock { is_visible })
    }

    /// Programs of tasks have options of their own.
    fn tasks(&self, strength: usize, attempt: u64) -> Option<Fault> {
        let node = self.draw(5, attempt, TASK_NODES);
        let nodes = BTreeSet::from([format!("node {node}")]);
        let (option, value, truth) = if attempt.is_multiple_of(2) {
            ("--speed-of", 1.0 / FACTORS.get(strength)?, Truth::SlowNodes(nodes))
        } else {
            ("--bandwidth-of", TASK_GBIT / WIRES.get(strength)?, Truth::SlowNodeLinks(nodes))
        };
        Some(Fault { words: vec![option.to_owned(), format!("{node}:{value:.3}")], truth, file: None })
    }
}

fn fault(text: String, truth: Truth) -> Fault {
    Fault { words: vec!["--fault".to_owned(), text], truth, file: None }
}

/// Factors that fall to the middle of the ranks and rise again, smoothly.
fn valley(ranks: u32, most: f64) -> (String, String) {
    let at = |rank: u32| 2.0 * f64::from(rank) / f64::from((ranks - 1).max(1)) - 1.0;
    let lines: Vec<String> = (0..ranks).map(|rank| format!("{:.4}", 1.0 + (most - 1.0) * at(rank).powi(2))).collect();
    let how = format!("rank r of n: 1 + {:.1} (2 r / (n - 1) - 1)^2", most - 1.0);
    (lines.join("\n"), how)
}

/// Whether there is such a program.
pub(super) fn is_program(name: &str) -> bool {
    PROGRAMS.iter().any(|program| program.0 == name) || name.starts_with("tasks-")
}
