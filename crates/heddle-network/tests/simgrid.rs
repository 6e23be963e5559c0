//! What SimGrid wrote down of its links, and what is predicted of them: two ways to the same bytes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a helper that fails is a test that fails")]

use heddle_model::Ns;
use heddle_network::{Network, Origin, Part, Tests};
use heddle_options::Given;
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, open_or_import};
use heddle_testkit::sample_traces;
use heddle_topology::Element;

fn open(name: &str, directory: &std::path::Path) -> Option<(Store, serde_json::Value)> {
    let folder = sample_traces("simgrid")?;
    let options = ImportOptions { place: StorePlace::Under(directory.to_owned()), memory: 1 << 29, force: false };
    let trace = folder.join(format!("{name}.trace.gz"));
    let store = open_or_import(&trace, &options, &NoProgress).expect("the trace can be read").store;
    let truth = std::fs::read(folder.join(format!("{name}.truth.json"))).expect("the truth is beside it");
    Some((store, serde_json::from_slice(&truth).expect("the truth is JSON")))
}

fn network(store: &Store, options: &[(&str, &str)]) -> Network {
    let pairs = options.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Network::open(store, &Given::by_program(pairs)).expect("the machine is known")
}

fn loads(store: &Store, network: &Network) -> (Origin, Vec<f64>) {
    let traffic = network.traffic(store, &Part::of_time((Ns(i64::MIN), Ns(i64::MAX))), Tests::default());
    (traffic.origin, traffic.loads(&**network.machine.shape, |_| true))
}

#[test]
fn simulated_links_carry_what_the_file_says() {
    let directory = tempfile::tempdir().unwrap();
    let Some((store, truth)) = open("courier-torus444", directory.path()) else { return };
    let network = network(&store, &[]);
    let torus = network.machine.shape.torus().expect("the links are those of a torus");
    assert_eq!(torus.sizes(), "4x4x4");
    let (origin, loads) = loads(&store, &network);
    assert_eq!(origin, Origin::Simulated);
    let links = truth["network_links"]["per_link"].as_object().unwrap();
    assert_eq!(links.len(), 384);
    for (name, link) in links {
        let (_, ends) = name.split_once("_from_").unwrap();
        let parts: Vec<&str> = ends.split('_').collect();
        let (from, to) = (parts[0].parse().unwrap(), parts[2].parse().unwrap());
        let (from, to) = if parts[3] == "UP" { (from, to) } else { (to, from) };
        let link_id = torus.link_between(Element(from), Element(to)).unwrap();
        let bytes = link["bytes"].as_f64().unwrap();
        assert!(
            (loads[link_id.index()] - bytes).abs() <= 2.0 + bytes * 1e-6,
            "{name}: {} {bytes}",
            loads[link_id.index()]
        );
    }
}

#[test]
fn predicted_links_carry_what_was_simulated() {
    let directory = tempfile::tempdir().unwrap();
    let Some((store, _)) = open("courier-torus444", directory.path()) else { return };
    let (_, simulated) = loads(&store, &network(&store, &[]));
    let (origin, predicted) = loads(&store, &network(&store, &[("traffic", "predicted"), ("routing", "dor-simgrid")]));
    assert_eq!(origin, Origin::Predicted);
    for (predicted, simulated) in predicted.iter().zip(&simulated) {
        // One message in flight at a time, so nothing is lost; rates are rounded to nanoseconds.
        assert!((predicted - simulated).abs() <= simulated * 1e-3 + 16.0, "{predicted} {simulated}");
    }
    let (_, plain) = loads(&store, &network(&store, &[("traffic", "predicted"), ("routing", "dor")]));
    let differing = plain.iter().zip(&simulated).filter(|(a, b)| (*a - *b).abs() > *b * 1e-2).count();
    assert_eq!(differing, 192, "halfway round a ring SimGrid decides otherwise");
}
