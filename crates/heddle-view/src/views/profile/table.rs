//! The rows of a profile: what they say, and which of them are shown in which order.

use std::cmp::Reverse;

use heddle_model::{LocationId, RegionId};
use heddle_profile::{Folded, Grouping, fold};
use heddle_store::Store;

use super::{ProfileOptions, SortBy, time_of_all};
use crate::analyses::Trace;
use crate::request::ViewRequest;

/// Rows of all locations in sight together.
pub(super) struct Table {
    pub(super) locations: Vec<LocationId>,
    pub(super) is_tree: bool,
    /// The time of all locations in the window.
    pub(super) all: f64,
    by: Grouping,
    rows: Vec<Folded>,
    /// Rows with a visit, in their order; of a tree those of one caller.
    order: Vec<u32>,
}

/// A row that is shown, and how deep it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    row: u32,
    pub(super) depth: usize,
}

impl Table {
    /// The rows that a request asks for; none without a profile of the trace.
    pub(super) fn of(trace: &Trace<'_>, request: &ViewRequest) -> Option<Table> {
        let (store, profile) = (trace.store, trace.profile.as_deref()?);
        let ProfileOptions { tree, sort } = request.options.checked();
        let (locations, time) = (request.window.locations(store), request.window.time(store));
        let is_hidden = |region: RegionId| request.emphasis.hides(region);
        let paths = profile.paths();
        let by = if tree { Grouping::by_path(paths, is_hidden) } else { Grouping::by_function(paths, is_hidden) };
        let rows = fold(profile, store, &locations, time, &by);
        let mut order: Vec<u32> = (0..rows.len() as u32).filter(|row| rows[*row as usize].count > 0).collect();
        let each = locations.len() as i64;
        order.sort_by_cached_key(|row| {
            let folded = &rows[*row as usize];
            let region = by.rows()[*row as usize].region;
            let value = match sort {
                SortBy::Exclusive if !tree => folded.exclusive.total,
                SortBy::Exclusive | SortBy::Inclusive => folded.inclusive.total,
                SortBy::Calls => folded.count.cast_signed(),
                SortBy::Longest => folded.longest.0,
                SortBy::Imbalance => folded.exclusive.most.0 - folded.exclusive.total / each.max(1),
                SortBy::Name => 0,
            };
            let name = if sort == SortBy::Name { store.regions.name.get(u64::from(region.0)) } else { "" };
            (Reverse(value), name.to_owned(), *row)
        });
        Some(Table { all: time_of_all(time, locations.len()), locations, is_tree: tree, by, rows, order })
    }

    /// How many rows have a visit.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn region(&self, listed: &Listed) -> RegionId {
        self.by.rows()[listed.row as usize].region
    }

    pub(super) fn folded(&self, listed: &Listed) -> &Folded {
        &self.rows[listed.row as usize]
    }

    /// As many rows as have room. Of a tree those with most inclusive time: with a row its callers are there too.
    pub(super) fn listed(&self, room: usize) -> Vec<Listed> {
        if !self.is_tree {
            return self.order.iter().take(room).map(|row| Listed { row: *row, depth: 0 }).collect();
        }
        let mut largest = self.order.clone();
        // A caller stands before what it calls, so it is kept of two that take equally long.
        largest.sort_by_key(|row| (Reverse(self.rows[*row as usize].inclusive.total), *row));
        let mut is_shown = vec![false; self.rows.len()];
        largest.iter().take(room).for_each(|row| is_shown[*row as usize] = true);
        let mut called: Vec<Vec<u32>> = vec![Vec::new(); self.rows.len()];
        let mut waiting = Vec::new();
        for row in self.order.iter().rev().filter(|row| is_shown[**row as usize]) {
            match self.by.rows()[*row as usize].caller {
                Some(caller) => called[caller as usize].push(*row),
                None => waiting.push(Listed { row: *row, depth: 0 }),
            }
        }
        let mut listed = Vec::new();
        while let Some(next) = waiting.pop() {
            listed.push(next);
            waiting.extend(called[next.row as usize].iter().map(|row| Listed { row: *row, depth: next.depth + 1 }));
        }
        listed
    }

    /// Exclusive time of the rows that are not shown.
    pub(super) fn left_out(&self, listed: &[Listed]) -> i64 {
        let total = |row: u32| self.rows[row as usize].exclusive.total;
        let all: i64 = self.order.iter().map(|row| total(*row)).sum();
        all - listed.iter().map(|listed| total(listed.row)).sum::<i64>()
    }

    /// A function, and in a tree what it was called from, the innermost last.
    pub(super) fn path_text(&self, store: &Store, listed: &Listed) -> String {
        let rows = self.by.rows();
        let around = std::iter::successors(Some(listed.row), |row| rows[*row as usize].caller);
        let mut names: Vec<&str> =
            around.map(|row| store.regions.name.get(u64::from(rows[row as usize].region.0))).collect();
        names.reverse();
        names.join(" › ")
    }
}
