//! DRAFT.

use heddle_model::Source;
use heddle_simulate::{Machine, SimulateError, Train, TrainOptions, simulate};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "train",
    title: "TODO",
    summary: "TODO",
    about: "TODO",
    runs: &[Run { name: "train", simulate: training }],
    stops: &[Stop { title: "TODO", text: "TODO", view: "v=1&trace=train" }],
    figures: &[Figure { file: "train", run: "train", render: "timeline --size 1200x520", caption: "TODO" }],
};

fn training() -> Result<Box<dyn Source>, SimulateError> {
    let program = Train::new(&TrainOptions::default())?;
    Ok(Box::new(simulate(program, &Machine::default())?))
}
