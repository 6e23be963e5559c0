//! A gather and its scatters in the wrong order, and in the right one.

use heddle_model::Source;
use heddle_simulate::{Machine, MergeTree, MergeTreeOptions, MergeTreeOrder, SimulateError, simulate};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "merge-tree",
    title: "Leaves first, or leaves last",
    summary: "512 ranks gather along a tree and scatter back; who is served first decides who waits",
    about: "A merge tree, after the case study of Isaacs et al. (2014): 512 ranks compute a tree each, gather them \
            along a tree with eight children a node, and scatter the result of every level back. In the original \
            order a rank first serves the leaves, on whom nobody depends, and those with a subtree of their own \
            wait. In the improved order trees go up before results go down, and large subtrees are served before \
            small ones. The run is a fifth shorter; not a single message less is sent.",
    runs: &[
        Run { name: "merge-tree-original", simulate: original },
        Run { name: "merge-tree-improved", simulate: improved },
    ],
    stops: &[
        Stop {
            title: "Up the tree, and back",
            text: "512 ranks compute their own part (`local_tree`, up to 3.3 ms), send it up a tree with eight \
                   children a node, and get the results of three levels back. Half of all time is spent in \
                   `MPI_Recv`. Each stairway of small steps is a result on its way down.",
            view: "v=1&trace=merge-tree-original",
        },
        Stop {
            title: "The first two levels",
            text: "64 ranks. Every eighth one gathers from the seven after it and merges. Then it sends the result \
                   back to them, one by one: the small stairs. Only after that rank 8, 16 and so on send their trees \
                   up to rank 0, which has been waiting for them in `MPI_Recv` since 3.2 ms.",
            view: "v=1&trace=merge-tree-original&layout=timeline&time=1900000:4200000&rows=0:64",
        },
        Stop {
            title: "Leaves first",
            text: "The end of the run. Rank 0 has the last result at 5.5 ms. It serves ranks 1 to 7 first, which \
                   have nobody to tell, then 8, 16 and so on, and at last rank 64, which has 63 others below it. So \
                   that whole subtree begins only at 6.2 ms, when ranks 0 to 63 are nearly done.",
            view: "v=1&trace=merge-tree-original&layout=timeline&time=4000000:7700000&rows=0:130",
        },
        Stop {
            title: "Leaves last",
            text: "The improved order: trees go up before results go down, and large subtrees are served before \
                   small ones. The same messages and the same work take 6.4 ms instead of 7.7, and all ranks end at \
                   about the same time.",
            view: "v=1&trace=merge-tree-improved",
        },
        Stop {
            title: "The end, improved",
            text: "Rank 64 now begins half a millisecond before the leaves of rank 0. All subtrees work at the same \
                   time, and the last stairs end together.",
            view: "v=1&trace=merge-tree-improved&layout=timeline&time=3800000:6350000&rows=0:130",
        },
    ],
    figures: &[
        Figure {
            file: "merge-tree-original",
            run: "merge-tree-original",
            render: "timeline --size 1200x420",
            caption: "The original order: subtrees wait while leaves are served.",
        },
        Figure {
            file: "merge-tree-improved",
            run: "merge-tree-improved",
            render: "timeline --size 1200x420",
            caption: "The improved order: the same messages, a fifth less time.",
        },
    ],
};

fn original() -> Result<Box<dyn Source>, SimulateError> {
    run(MergeTreeOrder::Original)
}

fn improved() -> Result<Box<dyn Source>, SimulateError> {
    run(MergeTreeOrder::Improved)
}

fn run(order: MergeTreeOrder) -> Result<Box<dyn Source>, SimulateError> {
    let program = MergeTree::new(&MergeTreeOptions { ranks: 512, order, ..MergeTreeOptions::default() })?;
    Ok(Box::new(simulate(program, &Machine::default())?))
}
