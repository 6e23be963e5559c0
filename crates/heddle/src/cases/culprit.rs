//! Three faults in one run: who did it, since when, and what it costs.

use heddle_model::Source;
use heddle_simulate::{Fault, HaloOptions, Machine, SimulateError, When, Who, halo};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "culprit",
    title: "Three culprits",
    summary: "256 ranks on 32 nodes: a node that slows down, a slow network card, and one long stall",
    about: "256 ranks on 32 nodes compute and exchange borders. Three things go wrong: from 300 ms on all ranks of node 12 compute 1.8 \
            times as long, messages to and from node 27 are slow from the start, and rank 201 stalls once for 20 ms. Everybody \
            waits for everybody here, so nearly all ranks look late. The diagnosis follows all waiting back to who caused it.",
    runs: &[Run { name: "culprit", simulate }],
    stops: &[
        Stop {
            title: "Who did it?",
            text: "256 ranks compute on a grid of 16 by 16, exchange borders, and meet in `MPI_Allreduce` after every tenth iteration. \
                   From 300 ms on they wait much longer there, all of them: whoever comes last has mostly waited for somebody else \
                   before. The first sentence at the right says who it was.",
            view: "v=1&trace=culprit",
        },
        Stop {
            title: "Three findings",
            text: "Blue waits, orange to red makes others wait, the rest recedes. Rows with a finding are taller, and the black line is \
                   the critical path: what decides how long the run takes. The cards at the right have the evidence, what each \
                   finding costs, and what the run would take without it.",
            view: "v=1&trace=culprit&layout=diagnosis",
        },
        Stop {
            title: "A node slows down",
            text: "Around 300 ms, when node 12 becomes slow. Its eight ranks, 96 to 103, turn orange, and everybody else turns blue before \
                   each `MPI_Allreduce`. The efficiencies at the left are those of this window and of the run.",
            view: "v=1&trace=culprit&layout=diagnosis&time=250000000:350000000&select=ranks:96-103",
        },
        Stop {
            title: "One long stall",
            text: "At 180 ms rank 201 takes 21.5 ms for what usually takes 1.5 ms. It happens once, and all others wait for it: a \
                   single row among 256 that no profile shows.",
            view: "v=1&trace=culprit&layout=diagnosis&time=165000000:215000000&select=ranks:201",
        },
    ],
    figures: &[
        Figure {
            file: "culprit-waits",
            run: "culprit",
            render: "timeline --colour waits --size 1000x560",
            caption: "Blue waits, orange to red makes others wait. Node 12 from 300 ms on, rank 201 at 180 ms, and the messages of node \
                      27; the line is the critical path.",
        },
        Figure {
            file: "culprit-close",
            run: "culprit",
            render: "timeline --colour waits --fold path --time 165ms:215ms --size 1200x420",
            caption: "The stall of rank 201, on the ranks that the critical path visits.",
        },
        Figure {
            file: "culprit-ranks",
            run: "culprit",
            render: "ranks --size 1200x420",
            caption: "What each rank costs the others, and how it spends its own time.",
        },
        Figure {
            file: "culprit-matrix",
            run: "culprit",
            render: "matrix --volume wait --fold node --size 1000x760",
            caption: "How long messages were waited for, by node: those of node 12 longest, and from there in both directions ever less.",
        },
    ],
};

fn simulate() -> Result<Box<dyn Source>, SimulateError> {
    let options =
        HaloOptions { ranks: 256, iterations: 240, bytes: 131_072, compute_ns: 1_500_000, ..HaloOptions::default() };
    let faults = vec![
        Fault::Slow {
            who: Who::Nodes(vec![12]),
            factor: 1.8,
            when: When { from_ns: 300_000_000, until_ns: None },
            function: None,
        },
        Fault::Card { who: Who::Nodes(vec![27]), factor: 12.0 },
        Fault::Stall { who: Who::Ranks(vec![201]), at_ns: 180_000_000, for_ns: 20_000_000 },
    ];
    let machine = Machine { ranks_per_node: 8, faults, ..Machine::default() };
    Ok(Box::new(halo(&options, &machine)?))
}
