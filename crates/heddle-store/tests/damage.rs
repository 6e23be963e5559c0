//! Damaged archives all the way into a store: whatever bytes a trace has, the import ends, does not panic,
//! keeps within its memory, and what it makes is a sound store.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use heddle_formats::{MemoryFiles, MemoryScratch, Output, otf2};
use heddle_model::{LocationId, Ns, Source, WarningKind};
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{NoProgress, Store, store_simulation};

const MEMORY: u64 = 64 << 20;

/// Times garbage may reach without sums overflowing; the reader promises not to go beyond.
const LATEST: i64 = Ns::MAX.0;

fn small_archive() -> Vec<(String, Vec<u8>)> {
    let files = MemoryFiles::default();
    let options = HaloOptions { ranks: 4, iterations: 3, allreduce_every: 1, ..HaloOptions::default() };
    otf2::write(&halo(&options, &Machine::default()).unwrap(), &Output::new("t", &files, &MemoryScratch::default()))
        .unwrap();
    files.names().into_iter().map(|name| (name.clone(), files.get(&name).unwrap())).collect()
}

fn to_files(archive: &[(String, Vec<u8>)]) -> MemoryFiles {
    let files = MemoryFiles::default();
    for (name, bytes) in archive {
        files.insert(name, bytes.clone());
    }
    files
}

/// Builds a store of whatever the files hold and checks that every reference in it leads somewhere.
fn build(files: &MemoryFiles) -> Option<(tempfile::TempDir, Store)> {
    let archive = otf2::Archive::open(files, "t").ok()?;
    let directory = tempfile::tempdir().unwrap();
    let store = store_simulation(&archive, "t", &directory.path().join("t.heddle"), MEMORY, &NoProgress).unwrap();
    assert_eq!(store.locations.len(), archive.definitions().locations.len() as u64);
    for location in 0..store.locations.len() as u32 {
        let mut before = Ns(0);
        for row in store.spans_of(LocationId(location)) {
            let (start, end) = (store.spans.start.get(row), store.spans.end.get(row));
            assert!(before <= start && start <= end && end.0 <= LATEST, "span {row}: {start:?} {end:?}");
            assert!(u64::from(store.spans.region.get(row).0) < store.regions.len());
            before = start;
        }
    }
    for row in 0..store.messages.len() {
        for span in [store.messages.send_span.get(row), store.messages.recv_span.get(row)] {
            assert!(!span.is_some() || span.0 < store.spans.len());
        }
        assert!(u64::from(store.messages.recv_location.get(row).0) < store.locations.len());
    }
    let end = Ns(store.summary().end_ns);
    let locations: Vec<LocationId> = (0..store.locations.len() as u32).map(LocationId).collect();
    let times = store.region_times(&locations, &[Ns(0), end], 0);
    let all: u64 = times.regions.iter().map(|(_, times)| times[0]).sum();
    assert!(all <= store.locations.len() * end.0.unsigned_abs());
    Some((directory, store))
}

#[test]
fn every_cut_of_an_event_file_keeps_the_spans_before_it() {
    let archive = small_archive();
    let (at, whole) =
        archive.iter().enumerate().find(|(_, (name, _))| name == "t/1.evt").map(|(at, f)| (at, f.1.len())).unwrap();
    let (_keep, sound) = build(&to_files(&archive)).unwrap();
    let mut most = 0;
    // The last byte is the length of the end mark, which nobody misses.
    for length in (0..whole - 1).step_by(13) {
        let mut cut = archive.clone();
        cut[at].1.truncate(length);
        let (_keep, store) = build(&to_files(&cut)).unwrap();
        let (rows, expected) = (store.spans_of(LocationId(1)), sound.spans_of(LocationId(1)));
        let spans = rows.end - rows.start;
        assert!(spans >= most, "cut at {length}: fewer spans than with fewer bytes");
        most = spans;
        for offset in 0..spans {
            assert_eq!(store.spans.start.get(rows.start + offset), sound.spans.start.get(expected.start + offset));
            assert_eq!(store.spans.region.get(rows.start + offset), sound.spans.region.get(expected.start + offset));
        }
        let others = |store: &Store| store.summary().spans - store.locations.spans.get(1);
        assert_eq!(others(&store), others(&sound), "the other ranks keep theirs");
        let warning = store.warnings().into_iter().find(|warning| warning.kind == WarningKind::Truncated);
        let warning = warning.unwrap_or_else(|| panic!("cut at {length} of {whole}: {:?}", store.warnings()));
        assert!(warning.place.starts_with("t/1.evt byte "), "{}", warning.place);
    }
    assert!(most > 20);
}

#[test]
fn random_damage_makes_sound_stores() {
    damage_at_random(7);
}

#[test]
fn other_random_damage_makes_sound_stores() {
    damage_at_random(1234);
}

/// Half of ten thousand damaged archives: two tests share the work between two cores.
fn damage_at_random(seed: u64) {
    let archive = small_archive();
    let mut state = seed;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut built = 0;
    for _ in 0..5000 {
        let mut damaged = archive.clone();
        for _ in 0..=random(3) {
            let file = random(damaged.len());
            let bytes = &mut damaged[file].1;
            let at = random(bytes.len().max(1));
            match random(4) {
                0 if !bytes.is_empty() => bytes[at] ^= 1 << random(8),
                1 if !bytes.is_empty() => bytes[at] = random(256) as u8,
                2 => bytes.truncate(at),
                _ => bytes.insert(at.min(bytes.len()), random(256) as u8),
            }
        }
        built += usize::from(build(&to_files(&damaged)).is_some());
    }
    assert!(built > 4000, "most damaged archives still open: {built}");
}
