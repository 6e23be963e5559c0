//! One slow rank in a halo exchange: how waiting travels.

use heddle_model::Source;
use heddle_simulate::{HaloOptions, Machine, SimulateError, halo};

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
    stops: &[
        Stop {
            title: "The whole run",
            text: "256 ranks on a grid of 16 by 16 compute, exchange borders with four neighbours, and meet in \
                   `MPI_Allreduce` after every tenth iteration. The upper picture shows the share of ranks in each \
                   function, the lower one has one row per rank. Half of all time is spent waiting, and the same \
                   pattern repeats twenty times.",
            view: "v=1&trace=halo",
        },
        Stop {
            title: "One round of ten iterations",
            text: "At first nearly all ranks compute. Then waiting in `MPI_Waitall` spreads: in each iteration more \
                   ranks wait than in the one before. Look at row 37 below: the waves spread from there. They reach the \
                   other rows every 16 ranks, because the neighbour above or below in the grid is 16 ranks away.",
            view: "v=1&trace=halo&time=19796000:39605000",
        },
        Stop {
            title: "Where it begins",
            text: "Closer, with one row per rank. Rank 37 computes for two milliseconds where the others need one, and \
                   never waits. Ranks 36 and 38 wait for it from the first iteration on, 35 and 39 from the second, 34 \
                   and 40 from the third: the delay travels one rank per iteration. The lines are messages.",
            view: "v=1&trace=halo&layout=timeline&time=19700000:28700000&rows=30:46",
        },
        Stop {
            title: "A single wait",
            text: "Rank 36 is ready at 20.83 ms and continues at 21.72 ms. The blue lines are its messages: three of the four \
                   end soon after the wait has begun; the last starts when rank 37 has done computing, and ends where the wait \
                   ends. Click another call, or press M to follow its message.",
            view: "v=1&trace=halo&layout=timeline&time=20700000:22000000&rows=30:46&select=span:36:123",
        },
        Stop {
            title: "Everybody pays",
            text: "With `MPI_Allreduce` highlighted: the first ranks arrive after 11 ms, the last ones after 20 ms, and \
                   only then can anybody continue. Each step of the area is a ring of ranks around rank 37. One rank at \
                   half speed costs all 256 half of their time.",
            view: "v=1&trace=halo&layout=1c(450activity,550timeline)&time=19796000:39605000&highlight=MPI_Allreduce",
        },
    ],
    figures: &[
        Figure {
            file: "halo-wave",
            run: "halo",
            render: "timeline --time 19.7ms:39.7ms --size 1200x560",
            caption: "Ten iterations of all 256 ranks: waves of waiting spread from rank 37 until an Allreduce stops \
                      everybody.",
        },
        Figure {
            file: "halo-origin",
            run: "halo",
            render: "timeline --time 19.7ms:28.7ms --ranks 30-45 --size 1200x520",
            caption: "Rank 37 never waits; its neighbours do, then theirs.",
        },
        Figure {
            file: "halo-profile",
            run: "halo",
            render: "profile --size 1200x320",
            caption: "Time and calls of every function: rank 37 computes longest, twice as long as the mean.",
        },
        Figure {
            file: "halo-tree",
            run: "halo",
            render: "profile --tree --size 1200x320",
            caption: "The same by call path: who calls whom, and where time is spent.",
        },
        Figure {
            file: "halo-column",
            run: "halo",
            render: "timeline --time 19.7ms:28.7ms --ranks 30-45 --width 88mm --font-size 8 --dpi 300 --no-title --no-notes",
            caption: "For a column of a paper: 88 mm wide, with text of 8 points. As PDF it is drawn of shapes and letters.",
        },
        Figure {
            file: "halo-histogram",
            run: "halo",
            render: "histogram --function MPI_Waitall --size 1200x560",
            caption: "Calls of MPI_Waitall by rank and duration: those near rank 37 wait longest.",
        },
        Figure {
            file: "matrix",
            run: "halo",
            render: "matrix --size 1100x760",
            caption: "Who sends how much to whom: every rank to its four neighbours in a grid of 16 by 16 that wraps around.",
        },
    ],
};

fn simulate() -> Result<Box<dyn Source>, SimulateError> {
    let options = HaloOptions { ranks: 256, iterations: 200, ..HaloOptions::default() };
    let machine = Machine { slow_ranks: vec![37], ..Machine::default() };
    Ok(Box::new(halo(&options, &machine)?))
}
