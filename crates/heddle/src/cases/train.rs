//! A straggler in data-parallel training.

use heddle_model::Source;
use heddle_simulate::{Machine, SimulateError, Train, TrainOptions, simulate};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "train",
    title: "A straggler in training",
    summary: "64 ranks train a network; from the seventh step on one is slow and all others wait",
    about: "Data-parallel training of a neural network on 64 ranks. The gradients are summed with non-blocking \
            all-reduces while the backward pass still goes on, so that a step hardly waits. From the seventh step on \
            rank 32 computes at little more than half its speed, as a throttled GPU does: a step then takes 120 ms \
            instead of 69, and 63 of 64 ranks spend half of it waiting.",
    runs: &[Run { name: "train", simulate: training }],
    stops: &[
        Stop {
            title: "Sixteen steps",
            text: "64 ranks train a network. Six steps of 69 ms, then ten of 120 ms: the bands of `MPI_Waitall` \
                   become wide, and one row has none. That one is rank 32.",
            view: "v=1&trace=train",
        },
        Stop {
            title: "A step as it should be",
            text: "Two steps before anything is wrong. After `forward` and each sixth of `backward` an `MPI_Iallreduce` \
                   begins, too short to be more than a tick; the sums continue beside the computing. Only what could \
                   not be hidden is waited for at the end, about 5 to 9 ms per step.",
            view: "v=1&trace=train&time=137000000:276000000",
        },
        Stop {
            title: "The seventh step",
            text: "At 415 ms the seventh step begins. All ranks but one are in `MPI_Waitall` after 474 ms and stay \
                   there until 532 ms. The activity says that everybody waits; the timeline says for whom.",
            view: "v=1&trace=train&time=340000000:560000000",
        },
        Stop {
            title: "Rank 32",
            text: "Closer: the `forward` of rank 32 takes 38 ms, that of its neighbours 21. Its gradients are late in \
                   every bucket, so no sum can be complete. It alone hardly waits, which is how one finds it: look for \
                   the rank without `MPI_Waitall`.",
            view: "v=1&trace=train&layout=timeline&time=400000000:540000000&rows=26:39&select=span:31:112",
        },
        Stop {
            title: "What it costs",
            text: "With `MPI_Waitall` highlighted over all sixteen steps: a small share at first, then half of each \
                   step. One rank out of 64 costs 37 % of everybody's time. Zoom into any step; they are all alike.",
            view: "v=1&trace=train&layout=1c(500activity,500timeline)&highlight=MPI_Waitall",
        },
    ],
    figures: &[
        Figure {
            file: "train-steps",
            run: "train",
            render: "timeline --size 1200x420",
            caption: "Sixteen steps: from the seventh on all wait for rank 32.",
        },
        Figure {
            file: "train-straggler",
            run: "train",
            render: "timeline --time 400ms:540ms --ranks 26-38 --size 1200x420",
            caption: "The first slow step: rank 32 computes, the others wait.",
        },
    ],
};

fn training() -> Result<Box<dyn Source>, SimulateError> {
    let program = Train::new(&TrainOptions::default())?;
    Ok(Box::new(simulate(program, &Machine::default())?))
}
