//! A gather and its scatters in the wrong order, and in the right one.

use heddle_model::Source;
use heddle_simulate::{Machine, MergeTree, MergeTreeOptions, MergeTreeOrder, SimulateError, simulate};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "merge-tree",
    title: "Leaves first, or leaves last",
    summary: "Ranks gather along a tree and scatter back; who is served first decides who waits",
    about: "Merge trees, after the case study of Isaacs et al. (2014): each rank computes a tree of its own data, the \
            trees are gathered and merged along a tree of ranks, and the result of every level is scattered back. On 16 \
            ranks, an imbalance of the data travels to everybody. On 1,024 and 16,384 ranks, with eight children per \
            node, it is the order of messages that shows: in the original program a rank first serves the leaves, on \
            whom nobody depends, and those with a subtree of their own wait. In the improved one trees go up before \
            results go down, and large subtrees are served before small ones: the same messages in about half the steps \
            and five sixths of the time.",
    runs: &[
        Run { name: "merge-tree-16", simulate: small },
        Run { name: "merge-tree-original", simulate: || run(1_024, MergeTreeOrder::Original) },
        Run { name: "merge-tree-improved", simulate: || run(1_024, MergeTreeOrder::Improved) },
        Run { name: "merge-tree-16k-original", simulate: || run(16_384, MergeTreeOrder::Original) },
        Run { name: "merge-tree-16k-improved", simulate: || run(16_384, MergeTreeOrder::Improved) },
    ],
    stops: &[
        Stop {
            title: "Sixteen ranks in time",
            text: "A merge tree with four children per node, in wall-clock time. Most of the picture is `local_tree`, \
                   which takes 2 to 6 ms because the data is uneven, and `MPI_Recv`, in which others wait for it. The \
                   tree itself, the gather and the results on their way back, is squeezed into lines that nobody can \
                   follow.",
            view: "v=1&trace=merge-tree-16&layout=timeline",
        },
        Stop {
            title: "The tree itself",
            text: "The same run in logical time. Step 0: all leaves send to ranks 0, 4, 8 and 12. These receive three times, \
                   merge, and send the result back; then 4, 8 and 12 send up to rank 0, and its result goes down in two hops. \
                   Red is late: rank 15 from its very first send on, as its data took longest.",
            view: "v=1&trace=merge-tree-16&layout=logical&leap-merge=1",
        },
        Stop {
            title: "Lateness comes back down",
            text: "Rank 13 sent on time, and yet gets its result 1.9 ms late. The marked path says why: its gatherer, \
                   rank 12, had to wait for rank 15, which computed 4.3 ms longer than others before it sent. Time lost \
                   on one rank is collected by the gather and handed out again by the scatter.",
            view: "v=1&trace=merge-tree-16&layout=logical&time=1687996:6354730&select=span:13:4&steps=0:9&leap-merge=1",
        },
        Stop {
            title: "1,024 ranks, leaves first",
            text: "Eight children per node. The slanted shapes are results on their way to the leaves, subtree by \
                   subtree. Each has a panhandle, a thin line to its left: a rank that serves its leaves one by one \
                   before it sends to ranks that have others below them. Meanwhile nearly everybody waits; most of the \
                   picture is empty.",
            view: "v=1&trace=merge-tree-original&layout=1logical&range=0:2800000&leap-merge=1",
        },
        Stop {
            title: "1,024 ranks, leaves last",
            text: "The improved order: up before down, large subtrees before small ones. The panhandles are gone, \
                   shapes overlap, and the same messages take 127 steps instead of 236. In time it is 8.5 ms instead of \
                   10.1.",
            view: "v=1&trace=merge-tree-improved&layout=1logical&range=0:2800000&leap-merge=1",
        },
        Stop {
            title: "16,384 ranks, leaves first",
            text: "The same at sixteen times the size. The root now has four children in its last level, so the right \
                   half shows four large groups, one below the other, each beginning when the one above is nearly done. \
                   A row of the picture stands for many ranks and shows the latest of them.",
            view: "v=1&trace=merge-tree-16k-original&layout=1logical&range=0:3900000&leap-merge=1",
        },
        Stop {
            title: "16,384 ranks, leaves last",
            text: "With leaves last the four groups work at the same time. 11.6 ms instead of 13.9, with the very same \
                   messages: only their order has changed.",
            view: "v=1&trace=merge-tree-16k-improved&layout=1logical&range=0:3900000&leap-merge=1",
        },
        Stop {
            title: "16,384 ranks as eight rows",
            text: "Ranks whose lateness takes the same course are one row, as high as they are many. The box of a step has senders on \
                   top, receivers at the bottom; a knob opens a row into two. Above, in focus: rank 8,056, the latest, and 22 ranks \
                   within two messages. They show what 16,384 rows cannot: 8,008 to 8,056 get a result one after the \
                   other, each passes it on at once, and leaves such as 8,057 come last.",
            view: "v=1&trace=merge-tree-16k-improved&layout=1clusters&leap-merge=1&radius=2&aggregates=0",
        },
    ],
    figures: &[
        Figure {
            file: "merge-tree-clusters",
            run: "merge-tree-16k-improved",
            render: "clusters --leap-merge --no-aggregates --radius 2 --size 1100x640",
            caption: "16,384 ranks as eight rows, and 23 of them in focus: who sends to whom can be read again.",
        },
        Figure {
            file: "merge-tree-original",
            run: "merge-tree-16k-original",
            render: "logical --leap-merge --size 1100x520",
            caption: "16,384 ranks in logical time, original order: panhandles, and little in parallel.",
        },
        Figure {
            file: "merge-tree-improved",
            run: "merge-tree-16k-improved",
            render: "logical --leap-merge --size 1100x520",
            caption: "The improved order: the same messages in half the steps.",
        },
    ],
};

/// Few ranks with very different amounts of data.
fn small() -> Result<Box<dyn Source>, SimulateError> {
    let options = MergeTreeOptions { ranks: 16, arity: 4, imbalance: 3.0, ..MergeTreeOptions::default() };
    Ok(Box::new(simulate(MergeTree::new(&options)?, &Machine::default())?))
}

fn run(ranks: u32, order: MergeTreeOrder) -> Result<Box<dyn Source>, SimulateError> {
    let program = MergeTree::new(&MergeTreeOptions { ranks, order, ..MergeTreeOptions::default() })?;
    Ok(Box::new(simulate(program, &Machine::default())?))
}
