//! Events in the documented byte form, put together by hand: every kind, both byte orders, all framings.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

mod common;

use common::bytes::{F, Handmade, NONE, Rec};
use common::read_archive;
use heddle_formats::{MemoryFiles, otf2};
use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Event, LocationId, MarkText, MessageEnd, MetricId, MetricValue, Ns, RequestId,
    WarningKind,
};
use heddle_testkit::ReadTrace;

/// Fields of the events 10 to 88 in the order of the format's table: `b` one byte, `i` 32 bits, `v` 64
/// bits, `r` eight fixed bytes.
const FIELDS: [&str; 79] = [
    "r", "b", "i", "i", "iiiv", "iiivv", "v", "v", "iiiv", "iiivv", // 10 to 19
    "v", "v", "", "biivv", "i", "", "ii", "ii", "v", "v", // 20 to 29
    "v", "ib", "ii", "iv", "iv", "i", "i", "", "biiivv", "iii", // 30 to 39
    "iivb", "iivb", "iivb", "iiv", "iib", "i", "iivv", "iivv", "iibvvv", "iv", // 40 to 49
    "iv", "iv", "iv", "bi", "b", "i", "i", "bii", "bii", "iii", // 50 to 59
    "iii", "iii", "iv", "iv", "iv", "iv", "ii", "i", "iii", "ibii", // 60 to 69
    "i", "iii", "ivbv", "ii", "bi", "ibivv", "iv", "iv", "ivv", "iv", // 70 to 79
    "ib", "ib", "ib", "ii", "v", "v", "biivvv", "i", "i", // 80 to 88
];

/// The ten without a length.
const BARE: [u8; 10] = [12, 13, 16, 17, 20, 21, 24, 28, 29, 30];

/// An event of a kind with all its fields zero.
fn event(id: u8) -> Rec {
    if BARE.contains(&id) {
        return Rec::bare(id, 0);
    }
    let fields = FIELDS.get(usize::from(id) - 10).copied().unwrap_or("iiv");
    let field = |kind| match kind {
        'b' => F::U8(0),
        'i' => F::I(0),
        'v' => F::V(0),
        _ => F::Raw(0),
    };
    Rec::of(id, &fields.chars().map(field).collect::<Vec<_>>())
}

fn read(made: &Handmade) -> ReadTrace {
    read_archive(&made.files(), "t").unwrap()
}

/// A metric class of three members: a count, a signed number in thousandths, a real in KiB.
fn with_metrics(made: &mut Handmade) {
    let member = |made: &mut Handmade, id, name: &str, mode, value_type, base, exponent: i64| {
        let (name, unit) = (made.string(name), made.string("unit"));
        let fields =
            [F::U8(1), F::U8(mode), F::U8(value_type), F::U8(base), F::V(exponent.cast_unsigned()), F::I(unit)];
        made.define(19, &[&[F::I(id), F::I(name), F::I(NONE)][..], &fields].concat());
    };
    member(made, 0, "count", 0, 4, 1, 0);
    member(made, 1, "signed", 1, 8, 1, -3);
    member(made, 2, "real", 2, 10, 0, 10);
    made.define(20, &[F::I(7), F::U8(3), F::I(0), F::I(1), F::I(2), F::U8(0), F::U8(0)]);
    made.define(21, &[F::I(8), F::I(7), F::V(0), F::U8(0), F::V(0)]);
}

#[test]
fn every_event_is_stepped_over_exactly() {
    let mut made = Handmade::ranks(2);
    made.on(0, &[Rec::time(50)]);
    let ids = (10..=88).chain([200]);
    for id in ids.clone() {
        made.on(0, &[Rec::time(100 + u64::from(id)), event(id), Rec::enter(1)]);
    }
    for big in [false, true] {
        made.big = big;
        let trace = read(&made);
        assert_eq!(trace.blocks[0].events, 2 * 80, "{:?}", trace.warnings);
        assert!(trace.damage().is_empty(), "{:?}", trace.damage());
        // After each of them the next record is found: an enter of the other region at that time.
        let times = trace.events(0).into_iter().filter_map(|(time, event)| match event {
            Event::Enter(region) if trace.region(region) == "MPI_Recv" => Some(time),
            _ => None,
        });
        assert_eq!(times.collect::<Vec<_>>(), ids.clone().map(|id| Ns(50 + i64::from(id))).collect::<Vec<_>>());
        assert_eq!(trace.warned(WarningKind::UnknownRecords), 1, "type 200 is told");
    }
}

#[test]
fn what_no_view_shows_is_counted_and_said() {
    let mut made = Handmade::ranks(1);
    made.on(0, &[Rec::time(1), event(33), event(33), event(46), event(75), event(68), event(28)]);
    made.on(0, &[event(83), event(84), event(20)]);
    let trace = read(&made);
    assert_eq!((trace.records(), trace.blocks[0].events), (0, 9));
    assert_eq!(trace.warned(WarningKind::UnusedRecords), 6, "{:?}", trace.warnings);
    let texts: Vec<_> = trace.warnings.to_vec().into_iter().map(|warning| warning.text).collect();
    assert!(texts.iter().any(|text| text.starts_with("parameter records")), "{texts:?}");
}

#[test]
fn undefined_numbers_of_records_without_a_length_take_one_byte() {
    for id in BARE {
        let mut made = Handmade::ranks(1);
        made.on(0, &[Rec::time(5), Rec::verbatim(&[id, 0xff]), Rec::time(9), Rec::enter(1)]);
        let trace = read(&made);
        assert_eq!(trace.blocks[0].events, 2, "id {id}");
        let events = trace.events(0);
        assert_eq!(events.last().unwrap().0, Ns(4), "id {id}");
        assert_eq!(trace.entered(0).last(), Some(&"MPI_Recv"), "id {id}");
        assert!(trace.damage().is_empty(), "id {id}: {:?}", trace.damage());
        let first = events[0].1.clone();
        match id {
            12 => assert_eq!(trace.entered(0)[0], "(undefined region)"),
            13 => assert_eq!(first, Event::Leave(None), "whatever is innermost"),
            16 => assert_eq!(first, Event::SendComplete(RequestId::NONE)),
            17 => assert_eq!(first, Event::RecvRequest(RequestId::NONE)),
            21 => assert_eq!(first, Event::RequestCancelled(RequestId::NONE)),
            _ => assert_eq!(events.len(), 1, "id {id} makes no record"),
        }
    }
}

/// Something of every kind that makes a record.
fn full() -> Handmade {
    let mut made = Handmade::ranks(3);
    with_metrics(&mut made);
    made.define(34, &[F::I(0), F::I(1), F::I(NONE), F::I(NONE)]);
    let message = [F::I(2), F::I(0), F::I(0x1234_5678), F::V(0x0123_4567_89ab_cdef)];
    let with_request = [&message[..], &[F::V(0xdead_beef)]].concat();
    let collective = [F::U8(1), F::I(0), F::I(2), F::V(64), F::V(0x0001_0000)];
    made.on(10, &[Rec::time(0x0102_0304_0506), Rec::enter(0), Rec::of(14, &message), Rec::of(15, &with_request)]);
    made.on(10, &[Rec::bare(16, 0xdead_beef), Rec::bare(17, 300), Rec::of(18, &message), Rec::of(19, &with_request)]);
    made.on(10, &[Rec::bare(21, 1 << 56), Rec::time(0x0102_0304_0600), Rec::of(22, &[]), Rec::of(23, &collective)]);
    made.on(10, &[Rec::of(85, &[F::V(4)]), Rec::of(86, &[&collective[..], &[F::V(4)]].concat())]);
    let values =
        [F::U8(4), F::V(1500), F::U8(8), F::V((-2500_i64).cast_unsigned()), F::U8(10), F::V(1.5_f64.to_bits())];
    for metric in [7, 8] {
        made.on(10, &[Rec::of(31, &[&[F::I(metric), F::U8(3)][..], &values].concat())]);
    }
    made.on(10, &[Rec::of(66, &[F::I(0), F::I(1)]), Rec::of(67, &[F::I(0)]), Rec::leave(0)]);
    made.on(10, &[Rec::of(10, &[F::Raw(0x0102_0304_0700)]), Rec::of(11, &[F::U8(2)])]);
    made
}

#[test]
fn both_byte_orders_say_the_same() {
    let mut made = full();
    let little = read(&made);
    made.big = true;
    let big = read(&made);
    assert_eq!(little.events(1), big.events(1));
    assert_eq!(little.definitions.regions, big.definitions.regions);
    assert_eq!(little.definitions.communicators, big.definitions.communicators);
    assert!(little.warnings.is_empty() && big.warnings.is_empty(), "{:?} {:?}", little.warnings, big.warnings);
    assert!(otf2::recognise(&made.anchor()));
}

#[test]
fn fields_arrive_in_the_model() {
    let trace = read(&full());
    let events: Vec<_> = trace.events(1).into_iter().map(|(_, event)| event).collect();
    let end = MessageEnd {
        peer: LocationId(2),
        comm: CommId(0),
        tag: 0x1234_5678,
        bytes: 0x0123_4567_89ab_cdef,
        request: RequestId::NONE,
    };
    let request = RequestId(0xdead_beef);
    let whole = CollectiveEnd {
        op: CollectiveOp(1),
        comm: CommId(0),
        root: LocationId(2),
        sent: 64,
        received: 0x0001_0000,
        request: RequestId::NONE,
        number: None,
    };
    assert_eq!(events[1], Event::Send(end));
    assert_eq!(events[2], Event::Isend(MessageEnd { request, ..end }));
    assert_eq!(events[3], Event::SendComplete(request));
    assert_eq!(events[4], Event::RecvRequest(RequestId(300)));
    assert_eq!(events[5], Event::Recv(end));
    assert_eq!(events[6], Event::Irecv(MessageEnd { request, ..end }));
    assert_eq!(events[7], Event::RequestCancelled(RequestId(1 << 56)));
    assert_eq!(events[8], Event::CollectiveBegin);
    assert_eq!(events[9], Event::CollectiveEnd(whole));
    assert_eq!(events[10], Event::CollectiveRequest(RequestId(4)));
    assert_eq!(events[11], Event::CollectiveComplete(CollectiveEnd { request: RequestId(4), ..whole }));
    // Of the class and of its instance: a count, -2500 thousandths, 1.5 × 2^10.
    for (position, event) in events[12..18].iter().enumerate() {
        let (metric, value) = [(0, 1500.0), (1, -2.5), (2, 1536.0)][position % 3];
        assert_eq!(*event, Event::Metric(MetricValue { metric: MetricId(metric), value }));
    }
    let recv = heddle_model::RegionId(1);
    assert_eq!(events[18..20], [Event::Enter(recv), Event::Leave(Some(recv))], "by the context's region");
    let mark = |name: &str, text: &str| MarkText { name: name.to_owned(), text: text.to_owned() };
    let stall = mark("buffer flush", "the recorder stopped for 256 ns to write its buffer");
    assert_eq!(events[21..], [Event::Mark(&stall), Event::Mark(&mark("measurement off", ""))]);
    let modes: Vec<_> = trace.definitions.metrics.iter().map(|metric| metric.mode.name()).collect();
    assert_eq!(modes, ["accumulated", "absolute", "relative"]);
    assert_eq!(trace.blocks[1].last, Some(Ns(0x0600 - 0x0506)));
}

#[test]
fn attribute_lists_are_not_events() {
    let list = Rec::of(6, &[F::I(2), F::I(0), F::U8(4), F::V(99), F::I(1), F::U8(1), F::U8(12)]);
    let mut made = Handmade::ranks(1);
    made.on(0, &[Rec::time(1), list.clone(), Rec::enter(0), Rec::time(2), list, Rec::leave(0)]);
    let trace = read(&made);
    assert_eq!((trace.blocks[0].events, trace.records()), (2, 2));
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
}

#[test]
fn lengths_may_take_the_long_form_and_payloads_may_grow() {
    let mut made = Handmade::ranks(1);
    let send = [F::I(0), F::I(0), F::I(3), F::V(10)];
    // A newer writer appends fields: they are stepped over.
    let text = "x".repeat(300);
    made.on(0, &[Rec::time(1), Rec::long(14, &send), Rec::long(22, &[]), Rec::long(6, &[F::I(0)])]);
    made.on(0, &[Rec::of(14, &[&send[..], &[F::V(77), F::S(&text)]].concat()), Rec::enter(1)]);
    made.definitions.push(Rec::long(10, &[F::I(500), F::S(&text)]));
    made.define(15, &[F::I(9), F::I(500), F::I(NONE), F::U8(1), F::I(NONE), F::I(0), F::I(0)]);
    for big in [false, true] {
        made.big = big;
        let trace = read(&made);
        let events = trace.events(0);
        assert_eq!(events.len(), 4);
        assert_eq!(events[0].1, events[2].1);
        assert_eq!(trace.entered(0), ["MPI_Recv"]);
        assert!(trace.definitions.regions.iter().any(|region| region.name == text));
        assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
    }
}

#[test]
fn chunks_are_padded_and_read_on_their_own() {
    let mut made = Handmade::ranks(1);
    (made.event_chunk, made.definition_chunk) = (100, 64);
    for step in 0..50 {
        made.on(0, &[Rec::time(10 * step), Rec::enter(step as u32 % 2), Rec::leave(step as u32 % 2)]);
    }
    for big in [false, true] {
        made.big = big;
        let files = made.files();
        assert!(files.get("t/0.evt").unwrap().len() > 500 && files.get("t.def").unwrap().len() > 200);
        let trace = read_archive(&files, "t").unwrap();
        let times: Vec<_> = trace.events(0).into_iter().map(|(time, _)| time.0 / 10).collect();
        assert_eq!(times, (0..50).flat_map(|step| [step, step]).collect::<Vec<_>>());
        assert_eq!(trace.blocks[0].events, 100);
        assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
    }
}

#[test]
fn markers_belong_to_a_location_or_to_the_trace() {
    let mut made = Handmade::ranks(2);
    made.on(0, &[Rec::time(1000), Rec::enter(0)]);
    let marker = |time, kind, scope, id, text| {
        Rec::of(6, &[F::V(time), F::V(0), F::I(kind), F::U8(scope), F::V(id), F::S(text)])
    };
    made.markers = vec![
        Rec::of(5, &[F::I(3), F::S("phase"), F::S("solver"), F::U8(1)]),
        Rec::of(5, &[F::I(4), F::S(""), F::S("note"), F::U8(3)]),
        marker(1500, 3, 0, u64::MAX, "begins"),
        marker(900, 4, 1, 10, "early"),
    ];
    for big in [false, true] {
        made.big = big;
        let marks = read(&made).definitions.marks;
        assert_eq!(marks.len(), 2);
        assert_eq!((marks[0].location, marks[0].time, &*marks[0].name), (LocationId::NONE, Ns(600), "phase: solver"));
        assert_eq!((marks[1].location, marks[1].time, &*marks[1].name), (LocationId(1), Ns(0), "note"));
        assert_eq!((&*marks[0].text, &*marks[1].text), ("begins", "early"));
    }
}

#[test]
fn a_location_without_an_event_file_has_no_records() {
    let mut made = Handmade::ranks(2);
    made.on(10, &[Rec::time(5), Rec::enter(0)]);
    let files: MemoryFiles = made.files();
    assert_eq!(files.get("t/0.evt"), None);
    let trace = read_archive(&files, "t").unwrap();
    assert_eq!((trace.blocks[0].len(), trace.blocks[1].len()), (0, 1));
    assert!(trace.warnings.is_empty(), "many recorders write none for an idle location: {:?}", trace.warnings);
}
