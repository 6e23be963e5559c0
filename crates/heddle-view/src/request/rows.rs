//! Rows of a picture: which location each stands for, in which order, and what stands beside it.
//!
//! Everything that turns a row into a location or back goes through this type, so that rows may be in any order: nothing
//! may assume that locations ascend with rows.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use heddle_model::{Location, LocationId, Rank};
use heddle_store::Store;

use super::Framing;
use super::arranged::Arranged;
use super::window::{Window, row_label, rows_have_names};
use crate::scene::ticks::count_ticks;
use crate::scene::{Axis, Extent, Rect};

/// The rows in sight, out of all that pass the filter.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// All rows, in their order on the screen.
    all: Vec<LocationId>,
    /// Those in sight.
    shown: Range<usize>,
    places: Places,
}

/// How the row of a location is found.
#[derive(Clone, Debug)]
enum Places {
    /// Locations ascend with rows: by bisection.
    Ascending,
    /// As they were arranged: by looking it up.
    Arranged(Arc<Arranged>),
}

impl Rows {
    /// The rows of a window: as they were arranged, or else its locations in the order of their ids.
    pub(crate) fn of(store: &Store, window: &Window) -> Rows {
        Rows::part_of(store, window, window.rows)
    }

    /// The columns of a window: the same list of locations, with a part of its own in sight.
    pub(crate) fn columns_of(store: &Store, window: &Window) -> Rows {
        Rows::part_of(store, window, window.columns)
    }

    /// Of all rows a part is in sight; all if none is given.
    fn part_of(store: &Store, window: &Window, shown: Option<(usize, usize)>) -> Rows {
        match &window.arranged {
            Some(arranged) => Rows::new(arranged.rows().to_vec(), shown, Places::Arranged(Arc::clone(arranged))),
            None => Rows::new(window.locations(store), shown, Places::Ascending),
        }
    }

    fn new(all: Vec<LocationId>, shown: Option<(usize, usize)>, places: Places) -> Rows {
        let count = all.len();
        let (from, to) = shown.unwrap_or((0, count));
        let from = from.min(count.saturating_sub(1));
        let shown = from..to.clamp(from + 1, count.max(from + 1)).min(count);
        Rows { all, shown, places }
    }

    /// How many are in sight.
    pub(crate) fn len(&self) -> usize {
        self.shown.len()
    }

    /// Whether none is in sight.
    pub(crate) fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// The locations in sight, row by row.
    pub(crate) fn locations(&self) -> &[LocationId] {
        &self.all[self.shown.clone()]
    }

    /// Those in sight whose time counts: all that do not merely describe others, unless there are no other ones.
    pub(crate) fn counted(&self, store: &Store) -> Vec<LocationId> {
        let describes = |at: &LocationId| Location::describes_others(store.locations.name.get(u64::from(at.0)));
        let own: Vec<LocationId> = self.locations().iter().copied().filter(|location| !describes(location)).collect();
        if own.is_empty() { self.locations().to_vec() } else { own }
    }

    /// The row in sight of a location.
    pub(crate) fn row_of(&self, location: LocationId) -> Option<usize> {
        let place = self.place_of(location)?;
        self.shown.contains(&place).then(|| place - self.shown.start)
    }

    /// The row in sight that stands for a location: its own, or that of the group that it is folded into.
    pub(crate) fn row_for(&self, location: LocationId) -> Option<usize> {
        let place = self.place_for(location)?;
        self.shown.contains(&place).then(|| place - self.shown.start)
    }

    /// The place of a location's own row among all rows, in sight or not.
    pub(crate) fn place_of(&self, location: LocationId) -> Option<usize> {
        match &self.places {
            Places::Ascending => self.all.binary_search(&location).ok(),
            Places::Arranged(arranged) => arranged.row_of(location),
        }
    }

    /// The place among all rows of the one that stands for a location.
    pub(crate) fn place_for(&self, location: LocationId) -> Option<usize> {
        match &self.places {
            Places::Ascending => self.all.binary_search(&location).ok(),
            Places::Arranged(arranged) => arranged.row_for(location),
        }
    }

    fn arranged(&self) -> Option<&Arranged> {
        match &self.places {
            Places::Ascending => None,
            Places::Arranged(arranged) => Some(arranged),
        }
    }

    /// Whether neighbouring rows may be of any locations.
    pub(crate) fn is_arranged(&self) -> bool {
        self.arranged().is_some()
    }

    /// Whether rows stand for several ranks.
    pub(crate) fn is_folded(&self) -> bool {
        self.arranged().is_some_and(Arranged::is_folded)
    }

    /// All locations that rows stand for, given those that they show.
    pub(crate) fn stood_for<'a>(&self, shown: &'a [LocationId]) -> Cow<'a, [LocationId]> {
        match self.arranged().filter(|_| self.is_folded()) {
            Some(arranged) => {
                let members = shown.iter().filter_map(|at| arranged.row_of(*at)).flat_map(|row| arranged.members(row));
                Cow::Owned(members.copied().collect())
            }
            None => Cow::Borrowed(shown),
        }
    }

    /// What rows are called that stand for several ranks.
    pub(crate) fn group_label(&self, shown: LocationId) -> Option<&str> {
        let arranged = self.arranged()?;
        arranged.label(arranged.row_of(shown)?)
    }

    /// Which row of the picture stands for a location, counted from the first in sight: negative above it. A location that
    /// is filtered out lies beyond the nearest edge.
    pub(crate) fn row_or_beyond(&self, location: LocationId) -> f32 {
        match self.place_for(location) {
            Some(place) if place < self.shown.start => -1.0,
            Some(place) => (place - self.shown.start).min(self.len()) as f32,
            None if self.locations().first().is_some_and(|first| location < *first) => -1.0,
            None => self.len() as f32,
        }
    }

    /// The locations that one of `bands` equal bands of the picture stands for.
    pub(crate) fn band(&self, band: u32, bands: u32) -> &[LocationId] {
        let locations = self.locations();
        let first_of = |band: u32| (u64::from(band) * locations.len() as u64 / u64::from(bands.max(1))) as usize;
        let first = first_of(band).min(locations.len());
        &locations[first..first_of(band + 1).max(first + 1).min(locations.len())]
    }

    /// The band of `bands` that a row in sight lies in.
    pub(crate) fn band_of(&self, row: usize, bands: u32) -> u32 {
        // The inverse of `band`: the last one that begins at or before the row.
        let (row, rows, bands) = (row as u64, self.len().max(1) as u64, u64::from(bands));
        (((row + 1) * bands - 1) / rows).min(bands.saturating_sub(1)) as u32
    }

    /// How many bands a picture has room for: one for each row, or one for each pixel.
    pub(crate) fn bands(&self, pixels: f32) -> u32 {
        (self.len() as u32).min(pixels as u32).max(1)
    }

    /// What the rows are called: `rank`, or `location` where rows have names of their own.
    pub(crate) fn title(&self, store: &Store) -> &'static str {
        if let Some(title) = self.arranged().and_then(Arranged::title) {
            return title;
        }
        let has_ranks = self.locations().iter().any(|at| store.locations.rank.get(u64::from(at.0)).is_some());
        if has_ranks && !rows_have_names(store) { "rank" } else { "location" }
    }

    /// The vertical axis, with a label for each row that has room.
    pub(crate) fn axis(&self, store: &Store, plot: Rect, framing: Framing, has_names: bool) -> Axis {
        let extent = Extent::Rows(self.shown.start, self.shown.end, self.all.len());
        if framing == Framing::Strip {
            return Axis { extent, ..Axis::default() };
        }
        let label = |row: usize| {
            let own = self.arranged().and_then(|arranged| arranged.label(row)).map(str::to_owned);
            own.or_else(|| self.all.get(row).map(|at| row_label(store, *at, has_names))).unwrap_or_default()
        };
        let ticks = count_ticks(self.shown.clone(), plot.y, plot.height, 16.0, label);
        Axis { title: self.title(store).to_owned(), ticks, extent }
    }

    /// The same along the bottom, for pictures of rows by rows.
    pub(crate) fn axis_across(&self, store: &Store, plot: Rect, framing: Framing) -> Axis {
        let extent = Extent::Columns(self.shown.start, self.shown.end, self.all.len());
        if framing == Framing::Strip {
            return Axis { extent, ..Axis::default() };
        }
        let label = |row: usize| self.all.get(row).map(|at| row_label(store, *at, false)).unwrap_or_default();
        let ticks = count_ticks(self.shown.clone(), plot.x, plot.width, 52.0, label);
        Axis { title: String::new(), ticks, extent }
    }

    /// The stretches of rows in sight that stand for a chosen rank, half open.
    pub(crate) fn stretches(&self, store: &Store, is_chosen: impl Fn(Rank, LocationId) -> bool) -> Vec<Range<usize>> {
        let mut stretches: Vec<Range<usize>> = Vec::new();
        let is_chosen = |at: &LocationId| is_chosen(store.locations.rank.get(u64::from(at.0)), *at);
        for (row, location) in self.locations().iter().enumerate() {
            if !self.stood_for(std::slice::from_ref(location)).iter().any(is_chosen) {
                continue;
            }
            match stretches.last_mut() {
                Some(last) if last.end == row => last.end = row + 1,
                _ => stretches.push(row..row + 1),
            }
        }
        stretches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locations(ids: &[u32]) -> Vec<LocationId> {
        ids.iter().map(|id| LocationId(*id)).collect()
    }

    fn ordered(all: Vec<LocationId>, shown: Option<(usize, usize)>) -> Rows {
        let arranged = Arranged::listed(all.clone(), String::new());
        let places = if all.is_sorted() { Places::Ascending } else { Places::Arranged(Arc::new(arranged)) };
        Rows::new(all, shown, places)
    }

    #[test]
    fn rows_lead_to_locations_and_back_in_any_order() {
        for order in [[2, 3, 5, 7, 11], [7, 2, 11, 3, 5]] {
            let rows = ordered(locations(&order), Some((1, 4)));
            assert_eq!(rows.locations(), locations(&order[1..4]));
            for (place, id) in order.into_iter().enumerate() {
                assert_eq!(rows.place_of(LocationId(id)), Some(place));
                assert_eq!(rows.row_of(LocationId(id)), (1..4).contains(&place).then(|| place - 1));
            }
            assert_eq!(rows.row_of(LocationId(4)), None);
            assert!(rows.row_or_beyond(LocationId(order[0])) < 0.0);
            assert!(rows.row_or_beyond(LocationId(order[4])) >= 3.0);
        }
    }

    #[test]
    fn bands_hold_every_row_once() {
        for (count, bands) in [(1, 1), (5, 5), (7, 3), (1000, 13), (16_384, 700)] {
            let rows = ordered((0..count).map(LocationId).collect(), None);
            let mut seen = 0;
            for band in 0..bands {
                for location in rows.band(band, bands) {
                    assert_eq!(rows.row_of(*location), Some(seen));
                    assert_eq!(rows.band_of(seen, bands), band, "row {seen} of {count} in {bands} bands");
                    seen += 1;
                }
            }
            assert_eq!(seen as u32, count);
        }
    }

    #[test]
    fn some_rows_are_always_in_sight() {
        let shown = |window| ordered(locations(&[0, 1, 2]), window).locations().len();
        assert_eq!([None, Some((0, 9)), Some((7, 9)), Some((1, 1))].map(shown), [3, 3, 1, 1]);
        assert!(ordered(Vec::new(), Some((3, 4))).is_empty());
    }
}
