//! Every table of a store opens with a reader that knows nothing of Heddle: a plain Arrow reader, or one that was written
//! from `docs/packed.md` alone.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on should say so and stop

mod common;
mod stranger;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::FileReader;
use arrow_schema::DataType::{self, Float64, Int64, UInt8, UInt16, UInt32, UInt64, Utf8};

use heddle_simulate::{HaloOptions, Machine, halo, spans_of};
use heddle_store::{BATCH_ROWS, NoProgress, Store, store_simulation};
use stranger::Packed;

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

/// Every table below a directory, by its name, without the ending.
fn tables(directory: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for (prefix, directory) in [("", directory.to_owned()), ("index/", directory.join("index"))] {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "arrow" || ending == "packed") {
                found.insert(format!("{prefix}{}", path.file_stem().unwrap().to_string_lossy()), path);
            }
        }
    }
    found
}

fn batches(path: &Path) -> Vec<RecordBatch> {
    FileReader::try_new(File::open(path).unwrap(), None).unwrap().map(Result::unwrap).collect()
}

/// What packed files call a type.
fn packed_kind(kind: &DataType) -> &'static str {
    match kind {
        UInt8 => "u8",
        UInt16 => "u16",
        UInt32 => "u32",
        UInt64 => "u64",
        Int64 => "i64",
        Float64 => "f64",
        other => panic!("{other} is never packed"),
    }
}

/// How many rows a table has. Its columns are `columns`, if they are given.
fn check_table(name: &str, path: &Path, columns: Option<&[(&'static str, DataType, bool)]>) -> u64 {
    if path.extension().is_some_and(|ending| ending == "packed") {
        let table = Packed::open(path);
        if let Some(columns) = columns {
            let expected = columns.iter().map(|(name, kind, nullable)| (*name, packed_kind(kind), *nullable));
            assert!(table.columns().eq(expected), "{name}");
        }
        return table.rows;
    }
    let batches = batches(path);
    let (last, full) = batches.split_last().map_or((0, &[][..]), |(last, full)| (last.num_rows(), full));
    assert!(full.iter().all(|batch| batch.num_rows() == BATCH_ROWS), "{name}: batches but the last are full");
    assert!(last <= BATCH_ROWS, "{name}");
    if let Some(columns) = columns {
        let schema = FileReader::try_new(File::open(path).unwrap(), None).unwrap().schema();
        let found: Vec<_> = schema
            .fields()
            .iter()
            .map(|field| (field.name().as_str(), field.data_type().clone(), field.is_nullable()))
            .collect();
        assert_eq!(found, columns, "{name}");
    }
    (full.len() * BATCH_ROWS + last) as u64
}

fn check_tables(store: &Store) -> BTreeMap<String, u64> {
    let files = tables(store.path());
    let declared: BTreeMap<_, _> = TABLES.into_iter().collect();
    assert!(declared.keys().all(|name| files.contains_key(*name)), "{files:?}");
    assert_eq!(files.keys().filter(|name| !name.starts_with("index/")).count(), TABLES.len(), "no others: {files:?}");
    files
        .iter()
        .map(|(name, path)| (name.clone(), check_table(name, path, declared.get(name.as_str()).copied())))
        .collect()
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

    // What a stranger reads is what the store says, to the last row of the last block.
    let packed = Packed::open(&target.join("spans.packed"));
    let column = |name| packed.column(name).into_iter().map(Option::unwrap);
    assert!(column("start_ns").eq(store.spans.start.iter(0..spans).map(|time| time.0 as u64)));
    assert!(column("end_ns").eq(store.spans.end.iter(0..spans).map(|time| time.0 as u64)));
    assert!(column("region").eq(store.spans.region.iter(0..spans).map(|region| u64::from(region.0))));
    // Receivers and times of messages are relative to senders and sends.
    let sent = Packed::open(&target.join("messages.packed"));
    let all = 0..store.messages.len();
    let receivers = store.messages.recv_location.iter(all.clone()).map(|location| Some(u64::from(location.0)));
    assert!(sent.column("recv_location").into_iter().eq(receivers));
    let posted = store.messages.posted.iter(all.clone()).map(|time| time.is_some().then_some(time.0 as u64));
    assert!(sent.column("recv_posted_ns").into_iter().eq(posted));
    let completed = store.messages.completed.iter(all).map(|time| time.is_some().then_some(time.0 as u64));
    assert!(sent.column("send_completed_ns").into_iter().eq(completed));
    let order = Packed::open(&target.join("messages_by_receive.packed")).column("message");
    let receive = |row: u64| (store.messages.recv_location.get(row), store.messages.recv.get(row));
    assert!(order.is_sorted_by_key(|row| receive(row.unwrap())), "by receiver, then time");
}

/// The lines of Python in the documents read the same.
#[test]
fn the_python_of_the_documents_reads_a_packed_table() {
    let document = include_str!("../../../docs/packed.md");
    let code = document.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    let options = HaloOptions { ranks: 4, iterations: 400, periodic: false, ..HaloOptions::default() };
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("x.heddle");
    let simulation = halo(&options, &Machine::default()).unwrap();
    let store = store_simulation(&simulation, "x", &target, 64 << 20, &NoProgress).unwrap();
    let ask = "\nfor name in sys.argv[2:]:\n    print(int(np.bitwise_xor.reduce(read(sys.argv[1], name).view(np.uint64) * \
               np.arange(1, 1 + len(read(sys.argv[1], name)), dtype=np.uint64))))\n";
    let run = |file: &str, columns: &[&str]| -> Option<Vec<u64>> {
        let script = format!("import sys\n{code}{ask}");
        let python =
            std::process::Command::new("python3").args(["-c", &script]).arg(target.join(file)).args(columns).output();
        let output = python.ok()?;
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        if error.contains("No module named 'numpy'") {
            return None;
        }
        assert!(output.status.success(), "{error}");
        Some(String::from_utf8_lossy(&output.stdout).lines().map(|line| line.parse().unwrap()).collect())
    };
    let Some(found) = run("spans.packed", &["start_ns", "end_ns"]) else {
        println!("skipped: there is no Python with NumPy here");
        return;
    };
    let sum = |column: &heddle_store::Column<heddle_model::Ns>| {
        column.iter(0..column.len()).zip(1u64..).fold(0, |sum, (time, row)| sum ^ row.wrapping_mul(time.0 as u64))
    };
    assert_eq!(found, [sum(&store.spans.start), sum(&store.spans.end)]);
    let messages = &store.messages;
    let columns = ["recv_ns", "recv_posted_ns", "send_completed_ns"];
    let expected = [&messages.recv, &messages.posted, &messages.completed].map(sum);
    assert_eq!(run("messages.packed", &columns).unwrap(), expected);
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
    let messages = Packed::open(&store.path().join("messages.packed"));
    for name in ["send_span", "recv_span", "recv_posted_ns", "send_completed_ns"] {
        assert_eq!(messages.column(name), [None], "{name}");
    }
    assert_eq!(messages.column("send_ns"), [Some(1)]);
    let regions = &batches(&store.path().join("regions.arrow"))[0];
    assert_eq!(regions.column_by_name("file").unwrap().null_count(), regions.num_rows());
}
