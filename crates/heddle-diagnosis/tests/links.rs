//! Slow links, cards and networks that were planted are named; nobody else is.

#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]

mod common;

use common::looked::{Looked, look};
use common::programs::program;
use heddle_diagnosis::finding::FindingKind;
use heddle_diagnosis::suspect::{Group, Suspect};
use heddle_model::LocationId;
use heddle_simulate::{Between, Fault, Machine, MergeTree, MergeTreeOptions, When, Who, simulate};
use heddle_testkit::{Act, Call, Hand};

const PER_NODE: u32 = 8;

fn machine(faults: Vec<Fault>) -> Machine {
    Machine { noise: 0.05, ranks_per_node: PER_NODE, faults, ..Machine::default() }
}

fn run(name: &str, ranks: u32, times: u32, faults: Vec<Fault>) -> Looked {
    look(&simulate(program(name, ranks, times), &machine(faults)).expect("a run"))
}

/// Whether a suspect is what was planted.
fn is_it(name: &str, fault: &Fault, suspect: &Suspect) -> bool {
    let node = |location: LocationId| location.0 / PER_NODE;
    match fault {
        Fault::Link { between: Between::Ranks(a, b), .. } => {
            let ends = [LocationId(*a), LocationId(*b)];
            suspect.kind == FindingKind::SlowLink && suspect.locations == ends
        }
        Fault::Link { between: Between::Nodes(a, b), .. } => {
            let is_between = |(from, to): &(LocationId, LocationId)| {
                [node(*from), node(*to)] == [*a, *b] || [node(*from), node(*to)] == [*b, *a]
            };
            suspect.kind == FindingKind::SlowLink && suspect.pairs.iter().all(is_between)
        }
        Fault::Card { who: Who::Ranks(ranks), .. } => {
            suspect.kind == FindingKind::SlowCard && suspect.locations == [LocationId(ranks[0])]
        }
        // A node that talks to one other only: that may as well be the link between them.
        Fault::Card { who: Who::Nodes(_), .. } if name == "merge-tree" => suspect.kind == FindingKind::SlowLink,
        Fault::Card { who: Who::Nodes(nodes), .. } => {
            let is_node = matches!(suspect.group, Some(Group::Node(_)));
            suspect.kind == FindingKind::SlowCard
                && is_node
                && suspect.locations.iter().all(|location| node(*location) == nodes[0])
        }
        Fault::Network { .. } => suspect.kind == FindingKind::SlowNetwork,
        _ => false,
    }
}

/// Programs with enough rounds that messages can be compared, and two ranks of different nodes that send each other.
const PROGRAMS: [(&str, u32, (u32, u32)); 10] = [
    ("halo", 1, (24, 32)),
    ("ring", 1, (31, 32)),
    ("merge-tree", 6, (0, 32)),
    ("pf3d", 1, (28, 36)),
    ("matmul", 1, (24, 32)),
    ("lu", 1, (26, 34)),
    ("orthogonalise", 1, (24, 32)),
    ("multigrid", 1, (14, 30)),
    ("uniform", 8, (12, 23)),
    ("nearest", 1, (20, 24)),
];

fn faults((a, b): (u32, u32)) -> Vec<Fault> {
    vec![
        Fault::Link { between: Between::Ranks(a, b), factor: 4.0 },
        Fault::Link { between: Between::Ranks(a, b), factor: 10.0 },
        Fault::Link { between: Between::Nodes(a / PER_NODE, b / PER_NODE), factor: 4.0 },
        Fault::Card { who: Who::Ranks(vec![b]), factor: 3.0 },
        Fault::Card { who: Who::Nodes(vec![b / PER_NODE]), factor: 3.0 },
        Fault::Network { factor: 20.0, when: When::default() },
    ]
}

#[test]
fn nine_of_ten_planted_faults_are_named_and_nobody_else_is() {
    let (mut planted, mut named, mut missed) = (0, 0, Vec::new());
    for (name, times, pair) in PROGRAMS {
        let clean = run(name, 64, times, Vec::new()).length;
        for fault in faults(pair) {
            let found = run(name, 64, times, vec![fault.clone()]);
            for suspect in &found.suspects {
                assert!(is_it(name, &fault, suspect), "{name}, {fault:?}: {suspect:#?}");
            }
            // What makes a run hardly longer need not be said.
            if (found.length as f64) < 1.01 * clean as f64 {
                continue;
            }
            planted += 1;
            if found.suspects.is_empty() {
                missed.push((name, fault));
            } else {
                named += 1;
            }
        }
    }
    assert!(planted >= 40, "{planted}");
    assert!(10 * named >= 9 * planted, "{named} of {planted}; missed: {missed:#?}");
}

/// A slow card spreads its own messages so far that, of all of their length, they alone have nothing just before them.
#[test]
fn a_card_that_sends_to_many_in_turn_is_named() {
    let options = MergeTreeOptions { ranks: 128, rounds: 12, ..MergeTreeOptions::default() };
    let program = || MergeTree::new(&options).expect("a program");
    for node in [0, 4] {
        let faults = vec![Fault::Card { who: Who::Nodes(vec![node]), factor: 10.0 }];
        let machine = Machine { ranks_per_node: 16, faults, ..Machine::default() };
        let found = look(&simulate(program(), &machine).expect("a run"));
        let [card] = found.suspects.as_slice() else { panic!("node {node}: {:#?}", found.suspects) };
        assert!(card.kind == FindingKind::SlowCard && matches!(card.group, Some(Group::Node(_))), "{card:#?}");
        assert!(card.locations.iter().all(|location| location.0 / 16 == node), "{card:#?}");
        assert!((8.0..11.0).contains(&card.factor()), "{}", card.factor());
    }
}

#[test]
fn a_slow_link_is_measured_and_the_run_without_it_is_the_clean_one() {
    for (name, pair, factor, within) in
        [("pf3d", (28, 36), 10.0, 0.1), ("ring", (31, 32), 10.0, 0.4), ("uniform", (5, 12), 10.0, 0.1)]
    {
        let ranks = if name == "uniform" { 16 } else { 64 };
        let clean = run(name, ranks, 1, Vec::new()).length as f64;
        let fault = Fault::Link { between: Between::Ranks(pair.0, pair.1), factor };
        let found = run(name, ranks, 1, vec![fault]);
        let suspect = &found.suspects[0];
        // What a processor is busy with a message is part of the time, and no slower.
        assert!((suspect.factor() / factor - 1.0).abs() < within, "{name}: {}", suspect.factor());
        assert!(suspect.is_throughout && suspect.slow_visits == suspect.visits, "{name}: {suspect:#?}");
        let (slow, without) = (found.length as f64, found.without[0] as f64);
        assert!((without - clean).abs() < 0.25 * (slow - clean), "{name}: {clean} {slow} {without}");
    }
}

#[test]
fn a_network_that_becomes_slow_is_slow_since_then() {
    for name in ["halo", "nearest", "uniform", "train"] {
        let clean = run(name, 64, 1, Vec::new()).length;
        let from_ns = clean as u64 / 2;
        let fault = Fault::Network { factor: 10.0, when: When { from_ns, until_ns: None } };
        let found = run(name, 64, 1, vec![fault]);
        let [suspect] = found.suspects.as_slice() else { panic!("{name}: {:#?}", found.suspects) };
        assert_eq!((suspect.kind, suspect.is_throughout), (FindingKind::SlowNetwork, false), "{name}");
        let off = (suspect.since.0 - from_ns as i64).abs();
        assert!(off < found.length / 8, "{name}: since {} instead of {from_ns}", suspect.since.0);
        let gained = (found.length - found.without[0]) as f64 / (found.length - clean) as f64;
        assert!((0.85..1.02).contains(&gained), "{name}: {clean} {} {}", found.length, found.without[0]);
        // Sums that do not block queue behind each other.
        let most = if name == "train" { 60.0 } else { 11.0 };
        assert!((6.0..most).contains(&suspect.factor()), "{name}: {}", suspect.factor());
    }
}

/// A run on four nodes of four ranks.
fn on_four_nodes(name: &str, faults: Vec<Fault>) -> Looked {
    let machine = Machine { noise: 0.02, ranks_per_node: 4, faults, ..Machine::default() };
    look(&simulate(program(name, 16, 1), &machine).expect("a run"))
}

#[test]
fn a_card_is_named_where_half_of_all_pairs_end_at_it_and_costs_what_collectives_take() {
    // Most of what the program communicates are large sums; of four nodes in a ring every card is at the end of half the pairs.
    let clean = on_four_nodes("inverse", Vec::new()).length;
    for node in 0..4 {
        let found = on_four_nodes("inverse", vec![Fault::Card { who: Who::Nodes(vec![node]), factor: 10.0 }]);
        let [suspect] = found.suspects.as_slice() else { panic!("{node}: {:#?}", found.suspects) };
        let its: Vec<LocationId> = (4 * node..4 * node + 4).map(LocationId).collect();
        assert_eq!((suspect.kind, &suspect.locations), (FindingKind::SlowCard, &its));
        let gained = (found.length - found.without[0]) as f64 / (found.length - clean) as f64;
        assert!((0.3..1.05).contains(&gained), "{node}: {clean} {} {}", found.length, found.without[0]);
    }
}

#[test]
fn a_card_with_one_partner_on_its_node_and_one_on_another_is_no_link() {
    for rank in [3, 4, 9] {
        let found = on_four_nodes("ring", vec![Fault::Card { who: Who::Ranks(vec![rank]), factor: 10.0 }]);
        let [suspect] = found.suspects.as_slice() else { panic!("{rank}: {:#?}", found.suspects) };
        assert_eq!(
            (suspect.kind, suspect.locations.as_slice()),
            (FindingKind::SlowCard, [LocationId(rank)].as_slice())
        );
    }
}

#[test]
fn nothing_depends_on_the_number_of_threads() {
    let look_with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| run("multigrid", 64, 1, faults((14, 30))[2..5].to_vec()))
    };
    let (one, four) = (look_with(1), look_with(4));
    assert!(!one.suspects.is_empty());
    assert_eq!((one.suspects, one.network, one.clocks), (four.suspects, four.network, four.clocks));
}

/// Six ranks in a ring that all send at the same times, in so many rounds; `arrives` says how long a message takes.
fn ring(rounds: i64, arrives: impl Fn(u32, i64) -> i64, shift: impl Fn(u32) -> i64) -> Hand {
    let rank = |rank: u32| {
        let before = (rank + 5) % 6;
        let of_round = |round: i64| {
            let at = round * 100_000 + shift(rank);
            let end = round * 100_000 + 30_000 + arrives(before, round) + shift(rank);
            [
                Call("work", at, at + 20_000, Vec::new()),
                Call("MPI_Irecv", at + 29_000, at + 29_400, vec![Act::Post(round as u64)]),
                Call("MPI_Send", at + 30_000, at + 30_400, vec![Act::Send((rank + 1) % 6, 0)]),
                Call("MPI_Wait", at + 31_000, end, vec![Act::Complete(before, 0, round as u64)]),
            ]
        };
        (0..rounds).flat_map(of_round).collect()
    };
    Hand::new((0..6).map(rank).collect())
}

#[test]
fn one_pair_of_six_is_slow_from_some_round_on() {
    let arrives = |sender: u32, round: i64| if sender == 2 && round >= 20 { 24_000 } else { 6_000 };
    let found = look(&ring(40, arrives, |_| 0).source());
    let [suspect] = found.suspects.as_slice() else { panic!("{:#?}", found.suspects) };
    assert_eq!(suspect.pairs, [(LocationId(2), LocationId(3))]);
    assert_eq!((suspect.found, suspect.slow_visits, suspect.visits), (24_000.0, 20, 40));
    assert!((suspect.usual / 6_000.0 - 1.0).abs() < 0.02 && !suspect.is_throughout, "{suspect:#?}");
    assert_eq!(suspect.since.0, 2_030_000, "when the first slow one was sent");
    let excess = suspect.excess() as f64;
    assert!((excess / (20.0 * 18_000.0) - 1.0).abs() < 0.02, "{excess}");
}

#[test]
fn a_shifted_clock_makes_one_direction_longer_and_the_other_shorter() {
    // Rank 3 shows times that are 12 µs too late: what it receives seems slow, what it sends seems early.
    let found = look(&ring(40, |_, _| 18_000, |rank| if rank == 3 { 12_000 } else { 0 }).source());
    assert!(found.suspects.is_empty(), "{:#?}", found.suspects);
    assert_eq!(found.clocks.violations, 0);
}

#[test]
fn of_messages_that_come_together_nobody_says_which_was_late() {
    // Rank 0 waits for all others at once; in half of the rounds one of them is late, and the recorder does not say which.
    let gathers = |round: i64| {
        let at = round * 100_000;
        let late = if round % 2 == 0 { 40_000 } else { 6_000 };
        let posts = (1..6u64).map(|sender| Act::Post(sender + 10 * round as u64)).collect();
        let ends = (1..6).map(|sender| Act::Complete(sender, 0, u64::from(sender) + 10 * round as u64)).collect();
        [
            Call("MPI_Irecv", at, at + 400, posts),
            Call("MPI_Waitall", at + 1_000, at + 30_000 + late, ends),
            Call("MPI_Send", at + 80_000, at + 80_400, (1..6).map(|to| Act::Send(to, 1)).collect()),
        ]
    };
    let sends = |round: i64| {
        let at = round * 100_000;
        [
            Call("MPI_Send", at + 30_000, at + 30_400, vec![Act::Send(0, 0)]),
            Call("MPI_Recv", at + 75_000, at + 86_000, vec![Act::Recv(0, 1)]),
        ]
    };
    let mut ranks = vec![(0..40).flat_map(gathers).collect::<Vec<_>>()];
    ranks.extend((1..6).map(|_| (0..40).flat_map(sends).collect::<Vec<_>>()));
    let found = look(&Hand::new(ranks).source());
    assert!(found.suspects.is_empty(), "{:#?}", found.suspects);
}
