//! Names in traces are hostile text: none of it may drive a terminal.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use heddle_formats::{MemoryScratch, Output, otf2};
use heddle_model::{
    Definitions, Location, LocationKind, Ns, Paradigm, Rank, Region, RegionId, Role, SystemNode, SystemNodeId,
};
use heddle_store::DiskFiles;
use heddle_testkit::MadeSource;

use common::Place;

/// Clears the screen, sets the title, moves the cursor, and is a C1 control; turns text around and hides some; with what CSV
/// must quote.
const NAME: &str = "a\u{1b}[2J\u{1b}]0;owned\u{7}\rb\u{9b}31m,\"c\"\n\u{202e}\u{2066}d\u{200b}\u{feff}\u{ad}\u{2028}";

fn hostile() -> MadeSource<'static> {
    let node = SystemNode { name: NAME.into(), class: SystemNode::PROCESS.into(), parent: None };
    let location = Location {
        file_id: 0,
        name: NAME.into(),
        kind: LocationKind::CpuThread,
        parent: Some(SystemNodeId(0)),
        rank: Rank::NONE,
    };
    let definitions = Definitions {
        creator: NAME.to_owned(),
        system_tree: vec![node],
        locations: vec![location],
        regions: vec![Region::named(NAME, Paradigm::User, Role::Function)],
        ..Definitions::default()
    };
    let parts = MadeSource::part_per_location(&definitions, 64);
    MadeSource::new(definitions, parts, |_, out| {
        out.enter(Ns(0), RegionId(0));
        // Left open, so that a warning names the location.
        out.enter(Ns(5), RegionId(0));
        out.events = 2;
        out.last = Some(Ns(5));
    })
}

fn is_harmless(bytes: &[u8]) -> bool {
    let harmful = ['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{ad}', '\u{2028}'];
    String::from_utf8_lossy(bytes).chars().all(|c| c == '\n' || !(c.is_control() || harmful.contains(&c)))
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let place = Place::new();
    otf2::write(&hostile(), &Output::new("run", &DiskFiles::below(&place.path(".")), &MemoryScratch::default()))
        .unwrap();
    for args in [
        &["info", "run.otf2"][..],
        &["info", "run.otf2", "--json"],
        &["import", "--force", "run.otf2"],
        &["info", "run.otf2", "--store", "x"],
    ] {
        let done = place.run(args);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        assert!(is_harmless(&done.stdout), "{}", String::from_utf8_lossy(&done.stdout));
        assert!(is_harmless(done.stderr.as_bytes()), "{}", done.stderr);
    }
    let told = place.ok(&["info", "run.otf2"]);
    assert!(told.contains("[2J"), "the name is shown all the same: {told}");
    let lines = told.lines().filter(|line| line.contains("[2J") && line.contains("user")).count();
    assert_eq!(lines, 1, "a line end in a name does not break its row: {told}");
}

#[test]
fn json_and_csv_give_the_name_as_it_is() {
    let place = Place::new();
    otf2::write(&hostile(), &Output::new("run", &DiskFiles::below(&place.path(".")), &MemoryScratch::default()))
        .unwrap();
    assert_eq!(place.json(&["info", "--json", "run.otf2"])["regions"][0]["name"], NAME);
    let csv = place.ok(&["export", "run.otf2", "--table", "spans"]);
    let quoted = format!("\"{}\"", NAME.replace('"', "\"\""));
    assert_eq!(csv.matches(&quoted).count(), 2, "{csv:?}");
}

#[test]
fn paths_are_text_too() {
    let place = Place::new();
    let done = place.run(&["info", "a\u{1b}[2J.otf2"]);
    assert_eq!(done.code, Some(1));
    assert!(is_harmless(done.stderr.as_bytes()) && done.stderr.contains("[2J.otf2"), "{:?}", done.stderr);
}
