//! Who is meant: a node, a rank, a row of the process grid, or some locations, as people call them.

use heddle_diagnosis::finding::{Finding, FindingKind};
use heddle_diagnosis::suspect::Group;
use heddle_model::{LocationId, SystemNodeId};
use heddle_store::Store;
use rustc_hash::FxHashSet;

use crate::questions::details::node_name;
use crate::questions::findings::LONGEST_FILTER;
use crate::request::window::{RankSet, row_name};
use crate::scene::ticks::{counted, grouped};

/// Ranges of ranks, or names, that are told one by one; of more their number is told.
const MOST_NAMED: usize = 3;

/// Somebody, as a sentence has it.
pub(super) struct Who {
    /// `node 12`, `rank 5`, `ranks 3, 7`, `12 ranks`.
    pub(super) name: String,
    /// Whether a verb after it is in the plural.
    pub(super) is_many: bool,
}

impl Who {
    /// Who a finding is about.
    pub(super) fn of(store: &Store, finding: &Finding) -> Who {
        let suspect = &finding.suspect;
        if let Some(nodes) = task_nodes(store, &suspect.locations).filter(|nodes| !nodes.is_empty()) {
            return Who { name: numbered("node", &nodes), is_many: nodes.len() > 1 };
        }
        match &suspect.group {
            Some(Group::Node(node)) => Who { name: node_name(store, *node), is_many: false },
            Some(Group::Stride { first, stride, count }) if *stride > 1 => {
                let last = u64::from(*first) + u64::from(*stride) * u64::from(count.saturating_sub(1));
                let each = format!("every {} rank from {first} to {}", ordinal(*stride), grouped(last));
                Who { name: each, is_many: false }
            }
            _ => Who::named(store, &suspect.locations),
        }
    }

    /// Some locations.
    pub(super) fn named(store: &Store, locations: &[LocationId]) -> Who {
        let name = match locations {
            [one] => row_name(store, *one),
            some => several(store, some),
        };
        Who { name, is_many: locations.len() != 1 }
    }

    /// A verb that fits: `computes`, `compute`.
    pub(super) fn verb(&self, one: &str, many: &str) -> String {
        format!("{} {}", self.name, if self.is_many { many } else { one })
    }
}

/// `2nd`, `16th`.
fn ordinal(number: u32) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{}{ending}", grouped(u64::from(number)))
}

/// The ranks of some locations, if they are the main locations of ranks.
pub(super) fn ranks_of(store: &Store, locations: &[LocationId]) -> Option<Vec<u32>> {
    let rank = |location: &LocationId| {
        let at = u64::from(location.0);
        let is_main = store.locations.is_main.get(at) != 0;
        store.locations.rank.get(at).some().filter(|_| is_main).map(|rank| rank.0)
    };
    locations.iter().map(rank).collect()
}

fn several(store: &Store, locations: &[LocationId]) -> String {
    if let Some(ranks) = ranks_of(store, locations) {
        return numbered("rank", &ranks);
    }
    if locations.len() <= MOST_NAMED {
        return locations.iter().map(|location| row_name(store, *location)).collect::<Vec<_>>().join(", ");
    }
    let noun = if store.workers.is_empty() { "locations" } else { "workers" };
    format!("{} {noun}", grouped(locations.len() as u64))
}

/// `rank 5`, `ranks 3–5, 9`, `12 ranks`.
fn numbered(noun: &str, numbers: &[u32]) -> String {
    let ranges = numbers.iter().copied().collect::<RankSet>().to_string().replace('-', "–");
    match (numbers.len(), ranges.split(',').count()) {
        (1, _) => format!("{noun} {ranges}"),
        (_, count) if count <= MOST_NAMED => format!("{noun}s {}", ranges.replace(',', ", ")),
        (many, _) => format!("{} {noun}s", grouped(many as u64)),
    }
}

/// In programs of tasks, the nodes that some workers are of: their ranks.
fn task_nodes(store: &Store, locations: &[LocationId]) -> Option<Vec<u32>> {
    if store.tasks.is_empty() {
        return None;
    }
    let rank = |location: &LocationId| store.locations.rank.get(u64::from(location.0)).some().map(|rank| rank.0);
    let mut ranks: Vec<u32> = locations.iter().map(rank).collect::<Option<_>>()?;
    ranks.sort_unstable();
    ranks.dedup();
    Some(ranks)
}

/// What the parts of a program are called that are compared: `ranks`, `nodes` of a program of tasks, or what there is.
pub(super) fn everybody(store: &Store) -> String {
    let one = if store.tasks.is_empty() { counted_rows(store, 2) } else { counted_waiting(store, 2) };
    one.trim_start_matches("2 ").to_owned()
}

/// Who waits: `12 ranks`; in programs of tasks `12 nodes`.
pub(super) fn counted_waiting(store: &Store, count: u64) -> String {
    if store.tasks.is_empty() { counted_rows(store, count) } else { counted(count, "node") }
}

/// `12 ranks`; `12 workers` or `12 locations` where there are none.
pub(super) fn counted_rows(store: &Store, count: u64) -> String {
    let one = count == 1;
    let noun = match (store.summary().ranks > 0, store.workers.is_empty()) {
        (true, _) => "rank",
        (false, false) => "worker",
        (false, true) => "location",
    };
    format!("{} {noun}{}", grouped(count), if one { "" } else { "s" })
}

/// Which ranks, as a filter; none if that would be too long to pass on.
pub(super) fn filter(store: &Store, locations: &[LocationId]) -> Option<String> {
    let number = |location: &LocationId| {
        let rank = store.locations.rank.get(u64::from(location.0));
        if rank.is_some() { rank.0 } else { location.0 }
    };
    let text = locations.iter().map(number).collect::<RankSet>().to_string();
    (!text.is_empty() && text.len() <= LONGEST_FILTER).then_some(text)
}

/// The nodes that a finding accuses, by their own names: the place that it was brought down to, both ends of a slow link between
/// nodes, and of nodes with slow tasks or links all of them. A slow rank accuses no node.
pub(super) fn nodes(store: &Store, finding: &Finding) -> Vec<String> {
    let name = |node: SystemNodeId| store.system_tree.name.get(u64::from(node.0)).to_owned();
    if let Some(nodes) = task_nodes(store, &finding.suspect.locations) {
        return nodes.iter().map(|node| format!("node {node}")).collect();
    }
    if let Some(Group::Node(node)) = finding.suspect.group {
        return vec![name(node)];
    }
    if finding.kind() == FindingKind::SlowLink
        && let Some((one, other)) = node_pair(store, &finding.suspect.pairs)
    {
        return vec![name(one), name(other)];
    }
    if finding.kind() != FindingKind::SlowNodes {
        return Vec::new();
    }
    let mut seen = FxHashSet::default();
    let of = finding.suspect.locations.iter().filter_map(|location| store.node_of(*location));
    of.filter(|node| seen.insert(*node)).map(name).collect()
}

/// The two nodes that all pairs of a slow link lie between, if that is so.
pub(super) fn node_pair(store: &Store, pairs: &[(LocationId, LocationId)]) -> Option<(SystemNodeId, SystemNodeId)> {
    let both = |pair: &(LocationId, LocationId)| {
        let (a, b) = (store.node_of(pair.0)?, store.node_of(pair.1)?);
        (a != b).then_some((a.min(b), a.max(b)))
    };
    let first = both(pairs.first()?)?;
    let is_one = pairs.len() > 2 && pairs.iter().all(|pair| both(pair) == Some(first));
    is_one.then_some(first)
}
