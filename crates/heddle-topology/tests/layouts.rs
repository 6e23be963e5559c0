//! Layouts and mini-maps against the lists of the samples.
//!
//! `HEDDLE_TRACES` names the folder of the samples; without it these tests are skipped.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]
#![allow(clippy::float_cmp, reason = "whole numbers, and halves of their sums, are exact")]

use std::fs;

use heddle_testkit::sample_traces;
use heddle_topology::layout::{Axes, MiniMap, Projected, Shown, Slice, Spacing};
use heddle_topology::{Cable, Coordinates, Dimension, Direction, MOST_DIMENSIONS, Torus};
use serde_json::Value;

fn at(x: u64, y: u64, z: u64) -> Coordinates {
    let mut at = [0; MOST_DIMENSIONS];
    at[..3].copy_from_slice(&[x as u32, y as u32, z as u32]);
    at
}

#[test]
fn projected_layouts_are_those_of_the_sample() {
    let Some(folder) = sample_traces("network/expected") else { return };
    for name in ["4x4x4", "3x6x5", "8x8x16"] {
        let text = fs::read_to_string(folder.join(format!("torus_layout_{name}.json"))).unwrap();
        let expected: Value = serde_json::from_str(&text).unwrap();
        let sizes: Vec<u32> = name.split('x').map(|size| size.parse().unwrap()).collect();
        let torus = Torus::new(Dimension::named(&sizes, true)).unwrap();
        for (dim, axis) in ["x", "y", "z"].iter().enumerate() {
            let expected = &expected["views"][axis];
            let axes = Axes::along(&torus, dim);
            let shown = [axes.across, axes.down].map(|dim| torus.dimensions()[dim.unwrap()].name.as_str());
            assert_eq!(expected["horizontal_dim"], shown[0]);
            assert_eq!(expected["vertical_dim"], shown[1]);
            let layout = Projected::new(Slice::new(&torus, axes.dims()), Spacing::default());
            let nodes = expected["nodes"].as_array().unwrap();
            assert_eq!(nodes.len(), layout.nodes().count());
            for row in nodes {
                let row: Vec<u64> = row.as_array().unwrap().iter().map(|value| value.as_u64().unwrap()).collect();
                let node = torus.node(&at(row[0], row[1], row[2]));
                assert_eq!(layout.position(node), Some([row[3] as f64, row[4] as f64]), "{name} along {axis}: {row:?}");
                assert_eq!(layout.ring(node), Some(row[5] as u32), "{name} along {axis}: {row:?}");
            }
            let rings = layout.counts(Shown::RINGS).lines;
            for (role, what) in ["axis", "horizontal", "vertical"].iter().enumerate() {
                assert_eq!(expected["drawn_links_concentric"][what], rings[role], "{name} along {axis}");
            }
            assert_eq!(expected["drawn_links_horizontal_only"], layout.counts(Shown::ACROSS).lines[1]);
            assert_eq!(expected["drawn_links_vertical_only"], layout.counts(Shown::DOWN).lines[2]);
        }
    }
}

/// Packets of the run, summed over all rows, per cable: the mean of its directions.
fn packets(text: &str, torus: &Torus) -> Vec<f64> {
    let mut values = vec![0.0; torus.cables() as usize];
    let rows = text.lines().skip_while(|line| *line != "...").skip(1);
    for row in rows.filter(|row| !row.trim().is_empty()) {
        let row: Vec<i64> = row.split_whitespace().map(|value| value.parse().unwrap()).collect();
        let from = torus.node(&at(row[1] as u64, row[2] as u64, row[3] as u64));
        let dim = (0..3).find(|dim| row[1 + dim] != row[4 + dim]).unwrap();
        let up = (row[4 + dim] - row[1 + dim]).rem_euclid(8) == 1;
        let direction = if up { Direction::Plus } else { Direction::Minus };
        let (cable, _) = Torus::cable_of(torus.link_from(from, dim, direction).unwrap());
        values[cable.index()] += row[8] as f64 / 2.0;
    }
    values
}

#[test]
fn bundles_of_a_measured_run_have_the_means_of_the_sample() {
    let Some(folder) = sample_traces("network/bgpc") else { return };
    let truth: Value = serde_json::from_str(&fs::read_to_string(folder.join("truth.json")).unwrap()).unwrap();
    let torus = Torus::new(Dimension::named(&[8, 8, 8], true)).unwrap();
    let values = packets(&fs::read_to_string(folder.join("bgpc_links.yaml")).unwrap(), &torus);
    for (dim, axis) in ["x", "y", "z"].iter().enumerate() {
        let expected = &truth["counters"]["packets"]["minimap_bundle_means"][axis];
        let slice = Slice::new(&torus, Axes::along(&torus, dim).dims());
        let map = MiniMap::new(&slice, &[], Spacing::default());
        let means = map.means(&values);
        for role in [1, 2] {
            let name = &torus.dimensions()[slice.dims()[role].unwrap()].name;
            let of_role = map.bundles().iter().zip(&means).filter(|(bundle, _)| bundle.role.index() == role);
            let means: Vec<f64> = of_role.map(|(_, mean)| *mean).collect();
            let expected = &expected[format!("bundles_{name}")];
            assert_eq!(expected["n"], means.len());
            assert_eq!(expected["min"].as_f64().unwrap(), means.iter().copied().fold(f64::INFINITY, f64::min));
            assert_eq!(expected["max"].as_f64().unwrap(), means.iter().copied().fold(0.0, f64::max));
            assert_eq!(expected["sum"].as_f64().unwrap(), means.iter().sum::<f64>());
        }
        let largest = (0..means.len()).max_by(|a, b| means[*a].total_cmp(&means[*b])).unwrap();
        let cable: Cable = map.cables(&map.bundles()[largest]).next().unwrap();
        let (low, along) = (torus.coordinates(torus.lower_end(cable)), torus.dimension_of(cable));
        assert_eq!(expected["largest_bundle"]["link_dim"], torus.dimensions()[along].name);
        for other in (0..3).filter(|other| *other != dim) {
            assert_eq!(expected["largest_bundle"][&torus.dimensions()[other].name], low[other], "along {axis}");
        }
    }
}
