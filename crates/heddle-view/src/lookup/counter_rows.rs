//! Which row of a picture the counters of a place belong to.
//!
//! A counter belongs to the row of the location that recorded it. What tools record at places without calls (a process, a device)
//! belongs to the first row of that process; some places belong to no row.

use heddle_model::{LocationId, SystemNodeId};
use heddle_store::Store;
use heddle_store::index::Series;
use rustc_hash::FxHashMap;

use crate::request::rows::Rows;
use crate::request::window::Window;

/// The rows in sight, by location and by process.
pub(crate) struct CounterRows<'a> {
    store: &'a Store,
    window: &'a Window,
    rows: &'a Rows,
    of_process: FxHashMap<SystemNodeId, usize>,
}

/// Where the values of a series belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CounterRow {
    /// To the row in sight of the location that recorded them.
    Own(usize),
    /// To the first row in sight of the process that they are of.
    OfProcess(usize),
    /// To no row, in sight or not.
    OfNone,
    /// To a row that is out of sight.
    Elsewhere,
}

impl<'a> CounterRows<'a> {
    pub(crate) fn new(store: &'a Store, window: &'a Window, rows: &'a Rows) -> CounterRows<'a> {
        let mut of_process: FxHashMap<SystemNodeId, usize> = FxHashMap::default();
        for (row, shown) in rows.locations().iter().enumerate() {
            for location in rows.stood_for(std::slice::from_ref(shown)).iter() {
                let parent = store.locations.parent.get(u64::from(location.0));
                if parent.is_some() {
                    of_process.entry(parent).or_insert(row);
                }
            }
        }
        CounterRows { store, window, rows, of_process }
    }

    fn has_calls(&self, location: LocationId) -> bool {
        self.store.locations.spans.get(u64::from(location.0)) > 0
    }

    pub(crate) fn row_of(&self, series: &Series) -> CounterRow {
        let store = self.store;
        if self.has_calls(series.location) {
            let row = self.rows.row_for(series.location).filter(|_| self.window.has_rank(store, series.location));
            return row.map_or(CounterRow::Elsewhere, CounterRow::Own);
        }
        let parent = store.locations.parent.get(u64::from(series.location.0));
        if let Some(row) = self.of_process.get(&parent) {
            return CounterRow::OfProcess(*row);
        }
        // What belongs to a process that is out of sight is no matter of all rows.
        let mut others = (0..store.locations.len() as u32).map(LocationId).filter(|at| self.has_calls(*at));
        let is_elsewhere = parent.is_some() && others.any(|at| store.locations.parent.get(u64::from(at.0)) == parent);
        if is_elsewhere { CounterRow::Elsewhere } else { CounterRow::OfNone }
    }
}
