//! DRAFT.

use heddle_model::Source;
use heddle_simulate::{Machine, Scalapack, ScalapackOptions, SimulateError, simulate};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "scalapack",
    title: "TODO",
    summary: "TODO",
    about: "TODO",
    runs: &[Run { name: "scalapack-256", simulate: small }, Run { name: "scalapack-16k", simulate: large }],
    stops: &[Stop { title: "TODO", text: "TODO", view: "v=1&trace=scalapack-256" }],
    figures: &[Figure { file: "scalapack", run: "scalapack-256", render: "timeline --size 1200x520", caption: "TODO" }],
};

fn small() -> Result<Box<dyn Source>, SimulateError> {
    run(256)
}

fn large() -> Result<Box<dyn Source>, SimulateError> {
    run(16_384)
}

fn run(ranks: u32) -> Result<Box<dyn Source>, SimulateError> {
    let program = Scalapack::new(&ScalapackOptions { ranks, ..ScalapackOptions::default() })?;
    Ok(Box::new(simulate(program, &Machine::default())?))
}
