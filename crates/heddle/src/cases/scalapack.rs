//! Five matrix operations, each with a face of its own, and what becomes of them on 64 times as many ranks.

use heddle_model::Source;
use heddle_simulate::{Machine, Scalapack, ScalapackOptions, SimulateError, simulate};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "scalapack",
    title: "Matrix operations",
    summary: "five matrix operations on 256 ranks, each with a face of its own; then on 16,384, where the start \
              takes over",
    about: "Multiplication, LU factorisation, inversion, eigenvalues and orthogonalisation one after the other, \
            after the case study of Muelder, Gygi and Ma (2009). On 256 ranks each operation can be told by its \
            pattern of calls: staggered messages, a strict cycle of receives, sums that climb a tree, a broadcast \
            that locks ever more ranks. On 16,384 ranks with as much data for each, two thirds of the run have gone \
            before the first multiplication, because one rank hands out all data.",
    runs: &[Run { name: "scalapack-256", simulate: small }, Run { name: "scalapack-16k", simulate: large }],
    stops: &[
        Stop {
            title: "Five operations",
            text: "256 ranks multiply matrices, factorise one, invert it, solve an eigenproblem and orthogonalise \
                   vectors. Nothing separates the five, and still one sees where each begins: every one has its own \
                   colours and its own rhythm. The upper picture is the share of ranks in each function, the lower \
                   one what each rank does. Half of the time is spent in MPI.",
            view: "v=1&trace=scalapack-256",
        },
        Stop {
            title: "Multiplication, then LU",
            text: "Until 34.8 ms the multiplication: short, staggered calls, the receives longest, and one \
                   `MPI_Allreduce` that brings all together. Then LU, nearly all of it `MPI_Recv` in a strict cycle: \
                   one column of processes factors a panel, all others wait. What is left of the matrix shrinks, and \
                   the bands of work between the waits with it.",
            view: "v=1&trace=scalapack-256&time=6300000:58600000",
        },
        Stop {
            title: "Inversion: sums that climb a tree",
            text: "Both halves begin with an `MPI_Reduce` that all ranks enter together and leave one group after \
                   the other. It climbs a binomial tree: half of the ranks are through after one hop, a quarter \
                   needs two, and the roots are in it for up to 20 ms. The edge of the orange area is the logarithm \
                   that one expects of a tree.",
            view: "v=1&trace=scalapack-256&layout=1c(450activity,550timeline)&time=58400000:112000000&highlight=MPI_Reduce",
        },
        Stop {
            title: "A broadcast that locks",
            text: "A column of processes that has done its part of the eigenproblem goes into the `MPI_Bcast` of the \
                   result, and stays there until the last column is through at 151 ms. So the broadcast locks more \
                   and more ranks, a step for each of the 16 columns, while the others go on as before.",
            view: "v=1&trace=scalapack-256&layout=1c(450activity,550timeline)&time=111400000:162000000&highlight=MPI_Bcast",
        },
        Stop {
            title: "The longest call of the run",
            text: "Rank 224 belongs to the first column. It enters `MPI_Bcast` at 114.8 ms and leaves it at 151.7 \
                   ms: 37 ms of a run of 172. The row below it, rank 225, comes a little later, and so on to rank \
                   239, which hardly waits. Nobody is slow here; the work is badly spread.",
            view: "v=1&trace=scalapack-256&layout=timeline&time=111400000:153000000&rows=222:242&select=224:172",
        },
        Stop {
            title: "The same on 16,384 ranks",
            text: "As much data for each rank, so it should take about as long. It takes 620 ms instead of 172, and \
                   in two thirds of that nothing is computed at all. All five operations are still there, squeezed \
                   into the last third.",
            view: "v=1&trace=scalapack-16k",
        },
        Stop {
            title: "A start that does not scale",
            text: "Rank 0 sends each rank its data, one after the other: the diagonal. A rank that has its data \
                   waits in `MPI_Comm_split` for its group of 2,048. The second group is through at 102 ms and \
                   begins to multiply, but only to wait in `MPI_Recv` for those that are still starting. The first \
                   group, whose sender is rank 0, comes last.",
            view: "v=1&trace=scalapack-16k&time=0:445000000",
        },
        Stop {
            title: "What remains",
            text: "After 406 ms the picture of the small run comes back, with differences. The multiplication now \
                   moves through the ranks as a wave, sums and broadcasts have more levels to climb, and the share \
                   of computing has fallen from 49 % to 13 % over the whole run. Choose the other trace in the bar \
                   on top to compare.",
            view: "v=1&trace=scalapack-16k&time=405000000:620000000",
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
            render: "timeline --time 110ms:163ms --size 1200x420",
            caption: "The eigenproblem by rank: the broadcast locks one column of processes after the other.",
        },
        Figure {
            file: "scalapack-16k-activity",
            run: "scalapack-16k",
            render: "activity --size 1200x320",
            caption: "On 16,384 ranks the start takes two thirds of the run.",
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
