//! The rows of a profile: what they say, and in which order they stand.

use std::cmp::Reverse;
use std::sync::Arc;

use heddle_model::{LocationId, RegionId};
use heddle_profile::{CallProfile, Folded, Grouping, Row, each, fold};
use heddle_store::Store;

use super::branches::{Branches, Line};
use super::{ProfileOptions, SortBy, time_of_all};
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::request::selection::Selection;
use crate::request::window::row_name;

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Functions,
    Paths,
    /// Ranks, with the numbers of one of the others; without one, of all calls.
    Ranks(Option<u32>),
}

/// Rows of all locations in sight.
pub(super) struct Table {
    pub(super) locations: Vec<LocationId>,
    pub(super) kind: Kind,
    /// The time that shares are parts of: of all locations in the window, or of each.
    pub(super) all: f64,
    /// What is searched for, in lower case.
    find: String,
    /// The name of the row that one is at.
    row: String,
    by: Grouping,
    rows: Arc<Vec<Folded>>,
    /// Names by which links know rows, where rows are call paths.
    keys: Vec<u64>,
    /// Rows with a visit, in their order; of a tree those of one caller.
    order: Vec<u32>,
    /// Whether a row has what is searched for in its name.
    is_match: Vec<bool>,
    pub(super) branches: Branches,
    /// What can be seen, from the first row to the last.
    pub(super) lines: Vec<Line>,
}

impl Table {
    /// The rows that a request asks for, for a picture that has room for so many; none without a profile of the trace.
    pub(super) fn of(trace: &Trace<'_>, request: &ViewRequest, room: usize) -> Option<Table> {
        let (store, profile) = (trace.store, trace.profile.as_deref()?);
        let options: ProfileOptions = request.options.checked();
        let (locations, time) = (request.window.locations(store), request.window.time(store));
        let is_hidden = |region: RegionId| request.emphasis.hides(region);
        let paths = profile.paths();
        let by = |tree: bool| {
            if tree { Grouping::by_path(paths, is_hidden) } else { Grouping::by_function(paths, is_hidden) }
        };
        let mut table = if options.by_rank {
            let (by, of) = ranked(store, profile, request, &options, is_hidden);
            let rows = each(profile, store, &locations, time, &by, of);
            Table::new(Kind::Ranks(of), by, rows, time_of_all(time, 1), locations)
        } else {
            let by = by(options.tree);
            let rows = fold(profile, store, &locations, time, &by);
            let kind = if options.tree { Kind::Paths } else { Kind::Functions };
            Table::new(kind, by, rows, time_of_all(time, locations.len()), locations)
        };
        table.find = options.search.to_lowercase();
        table.row.clone_from(&options.row);
        table.branches = Branches::read(&options.branches);
        table.arrange(store, &options, room);
        Some(table)
    }

    fn new(kind: Kind, by: Grouping, rows: Arc<Vec<Folded>>, all: f64, locations: Vec<LocationId>) -> Table {
        Table {
            locations,
            kind,
            all,
            find: String::new(),
            row: String::new(),
            by,
            rows,
            keys: Vec::new(),
            order: Vec::new(),
            is_match: Vec::new(),
            branches: Branches::default(),
            lines: Vec::new(),
        }
    }

    fn arrange(&mut self, store: &Store, options: &ProfileOptions, room: usize) {
        if self.kind == Kind::Paths {
            self.keys = keys_of(store, &self.by);
        }
        let is_ranks = matches!(self.kind, Kind::Ranks(_));
        let some = |row: &u32| is_ranks || self.rows[*row as usize].count > 0;
        let mut order: Vec<u32> = (0..self.rows.len() as u32).filter(some).collect();
        let by_name = options.sort == SortBy::Name && !is_ranks;
        let ranks = self.locations.len() as i64;
        order.sort_by_cached_key(|row| {
            let name = if by_name { self.name(store, *row) } else { String::new() };
            let is_tree = self.kind == Kind::Paths;
            (Reverse(value(&self.rows[*row as usize], options.sort, is_tree, ranks)), name, *row)
        });
        if options.reverse {
            order.reverse();
        }
        let has_search = !self.find.is_empty();
        let matches = |row: u32| !has_search || self.name(store, row).to_lowercase().contains(&self.find);
        self.is_match = (0..self.rows.len() as u32).map(matches).collect();
        self.order = order;
        self.lines = if self.kind == Kind::Paths {
            let key = |row: u32| key_text(self.keys[row as usize]);
            let found = has_search.then_some(&*self.is_match);
            self.branches.lines(&self.by, &self.rows, &self.order, key, found, room)
        } else {
            let found = self.order.iter().filter(|row| self.is_match[**row as usize]);
            found.map(|row| Line { row: *row, depth: 0, is_open: None }).collect()
        };
    }

    /// How many rows there are, seen or not.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The function of a row; of ranks none.
    pub(super) fn region(&self, row: u32) -> Option<RegionId> {
        if matches!(self.kind, Kind::Ranks(_)) { None } else { self.by.rows().get(row as usize).map(|row| row.region) }
    }

    pub(super) fn folded(&self, row: u32) -> &Folded {
        &self.rows[row as usize]
    }

    /// Whether a row is itself what is searched for, and not only around it.
    pub(super) fn is_found(&self, row: u32) -> bool {
        self.is_match[row as usize]
    }

    /// What stands in front of a row.
    pub(super) fn name(&self, store: &Store, row: u32) -> String {
        match self.region(row) {
            Some(region) => store.regions.name.get(u64::from(region.0)).to_owned(),
            None => self.locations.get(row as usize).map(|at| row_name(store, *at)).unwrap_or_default(),
        }
    }

    /// What the numbers of ranks are of.
    pub(super) fn subject(&self, store: &Store) -> Option<String> {
        let Kind::Ranks(Some(row)) = self.kind else { return None };
        Some(path_of(store, &self.by, row))
    }

    /// Exclusive time of the rows that are not among some.
    pub(super) fn left_out(&self, shown: &[Line]) -> i64 {
        let total = |row: u32| self.rows[row as usize].exclusive.total;
        let all: i64 = self.order.iter().map(|row| total(*row)).sum();
        all - shown.iter().map(|line| total(line.row)).sum::<i64>()
    }

    /// A function, and in a tree what it was called from, the innermost last; or a rank.
    pub(super) fn path_text(&self, store: &Store, row: u32) -> String {
        if self.kind == Kind::Paths { path_of(store, &self.by, row) } else { self.name(store, row) }
    }

    /// The functions of a row, from the outermost to its own.
    pub(super) fn regions(&self, row: u32) -> Vec<RegionId> {
        let rows = self.by.rows();
        let around = std::iter::successors(Some(row), |row| rows[*row as usize].caller);
        let mut regions: Vec<RegionId> = around.map(|row| rows[row as usize].region).collect();
        regions.reverse();
        regions
    }

    /// The name of a row in links; ranks have numbers instead.
    pub(super) fn key(&self, store: &Store, row: u32) -> String {
        match self.kind {
            Kind::Paths => key_text(self.keys[row as usize]),
            Kind::Functions => key_text(hash(0, &self.name(store, row))),
            Kind::Ranks(_) => String::new(),
        }
    }

    /// Whether one is at a row: the last that was clicked, or that of a selected rank.
    pub(super) fn is_current(&self, store: &Store, request: &ViewRequest, row: u32) -> bool {
        match (self.kind, &request.emphasis.selected) {
            (Kind::Ranks(_), Some(Selection::Ranks(ranks))) => ranks.contains(number(store, &self.locations, row)),
            (Kind::Ranks(_), _) => false,
            _ => !self.row.is_empty() && self.key(store, row) == self.row,
        }
    }

    /// The first line that one is at.
    pub(super) fn current(&self, store: &Store, request: &ViewRequest) -> Option<usize> {
        self.lines.iter().position(|line| self.is_current(store, request, line.row))
    }
}

/// The number by which a rank is filtered and selected.
pub(super) fn number(store: &Store, locations: &[LocationId], at: u32) -> u32 {
    let Some(location) = locations.get(at as usize) else { return u32::MAX };
    let rank = store.locations.rank.get(u64::from(location.0));
    if rank.is_some() { rank.0 } else { location.0 }
}

/// What ranks are compared by: the selected function, the row that one was at, the highlighted function, or all. Of a selected
/// function that the row is of, it is the row: a call path says more.
fn ranked(
    store: &Store,
    profile: &CallProfile,
    request: &ViewRequest,
    options: &ProfileOptions,
    is_hidden: impl Fn(RegionId) -> bool + Copy,
) -> (Grouping, Option<u32>) {
    let paths = Grouping::by_path(profile.paths(), is_hidden);
    let functions = Grouping::by_function(profile.paths(), is_hidden);
    let name = |row: &Row| store.regions.name.get(u64::from(row.region.0));
    let at = |keys: Vec<u64>| keys.iter().position(|key| key_text(*key) == options.row).map(|row| row as u32);
    let row = match (options.row.is_empty(), options.tree) {
        (true, _) => None,
        (false, true) => at(keys_of(store, &paths)),
        (false, false) => at(functions.rows().iter().map(|row| hash(0, name(row))).collect()),
    };
    let by = if options.tree { &paths } else { &functions };
    let chosen = match &request.emphasis.selected {
        Some(Selection::Function(selected)) => row.filter(|row| name(&by.rows()[*row as usize]) == selected),
        _ => row,
    };
    if chosen.is_some() {
        return (if options.tree { paths } else { functions }, chosen);
    }
    let region = request.emphasis.highlighted.last();
    match functions.rows().iter().position(|row| Some(&row.region) == region) {
        Some(row) => (functions, Some(row as u32)),
        None => (paths, None),
    }
}

fn path_of(store: &Store, by: &Grouping, row: u32) -> String {
    let rows = by.rows();
    let around = std::iter::successors(Some(row), |row| rows[*row as usize].caller);
    let mut names: Vec<&str> =
        around.map(|row| store.regions.name.get(u64::from(rows[row as usize].region.0))).collect();
    names.reverse();
    names.join(" › ")
}

/// What a row is sorted by, the largest first.
fn value(folded: &Folded, sort: SortBy, is_tree: bool, ranks: i64) -> i64 {
    match sort {
        SortBy::Time if is_tree => folded.inclusive.total,
        SortBy::Exclusive | SortBy::Time => folded.exclusive.total,
        SortBy::Inclusive => folded.inclusive.total,
        SortBy::Calls => folded.count.cast_signed(),
        SortBy::Mean => mean_call(folded),
        SortBy::Shortest if folded.count == 0 => 0,
        SortBy::Shortest => folded.shortest.0,
        SortBy::Longest => folded.longest.0.max(0),
        SortBy::Most => folded.exclusive.most.0,
        SortBy::Least => folded.exclusive.least.0,
        SortBy::Imbalance => folded.exclusive.most.0 - folded.exclusive.total / ranks.max(1),
        SortBy::Name => 0,
    }
}

/// How long a call takes on average, as a whole.
pub(super) fn mean_call(folded: &Folded) -> i64 {
    folded.durations / folded.count.max(1).cast_signed()
}

/// Names of call paths that outlive a store: what functions are called decides them, not their numbers.
fn keys_of(store: &Store, by: &Grouping) -> Vec<u64> {
    let mut keys: Vec<u64> = Vec::with_capacity(by.rows().len());
    for row in by.rows() {
        let around = row.caller.and_then(|caller| keys.get(caller as usize)).copied().unwrap_or(0);
        keys.push(hash(around, store.regions.name.get(u64::from(row.region.0))));
    }
    keys
}

/// FNV-1a of a name after what stands around it.
fn hash(around: u64, name: &str) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let begin = around.to_le_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step);
    name.as_bytes().iter().fold(begin, step)
}

/// A name as links write it: 48 bits are enough for a million paths.
fn key_text(key: u64) -> String {
    format!("{:012x}", key >> 16)
}
