//! Every table of a store opens with a plain Arrow reader that knows nothing of Heddle.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type, UInt64Type};
use arrow_ipc::reader::FileReader;
use arrow_schema::DataType::{self, Float64, Int64, UInt8, UInt16, UInt32, UInt64, Utf8};

use heddle_simulate::{HaloOptions, Machine, halo, spans_of};
use heddle_store::{BATCH_ROWS, NoProgress, Store, store_simulation};

/// The file, its columns, and whether each may be null.
type Layout = (&'static str, &'static [(&'static str, DataType, bool)]);

const TABLES: [Layout; 19] = [
    ("system_tree", &[("name", Utf8, false), ("class", Utf8, false), ("parent", UInt32, true)]),
    (
        "locations",
        &[
            ("file_id", UInt64, false),
            ("name", Utf8, false),
            ("kind", Utf8, false),
            ("parent", UInt32, true),
            ("rank", UInt32, true),
            ("is_main", UInt8, false),
            ("first_span", UInt64, false),
            ("spans", UInt64, false),
            ("events", UInt64, false),
            ("last_ns", Int64, true),
        ],
    ),
    (
        "regions",
        &[
            ("name", Utf8, false),
            ("paradigm", Utf8, false),
            ("role", Utf8, false),
            ("file", Utf8, true),
            ("line", UInt32, true),
            ("colour", UInt32, true),
            ("count", UInt64, false),
            ("total_ns", Int64, false),
            ("exclusive_ns", Int64, false),
        ],
    ),
    (
        "communicators",
        &[
            ("name", Utf8, true),
            ("kind", Utf8, false),
            ("parent", UInt32, true),
            ("first_member", UInt64, false),
            ("members", UInt32, false),
            ("first_remote", UInt64, true),
            ("remote_members", UInt32, true),
            ("used", UInt8, false),
        ],
    ),
    ("communicator_members", &[("location", UInt32, true)]),
    ("metrics", &[("name", Utf8, false), ("unit", Utf8, false), ("mode", Utf8, false)]),
    (
        "spans",
        &[("start_ns", Int64, false), ("end_ns", Int64, false), ("region", UInt32, false), ("depth", UInt16, false)],
    ),
    (
        "messages",
        &[
            ("send_location", UInt32, false),
            ("recv_location", UInt32, false),
            ("send_ns", Int64, false),
            ("recv_ns", Int64, false),
            ("bytes", UInt64, false),
            ("tag", UInt32, false),
            ("comm", UInt32, false),
            ("send_span", UInt64, true),
            ("recv_span", UInt64, true),
            ("recv_posted_ns", Int64, true),
            ("send_completed_ns", Int64, true),
        ],
    ),
    ("messages_by_receive", &[("message", UInt64, false)]),
    (
        "unmatched",
        &[
            ("location", UInt32, false),
            ("kind", Utf8, false),
            ("time_ns", Int64, false),
            ("span", UInt64, true),
            ("peer", UInt32, true),
            ("bytes", UInt64, true),
            ("tag", UInt32, true),
            ("comm", UInt32, true),
        ],
    ),
    ("length_mismatches", &[("message", UInt64, false), ("bytes_received", UInt64, false)]),
    (
        "collectives",
        &[
            ("comm", UInt32, false),
            ("op", UInt8, false),
            ("root", UInt32, true),
            ("first_member", UInt64, false),
            ("members", UInt32, false),
            ("doubtful", UInt8, false),
        ],
    ),
    (
        "collective_members",
        &[
            ("location", UInt32, false),
            ("span", UInt64, true),
            ("start_ns", Int64, false),
            ("end_ns", Int64, false),
            ("bytes_sent", UInt64, false),
            ("bytes_received", UInt64, false),
        ],
    ),
    (
        "metric_values",
        &[("location", UInt32, false), ("metric", UInt32, false), ("time_ns", Int64, false), ("value", Float64, false)],
    ),
    ("marks", &[("location", UInt32, true), ("time_ns", Int64, false), ("name", Utf8, false), ("text", Utf8, true)]),
    ("workers", &[("location", UInt32, false), ("kind", Utf8, true)]),
    (
        "tasks",
        &[
            ("span", UInt64, false),
            ("id", UInt64, false),
            ("submitted_ns", Int64, true),
            ("ready_ns", Int64, true),
            ("iteration", UInt32, true),
            ("tile_row", UInt32, true),
            ("tile_column", UInt32, true),
        ],
    ),
    ("dependencies", &[("task", UInt64, false), ("on", UInt64, false)]),
    ("warnings", &[("kind", Utf8, false), ("count", UInt64, false), ("where", Utf8, false), ("text", Utf8, false)]),
];

/// Every table below a directory, by its name without the ending.
fn tables(directory: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for (prefix, directory) in [("", directory.to_owned()), ("index/", directory.join("index"))] {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "arrow") {
                found.insert(format!("{prefix}{}", path.file_stem().unwrap().to_string_lossy()), path);
            }
        }
    }
    found
}

fn batches(path: &Path) -> Vec<RecordBatch> {
    FileReader::try_new(File::open(path).unwrap(), None).unwrap().map(Result::unwrap).collect()
}

fn check_tables(store: &Store) -> BTreeMap<String, u64> {
    let files = tables(store.path());
    let mut rows = BTreeMap::new();
    for (name, path) in &files {
        let batches = batches(path);
        let (last, full) = batches.split_last().map_or((0, &[][..]), |(last, full)| (last.num_rows(), full));
        assert!(full.iter().all(|batch| batch.num_rows() == BATCH_ROWS), "{name}: batches but the last are full");
        assert!(last <= BATCH_ROWS, "{name}");
        rows.insert(name.clone(), (full.len() * BATCH_ROWS + last) as u64);
    }
    for (name, columns) in &TABLES {
        let path = &files[*name];
        let schema = FileReader::try_new(File::open(path).unwrap(), None).unwrap().schema();
        let found: Vec<_> = schema
            .fields()
            .iter()
            .map(|field| (field.name().as_str(), field.data_type().clone(), field.is_nullable()))
            .collect();
        assert_eq!(found, *columns, "{name}");
    }
    assert_eq!(files.keys().filter(|name| !name.starts_with("index/")).count(), TABLES.len(), "no others: {files:?}");
    rows
}

#[test]
fn tables_of_more_than_one_batch() {
    let options =
        HaloOptions { ranks: 4, iterations: 40_000, periodic: false, allreduce_every: 100, ..HaloOptions::default() };
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("x.heddle");
    let store =
        store_simulation(&halo(&options, &Machine::default()).unwrap(), "x", &target, 64 << 20, &NoProgress).unwrap();
    let rows = check_tables(&store);

    let (ranks, spans, messages) = (4, spans_of(&options), 40_000 * 8);
    assert!(spans > BATCH_ROWS as u64, "the point of this test");
    for (name, count) in [
        ("locations", ranks),
        ("regions", 9),
        ("system_tree", 1 + 1 + ranks),
        ("communicators", 1),
        ("communicator_members", ranks),
        ("spans", spans),
        ("messages", messages),
        ("messages_by_receive", messages),
        ("collectives", 400),
        ("collective_members", 400 * ranks),
        ("unmatched", 0),
        ("warnings", 0),
        ("metrics", 0),
        ("metric_values", 0),
        ("marks", 0),
    ] {
        assert_eq!(rows[name], count, "{name}");
    }
    assert_eq!(rows["spans"], store.spans.len());

    // What a stranger reads is what the store says, also across the border of two batches.
    let all = batches(&target.join("spans.arrow"));
    for row in [0, 1, BATCH_ROWS - 1, BATCH_ROWS, BATCH_ROWS + 1] {
        let (batch, at) = (&all[row / BATCH_ROWS], row % BATCH_ROWS);
        let column = |name| batch.column_by_name(name).unwrap();
        assert_eq!(column("start_ns").as_primitive::<Int64Type>().value(at), store.spans.start.get(row as u64).0);
        assert_eq!(column("end_ns").as_primitive::<Int64Type>().value(at), store.spans.end.get(row as u64).0);
        assert_eq!(column("region").as_primitive::<UInt32Type>().value(at), store.spans.region.get(row as u64).0);
    }
    let starts = batches(&target.join("messages_by_receive.arrow"));
    let order: Vec<u64> =
        starts.iter().flat_map(|batch| batch.column(0).as_primitive::<UInt64Type>().values().to_vec()).collect();
    let receive = |row: &u64| (store.messages.recv_location.get(*row), store.messages.recv.get(*row));
    assert!(order.windows(2).all(|pair| receive(&pair[0]) <= receive(&pair[1])), "by receiver, then time");
}

#[test]
fn an_empty_trace_has_all_tables() {
    let store = common::Hand::new(heddle_model::Definitions::default(), &[]).store();
    let rows = check_tables(&store);
    let expected = |name: &str| u64::from(name == "warnings");
    assert!(TABLES.iter().all(|(name, _)| rows[*name] == expected(name)), "{rows:?}");
    assert_eq!(store.warnings()[0].kind, heddle_model::WarningKind::Empty);
    assert!(rows.keys().any(|name| name.starts_with("index/")));
    assert_eq!(store.summary().end_ns, 0);
}

#[test]
fn nothing_known_is_null_for_strangers_too() {
    let tracks =
        [vec![(1, heddle_model::Event::Send(common::end(0, 7))), (2, heddle_model::Event::Recv(common::end(0, 7)))]];
    let store = common::Hand::new(common::world(1), &tracks).store();
    let messages = &batches(&store.path().join("messages.arrow"))[0];
    for name in ["send_span", "recv_span", "recv_posted_ns", "send_completed_ns"] {
        assert_eq!(messages.column_by_name(name).unwrap().null_count(), 1, "{name}");
    }
    assert_eq!(messages.column_by_name("send_ns").unwrap().null_count(), 0);
    let regions = &batches(&store.path().join("regions.arrow"))[0];
    assert_eq!(regions.column_by_name("file").unwrap().null_count(), regions.num_rows());
}
