//! What `docs/gallery/logical.md` shows: the figures of Isaacs et al. (2014) made again, as data.

use super::plate::{Origin, Plate, figure};

const MULTIGRID: Origin = Origin::Simulated("multigrid --ranks 16 --cycles 2 --slow-rank 9 --slow-factor 1.6");
const HALO: Origin = Origin::Simulated("halo --ranks 256 --iterations 40 --slow-rank 37");
const TREE_16: Origin = Origin::Simulated("merge-tree --ranks 16 --arity 4 --imbalance 3");
const TREE_1K: Origin = Origin::Simulated("merge-tree --ranks 1024");
const TREE_1K_IMPROVED: Origin = Origin::Simulated("merge-tree --ranks 1024 --order improved");
const TREE_16K: Origin = Origin::Simulated("merge-tree --ranks 16384");
const TREE_16K_IMPROVED: Origin = Origin::Simulated("merge-tree --ranks 16384 --order improved");
const PF3D_1K: Origin = Origin::Simulated("pf3d --ranks 1024 --slabs 2 --steps 1");
const PF3D: Origin = Origin::Simulated("pf3d --ranks 8192 --slabs 32");
const PF3D_FIXED: Origin = Origin::Simulated("pf3d --ranks 8192 --slabs 32 --order fixed");

const PF3D_FILLED: Origin = Origin::Simulated(
    "pf3d --ranks 1024 --steps 2 --compute 0 --topology 2x2x4x2x2 --mapping ABCDET --link-bandwidth 2",
);
const PF3D_DEALT: Origin = Origin::Simulated(
    "pf3d --ranks 1024 --steps 2 --compute 0 --topology 2x2x4x2x2 --mapping TABCDE --link-bandwidth 2",
);

pub(super) static PLATES: &[Plate] = &[
    Plate {
        title: "Figure 1: clusters beside the logical timeline",
        about: "The multigrid solver of Figure 3, on 16 processes. Below are all of them, as clusters; above, the latest and its partners.",
        figures: &[figure(
            "logical-1-clusters",
            MULTIGRID,
            "clusters --scope run --steps 0:24 --no-aggregates --size 1100x640",
            "Ranks 9, 13, 5 and 15 were late and are rows of their own, with lines to whom they send; those that were on time are gathered.",
        )],
    },
    Plate {
        title: "Figure 3: lateness spreads and resets",
        about: "A cycle of a multigrid solver on 16 processes, of which the tenth, rank 9, computes more slowly.",
        figures: &[
            figure(
                "logical-3-physical",
                MULTIGRID,
                "timeline --time 0.3ms:1.45ms --size 1100x400",
                "In wall-clock time, the hairball: who makes whom wait is lost in crossing lines.",
            ),
            figure(
                "logical-3-logical",
                MULTIGRID,
                "logical --steps 0:24 --size 1100x400",
                "In logical time: exchanges along z, y and x, on three grids. Lateness starts on rank 9, follows the messages, \
                 and is gone once all have it.",
            ),
            figure(
                "logical-3-cause",
                MULTIGRID,
                "logical --steps 0:12 --select event:15:5 --size 1100x400",
                "The path of a late event of rank 15 back to where its lateness arose: rank 9, before its first send.",
            ),
        ],
    },
    Plate {
        title: "Figure 6: clusters of a gather",
        about: "The merge tree of Figure 12 as one row: the unopened root of the hierarchy, and a few ranks in focus above.",
        figures: &[figure(
            "logical-6-root",
            TREE_1K_IMPROVED,
            "clusters --leap-merge --no-aggregates --open none --focus 440 --steps 0:46 --size 1100x460",
            "Many processes send in the first step; from then on few do anything. The ranks in focus show the structure that \
             one row cannot.",
        )],
    },
    Plate {
        title: "Figure 7: how to read a row of clusters",
        about: "One round of a halo exchange on 256 processes, of which rank 37 was held up.",
        figures: &[figure(
            "logical-7-glyphs",
            HALO,
            "clusters --size 1100x640",
            "Each step has a pale box for what lies before the events, and one for the events: sends on top, receives at the bottom, \
             as high as their share of the row's processes, coloured by their mean lateness. A line leaves above where they \
             send and enters below where they receive. Rank 37 and its four neighbours are latest; each row above is a ring \
             of processes farther away.",
        )],
    },
    Plate {
        title: "Figure 8: exchanges have drawings of their own",
        about: "Which one it is, is found by the messages of a phase. The paper shows SMG2000; these are programs of our own.",
        figures: &[
            figure(
                "logical-8-waits",
                HALO,
                "clusters --scope phase:23 --size 1100x720",
                "All sends, then one wait for all receives: a quarter of a pie says how many messages the waits of a row receive on \
                 average, out of the four that a process inside the grid does. Those at its edges have fewer.",
            ),
            figure(
                "logical-8-turns",
                PF3D,
                "clusters --no-aggregates --size 1100x640",
                "Sends and receives in turn, as in section 5.2: two lanes between which messages go back and forth. What no process of \
                 a row does is dashed.",
            ),
        ],
    },
    Plate {
        title: "Figure 10: a merge tree on 16 processes",
        about: "Four children per node, and very uneven data.",
        figures: &[
            figure(
                "logical-10-physical",
                TREE_16,
                "timeline --size 1100x400",
                "In wall-clock time the first round of receives is all there is to see.",
            ),
            figure(
                "logical-10-logical",
                TREE_16,
                "logical --leap-merge --size 1100x400",
                "In logical time, the tree: gather, results back, gather at the root, results down in two hops. Late leaves \
                 make their gatherers late, and these everybody whom they tell.",
            ),
        ],
    },
    Plate {
        title: "Figure 11: the order of messages",
        about: "Eight children per node, original against improved order.",
        figures: &[
            figure(
                "logical-11-1k-original",
                TREE_1K,
                "logical --leap-merge --size 1100x640",
                "1,024 processes, original: slanted shapes with panhandles. Leaves are served before those on whom others \
                 depend, and most of the picture is empty.",
            ),
            figure(
                "logical-11-1k-improved",
                TREE_1K_IMPROVED,
                "logical --leap-merge --size 1100x640",
                "1,024 processes, improved: shapes overlap, in about half of the steps.",
            ),
            figure(
                "logical-11-16k-original",
                TREE_16K,
                "logical --leap-merge --size 1100x640",
                "16,384 processes, original: on the right four large groups, for the root has four children.",
            ),
            figure(
                "logical-11-16k-improved",
                TREE_16K_IMPROVED,
                "logical --leap-merge --size 1100x640",
                "16,384 processes, improved: the four groups work side by side.",
            ),
        ],
    },
    Plate {
        title: "Figure 12: one phase of the improved merge tree",
        about: "The same pattern can be read at either size: a few ranks in focus above, all others as clusters below.",
        figures: &[
            figure(
                "logical-12-phase",
                TREE_1K_IMPROVED,
                "logical --leap-merge --ranks 0-63 --steps 20:46 --size 1100x520",
                "The first 64 of 1,024 processes, near enough for messages. Large subtrees are served first, and their ranks \
                 pass the result on at once; leaves come last.",
            ),
            figure(
                "logical-12-1k",
                TREE_1K_IMPROVED,
                "clusters --leap-merge --no-aggregates --focus 440 --radius 1 --steps 0:90 --size 1100x640",
                "1,024 processes as eight rows. Rank 440 gathers from its seven leaves, and sends them each result of a higher \
                 level as it comes.",
            ),
            figure(
                "logical-12-16k",
                TREE_16K_IMPROVED,
                "clusters --leap-merge --no-aggregates --focus 8056 --radius 1 --steps 0:90 --size 1100x640",
                "16,384 processes: rank 8,056 does the same.",
            ),
        ],
    },
    Plate {
        title: "Figure 13: where ranks sit",
        about: "The exchange of pF3D on 1,024 ranks of a simulated Blue Gene/Q whose messages share links: nodes filled one after the other, \
                and ranks dealt to the nodes in turn. The second takes 70 % of the time.",
        figures: &[
            figure(
                "logical-13-filled",
                PF3D_FILLED,
                "logical --steps 0:12 --relative --size 1100x460",
                "Filled: 16 ranks of a node send the same way at once, and share its links. Lateness differs within each group of 16.",
            ),
            figure(
                "logical-13-dealt",
                PF3D_DEALT,
                "logical --steps 0:12 --relative --size 1100x460",
                "Dealt in turn: neighbours send over links of different nodes, and in steps 0 to 3 the gradient is smooth.",
            ),
            figure(
                "logical-13-filled-clusters",
                PF3D_FILLED,
                "clusters --scope run --steps 0:12 --no-aggregates --size 1100x460",
                "The same as clusters: filled.",
            ),
            figure(
                "logical-13-dealt-clusters",
                PF3D_DEALT,
                "clusters --scope run --steps 0:12 --no-aggregates --size 1100x460",
                "The same as clusters: dealt.",
            ),
        ],
    },
    Plate {
        title: "Figure 14: a gradient over 8,192 processes",
        about: "Exchanges of pF3D in a box of 32 slabs. Lateness relative to the largest of its step.",
        figures: &[
            figure(
                "logical-14-original",
                PF3D,
                "logical --relative --steps 0:12 --size 1100x520",
                "Original: along z (steps 0 to 3) a gradient over all processes, up and then down; along y and x the stripes of \
                 smaller ones.",
            ),
            figure(
                "logical-14-later",
                PF3D,
                "logical --relative --steps 4:12 --ranks 0-511 --size 1100x520",
                "Its later steps on the first two slabs: along y (steps 4 to 7) one gradient over each slab of 256, along x one over \
                 each line of 16.",
            ),
            figure(
                "logical-14-fixed",
                PF3D_FIXED,
                "logical --range 0:2.702ms --steps 0:12 --size 1100x520",
                "Receives posted first, with colours up to the largest lateness of the original: no gradient.",
            ),
        ],
    },
    Plate {
        title: "Figure 15: the exchange in wall-clock time",
        about: "One exchange on 1,024 processes in two slabs, so that no process both sends and receives along z.",
        figures: &[
            figure(
                "logical-15-all",
                PF3D_1K,
                "timeline --time 0.8ms: --size 1100x520",
                "All 1,024 processes: waves of receives run through the slabs, but which send waits for which receive cannot be told.",
            ),
            figure(
                "logical-15-some",
                PF3D_1K,
                "timeline --time 0.8ms: --ranks 0-63 --size 1000x500",
                "Only 64 of them: the chains along x are diagonals; those along z and y remain a tangle.",
            ),
        ],
    },
    Plate {
        title: "Figure 16: sends that wait for each other",
        about: "One process of each of the upper eight slabs, in wall-clock time.",
        figures: &[
            figure(
                "logical-16-original",
                PF3D,
                "timeline --time 0.9ms:1.5ms --ranks 6399,6655,6911,7167,7423,7679,7935,8191 --size 1100x340",
                "A send ends when its receive is posted, and that is when the receiver has ended its own send: a chain of \
                 31 links of 44 µs.",
            ),
            figure(
                "logical-16-fixed",
                PF3D_FIXED,
                "timeline --time 0.9ms:1.5ms --ranks 6399,6655,6911,7167,7423,7679,7935,8191 --size 1100x340",
                "With receives posted before the sends nobody waits for more than a neighbour.",
            ),
        ],
    },
    Plate {
        title: "Figure 17: time in communication",
        about: FIGURE_17,
        figures: &[
            figure(
                "logical-17-original",
                PF3D,
                "activity --size 1100x260",
                "Original: after the first exchange most processes are in `MPI_Send` most of the time.",
            ),
            figure(
                "logical-17-fixed",
                PF3D_FIXED,
                "activity --size 1100x260",
                "Fixed: exchanges are short, and computing is most of the time.",
            ),
        ],
    },
];

const FIGURE_17: &str = "\
Three steps of pF3D on 8,192 processes, as `heddle info` adds them up; calls that start and end MPI left out.

| order | run | communication, mean of a process | share |
|---|---|---|---|
| original | 19.4 ms | 15.1 ms | 78 % |
| fixed | 4.4 ms | 1.2 ms | 28 % |";
