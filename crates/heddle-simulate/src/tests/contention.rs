//! Machines whose messages share links: cases done by hand, what the literature saw, and that nothing depends on chance.
//!
//! By hand the machine is [`plain`], L = 1000, o = 100, g = 50, G = 1, eager up to 500 bytes, on a ring of four nodes whose links carry
//! a byte per nanosecond.

use proptest::prelude::*;

use super::script::{Script, WORLD, plain};
use super::*;

fn interconnect(shape: &str, mapping: &str) -> Interconnect {
    Interconnect { seats: Seats::Rule(mapping.parse().unwrap()), ..Interconnect::new(shape.parse().unwrap()) }
}

/// On a ring of four nodes.
fn ring_of_four(ranks_per_node: u32) -> Machine {
    Machine { ranks_per_node, interconnect: Some(interconnect("4", "block")), ..plain() }
}

/// When the ranks from `first` on have received a message of so many bytes that those before them sent, counted from when all
/// began.
fn received(machine: &Machine, first: u32, bytes: u64) -> Vec<i64> {
    let script = Script::new(2 * first, |rank, ops| {
        if rank < first {
            ops.send(rank + first, 0, bytes, WORLD);
        } else {
            ops.recv(rank - first, 0, bytes, WORLD);
        }
    });
    let trace = script.simulate(machine).unwrap();
    let start = stays(&trace, 0, "MPI_Init")[0].1;
    (first..2 * first).map(|rank| stays(&trace, rank, "MPI_Recv")[0].1 - start).collect()
}

#[test]
fn messages_on_one_link_wait_for_each_other() {
    // Ranks 0 and 1 of one node send to 2 and 3 of the next: both on the wire at 100, 400 bytes each. The first is through the
    // link at 500, the second at 900; there after 1000, received after 100.
    assert_eq!(received(&ring_of_four(2), 2, 400), [1_600, 2_000]);
    // By rendezvous the data follows 2L later. A message of up to 8192 bytes is one piece.
    assert_eq!(received(&ring_of_four(2), 2, 600), [3_800, 4_400]);
    // Longer ones take turns: 8192 of the first, 8192 of the second, the rest of each.
    assert_eq!(received(&ring_of_four(2), 2, 10_000), [2_100 + 18_192 + 1_100, 2_100 + 20_000 + 1_100]);
}

#[test]
fn messages_on_different_links_or_none_do_not() {
    // Rank 1 is on the other side: one goes to the right, one to the left.
    let mut machine = ring_of_four(2);
    machine.interconnect = Some(interconnect("4", "round-robin"));
    let script = Script::new(8, |rank, ops| match rank {
        0 => ops.send(1, 0, 400, WORLD),
        4 => ops.send(3, 0, 400, WORLD),
        1 => ops.recv(0, 0, 400, WORLD),
        3 => ops.recv(4, 0, 400, WORLD),
        _ => {}
    });
    let trace = script.simulate(&machine).unwrap();
    let start = stays(&trace, 0, "MPI_Init")[0].1;
    assert_eq!([1, 3].map(|rank| stays(&trace, rank, "MPI_Recv")[0].1 - start), [1_600, 1_600]);
    // On one node no link is in the way.
    assert_eq!(received(&ring_of_four(8), 4, 400), [1_600; 4]);
    // Unless the node cannot put more on the network: 400 bytes take 800.
    if let Some(interconnect) = &mut machine.interconnect {
        interconnect.injection_bandwidth = Some(0.5);
    }
    let trace = Script::new(8, |rank, ops| match rank {
        0 | 4 => ops.send(if rank == 0 { 1 } else { 3 }, 0, 400, WORLD),
        1 | 3 => ops.recv(if rank == 1 { 0 } else { 4 }, 0, 400, WORLD),
        _ => {}
    });
    let trace = trace.simulate(&machine).unwrap();
    assert_eq!([1, 3].map(|rank| stays(&trace, rank, "MPI_Recv")[0].1 - start), [2_000, 2_800]);
}

#[test]
fn messages_of_collectives_meet_on_links_too() {
    // All to all on four nodes of one rank, by one link each way between neighbours: half-way round goes up. Link 0 to 1 carries the
    // messages from 0 to 1, from 0 to 2 and from 3 to 1.
    let op = Collective { kind: CollectiveKind::Alltoall, algorithm: Algorithm::Direct, root: 0, bytes: 1_000 };
    let end = |machine: &Machine| {
        let trace = Script::new(4, |_, ops| ops.collective(op, WORLD)).simulate(machine).unwrap();
        let (start, end) = stays(&trace, 0, "MPI_Alltoall")[0];
        end - start
    };
    // Alone: the third message leaves its card at 2100, is there at 4100 and received at 4200, as on a machine without links.
    assert_eq!(end(&plain()), 4_200);
    let fast = |bandwidth| {
        let links = Interconnect { link_bandwidth: Some(bandwidth), ..interconnect("4", "block") };
        Machine { ranks_per_node: 1, interconnect: Some(links), ..plain() }
    };
    assert_eq!(end(&fast(1e6)), 4_200);
    // A link that carries 3000 bytes at a quarter of a byte per nanosecond takes 12 µs.
    assert!((13_100..13_500).contains(&end(&fast(0.25))), "{}", end(&fast(0.25)));
}

#[test]
fn receives_meet_messages_in_the_order_of_sends() {
    // A long eager message, then a short one, then a rendezvous with the same tag: whoever is through first, they meet in order.
    let machine = Machine { network: LogGp { eager_bytes: 100_000, ..plain().network }, ..ring_of_four(1) };
    let lengths = [100_000, 8, 100_001];
    let script = Script::new(2, |rank, ops| {
        for bytes in lengths {
            if rank == 0 { ops.isend(1, 0, bytes, WORLD) } else { ops.irecv(0, 0, bytes, WORLD) }
        }
        ops.waitall();
    });
    let trace = script.simulate(&machine).unwrap();
    random::check_messages(&trace);
}

#[test]
fn a_mapping_that_does_not_fit_is_told_in_words() {
    let error = |machine: Machine| halo(&HaloOptions::default(), &machine).unwrap_err().to_string();
    assert_eq!(error(ring_of_four(2)), "64 ranks do not fit: 4 nodes with 2 ranks each hold 8");
    let place = |shape: &str, ranks| {
        let (shape, mapping): (heddle_topology::Shape, heddle_topology::Mapping) =
            (shape.parse().unwrap(), "block".parse().unwrap());
        Seats::Listed(mapping.place(&shape, ranks, 16).unwrap().into())
    };
    let listed = |seats| {
        let links = Interconnect { seats, ..interconnect("4", "block") };
        Machine { interconnect: Some(links), ..plain() }
    };
    assert_eq!(error(listed(place("4", 63))), "the mapping places 63 ranks, but the program has 64");
    assert_eq!(error(listed(place("5", 64))), "the mapping is for 5 nodes, but the machine has 4");
    let mut machine = ring_of_four(16);
    machine.slow_nodes = vec![4];
    assert_eq!(error(machine.clone()), "slow node 4 does not exist: the last of 4 nodes is 3");
    machine.slow_nodes.clear();
    if let Some(links) = &mut machine.interconnect {
        links.link_bandwidth = Some(0.0);
    }
    assert_eq!(error(machine), "link bandwidth is 0; it must be from 0.000000001 to 1000000000");
}

#[test]
fn who_waits_for_whom_is_told_as_without_links() {
    let barrier =
        Collective { kind: CollectiveKind::Barrier, algorithm: Algorithm::RecursiveDoubling, root: 0, bytes: 0 };
    let scripts = [
        Script::new(4, |rank, ops| ops.recv((rank + 1) % 4, 0, 8, WORLD)),
        Script::new(4, |rank, ops| ops.send((rank + 1) % 4, 0, 5_000, WORLD)),
        Script::new(4, |rank, ops| {
            if rank != 2 {
                ops.collective(barrier, WORLD);
            }
        }),
        Script::new(4, |rank, ops| {
            if rank == 0 {
                ops.send(1, 0, 8, WORLD);
            }
        }),
        Script::new(4, |rank, ops| match rank {
            0 => ops.send(1, 0, 8, WORLD),
            1 => ops.recv(0, 0, 9, WORLD),
            _ => {}
        }),
    ];
    for script in scripts {
        let [without, with] = [plain(), ring_of_four(1)].map(|machine| script.clone().simulate(&machine).unwrap_err());
        assert_eq!(without, with);
    }
}

#[test]
fn nothing_overflows_on_the_slowest_links() {
    let links = Interconnect { link_bandwidth: Some(1e-9), ..interconnect("4", "block") };
    let machine = Machine { ranks_per_node: 1, interconnect: Some(links), ..plain() };
    let script =
        Script::new(
            2,
            |rank, ops| {
                if rank == 0 { ops.send(1, 0, 1 << 40, WORLD) } else { ops.recv(0, 0, 1 << 40, WORLD) }
            },
        );
    assert_eq!(script.simulate(&machine).unwrap_err(), SimulateError::TooLong);
}

#[test]
fn nodes_are_called_by_their_coordinates() {
    let machine = Machine {
        ranks_per_node: 1,
        slow_nodes: vec![3],
        slow_factor: 3.0,
        interconnect: Some(interconnect("2x3", "XYT")),
        ..plain()
    };
    let trace = Script::new(5, |_, ops| ops.compute(script::WORK, 100)).simulate(&machine).unwrap();
    let definitions = trace.definitions();
    let node_of = |rank: usize| {
        let process = definitions.locations[rank].parent.unwrap();
        let node = definitions.system_tree[process.0 as usize].parent.unwrap();
        definitions.system_tree[node.0 as usize].name.clone()
    };
    assert_eq!([0, 1, 2, 4].map(node_of), ["node (0,0)", "node (1,0)", "node (0,1)", "node (0,2)"]);
    let worked = [2, 3].map(|rank| stays(&trace, rank, "work")[0]).map(|(start, end)| end - start);
    assert_eq!(worked, [100, 300], "the fourth node is slow");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_message_alone_takes_what_loggp_says(
        (from, to) in (0..24_u32, 0..24_u32),
        bytes in prop_oneof![0..2_000_u64, 0..3_000_000_u64],
        routing in prop::sample::select(vec!["dor", "dor-simgrid", "asp"]),
        eager_bytes in prop::sample::select(vec![0, u64::MAX]),
        gap_per_byte in prop::sample::select(vec![0.08, 0.7, 1.0]),
    ) {
        prop_assume!(from != to);
        let network = LogGp { gap_per_byte, eager_bytes, ..plain().network };
        let without = Machine { network, ..plain() };
        let links = Interconnect { routing: routing.parse().unwrap(), ..interconnect("3x4", "XYT") };
        let with = Machine { ranks_per_node: 2, interconnect: Some(links), ..without.clone() };
        let script = Script::new(24, |rank, ops| {
            if rank == from {
                ops.send(to, 0, bytes, WORLD);
            } else if rank == to {
                ops.recv(from, 0, bytes, WORLD);
            }
        });
        let [alone, linked] = [without, with].map(|machine| all_records(&script.clone().simulate(&machine).unwrap()));
        prop_assert_eq!(alone, linked);
    }
}

fn pf3d(options: &Pf3dOptions, links: Interconnect, ranks_per_node: u32) -> Simulation {
    let machine = Machine { ranks_per_node, interconnect: Some(links), ..Machine::default() };
    simulate(Pf3d::new(options).unwrap(), &machine).unwrap()
}

/// When the last rank has ended.
fn end(trace: &Simulation) -> i64 {
    let ranks = trace.program().info().ranks;
    (0..ranks).map(|rank| stays(trace, rank, "MPI_Finalize")[0].0).max().unwrap()
}

/// Landge et al. 2012, Table 1: time per iteration 1886.76 s for TXYZ, 1731.99 for XYZT, and 1702.48 to 1708.48 for the other three. So it
/// is here: XYZT comes next, and the other three are too close to each other to tell. Links of 425 MB/s, as on Blue Gene/P.
#[test]
fn the_default_mapping_of_pf3d_is_the_slowest_of_five() {
    let options = Pf3dOptions { ranks: 2_048, part: Pf3dPart::Fft, steps: 1, ..Pf3dOptions::default() };
    for routing in ["dor", "asp"] {
        let time = |mapping: &str| {
            let routing = routing.parse().unwrap();
            let links = Interconnect { routing, link_bandwidth: Some(0.425), ..interconnect("8x8x8", mapping) };
            end(&pf3d(&options, links, 4))
        };
        let default = time("TXYZ");
        for mapping in ["XYZT", "tile", "tiltZ", "tiltZY"] {
            let other = time(mapping);
            assert!(100 * default > 105 * other, "{routing} {mapping}: {other} ns instead of {default}");
        }
    }
}

/// Isaacs et al. 2014, section 5.2: one rank to each node in turn was 1.25 to 2.5 times as fast as filling node by node, on Blue
/// Gene/Q, whose links carry 2 GB/s. (At 32,768 ranks on 4x4x8x8x2 as well: see `docs/command-line.md`.)
#[test]
fn neighbours_of_pf3d_are_faster_when_ranks_are_dealt_to_the_nodes() {
    for (ranks, shape, steps, default, dealt) in [
        (1_024, "2x2x4x2x2", 2, "ABCDET", "TABCDE"),
        (1_024, "2x2x4x2x2", 2, "block", "round-robin"),
        (8_192, "4x4x4x4x2", 1, "ABCDET", "TABCDE"),
    ] {
        let options = Pf3dOptions { ranks, steps, compute_ns: 0, ..Pf3dOptions::default() };
        let time = |mapping: &str| {
            let links = Interconnect { link_bandwidth: Some(2.0), ..interconnect(shape, mapping) };
            end(&pf3d(&options, links, 16)) as f64
        };
        let ratio = time(default) / time(dealt);
        assert!((1.25..2.5).contains(&ratio), "{ranks} ranks, {default} against {dealt}: {ratio}");
    }
}

#[test]
fn threads_change_nothing_on_shared_links() {
    let options = Pf3dOptions { ranks: 512, part: Pf3dPart::Both, steps: 2, ..Pf3dOptions::default() };
    let with_threads = |count| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
        pool.install(|| all_records(&pf3d(&options, interconnect("4x4x4", "TXYZ"), 8)))
    };
    assert!(with_threads(1) == with_threads(4));
}

/// Every rank on a node of its own, and messages that take longer than anything else.
fn traffic(program: impl Program + 'static, shape: &str, routing: &str) -> i64 {
    let links =
        Interconnect { routing: routing.parse().unwrap(), link_bandwidth: Some(1.0), ..interconnect(shape, "block") };
    let machine = Machine { ranks_per_node: 1, noise: 0.0, interconnect: Some(links), ..Machine::default() };
    end(&simulate(program, &machine).unwrap())
}

fn uniform(ranks: u32) -> Uniform {
    Uniform::new(&UniformOptions { ranks, rounds: 6, bytes: 1 << 20, compute_ns: 0, ..UniformOptions::default() })
        .unwrap()
}

fn nearest(ranks: u32) -> Nearest {
    Nearest::new(&NearestOptions { ranks, rounds: 2, bytes: 1 << 19, compute_ns: 0, ..NearestOptions::default() })
        .unwrap()
}

/// Where every switch has half as many ways up as down, uniform traffic takes longer, as all of it goes through the top; what stays
/// near has room.
#[test]
fn a_tapered_tree_slows_uniform_traffic_more_than_that_of_neighbours() {
    let [full, tapered] = ["fat-tree:4x4x4", "fat-tree:4x4x4;1x2x2"];
    let slower = |time: fn(&str) -> i64| time(tapered) as f64 / time(full) as f64;
    let uniform = slower(|shape| traffic(uniform(64), shape, "spread"));
    let nearest = slower(|shape| traffic(nearest(64), shape, "spread"));
    assert!(uniform > 1.5, "uniform traffic takes {uniform} times as long");
    assert!(nearest < uniform - 0.2, "that of neighbours {nearest} times");
}

/// A permutation has each receiver once, but by the receiver's number several senders of a switch take the same way up.
#[test]
fn spread_over_all_ways_up_is_faster_than_one_by_the_receivers_number() {
    let time = |routing| traffic(uniform(64), "fat-tree:4x4x4", routing);
    let (fixed, spread) = (time("d-mod-k"), time("spread"));
    assert!(100 * spread < 90 * fixed, "{spread} ns instead of {fixed}");
}

/// All routers of a group send to the next group, which one cable leads to: the worst case of a dragonfly, and what ways round by a third
/// group are for.
#[test]
fn ways_by_a_third_group_help_where_one_group_sends_to_one() {
    let to_next_group = || {
        Script::new(72, |rank, ops| {
            ops.irecv((rank + 64) % 72, 0, 1 << 20, WORLD);
            ops.isend((rank + 8) % 72, 0, 1 << 20, WORLD);
            ops.waitall();
        })
    };
    let time = |routing: &str| {
        let links = Interconnect {
            routing: routing.parse().unwrap(),
            link_bandwidth: Some(1.0),
            ..interconnect("dragonfly:9x4x2:1", "block")
        };
        let machine = Machine { ranks_per_node: 1, interconnect: Some(links), ..plain() };
        end(&to_next_group().simulate(&machine).unwrap())
    };
    let (minimal, valiant) = (time("minimal"), time("valiant"));
    // Eight nodes share one cable; by third groups they have seven, at the price of a way through more links.
    assert!(2 * valiant < minimal, "{valiant} ns instead of {minimal}");
}

#[test]
fn parts_that_no_cable_joins_are_refused() {
    use heddle_topology::fat_tree::{Cabling, End};
    let names = |what: &str| (0..2).map(|at| format!("{what}{at}")).collect();
    let cables = (0..2).map(|at| (End::Host(at), End::Switch(at))).collect();
    let cabling = Cabling { hosts: names("h"), switches: names("s"), cables, ..Cabling::default() };
    let shape = heddle_topology::Shape::FatTree(heddle_topology::FatTree::from_cabling(cabling).unwrap());
    let machine = Machine { ranks_per_node: 1, interconnect: Some(Interconnect::new(shape)), ..plain() };
    let error = Script::new(2, |_, _| {}).simulate(&machine).unwrap_err().to_string();
    assert!(error.starts_with("no cable joins the parts of the machine that ranks 0 and 1 sit on"), "{error}");
}
