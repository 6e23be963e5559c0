//! Traffic that the machine counted.

use heddle_model::{Counted, Tally};
use heddle_store::{NetworkTables, Store};
use heddle_topology::{Shape, Topology, Torus};

use crate::traffic::{Origin, Section, Traffic, Unit};

/// The machine that was measured.
pub(crate) fn shape(store: &Store) -> Option<Shape> {
    store.network().and_then(|network| network.torus().ok()).map(Shape::Torus)
}

/// What a counter of links counted, section by section; of the first counter if there is none of that name. Values that no
/// counter can have are left out, and said.
pub(crate) fn traffic(store: &Store, shape: &Shape, counter: &str) -> Option<Traffic> {
    let (network, torus) = (store.network()?, shape.torus()?);
    let counter = network.counter(Counted::Links, counter).or_else(|| network.counters_of(Counted::Links).next())?;
    let links = network.torus_links(torus);
    let mut impossible = 0_u64;
    let mut of_section = |section: u64| {
        let mut loads = vec![f64::NAN; torus.links() as usize];
        let mut sent = 0.0;
        network.for_each_tally(counter, section, |tally: Tally| {
            let Some(link) = links.get(tally.entity as usize).copied().flatten() else { return };
            if !tally.is_possible() {
                impossible += 1;
                return;
            }
            loads[link.index()] = tally.sum;
            sent += tally.sum;
        });
        Section { name: section_name(network, section), operations: 0, sent, loads }
    };
    let sections = (0..network.sections.len()).map(&mut of_section).collect();
    let mut notes = Vec::new();
    if impossible > 0 {
        notes.push(format!("{impossible} counts that no counter can have (negative, or beyond 2^62) are left out."));
    }
    let unit = match network.counters.name.get(counter) {
        "bytes" => Unit::Bytes,
        name => Unit::Counter(name.to_owned()),
    };
    Some(Traffic { origin: Origin::Measured, unit, sections, notes })
}

/// What a section is called: its name, or its number in the file.
fn section_name(network: &NetworkTables, section: u64) -> String {
    match network.sections.name.get(section) {
        "" => format!("region {}", network.sections.id.get(section)),
        name => name.to_owned(),
    }
}

/// What a counter of nodes counted in some sections, by element; not a number where nothing was counted, or nothing possible.
pub fn node_values(store: &Store, torus: &Torus, counter: &str, wanted: impl Fn(usize) -> bool) -> Option<Vec<f64>> {
    let network = store.network()?;
    let counter = network.counter(Counted::Nodes, counter)?;
    let elements = network.elements(torus);
    let mut values = vec![f64::NAN; torus.elements() as usize];
    let sections = (0..network.sections.len()).filter(|section| wanted(*section as usize));
    for (node, total) in network.totals(counter, sections).into_iter().enumerate() {
        let element = elements.get(node).copied().flatten();
        if let (Some(element), Some(total)) = (element, total.filter(Tally::is_possible)) {
            values[element.index()] = total.sum;
        }
    }
    Some(values)
}
