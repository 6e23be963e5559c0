//! The faults of a run, checked against its program and machine, and as its engine needs them.

use std::sync::atomic::{AtomicU64, Ordering};

use heddle_model::Ns;

use super::computing::{self, Computation, Effect, Stalled, What};
use super::{Fault, Growth, Slope, When, Who, Wires};
use crate::SimulateError;
use crate::interconnect::Nodes;
use crate::machine::{LATEST, Machine};
use crate::program::{Own, ProgramInfo};

/// More faults than these have no bit to be remembered by.
const MOST: usize = 64;
/// Factors: so far from 1 in either direction.
const FACTORS: (f64, f64) = (1e-6, 1e6);

/// The faults of a run.
#[derive(Debug)]
pub(crate) struct Planted {
    /// By rank, whether the machine's options make it slow.
    slow: Vec<bool>,
    effects: Vec<Effect>,
    has_stalls: bool,
    pub(crate) wires: Wires,
    /// By rank; empty if all are right.
    clocks: Vec<Clock>,
    /// The faults that have changed something, a bit for each.
    felt: AtomicU64,
}

/// What a rank's clock shows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    offset: i64,
    drift: f64,
}

impl Clock {
    /// What it shows at a time of the run.
    pub(crate) fn ns(&self, time: i64) -> Ns {
        let gained = if self.drift == 0.0 { 0 } else { (self.drift * time as f64).round() as i64 };
        Ns(time + self.offset + gained)
    }
}

impl Planted {
    pub(crate) fn new(machine: &Machine, nodes: &Nodes<'_>, program: &ProgramInfo) -> Result<Planted, SimulateError> {
        let ranks = program.ranks;
        if machine.faults.len() > MOST {
            return Err(SimulateError::Options(format!("there are at most {MOST} faults in a run")));
        }
        let mut planted = Planted {
            slow: machine.slow(nodes, ranks)?,
            effects: Vec::new(),
            has_stalls: machine.faults.iter().any(|fault| matches!(fault, Fault::Stall { .. })),
            wires: Wires::new(machine, nodes, ranks)?,
            clocks: Vec::new(),
            felt: AtomicU64::new(0),
        };
        for (number, fault) in machine.faults.iter().enumerate() {
            let who = Befallen { kind: fault.kind(), nodes, ranks }.of(fault)?;
            if let Fault::Clock { offset_ns, drift, .. } = fault {
                within("clock", "offset", *offset_ns as f64, (-1e15, 1e15))?;
                within("clock", "drift", *drift, (-0.5, 0.5))?;
                planted.clocks.resize(ranks as usize, Clock::default());
                for (rank, clock) in planted.clocks.iter_mut().enumerate() {
                    if who.is_empty() || who[rank] {
                        clock.offset += offset_ns;
                        clock.drift += drift;
                    }
                }
            } else if let Some(what) = effect(fault, program)? {
                planted.effects.push(Effect { who, what, fault: number });
            }
        }
        // Every rank's first event is at 0.
        let first = planted.clocks.iter().map(|clock| clock.offset).min().unwrap_or(0);
        for clock in &mut planted.clocks {
            clock.offset -= first;
        }
        Ok(planted)
    }

    /// How long a computation takes when it happens. `befallen` are the stalls that its rank has met.
    pub(crate) fn compute(&self, machine: &Machine, of: &Computation, stages: u32, befallen: &mut Vec<Stalled>) -> i64 {
        let length = self.unstalled(machine, of, stages);
        if !self.has_stalls {
            return length;
        }
        let (added, felt) = computing::stall(&self.effects, of, length, befallen);
        self.feel(felt);
        (length + added).min(LATEST)
    }

    /// The same again, when the run is over.
    pub(crate) fn recompute(&self, machine: &Machine, of: &Computation, stages: u32, befallen: &[Stalled]) -> i64 {
        (self.unstalled(machine, of, stages) + computing::stalled(&self.effects, of.place, befallen)).min(LATEST)
    }

    fn unstalled(&self, machine: &Machine, of: &Computation, stages: u32) -> i64 {
        let is_slow = self.slow[of.rank as usize];
        if self.effects.is_empty() {
            return machine.compute(of.mean_ns, is_slow, 1.0, of.rank, of.place);
        }
        let (factor, felt) = computing::factor(&self.effects, of, stages);
        let length = machine.compute(of.mean_ns, is_slow, factor, of.rank, of.place);
        let (length, more) = computing::interrupted(&self.effects, of, machine, length);
        self.feel(felt | more);
        length
    }

    /// Notes which faults have changed something. The sum is the same in whatever order they do.
    fn feel(&self, faults: u64) {
        if self.felt.load(Ordering::Relaxed) & faults != faults {
            self.felt.fetch_or(faults, Ordering::Relaxed);
        }
    }

    pub(crate) fn clock(&self, rank: u32) -> Clock {
        self.clocks.get(rank as usize).copied().unwrap_or_default()
    }

    /// Whether every fault has changed something, after a run whose last computation was over at some time.
    pub(crate) fn check_felt(&self, machine: &Machine, end: i64) -> Result<(), SimulateError> {
        let felt = self.felt.load(Ordering::Relaxed) | self.wires.felt();
        for (number, fault) in machine.faults.iter().enumerate() {
            let why = match fault {
                Fault::Clock { .. } => continue,
                _ if felt & (1 << number) != 0 => continue,
                Fault::Stall { at_ns, .. } => {
                    format!("nobody there computes after {} ms", *at_ns as f64 / 1e6)
                }
                Fault::Slow { function: Some(function), .. } => format!("nobody there computes in {function} then"),
                Fault::Link { .. } => "no message goes that way".to_owned(),
                Fault::Card { .. } => "no message goes over that card".to_owned(),
                Fault::Network { .. } => "no message is sent then".to_owned(),
                _ => "nobody there computes then".to_owned(),
            };
            let kind = fault.kind();
            let end = end as f64 / 1e6;
            let message = format!("the fault {kind} changes nothing: {why}; the run lasts {end} ms");
            return Err(SimulateError::Options(message));
        }
        Ok(())
    }
}

/// Finds the ranks that a fault befalls.
struct Befallen<'a> {
    kind: &'static str,
    nodes: &'a Nodes<'a>,
    ranks: u32,
}

impl Befallen<'_> {
    /// By rank; empty for all.
    fn of(&self, fault: &Fault) -> Result<Vec<bool>, SimulateError> {
        match fault {
            Fault::Stall { who, .. }
            | Fault::Slow { who, .. }
            | Fault::Drift { who, .. }
            | Fault::Noise { who, .. }
            | Fault::Clock { who, .. } => self.who(who),
            _ => Ok(Vec::new()),
        }
    }

    fn who(&self, who: &Who) -> Result<Vec<bool>, SimulateError> {
        Ok(match who {
            Who::All => Vec::new(),
            Who::Ranks(ranks) => {
                ranks.iter().try_for_each(|rank| check_rank(self.kind, *rank, self.ranks))?;
                marked(ranks, self.ranks)
            }
            Who::Nodes(nodes) => {
                nodes.iter().try_for_each(|node| check_node(self.kind, *node, self.nodes.count()))?;
                let marked = marked(nodes, self.nodes.count());
                (0..self.ranks).map(|rank| marked[self.nodes.of(rank) as usize]).collect()
            }
        })
    }
}

/// For each of so many, whether it is listed.
pub(super) fn marked(list: &[u32], count: u32) -> Vec<bool> {
    let mut marked = vec![false; count as usize];
    for number in list {
        marked[*number as usize] = true;
    }
    marked
}

pub(super) fn check_rank(kind: &str, rank: u32, ranks: u32) -> Result<(), SimulateError> {
    if rank < ranks {
        return Ok(());
    }
    let last = ranks - 1;
    Err(SimulateError::Options(format!(
        "fault {kind}: rank {rank} does not exist: the last of {ranks} ranks is {last}"
    )))
}

pub(super) fn check_node(kind: &str, node: u32, nodes: u32) -> Result<(), SimulateError> {
    if node < nodes {
        return Ok(());
    }
    let last = nodes - 1;
    Err(SimulateError::Options(format!(
        "fault {kind}: node {node} does not exist: the last of {nodes} nodes is {last}"
    )))
}

/// Not a number is in no range.
fn within(kind: &str, what: &str, value: f64, (least, most): (f64, f64)) -> Result<(), SimulateError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(SimulateError::Options(format!("fault {kind}: {what} is {value}; it must be from {least} to {most}")))
}

fn check_factor(kind: &str, factor: f64) -> Result<(), SimulateError> {
    within(kind, "factor", factor, FACTORS)
}

/// Of something that can only be slower.
pub(super) fn check_slow(kind: &str, factor: f64) -> Result<(), SimulateError> {
    within(kind, "factor", factor, (1.0, FACTORS.1))
}

pub(super) fn check_when(kind: &str, when: When) -> Result<(), SimulateError> {
    if when.until_ns.is_some_and(|until| until <= when.from_ns) {
        return Err(SimulateError::Options(format!("fault {kind}: it ends before it begins")));
    }
    Ok(())
}

/// A time as the engine counts, the end of all times at most.
fn ns(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(LATEST).min(LATEST)
}

/// What a fault does to computations, if anything.
fn effect(fault: &Fault, program: &ProgramInfo) -> Result<Option<What>, SimulateError> {
    let (kind, ranks) = (fault.kind(), program.ranks);
    Ok(Some(match fault {
        Fault::Stall { at_ns, for_ns, .. } => What::Stall { at: ns(*at_ns), length: ns(*for_ns) },
        Fault::Slow { factor, when, function, .. } => {
            check_factor(kind, *factor)?;
            check_when(kind, *when)?;
            let function = function.as_ref().map(|name| find_function(name, program)).transpose()?;
            What::Factor { factor: *factor, when: *when, function }
        }
        Fault::Drift { growth, .. } => {
            match growth {
                Growth::To(to) => check_factor(kind, *to)?,
                Growth::PerSecond(gain) => within(kind, "growth per second", *gain, (0.0, FACTORS.1))?,
            }
            What::Drift(*growth)
        }
        Fault::Noise { every_ns, for_ns, at_ns, .. } => {
            if for_ns >= every_ns {
                return Err(SimulateError::Options("fault noise: it must be shorter than its interval".to_owned()));
            }
            What::Noise { every: ns(*every_ns).max(1), busy: ns(*for_ns), at: at_ns.map(ns) }
        }
        Fault::Factors { by_rank } => {
            if by_rank.len() != ranks as usize {
                let lines = by_rank.len();
                let message = format!("fault factors: there are {lines} factors, but the program has {ranks} ranks");
                return Err(SimulateError::Options(message));
            }
            by_rank.iter().try_for_each(|factor| check_factor(kind, *factor))?;
            What::Factors(by_rank.to_vec())
        }
        Fault::Imbalance { to, shape } => {
            check_factor(kind, *to)?;
            What::Factors((0..ranks).map(|rank| 1.0 + (to - 1.0) * height(*shape, rank, ranks)).collect())
        }
        Fault::Link { .. } | Fault::Card { .. } | Fault::Network { .. } | Fault::Clock { .. } => return Ok(None),
    }))
}

/// From 0 to 1, over the ranks.
fn height(shape: Slope, rank: u32, ranks: u32) -> f64 {
    let at = f64::from(rank) / f64::from((ranks - 1).max(1));
    match shape {
        Slope::Linear => at,
        Slope::Hill => 4.0 * at * (1.0 - at),
    }
}

fn find_function(name: &str, program: &ProgramInfo) -> Result<Own, SimulateError> {
    match (0..).zip(program.regions).find(|(_, region)| **region == name) {
        Some((number, _)) => Ok(Own(number)),
        None => Err(SimulateError::Options(format!(
            "fault slow: {} has no function {name}; its functions are {}",
            program.name,
            program.regions.join(", ")
        ))),
    }
}
