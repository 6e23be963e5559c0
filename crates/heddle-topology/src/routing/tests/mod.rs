//! Routings against counting paths in the graph of links, and what holds for all of them.

#![allow(clippy::float_cmp, reason = "whole numbers and nothing at all are exact")]

use std::collections::VecDeque;

use heddle_testkit::Chance;
use proptest::prelude::*;

use super::{routing as any_routing, *};
use crate::{Dimension, Torus};

mod all_machines;
mod dragonflies;
mod trees;

const TORUS: [RoutingKind; 3] = [RoutingKind::Dor, RoutingKind::DorSimgrid, RoutingKind::Asp];

fn routing(kind: RoutingKind, shape: &Shape) -> Arc<dyn Routing> {
    any_routing(kind, shape).expect("a routing of this machine")
}

fn machine() -> impl Strategy<Value = Shape> {
    let dimension = (1_u32..=6, any::<bool>(), 1_u32..=2);
    prop::collection::vec(dimension, 1..=4).prop_map(|sizes| {
        let mut dimensions = Dimension::named(&sizes.iter().map(|(size, ..)| *size).collect::<Vec<_>>(), true);
        for (dimension, (_, wraps, cables)) in dimensions.iter_mut().zip(sizes) {
            (dimension.wraps, dimension.cables) = (wraps, cables);
        }
        Shape::Torus(Torus::new(dimensions).unwrap())
    })
}

fn flows(shape: &Shape, count: usize, seed: u64) -> Vec<Flow> {
    let mut chance = Chance(seed);
    let mut node = || Element(chance.below(shape.hosts() as usize) as u32);
    let ends: Vec<(Element, Element)> = (0..count).map(|_| (node(), node())).collect();
    ends.into_iter().map(|(from, to)| Flow { from, to, bytes: 0.1 + chance.below(1000) as f64 }).collect()
}

/// Every node's links.
fn graph(shape: &Shape) -> Vec<Vec<(Link, Element)>> {
    let mut links = vec![Vec::new(); shape.elements() as usize];
    for link in (0..shape.links()).map(Link) {
        let (from, to) = shape.ends(link);
        links[from.index()].push((link, to));
    }
    links
}

/// Distance from a node to all others, and the number of shortest paths.
fn paths(graph: &[Vec<(Link, Element)>], from: Element) -> Vec<(u32, f64)> {
    let mut found = vec![(u32::MAX, 0.0); graph.len()];
    found[from.index()] = (0, 1.0);
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        let (distance, count) = found[node.index()];
        for (_, next) in &graph[node.index()] {
            let next_found = &mut found[next.index()];
            if next_found.0 == u32::MAX {
                *next_found = (distance + 1, 0.0);
                queue.push_back(*next);
            }
            if next_found.0 == distance + 1 {
                next_found.1 += count;
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The share of a link is the part of all shortest paths that it is on, counted in the graph.
    #[test]
    fn all_shortest_paths_carry_equal_shares(shape in machine(), seed: u64) {
        let graph = graph(&shape);
        let routing = routing(RoutingKind::Asp, &shape);
        for Flow { from, to, .. } in flows(&shape, 8, seed) {
            let (there, back) = (paths(&graph, from), paths(&graph, to));
            let (distance, all) = there[to.index()];
            let mut shares = vec![0.0; shape.links() as usize];
            let mut visits = vec![0; shape.links() as usize];
            routing.route(from, to, &mut |link, share| {
                shares[link.index()] += share;
                visits[link.index()] += 1;
            });
            for link in (0..shape.links()).map(Link) {
                let (a, b) = shape.ends(link);
                let on_a_path = there[a.index()].0 + 1 + back[b.index()].0 == distance;
                let expected = if on_a_path { there[a.index()].1 * back[b.index()].1 / all } else { 0.0 };
                prop_assert!((shares[link.index()] - expected).abs() < 1e-12, "{link:?}: {} {expected}", shares[link.index()]);
                prop_assert_eq!(visits[link.index()], i32::from(on_a_path));
            }
        }
    }

    /// One connected path of shortest length, dimensions in their order; half-way round as each kind says.
    #[test]
    fn dimension_order_is_a_shortest_path(shape in machine(), seed: u64) {
        let graph = graph(&shape);
        for kind in [RoutingKind::Dor, RoutingKind::DorSimgrid] {
            let routing = routing(kind, &shape);
            for Flow { from, to, .. } in flows(&shape, 8, seed) {
                let mut links = Vec::new();
                routing.route(from, to, &mut |link, share| links.push((link, share)));
                prop_assert!(links.iter().all(|(_, share)| *share == 1.0));
                let end = links.iter().try_fold(from, |at, (link, _)| {
                    let (start, end) = shape.ends(*link);
                    (start == at).then_some(end)
                });
                prop_assert_eq!(end, Some(to));
                prop_assert_eq!(links.len() as u32, paths(&graph, from)[to.index()].0);
                prop_assert!(links.is_sorted_by_key(|(link, _)| shape.class(*link)));
            }
        }
    }

    /// In bulk, the same as one by one; links that nobody passes get exactly nothing; a class gets bytes times hops, whatever
    /// the routing.
    #[test]
    fn many_flows_add_up(shape in machine(), count in 0_usize..600, seed: u64) {
        let flows = flows(&shape, count, seed);
        let mut by_class = Vec::new();
        for kind in TORUS {
            let routing = routing(kind, &shape);
            let mut expected = vec![0.0; shape.links() as usize];
            for flow in &flows {
                routing.route(flow.from, flow.to, &mut |link, share| expected[link.index()] += flow.bytes * share);
            }
            let mut loads = vec![0.0; shape.links() as usize];
            routing.load(&flows, &mut loads);
            let mut sums = vec![0.0; shape.classes().len()];
            for (link, (load, expected)) in (0..).map(Link).zip(loads.iter().zip(&expected)) {
                prop_assert!((load - expected).abs() < 1e-7, "{kind} {link:?}: {load} {expected}");
                prop_assert_eq!(*load == 0.0, *expected == 0.0);
                sums[shape.class(link)] += load;
            }
            by_class.push(sums);
        }
        let graph = graph(&shape);
        let hops = |flow: &Flow| f64::from(paths(&graph, flow.from)[flow.to.index()].0);
        let bytes_times_hops: f64 = flows.iter().map(|flow| flow.bytes * hops(flow)).sum();
        prop_assert!((by_class[0].iter().sum::<f64>() - bytes_times_hops).abs() < 1e-5);
        for sums in &by_class[1..] {
            prop_assert!(sums.iter().zip(&by_class[0]).all(|(one, other)| (one - other).abs() < 1e-5), "{by_class:?}");
        }
    }
}

#[test]
fn what_is_there_already_is_added_to() {
    let shape: Shape = "4x4".parse().unwrap();
    for (kind, count) in TORUS.into_iter().flat_map(|kind| [(kind, 1), (kind, 100)]) {
        let flows = vec![Flow { from: Element(0), to: Element(1), bytes: 1.0 }; count];
        let mut loads = vec![5.0; shape.links() as usize];
        routing(kind, &shape).load(&flows, &mut loads);
        assert_eq!(loads.iter().sum::<f64>(), 5.0 * f64::from(shape.links()) + count as f64, "{kind}");
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let shape: Shape = "6x4x5".parse().unwrap();
    let flows = flows(&shape, 20_000, 7);
    for kind in TORUS {
        let [one, four] = [1, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut loads = vec![0.0; shape.links() as usize];
            pool.install(|| routing(kind, &shape).load(&flows, &mut loads));
            loads
        });
        assert_eq!(one, four, "{kind}: to the last bit");
    }
}

#[test]
fn half_way_round_each_goes_its_own_way() {
    let shape: Shape = "4".parse().unwrap();
    let ways = |kind, from, to| {
        let mut ways = Vec::new();
        routing(kind, &shape).route(Element(from), Element(to), &mut |link, share| {
            ways.push((shape.direction(link), share));
        });
        ways
    };
    for (from, to) in [(0, 2), (1, 3), (2, 0), (3, 1)] {
        assert_eq!(ways(RoutingKind::Dor, from, to), [("+", 1.0); 2]);
        let simgrid = if from == 2 { "-" } else { "+" };
        assert_eq!(ways(RoutingKind::DorSimgrid, from, to), [(simgrid, 1.0); 2]);
        let mut asp = ways(RoutingKind::Asp, from, to);
        asp.sort_by(|a, b| a.0.cmp(b.0));
        assert_eq!(asp, [("+", 0.5), ("+", 0.5), ("-", 0.5), ("-", 0.5)]);
    }
}

/// On every machine whose patterns are kept, each pair of nodes gets its own links: as many flows as there are pairs.
#[test]
fn kept_patterns_are_shifted_to_where_they_belong() {
    for machine in ["5x4", "mesh:3x4x2", "6x1x3"] {
        let shape: Shape = machine.parse().unwrap();
        let routing = routing(RoutingKind::Asp, &shape);
        let graph = graph(&shape);
        for from in (0..shape.hosts()).map(Element) {
            let there = paths(&graph, from);
            for to in (0..shape.hosts()).map(Element) {
                let back = paths(&graph, to);
                routing.route(from, to, &mut |link, share| {
                    let (a, b) = shape.ends(link);
                    let expected = there[a.index()].1 * back[b.index()].1 / there[to.index()].1;
                    assert_eq!(there[a.index()].0 + 1 + back[b.index()].0, there[to.index()].0, "{machine}");
                    assert!((share - expected).abs() < 1e-12, "{machine}");
                });
            }
        }
    }
}

#[test]
fn long_rings_do_not_overflow() {
    let shape: Shape = "1000x1000".parse().unwrap();
    let mut sum = 0.0;
    routing(RoutingKind::Asp, &shape).route(Element(0), Element(500_500), &mut |_, share| {
        assert!(share.is_finite());
        sum += share;
    });
    assert!((sum - 1000.0).abs() < 1e-9, "{sum}");
}

#[test]
fn names_come_back() {
    for kind in RoutingKind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(kind));
    }
    assert_eq!(
        "adaptive".parse::<RoutingKind>().unwrap_err().to_string(),
        "`adaptive` is not a routing; use dor, dor-simgrid or asp on a torus, d-mod-k or spread on a fat-tree, minimal or \
         valiant on a dragonfly"
    );
}
