//! Kinds of calls against a plain scan of calls, messages and collectives, and pictures of the call view that rest on them against those
//! that visit every call.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;
#[path = "common/densities.rs"]
mod densities;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{request, within};
use densities::{densities, nothing_is_far, sum, total};
use heddle_model::{CollectiveOp, CommId, Ns, RegionId};
use heddle_options::Given;
use heddle_profile::kinds::CallKinds;
use heddle_simulate::{Machine, Pf3d, Pf3dOptions, Pf3dPart, simulate};
use heddle_store::index::{CallEdge, MOST_KINDS};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_testkit::{Act, Call, Hand};
use heddle_view::{
    CallHeight, CallStyle, CallsOptions, ColourBy, Emphasis, EventOptions, Framing, HeightScale, Scene, Size, Trace,
    View, ViewRequest, calls_scene_from,
};

/// A run of several communicators.
fn stored(ranks: u32, steps: u32) -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let options = Pf3dOptions { ranks, steps, part: Pf3dPart::Both, ..Pf3dOptions::default() };
    let simulation = simulate(Pf3d::new(&options).unwrap(), &Machine::default()).unwrap();
    let store =
        store_simulation(&simulation, "pf3d", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
    (directory, store)
}

/// A run whose collectives are all of different lengths.
fn all_different(calls: u32) -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let call = |at: u32| {
        let begin = i64::from(at) * 100;
        let act = Act::Joint(CollectiveOp::from_name("alltoall"), None, u64::from(at) * 7 + 1);
        Call("MPI_Alltoall", begin, begin + 50, vec![act])
    };
    let hand = Hand::new((0..2).map(|_| (1..=calls).map(call).collect()).collect());
    let place = directory.path().join("x.heddle");
    let store = store_simulation(&hand.source(), "hand", &place, 1 << 28, &NoProgress).unwrap();
    (directory, store)
}

/// What each call sends and receives in each communicator, by looking at all messages and collectives.
fn scanned(store: &Store) -> BTreeMap<u64, BTreeMap<CommId, u64>> {
    let mut bytes: BTreeMap<u64, BTreeMap<CommId, u64>> = BTreeMap::new();
    let messages = &store.messages;
    for row in 0..messages.len() {
        for span in [messages.send_span.get(row), messages.recv_span.get(row)] {
            *bytes.entry(span.0).or_default().entry(messages.comm.get(row)).or_default() += messages.bytes.get(row);
        }
    }
    let (table, members) = (&store.collectives, &store.collective_members);
    for row in 0..table.len() {
        let first = table.first_member.get(row);
        for member in first..first + u64::from(table.members.get(row)) {
            let of_call = bytes.entry(members.span.get(member).0).or_default();
            *of_call.entry(table.comm.get(row)).or_default() += members.sent.get(member) + members.received.get(member);
        }
    }
    bytes
}

/// The nearest function around each call that does not communicate.
fn callers(store: &Store) -> Vec<RegionId> {
    let spans = &store.spans;
    let mut around: Vec<u64> = Vec::new();
    let mut callers = Vec::new();
    for row in 0..spans.len() {
        around.truncate(usize::from(spans.depth.get(row)));
        let caller =
            around.iter().rev().map(|row| spans.region.get(*row)).find(|region| !store.regions.communicates(*region));
        callers.push(caller.unwrap_or(RegionId::NONE));
        around.push(row);
    }
    callers
}

/// Every call's kind says function, caller and bytes; what is not a call has none.
fn check(store: &Store, kinds: &CallKinds) {
    let (bytes, callers) = (scanned(store), callers(store));
    let comms: Vec<CommId> = (0..store.communicators.len() as u32).map(CommId).collect();
    for row in 0..store.spans.len() {
        let region = store.spans.region.get(row);
        let number = kinds.numbers().get(row);
        if !store.regions.communicates(region) {
            assert_eq!(number, u16::MAX);
            continue;
        }
        let kind = &kinds.kinds()[usize::from(number)];
        assert_eq!((kind.region, kind.caller), (region, callers[row as usize]));
        let own = bytes.get(&row);
        let total = own.map(|own| own.values().sum::<u64>());
        let parts = comms.iter().map(|comm| (Some(*comm), own.and_then(|own| own.get(comm).copied())));
        for (comm, expected) in parts.chain([(None, total)]) {
            let known = kind.bytes(comm);
            assert_eq!(known.is_some(), expected.is_some(), "{row} {comm:?}");
            if let (Some((least, most)), Some(expected)) = (known, expected) {
                assert!((least..=most).contains(&expected), "{row} {comm:?}: {expected} in {least}:{most}");
                assert!(!kinds.is_exact() || least == most, "{row} {comm:?}: {least}:{most}");
            }
        }
    }
}

#[test]
fn a_kind_says_function_caller_and_bytes_of_its_calls() {
    let (_directory, store) = stored(16, 3);
    let kinds = CallKinds::open(&store, &NoProgress).unwrap();
    assert!(kinds.is_exact() && (4..100).contains(&kinds.kinds().len()), "{}", kinds.kinds().len());
    check(&store, &kinds);
    assert!(CallKinds::find(&store).is_some(), "they are kept");
}

#[test]
fn many_sizes_are_told_apart_by_their_first_bits() {
    let (_directory, store) = all_different(u32::from(MOST_KINDS) + 1);
    let kinds = CallKinds::open(&store, &NoProgress).unwrap();
    assert!(!kinds.is_exact() && (100..500).contains(&kinds.kinds().len()), "{}", kinds.kinds().len());
    check(&store, &kinds);
    for kind in kinds.kinds() {
        let (least, most) = kind.bytes(None).unwrap();
        assert!(most - least <= least / 32 + 1, "{least}:{most}");
    }
}

/// The picture that is asked for, in a window.
fn asked(store: &Store, (from, to): (i64, i64), options: &CallsOptions, colour: ColourBy) -> ViewRequest {
    let mut given = Given::from(options);
    given.add(&EventOptions { colour, ..EventOptions::default() });
    let highlighted = (0..store.regions.len() as u32).map(RegionId);
    let highlighted = highlighted.filter(|region| store.regions.name.get(u64::from(region.0)) == "MPI_Alltoall");
    ViewRequest {
        framing: Framing::Pane,
        size: Size { width: 600, height: 400 },
        emphasis: Emphasis { highlighted: highlighted.collect(), ..Emphasis::default() },
        options: given,
        ..request(within(from, to))
    }
}

fn legend(scene: &Scene) -> Vec<(&str, &str)> {
    scene.legend.iter().map(|entry| (entry.name.as_str(), entry.value.as_str())).collect()
}

#[test]
fn pictures_of_kinds_are_those_of_visits() {
    let (_directory, store) = stored(64, 320);
    let trace = Trace { kinds: Some(Arc::new(CallKinds::open(&store, &NoProgress).unwrap())), ..Trace::from(&store) };
    let kinds = trace.kinds.as_deref().unwrap();
    assert!(!kinds.index().levels(CallEdge::Start).is_empty());
    let sizes: Vec<u64> = kinds.kinds().iter().filter_map(|kind| kind.bytes(None)).map(|(least, _)| least).collect();
    let (least, most) = (*sizes.iter().min().unwrap(), *sizes.iter().max().unwrap());
    let end = store.summary().end_ns;
    let usual = CallsOptions::default;
    let filters = [
        (CallsOptions { y: CallHeight::Bytes, ..usual() }, ColourBy::Usual),
        (CallsOptions { y: CallHeight::Bytes, scale: HeightScale::Linear, ..usual() }, ColourBy::Caller),
        (CallsOptions { bytes: Some((least + 1, most)), ..usual() }, ColourBy::Usual),
        (CallsOptions { y: CallHeight::Bytes, bytes: Some((least, most - 1)), ..usual() }, ColourBy::Usual),
        (CallsOptions { communicator: Some(CommId(0)), ..usual() }, ColourBy::Usual),
        (CallsOptions { communicator: Some(CommId(2)), y: CallHeight::Bytes, ..usual() }, ColourBy::Caller),
        (usual(), ColourBy::Caller),
    ];
    let mut drawn = 0;
    for window in [(0, end), (end / 3 + 5, end / 3 * 2 + 77), (end / 2 + 11, end)] {
        for style in [CallStyle::PointsStart, CallStyle::PointsEnd, CallStyle::Lines] {
            for (options, colour) in &filters {
                let asked = asked(&store, window, &CallsOptions { style, ..options.clone() }, *colour);
                let what = format!("{window:?} {options:?} {colour:?} {style:?}");
                let plain = calls_scene_from(&Trace::from(&store), &asked, false).unwrap();
                let visits = calls_scene_from(&trace, &asked, false).unwrap();
                let tiles = calls_scene_from(&trace, &asked, true).unwrap();
                assert!(calls_scene_from(&Trace::from(&store), &asked, true).is_none());
                assert_eq!((legend(&visits), legend(&tiles)), (legend(&plain), legend(&plain)), "{what}");
                assert_eq!((total(&visits), total(&tiles)), (total(&plain), total(&plain)), "{what}");
                assert_eq!(tiles.y_axis.extent, plain.y_axis.extent, "{what}");
                let [plain, visits, tiles] = [&plain, &visits, &tiles].map(densities);
                for ((plain, visits), tiles) in plain.into_iter().zip(visits).zip(tiles) {
                    assert_eq!(visits, plain, "{what}");
                    if style != CallStyle::Lines {
                        assert_eq!(sum(tiles), sum(plain), "{what}");
                        assert!(nothing_is_far(tiles, plain), "{what}");
                    }
                    // Calls of one duration may lie on two levels, those of one length do not.
                    let (got, wanted) = (f64::from(tiles.most), f64::from(plain.most));
                    let is_near = (got - wanted).abs() <= 0.1 * wanted;
                    assert!(is_near || options.y != CallHeight::Bytes, "{what}: most is {got} instead of {wanted}");
                    drawn += sum(plain);
                }
            }
        }
    }
    assert!(drawn > 1_000_000, "{drawn}");
}

/// A filter that cuts kinds in two says which it keeps.
#[test]
fn a_filter_of_bytes_between_kinds_is_told() {
    let (_directory, store) = all_different(160_000);
    let trace = Trace { kinds: Some(Arc::new(CallKinds::open(&store, &NoProgress).unwrap())), ..Trace::from(&store) };
    let options = CallsOptions { bytes: Some((10_000, 700_000)), ..CallsOptions::default() };
    let whole = |options: &CallsOptions| asked(&store, (0, store.summary().end_ns), options, ColourBy::Usual);
    let tiles = calls_scene_from(&trace, &whole(&options), true).unwrap();
    assert!(tiles.notes[1].contains("The filter keeps the kinds of "), "{:?}", tiles.notes);
    // What it keeps instead, exactly: the kinds with their middle in it.
    let kept = trace.kinds.as_deref().unwrap().kinds().iter().filter_map(|kind| kind.bytes(None));
    let kept: Vec<_> = kept.filter(|(least, most)| (10_000..=700_000).contains(&least.midpoint(*most))).collect();
    let exact = (kept.iter().map(|range| range.0).min().unwrap(), kept.iter().map(|range| range.1).max().unwrap());
    let options = CallsOptions { bytes: Some(exact), ..options };
    let visited = calls_scene_from(&Trace::from(&store), &whole(&options), false).unwrap();
    assert_eq!(total(&tiles), total(&visited));
    assert_ne!(total(&tiles), "0");
}

/// Whether they are there or not, the picture is the view's.
#[test]
fn the_view_makes_use_of_kinds_where_they_matter() {
    let (_directory, store) = stored(16, 3);
    let needs = |options: &CallsOptions| {
        View::Calls.needs(&store, &asked(&store, (0, 1_000), options, ColourBy::Usual)).unwrap().len()
    };
    assert_eq!(needs(&CallsOptions::default()), 0);
    assert_eq!(needs(&CallsOptions { y: CallHeight::Bytes, ..CallsOptions::default() }), 1);
    assert_eq!(needs(&CallsOptions { durations: Some((Ns(1), Ns(9))), ..CallsOptions::default() }), 0);
}
