//! The links of SimGrid's traces, as simulated traffic. Its platforms are read in [`crate::topology_file`].

mod links;

use heddle_model::{LocationId, Ns};
use heddle_store::Store;
use heddle_topology::Shape;
use rustc_hash::FxHashMap;

use links::Links;

use crate::traffic::{Origin, Section, Traffic, Unit};

/// The machine that the names of a trace's links describe.
pub(crate) fn shape_of_links(store: &Store) -> Option<Shape> {
    Links::read(store).shape(&capacities(store))
}

/// Bytes per second that links can carry, as the trace says.
fn capacities(store: &Store) -> FxHashMap<LocationId, f64> {
    let mut found = FxHashMap::default();
    let Some(metric) = metric(store, "bandwidth") else { return found };
    let values = &store.metric_values;
    for row in (0..values.len()).filter(|row| u64::from(values.metric.get(*row).0) == metric) {
        let value = values.value.get(row);
        if value.is_finite() && value > 0.0 {
            found.entry(values.location.get(row)).or_insert(value);
        }
    }
    found
}

fn metric(store: &Store, name: &str) -> Option<u64> {
    (0..store.metrics.len()).find(|at| store.metrics.name.get(*at) == name)
}

/// What the links of a trace carried in a window of time: the integral of the bandwidth that was used.
pub(crate) fn traffic(store: &Store, shape: &Shape, time: (Ns, Ns)) -> Option<Traffic> {
    let metric = metric(store, "bandwidth_used")?;
    let of_location = Links::read(store).of_locations(shape);
    if of_location.is_empty() {
        return None;
    }
    let mut loads = vec![f64::NAN; shape.links() as usize];
    for link in of_location.values() {
        loads[link.index()] = 0.0;
    }
    let values = &store.metric_values;
    let mut before: Option<(LocationId, Ns, f64)> = None;
    let mut add = |location: LocationId, from: Ns, to: Ns, rate: f64| {
        let (from, to) = (from.max(time.0), to.min(time.1));
        if let Some(link) = of_location.get(&location)
            && from < to
            && rate > 0.0
        {
            loads[link.index()] += rate * to.since(from) as f64 / 1e9;
        }
    };
    for row in 0..values.len() {
        if u64::from(values.metric.get(row).0) != metric {
            continue;
        }
        let (location, at) = (values.location.get(row), values.time.get(row));
        if let Some((known, since, rate)) = before
            && known == location
        {
            add(location, since, at, rate);
        }
        before = Some((location, at, values.value.get(row)));
    }
    let sent = loads.iter().filter(|load| !load.is_nan()).sum();
    let section = Section { name: "all traffic".to_owned(), operations: 0, sent, loads };
    let mut notes = vec!["Simulated by SimGrid; where several flows share a link its use is a lower bound.".to_owned()];
    if shape.dragonfly().is_some_and(|fly| fly.plan().rows > 1 && fly.plan().columns > 1) {
        notes.push(
            "SimGrid (3.32) takes every message that has gone along a row to be in the first row of its group: what it has on \
             the cables of columns differs from what is predicted."
                .to_owned(),
        );
    }
    Some(Traffic { origin: Origin::Simulated, unit: Unit::Bytes, sections: vec![section], notes })
}
