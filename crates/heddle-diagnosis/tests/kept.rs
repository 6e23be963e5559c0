//! A diagnosis is worked out once, and what is kept of it is not believed blindly.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails")]

mod common;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::stored;
use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_diagnosis::rows::Rows;
use heddle_model::Ns;
use heddle_simulate::{Halo, HaloOptions, Machine, simulate};
use heddle_store::{NoProgress, Progress, Store, Work};
use heddle_testkit::Chance;

/// Counts how often some work begins.
#[derive(Default)]
struct Begun(AtomicUsize);

impl Progress for Begun {
    fn begin(&self, _work: Work, _total: u64) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
    fn advance(&self, _done: u64) {}
    fn waiting(&self) {}
    fn is_cancelled(&self) -> bool {
        false
    }
}

fn halo() -> (tempfile::TempDir, Store) {
    let machine = Machine { slow_ranks: vec![5], ..Machine::default() };
    let options = HaloOptions { ranks: 16, iterations: 60, ..HaloOptions::default() };
    stored(&simulate(Halo::new(&options).unwrap(), &machine).unwrap())
}

fn files_of(store: &Store) -> Vec<PathBuf> {
    let derived = std::fs::read_dir(store.path().join("derived")).unwrap();
    let place = derived.map(|entry| entry.unwrap().path()).find(|path| path.is_dir()).unwrap();
    let mut files: Vec<PathBuf> = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn a_second_opening_finds_what_the_first_worked_out() {
    let (_directory, store) = halo();
    assert!(Diagnosis::find(&store).is_none());
    let begun = Begun::default();
    let made = Diagnosis::open(&store, &begun).unwrap();
    assert!(begun.0.load(Ordering::Relaxed) > 0);
    let again = Begun::default();
    let found = Diagnosis::open(&store, &again).unwrap();
    assert_eq!(again.0.load(Ordering::Relaxed), 0, "nothing is worked out again");
    let new = Diagnosis::new(&store, &NoProgress).unwrap();
    assert!(!new.run.waits.list.is_empty() && !new.run.delays.charges.is_empty());
    assert_eq!(format!("{made:?}"), format!("{new:?}"));
    assert_eq!(format!("{found:?}"), format!("{new:?}"));
    assert_eq!(format!("{:?}", Diagnosis::find(&store).unwrap()), format!("{new:?}"));
}

/// All that anybody asks of it.
fn ask(store: &Store, diagnosis: &Diagnosis) {
    let rows = Rows::new(store);
    let (from, to) = rows.run;
    for part in 1..20 {
        let window = (Ns(from.0 + (to.0 - from.0) / 20 * (part - 1)), Ns(from.0 + (to.0 - from.0) / 20 * part));
        let _ = diagnosis.run.efficiency(store, window).lost();
    }
    let (waits, delays) = (&diagnosis.run.waits, &diagnosis.run.delays);
    for row in 0..rows.len() {
        for charge in delays.charges_of(row) {
            let (wait, since) = (&waits.list[charge.wait as usize], delays.since[charge.wait as usize]);
            assert!(rows.of(wait.location).is_some() && rows.of(wait.culprit).is_some());
            let _ = (wait.end() - since, store.spans.start.get(wait.span.0));
        }
        assert!(waits.of(row).iter().all(|wait| wait.location == rows.locations[row]));
    }
}

#[test]
fn a_damaged_result_is_made_again_or_does_no_harm() {
    let (_directory, store) = halo();
    let whole = format!("{:?}", Diagnosis::open(&store, &NoProgress).unwrap());
    let files = files_of(&store);
    assert!(files.len() > 10, "{files:?}");
    // Left where damage was found while a result was read.
    let marker = files[0].ancestors().find(|folder| folder.join("tables.json").is_file()).unwrap().join("damaged");
    let (mut chance, mut noticed) = (Chance(11), 0);
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        for _ in 0..12 {
            let mut damaged = bytes.clone();
            chance.damage(&mut damaged);
            // A new file in its place, as nobody writes into those that are mapped.
            std::fs::remove_file(file).unwrap();
            std::fs::write(file, &damaged).unwrap();
            let found = Diagnosis::find(&store);
            if let Some(found) = &found {
                ask(&store, found);
            }
            let is_marked = std::fs::remove_file(&marker).is_ok();
            noticed += usize::from(found.is_none() || is_marked);
        }
        std::fs::remove_file(file).unwrap();
        std::fs::write(file, &bytes).unwrap();
    }
    assert!(noticed > files.len(), "{noticed} of {} noticed", 12 * files.len());
    assert_eq!(format!("{:?}", Diagnosis::find(&store).unwrap()), whole);
    std::fs::remove_file(&files[0]).unwrap();
    assert!(Diagnosis::find(&store).is_none());
    assert_eq!(format!("{:?}", Diagnosis::open(&store, &NoProgress).unwrap()), whole, "and is made again");
}
