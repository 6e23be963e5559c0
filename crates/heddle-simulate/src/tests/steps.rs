//! The algorithms of collectives against the same algorithms written as programs of sends and receives, run by the
//! engine: two ways to the same nanosecond.

use proptest::prelude::*;

use super::script::{Script, WORLD, plain};
use super::stays;
use crate::{Algorithm, Collective, CollectiveKind, LogGp, Machine, Ops};

/// Writes what one member of a collective does, message by message, as a textbook has it.
fn by_messages(op: Collective, ranks: u32, rank: u32, ops: &mut Ops) {
    let send = |ops: &mut Ops, to: u32, bytes: u64| ops.send(to, 0, bytes, WORLD);
    let receive = |ops: &mut Ops, from: u32, bytes: u64| ops.recv(from, 0, bytes, WORLD);
    let distance = (rank + ranks - op.root) % ranks;
    let at = |distance: u32| (distance + op.root) % ranks;
    // What goes over the edge above the member at a distance: for gather and scatter the pieces of its subtree.
    let over = |distance: u32, mask: u32| match op.kind {
        CollectiveKind::Gather | CollectiveKind::Scatter => op.bytes * u64::from(mask.min(ranks - distance)),
        _ => op.bytes,
    };
    match (op.algorithm, op.kind) {
        (Algorithm::Binomial, CollectiveKind::Bcast | CollectiveKind::Scatter) => {
            let mut mask = 1;
            while mask < ranks && distance & mask == 0 {
                mask <<= 1;
            }
            if distance > 0 {
                receive(ops, at(distance - mask), over(distance, mask));
            }
            while mask > 1 {
                mask >>= 1;
                if distance + mask < ranks {
                    send(ops, at(distance + mask), over(distance + mask, mask));
                }
            }
        }
        (Algorithm::Binomial, _) => {
            let mut mask = 1;
            while mask < ranks {
                if distance & mask != 0 {
                    send(ops, at(distance - mask), over(distance, mask));
                    break;
                }
                if distance + mask < ranks {
                    receive(ops, at(distance + mask), over(distance + mask, mask));
                }
                mask <<= 1;
            }
        }
        (Algorithm::RecursiveDoubling, kind) => {
            let power = 1 << ranks.ilog2();
            let folded = ranks - power;
            let grows = kind == CollectiveKind::Allgather;
            let result = if grows { op.bytes * u64::from(ranks) } else { op.bytes };
            if rank < 2 * folded && rank.is_multiple_of(2) {
                send(ops, rank + 1, op.bytes);
                receive(ops, rank + 1, result);
                return;
            }
            if rank < 2 * folded {
                receive(ops, rank - 1, op.bytes);
            }
            let active = if rank < 2 * folded { rank / 2 } else { rank - folded };
            let mut mask = 1;
            while mask < power {
                let peer = active ^ mask;
                let peer = if peer < folded { 2 * peer + 1 } else { peer + folded };
                let bytes = if grows { op.bytes * u64::from(mask) } else { op.bytes };
                send(ops, peer, bytes);
                receive(ops, peer, bytes);
                mask <<= 1;
            }
            if rank < 2 * folded {
                send(ops, rank - 1, result);
            }
        }
        (Algorithm::Ring, kind) => {
            let (steps, bytes) = match kind {
                CollectiveKind::Allgather => (ranks - 1, op.bytes),
                _ => (2 * (ranks - 1), op.bytes.div_ceil(u64::from(ranks))),
            };
            for _ in 0..steps {
                send(ops, (rank + 1) % ranks, bytes);
                receive(ops, (rank + ranks - 1) % ranks, bytes);
            }
        }
        (Algorithm::Pairwise, _) => {
            for step in 1..ranks {
                send(ops, (rank + step) % ranks, op.bytes);
                receive(ops, (rank + ranks - step) % ranks, op.bytes);
            }
        }
        (Algorithm::Synchronising, _) => {}
    }
}

/// When each rank is through: it then enters a function that takes no time.
fn ends(machine: &Machine, delays: &[u64], write: impl Fn(u32, &mut Ops)) -> Vec<i64> {
    let ranks = delays.len() as u32;
    let script = Script::new(ranks, |rank, ops| {
        ops.idle(delays[rank as usize]);
        write(rank, ops);
        ops.compute(super::script::WORK, 0);
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
        prop_assert_eq!(as_collective, as_messages);
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
