//! Results kept beside the tables: whole or not there, made once, gone with their store.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;

use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};

use common::{Hand, world};
use heddle_store::{
    Derived, ImportOptions, NoProgress, Store, StoreError, StorePlace, open_or_import, store_simulation,
};

/// A result: one file with a text.
fn open(directory: &Path) -> Result<String, StoreError> {
    let path = directory.join("text");
    std::fs::read_to_string(&path).map_err(|cause| StoreError::read(&path, cause))
}

fn make(text: &str) -> impl FnOnce(&Path) -> Result<(), StoreError> + '_ {
    move |directory| {
        let path = directory.join("text");
        std::fs::write(&path, text).map_err(|cause| StoreError::write(&path, cause))
    }
}

fn never(_directory: &Path) -> Result<(), StoreError> {
    Err(StoreError::Trace("it was made again".to_owned()))
}

fn store_at(path: &Path) -> Store {
    store_simulation(&Hand::new(world(1), &[Vec::new()]).source(), "hand", path, common::PLENTY, &NoProgress).unwrap()
}

#[test]
fn a_result_is_made_once_for_each_choice_of_options() {
    let directory = tempfile::tempdir().unwrap();
    let store = store_at(&directory.path().join("x.heddle"));
    assert!(Derived::existing(&store, "kind", "a").is_none());
    let place = Derived::place(&store, "kind", "a");
    assert!(place.path().starts_with(store.path().join("derived")));
    assert_eq!(place.open_or_make(&NoProgress, open, make("first")).unwrap(), "first");
    assert_eq!(Derived::place(&store, "kind", "a").open_or_make(&NoProgress, open, never).unwrap(), "first");
    let other = Derived::place(&store, "kind", "b");
    assert_eq!(other.open_or_make(&NoProgress, open, make("second")).unwrap(), "second");
    assert_eq!(Derived::existing(&store, "kind", "a").and_then(|there| there.find(open)).unwrap(), "first");
    // What belongs to a result lies in it.
    let part = place.part("more");
    assert_eq!(part.open_or_make(&NoProgress, open, make("part")).unwrap(), "part");
    assert!(part.path().starts_with(place.path()));
    let left: Vec<_> = std::fs::read_dir(store.path().join("derived")).unwrap().collect();
    assert_eq!(left.len(), 2, "no locks and no temporary directories: {left:?}");
}

#[test]
fn many_who_want_the_same_get_it_from_one() {
    let directory = tempfile::tempdir().unwrap();
    let store = store_at(&directory.path().join("x.heddle"));
    let (made, start) = (AtomicU32::new(0), Barrier::new(6));
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                start.wait();
                let place = Derived::place(&store, "kind", "a");
                let text = place.open_or_make(&NoProgress, open, |directory| {
                    made.fetch_add(1, Ordering::SeqCst);
                    make("once")(directory)
                });
                assert_eq!(text.unwrap(), "once");
            });
        }
    });
    assert_eq!(made.load(Ordering::SeqCst), 1);
}

#[test]
fn failures_and_killed_makers_leave_nothing_that_counts() {
    let directory = tempfile::tempdir().unwrap();
    let store = store_at(&directory.path().join("x.heddle"));
    let place = Derived::place(&store, "kind", "a");
    let failed = place.open_or_make(&NoProgress, open, |directory| {
        make("half")(directory)?;
        Err(StoreError::Cancelled)
    });
    assert!(matches!(failed, Err(StoreError::Cancelled)));
    assert!(!place.path().exists());
    // A killed maker of this result, and one of another, in their temporary directories.
    let derived = store.path().join("derived");
    let name = place.path().file_name().unwrap().to_string_lossy().into_owned();
    for left in [format!(".{name}.tmp-999999999"), ".kind-0000000000000000.tmp-999999998".to_owned()] {
        std::fs::create_dir_all(derived.join(&left)).unwrap();
        std::fs::write(derived.join(&left).join("text"), "half").unwrap();
    }
    // A damaged result counts as none.
    std::fs::create_dir_all(place.path()).unwrap();
    assert!(place.find(open).is_none());
    assert_eq!(place.open_or_make(&NoProgress, open, make("whole")).unwrap(), "whole");
    let left: Vec<_> = std::fs::read_dir(&derived).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [name.as_str()]);
}

#[test]
fn a_new_import_drops_results_and_old_readers_do_not_bring_them_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.heddle");
    let old = store_at(&path);
    let place = Derived::place(&old, "kind", "a");
    place.open_or_make(&NoProgress, open, make("old")).unwrap();
    let new = store_at(&path);
    assert!(Derived::existing(&new, "kind", "a").is_none(), "the result went with the store");
    assert_eq!(Derived::place(&new, "kind", "a").open_or_make(&NoProgress, open, make("new")).unwrap(), "new");
    // Who has the old store open neither reads results of the new one nor puts its own there.
    assert!(Derived::existing(&old, "kind", "a").is_none());
    let apart = Derived::place(&old, "kind", "a");
    assert!(!apart.path().starts_with(&path));
    assert_eq!(apart.open_or_make(&NoProgress, open, make("old")).unwrap(), "old");
}

#[test]
fn a_store_that_cannot_be_written_to_has_its_results_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.heddle");
    drop(store_at(&path));
    // Nothing can be made below a file, whoever one is.
    std::fs::write(path.join("derived"), "").unwrap();
    let store = Store::open(&path).unwrap();
    let place = Derived::place(&store, "kind", "a");
    assert_eq!(place.open_or_make(&NoProgress, open, make("here")).unwrap(), "here");
    let temporary = place.path().to_owned();
    let part = place.part("more");
    drop(place);
    assert_eq!(part.open_or_make(&NoProgress, open, make("part")).unwrap(), "part");
    assert!(temporary.exists(), "as long as anybody uses it");
    drop(part);
    assert!(!temporary.exists(), "and no longer");
    // With a cache it stays, under a name that goes with the store as it is.
    let cache = directory.path().join("cache");
    let options = ImportOptions { place: StorePlace::Under(cache.clone()), memory: common::PLENTY, force: false };
    let store = open_or_import(&path, &options, &NoProgress).unwrap().store;
    let place = Derived::place(&store, "kind", "a");
    assert!(place.path().starts_with(&cache));
    place.open_or_make(&NoProgress, open, make("kept")).unwrap();
    let again = open_or_import(&path, &options, &NoProgress).unwrap().store;
    let there = Derived::existing(&again, "kind", "a").unwrap();
    assert_eq!(there.find(open).unwrap(), "kept");
}

#[test]
fn only_the_newest_results_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let store = store_at(&directory.path().join("x.heddle"));
    for number in 0..12 {
        let place = Derived::place(&store, "kind", &number.to_string());
        place.open_or_make(&NoProgress, open, make("x")).unwrap();
    }
    let left = std::fs::read_dir(store.path().join("derived")).unwrap().count();
    assert_eq!(left, 8);
    assert!(Derived::existing(&store, "kind", "11").is_some());
}

/// Where results cannot lie in the store, too; and what was not used for longest goes first, however old it is.
#[test]
fn results_that_were_used_lately_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.heddle");
    drop(store_at(&path));
    std::fs::write(path.join("derived"), "").unwrap();
    let cache = directory.path().join("cache");
    let options = ImportOptions { place: StorePlace::Under(cache.clone()), memory: common::PLENTY, force: false };
    let store = open_or_import(&path, &options, &NoProgress).unwrap().store;
    // Times of files are only so fine.
    let wait = || std::thread::sleep(std::time::Duration::from_millis(20));
    let use_it = |number: u32| {
        let place = Derived::place(&store, "kind", &number.to_string()).keeping(3);
        place.open_or_make(&NoProgress, open, make("x")).unwrap();
        wait();
        place
    };
    let places: Vec<Derived> = (0..3).map(use_it).collect();
    assert!(places[0].path().starts_with(&cache));
    use_it(0);
    use_it(3);
    let is_there = |number: u32| Derived::existing(&store, "kind", &number.to_string()).is_some();
    assert_eq!([0, 1, 2, 3].map(is_there), [true, false, true, true]);
    // Parts of a result do not make room for each other.
    for part in ["a-1", "a-2", "a-3", "a-4"] {
        places[2].part(part).open_or_make(&NoProgress, open, make("part")).unwrap();
    }
    assert!(["a-1", "a-2", "a-3", "a-4"].iter().all(|part| places[2].path().join(part).is_dir()));
}
