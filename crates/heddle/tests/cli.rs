//! The contract of the command line: exit codes, channels, messages, columns.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::fs;
use std::io::{Cursor, Read};
use std::process::Stdio;

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};

use common::{Done, Place, text};
use heddle_testkit::sample_traces;

#[test]
fn a_wrong_command_line_is_exit_2() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "2", "--iterations", "2"]);
    for args in [
        &[][..],
        &["weave"],
        &["info"],
        &["info", "--no-such-flag", "run.otf2"],
        &["export", "run.otf2"],
        &["export", "run.otf2", "--table", "threads"],
        &["export", "run.otf2", "--table", "spans", "--to", "xls"],
        &["import", "run.otf2", "--memory", "lots"],
        &["import", "run.otf2", "--memory", "1K"],
        &["import", "run.otf2", "--threads", "0"],
        &["simulate", "halo"],
        &["simulate", "weaver", "-o", "x.otf2"],
    ] {
        place.fails(args, 2, &[]);
    }
    assert!(place.names("stores").is_empty(), "nothing was imported on the way");
}

#[test]
fn a_wrong_input_is_exit_1_and_says_which_and_what_to_do() {
    let place = Place::new();
    fs::write(place.path("empty.otf2"), "").unwrap();
    fs::write(place.path("notes.txt"), "not a trace").unwrap();
    fs::create_dir_all(place.path("folder/inner")).unwrap();
    fs::create_dir(place.path("half.heddle")).unwrap();
    fs::write(place.path("half.heddle/spans.packed"), "half").unwrap();
    for (file, words) in [
        ("gone.otf2", &["gone.otf2", "cannot read", "No such file"][..]),
        ("empty.otf2", &["empty.otf2", "it is empty", "heddle formats"]),
        ("notes.txt", &["notes.txt", "not a trace that Heddle knows", "heddle formats"]),
        ("folder", &["folder", "no trace in it", "name the trace itself"]),
        ("half.heddle", &["half.heddle", "import did not finish", "import the trace again"]),
    ] {
        place.fails(&["info", file], 1, words);
        place.fails(&["info", "--json", file], 1, words);
        place.fails(&["export", file, "--table", "spans"], 1, words);
    }
    for file in ["gone.otf2", "empty.otf2", "notes.txt", "folder"] {
        place.fails(&["import", file], 1, &[file]);
    }
    assert!(place.names("stores").is_empty());
}

#[test]
fn what_a_damaged_store_gives_is_not_taken_for_the_truth() {
    let place = Place::new();
    place.ok(&["simulate", "halo", "--ranks", "4", "-o", "run.heddle"]);
    let spans = place.path("run.heddle/spans.packed");
    let mut bytes = fs::read(&spans).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&spans, bytes).unwrap();
    let words = &["spans.packed", "damaged", "import the trace again"];
    place.fails(&["export", "run.heddle", "--table", "spans", "-o", "spans.csv"], 1, words);
    place.fails(&["render", "timeline", "run.heddle", "-o", "x.png"], 1, words);
}

#[test]
fn an_anchor_cut_anywhere_is_refused_or_read_with_a_warning() {
    let place = Place::new();
    let anchor = place.simulate("run", &["--ranks", "2", "--iterations", "2"]);
    let whole = fs::read(&anchor).unwrap();
    let complete = place.json(&["info", "--json", "run.otf2"]);
    let (mut refused, mut warned) = (0, 0);
    for length in (0..whole.len()).step_by(7) {
        fs::write(&anchor, &whole[..length]).unwrap();
        let done = place.run(&["info", "--json", "run.otf2"]);
        assert!(!done.stderr.contains("panicked"), "{}", done.stderr);
        if done.code == Some(0) {
            let info: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
            // At the very end is a number that nobody needs.
            let is_told = info["warnings"][0]["kind"] == "truncated";
            assert!(is_told || info == complete, "{length} of {} bytes: {info}", whole.len());
            warned += u32::from(is_told);
        } else {
            assert_eq!(done.code, Some(1));
            assert!(done.stderr.contains("run.otf2"), "{}", done.stderr);
            refused += 1;
        }
    }
    assert!(refused > 0 && warned > 0, "{refused} refused, {warned} read");
    // Without definitions nothing can be told.
    fs::write(&anchor, &whole).unwrap();
    fs::remove_file(place.path("run.def")).unwrap();
    place.fails(&["info", "run.otf2"], 1, &["run.def", "missing"]);
}

#[test]
fn every_help_has_an_example() {
    let place = Place::new();
    let mut commands = vec![
        &["demo"][..],
        &["info"],
        &["import"],
        &["export"],
        &["simulate"],
        &["simulate", "halo"],
        &["simulate", "ring"],
        &["formats"],
    ];
    if cfg!(feature = "page") {
        commands.extend([&["open"][..], &["list"]]);
    }
    for command in commands {
        let help = place.ok(&[command, &["--help"]].concat());
        assert!(help.contains("Example"), "{command:?}: {help}");
        assert!(help.contains(&format!("heddle {}", command[0])), "{command:?}: {help}");
    }
    let help = place.ok(&["--help"]);
    for command in ["demo", "info", "import", "export", "simulate", "formats"] {
        assert!(help.contains(&format!("\n  {command}")), "{help}");
    }
    assert!(place.ok(&["--version"]).starts_with("heddle "));
}

const COLUMNS: [(&str, &str); 5] = [
    ("spans", "location,rank,region,start_ns,end_ns,depth"),
    ("messages", "send_rank,recv_rank,send_ns,recv_ns,bytes,tag,comm"),
    ("collectives", "id,comm,op,root,rank,start_ns,end_ns"),
    ("marks", "location,rank,time_ns,name,text"),
    ("metrics", "location,rank,metric,time_ns,value"),
];

#[test]
fn tables_begin_with_the_columns_of_the_contract() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "4", "--iterations", "10"]);
    let info = place.json(&["info", "--json", "run.otf2"]);
    for (table, columns) in COLUMNS {
        let csv = place.ok(&["export", "run.otf2", "--table", table]);
        let mut lines = csv.lines();
        let header = lines.next().unwrap();
        assert!(header == columns || header.starts_with(&format!("{columns},")), "{table}: {header}");
        let width = header.split(',').count();
        assert!(lines.all(|line| line.split(',').count() == width), "{table}");
        let rows = csv.lines().count() as u64 - 1;
        let expected = match table {
            "spans" | "messages" => info[table].as_u64().unwrap(),
            "collectives" => info["collectives"].as_u64().unwrap() * 4,
            _ => 0,
        };
        assert_eq!(rows, expected, "{table}");
    }
    let spans = place.ok(&["export", "run.otf2", "--table", "spans", "--to", "csv"]);
    assert!(spans.lines().nth(1).unwrap().starts_with("0,0,main,0,"), "{spans}");
    let collectives = place.ok(&["export", "run.otf2", "--table", "collectives"]);
    assert!(collectives.lines().nth(1).unwrap().starts_with("0,0,allreduce,,0,"), "no root is an empty cell");
}

#[test]
fn names_with_commas_stay_one_cell() {
    let Some(traces) = sample_traces("otf2") else { return };
    let place = Place::new();
    let csv = place.ok(&["export", text(&traces.join("scorep-pingpong-2")), "--table", "spans"]);
    assert!(csv.contains(",\"int main(int, char**)\","), "{csv}");
    assert!(csv.lines().all(|line| line.replace("\"int main(int, char**)\"", "main").split(',').count() == 6));
}

fn rows(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::num_rows).sum()
}

#[test]
fn arrow_goes_to_a_file_and_into_a_pipe() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "4", "--iterations", "10"]);
    for (table, columns) in COLUMNS {
        let lines = place.ok(&["export", "run.otf2", "--table", table]).lines().count() - 1;
        assert_eq!(place.ok(&["export", "run.otf2", "--table", table, "--to", "arrow", "-o", "table.arrow"]), "");
        let reader = FileReader::try_new(fs::File::open(place.path("table.arrow")).unwrap(), None).unwrap();
        let names: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
        assert!(names.join(",").starts_with(columns), "{names:?}");
        let from_file: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
        let done = place.run(&["export", "run.otf2", "--table", table, "--to", "arrow"]);
        let stream = StreamReader::try_new(Cursor::new(done.stdout), None).unwrap();
        let from_pipe: Vec<RecordBatch> = stream.map(Result::unwrap).collect();
        assert_eq!(from_file, from_pipe, "{table}");
        assert_eq!(rows(&from_file), lines, "{table}");
    }
    assert!(place.names(".").iter().all(|name| !name.contains("tmp")), "{:?}", place.names("."));
    place.fails(
        &["export", "run.otf2", "--table", "spans", "-o", "no/such/folder.csv"],
        1,
        &["no/such/folder.csv", "cannot write"],
    );
}

#[test]
fn a_pipe_that_closes_early_is_no_error() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "16", "--iterations", "100"]);
    let runs: [&[&str]; 7] = [
        &["export", "run.otf2", "--table", "spans"],
        &["export", "run.otf2", "--table", "spans", "--to", "arrow"],
        &["info", "run.otf2"],
        &["info", "run.otf2", "--json"],
        &["formats"],
        &["formats", "--json"],
        &["import", "run.otf2"],
    ];
    for args in runs {
        for taken in [0, 10] {
            let mut child = place.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut pipe = child.stdout.take().unwrap();
            pipe.read_exact(&mut vec![0; taken]).unwrap();
            drop(pipe);
            let done = Done::of(child.wait_with_output().unwrap());
            assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
            assert!(!done.stderr.contains("anic"), "{args:?}: {}", done.stderr);
        }
    }
}

#[test]
fn data_goes_to_stdout_and_nothing_else_does() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "2", "--iterations", "3"]);
    // The first of these imports on the way.
    serde_json::from_str::<serde_json::Value>(&place.ok(&["info", "--json", "run.otf2"])).unwrap();
    let imported = place.run(&["import", "--force", "run.otf2"]);
    let store = String::from_utf8(imported.stdout).unwrap();
    assert_eq!(store.lines().count(), 1, "just the path: {store}");
    assert!(place.path(store.trim()).join("meta.json").is_file(), "{store}");
    assert!(imported.stderr.contains("events") && !imported.stderr.contains('\u{1b}'), "no bar without a terminal");
    let again = place.run(&["import", "run.otf2"]);
    assert!(again.stderr.contains("--force rebuilds it"), "{}", again.stderr);

    let told = place.json(&["import", "--json", "run.otf2"]);
    let keys: Vec<&String> = told.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["events", "messages", "reused", "seconds", "spans", "stages", "store"]);
    assert_eq!(told["reused"], true);
    let built = place.json(&["import", "--json", "--force", "run.otf2"]);
    assert_eq!(built["reused"], false);
    let stages = built["stages"].as_array().unwrap();
    let names: Vec<&str> = stages.iter().map(|stage| stage["name"].as_str().unwrap()).collect();
    assert_eq!(names[..3], ["opening the trace", "reading events", "matching and indexing"]);
    let sum: f64 = stages.iter().map(|stage| stage["seconds"].as_f64().unwrap()).sum();
    assert!(sum > 0.0 && sum <= built["seconds"].as_f64().unwrap(), "{built}");
    assert_eq!(place.ok(&["import", "run.otf2", "-o", "here.heddle"]).trim(), "here.heddle");
    assert_eq!(place.json(&["info", "--json", "here.heddle"]), place.json(&["info", "--json", "run.otf2"]));
}

#[test]
fn info_has_the_keys_of_the_contract() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "3", "--iterations", "5"]);
    let info = place.json(&["info", "--json", "run.otf2"]);
    for key in [
        "format",
        "ranks",
        "locations",
        "spans",
        "messages",
        "unmatched_sends",
        "unmatched_receives",
        "collectives",
        "communicators",
        "start_ns",
        "end_ns",
        "regions",
        "warnings",
    ] {
        assert!(!info[key].is_null(), "{key}");
    }
    for key in ["name", "paradigm", "count", "total_ns", "exclusive_ns"] {
        assert!(info["regions"].as_array().unwrap().iter().all(|region| !region[key].is_null()), "{key}");
    }
    let told = place.ok(&["info", "run.otf2"]);
    assert!(told.contains("3 ranks") && told.contains("MPI_Waitall"), "{told}");
}

#[test]
fn the_formats_are_listed() {
    let place = Place::new();
    assert!(place.ok(&["formats"]).contains("otf2"));
    let formats = place.json(&["formats", "--json"]);
    for key in ["name", "title", "open", "recognised_by", "limits"] {
        assert!(formats.as_array().unwrap().iter().all(|format| format[key].is_string()), "{key}");
    }
}

#[test]
fn a_trace_is_written_whole_in_other_formats_and_never_over_another() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "4", "--iterations", "10"]);
    let before = place.json(&["info", "--json", "run.otf2"]);
    for (format, file) in [("otf2", "o.otf2"), ("paraver", "p.prv"), ("chrome", "c.json"), ("chrome", "z.json.gz")] {
        let export = ["export", "run.otf2", "--to", format, "-o", file];
        place.ok(&export);
        let after = place.json(&["info", "--json", file]);
        for key in ["ranks", "spans", "messages", "collectives", "end_ns"] {
            assert_eq!(after[key], before[key], "{format}: {key}");
        }
        place.fails(&export, 2, &[file, "already exists", "--force"]);
        place.ok(&[&export[..], &["--force"]].concat());
    }
    place.fails(&["export", "run.otf2", "--to", "chrome", "-o", "c.txt"], 2, &[".json or .json.gz"]);
    place.fails(
        &["export", "run.otf2", "--to", "chrome", "--table", "spans"],
        2,
        &["--to chrome", "leave --table out"],
    );
    let leftovers: Vec<_> = fs::read_dir(place.path("."))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".tmp-"))
        .collect();
    assert!(leftovers.is_empty(), "{leftovers:?}");
}
