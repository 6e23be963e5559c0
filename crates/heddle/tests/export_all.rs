//! `heddle export --all`: every table of a store, as other programs read it.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::FileReader;

use common::{Place, names_in, text};
use heddle_testkit::MadeRun;

const TABLES: [&str; 19] = [
    "collective_members",
    "collectives",
    "communicator_members",
    "communicators",
    "dependencies",
    "length_mismatches",
    "locations",
    "marks",
    "messages",
    "messages_by_receive",
    "metric_values",
    "metrics",
    "regions",
    "spans",
    "system_tree",
    "tasks",
    "unmatched",
    "warnings",
    "workers",
];

fn read(path: &Path) -> Vec<RecordBatch> {
    let reader = FileReader::try_new(std::fs::File::open(path).unwrap(), None).unwrap();
    reader.map(Result::unwrap).collect()
}

/// The numbers of a column, by its name.
fn numbers(batches: &[RecordBatch], column: &str) -> Vec<Option<i64>> {
    let of_batch = |batch: &RecordBatch| {
        let values = batch.column_by_name(column).unwrap().as_primitive::<Int64Type>().clone();
        (0..values.len()).map(move |row| values.is_valid(row).then(|| values.value(row))).collect::<Vec<_>>()
    };
    batches.iter().flat_map(of_batch).collect()
}

#[test]
fn every_table_of_the_store_is_written() {
    let place = Place::new();
    place.ok(&["simulate", "halo", "--ranks", "6", "--iterations", "40", "-o", "run.heddle"]);
    place.ok(&["export", "run.heddle", "--all", "--to", "arrow", "-o", "tables"]);
    let names: Vec<String> = TABLES.iter().map(|table| format!("{table}.arrow")).collect();
    assert_eq!(place.names("tables"), names);
    for name in &names {
        let (ours, theirs) = (place.path("tables").join(name), place.path("run.heddle").join(name));
        if theirs.exists() {
            assert_eq!(read(&ours), read(&theirs), "{name} is as it stands in the store");
        }
    }
    // Packed tables are those that are exported one by one.
    let columns = [
        ("spans", "start_ns", "spans", "start_ns"),
        ("spans", "end_ns", "spans", "end_ns"),
        ("messages", "recv_ns", "messages", "recv_ns"),
        ("messages", "recv_posted_ns", "messages", "recv_posted_ns"),
        ("collective_members", "end_ns", "collectives", "end_ns"),
    ];
    for (table, column, exported, named) in columns {
        place.ok(&["export", "run.heddle", "--table", exported, "--to", "arrow", "-o", "one.arrow"]);
        let expected = numbers(&read(&place.path("one.arrow")), named);
        assert!(!expected.is_empty(), "{table} has rows");
        let path = place.path("tables").join(format!("{table}.arrow"));
        assert_eq!(numbers(&read(&path), column), expected, "{table} {column}");
    }
}

#[test]
fn text_has_the_same_rows() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "4", "--iterations", "10"]);
    place.ok(&["export", "run.otf2", "--all", "-o", "tables"]);
    let lines = |name: &str| -> Vec<String> {
        let text = std::fs::read_to_string(place.path("tables").join(name)).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    let regions = lines("regions.csv");
    assert!(regions[0].starts_with("name,paradigm,role,"), "{}", regions[0]);
    let spans = lines("spans.csv");
    assert_eq!(spans[0], "start_ns,end_ns,region,depth");
    let exported = place.ok(&["export", "run.otf2", "--table", "spans"]);
    assert_eq!(spans.len(), exported.lines().count());
    for (ours, line) in spans.iter().zip(exported.lines()).skip(1) {
        let (ours, line): (Vec<&str>, Vec<&str>) = (ours.split(',').collect(), line.split(',').collect());
        let region = regions[1 + ours[2].parse::<usize>().unwrap()].split(',').next().unwrap();
        assert_eq!([region, ours[0], ours[1], ours[3]], line[2..6], "a row of the regions, then times and depth");
    }
}

#[test]
fn what_was_measured_on_a_network_is_written_too() {
    let place = Place::new();
    let run = MadeRun::torus(&[3, 2]);
    let meta = run.write(&place.path("."), "run", |link, _| link.id as i64 + 5, |_, _| 1);
    place.ok(&["export", text(&meta), "--all", "--to", "csv", "-o", "tables"]);
    let tables: BTreeMap<String, usize> = names_in(&place.path("tables/network"))
        .into_iter()
        .map(|name| {
            let lines = std::fs::read_to_string(place.path("tables/network").join(&name)).unwrap().lines().count();
            (name, lines - 1)
        })
        .collect();
    assert_eq!((tables["nodes.csv"], tables["links.csv"], tables["dimensions.csv"]), (6, run.links().len(), 2));
    assert!(tables["values.csv"] >= run.links().len() && tables.len() == 9, "{tables:?}");
}

#[test]
fn what_does_not_go_together_is_refused_before_anything_is_written() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "2", "--iterations", "2"]);
    let refused: [(&[&str], &[&str]); 6] = [
        (&["--to", "arrow"], &["-o DIR"]),
        (&["--to", "arrow", "-o", "-"], &["-o DIR"]),
        (&["--table", "spans", "-o", "tables"], &["--all", "--table"]),
        (&["--to", "otf2", "-o", "tables"], &["--to otf2", "leave --all out"]),
        (&["--ranks", "0", "-o", "tables"], &["--ranks", "--table"]),
        (&["--metric", "duration", "-o", "tables"], &["--metric", "--table"]),
    ];
    for (more, words) in refused {
        place.fails(&[&["export", "run.otf2", "--all"], more].concat(), 2, words);
    }
    if !cfg!(feature = "parquet") {
        let words = ["cannot write Parquet", "--features parquet"];
        place.fails(&["export", "run.otf2", "--all", "--to", "parquet", "-o", "tables"], 2, &words);
    }
    assert!(!place.path("tables").exists());
    place.ok(&["export", "run.otf2", "--all", "-o", "tables"]);
    std::fs::write(place.path("tables/spans.csv"), "mine").unwrap();
    let again = ["export", "run.otf2", "--all", "-o", "tables"];
    place.fails(&again, 2, &["already exists", "--force"]);
    assert_eq!(std::fs::read_to_string(place.path("tables/spans.csv")).unwrap(), "mine");
    place.ok(&[&again[..], &["--force"]].concat());
    assert!(place.path("tables").join("spans.csv").metadata().unwrap().len() > 100);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_the_same_rows() {
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    let place = Place::new();
    place.simulate("run", &["--ranks", "4", "--iterations", "10"]);
    place.ok(&["export", "run.otf2", "--all", "--to", "arrow", "-o", "tables"]);
    place.ok(&["export", "run.otf2", "--all", "--to", "parquet", "-o", "tables"]);
    for table in TABLES {
        let file = std::fs::File::open(place.path("tables").join(format!("{table}.parquet"))).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
        let packed: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
        let plain = read(&place.path("tables").join(format!("{table}.arrow")));
        let rows = |batches: &[RecordBatch]| batches.iter().map(RecordBatch::num_rows).sum::<usize>();
        assert_eq!(rows(&packed), rows(&plain), "{table}");
        for column in ["start_ns", "end_ns"].iter().filter(|column| table == "spans" && !column.is_empty()) {
            assert_eq!(numbers(&packed, column), numbers(&plain, column), "{table}");
        }
    }
}
