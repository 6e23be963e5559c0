//! Slow links, cards and networks that were planted, and those that were not.

mod common;

use common::programs::{ALL, program};
use common::stored;
use heddle_diagnosis::finding::FindingKind;
use heddle_diagnosis::links::links;
use heddle_diagnosis::rows::Rows;
use heddle_diagnosis::run::Run;
use heddle_diagnosis::suspect::Suspect;
use heddle_simulate::{Between, Fault, Machine, When, Who, simulate};
use heddle_store::{NoProgress, Store};

fn suspects(store: &Store) -> Vec<Suspect> {
    let (run, _) = Run::new(store, &NoProgress).expect("a run");
    links(&Rows::new(store), &run, &NoProgress).expect("links").suspects
}

fn show(s: &Suspect) -> String {
    format!(
        "{:?} {:?} group {:?} pairs {} {:?} factor {:.2} z {:.1} {}/{} excess {} throughout {} {}..{}",
        s.kind,
        s.locations.iter().map(|l| l.0).take(6).collect::<Vec<_>>(),
        s.group,
        s.pairs.len(),
        s.pairs.iter().take(2).map(|p| (p.0.0, p.1.0)).collect::<Vec<_>>(),
        s.factor(),
        s.z,
        s.slow_visits,
        s.visits,
        s.excess(),
        s.is_throughout,
        s.since.0,
        s.until.0
    )
}

#[test]
fn explore() {
    for name in ALL {
        for ranks in [16u32, 64, 256] {
            let machine = Machine { noise: 0.05, ranks_per_node: 8, ..Machine::default() };
            let (_d, store) = stored(&simulate(program(name, ranks, 1), &machine).expect("a run"));
            let m = &store.messages;
            if m.is_empty() {
                println!("{name} {ranks}: no messages");
                continue;
            }
            // a pair that is used most, rank > 0, far
            let mut counts = std::collections::BTreeMap::new();
            for at in 0..m.len() {
                let (a, b) = (m.send_location.get(at).0, m.recv_location.get(at).0);
                if a / 8 != b / 8 && a != b {
                    *counts.entry((a.min(b), a.max(b))).or_insert(0u64) += 1;
                }
            }
            let mut list: Vec<_> = counts.iter().map(|(k, v)| (*v, *k)).collect();
            list.sort();
            println!(
                "== {name} {ranks}: messages {} far pairs {} most {:?} median {:?}",
                m.len(),
                list.len(),
                list.last(),
                list.get(list.len() / 2)
            );
            let Some(&(_, (a, b))) = list.get(list.len() / 2) else { continue };
            for (what, fault) in [
                ("link4", Fault::Link { between: Between::Ranks(a, b), factor: 4.0 }),
                ("link10", Fault::Link { between: Between::Ranks(a, b), factor: 10.0 }),
                ("nodes4", Fault::Link { between: Between::Nodes(a / 8, b / 8), factor: 4.0 }),
                ("card3", Fault::Card { who: Who::Ranks(vec![b]), factor: 3.0 }),
                ("node3", Fault::Card { who: Who::Nodes(vec![1]), factor: 3.0 }),
                ("net20", Fault::Network { factor: 20.0, when: When::default() }),
            ] {
                let machine = Machine { faults: vec![fault], ..machine.clone() };
                let run = match simulate(program(name, ranks, 1), &machine) {
                    Ok(run) => run,
                    Err(e) => {
                        println!("   {what}: {e}");
                        continue;
                    }
                };
                let (_d, store) = stored(&run);
                let found = suspects(&store);
                println!(
                    "   {what} ({a},{b}) run {}: {}",
                    store.summary().end_ns,
                    if found.is_empty() {
                        "NOTHING".to_owned()
                    } else {
                        found.iter().map(show).collect::<Vec<_>>().join("\n         ")
                    }
                );
            }
        }
    }
}

#[test]
fn nets() {
    for name in ALL
        .into_iter()
        .filter(|n| std::env::var("ONLY").is_ok_and(|o| o.contains(*n)) || std::env::var("ONLY").is_err())
    {
        for ranks in [16u32, 64, 256].into_iter().filter(|n| *n == 64 || std::env::var("ONLY").is_err()) {
            let machine = Machine { noise: 0.05, ranks_per_node: 8, ..Machine::default() };
            let mut end = {
                let (_d, store) = stored(&simulate(program(name, ranks, 1), &machine).expect("a run"));
                store.summary().end_ns as u64
            };
            for what in ["half10", "mid10"] {
                let when = match what {
                    "half10" => When { from_ns: end / 2, until_ns: None },
                    "mid10" => When { from_ns: end / 3, until_ns: Some(end / 3 * 2) },
                    _ => When::default(),
                };
                let faults = if what == "clean" {
                    vec![]
                } else {
                    vec![Fault::Network { factor: if what == "net20" { 20.0 } else { 10.0 }, when }]
                };
                let (_d, store) =
                    stored(&simulate(program(name, ranks, 1), &Machine { faults, ..machine.clone() }).expect("a run"));
                if what == "clean" {
                    end = store.summary().end_ns as u64;
                }
                let (run, _) = Run::new(&store, &NoProgress).expect("a run");
                let linked = links(&Rows::new(&store), &run, &NoProgress).expect("links");
                let n = &linked.network;
                println!(
                    "{name} {ranks} {what} {}: share {:.3} lat {:?} bw {:?} n {} latshare {:.2} slow {:.2} spread {:.2}: {}",
                    store.summary().end_ns,
                    n.share,
                    n.latency,
                    n.bandwidth,
                    n.transfers,
                    n.latency_share,
                    n.slow_share,
                    n.spread,
                    if linked.suspects.is_empty() {
                        "NOTHING".to_owned()
                    } else {
                        linked.suspects.iter().map(show).collect::<Vec<_>>().join("\n         ")
                    }
                );
            }
        }
    }
}
