//! The laws of message passing, over random programs that are valid by the way they are made.
//!
//! A program is a list of phases that concern all ranks: messages, shifts, collectives, waits. Each rank gets its part of
//! every phase, in the order of the list. Whoever waits, waits for phases up to its own; so the rank that is furthest
//! behind can always go on, and no such program can lock up, whatever is sent by rendezvous.

use heddle_model::{Event, MessageEnd, RecordBlock, RequestId, Source};
use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::script::{Script, WORK, plain};
use super::{all_records, records};
use crate::rank::Tuning;
use crate::{Algorithm, Collective, CollectiveKind, Comm, Interconnect, LogGp, Machine, Ops, Own, Simulation};

#[derive(Clone, Debug)]
enum Phase {
    Message { from: u32, to: u32, tag: u32, bytes: u64, comm: u32, send_now: bool, receive_now: bool },
    Shift { by: u32, bytes: u64 },
    Collective { op: Collective, comm: u32, now: bool },
    Wait { rank: u32, all: bool },
    Compute { rank: u32, mean_ns: u64 },
    Enter { rank: u32 },
    Leave { rank: u32 },
    Stage { rank: u32 },
}

const BYTES: [u64; 5] = [0, 8, 1_000, 5_000, 70_000];

fn ways() -> impl Strategy<Value = (CollectiveKind, Algorithm)> {
    use Algorithm::{Binomial, Direct, Pairwise, RecursiveDoubling, Ring, Synchronising};
    use CollectiveKind::{Allgather, Allreduce, Alltoall, Barrier, Bcast, CommCreate, Gather, Reduce, Scatter};
    prop::sample::select(vec![
        (Barrier, RecursiveDoubling),
        (Barrier, Synchronising),
        (Bcast, Binomial),
        (Bcast, Synchronising),
        (Reduce, Binomial),
        (Allreduce, Ring),
        (Allreduce, RecursiveDoubling),
        (Gather, Binomial),
        (Scatter, Binomial),
        (Allgather, Ring),
        (Alltoall, Pairwise),
        (Alltoall, Direct),
        (CommCreate, Synchronising),
    ])
}

fn phase() -> impl Strategy<Value = Phase> {
    let rank = 0..8_u32;
    let bytes = prop::sample::select(BYTES.to_vec());
    prop_oneof![
        6 => (rank.clone(), rank.clone(), 0..2_u32, bytes.clone(), 0..2_u32, any::<bool>(), any::<bool>()).prop_map(
            |(from, to, tag, bytes, comm, send_now, receive_now)|
                Phase::Message { from, to, tag, bytes, comm, send_now, receive_now }
        ),
        1 => (rank.clone(), bytes.clone()).prop_map(|(by, bytes)| Phase::Shift { by, bytes }),
        2 => (ways(), rank.clone(), bytes, 0..3_u32, any::<bool>()).prop_map(|((kind, algorithm), root, bytes, comm, now)|
            Phase::Collective { op: Collective { kind, algorithm, root, bytes }, comm, now }),
        2 => (rank.clone(), any::<bool>()).prop_map(|(rank, all)| Phase::Wait { rank, all }),
        2 => (rank.clone(), 0..20_000_u64).prop_map(|(rank, mean_ns)| Phase::Compute { rank, mean_ns }),
        1 => rank.clone().prop_map(|rank| Phase::Enter { rank }),
        1 => rank.clone().prop_map(|rank| Phase::Leave { rank }),
        2 => rank.prop_map(|rank| Phase::Stage { rank }),
    ]
}

/// One rank's list, as far as it is written.
#[derive(Default)]
struct Draft {
    stages: Vec<Ops>,
    ops: Ops,
    open: usize,
    depth: usize,
}

const DEEPER: Own = Own(1);

fn program(ranks: u32, phases: &[Phase]) -> Script {
    let comms = vec![
        ("turned".to_owned(), (0..ranks).rev().collect()),
        ("even".to_owned(), (0..ranks).filter(|rank| rank.is_multiple_of(2)).collect::<Vec<_>>()),
    ];
    let mut drafts: Vec<Draft> = (0..ranks).map(|_| Draft::default()).collect();
    for phase in phases {
        write(ranks, phase, &mut drafts);
    }
    let stages = drafts.into_iter().map(|mut draft| {
        draft.ops.waitall();
        (0..draft.depth).for_each(|_| draft.ops.leave(DEEPER));
        draft.stages.push(draft.ops);
        draft.stages
    });
    Script { stages: stages.collect(), comms }
}

fn write(ranks: u32, phase: &Phase, drafts: &mut [Draft]) {
    let own = |rank: u32| (rank % ranks) as usize;
    match *phase {
        Phase::Message { from, to, tag, bytes, comm, send_now, receive_now } => {
            let (from, to, comm) = (from % ranks, to % ranks, Comm(comm));
            // Nobody can send to itself and wait for that before it receives.
            let send_now = send_now && from != to;
            let sender = &mut drafts[from as usize];
            if send_now {
                sender.ops.send(to, tag, bytes, comm);
            } else {
                sender.ops.isend(to, tag, bytes, comm);
                sender.open += 1;
            }
            let receiver = &mut drafts[to as usize];
            if receive_now {
                receiver.ops.recv(from, tag, bytes, comm);
            } else {
                receiver.ops.irecv(from, tag, bytes, comm);
                receiver.open += 1;
            }
        }
        Phase::Shift { by, bytes } => {
            for (rank, draft) in (0..).zip(drafts) {
                let (to, from) = ((rank + by) % ranks, (rank + ranks - by % ranks) % ranks);
                draft.ops.sendrecv(to, from, 7, bytes, Comm::WORLD);
            }
        }
        Phase::Collective { op, comm, now } => {
            let is_even = comm == 2;
            let root = if is_even { op.root % ranks / 2 * 2 } else { op.root % ranks };
            let op = Collective { root, ..op };
            for draft in drafts.iter_mut().step_by(if is_even { 2 } else { 1 }) {
                if now {
                    draft.ops.collective(op, Comm(comm));
                } else {
                    draft.ops.icollective(op, Comm(comm));
                    draft.open += 1;
                }
            }
        }
        Phase::Wait { rank, all } => {
            let draft = &mut drafts[own(rank)];
            if all {
                draft.ops.waitall();
                draft.open = 0;
            } else if draft.open > 0 {
                draft.ops.wait();
                draft.open -= 1;
            }
        }
        Phase::Compute { rank, mean_ns } => drafts[own(rank)].ops.compute(WORK, mean_ns),
        Phase::Enter { rank } => {
            drafts[own(rank)].ops.enter(DEEPER);
            drafts[own(rank)].depth += 1;
        }
        Phase::Leave { rank } => {
            let draft = &mut drafts[own(rank)];
            if draft.depth > 0 {
                draft.ops.leave(DEEPER);
                draft.depth -= 1;
            }
        }
        Phase::Stage { rank } => {
            let draft = &mut drafts[own(rank)];
            draft.stages.push(std::mem::take(&mut draft.ops));
        }
    }
}

/// One end of a message: when its call was entered or posted (as a number among the records), when it happened, and what
/// it says.
type Ends = FxHashMap<(u32, u32, u32, u32), Vec<(usize, i64, u64)>>;

/// Checks what one rank can be checked for alone, and collects the ends of its messages.
fn check_rank(trace: &Simulation, rank: u32, sends: &mut Ends, receives: &mut Ends) {
    let block = records(trace, rank);
    let (mut before, mut open_regions) = (0, Vec::new());
    let mut requests: FxHashMap<RequestId, usize> = FxHashMap::default();
    let mut entered = 0;
    for (number, (time, event)) in block.iter().enumerate() {
        assert!(time.0 >= before, "rank {rank}: time falls");
        before = time.0;
        let add = |ends: &mut Ends, from, to, at, end: MessageEnd| {
            ends.entry((from, to, end.tag, end.comm.0)).or_default().push((at, time.0, end.bytes));
        };
        match event {
            Event::Enter(region) => {
                open_regions.push(region);
                entered = number;
            }
            Event::Leave(region) => assert_eq!(open_regions.pop(), region, "rank {rank}"),
            Event::Send(end) => add(sends, rank, end.peer.0, number, end),
            Event::Isend(end) => {
                assert_eq!(requests.insert(end.request, number), None);
                add(sends, rank, end.peer.0, number, end);
            }
            Event::Recv(end) => add(receives, end.peer.0, rank, entered, end),
            Event::RecvRequest(request) | Event::CollectiveRequest(request) => {
                assert_eq!(requests.insert(request, number), None);
            }
            Event::Irecv(end) => add(receives, end.peer.0, rank, requests.remove(&end.request).unwrap(), end),
            Event::SendComplete(request) => assert!(requests.remove(&request).is_some()),
            Event::CollectiveComplete(end) => assert!(requests.remove(&end.request).is_some()),
            _ => {}
        }
    }
    assert!(open_regions.is_empty() && requests.is_empty(), "rank {rank}");
    assert_eq!(block.events, block.len() as u64);
}

/// That every message has its two ends, in order, and none is faster than the wire.
pub(crate) fn check_messages(trace: &Simulation) {
    let (mut sends, mut receives) = (Ends::default(), Ends::default());
    for rank in 0..trace.program().info().ranks {
        check_rank(trace, rank, &mut sends, &mut receives);
    }
    assert_eq!(sends.len(), receives.len());
    let network = &trace.machine().network;
    for (key, sent) in &mut sends {
        let received = receives.get_mut(key).unwrap();
        assert_eq!(sent.len(), received.len(), "{key:?}");
        sent.sort_unstable();
        received.sort_unstable();
        for ((_, sent, bytes), (_, received, expected)) in sent.iter().zip(received) {
            assert_eq!(bytes, expected, "{key:?}");
            let fastest = network.overhead() + network.latency() + network.transfer(*bytes) + network.overhead();
            assert!(*received >= sent + fastest, "{key:?}: {sent} to {received}");
        }
    }
}

/// Of every collective of a rank: what it is, when it began and when it was over, by communicator and in order.
fn collectives(trace: &Simulation, rank: u32) -> FxHashMap<u32, Vec<(String, i64, i64)>> {
    let mut begun: Vec<(Option<RequestId>, i64, usize)> = Vec::new();
    let mut found: FxHashMap<u32, Vec<(usize, String, i64, i64)>> = FxHashMap::default();
    for (number, (time, event)) in records(trace, rank).iter().enumerate() {
        match event {
            Event::CollectiveBegin => begun.push((None, time.0, number)),
            Event::CollectiveRequest(request) => begun.push((Some(request), time.0, number)),
            Event::CollectiveEnd(end) | Event::CollectiveComplete(end) => {
                let at = begun.iter().position(|begun| begun.0.unwrap_or(RequestId::NONE) == end.request).unwrap();
                let (_, start, order) = begun.remove(at);
                let what = format!("{} from {}", end.op.name(), end.root.0);
                found.entry(end.comm.0).or_default().push((order, what, start, time.0));
            }
            _ => {}
        }
    }
    assert!(begun.is_empty(), "rank {rank}");
    found
        .into_iter()
        .map(|(comm, mut list)| {
            list.sort();
            (comm, list.into_iter().map(|(_, what, start, end)| (what, start, end)).collect())
        })
        .collect()
}

/// That all members call the same collectives, and nobody leaves too early.
pub(crate) fn check_collectives(trace: &Simulation) {
    let of_rank: Vec<_> = (0..trace.program().info().ranks).map(|rank| collectives(trace, rank)).collect();
    for (comm, definition) in (0..).zip(&trace.definitions().communicators) {
        let members: Vec<_> = definition.members.iter().map(|member| of_rank[member.index()].get(&comm)).collect();
        let count = members[0].map_or(0, Vec::len);
        for instance in 0..count {
            let all: Vec<_> = members.iter().map(|list| &list.unwrap()[instance]).collect();
            assert!(all.iter().all(|one| one.0 == all[0].0), "{all:?}");
            let last_in = all.iter().map(|one| one.1).max().unwrap();
            if !["bcast", "reduce", "gather", "scatter"].iter().any(|rooted| all[0].0.starts_with(rooted)) {
                assert!(all.iter().all(|one| one.2 >= last_in), "{all:?}");
            }
        }
        assert!(members.iter().all(|list| list.map_or(0, Vec::len) == count));
    }
}

/// The records of all parts, read from the last to the first, in order.
fn backwards(trace: &Simulation) -> Vec<String> {
    let mut blocks: Vec<(u32, String)> = Vec::new();
    for part in trace.parts().iter().rev() {
        let mut block = RecordBlock::default();
        trace.read(part, &mut block).unwrap();
        let records: Vec<String> = block.iter().map(|record| format!("{record:?}, ")).collect();
        blocks.push((part.location.0, records.concat()));
    }
    let mut whole = vec![String::new(); trace.program().info().ranks as usize];
    for (rank, text) in blocks.into_iter().rev() {
        whole[rank as usize].push_str(&text);
    }
    whole
}

/// Two ranks per node; `links` are the bandwidth of a ring of nodes, if there is one.
fn machine(seed: u64, eager_bytes: u64, links: Option<f64>) -> Machine {
    let network = LogGp { gap_per_byte: 0.1, eager_bytes, ..plain().network };
    let ring = || Interconnect::new("5".parse().unwrap());
    let interconnect = links.map(|bandwidth| Interconnect { link_bandwidth: Some(bandwidth), ..ring() });
    Machine { seed, noise: 0.2, slow_nodes: vec![0], ranks_per_node: 2, network, interconnect, ..Machine::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_valid_program_runs_to_its_end_and_keeps_the_laws(
        ranks in 1..9_u32,
        phases in prop::collection::vec(phase(), 0..60),
        seed in any::<u64>(),
        eager_bytes in prop::sample::select(vec![0, 8, 5_000, u64::MAX]),
        links in prop::sample::select(vec![None, None, Some(0.5), Some(10.0)]),
    ) {
        let (program, machine) = (program(ranks, &phases), machine(seed, eager_bytes, links));
        let trace = program.clone().simulate(&machine).unwrap();
        check_messages(&trace);
        check_collectives(&trace);

        // Parts of a few events, tasks of a rank, any number of threads: the same records.
        let whole = all_records(&trace);
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let tuning = Tuning { part_events: 12, grain: 1 };
            let tuned = pool.install(|| program.clone().simulate_tuned(&machine, tuning)).unwrap();
            prop_assert_eq!(&all_records(&tuned), &whole);
            prop_assert_eq!(backwards(&tuned), backwards(&trace));
        }
    }
}
