//! The five mappings of pF3D: traffic predicted from a simulated trace against the numbers of the model, who makes it, and
//! the search for a better mapping.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use heddle_model::Ns;
use heddle_network::search::{Effort, Objective, Swaps, improve, rules, worth};
use heddle_network::{Network, Part, Tests, Traffic};
use heddle_options::Given;
use heddle_simulate::{Machine, Pf3d, Pf3dOptions, Pf3dPart, simulate};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_testkit::sample_traces;
use heddle_topology::{Link, LoadStatistics};
use proptest::prelude::*;

/// The local volume: a message of weight 1 is a sixteenth of it.
const VOLUME: u64 = 64 * 1024;
const MAPPINGS: [&str; 5] = ["TXYZ", "XYZT", "tile", "tiltZ", "tiltZY"];

fn store(ranks: u32, directory: &std::path::Path) -> Store {
    let options = Pf3dOptions { ranks, steps: 1, part: Pf3dPart::Fft, fft_bytes: VOLUME, ..Pf3dOptions::default() };
    let simulation = simulate(Pf3d::new(&options).unwrap(), &Machine::default()).unwrap();
    store_simulation(&simulation, "pf3d", &directory.join("pf3d.heddle"), 1 << 29, &NoProgress).unwrap()
}

fn network(store: &Store, topology: &str, mapping: &str, routing: &str) -> Network {
    let options = [("topology", topology), ("mapping", mapping), ("routing", routing), ("ranks-per-node", "4")];
    let pairs = options.map(|(name, text)| (name.to_owned(), text.to_owned()));
    Network::open(store, &Given::by_program(pairs)).unwrap()
}

fn everything() -> Part {
    Part::of_time((Ns(i64::MIN), Ns(i64::MAX)))
}

fn section(traffic: &Traffic, words: &str) -> usize {
    let found = traffic.sections.iter().position(|section| section.name.contains(words));
    found.unwrap_or_else(|| {
        panic!("no section {words}: {:?}", traffic.sections.iter().map(|s| &s.name).collect::<Vec<_>>())
    })
}

#[test]
fn a_trace_puts_on_links_what_the_model_says() {
    let Some(folder) = sample_traces("network/expected") else { return };
    let model: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("pf3d_model.json")).unwrap()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let store = store(2_048, directory.path());
    let message = VOLUME as f64 / 16.0;
    for routing in ["dor", "asp"] {
        for mapping in MAPPINGS {
            let network = network(&store, "8x8x8", mapping, routing);
            let traffic = network.traffic(&store, &everything(), Tests::default());
            let phases = [("x", "of 16 ranks"), ("y", "of 8 ranks"), ("z", "messages")];
            for (phase, words) in phases {
                let expected = &model["8x8x8"][routing][mapping][phase];
                let loads = &traffic.sections[section(&traffic, words)].loads;
                let all = LoadStatistics::of(loads);
                let unit = message;
                let is_near = |value: f64, key: &str| (value - expected[key].as_f64().unwrap()).abs() < 6e-4;
                let what = format!("{mapping} {routing} {phase}");
                assert!(is_near(all.max / unit, "max"), "{what}: {}", all.max / unit);
                assert!(is_near(all.mean / unit, "mean"), "{what}: {}", all.mean / unit);
                assert!(is_near(all.cv, "cv") && is_near(all.gini, "gini"), "{what}: {all:?}");
            }
        }
    }
}

#[test]
fn the_makers_of_a_link_add_up_to_its_load() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(256, directory.path());
    for routing in ["dor", "asp"] {
        let network = network(&store, "4x4x4", "XYZT", routing);
        let traffic = network.traffic(&store, &everything(), Tests::default());
        let loads = traffic.loads(&**network.machine.shape, |_| true);
        for link in (0..loads.len()).step_by(7) {
            let makers = network.makers(&store, &everything(), Tests::default(), Link(link as u32)).unwrap();
            let is_load = |sum: f64| (sum - loads[link]).abs() <= loads[link] * 1e-9 + 1e-6;
            assert!(is_load(makers.bytes), "{} {}", makers.bytes, loads[link]);
            assert!(is_load(makers.sections.iter().map(|(_, bytes, _)| bytes).sum()));
            assert!(is_load(makers.functions.iter().map(|(_, bytes)| bytes).sum()), "{:?}", makers.functions);
            if makers.all_pairs as usize == makers.pairs.len() {
                assert!(is_load(makers.pairs.iter().map(|pair| pair.bytes).sum()));
            }
            if makers.all_messages as usize == makers.messages.len() && makers.collectives.len() < 50 {
                let messages: f64 = makers.messages.iter().map(|message| message.bytes).sum();
                let collectives: f64 = makers.collectives.iter().map(|group| group.bytes).sum();
                assert!(is_load(messages + collectives), "{messages} {collectives} {}", loads[link]);
            }
        }
    }
}

#[test]
fn the_windows_of_a_run_add_up_to_it() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(256, directory.path());
    let network = network(&store, "4x4x4", "TXYZ", "asp");
    let loads = |from: i64, to: i64| {
        let traffic = network.traffic(&store, &Part::of_time((Ns(from), Ns(to))), Tests::default());
        traffic.loads(&**network.machine.shape, |_| true)
    };
    let end = store.summary().end_ns;
    let whole = loads(i64::MIN, i64::MAX);
    let mut sum = vec![0.0; whole.len()];
    for part in 0..10 {
        let window = loads(end * part / 10, if part == 9 { i64::MAX } else { end * (part + 1) / 10 });
        sum.iter_mut().zip(window).for_each(|(sum, load)| *sum += load);
    }
    assert!(sum.iter().zip(&whole).all(|(sum, whole)| (sum - whole).abs() <= whole * 1e-9 + 1e-6));
}

#[test]
fn a_search_ends_with_no_worse_a_mapping_than_the_best_of_the_five() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(2_048, directory.path());
    let network = network(&store, "8x8x8", "TXYZ", "asp");
    let (shape, routing) = (&network.machine.shape, network.routing());
    let sends = network.sends(&store, &everything(), Tests::default());
    let judge = |placement: &_| worth(sends.flows(), shape, placement, routing, Objective::Max);
    let five: Vec<f64> = MAPPINGS
        .iter()
        .map(|name| judge(&network.with_mapping(&store, name).unwrap().machine.placement).value)
        .collect();
    assert!(five[1..].iter().all(|other| *other < five[0]), "TXYZ is the worst of them: {five:?}");
    let (_, best) = rules(shape, 2_048, 4)
        .into_iter()
        .map(|(_, one)| (judge(&one), one))
        .min_by(|a, b| a.0.value.total_cmp(&b.0.value))
        .unwrap();
    let mut swaps = Swaps::new(sends.flows(), shape, &best, routing, Objective::Max);
    let begin = swaps.worth().value;
    improve(&mut swaps, Effort { swaps: 3_000, seed: 7 }, shape, |_, _| true);
    let proposed = judge(&swaps.placement()).value;
    let least = five.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(proposed <= begin * (1.0 + 1e-9) && proposed <= least * (1.0 + 1e-9), "{proposed} {begin} {least}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn swaps_are_worked_out_as_if_from_the_beginning(
        pairs in prop::collection::vec((0u32..24, 0u32..24, 1u32..1000), 1..60),
        swapped in prop::collection::vec((0u32..24, 0u32..24), 1..40),
        asp in any::<bool>(),
    ) {
        use heddle_network::predict::RankFlow;
        use heddle_topology::routing::{RoutingKind, routing};
        use heddle_topology::{Mapping, Shape};
        let shape: Shape = "3x2x4".parse().unwrap();
        let kind = if asp { RoutingKind::Asp } else { RoutingKind::Dor };
        let routing = routing(kind, &shape).unwrap();
        let placement = "block".parse::<Mapping>().unwrap().place(&shape, 24, 1).unwrap();
        let flows: Vec<RankFlow> =
            pairs.iter().map(|(from, to, bytes)| RankFlow { from: *from, to: *to, bytes: f64::from(*bytes) }).collect();
        let mut swaps = Swaps::new(&flows, &shape, &placement, &*routing, Objective::Max);
        for (one, other) in swapped {
            let before = swaps.worth();
            let is_gain = swaps.attempt(one, other);
            let is_sound =
                if is_gain { swaps.worth().value <= before.value * (1.0 + 1e-9) } else { swaps.worth() == before };
            prop_assert!(is_sound);
        }
        let full = worth(&flows, &shape, &swaps.placement(), &*routing, Objective::Max);
        // Shares of a route are kept in 32 bits.
        prop_assert!((full.value - swaps.worth().value).abs() <= full.value * 1e-5 + 1e-6, "{full:?} {:?}", swaps.worth());
        swaps.recompute();
        prop_assert!((full.value - swaps.worth().value).abs() <= full.value * 1e-9 + 1e-9);
    }
}
