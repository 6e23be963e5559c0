//! `heddle export --table matrix` against the table of messages of the same trace.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on should say so and stop

mod common;

use std::collections::BTreeMap;

use common::{Place, text};

/// A table as lists of numbers, and its head.
fn table(csv: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut lines = csv.lines();
    let head = lines.next().unwrap().split(',').map(str::to_owned).collect();
    let number = |cell: &str| cell.parse().unwrap_or(f64::NAN);
    (head, lines.map(|line| line.split(',').map(number).collect()).collect())
}

#[test]
fn each_pair_has_what_its_messages_add_up_to() {
    let place = Place::new();
    let run = place.simulate("run", &["--ranks", "9", "--iterations", "30"]);
    let (_, messages) = table(&place.ok(&["export", text(&run), "--table", "messages"]));
    for (limits, window, ranks) in
        [(vec![], 0.0..=f64::MAX, 0.0..=8.0), (vec!["--time", "1ms:4ms", "--ranks", "2-7"], 1e6..=4e6, 2.0..=7.0)]
    {
        let mut expected: BTreeMap<(u64, u64), [f64; 3]> = BTreeMap::new();
        for row in &messages {
            let [from, to, sent, received, bytes] = row[..5] else { panic!("{row:?}") };
            if window.contains(&sent) && ranks.contains(&from) && ranks.contains(&to) {
                let sum = expected.entry((from as u64, to as u64)).or_default();
                *sum = [sum[0] + 1.0, sum[1] + bytes, sum[2] + received - sent];
            }
        }
        assert!(!expected.is_empty());
        let args = [&["export", text(&run), "--table", "matrix"][..], &limits].concat();
        let (head, rows) = table(&place.ok(&args));
        assert_eq!(head[..7], ["send_rank", "recv_rank", "messages", "bytes", "bytes_per_s", "wait_ns", "flight_ns"]);
        assert_eq!(rows.len(), expected.len());
        for (row, ((from, to), [count, bytes, flight])) in rows.iter().zip(expected) {
            assert_eq!(row[..4], [from as f64, to as f64, count, bytes]);
            assert!((row[4] / (bytes / (flight / 1e9)) - 1.0).abs() < 1e-9 && (row[6] - flight).abs() < 0.5, "{row:?}");
            assert!(row[5] >= 0.0);
        }
    }
    place.fails(&["export", text(&run), "--table", "spans", "--ranks", "0"], 2, &["profile and matrix"]);
}
