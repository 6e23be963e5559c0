//! Search as you type: functions, ranks, places in the machine and communicators, by name or number.

use heddle_model::{CommId, LocationId, RegionId, SystemNodeId};
use heddle_store::Store;
use serde::Serialize;

use crate::questions::details::{communicator_name, node_name};
use crate::request::rows::Rows;
use crate::request::window::{RankSet, Window, row_name};
use crate::scene::Rgba;
use crate::scene::theme::{Colours, regions_by_time};
use crate::scene::ticks::{counted, duration_text, grouped};

/// Hits of one kind beyond this help nobody.
const MOST_HITS: usize = 8;
/// A list of ranks longer than this says less than their number.
const LONGEST_DETAIL: usize = 24;
/// A filter longer than this does not fit an address.
const LONGEST_FILTER: usize = 4_000;

/// What a hit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HitKind {
    /// A region.
    Function,
    /// A location.
    Rank,
    /// A node, or another place in the machine that has ranks.
    Node,
    /// A communicator.
    Communicator,
}

/// Something found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hit {
    /// What it is.
    pub kind: HitKind,
    /// Its name. Hostile text.
    pub label: String,
    /// What to say beside it.
    pub detail: String,
    /// A function's colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<Rgba>,
    /// A function's region.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "crate::request::names::region_number")]
    pub region: Option<RegionId>,
    /// The first row of a rank or node, and the one after its last; none if a filter keeps all of them out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<(usize, usize)>,
    /// The rank, or the ranks of a node or communicator, as a filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<String>,
}

impl Hit {
    fn new(kind: HitKind, label: String, detail: String) -> Hit {
        Hit { kind, label, detail, colour: None, region: None, rows: None, ranks: None }
    }
}

/// Everything whose name holds the text, functions first.
pub fn search(store: &Store, window: &Window, colours: &Colours, text: &str) -> Vec<Hit> {
    let text = text.trim().to_lowercase();
    if text.is_empty() {
        return Vec::new();
    }
    let mut hits = functions(store, colours, &text);
    hits.extend(ranks(store, window, &text));
    hits.extend(nodes(store, window, &text));
    hits.extend(communicators(store, &text));
    hits
}

fn functions(store: &Store, colours: &Colours, text: &str) -> Vec<Hit> {
    let regions = &store.regions;
    let mut found: Vec<(usize, usize, u64)> = regions_by_time(store)
        .into_iter()
        .enumerate()
        .filter(|(_, region)| regions.count.get(*region) > 0)
        .filter_map(|(place, region)| Some((how_well(&regions.name.get(region).to_lowercase(), text)?, place, region)))
        .collect();
    found.sort_unstable();
    let hit = |region: u64| Hit {
        colour: Some(colours.rgba(RegionId(region as u32))),
        region: Some(RegionId(region as u32)),
        ..Hit::new(
            HitKind::Function,
            regions.name.get(region).to_owned(),
            format!(
                "{}, {} in all",
                counted(regions.count.get(region), "call"),
                duration_text(regions.total.get(region))
            ),
        )
    };
    found.into_iter().take(MOST_HITS).map(|(.., region)| hit(region)).collect()
}

/// Smaller is better: the whole name, its beginning, the beginning of a word in it, anywhere.
fn how_well(name: &str, text: &str) -> Option<usize> {
    let at = name.find(text)?;
    let begins_a_word = at > 0 && !name[..at].ends_with(char::is_alphanumeric);
    Some(match at {
        0 if name.len() == text.len() => 0,
        0 => 1,
        _ if begins_a_word => 2,
        _ => 3,
    })
}

fn ranks(store: &Store, window: &Window, text: &str) -> Vec<Hit> {
    let number: Option<u32> = text.strip_prefix("rank").unwrap_or(text).trim().replace(',', "").parse().ok();
    let locations = &store.locations;
    let rows = Rows::of(store, &Window { rows: None, ..window.clone() });
    window
        .locations(store)
        .into_iter()
        .filter(|location| {
            let at = u64::from(location.0);
            match number {
                Some(number) => locations.rank.get(at).0 == number,
                None => locations.name.get(at).to_lowercase().contains(text),
            }
        })
        .take(MOST_HITS)
        .map(|location| {
            let spans = grouped(locations.spans.get(u64::from(location.0)));
            let name = row_name(store, location);
            Hit {
                rows: rows.place_for(location).map(|row| (row, row + 1)),
                ranks: filter_number(store, location).map(|number| number.to_string()),
                ..Hit::new(HitKind::Rank, name, format!("{spans} spans"))
            }
        })
        .collect()
}

/// What a filter of ranks calls a location: its rank; where nothing has ranks, its number.
fn filter_number(store: &Store, location: LocationId) -> Option<u32> {
    let rank = store.locations.rank.get(u64::from(location.0));
    if rank.is_some() { Some(rank.0) } else { (store.summary().ranks == 0).then_some(location.0) }
}

/// Processes and their accelerators are rows, and found as such.
const CLASSES_OF_ROWS: [&str; 2] = ["process", "accelerator"];

fn nodes(store: &Store, window: &Window, text: &str) -> Vec<Hit> {
    let tree = &store.system_tree;
    let mut found: Vec<(usize, SystemNodeId)> = (0..tree.len())
        .filter(|row| !CLASSES_OF_ROWS.contains(&tree.class.get(*row)))
        .filter_map(|row| {
            let name = tree.name.get(row).to_lowercase();
            let called = node_name(store, SystemNodeId(row as u32)).to_lowercase();
            let how_well = how_well(&name, text).into_iter().chain(how_well(&called, text)).min()?;
            Some((how_well, SystemNodeId(row as u32)))
        })
        .collect();
    found.sort_unstable();
    found.truncate(MOST_HITS);
    if found.is_empty() {
        return Vec::new();
    }
    let rows = Rows::of(store, &Window { rows: None, ..window.clone() });
    let locations = window.locations(store);
    found.into_iter().map(|(_, node)| node_hit(store, &rows, &locations, node)).collect()
}

fn node_hit(store: &Store, all: &Rows, locations: &[LocationId], node: SystemNodeId) -> Hit {
    let inside: Vec<LocationId> = locations.iter().copied().filter(|at| is_inside(store, *at, node)).collect();
    let rows: Vec<usize> = inside.iter().filter_map(|at| all.place_for(*at)).collect();
    let numbers = inside.iter().filter_map(|at| filter_number(store, *at));
    let ranks = Some(numbers.collect::<RankSet>().to_string()).filter(|text| !text.is_empty());
    let detail = match (inside.len(), &ranks) {
        (0, _) => "no rows in sight".to_owned(),
        (_, Some(ranks)) if ranks.len() <= LONGEST_DETAIL && store.summary().ranks > 0 => {
            format!("rank{} {ranks}", if ranks.contains(['-', ',']) { "s" } else { "" })
        }
        (count, _) => counted(count as u64, "row"),
    };
    Hit {
        rows: rows.iter().min().zip(rows.iter().max()).map(|(first, last)| (*first, last + 1)),
        ranks: ranks.filter(|ranks| ranks.len() <= LONGEST_FILTER),
        ..Hit::new(HitKind::Node, node_name(store, node), detail)
    }
}

/// Whether a location runs in a place of the machine.
fn is_inside(store: &Store, location: LocationId, place: SystemNodeId) -> bool {
    let tree = &store.system_tree;
    let mut at = store.locations.parent.get(u64::from(location.0));
    // Parents stand before children, so this ends.
    while at.is_some() && at > place {
        at = tree.parent.get(u64::from(at.0));
    }
    at == place
}

fn communicators(store: &Store, text: &str) -> Vec<Hit> {
    (0..store.communicators.len())
        .filter(|row| store.communicators.used.get(*row) != 0)
        .map(|row| CommId(row as u32))
        .filter(|comm| communicator_name(store, *comm).to_lowercase().contains(text))
        .take(MOST_HITS)
        .map(|comm| {
            let members = store.communicators.members.get(u64::from(comm.0));
            let detail = format!("communicator of {}", counted(u64::from(members), "rank"));
            Hit {
                ranks: communicator_ranks(store, comm),
                ..Hit::new(HitKind::Communicator, communicator_name(store, comm), detail)
            }
        })
        .collect()
}

/// The ranks of a communicator's members as a filter, unless it would be too long to pass on.
pub fn communicator_ranks(store: &Store, comm: CommId) -> Option<String> {
    let row = u64::from(comm.0);
    let first = store.communicators.first_member.get(row);
    let members = first..first + u64::from(store.communicators.members.get(row));
    let rank_of = |location: LocationId| store.locations.rank.get(u64::from(location.0));
    let ranks = store.communicator_members.location.iter(members).filter(|location| location.is_some()).map(rank_of);
    let text = ranks.filter(|rank| rank.is_some()).map(|rank| rank.0).collect::<RankSet>().to_string();
    (!text.is_empty() && text.len() <= LONGEST_FILTER).then_some(text)
}
