//! Whole simulations of the stencil code: that they keep the laws of message passing, and the numbers of a case done by
//! hand. The modules below have other programs.

mod contention;
mod faults;
mod hand;
pub(crate) mod random;
mod script;
mod steps;
mod wrong;

use std::process::Command;

use heddle_formats::{MemoryFiles, MemoryScratch, Output, otf2};
use heddle_model::{CollectiveOp, CommId, Event, LocationId, MessageEnd, Ns, RecordBlock, RegionId, RequestId, Source};
use heddle_testkit::Folder;
use rustc_hash::{FxHashMap, FxHashSet};

use super::*;

/// All parts of a rank in one block.
pub(super) fn records(trace: &Simulation, rank: u32) -> RecordBlock {
    let mut block = RecordBlock::default();
    for part in trace.parts().iter().filter(|part| part.location == LocationId(rank)) {
        trace.read(part, &mut block).unwrap();
    }
    block
}

pub(super) fn region(trace: &Simulation, name: &str) -> RegionId {
    RegionId(trace.definitions().regions.iter().position(|region| region.name == name).unwrap() as u32)
}

/// Start and end of every stay in a region.
pub(super) fn stays(trace: &Simulation, rank: u32, name: &str) -> Vec<(i64, i64)> {
    let (wanted, mut stays) = (region(trace, name), Vec::new());
    for (time, event) in records(trace, rank).iter() {
        match event {
            Event::Enter(region) if region == wanted => stays.push((time.0, i64::MIN)),
            Event::Leave(Some(region)) if region == wanted => stays.last_mut().unwrap().1 = time.0,
            _ => {}
        }
    }
    stays
}

#[test]
fn two_ranks_by_hand() {
    let options = HaloOptions {
        ranks: 2,
        iterations: 1,
        bytes: 500,
        compute_ns: 10_000,
        allreduce_every: 1,
        periodic: false,
        ..HaloOptions::default()
    };
    let machine = Machine {
        noise: 0.0,
        slow_ranks: vec![1],
        slow_factor: 2.0,
        network: LogGp { latency_ns: 1_000, overhead_ns: 100, gap_ns: 50, gap_per_byte: 1.0, eager_bytes: 500 },
        ..Machine::default()
    };
    let trace = halo(&options, &machine).unwrap();
    // One level of the tree: L + 2o + 8G = 1208.
    assert_eq!(stays(&trace, 0, "MPI_Init"), [(0, 1_208)]);
    assert_eq!(stays(&trace, 0, "compute"), [(1_208, 11_208)]);
    assert_eq!(stays(&trace, 0, "MPI_Irecv"), [(11_208, 11_308)]);
    assert_eq!(stays(&trace, 0, "MPI_Isend"), [(11_308, 11_408)]);
    assert_eq!(stays(&trace, 1, "MPI_Isend"), [(21_308, 21_408)]);
    // Sent at 21308, there after o + L + 500G = 1600, o to take it.
    assert_eq!(stays(&trace, 0, "MPI_Waitall"), [(11_408, 23_008)]);
    assert_eq!(stays(&trace, 1, "MPI_Waitall"), [(21_408, 21_508)], "its message has long been there");
    assert_eq!(stays(&trace, 0, "MPI_Allreduce"), [(23_008, 24_216)]);
    assert_eq!(stays(&trace, 1, "MPI_Allreduce"), [(21_508, 24_216)]);
    assert_eq!(stays(&trace, 1, "iterate"), [(1_208, 24_216)]);
    assert_eq!(stays(&trace, 1, "MPI_Finalize"), [(24_216, 25_424)]);
    assert_eq!(stays(&trace, 0, "main"), [(0, 25_424)]);

    let block = records(&trace, 0);
    assert_eq!(block.last, Some(Ns(25_424)));
    assert_eq!(block.events, block.len() as u64);
    // In a column of two, rank 1 lies up the second axis: direction 3; its messages travel in direction 2.
    let up = MessageEnd { peer: LocationId(1), comm: CommId(0), tag: 3, bytes: 500, request: RequestId(1) };
    let down = MessageEnd { tag: 2, request: RequestId(0), ..up };
    let messages: Vec<_> =
        block.iter().filter(|(_, event)| matches!(event, Event::Isend(_) | Event::Irecv(_))).collect();
    assert_eq!(messages, [(Ns(11_308), Event::Isend(up)), (Ns(23_008), Event::Irecv(down))]);
}

type Ends = FxHashMap<(u32, u32, u32), Vec<i64>>;

fn message_ends(trace: &Simulation) -> (Ends, Ends) {
    let (mut sends, mut receives) = (Ends::default(), Ends::default());
    for rank in 0..trace.program().info().ranks {
        for (time, event) in records(trace, rank).iter() {
            match event {
                Event::Isend(end) => sends.entry((rank, end.peer.0, end.tag)).or_default().push(time.0),
                Event::Irecv(end) => receives.entry((end.peer.0, rank, end.tag)).or_default().push(time.0),
                _ => {}
            }
        }
    }
    (sends, receives)
}

fn several() -> impl Iterator<Item = (HaloOptions, Simulation)> {
    let shapes = [
        (1, Dimensions::Two),
        (2, Dimensions::Three),
        (12, Dimensions::Two),
        (27, Dimensions::Three),
        (40, Dimensions::Three),
    ];
    let options = shapes.into_iter().flat_map(|(ranks, dimensions)| {
        [false, true].map(|periodic| HaloOptions {
            ranks,
            iterations: 23,
            dimensions,
            periodic,
            allreduce_every: 5,
            compute_ns: 20_000,
            ..HaloOptions::default()
        })
    });
    let machine = Machine { noise: 0.3, ..Machine::default() };
    options.map(move |options| (options.clone(), halo(&options, &machine).unwrap()))
}

#[test]
fn every_send_has_its_receive_and_none_is_faster_than_the_wire() {
    for (_, trace) in several() {
        let (sends, receives) = message_ends(&trace);
        assert_eq!(sends.len(), receives.len());
        let latency = trace.machine().network.latency_ns as i64;
        for (key, sent) in &sends {
            let received = &receives[key];
            assert_eq!(sent.len(), received.len(), "{key:?}");
            assert!(sent.iter().zip(received).all(|(sent, received)| *received >= sent + latency), "{key:?}");
        }
    }
}

#[test]
fn times_never_fall_and_regions_nest() {
    for (options, trace) in several() {
        let mut spans = 0;
        let mut earliest = i64::MAX;
        for rank in 0..trace.program().info().ranks {
            let (mut before, mut open, mut requests) = (0, Vec::new(), FxHashSet::default());
            for (time, event) in records(&trace, rank).iter() {
                assert!(time.0 >= before);
                before = time.0;
                earliest = earliest.min(before);
                match event {
                    Event::Enter(region) => open.push(region),
                    Event::Leave(region) => {
                        assert_eq!(open.pop(), region);
                        spans += 1;
                    }
                    Event::Isend(MessageEnd { request, .. }) | Event::RecvRequest(request) => {
                        assert!(requests.insert(request));
                    }
                    Event::Irecv(MessageEnd { request, .. }) | Event::SendComplete(request) => {
                        assert!(requests.remove(&request));
                        assert_eq!(open.last(), Some(&region(&trace, "MPI_Waitall")));
                    }
                    _ => {}
                }
            }
            assert!(open.is_empty() && requests.is_empty());
        }
        assert_eq!(earliest, 0);
        assert_eq!(spans, spans_of(&options), "{options:?}");
    }
}

#[test]
fn collectives_are_complete_and_nobody_leaves_before_the_last_has_come() {
    for (_, trace) in several() {
        let ranks = trace.program().info().ranks;
        let stays: Vec<_> = (0..ranks).map(|rank| stays(&trace, rank, "MPI_Allreduce")).collect();
        assert!(stays.iter().all(|stays| stays.len() == 4));
        for instance in 0..4 {
            let last_in = stays.iter().map(|stays| stays[instance].0).max().unwrap();
            let first_out = stays.iter().map(|stays| stays[instance].1).min().unwrap();
            assert!(first_out >= last_in);
        }
        for rank in 0..ranks {
            let block = records(&trace, rank);
            let begins = block.iter().filter(|(_, event)| *event == Event::CollectiveBegin).count();
            let ends: Vec<_> = block
                .iter()
                .filter_map(|(_, event)| if let Event::CollectiveEnd(end) = event { Some(end) } else { None })
                .collect();
            assert_eq!((begins, ends.len()), (4, 4));
            assert!(ends.iter().all(|end| end.op == CollectiveOp::ALLREDUCE && end.root == LocationId::NONE));
        }
    }
}

fn all_records(trace: &Simulation) -> Vec<String> {
    (0..trace.program().info().ranks)
        .map(|rank| format!("{:?}", records(trace, rank).iter().collect::<Vec<_>>()))
        .collect()
}

#[test]
fn the_seed_decides_and_the_threads_do_not() {
    let options = HaloOptions { ranks: 5_000, iterations: 6, allreduce_every: 3, ..HaloOptions::default() };
    let with_threads = |count| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
        pool.install(|| all_records(&halo(&options, &Machine::default()).unwrap()))
    };
    let one = with_threads(1);
    assert!(one == with_threads(8));
    let other = Machine { seed: 2, ..Machine::default() };
    assert!(one != all_records(&halo(&options, &other).unwrap()));
}

#[test]
fn a_slow_rank_makes_its_neighbours_wait() {
    let options = HaloOptions { iterations: 4, allreduce_every: 1, ..HaloOptions::default() };
    let machine = Machine { slow_ranks: vec![27], slow_factor: 3.0, ..Machine::default() };
    let trace = halo(&options, &machine).unwrap();
    let waits: Vec<i64> =
        (0..64).map(|rank| stays(&trace, rank, "MPI_Waitall").iter().map(|(start, end)| end - start).sum()).collect();
    let average = waits.iter().sum::<i64>() / 64;
    for neighbour in [26, 28, 19, 35] {
        assert!(waits[neighbour] > 5 * average, "rank {neighbour}: {} of {average}", waits[neighbour]);
    }
    assert!(waits[27] < average, "it is itself never late to wait");
}

#[test]
fn parts_are_small_and_join_without_a_seam() {
    let options = HaloOptions { ranks: 4, iterations: 3_000, allreduce_every: 7, ..HaloOptions::default() };
    let trace = halo(&options, &Machine::default()).unwrap();
    assert!(trace.parts().len() > 4);
    assert!(trace.parts().iter().all(|part| part.bytes <= 1 << 20));
    assert!(trace.parts().is_sorted_by_key(|part| (part.location, part.index)));
    assert_eq!(stays(&trace, 3, "iterate").len(), 3_000);
    let events: usize = (0..4).map(|rank| records(&trace, rank).len()).sum();
    assert!(trace.kept_bytes() < events, "{} bytes for {events} events", trace.kept_bytes());
    let mut spans = 0;
    for rank in 0..4 {
        spans += records(&trace, rank).iter().filter(|(_, event)| matches!(event, Event::Leave(_))).count();
    }
    assert_eq!(spans as u64, spans_of(&options));
}

#[test]
fn the_reference_printer_reads_it() {
    if Command::new("otf2-print").arg("--version").output().is_err() {
        println!("skipped: no otf2-print on the PATH");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let options = HaloOptions { ranks: 12, iterations: 50, ..HaloOptions::default() };
    let trace = halo(&options, &Machine::default()).unwrap();
    let summary =
        otf2::write(&trace, &Output::new("halo", &Folder(folder.path().to_owned()), &MemoryScratch::default()))
            .unwrap();
    assert_eq!(summary.locations, 12);
    let output = Command::new("otf2-print").arg("-Werror").arg(folder.path().join("halo.otf2")).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let count = |word: &str| text.lines().filter(|line| line.split(' ').next() == Some(word)).count() as u64;
    assert_eq!((count("ENTER"), count("LEAVE")), (spans_of(&options), spans_of(&options)));
    assert_eq!(count("MPI_ISEND"), 12 * 4 * 50);
    assert_eq!(count("MPI_IRECV"), 12 * 4 * 50);
    assert_eq!(count("MPI_COLLECTIVE_END"), 12 * 5);
}

#[test]
fn what_was_written_is_read_again() {
    let files = MemoryFiles::default();
    let options = HaloOptions { ranks: 6, iterations: 2_000, ..HaloOptions::default() };
    let trace = halo(&options, &Machine::default()).unwrap();
    otf2::write(&trace, &Output::new("halo", &files, &MemoryScratch::default())).unwrap();
    let archive = otf2::Archive::open(&files, "halo").unwrap();
    for rank in 0..6 {
        let mut read = RecordBlock::default();
        for part in archive.parts().iter().filter(|part| part.location == LocationId(rank)) {
            archive.read(part, &mut read).unwrap();
        }
        assert!(records(&trace, rank).iter().eq(read.iter()), "rank {rank}");
    }
    // The reader keeps a region more, for ids that nothing defines.
    assert!(archive.definitions().regions.starts_with(&trace.definitions().regions));
    assert_eq!(archive.definitions().communicators, trace.definitions().communicators);
    assert_eq!(archive.definitions().locations.len(), 6);
    assert!(archive.warnings().is_empty());
}
