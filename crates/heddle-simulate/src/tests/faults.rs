//! That a planted fault does what it says, to the nanosecond, and nothing else.

use super::super::rank::Tuning;
use super::script::{Script, WORK, WORLD, plain};
use super::{records, stays};
use crate::{Algorithm, Collective, CollectiveKind, Fault, HaloOptions, Interconnect, Machine, Own, Simulation, halo};

fn fault(text: &str) -> Fault {
    Fault::parse(text, &|_| Ok("1\n2\n3\n1.5\n".to_owned())).unwrap()
}

fn with(faults: &[&str]) -> Machine {
    Machine { ranks_per_node: 2, faults: faults.iter().map(|text| fault(text)).collect(), ..plain() }
}

/// Four ranks compute ten times in stages of their own, 1000 ns in `work` and 500 ns in `step`, without a message.
fn alone(machine: &Machine) -> Simulation {
    let mut script = Script::new(4, |_, ops| {
        ops.compute(WORK, 1_000);
        ops.compute(Own(1), 500);
    });
    for stages in &mut script.stages {
        let stage = stages[0].clone();
        stages.resize_with(10, || stage.clone());
    }
    script.simulate_tuned(machine, Tuning { part_events: 9, grain: 1 }).unwrap()
}

/// How long each stay was.
fn lengths(trace: &Simulation, rank: u32, name: &str) -> Vec<i64> {
    stays(trace, rank, name).iter().map(|(start, end)| end - start).collect()
}

#[test]
fn a_stall_prolongs_one_visit() {
    // The first computation begins at 2416, after two levels of a tree; the fifth of `work` runs from 8416 to 9416.
    let trace = alone(&with(&["stall:rank=2,at=9us,for=14ms"]));
    let mut expected = vec![1_000; 10];
    assert_eq!(lengths(&trace, 1, "work"), expected);
    expected[4] += 14_000_000;
    assert_eq!(lengths(&trace, 2, "work"), expected);
    assert_eq!(lengths(&trace, 2, "step"), [500; 10]);
    assert_eq!(stays(&trace, 2, "work")[4], (8_416, 14_009_416));
    let twice = alone(&with(&["stall:rank=2,at=9us,for=100ns", "stall:node=1,at=0ns,for=7ns"]));
    expected[0] = 1_007;
    expected[4] = 1_100;
    assert_eq!(lengths(&twice, 2, "work"), expected);
    expected[4] = 1_000;
    assert_eq!(lengths(&twice, 3, "work"), expected, "of the same node, with the second stall only");
}

#[test]
fn slow_ranks_are_slow_where_and_when_it_says() {
    let trace = alone(&with(&["slow:node=1,factor=1.8,function=step"]));
    for (rank, step) in [(0, 500), (1, 500), (2, 900), (3, 900)] {
        assert_eq!(lengths(&trace, rank, "work"), [1_000; 10]);
        assert_eq!(lengths(&trace, rank, "step"), [step; 10]);
    }
    // From the third visit, which begins at 5416, until before the sixth, which would now begin at 12916.
    let trace = alone(&with(&["slow:ranks=0+3,factor=2,from=5416ns,until=14us,function=work"]));
    assert_eq!(lengths(&trace, 3, "work"), [1_000, 1_000, 2_000, 2_000, 2_000, 2_000, 1_000, 1_000, 1_000, 1_000]);
    assert_eq!(lengths(&trace, 1, "work"), [1_000; 10]);
}

#[test]
fn a_slow_rank_is_the_same_as_with_the_option() {
    let options = HaloOptions { ranks: 16, iterations: 20, ..HaloOptions::default() };
    let by_fault = Machine { faults: vec![fault("slow:rank=5,factor=1.7")], ..Machine::default() };
    let by_option = Machine { slow_ranks: vec![5], slow_factor: 1.7, ..Machine::default() };
    let (one, other) = (halo(&options, &by_fault).unwrap(), halo(&options, &by_option).unwrap());
    for rank in 0..16 {
        assert!(records(&one, rank).iter().eq(records(&other, rank).iter()), "rank {rank}");
    }
}

#[test]
fn a_drift_grows_from_one_to_its_end() {
    let trace = alone(&with(&["drift:rank=1,to=1.9"]));
    let expected: Vec<i64> = (0..10).map(|stage| 1_000 + 100 * stage).collect();
    assert_eq!(lengths(&trace, 1, "work"), expected);
    assert_eq!(lengths(&trace, 0, "work"), [1_000; 10]);
    // 1 + 100000 t, with t in seconds: twice as long after 10 microseconds.
    let trace = alone(&with(&["drift:rank=1,per-second=100000"]));
    for (start, end) in stays(&trace, 1, "work") {
        assert_eq!(end - start, 1_000 + (start as f64 / 10.0).round() as i64);
    }
}

#[test]
fn factors_and_imbalance_are_by_rank() {
    for (faults, expected) in [
        (&["factors:file=any"][..], [1_000, 2_000, 3_000, 1_500]),
        (&["imbalance:to=1.6"], [1_000, 1_200, 1_400, 1_600]),
        (&["imbalance:to=1.9,shape=hill"], [1_000, 1_800, 1_800, 1_000]),
        (&["imbalance:to=1.6", "slow:rank=3,factor=2"], [1_000, 1_200, 1_400, 3_200]),
    ] {
        let trace = alone(&with(faults));
        for (rank, work) in (0..).zip(expected) {
            assert_eq!(lengths(&trace, rank, "work"), [work; 10], "{faults:?}, rank {rank}");
        }
    }
}

#[test]
fn periodic_noise_takes_the_processor_away() {
    let trace = alone(&with(&["noise:rank=0,every=5us,for=300ns,at=3us"]));
    // Away from 3000, 8000, 13000 and 18000 on, for 300 each; it computes for 15000 from 2416 on.
    assert_eq!(stays(&trace, 0, "work")[0], (2_416, 3_716));
    assert_eq!(lengths(&trace, 0, "work").iter().sum::<i64>() + lengths(&trace, 0, "step").iter().sum::<i64>(), 16_200);
    assert_eq!(lengths(&trace, 1, "work"), [1_000; 10]);
    // Without a time every rank has one of its own.
    let all = alone(&with(&["noise:every=5us,for=300ns"]));
    let firsts: Vec<_> = (0..4).map(|rank| lengths(&all, rank, "work")).collect();
    assert!(firsts.windows(2).any(|pair| pair[0] != pair[1]), "{firsts:?}");
}

#[test]
fn a_clock_shifts_the_records_of_its_rank_only() {
    let exchange = |faults: &[&str]| {
        let script = Script::new(4, |rank, ops| {
            ops.compute(WORK, 1_000);
            ops.sendrecv((rank + 1) % 4, (rank + 3) % 4, 0, 600, WORLD);
        });
        script.simulate(&with(faults)).unwrap()
    };
    let right = exchange(&[]);
    let times = |trace: &Simulation, rank| records(trace, rank).iter().map(|(time, _)| time.0).collect::<Vec<i64>>();
    for (faults, offsets) in [
        (&["clock:rank=2,offset=3us"][..], [0, 0, 3_000, 0]),
        (&["clock:rank=2,offset=-3us"], [3_000, 3_000, 0, 3_000]),
        (&["clock:node=1,offset=1us", "clock:rank=3,offset=1us"], [0, 0, 1_000, 2_000]),
        (&["clock:ranks=0-3,offset=1us"], [0, 0, 0, 0]),
    ] {
        let wrong = exchange(faults);
        for (rank, offset) in (0..).zip(offsets) {
            let shifted: Vec<i64> = times(&right, rank).iter().map(|time| time + offset).collect();
            assert_eq!(times(&wrong, rank), shifted, "{faults:?}, rank {rank}");
        }
    }
    let drifting = exchange(&["clock:rank=1,drift=0.01"]);
    let expected: Vec<i64> = times(&right, 1).iter().map(|time| time + (*time as f64 * 0.01).round() as i64).collect();
    assert_eq!(times(&drifting, 1), expected);
    assert_eq!(times(&drifting, 0), times(&right, 0));
    assert_eq!(records(&drifting, 1).last.map(|last| last.0), expected.last().copied());
}

/// When messages from rank 0 to each other rank are received, counted from when all begin, with a network of their own and over links
/// that are never in the way.
fn deliveries(faults: &[&str], bytes: u64) -> Vec<i64> {
    let links = Interconnect { link_bandwidth: Some(1e9), ..Interconnect::new("2".parse().unwrap()) };
    let [alone, linked] = [None, Some(links)].map(|interconnect| {
        let script = Script::new(4, |rank, ops| {
            if rank == 0 {
                (1..4).for_each(|to| ops.isend(to, 0, bytes, WORLD));
                ops.waitall();
            } else {
                ops.recv(0, 0, bytes, WORLD);
            }
        });
        let trace = script.simulate(&Machine { interconnect, ..with(faults) }).unwrap();
        let start = stays(&trace, 0, "MPI_Init")[0].1;
        (1..4).map(|rank| stays(&trace, rank, "MPI_Recv")[0].1 - start).collect::<Vec<_>>()
    });
    assert_eq!(alone, linked, "{faults:?}");
    alone
}

#[test]
fn slow_messages_are_those_of_the_link_the_card_or_the_network() {
    // Handed over at 100, 200, 300; the card takes 400 for each; then 400 + 1000 on the wire and 100 to receive.
    assert_eq!(deliveries(&[], 400), [1_600, 2_000, 2_400]);
    assert_eq!(deliveries(&["link:ranks=2-0,factor=3"], 400), [1_600, 4_800, 2_400]);
    assert_eq!(deliveries(&["link:nodes=0-1,factor=3"], 400), [1_600, 4_800, 5_200]);
    assert_eq!(deliveries(&["card:rank=3,factor=2"], 400), [1_600, 2_000, 3_800]);
    // The sender's own card is busy for twice as long; but rank 1 is on the same node.
    assert_eq!(deliveries(&["card:rank=0,factor=2"], 400), [3_000, 3_800, 4_600]);
    assert_eq!(deliveries(&["card:node=0,factor=2"], 400), [1_600, 3_400, 4_200]);
    assert_eq!(deliveries(&["network:factor=2"], 400), [3_000, 3_800, 4_600]);
    // Two of a kind: the slowest decides; a slow network comes on top.
    assert_eq!(deliveries(&["card:rank=3,factor=2", "link:ranks=0-3,factor=1.5"], 400), [1_600, 2_000, 3_800]);
    assert_eq!(deliveries(&["card:rank=3,factor=2", "network:factor=2"], 400), [3_000, 3_800, 7_400]);
    // In force from 2900 on, that is 484 after the start: for the second, which leaves the card at 500, and the third. The
    // card itself is as slow as when it is given the message.
    assert_eq!(deliveries(&["network:factor=2,from=2900ns"], 400), [1_600, 3_400, 3_800]);
    assert_eq!(deliveries(&["network:factor=2,from=2416ns,until=2600ns"], 400)[0], 3_000);
}

#[test]
fn slow_messages_by_rendezvous_are_slow_three_times() {
    // Request and answer take L each, then the data goes.
    assert_eq!(deliveries(&[], 600), [3_800, 4_400, 5_000]);
    // Over the link: asked at 3200, answered at 6200, there at 6200 + 1800 + 3000. The third does not wait for it.
    assert_eq!(deliveries(&["link:ranks=0-2,factor=3"], 600), [3_800, 11_100, 4_400]);
}

#[test]
fn a_collective_that_is_one_event_waits_for_a_slow_card_once() {
    let sum = Collective { kind: CollectiveKind::Allreduce, algorithm: Algorithm::Synchronising, root: 0, bytes: 8 };
    let took = |faults: &[&str]| {
        let trace = Script::new(4, |_, ops| ops.collective(sum, WORLD)).simulate(&with(faults)).unwrap();
        lengths(&trace, 1, "MPI_Allreduce")[0]
    };
    // Two levels of L + 2o + 8G.
    assert_eq!(took(&[]), 2 * 1_208);
    assert_eq!(took(&["card:rank=3,factor=3"]), 1_208 + 200 + 3 * 1_008);
    assert_eq!(took(&["network:factor=3"]), 2 * (200 + 3 * 1_008));
}

#[test]
fn faults_are_the_same_with_any_number_of_threads() {
    let options = HaloOptions { ranks: 300, iterations: 20, ..HaloOptions::default() };
    let texts = [
        "slow:ranks=3-80,factor=1.5,from=2ms",
        "stall:rank=7,at=5ms,for=3ms",
        "noise:every=1ms,for=100us",
        "drift:rank=9,to=2",
        "card:rank=30,factor=3",
        "link:ranks=1-2,factor=9",
        "network:factor=2,until=9ms",
        "clock:rank=4,offset=1ms",
    ];
    let machine = Machine { faults: texts.map(fault).to_vec(), ..Machine::default() };
    let [one, four] = [1, 4].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| halo(&options, &machine).unwrap())
    });
    for rank in 0..300 {
        assert!(records(&one, rank).iter().eq(records(&four, rank).iter()), "rank {rank}");
    }
}

#[test]
fn links_that_are_shared_carry_a_slow_network_slowly() {
    // Both ranks of a node send 400 bytes over its one link, which now takes 800 for each.
    let links = Interconnect::new("2".parse().unwrap());
    let script = |machine: &Machine| {
        let script = Script::new(4, |rank, ops| match rank {
            0 | 1 => ops.send(rank + 2, 0, 400, WORLD),
            _ => ops.recv(rank - 2, 0, 400, WORLD),
        });
        let trace = script.simulate(machine).unwrap();
        let start = stays(&trace, 0, "MPI_Init")[0].1;
        [2, 3].map(|rank| stays(&trace, rank, "MPI_Recv")[0].1 - start)
    };
    let machine = |faults: &[&str]| Machine { interconnect: Some(links.clone()), ..with(faults) };
    assert_eq!(script(&machine(&[])), [1_600, 2_000]);
    assert_eq!(script(&machine(&["network:factor=2"])), [3_000, 3_800]);
    assert_eq!(script(&machine(&["card:rank=1,factor=2"])), [1_600, 3_400]);
}

#[test]
fn a_fault_that_changes_nothing_is_refused() {
    let script = || Script::new(4, |_, ops| ops.compute(WORK, 1_000));
    for (text, words) in [
        (
            "stall:rank=2,at=5us,for=1us",
            "the fault stall changes nothing: nobody there computes after 0.005 ms; the run lasts 0.003416 ms",
        ),
        (
            "slow:rank=2,factor=2,function=step",
            "the fault slow changes nothing: nobody there computes in step then; the run lasts 0.003416 ms",
        ),
        (
            "slow:rank=2,factor=2,function=stencil",
            "fault slow: script has no function stencil; its functions are work, step, part",
        ),
        ("slow:rank=4,factor=2", "fault slow: rank 4 does not exist: the last of 4 ranks is 3"),
        ("card:node=2,factor=2", "fault card: node 2 does not exist: the last of 2 nodes is 1"),
        ("card:rank=2,factor=0.5", "fault card: factor is 0.5; it must be from 1 to 1000000"),
        (
            "link:ranks=0-1,factor=2",
            "the fault link changes nothing: no message goes that way; the run lasts 0.003416 ms",
        ),
        ("slow:rank=1,factor=2,from=5ms,until=5ms", "fault slow: it ends before it begins"),
        ("noise:every=1ms,for=1ms", "fault noise: it must be shorter than its interval"),
        ("clock:rank=1,drift=1", "fault clock: drift is 1; it must be from -0.5 to 0.5"),
    ] {
        assert_eq!(script().simulate(&with(&[text])).unwrap_err().to_string(), words, "{text}");
    }
    let three = Script::new(3, |_, ops| ops.compute(WORK, 1_000));
    let words = "fault factors: there are 4 factors, but the program has 3 ranks";
    assert_eq!(three.simulate(&with(&["factors:file=any"])).unwrap_err().to_string(), words);
}
