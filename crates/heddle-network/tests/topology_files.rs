//! Ranks on machines that files describe: by the names of hosts, by lists, and what does not fit.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use heddle_model::Ns;
use heddle_network::{Network, Part, Tests, TopologyFile};
use heddle_options::Given;
use heddle_simulate::{Interconnect, Machine, RingOptions, Seats, ring};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_testkit::sample_traces;
use heddle_topology::mapping::read_hosts;

const FABRIC: &str = include_str!("data/ibnetdiscover.txt");

/// A token once round three ranks, on hosts n3, n1 and n2 of the fabric.
fn store(directory: &std::path::Path) -> Store {
    let file = TopologyFile::read(FABRIC, &[]).unwrap();
    let seats = read_hosts("n3\nn1\nn2\n", &file.shape, None, 1, &|name| file.hosts.find(name)).unwrap();
    let links = Interconnect { seats: Seats::Listed(seats.into()), ..Interconnect::new(file.shape) };
    let machine = Machine { ranks_per_node: 1, interconnect: Some(links), ..Machine::default() };
    let options = RingOptions { ranks: 3, bytes: 1_000, ..RingOptions::default() };
    let simulation = ring(&options, &machine).unwrap();
    store_simulation(&simulation, "ring", &directory.join("ring.heddle"), 1 << 29, &NoProgress).unwrap()
}

fn open(store: &Store, topology: &str, further: &[(&str, &str)], mapping: &str) -> Result<Network, String> {
    let pairs = [("topology", "fabric")].iter().chain(further);
    let pairs = pairs.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let files = [("fabric", topology), ("hosts", mapping)].map(|(name, text)| (name.to_owned(), text.to_owned()));
    let given = Given::by_program(pairs).with_files(files.to_vec().into());
    Network::open(store, &given).map_err(|error| error.to_string())
}

fn hosts(network: &Network) -> Vec<String> {
    let machine = &network.machine;
    machine.placement.nodes().iter().map(|node| machine.shape.label(*node)).collect()
}

#[test]
fn ranks_sit_on_the_hosts_that_the_trace_names() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let network = open(&store, FABRIC, &[], "").unwrap();
    assert_eq!(hosts(&network), ["n3", "n1", "n2"]);
    assert_eq!(network.machine.mapping, "as in the trace");
    // The same with a domain, and in a tree of Slurm.
    let slurm =
        "SwitchName=a Nodes=n[1-3].cluster.org\nSwitchName=b Nodes=n[4-9].cluster.org\nSwitchName=t Switches=a,b\n";
    let network = open(&store, slurm, &[], "").unwrap();
    assert_eq!(hosts(&network), ["n3.cluster.org", "n1.cluster.org", "n2.cluster.org"]);
    assert!(
        network.machine.notes.iter().any(|note| note.contains("does not know cables")),
        "{:?}",
        network.machine.notes
    );
}

#[test]
fn hosts_that_the_file_has_not_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let error = open(&store, "SwitchName=a Nodes=n1,n2,n33\n", &[], "").unwrap_err();
    assert_eq!(
        error,
        "topology: fabric: it has no host n3 (did you mean n33?), which the trace has; correct the file, or say with --mapping where \
         ranks sit"
    );
    let error = open(&store, FABRIC, &[("mapping", "hosts")], "n1\nn2\nm3\n").unwrap_err();
    assert!(error.starts_with("mapping: hosts: line 3: `m3` is no host of this machine"), "{error}");
    assert!(error.ends_with("; did you mean n3?"), "{error}");
    // None at all: the file is of another machine, or has other names.
    let network = open(&store, "SwitchName=a Nodes=x[1-4]\n", &[], "").unwrap();
    assert_eq!(hosts(&network), ["x1", "x2", "x3"]);
    let note = "No node of the trace is called as a host of fabric: they are taken in their order.";
    assert!(network.machine.notes.iter().any(|said| said == note), "{:?}", network.machine.notes);
    let error = open(&store, "SwitchName=a Nodes=x[1-2]\n", &[], "").unwrap_err();
    assert!(error.contains("the trace has 3 nodes and the machine 2"), "{error}");
    let error = open(&store, "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1\n", &[], "").unwrap_err();
    assert!(error.starts_with("topology: fabric: line 2: host `n1` is on `b` and, in line 1, on `a`"), "{error}");
}

#[test]
fn a_list_of_hosts_places_ranks() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let network = open(&store, FABRIC, &[("mapping", "hosts")], "2 n1\n0 n2.cluster\n1 n3\n").unwrap();
    assert_eq!(hosts(&network), ["n2", "n3", "n1"]);
}

#[test]
fn what_cannot_get_there_is_counted() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    // n1 and n2 are joined, n3 is apart: of three messages of a thousand bytes, 0 to 1 and 2 to 0 cannot get there.
    let network = open(&store, "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n3\n", &[], "").unwrap();
    let traffic = network.traffic(&store, &Part::of_time((Ns(i64::MIN), Ns(i64::MAX))), Tests::default());
    let said = |words: &str| traffic.notes.iter().any(|note| note.contains(words));
    assert!(said("falls into 2 parts that no cable joins: 2 hosts at a, 1 host at b"), "{:?}", traffic.notes);
    assert!(said("66.7 % of all, cannot get there: 2 pairs of ranks"), "{:?}", traffic.notes);
    let carried: f64 = traffic.loads(&**network.machine.shape, |_| true).iter().sum();
    let sent: f64 = traffic.sections.iter().map(|section| section.sent).sum();
    assert!((carried - 2.0 * sent / 3.0).abs() < 1e-6, "a third of {sent}, up and down: {carried}");
}

#[test]
fn platforms_of_the_samples_open() {
    let Some(folder) = sample_traces("simgrid") else { return };
    for (name, shape, hosts) in [
        ("torus_2x2x2", "2x2x2", 8),
        ("torus_4x4x4", "4x4x4", 64),
        ("torus_8x8x8", "8x8x8", 512),
        ("fattree_64", "fat-tree:4^3", 64),
        ("dragonfly_72", "dragonfly:3x3x4x2:1", 72),
    ] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.xml"))).unwrap();
        let file = TopologyFile::read(&text, &[]).unwrap();
        assert_eq!((file.shape.to_string().as_str(), file.shape.hosts()), (shape, hosts), "{name}");
        assert!(file.shape.classes().iter().all(|class| class.capacity >= Some(1e10)), "{name}");
        // The hosts of the run, in the order of ranks.
        let list = std::fs::read_to_string(folder.join(format!("{name}.hosts"))).unwrap();
        let placed = read_hosts(&list, &file.shape, None, 16, &|name| file.hosts.find(name)).unwrap();
        assert!(placed.ranks() > 0);
    }
}
