//! The same at 16,384 ranks: one slow node among 512.

use heddle_model::Source;
use heddle_simulate::{HaloOptions, Machine, SimulateError, halo};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "halo-16k",
    title: "One slow node among 512",
    summary: "16,384 ranks on 512 nodes, one of which computes at two thirds of the speed",
    about: "The same exchange on a grid of 128 by 128 ranks, 32 per node. Node 201 computes at two thirds of the speed \
            of the others. In the activity of the whole machine that is one long `MPI_Allreduce` after every ten \
            iterations, with no hint of its cause; in the timeline, where each row of pixels stands for up to 30 ranks, \
            the node is in plain sight.",
    runs: &[Run { name: "halo-16k", simulate }],
    stops: &[
        Stop {
            title: "16,384 ranks at once",
            text: "19 million events. The upper picture says that a third of all time goes to `MPI_Allreduce`, but not \
                   why. In the lower one a row of pixels stands for dozens of ranks, and still shows where to look: the \
                   same wedge three times, around rank 6,450.",
            view: "v=1&trace=halo-16k",
        },
        Stop {
            title: "The wedge",
            text: "One round, and the ranks around the wedge. Each stripe is a row of the grid, 128 ranks apart. \
                   Waiting in `MPI_Waitall` moves out from the stripe in the middle, one row per iteration in both \
                   directions. All other ranks are done after 27 ms and wait in `MPI_Allreduce`.",
            view: "v=1&trace=halo-16k&time=16250000:32650000&rows=5300:7600",
        },
        Stop {
            title: "32 ranks in step",
            text: "Ranks 6,432 to 6,463 are late together, and their neighbours at both ends wait for them. A node has \
                   32 ranks: this is node 201. They hardly wait at all, and arrive last.",
            view: "v=1&trace=halo-16k&layout=timeline&time=16250000:32650000&rows=6380:6520",
        },
        Stop {
            title: "Only that node",
            text: "With the filter on the left set to its ranks, activity and shares are those of the node alone: 92 % of its \
                   time is computing, against 61 % on the whole machine. What looked like expensive collectives is one node \
                   that computes slowly.",
            view: "v=1&trace=halo-16k&time=16250000:32650000&ranks=6432-6463",
        },
    ],
    figures: &[
        Figure {
            file: "halo-16k-activity",
            run: "halo-16k",
            render: "activity --size 1200x320",
            caption: "All ranks: a third of the time goes to Allreduce, and nothing says why.",
        },
        Figure {
            file: "halo-16k-timeline",
            run: "halo-16k",
            render: "timeline --size 1200x560",
            caption: "The same run, up to 36 ranks per row of pixels: the slow node shows in every round.",
        },
    ],
};

fn simulate() -> Result<Box<dyn Source>, SimulateError> {
    let options = HaloOptions { ranks: 16_384, iterations: 30, ..HaloOptions::default() };
    let machine = Machine { slow_nodes: vec![201], slow_factor: 1.5, ..Machine::default() };
    Ok(Box::new(halo(&options, &machine)?))
}
