//! `heddle notes`, as people and scripts use it.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use common::Place;

const LINK: &str = "http://127.0.0.1:7700/#v=1&trace=run&layout=timeline&time=0:5000";

/// A place with the trace `run.otf2`, which nobody imports.
fn place() -> Place {
    let place = Place::new();
    place.ok(&["simulate", "halo", "--ranks", "4", "--iterations", "3", "-o", "run.otf2"]);
    place
}

#[test]
fn notes_are_added_listed_and_removed() {
    let place = place();
    assert_eq!(place.ok(&["notes", "run.otf2"]), "");
    let add = ["notes", "run.otf2", "--add", "Rank 1\u{1b}[2J", "--text", "It is late.", "--link", LINK];
    let id = place.ok(&add).trim().to_owned();
    let other = place.ok(&["notes", "run.otf2", "--add", "Second"]).trim().to_owned();
    assert!(place.path("run.notes.json").is_file(), "beside the trace, wherever stores go");
    assert!(!place.path("stores").exists(), "nothing was imported");
    let text = format!(
        "1  {id}  Rank 1 [2J\n   It is late.\n   #v=1&layout=timeline&time=0:5000\n2  {other}  Second\n   #v=1\n"
    );
    assert_eq!(place.ok(&["notes", "run.otf2"]), text);
    let told = place.json(&["notes", "run.otf2", "--json"]);
    assert_eq!(
        (&told["format"], &told["version"], &told["notes"][0]["id"]),
        (&"heddle-notes".into(), &1.into(), &id.as_str().into())
    );
    let markdown = place.ok(&["notes", "run.otf2", "--markdown"]);
    assert!(markdown.starts_with("# Notes on run\n") && markdown.contains("## 2. Second\n"), "{markdown}");
    place.ok(&["notes", "run.otf2", "--remove", &id]);
    let left = place.json(&["notes", "run.otf2", "--json"]);
    assert_eq!(left["notes"].as_array().unwrap().len(), 1);
}

#[test]
fn exit_codes_say_whose_fault_it_was() {
    let place = place();
    let code = |args: &[&str]| place.run(args).code;
    assert_eq!(code(&["notes"]), Some(2));
    assert_eq!(code(&["notes", "run.otf2", "--text", "a"]), Some(2));
    assert_eq!(code(&["notes", "run.otf2", "--add", "a", "--link", "https://evil.example/"]), Some(2));
    assert_eq!(code(&["notes", "run.otf2", "--add", ""]), Some(2));
    assert_eq!(code(&["notes", "run.otf2", "--remove", "none"]), Some(1));
    assert_eq!(code(&["notes", "missing.otf2"]), Some(1));
    assert_eq!(code(&["notes", "run.otf2", "--json"]), Some(0));
    for (bytes, words) in [
        ("{\"format\": \"heddle-notes\", \"version\": 1, \"notes\": [", "line 1, column"),
        ("{\"format\": \"heddle-notes\", \"version\": 2}", "newer Heddle"),
    ] {
        std::fs::write(place.path("run.notes.json"), bytes).unwrap();
        for args in
            [&["notes", "run.otf2"][..], &["notes", "run.otf2", "--add", "a"], &["notes", "run.otf2", "--remove", "a"]]
        {
            let done = place.run(args);
            assert_eq!(done.code, Some(1), "{args:?}");
            assert!(done.stderr.contains("run.notes.json") && done.stderr.contains(words), "{}", done.stderr);
        }
        assert_eq!(std::fs::read_to_string(place.path("run.notes.json")).unwrap(), bytes);
    }
}

#[test]
fn programs_that_write_at_once_lose_nothing() {
    let place = place();
    let started: Vec<_> = (0..12)
        .map(|number| {
            let mut command = place.command(["notes", "run.otf2", "--add", &format!("note {number}")]);
            command.stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in started {
        assert!(child.wait().unwrap().success());
    }
    let told = place.json(&["notes", "run.otf2", "--json"]);
    let mut names: Vec<&str> =
        told["notes"].as_array().unwrap().iter().map(|note| note["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    let mut expected: Vec<String> = (0..12).map(|number| format!("note {number}")).collect();
    expected.sort();
    assert_eq!(names, expected);
}
