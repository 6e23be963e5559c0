//! What all matrix operations have in common as programs: their ranks and communicators are those of their matrix of
//! processes, all ranks go through the same parts, and a function of their own goes around the whole.

use super::checks;
use super::process_grid::ProcessGrid;
use crate::{Ops, Own, Program, ProgramInfo, SimulateError};

/// What a matrix operation is, by its options.
pub trait MatrixOptions: Clone + Send + Sync {
    /// As on the command line.
    const NAME: &'static str;
    /// Its own functions; the first goes around the whole.
    const REGIONS: &'static [&'static str];

    /// Number of ranks.
    fn ranks(&self) -> u32;

    /// Whether there can be such a run on any number of ranks.
    fn check(&self) -> Result<(), SimulateError>;

    /// How many parts it has: panels, blocks, steps.
    fn parts(&self) -> u32;

    /// What a rank does in a part.
    fn part(&self, at: &MatrixSetting, rank: u32, part: u32, ops: &mut Ops);
}

/// Where a matrix operation runs.
#[derive(Clone, Copy, Debug)]
pub struct MatrixSetting {
    pub(super) grid: ProcessGrid,
    first_region: u16,
}

impl MatrixSetting {
    /// A function of the operation: a position in its regions.
    pub(super) fn own(&self, region: u16) -> Own {
        Own(self.first_region + region)
    }
}

/// A matrix operation as a program.
#[derive(Clone, Debug)]
pub struct MatrixProgram<O> {
    options: O,
    setting: MatrixSetting,
}

impl<O: MatrixOptions> MatrixProgram<O> {
    /// The program with these options.
    pub fn new(options: &O) -> Result<MatrixProgram<O>, SimulateError> {
        MatrixProgram::among(options, 0)
    }

    /// The same as a part of a longer program, where its regions begin later.
    pub(super) fn among(options: &O, first_region: u16) -> Result<MatrixProgram<O>, SimulateError> {
        checks::ranks(options.ranks())?;
        options.check()?;
        let setting = MatrixSetting { grid: ProcessGrid::of(options.ranks()), first_region };
        Ok(MatrixProgram { options: options.clone(), setting })
    }
}

impl<O: MatrixOptions> Program for MatrixProgram<O> {
    fn info(&self) -> ProgramInfo {
        ProgramInfo { name: O::NAME, ranks: self.setting.grid.ranks(), regions: O::REGIONS }
    }

    fn communicators(&self) -> Vec<(String, Vec<u32>)> {
        self.setting.grid.communicators()
    }

    fn stages(&self, _rank: u32) -> u32 {
        self.options.parts()
    }

    fn stage(&self, rank: u32, stage: u32, ops: &mut Ops) {
        let whole = self.setting.own(0);
        if stage == 0 {
            ops.enter(whole);
        }
        self.options.part(&self.setting, rank, stage, ops);
        if stage + 1 == self.options.parts() {
            ops.leave(whole);
        }
    }
}
