//! Damaged files of machines: no panic on any bytes, memory within bounds, and errors that people can read.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use heddle_network::TopologyFile;
use heddle_testkit::{Chance, Counting, Measuring};
use heddle_topology::{Element, Link};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SEEDS: [&str; 7] = [
    include_str!("data/slurm-tree.conf"),
    include_str!("data/slurm-blocks.conf"),
    include_str!("data/slurm.yaml"),
    include_str!("data/ibnetdiscover.txt"),
    include_str!("data/simgrid-torus.xml"),
    include_str!("data/simgrid-fat-tree.xml"),
    include_str!("data/simgrid-dragonfly.xml"),
];

/// A fuzz target: reads bytes, lossily, as a file of any kind. Whether it was read.
fn read(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    match TopologyFile::read(&text, &["n1".to_owned(), "n2".to_owned()]) {
        Ok(file) => {
            let shape = &file.shape;
            assert!(shape.hosts() > 0 && shape.hosts() <= shape.elements());
            // Nobody checks cables again.
            for link in (0..shape.links()).step_by(1 + shape.links() as usize / 1000).map(Link) {
                let (from, to) = shape.ends(link);
                assert!(from != to && from.0.max(to.0) < shape.elements());
                assert!(shape.class(link) < shape.classes().len());
            }
            for host in (0..shape.hosts()).step_by(1 + shape.hosts() as usize / 100).map(Element) {
                let _ = (shape.label(host), shape.part(host));
            }
            assert!(file.notes.iter().all(|note| is_readable(note)), "{:?}", file.notes);
            true
        }
        Err(error) => {
            assert!(error.line.is_none_or(|line| (1..=text.lines().count().max(1)).contains(&line)), "{error}");
            assert!(is_readable(&error.to_string()), "{error:?}");
            false
        }
    }
}

fn is_readable(said: &str) -> bool {
    said.len() < 1_500 && !said.contains(|c: char| c.is_control())
}

/// Flips bytes, swaps and doubles lines, makes numbers huge, puts in what the formats are made of.
fn damage(chance: &mut Chance, bytes: &mut Vec<u8>) {
    let at = chance.below(bytes.len());
    match chance.below(6) {
        0 => bytes.truncate(at),
        1 | 2 => chance.damage(bytes),
        3 => {
            let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            if !lines.is_empty() {
                let (one, other) = (chance.below(lines.len()), chance.below(lines.len()));
                lines.swap(one, other);
                let again = lines[one].clone();
                lines.insert(other, again);
            }
            *bytes = lines.concat();
        }
        4 => {
            let huge = ["99999999999999999999", "4294967295", "0", "-1", "1e308", "100000", "33554432"];
            bytes.splice(at..at, huge[chance.below(huge.len())].bytes());
        }
        _ => {
            let odd = [
                "[",
                "]",
                "[0-9]",
                "[0-99999]",
                ",",
                "=",
                "\"",
                "\\\n",
                "#",
                "- ",
                ": ",
                "<cluster ",
                ">",
                "<!--",
                ";",
                "Switches=s[0-9]",
                "\"S-0000000000000001\"[1]",
                "\u{1b}[2J",
            ];
            bytes.splice(at..at, odd[chance.below(odd.len())].bytes());
        }
    }
}

#[test]
fn the_seeds_are_sound() {
    let _measuring = Measuring::alone();
    assert!(SEEDS.iter().all(|seed| read(seed.as_bytes())));
}

#[test]
fn damaged_files_are_read_or_refused_within_bounds() {
    let measuring = Measuring::alone();
    let mut chance = Chance(17);
    let (mut read_whole, mut refused) = (0, 0);
    for round in 0..14_000 {
        let mut bytes = SEEDS[round % SEEDS.len()].as_bytes().to_vec();
        for _ in 0..=chance.below(3) {
            damage(&mut chance, &mut bytes);
        }
        let (was_read, peak) = measuring.peak_of(|| read(&bytes));
        if was_read {
            read_whole += 1;
        } else {
            refused += 1;
        }
        // A range of a few bytes names half a million hosts at most.
        assert!(peak < (512 << 20) + 500 * bytes.len(), "round {round}: {peak} bytes for {}", bytes.len());
    }
    assert!(read_whole > 1_000 && refused > 1_000, "{read_whole} {refused}");
}

#[test]
fn claims_are_refused_before_they_are_believed() {
    let measuring = Measuring::alone();
    let cluster = |parameters: &str| format!("<cluster radical='0-3' {parameters}/>");
    for text in [
        "SwitchName=a Nodes=n[0-999999999]".to_owned(),
        "SwitchName=a Nodes=n[0-999][0-999][0-999][0-999]".to_owned(),
        "- topology: t\n  flat: &a [*a, *a]\n".to_owned(),
        format!("- topology: t\n  tree: {}", "[".repeat(100_000)),
        cluster("topology='TORUS' topo_parameters='4000,4000'"),
        cluster("topology='FAT_TREE' topo_parameters='3;4000,4000,1;1,1,1;1,1,1'"),
        cluster("topology='DRAGONFLY' topo_parameters='4000,1;1,1;4000,1;2'"),
        cluster("topology='DRAGONFLY' topo_parameters='1,1;4294967295,1;4294967295,1;4294967295'"),
    ] {
        let (_, peak) = measuring.peak_of(|| read(text.as_bytes()));
        assert!(peak < (4 << 20) + 200 * text.len(), "{text:.60}: {peak} bytes");
    }
}

#[test]
fn many_of_everything_stays_linear() {
    let _measuring = Measuring::alone();
    // What is quadratic does not end while anybody waits.
    let lines = |lines: Vec<String>| lines.join("\n") + "\n";
    let leaves =
        lines((0..20_000).map(|at| format!("SwitchName=s{at} Nodes=n[{}-{}]", 10 * at, 10 * at + 9)).collect());
    assert!(read(format!("{leaves}SwitchName=top Switches=s[0-19999]\n").as_bytes()));
    // A chain of switches is refused for its depth, one that is its own ancestor by its name.
    let chain = lines((1..50_000).map(|at| format!("SwitchName=s{at} Switches=s{}", at - 1)).collect());
    assert!(!read(format!("SwitchName=s0 Nodes=n0\n{chain}").as_bytes()));
    assert!(!read(format!("SwitchName=s0 Switches=s49999\n{chain}").as_bytes()));
    let ports = lines((1..100_000).map(|at| format!("[{at}] \"H-{at}\"[1] # \"n{at} HCA-1\" lid 1 4xHDR")).collect());
    assert!(read(format!("Switch 36 \"S-1\" # \"a\"\n{ports}").as_bytes()));
}
