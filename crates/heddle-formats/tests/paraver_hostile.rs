//! Paraver traces that lie: random damage and absurd claims. Reading them ends, does not panic, and takes no more memory
//! than the bytes that are there can justify.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use heddle_formats::fuzz;
use heddle_testkit::{Chance, Counting, Measuring};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn seed() -> Vec<u8> {
    let mut text = "#Paraver (15/11/2026 at 09:30):5000_ns:2(2,2):2:3(1:1,2:1,1:2),1(1:2),3\n\
                    c:1:1:3:1:2:3\nc:1:2:1:-1\ni:1:3:1:0:2:0\n# 2026:x:y:\"a:b\"\n"
        .to_owned();
    for step in 0..12 {
        let at = step * 100;
        text += &format!("1:1:1:1:1:{at}:{}:1\n2:1:1:1:1:{at}:50000001:3:42000050:77:70000001:4\n", at + 50);
        text += &format!(
            "2:1:1:1:1:{}:50000001:0\n3:1:1:1:1:{at}:{}:3:1:3:1:{}:{}:64:9\n",
            at + 9,
            at + 9,
            at + 5,
            at + 60
        );
        text += &format!("2:3:1:3:1:{}:50000001:5\n2:3:1:3:1:{}:50000001:0\n", at + 55, at + 60);
        text +=
            &format!("2:2:1:2:2:{at}:50000002:10:50100001:8:50100004:1:50100003:1\n2:2:1:2:2:{}:50000002:0\n", at + 30);
        text += &format!("2:4:2:1:1:{at}:60000019:{}:1000:3\n2:4:2:1:1:{}:60000019:0\n", step + 1, at + 70);
    }
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(fuzz::PARAVER_BORDER);
    bytes.extend_from_slice(b"STATES\n1 Running\nEVENT_TYPE\n9 50000001 MPI\nVALUES\n3 MPI_Isend\n0 End\n");
    bytes.extend_from_slice(fuzz::PARAVER_BORDER);
    bytes.extend_from_slice(b"LEVEL NODE SIZE 2\na\nb\nLEVEL THREAD SIZE 5\nt\n");
    bytes
}

fn mutate(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let at = chance.below(bytes.len());
    match chance.below(6) {
        0 => bytes.truncate(at),
        1 => {
            let numbers: [&[u8]; 4] = [b"4294967296", b"9223372036854775808", b"-1", b"99999999999999999999"];
            // In the place of a number.
            let start = bytes[..at].iter().rposition(|byte| *byte == b':').map_or(at, |at| at + 1);
            let end = bytes[at..].iter().position(|byte| !byte.is_ascii_digit()).map_or(bytes.len(), |end| at + end);
            bytes.splice(start.min(end)..end, numbers[chance.below(4)].iter().copied());
        }
        2 => {
            let piece = bytes[at..(at + chance.below(400)).min(bytes.len())].to_vec();
            let to = chance.below(bytes.len());
            bytes.splice(to..to, piece);
        }
        _ => chance.damage(bytes),
    }
}

#[test]
fn mutations_end_without_a_panic_in_bounded_memory() {
    let measuring = Measuring::alone();
    let seed = seed();
    fuzz::paraver(&seed);
    for length in 0..seed.len().min(400) {
        fuzz::paraver(&seed[..length]);
    }
    let mut chance = Chance(7);
    for round in 0..10_000 {
        let mut bytes = seed.clone();
        for _ in 0..=chance.below(3) {
            mutate(&mut bytes, &mut chance);
            if bytes.is_empty() {
                break;
            }
        }
        let ((), peak) = measuring.peak_of(|| fuzz::paraver(&bytes));
        assert!(peak < (96 << 20) + 100 * bytes.len(), "round {round}: {peak} bytes for {}", bytes.len());
    }
}

#[test]
fn claims_of_threads_and_tasks_make_no_places() {
    for head in [
        "#Paraver (x):1_ns:4000000000:1:1(4000000000:1)",
        "#Paraver (x):1_ns:1(1):1:4000000000(1:1,1:1)",
        "#Paraver (x):1_ns:1(1):4000000000:1(1:1)",
        "#Paraver (x):1_ns:1(1):1:2(4000000000:1,4000000000:4000000000),99999999999999",
    ] {
        fuzz::paraver(head.as_bytes());
    }
}
