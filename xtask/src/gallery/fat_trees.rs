//! What `docs/gallery/fat-trees.md` shows: the figures of Berkbigler et al. (2002) made again, as data, and dragonflies.

use super::plate::{Origin, Plate, figure};

const NEAREST_64: Origin =
    Origin::Simulated("nearest --ranks 64 --rounds 4 --ranks-per-node 1 --topology fat-tree:4^3");
const NEAREST_4K: Origin = Origin::Simulated("nearest --ranks 4096 --rounds 1 --ranks-per-node 1");
const UNIFORM_72: Origin = Origin::Simulated("uniform --ranks 72 --rounds 8 --ranks-per-node 1");

pub(super) static PLATES: &[Plate] = &[
    Plate {
        title: "Figure 1: a quaternary fat-tree (QS)",
        about: "64 nodes, three layers of 16 switches; every switch has four cables up and four down.",
        figures: &[figure(
            "fat-tree-1-qs",
            NEAREST_64,
            "fattree --topology fat-tree:4^3 --as qs --size 1000x620",
            "Nearest neighbours on a grid of 4×4×4 ranks.",
        )],
    },
    Plate {
        title: "Figure 2: representations side by side",
        about: "The same 64 nodes and 48 switches: along a line, on rectangles, around a cone, as an H tree, as a fractal, as layered blocks.",
        figures: &[figure(
            "fat-tree-2-all",
            NEAREST_64,
            "fattree --topology fat-tree:4^3 --as dl,dr,dc,ht,f1,lb --size 1200x700",
            "All in one space, coloured alike.",
        )],
    },
    Plate {
        title: "Figure 3: layered blocks (LB)",
        about: "Nodes as pillars on the diagonal, a plate for each group of switches below them, the brighter the more it is used.",
        figures: &[
            figure(
                "fat-tree-3-blocks",
                NEAREST_64,
                "fattree --topology fat-tree:4^3 --as lb --size 900x640",
                "64 nodes.",
            ),
            figure(
                "fat-tree-3-split",
                NEAREST_64,
                "fattree --topology fat-tree:4^3 --as lb --split 2,1;3,0 --size 900x640",
                "Two blocks split into their switches.",
            ),
        ],
    },
    Plate {
        title: "Figure 4: compact layouts of 4,096 nodes",
        about: "6,144 switches at once, a cell each.",
        figures: &[
            figure(
                "fat-tree-4-ht",
                NEAREST_4K,
                "fattree --topology fat-tree:4^6 --as ht --size 900x760",
                "The H tree: the highest layer is in the middle.",
            ),
            figure(
                "fat-tree-4-f1",
                NEAREST_4K,
                "fattree --topology fat-tree:4^6 --as f1 --size 900x760",
                "The fractal: layers lie in each other.",
            ),
            figure(
                "fat-tree-4-uniform",
                NEAREST_4K,
                "fattree --topology fat-tree:4^6 --pattern uniform --as ht --size 900x760",
                "Uniform traffic on the same machine fills the upper layers that nearest neighbours leave empty.",
            ),
        ],
    },
    Plate {
        title: "Figure 5: the fractal layout (F1) for one to six layers",
        about: "Each network has its smaller siblings in it. Switches are coloured by layer.",
        figures: &[
            figure(
                "fat-tree-5-1",
                NEAREST_64,
                "fattree --topology fat-tree:4 --pattern uniform --as f1 --switches layer --ranks-per-node 16 --size 480x360",
                "One layer.",
            ),
            figure(
                "fat-tree-5-2",
                NEAREST_64,
                "fattree --topology fat-tree:4^2 --pattern uniform --as f1 --switches layer --ranks-per-node 4 --size 480x360",
                "Two.",
            ),
            figure(
                "fat-tree-5-3",
                NEAREST_64,
                "fattree --topology fat-tree:4^3 --pattern uniform --as f1 --switches layer --size 480x360",
                "Three.",
            ),
            figure(
                "fat-tree-5-4",
                NEAREST_64,
                "fattree --topology fat-tree:4^4 --pattern uniform --as f1 --switches layer --size 480x360",
                "Four.",
            ),
            figure(
                "fat-tree-5-5",
                NEAREST_64,
                "fattree --topology fat-tree:4^5 --pattern uniform --as f1 --switches layer --size 480x360",
                "Five.",
            ),
            figure(
                "fat-tree-5-6",
                NEAREST_64,
                "fattree --topology fat-tree:4^6 --pattern uniform --as f1 --switches layer --size 480x360",
                "Six.",
            ),
        ],
    },
    Plate {
        title: "Figure 6: the H tree (HT) for one to six layers",
        about: "Layers keep apart: the more central a switch, the higher its layer.",
        figures: &[
            figure(
                "fat-tree-6-1",
                NEAREST_64,
                "fattree --topology fat-tree:4 --pattern uniform --as ht --switches layer --ranks-per-node 16 --size 480x360",
                "One layer.",
            ),
            figure(
                "fat-tree-6-2",
                NEAREST_64,
                "fattree --topology fat-tree:4^2 --pattern uniform --as ht --switches layer --ranks-per-node 4 --size 480x360",
                "Two.",
            ),
            figure(
                "fat-tree-6-3",
                NEAREST_64,
                "fattree --topology fat-tree:4^3 --pattern uniform --as ht --switches layer --size 480x360",
                "Three.",
            ),
            figure(
                "fat-tree-6-4",
                NEAREST_64,
                "fattree --topology fat-tree:4^4 --pattern uniform --as ht --switches layer --size 480x360",
                "Four.",
            ),
            figure(
                "fat-tree-6-5",
                NEAREST_64,
                "fattree --topology fat-tree:4^5 --pattern uniform --as ht --switches layer --size 480x360",
                "Five.",
            ),
            figure(
                "fat-tree-6-6",
                NEAREST_64,
                "fattree --topology fat-tree:4^6 --pattern uniform --as ht --switches layer --size 480x360",
                "Six.",
            ),
        ],
    },
    Plate {
        title: "4,096 nodes in the other representations",
        about: "What the paper found: the direct ones are overwhelmed at this size, layered blocks still show where the traffic is.",
        figures: &[
            figure("fat-tree-4k-qs", NEAREST_4K, "fattree --topology fat-tree:4^6 --as qs --size 760x440", "QS."),
            figure("fat-tree-4k-dl", NEAREST_4K, "fattree --topology fat-tree:4^6 --as dl --size 760x440", "DL."),
            figure("fat-tree-4k-dc", NEAREST_4K, "fattree --topology fat-tree:4^6 --as dc --size 760x520", "DC."),
            figure("fat-tree-4k-dr", NEAREST_4K, "fattree --topology fat-tree:4^6 --as dr --size 700x480", "DR."),
            figure("fat-tree-4k-lb", NEAREST_4K, "fattree --topology fat-tree:4^6 --as lb --size 900x620", "LB."),
        ],
    },
    Plate {
        title: "Dragonflies",
        about: "What most of today's largest machines are: groups of routers, and cables from each group to every other.",
        figures: &[
            figure(
                "dragonfly-matrix",
                UNIFORM_72,
                "dragonfly --topology dragonfly:9x4x2 --group 3 --size 1000x520",
                "Nine groups by nine, and the routers of one of them.",
            ),
            figure(
                "dragonfly-ring",
                UNIFORM_72,
                "dragonfly --topology dragonfly:9x4x2 --groups-as ring --size 800x620",
                "The same groups on a circle.",
            ),
            figure(
                "dragonfly-large",
                NEAREST_4K,
                "dragonfly --topology dragonfly:74x32x4 --size 900x720",
                "74 groups of 32 routers: nearest neighbours stay near, so only the cells beside the diagonal have colour.",
            ),
        ],
    },
];
