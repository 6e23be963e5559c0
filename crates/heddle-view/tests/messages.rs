//! Sums of messages against a plain scan of the message table, whatever the window and the filter, and what is said of selected ones.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use std::collections::BTreeMap;
use std::sync::Arc;

use heddle_model::{
    CommId, Communicator, Definitions, Location, LocationId, LocationKind, MessageEnd, Ns, Paradigm, Rank, RecordBlock,
    Region, RegionId, RequestId, Role, SystemNode, SystemNodeId,
};
use heddle_options::Given;
use heddle_profile::messages::{Exchanged, Messages, Parts, Wanted};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_testkit::MadeSource;
use heddle_view::{Emphasis, Layer, Selection, Trace, View, ViewRequest, Window, messages_told};
use proptest::prelude::*;

mod common;
use common::{request, within};

const SENDS: [&str; 2] = ["MPI_Send", "MPI_Ssend"];

/// A message: from, to, function that sends it, communicator, bytes, and how long the sender and the receiver do something else before.
type Sent = (u8, u8, u8, u8, u16, u16, u16);

/// Calls of a rank: start, end, function, the message, and whether it is sent.
type Calls = Vec<(i64, i64, u32, MessageEnd, bool)>;

/// A trace of some ranks that send each other messages, all one after the other on each rank. Clocks do not agree.
fn stored(ranks: u8, all: &[Sent]) -> (tempfile::TempDir, Store) {
    let ranks = u32::from(ranks.max(2));
    let mut calls: Vec<Calls> = vec![Vec::new(); ranks as usize];
    let mut clocks = vec![0i64; ranks as usize];
    for (number, (from, to, function, comm, bytes, before, after)) in all.iter().enumerate() {
        let (from, to) = (u32::from(*from) % ranks, u32::from(*to) % ranks);
        let end = |peer: u32| MessageEnd {
            peer: LocationId(peer),
            comm: CommId(u32::from(*comm) % 2),
            tag: number as u32,
            bytes: u64::from(*bytes),
            request: RequestId::NONE,
        };
        let mut call = |rank: u32, region: u32, wait: u16, end: MessageEnd, sends: bool| {
            let clock = &mut clocks[rank as usize];
            let start = *clock + i64::from(wait % 50);
            *clock = start + 1 + i64::from(wait % 7);
            calls[rank as usize].push((start, *clock, region, end, sends));
        };
        call(from, u32::from(*function) % 2, *before, end(to), true);
        call(to, 2, *after, end(from), false);
    }
    let members: Arc<[LocationId]> = (0..ranks).map(LocationId).collect();
    // The second communicator has the ranks the other way round.
    let reversed: Arc<[LocationId]> = (0..ranks).rev().map(LocationId).collect();
    let names = SENDS.into_iter().chain(["MPI_Recv"]);
    let definitions = Definitions {
        system_tree: vec![SystemNode { name: "p".into(), class: SystemNode::PROCESS.into(), parent: None }],
        locations: (0..ranks)
            .map(|rank| Location {
                file_id: u64::from(rank),
                name: format!("rank {rank}").into(),
                kind: LocationKind::CpuThread,
                parent: Some(SystemNodeId(0)),
                rank: Rank(rank),
            })
            .collect(),
        regions: names.map(|name| Region::named(name, Paradigm::Mpi, Role::Function)).collect(),
        communicators: vec![Communicator::of("world", Arc::clone(&members)), Communicator::of("reversed", reversed)],
        world: members.to_vec(),
        ..Definitions::default()
    };
    let parts = MadeSource::part_per_location(&definitions, 64);
    let source = MadeSource::new(definitions, parts, move |part, out: &mut RecordBlock| {
        for (start, end, region, message, sends) in &calls[part.location.index()] {
            out.enter(Ns(*start), RegionId(*region));
            if *sends {
                out.send(Ns(*end), *message);
            } else {
                out.recv(Ns(*end), *message);
            }
            out.leave(Ns(*end), Some(RegionId(*region)));
            out.last = Some(Ns(*end));
            out.events += 3;
        }
    });
    let directory = tempfile::tempdir().unwrap();
    let store = store_simulation(&source, "x", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
    (directory, store)
}

/// What a look at each message finds, by sender and receiver.
fn scanned(store: &Store, time: (Ns, Ns), wanted: &Wanted) -> BTreeMap<(u32, u32), Exchanged> {
    // Both moments are in it.
    looked_at(store, (time.0, Ns(time.1.0 + 1)), None, wanted)
}

/// The same for those that are sent in a window, and received in another one.
fn looked_at(
    store: &Store,
    sent: (Ns, Ns),
    received: Option<(Ns, Ns)>,
    wanted: &Wanted,
) -> BTreeMap<(u32, u32), Exchanged> {
    let (messages, spans) = (&store.messages, &store.spans);
    let mut found: BTreeMap<(u32, u32), Exchanged> = BTreeMap::new();
    for row in 0..messages.len() {
        let (send, recv) = (messages.send.get(row), messages.recv.get(row));
        let (sends, receives) = (messages.send_span.get(row).0, messages.recv_span.get(row).0);
        let is_wanted = wanted.communicator.is_none_or(|comm| messages.comm.get(row) == comm)
            && !wanted.hidden.contains(&spans.region.get(sends))
            && (sent.0..sent.1).contains(&send)
            && received.is_none_or(|(from, to)| (from..to).contains(&recv));
        if !is_wanted {
            continue;
        }
        let sum = found.entry((messages.send_location.get(row).0, messages.recv_location.get(row).0)).or_default();
        let bytes = messages.bytes.get(row);
        sum.messages += 1;
        sum.bytes += bytes;
        if recv > send && wanted.parts == Parts::All {
            sum.timed += bytes;
            sum.flight += (recv.0 - send.0) as u64;
        }
        let arrival = spans.start.get(sends).0.min(recv.0);
        if wanted.parts != Parts::Lengths {
            sum.wait += (arrival - spans.start.get(receives).0).max(0) as u64;
        }
    }
    found
}

fn added_up(store: &Store, kept: &Messages, time: (Ns, Ns), wanted: &Wanted) -> BTreeMap<(u32, u32), Exchanged> {
    let mut found: BTreeMap<(u32, u32), Exchanged> = BTreeMap::new();
    for sender in (0..store.locations.len() as u32).map(LocationId) {
        kept.sent(store, sender, time, wanted, |receiver, sum| {
            found.entry((sender.0, receiver.0)).or_default().add(sum);
        });
    }
    found
}

/// What is kept says of those that are sent in a window, and received in another one.
fn received(
    store: &Store,
    kept: &Messages,
    (sent, received): ((Ns, Ns), (Ns, Ns)),
    wanted: &Wanted,
) -> BTreeMap<(u32, u32), Exchanged> {
    let mut found: BTreeMap<(u32, u32), Exchanged> = BTreeMap::new();
    for sender in (0..store.locations.len() as u32).map(LocationId) {
        let rows = kept.rows_in(store, sender, sent);
        kept.of_rows(store, (sender, rows), Some(received), wanted, |receiver, sum| {
            found.entry((sender.0, receiver.0)).or_default().add(sum);
        });
    }
    found
}

fn sent() -> impl Strategy<Value = Sent> {
    // Mostly to a few others, so that there are sums to keep.
    any::<Sent>().prop_map(|(from, to, function, comm, bytes, before, after)| {
        let from = if from < 200 { 0 } else { from };
        (from, if to < 220 { to % 3 } else { to }, function / 200, comm / 180, bytes, before, after)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn numbers_are_those_of_a_scan(
        ranks in 2u8..40,
        all in proptest::collection::vec(sent(), 1..2500),
        ends in any::<(u16, u16)>(),
    ) {
        let (_directory, store) = stored(ranks, &all);
        prop_assert_eq!(store.messages.len(), all.len() as u64);
        let kept = Messages::open(&store, &NoProgress).unwrap();
        let end = store.summary().end_ns;
        let at = |share: u16| Ns(i64::from(share) * end / 65_535);
        let (from, to) = (at(ends.0.min(ends.1)), at(ends.0.max(ends.1)));
        for time in [(Ns(0), Ns(end)), (from, to), (from, Ns(from.0 + 1)), (from, Ns(end)), (Ns(0), to)] {
            for (communicator, hidden) in [(None, vec![]), (Some(CommId(1)), vec![]), (Some(CommId(0)), vec![RegionId(0)])] {
                for parts in [Parts::All, Parts::Lengths, Parts::Wait] {
                    let wanted = Wanted { communicator, hidden: hidden.clone(), parts };
                    prop_assert_eq!(added_up(&store, &kept, time, &wanted), scanned(&store, time, &wanted), "{:?}", time);
                }
            }
        }
        let wanted = Wanted { parts: Parts::Lengths, ..Wanted::default() };
        let always = (Ns(0), Ns(end + 1));
        for (sent, arrived) in [(always, (from, to)), ((from, to), (from, to)), ((from, to), always), (always, (to, Ns(to.0 + 9)))] {
            let expected = looked_at(&store, sent, Some(arrived), &wanted);
            prop_assert_eq!(received(&store, &kept, (sent, arrived), &wanted), expected, "{:?} {:?}", sent, arrived);
        }
        // What was kept is found again.
        let again = Messages::find(&store).unwrap();
        let all = Wanted::default();
        prop_assert_eq!(added_up(&store, &again, (from, to), &all), scanned(&store, (from, to), &all));
    }
}

fn with_messages(store: &Store) -> Trace<'_> {
    Trace { messages: Some(Arc::new(Messages::open(store, &NoProgress).unwrap())), ..Trace::from(store) }
}

/// Three ranks: 0 sends 1 a message of 1,000 bytes that is waited for, and 2 one of 500 bytes that is there already.
fn three() -> (tempfile::TempDir, Store) {
    stored(3, &[(0, 1, 0, 0, 1000, 40, 0), (0, 2, 1, 1, 500, 0, 49), (1, 0, 0, 0, 10, 30, 20)])
}

#[test]
fn what_is_said_of_selected_messages_is_worked_out_by_hand() {
    let (_directory, store) = three();
    let trace = with_messages(&store);
    let told = |select: &str, request: &ViewRequest| {
        let Ok(Selection::Messages(between)) = select.parse::<Selection>() else { panic!("{select}") };
        let details = messages_told(&trace, request, &between)?;
        let facts: BTreeMap<&str, String> = details.facts.into_iter().map(|fact| (fact.label, fact.text)).collect();
        Some((details.title, facts))
    };
    let whole = request(Window::default());
    let (title, facts) = told("messages:0>1", &whole).unwrap();
    assert_eq!(title, "Messages of rank 0 to rank 1");
    // Sent from 40 to 46, its receive begins at 0 and ends at 1: it is over before anything was sent.
    assert_eq!(facts["Wait"], "1 ns per message, 1 ns in all");
    assert_eq!(facts["Bandwidth"], "unknown: they arrive before they are sent");
    let (title, facts) = told("messages:0>1-2", &whole).unwrap();
    assert_eq!((title.as_str(), facts["Messages"].as_str()), ("Messages of rank 0 to 2 ranks", "2"));
    assert_eq!(facts["Bytes"], "1,500 B, 750 B per message");
    assert_eq!(facts["Pairs"], "2 of 2 pairs exchange any");
    assert_eq!(facts["Most bytes"], "1,000 B: rank 0 to rank 1");
    // The second is sent at 47 and received at 50.
    assert_eq!(facts["Bandwidth"], "155 GiB/s on average");
    assert_eq!(told("messages:0>1-2:1", &whole).unwrap().1["Messages"], "1");
    let hidden = ViewRequest {
        emphasis: Emphasis { hidden: vec![RegionId(1)], ..Emphasis::default() },
        ..request(Window::default())
    };
    assert_eq!(told("messages:0>1-2", &hidden).unwrap().1["Messages"], "1");
    assert_eq!(told("messages:0>1-2", &request(within(47, 60))).unwrap().1["Messages"], "1");
    assert_eq!(told("messages:0>1-2", &request(within(48, 60))).unwrap().1["Messages"], "0");
    assert!(told("messages:7>1", &whole).is_none());
}

#[test]
fn selected_messages_are_lines_of_the_timeline() {
    let (_directory, store) = three();
    let lines = |select: &str, window: Window| {
        let options = Given::by_program([("messages".to_owned(), "0".to_owned())]);
        let emphasis = Emphasis { selected: Some(select.parse().unwrap()), ..Emphasis::default() };
        let scene = View::Timeline.scene(&store, &ViewRequest { emphasis, options, ..request(window) });
        let segments = scene.layers.iter().filter_map(|layer| match layer {
            Layer::Segments(lines) => Some(lines.len()),
            _ => None,
        });
        segments.sum::<usize>()
    };
    assert_eq!(lines("messages:0>1-2", Window::default()), 2);
    assert_eq!(lines("messages:0>1-2:1", Window::default()), 1);
    assert_eq!(lines("messages:2>0-1", Window::default()), 0);
    assert_eq!(lines("messages:0>2", within(48, 60)), 1, "it is on its way when the window begins");
}

#[test]
fn rows_and_columns_have_the_numbers_of_a_communicator() {
    let (_directory, store) = three();
    let trace = with_messages(&store);
    let options = [("members", "1"), ("communicator", "1")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let asked = ViewRequest { options: Given::by_program(options), ..request(Window::default()) };
    View::Matrix.needs(&store, &asked).unwrap();
    let scene = View::Matrix.scene(trace.clone(), &asked);
    assert_eq!(scene.notes[0], "Rows are the 3 members of reversed, in its order and with its numbers.");
    assert!(scene.notes[1].starts_with("1 message in reversed, 500 B in all"), "{:?}", scene.notes);
    for axis in [&scene.x_axis, &scene.y_axis] {
        let labels: Vec<&str> = axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["0", "1", "2"]);
    }
    // Rank 0 is number 2 there, and rank 2 number 0.
    let plot = scene.plot;
    let at = (plot.x + plot.width / 6.0, plot.y + plot.height * 5.0 / 6.0);
    let picked = View::Matrix.pick(trace, &asked, at).unwrap();
    assert_eq!(picked.title, "2 (rank 0) to 0 (rank 2)");
    assert_eq!(picked.select.unwrap().to_string(), "messages:0>2:1");
    let wrong = Given::by_program([("members".to_owned(), "2".to_owned())]);
    assert!(View::Matrix.needs(&store, &ViewRequest { options: wrong, ..request(Window::default()) }).is_err());
}
