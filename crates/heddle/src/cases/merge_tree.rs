//! DRAFT.

use heddle_model::Source;
use heddle_simulate::{Machine, MergeTree, MergeTreeOptions, MergeTreeOrder, SimulateError, simulate};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "merge-tree",
    title: "TODO",
    summary: "TODO",
    about: "TODO",
    runs: &[
        Run { name: "merge-tree-original", simulate: original },
        Run { name: "merge-tree-improved", simulate: improved },
    ],
    stops: &[Stop { title: "TODO", text: "TODO", view: "v=1&trace=merge-tree-original" }],
    figures: &[Figure {
        file: "merge-tree",
        run: "merge-tree-original",
        render: "timeline --size 1200x520",
        caption: "TODO",
    }],
};

fn original() -> Result<Box<dyn Source>, SimulateError> {
    run(MergeTreeOrder::Original)
}

fn improved() -> Result<Box<dyn Source>, SimulateError> {
    run(MergeTreeOrder::Improved)
}

fn run(order: MergeTreeOrder) -> Result<Box<dyn Source>, SimulateError> {
    let program = MergeTree::new(&MergeTreeOptions { ranks: 512, order, ..MergeTreeOptions::default() })?;
    Ok(Box::new(simulate(program, &Machine::default())?))
}
