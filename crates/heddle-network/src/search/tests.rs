//! Searching, and patterns, on machines of every kind.

use heddle_topology::Link;
use heddle_topology::fat_tree::{Cabling, End, FatTree};
use heddle_topology::routing::{RoutingKind, routing};

use super::*;
use crate::pattern::Pattern;

/// Machines of every kind with at least 18 nodes; the last follows no rule, and a part of it cannot be reached.
fn machines() -> Vec<Shape> {
    let mut cables: Vec<(End, End)> = (0..18).map(|host| (End::Host(host), End::Switch(host % 4))).collect();
    cables.extend([(End::Switch(0), End::Switch(1)), (End::Switch(1), End::Switch(2))]);
    let names = |what: &str, count| (0..count).map(|at| format!("{what}{at}")).collect();
    let cabling = Cabling { hosts: names("h", 18), switches: names("s", 4), cables, ..Cabling::default() };
    let by_rule = ["3x3x3", "fat-tree:3^3", "fat-tree:6x3;1x2;1x3", "dragonfly:3x3x2", "dragonfly:3x2x2x2:2"];
    let mut machines: Vec<Shape> = by_rule.iter().map(|text| text.parse().unwrap()).collect();
    machines.push(Shape::FatTree(FatTree::from_cabling(cabling).unwrap()));
    machines
}

#[test]
fn every_machine_can_be_searched() {
    for shape in machines() {
        for kind in RoutingKind::of(&shape) {
            let routing = routing(*kind, &shape).unwrap();
            let rules = rules(&shape, 18, 1);
            assert_eq!((rules[0].0.as_str(), rules[1].0.as_str()), ("block", "round-robin"));
            let flows: Vec<RankFlow> = (0..18)
                .map(|rank| RankFlow { from: rank, to: (rank * 7 + 5) % 18, bytes: 1.0 + f64::from(rank) })
                .collect();
            for objective in [Objective::Max, Objective::HopBytes] {
                let before = worth(&flows, &shape, &rules[0].1, &*routing, objective);
                let mut swaps = Swaps::new(&flows, &shape, &rules[0].1, &*routing, objective);
                improve(&mut swaps, Effort { swaps: 2_000, seed: 1 }, &shape, |_, _| true);
                let after = worth(&flows, &shape, &swaps.placement(), &*routing, objective);
                assert!(!before.beats(&after), "{shape} {kind}: {before:?} {after:?}");
                assert!((after.value - swaps.worth().value).abs() <= 1e-6 * after.value, "{shape} {kind}");
            }
        }
    }
}

#[test]
fn ranks_that_send_over_the_fullest_link_are_near_it() {
    // Two leaves of four nodes below one switch: three nodes of the first send to the second, by the only cable up.
    let shape: Shape = "fat-tree:4x2;1x1".parse().unwrap();
    let routing = routing(RoutingKind::DModK, &shape).unwrap();
    let flows: Vec<RankFlow> = (1..4).map(|rank| RankFlow { from: rank, to: rank + 4, bytes: 1.0 }).collect();
    let (_, block) = rules(&shape, 8, 1).remove(0);
    let mut swaps = Swaps::new(&flows, &shape, &block, &*routing, Objective::Max);
    let fullest = (0..shape.links()).find(|link| swaps.loads[*link as usize] > 2.5).unwrap();
    assert!(shape.layer(shape.ends(Link(fullest)).0) > 0);
    assert_eq!(near_fullest(&mut swaps, &shape), [1, 2, 3]);
}

#[test]
fn every_machine_can_have_every_pattern() {
    for shape in machines() {
        for kind in RoutingKind::of(&shape) {
            let routing = routing(*kind, &shape).unwrap();
            for mapping in ["block", "round-robin"] {
                let placement = mapping.parse::<Mapping>().unwrap().place(&shape, 36, 2).unwrap();
                for pattern in ["message:0:17", "all-to-all", "broadcast:3", "deposit:3"] {
                    let traffic = pattern.parse::<Pattern>().unwrap().traffic(&shape, &placement, &*routing);
                    let loads = traffic.loads(&*shape, |_| true);
                    assert_eq!(loads.len() as u32, shape.links());
                    let is_said = traffic.notes.iter().any(|note| note.contains("dimensions"));
                    assert_eq!(is_said, pattern == "deposit:3" && shape.torus().is_none(), "{shape} {pattern}");
                }
            }
        }
    }
}
