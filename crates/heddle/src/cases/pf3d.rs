//! Sends that wait for each other in a chain, and the order that frees them.

use heddle_model::Source;
use heddle_simulate::{Machine, Pf3d, Pf3dOptions, Pf3dOrder, SimulateError, simulate};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "pf3d",
    title: "A chain of sends",
    summary: "8,192 ranks whose sends wait for each other in a chain, until receives come first",
    about: "The exchange of faces in pF3D, a code for lasers in plasmas, after the case study of Isaacs et al. \
            (2014). 8,192 ranks stand in a box of 32 slabs and send large faces to their six neighbours. A large send \
            ends only when its receive is posted, and every rank receives only after it has sent: so all wait for \
            the slab at the edge, which has nobody to send to, and from there the exchange runs through the box slab \
            by slab. In logical time this is a gradient of lateness over all ranks. With the receives posted first the \
            same run takes less than a quarter of the time.",
    runs: &[Run { name: "pf3d-original", simulate: original }, Run { name: "pf3d-fixed", simulate: fixed }],
    stops: &[
        Stop {
            title: "Three steps in time",
            text: "8,192 ranks in a box of 32 slabs, 256 ranks each. In a step all compute (`hydro`) and then exchange \
                   faces with their six neighbours. Three quarters of the time goes to `MPI_Send`. The timeline shows \
                   that much, but not who waits for whom, or why.",
            view: "v=1&trace=pf3d-original",
        },
        Stop {
            title: "A gradient of lateness",
            text: "The same three steps in logical time, each value relative to the largest of its step. At step 0 all send to \
                   the slab above. Those nearest to the last slab, which sends nothing (blank), are done first, and the \
                   further away, the later: lateness grows rank by rank over all 8,192. At step 2, the way down, it is the \
                   other way round.",
            view: "v=1&trace=pf3d-original&layout=logical&relative=1",
        },
        Stop {
            title: "Along the other axes",
            text: "Steps 4 to 7 are the exchange along y, within a slab of 256 ranks, and 8 to 11 along x, within lines \
                   of 16. Each has a gradient of its own: the stripes. The large one remains behind them: nobody can \
                   make up for what was lost along z.",
            view: "v=1&trace=pf3d-original&layout=logical&time=869044:6465124&rows=0:2048&steps=0:12&relative=1",
        },
        Stop {
            title: "Link by link",
            text: "Why? Here is one rank of each of the upper eight slabs, in time. Rank 8,191 has nobody above it and \
                   receives at once; that ends the send of rank 7,935, which now receives in turn; that ends the send \
                   of rank 7,679. A send cannot end before its receiver has ended its own. Each link of the chain takes \
                   44 µs, and there are 31.",
            view: "v=1&trace=pf3d-original&layout=timeline&time=900000:1500000&ranks=6399,6655,6911,7167,7423,7679,7935,8191",
        },
        Stop {
            title: "Receives first",
            text: "The same program with one change: `MPI_Irecv` is posted before the send. Colours mean what they \
                   meant before, up to 2.7 ms. No gradient is left. What remains, a third of a millisecond, is `hydro`, \
                   which takes longer on some ranks than on others.",
            view: "v=1&trace=pf3d-fixed&layout=logical&range=0:2702000&sums=0:22338000000",
        },
        Stop {
            title: "What it is worth",
            text: "The three steps take 4.4 ms instead of 19.4. A rank used to spend 15 ms of them in communication; \
                   now it spends 1.2 ms. `hydro` is 69 % of the time instead of 16 %.",
            view: "v=1&trace=pf3d-fixed",
        },
        Stop {
            title: "The same ranks again",
            text: "The same ranks as before, in the first exchange. Sends end after the transfer of a face, all at \
                   about the same time, whatever the slab. No chain is left.",
            view: "v=1&trace=pf3d-fixed&layout=timeline&time=900000:1500000&ranks=6399,6655,6911,7167,7423,7679,7935,8191",
        },
    ],
    figures: &[
        Figure {
            file: "pf3d-original",
            run: "pf3d-original",
            render: "logical --relative --size 1100x460",
            caption: "8,192 ranks in logical time, lateness relative to each step's largest: a gradient over all ranks.",
        },
        Figure {
            file: "pf3d-chain",
            run: "pf3d-original",
            render: "timeline --time 0.9ms:1.5ms --ranks 6399,6655,6911,7167,7423,7679,7935,8191 --size 1100x340",
            caption: "The chain: a send ends when the rank above it receives.",
        },
        Figure {
            file: "pf3d-fixed",
            run: "pf3d-fixed",
            render: "logical --range 0:2.702ms --size 1100x460",
            caption: "Receives posted first, in colours up to 2.7 ms: no gradient is left.",
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
    let program = Pf3d::new(&Pf3dOptions { ranks: 8_192, slabs: 32, order, ..Pf3dOptions::default() })?;
    Ok(Box::new(simulate(program, &Machine::default())?))
}
