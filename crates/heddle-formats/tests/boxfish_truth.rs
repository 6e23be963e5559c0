//! Real Boxfish runs against what a separate script counted in their text: `truth.json` beside each.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

#[path = "common/boxfish.rs"]
mod common;

use std::collections::BTreeMap;

use common::{totals, warned};
use heddle_formats::boxfish::{Run, open};
use heddle_model::{Counted, MeasuredNetwork, NetworkLink, Source, Tally, WarningKind};
use heddle_testkit::{Folder, sample_traces, with_input};
use serde_json::Value;

/// Statistics as the truth files have them.
#[derive(Clone, Debug, Default, PartialEq)]
struct Statistics {
    n: u64,
    min: f64,
    max: f64,
    sum: f64,
    nonzero: u64,
}

impl Statistics {
    fn of(values: impl IntoIterator<Item = f64>) -> Statistics {
        let mut all = Statistics { min: f64::INFINITY, max: f64::NEG_INFINITY, ..Statistics::default() };
        for value in values {
            all.n += 1;
            all.min = all.min.min(value);
            all.max = all.max.max(value);
            all.sum += value;
            all.nonzero += u64::from(value != 0.0);
        }
        all
    }

    fn check(&self, truth: &Value, what: &str) {
        let number = |key: &str| truth[key].as_f64().unwrap_or_else(|| panic!("{what}: the truth has no {key}"));
        assert_eq!((self.n, self.nonzero), (number("n") as u64, number("nonzero") as u64), "{what}: n, nonzero");
        // Truth is rounded to six places.
        for (found, key) in
            [(self.min, "min"), (self.max, "max"), (self.sum, "sum"), (self.sum / self.n as f64, "mean")]
        {
            assert!((found - number(key)).abs() <= 1e-6, "{what}: {key} is {found}, not {}", number(key));
        }
    }
}

struct Sample {
    name: &'static str,
    run: Run,
    truth: Value,
}

fn samples() -> Vec<Sample> {
    let Some(folder) = sample_traces("network") else { return Vec::new() };
    let sample = |name: &'static str| {
        let folder = folder.join(name);
        let truth = serde_json::from_slice(&std::fs::read(folder.join("truth.json")).unwrap()).unwrap();
        let run = with_input(&Folder(folder), &[&format!("{name}_meta.yaml")], 1 << 30, open).unwrap();
        Sample { name, run, truth }
    };
    ["bgpc", "collex", "bgq_synthetic"].map(sample).into()
}

/// `+x`, or `e:0->1` in a dimension of size 2.
fn direction(network: &MeasuredNetwork, link: &NetworkLink) -> String {
    let dimension = &network.dimensions[link.dimension as usize];
    if dimension.size == 2 {
        let (from, to) = if link.is_positive { (0, 1) } else { (1, 0) };
        return format!("{}:{from}->{to}", dimension.name);
    }
    format!("{}{}", if link.is_positive { '+' } else { '-' }, dimension.name)
}

fn coordinates(network: &MeasuredNetwork, node: u32) -> Vec<u64> {
    let text = network.place_text(network.nodes[node as usize].place);
    text.trim_matches(['(', ')']).split(',').map(|at| at.parse().unwrap()).collect()
}

fn wraps(network: &MeasuredNetwork, link: &NetworkLink) -> bool {
    let (from, to) = (coordinates(network, link.source), coordinates(network, link.destination));
    from.iter().zip(&to).any(|(from, to)| from.abs_diff(*to) > 1)
}

/// Every tally of a counter with its section.
fn tallies<'a>(
    network: &'a MeasuredNetwork,
    of: Counted,
    name: &str,
) -> impl Iterator<Item = (i64, &'a Tally)> + use<'a> {
    let counter = network.counters.iter().position(|counter| counter.of == of && counter.name == name).unwrap() as u32;
    let mine = network.tallies.iter().filter(move |tally| tally.counter == counter);
    mine.map(|tally| (network.sections[tally.section as usize].id, tally))
}

/// The rows that a tally was made from, as far as statistics go: exact for up to two visits.
fn rows(tally: &Tally) -> Vec<f64> {
    match tally.visits {
        1 => vec![tally.sum],
        2 => vec![tally.min, tally.max],
        visits => panic!("{visits} visits"),
    }
}

#[test]
fn the_machine_is_the_one_that_was_measured() {
    for Sample { name, run, truth } in samples() {
        let network = run.network().unwrap();
        for dimension in &network.dimensions {
            assert_eq!(u64::from(dimension.size), truth["dims"][&dimension.name], "{name}");
            assert!(dimension.wraps && dimension.cables == 1, "{name}");
        }
        assert_eq!(network.nodes.len() as u64, truth["nodes"], "{name}");
        assert_eq!(network.links.len() as u64, truth["links_directed"], "{name}");
        let mut found: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for link in &network.links {
            let (links, wrap_links) = found.entry(direction(network, link)).or_default();
            *links += 1;
            *wrap_links += u64::from(wraps(network, link));
        }
        let truth_of = truth["links_per_direction"].as_object().unwrap();
        assert_eq!(found.len(), truth_of.len(), "{name}");
        for (direction, (links, wrap_links)) in found {
            assert_eq!(truth_of[&direction]["links"], links, "{name} {direction}");
            assert_eq!(truth_of[&direction]["wrap_links"].as_u64().unwrap_or(0), wrap_links, "{name} {direction}");
        }
        // nodeid = x + 8y + 64z: the ids are the places.
        assert_eq!(truth["nodeid_is_first_coord_fastest"], true);
        assert!(network.nodes.iter().all(|node| node.file_id == Some(i64::from(node.place))), "{name}");
        let told = warned(&run, WarningKind::Assumed);
        assert_eq!(truth["nodes_declared_in_meta"] != truth["nodes"], !told.is_empty(), "{name}: {told:?}");
        for kind in
            [WarningKind::Corrupt, WarningKind::Truncated, WarningKind::MissingFile, WarningKind::UndefinedReference]
        {
            assert_eq!(run.warnings().count(kind), 0, "{name}: {:?}", run.warnings().to_vec());
        }
    }
}

#[test]
fn sections_are_the_code_regions_in_their_order() {
    for Sample { name, run, truth } in samples() {
        let network = run.network().unwrap();
        let ids: Vec<i64> = network.sections.iter().map(|section| section.id).collect();
        let expected = truth["code_regions_in_order_of_first_appearance"].as_array().unwrap();
        assert_eq!(ids, expected.iter().map(|id| id.as_i64().unwrap()).collect::<Vec<_>>(), "{name}");
        for section in &network.sections {
            assert_eq!(
                truth["visits_per_region_per_link"][section.id.to_string()],
                section.visits,
                "{name} {}",
                section.id
            );
        }
    }
}

#[test]
fn packets_agree_by_row_by_link_by_direction_and_by_region() {
    for Sample { name, run, truth } in samples() {
        let network = run.network().unwrap();
        let truth_of = &truth["counters"]["packets"];
        let all = || tallies(network, Counted::Links, "packets");
        let over_rows = Statistics::of(all().flat_map(|(_, tally)| rows(tally)));
        assert_eq!(over_rows.n, truth["link_rows"].as_u64().unwrap(), "{name}");
        over_rows.check(&truth_of["over_rows"], name);
        let per_link: Vec<Tally> = totals(network, Counted::Links, "packets").into_iter().map(Option::unwrap).collect();
        let sums = |which: &dyn Fn(&NetworkLink) -> bool| {
            let mine = network.links.iter().zip(&per_link).filter(|(link, _)| which(link));
            Statistics::of(mine.map(|(_, total)| total.sum))
        };
        sums(&|_| true).check(&truth_of["per_link_summed_over_all_rows"], name);
        Statistics::of(per_link.iter().map(Tally::mean)).check_mean(&truth_of["boxfish_row_mean_per_link"], name);
        sums(&|link| wraps(network, link)).check(&truth_of["wrap_links"], &format!("{name} wrap links"));
        for (way, truth) in truth_of["by_direction"].as_object().unwrap() {
            sums(&|link| direction(network, link) == *way).check(truth, &format!("{name} {way}"));
        }
        for (region, truth) in truth_of["by_region"].as_object().unwrap() {
            let id: i64 = region.parse().unwrap();
            let mine: Vec<&Tally> = all().filter(|(section, _)| *section == id).map(|(_, tally)| tally).collect();
            let what = format!("{name} region {region}");
            Statistics::of(mine.iter().map(|tally| tally.sum)).check(truth, &what);
            for (way, truth) in truth["by_direction"].as_object().unwrap() {
                let on_way =
                    mine.iter().filter(|tally| direction(network, &network.links[tally.entity as usize]) == *way);
                let found = Statistics::of(on_way.map(|tally| tally.sum));
                match truth.as_f64() {
                    Some(sum) => assert!((found.sum - sum).abs() < 1e-6, "{what} {way}"),
                    None => found.check(truth, &format!("{what} {way}")),
                }
            }
        }
    }
}

impl Statistics {
    /// Means were rounded link by link before they were added up.
    fn check_mean(&self, truth: &Value, what: &str) {
        assert_eq!(self.n, truth["n"].as_u64().unwrap(), "{what}");
        assert!((self.max - truth["max"].as_f64().unwrap()).abs() <= 1e-6, "{what}");
        assert!((self.sum - truth["sum"].as_f64().unwrap()).abs() <= 1e-3, "{what}");
    }
}

/// Packets of every link, of the sections that count.
fn sums_over(network: &MeasuredNetwork, counts: &dyn Fn(i64) -> bool) -> Vec<f64> {
    let mut sums = vec![0.0; network.links.len()];
    for (_, tally) in tallies(network, Counted::Links, "packets").filter(|(id, _)| counts(*id)) {
        sums[tally.entity as usize] += tally.sum;
    }
    sums
}

/// The busiest links; of equal ones those with lower ids.
fn check_top(network: &MeasuredNetwork, truth: &Value, counts: &dyn Fn(i64) -> bool, what: &str) {
    let sums = sums_over(network, counts);
    let mut order: Vec<usize> = (0..sums.len()).collect();
    order.sort_by(|a, b| sums[*b].total_cmp(&sums[*a]).then(network.links[*a].file_id.cmp(&network.links[*b].file_id)));
    let truth = truth.as_array().unwrap();
    assert_eq!(truth.len(), 5, "{what}");
    for (expected, at) in truth.iter().zip(order) {
        let link = &network.links[at];
        assert_eq!(link.file_id, expected["linkid"].as_i64(), "{what}: {expected}");
        assert_eq!(Some(sums[at]), expected["value"].as_f64(), "{what}: {expected}");
        assert_eq!(expected["direction"], direction(network, link), "{what}");
        assert_eq!(expected["wrap"].as_bool().unwrap_or(false), wraps(network, link), "{what}");
        for (end, node) in [("src", link.source), ("dst", link.destination)] {
            let stated: Vec<u64> = expected[end].as_array().unwrap().iter().map(|at| at.as_u64().unwrap()).collect();
            assert_eq!(coordinates(network, node), stated, "{what} {end}");
        }
    }
}

#[test]
fn the_busiest_links_agree_over_all_regions_and_in_each() {
    for Sample { name, run, truth } in samples() {
        let network = run.network().unwrap();
        let truth_of = &truth["counters"]["packets"];
        check_top(network, &truth_of["top5_summed_over_all_rows"], &|_| true, name);
        // Some sets have no regions outside of what was marked, and no lists without them.
        if let Some(top) = truth_of.get("top5_without_negative_regions") {
            check_top(network, top, &|id| id >= 0, &format!("{name} without negative regions"));
            let sums = sums_over(network, &|id| id >= 0);
            Statistics::of(sums.iter().copied()).check(&truth_of["per_link_summed_without_negative_regions"], name);
            for (way, truth) in truth_of["by_direction_without_negative_regions"].as_object().unwrap() {
                let mine = network.links.iter().zip(&sums).filter(|(link, _)| direction(network, link) == *way);
                Statistics::of(mine.map(|(_, sum)| *sum)).check(truth, &format!("{name} {way}"));
            }
        }
        for (region, top) in truth_of["top5_by_region"].as_object().into_iter().flatten() {
            let id: i64 = region.parse().unwrap();
            check_top(network, top, &|other| other == id, &format!("{name} region {region}"));
        }
    }
}

#[test]
fn node_counters_agree_and_impossible_ones_are_named() {
    for Sample { name, run, truth } in samples() {
        let network = run.network().unwrap();
        let truth_of = truth["node_counters_over_rows"].as_object().unwrap();
        let names: Vec<&String> = network
            .counters
            .iter()
            .filter(|counter| counter.of == Counted::Nodes)
            .map(|counter| &counter.name)
            .collect();
        assert_eq!(names.len(), truth_of.len(), "{name}");
        for counter in names {
            let all = tallies(network, Counted::Nodes, counter).flat_map(|(_, tally)| rows(tally));
            Statistics::of(all).check(&truth_of[counter], &format!("{name} {counter}"));
        }
        let told = warned(&run, WarningKind::ImpossibleValues);
        let impossible = network.tallies.iter().filter(|tally| !tally.is_possible()).count() as u64;
        if name != "bgpc" {
            assert!(told.is_empty() && impossible == 0, "{name}: {told:?}");
            continue;
        }
        assert_eq!((told[0].count, impossible), (13, 13));
        assert_eq!(told[0].text.matches(" of node (").count(), 13, "{}", told[0].text);
        assert!(told[0].text.contains("muls of node (") && told[0].text.contains("-2026526266"), "{}", told[0].text);
        assert!(told[0].place.starts_with("bgpc_nodes.yaml, line "), "{}", told[0].place);
        // Without them no counter of nodes falls below zero.
        let possible = network.tallies.iter().filter(|tally| tally.is_possible());
        assert!(possible.map(|tally| tally.min).fold(f64::INFINITY, f64::min) >= 0.0);
    }
}

#[test]
fn ranks_and_communicators_agree() {
    for Sample { name, run, truth } in samples() {
        let (network, definitions) = (run.network().unwrap(), run.definitions());
        let ranks = truth["rank_map"]["ranks"].as_u64().unwrap_or(0);
        assert_eq!(definitions.ranks() as u64, ranks, "{name}");
        assert_eq!(network.places.len() as u64, ranks, "{name}");
        // Identity: node ids are ranks.
        for (location, node) in definitions.locations.iter().zip(&network.places) {
            assert_eq!(network.nodes[*node as usize].file_id, Some(i64::from(location.rank.0)), "{name}");
        }
        let truth_of = &truth["communicators"];
        assert_eq!(definitions.communicators.len() as u64, truth_of["count"].as_u64().unwrap_or(0), "{name}");
        let mut families: BTreeMap<&str, u64> = BTreeMap::new();
        for (id, communicator) in definitions.communicators.iter().enumerate() {
            assert_eq!(truth_of["sizes"][id.to_string()], communicator.members.len() as u64, "{name} {id}");
            *families.entry(communicator.name.rsplit_once(' ').unwrap().0).or_default() += 1;
        }
        for (family, count) in families {
            assert_eq!(truth_of["families"][family], count, "{name} {family}");
        }
    }
}
