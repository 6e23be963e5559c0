//! The same at 16,384 ranks: one slow node among 512.

use heddle_model::Source;
use heddle_simulate::{HaloOptions, SimulateError, halo};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "halo-16k",
    title: "One slow node among 512",
    summary: "16,384 ranks on 512 nodes, one of which computes at two thirds of the speed",
    about: "TODO",
    runs: &[Run { name: "halo-16k", simulate }],
    stops: &[Stop { title: "The whole run", text: "TODO", view: "v=1&trace=halo-16k" }],
    figures: &[Figure { file: "halo-16k", run: "halo-16k", render: "timeline --size 1200x520", caption: "TODO" }],
};

fn simulate() -> Result<Box<dyn Source>, SimulateError> {
    let node = 6_432..6_464;
    let options = HaloOptions {
        ranks: 16_384,
        iterations: 60,
        slow_ranks: node.collect(),
        slow_factor: 1.5,
        ..HaloOptions::default()
    };
    Ok(Box::new(halo(&options)?))
}
