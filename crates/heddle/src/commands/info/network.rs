//! What `info` says about a measured network.

use std::io::Write;

use serde::Serialize;

use heddle_model::{Counted, Tally};
use heddle_store::{NetworkTables, Store};

use crate::text::{counted, grouped, printable_name};

/// A measured network in short.
#[derive(Serialize)]
pub(super) struct NetworkInfo<'a> {
    /// Where the values come from.
    source: &'static str,
    hardware: &'a str,
    dimensions: Vec<DimensionInfo<'a>>,
    nodes: u64,
    links: u64,
    /// All that are defined; without messages nothing says which were used.
    communicators: u64,
    sections: Vec<SectionInfo<'a>>,
    counters: Vec<CounterInfo<'a>>,
}

#[derive(Serialize)]
struct DimensionInfo<'a> {
    name: &'a str,
    size: u32,
    wraps: bool,
}

#[derive(Serialize)]
struct SectionInfo<'a> {
    id: i64,
    name: &'a str,
    visits: u32,
    /// What was counted in it on links, counter by counter.
    sums: Vec<f64>,
}

/// A counter, added up over all sections for each link or node, without what cannot be.
#[derive(Serialize)]
struct CounterInfo<'a> {
    name: &'a str,
    of: &'static str,
    measured: u64,
    nonzero: u64,
    min: Option<f64>,
    max: Option<f64>,
    sum: f64,
    /// How often a link or node has values in a section that cannot be; they are left out above.
    impossible: u64,
}

impl<'a> NetworkInfo<'a> {
    pub(super) fn of(store: &'a Store) -> Option<NetworkInfo<'a>> {
        let network = store.network()?;
        let dimension = |row| DimensionInfo {
            name: network.dimensions.name.get(row),
            size: network.dimensions.size.get(row),
            wraps: network.dimensions.wraps.get(row) == 1,
        };
        let section = |row| SectionInfo {
            id: network.sections.id.get(row),
            name: network.sections.name.get(row),
            visits: network.sections.visits.get(row),
            sums: network.counters_of(Counted::Links).map(|counter| possible_sum(network, counter, row)).collect(),
        };
        Some(NetworkInfo {
            source: "measured",
            hardware: network.hardware(),
            dimensions: (0..network.dimensions.len()).map(dimension).collect(),
            nodes: network.nodes.len(),
            links: network.links.len(),
            communicators: store.communicators.len(),
            sections: (0..network.sections.len()).map(section).collect(),
            counters: (0..network.counters.len()).map(|counter| CounterInfo::of(network, counter)).collect(),
        })
    }
}

fn possible_sum(network: &NetworkTables, counter: u64, section: u64) -> f64 {
    let mut sum = 0.0;
    network.for_each_tally(counter, section, |tally| sum += if tally.is_possible() { tally.sum } else { 0.0 });
    sum
}

impl<'a> CounterInfo<'a> {
    fn of(network: &'a NetworkTables, counter: u64) -> CounterInfo<'a> {
        let totals = network.totals(counter, 0..network.sections.len());
        let mut info = CounterInfo {
            name: network.counters.name.get(counter),
            of: network.counted(counter).name(),
            measured: 0,
            nonzero: 0,
            min: None,
            max: None,
            sum: 0.0,
            impossible: 0,
        };
        for total in totals.iter().flatten() {
            info.measured += 1;
            if total.is_possible() {
                info.nonzero += u64::from(total.sum != 0.0);
                info.min = Some(info.min.map_or(total.sum, |min| min.min(total.sum)));
                info.max = Some(info.max.map_or(total.sum, |max| max.max(total.sum)));
                info.sum += total.sum;
            }
        }
        for section in 0..network.sections.len() {
            network.for_each_tally(counter, section, |tally: Tally| info.impossible += u64::from(!tally.is_possible()));
        }
        info
    }
}

/// The same for people. `ranks` are those that the run places on nodes.
pub(super) fn print(info: &NetworkInfo, ranks: u64, out: &mut impl Write) -> anyhow::Result<()> {
    let sizes: Vec<String> = info.dimensions.iter().map(|dimension| dimension.size.to_string()).collect();
    let is_torus = info.dimensions.iter().any(|dimension| dimension.wraps);
    let hardware =
        if info.hardware.is_empty() { String::new() } else { format!(", {}", printable_name(info.hardware)) };
    writeln!(
        out,
        "  {} {}{hardware} · {} · {} · {} · {} · {}",
        sizes.join("x"),
        if is_torus { "torus" } else { "mesh" },
        counted(info.nodes, "node"),
        counted(info.links, "link"),
        counted(info.sections.len() as u64, "section"),
        counted(ranks, "rank"),
        counted(info.communicators, "communicator"),
    )?;
    if !info.counters.is_empty() {
        writeln!(
            out,
            "\n  {:16}  {:5}  {:>16}  {:>16}  {:>18}  {:>10}",
            "counter", "of", "least", "most", "sum", "impossible"
        )?;
    }
    for counter in &info.counters {
        writeln!(
            out,
            "  {:16}  {:5}  {:>16}  {:>16}  {:>18}  {:>10}",
            printable_name(counter.name),
            counter.of,
            counter.min.map_or_else(String::new, value),
            counter.max.map_or_else(String::new, value),
            value(counter.sum),
            if counter.impossible > 0 { grouped(counter.impossible) } else { String::new() },
        )?;
    }
    print_sections(info, out)
}

fn print_sections(info: &NetworkInfo, out: &mut impl Write) -> anyhow::Result<()> {
    const MOST: usize = 20;
    if info.sections.is_empty() {
        return Ok(());
    }
    let first = info.counters.iter().find(|counter| counter.of == Counted::Links.name());
    let heading = first.map_or_else(String::new, |counter| printable_name(counter.name));
    writeln!(out, "\n  {:>12}  {:>8}  {heading:>18}  name", "section", "visits")?;
    for section in info.sections.iter().take(MOST) {
        let sum = section.sums.first().copied().map_or_else(String::new, value);
        let name = printable_name(section.name);
        let line = format!("  {:>12}  {:>8}  {sum:>18}  {name}", section.id, grouped(u64::from(section.visits)));
        writeln!(out, "{}", line.trim_end())?;
    }
    if info.sections.len() > MOST {
        writeln!(out, "  … and {}; --json lists all", counted((info.sections.len() - MOST) as u64, "section"))?;
    }
    Ok(())
}

/// A value for people: whole numbers with separators.
fn value(value: f64) -> String {
    if value.fract() == 0.0 && (0.0..1e15).contains(&value) { grouped(value as u64) } else { value.to_string() }
}
