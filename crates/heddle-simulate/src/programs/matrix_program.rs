//! What all matrix operations have in common as programs: their ranks and communicators are those of their matrix of
//! processes, and all ranks go through the same parts.

use super::process_grid::ProcessGrid;
use crate::{Ops, Program};

/// A matrix operation.
pub(crate) trait MatrixProgram: Send + Sync {
    /// As on the command line.
    const NAME: &'static str;
    /// Its own functions.
    const REGIONS: &'static [&'static str];

    /// Its matrix of processes.
    fn grid(&self) -> ProcessGrid;

    /// How many parts it has: panels, blocks, steps.
    fn parts(&self) -> u32;

    /// What a rank does in a part.
    fn part(&self, rank: u32, part: u32, ops: &mut Ops);
}

impl<T: MatrixProgram> Program for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn ranks(&self) -> u32 {
        self.grid().ranks()
    }

    fn regions(&self) -> &'static [&'static str] {
        T::REGIONS
    }

    fn communicators(&self) -> Vec<(String, Vec<u32>)> {
        self.grid().communicators()
    }

    fn stages(&self, _rank: u32) -> u32 {
        self.parts()
    }

    fn stage(&self, rank: u32, stage: u32, ops: &mut Ops) {
        self.part(rank, stage, ops);
    }
}
