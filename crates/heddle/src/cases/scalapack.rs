//! Five matrix operations, each with a face of its own, and what becomes of them on 64 times as many ranks.

use heddle_model::Source;
use heddle_simulate::{Machine, Scalapack, ScalapackOptions, SimulateError, simulate};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "scalapack",
    title: "Matrix operations",
    summary: "five matrix operations on 256 ranks, each with its own pattern, then on 16,384",
    about: "Multiplication, LU factorisation, inversion, eigenvalues and orthogonalisation one after the other, after \
            the case study of Muelder, Gygi and Ma (2009). On 256 ranks each operation can be recognised by its pattern \
            of calls: staggered messages, a strict cycle of receives, sums that all enter together, a broadcast that \
            locks more and more ranks, sends that queue for one rank. On 16,384 ranks with as much data per rank, two \
            fifths of the run are its start: one rank hands out all the data, and those who have theirs must wait for \
            the others.",
    runs: &[Run { name: "scalapack-256", simulate: small }, Run { name: "scalapack-16k", simulate: large }],
    stops: &[
        Stop {
            title: "Five operations",
            text: "256 ranks multiply matrices, factorise one, invert it, solve an eigenproblem and orthogonalise \
                   vectors. Nothing separates the five, and still you can see where each begins: every one has its own \
                   colours and its own rhythm. The upper picture shows the share of ranks in each function, the lower \
                   one what each rank does. Half of the time is spent in MPI.",
            view: "v=1&trace=scalapack-256",
        },
        Stop {
            title: "Multiplication, then LU",
            text: "Until 32.9 ms, the multiplication: short, staggered calls, and one `MPI_Allreduce` that brings \
                   everybody together. Then LU, nearly all of it `MPI_Recv` in a strict cycle: one column of processes \
                   factors a panel, all others wait. What is left of the matrix shrinks, and the bands of work between \
                   the waits with it.",
            view: "v=1&trace=scalapack-256&time=2900000:57000000",
        },
        Stop {
            title: "Inversion: sums for everybody",
            text: "Each half begins with large calls to `MPI_Reduce`, which all ranks enter together. The sum goes up a \
                   tree, so that some ranks are done early and the roots come last: in the activity the orange area \
                   ends in a curve, not in an edge. One such call takes up to 12 ms.",
            view: "v=1&trace=scalapack-256&layout=1c(450activity,550timeline)&time=56700000:108500000&highlight=MPI_Reduce",
        },
        Stop {
            title: "A broadcast that locks",
            text: "A column of processes that has done its part of the eigenproblem goes into the `MPI_Bcast` of the \
                   result, and stays there until the last column is done at 148 ms. So the broadcast locks more and \
                   more ranks, one step for each of the 16 columns, while the others carry on as before.",
            view: "v=1&trace=scalapack-256&layout=1c(450activity,550timeline)&time=107500000:158500000&highlight=MPI_Bcast",
        },
        Stop {
            title: "The longest call of the run",
            text: "Every call of the eigenproblem by its duration, as a line from its start to its end. Sums and receives lie \
                   below one millisecond; far above them is the broadcast, which begins on one column after the other and \
                   ends everywhere at 148 ms. Selected is the longest call of the run, on rank 224: 37 ms of 171.",
            view: "v=1&trace=scalapack-256&layout=calls&time=107500000:158500000&select=span:224:231&style=lines",
        },
        Stop {
            title: "A bottleneck",
            text: "The orthogonalisation: three operations, with a gap after each where all meet in `MPI_Allreduce`. In the \
                   middle of the last are sends and receives of up to 2.6 ms. Had they waited for a late rank, they would all \
                   end at once; but they end one after the other, because in each row one rank collects the others' blocks, \
                   one by one, and hands them back.",
            view: "v=1&trace=scalapack-256&layout=calls&time=158000000:171000000&style=lines",
        },
        Stop {
            title: "The same on 16,384 ranks",
            text: "As much data per rank, so it should take about as long. It takes 456 ms instead of 171, and only 17.5 \
                   % of the time is computing, instead of 47.4 %. All five operations are still there, from 191 ms on. \
                   What is before that is new.",
            view: "v=1&trace=scalapack-16k",
        },
        Stop {
            title: "A start that does not scale",
            text: "Rank 0 sends each rank its data, one after the other: the diagonal, 191 ms long. A rank that has its \
                   data waits in `MPI_Comm_split` for its group of 2,048, then the group begins to multiply. But it \
                   needs what the others have: after a few milliseconds it waits in `MPI_Recv` or `MPI_Reduce` until \
                   the last group has started.",
            view: "v=1&trace=scalapack-16k&time=0:232000000",
        },
    ],
    figures: &[
        Figure {
            file: "scalapack-256-activity",
            run: "scalapack-256",
            render: "activity --size 1200x360",
            caption: "On 256 ranks: multiplication, LU, inversion, eigenvalues, orthogonalisation.",
        },
        Figure {
            file: "scalapack-256-timeline",
            run: "scalapack-256",
            render: "timeline --time 107ms:159ms --size 1200x420",
            caption: "The eigenproblem by rank: the broadcast locks one column of processes after the other.",
        },
        Figure {
            file: "scalapack-256-matrix",
            run: "scalapack-256",
            render: "matrix --members 5 --size 900x640",
            caption: "Who sends how much within row 4 of the grid of processes, by its own numbers: each to the next, and one to \
                      and from all.",
        },
        Figure {
            file: "scalapack-16k-activity",
            run: "scalapack-16k",
            render: "activity --size 1200x320",
            caption: "On 16,384 ranks the start takes two fifths of the run.",
        },
        Figure {
            file: "scalapack-16k-timeline",
            run: "scalapack-16k",
            render: "timeline --size 1200x460",
            caption: "The start by rank: data is handed out one rank after the other, and groups of 2,048 wait for \
                      their last member.",
        },
    ],
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
