//! Lateness that starts on one rank, spreads along messages, and ends when everybody has it.

use heddle_model::Source;
use heddle_simulate::{Machine, Multigrid, MultigridOptions, SimulateError, simulate};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "multigrid",
    title: "A hairball in order",
    summary: "16 ranks of a multigrid solver: lines in all directions become a pattern in steps",
    about: "V-cycles of a multigrid solver on 16 ranks, after Figure 3 of Isaacs et al. (2014). Rank 9, the tenth process, \
            smooths more slowly than the others. In a timeline its messages are a tangle. In logical time the exchanges along \
            the three axes stand side by side, and the lateness of rank 9 goes from neighbour to neighbour until everybody \
            has it; then nobody is late any more, because lateness compares the ranks of one step.",
    runs: &[Run { name: "multigrid", simulate: run }],
    stops: &[
        Stop {
            title: "A hairball",
            text: "The first cycle of a multigrid solver in wall-clock time. All ranks smooth, exchange borders along three \
                   axes with `MPI_Send` and `MPI_Waitall`, and go on to a coarser grid. Somebody makes the others wait, but \
                   who? The lines of the messages cross everywhere, and most calls are too short to be seen.",
            view: "v=1&trace=multigrid&layout=timeline&time=300000:1450000",
        },
        Stop {
            title: "The same in steps",
            text: "The same messages in logical time. Every box is a call, every column a step: when it happened no \
                   longer matters, only what came before what. Now you see the exchange along z, then y, then x, on \
                   three grids one after the other, and one rank that is late from the beginning: rank 9, the tenth.",
            view: "v=1&trace=multigrid&layout=logical&time=361137:1009795&steps=0:24",
        },
        Stop {
            title: "How lateness spreads",
            text: "Rank 9 is late at step 0, because it smoothed longer; so is rank 13, whose send must wait for it. \
                   Along y it reaches rank 5, along x ranks 7, 11 and 15. At step 8 three quarters of the ranks are \
                   late, and then all: as lateness compares the ranks of a step, it is back at zero. It resets, so that \
                   an old delay does not hide a new one.",
            view: "v=1&trace=multigrid&layout=logical&time=361137:910872&steps=0:12",
        },
        Stop {
            title: "Where did it start?",
            text: "This `MPI_Waitall` of rank 15 is 282 µs late, though rank 15 did nothing wrong. The marked path \
                   leads back along messages, through rank 13, to where the lateness arose: rank 9 computed 330 µs \
                   longer before its first send. The words on the right say so, and how many ranks it reached over how \
                   many steps.",
            view: "v=1&trace=multigrid&layout=logical&time=361137:910872&select=span:15:10&steps=0:12",
        },
    ],
    figures: &[
        Figure {
            file: "multigrid-physical",
            run: "multigrid",
            render: "timeline --time 0.3ms:1.45ms --size 1100x420",
            caption: "In wall-clock time: which message makes whom wait cannot be seen.",
        },
        Figure {
            file: "multigrid-logical",
            run: "multigrid",
            render: "logical --steps 0:24 --size 1100x420",
            caption: "In logical time: lateness starts on rank 9, the tenth process, spreads along messages and resets.",
        },
    ],
};

fn run() -> Result<Box<dyn Source>, SimulateError> {
    let program = Multigrid::new(&MultigridOptions { ranks: 16, cycles: 2, ..MultigridOptions::default() })?;
    let machine = Machine { slow_ranks: vec![9], slow_factor: 1.6, ..Machine::default() };
    Ok(Box::new(simulate(program, &machine)?))
}
