//! What newcomers feed: traces under wrong names, in folders, compressed, cut short, mixed up, or with nothing in them.
//! Every time somebody must learn what the matter is and what to do.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::fs;
use std::io::Write;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use common::{Done, Place};
use serde_json::Value;

/// Two ranks that send and receive, as Paraver has it.
const PARAVER: &str = "#Paraver (15/11/2026 at 09:30):9000_ns:1(2):1:2(1:1,1:1)\n\
                       2:1:1:1:1:1000:50000001:1\n2:2:1:2:1:1000:50000001:2\n\
                       3:1:1:1:1:1000:1000:2:1:2:1:1000:2000:64:7\n\
                       2:1:1:1:1:2000:50000001:0\n2:2:1:2:1:3000:50000001:0\n";

/// One process with one state, as Paje has it.
const PAJE: &str = "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
                    %EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
                    %EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n\
                    % Name string\n%EndEventDef\n\
                    %EventDef PajePushState 3\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n\
                    %EventDef PajePopState 4\n% Time date\n% Type string\n% Container string\n%EndEventDef\n";
const PAJE_BODY: &str = "0 P 0 Process\n1 S P State\n2 0.0 p P 0 \"one\"\n3 0.5 S p \"busy\"\n4 1.5 S p\n";

/// One thread with one slice, as browsers have it.
const CHROME: &str = r#"[{"ph":"X","name":"draw","pid":1,"tid":1,"ts":1,"dur":2}]"#;

fn warnings(info: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    info["warnings"].as_array().unwrap().iter().map(|entry| (text(&entry["kind"]), text(&entry["text"]))).collect()
}

fn info(place: &Place, name: &str) -> Value {
    place.json(&["info", "--json", name])
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[test]
fn the_content_decides_and_not_the_name() {
    let place = Place::new();
    for (name, content, format) in [
        ("a.json", PARAVER.to_owned(), "paraver"),
        ("b.otf2", format!("{PAJE}{PAJE_BODY}"), "paje"),
        ("c.prv", CHROME.to_owned(), "chrome"),
        ("no-ending", CHROME.to_owned(), "chrome"),
    ] {
        fs::write(place.path(name), content.as_bytes()).unwrap();
        let plain = info(&place, name);
        assert_eq!(plain["format"], format, "{name}");
        assert!(plain["spans"].as_u64().unwrap() > 0, "{name}");
        // Compressed, and not called so.
        let packed = format!("packed-{name}");
        fs::write(place.path(&packed), gzip(content.as_bytes())).unwrap();
        assert_eq!(info(&place, &packed)["spans"], plain["spans"], "{packed}");
    }
}

#[test]
fn a_header_alone_is_a_trace_without_events_and_says_so() {
    let place = Place::new();
    let first_line = PARAVER.lines().next().unwrap();
    for (name, content) in [("a.prv", first_line), ("b.trace", PAJE), ("c.json", r#"{"traceEvents":[]}"#)] {
        fs::write(place.path(name), content).unwrap();
        let info = info(&place, name);
        assert_eq!(info["events"], 0, "{name}");
        let said = warnings(&info);
        assert!(said.iter().any(|(kind, text)| kind == "empty" && text.contains("no events")), "{name}: {said:?}");
    }
}

#[test]
fn a_cut_trace_keeps_what_was_read_and_names_the_place() {
    let place = Place::new();
    let end = PARAVER.len() - 10;
    fs::write(place.path("cut.prv"), &PARAVER[..end]).unwrap();
    let (whole, cut) = (CHROME.replace(']', ","), &CHROME[1..CHROME.len() - 20]);
    fs::write(place.path("cut.json"), whole + cut).unwrap();
    for name in ["cut.prv", "cut.json"] {
        let info = info(&place, name);
        assert!(info["spans"].as_u64().unwrap() >= 1, "{name}: {info}");
        let entry = info["warnings"].as_array().unwrap().iter().find(|entry| {
            let place = entry["where"].as_str().unwrap();
            place.starts_with(name) && (place.contains("line") || place.contains("byte"))
        });
        assert!(entry.is_some(), "{name}: {info}");
    }
    // A packed file that ends in the middle.
    let long = PARAVER.to_owned() + &"2:1:1:1:1:4000:50000001:1\n2:1:1:1:1:5000:50000001:0\n".repeat(40_000);
    let packed = gzip(long.as_bytes());
    fs::write(place.path("cut.prv.gz"), &packed[..packed.len() / 2]).unwrap();
    let info = info(&place, "cut.prv.gz");
    assert!(info["spans"].as_u64().unwrap() > 100);
    assert!(warnings(&info).iter().any(|(kind, _)| kind == "truncated"), "{info}");
}

#[test]
fn a_folder_is_its_one_trace() {
    let place = Place::new();
    fs::create_dir_all(place.path("one")).unwrap();
    fs::write(place.path("one/run.prv"), PARAVER).unwrap();
    fs::write(place.path("one/notes.txt"), "ours").unwrap();
    assert_eq!(info(&place, "one")["format"], "paraver");
    fs::write(place.path("one/run.trace"), format!("{PAJE}{PAJE_BODY}")).unwrap();
    place.fails(&["info", "one"], 1, &["one", "a directory with 2 traces", "name one", "run."]);
}

#[test]
fn traces_that_are_not_one_are_refused_together() {
    let place = Place::new();
    fs::write(place.path("a.prv"), PARAVER).unwrap();
    fs::write(place.path("b.prv"), PARAVER).unwrap();
    fs::write(place.path("c.json"), CHROME).unwrap();
    place.fails(&["info", "a.prv", "b.prv"], 1, &["a.prv and b.prv are two traces", "heddle open"]);
    place.fails(&["info", "a.prv", "c.json"], 1, &["a.prv is paraver", "c.json is chrome", "one format"]);
    place.fails(&["info", "c.json", "c.json"], 1, &["c.json", "named twice"]);
}

#[test]
fn what_is_no_trace_shows_its_first_bytes() {
    let place = Place::new();
    fs::write(place.path("notes.otf2"), "my notes\u{7}on the run").unwrap();
    place.fails(
        &["info", "notes.otf2"],
        1,
        &[
            "6d 79 20 6e",
            "(my notes.on the )",
            "otf2, clog2, slog2, paje, starpu-tasks, starvz, starvz-parquet, pj_dump, paraver, chrome",
            "heddle formats",
        ],
    );
}

/// [`CHROME`] by `xz --lzma2=dict=1536MiB` and by `zstd --long=31`.
const LARGE_XZ: &[u8] = &[
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x25, 0x00, 0x00,
    0x00, 0x3b, 0x78, 0x7b, 0x41, 0xe0, 0x00, 0x38, 0x00, 0x31, 0x5d, 0x00, 0x2d, 0x9e, 0xc0, 0x47, 0x03, 0x7b, 0xc6,
    0x34, 0xf2, 0x41, 0x0b, 0x40, 0x77, 0xa5, 0xe5, 0x5c, 0xd2, 0x24, 0xab, 0xbc, 0x7e, 0xb3, 0xe8, 0x8b, 0x1d, 0x7d,
    0x07, 0xe5, 0xc0, 0x73, 0xc2, 0x51, 0x10, 0xf5, 0x34, 0xfe, 0x46, 0x50, 0x3a, 0x76, 0x6c, 0xc9, 0xc8, 0xe4, 0x9b,
    0xc1, 0xda, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x5d, 0xf0, 0xef, 0xde, 0x94, 0x01, 0x32, 0x2d, 0x00, 0x01, 0x4d,
    0x39, 0x6b, 0x0c, 0x54, 0x3a, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
];
const LONG_ZSTD: &[u8] = &[
    0x28, 0xb5, 0x2f, 0xfd, 0x04, 0xa8, 0xb5, 0x01, 0x00, 0xc4, 0x02, 0x5b, 0x7b, 0x22, 0x70, 0x68, 0x22, 0x3a, 0x22,
    0x58, 0x22, 0x2c, 0x22, 0x6e, 0x61, 0x6d, 0x65, 0x22, 0x3a, 0x22, 0x64, 0x72, 0x61, 0x77, 0x22, 0x2c, 0x22, 0x70,
    0x69, 0x64, 0x22, 0x3a, 0x31, 0x2c, 0x22, 0x74, 0x73, 0x64, 0x75, 0x72, 0x22, 0x3a, 0x32, 0x7d, 0x5d, 0x02, 0x00,
    0x2a, 0x42, 0x6c, 0x44, 0x79, 0x02, 0x7b, 0x24, 0x03, 0x12,
];

#[test]
fn a_file_that_takes_much_memory_to_unpack_says_so_and_is_read_if_it_may() {
    let place = Place::new();
    for (name, bytes, needed) in [("t.json.xz", LARGE_XZ, "--memory 2G"), ("t.json.zst", LONG_ZSTD, "--memory 3G")] {
        fs::write(place.path(name), bytes).unwrap();
        place.fails(
            &["info", name, "--memory", "1G"],
            1,
            &[name, "the budget is 1 GiB", needed, "unpack the file first"],
        );
        assert_eq!(place.json(&["info", "--json", name, "--memory", "4G"])["spans"], 1, "{name}");
    }
}

#[test]
fn a_log_of_the_first_clog_leads_to_its_converter() {
    let place = Place::new();
    let mut log = Vec::new();
    // Time shift, state, event, message: time, type, length in doubles, process, padding, and what follows.
    for (kind, doubles) in [(8i32, 4i32), (6, 13), (1, 7), (2, 6)] {
        let end = log.len() + doubles as usize * 8;
        log.extend(0.5f64.to_be_bytes());
        log.extend([kind, doubles, 0, 0].iter().flat_map(|number| number.to_be_bytes()));
        log.resize(end, 0);
    }
    fs::write(place.path("old.clog"), log).unwrap();
    place.fails(&["info", "old.clog"], 1, &["old.clog", "CLOG", "clogTOslog2", "SLOG-2"]);
}

#[test]
fn pipes_and_standard_input_are_refused_at_once() {
    let place = Place::new();
    assert!(Command::new("mkfifo").arg(place.path("run.prv")).status().unwrap().success());
    for command in ["info", "import"] {
        place.fails(&[command, "run.prv"], 1, &["run.prv", "neither a file nor a directory", "write it to a file"]);
        place.fails(&[command, "-"], 1, &["standard input", "write it to a file"]);
    }
    place.fails(&["render", "activity", "-", "-o", "x.png"], 1, &["standard input"]);
}

#[test]
fn names_that_are_not_utf_8_work_everywhere() {
    let place = Place::new();
    let named = |ending: &str| OsStr::from_bytes(&[b"caf\xe9", ending.as_bytes()].concat()).to_owned();
    let run = |args: &[&OsStr]| -> Vec<u8> {
        let done = Done::of(place.command(args).output().unwrap());
        assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
        done.stdout
    };
    let word = OsStr::new;
    let trace = named(".otf2");
    run(&[word("simulate"), word("halo"), word("--ranks"), word("4"), word("-o"), &trace]);
    let told = String::from_utf8(run(&[word("info"), &trace])).unwrap();
    assert!(told.starts_with("caf\u{fffd} (otf2"), "{told}");
    // The path of the store, as it is, can be given back.
    let store = run(&[word("import"), &trace]);
    let store = OsStr::from_bytes(store.strip_suffix(b"\n").unwrap());
    assert!(store.as_bytes().windows(4).any(|four| four == b"caf\xe9"), "{store:?}");
    run(&[word("info"), store]);
    run(&[word("render"), word("activity"), &trace, word("-o"), &named(".png")]);
    run(&[word("export"), &trace, word("--table"), word("spans"), word("-o"), &named(".csv")]);
    run(&[word("export"), &trace, word("--to"), word("paraver"), word("-o"), &named(".prv")]);
    run(&[word("info"), &named(".prv")]);
    let mut names: Vec<OsString> =
        fs::read_dir(place.path(".")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let expected = ["", ".csv", ".def", ".otf2", ".pcf", ".png", ".prv", ".row"].map(named);
    assert_eq!(names[..expected.len()], expected);
}

#[test]
fn parts_and_folders_lead_to_the_trace_and_its_name() {
    let place = Place::new();
    fs::create_dir_all(place.path("lulesh/scorep")).unwrap();
    place.simulate("lulesh/scorep/traces", &["--ranks", "4"]);
    assert_eq!(info(&place, "lulesh/scorep/traces.otf2")["name"], "scorep");
    assert_eq!(info(&place, "lulesh/scorep")["name"], "scorep");
    fs::write(place.path("run.prv"), PARAVER).unwrap();
    fs::write(place.path("run.pcf"), "DEFAULT_OPTIONS\n\nLEVEL THREAD\n").unwrap();
    assert_eq!(info(&place, "run.pcf")["format"], "paraver");
    assert_eq!(info(&place, "stores/..")["format"], "paraver", "the folder with one trace");
    place.fails(&["info", "stores"], 1, &["a directory with no trace in it, but with stores", "run-", "traces-"]);
}
