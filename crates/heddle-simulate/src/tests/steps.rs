//! The algorithms of collectives against the same algorithms written as programs of sends and receives, run by the
//! engine: two ways to the same nanosecond.

use proptest::prelude::*;

use super::script::{Script, WORLD, plain};
use super::stays;
use crate::steps::{Plan, Step};
use crate::{Algorithm, Between, Collective, CollectiveKind, Fault, Interconnect, LogGp, Machine, Ops, When, Who};

/// Writes what one member of a collective does, message by message.
fn by_messages(op: Collective, ranks: u32, rank: u32, ops: &mut Ops) {
    let plan = Plan::new(&op, op.root as usize, ranks as usize, rank as usize).expect("an algorithm with messages");
    for step in (0..).map_while(|number| plan.step(number)) {
        match step {
            Step::Send { to, bytes } => ops.send(to as u32, 0, bytes, WORLD),
            Step::Receive { from, bytes } => ops.recv(from as u32, 0, bytes, WORLD),
        }
    }
}

/// When each rank is through: it then enters a function that takes no time, and sends something to everybody, since a link that nobody
/// uses cannot be slow.
fn ends(machine: &Machine, delays: &[u64], write: impl Fn(u32, &mut Ops)) -> Vec<i64> {
    let ranks = delays.len() as u32;
    let script = Script::new(ranks, |rank, ops| {
        ops.idle(delays[rank as usize]);
        write(rank, ops);
        ops.compute(super::script::WORK, 0);
        (0..ranks).filter(|peer| *peer != rank).for_each(|peer| ops.irecv(peer, 1, 8, WORLD));
        (0..ranks).filter(|peer| *peer != rank).for_each(|peer| ops.isend(peer, 1, 8, WORLD));
        ops.waitall();
    });
    let trace = script.simulate(machine).unwrap();
    (0..ranks).map(|rank| stays(&trace, rank, "work")[0].0).collect()
}

fn ways() -> impl Strategy<Value = (CollectiveKind, Algorithm)> {
    use CollectiveKind::{Allgather, Allreduce, Alltoall, Barrier, Bcast, Gather, Reduce, Scatter};
    prop::sample::select(vec![
        (Bcast, Algorithm::Binomial),
        (Reduce, Algorithm::Binomial),
        (Gather, Algorithm::Binomial),
        (Scatter, Algorithm::Binomial),
        (Allreduce, Algorithm::RecursiveDoubling),
        (Allgather, Algorithm::RecursiveDoubling),
        (Barrier, Algorithm::RecursiveDoubling),
        (Allreduce, Algorithm::Ring),
        (Allgather, Algorithm::Ring),
        (Alltoall, Algorithm::Pairwise),
        (Alltoall, Algorithm::Direct),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn an_algorithm_takes_as_long_as_its_messages(
        (kind, algorithm) in ways(),
        delays in prop::collection::vec(prop_oneof![Just(0_u64), 0..30_000_u64], 1..21),
        (root, bytes) in (0..20_u32, prop_oneof![Just(0_u64), 0..2_000_u64]),
        (latency_ns, overhead_ns, gap_ns) in (0..2_000_u64, 0..500_u64, prop_oneof![0..200_u64, 0..6_000_u64]),
    ) {
        let network = LogGp { latency_ns, overhead_ns, gap_ns, gap_per_byte: 0.7, eager_bytes: u64::MAX };
        let machine = Machine { network, ..plain() };
        let ranks = delays.len() as u32;
        let op = Collective { kind, algorithm, root: root % ranks, bytes };
        let as_collective = ends(&machine, &delays, |_, ops| ops.collective(op, WORLD));
        let as_messages = ends(&machine, &delays, |rank, ops| by_messages(op, ranks, rank, ops));
        prop_assert_eq!(&as_collective, &as_messages);
        // And so it does where its messages really travel, over links that are never in the way.
        let links = Interconnect { link_bandwidth: Some(1e9), ..Interconnect::new("5x5".parse().unwrap()) };
        let linked = Machine { ranks_per_node: 1, interconnect: Some(links), ..machine };
        prop_assert_eq!(&ends(&linked, &delays, |_, ops| ops.collective(op, WORLD)), &as_messages);
        prop_assert_eq!(&ends(&linked, &delays, |rank, ops| by_messages(op, ranks, rank, ops)), &as_messages);
    }

    #[test]
    fn a_collective_feels_slow_messages_as_its_messages_would(
        (kind, algorithm) in ways(),
        delays in prop::collection::vec(prop_oneof![Just(0_u64), 0..30_000_u64], 3..21),
        (root, bytes) in (0..20_u32, 0..2_000_u64),
        (one, other, factor) in (0..20_u32, 1..20_u32, prop_oneof![Just(1.0), 1.0..5.0]),
        which in 0..3,
    ) {
        let ranks = delays.len() as u32;
        let (one, other) = (one % ranks, (one + 1 + other % (ranks - 1)) % ranks);
        let between = Between::Ranks(one, other);
        let faults = match which {
            0 => vec![Fault::Link { between, factor }],
            1 => vec![Fault::Card { who: Who::Ranks(vec![one]), factor }],
            _ => vec![Fault::Card { who: Who::Nodes(vec![one]), factor }, Fault::Network { factor: 1.5, when: When::default() }],
        };
        let mut machine = Machine { ranks_per_node: 1, faults, ..plain() };
        machine.network.eager_bytes = u64::MAX;
        let op = Collective { kind, algorithm, root: root % ranks, bytes };
        let as_messages = |machine: &Machine| ends(machine, &delays, |rank, ops| by_messages(op, ranks, rank, ops));
        let as_collective = |machine: &Machine| ends(machine, &delays, |_, ops| ops.collective(op, WORLD));
        let expected = as_messages(&machine);
        prop_assert_eq!(&as_collective(&machine), &expected);
        let links = Interconnect { link_bandwidth: Some(1e9), ..Interconnect::new("5x5".parse().unwrap()) };
        let linked = Machine { interconnect: Some(links), ..machine };
        prop_assert_eq!(&as_collective(&linked), &expected);
        prop_assert_eq!(&as_messages(&linked), &expected);
    }
}

#[test]
fn a_synchronising_collective_ends_everywhere_at_once() {
    let op = Collective { kind: CollectiveKind::Gather, algorithm: Algorithm::Synchronising, root: 2, bytes: 30 };
    // Five ranks are three levels: 3 · (L + 2o + 30G) = 3690 after the last has come, at 3624 + 7000.
    let delays = [0, 7_000, 10, 20, 30];
    assert_eq!(ends(&plain(), &delays, |_, ops| ops.collective(op, WORLD)), [14_314; 5]);
    // Alone there is nothing to wait for.
    assert_eq!(ends(&plain(), &[5], |_, ops| ops.collective(Collective { root: 0, ..op }, WORLD)), [5]);
}
