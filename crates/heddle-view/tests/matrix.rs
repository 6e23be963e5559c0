//! The communication matrix against a plain scan of the messages.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use heddle_model::{LocationId, Ns};
use heddle_options::Given;
use heddle_profile::messages::Messages;
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{
    Choosing, Extent, Framing, Layer, Pointed, Raster, Rect, Rgba, Scene, Selection, Size, Theme, Trace, View,
    ViewRequest, Window,
};

mod common;
use common::request;

fn halo_store(ranks: u32) -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let options = HaloOptions { ranks, iterations: 6, ..HaloOptions::default() };
    let simulation = halo(&options, &Machine::default()).unwrap();
    let store =
        store_simulation(&simulation, "halo", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
    (directory, store)
}

/// The trace with what pictures of messages rest on.
fn whole(store: &Store) -> Trace<'_> {
    Trace { messages: Some(Arc::new(Messages::open(store, &NoProgress).unwrap())), ..Trace::from(store) }
}

fn asked(window: Window, volume: &str) -> ViewRequest {
    let options = Given::by_program([("volume".to_owned(), volume.to_owned())]);
    ViewRequest { framing: Framing::Pane, options, ..request(window) }
}

fn raster(scene: &Scene) -> &Raster {
    let mut rasters =
        scene.layers.iter().filter_map(|layer| if let Layer::Raster(raster) = layer { Some(raster) } else { None });
    rasters.next_back().unwrap()
}

/// Messages and bytes from some ranks to others in a window, by looking at every message.
fn scanned(store: &Store, time: (Ns, Ns), from: &[u32], to: &[u32]) -> (u64, u64) {
    let (messages, ranks) = (&store.messages, &store.locations.rank);
    let rank = |at: LocationId| ranks.get(u64::from(at.0)).0;
    let is_in = |row: &u64| {
        (time.0..=time.1).contains(&messages.send.get(*row))
            && from.contains(&rank(messages.send_location.get(*row)))
            && to.contains(&rank(messages.recv_location.get(*row)))
    };
    let rows: Vec<u64> = (0..messages.len()).filter(is_in).collect();
    (rows.len() as u64, rows.iter().map(|row| messages.bytes.get(*row)).sum())
}

#[test]
fn cells_hold_what_a_scan_finds() {
    let (_directory, store) = halo_store(12);
    let end = store.summary().end_ns;
    for time in [None, Some((Ns(end / 4), Ns(end / 2)))] {
        let window = Window { time, rows: Some((2, 9)), columns: Some((1, 12)), ..Window::default() };
        let request = asked(window.clone(), "bytes");
        let scene = View::Matrix.scene(whole(&store), &request);
        let cells = raster(&scene);
        assert_eq!((cells.rows, cells.columns), (7, 11));
        assert_eq!(scene.y_axis.extent, Extent::Rows(2, 9, 12));
        assert_eq!(scene.x_axis.extent, Extent::Columns(1, 12, 12));
        let time = window.time(&store);
        let (width, height) = (scene.plot.width / 11.0, scene.plot.height / 7.0);
        for row in 0..7u32 {
            for column in 0..11u32 {
                let (messages, bytes) = scanned(&store, time, &[row + 2], &[column + 1]);
                let is_drawn = cells.strength[(row * 11 + column) as usize] > 0;
                assert_eq!(is_drawn, messages > 0, "{row} to {column}");
                let at = (scene.plot.x + (column as f32 + 0.5) * width, scene.plot.y + (row as f32 + 0.5) * height);
                let picked = View::Matrix.pick(whole(&store), &request, at);
                assert_eq!(picked.is_some(), messages > 0);
                if let Some(picked) = picked {
                    assert_eq!(picked.title, format!("rank {} to rank {}", row + 2, column + 1));
                    let several = if messages == 1 { "" } else { "s" };
                    let said = format!(" in {messages} message{several}");
                    assert!(picked.lines[0].ends_with(&said), "{:?}", picked.lines);
                    assert_eq!(bytes % messages, 0, "the simulated messages are of one size");
                }
            }
        }
    }
}

#[test]
fn with_more_ranks_than_pixels_nothing_is_lost() {
    let (_directory, store) = halo_store(600);
    let request = ViewRequest { size: Size { width: 300, height: 160 }, ..asked(Window::default(), "messages") };
    let scene = View::Matrix.scene(whole(&store), &request);
    let cells = raster(&scene);
    assert!(cells.rows < 600 && cells.columns < 600);
    assert!(scene.notes[0].starts_with(&format!("{} messages", heddle_view::grouped(store.messages.len()))));
    assert!(scene.notes[1].starts_with("Each cell adds up to "), "{:?}", scene.notes);
    // Every pair that talks lies on a cell that is drawn.
    let (messages, ranks) = (&store.messages, &store.locations.rank);
    for row in 0..messages.len() {
        let band = |at: LocationId, bands: u32| {
            let rank = u64::from(ranks.get(u64::from(at.0)).0);
            (0..bands).rev().find(|band| u64::from(*band) * 600 / u64::from(bands) <= rank).unwrap()
        };
        let down = band(messages.send_location.get(row), cells.rows);
        let across = band(messages.recv_location.get(row), cells.columns);
        assert_eq!(cells.strength[(down * cells.columns + across) as usize], u8::MAX, "message {row}");
    }
}

#[test]
fn what_is_selected_is_framed_or_said_to_be_missing() {
    let (_directory, store) = halo_store(12);
    let select = |view: View, text: &str| {
        let mut request = asked(Window::default(), "bytes");
        request.emphasis.selected = Some(text.parse::<Selection>().unwrap());
        view.scene(whole(&store), &request)
    };
    let layers = |scene: &Scene| scene.layers.len();
    let plain = |view: View| view.scene(whole(&store), &asked(Window::default(), "bytes"));
    for view in [View::Matrix, View::Timeline] {
        assert_eq!(layers(&select(view, "ranks:3-4")), layers(&plain(view)) + 1, "{view:?}");
    }
    let note = "This view does not show the selected ranks.";
    assert!(select(View::Activity, "ranks:3-4").notes.contains(&note.to_owned()));
    assert!(select(View::Matrix, "span:0:0").notes.contains(&"This view does not show the selected call.".to_owned()));
    for view in [View::Activity, View::Timeline, View::Calls] {
        let scene = select(view, "window:1000:200000");
        assert_eq!(layers(&scene), layers(&plain(view)) + 1, "{view:?}");
    }
}

#[test]
fn a_rectangle_selects_the_messages_of_the_cells_that_it_touches() {
    let (_directory, store) = halo_store(12);
    let request = asked(Window { rows: Some((2, 8)), ..Window::default() }, "bytes");
    let trace = whole(&store);
    let plot = View::Matrix.scene(trace.clone(), &request).plot;
    let (width, height) = (plot.width / 12.0, plot.height / 6.0);
    let area = |row: f32, column: f32, rows: f32, columns: f32| Rect {
        x: plot.x + column * width,
        y: plot.y + row * height,
        width: columns * width,
        height: rows * height,
    };
    let chosen = |rect: Rect| {
        let select = View::Matrix.choose(trace.clone(), &request, Pointed::Area(rect), Choosing::Replace);
        select.map(|select| select.to_string())
    };
    assert_eq!(chosen(area(0.5, 0.5, 1.0, 2.0)).as_deref(), Some("messages:2-3>0-2"));
    assert_eq!(
        chosen(area(1.0, 3.0, 1.0, 1.0)).as_deref(),
        Some("messages:3>3"),
        "the edge belongs to the cell before it"
    );
    assert_eq!(chosen(area(-5.0, -5.0, 40.0, 40.0)).as_deref(), Some("messages:2-7>0-11"));
    assert_eq!(chosen(area(-5.0, 0.0, 2.0, 2.0)), None);
    let at = (plot.x + 0.5 * width, plot.y + 2.5 * height);
    let one = View::Matrix.choose(trace.clone(), &request, Pointed::At(at), Choosing::Replace);
    assert_eq!(one, View::Matrix.pick(trace.clone(), &request, at).and_then(|picked| picked.select));
    // It is marked there, and its rows are framed elsewhere.
    for view in [View::Matrix, View::Timeline] {
        let mut selected = request.clone();
        let before = view.scene(trace.clone(), &selected).layers.len();
        selected.emphasis.selected = Some("messages:2-3>0-2".parse().unwrap());
        let scene = view.scene(trace.clone(), &selected);
        assert!(
            scene.layers.len() > before && scene.notes.iter().all(|note| !note.contains("does not show")),
            "{view:?}"
        );
    }
}

#[test]
fn an_empty_matrix_does_not_say_that_nothing_was_sent() {
    let (_directory, store) = halo_store(12);
    let scene =
        View::Matrix.scene(whole(&store), &asked(Window { time: Some((Ns(0), Ns(1))), ..Window::default() }, "bytes"));
    assert_eq!(scene.notes, ["No message goes from one of these rows to another in this window."]);
    let (_directory, alone) = halo_store(1);
    let scene = View::Matrix.scene(whole(&alone), &asked(Window::default(), "bytes"));
    assert!(alone.messages.is_empty());
    assert_eq!(scene.notes, ["The trace has no messages."]);
}

/// How bright a colour is, as contrast is defined.
fn luminance(colour: Rgba) -> f64 {
    let part = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(colour.0) + 0.7152 * part(colour.1) + 0.0722 * part(colour.2)
}

#[test]
fn the_least_volume_is_told_from_the_ground() {
    let (_directory, store) = halo_store(256);
    for theme in [Theme::Light, Theme::Dark] {
        let scene = View::Matrix.scene(whole(&store), &ViewRequest { theme, ..asked(Window::default(), "bytes") });
        let ground = scene.layers.iter().find_map(|layer| match layer {
            Layer::Rects(rects) => rects.first(),
            _ => None,
        });
        let [ground, least] = [ground.unwrap().colour, scene.colour_bar.as_ref().unwrap().colours[0]]
            .map(|id| scene.palette[usize::from(id.0)]);
        let (low, high) = (luminance(ground).min(luminance(least)), luminance(ground).max(luminance(least)));
        let contrast = (high + 0.05) / (low + 0.05);
        assert!(contrast >= 1.5, "{theme:?}: {contrast:.2}");
    }
}
