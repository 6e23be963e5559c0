//! What the placement of ranks does to lateness on shared links: pF3D as in Figure 13 of Isaacs et al. 2014.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![allow(dead_code, reason = "test programs share helpers")]

mod common;

use common::stored::stored;
use heddle_logical::{Logical, LogicalOptions};
use heddle_simulate::{Interconnect, Machine, Pf3d, Pf3dOptions, Seats, simulate};
use heddle_store::NoProgress;

/// Ranks of a node.
const GROUP: u32 = 16;

/// By logical step, in how many groups of 16 consecutive ranks lateness differs by more than a microsecond, of how many that do
/// something there; and the largest lateness of the step.
fn varying(mapping: &str) -> Vec<(usize, usize, i64)> {
    let links = Interconnect {
        seats: Seats::Rule(mapping.parse().unwrap()),
        link_bandwidth: Some(2.0),
        ..Interconnect::new("2x2x4x2x2".parse().unwrap())
    };
    let machine = Machine { ranks_per_node: GROUP, interconnect: Some(links), ..Machine::default() };
    let options = Pf3dOptions { ranks: 1_024, steps: 2, compute_ns: 0, ..Pf3dOptions::default() };
    let (_directory, store) = stored(&simulate(Pf3d::new(&options).unwrap(), &machine).unwrap());
    let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
    let of_step = |step| {
        let lateness = |row| logical.event_at(row, step).map(|event| logical.lateness(event));
        let groups = (0..1_024).step_by(GROUP as usize).map(|first| {
            let values: Vec<i64> = (first..first + GROUP).filter_map(lateness).collect();
            values.iter().max().zip(values.iter().min()).map(|(most, least)| most - least)
        });
        let spreads: Vec<i64> = groups.flatten().collect();
        let latest = (0..1_024).filter_map(lateness).max().unwrap_or(0);
        (spreads.iter().filter(|spread| **spread > 1_000).count(), spreads.len(), latest)
    };
    (0..4).map(of_step).collect()
}

#[test]
fn lateness_varies_within_a_node_when_it_is_filled_and_not_when_ranks_are_dealt() {
    let (filled, dealt) = (varying("ABCDET"), varying("TABCDE"));
    for step in 0..4 {
        // A plane at the edge has nobody to send to.
        let ((vary, groups, late), (vary_dealt, groups_dealt, late_dealt)) = (filled[step], dealt[step]);
        assert_eq!((vary, groups), (62, 62), "step {step}, filled");
        assert_eq!((vary_dealt, groups_dealt), (0, 62), "step {step}, dealt");
        assert!(late_dealt < late / 2, "step {step}: {late_dealt} instead of {late}");
    }
}
