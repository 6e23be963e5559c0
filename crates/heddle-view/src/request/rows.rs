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
use super::tall::Tall;
use super::window::{Window, row_label, rows_have_names};
use crate::scene::ticks::count_ticks;
use crate::scene::{Axis, Extent, Rect, Tick};

/// The rows in sight, out of all that pass the filter.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// All rows, in their order on the screen.
    all: Vec<LocationId>,
    /// Those in sight.
    shown: Range<usize>,
    places: Places,
    /// Which are higher, and where those in sight lie; none if all are equally high.
    tall: Option<(Arc<Tall>, Knots)>,
}

/// Rows, and their upper edges as shares of the height; between them evenly.
type Knots = Vec<(f32, f32)>;

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
        let mut rows = match &window.arranged {
            Some(arranged) => Rows::new(arranged.rows().to_vec(), shown, Places::Arranged(Arc::clone(arranged))),
            None => Rows::new(window.locations(store), shown, Places::Ascending),
        };
        rows.tall = window.tall.as_ref().map(|tall| (Arc::clone(tall), tall.knots(&rows.shown)));
        rows
    }

    fn new(all: Vec<LocationId>, shown: Option<(usize, usize)>, places: Places) -> Rows {
        let count = all.len();
        let (from, to) = shown.unwrap_or((0, count));
        let from = from.min(count.saturating_sub(1));
        let shown = from..to.clamp(from + 1, count.max(from + 1)).min(count);
        Rows { all, shown, places, tall: None }
    }

    /// Which are in sight, out of all.
    pub(crate) fn sight(&self) -> Range<usize> {
        self.shown.clone()
    }

    /// The upper edge of a row in sight, as a share of the height; of a part of a row if it is no whole number.
    pub(crate) fn edge(&self, row: f32) -> f32 {
        let all = self.len().max(1) as f32;
        match &self.tall {
            Some((_, knots)) if (0.0..=all).contains(&row) => between(knots, row, |(row, y)| (*row, *y)),
            _ => row / all,
        }
    }

    /// The row in sight at a share of the height.
    pub(crate) fn row_at(&self, share: f32) -> usize {
        let row = self.place_at(share.clamp(0.0, 1.0));
        (row as usize).min(self.len().saturating_sub(1))
    }

    /// The same with the part of the row that lies above.
    fn place_at(&self, share: f32) -> f32 {
        match &self.tall {
            Some((_, knots)) => between(knots, share, |(row, y)| (*y, *row)),
            None => share * self.len() as f32,
        }
    }

    /// Whether some rows are higher than others.
    pub(crate) fn are_unequal(&self) -> bool {
        self.tall.is_some()
    }

    /// The stretches of rows in sight that are higher than others.
    pub(crate) fn tall_stretches(&self) -> Vec<Range<usize>> {
        self.tall.as_ref().map_or_else(Vec::new, |(tall, _)| tall.within(&self.shown).collect())
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
        let first_of = |band: u32| match &self.tall {
            Some(_) => (self.place_at(band as f32 / bands.max(1) as f32) + 1e-3) as usize,
            None => (u64::from(band) * locations.len() as u64 / u64::from(bands.max(1))) as usize,
        };
        let first = first_of(band).min(locations.len());
        &locations[first..first_of(band + 1).max(first + 1).min(locations.len())]
    }

    /// The band of `bands` that a row in sight lies in.
    pub(crate) fn band_of(&self, row: usize, bands: u32) -> u32 {
        // The inverse of `band`: the last one that begins at or before the row.
        let (row, rows, bands) = (row as u64, self.len().max(1) as u64, u64::from(bands));
        (((row + 1) * bands - 1) / rows).min(bands.saturating_sub(1)) as u32
    }

    /// How many bands a picture has room for: one for each row, or one for each pixel. Where rows are not equally high,
    /// neighbouring bands may be of one row.
    pub(crate) fn bands(&self, pixels: f32) -> u32 {
        let most = if self.are_unequal() { u32::MAX } else { self.len() as u32 };
        most.min(pixels as u32).max(1)
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
        let label = |row: usize| self.label(store, row, has_names);
        let ticks = match &self.tall {
            Some(_) => self.uneven_ticks(plot, label),
            None => count_ticks(self.shown.clone(), plot.y, plot.height, TICKS_APART, label),
        };
        Axis { title: self.title(store).to_owned(), ticks, extent }
    }

    /// What a row is called on an axis.
    fn label(&self, store: &Store, row: usize, has_names: bool) -> String {
        let own = self.arranged().and_then(|arranged| arranged.label(row)).map(str::to_owned);
        own.or_else(|| self.all.get(row).map(|at| row_label(store, *at, has_names))).unwrap_or_default()
    }

    /// Ticks where rows are not equally high: at the ends of the higher ones, and at round numbers as far as there is room.
    fn uneven_ticks(&self, plot: Rect, label: impl Fn(usize) -> String) -> Vec<Tick> {
        let middle = |row: usize| plot.y + plot.height * self.edge(row as f32 + 0.5);
        let ends = self.tall_stretches().into_iter().flat_map(|stretch| [stretch.start, stretch.end - 1]);
        let places = |row: usize| Tick { at: middle(row), label: label(self.shown.start + row) };
        let mut ticks: Vec<Tick> = Vec::new();
        let is_free = |ticks: &[Tick], at: f32, apart: f32| ticks.iter().all(|tick| (tick.at - at).abs() >= apart);
        for row in ends {
            // The two ends of a few rows stand closer than other ticks may.
            if is_free(&ticks, middle(row), TICKS_APART * 0.75) {
                ticks.push(places(row));
            }
        }
        for tick in count_ticks(self.shown.clone(), 0.0, plot.height, TICKS_APART, |row| row.to_string()) {
            let Some(row) = tick.label.parse::<usize>().ok().and_then(|row| row.checked_sub(self.shown.start)) else {
                continue;
            };
            if is_free(&ticks, middle(row), TICKS_APART) {
                ticks.push(places(row));
            }
        }
        ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
        ticks
    }

    /// The same along the bottom, for pictures of rows by rows.
    pub(crate) fn axis_across(&self, store: &Store, plot: Rect, framing: Framing) -> Axis {
        let extent = Extent::Columns(self.shown.start, self.shown.end, self.all.len());
        if framing == Framing::Strip {
            return Axis { extent, ..Axis::default() };
        }
        let named = self.shown.clone().filter_map(|row| self.arranged()?.label(row));
        let longest = named.map(|label| label.chars().count()).max().unwrap_or(0);
        let apart = COLUMNS_APART.max((longest + 2) as f32 * CHARACTER);
        let label = |row: usize| self.label(store, row, false);
        let ticks = count_ticks(self.shown.clone(), plot.x, plot.width, apart, label);
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

/// How far ticks of rows stand apart, in pixels.
const TICKS_APART: f32 = 16.0;
/// The same of ticks of columns that are numbers; others need room for their names.
const COLUMNS_APART: f32 = 52.0;
/// About how wide a character of a tick is.
const CHARACTER: f32 = 6.5;

/// What belongs to a value between knots; `pair` says what and to what.
fn between(knots: &[(f32, f32)], at: f32, pair: impl Fn(&(f32, f32)) -> (f32, f32)) -> f32 {
    let after = knots.partition_point(|knot| pair(knot).0 <= at).clamp(1, knots.len().max(2) - 1);
    let (Some(from), Some(to)) = (knots.get(after - 1), knots.get(after)) else { return at };
    let ((from, low), (to, high)) = (pair(from), pair(to));
    if to > from { low + (at - from) / (to - from) * (high - low) } else { low }
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
    fn higher_rows_lead_to_their_place_and_back() {
        for (count, shown) in [(256, None), (16_384, None), (256, Some((60, 140)))] {
            let mut rows = ordered((0..count).map(LocationId).collect(), shown);
            let tall = Tall::made(vec![96..104, 130..131], 20.0);
            rows.tall = Some((Arc::new(tall.clone()), tall.knots(&rows.shown)));
            let height = |row: usize| rows.edge(row as f32 + 1.0) - rows.edge(row as f32);
            let first = rows.shown.start;
            assert!((height(100 - first) / height(70 - first) - 20.0).abs() < 0.2, "{}", height(100 - first));
            assert!((rows.edge(rows.len() as f32) - 1.0).abs() < 1e-6);
            for row in [0, 96 - first, 103 - first, 104 - first, 130 - first, rows.len() - 1] {
                assert_eq!(rows.row_at(rows.edge(row as f32 + 0.5)), row, "{count} {shown:?}");
            }
            let bands = rows.bands(700.0);
            let seen: std::collections::BTreeSet<LocationId> =
                (0..bands).flat_map(|band| rows.band(band, bands).to_vec()).collect();
            assert_eq!(seen.len(), rows.len(), "no row is lost");
            let of_96 = (0..bands).filter(|band| rows.band(*band, bands) == [LocationId(96)]).count();
            assert!(of_96 as f32 >= (height(96 - first) * 700.0).floor() - 1.0, "{of_96}");
        }
    }

    #[test]
    fn some_rows_are_always_in_sight() {
        let shown = |window| ordered(locations(&[0, 1, 2]), window).locations().len();
        assert_eq!([None, Some((0, 9)), Some((7, 9)), Some((1, 1))].map(shown), [3, 3, 1, 1]);
        assert!(ordered(Vec::new(), Some((3, 4))).is_empty());
    }
}
