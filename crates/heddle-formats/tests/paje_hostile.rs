//! Files that lie: random damage and absurd claims. Reading them ends, does not panic, and takes no more memory than the
//! bytes that are there can justify.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

#[path = "common/paje.rs"]
mod common;
#[path = "common/paje_made.rs"]
mod made;

use heddle_formats::fuzz;
use heddle_model::{Event, RecordBlock, WarningKind};
use heddle_testkit::{Chance, Counting, Measuring};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Cuts, flips, splices, doubles lines, swaps fields, makes numbers huge.
fn damage(chance: &mut Chance, bytes: &mut Vec<u8>) {
    let at = chance.below(bytes.len());
    let end = (at + 1 + chance.below(200)).min(bytes.len());
    match chance.below(8) {
        0 => bytes.truncate(at),
        1 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let piece = bytes[at..end].to_vec();
            let to = chance.below(bytes.len());
            bytes.splice(to..to, piece);
        }
        4 => {
            let lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            let (one, other) = (chance.below(lines.len()), chance.below(lines.len()));
            let mut lines = lines;
            if !lines.is_empty() {
                lines.swap(one, other);
                let again = lines[one].clone();
                lines.insert(other, again);
            }
            *bytes = lines.concat();
        }
        5 => {
            let huge = ["99999999999999999999", "1e308", "-1", "4294967295", "rank-4000000000", "0_program"];
            let text = huge[chance.below(huge.len())].bytes();
            bytes.splice(at..at, text);
        }
        6 => {
            bytes.splice(at..at, [b' ', b'"', b'\n', b'%', b'#', 0, 0xff][chance.below(7)..].to_vec()).for_each(drop);
        }
        _ => {
            for byte in &mut bytes[at..end] {
                if byte.is_ascii_digit() {
                    *byte = b'0' + chance.below(10) as u8;
                }
            }
        }
    }
}

#[test]
fn the_seeds_are_sound_traces() {
    for (seed, spans) in [(made::ring(4, 6), 4 * 6 * 4), (made::tasks(3, 8), 3 * 8)] {
        let read = common::read(seed.as_bytes());
        let enters =
            read.blocks.iter().flat_map(RecordBlock::iter).filter(|(_, event)| matches!(event, Event::Enter(_)));
        assert_eq!(enters.count(), spans);
        assert!(read.warnings.count(WarningKind::Corrupt) == 0, "{:?}", read.warnings);
    }
}

#[test]
fn damaged_files_end_within_bounds() {
    let measuring = Measuring::alone();
    let mut chance = Chance(7);
    let seeds = [made::ring(4, 6), made::tasks(3, 8), made::table(5)];
    for round in 0..12_000 {
        let mut bytes = seeds[round % 3].as_bytes().to_vec();
        for _ in 0..=chance.below(4) {
            damage(&mut chance, &mut bytes);
        }
        let ((), peak) = measuring.peak_of(|| fuzz::paje(&bytes));
        assert!(peak < (48 << 20) + 100 * bytes.len(), "round {round}: {peak} bytes for {}", bytes.len());
    }
}

#[test]
fn many_of_everything_stays_linear() {
    let mut many = made::header(0) + "0 1 0 MPI\n2 2 1 MPI_STATE\n4 3 0 1 1 L\n6 0 1 1 0 rank-0\n";
    for at in 0..60_000 {
        many.push_str(&match at % 6 {
            0 => format!("6 0 c{at} 1 c{} deep\n", at - 6),
            1 => format!("2 s{at} 1 S{at}\n"),
            2 => format!("11 0 s{} 1 v 1\n", at - 1),
            3 => format!("13 0 3 0 x 1 key 1\n{}", if at % 12 == 3 { "7 0 1 1\n" } else { "" }),
            4 => format!("%EventDef PajePopState x{at}\n%Time date\n%EndEventDef\n"),
            _ => format!("5 v{at} 2 V{at} x\n"),
        });
    }
    // What is quadratic in sixty thousand does not end while anybody waits.
    let ((), peak) = Measuring::alone().peak_of(|| fuzz::paje(many.as_bytes()));
    assert!(peak < (48 << 20) + 100 * many.len());
}
