//! Mappings side by side: what each puts on the links, in the same figures.

use std::sync::Arc;

use heddle_network::Network;
use heddle_topology::LoadStatistics;
use serde::Serialize;

use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::views::machine::loads::{Loads, load_text};

/// A mapping and its figures, or why there are none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MappingRow {
    /// Its name. Hostile text.
    pub name: String,
    /// Why it cannot be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The largest load of a link, also in words.
    pub max: f64,
    /// In words.
    pub max_text: String,
    /// The mean.
    pub mean: f64,
    /// In words.
    pub mean_text: String,
    /// Standard deviation over mean.
    pub cv: f64,
    /// How unevenly loads are shared out.
    pub gini: f64,
    /// Share of links that carry nothing.
    pub idle: f64,
    /// The sum over sections of their fullest links: what the run would take if sections followed each other and each
    /// waited for its fullest link.
    pub phase_sum: f64,
    /// In words.
    pub phase_sum_text: String,
}

/// The machine with other mappings. An empty name is where ranks sit now.
pub(crate) fn networks(trace: &Trace<'_>, names: &[String]) -> Vec<(String, Result<Arc<Network>, String>)> {
    let Some(network) = &trace.network else { return Vec::new() };
    let one = |name: &String| {
        if name.is_empty() || *name == network.machine.mapping {
            return (network.machine.mapping.clone(), Ok(Arc::clone(network)));
        }
        (name.clone(), network.with_mapping(trace.store, name).map_err(|error| error.to_string()))
    };
    names.iter().map(one).collect()
}

/// What each mapping puts on the links.
pub fn compare_mappings(trace: &Trace<'_>, request: &ViewRequest, names: &[String]) -> Vec<MappingRow> {
    networks(trace, names).into_iter().map(|(name, network)| row(trace, request, name, network)).collect()
}

fn row(trace: &Trace<'_>, request: &ViewRequest, name: String, network: Result<Arc<Network>, String>) -> MappingRow {
    let empty = |name: String, error: Option<String>| MappingRow {
        name,
        error,
        max: 0.0,
        max_text: String::new(),
        mean: 0.0,
        mean_text: String::new(),
        cv: 0.0,
        gini: 0.0,
        idle: 0.0,
        phase_sum: 0.0,
        phase_sum_text: String::new(),
    };
    let network = match network {
        Ok(network) => network,
        Err(error) => return empty(name, Some(error)),
    };
    let loads = Loads::on(trace, &network, request);
    let all = LoadStatistics::of(&loads.links);
    let wanted = loads.network.options().wanted_sections();
    let is_wanted = |at: usize| wanted.as_ref().is_none_or(|wanted| wanted.contains(&at));
    let sections = loads.traffic.sections.iter().enumerate().filter(|(at, _)| is_wanted(*at));
    let phase_sum: f64 = sections.map(|(_, section)| LoadStatistics::of(&section.loads).max).sum();
    let text = |value: f64| load_text(&loads.traffic.unit, value);
    MappingRow {
        name,
        error: None,
        max: all.max,
        max_text: text(all.max),
        mean: all.mean,
        mean_text: text(all.mean),
        cv: all.cv,
        gini: all.gini,
        idle: all.unused_part(),
        phase_sum,
        phase_sum_text: text(phase_sum),
    }
}
