//! Damaged stores on the command line: built again where the trace is there, else refused in a sentence.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on should say so and stop

mod common;

use std::path::{Path, PathBuf};

use common::Place;

fn flip(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 16;
    std::fs::write(path, bytes).unwrap();
}

fn cut(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    std::fs::write(path, &bytes[..bytes.len() - 8]).unwrap();
}

fn zero(path: &Path) {
    std::fs::write(path, vec![0; std::fs::metadata(path).unwrap().len() as usize]).unwrap();
}

fn remove(path: &Path) {
    std::fs::remove_file(path).unwrap();
}

/// Zeroes the entries of the first blocks of a packed table: the file opens all the same.
fn zero_blocks(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[8..24].fill(0);
    std::fs::write(path, bytes).unwrap();
}

/// What is done to a file.
type Damage = fn(&Path);

/// Damage that is seen when a store is opened.
const SEEN_AT_ONCE: [(&str, Damage); 9] = [
    ("locations.arrow", flip),
    ("regions.arrow", zero),
    ("index/tile_levels.arrow", flip),
    ("spans.packed", cut),
    ("messages.packed", zero),
    ("communicators.arrow", remove),
    ("index/tiles.packed", remove),
    ("meta.json", flip),
    ("meta.json", zero),
];

fn only_store(place: &Place) -> PathBuf {
    let names = place.names("stores");
    let stores: Vec<&String> = names.iter().filter(|name| name.ends_with(".heddle")).collect();
    assert_eq!(stores.len(), 1, "{stores:?}");
    place.path("stores").join(stores[0])
}

#[test]
fn a_damaged_store_is_built_again_where_its_trace_is() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "4", "--iterations", "5"]);
    let info = place.ok(&["info", "--json", "run.otf2"]);
    let store = only_store(&place);
    for (file, damage) in SEEN_AT_ONCE {
        damage(&store.join(file));
        let done = place.run(&["info", "--json", "run.otf2"]);
        assert_eq!((done.code, String::from_utf8(done.stdout).unwrap()), (Some(0), info.clone()), "{file}");
        for words in ["note: the store is damaged", file, "is built again from the trace"] {
            assert!(done.stderr.contains(words), "{file}: {}", done.stderr);
        }
        let again = place.run(&["info", "--json", "run.otf2"]);
        assert_eq!(again.stderr, "", "it is sound now");
    }
    // A store without its list is no store any more, but is nothing else either.
    remove(&store.join("meta.json"));
    assert_eq!(place.ok(&["info", "--json", "run.otf2"]), info);
    assert_eq!(only_store(&place), store);
}

#[test]
fn damage_that_shows_later_is_told_and_the_store_built_again() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "4", "--iterations", "5"]);
    let spans = place.ok(&["export", "run.otf2", "--table", "spans"]);
    zero_blocks(&only_store(&place).join("spans.packed"));
    let done = place.run(&["export", "run.otf2", "--table", "spans", "-o", "spans.csv"]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    for words in ["spans.packed", "damaged", "import the trace again"] {
        assert!(done.stderr.contains(words), "{words}: {}", done.stderr);
    }
    assert!(!place.path("spans.csv").exists(), "what is not true is not written");
    let done = place.run(&["export", "run.otf2", "--table", "spans", "-o", "spans.csv"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("is built again from the trace"), "{}", done.stderr);
    assert_eq!(std::fs::read_to_string(place.path("spans.csv")).unwrap(), spans);
}

#[test]
fn a_damaged_result_is_made_again() {
    let place = Place::new();
    place.ok(&["simulate", "halo", "--ranks", "4", "--iterations", "5", "-o", "run.heddle"]);
    let phases = place.ok(&["export", "run.heddle", "--table", "phases"]);
    let derived = place.path("run.heddle/derived");
    let name = place.names("run.heddle/derived").into_iter().find(|name| name.starts_with("logical-")).unwrap();
    let table = derived.join(name).join("phases.packed");
    zero_blocks(&table);
    let done = place.run(&["export", "run.heddle", "--table", "phases"]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stderr.contains("phases.packed"), "{}", done.stderr);
    assert_eq!(place.ok(&["export", "run.heddle", "--table", "phases"]), phases);
    zero(&table.with_file_name("hints.arrow"));
    assert_eq!(place.ok(&["export", "run.heddle", "--table", "phases"]), phases);
}

#[test]
fn a_damaged_store_alone_is_refused_in_a_sentence() {
    let place = Place::new();
    let simulate = ["simulate", "halo", "--ranks", "4", "--iterations", "5", "-o", "run.heddle", "--force"];
    for (file, damage) in SEEN_AT_ONCE {
        place.ok(&simulate);
        damage(&place.path("run.heddle").join(file));
        for command in [&["info", "run.heddle"][..], &["render", "timeline", "run.heddle", "-o", "figure.png"]] {
            place.fails(command, 1, &[file, "damaged", "delete the store and import the trace again"]);
        }
        assert!(!place.path("figure.png").exists());
    }
    place.ok(&simulate);
    zero_blocks(&place.path("run.heddle/spans.packed"));
    let figure = ["render", "timeline", "run.heddle", "-o", "figure.png"];
    place.fails(&figure, 1, &["spans.packed", "damaged", "if there is only the store, delete it"]);
    assert!(!place.path("figure.png").exists());
    place.ok(&simulate);
    remove(&place.path("run.heddle/meta.json"));
    place.fails(&["info", "run.heddle"], 1, &["run.heddle", "no meta.json", "import the trace again"]);
}
