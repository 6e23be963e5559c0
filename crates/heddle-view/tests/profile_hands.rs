//! The profile under the hand: sorted, searched, scrolled, opened and closed, by the pointer and by keys.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use std::collections::BTreeMap;

use heddle_model::{LocationId, Ns};
use heddle_options::Given;
use heddle_profile::{Folded, Grouping, fold};
use heddle_store::Store;
use heddle_view::{Emphasis, Extent, Picked, ProfileOptions, Selection, Step, Trace, View, ViewRequest, Window};

mod common;
#[path = "common/profiles.rs"]
mod profiles;
use profiles::{asked, halo_store, scan, with_profile};

/// All lines of a profile that have room, from the first on: what each says, and where it lies.
fn lines(trace: &Trace<'_>, request: &ViewRequest) -> Vec<Picked> {
    let area = View::Profile.scene(trace.clone(), request).plot;
    let at = |line: usize| (area.x + 60.0, area.y + 24.0 + 11.0 + 22.0 * line as f32);
    (0..).map_while(|line| View::Profile.pick(trace.clone(), request, at(line))).collect()
}

fn titles(trace: &Trace<'_>, request: &ViewRequest) -> Vec<String> {
    lines(trace, request).into_iter().map(|line| line.title).collect()
}

/// The request after a click: the options that it sets, beside those that were set.
fn after(request: &ViewRequest, options: &[(&str, &str)], picked: &Picked) -> ViewRequest {
    let sets = picked.sets.clone().unwrap();
    let mut all: BTreeMap<String, String> =
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    all.extend(sets.into_iter().map(|(name, value)| (name.to_owned(), value)));
    ViewRequest { options: Given::by_program(all), ..request.clone() }
}

#[test]
fn a_click_on_a_head_sorts_and_another_one_turns_the_order_round() {
    let (_directory, store) = halo_store(8);
    let trace = with_profile(&store);
    let request = asked(Window::default(), &[]);
    let scene = View::Profile.scene(trace.clone(), &request);
    for (title, what) in [("calls", 2usize), ("inclusive", 1), ("exclusive", 0)] {
        let is_it = |text: &str| text.trim_end_matches([' ', '▾', '▴']) == title;
        let head = scene.labels.iter().find(|label| is_it(&label.text)).unwrap();
        let at = (head.at.0 - 4.0, head.at.1);
        let once = after(
            &request,
            &[("sort", "name")],
            &View::Profile.pick(trace.clone(), &asked(Window::default(), &[("sort", "name")]), at).unwrap(),
        );
        let numbers = |request: &ViewRequest| -> Vec<i64> {
            let folded = folded_of(&store, &trace, &titles(&trace, request));
            folded
                .iter()
                .map(|folded| [folded.exclusive.total, folded.inclusive.total, folded.count as i64][what])
                .collect()
        };
        let sorted = numbers(&once);
        assert!(sorted.len() > 3 && sorted.is_sorted_by(|a, b| a >= b), "{title} {sorted:?}");
        let sort = View::Profile.pick(trace.clone(), &once, at).unwrap();
        let twice = after(&once, &[], &sort);
        assert!(numbers(&twice).is_sorted(), "{title}");
    }
}

/// Numbers of functions of all ranks, in an order.
fn folded_of(store: &Store, trace: &Trace<'_>, names: &[String]) -> Vec<Folded> {
    let profile = trace.profile.as_deref().unwrap();
    let by = Grouping::by_function(profile.paths(), |_| false);
    let locations: Vec<LocationId> = (0..store.locations.len() as u32).map(LocationId).collect();
    let all = fold(profile, store, &locations, (Ns(0), Ns(store.summary().end_ns)), &by);
    let of = |name: &String| {
        let is_it = |row: &heddle_profile::Row| store.regions.name.get(u64::from(row.region.0)) == name;
        all[by.rows().iter().position(is_it).unwrap()]
    };
    names.iter().map(of).collect()
}

#[test]
fn paths_are_opened_and_closed_and_stay_so() {
    let (_directory, store) = halo_store(4);
    let trace = with_profile(&store);
    let tree = [("tree", "1")];
    let request = asked(Window::default(), &tree);
    let all = titles(&trace, &asked(Window::default(), &[("tree", "1"), ("branches", "all")]));
    let outer = titles(&trace, &asked(Window::default(), &[("tree", "1"), ("branches", "none")]));
    assert_eq!(titles(&trace, &request), all, "there is room for all");
    assert!(outer.len() < all.len() && outer.iter().all(|title| !title.contains('›')), "{outer:?}");
    // The knob of the first path that calls something.
    let at = all.iter().position(|title| all.iter().any(|other| other.starts_with(&format!("{title} ›")))).unwrap();
    let area = View::Profile.scene(trace.clone(), &request).plot;
    let depth = all[at].matches('›').count() as f32;
    let knob = (area.x + 14.0 * depth + 3.0, area.y + 24.0 + 11.0 + 22.0 * at as f32);
    let picked = View::Profile.pick(trace.clone(), &request, knob).unwrap();
    assert_eq!(picked.select, None, "it is opened or closed, not selected");
    let closed = after(&request, &tree, &picked);
    let inside = format!("{} ›", all[at]);
    let left: Vec<String> = all.iter().filter(|title| !title.starts_with(&inside)).cloned().collect();
    assert_eq!(titles(&trace, &closed), left);
    let half = (Ns(0), Ns(store.summary().end_ns / 2));
    let earlier = ViewRequest { window: Window { time: Some(half), ..Window::default() }, ..closed.clone() };
    assert!(titles(&trace, &earlier).iter().all(|title| !title.starts_with(&inside)), "in another window too");
    let again = View::Profile.pick(trace.clone(), &closed, knob).unwrap();
    assert_eq!(titles(&trace, &after(&closed, &tree, &again)), all);
}

#[test]
fn a_search_leaves_what_it_finds_and_the_way_there() {
    let (_directory, store) = halo_store(4);
    let trace = with_profile(&store);
    let all = titles(&trace, &asked(Window::default(), &[("branches", "all"), ("tree", "1")]));
    let found =
        titles(&trace, &asked(Window::default(), &[("search", "wAiTaLl"), ("tree", "1"), ("branches", "none")]));
    let is_found = |title: &str| title.rsplit(" › ").next().unwrap().contains("Waitall");
    let way = |title: &&String| {
        all.iter().any(|other| is_found(other) && (other == *title || other.starts_with(&format!("{title} ›"))))
    };
    assert_eq!(found.iter().collect::<Vec<_>>(), all.iter().filter(way).collect::<Vec<_>>());
    assert!(found.iter().any(|title| is_found(title)));
    assert_eq!(titles(&trace, &asked(Window::default(), &[("search", "waitall")])), ["MPI_Waitall"]);
    let nothing = View::Profile.scene(trace.clone(), &asked(Window::default(), &[("search", "zzz")]));
    assert!(nothing.notes.iter().any(|note| note.contains("searched for")), "{:?}", nothing.notes);
}

#[test]
fn a_long_list_scrolls_to_its_end_and_no_further() {
    let (_directory, store) = halo_store(64);
    let trace = with_profile(&store);
    let all: Vec<String> = (0..64).map(|rank| format!("rank {rank}")).collect();
    let of = |first: &str| {
        let mut request = asked(Window::default(), &[("by-rank", "1"), ("sort", "name"), ("first-row", first)]);
        request.size.height = 24 + 6 + 22 * 10;
        let scene = View::Profile.scene(trace.clone(), &request);
        (titles(&trace, &request), scene.y_axis.extent)
    };
    assert_eq!(of("0"), (all[..10].to_vec(), Extent::Lines(0, 10, 64)));
    assert_eq!(of("33"), (all[33..43].to_vec(), Extent::Lines(33, 43, 64)));
    assert_eq!(of("1000"), (all[54..].to_vec(), Extent::Lines(54, 64, 64)));
}

#[test]
fn ranks_have_the_numbers_of_the_selected_function_or_of_all() {
    let (_directory, store) = halo_store(8);
    let trace = with_profile(&store);
    let options = [("by-rank", "1"), ("sort", "name")];
    let all = asked(Window::default(), &options);
    let emphasis = Emphasis { selected: Some(Selection::Function("MPI_Waitall".to_owned())), ..Emphasis::default() };
    let one = ViewRequest { emphasis, ..all.clone() };
    let region = (0..store.regions.len() as u32).find(|row| store.regions.name.get(u64::from(*row)) == "MPI_Waitall");
    for (request, own) in [(&all, None), (&one, region)] {
        let lines = lines(&trace, request);
        assert_eq!(lines.len(), 8);
        for (rank, line) in lines.iter().enumerate() {
            let calls = scan(&store, LocationId(rank as u32));
            let count = calls.iter().filter(|call| own.is_none_or(|own| call.path.last() == Some(&own))).count();
            let said = line.lines.iter().find(|line| line.contains(" call")).unwrap();
            assert_eq!(said.split(' ').next().unwrap().replace(',', ""), count.to_string(), "{said}");
            assert_eq!(line.select, Some(Selection::Ranks(rank.to_string().parse().unwrap())));
        }
    }
}

#[test]
fn cells_that_name_a_rank_select_it_or_its_call() {
    let (_directory, store) = halo_store(8);
    let trace = with_profile(&store);
    for tree in ["0", "1"] {
        let mut request = asked(Window::default(), &[("tree", tree)]);
        request.size.width = 2400;
        let scene = View::Profile.scene(trace.clone(), &request);
        let places = lines(&trace, &request).len();
        let cell = |title: &str, line: usize| {
            let head = scene.labels.iter().find(|label| label.text == title).unwrap();
            let at = (head.at.0 - 4.0, scene.plot.y + 24.0 + 11.0 + 22.0 * line as f32);
            let label = scene
                .labels
                .iter()
                .find(|label| (label.at.0 - head.at.0).abs() < 0.5 && (label.at.1 - at.1).abs() < 11.0)
                .unwrap();
            (View::Profile.pick(trace.clone(), &request, at).unwrap().select.unwrap(), label.text.clone())
        };
        for line in 0..places {
            for title in ["most, on rank", "least, on rank"] {
                let (select, text) = cell(title, line);
                let rank = text.rsplit(", ").next().unwrap();
                assert_eq!(select, Selection::Ranks(rank.parse().unwrap()), "{text}");
            }
            for title in ["longest call", "shortest call"] {
                let (select, text) = cell(title, line);
                let Selection::Span(name) = select else { panic!("a call") };
                let span = name.find(&store).unwrap().0;
                let ns = store.spans.end.get(span).since(store.spans.start.get(span));
                assert_eq!(text.split(", ").next().unwrap(), heddle_view::duration_text(ns));
            }
        }
    }
}

#[test]
fn keys_lead_from_line_to_line_and_open_and_close_them() {
    let (_directory, store) = halo_store(4);
    let trace = with_profile(&store);
    let tree = [("tree", "1"), ("branches", "none")];
    let mut request = asked(Window::default(), &tree);
    request.size.height = 24 + 6 + 22 * 3;
    let every = titles(&trace, &asked(Window::default(), &[("tree", "1"), ("branches", "all")]));
    let mut at = String::new();
    let mut options: Vec<(String, String)> = Vec::new();
    let mut press = |step: Step| {
        let picked = View::Profile.step(trace.clone(), &request, step).unwrap();
        options = picked.sets.clone().unwrap().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let mut all: BTreeMap<String, String> = tree.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        all.extend(options.iter().cloned());
        if !all.contains_key("branches") {
            all.insert("branches".to_owned(), "none".to_owned());
        }
        // What was opened stays open.
        let open = request.options.checked::<ProfileOptions>().branches;
        if !options.iter().any(|(name, _)| name == "branches") {
            all.insert("branches".to_owned(), open);
        }
        request.options = Given::by_program(all);
        at.clone_from(&picked.title);
        let seen = titles(&trace, &request);
        assert!(seen.contains(&at), "{at} is in sight: {seen:?}");
        at.clone()
    };
    let first = press(Step::Down);
    assert_eq!(first, every[0]);
    // Every path is reached by opening whatever holds something, line by line.
    let mut met = vec![first];
    for _ in 0..4 * every.len() {
        let here = met.last().unwrap().clone();
        let inner = press(Step::In);
        assert_eq!(inner, here, "it opens, if it holds anything");
        let next = press(Step::Down);
        if next == here {
            break;
        }
        met.push(next);
    }
    assert_eq!(met, every);
    assert_eq!(press(Step::First), every[0]);
    assert_eq!(press(Step::Last), *every.last().unwrap());
    let deepest = every.iter().max_by_key(|title| title.matches('›').count()).unwrap().clone();
    press(Step::First);
    while press(Step::Down) != deepest {}
    assert_eq!(press(Step::Out), deepest.rsplit_once(" › ").unwrap().0, "to its caller");
    let closed = press(Step::Out);
    assert_eq!(press(Step::In), closed, "it was closed, and is opened again");
    assert!(press(Step::In).starts_with(&format!("{closed} ›")));
}
