//! A measured network through a store: every value comes back, and fits the machine.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use heddle_model::{
    Counted, Definitions, LinkEnd, LocationId, MeasuredNetwork, NetworkCounter, NetworkDimension, NetworkLink,
    NetworkNode, Part, RecordBlock, Section, Source, SourceError, Tally, WarningKind, Warnings,
};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_topology::{Element, Topology};

/// A network without any records.
struct Measured(MeasuredNetwork, Definitions, Warnings);

impl Source for Measured {
    fn format(&self) -> &'static str {
        "made"
    }

    fn definitions(&self) -> &Definitions {
        &self.1
    }

    fn parts(&self) -> &[Part] {
        &[]
    }

    fn read(&self, _: &Part, _: &mut RecordBlock) -> Result<(), SourceError> {
        Ok(())
    }

    fn network(&self) -> Option<&MeasuredNetwork> {
        Some(&self.0)
    }

    fn warnings(&self) -> &Warnings {
        &self.2
    }
}

/// A 3x2 torus without its last node and without the links of it, two cables along y; packets on every link in two of three
/// sections, flops on every other node in the third.
fn network() -> MeasuredNetwork {
    let dimension = |name: &str, size, cables| NetworkDimension { name: name.to_owned(), size, wraps: true, cables };
    let nodes: Vec<NetworkNode> =
        (0..5).map(|place| NetworkNode { file_id: Some(100 - i64::from(place)), place }).collect();
    let mut links = Vec::new();
    for source in 0..5u32 {
        let along_x = |by: u32| source / 3 * 3 + (source % 3 + by) % 3;
        let along_y = (source + 3) % 6;
        for (destination, dimension, is_positive) in
            [(along_x(1), 0, true), (along_x(2), 0, false), (along_y, 1, true), (along_y, 1, false)]
        {
            if destination < 5 {
                links.push(NetworkLink {
                    file_id: Some(7 * links.len() as i64),
                    source,
                    destination,
                    dimension,
                    is_positive,
                });
            }
        }
    }
    let section = |id, visits, name: &str| Section { id, visits, name: name.to_owned() };
    let counter = |name: &str, of| NetworkCounter { name: name.to_owned(), of };
    let tally = |counter, section, entity: u32, value: f64| Tally {
        counter,
        section,
        entity,
        visits: section + 1,
        sum: value,
        min: value / 4.0,
        max: value / 2.0,
    };
    let mut tallies = Vec::new();
    for section in 0..2 {
        tallies.extend((0..links.len() as u32).map(|link| tally(0, section, link, f64::from(1000 * section + link))));
    }
    tallies.extend([0, 2, 4].map(|node| tally(1, 2, node, f64::from(node) - 3.0)));
    MeasuredNetwork {
        hardware: "made".to_owned(),
        dimensions: vec![dimension("x", 3, 1), dimension("y", 2, 2)],
        nodes,
        links,
        sections: vec![section(-1, 1, "outside"), section(7, 2, ""), section(9, 3, "solve")],
        counters: vec![counter("packets", Counted::Links), counter("flops", Counted::Nodes)],
        tallies,
        places: vec![4, MeasuredNetwork::NOWHERE, 0],
        links_of_node: LinkEnd::Both,
    }
}

fn store_of(network: &MeasuredNetwork, directory: &std::path::Path) -> Store {
    let source = Measured(network.clone(), Definitions::default(), Warnings::default());
    store_simulation(&source, "made", &directory.join("made.heddle"), 1 << 29, &NoProgress).unwrap()
}

#[test]
fn everything_that_was_measured_comes_back() {
    let directory = tempfile::tempdir().unwrap();
    let network = network();
    let store = store_of(&network, directory.path());
    let tables = store.network().unwrap();
    assert_eq!((tables.hardware(), tables.links_of_node()), ("made", LinkEnd::Both));
    assert_eq!(tables.nodes.coordinates.get(4), "(1,1)");
    assert_eq!(tables.nodes.file_id.get(4), 96);
    assert_eq!((tables.section(7), tables.section(8)), (Some(1), None));
    assert_eq!(tables.sections.name.get(2), "solve");
    assert_eq!(tables.counter(Counted::Links, "packets"), Some(0));
    assert_eq!(tables.counter(Counted::Links, "flops"), None);
    let mut back = Vec::new();
    for counter in 0..3 {
        for section in 0..4 {
            tables.for_each_tally(counter, section, |tally| back.push(tally));
        }
    }
    assert_eq!(back, network.tallies);
    assert_eq!(tables.values_of(0, 2), 0..0, "packets were not measured there");
    assert_eq!(tables.node_of(LocationId(0)), Some(4));
    assert_eq!((tables.node_of(LocationId(1)), tables.node_of(LocationId(3))), (None, None));
    // A measurement is not a trace that somebody forgot to record.
    assert!(store.warnings().iter().all(|warning| warning.kind != WarningKind::Empty));
}

#[test]
fn totals_are_over_sections_and_tell_zero_from_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let store = store_of(&network(), directory.path());
    let tables = store.network().unwrap();
    let totals = tables.totals(0, [0, 1, 2]);
    for (link, total) in totals.iter().enumerate() {
        let total = total.unwrap();
        assert_eq!((total.visits, total.sum), (3, 1000.0 + 2.0 * link as f64));
    }
    let flops: Vec<Option<f64>> = tables.totals(1, 0..3).iter().map(|total| total.map(|t| t.sum)).collect();
    assert_eq!(flops, [Some(-3.0), None, Some(-1.0), None, Some(1.0)]);
    let possible: Vec<bool> = tables.totals(1, 0..3).iter().flatten().map(Tally::is_possible).collect();
    assert_eq!(possible, [false, false, true]);
}

#[test]
fn links_are_those_of_the_torus() {
    let directory = tempfile::tempdir().unwrap();
    let network = network();
    let store = store_of(&network, directory.path());
    let tables = store.network().unwrap();
    let torus = tables.torus().unwrap();
    assert_eq!((torus.sizes(), torus.links()), ("3x2".to_owned(), 24));
    let links = tables.torus_links(&torus);
    let mut seen = std::collections::BTreeSet::new();
    for (link, of_torus) in network.links.iter().zip(links) {
        let of_torus = of_torus.unwrap();
        assert!(seen.insert(of_torus.0), "two links are one");
        let place = |node: u32| Element(network.nodes[node as usize].place);
        assert_eq!(torus.ends(of_torus), (place(link.source), place(link.destination)));
        assert_eq!(torus.class(of_torus), link.dimension as usize);
    }
}

#[test]
fn a_trace_without_a_network_has_none() {
    let directory = tempfile::tempdir().unwrap();
    let source = heddle_testkit::MadeSource::new(Definitions::default(), Vec::new(), |_, _| {});
    let target = directory.path().join("t.heddle");
    let store = store_simulation(&source, "t", &target, 1 << 29, &NoProgress).unwrap();
    assert!(store.network().is_none() && !target.join("network").exists());
}
