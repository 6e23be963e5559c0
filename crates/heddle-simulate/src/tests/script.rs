//! Programs written down for a test, rank by rank.

use super::super::engine::simulate_tuned;
use super::super::rank::Tuning;
use crate::{Comm, LogGp, Machine, Ops, Own, Program, ProgramInfo, SimulateError, Simulation, simulate};

/// What every rank does in every stage.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    pub(super) stages: Vec<Vec<Ops>>,
    pub(super) comms: Vec<(String, Vec<u32>)>,
}

impl Script {
    /// One stage a rank.
    pub(super) fn new(ranks: u32, write: impl Fn(u32, &mut Ops)) -> Script {
        let stages = (0..ranks).map(|rank| {
            let mut ops = Ops::default();
            write(rank, &mut ops);
            vec![ops]
        });
        Script { stages: stages.collect(), comms: Vec::new() }
    }

    pub(super) fn simulate(self, machine: &Machine) -> Result<Simulation, SimulateError> {
        simulate(self, machine)
    }

    /// With parts and tasks as small as asked for.
    pub(super) fn simulate_tuned(self, machine: &Machine, tuning: Tuning) -> Result<Simulation, SimulateError> {
        simulate_tuned(Box::new(self), machine, tuning)
    }
}

impl Program for Script {
    fn info(&self) -> ProgramInfo {
        ProgramInfo { name: "script", ranks: self.stages.len() as u32, regions: &["work", "step", "part"] }
    }

    fn communicators(&self) -> Vec<(String, Vec<u32>)> {
        self.comms.clone()
    }

    fn stages(&self, rank: u32) -> u32 {
        self.stages[rank as usize].len() as u32
    }

    fn stage(&self, rank: u32, stage: u32, ops: &mut Ops) {
        ops.list.extend_from_slice(&self.stages[rank as usize][stage as usize].list);
    }
}

pub(super) const WORK: Own = Own(0);
pub(super) const WORLD: Comm = Comm::WORLD;

/// No chance, round numbers: L 1000, o 100, g 50, G 1, eager up to 500 bytes.
pub(super) fn plain() -> Machine {
    Machine {
        noise: 0.0,
        network: LogGp { latency_ns: 1_000, overhead_ns: 100, gap_ns: 50, gap_per_byte: 1.0, eager_bytes: 500 },
        ..Machine::default()
    }
}
