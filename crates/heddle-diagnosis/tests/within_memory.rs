//! Results do not depend on how much memory there is, and what is needed is told before it is taken.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails")]

mod common;

use common::programs::{ALL, program};
use common::stored;
use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_simulate::{Halo, HaloOptions, Machine, simulate};
use heddle_store::{NoProgress, Store, StoreError};
use heddle_testkit::{Counting, Measuring};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn reopened(store: &Store, memory: u64) -> Store {
    Store::open(store.path()).unwrap().with_memory(memory)
}

#[test]
fn what_is_found_does_not_depend_on_where_it_lies() {
    let _measuring = Measuring::alone();
    for name in ALL {
        let machine = Machine { slow_ranks: vec![3], ..Machine::default() };
        let (_directory, store) = stored(&simulate(program(name, 16, 1), &machine).unwrap());
        let plenty = Diagnosis::new(&store, &NoProgress).unwrap();
        let in_files = Diagnosis::new(&reopened(&store, 0), &NoProgress).unwrap();
        assert_eq!(format!("{in_files:?}"), format!("{plenty:?}"), "{name}");
        let kept = format!("{:?}", Diagnosis::open(&store, &NoProgress).unwrap());
        assert_eq!(kept, format!("{:?}", Diagnosis::find(&reopened(&store, 0)).unwrap()), "{name}");
    }
}

#[test]
fn what_is_allowed_is_kept_to_and_what_is_not_enough_is_refused() {
    let measuring = Measuring::alone();
    let options = HaloOptions { ranks: 256, iterations: 400, ..HaloOptions::default() };
    let (_directory, store) = stored(&simulate(Halo::new(&options).unwrap(), &Machine::default()).unwrap());
    let open = |memory: u64| {
        let store = reopened(&store, memory);
        measuring.peak_of(|| Diagnosis::open(&store, &NoProgress))
    };
    // The least that is not refused is all that it takes.
    let (mut refused, mut enough) = (0, 1 << 30);
    while enough - refused > 1 << 16 {
        let middle = refused + (enough - refused) / 2;
        let is_refused =
            matches!(heddle_diagnosis::memory::check(&reopened(&store, middle)), Err(StoreError::Memory(_)));
        *(if is_refused { &mut refused } else { &mut enough }) = middle;
    }
    let (result, peak) = open(refused);
    let words = result.unwrap_err().to_string();
    assert!(peak < 1 << 20, "{peak} bytes were taken for a refusal");
    let calls = store.spans.len();
    assert!(words.contains(&format!("of {calls} calls takes about 0.")) && words.contains("--memory"), "{words}");
    let (result, peak) = open(enough);
    result.unwrap();
    assert!(peak as u64 <= enough, "{peak} bytes were taken of {enough}");
    // Nor is much more asked for than is taken.
    assert!(peak as u64 > enough / 8, "{peak} bytes were taken of {enough}");
}
