//! Uniform traffic and traffic between neighbours on a quaternary fat-tree.

use heddle_model::Source;
use heddle_simulate::{
    Interconnect, Machine, Nearest, NearestOptions, Program, SimulateError, Uniform, UniformOptions, simulate,
};
use heddle_topology::fat_tree::Xgft;
use heddle_topology::routing::RoutingKind;
use heddle_topology::{FatTree, Shape};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "fat-tree",
    title: "A fat-tree under two kinds of traffic",
    summary: "256 nodes below four layers of switches: random destinations, and nearest neighbours",
    about: "A quaternary fat-tree of 256 nodes and 256 switches, after Berkbigler et al. (2002). In one run every rank sends to \
            another one by chance, in the other to its six neighbours on a grid, as many bytes in each round. Random destinations \
            load all layers of switches almost alike: three quarters of their bytes pass the top. Neighbours are mostly near in the tree \
            too: the higher a layer, the less of their traffic comes by, and one sixth passes the top.",
    runs: &[
        Run { name: "fat-tree-uniform", simulate: || run(Uniform::new(&uniform())?) },
        Run { name: "fat-tree-nearest", simulate: || run(Nearest::new(&nearest())?) },
    ],
    stops: &[
        Stop {
            title: "256 nodes below four layers",
            text: "Layers of switches as blocks below the diagonal of nodes; brighter is fuller. Every rank sends to another one by \
                   chance in each round. Of all pairs three quarters meet in the top layer only, so all layers are almost equally \
                   full.",
            view: "v=1&trace=fat-tree-uniform&layout=1fattree(as=lb)&topology=fat-tree:4x4x4x4",
        },
        Stop {
            title: "Neighbours stay near",
            text: "As many bytes from every rank, but to its six neighbours on a grid of 8 by 8 by 4. Many of them hang on the same \
                   or a nearby switch: the higher a layer, the less it has to do, and one sixth of the bytes pass the top.",
            view: "v=1&trace=fat-tree-nearest&layout=1fattree(as=lb)&topology=fat-tree:4x4x4x4",
        },
        Stop {
            title: "Every switch a cell",
            text: "The same traffic in two compact layouts, which have room for thousands of switches: as an H tree, whose highest layer \
                   is in the middle, and as a fractal, in which layers lie in each other.",
            view: "v=1&trace=fat-tree-nearest&layout=1r(500fattree(as=ht),500fattree(as=f1))&topology=fat-tree:4x4x4x4",
        },
        Stop {
            title: "Messages on their way",
            text: "A round of random destinations, in one pod of 64 nodes. A dot is a message; its colour says how long it waits. Play, or drag the needle: switches show what they carry now.",
            view: "v=1&trace=fat-tree-uniform&layout=1fattree(as=qs~within=3,1)&topology=fat-tree:4x4x4x4&motion=dots&at=1950000",
        },
        Stop {
            title: "What it costs",
            text: "Both runs compute equally long between rounds. Where random destinations crowd a link, `MPI_Waitall` is longer: \
                   messages share the links of the tree here, and wait for each other.",
            view: "v=1&trace=fat-tree-uniform&layout=1timeline",
        },
    ],
    figures: &[
        Figure {
            file: "fat-tree-uniform",
            run: "fat-tree-uniform",
            render: "fattree --topology fat-tree:4x4x4x4 --as lb --size 900x760",
            caption: "Random destinations: all layers are almost equally full.",
        },
        Figure {
            file: "fat-tree-nearest",
            run: "fat-tree-nearest",
            render: "fattree --topology fat-tree:4x4x4x4 --as lb --size 900x760",
            caption: "Nearest neighbours: the higher a layer, the less it has to do.",
        },
    ],
};

const RANKS: u32 = 256;
/// What every rank sends in a round.
const BYTES: u64 = 6 * 64 * 1024;
/// What a link carries one way, in bytes per second.
const LINK: f64 = 12.5e9;

fn uniform() -> UniformOptions {
    UniformOptions { ranks: RANKS, rounds: 60, bytes: BYTES, compute_ns: 50_000, ..UniformOptions::default() }
}

fn nearest() -> NearestOptions {
    let rounds = uniform().rounds;
    NearestOptions { ranks: RANKS, rounds, bytes: BYTES / 6, compute_ns: 50_000, grid: None }
}

fn run(program: impl Program + 'static) -> Result<Box<dyn Source>, SimulateError> {
    let rule = Xgft { capacity: vec![Some(LINK); 4], ..Xgft::full(&[4; 4]) };
    let tree = FatTree::new(rule).unwrap_or_else(|_| unreachable!("256 nodes are a tree"));
    let links = Interconnect { routing: RoutingKind::DModK, ..Interconnect::new(Shape::FatTree(tree)) };
    let machine = Machine { ranks_per_node: 1, interconnect: Some(links), ..Machine::default() };
    Ok(Box::new(simulate(program, &machine)?))
}
