//! What `docs/gallery/progression.md` shows: the figures of Nesi et al. (2023) made again, as data.

use super::plate::{Origin, Plate, figure};

const ONE_GPU_LESS: Origin = Origin::Simulated("tasks-lu --tiles 92 --gpus-of 0-1:1");
const SLOW_LINK: Origin = Origin::Simulated("tasks-lu --tiles 92 --bandwidth-of 0:1");
const LOADS: Origin = Origin::Simulated("tasks-lu --tiles 92 --distribution 1d-1d --loads 0:1.5,1:1.25");
const ALL_SLOW: Origin = Origin::Simulated("tasks-lu --tiles 92 --bandwidth 1");
const NORMAL: Origin = Origin::Simulated("tasks-lu --tiles 92");
const PHASES: Origin = Origin::Simulated(
    "tasks-cholesky --tiles 100 --nodes 8x1 --cpus 32 --gpus 0 --cpus-of 6-7:24 --gpus-of 6-7:2 --distribution 1d-1d \
     --loads 6-7:19 --generate before --generate-loads 6-7:0.75 \
     --kernel dgemm:118/1,dtrsm:59/0.5,dsyrk:59/0.5,dpotrf:40/40,dcmg:300",
);
const SLOW_LINK_OF_STARPU: Origin = Origin::Sample("starpu/lu30_slow0/paje.trace.gz");
const QR_OF_STARVZ: Origin = Origin::Sample("starpu/starvz_qr/paje.worker_state.csv.gz");

pub(super) static PLATES: &[Plate] = &[
    Plate {
        title: "Figure 1: how busy the nodes are",
        about: "LU of 92×92 tiles on 30 nodes with four cores and two GPUs each; nodes 0 and 1 have lost a GPU.",
        figures: &[figure(
            "progress-1-gantt",
            ONE_GPU_LESS,
            "gantt --size 1200x760",
            "Cores above, GPUs below. That nodes 0 and 1 are to blame can hardly be seen: they are just never idle.",
        )],
    },
    Plate {
        title: "Figures 2 to 4: how far the nodes have come",
        about: "The same run by the share of its own work that each node has done.",
        figures: &[
            figure(
                "progress-2-lines",
                ONE_GPU_LESS,
                "progress --size 1000x520 --bandwidth 1 --no-labels",
                "A line per node, all in one group: two fall behind at once, twelve more half-way.",
            ),
            figure(
                "progress-3-densities",
                ONE_GPU_LESS,
                "density --densities 10 --size 1000x620",
                "The densities of the first ten steps, cut at their minima.",
            ),
            figure(
                "progress-4-groups",
                ONE_GPU_LESS,
                "progress --size 1000x520 --group-colour speed",
                "Groups instead of lines: nodes 0 and 1, later those that share a row or column of the matrix with them.",
            ),
        ],
    },
    Plate {
        title: "Figure 5: one node has a slow link",
        about: "The link of node 0 carries 1 Gb/s instead of 25.",
        figures: &[
            figure(
                "progress-5-slow-link",
                SLOW_LINK,
                "progress --size 1200x560",
                "Node 0, the nine nodes of its row and column, and the rest.",
            ),
            figure(
                "progress-5-gantt",
                SLOW_LINK,
                "gantt --node-order group --size 1200x760",
                "The same run by how busy the nodes are, in the order of the groups.",
            ),
            figure(
                "progress-5-distribution",
                SLOW_LINK,
                "distribution --select ranks:0 --size 560x760",
                "Who has which tile: the groups are those that node 0 sends to.",
            ),
        ],
    },
    Plate {
        title: "Figure 6: two nodes have too much to do",
        about: "Node 0 got 50 % more than its share, node 1 got 25 % more.",
        figures: &[
            figure(
                "progress-6-loads",
                LOADS,
                "progress --size 1200x560",
                "At first only nodes 0 and 1 are groups of their own; later those that wait for them.",
            ),
            figure("progress-6-gantt", LOADS, "gantt --size 1200x760", "How busy the nodes are."),
            figure("progress-6-distribution", LOADS, "distribution --size 640x620", "Who has which tile."),
        ],
    },
    Plate {
        title: "Figure 7: all links are slow",
        about: "One group at every step, as without any fault: only the lower bound tells. Both have one axis.",
        figures: &[
            figure(
                "progress-7-all-slow",
                ALL_SLOW,
                "progress --size 640x480 --time 0s:105s",
                "All links carry 1 Gb/s: far from the bound.",
            ),
            figure(
                "progress-7-normal",
                NORMAL,
                "progress --size 640x480 --time 0s:105s",
                "All links carry 25 Gb/s: near it.",
            ),
        ],
    },
    Plate {
        title: "Figures 8 and 9: two phases on unequal nodes",
        about: "Eight nodes generate a matrix on their cores and factor it. Six have 32 cores, nodes 6 and 7 have 24 and two GPUs, whose \
                speed was overestimated when the matrix was dealt out.",
        figures: &[
            figure(
                "progress-8-phases",
                PHASES,
                "progress --bandwidth 0.15 --size 1200x520",
                "All generate together; then nodes 6 and 7 fall behind.",
            ),
            figure("progress-8-gantt", PHASES, "gantt --bandwidth 0.15 --size 1200x480", "How busy they are."),
            figure(
                "progress-9-workers",
                PHASES,
                "gantt --lanes workers --ranks 0,6 --bandwidth 0.15 --time 12s:12.4s --size 1000x760",
                "Every task of a node without GPUs and of one with them, for 0.4 s.",
            ),
        ],
    },
    Plate {
        title: "Runs of StarPU",
        about: "The same views of traces that StarPU and StarVZ wrote.",
        figures: &[
            figure(
                "progress-starpu",
                SLOW_LINK_OF_STARPU,
                "progress --bandwidth 0.03 --size 1200x560",
                "StarPU's own LU of 30×30 tiles, simulated, with a slow link on node 0.",
            ),
            figure(
                "progress-starvz-qr",
                QR_OF_STARVZ,
                "gantt --lanes workers --size 1200x520",
                "A sparse QR factorisation on ten cores, recorded.",
            ),
        ],
    },
];
