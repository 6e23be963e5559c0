//! One slow rank in a halo exchange: how waiting travels.

use heddle_model::Source;
use heddle_simulate::{HaloOptions, SimulateError, halo};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "halo",
    title: "One slow rank",
    summary: "256 ranks exchange borders; rank 37 is slow, and its neighbours wait, then theirs",
    about: "256 ranks compute on a grid of 16 by 16 and exchange the borders of their parts with four neighbours. Rank 37 \
            takes twice as long as the others. Its neighbours wait for it in `MPI_Waitall`, in the next iteration their \
            neighbours wait for them, and so on until an `MPI_Allreduce` stops everybody: waves of waiting around one rank \
            that never waits itself.",
    runs: &[Run { name: "halo", simulate }],
    stops: &[Stop { title: "The whole run", text: "TODO", view: "v=1&trace=halo" }],
    figures: &[Figure { file: "halo-wave", run: "halo", render: "timeline --size 1200x520", caption: "TODO" }],
};

fn simulate() -> Result<Box<dyn Source>, SimulateError> {
    let options = HaloOptions { ranks: 256, iterations: 200, slow_ranks: vec![37], ..HaloOptions::default() };
    Ok(Box::new(halo(&options)?))
}
