//! Rows in another order than that of ranks, and rows that stand for several ranks.
//!
//! What options say is resolved here, once and before anything is drawn, into the list of rows that a [`Window`] carries.
//! [`Rows`](super::rows::Rows) takes it from there: neither views nor questions know of orders.

use std::cmp::Reverse;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use heddle_model::{CommId, LocationId, SystemNodeId};
use heddle_options::{Given, OptionError, OptionSpec, Options, Words, options};
use heddle_store::Store;

use super::ViewRequest;
use super::window::{Window, row_label, shortened};
use crate::analyses::{AnalysisKind, Need, Trace, Urgency};
use crate::diagnosed::waiting_in;
use crate::lookup::communicators::{check_communicator, communicator_members};
use crate::questions::details::{communicator_name, node_name};
use crate::scene::ticks::{counted, grouped};
use crate::views::View;
use crate::views::clusters::shown_clusters;
use crate::views::timeline::path::pieces_in;

options! {
    /// Which rows there are, in which order.
    pub struct RowOptions {
        /// Order of rows: by rank, by cluster, by node of the machine, or the rank with the largest lateness first
        "order" ("Order of rows") order: RowOrder = RowOrder::Rank,
        /// One row per cluster or per node instead of one per rank; it shows the rank that stands for them. Or path: only the ranks that the critical path visits in the window, and a few that wait most
        "fold" ("Fold rows") fold: Fold = Fold::None,
        /// Rows are the members of this communicator, given by its number, in its order and with its numbers
        "members" ("Members of") members: Option<CommId> = None,
    }
}

/// In which order rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrder {
    /// As ranks are numbered; clusters as in their view.
    Rank,
    /// Clusters as in their view, ranks ascending within; those that are in none last.
    Cluster,
    /// Nodes by their first rank, ranks ascending within.
    Node,
    /// The largest lateness first.
    Lateness,
}

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// A rank, or location.
    None,
    /// A cluster, as open as in their view.
    Cluster,
    /// A node of the machine.
    Node,
    /// A rank, but only those that the critical path visits in the window, and a few others that wait most.
    Path,
}

impl Words for RowOrder {
    const WORDS: &'static [(&'static str, RowOrder)] = &[
        ("rank", RowOrder::Rank),
        ("cluster", RowOrder::Cluster),
        ("node", RowOrder::Node),
        ("lateness", RowOrder::Lateness),
    ];
}

impl Words for Fold {
    const WORDS: &'static [(&'static str, Fold)] =
        &[("none", Fold::None), ("cluster", Fold::Cluster), ("node", Fold::Node), ("path", Fold::Path)];
}

impl RowOptions {
    fn are_usual(&self) -> bool {
        self.order == RowOrder::Rank && self.fold == Fold::None && self.members.is_none()
    }

    fn need_clusters(&self) -> bool {
        self.order == RowOrder::Cluster || self.fold == Fold::Cluster
    }
}

/// The options of views with rows, besides those of analyses: the clusters that have rows are those of the clusters view.
pub(crate) fn row_specs() -> impl Iterator<Item = OptionSpec> {
    RowOptions::specs().into_iter().chain(View::Clusters.options().into_iter().filter(|spec| spec.name == "open"))
}

/// All options that decide which rows there are.
pub fn row_options() -> Vec<OptionSpec> {
    row_specs().chain(AnalysisKind::Clusters.options()).collect()
}

/// Whether rows rest on clusters.
pub(crate) fn clusters_urgency(request: &ViewRequest) -> Option<Urgency> {
    request.options.checked::<RowOptions>().need_clusters().then_some(Urgency::Required)
}

/// Whether rows are those of the critical path.
pub(crate) fn path_urgency(request: &ViewRequest) -> Option<Urgency> {
    (request.options.checked::<RowOptions>().fold == Fold::Path).then_some(Urgency::Required)
}

/// Whether rows, or a window of steps, rest on logical time.
pub(crate) fn logical_urgency(request: &ViewRequest) -> Option<Urgency> {
    let is_late_first = request.options.checked::<RowOptions>().order == RowOrder::Lateness;
    (is_late_first || request.window.steps.is_some()).then_some(Urgency::Required)
}

/// What rows rest on, by their options.
pub fn row_needs(store: &Store, given: &Given) -> Result<Option<(Need, Urgency)>, OptionError> {
    let options: RowOptions = given.read()?;
    check_communicator(store, "members", options.members)?;
    let kind = match options {
        options if options.need_clusters() => AnalysisKind::Clusters,
        RowOptions { fold: Fold::Path, .. } => AnalysisKind::Diagnosis,
        RowOptions { order: RowOrder::Lateness, .. } => AnalysisKind::Logical,
        _ => return Ok(None),
    };
    Ok(Some((kind.need(store, given)?, Urgency::Required)))
}

/// The window with its rows as options say. Without what they rest on, rows stay as they are.
pub fn arrange(trace: &Trace<'_>, window: Window, given: &Given) -> Window {
    let options: RowOptions = given.checked();
    if options.are_usual() || (options.need_clusters() && trace.clusters.is_none()) {
        return window;
    }
    if options.fold == Fold::Path {
        let arranged = path_rows(trace, &window).map(Arc::new);
        return Window { arranged, ..window };
    }
    let locations = match options.members {
        Some(members) => communicator_members(trace.store, members)
            .into_iter()
            .filter(|location| window.shows(trace.store, *location))
            .collect(),
        None => window.locations(trace.store),
    };
    let arranged = Arranging { trace, given, locations }.arranged(&options);
    Window { arranged: arranged.map(Arc::new), ..window }
}

/// Rows as options say.
#[derive(Debug, PartialEq)]
pub struct Arranged {
    /// The location that each row shows, from above.
    rows: Vec<LocationId>,
    /// The row that stands for a location, by its number.
    row_for: Vec<Option<u32>>,
    /// What rows are called, where they have names of their own.
    labels: Option<Vec<String>>,
    /// Whom each row stands for, where that is not only the location that it shows.
    folded: Option<Folded>,
    /// What to say of the order; of folded rows, how many there are for how many ranks.
    words: String,
}

#[derive(Debug, PartialEq)]
struct Folded {
    by: Fold,
    /// The locations that each row stands for.
    members: Vec<Vec<LocationId>>,
}

impl Arranged {
    /// One row for each location, in this order.
    pub(super) fn listed(rows: Vec<LocationId>, words: String) -> Arranged {
        let pairs = rows.iter().copied().zip(0..).collect();
        Arranged { row_for: by_number(pairs), rows, labels: None, folded: None, words }
    }

    fn folded(groups: Vec<Group>, by: Fold, words: String) -> Arranged {
        let pairs = groups.iter().zip(0..).flat_map(|(group, row)| group.members.iter().map(move |at| (*at, row)));
        Arranged {
            row_for: by_number(pairs.collect()),
            rows: groups.iter().map(|group| group.shown).collect(),
            words,
            labels: Some(groups.iter().map(|group| group.label.clone()).collect()),
            folded: Some(Folded { by, members: groups.into_iter().map(|group| group.members).collect() }),
        }
    }

    pub(crate) fn rows(&self) -> &[LocationId] {
        &self.rows
    }

    /// The row that stands for a location.
    pub(crate) fn row_for(&self, location: LocationId) -> Option<usize> {
        self.row_for.get(location.index()).copied().flatten().map(|row| row as usize)
    }

    /// The row that shows a location itself.
    pub(crate) fn row_of(&self, location: LocationId) -> Option<usize> {
        self.row_for(location).filter(|row| self.rows.get(*row) == Some(&location))
    }

    /// Whether rows stand for several ranks.
    pub(crate) fn is_folded(&self) -> bool {
        self.folded.is_some()
    }

    /// What a row is called, if it has a name of its own.
    pub(crate) fn label(&self, row: usize) -> Option<&str> {
        self.labels.as_ref()?.get(row).map(String::as_str)
    }

    /// What rows are, if not ranks.
    pub(crate) fn title(&self) -> Option<&'static str> {
        match &self.folded {
            Some(folded) => Some(if folded.by == Fold::Node { "node" } else { "cluster" }),
            None => self.labels.as_ref().map(|_| "member"),
        }
    }

    /// The locations that a row stands for.
    pub(crate) fn members(&self, row: usize) -> &[LocationId] {
        match &self.folded {
            Some(folded) => folded.members.get(row).map_or(&[], Vec::as_slice),
            None => self.rows.get(row..=row).unwrap_or_default(),
        }
    }

    /// What to say of it beside a picture, whose rows show one rank each or add up all that they stand for.
    pub(crate) fn note(&self, adds_up: bool) -> String {
        let words = &self.words;
        match self.folded.as_ref().map(|folded| folded.by) {
            None | Some(Fold::None | Fold::Path) => format!("{words}."),
            Some(by) if adds_up => {
                let what = if by == Fold::Node { "node" } else { "cluster" };
                format!("Each row, and column, adds up a {what}: {words}.")
            }
            Some(Fold::Cluster) => format!("Each row shows the rank that stands for its cluster: {words}."),
            Some(Fold::Node) => format!("Each row shows the lowest rank of its node: {words}."),
        }
    }
}

fn by_number(pairs: Vec<(LocationId, u32)>) -> Vec<Option<u32>> {
    let count = pairs.iter().map(|(location, _)| location.index() + 1).max().unwrap_or(0);
    let mut rows = vec![None; count];
    for (location, row) in pairs {
        rows[location.index()] = Some(row);
    }
    rows
}

/// Locations that share a row.
struct Group {
    shown: LocationId,
    members: Vec<LocationId>,
    label: String,
}

/// What there is to arrange.
struct Arranging<'a> {
    trace: &'a Trace<'a>,
    given: &'a Given,
    /// Ascending, or in the order of the communicator whose members they are.
    locations: Vec<LocationId>,
}

impl Arranging<'_> {
    fn arranged(self, options: &RowOptions) -> Option<Arranged> {
        let keys: Vec<u32> = match (options.fold, options.order) {
            (Fold::Cluster, _) | (Fold::None, RowOrder::Cluster) => self.clusters()?,
            (Fold::Node, _) | (Fold::None, RowOrder::Node) => self.nodes(),
            (Fold::None | Fold::Path, _) => (0..self.locations.len() as u32).collect(),
        };
        let mut order: Vec<usize> = (0..self.locations.len()).collect();
        match (options.order, options.fold) {
            // Beside the clusters view one looks for the same rows in the same order.
            (RowOrder::Rank, Fold::Cluster) => order.sort_by_key(|at| keys[*at]),
            (RowOrder::Rank, _) => {}
            (RowOrder::Cluster, Fold::None | Fold::Cluster | Fold::Path) => order.sort_by_key(|at| keys[*at]),
            (RowOrder::Cluster, Fold::Node) => {
                let clusters = self.clusters()?;
                order.sort_by_key(|at| clusters[*at]);
            }
            (RowOrder::Node, _) => {
                let nodes = self.nodes();
                order.sort_by_key(|at| nodes[*at]);
            }
            (RowOrder::Lateness, _) => {
                let late = self.lateness()?;
                order.sort_by_key(|at| Reverse(late[*at]));
            }
        }
        if options.fold == Fold::None {
            let rows = order.iter().map(|at| self.locations[*at]).collect();
            let listed = Arranged::listed(rows, order_words(options.order, &keys));
            return Some(match options.members {
                Some(members) => self.numbered(listed, members, options.order),
                None => listed,
            });
        }
        let groups = self.groups(&keys, &order, options.fold);
        let (rows, ranks) = (counted(groups.len() as u64, "row"), counted(self.ranks(&self.locations), "rank"));
        Some(Arranged::folded(groups, options.fold, format!("{rows} for {ranks}")))
    }

    /// Rows with the numbers that a communicator gives its members.
    fn numbered(&self, listed: Arranged, members: CommId, order: RowOrder) -> Arranged {
        let all = communicator_members(self.trace.store, members);
        let numbers: FxHashMap<LocationId, u64> = all.into_iter().zip(0..).collect();
        let labels = listed.rows.iter().map(|at| numbers.get(at).map_or_else(String::new, |number| grouped(*number)));
        let (name, count) = (communicator_name(self.trace.store, members), grouped(listed.rows.len() as u64));
        let how = match order {
            RowOrder::Rank => "in its order and with its numbers".to_owned(),
            _ => format!("with its numbers. {}", listed.words),
        };
        Arranged {
            labels: Some(labels.collect()),
            words: format!("Rows are the {count} members of {name}, {how}"),
            ..listed
        }
    }

    /// For each location the place of its cluster in the clusters view; beyond all of them where it is in none.
    fn clusters(&self) -> Option<Vec<u32>> {
        let (data, clusters) = (self.trace.logical.as_ref()?, self.trace.clusters.as_ref()?);
        let shown = shown_clusters(clusters, self.given);
        let mut place_of_leaf: FxHashMap<u32, u32> = FxHashMap::default();
        for (place, node) in (0..).zip(&shown) {
            place_of_leaf.extend(clusters.tree().leaves_of(*node).into_iter().map(|leaf| (leaf, place)));
        }
        // Threads stand beside the main location of their rank: it is the one that was compared.
        let rank_of = |row: u32| self.rank(data.logical.rows.location.get(u64::from(row)));
        let place_of_rank: FxHashMap<u32, u32> =
            clusters.members().filter_map(|(row, leaf)| Some((rank_of(row)?, *place_of_leaf.get(&leaf)?))).collect();
        let place = |at: &LocationId| self.rank(*at).and_then(|rank| place_of_rank.get(&rank).copied());
        Some(self.locations.iter().map(|at| place(at).unwrap_or(shown.len() as u32)).collect())
    }

    /// For each location the place of its node, by first locations; one of its own where it is on none.
    fn nodes(&self) -> Vec<u32> {
        let mut places: FxHashMap<SystemNodeId, u32> = FxHashMap::default();
        let mut count = 0;
        let mut next = || {
            count += 1;
            count - 1
        };
        let mut place = |at: &LocationId| match self.trace.store.node_of(*at) {
            Some(node) => *places.entry(node).or_insert_with(&mut next),
            None => next(),
        };
        self.locations.iter().map(&mut place).collect()
    }

    /// For each location the largest lateness of its rank.
    fn lateness(&self) -> Option<Vec<i64>> {
        let steps = &self.trace.logical.as_ref()?.steps;
        let rows = &steps.logical.rows;
        let late_of_rank: FxHashMap<u32, i64> = (0..rows.len())
            .zip(steps.largest_lateness())
            .filter_map(|(row, late)| Some((self.rank(rows.location.get(row))?, *late)))
            .collect();
        let late = |at: &LocationId| self.rank(*at).and_then(|rank| late_of_rank.get(&rank).copied()).unwrap_or(-1);
        Some(self.locations.iter().map(late).collect())
    }

    fn rank(&self, location: LocationId) -> Option<u32> {
        self.trace.store.locations.rank.get(u64::from(location.0)).some().map(|rank| rank.0)
    }

    /// How many ranks some locations are of; locations without ranks count themselves.
    fn ranks(&self, locations: &[LocationId]) -> u64 {
        let ranks: FxHashSet<u32> = locations.iter().filter_map(|at| self.rank(*at)).collect();
        if ranks.is_empty() { locations.len() as u64 } else { ranks.len() as u64 }
    }

    /// One group for each key, where the first of its locations is in the order.
    fn groups(&self, keys: &[u32], order: &[usize], fold: Fold) -> Vec<Group> {
        let mut rows: Vec<Vec<LocationId>> = Vec::new();
        let mut row_of: FxHashMap<u32, usize> = FxHashMap::default();
        let mut key_of_row = Vec::new();
        for at in order {
            let row = *row_of.entry(keys[*at]).or_insert_with(|| {
                rows.push(Vec::new());
                key_of_row.push(keys[*at]);
                rows.len() - 1
            });
            rows[row].push(self.locations[*at]);
        }
        let medoids = if fold == Fold::Cluster { self.medoids() } else { Vec::new() };
        let group = |(mut members, key): (Vec<LocationId>, u32)| {
            members.sort_unstable();
            // A filter may keep the medoid out.
            let medoid = medoids.get(key as usize).copied().flatten();
            let shown = medoid.filter(|medoid| members.binary_search(medoid).is_ok()).unwrap_or(members[0]);
            let label = self.label(fold, &members, shown, (key as usize) < medoids.len());
            Group { shown, members, label }
        };
        rows.into_iter().zip(key_of_row).map(group).collect()
    }

    /// The locations that stand for the clusters, from above.
    fn medoids(&self) -> Vec<Option<LocationId>> {
        let (Some(data), Some(clusters)) = (&self.trace.logical, &self.trace.clusters) else { return Vec::new() };
        let medoid = |node: u32| {
            let row = clusters.medoid(&data.logical, &data.values, node)?;
            Some(data.logical.rows.location.get(u64::from(row)))
        };
        shown_clusters(clusters, self.given).into_iter().map(medoid).collect()
    }

    /// Whom a row stands for: `506 ranks · 8,363`, `node 5 · 320`, `rank 21`.
    fn label(&self, fold: Fold, members: &[LocationId], shown: LocationId, is_cluster: bool) -> String {
        /// Characters of a node's name for which there is room.
        const LONGEST: usize = 18;
        let store = self.trace.store;
        let (number, ranks) = (row_label(store, shown, false), self.ranks(members));
        match (fold, store.node_of(shown)) {
            (Fold::Node, Some(node)) => format!("{} · {number}", shortened(&node_name(store, node), LONGEST)),
            _ if ranks == 1 => format!("rank {number}"),
            (Fold::Cluster, _) if !is_cluster => format!("{} others · {number}", grouped(ranks)),
            _ => format!("{} ranks · {number}", grouped(ranks)),
        }
    }
}

/// Ranks of the path that have rows, and others that wait most.
const MOST_ON_PATH: usize = 24;
const MOST_WAITING: usize = 5;

/// The ranks that the critical path visits in a window, those first on which it is longest, and a few others that wait most;
/// ascending. None without a path.
fn path_rows(trace: &Trace<'_>, window: &Window) -> Option<Arranged> {
    let diagnosed = trace.diagnosis.as_ref()?;
    let (store, time) = (trace.store, window.time(trace.store));
    let mut lengths: FxHashMap<LocationId, i64> = FxHashMap::default();
    for piece in pieces_in(diagnosed, time).iter().filter(|piece| window.shows(store, piece.location)) {
        *lengths.entry(piece.location).or_default() += piece.end.min(time.1).since(piece.start.max(time.0));
    }
    let visited = lengths.len();
    let mut rows: Vec<(LocationId, i64)> = lengths.into_iter().collect();
    rows.sort_unstable_by_key(|(location, length)| (Reverse(*length), *location));
    rows.truncate(MOST_ON_PATH);
    let mut rows: Vec<LocationId> = rows.into_iter().map(|(location, _)| location).collect();
    if rows.is_empty() {
        return None;
    }
    let index = diagnosed.index(store);
    let mut waiting: Vec<(i64, LocationId)> = (index.locations.par_iter().enumerate())
        .filter(|(_, location)| window.shows(store, **location) && !rows.contains(location))
        .map(|(row, location)| (waiting_in(diagnosed.run.waits.of(row), time), *location))
        .collect();
    waiting.sort_unstable_by_key(|(waited, location)| (Reverse(*waited), *location));
    let others = waiting.iter().filter(|(waited, _)| *waited > 0).take(MOST_WAITING).map(|(_, location)| *location);
    let shown = rows.len() as u64;
    rows.extend(others);
    let few = rows.len() as u64 - shown;
    rows.sort_unstable();
    let which = match visited as u64 {
        all if all == shown => format!("the {} that the path visits here (bar at the left)", counted(shown, "rank")),
        all => format!("the {shown} of {} that the path visits here on which it is longest", counted(all, "rank")),
    };
    let others = if few > 0 { format!(" and {} that wait most", counted(few, "other")) } else { String::new() };
    Some(Arranged::listed(rows, format!("Rows are {which}{others}")))
}

/// What rows are ordered by, in words. Locations with the same key are in one group.
fn order_words(order: RowOrder, keys: &[u32]) -> String {
    let groups = || keys.iter().collect::<FxHashSet<_>>().len() as u64;
    match order {
        RowOrder::Rank => "Rows are ordered by rank".to_owned(),
        RowOrder::Cluster => format!("Rows are ordered by cluster: {}", counted(groups(), "group")),
        RowOrder::Node => format!("Rows are ordered by node: {}", counted(groups(), "node")),
        RowOrder::Lateness => "Rows are ordered by their largest lateness, the latest first".to_owned(),
    }
}
