//! CLOG-2 and SLOG-2 logs that lie: random damage and absurd claims. Reading ends, does not panic, and takes no more
//! memory than the bytes that are there can justify.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;

use std::io::Write;
use std::time::{Duration, Instant};

use common::plain::{Open, read};
use heddle_formats::clog2::write::{Log, Style, ring};
use heddle_formats::fuzz;
use heddle_testkit::{Chance, Counting, Measuring, sample_traces};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs a target within bounds that only the number of bytes decides.
fn bounded(target: fn(&[u8]), bytes: &[u8], what: &str) {
    let measuring = Measuring::alone();
    let start = Instant::now();
    let ((), peak) = measuring.peak_of(|| target(bytes));
    assert!(start.elapsed() < Duration::from_secs(20), "{what}: it takes too long");
    assert!(peak < (64 << 20) + 40 * bytes.len(), "{what}: {peak} bytes of memory for {} bytes of log", bytes.len());
}

/// Flips, inserts, deletes, overwrites; cuts; repeats a stretch; makes numbers huge.
fn mutate(chance: &mut Chance, bytes: &mut Vec<u8>) {
    for _ in 0..=chance.below(4) {
        let at = chance.below(bytes.len());
        let to = (at + chance.below(300)).min(bytes.len());
        match chance.below(8) {
            0 => bytes.truncate(at.max(bytes.len() / 8)),
            1 => {
                let stretch = bytes[at..to].to_vec();
                let place = chance.below(bytes.len());
                bytes.splice(place..place, stretch);
            }
            2 => {
                let at = at & !3;
                let number = [i32::MAX, i32::MIN, -1, 1 << 20, 65_535][chance.below(5)].to_be_bytes();
                let end = (at + 4).min(bytes.len());
                bytes[at..end].copy_from_slice(&number[..end - at]);
            }
            3 => {
                let other = chance.below(bytes.len());
                let length = (to - at).min(bytes.len() - other);
                let place = at.min(bytes.len() - length);
                bytes.copy_within(other..other + length, place);
            }
            _ => chance.damage(bytes),
        }
    }
}

fn attack(target: fn(&[u8]), seeds: &[Vec<u8>], seed: u64, times: usize) {
    let mut chance = Chance(seed);
    for round in 0..times {
        let mut bytes = seeds[chance.below(seeds.len())].clone();
        mutate(&mut chance, &mut bytes);
        bounded(target, &bytes, &format!("seed {seed}, round {round}"));
    }
}

fn sample(name: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(sample_traces("clog2")?.join(name)).unwrap())
}

fn clog2_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let mut small = Vec::new();
    ring(&mut small, 100_000).unwrap();
    seeds.push(small);
    for (minor, big, finalised) in [(44, true, true), (44, false, false), (20, true, true), (30, false, true)] {
        let style = Style { minor, big, finalised, block: 512, world: 3, threads: 2 };
        let mut log = Log::begin(Vec::new(), style).unwrap();
        for rank in 0..3 {
            let at = (f64::from(rank) * 1e-3, 0, rank, 0);
            log.shift(at, 0.5).unwrap();
            log.comm(at, [0, 0, rank, rank], 5, "a").unwrap();
            log.comm(at, [100, 3, 2 - rank, rank], 6, "b").unwrap();
            log.comm(at, [1000, 4, 2 - rank, rank], 7, "b").unwrap();
            log.comm(at, [101, 3, 2 - rank, rank], 6, "b").unwrap();
            log.comm(at, [102, 5, -1, rank], 8, "b").unwrap();
            log.cargo(at, 600, b"\0\0\0\x07\0\x03abc").unwrap();
            log.event(at, 10).unwrap();
            log.message(at, true, [3, 1, 4, 100]).unwrap();
            log.event(at, 11).unwrap();
            log.event(at, 601).unwrap();
            log.event(at, 5000).unwrap();
            log.record(8, at, &[0; 16]).unwrap();
            log.record(10, at, &[65; 48]).unwrap();
        }
        log.state((1.0, 0, 0, 0), (300, 600, 601), "work", "%d %s").unwrap();
        log.solo((1.0, 0, 0, 0), 5000, "note", "x").unwrap();
        seeds.push(log.finish().unwrap());
    }
    seeds.extend(["features_r4.clog2", "ring_r4_rank2_local.clog2"].into_iter().filter_map(sample));
    seeds
}

/// A tree of three nodes, put together by hand.
fn slog2_by_hand() -> Vec<u8> {
    let text = |text: &str| [&(text.len() as i16).to_be_bytes()[..], text.as_bytes()].concat();
    let int = |value: i32| value.to_be_bytes().to_vec();
    let primitive = |category: i32, cargo: &[u8], vertices: &[(f64, i32)]| {
        let mut bytes = [&int(category)[..], &(cargo.len() as i16).to_be_bytes(), cargo].concat();
        bytes.extend((vertices.len() as i16).to_be_bytes());
        for (time, line) in vertices {
            bytes.extend(time.to_be_bytes());
            bytes.extend(line.to_be_bytes());
        }
        bytes
    };
    let mut out = text("SLOG 2.0.6");
    out.resize(108, 0);
    let mut directory = int(3);
    for (depth, x, from, to) in [(0i16, 0i32, 0.0f64, 1.0f64), (0, 1, 1.0, 2.0), (1, 0, 0.0, 2.0)] {
        let flat = [
            [vec![0], primitive(0, &[0, 0, 0, 5, 0, 0, 0, 64], &[(from, 0), (to, 1)])].concat(),
            [vec![0], primitive(9, &[], &[(from, 1)])].concat(),
        ];
        let composite = [&[1][..], &int(6), &[0, 0, 0, 1], &primitive(6, &[], &[(from, 0), (to, 0)])].concat();
        let nested = [vec![0], primitive(301, &[0, 0, 0, 3], &[(from, 1), (to, 1)])].concat();
        let lists = [&int(2)[..], &flat.concat(), &int(2), &composite, &nested, &int(0)].concat();
        let size = 34 + lists.len() as i32;
        let place = [&(out.len() as i64).to_be_bytes()[..], &int(size)].concat();
        let times = [from.to_be_bytes(), to.to_be_bytes()].concat();
        let tree = [&depth.to_be_bytes()[..], &int(x)].concat();
        directory.extend([&tree[..], &times, &place].concat());
        out.extend([&times[..], &tree, &place, &lists].concat());
    }
    let category = |index: i32, name: &str, shape: i32, types: &[u8]| {
        let mut bytes = [int(index), text(name), int(shape), vec![255, 1, 2, 3, 1, 1]].concat();
        bytes.extend([&(types.len() as i16).to_be_bytes()[..], &text("n=").repeat(types.len())].concat());
        bytes.extend([&(types.len() as i16).to_be_bytes()[..], types, &[0, 0], &[0; 8], &3i64.to_be_bytes()].concat());
        bytes
    };
    let categories = [
        int(4),
        category(0, "message", 2, b"dd"),
        category(9, "note", 0, b""),
        category(6, "MPI_Barrier", 1, b""),
        category(301, "work", 1, b"d"),
    ];
    let map = |title: &str, columns: &[&str], rows: &[&[i32]]| {
        let mut bytes = [text(title), int(columns.len() as i32)].concat();
        bytes.extend(columns.iter().flat_map(|column| text(column)));
        bytes.extend(int(rows.len() as i32));
        bytes.extend(rows.iter().flat_map(|row| row.iter()).flat_map(|value| int(*value)));
        bytes.extend([0, 0]);
        bytes
    };
    let maps = [
        int(2),
        map("Process View", &["world_rank"], &[&[0, 0], &[1, 1]]),
        map("Communicator View", &["commID", "comm_rank"], &[&[0, 0, 0], &[1, 0, 1]]),
    ];
    for (at, block) in [(24, categories.concat()), (48, maps.concat()), (72, directory)] {
        let place = [&(out.len() as i64).to_be_bytes()[..], &int(block.len() as i32)].concat();
        out[at..at + 12].copy_from_slice(&place);
        out.extend(block);
    }
    out
}

#[test]
fn damaged_clog2_logs() {
    attack(fuzz::clog2, &clog2_seeds(), 1, 10_000);
}

#[test]
fn damaged_slog2_logs() {
    let mut seeds = vec![slog2_by_hand()];
    seeds.extend(["features_r4.slog2", "ring_r4.slog2", "threads_r4.slog2"].into_iter().filter_map(sample));
    attack(fuzz::slog2, &seeds, 2, 10_000);
}

#[test]
fn every_cut_of_a_slog2_log_keeps_what_its_nodes_hold() {
    let bytes = slog2_by_hand();
    let whole = read(heddle_formats::slog2::open, &bytes).unwrap();
    assert_eq!(whole.warned(heddle_model::WarningKind::UnusedRecords), 3, "three composites");
    assert_eq!(whole.warnings.to_vec().len(), 1, "{:?}", whole.warnings);
    // Three arrows, notes, barriers that are collectives too, and states with a text each.
    assert_eq!(whole.records(), 3 * (2 + 1 + 4 + 3));
    let mut most = 0;
    for length in 12..bytes.len() {
        let trace = read(heddle_formats::slog2::open, &bytes[..length]).unwrap();
        assert!(!trace.warnings.is_empty(), "{length}");
        // What the categories would tell is missing as long as they are: texts and collectives.
        most = most.max(trace.records());
        assert!(length < 700 || trace.records() >= 3 * (2 + 1 + 2 + 2), "{length}: {}", trace.records());
    }
    assert_eq!(most, whole.records());
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[test]
fn compressed_logs_are_unpacked_and_cut_ones_give_what_they_have() {
    for (open, plain) in [
        (heddle_formats::slog2::open as Open, slog2_by_hand()),
        (heddle_formats::clog2::open as Open, clog2_seeds()[0].clone()),
    ] {
        let trace = read(open, &plain).unwrap();
        let packed = gzip(&plain);
        let unpacked = read(open, &packed).unwrap();
        for (block, other) in trace.blocks.iter().zip(&unpacked.blocks) {
            assert!(block.iter().eq(other.iter()));
        }
        let cut = read(open, &packed[..packed.len() * 9 / 10]).unwrap();
        assert!(cut.warned(heddle_model::WarningKind::Truncated) > 0, "{:?}", cut.warnings);
        assert!(cut.records() > 0 && cut.records() <= trace.records());
    }
}

#[test]
fn absurd_claims_of_clog2() {
    for (block, world) in [(0, 2), (1, 2), (usize::MAX >> 33, 2), (4096, u32::MAX), (4096, 1 << 30)] {
        let mut bytes = Vec::new();
        ring(&mut bytes, 50_000).unwrap();
        let text =
            format!("CLOG-02.44\0block_size=\0{block}\0max_comm_world_size=\0{world}\0max_thread_count=\09999999\0");
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        bounded(fuzz::clog2, &bytes, &text);
    }
    // Communicators that are all gap, lines that nobody knows, threads without end.
    let style = Style { world: 65_536, block: 65_536, ..Style::default() };
    let mut log = Log::begin(Vec::new(), style).unwrap();
    for at in 0..20_000 {
        log.comm((0.0, 0, 0, 0), [100, at, 65_535, at], at, "x").unwrap();
        log.event((0.0, 1 << 20, at, at), 2 * at).unwrap();
        log.event((0.0, 0, at, i32::MAX - at), 600).unwrap();
        log.message((0.0, at, 65_535, 0), true, [at + 1, 65_535, 0, 0]).unwrap();
    }
    bounded(fuzz::clog2, &log.finish().unwrap(), "gaps");
}

#[test]
fn absurd_claims_of_slog2() {
    let sound = slog2_by_hand();
    // States that are all open at once, of one kind and of two.
    for categories in [1, 2] {
        let mut list = Vec::new();
        let count: i32 = 60_000;
        for at in 0..count {
            list.push(0);
            list.extend((301 - 295 * (at % categories)).to_be_bytes());
            list.extend([0, 0, 0, 2]);
            for time in [f64::from(at), 1e6 + f64::from(at)] {
                list.extend(time.to_be_bytes());
                list.extend(1i32.to_be_bytes());
            }
        }
        let mut bytes = sound.clone();
        bytes.truncate(108);
        bytes[72..84].fill(0);
        let size = 34 + 4 + 4 + list.len() as i32 + 4;
        bytes.extend([&0f64.to_be_bytes()[..], &1e7f64.to_be_bytes(), &[0; 6], &108i64.to_be_bytes()].concat());
        bytes.extend([&size.to_be_bytes()[..], &[0; 4], &count.to_be_bytes(), &list, &[0; 4]].concat());
        bounded(fuzz::slog2, &bytes, "open states");
    }
}
