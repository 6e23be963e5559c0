//! Progression from the command line, against what StarVZ says of the sample traces.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use serde_json::Value;

use common::Place;
use heddle_testkit::sample_traces;

/// The rows of a table, as numbers.
fn rows(csv: &str) -> (Vec<&str>, Vec<Vec<f64>>) {
    let mut lines = csv.lines();
    let header = lines.next().unwrap().split(',').collect();
    let row = |line: &str| line.split(',').map(|word| word.parse().unwrap()).collect();
    (header, lines.map(row).collect())
}

#[test]
fn tables_of_progression_are_those_of_the_truth() {
    let Some(folder) = sample_traces("starpu/lu30_slow0") else { return };
    let place = Place::new();
    let truth: Value = serde_json::from_slice(&std::fs::read(folder.join("truth.json")).unwrap()).unwrap();
    let trace = folder.join("paje.trace.gz");
    let export = |table: &str, more: &[&str]| {
        let trace = trace.to_str().unwrap();
        let args = [&["export", trace, "--table", table, "--weights", "worker", "--min-depth", "0"], more].concat();
        place.ok(&args)
    };

    let csv = export("progress", &[]);
    let (header, table) = rows(&csv);
    assert_eq!(header, ["node", "step", "time_ns", "progress", "group"]);
    assert_eq!(table.len(), 30 * 21);
    for row in &table {
        let (node, step) = (row[0] as usize, row[1] as usize);
        // The reference misses the last task at the last instant, which lies a rounding before the end.
        if step < 20 {
            assert!((row[3] - truth["metric"][node][step].as_f64().unwrap()).abs() < 1e-9, "{row:?}");
            assert_eq!(row[4] as i64, truth["group"][node][step].as_i64().unwrap(), "{row:?}");
        }
    }

    let csv = export("bounds", &["--bound-workers", "observed"]);
    let (header, table) = rows(&csv);
    assert_eq!(header, ["step", "time_ns", "bound_ns", "cumulative_ns", "progress"]);
    let cumulative = truth["abe_cumulative_ms"].as_array().unwrap();
    assert_eq!((table.len(), table[0][3]), (cumulative.len() + 1, 0.0));
    for (row, expected) in table[1..].iter().zip(cumulative) {
        assert!((row[3] / (expected.as_f64().unwrap() * 1e6) - 1.0).abs() < 1e-6, "{row:?}");
    }
}

#[test]
fn what_decides_progression_is_refused_elsewhere() {
    let place = Place::new();
    let only = "--bandwidth: only the tables progress and bounds depend on it";
    place.fails(&["export", "x.otf2", "--table", "spans", "--bandwidth", "0.1"], 2, &[only]);
    let range = "must be a number from 0.0005 to 1";
    place.fails(&["export", "x.otf2", "--table", "progress", "--bandwidth", "2"], 2, &[range]);
}
