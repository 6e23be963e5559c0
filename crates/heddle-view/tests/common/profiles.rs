//! What the tests of profiles share: a scan of all calls, and a trace with its profile.

#![allow(dead_code, reason = "not every test uses all of it")]

use std::sync::Arc;

use heddle_model::LocationId;
use heddle_options::Given;
use heddle_profile::CallProfile;
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{Framing, Trace, ViewRequest, Window};

use crate::common::request;

/// A call of a scan: rows around it with itself last, start, end.
pub(crate) struct Scanned {
    pub(crate) path: Vec<u32>,
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) children: Vec<(i64, i64)>,
}

/// All calls of a location, looked at one by one.
pub(crate) fn scan(store: &Store, location: LocationId) -> Vec<Scanned> {
    let mut calls: Vec<Scanned> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for row in store.spans_of(location) {
        let (start, end) = (store.spans.start.get(row).0, store.spans.end.get(row).0);
        open.truncate(usize::from(store.spans.depth.get(row)));
        let mut path: Vec<u32> = open.last().map_or(Vec::new(), |around| calls[*around].path.clone());
        path.push(store.spans.region.get(row).0);
        if let Some(around) = open.last() {
            calls[*around].children.push((start, end));
        }
        open.push(calls.len());
        calls.push(Scanned { path, start, end, children: Vec::new() });
    }
    calls
}

pub(crate) fn halo_store(ranks: u32) -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let options = HaloOptions { ranks, iterations: 12, ..HaloOptions::default() };
    let simulation = halo(&options, &Machine::default()).unwrap();
    let place = directory.path().join("x.heddle");
    let store = store_simulation(&simulation, "halo", &place, 1 << 28, &NoProgress).unwrap();
    (directory, store)
}

pub(crate) fn with_profile(store: &Store) -> Trace<'_> {
    Trace { profile: Some(Arc::new(CallProfile::open(store, &NoProgress).unwrap())), ..Trace::from(store) }
}

pub(crate) fn asked(window: Window, options: &[(&str, &str)]) -> ViewRequest {
    let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    ViewRequest { framing: Framing::Pane, options: Given::by_program(options), ..request(window) }
}
