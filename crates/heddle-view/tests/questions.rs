//! What the page asks about a picture, against plain scans of the tables.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use heddle_model::{
    Definitions, Location, LocationKind, MarkText, Ns, Paradigm, Rank, Region, RegionId, Role, SpanRow,
};
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_testkit::MadeSource;
use heddle_view::{
    ColourBook, Colours, Details, Direction, Emphasis, Extent, Framing, HitKind, Layer, Selection, SpanName, Theme,
    View, ViewRequest, Window, details, find, search,
};
use proptest::prelude::*;

mod common;
use common::{Call, Calls, calls_in, request, within};

fn halo_store(options: &HaloOptions) -> (tempfile::TempDir, Store) {
    halo_store_on(options, &Machine::default())
}

fn halo_store_on(options: &HaloOptions, machine: &Machine) -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("halo.heddle");
    let store = store_simulation(&halo(options, machine).unwrap(), "halo", &target, 1 << 28, &NoProgress).unwrap();
    (directory, store)
}

fn region_named(store: &Store, name: &str) -> RegionId {
    let row = (0..store.regions.len()).find(|row| store.regions.name.get(*row) == name).unwrap();
    RegionId(row as u32)
}

fn row(store: &Store, selected: &Selection) -> u64 {
    let Selection::Span(name) = selected else { panic!("a call expected, not {selected}") };
    name.find(store).unwrap().0
}

fn call(store: &Store, row: u64) -> Selection {
    Selection::Span(SpanName::of(store, SpanRow(row)))
}

fn colours(store: &Store) -> Colours {
    Colours::of(store, &ColourBook::default(), Theme::Light)
}

fn details_of(store: &Store, row: u64) -> Details {
    details(store, None, &Window::default(), &colours(store), &call(store, row)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_ways_from_a_span_lead_to_its_neighbours(calls in proptest::collection::vec(calls_in(0, 200, 4), 1..4)) {
        let (_directory, store) = Calls::new(calls).store();
        let depth = |span: u64| store.spans.depth.get(span);
        let is_leaf = |span: u64, end: u64| span + 1 >= end || depth(span + 1) <= depth(span);
        let speaks = |span: u64, end: u64| {
            store.regions.communicates(store.spans.region.get(span)) && is_leaf(span, end)
        };
        let is_alike = |span: u64, other: u64, end: u64| {
            if speaks(span, end) { speaks(other, end) } else { depth(other) == depth(span) }
        };
        for location in Window::default().locations(&store) {
            let rows = store.spans_of(location);
            for span in rows.clone() {
                let found = details_of(&store, span);
                let go = |target: Option<heddle_view::Target>| target.map(|target| row(&store, &target.select));
                prop_assert_eq!(row(&store, &found.select), span);
                prop_assert_eq!(go(found.parent), (rows.start..span).rev().find(|other| depth(*other) < depth(span)));
                prop_assert_eq!(go(found.previous), (rows.start..span).rev().find(|other| is_alike(span, *other, rows.end)));
                prop_assert_eq!(go(found.next), (span + 1..rows.end).find(|other| is_alike(span, *other, rows.end)));
                prop_assert_eq!(go(found.child), Some(span + 1).filter(|next| *next < rows.end && depth(*next) > depth(span)));
            }
        }
    }

    #[test]
    fn find_agrees_with_a_scan(
        calls in proptest::collection::vec(calls_in(0, 100, 3), 1..4), moment in 0i64..100, region in 0u32..3,
    ) {
        let (_directory, store) = Calls::new(calls).store();
        let starts = |span: &u64| store.spans.start.get(*span).0;
        let length = |span: &u64| store.spans.end.get(*span).since(store.spans.start.get(*span));
        let all: Vec<u64> = (0..store.spans.len()).filter(|span| store.spans.region.get(*span).0 == region).collect();
        let ask = |direction| {
            let target = find(&store, &Window::default(), RegionId(region), Ns(moment), direction);
            target.map(|target| row(&store, &target.select))
        };
        let next = all.iter().filter(|span| starts(span) > moment).min_by_key(|span| (starts(span), **span));
        prop_assert_eq!(ask(Direction::Next).map(|span| starts(&span)), next.or(all.iter().min_by_key(|span| starts(span))).map(starts));
        let previous = all.iter().filter(|span| starts(span) < moment).max_by_key(|span| starts(span));
        prop_assert_eq!(
            ask(Direction::Previous).map(|span| starts(&span)),
            previous.or(all.iter().max_by_key(|span| starts(span))).map(starts)
        );
        prop_assert_eq!(ask(Direction::Longest).map(|span| length(&span)), all.iter().map(length).max());
    }
}

#[test]
fn stepping_through_communication_never_ends_up_in_a_caller() {
    // main calls MPI_Recv; then a solver does, from deeper, twice; then main again.
    let receive = |at: i64| Call(1, at, at + 5, Vec::new());
    let solver = |at: i64| Call(3, at, at + 40, vec![receive(at + 5), receive(at + 20)]);
    let (_directory, store) =
        Calls::new(vec![vec![Call(0, 0, 1000, vec![receive(10), solver(100), solver(200), receive(300)])]]).store();
    let walk = |from: u64, forward: bool| {
        std::iter::successors(Some(from), |at| {
            let found = details_of(&store, *at);
            let target = if forward { found.next } else { found.previous };
            target.map(|target| row(&store, &target.select))
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(walk(1, true), [1, 3, 4, 6, 7, 8]);
    assert_eq!(walk(8, false), [8, 7, 6, 4, 3, 1]);
    // The solvers are on one level, with what main calls itself.
    assert_eq!(walk(2, true), [2, 5, 8]);
    assert_eq!(walk(0, true), [0]);
}

#[test]
fn callers_are_found_behind_thousands_of_calls() {
    let calls = |from: i64| (0..20_000).map(|at| Call(1, from + at * 10, from + at * 10 + 5, Vec::new())).collect();
    let nested = vec![Call(0, 0, 1_000_000, vec![Call(3, 100, 500_000, calls(200))])];
    let (_directory, store) = Calls::new(vec![Vec::new(), nested, Vec::new()]).store();
    for span in [2, 3, 65, 66, 4_097, 20_001] {
        let found = details_of(&store, span);
        assert_eq!(row(&store, &found.parent.unwrap().select), 1, "caller of {span}");
        let path = found.facts.iter().find(|fact| fact.label == "Called from").unwrap();
        assert_eq!(path.text, "main › stall");
    }
    // A window far behind the beginning still shows both callers.
    let scene = View::Timeline.scene(&store, &request(within(150_000, 150_100)));
    let Layer::Rects(rects) = &scene.layers[1] else { panic!("rects expected") };
    assert_eq!(rects.iter().map(|mark| mark.span.0).take(2).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn lines_are_the_messages_in_sight() {
    let (_directory, store) = halo_store(&HaloOptions { ranks: 16, iterations: 12, ..HaloOptions::default() });
    let messages = &store.messages;
    let end = store.summary().end_ns;
    for part in 0..24 {
        let time = (Ns(end * part / 24), Ns(end * (part + 1) / 24));
        let mut asked = request(Window { time: Some(time), ..Window::default() });
        asked.window.ranks = (part % 3 == 0).then(|| "3-9".parse().unwrap());
        let chosen = asked.window.locations(&store);
        let expected = (0..messages.len())
            .filter(|row| messages.send.get(*row) <= time.1 && messages.recv.get(*row) >= time.0)
            .filter(|row| chosen.contains(&messages.send_location.get(*row)))
            .filter(|row| chosen.contains(&messages.recv_location.get(*row)))
            .count();
        let scene = View::Timeline.scene(&store, &asked);
        // The rim around a line is no message of its own.
        let lines = scene.layers.iter().map(|layer| match layer {
            Layer::Segments(lines) => lines.iter().filter(|line| line.width <= 1.0).count(),
            _ => 0,
        });
        assert_eq!(lines.sum::<usize>(), expected, "part {part}");
    }
}

#[test]
fn a_message_leads_to_its_partner_and_back() {
    let (_directory, store) = halo_store(&HaloOptions { ranks: 9, iterations: 4, ..HaloOptions::default() });
    for message in 0..store.messages.len() {
        let [send, receive] = [store.messages.send_span.get(message), store.messages.recv_span.get(message)];
        for (from, to) in [(send, receive), (receive, send)] {
            let found = details_of(&store, from.0);
            let ends = found.facts.iter().filter_map(|fact| fact.target.as_ref());
            assert!(ends.map(|end| row(&store, &end.select)).any(|end| end == to.0), "message {message}");
            assert!(found.partner.is_some());
        }
    }
}

#[test]
fn a_collective_names_the_rank_that_came_last() {
    let options = HaloOptions { ranks: 16, iterations: 10, allreduce_every: 1, ..HaloOptions::default() };
    let machine = Machine { noise: 0.0, slow_ranks: vec![6], slow_factor: 4.0, ..Machine::default() };
    let (_directory, store) = halo_store_on(&options, &machine);
    let allreduce = region_named(&store, "MPI_Allreduce");
    let longest = find(&store, &Window::default(), allreduce, Ns(0), Direction::Longest).unwrap();
    let found = details_of(&store, row(&store, &longest.select));
    let last = found.facts.iter().find(|fact| fact.label == "Last to arrive").unwrap();
    // By a scan of the members of the collective that this call is one of.
    let (members, span) = (&store.collective_members, SpanRow(row(&store, &longest.select)));
    let of_16 = (0..members.len()).find(|member| members.span.get(*member) == span).unwrap() / 16 * 16;
    let latest = (of_16..of_16 + 16).max_by_key(|member| members.start.get(*member)).unwrap();
    let target = last.target.as_ref().unwrap();
    assert_eq!(store.spans.start.get(row(&store, &target.select)), members.start.get(latest));
    // It is the slow rank, or a neighbour that had to wait for its message.
    assert!([2, 5, 6, 7, 10].contains(&target.row.unwrap()), "{}", last.text);
    assert!(found.facts.iter().any(|fact| fact.label == "Collective" && fact.text.contains("16 ranks")));
}

#[test]
fn a_pointer_finds_what_is_drawn_under_it() {
    let calls = vec![
        vec![Call(0, 0, 1000, vec![Call(1, 100, 200, Vec::new()), Call(2, 300, 900, Vec::new())])],
        vec![Call(1, 0, 500, Vec::new())],
    ];
    let (_directory, store) = Calls::new(calls).store();
    let asked = request(Window::default());
    let scene = View::Timeline.scene(&store, &asked);
    let Layer::Rects(rects) = &scene.layers[1] else { panic!("rects expected") };
    for mark in rects {
        // At its upper left corner no call inside covers it.
        let picked = View::Timeline.pick(&store, &asked, (mark.rect.x + 1.0, mark.rect.y + 1.0)).unwrap();
        assert_eq!(row(&store, &picked.select.unwrap()), mark.span.0);
        assert!(picked.lines[0].starts_with("rank "), "{:?}", picked.lines);
    }
    let outside =
        [(scene.plot.x - 5.0, scene.plot.y + 5.0), (scene.plot.x + 5.0, scene.plot.y + scene.plot.height + 2.0)];
    assert!(outside.iter().all(|at| View::Timeline.pick(&store, &asked, *at).is_none()));
    // Nobody calls anything there.
    let empty = (scene.plot.x + scene.plot.width * 0.8, scene.plot.y + scene.plot.height * 0.9);
    assert!(View::Timeline.pick(&store, &asked, empty).is_none());
}

#[test]
fn a_pointer_over_a_summary_finds_what_dominates_and_the_longest_call() {
    let rank = |rank: i64| {
        let calls = (0..50).map(|at| Call(1, at * 20, at * 20 + 12, Vec::new()));
        calls
            .map(|Call(region, start, end, inside)| Call(region, start, end + i64::from(rank == 700), inside))
            .collect()
    };
    let (_directory, store) = Calls::new((0..2000).map(rank).collect()).store();
    let asked = ViewRequest { framing: Framing::Pane, ..request(Window::default()) };
    let scene = View::Timeline.scene(&store, &asked);
    // The row that holds rank 700 begins with it or a little before.
    let y = scene.plot.y + scene.plot.height * 701.5 / 2000.0;
    let picked = View::Timeline.pick(&store, &asked, (scene.plot.x + 3.5, y)).unwrap();
    assert_eq!(picked.title, "MPI_Recv");
    assert_eq!(picked.select.unwrap().to_string(), "span:700:0", "{:?}", picked.lines);
    assert!(picked.lines[0].contains("rows"), "{:?}", picked.lines);
}

#[test]
fn a_pointer_over_an_area_finds_the_function_and_its_share() {
    let calls =
        vec![vec![Call(1, 0, 100, Vec::new())], vec![Call(2, 0, 100, Vec::new())], vec![Call(0, 0, 100, Vec::new())]];
    let (_directory, store) = Calls::new(calls).store();
    let asked = request(Window::default());
    let plot = View::Activity.scene(&store, &asked).plot;
    let at = |part: f32| {
        let place = (plot.x + plot.width / 2.0, plot.y + plot.height * (1.0 - part));
        View::Activity.pick(&store, &asked, place).unwrap()
    };
    assert_eq!([at(0.1).title, at(0.5).title, at(0.9).title], ["MPI_Recv", "MPI_Waitall", "computing"]);
    assert!(at(0.1).lines[0].starts_with("33.3 % of the ranks, 1.0 of 3"), "{:?}", at(0.1).lines);
}

#[test]
fn what_is_highlighted_stands_out_and_what_is_hidden_is_gone() {
    let calls = vec![vec![Call(0, 0, 100, vec![Call(1, 10, 40, Vec::new()), Call(2, 50, 90, Vec::new())])]];
    let (_directory, store) = Calls::new(calls).store();
    let emphasis =
        Emphasis { highlighted: vec![RegionId(1)], hidden: vec![RegionId(2)], selected: Some(call(&store, 1)) };
    let scene = View::Timeline.scene(&store, &ViewRequest { emphasis, ..request(Window::default()) });
    let Layer::Rects(rects) = &scene.layers[1] else { panic!("rects expected") };
    let opacity = |span: u64| {
        rects.iter().find(|mark| mark.span.0 == span).map(|mark| scene.palette[usize::from(mark.colour.0)].3)
    };
    assert_eq!(opacity(1), Some(255));
    assert!(opacity(0).unwrap() < 100, "main fades");
    assert_eq!(opacity(2), None, "MPI_Waitall is hidden");
    let Some(Layer::Rects(outline)) = scene.layers.last() else { panic!("an outline expected") };
    let selected = rects.iter().find(|mark| mark.span.0 == 1).unwrap().rect;
    assert_eq!(outline.len(), 4);
    assert!(outline.iter().all(|side| !selected.contains((side.rect.x + side.rect.width / 2.0, side.rect.y + side.rect.height / 2.0))));
}

#[test]
fn rows_are_a_part_of_the_list() {
    let (_directory, store) = Calls::new((0..40).map(|_| vec![Call(1, 0, 50, Vec::new())]).collect()).store();
    let asked = request(Window { rows: Some((10, 14)), ..Window::default() });
    let scene = View::Timeline.scene(&store, &asked);
    assert_eq!(scene.y_axis.extent, Extent::Rows(10, 14, 40));
    assert_eq!(scene.y_axis.ticks.iter().map(|tick| tick.label.as_str()).collect::<Vec<_>>(), ["10", "11", "12", "13"]);
    let picked = View::Timeline.pick(&store, &asked, (scene.plot.x + 5.0, scene.plot.y + 5.0)).unwrap();
    assert_eq!(picked.select.unwrap().to_string(), "span:10:0");
    // Rows that do not exist are no reason to fail.
    for rows in [(39, 400), (100, 200), (7, 7), (9, 3)] {
        let asked = request(Window { rows: Some(rows), ..Window::default() });
        let Extent::Rows(from, to, _) = View::Timeline.scene(&store, &asked).y_axis.extent else {
            panic!("rows expected")
        };
        assert!(from < to && to <= 40, "{rows:?} gave {from}..{to}");
    }
}

#[test]
fn search_finds_functions_ranks_and_communicators() {
    let (_directory, store) =
        halo_store(&HaloOptions { ranks: 16, iterations: 3, allreduce_every: 1, ..HaloOptions::default() });
    let ask = |text: &str| search(&store, &Window::default(), &colours(&store), text);
    let functions = ask("all");
    assert!(functions.iter().any(|hit| hit.kind == HitKind::Function && hit.label == "MPI_Waitall"));
    assert_eq!(ask("mpi_allreduce")[0].label, "MPI_Allreduce");
    assert_eq!(ask("rank 7")[0].rows, Some((7, 8)));
    assert_eq!(ask("7")[0].kind, HitKind::Rank);
    let world = ask("world").into_iter().find(|hit| hit.kind == HitKind::Communicator).unwrap();
    assert_eq!(world.ranks.as_deref(), Some("0-15"));
    assert!(ask("").is_empty() && ask("no such thing").is_empty());
}

#[test]
fn search_finds_nodes_with_their_ranks() {
    let machine = Machine { ranks_per_node: 4, ..Machine::default() };
    let (_directory, store) =
        halo_store_on(&HaloOptions { ranks: 16, iterations: 3, ..HaloOptions::default() }, &machine);
    let ask = |window: &Window, text: &str| search(&store, window, &colours(&store), text);
    let all = Window::default();
    let found = ask(&all, "node 2");
    assert_eq!(found.len(), 1, "{found:?}");
    let node = &found[0];
    assert_eq!((node.kind, node.label.as_str(), node.detail.as_str()), (HitKind::Node, "node 2", "ranks 8-11"));
    assert_eq!((node.rows, node.ranks.as_deref()), (Some((8, 12)), Some("8-11")));
    assert_eq!(ask(&all, "NODE").len(), 4);
    assert_eq!(ask(&all, "machine")[0].rows, Some((0, 16)));
    // Rows are those of the filter.
    let some = Window { ranks: Some("10-15".parse().unwrap()), ..Window::default() };
    assert_eq!(ask(&some, "node 2")[0].rows, Some((0, 2)));
    assert_eq!(ask(&some, "node 0")[0].rows, None);
    // A rank says how it is filtered, so that it can be selected.
    assert_eq!(ask(&all, "rank 7")[0].ranks.as_deref(), Some("7"));
}

#[test]
fn names_of_spans_outlive_the_store_and_wrong_ones_are_refused() {
    let (_directory, store) =
        Calls::new(vec![vec![Call(1, 0, 5, Vec::new())], vec![Call(2, 0, 5, Vec::new())]]).store();
    assert_eq!(SpanName::of(&store, SpanRow(1)).to_string(), "1:0");
    let named = |name: &str| match format!("span:{name}").parse() {
        Ok(Selection::Span(name)) => name.find(&store),
        other => panic!("{other:?}"),
    };
    assert_eq!(named("1:0"), Some(SpanRow(1)));
    assert_eq!(named("1:1"), None);
    assert_eq!(named("9:0"), None);
    for wrong in ["", "1", "1:", ":1", "a:b", "1:2:3", "-1:0"] {
        assert!(format!("span:{wrong}").parse::<Selection>().is_err(), "{wrong}");
    }
}

#[test]
fn a_call_says_where_in_the_source_it_was_made() {
    let definitions = Definitions {
        locations: (0..2)
            .map(|at| Location {
                file_id: u64::from(at),
                name: format!("rank {at}").into(),
                kind: LocationKind::CpuThread,
                parent: None,
                rank: Rank(at),
            })
            .collect(),
        regions: ["main", "MPI_Recv"].map(|name| Region::named(name, Paradigm::Mpi, Role::Function)).to_vec(),
        ..Definitions::default()
    };
    let parts = MadeSource::part_per_location(&definitions, 64);
    let source = MadeSource::new(definitions, parts, |part, out| {
        out.enter(Ns(0), RegionId(0));
        for start in [0, 20, 40] {
            out.enter(Ns(start), RegionId(1));
            if start != 20 {
                let text = format!("main › solve (b.c:{}{start})", part.location.0);
                out.mark(Ns(start), MarkText { name: "phase".to_owned(), text: "warm up".to_owned() });
                out.mark(Ns(start), MarkText { name: MarkText::CALL_SITE.to_owned(), text });
            }
            out.leave(Ns(start + 10), Some(RegionId(1)));
        }
        out.leave(Ns(60), Some(RegionId(0)));
        out.last = Some(Ns(60));
        out.events += 12;
    });
    let directory = tempfile::tempdir().unwrap();
    let store = store_simulation(&source, "x", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
    let sites: Vec<Option<String>> = (0..store.spans.len())
        .map(|row| {
            details_of(&store, row).facts.into_iter().find(|fact| fact.label == "Call site").map(|fact| fact.text)
        })
        .collect();
    let site = |text: &str| Some(format!("main › solve (b.c:{text})"));
    // `main` begins at the same moment as the first call that it makes.
    let expected = [None, site("00"), None, site("040"), None, site("10"), None, site("140")];
    assert_eq!(sites, expected);
}
