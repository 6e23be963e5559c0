//! Counters as tracks below the rows of the timeline: where they are, what is said there, and what is said where there is no room.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use heddle_options::Given;
use heddle_store::Store;
use heddle_view::{Band, Layer, Scene, Size, View, ViewRequest, Window};

mod common;
use common::{Call, Calls, request};

/// Some ranks of two calls each; all but rank 0 count.
fn counted(ranks: usize) -> (tempfile::TempDir, Store) {
    let calls =
        vec![Call(0, 0, 400_000, vec![Call(1, 100_000, 200_000, Vec::new())]), Call(2, 500_000, 900_000, vec![])];
    Calls::new(vec![calls; ranks]).counted().store()
}

fn asked(options: &[(&str, &str)], height: u32) -> ViewRequest {
    let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let size = Size { width: 900, height };
    ViewRequest { options: Given::by_program(options), size, ..request(Window::default()) }
}

fn bands(scene: &Scene) -> Vec<&Band> {
    scene.layers.iter().flat_map(|layer| if let Layer::Bands(bands) = layer { bands.as_slice() } else { &[] }).collect()
}

#[test]
fn a_track_lies_in_the_lower_part_of_its_row_and_calls_above_it() {
    let (_directory, store) = counted(3);
    let tracked = asked(&[("tracks", "1")], 500);
    let (scene, plain) = (View::Timeline.scene(&store, &tracked), View::Timeline.scene(&store, &asked(&[], 500)));
    assert!(bands(&plain).is_empty());
    // An area, a band and a line for each of ranks 1 and 2.
    assert_eq!(bands(&scene).len(), 6);
    assert!(scene.notes.iter().any(|note| note.starts_with("2 tracks of counters")), "{:?}", scene.notes);
    let row = scene.plot.height / 3.0;
    for band in bands(&scene) {
        let all: Vec<f32> = band.upper.iter().chain(&band.lower).copied().filter(|y| y.is_finite()).collect();
        let (least, most) = all.iter().fold((f32::MAX, f32::MIN), |(least, most), y| (least.min(*y), most.max(*y)));
        let at = ((least - scene.plot.y) / row) as usize;
        assert!((1..3).contains(&at), "rank 0 counts nothing");
        assert!(least > scene.plot.y + row * (at as f32 + 0.5) && most <= scene.plot.y + row * (at + 1) as f32 + 1.0);
    }
    // What is picked is what is drawn: calls above, the counter below, with its value there.
    let pick = |share: f32, row_share: f32| {
        let at = (scene.plot.x + scene.plot.width * share, scene.plot.y + row * row_share);
        View::Timeline.pick(&store, &tracked, at).unwrap()
    };
    assert_eq!(pick(0.7, 1.2).title, "MPI_Waitall");
    let below = pick(0.25, 1.95);
    assert_eq!(below.title, "ticks");
    // A thousandth of the time in nanoseconds: a million per second.
    assert!(below.lines.iter().any(|line| line == "1 M/s"), "{:?}", below.lines);
    assert_eq!(pick(0.7, 0.95).title, "MPI_Waitall", "rank 0 has all of its row for calls");
}

#[test]
fn where_there_is_no_room_a_note_says_what_to_do() {
    let (_directory, store) = counted(40);
    let scene = View::Timeline.scene(&store, &asked(&[("tracks", "1")], 500));
    assert!(bands(&scene).is_empty());
    let note = "Rows are too low for tracks of counters: zoom in to";
    assert!(scene.notes.iter().any(|words| words.starts_with(note)), "{:?}", scene.notes);
}

#[test]
fn tracks_are_chosen_by_name() {
    let (_directory, store) = counted(3);
    let chosen = asked(&[("tracks", "1"), ("metrics", "tick")], 500);
    assert!(View::Timeline.needs(&store, &chosen).is_ok());
    assert_eq!(bands(&View::Timeline.scene(&store, &chosen)).len(), 6);
    assert!(View::Timeline.needs(&store, &asked(&[("tracks", "1"), ("metrics", "nothing")], 500)).is_err());
    let level = asked(&[("tracks", "1"), ("rates", "0")], 500);
    assert_eq!(bands(&View::Timeline.scene(&store, &level)).len(), 6);
}
