//! Two places that speak of the same thing say the same: a counter in calls and in logical time, the latest event of a call
//! in the panel, in the picture and in the details.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;

use std::sync::Arc;

use common::request;
use heddle_logical::{Logical, LogicalOptions, Metric, MetricValues};
use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Communicator, Definitions, Location, LocationId, LocationKind, MessageEnd,
    MetricDefinition, MetricId, MetricMode, MetricValue, Ns, Paradigm, Part, Rank, RecordBlock, Region, RegionId,
    RequestId, Role, Source, SystemNode, SystemNodeId,
};
use heddle_options::Given;
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_testkit::MadeSource;
use heddle_view::{
    Brush, CallHeight, CallsOptions, ColourBook, Colours, Framing, LogicalData, Selection, SpanName, Steps, Theme,
    Trace, View, ViewRequest, Window, brushed, cause_of, details,
};
use proptest::prelude::*;

/// Ranks with one region of MPI; behind them a location for the counters of each process.
fn definitions(ranks: u32, region: &str, mode: MetricMode) -> Definitions {
    let process =
        |rank: u32| SystemNode { name: rank.to_string().into(), class: SystemNode::PROCESS.into(), parent: None };
    let location = |at: u32| Location {
        file_id: u64::from(at),
        name: at.to_string().into(),
        kind: if at < ranks { LocationKind::CpuThread } else { LocationKind::Metric },
        parent: Some(SystemNodeId(at % ranks)),
        rank: Rank(at % ranks),
    };
    let members: Arc<[LocationId]> = (0..ranks).map(LocationId).collect();
    Definitions {
        system_tree: (0..ranks).map(process).collect(),
        locations: (0..2 * ranks).map(location).collect(),
        regions: vec![Region::named(region, Paradigm::Mpi, Role::Function)],
        communicators: vec![Communicator::of("world", Arc::clone(&members))],
        world: members.to_vec(),
        metrics: vec![MetricDefinition { name: "x".into(), unit: "#".into(), mode }],
        ..Definitions::default()
    }
}

fn store_of(definitions: Definitions, records: impl Fn(&Part, &mut RecordBlock) + Sync) -> (tempfile::TempDir, Store) {
    let parts = MadeSource::part_per_location(&definitions, 100);
    let source = MadeSource::new(definitions, parts, records);
    let directory = tempfile::tempdir().unwrap();
    let store = store_simulation(&source as &dyn Source, "x", &directory.path().join("x.heddle"), 1 << 28, &NoProgress);
    (directory, store.unwrap())
}

/// Whether one call of a rank, which ends then, has a value of the counter in this range, as the view of calls says.
fn has_value(store: &Store, rank: u32, end: Ns, values: (f64, f64)) -> bool {
    let options = CallsOptions { y: CallHeight::Counter("x".to_owned()), ..CallsOptions::default() };
    let window = Window { ranks: Some(rank.to_string().parse().unwrap()), ..Window::default() };
    let asked = ViewRequest { options: (&options).into(), ..request(window) };
    brushed(&Trace::from(store), &asked, &Brush { time: (end, end), values }).calls == 1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// `counter:x` of a call is `metric:x` of its event, whatever the counter counts and wherever it was recorded.
    #[test]
    fn a_counter_means_the_same_in_calls_and_in_logical_time(
        mode in prop_oneof![Just(MetricMode::Accumulated), Just(MetricMode::Absolute), Just(MetricMode::Relative)],
        // Of each rank, and of its process: how much more is recorded, and when.
        recorded in proptest::collection::vec(proptest::collection::vec((0i64..500, 0u32..50), 0..8), 6),
        calls in 1i64..5,
    ) {
        let read = |at: usize| -> Vec<(i64, f64)> {
            let mut readings = recorded[at].clone();
            readings.sort_unstable();
            let mut sum = 0;
            // What only grows is recorded as its sum.
            readings.iter_mut().filter(|_| mode == MetricMode::Accumulated).for_each(|(_, value)| {
                sum += *value;
                *value = sum;
            });
            readings.into_iter().map(|(time, value)| (time, f64::from(value))).collect()
        };
        let (_directory, store) = store_of(definitions(3, "MPI_Barrier", mode), |part, out| {
            let mut readings = read(part.location.index()).into_iter().peekable();
            let mut count_until = |time: i64, out: &mut RecordBlock| {
                while let Some((at, value)) = readings.next_if(|(at, _)| *at <= time) {
                    out.metric(Ns(at), MetricValue { metric: MetricId(0), value });
                }
            };
            for call in (0..calls).filter(|_| part.location.0 < 3) {
                let (enter, leave) = (call * 100 + i64::from(part.location.0), call * 100 + 60);
                count_until(enter, out);
                out.enter(Ns(enter), RegionId(0));
                out.collective_begin(Ns(enter));
                count_until(leave, out);
                let op = CollectiveOp::BARRIER;
                let (comm, root, request) = (CommId(0), LocationId::NONE, RequestId::NONE);
                out.collective_end(Ns(leave), CollectiveEnd { op, comm, root, sent: 0, received: 0, request, number: None });
                out.leave(Ns(leave), Some(RegionId(0)));
            }
            count_until(i64::MAX, out);
            out.last = Some(Ns(500));
        });
        let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
        let values = MetricValues::open(&store, &logical, Metric::Counter(MetricId(0)), &NoProgress).unwrap();
        prop_assert_eq!(logical.events.len(), 3 * calls as u64);
        for event in 0..logical.events.len() {
            let (rank, end) = (logical.row_of(event), logical.events.leave.get(event));
            let value = values.value(&logical, event);
            let any = has_value(&store, rank, end, (f64::MIN, f64::MAX));
            prop_assert_eq!(any, value.is_finite(), "rank {} at {:?}: {}", rank, end, value);
            prop_assert!(!any || has_value(&store, rank, end, (value, value)), "rank {rank} at {end:?}: {value}");
        }
    }
}

/// A call that sends and receives is two events. Where both are equally late, all who speak of the latest mean the first.
#[test]
fn the_latest_event_of_a_call_is_the_same_one_for_panel_picture_and_details() {
    // Two pairs exchange; the second pair ends later, in the send and in the receive.
    let (_directory, store) = store_of(definitions(4, "MPI_Sendrecv", MetricMode::Absolute), |part, out| {
        let rank = part.location.0;
        if rank >= 4 {
            return;
        }
        let (enter, leave) = (Ns(0), Ns(if rank < 2 { 100 } else { 150 }));
        let end = |peer| MessageEnd { peer, comm: CommId(0), tag: 0, bytes: 8, request: RequestId::NONE };
        out.enter(enter, RegionId(0));
        out.send(enter, end(LocationId(rank ^ 1)));
        out.recv(leave, end(LocationId(rank ^ 1)));
        out.leave(leave, Some(RegionId(0)));
        out.last = Some(leave);
    });
    let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
    let events: Vec<u64> = logical.events_of(2).collect();
    let late: Vec<i64> = events.iter().map(|event| logical.lateness(*event)).collect();
    assert_eq!(late, [50, 50], "both ends of the call are equally late");
    let (span, step) = (logical.events.span.get(events[0]), logical.events.step.get(events[0]));
    let selected = Selection::Span(SpanName::of(&store, span));
    let values = MetricValues::open(&store, &logical, Metric::Lateness, &NoProgress).unwrap();
    let data = LogicalData::new(Steps::from(logical), Arc::new(values));
    let trace = || Trace { logical: Some(data.clone()), ..Trace::from(&store) };
    let panel = cause_of(&store, &data.steps, None, &Window::default(), &selected).unwrap();
    assert_eq!(panel.cause.unwrap().path[0].step, step);
    let mut asked = ViewRequest { framing: Framing::Pane, options: Given::default(), ..request(Window::default()) };
    asked.emphasis.selected = Some(selected.clone());
    for view in [View::Logical, View::Timeline] {
        let scene = view.scene(trace(), &asked);
        let said = format!("rank 2 is late at step {step} ");
        assert!(scene.notes.iter().any(|note| note.contains(&said)), "{view:?}: {:?}", scene.notes);
    }
    let colours = Colours::of(&store, &ColourBook::default(), Theme::Light);
    let said = details(&store, Some(&data.steps), &Window::default(), &colours, &selected).unwrap();
    let lateness = said.facts.into_iter().find(|fact| fact.label == "Lateness").unwrap().text;
    assert!(lateness.starts_with("50 ns"), "{lateness}");
}
