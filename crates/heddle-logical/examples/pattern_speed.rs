//! How long patterns take on a simulated program: `pattern_speed halo|tree RANKS ROUNDS`.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use heddle_logical::cluster::Scope;
use heddle_logical::pattern::detect;
use heddle_logical::{Logical, LogicalOptions};
use heddle_simulate::{Halo, HaloOptions, Machine, MergeTree, MergeTreeOptions, simulate};
use heddle_store::{NoProgress, Store, default_memory, store_simulation};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().unwrap_or_else(|| "halo".to_owned());
    let mut number = |or: u32| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(or);
    let (ranks, rounds) = (number(16_384), number(4));
    let directory = tempfile::tempdir()?;
    let store = stored(&program, ranks, rounds, &directory.path().join("run.heddle"))?;
    let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress)?;
    println!(
        "{program}: {} rows, {} events, {} messages, {} phases",
        logical.rows.len(),
        logical.events.len(),
        store.messages.len(),
        logical.phases.len()
    );
    for scope in [Scope::Phase(0), Scope::run(&logical)] {
        let start = Instant::now();
        let found = detect(&store, &logical, &scope, &NoProgress)?;
        let facts =
            found.map_or_else(|| "none".to_owned(), |pattern| format!("{}: {}", pattern.name(), pattern.facts()));
        println!("{scope:?}: {:.2} s, {facts}", start.elapsed().as_secs_f64());
    }
    Ok(())
}

fn stored(program: &str, ranks: u32, rounds: u32, target: &Path) -> Result<Store, Box<dyn Error>> {
    let machine = Machine::default();
    let simulation = if program == "tree" {
        simulate(MergeTree::new(&MergeTreeOptions { ranks, rounds, ..MergeTreeOptions::default() })?, &machine)?
    } else {
        let options = HaloOptions { ranks, iterations: rounds, allreduce_every: 0, ..HaloOptions::default() };
        simulate(Halo::new(&options)?, &machine)?
    };
    Ok(store_simulation(&simulation, program, target, default_memory(), &NoProgress)?)
}
