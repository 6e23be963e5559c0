//! Tables of StarVZ in Parquet files, written by hand in the ways that writers choose.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

#[path = "common/starpu.rs"]
mod common;
#[path = "common/parquet.rs"]
mod made;

use common::{open, runs};
use heddle_formats::MemoryFiles;
use heddle_model::{Event, TaskId, TaskInfo, WarningKind};
use made::{Column, PLAIN, Style, application, parquet};

const PLENTY: u64 = 1 << 28;

fn folder(style: Style) -> MemoryFiles {
    let texts = |texts: &[&'static str]| Column::Text(texts.iter().map(|text| Some(*text)).collect());
    let files = MemoryFiles::default();
    files.insert("application.parquet", application(style));
    files.insert(
        "starpu.parquet",
        parquet(
            &[
                ("ResourceId", texts(&["0_CPU0", "0_CPU0"])),
                ("Start", Column::Real(vec![Some(-1.0), Some(1.0)])),
                ("End", Column::Real(vec![Some(0.0), Some(4.25)])),
                ("Value", texts(&["Initializing", "Idle"])),
            ],
            style,
        ),
    );
    files.insert(
        "dag.parquet",
        parquet(
            &[
                ("JobId", texts(&["0_2", "mpi_7_0", "10_2", "10_3", "0_4", "0_1"])),
                (
                    "Dependent",
                    Column::Text(vec![Some("0_1"), Some("0_2"), Some("mpi_7_0"), Some("10_2"), Some("0_1"), None]),
                ),
            ],
            style,
        ),
    );
    files.insert(
        "link.parquet",
        parquet(
            &[
                ("Container", texts(&["root"])),
                ("Type", texts(&["MPI communication"])),
                ("Start", Column::Real(vec![Some(2.0)])),
                ("End", Column::Real(vec![Some(8.0)])),
                ("Size", Column::Whole(vec![Some(800)])),
                ("Origin", texts(&["0_mpict"])),
                ("Dest", texts(&["10_mpict"])),
                ("Tag", texts(&["7"])),
            ],
            style,
        ),
    );
    files
}

#[test]
fn tables_are_read_however_they_are_written() {
    let plain = runs(&open(&folder(PLAIN), "application.parquet", PLENTY).unwrap());
    let short: Vec<_> =
        plain.iter().map(|run| (run.of.as_str(), run.worker.as_str(), run.kind.as_str(), run.start, run.end)).collect();
    // The runtime's first state, a millisecond before the first task, is the trace's zero.
    assert_eq!(
        short,
        [
            ("potrf", "0_CPU0", "CPU", 1_000_000, 2_000_000),
            ("gemm", "0_CPU0", "CPU", 5_250_000, 7_000_000),
            ("gemm", "2_CUDA0_0", "CUDA", 3_500_000, 6_000_000),
            ("trsm", "10_CPU0", "CPU", 10_000_000, 12_000_000)
        ]
    );
    assert_eq!(plain.iter().map(|run| run.node).collect::<Vec<_>>(), [0, 0, 2, 10], "nodes are numbers");
    assert_eq!(plain[1].waits_for, [TaskId::new(0, 1)]);
    assert_eq!(plain[3].waits_for, [TaskId::new(0, 1)], "through a job that did not run and a message");
    assert_eq!((plain[3].task.iteration, plain[3].task.tile), (3, [1, 5]));
    assert_eq!((plain[2].task.iteration, plain[2].task.tile), (TaskInfo::UNKNOWN, [TaskInfo::UNKNOWN; 2]));
    for codec in 0..3 {
        for (dictionaries, second_version, group) in
            [(false, false, 2), (true, false, usize::MAX), (false, true, 1), (true, true, 3)]
        {
            let style = Style { codec, dictionaries, second_version, group };
            let read = open(&folder(style), "application.parquet", PLENTY).unwrap();
            assert_eq!(read.format, "starvz-parquet");
            assert_eq!(runs(&read), plain, "{style:?}");
            let received = read.blocks.iter().flat_map(heddle_model::RecordBlock::iter);
            assert_eq!(received.filter(|(_, event)| matches!(event, Event::Recv(_))).count(), 1);
        }
    }
}

#[test]
fn what_is_not_a_table_of_tasks_is_refused_in_words() {
    let files = MemoryFiles::default();
    files.insert("x", parquet(&[("a", Column::Whole(vec![Some(1)]))], PLAIN));
    let error = open(&files, "x", PLENTY).unwrap_err().to_string();
    assert!(
        error.contains("x: a Parquet file without a column ResourceId") && error.contains("application.parquet"),
        "{error}"
    );
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packer, &application(PLAIN)).unwrap();
    files.insert("x", packer.finish().unwrap());
    let error = open(&files, "x", PLENTY).unwrap_err().to_string();
    assert!(error.contains("packed as a whole; unpack it first"), "{error}");
    let mut cut = application(PLAIN);
    cut.truncate(cut.len() - 3);
    files.insert("x", cut);
    let error = open(&files, "x", PLENTY).unwrap_err().to_string();
    assert!(error.contains("does not end as a Parquet file does"), "{error}");
}

#[test]
fn damage_is_named_and_groups_before_it_are_kept() {
    let style = Style { codec: 1, dictionaries: true, second_version: false, group: 2 };
    let files = folder(style);
    let mut bytes = files.get("application.parquet").unwrap();
    // The last page before the description: a column of the second group.
    let footer = bytes.len() - 8 - u32::from_le_bytes(bytes[bytes.len() - 8..][..4].try_into().unwrap()) as usize;
    bytes[footer - 20..footer].fill(0xff);
    files.insert("application.parquet", bytes);
    files.insert("dag.parquet", b"PAR1".to_vec());
    let read = open(&files, "application.parquet", PLENTY).unwrap();
    assert_eq!(runs(&read).len(), 2, "the rows of the first group");
    assert_eq!(read.warnings.count(WarningKind::Corrupt), 1);
    let said = read.warnings.to_vec();
    let damage = said.iter().find(|warning| warning.kind == WarningKind::Corrupt).unwrap();
    assert!(damage.text.contains("application.parquet, rows of group 1, column Iteration: byte "), "{damage:?}");
    let missing = said.iter().find(|warning| warning.kind == WarningKind::MissingFile).unwrap();
    assert_eq!(missing.place, "dag.parquet");
}
