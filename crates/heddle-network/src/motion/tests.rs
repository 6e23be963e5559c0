#![allow(clippy::float_cmp, reason = "sums of small whole numbers are exact")]

use heddle_model::Ns;
use heddle_options::Given;
use heddle_simulate::{Machine, Pf3d, Pf3dOptions, simulate};
use heddle_store::{NoProgress, Store, store_simulation};
use proptest::prelude::*;

use super::*;
use crate::{Network, Part, Tests};

fn store(directory: &std::path::Path) -> Store {
    let options = Pf3dOptions { ranks: 128, steps: 2, ..Pf3dOptions::default() };
    let simulation = simulate(Pf3d::new(&options).unwrap(), &Machine::default()).unwrap();
    store_simulation(&simulation, "pf3d", &directory.join("pf3d.heddle"), 1 << 29, &NoProgress).unwrap()
}

fn network(store: &Store, more: &[(&str, &str)]) -> Network {
    let options = [("topology", "4x4x4"), ("mapping", "TXYZ"), ("ranks-per-node", "2"), ("collectives", "none")];
    let pairs = options.iter().chain(more).map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Network::open(store, &Given::by_program(pairs)).unwrap()
}

fn whole(store: &Store) -> (Ns, Ns) {
    (Ns(0), Ns(store.summary().end_ns + 1))
}

#[test]
fn bins_add_up_to_what_is_predicted() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let network = network(&store, &[("routing", "dor")]);
    let motion = network.motion(&store, &Part::of_time(whole(&store)), Tests::default());
    let everything = Part::of_time((Ns(i64::MIN), Ns(i64::MAX)));
    let traffic = network.traffic(&store, &everything, Tests::default());
    let loads = traffic.loads(&**network.machine.shape, |_| true);
    let mut sums = vec![0.0; loads.len()];
    for bin in 0..motion.activity.bins() {
        sums.iter_mut().zip(motion.activity.bytes(bin)).for_each(|(sum, bytes)| *sum += f64::from(*bytes));
    }
    for (sum, load) in sums.iter().zip(&loads) {
        assert!((sum - load).abs() <= load * 1e-4, "{sum} {load}");
    }
    assert!(motion.messages > 0 && motion.unseen > 0);
}

#[test]
fn what_is_listed_is_what_is_in_flight_and_windows_follow_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let network = network(&store, &[]);
    let (part, shape) = (Part::of_time(whole(&store)), &network.machine.shape);
    let motion = network.motion(&store, &part, Tests::default());
    let (mut at, mut seen, mut steps) = (part.time.0, std::collections::BTreeSet::new(), 0);
    while at < part.time.1 {
        let listed = network.moving(&store, &part, Tests::default(), at, 100);
        assert!(listed.until > at);
        let in_flight = listed.messages.iter().filter(|message| message.start <= at).count() as u64;
        assert_eq!(in_flight, listed.in_flight);
        if let Some(bin) = motion.activity.bin(at).filter(|bin| motion.activity.bin_start(*bin) == at) {
            let moving = listed.messages.iter().filter(|message| message.start <= at && message.end > at);
            assert_eq!(motion.in_flight[bin], moving.count() as u64);
        }
        for message in &listed.messages {
            let path = listed.path(message);
            let placement = &network.machine.placement;
            assert_eq!(shape.ends(path[0]).0, placement.node(message.from));
            assert_eq!(shape.ends(path[path.len() - 1]).1, placement.node(message.to));
            assert!(path.windows(2).all(|pair| shape.ends(pair[0]).1 == shape.ends(pair[1]).0));
            assert!(message.wait >= 0 && message.wait <= message.end.since(message.start));
            seen.insert(message.row);
        }
        (at, steps) = (listed.until, steps + 1);
    }
    assert_eq!(seen.len() as u64, motion.messages);
    assert!(steps > 3, "{steps}");
}

#[test]
fn waits_say_what_they_are_counted_from() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let part = Part::of_time(whole(&store));
    for (bandwidth, rule) in [("0", WaitRule::Fastest), ("0.001", WaitRule::Capacity)] {
        let network = network(&store, &[("link-bandwidth", bandwidth)]);
        assert_eq!(network.motion(&store, &part, Tests::default()).wait_rule, rule);
        let listed = network.moving(&store, &part, Tests::default(), part.time.0, MOST_LISTED);
        // On links that are slower than the trace, nobody waits; among equals, only the fastest does not.
        let waiting = listed.messages.iter().filter(|message| message.wait > 0).count();
        assert_eq!(waiting > 0, rule == WaitRule::Fastest);
    }
}

proptest! {
    /// However a message lies over the bins, what it puts into them is what it has, or the part of it in the window.
    #[test]
    fn no_byte_is_lost(start in -50_i64..250, took in 0_i64..200, bytes in 0_u64..5_000, hops in 1_usize..7) {
        let shape: heddle_topology::Shape = "4x4x4".parse().unwrap();
        let counting = Counting::new((Ns(0), Ns(200)), shape.links());
        let path: Vec<Link> = (0..hops as u32).map(Link).collect();
        counting.add(&path, (Ns(start), Ns(start + took)), bytes);
        let activity = counting.done(&*shape, None);
        let mut sum = 0.0;
        for bin in 0..activity.bins() {
            sum += activity.bytes(bin).iter().sum::<f32>();
        }
        let all = bytes as f32 * hops as f32;
        prop_assert!(sum <= all);
        if start >= 0 && start + took < 200 {
            prop_assert_eq!(sum, all);
        }
        if start >= 200 || start + took < 0 {
            prop_assert_eq!(sum, 0.0);
        }
    }
}
