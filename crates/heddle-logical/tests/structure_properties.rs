//! Phases and steps of programs made by chance: what must hold for all of them, and a slow way to the same result.

mod common;

use common::chance::{Chance, damaged, valid};
use common::{Program, rows_of, slow};
use heddle_logical::{Events, LogicalOptions, Stepping, Structure, structure};
use heddle_store::NoProgress;

fn of(events: &Events, options: &LogicalOptions) -> Structure {
    structure(events, options, &NoProgress).expect("nobody cancels")
}

/// Options that decide structure, by chance; half of the time the default.
fn options(seed: u64) -> LogicalOptions {
    let mut chance = Chance(seed ^ 0x5eed);
    let mut options = LogicalOptions::default();
    if chance.is(50) {
        options.leap_merge = chance.is(40);
        options.leap_skip = chance.is(30);
        options.merge_overlapping = chance.is(30);
        options.collective_borders = chance.is(30);
        options.stepping = if chance.is(40) { Stepping::Earliest } else { Stepping::SendsFirst };
    }
    options
}

/// A program by chance: valid or damaged, some with phases given.
fn program(seed: u64) -> Program {
    let mut program = if seed % 2 == 0 { valid(seed) } else { damaged(seed) };
    program.is_given = seed % 5 == 0;
    program
}

#[test]
fn fast_and_slow_agree() {
    for seed in 0..4000 {
        let (events, options) = (program(seed).events(), options(seed));
        assert_eq!(of(&events, &options), slow::structure(&events, &options), "seed {seed}, {options:?}, {events:?}");
    }
}
