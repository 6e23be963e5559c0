//! DRAFT.

use heddle_model::Source;
use heddle_simulate::{Machine, Pf3d, Pf3dOptions, Pf3dOrder, SimulateError, simulate};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "pf3d",
    title: "TODO",
    summary: "TODO",
    about: "TODO",
    runs: &[Run { name: "pf3d-original", simulate: original }, Run { name: "pf3d-fixed", simulate: fixed }],
    stops: &[Stop { title: "TODO", text: "TODO", view: "v=1&trace=pf3d-original" }],
    figures: &[Figure { file: "pf3d", run: "pf3d-original", render: "timeline --size 1200x520", caption: "TODO" }],
};

fn original() -> Result<Box<dyn Source>, SimulateError> {
    run(Pf3dOrder::Original)
}

fn fixed() -> Result<Box<dyn Source>, SimulateError> {
    run(Pf3dOrder::Fixed)
}

fn run(order: Pf3dOrder) -> Result<Box<dyn Source>, SimulateError> {
    let program = Pf3d::new(&Pf3dOptions { ranks: 512, slabs: 32, order, ..Pf3dOptions::default() })?;
    Ok(Box::new(simulate(program, &Machine::default())?))
}
