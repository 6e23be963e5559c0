//! Patterns of messages, written by hand and by chance.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![allow(dead_code, reason = "test programs share helpers")]

mod common;

use std::ops::Range;

use common::ops::{Op, pattern_of, renamed, store_of, store_of_program};
use heddle_logical::cluster::{ClusterOptions, Clusters, Scope};
use heddle_logical::pattern::{Flavour, Pattern, Received, Tree, Waits, Way, detect};
use heddle_logical::{Logical, LogicalOptions, Metric, MetricValues};
use heddle_store::{NoProgress, Progress, Store, StoreError, Work};
use heddle_testkit::Chance;

use Op::{All, R, Run, S, W};

fn flavour(ranks: &[Vec<Op>]) -> Option<Flavour> {
    match pattern_of(ranks) {
        Some(Pattern::Exchange(exchange)) => Some(exchange.flavour),
        None => None,
        Some(other) => panic!("{other:?}"),
    }
}

/// Neighbours on a line.
fn neighbours(rank: u32, ranks: u32) -> Vec<u32> {
    [rank.checked_sub(1), Some(rank + 1)].into_iter().flatten().filter(|peer| *peer < ranks).collect()
}

/// Each rank does something with its neighbours on a line.
fn line(ranks: u32, rounds: usize, of: impl Fn(u32, &[u32]) -> Vec<Op>) -> Vec<Vec<Op>> {
    (0..ranks)
        .map(|rank| {
            let once = of(rank, &neighbours(rank, ranks));
            std::iter::repeat_n(once, rounds).flatten().collect()
        })
        .collect()
}

fn blocks(_rank: u32, peers: &[u32]) -> Vec<Op> {
    peers.iter().map(|peer| S(*peer)).chain(peers.iter().map(|peer| R(*peer))).collect()
}

fn waits(_rank: u32, peers: &[u32]) -> Vec<Op> {
    vec![Run(peers.to_vec()), W(peers.to_vec())]
}

/// Even ranks send first; pairs to the right of even ranks before those to the left.
fn in_turn(rank: u32, peers: &[u32]) -> Vec<Op> {
    let mut peers = peers.to_vec();
    peers.sort_by_key(|peer| rank.min(*peer) % 2);
    let pair = |peer: u32| if rank.is_multiple_of(2) { [S(peer), R(peer)] } else { [R(peer), S(peer)] };
    peers.into_iter().flat_map(pair).collect()
}

#[test]
fn sends_then_receives() {
    let ranks = line(5, 1, blocks);
    assert_eq!(flavour(&ranks), Some(Flavour::SendsThenReceives { rounds: 1 }));
    let facts = pattern_of(&ranks).map(|pattern| (pattern.name(), pattern.facts()));
    let text = "5 ranks with 1 to 2 partners each; all sends, then one receive after the other";
    assert_eq!(facts, Some(("exchange", text.to_owned())));
}

#[test]
fn sends_then_one_wait_for_all() {
    let wait_all = |rounds| Flavour::SendsThenWaitAll { rounds, largest: 2, is_one_wait: true };
    assert_eq!(flavour(&line(6, 1, waits)), Some(wait_all(1)));
    assert_eq!(flavour(&line(6, 4, waits)), Some(wait_all(4)), "a whole run of them");
    let facts = pattern_of(&line(6, 1, waits)).unwrap().facts();
    assert!(facts.ends_with("; all sends, then one wait for all receives; up to 2 messages per wait"), "{facts}");
    // Two messages from one neighbour in one wait are two.
    let twice: Vec<Vec<Op>> = (0..2).map(|rank| vec![Run(vec![1 - rank; 3]), W(vec![1 - rank; 3])]).collect();
    assert_eq!(flavour(&twice), Some(Flavour::SendsThenWaitAll { rounds: 1, largest: 3, is_one_wait: true }));
    let two_waits = |_: u32, peers: &[u32]| {
        vec![Run([peers, peers, peers].concat()), W([peers, peers].concat()), W(peers.to_vec())]
    };
    let several = Flavour::SendsThenWaitAll { rounds: 1, largest: 4, is_one_wait: false };
    assert_eq!(flavour(&line(4, 1, two_waits)), Some(several));
}

#[test]
fn in_turn_as_two_lanes() {
    for rounds in [1, 20] {
        let Some(Flavour::Alternating(lanes)) = flavour(&line(6, rounds, in_turn)) else { panic!("{rounds}") };
        let found: Vec<usize> = (0..8).map(|step| lanes.lane(step)).collect();
        assert_eq!(found, [0, 1, 1, 0, 0, 1, 1, 0]);
        // Ends have fewer sends than inner ranks, and odd ones send in other steps than even ones.
        assert_eq!(lanes.different, 4, "{rounds}");
        assert!(!lanes.show_half([2]) && lanes.show_half([1, 2]) && !lanes.show_half([2, 4]), "{rounds}");
        assert!(!lanes.show_half([77]), "a row that is not there");
    }
}

#[test]
fn sets_beyond_32_steps_are_told_apart() {
    // The last of many sends is the only difference: rank 2 has no more than 40 of them.
    let pair = |peer: u32, times: usize, first: bool| {
        let pair = if first { [S(peer), R(peer)] } else { [R(peer), S(peer)] };
        std::iter::repeat_n(pair, times).flatten().collect::<Vec<Op>>()
    };
    let ranks = vec![pair(1, 41, true), pair(0, 41, false), pair(3, 40, true), pair(2, 40, false)];
    let Some(Flavour::Alternating(lanes)) = flavour(&ranks) else { panic!("{:?}", pattern_of(&ranks)) };
    assert_eq!(lanes.different, 4);
}

#[test]
fn exchanges_of_no_common_order() {
    // Two pairs in turn, two in rounds.
    let ranks = vec![
        vec![R(1), S(1), R(1), S(1)],
        vec![S(0), R(0), S(0), R(0)],
        vec![S(3), S(3), R(3), R(3)],
        vec![S(2), S(2), R(2), R(2)],
    ];
    assert_eq!(flavour(&ranks), Some(Flavour::Unknown));
}

#[test]
fn no_exchange() {
    let mut open = line(5, 1, blocks);
    open[0].remove(0); // rank 0 no longer sends, rank 1 waits in vain
    assert_eq!(pattern_of(&open), None, "an unmatched receive");
    let mut all = line(5, 1, blocks);
    for ops in &mut all {
        ops.push(All);
    }
    assert_eq!(pattern_of(&all), None, "a collective");
    let one_way = vec![vec![S(1), S(2), R(1)], vec![R(0), S(0), S(2)], vec![R(0), R(1)]];
    assert_eq!(pattern_of(&one_way), None, "rank 2 never answers");
    // How many messages there are does not count, only between whom.
    let more = vec![vec![S(1), S(1), S(1), R(1)], vec![S(0), R(0), R(0), R(0)]];
    assert_eq!(flavour(&more), Some(Flavour::SendsThenReceives { rounds: 1 }));
}

#[test]
fn nothing_to_see() {
    assert_eq!(pattern_of(&[vec![], vec![]]), None, "no events");
    assert_eq!(pattern_of(&[vec![All], vec![All]]), None, "only collectives");
    assert_eq!(pattern_of(&[vec![S(0), R(0)]]), None, "one rank that talks to itself");
    assert_eq!(pattern_of(&[vec![S(1)], vec![]]), None, "nobody receives");
    assert_eq!(pattern_of(&[vec![S(1)], vec![R(0)]]), None, "one message");
    assert_eq!(pattern_of(&[vec![S(1), S(2)], vec![R(0)], vec![R(1)]]), None, "a message that never arrives");
    let (_directory, store) = store_of(&line(4, 2, waits));
    let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
    for scope in
        [Scope::Phase(99), Scope::Steps(0..0), Scope::Steps(Range { start: 7, end: 3 }), Scope::Steps(900..u32::MAX)]
    {
        assert_eq!(detect(&store, &logical, &scope, &NoProgress).unwrap(), None, "{scope:?}");
    }
    // A window between sends and receives has no message of its own.
    assert_eq!(detect(&store, &logical, &Scope::Steps(0..1), &NoProgress).unwrap(), None);
    assert!(detect(&store, &logical, &Scope::Steps(0..2), &NoProgress).unwrap().is_some());
}

#[test]
fn messages_to_oneself_change_nothing() {
    let to_itself = |rank: u32, peers: &[u32]| {
        let all = [peers, &[rank]].concat();
        vec![Run(all.clone()), W(all)]
    };
    let found = flavour(&line(5, 1, to_itself));
    assert_eq!(found, Some(Flavour::SendsThenWaitAll { rounds: 1, largest: 3, is_one_wait: true }));
}

fn tree(ranks: &[Vec<Op>]) -> Tree {
    match pattern_of(ranks) {
        Some(Pattern::Tree(tree)) => tree,
        other => panic!("{other:?}"),
    }
}

/// A k-ary gather whose gatherers are ranks with data of their own, and what comes back from it.
fn overloaded(ranks: u32, arity: u32, up: bool, down: bool) -> Vec<Vec<Op>> {
    let mut all = vec![Vec::new(); ranks as usize];
    let mut edges = Vec::new();
    let mut step = 1;
    while step < ranks {
        for parent in (0..ranks).step_by((step * arity) as usize) {
            edges.extend((1..arity).map(|child| (parent, parent + child * step)).filter(|edge| edge.1 < ranks));
        }
        step *= arity;
    }
    if up {
        for (parent, child) in &edges {
            all[*child as usize].push(S(*parent));
            all[*parent as usize].push(R(*child));
        }
    }
    if down {
        for (parent, child) in edges.iter().rev() {
            all[*parent as usize].push(S(*child));
            all[*child as usize].push(R(*parent));
        }
    }
    all
}

#[test]
fn trees_whose_gatherers_have_data_too() {
    for arity in 2..6u32 {
        for ranks in arity + 2..4 * arity * arity {
            let levels = (1..9).find(|levels| arity.pow(*levels) >= ranks).unwrap();
            let found = tree(&overloaded(ranks, arity, true, true));
            let what = format!("{ranks} ranks, {arity}-ary: {found:?}");
            assert_eq!((found.levels, found.arity, found.is_overloaded), (levels, arity, true), "{what}");
            assert_eq!((found.way, found.answered, found.ranks), (Way::Gather, ranks - 1, ranks), "{what}");
            assert_eq!((found.roots, found.root_rank), (vec![0], 0));
        }
        let ranks = arity.pow(3);
        let (up, down) = (tree(&overloaded(ranks, arity, true, false)), tree(&overloaded(ranks, arity, false, true)));
        assert_eq!((up.way, up.answered, up.levels, up.arity), (Way::Gather, 0, 3, arity));
        assert_eq!((down.way, down.answered, down.levels, down.arity), (Way::Scatter, 0, 3, arity));
    }
    let words = |pattern: Tree| Pattern::Tree(pattern).facts();
    let binary = tree(&overloaded(32, 2, true, true));
    assert_eq!(words(binary), "gather to rank 0, then scatter back; 5 levels, 2-ary, inner nodes are leaves too");
    let star = tree(&overloaded(5, 5, true, false));
    assert_eq!(words(star), "4 others send to rank 0");
    assert_eq!(words(tree(&overloaded(5, 5, true, true))), "4 others send to rank 0 and hear back from it");
    assert_eq!(words(tree(&overloaded(5, 5, false, true))), "rank 0 to 4 others");
}

/// A binary tree in which inner nodes are ranks of their own, the root last.
fn dedicated(leaves: u32) -> Vec<Vec<Op>> {
    let ranks = 2 * leaves - 1;
    let children = |rank: u32| (rank >= leaves).then(|| [2 * (rank - leaves), 2 * (rank - leaves) + 1]);
    let parent = |rank: u32| (rank + 1 < ranks).then(|| leaves + rank / 2);
    (0..ranks)
        .map(|rank| {
            let mut ops: Vec<Op> = children(rank).into_iter().flatten().map(R).collect();
            ops.extend(parent(rank).into_iter().flat_map(|parent| [S(parent), R(parent)]));
            ops.extend(children(rank).map(|children| Run(children.to_vec())));
            ops
        })
        .collect()
}

#[test]
fn trees_with_gatherers_of_their_own() {
    let found = tree(&dedicated(16));
    assert_eq!((found.levels, found.arity, found.is_overloaded), (4, 2, false));
    assert_eq!((found.way, found.answered, found.roots, found.root_rank), (Way::Gather, 30, vec![30], 30));
}

#[test]
fn several_trees_at_once() {
    // Ranks 0 and 4 gather, each from the three behind it; 7 hears back.
    let gather = |root: u32| vec![R(root + 1), R(root + 2), R(root + 3)];
    let mut ranks: Vec<Vec<Op>> = (0..8).map(|rank| vec![S(rank / 4 * 4)]).collect();
    ranks[0] = gather(0);
    ranks[4] = gather(4);
    ranks[4].push(S(7));
    ranks[7].push(R(4));
    let found = tree(&ranks);
    assert_eq!((found.roots.clone(), found.levels, found.answered, found.edges()), (vec![0, 4], 1, 1, 6));
    assert_eq!(Pattern::Tree(found).facts(), "6 ranks send to 2 roots, with answers on 1 of 6 edges");
}

#[test]
fn no_tree() {
    let chain = vec![vec![S(1)], vec![R(0), S(2)], vec![R(1), S(3)], vec![R(2)]];
    assert_eq!(pattern_of(&chain), None, "nobody has two children");
    let two_parents = vec![vec![R(1), R(2)], vec![S(0)], vec![S(0), S(3)], vec![R(2), R(4)], vec![S(3)]];
    assert_eq!(pattern_of(&two_parents), None);
    let cycle = vec![vec![S(1), R(2)], vec![R(0), S(2)], vec![R(1), S(0), R(3), R(4)], vec![S(2)], vec![S(2)]];
    assert_eq!(pattern_of(&cycle), None, "around three of five");
    let too_early = vec![vec![R(1)], vec![S(0), R(2), R(3)], vec![S(1)], vec![S(1)]];
    assert_eq!(pattern_of(&too_early), None, "rank 1 sends up before it has heard from below");
    // Who answers each before it hears from the next does not gather.
    let server = vec![vec![R(1), S(1), R(2), S(2), R(3), S(3)], vec![S(0), R(0)], vec![S(0), R(0)], vec![S(0), R(0)]];
    assert!(matches!(flavour(&server), Some(Flavour::Alternating(_))), "{:?}", pattern_of(&server));
    // Both ways at once on the edges of a tree: an exchange.
    let star = vec![vec![S(1), S(2), S(3), R(1), R(2), R(3)], vec![S(0), R(0)], vec![S(0), R(0)], vec![S(0), R(0)]];
    assert_eq!(flavour(&star), Some(Flavour::SendsThenReceives { rounds: 1 }));
}

#[test]
fn trees_beside_collectives_are_still_trees() {
    let mut ranks = overloaded(16, 2, true, true);
    for ops in &mut ranks {
        ops.push(All);
    }
    assert_eq!((tree(&ranks).levels, tree(&ranks).arity), (4, 2));
}

fn shift(ranks: u32, by: u32) -> Vec<Vec<Op>> {
    (0..ranks).map(|rank| vec![S((rank + by) % ranks), R((rank + ranks - by) % ranks)]).collect()
}

#[test]
fn rings() {
    let found = |ranks, by| match pattern_of(&shift(ranks, by)) {
        Some(Pattern::Ring(ring)) => Some((ring.ranks, ring.shift)),
        _ => None,
    };
    assert_eq!(found(7, 1), Some((7, 1)));
    assert_eq!(found(7, 6), Some((7, -1)));
    assert_eq!(found(8, 3), Some((8, 3)));
    assert_eq!(found(3, 1), Some((3, 1)));
    assert_eq!(found(8, 4), None, "pairs that exchange");
    assert_eq!(flavour(&shift(8, 4)), Some(Flavour::SendsThenReceives { rounds: 1 }));
    let facts = pattern_of(&shift(8, 6)).unwrap().facts();
    assert!(facts.starts_with("each of 8 ranks sends to the one 2 places back; all sends, then"), "{facts}");
    // One of them sends elsewhere.
    let mut other = shift(6, 1);
    other[0] = vec![S(2), R(5)];
    other[2].push(R(0));
    other[1].remove(1);
    assert_eq!(pattern_of(&other), None);
    // The same ring by other names is none in the order of ranks.
    assert_eq!(pattern_of(&renamed(&shift(6, 1), &[3, 0, 5, 1, 2, 4])), None);
}

#[test]
fn all_to_all() {
    let all = |ranks: u32| -> Vec<Vec<Op>> {
        let others = move |rank: u32| (0..ranks).filter(move |other| *other != rank).collect::<Vec<u32>>();
        (0..ranks).map(|rank| vec![Run(others(rank)), W(others(rank))]).collect()
    };
    let Some(Pattern::AllToAll(found)) = pattern_of(&all(9)) else { panic!() };
    assert_eq!(found.ranks, 9);
    assert_eq!(found.flavour, Flavour::SendsThenWaitAll { rounds: 1, largest: 8, is_one_wait: true });
    assert!(matches!(pattern_of(&all(3)), Some(Pattern::Exchange(_))), "three are neighbours anyway");
    let mut fewer = all(9);
    fewer[0] = vec![Run((2..9).collect()), W((2..9).collect())];
    fewer[1] = vec![Run((2..9).collect()), W((2..9).collect())];
    assert!(matches!(pattern_of(&fewer), Some(Pattern::Exchange(_))), "two of them have nothing to say to each other");
}

/// What can be said of a pattern without naming ranks.
fn verdict(pattern: Option<Pattern>) -> String {
    match pattern {
        Some(Pattern::Tree(tree)) => format!("{:?}", Tree { roots: vec![], root_rank: 0, ..tree }),
        Some(Pattern::Exchange(exchange)) => Pattern::Exchange(exchange).facts(),
        Some(other) => other.name().to_owned(),
        None => "none".to_owned(),
    }
}

/// An exchange on a graph by chance, or a tree by chance.
fn by_chance(chance: &mut Chance) -> Vec<Vec<Op>> {
    let ranks = 3 + chance.below(10) as u32;
    if chance.is(50) {
        let mut peers = vec![Vec::new(); ranks as usize];
        for _ in 0..ranks * 2 {
            let (a, b) = (chance.below(ranks as usize) as u32, chance.below(ranks as usize) as u32);
            if a != b && !peers[a as usize].contains(&b) {
                peers[a as usize].push(b);
                peers[b as usize].push(a);
            }
        }
        let odd = chance.below(4);
        return (0..ranks)
            .map(|rank| match odd {
                0 => blocks(rank, &peers[rank as usize]),
                1 if rank == 0 => peers[0].iter().rev().flat_map(|peer| [S(*peer), R(*peer)]).collect(),
                _ => waits(rank, &peers[rank as usize]),
            })
            .collect();
    }
    // Each rank but the first has a parent before it; from the last to the first all send up.
    let parents: Vec<u32> = (0..ranks).map(|rank| chance.below(rank.max(1) as usize) as u32).collect();
    let mut all = vec![Vec::new(); ranks as usize];
    let (up, down) = ([true, true, false][chance.below(3)], chance.is(60));
    for child in (1..ranks).rev().filter(|_| up) {
        all[child as usize].push(S(parents[child as usize]));
        all[parents[child as usize] as usize].push(R(child));
    }
    for child in (1..ranks).filter(|_| down) {
        all[parents[child as usize] as usize].push(S(child));
        all[child as usize].push(R(parents[child as usize]));
    }
    all
}

#[test]
fn names_of_ranks_and_threads_do_not_matter() {
    let pools = [1, 3].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    let (mut exchanges, mut trees) = (0, 0);
    for seed in 0..60 {
        let mut chance = Chance(seed);
        let ranks = by_chance(&mut chance);
        let found = pools[0].install(|| pattern_of(&ranks));
        exchanges += u32::from(matches!(found, Some(Pattern::Exchange(_))));
        trees += u32::from(matches!(found, Some(Pattern::Tree(_))));
        assert_eq!(found, pools[1].install(|| pattern_of(&ranks)), "seed {seed}");
        let place = chance.order(ranks.len());
        let other = pattern_of(&renamed(&ranks, &place));
        if let (Some(Pattern::Tree(one)), Some(Pattern::Tree(other))) = (&found, &other) {
            let moved: Vec<u32> = one.roots.iter().map(|root| place[*root as usize] as u32).collect();
            assert_eq!(moved, other.roots, "seed {seed}");
        }
        assert_eq!(verdict(found), verdict(other), "seed {seed}: {ranks:?}");
    }
    assert!(exchanges > 10 && trees > 10, "{exchanges} exchanges, {trees} trees");
}

#[test]
fn any_program_has_a_pattern_or_none() {
    for seed in 0..150 {
        let program = if seed % 2 == 0 { common::chance::valid(seed) } else { common::chance::damaged(seed) };
        let (_directory, store) = store_of_program(&program);
        let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
        let phases = (0..logical.phases.len() as u32).map(Scope::Phase);
        let steps = logical.steps.len() as u32;
        let windows = [0..steps, 0..steps / 2, steps / 2..steps, 1..2].map(Scope::Steps);
        for scope in phases.chain(windows) {
            let found = detect(&store, &logical, &scope, &NoProgress).unwrap();
            assert_eq!(found, naive(&store, &logical, &scope, found.as_ref()), "seed {seed}, {scope:?}");
        }
    }
}

/// What was found, if the definitions of exchange, ring and all-to-all taken word by word say so too.
fn naive(store: &Store, logical: &Logical, scope: &Scope, found: Option<&Pattern>) -> Option<Pattern> {
    let rows = scope.rows(logical);
    let has = |event: u64| scope.events_of(logical, logical.row_of(event)).contains(&event);
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let (mut collectives, mut messages, mut next_step) = (0, 0, 0);
    for row in &rows {
        for event in scope.events_of(logical, *row) {
            collectives += u32::from(logical.kind(event) == heddle_logical::Kind::Collective);
            for sender in logical.senders(store, event).into_iter().filter(|sender| has(*sender)) {
                let from = logical.row_of(sender);
                if from != *row {
                    pairs.push((from, *row));
                    messages += 1;
                    let step = |event: u64| logical.events.step.get(event);
                    next_step += u32::from(step(event) == step(sender) + 1);
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let count = rows.len();
    let place = |row: u32| rows.iter().position(|other| *other == row).unwrap();
    let is_exchange = collectives == 0
        && !pairs.is_empty()
        && rows.iter().all(|row| {
            let to: Vec<u32> = pairs.iter().filter(|(from, _)| from == row).map(|(_, to)| *to).collect();
            let from: Vec<u32> = pairs.iter().filter(|(_, to)| to == row).map(|(from, _)| *from).collect();
            to == from
        });
    if let Some(Flavour::Alternating(_)) = found.and_then(Pattern::flavour) {
        assert!(2 * next_step > messages, "{next_step} of {messages} messages take one step");
    }
    let is_all = collectives == 0 && count > 3 && pairs.len() == count * (count - 1);
    let shifts: Vec<usize> = pairs.iter().map(|(from, to)| (place(*to) + count - place(*from)) % count).collect();
    let is_ring = collectives == 0
        && count > 2
        && pairs.len() == count
        && shifts.iter().all(|shift| *shift == shifts[0])
        && 2 * shifts[0] != count;
    let is_right = match found {
        Some(Pattern::AllToAll(_)) => is_all,
        Some(Pattern::Ring(_)) => is_ring && !is_all,
        // A tree has its own tests; here only that it has as few edges as it must.
        Some(Pattern::Tree(tree)) => {
            let mut edges: Vec<(u32, u32)> = pairs.iter().map(|(a, b)| (*a.min(b), *a.max(b))).collect();
            edges.sort_unstable();
            edges.dedup();
            edges.len() as u32 == tree.edges() && pairs.len() as u32 == tree.edges() + tree.answered
        }
        Some(Pattern::Exchange(_)) => is_exchange && !is_all && !is_ring,
        None => !is_exchange && !is_all && !is_ring,
    };
    is_right.then(|| found.cloned()).flatten()
}

#[test]
fn cancelled() {
    struct Cancelled;
    impl Progress for Cancelled {
        fn begin(&self, _work: Work, _total: u64) {}
        fn advance(&self, _done: u64) {}
        fn waiting(&self) {}
        fn is_cancelled(&self) -> bool {
            true
        }
    }
    let (_directory, store) = store_of(&line(4, 1, waits));
    let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
    let found = detect(&store, &logical, &Scope::run(&logical), &Cancelled);
    assert!(matches!(found, Err(StoreError::Cancelled)));
}

/// How many messages the waits of clusters received.
#[test]
fn waits_of_clusters() {
    let (_directory, store) = store_of(&line(30, 2, waits));
    let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
    let values = MetricValues::open(&store, &logical, Metric::Lateness, &NoProgress).unwrap();
    let scope = Scope::run(&logical);
    let clusters = Clusters::open(&logical, &values, &scope, &ClusterOptions::default(), &NoProgress).unwrap();
    let received = Received::read(&store, &logical, &clusters, &NoProgress).unwrap();
    let root = clusters.tree().root().unwrap();
    // Sends in steps 0 and 2; in between the 28 inner ranks receive two messages, the ends one.
    let waits = Waits { events: 30, messages: 58 };
    assert_eq!(
        (0..4).map(|step| received.at(&clusters, root, step)).collect::<Vec<_>>(),
        [Waits::default(), waits, Waits::default(), waits]
    );
    assert_eq!(waits.mean(), Some(58.0 / 30.0));
    assert_eq!(Waits::default().mean(), None);
    // Children add up to their parents.
    for node in 0..clusters.tree().nodes() {
        let Some(merge) = clusters.tree().merge(node) else { continue };
        let [one, other] = merge.children.map(|child| received.at(&clusters, child, 1));
        let sum = received.at(&clusters, node, 1);
        assert_eq!((sum.events, sum.messages), (one.events + other.events, one.messages + other.messages));
    }
    let of_row = logical.messages_received(&store, 3, logical.events_of(3));
    assert_eq!(of_row, [0, 2, 0, 2]);
}
