//! Boxfish files that lie: random damage and absurd claims. Reading them ends, does not panic, and takes no more memory than
//! the bytes that are there can justify.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

#[path = "common/boxfish.rs"]
mod common;

use common::{files, read};
use heddle_formats::fuzz;
use heddle_model::{Source, WarningKind};
use heddle_testkit::{Chance, Counting, MadeRun, Measuring};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A run with everything in it, its files in the order of the fuzz target.
fn seed(sizes: &[u32], cables: u32) -> [String; 6] {
    let communicators = vec![("line".to_owned(), 0, vec![0, 1, 2]), ("rest".to_owned(), 1, vec![3, 4, 5])];
    let run = MadeRun { cables, regions: vec![-2, 1, 2, 1], communicators, ..MadeRun::torus(sizes) };
    let all = run.files("m", |link, region| region * 10 + link.id as i64, |node, _| i64::from(node[0]));
    // Without the run's name in front, as the target calls them.
    let text = |file: &str| all.iter().find(|(name, _)| name.ends_with(file)).unwrap().1.replace("m_", "");
    ["meta.yaml", "links.yaml", "nodes.yaml", "map.yaml", "communicators.yaml", "members.yaml"].map(text)
}

fn packed(files: &[Vec<u8>; 6]) -> Vec<u8> {
    fuzz::container(files.each_ref().map(Vec::as_slice))
}

/// Cuts, flips, doubles and swaps lines, makes numbers huge, puts in what YAML trips over.
fn damage(chance: &mut Chance, bytes: &mut Vec<u8>) {
    let at = chance.below(bytes.len());
    match chance.below(6) {
        0 => bytes.truncate(at),
        1 => chance.damage(bytes),
        2 => {
            let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            if !lines.is_empty() {
                let (one, other) = (chance.below(lines.len()), chance.below(lines.len()));
                lines.swap(one, other);
                let again = lines[one].clone();
                lines.insert(other, again);
            }
            *bytes = lines.concat();
        }
        3 => {
            let huge = ["99999999999999999999", "1e308", "-1", "4294967295", "nan", "-9223372036854775808", "3.5"];
            bytes.splice(at..at, huge[chance.below(huge.len())].bytes());
        }
        4 => {
            let odd = [
                "[", "{", "}", "]", ",", ":", "- ", "&a ", "*a", "!!x ", "---\n", "...\n", "|\n", "\"", "'", "\t", "%",
            ];
            bytes.splice(at..at, odd[chance.below(odd.len())].bytes());
        }
        _ => {
            let end = (at + 1 + chance.below(30)).min(bytes.len());
            for byte in &mut bytes[at..end] {
                if byte.is_ascii_digit() {
                    *byte = b'0' + chance.below(10) as u8;
                }
            }
        }
    }
}

#[test]
fn the_seed_is_a_sound_run() {
    let _measuring = Measuring::alone();
    let seed = seed(&[4, 3, 2], 2);
    let names = ["meta.yaml", "links.yaml", "nodes.yaml", "map.yaml", "communicators.yaml", "members.yaml"];
    let run = read(&files(names.into_iter().zip(seed.iter().map(String::as_str))), "meta.yaml").unwrap();
    // Region -2 gives negative packets: what cannot be is tried too.
    assert!(run.warnings().to_vec().iter().all(|warning| warning.kind == WarningKind::ImpossibleValues));
    assert_eq!((run.network().unwrap().links.len(), run.definitions().communicators.len()), (144, 2));
}

#[test]
fn damaged_files_end_within_bounds() {
    let measuring = Measuring::alone();
    let mut chance = Chance(16);
    let seeds = [seed(&[4, 3], 1), seed(&[2, 3, 2], 2), seed(&[6], 1)].map(|seed| seed.map(String::into_bytes));
    for round in 0..6_000 {
        let mut files = seeds[round % 3].clone();
        for _ in 0..=chance.below(4) {
            let which = chance.below(6);
            damage(&mut chance, &mut files[which]);
        }
        let bytes = packed(&files);
        let ((), peak) = measuring.peak_of(|| fuzz::boxfish(&bytes));
        assert!(peak < (8 << 20) + 200 * bytes.len(), "round {round}: {peak} bytes for {}", bytes.len());
    }
}

#[test]
fn claims_without_bytes_behind_them_take_no_memory() {
    let base = seed(&[4, 3], 1).map(String::into_bytes);
    let measuring = Measuring::alone();
    let with = |which: usize, text: String| {
        let mut files = base.clone();
        files[which] = text.into_bytes();
        packed(&files)
    };
    let meta = String::from_utf8(base[0].clone()).unwrap();
    let map = "- [mpirank, int64]\n- [nodeid, int64]\n...\n";
    let members = "- [communicator_group_id, int64]\n- [mpirank, int64]\n...\n";
    // Everything to everything, over ranks.
    let crowd = (0..5_000).map(|id| format!("{id} 7\n")).collect::<Vec<_>>().concat();
    for bytes in [
        with(0, meta.replace("x: 4, y: 3", "x: 8192, y: 8192")),
        with(0, meta.replace("x: 4, y: 3", "x: 4294967295, y: 4294967295")),
        with(0, "[".repeat(60_000)),
        with(0, format!("hardware: &a [{}]\ncoords: 1\n", "*a, ".repeat(10_000))),
        with(3, format!("{map}4000000000 0\n-5 1\n")),
        with(5, format!("{members}{crowd}")),
        with(1, format!("{}...\n", "- [c, int64]\n".repeat(4_000))),
        with(1, format!("- [a, S8]\n...\n{}", "x".repeat(60_000))),
    ] {
        let ((), peak) = measuring.peak_of(|| fuzz::boxfish(&bytes));
        assert!(peak < (16 << 20) + 200 * bytes.len(), "{peak} bytes for {}", bytes.len());
    }
}

#[test]
fn many_of_everything_stays_linear() {
    // What this takes must not be counted for others.
    let _measuring = Measuring::alone();
    // Every row a section, a node and a link of its own; many columns. What is quadratic does not end while anybody waits.
    let [meta, ..] = seed(&[4, 3], 1);
    let rows = 40_000;
    let meta = meta.replace("x: 4, y: 3", "x: 40000, y: 3");
    let columns = (0..20).map(|column| format!("- [c{column}, int64]\n")).collect::<Vec<_>>().concat();
    let cells = "1 ".repeat(20);
    let mut links = format!(
        "- [linkid, int64]\n- [sx, int64]\n- [sy, int64]\n- [tx, int64]\n- [ty, int64]\n- [code_region, int64]\n{columns}...\n"
    );
    let mut nodes = format!("- [nodeid, int64]\n- [x, int64]\n- [y, int64]\n- [code_region, int64]\n{columns}...\n");
    let mut map = "- [mpirank, int64]\n- [nodeid, int64]\n...\n".to_owned();
    for row in 0..rows {
        links.push_str(&format!("{row} {row} 0 {} 0 {row} {cells}\n", (row + 1) % rows));
        nodes.push_str(&format!("{row} {row} 0 -{row} {cells}\n"));
        map.push_str(&format!("{row} 5\n5 {row}\n"));
    }
    let all = [("meta.yaml", meta), ("links.yaml", links), ("nodes.yaml", nodes), ("map.yaml", map)];
    let run = read(&files(all.iter().map(|(name, text)| (*name, text.as_str()))), "meta.yaml").unwrap();
    let network = run.network().unwrap();
    assert_eq!((network.links.len(), network.nodes.len(), network.sections.len()), (rows, rows, 2 * rows - 1));
    assert_eq!(network.tallies.len(), 40 * rows);
}
