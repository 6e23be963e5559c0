//! That every program runs to its end on any number of ranks, and that its default run shows what it is there for.

use heddle_model::{Event, LocationId, RecordBlock, RegionId, Source};

use super::*;
use crate::tests::random::{check_collectives, check_messages};
use crate::{Interconnect, LogGp, Machine, Program, SimulateError, Simulation, simulate};

/// Rank counts without pattern: one, a prime, powers of two, and neither.
const COUNTS: [u32; 6] = [1, 2, 7, 12, 16, 64];

/// The stays of all ranks in all regions.
struct AllStays {
    names: Vec<String>,
    /// Region, start and end, by rank.
    stays: Vec<Vec<(RegionId, i64, i64)>>,
}

impl AllStays {
    fn of(simulation: &Simulation) -> AllStays {
        let definitions = simulation.definitions();
        let names = definitions.regions.iter().map(|region| region.name.clone()).collect();
        let mut stays: Vec<Vec<_>> = vec![Vec::new(); definitions.ranks()];
        let mut open = vec![Vec::new(); stays.len()];
        for part in simulation.parts() {
            let LocationId(rank) = part.location;
            let mut block = RecordBlock::default();
            simulation.read(part, &mut block).unwrap();
            for (time, event) in block.iter() {
                match event {
                    Event::Enter(region) => open[rank as usize].push((region, time.0)),
                    Event::Leave(_) => {
                        let (region, start) = open[rank as usize].pop().unwrap();
                        stays[rank as usize].push((region, start, time.0));
                    }
                    _ => {}
                }
            }
        }
        for stays in &mut stays {
            stays.sort_by_key(|(_, start, end)| (*start, -*end));
        }
        AllStays { names, stays }
    }

    fn stays(&self, rank: u32, name: &str) -> Vec<(i64, i64)> {
        let stays = self.stays[rank as usize].iter();
        stays
            .filter(|(region, ..)| self.names[region.0 as usize] == name)
            .map(|(_, start, end)| (*start, *end))
            .collect()
    }

    fn ranks(&self) -> u32 {
        self.stays.len() as u32
    }

    /// Time that all ranks together spend in calls of these names.
    fn time_in(&self, names: &[&str]) -> i64 {
        let durations =
            |rank| names.iter().flat_map(move |name| self.stays(rank, name)).map(|(start, end)| end - start);
        (0..self.ranks()).flat_map(durations).sum()
    }

    fn end(&self) -> i64 {
        self.stays.iter().flatten().map(|(.., end)| *end).max().unwrap_or(0)
    }

    /// The share of all ranks' time in calls of these names.
    fn share_of(&self, names: &[&str]) -> f64 {
        self.time_in(names) as f64 / (self.end() as f64 * f64::from(self.ranks()))
    }
}

fn quiet() -> Machine {
    Machine { noise: 0.0, ..Machine::default() }
}

fn run(program: impl Program + 'static, machine: &Machine) -> AllStays {
    AllStays::of(&simulate(program, machine).unwrap())
}

/// Every program on so many ranks, with its options varied.
fn programs(ranks: u32) -> Vec<Box<dyn Program>> {
    let mut all: Vec<Box<dyn Program>> = Vec::new();
    for order in [MergeTreeOrder::Original, MergeTreeOrder::Improved] {
        for (arity, bytes) in [(2, 1_000_000), (3, 8), (8, 0)] {
            let options = MergeTreeOptions { ranks, arity, order, bytes, rounds: 2, ..MergeTreeOptions::default() };
            all.push(Box::new(MergeTree::new(&options).unwrap()));
        }
    }
    for (order, part, slabs) in [
        (Pf3dOrder::Original, Pf3dPart::Both, 0),
        (Pf3dOrder::Fixed, Pf3dPart::Neighbours, 1),
        (Pf3dOrder::Fixed, Pf3dPart::Fft, ranks),
    ] {
        let options = Pf3dOptions { ranks, order, part, slabs, steps: 2, ..Pf3dOptions::default() };
        all.push(Box::new(Pf3d::new(&options).unwrap()));
    }
    for bytes in [0, 100_000] {
        all.push(Box::new(
            Uniform::new(&UniformOptions { ranks, bytes, rounds: 3, ..UniformOptions::default() }).unwrap(),
        ));
        all.push(Box::new(
            Nearest::new(&NearestOptions { ranks, bytes, rounds: 3, ..NearestOptions::default() }).unwrap(),
        ));
    }
    for panels in [1, 3, 20] {
        for form in [MatmulForm::Plain, MatmulForm::Transposed] {
            let options = MatmulOptions { ranks, panels, form, ..MatmulOptions::default() };
            all.push(Box::new(Matmul::new(&options).unwrap()));
        }
        all.push(Box::new(Lu::new(&LuOptions { ranks, panels, ..LuOptions::default() }).unwrap()));
        let options = InverseOptions { ranks, panels, pieces: panels, bytes: 1 << 20, ..InverseOptions::default() };
        all.push(Box::new(Inverse::new(&options).unwrap()));
        for (bytes, back_steps) in [(8, 0), (1 << 20, 5)] {
            let options = EigenOptions { ranks, steps: panels, bytes, back_steps, ..EigenOptions::default() };
            all.push(Box::new(Eigen::new(&options).unwrap()));
        }
        let options = OrthogonaliseOptions { ranks, blocks: panels, ..OrthogonaliseOptions::default() };
        all.push(Box::new(Orthogonalise::new(&options).unwrap()));
        let options = ScalapackOptions { ranks, panels, ..ScalapackOptions::default() };
        all.push(Box::new(Scalapack::new(&options).unwrap()));
        let options = MultigridOptions { ranks, cycles: 2, local_levels: panels.min(5), ..MultigridOptions::default() };
        all.push(Box::new(Multigrid::new(&options).unwrap()));
        let options = TrainOptions { ranks, buckets: panels, steps: 3, straggler: Some(0), ..TrainOptions::default() };
        all.push(Box::new(Train::new(&options).unwrap()));
    }
    all
}

#[test]
fn every_program_runs_on_any_number_of_ranks_and_keeps_the_laws() {
    for ranks in COUNTS {
        // Whether sends wait for their receives never or always must not lock anything up, nor must messages on shared links.
        let links = Interconnect { link_bandwidth: Some(1.0), ..Interconnect::new("3x2x3".parse().unwrap()) };
        let eager = [0, LogGp::default().eager_bytes, u64::MAX];
        for (eager_bytes, links) in eager.map(|bytes| (bytes, None)).into_iter().chain([(0, Some(links))]) {
            let network = LogGp { eager_bytes, ..LogGp::default() };
            let machine = Machine { network, ranks_per_node: 4, interconnect: links, ..Machine::default() };
            for (number, program) in programs(ranks).into_iter().enumerate() {
                let what = format!("{} ({number}) on {ranks}", program.info().name);
                let trace = simulate(program, &machine).map_err(|error| format!("{what}: {error}")).unwrap();
                assert_eq!(trace.definitions().ranks(), ranks as usize, "{what}");
                check_messages(&trace);
                check_collectives(&trace);
            }
        }
    }
}

#[test]
fn stages_are_short_and_communicators_few() {
    for ranks in [1, 1000, 1_048_576] {
        for program in programs(ranks) {
            let members: usize = program.communicators().iter().map(|(_, members)| members.len()).sum();
            assert!(members <= 3 * ranks as usize, "{}", program.info().name);
            for rank in [0, ranks / 3, ranks - 1] {
                let mut most = 0;
                for stage in 0..program.stages(rank) {
                    let mut ops = Ops::default();
                    program.stage(rank, stage, &mut ops);
                    most = most.max(ops.list.len());
                }
                assert!(
                    most <= 1100,
                    "{}: {most} operations in a stage of rank {rank} of {ranks}",
                    program.info().name
                );
            }
        }
    }
}

#[test]
fn nonsense_is_refused_in_words() {
    let words = |error: Option<SimulateError>| error.map(|error| error.to_string()).unwrap_or_default();
    let merge_tree = MergeTreeOptions { arity: 1, ..MergeTreeOptions::default() };
    assert_eq!(words(MergeTree::new(&merge_tree).err()), "arity is 1; it must be from 2 to 256");
    let pf3d = Pf3dOptions { ranks: 64, slabs: 5, ..Pf3dOptions::default() };
    assert_eq!(words(Pf3d::new(&pf3d).err()), "64 ranks cannot be cut into 5 slabs");
    let train = TrainOptions { ranks: 4, straggler: Some(4), ..TrainOptions::default() };
    assert!(words(Train::new(&train).err()).contains("rank 4 does not exist"));
    let lu = LuOptions { panels: 0, ..LuOptions::default() };
    assert_eq!(words(Lu::new(&lu).err()), "panels must be at least 1");
    let nearest = NearestOptions { ranks: 64, grid: Some([4, 4, 5]), ..NearestOptions::default() };
    assert_eq!(words(Nearest::new(&nearest).err()), "a grid of 4x4x5 does not hold 64 ranks");
    let uniform = UniformOptions { rounds: 0, ..UniformOptions::default() };
    assert_eq!(words(Uniform::new(&uniform).err()), "rounds must be at least 1");
    let scalapack = ScalapackOptions { operations: Vec::new(), ..ScalapackOptions::default() };
    assert_eq!(words(Scalapack::new(&scalapack).err()), "operations must be at least 1");
    for ranks in [0, u32::MAX] {
        assert!(Matmul::new(&MatmulOptions { ranks, ..MatmulOptions::default() }).is_err());
        assert!(Inverse::new(&InverseOptions { ranks, ..InverseOptions::default() }).is_err());
        assert!(Eigen::new(&EigenOptions { ranks, ..EigenOptions::default() }).is_err());
        assert!(Orthogonalise::new(&OrthogonaliseOptions { ranks, ..OrthogonaliseOptions::default() }).is_err());
        assert!(Multigrid::new(&MultigridOptions { ranks, ..MultigridOptions::default() }).is_err());
    }
}

#[test]
fn a_merge_tree_waits_less_when_leaves_come_last() {
    let idle = |ranks, order| {
        let options = MergeTreeOptions { ranks, order, ..MergeTreeOptions::default() };
        let trace = run(MergeTree::new(&options).unwrap(), &Machine::default());
        (trace.time_in(&["MPI_Recv"]), trace.end())
    };
    for ranks in [64, 512, 1000] {
        let (original, improved) = (idle(ranks, MergeTreeOrder::Original), idle(ranks, MergeTreeOrder::Improved));
        // On 64 ranks 90.6 ms of waiting instead of 127.2, on 512 ranks 1.44 s instead of 2.06, on 1,000 ranks 4.70 s
        // instead of 5.63, and the run is over after 88, 82 and 84 % of the time.
        assert!(100 * improved.0 < 86 * original.0, "{ranks} ranks: {improved:?} instead of {original:?}");
        assert!(100 * improved.1 < 90 * original.1, "{ranks} ranks: {improved:?} instead of {original:?}");
    }
}

#[test]
fn sends_of_pf3d_cascade_and_do_not_when_receives_are_posted_first() {
    let machine = quiet();
    let (hop, round) = {
        let network = machine.network;
        let wire = (Pf3dOptions::default().bytes as f64 * network.gap_per_byte).round() as i64;
        let (o, l) = (network.overhead_ns as i64, network.latency_ns as i64);
        (o + l + wire, 2 * o + 2 * l + wire)
    };
    for ranks in [64, 256] {
        for order in [Pf3dOrder::Original, Pf3dOrder::Fixed] {
            let program = Pf3d::new(&Pf3dOptions { ranks, order, steps: 1, ..Pf3dOptions::default() }).unwrap();
            let [slabs, rows, columns] = program.lengths();
            let trace = run(program, &machine);
            for plane in 0..slabs - 1 {
                let rank = plane * rows * columns;
                let (start, end) = trace.stays(rank, "MPI_Send")[0];
                // The last plane does not send, so the one before it waits for nobody; every plane before that for one more.
                let planes_before_it = i64::from(slabs - 2 - plane);
                let expected = match order {
                    Pf3dOrder::Original => round + planes_before_it * hop,
                    Pf3dOrder::Fixed => round,
                };
                assert_eq!(end - start, expected, "{order:?}, plane {plane} of {slabs}");
            }
        }
    }
}

/// Landge et al. 2012: all-to-alls of V/16 among the ranks of equal (y, z), of V/8 among those of equal (x, z), and V/16 to the
/// slabs before and behind, without a way around.
#[test]
fn transforms_of_pf3d_send_the_volume_along_x_and_y_and_a_sixteenth_both_ways_along_z() {
    let (ranks, volume) = (3 * 128, 16 * 1_000);
    let options = Pf3dOptions { ranks, part: Pf3dPart::Fft, steps: 1, fft_bytes: volume, ..Pf3dOptions::default() };
    let trace = simulate(Pf3d::new(&options).unwrap(), &quiet()).unwrap();
    for rank in 0..ranks {
        let (x, y, z) = (rank % 16, rank / 16 % 8, rank / 128);
        let (mut lines, mut sent, mut received) = (Vec::new(), Vec::new(), Vec::new());
        for (_, event) in crate::tests::records(&trace, rank).iter() {
            match event {
                Event::CollectiveEnd(end) => {
                    let members = &trace.definitions().communicators[end.comm.0 as usize].members;
                    let members: Vec<u32> = members.iter().map(|member| member.0).collect();
                    lines.push((end.op.name(), members, end.sent, end.received));
                }
                Event::Isend(end) => sent.push((end.peer.0, end.bytes)),
                Event::Irecv(end) => received.push((end.peer.0, end.bytes)),
                Event::Send(_) | Event::Recv(_) => panic!("no other messages"),
                _ => {}
            }
        }
        let x_line: Vec<u32> = (0..16).map(|x| x + 16 * y + 128 * z).collect();
        let y_line: Vec<u32> = (0..8).map(|y| x + 16 * y + 128 * z).collect();
        // Sent in all, so that each of 16 gets V/16 and each of 8 gets V/8.
        let all = ("alltoall", volume, volume);
        assert_eq!(lines, [(all.0, x_line, all.1, all.2), (all.0, y_line, all.1, all.2)]);
        let mut along_z = Vec::new();
        along_z.extend((z > 0).then(|| (rank - 128, volume / 16)));
        along_z.extend((z < 2).then(|| (rank + 128, volume / 16)));
        sent.sort_unstable();
        received.sort_unstable();
        assert_eq!((&sent, &received), (&along_z, &along_z), "rank {rank}");
    }
    let shape = |ranks, slabs, part| {
        Pf3d::new(&Pf3dOptions { ranks, slabs, part, ..Pf3dOptions::default() }).unwrap().lengths()
    };
    assert_eq!(shape(2_048, 0, Pf3dPart::Fft), [16, 8, 16]);
    assert_eq!(shape(2_048, 32, Pf3dPart::Fft), [32, 8, 8]);
    assert_eq!(shape(64, 0, Pf3dPart::Fft), [8, 2, 4], "too few for slabs of 128");
    assert_eq!(shape(1_024, 0, Pf3dPart::Neighbours), [32, 4, 8]);
}

#[test]
fn panels_of_lu_shrink_and_almost_all_is_receiving() {
    let options = LuOptions::default();
    let simulation = simulate(Lu::new(&options).unwrap(), &Machine::default()).unwrap();
    let trace = AllStays::of(&simulation);
    assert!(trace.time_in(&["MPI_Recv"]) > 10 * trace.time_in(&["MPI_Send"]));
    assert_eq!(trace.time_in(&["MPI_Reduce", "MPI_Bcast", "MPI_Allreduce"]), 0);
    let mut largest = vec![0; options.panels as usize];
    for part in simulation.parts() {
        let mut block = RecordBlock::default();
        simulation.read(part, &mut block).unwrap();
        for (_, event) in block.iter() {
            if let Event::Send(end) = event {
                let panel = end.tag as usize / 3;
                largest[panel] = end.bytes.max(largest[panel]);
            }
        }
    }
    assert!(largest.is_sorted_by(|one, next| one > next), "{largest:?}");
    assert_eq!(largest[0], options.bytes);
}

#[test]
fn a_larger_multiplication_leaves_less_time_to_compute() {
    let shares = [16, 64, 256, 1024].map(|ranks| {
        let options = MatmulOptions { ranks, ..MatmulOptions::default() };
        run(Matmul::new(&options).unwrap(), &Machine::default()).share_of(&["multiply"])
    });
    assert!(shares.is_sorted_by(|one, next| one > next), "{shares:?}");
    let trace = run(Matmul::new(&MatmulOptions::default()).unwrap(), &Machine::default());
    assert!(trace.time_in(&["MPI_Recv"]) > trace.time_in(&["MPI_Reduce"]));
    assert!(trace.time_in(&["MPI_Reduce"]) > trace.time_in(&["MPI_Send"]));
}

#[test]
fn sums_of_the_inverse_end_after_ever_longer_times() {
    let ranks = 64;
    let options = InverseOptions { ranks, pieces: 1, ..InverseOptions::default() };
    let trace = run(Inverse::new(&options).unwrap(), &quiet());
    let first: Vec<(i64, i64)> = (0..ranks).map(|rank| trace.stays(rank, "MPI_Reduce")[0]).collect();
    let starts = first.iter().map(|(start, _)| *start);
    assert_eq!(starts.clone().min(), starts.max(), "all enter together");
    let hop = (options.reduce_bytes as f64 * quiet().network.gap_per_byte) as i64;
    let hops = |(start, end): &(i64, i64)| ((end - start) as f64 / hop as f64).round() as usize;
    let mut ended = [0; 8];
    for stay in &first {
        ended[hops(stay)] += 1;
    }
    assert_eq!(ended, [32, 16, 8, 4, 2, 1, 1, 0], "half are through at once, half of the rest after each hop");
}

#[test]
fn the_broadcast_of_eigen_locks_more_and_more_ranks() {
    let options = EigenOptions::default();
    let trace = run(Eigen::new(&options).unwrap(), &Machine::default());
    let long: Vec<(i64, i64)> = (0..options.ranks).map(|rank| trace.stays(rank, "MPI_Bcast")[0]).collect();
    let first = long.iter().map(|(start, _)| *start).min().unwrap();
    let last = long.iter().map(|(start, _)| *start).max().unwrap();
    let locked = |time: i64| long.iter().filter(|(start, end)| (*start..*end).contains(&time)).count();
    let counts: Vec<usize> = (0..=8).map(|eighth| locked(first + (last - first) * eighth / 8)).collect();
    assert!(counts.is_sorted(), "{counts:?}");
    assert!(counts[0] <= 8 && counts[4] >= 24 && counts[7] >= 48, "{counts:?}");
    let longest = long.iter().map(|(start, end)| end - start).max().unwrap();
    assert!(2 * longest > trace.end(), "some are locked for more than half of the run: {longest} of {}", trace.end());
}

#[test]
fn orthogonalisation_is_four_operations_and_all_agree_between_them() {
    let options = OrthogonaliseOptions::default();
    let trace = run(Orthogonalise::new(&options).unwrap(), &Machine::default());
    assert!(trace.share_of(&["scale"]) < 0.01, "one of them takes nearly no time");
    for rank in 0..options.ranks {
        let operations = ["syrk", "potrf", "trsm"].map(|name| trace.stays(rank, name));
        assert!(operations.iter().all(|stays| stays.len() == 1));
        let sums = trace.stays(rank, "MPI_Allreduce");
        for operation in operations.iter().flatten() {
            assert!(sums.iter().any(|sum| sum.0 > operation.0 && sum.1 == operation.1), "all agree at its end");
        }
    }
    for name in ["MPI_Send", "MPI_Recv", "MPI_Reduce", "MPI_Allreduce"] {
        assert!(trace.time_in(&[name]) > 0, "{name}");
    }
}

#[test]
fn the_solve_of_the_orthogonalisation_has_long_sends_and_receives_that_do_not_end_together() {
    let options = OrthogonaliseOptions::default();
    let trace = run(Orthogonalise::new(&options).unwrap(), &Machine::default());
    let (rows, columns) = (8, 8);
    let length = |stay: &(i64, i64)| stay.1 - stay.0;
    for name in ["MPI_Send", "MPI_Recv"] {
        let mut usual = Vec::new();
        for row in 0..rows {
            // The rank on the diagonal is the bottleneck.
            let others = (0..columns).filter(|column| *column != row).map(|column| row * columns + column);
            let mut ends = Vec::new();
            for rank in others {
                let solve = trace.stays(rank, "trsm")[0];
                let mut stays = trace.stays(rank, name);
                stays.sort_by_key(length);
                let longest = stays.pop().unwrap();
                assert!(solve.0 < longest.0 && longest.1 < solve.1, "it is in the solve");
                usual.extend(stays.iter().map(length));
                ends.push((longest.1, length(&longest)));
            }
            ends.sort_unstable();
            let transfer = options.collected_bytes as i64 * 8 / 100;
            let apart = |pair: &[(i64, i64)]| pair[1].0 - pair[0].0 >= transfer;
            assert!(ends.windows(2).all(apart), "{name} in row {row} end one after the other: {ends:?}");
            assert!(ends.last().unwrap().1 > 5 * transfer, "{ends:?}");
        }
        usual.sort_unstable();
        assert!(usual[usual.len() / 2] * 10 < options.collected_bytes as i64 * 8 / 100 * 7, "others are short");
    }
}

/// The network of 2009's Cray XT4: 6 µs, 1.6 GB/s.
fn network_of_2009() -> Machine {
    let network = LogGp { latency_ns: 6_000, gap_per_byte: 1.0 / 1.6, ..LogGp::default() };
    Machine { network, noise: 0.2, ..Machine::default() }
}

#[test]
fn with_as_much_work_for_each_communication_wins_on_many_ranks() {
    let of = |ranks| {
        let operations = vec![MatrixOperation::Matmul];
        let (panels, startup_bytes, same_work) = (6, 16 * 1024, true);
        let options = ScalapackOptions { ranks, operations, panels, startup_bytes, same_work };
        let trace = run(Scalapack::new(&options).unwrap(), &network_of_2009());
        let computing = trace.time_in(&["multiply"]);
        // Of the multiplication, which some ranks begin before others.
        let share = computing as f64 / trace.time_in(&["matmul"]) as f64;
        (computing / i64::from(ranks), share)
    };
    let [(one, small), (_, middle), (other, large)] = [64, 512, 4096].map(of);
    assert!((one - other).abs() * 20 < one, "as much work: {one} and {other}");
    assert!(small > 0.35 && middle < 0.8 * small && large < 0.6 * middle && large < 0.2, "{small} {middle} {large}");
}

#[test]
fn few_ranks_work_on_the_coarse_grids_and_the_others_wait() {
    let options = MultigridOptions { cycles: 1, ..MultigridOptions::default() };
    let trace = run(Multigrid::new(&options).unwrap(), &quiet());
    // Three levels of all 64, then one of 8 and one of a single rank; all but the coarsest are smoothed down and up.
    let smoothings: Vec<usize> = (0..64).map(|rank| trace.stays(rank, "smooth").len()).collect();
    let with = |count: usize| smoothings.iter().filter(|smoothings| **smoothings == count).count();
    assert_eq!([with(6), with(8), with(9)], [56, 7, 1]);
    // What rank 0 does on the coarse levels, the last rank waits for.
    let (coarse_start, coarse_end) = (trace.stays(0, "smooth")[3].0, trace.stays(0, "smooth")[5].1);
    let wait = trace.stays(63, "MPI_Recv").into_iter().max_by_key(|(start, end)| end - start).unwrap();
    assert!(wait.0 < coarse_start && coarse_end < wait.1, "{wait:?} {coarse_start} {coarse_end}");
}

#[test]
fn others_wait_for_the_straggler_and_it_does_not() {
    let options = TrainOptions::default();
    let trace = run(Train::new(&options).unwrap(), &Machine::default());
    let waits = |rank| -> [i64; 2] {
        let all = trace.stays(rank, "MPI_Waitall");
        let (before, after) = all.split_at(options.straggler_from as usize);
        [before, after].map(|waits| waits.iter().map(|(start, end)| end - start).sum::<i64>() / waits.len() as i64)
    };
    let slow = waits(options.straggler());
    let slower_by = (3.1 * options.forward_ns as f64 * (options.straggler_factor - 1.0)) as i64;
    for rank in (0..options.ranks).filter(|rank| *rank != options.straggler()) {
        let [before, after] = waits(rank);
        assert!(after - before > slower_by * 8 / 10, "rank {rank}: {before} before, {after} after");
        assert!(after > 2 * slow[1], "rank {rank}: {after}, the straggler {slow:?}");
    }
}

#[test]
fn the_start_of_scalapack_grows_until_it_overlaps_the_first_operation() {
    let times = |ranks| {
        let operations = vec![MatrixOperation::Matmul];
        let options = ScalapackOptions { ranks, operations, ..ScalapackOptions::default() };
        let trace = run(Scalapack::new(&options).unwrap(), &Machine::default());
        let starts: Vec<i64> = (0..ranks).map(|rank| trace.stays(rank, "matmul")[0].0).collect();
        let (first, last) = (*starts.iter().min().unwrap(), *starts.iter().max().unwrap());
        let multiplied: Vec<i64> = (0..ranks).map(|rank| trace.stays(rank, "multiply")[0].1).collect();
        let early = multiplied.iter().filter(|end| **end < last).count();
        // The last start, the time from the first start to the last, the operation, and how many have multiplied before.
        (last, last - first, trace.end() - last, early)
    };
    let (small, middle, large, huge) = (times(64), times(1024), times(4096), times(16_384));
    assert!(middle.0 > 12 * small.0 && large.0 > 3 * middle.0 && huge.0 > 3 * large.0);
    assert!(2 * middle.0 < middle.2 && large.0 > large.2, "setting up takes longer than multiplying");
    assert!(10 * small.1 < small.2, "no overlap to speak of");
    assert!(huge.1 > 3 * huge.2, "the first ranks begin long before the last have their data");
    assert!(small.3 == 0 && huge.3 > 10_000, "and multiply what they can: {} and {}", small.3, huge.3);
}
