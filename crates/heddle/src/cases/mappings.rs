//! Where ranks sit on a torus, and what that does to its links.

use heddle_model::Source;
use heddle_simulate::{Interconnect, LogGp, Machine, Pf3d, Pf3dOptions, Pf3dPart, Seats, SimulateError, simulate};
use heddle_topology::routing::RoutingKind;
use heddle_topology::{Dimension, Mapping, Shape, Torus};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "mappings",
    title: "Five ways to sit on a torus",
    summary: "pF3D on 512 nodes: the same messages under five mappings, on links that they share",
    about: "The Fourier transforms of pF3D on 512 nodes of a Blue Gene/P, after the case study of Landge et al. (2012). \
            2,048 ranks form 16 slabs of 16 by 8; within a slab all lines along x, then all along y, exchange their data, and \
            slabs exchange with their neighbours. How full the links of the torus get is decided by where ranks sit. The default \
            crowds each slab into half a plane and leaves two fifths of the links idle; tilted slabs use all of them. The \
            simulated machine lets messages share links, so the mappings differ in time too.",
    runs: &[
        Run { name: "pf3d-txyz", simulate: || run("TXYZ") },
        Run { name: "pf3d-xyzt", simulate: || run("XYZT") },
        Run { name: "pf3d-tile", simulate: || run("tile") },
        Run { name: "pf3d-tiltz", simulate: || run("tiltZ") },
        Run { name: "pf3d-tiltzy", simulate: || run("tiltZY") },
    ],
    stops: &[
        Stop {
            title: "512 nodes, seen along z",
            text: "All nodes of the torus on a plane. Lines along z are the diagonals, the other two dimensions run across and \
                   down. Colour is what a link carries, predicted from the messages of the run. Ranks sit by TXYZ: four to a \
                   node, then along x, y and z. Links along x are fullest, and hardly one along z carries anything.",
            view: "v=1&trace=pf3d-txyz&layout=network",
        },
        Stop {
            title: "Transforms stay in half a plane",
            text: "Only the transforms, without the exchange between slabs, and the ranks of one slab. All its messages stay on \
                   32 nodes: half a plane. 41.7 % of the links are idle.",
            view: "v=1&trace=pf3d-txyz&layout=network&select=ranks:0-127&sections=0,1",
        },
        Stop {
            title: "Tilted slabs",
            text: "The same messages with ranks by tiltZ: a slab leans over as z grows, and so takes part in all 512 nodes' links. \
                   The fullest link carries two thirds of what it did, and none is idle.",
            view: "v=1&trace=pf3d-tiltz&layout=network&select=ranks:0-127&sections=0,1",
        },
        Stop {
            title: "Who fills the fullest link?",
            text: "A link of the default mapping, selected. At the right: the collectives, pairs of ranks and functions whose \
                   bytes cross it. Each leads to the timeline.",
            view: "v=1&trace=pf3d-txyz&layout=network&select=link:1,0,0>2,0,0",
        },
    ],
    figures: &[
        Figure {
            file: "mappings-txyz",
            run: "pf3d-txyz",
            render: "torus --sections 0,1 --size 1000x760",
            caption: "Transforms under the default mapping: links along x are full, those along z idle.",
        },
        Figure {
            file: "mappings-compared",
            run: "pf3d-txyz",
            render: "mappings --sections 0,1 --size 1400x380",
            caption: "Five mappings under one colour scale, with their figures.",
        },
    ],
};

/// What a link of a Blue Gene/P carries one way, in bytes per second.
const LINK: f64 = 425e6;

fn run(mapping: &str) -> Result<Box<dyn Source>, SimulateError> {
    let mut dimensions = Dimension::named(&[8, 8, 8], true);
    for dimension in &mut dimensions {
        dimension.capacity = Some(LINK);
    }
    let torus = Torus::new(dimensions).unwrap_or_else(|_| unreachable!("512 nodes are a torus"));
    let interconnect = Interconnect {
        shape: Shape::Torus(torus),
        seats: Seats::Rule(mapping.parse::<Mapping>().unwrap_or_default()),
        routing: RoutingKind::Asp,
        link_bandwidth: None,
        injection_bandwidth: None,
    };
    // A core hands over as fast as a link takes it.
    let network = LogGp { gap_per_byte: 1e9 / LINK, latency_ns: 3_000, ..LogGp::default() };
    let machine = Machine { ranks_per_node: 4, interconnect: Some(interconnect), network, ..Machine::default() };
    let program = Pf3d::new(&Pf3dOptions { ranks: 2_048, steps: 3, part: Pf3dPart::Fft, ..Pf3dOptions::default() })?;
    Ok(Box::new(simulate(program, &machine)?))
}
