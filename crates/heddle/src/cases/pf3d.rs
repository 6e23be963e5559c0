//! Sends that wait for each other in a chain, and the order that frees them.

use heddle_model::Source;
use heddle_simulate::{Machine, Pf3d, Pf3dOptions, Pf3dOrder, SimulateError, simulate};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "pf3d",
    title: "A chain of sends",
    summary: "512 ranks whose sends wait for each other in a chain, until receives come first",
    about: "The exchange of faces in pF3D, a code for lasers in plasmas, after the case study of Isaacs et al. \
            (2014). 512 ranks stand in a box of 32 slabs and send large faces to their six neighbours. A large send \
            ends only when its receive is posted, and every rank receives only after it has sent: so all wait for \
            the slab at the edge, which has nobody to send to, and from there the exchange runs through the box slab \
            by slab. With the receives posted first the same run takes a third of the time.",
    runs: &[Run { name: "pf3d-original", simulate: original }, Run { name: "pf3d-fixed", simulate: fixed }],
    stops: &[
        Stop {
            title: "Three steps",
            text: "512 ranks in a box of 32 slabs, 16 ranks each. In a step all compute (`hydro`) and then exchange faces \
                   with their six neighbours. All begin the first exchange at about the same time, but end it along a slope, \
                   and carry that into the next step. Two thirds of the time go to `MPI_Send`.",
            view: "v=1&trace=pf3d-original",
        },
        Stop {
            title: "A wave through the box",
            text: "One exchange. At 1 ms nearly all ranks are in `MPI_Send` to the slab above. Then receives run \
                   from rank 511 down to rank 0: only when a slab receives can the one below it end its send. After \
                   that the faces go down, and the same wave runs the other way. The two edges of the triangle are \
                   the two directions.",
            view: "v=1&trace=pf3d-original&layout=timeline&time=900000:4400000",
        },
        Stop {
            title: "Link by link",
            text: "One rank of each of the upper eight slabs, 16 ranks apart. Rank 511 has nobody above it and \
                   receives at once; that ends the send of rank 495, which now receives in turn; that ends the send \
                   of rank 479. Each link of the chain takes 44 µs, and there are 31 of them.",
            view: "v=1&trace=pf3d-original&layout=timeline&time=900000:1450000&ranks=399,415,431,447,463,479,495,511",
        },
        Stop {
            title: "At the end of the chain",
            text: "Rank 15, in the lowest slab, enters this `MPI_Send` at 0.99 ms, together with all others, and \
                   leaves it at 2.37 ms. Its neighbour computes nothing meanwhile: it is in the same call, as is the \
                   next one. The details have the message and its way; M goes to the receive.",
            view: "v=1&trace=pf3d-original&layout=timeline&time=900000:2700000&rows=0:64&select=15:4",
        },
        Stop {
            title: "Receives first",
            text: "The same program with one change: `MPI_Irecv` is posted before the send. Now every send finds its \
                   receive, nobody waits for more than a neighbour, and the three steps take 4.3 ms instead of 13.2. \
                   `hydro` is 70 % of the time, and was 23 %.",
            view: "v=1&trace=pf3d-fixed",
        },
        Stop {
            title: "The same ranks again",
            text: "The ranks of before, in the first exchange. Sends end after the transfer of a face, all at about \
                   the same time, whatever the slab. No chain is left.",
            view: "v=1&trace=pf3d-fixed&layout=timeline&time=900000:1450000&ranks=399,415,431,447,463,479,495,511",
        },
    ],
    figures: &[
        Figure {
            file: "pf3d-original",
            run: "pf3d-original",
            render: "timeline --size 1200x460",
            caption: "Three steps in the original order: each exchange is two waves through all slabs.",
        },
        Figure {
            file: "pf3d-chain",
            run: "pf3d-original",
            render: "timeline --time 0.9ms:1.45ms --ranks 399,415,431,447,463,479,495,511 --size 1200x340",
            caption: "The chain: a send ends when the rank above it receives.",
        },
        Figure {
            file: "pf3d-fixed",
            run: "pf3d-fixed",
            render: "timeline --size 1200x460",
            caption: "Receives posted first: the same three steps in a third of the time.",
        },
    ],
};

fn original() -> Result<Box<dyn Source>, SimulateError> {
    run(Pf3dOrder::Original)
}

fn fixed() -> Result<Box<dyn Source>, SimulateError> {
    run(Pf3dOrder::Fixed)
}

fn run(order: Pf3dOrder) -> Result<Box<dyn Source>, SimulateError> {
    let program = Pf3d::new(&Pf3dOptions { ranks: 512, slabs: 32, order, ..Pf3dOptions::default() })?;
    Ok(Box::new(simulate(program, &Machine::default())?))
}
