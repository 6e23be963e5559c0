//! What the server says about a trace as a whole. 64-bit numbers are text: JSON's are exact up to 2^53 only.

use serde::Serialize;

use heddle_model::{CommId, RegionId, Warning};
use heddle_store::{NetworkTables, Store};
use heddle_view::{
    AnalysisKind, Colours, Profile, Rgba, Theme, View, Window, communicator_name, communicator_ranks,
    has_steps_in_sight, regions_by_time,
};

use crate::asked::Asked;

/// Regions beyond this are only counted.
const MOST_REGIONS: usize = 2_000;
/// Communicators beyond this are only counted.
const MOST_COMMUNICATORS: usize = 200;
/// Sections of a measurement beyond this are only counted.
const MOST_SECTIONS: u64 = 2_000;
/// Counters beyond this are left out.
const MOST_METRICS: u64 = 200;
/// Characters of a name. Longer ones are no names.
const LONGEST_NAME: usize = 1_000;

/// The list of traces.
#[derive(Debug, Serialize)]
pub(crate) struct TraceList {
    pub(crate) version: &'static str,
    pub(crate) traces: Vec<crate::traces::TraceState>,
}

/// A trace.
#[derive(Debug, Serialize)]
pub(crate) struct TraceInfo {
    id: String,
    name: String,
    format: String,
    ranks: u64,
    locations: u64,
    rows: usize,
    /// Those of them that are the main location of a rank.
    rows_main: usize,
    /// Whether views of logical time have something to show.
    logical: bool,
    spans: String,
    messages: String,
    collectives: String,
    /// Runs of tasks, and those who run them.
    tasks: String,
    workers: u64,
    unmatched: String,
    end_ns: String,
    has_ranks: bool,
    regions: Vec<RegionInfo>,
    regions_total: usize,
    communicators: Vec<CommunicatorInfo>,
    communicators_total: usize,
    metrics: Vec<MetricInfo>,
    /// What was measured on the network, if anything was.
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<NetworkInfo>,
    warnings: Vec<WarningInfo>,
    views: Vec<&'static str>,
}

/// A measured network.
#[derive(Debug, Serialize)]
struct NetworkInfo {
    hardware: String,
    /// `8x8x8`
    sizes: String,
    nodes: u64,
    links: u64,
    sections: Vec<SectionInfo>,
    sections_total: u64,
    counters: Vec<CounterInfo>,
}

#[derive(Debug, Serialize)]
struct SectionInfo {
    id: String,
    name: String,
    visits: u32,
}

#[derive(Debug, Serialize)]
struct CounterInfo {
    name: String,
    /// `links` or `nodes`.
    of: &'static str,
}

#[derive(Debug, Serialize)]
struct RegionInfo {
    id: u32,
    name: String,
    paradigm: String,
    role: String,
    count: String,
    total_ns: String,
    exclusive_ns: String,
    communication: bool,
    light: Rgba,
    dark: Rgba,
}

#[derive(Debug, Serialize)]
struct CommunicatorInfo {
    id: u32,
    name: String,
    members: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<String>,
}

#[derive(Debug, Serialize)]
struct MetricInfo {
    name: String,
    unit: String,
}

#[derive(Debug, Serialize)]
struct WarningInfo {
    kind: String,
    count: String,
    r#where: String,
    text: String,
}

impl TraceInfo {
    pub(crate) fn of(Asked { id, name, store, book, app, .. }: &Asked) -> TraceInfo {
        let summary = store.summary();
        let visited: Vec<u64> =
            regions_by_time(store).into_iter().filter(|region| store.regions.count.get(*region) > 0).collect();
        let (light, dark) = (Colours::of(store, book, Theme::Light), Colours::of(store, book, Theme::Dark));
        let regions = visited.iter().take(MOST_REGIONS);
        let used: Vec<u64> =
            (0..store.communicators.len()).filter(|row| store.communicators.used.get(*row) != 0).collect();
        TraceInfo {
            id: id.to_owned(),
            name: short(name),
            format: summary.format.clone(),
            ranks: summary.ranks,
            locations: summary.locations,
            rows: Window::default().locations(store).len(),
            rows_main: Window { main_only: true, ..Window::default() }.locations(store).len(),
            logical: has_steps_in_sight(store),
            spans: summary.spans.to_string(),
            messages: summary.messages.to_string(),
            collectives: summary.collectives.to_string(),
            tasks: store.tasks.len().to_string(),
            workers: store.workers.len(),
            unmatched: (summary.unmatched_sends + summary.unmatched_receives).to_string(),
            end_ns: summary.end_ns.to_string(),
            has_ranks: (0..store.locations.len()).any(|row| store.locations.rank.get(row).is_some()),
            regions: regions.map(|region| RegionInfo::of(store, *region, &light, &dark)).collect(),
            regions_total: visited.len(),
            communicators: used.iter().take(MOST_COMMUNICATORS).map(|row| CommunicatorInfo::of(store, *row)).collect(),
            communicators_total: used.len(),
            metrics: (0..store.metrics.len().min(MOST_METRICS)).map(|row| MetricInfo::of(store, row)).collect(),
            network: store.network().map(NetworkInfo::of),
            warnings: store.warnings().iter().map(WarningInfo::of).collect(),
            views: View::ALL
                .iter()
                .filter(|view| !app.left_out.contains(view) && is_shown(store, **view))
                .map(|view| view.name())
                .collect(),
        }
    }
}

/// Whether a view has something to show: counters of a machine alone have neither times nor messages to map anew.
fn is_shown(store: &Store, view: View) -> bool {
    let has_spans = store.summary().spans > 0;
    let shows_links = view.analyses().any(|kind| kind == AnalysisKind::Network) && view != View::Mappings;
    has_spans || store.network().is_none() || shows_links
}

impl NetworkInfo {
    fn of(network: &NetworkTables) -> NetworkInfo {
        let sizes = (0..network.dimensions.len()).map(|row| network.dimensions.size.get(row).to_string());
        let section = |row| SectionInfo {
            id: network.sections.id.get(row).to_string(),
            name: short(network.sections.name.get(row)),
            visits: network.sections.visits.get(row),
        };
        let counter =
            |row| CounterInfo { name: short(network.counters.name.get(row)), of: network.counted(row).name() };
        NetworkInfo {
            hardware: short(network.hardware()),
            sizes: sizes.collect::<Vec<_>>().join("x"),
            nodes: network.nodes.len(),
            links: network.links.len(),
            sections: (0..network.sections.len().min(MOST_SECTIONS)).map(section).collect(),
            sections_total: network.sections.len(),
            counters: (0..network.counters.len().min(MOST_METRICS)).map(counter).collect(),
        }
    }
}

impl RegionInfo {
    fn of(store: &Store, row: u64, light: &Colours, dark: &Colours) -> RegionInfo {
        let (regions, id) = (&store.regions, RegionId(row as u32));
        RegionInfo {
            id: id.0,
            name: short(regions.name.get(row)),
            paradigm: regions.paradigm.get(row).to_owned(),
            role: regions.role.get(row).to_owned(),
            count: regions.count.get(row).to_string(),
            total_ns: regions.total.get(row).to_string(),
            exclusive_ns: regions.exclusive.get(row).to_string(),
            communication: regions.communicates(id),
            light: light.rgba(id),
            dark: dark.rgba(id),
        }
    }
}

impl CommunicatorInfo {
    fn of(store: &Store, row: u64) -> CommunicatorInfo {
        let id = CommId(row as u32);
        CommunicatorInfo {
            id: id.0,
            name: short(&communicator_name(store, id)),
            members: store.communicators.members.get(row),
            ranks: communicator_ranks(store, id),
        }
    }
}

impl MetricInfo {
    fn of(store: &Store, row: u64) -> MetricInfo {
        MetricInfo { name: short(store.metrics.name.get(row)), unit: short(store.metrics.unit.get(row)) }
    }
}

impl WarningInfo {
    fn of(warning: &Warning) -> WarningInfo {
        WarningInfo {
            kind: warning.kind.name(),
            count: warning.count.to_string(),
            r#where: short(&warning.place),
            text: short(&warning.text),
        }
    }
}

/// Time in functions.
#[derive(Debug, Serialize)]
pub(crate) struct ProfileAnswer {
    available_ns: String,
    regions: Vec<RegionTime>,
    /// What is known of the rest, in words.
    rest: &'static str,
}

#[derive(Debug, Serialize)]
struct RegionTime {
    id: u32,
    ns: String,
}

impl ProfileAnswer {
    pub(crate) fn of(profile: &Profile) -> ProfileAnswer {
        let regions = profile.regions.iter().map(|(region, ns)| RegionTime { id: region.0, ns: ns.to_string() });
        ProfileAnswer {
            available_ns: profile.available.to_string(),
            regions: regions.collect(),
            rest: profile.rest.name(),
        }
    }
}

fn short(name: &str) -> String {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_none_are_cut() {
        assert_eq!(short("MPI_Waitall"), "MPI_Waitall");
        assert_eq!(short(&"ä".repeat(LONGEST_NAME)).chars().count(), LONGEST_NAME);
        assert_eq!(short(&"ä".repeat(5_000)).chars().count(), LONGEST_NAME + 1);
    }
}
