//! What holds for every routing of every machine: routes connect their ends, nothing is lost on the way, and sums are sums.

use super::*;
use crate::fat_tree::{Cabling, End};
use crate::{Dragonfly, FatTree};

/// A tree by rule: tapered, widened, with parallel cables and nodes on several switches.
fn tree() -> impl Strategy<Value = Shape> {
    let layer = (1_u32..=4, 1_u32..=3, 1_u32..=3);
    prop::collection::vec(layer, 1..=3).prop_map(|layers| {
        let list = |of: fn(&(u32, u32, u32)) -> u32| layers.iter().map(of).collect::<Vec<_>>();
        let rule = crate::fat_tree::Xgft::with(list(|of| of.0), list(|of| of.1), list(|of| of.2));
        Shape::FatTree(FatTree::new(rule).unwrap())
    })
}

/// A fabric that follows no rule: hosts on one or two switches, switches joined at random, some not at all.
fn fabric() -> impl Strategy<Value = Shape> {
    (1_usize..=12, 1_usize..=8, 0_usize..=16, any::<u64>()).prop_map(|(hosts, switches, cables, seed)| {
        let mut chance = Chance(seed);
        let mut switch = || End::Switch(chance.below(switches) as u32);
        let mut joined: Vec<(End, End)> = (0..hosts as u32).map(|host| (End::Host(host), switch())).collect();
        joined.extend((0..hosts as u32 / 3).map(|host| (End::Host(host), switch())));
        joined.extend((0..cables).map(|_| (switch(), switch())));
        // Every switch has a host, so that none is idle.
        joined.extend((0..switches as u32).map(|at| (End::Switch(at), End::Host(at % hosts as u32))));
        let names = |what: &str, count: usize| (0..count).map(|at| format!("{what}{at}")).collect();
        let (hosts, switches) = (names("h", hosts), names("s", switches));
        let cabling = Cabling { hosts, switches, cables: joined, ..Cabling::default() };
        Shape::FatTree(FatTree::from_cabling(cabling).unwrap())
    })
}

fn dragonfly() -> impl Strategy<Value = Shape> {
    (1_u32..=5, 1_u32..=3, 1_u32..=4, 1_u32..=3, 1_u32..=3).prop_map(|(groups, rows, columns, nodes, global)| {
        let plan = format!("{groups}x{rows}x{columns}x{nodes}:{global}").parse().unwrap();
        Shape::Dragonfly(Dragonfly::new(plan).unwrap())
    })
}

fn any_machine() -> impl Strategy<Value = Shape> {
    prop_oneof![machine(), tree(), fabric(), dragonfly()]
}

/// Each link of a route once, with its share.
fn shares(routing: &dyn Routing, from: Element, to: Element) -> Vec<(Link, f64)> {
    let mut shares: Vec<(Link, f64)> = Vec::new();
    routing.route(from, to, &mut |link, share| {
        assert!(shares.iter().all(|(known, _)| *known != link), "{link:?} twice");
        shares.push((link, share));
    });
    shares
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// As much leaves every element as enters it, but for the ends, and a path is part of the route. What cannot be reached has
    /// neither.
    #[test]
    fn routes_connect_their_ends(shape in any_machine(), seed: u64) {
        for kind in RoutingKind::of(&shape) {
            let routing = routing(*kind, &shape);
            for Flow { from, to, .. } in flows(&shape, 8, seed) {
                let shares = shares(&*routing, from, to);
                let mut balance = vec![0.0; shape.elements() as usize];
                for (link, share) in &shares {
                    prop_assert!(*share > 0.0 && *share <= 1.0 + 1e-12, "{share}");
                    let (start, end) = shape.ends(*link);
                    balance[start.index()] -= share;
                    balance[end.index()] += share;
                }
                let path = routing.path(from, to, seed);
                prop_assert_eq!(path.is_empty(), shares.is_empty());
                if !shares.is_empty() {
                    balance[from.index()] += 1.0;
                    balance[to.index()] -= 1.0;
                    let end = path.iter().try_fold(from, |at, link| {
                        let (start, end) = shape.ends(*link);
                        (start == at).then_some(end)
                    });
                    prop_assert_eq!(end, Some(to));
                }
                prop_assert!(balance.iter().all(|rest| rest.abs() < 1e-9), "{kind}: {balance:?}");
                prop_assert!(path.iter().all(|link| shares.iter().any(|(known, _)| known == link)));
                if shares.iter().all(|(_, share)| *share == 1.0) {
                    prop_assert!(path.iter().eq(shares.iter().map(|(link, _)| link)), "in the order of travel");
                }
            }
        }
    }

    /// Only what is not connected has no route; hosts pass nothing on.
    #[test]
    fn what_is_connected_is_reached_by_a_shortest_path(shape in fabric(), seed: u64) {
        let graph = graph(&shape);
        for from in (0..shape.hosts()).map(Element) {
            let mut without_hosts = graph.clone();
            for host in (0..shape.hosts()).map(Element).filter(|host| *host != from) {
                without_hosts[host.index()].clear();
            }
            let there = paths(&without_hosts, from);
            for to in (0..shape.hosts()).map(Element).filter(|to| *to != from) {
                let distance = there[to.index()].0;
                for kind in [RoutingKind::DModK, RoutingKind::Spread] {
                    let path = routing(kind, &shape).path(from, to, seed);
                    prop_assert_eq!(path.len() as u32, if distance == u32::MAX { 0 } else { distance });
                }
            }
        }
    }

    /// In bulk, the same as one by one; links that nobody passes get exactly nothing.
    #[test]
    fn loads_are_the_sums_of_routes(shape in any_machine(), count in 0_usize..300, seed: u64) {
        let flows = flows(&shape, count, seed);
        for kind in RoutingKind::of(&shape) {
            let routing = routing(*kind, &shape);
            let mut expected = vec![0.0; shape.links() as usize];
            for flow in &flows {
                routing.route(flow.from, flow.to, &mut |link, share| expected[link.index()] += flow.bytes * share);
            }
            let mut loads = vec![0.0; shape.links() as usize];
            routing.load(&flows, &mut loads);
            for (link, (load, expected)) in (0..).map(Link).zip(loads.iter().zip(&expected)) {
                prop_assert!((load - expected).abs() < 1e-7, "{kind} {link:?}: {load} {expected}");
                prop_assert_eq!(*load == 0.0, *expected == 0.0, "{} {:?}: {} {}", kind, link, load, expected);
            }
        }
    }

    /// What every host sends to every other, the same as flow by flow.
    #[test]
    fn all_pairs_are_the_sum_of_pairs(shape in any_machine(), are_alike: bool, seed: u64) {
        let mut chance = Chance(seed);
        let weights: Vec<f64> =
            (0..shape.hosts()).map(|_| if are_alike { 3.0 } else { chance.below(4) as f64 }).collect();
        let hosts = || (0..).map(Element).zip(&weights);
        let pairs = hosts().flat_map(|(from, sent)| hosts().map(move |(to, got)| Flow { from, to, bytes: sent * got }));
        let flows: Vec<Flow> = pairs.filter(|flow| flow.from != flow.to && flow.bytes > 0.0).collect();
        for kind in RoutingKind::of(&shape) {
            let routing = routing(*kind, &shape);
            let [mut expected, mut loads] = [(); 2].map(|()| vec![0.0; shape.links() as usize]);
            routing.load(&flows, &mut expected);
            routing.load_all_pairs(&weights, &mut loads);
            for (link, (load, expected)) in (0..).map(Link).zip(loads.iter().zip(&expected)) {
                prop_assert!((load - expected).abs() < 1e-6, "{kind} {link:?}: {load} {expected}");
                prop_assert_eq!(*load == 0.0, *expected == 0.0, "{} {:?}: {} {}", kind, link, load, expected);
            }
        }
    }

    /// A tree by rule routes the same whether its rule is known or not.
    #[test]
    fn distances_lead_where_the_rule_does(shape in tree(), seed: u64) {
        let tree = shape.fat_tree().unwrap();
        for choice in [up_down::Choice::ByReceiver, up_down::Choice::All] {
            let by_rule = up_down::ByRule::new(tree.rule().unwrap(), choice);
            let by_distance = up_down::ByDistance::new(tree.clone(), choice);
            for Flow { from, to, .. } in flows(&shape, 16, seed) {
                let (mut one, mut other) = (shares(&by_rule, from, to), shares(&by_distance, from, to));
                if choice == up_down::Choice::All {
                    one.sort_by_key(|(link, _)| *link);
                    other.sort_by_key(|(link, _)| *link);
                }
                prop_assert_eq!(one.len(), other.len());
                for ((one, share), (other, equal)) in one.iter().zip(&other) {
                    prop_assert_eq!(one, other, "{}", &shape);
                    prop_assert!((share - equal).abs() < 1e-12);
                }
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter_on_any_machine() {
    let hosts = |count| (0..count).map(|at| format!("h{at}")).collect();
    let switches = (0..5).map(|at| format!("s{at}")).collect();
    let mut cables: Vec<(End, End)> = (0..40).map(|at| (End::Host(at), End::Switch(at % 5))).collect();
    cables.extend((0..5).map(|at| (End::Switch(at), End::Switch((at + 1) % 5))));
    let ring = FatTree::from_cabling(Cabling { hosts: hosts(40), switches, cables, ..Cabling::default() }).unwrap();
    for shape in [Shape::FatTree(ring), "fat-tree:4^3".parse().unwrap(), "dragonfly:5x2x4x2:3".parse().unwrap()] {
        let flows = flows(&shape, 20_000, 7);
        for kind in RoutingKind::of(&shape) {
            let [one, four] = [1, 4].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut loads = vec![0.0; shape.links() as usize];
                pool.install(|| routing(*kind, &shape).load(&flows, &mut loads));
                loads
            });
            assert_eq!(one, four, "{kind}: to the last bit");
        }
    }
}
