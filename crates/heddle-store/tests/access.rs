//! Who may read a trace may read what is made of it, and nobody else.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use heddle_formats::{MemoryScratch, Output, otf2};
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{Derived, DiskFiles, ImportOptions, NoProgress, Store, StoreError, StorePlace, import};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// The modes of a directory with all below it: of directories, and of files.
fn modes(directory: &Path) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let (mut directories, mut files) = (BTreeSet::from([mode(directory)]), BTreeSet::new());
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let (more, others) = modes(&path);
            directories.extend(more);
            files.extend(others);
        } else {
            files.insert(mode(&path));
        }
    }
    (directories, files)
}

fn derive(store: &Store) -> Derived {
    let make = |directory: &Path| {
        let path = directory.join("text");
        fs::write(&path, "x").map_err(|cause| StoreError::write(&path, cause))
    };
    let open = |directory: &Path| {
        assert!(directory.join("text").is_file());
        Ok(())
    };
    let place = Derived::place(store, "kind", "a");
    place.open_or_make(&NoProgress, open, make).unwrap();
    let part = place.part("more");
    part.open_or_make(&NoProgress, open, make).unwrap();
    place
}

#[test]
fn a_store_is_as_private_as_the_strictest_file_of_its_trace() {
    let directory = tempfile::tempdir().unwrap();
    let options = HaloOptions { ranks: 4, iterations: 5, ..HaloOptions::default() };
    let simulation = halo(&options, &Machine::default()).unwrap();
    otf2::write(&simulation, &Output::new("run", &DiskFiles::below(directory.path()), &MemoryScratch::default()))
        .unwrap();
    let path = |name: &str| directory.path().join(name);
    let files = ["run.otf2", "run.def", "run/0.evt", "run/1.evt", "run/2.evt", "run/3.evt"];
    // What the umask leaves of a file that everybody may read and write, and of a directory.
    fs::write(path("probe"), "").unwrap();
    let usual = mode(&path("probe"));
    let cases = [
        (0o666, 0o666, 0o666),
        (0o644, 0o644, 0o644),
        (0o640, 0o640, 0o640),
        (0o644, 0o600, 0o600),
        (0o600, 0o644, 0o600),
        (0o400, 0o400, 0o600),
    ];
    for (others, one, expected) in cases {
        for file in files {
            set_mode(&path(file), others);
        }
        set_mode(&path("run/2.evt"), one);
        let options = ImportOptions { place: StorePlace::Beside { cache: None }, memory: common::PLENTY, force: true };
        let store = import(&path("run.otf2"), &options, &NoProgress).unwrap().store;
        derive(&store);
        let (expected, what) = (expected & usual, format!("{others:o} and {one:o}"));
        let readable = expected & 0o044;
        let (directories, files) = modes(store.path());
        assert_eq!(files, BTreeSet::from([expected]), "{what}");
        let directory = 0o700 | (expected & 0o022) | readable | readable >> 2;
        // The folder of results lies inside the store, which keeps out whom it should.
        assert!(directories.contains(&directory) && mode(store.path()) == directory, "{what}: {directories:?}");
    }
}

#[test]
fn results_that_go_elsewhere_are_for_the_user_only() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.heddle");
    let options = HaloOptions { ranks: 2, iterations: 2, ..HaloOptions::default() };
    let simulation = halo(&options, &Machine::default()).unwrap();
    heddle_store::store_simulation(&simulation, "x", &path, common::PLENTY, &NoProgress).unwrap();
    // Nothing can be made below a file, whoever one is.
    fs::write(path.join("derived"), "").unwrap();
    let place = derive(&Store::open(&path).unwrap());
    assert_eq!(modes(place.path().parent().unwrap()).0, BTreeSet::from([0o700]));
    let cache = directory.path().join("cache");
    let place = StorePlace::Beside { cache: Some(cache.clone()) };
    let options = ImportOptions { place, memory: common::PLENTY, force: false };
    let store = heddle_store::open_or_import(&path, &options, &NoProgress).unwrap().store;
    assert!(derive(&store).path().starts_with(&cache));
    assert_eq!(mode(&cache), 0o700);
    assert_eq!(mode(&cache.join("derived")), 0o700);
}

#[test]
fn a_store_that_was_cut_while_open_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.heddle");
    let options = HaloOptions { ranks: 2, iterations: 2, ..HaloOptions::default() };
    let simulation = halo(&options, &Machine::default()).unwrap();
    let store = heddle_store::store_simulation(&simulation, "x", &path, common::PLENTY, &NoProgress).unwrap();
    store.check().unwrap();
    let spans = path.join("spans.packed");
    fs::File::options().write(true).open(&spans).unwrap().set_len(100).unwrap();
    let text = store.check().unwrap_err().to_string();
    assert!(text.contains("spans.packed") && text.contains("heddle import --force"), "{text}");
}
