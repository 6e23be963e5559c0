//! What SimGrid says: platforms as machines, and the links of its traces as simulated traffic.

use heddle_model::{LocationId, Ns};
use heddle_store::Store;
use heddle_topology::{Dimension, Element, Link, Shape, Topology, Torus};
use rustc_hash::FxHashMap;

use crate::traffic::{Origin, Section, Traffic, Unit};

/// A machine, and the names of its hosts.
#[derive(Debug)]
pub(crate) struct Platform {
    pub(crate) shape: Shape,
    pub(crate) hosts: FxHashMap<String, Element>,
}

/// Reads a platform of one cluster whose topology is a torus.
pub(crate) fn read_platform(text: &str) -> Result<Platform, String> {
    let Some(at) = text.find("<cluster") else {
        return Err("expected a SimGrid platform with a <cluster> element".to_owned());
    };
    let line = text[..at].matches('\n').count() + 1;
    let end = text[at..].find('>').ok_or_else(|| format!("line {line}: the <cluster> element has no end"))?;
    let element = &text[at..at + end];
    let attribute = |name: &str| {
        let (_, rest) = element.split_once(&format!(" {name}="))?;
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        rest[1..].split(quote).next()
    };
    let needed = |name: &str| attribute(name).ok_or_else(|| format!("line {line}: <cluster> has no {name}"));
    let topology = needed("topology")?;
    if !topology.eq_ignore_ascii_case("torus") {
        return Err(format!("line {line}: the topology is {topology:?}; only TORUS can be read"));
    }
    let parameters = needed("topo_parameters")?;
    let sizes: Option<Vec<u32>> = parameters.split(',').map(|size| size.trim().parse().ok()).collect();
    let sizes = sizes
        .ok_or_else(|| format!("line {line}: topo_parameters are {parameters:?}; expected sizes such as 4,4,4"))?;
    let mut dimensions = Dimension::named(&sizes, true);
    // SimGrid joins the two nodes of a dimension of size 2 by two cables.
    for dimension in &mut dimensions {
        dimension.cables = 2;
        dimension.capacity = attribute("bw").and_then(bandwidth);
    }
    let torus = Torus::new(dimensions).map_err(|error| format!("line {line}: {error}"))?;
    let (prefix, suffix) = (attribute("prefix").unwrap_or(""), attribute("suffix").unwrap_or(""));
    let numbers = attribute("radical").map(radical).unwrap_or_default();
    let names = numbers.into_iter().map(|number| format!("{prefix}{number}{suffix}"));
    let hosts = names.zip((0..torus.hosts()).map(Element)).collect();
    Ok(Platform { shape: Shape::Torus(torus), hosts })
}

/// `0-63,70`, at most as many as a machine can have.
fn radical(text: &str) -> Vec<u64> {
    const MOST: usize = 1 << 22;
    let ranges = text.split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.trim().parse::<u64>().ok()?..=last.trim().parse::<u64>().ok()?)
    });
    ranges.flatten().take(MOST).collect()
}

/// `10GBps` in bytes per second.
fn bandwidth(text: &str) -> Option<f64> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let number: f64 = text[..split].trim().parse().ok()?;
    let (unit, bits) = match text[split..].strip_suffix("Bps") {
        Some(unit) => (unit, 1.0),
        None => (text[split..].strip_suffix("bps").unwrap_or(""), 8.0),
    };
    let factor = match unit {
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "Ki" => 1024.0,
        "Mi" => 1024.0 * 1024.0,
        "Gi" => 1024.0 * 1024.0 * 1024.0,
        _ => 1.0,
    };
    Some(number * factor / bits)
}

/// A link of a torus by its name in a trace: from which node to which.
fn ends(name: &str) -> Option<(u32, u32)> {
    // The Paje reader says in the name what a location without calls holds.
    let (_, rest) = name.split(':').next()?.rsplit_once("link_from_")?;
    let (from, rest) = rest.split_once("_to_")?;
    let (to, way) = rest.split_once('_')?;
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    match way {
        "UP" => Some((from, to)),
        "DOWN" => Some((to, from)),
        _ => None,
    }
}

/// The links of a trace: locations that only hold counters, by the nodes that they join.
fn links(store: &Store) -> Vec<(LocationId, u32, u32)> {
    let locations = &store.locations;
    (0..locations.len() as u32)
        .filter(|at| locations.kind.get(u64::from(*at)) == "metric")
        .filter_map(|at| ends(locations.name.get(u64::from(at))).map(|(from, to)| (LocationId(at), from, to)))
        .collect()
}

/// The torus that the names of a trace's links describe: sizes follow from how far apart the nodes are that they join.
pub(crate) fn shape_of_links(store: &Store) -> Option<Shape> {
    let links = links(store);
    let nodes = links.iter().map(|(_, from, to)| from.max(to) + 1).max()?;
    // Node 0 has a cable towards + in each dimension; the nodes at their other ends are the strides.
    let ups = links.iter().filter(|(at, ..)| store.locations.name.get(u64::from(at.0)).contains("_UP"));
    let mut strides: Vec<u32> = ups.filter(|(_, from, to)| *from == 0 && *to > 0).map(|(.., to)| *to).collect();
    strides.sort_unstable();
    strides.dedup();
    if strides.first() != Some(&1) {
        return None;
    }
    let ends = strides.iter().skip(1).copied().chain([nodes]);
    let sizes: Option<Vec<u32>> =
        strides.iter().zip(ends).map(|(stride, end)| end.is_multiple_of(*stride).then(|| end / stride)).collect();
    let mut dimensions = Dimension::named(&sizes?, true);
    for dimension in &mut dimensions {
        dimension.cables = 2;
    }
    Torus::new(dimensions).ok().map(Shape::Torus)
}

/// What the links of a trace carried in a window of time: the integral of the bandwidth that was used.
pub(crate) fn traffic(store: &Store, shape: &Shape, time: (Ns, Ns)) -> Option<Traffic> {
    let torus = shape.torus()?;
    let metric = (0..store.metrics.len()).find(|at| store.metrics.name.get(*at) == "bandwidth_used")?;
    let links = links(store);
    let mut of_location: FxHashMap<LocationId, Link> = FxHashMap::default();
    let mut taken: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    for (location, from, to) in links {
        // Between two nodes there are two cables in a dimension of size 2: the first named is the one towards +.
        let nth = taken.entry((from, to)).or_default();
        if from < torus.elements()
            && to < torus.elements()
            && let Some(link) = torus.links_between(Element(from), Element(to)).nth(*nth)
        {
            of_location.insert(location, link);
        }
        *nth += 1;
    }
    if of_location.is_empty() {
        return None;
    }
    let mut loads = vec![f64::NAN; torus.links() as usize];
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
    let note = "Simulated by SimGrid; where several flows share a link its use is a lower bound.".to_owned();
    Some(Traffic { origin: Origin::Simulated, unit: Unit::Bytes, sections: vec![section], notes: vec![note] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_is_a_torus_with_named_hosts() {
        let text = "<platform>\n <cluster id='t' prefix='node-' suffix='.x' radical='0-11' bw=\"10GBps\" topology=\"TORUS\" topo_parameters=\"3,2,2\"/></platform>";
        let platform = read_platform(text).unwrap();
        assert_eq!((platform.shape.hosts(), platform.shape.links()), (12, 72));
        assert_eq!(platform.hosts.get("node-11.x"), Some(&Element(11)));
        assert_eq!(platform.shape.classes()[0].capacity, Some(1e10));
    }

    #[test]
    fn what_is_no_torus_is_refused_with_its_line() {
        for (text, words) in [
            ("hello", "expected a SimGrid platform"),
            (
                "\n<cluster topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2;1,2\"/>",
                "line 2: the topology is \"FAT_TREE\"",
            ),
            ("<cluster topology='TORUS'/>", "line 1: <cluster> has no topo_parameters"),
            ("<cluster topology='TORUS' topo_parameters='4,x'/>", "expected sizes such as 4,4,4"),
        ] {
            let error = read_platform(text).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
