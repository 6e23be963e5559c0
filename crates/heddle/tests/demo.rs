//! `heddle demo`: its list, its stores, and the gallery that is made of it.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use common::Place;

#[test]
fn the_case_studies_are_listed() {
    let place = Place::new();
    let table = place.ok(&["demo", "--list"]);
    let cases = place.json(&["demo", "--list", "--json"]);
    let cases = cases.as_array().unwrap();
    assert!(cases.len() >= 2 && table.lines().count() == cases.len(), "{table}");
    for (case, line) in cases.iter().zip(table.lines()) {
        let (name, summary) = (case["name"].as_str().unwrap(), case["summary"].as_str().unwrap());
        assert!(line.starts_with(name) && line.ends_with(summary) && line.len() <= 100, "{line}");
    }
    assert_eq!(place.names("stores"), [""; 0], "a list simulates nothing");
    place.fails(&["demo", "nothing"], 2, &["no case study `nothing`", "halo"]);
    place.fails(&["demo", "halo", "--list"], 2, &["--list"]);
    place.fails(&["demo", "--json"], 2, &["--list"]);
}

#[test]
fn a_store_is_kept_for_the_same_program_and_made_anew_for_another() {
    let place = Place::new();
    let prepare = || place.ok(&["demo", "halo", "--prepare"]);
    let made = prepare();
    let store = Path::new(made.trim_end()).to_owned();
    assert_eq!(store, place.path("stores/demo/halo.heddle"));
    let identity = || fs::metadata(store.join("meta.json")).unwrap().ino();
    let first = identity();
    assert_eq!(prepare(), made);
    assert_eq!(identity(), first, "the same program uses it again");
    fs::write(store.join("simulated-by"), "heddle 0.0.1\n").unwrap();
    prepare();
    assert_ne!(identity(), first, "another program has made it");
    // A store that lost a table is not taken for whole.
    let second = identity();
    fs::remove_file(store.join("spans.packed")).unwrap();
    prepare();
    assert_ne!(identity(), second);
    assert_eq!(place.json(&["info", "--json", store.to_str().unwrap()])["ranks"], 256);
}

#[test]
fn figures_are_the_same_bytes_whoever_makes_them() {
    let draw = |threads: &str| {
        let place = Place::new();
        let store = place.ok(&["demo", "halo", "--prepare", "--threads", threads]);
        let options = ["--size", "800x400", "--time", "20ms:41ms", "--threads", threads];
        for view in ["activity", "timeline"] {
            place.ok(&[&["render", view, store.trim_end(), "-o", &format!("{view}.png")], &options[..]].concat());
        }
        ["activity.png", "timeline.png"].map(|name| fs::read(place.path(name)).unwrap())
    };
    assert!(draw("1") == draw("3"), "one thread draws other figures than three");
}

#[test]
fn the_gallery_has_every_case_and_every_figure() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery");
    let page = fs::read_to_string(folder.join("README.md")).unwrap();
    let cases = Place::new().json(&["demo", "--list", "--json"]);
    for case in cases.as_array().unwrap() {
        for key in ["title", "about"] {
            let text = case[key].as_str().unwrap();
            assert!(page.contains(text), "`cargo xtask gallery` would change docs/gallery: {text}");
        }
        for figure in case["figures"].as_array().unwrap() {
            let file = format!("{}.png", figure["file"].as_str().unwrap());
            assert!(page.contains(&format!("]({file})")) && folder.join(&file).is_file(), "{file} is not drawn yet");
        }
    }
}
