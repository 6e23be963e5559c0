//! Clocks that agree, and clocks that do not.

mod common;

use std::path::Path;

use common::stored;
use heddle_diagnosis::clocks::{Clocks, clocks};
use heddle_diagnosis::rows::Rows;
use heddle_diagnosis::run::Run;
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, open_or_import};
use heddle_testkit::sample_traces;

fn of(store: &Store) -> Clocks {
    let (run, _) = Run::new(store, &NoProgress).expect("a run");
    clocks(&Rows::new(store), &run.waits)
}

fn of_file(path: &Path) -> Clocks {
    let directory = tempfile::tempdir().expect("a directory");
    let place = StorePlace::Under(directory.path().to_owned());
    let options = ImportOptions { place, memory: 1 << 28, force: false };
    of(&open_or_import(path, &options, &NoProgress).expect("a store").store)
}

#[test]
fn explore() {
    for folder in ["clog2", "otf2", "paraver", "kineto", "simgrid"] {
        let Some(folder) = sample_traces(folder) else { return };
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().to_string();
            if name.ends_with(".json")
                || name.ends_with(".md")
                || name.ends_with("slog2")
                || name == "licences"
                || name == "versions"
            {
                continue;
            }
            let directory = tempfile::tempdir().expect("a directory");
            let place = StorePlace::Under(directory.path().to_owned());
            let options = ImportOptions { place, memory: 1 << 28, force: false };
            match open_or_import(&path, &options, &NoProgress) {
                Ok(found) => {
                    let store = found.store;
                    let rows = Rows::new(&store);
                    let (run, _) = Run::new(&store, &NoProgress).unwrap();
                    let linked = heddle_diagnosis::links::links(&rows, &run, &NoProgress).unwrap();
                    let c = clocks(&rows, &run.waits);
                    println!(
                        "{name}: {}/{} err {} typ {} broken {}",
                        c.violations, c.checked, c.error, c.typical_wait, c.is_broken
                    );
                    for s in &linked.suspects {
                        println!(
                            "     {:?} {:?} pairs {:?} {:.2} z {:.1} {}/{} {} us {} found {}",
                            s.kind,
                            s.locations,
                            s.pairs,
                            s.factor(),
                            s.z,
                            s.slow_visits,
                            s.visits,
                            s.excess(),
                            s.usual,
                            s.found
                        );
                    }
                }
                Err(e) => println!("{name}: {e}"),
            }
        }
    }
}

#[test]
fn look() {
    let Some(folder) = sample_traces("simgrid") else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let place = StorePlace::Under(directory.path().to_owned());
    let options = ImportOptions { place, memory: 1 << 28, force: false };
    let store =
        open_or_import(&folder.join("grid3d-fattree64-internals.trace.gz"), &options, &NoProgress).unwrap().store;
    let rows = Rows::new(&store);
    let m = &store.messages;
    let mut n = 0;
    for at in 0..m.len() {
        let (Some(s), Some(r)) = (m.send_span.get(at).some(), m.recv_span.get(at).some()) else { continue };
        let (e, l) = (store.spans.start.get(s.0).0, store.spans.end.get(r.0).0);
        if e > l && n < 10 {
            n += 1;
            let name = |x: u64| store.regions.name.get(u64::from(store.spans.region.get(x).0)).to_owned();
            println!(
                "{:?}->{:?} send {} recv {} bytes {} {} {}..{} {} {}..{} rows {}",
                m.send_location.get(at),
                m.recv_location.get(at),
                m.send.get(at).0,
                m.recv.get(at).0,
                m.bytes.get(at),
                name(s.0),
                e,
                store.spans.end.get(s.0).0,
                name(r.0),
                store.spans.start.get(r.0).0,
                l,
                rows.len()
            );
        }
    }
    println!("collectives {} messages {}", store.collectives.len(), m.len());
}
