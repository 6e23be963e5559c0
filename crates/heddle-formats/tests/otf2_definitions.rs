//! Definitions in the documented byte form, put together by hand: maps, clocks, regions, communicators,
//! what old writers leave out, and what is refused.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;

use common::bytes::{F, GROUP, Handmade, LOCATIONS, MEASUREMENT, MPI, NONE, Rec, USER};
use common::read_archive;
use heddle_model::{
    CollectiveEnd, Event, LocationId, LocationKind, MessageEnd, Ns, Paradigm, Rank, Role, SystemNode, WarningKind,
};
use heddle_testkit::ReadTrace;

fn read(made: &Handmade) -> ReadTrace {
    read_archive(&made.files(), "t").unwrap()
}

fn send(rank: u32, comm: u32) -> Rec {
    Rec::of(14, &[F::I(rank), F::I(comm), F::I(0), F::V(8)])
}

/// The partners of all sends of a location.
fn peers(trace: &ReadTrace, location: usize) -> Vec<LocationId> {
    let peer = |(_, event)| match event {
        Event::Send(MessageEnd { peer, .. }) => Some(peer),
        _ => None,
    };
    trace.events(location).into_iter().filter_map(peer).collect()
}

#[test]
fn dense_and_sparse_maps_translate_and_the_rest_is_global() {
    let mut made = Handmade::ranks(2);
    made.region(2, "two", USER, 1);
    made.region(70_000, "far", USER, 1);
    made.define(22, &[F::I(4_000_000), F::I(NONE), F::I(1), F::I(NONE), F::I(0)]);
    // Local 0 is global 2, local 1 is global 70000; local 2 is in no map.
    made.own(0, &[Handmade::dense_map(3, &[2, 70_000]), Handmade::sparse_map(6, &[(3, 4_000_000), (1 << 31, 0)])]);
    made.own(10, &[Handmade::sparse_map(3, &[(1, 2), (2_000_000_000, 0), (2_000_000_001, 0)])]);
    made.on(0, &[Rec::time(1), Rec::enter(0), Rec::enter(1), Rec::enter(2), Rec::leave(NONE)]);
    made.on(0, &[send(1, 3), send(1, 1 << 31), send(1, 0)]);
    made.on(
        10,
        &[Rec::time(1), Rec::enter(1), Rec::enter(2_000_000_000), Rec::enter(2_000_000_001), Rec::enter(70_000)],
    );
    for big in [false, true] {
        made.big = big;
        let trace = read(&made);
        assert_eq!(trace.entered(0), ["two", "far", "two"]);
        assert_eq!(trace.entered(1), ["two", "main", "main", "far"], "two local ids may be one global id");
        let comms = trace.events(0).into_iter().filter_map(|(_, event)| match event {
            Event::Send(end) => Some(end.comm.0),
            _ => None,
        });
        assert_eq!(comms.collect::<Vec<_>>(), [1, 0, 0]);
        assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
    }
}

#[test]
fn metrics_and_calling_contexts_go_through_their_maps() {
    let mut made = Handmade::ranks(1);
    let name = made.string("power");
    made.define(19, &[F::I(5), F::I(name), F::I(NONE), F::U8(0), F::U8(1), F::U8(4), F::U8(1), F::V(0), F::I(name)]);
    made.define(20, &[F::I(30), F::U8(1), F::I(5), F::U8(2)]);
    made.define(34, &[F::I(40), F::I(1), F::I(NONE), F::I(NONE)]);
    made.own(0, &[Handmade::dense_map(5, &[30]), Handmade::dense_map(10, &[40])]);
    made.on(0, &[Rec::time(1), Rec::of(31, &[F::I(0), F::U8(1), F::U8(4), F::V(9)]), Rec::of(66, &[F::I(0), F::I(1)])]);
    let trace = read(&made);
    assert!(matches!(trace.events(0)[0].1, Event::Metric(value) if (value.value - 9.0).abs() < f64::EPSILON));
    assert_eq!(trace.entered(0), ["MPI_Recv"]);
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
}

#[test]
fn clocks_are_put_right_between_two_offsets_and_not_by_one() {
    let mut made = Handmade::ranks(2);
    let times = |times: &[u64]| times.iter().flat_map(|time| [Rec::time(*time), Rec::enter(0)]).collect::<Vec<_>>();
    made.on(0, &times(&[0]));
    made.on(10, &times(&[1000, 2000, 2500, 3000, 4000]));
    made.own(10, &[(2000, 100), (3000, 200), (4000, -100)].map(|(time, offset)| Handmade::clock_offset(time, offset)));
    made.own(0, &[Handmade::clock_offset(0, 77)]);
    for big in [false, true] {
        made.big = big;
        let trace = read(&made);
        let corrected: Vec<_> = trace.events(1).into_iter().map(|(time, _)| time.0).collect();
        assert_eq!(corrected, [1000, 2100, 2650, 3200, 3900], "before the first offset the first line goes on");
        assert_eq!(trace.events(0)[0].0, Ns(0), "a single offset corrects nothing");
    }
    // A stall that ends in a later interval does not take the events before its end there.
    let mut made = Handmade::ranks(1);
    made.on(0, &[Rec::time(0), Rec::of(10, &[F::Raw(250)]), Rec::time(50), Rec::enter(0)]);
    made.own(0, &[(0, 0), (100, 0), (200, 0), (300, 100)].map(|(time, offset)| Handmade::clock_offset(time, offset)));
    assert_eq!(read(&made).events(0)[1].0, Ns(50));
}

#[test]
fn the_trace_begins_with_its_earliest_corrected_event() {
    let mut made = Handmade::ranks(2);
    made.definitions[0] = Rec::of(5, &[F::V(2_000_000_000), F::V(12_345), F::V(1)]);
    made.on(0, &[Rec::time(10_000), Rec::enter(0)]);
    made.on(10, &[Rec::time(20_000), Rec::enter(0), Rec::time(20_003), Rec::leave(0)]);
    made.own(10, &[Handmade::clock_offset(0, -12_000), Handmade::clock_offset(90_000, -12_000)]);
    let trace = read(&made);
    assert_eq!(trace.events(0)[0].0, Ns(1000), "half a nanosecond a tick, from tick 8000 on");
    let second: Vec<_> = trace.events(1).into_iter().map(|(time, _)| time).collect();
    assert_eq!(second, [Ns(0), Ns(2)], "a tick and a half is rounded");
}

#[test]
fn regions_of_one_name_are_one_and_names_win_over_paradigms() {
    let mut made = Handmade::ranks(1);
    made.region(100, "solve", USER, 1);
    made.region(2_000_000_100, "solve", USER, 1);
    made.region(101, "MPI_Allreduce", USER, 1);
    made.region(102, "omp critical", 3, 12);
    made.on(0, &[Rec::time(1), Rec::enter(100), Rec::enter(2_000_000_100), Rec::enter(101)]);
    let trace = read(&made);
    let named = |name: &str| trace.definitions.regions.iter().filter(|region| region.name == name).collect::<Vec<_>>();
    assert_eq!(named("solve").len(), 1);
    assert_eq!((named("solve")[0].paradigm, named("solve")[0].line), (Paradigm::User, Some(7)));
    assert_eq!((named("MPI_Allreduce")[0].paradigm, named("MPI_Allreduce")[0].role), (Paradigm::Mpi, Role::Collective));
    assert_eq!((named("omp critical")[0].paradigm, named("omp critical")[0].role), (Paradigm::OpenMp, Role::Lock));
    assert_eq!(trace.entered(0), ["solve", "solve", "MPI_Allreduce"]);
}

#[test]
fn definitions_may_come_before_what_they_name() {
    let mut made = Handmade::empty();
    made.define(22, &[F::I(0), F::I(3), F::I(1), F::I(NONE), F::I(0)]);
    made.group(1, GROUP, MPI, 0, &[1, 0]);
    made.group(0, LOCATIONS, MPI, 0, &[5, 6]);
    let none = F::I(NONE);
    made.define(
        15,
        &[F::I(0), F::I(1), none, F::U8(0), F::I(2), F::I(0), F::I(0), F::I(1), F::U8(1), F::U8(USER), F::I(0)],
    );
    made.define(14, &[F::V(5), F::I(2), F::U8(1), F::V(2), F::I(9)]);
    made.define(14, &[F::V(6), F::I(2), F::U8(2), F::V(2), F::I(9)]);
    made.define(13, &[F::I(9), F::I(1), F::U8(1), F::I(8), F::I(NONE)]);
    made.define(12, &[F::I(8), F::I(3), F::I(1), F::I(7)]);
    made.define(12, &[F::I(7), F::I(2), F::I(1), F::I(NONE)]);
    for (id, text) in [(1, "one"), (2, "two"), (3, "three")] {
        made.define(10, &[F::I(id), F::S(text)]);
    }
    made.definitions.rotate_left(1); // the clock comes last
    made.on(5, &[Rec::time(1), send(0, 0)]);
    let trace = read(&made);
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
    let definitions = &trace.definitions;
    let region = &definitions.regions[0];
    assert_eq!((&*region.name, region.file.as_deref(), region.line), ("one", Some("two"), None));
    assert_eq!((&*definitions.communicators[0].name, peers(&trace, 0)), ("three", vec![LocationId(1)]));
    let location = &definitions.locations[1];
    assert_eq!((&*location.name, location.kind, location.file_id), ("two", LocationKind::AcceleratorStream, 6));
    let process = &definitions.system_tree[location.parent.unwrap().index()];
    assert_eq!((&*process.name, &*process.class), ("one", SystemNode::PROCESS));
    let node = &definitions.system_tree[process.parent.unwrap().index()];
    let machine = &definitions.system_tree[node.parent.unwrap().index()];
    assert_eq!((&*node.name, &*machine.name, machine.parent), ("three", "two", None));
}

#[test]
fn a_group_id_given_away_twice_resolves_as_eztrace_means_it() {
    let mut made = Handmade::empty();
    (0..3).for_each(|rank| made.location(1000 * rank, rank as u32));
    made.group(0, LOCATIONS, MPI, 0, &[0, 1000, 2000]);
    made.group(0, GROUP, MPI, 0, &[2, 1, 0]);
    made.comm(0, 0);
    made.on(1000, &[Rec::time(1), send(0, 0), send(1, 0), send(2, 0)]);
    let trace = read(&made);
    assert_eq!(peers(&trace, 1), [2, 1, 0].map(LocationId));
    assert_eq!(trace.definitions.world, [0, 1, 2].map(LocationId));
    assert_eq!(trace.warned(WarningKind::DuplicateDefinition), 1, "{:?}", trace.warnings);
}

#[test]
fn ranks_count_among_the_locations_of_their_own_paradigm() {
    let mut made = Handmade::ranks(3);
    // The measurement system's own list is longer, reversed, and comes last.
    made.group(5, LOCATIONS, MEASUREMENT, 0, &[20, 10, 0, 30]);
    made.group(6, GROUP, MEASUREMENT, 0, &[0, 1]);
    made.comm(6, 6);
    made.on(0, &[Rec::time(1), send(2, 0), send(0, 6)]);
    let trace = read(&made);
    assert_eq!(trace.definitions.world, [0, 1, 2].map(LocationId));
    assert_eq!(trace.definitions.locations[2].rank, Rank(2));
    assert_eq!(peers(&trace, 0), [2, 2].map(LocationId));
}

#[test]
fn ranks_of_smaller_communicators_are_translated() {
    let mut made = Handmade::ranks(4);
    made.group(2, GROUP, MPI, 0, &[3, 1]); // a part of the world, in its own order
    made.group(3, GROUP, MPI, 1, &[]); // all of it, without saying who
    made.group(4, 1, MPI, 0, &[20, 30]); // plain locations
    made.group(5, 6, MPI, 0, &[]); // oneself
    (2..=5).for_each(|id| made.comm(id, id));
    made.on(10, &[Rec::time(1), send(0, 2), send(1, 2), send(3, 3), send(1, 4), send(0, 5)]);
    let root = |root, comm| Rec::of(23, &[F::U8(1), F::I(comm), F::I(root), F::V(0), F::V(0)]);
    made.on(10, &[root(0, 2), root(NONE, 2), root(0, 5), root(NONE, 5), root(3, 3)]);
    let trace = read(&made);
    assert_eq!(peers(&trace, 1), [3, 1, 3, 3, 1].map(LocationId));
    let roots = trace.events(1).into_iter().filter_map(|(_, event)| match event {
        Event::CollectiveEnd(CollectiveEnd { root, .. }) => Some(root),
        _ => None,
    });
    let none = LocationId::NONE;
    assert_eq!(roots.collect::<Vec<_>>(), [LocationId(3), none, LocationId(1), none, LocationId(3)]);
    let communicators = &trace.definitions.communicators;
    let sizes: Vec<_> = communicators.iter().map(|comm| (comm.size(), comm.is_self)).collect();
    assert_eq!(sizes, [(4, false), (2, false), (4, false), (2, false), (1, true)]);
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
}

#[test]
fn ranks_of_inter_communicators_count_in_the_other_group() {
    let mut made = Handmade::ranks(4);
    made.thread(1, 0);
    made.thread(31, 3);
    made.group(2, GROUP, MPI, 0, &[0, 1]);
    made.group(3, GROUP, MPI, 0, &[3, 2]);
    made.define(43, &[F::I(9), F::I(NONE), F::I(2), F::I(3), F::I(0), F::I(0)]);
    for location in [0, 1, 30, 31] {
        made.on(location, &[Rec::time(1), send(0, 9), send(1, 9)]);
    }
    let trace = read(&made);
    let ranks: Vec<_> = trace.definitions.locations.iter().map(|location| location.rank).collect();
    assert_eq!(ranks, [0, 1, 2, 3, 0, 3].map(Rank), "threads have their process' rank");
    for (location, expected) in [(0, [3, 2]), (3, [0, 1]), (4, [3, 2]), (5, [0, 1])] {
        assert_eq!(peers(&trace, location), expected.map(LocationId), "location {location}");
    }
}

#[test]
fn partners_outside_the_communicator_stay_unknown() {
    let mut made = Handmade::ranks(2);
    made.on(0, &[Rec::time(1), send(1, 0), send(2, 0), send(0xffff_fffe, 0), send(NONE, 0)]);
    let trace = read(&made);
    assert_eq!(peers(&trace, 0), [LocationId(1), LocationId::NONE, LocationId::NONE, LocationId::NONE]);
    assert_eq!(trace.warned(WarningKind::PartnerOutsideCommunicator), 3);
}

#[test]
fn records_of_old_writers_end_early() {
    let mut made = Handmade::empty();
    made.definitions[0] = Rec::of(5, &[F::V(1_000_000_000), F::V(0), F::V(9)]);
    let name = F::I(made.string("name"));
    for rank in 0..2 {
        made.define(13, &[F::I(rank), name, F::U8(1), F::I(NONE)]);
        made.define(14, &[F::V(u64::from(rank)), name, F::U8(1), F::V(0), F::I(rank)]);
    }
    let group = |legacy, members: [u64; 2]| {
        let list = members.map(F::V);
        [&[F::I(u32::from(legacy)), name, F::U8(legacy), F::I(2)][..], &list].concat()
    };
    made.define(18, &group(6, [1, 0])); // the locations of MPI
    made.define(18, &group(4, [0, 1])); // a group
    made.define(18, &group(5, [0, 1])); // oneself
    made.define(22, &[F::I(0), name, F::I(4), F::I(NONE)]);
    made.define(22, &[F::I(1), name, F::I(5), F::I(0)]);
    let kinds =
        [(5, Paradigm::OpenMp, Role::Parallel), (22, Paradigm::Mpi, Role::Barrier), (2, Paradigm::User, Role::Loop)];
    for (kind, _, _) in kinds {
        let name = F::I(made.string(&format!("kind {kind}")));
        made.define(15, &[F::I(u32::from(kind)), name, name, F::U8(kind), name, F::I(1), F::I(2)]);
    }
    made.on(0, &[Rec::time(1), send(0, 0), send(0, 1)]);
    let trace = read(&made);
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
    assert_eq!(trace.definitions.world, [1, 0].map(LocationId));
    assert_eq!(peers(&trace, 0), [1, 0].map(LocationId));
    assert!(trace.definitions.communicators[1].is_self);
    for (region, (_, paradigm, role)) in trace.definitions.regions.iter().zip(kinds) {
        assert_eq!((region.paradigm, region.role), (paradigm, role), "{}", region.name);
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_a_way_out() {
    let message = |change: &dyn Fn(&mut Handmade)| {
        let mut made = Handmade::ranks(1);
        change(&mut made);
        read_archive(&made.files(), "t").unwrap_err().to_string()
    };
    for big in [false, true] {
        let sion = message(&|made| (made.substrate, made.big) = (2, big));
        assert!(sion.starts_with("t.otf2: ") && sion.contains("SION") && sion.contains("record again"), "{sion}");
        let zlib = message(&|made| (made.compression, made.big) = (2, big));
        assert!(zlib.starts_with("t.otf2: ") && zlib.contains("zlib") && zlib.contains("record again"), "{zlib}");
        let newer = message(&|made| (made.trace_format, made.big) = (3, big));
        assert!(newer.contains("format 3") && newer.contains("update Heddle"), "{newer}");
    }
    let files = Handmade::ranks(1).files();
    files.remove("t.def");
    let missing = read_archive(&files, "t").unwrap_err().to_string();
    assert!(missing.starts_with("t.def: ") && missing.contains("missing"), "{missing}");
    files.remove("t.otf2");
    let nothing = read_archive(&files, "t").unwrap_err().to_string();
    assert!(nothing.starts_with("t.otf2: "), "{nothing}");
}
