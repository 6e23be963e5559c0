//! What `docs/gallery/network.md` shows: the figures of Landge et al. (2012) made again, as data.

use super::plate::{Origin, Plate, figure};

const RING: Origin = Origin::Simulated("ring --ranks 25");
const COLLEX: Origin = Origin::Sample("network/collex/collex_meta.yaml");
const BGPC: Origin = Origin::Sample("network/bgpc/bgpc_meta.yaml");
const PF3D_256: Origin = Origin::Simulated("pf3d --ranks 256 --part fft --steps 1");
const PF3D_2K: Origin = Origin::Simulated("pf3d --ranks 2048 --part fft --steps 1");
const PF3D_4K: Origin = Origin::Simulated("pf3d --ranks 4096 --part fft --steps 1");
const PF3D_64K: Origin = Origin::Simulated("pf3d --ranks 65536 --part fft --steps 1");

pub(super) static PLATES: &[Plate] = &[
    Plate {
        title: "Figure 1: one program, two mappings",
        about: "Slabs of pF3D as blocks of the program's own grid, and where two mappings put them on a torus of 512 nodes.",
        figures: &[
            figure(
                "network-1-txyz",
                PF3D_2K,
                "torus3d --topology 8x8x8 --ranks-per-node 4 --mapping TXYZ --process-grid --nodes sub-domain --select ranks:0-255 --links-in-2d --size 820x480",
                "The default: a slab is half a plane.",
            ),
            figure(
                "network-1-tilt",
                PF3D_2K,
                "torus3d --topology 8x8x8 --ranks-per-node 4 --mapping tiltZ --process-grid --nodes sub-domain --select ranks:0-255 --links-in-2d --size 820x480",
                "Tilted: the same ranks are spread over the whole torus.",
            ),
        ],
    },
    Plate {
        title: "Figure 2: patterns of communication",
        about: "25 nodes in a plane: what one message, all-to-all and broadcasts put on the links, and what a Blue Gene/P counted.",
        figures: &[
            figure(
                "network-2-message",
                RING,
                "torus --topology mesh:5x5 --pattern message:0:18 --ranks-per-node 1 --size 560x420",
                "A message from one node to another takes any shortest path: in the middle the paths spread.",
            ),
            figure(
                "network-2-all",
                RING,
                "torus --topology mesh:5x5 --pattern all-to-all --ranks-per-node 1 --size 560x420",
                "All-to-all: the middle of the plane is fullest.",
            ),
            figure(
                "network-2-tree",
                RING,
                "torus --topology mesh:5x5 --pattern broadcast:0 --ranks-per-node 1 --size 560x420",
                "A broadcast from a corner along a binomial tree of ranks, which knows nothing of the plane.",
            ),
            figure(
                "network-2-deposit",
                RING,
                "torus --topology mesh:5x5 --pattern deposit:12 --ranks-per-node 1 --size 560x420",
                "A broadcast from the middle by deposit: along x, then along y, one copy on every link that it takes.",
            ),
            figure(
                "network-2-measured",
                COLLEX,
                "torus --sections 50 --links horizontal --size 900x700",
                "Measured: the last experiment of collectives on 512 nodes.",
            ),
        ],
    },
    Plate {
        title: "Figure 3: from space to the plane",
        about: "The same traffic twice: in space with only those links that the plane shows, and projected.",
        figures: &[
            figure(
                "network-3-space",
                PF3D_256,
                "torus3d --topology 4x4x4 --ranks-per-node 4 --mapping XYZT --links-in-2d --size 900x620",
                "4×4×4 nodes in space.",
            ),
            figure(
                "network-3-plane",
                PF3D_256,
                "torus --topology 4x4x4 --ranks-per-node 4 --mapping XYZT --size 900x620",
                "The same, seen along z: lines of nodes along z are the diagonals.",
            ),
        ],
    },
    Plate {
        title: "Figure 4: where nodes go",
        about: "Nodes coloured by rank show which node is where.",
        figures: &[
            figure(
                "network-4-space",
                PF3D_256,
                "torus3d --topology 4x4x4 --ranks-per-node 4 --mapping TXYZ --nodes rank --along x --size 900x620",
                "In space; links around the torus end in the open.",
            ),
            figure(
                "network-4-plane",
                PF3D_256,
                "torus --topology 4x4x4 --ranks-per-node 4 --mapping TXYZ --nodes rank --along x --size 900x620",
                "Seen along x: two rings of four lines each.",
            ),
        ],
    },
    Plate {
        title: "Figure 5: directions and ranges",
        about: "Which links are drawn, and which loads have a colour. Packets that a Blue Gene/P counted, all regions.",
        figures: &[
            figure("network-5-rings", BGPC, "torus --size 800x640", "Rings: half of the links across and down."),
            figure("network-5-down", BGPC, "torus --links vertical --size 800x640", "All links down."),
            figure("network-5-across", BGPC, "torus --links horizontal --size 800x640", "All links across."),
            figure(
                "network-5-range",
                BGPC,
                "torus --loads 14000:18000 --size 800x640",
                "Only links with more than 14,000 packets: what is below the range is not drawn.",
            ),
        ],
    },
    Plate {
        title: "Figure 6: the default mapping",
        about: "1,024 nodes, ranks by TXYZ: transforms stay within half a plane.",
        figures: &[
            figure(
                "network-6-plane",
                PF3D_4K,
                "torus --topology 8x8x16 --ranks-per-node 4 --mapping TXYZ --sections 0,1 --nodes sub-domain --select ranks:1280-1535 --size 1000x760",
                "Two slabs selected: nothing leaves them.",
            ),
            figure(
                "network-6-space",
                PF3D_4K,
                "torus3d --topology 8x8x16 --ranks-per-node 4 --mapping TXYZ --sections 0,1 --nodes sub-domain --select ranks:1280-1535 --links-in-2d --size 700x600",
                "The same slabs in space: one plane of the torus.",
            ),
        ],
    },
    Plate {
        title: "Figure 7: five mappings",
        about: "A slab of 128 ranks on 512 nodes under each mapping.",
        figures: &[
            figure(
                "network-7-txyz",
                PF3D_2K,
                "torus3d --topology 8x8x8 --ranks-per-node 4 --mapping TXYZ --sections 0,1 --select ranks:0-127 --size 560x440",
                "TXYZ: half a plane.",
            ),
            figure(
                "network-7-xyzt",
                PF3D_2K,
                "torus3d --topology 8x8x8 --ranks-per-node 4 --mapping XYZT --sections 0,1 --select ranks:0-127 --size 560x440",
                "XYZT: two planes.",
            ),
            figure(
                "network-7-tile",
                PF3D_2K,
                "torus3d --topology 8x8x8 --ranks-per-node 4 --mapping tile --sections 0,1 --select ranks:0-127 --size 560x440",
                "tile: two planes across them.",
            ),
            figure(
                "network-7-tiltz",
                PF3D_2K,
                "torus3d --topology 8x8x8 --ranks-per-node 4 --mapping tiltZ --sections 0,1 --select ranks:0-127 --size 560x440",
                "tiltZ: leaning over.",
            ),
            figure(
                "network-7-tiltzy",
                PF3D_2K,
                "torus3d --topology 8x8x8 --ranks-per-node 4 --mapping tiltZY --sections 0,1 --select ranks:0-127 --size 560x440",
                "tiltZY: leaning in two directions.",
            ),
        ],
    },
    Plate {
        title: "Figure 8: five mappings compared",
        about: "Small maps under one colour scale for each size and phase.",
        figures: &[
            figure(
                "network-8-512-x",
                PF3D_2K,
                "mappings --topology 8x8x8 --ranks-per-node 4 --sections 0 --size 1400x380",
                "512 nodes, transforms along x.",
            ),
            figure(
                "network-8-512-y",
                PF3D_2K,
                "mappings --topology 8x8x8 --ranks-per-node 4 --sections 1 --size 1400x380",
                "512 nodes, transforms along y.",
            ),
            figure(
                "network-8-1024-x",
                PF3D_4K,
                "mappings --topology 8x8x16 --ranks-per-node 4 --sections 0 --size 1400x380",
                "1,024 nodes, transforms along x.",
            ),
            figure(
                "network-8-1024-y",
                PF3D_4K,
                "mappings --topology 8x8x16 --ranks-per-node 4 --sections 1 --size 1400x380",
                "1,024 nodes, transforms along y.",
            ),
        ],
    },
    Plate {
        title: "Figure 9: at scale",
        about: "The same two mappings on 16,384 nodes.",
        figures: &[
            figure(
                "network-9-maps",
                PF3D_64K,
                "mappings --topology 16x32x32 --ranks-per-node 4 --sections 1 --mappings TXYZ;XYZT --size 1100x420",
                "Transforms along y: under XYZT no link along z carries anything.",
            ),
            figure(
                "network-9-plane",
                PF3D_64K,
                "torus --topology 16x32x32 --ranks-per-node 4 --mapping XYZT --sections 1 --select nodes:*,*,5 --size 900x760",
                "All 16,384 nodes, with a plane selected.",
            ),
        ],
    },
    Plate {
        title: "Figure 10: hot links",
        about: "A range of colours isolates the fullest links of a measurement; a selected link is framed.",
        figures: &[figure(
            "network-10-hot",
            BGPC,
            "torus --along x --direction plus --loads 16500:18500 --select link:3,2,3>3,2,4 --size 900x700",
            "Only links with more than 16,500 packets towards larger coordinates.",
        )],
    },
];
