//! Routes against a run of SimGrid in which messages travel one at a time, so that the bytes of every link are known.
//!
//! `HEDDLE_TRACES` names the folder of the samples; without it these tests are skipped.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::fs;

use heddle_testkit::sample_traces;
use heddle_topology::routing::{Flow, RoutingKind, routing};
use heddle_topology::{Element, Link, Shape};
use serde_json::Value;

#[test]
fn the_routing_of_simgrid_loads_its_links() {
    let Some(folder) = sample_traces("simgrid") else { return };
    let truth: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("courier-torus444.truth.json")).unwrap()).unwrap();
    let shape: Shape = "4x4x4".parse().unwrap();
    let pairs = truth["pairs_fifo_src_dst_count_bytes"].as_array().unwrap();
    let node = |value: &Value| Element(value.as_u64().unwrap() as u32);
    let flow = |row: &Value| Flow { from: node(&row[0]), to: node(&row[1]), bytes: row[3].as_f64().unwrap() };
    let flows: Vec<Flow> = pairs.iter().map(flow).collect();
    let bytes = |link: Link| {
        let named = |(from, to): (Element, Element), way| format!("torus_4x4x4_link_from_{}_to_{}_{way}", from.0, to.0);
        let (from, to) = shape.ends(link);
        let carried = &truth["network_links"]["per_link"];
        // A cable is named by its lower end, and its way back is DOWN.
        let up = &carried[named((from, to), "UP")];
        if up.is_null() { carried[named((to, from), "DOWN")]["bytes"].as_f64() } else { up["bytes"].as_f64() }.unwrap()
    };
    let different = |kind| {
        let mut loads = vec![0.0; shape.links() as usize];
        routing(kind, &shape).unwrap().load(&flows, &mut loads);
        // Rates are written with six digits.
        let differs = |(link, load): (Link, f64)| (load - bytes(link)).abs() > 0.005 * load;
        (0..).map(Link).zip(loads).filter(|entry| differs(*entry)).count()
    };
    assert_eq!(different(RoutingKind::DorSimgrid), 0);
    assert_eq!(different(RoutingKind::Dor), 192, "half-way round it goes the other way");
}
