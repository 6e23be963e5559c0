//! The five mappings of pF3D: map files and predicted loads, against numbers worked out by another program.
//!
//! `HEDDLE_TRACES` names the folder of the samples; without it these tests are skipped.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::fs;

use heddle_testkit::sample_traces;
use heddle_topology::mapping::{read_map, write_map};
use heddle_topology::routing::{Flow, RoutingKind, routing};
use heddle_topology::{LoadStatistics, Mapping, Placement, Shape};
use serde_json::Value;

const MAPPINGS: [&str; 5] = ["TXYZ", "XYZT", "tile", "tiltZ", "tiltZY"];

#[test]
fn map_files_are_those_of_the_sample() {
    let Some(folder) = sample_traces("network/expected") else { return };
    let shape: Shape = "8x8x8".parse().unwrap();
    for mapping in MAPPINGS {
        let text = fs::read_to_string(folder.join(format!("pf3d_512_{mapping}.map"))).unwrap();
        let placement = mapping.parse::<Mapping>().unwrap().place(&shape, 2048, 4).unwrap();
        assert_eq!(read_map(&text, &shape, Some(2048), 4).unwrap(), placement, "{mapping}");
        assert_eq!(write_map(&placement, &shape), text, "{mapping}");
    }
}

/// Bytes between ranks in a phase of pF3D: slabs of 16 by 8 ranks, all-to-all along x and y, neighbours along z.
fn phase(axis: char, ranks: u32, placement: &Placement) -> Vec<Flow> {
    let mut flows = Vec::new();
    for rank in 0..ranks {
        let (x, y, z) = (rank % 16, rank / 16 % 8, rank / 128);
        let at = |x: u32, y: u32, z: u32| x + 16 * y + 128 * z;
        let (to, bytes): (Vec<u32>, f64) = match axis {
            'x' => ((0..16).map(|x| at(x, y, z)).collect(), 1.0),
            'y' => ((0..8).map(|y| at(x, y, z)).collect(), 2.0),
            _ => (
                [z.wrapping_sub(1), z + 1].into_iter().filter(|z| *z < ranks / 128).map(|z| at(x, y, z)).collect(),
                1.0,
            ),
        };
        let flow = |to: u32| Flow { from: placement.node(rank), to: placement.node(to), bytes };
        flows.extend(to.into_iter().filter(|to| *to != rank).map(flow));
    }
    flows
}

/// Numbers that are given with four digits.
fn assert_near(found: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= 0.51e-4, "{what}: {found}, expected {expected}");
}

fn check(shape: &Shape, loads: &[f64], expected: &Value, what: &str) {
    let all = LoadStatistics::of(loads);
    let numbers = [("max", all.max), ("mean", all.mean), ("std", all.std), ("cv", all.cv), ("gini", all.gini)];
    for (name, found) in numbers.into_iter().chain([("unused_fraction", all.unused_part())]) {
        assert_near(found, &expected[name], &format!("{what} {name}"));
    }
    for (dim, class) in LoadStatistics::by_class(&**shape, loads).iter().enumerate() {
        assert_near(class.mean, &expected["mean_per_dim"][dim], &format!("{what} mean of {dim}"));
        assert_near(class.max, &expected["max_per_dim"][dim], &format!("{what} max of {dim}"));
    }
}

#[test]
fn predicted_loads_are_those_of_the_sample() {
    let Some(folder) = sample_traces("network/expected") else { return };
    let model: Value = serde_json::from_str(&fs::read_to_string(folder.join("pf3d_model.json")).unwrap()).unwrap();
    let mut checked = 0;
    for sizes in ["8x8x8", "8x8x16", "16x16x32"] {
        let shape: Shape = sizes.parse().unwrap();
        let ranks = 4 * shape.hosts();
        for (kind, mapping) in ["dor", "asp"].iter().flat_map(|kind| MAPPINGS.map(|mapping| (kind, mapping))) {
            let expected = &model[sizes][kind][mapping];
            let placement = mapping.parse::<Mapping>().unwrap().place(&shape, ranks, 4).unwrap();
            let routing = routing(kind.parse().unwrap(), &shape).unwrap();
            let [x, y, z] = ['x', 'y', 'z'].map(|axis| {
                let mut loads = vec![0.0; shape.links() as usize];
                routing.load(&phase(axis, ranks, &placement), &mut loads);
                check(&shape, &loads, &expected[axis.to_string()], &format!("{sizes} {kind} {mapping} {axis}"));
                loads
            });
            let both: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
            check(&shape, &both, &expected["x_plus_y"], &format!("{sizes} {kind} {mapping} x+y"));
            let maxima = [x, y, z].iter().map(|loads| LoadStatistics::of(loads).max).sum();
            assert_near(maxima, &expected["sum_of_phase_maxima"], &format!("{sizes} {kind} {mapping} maxima"));
            checked += 1;
        }
    }
    assert_eq!(checked, 30);
}

/// Landge's Table 1, best first: what a ranking by loads must find at 512 nodes.
#[test]
fn mappings_rank_as_measured() {
    let shape: Shape = "8x8x8".parse().unwrap();
    for kind in [RoutingKind::Dor, RoutingKind::Asp] {
        let routing = routing(kind, &shape).unwrap();
        let mut ranked: Vec<([f64; 3], f64, f64, &str)> = Vec::new();
        for mapping in MAPPINGS {
            let placement = mapping.parse::<Mapping>().unwrap().place(&shape, 2048, 4).unwrap();
            let load = |axes: &str| {
                let mut loads = vec![0.0; shape.links() as usize];
                axes.chars().for_each(|axis| routing.load(&phase(axis, 2048, &placement), &mut loads));
                LoadStatistics::of(&loads)
            };
            let both = load("xy");
            // Sums in another order differ in the last digits, and equal maxima must tie.
            let rounded = |value: f64| (value * 1e6).round();
            let maxima = ["x", "y", "z"].map(|axis| load(axis).max).iter().sum();
            ranked.push(([rounded(maxima), rounded(both.max), both.cv], both.gini, both.unused_part(), mapping));
        }
        let worst = ranked[0];
        assert!(ranked[1..].iter().all(|other| other.0.iter().zip(worst.0).all(|(a, b)| *a < b) && other.1 < worst.1));
        assert!(ranked[1..].iter().all(|other| other.2 < worst.2), "TXYZ leaves most links unused");
        let even = |a: &&([f64; 3], f64, f64, &str), b: &&([f64; 3], f64, f64, &str)| a.1.total_cmp(&b.1);
        assert_eq!(ranked.iter().min_by(even).unwrap().3, "tiltZ");
        ranked.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap());
        let order: Vec<&str> = ranked.iter().map(|entry| entry.3).collect();
        assert_eq!(order, ["tiltZ", "tile", "tiltZY", "XYZT", "TXYZ"], "{kind}");
    }
}
