//! Calls of chosen locations: an index of how many of them start and end when, and how long they are.
//!
//! The store's index of calls ([`CallIndex`]) adds up all locations, so it cannot tell of some of them. It is made once more for the
//! calls of those that somebody chose, whichever they are: then all that is told of all locations is told of these in the same way, as
//! exactly and at the same cost. It takes one look at each of their calls, and up to two entries of five bytes per call and level: in
//! practice about a byte per call.
//!
//! People choose this and that. So there is an index only of choices with many calls, and the last few that were used are kept.

use std::fmt::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use heddle_model::LocationId;
use heddle_store::index::CallIndex;
use heddle_store::table::require;
use heddle_store::{Derived, Progress, Store, StoreError, Work, table, write_table};

/// Number of this layout. Results of another are made again.
const FORMAT: u32 = 1;
/// What the place of a result is named after.
const KIND: &str = "chosen";
/// Choices whose results are kept.
pub const MOST_KEPT: usize = 4;
/// Looking at fewer calls than this for each picture takes little longer than a glance. Counting them takes as long as two pictures.
const MANY_CALLS: u64 = 1 << 22;
/// Counting.
const COUNTING: Work = Work::new("counting calls of these ranks");

table! {
    /// The locations of the choice.
    ChosenRows, ChosenTable = "chosen" {
        /// First of some neighbouring ones.
        first: u32 => "first_location",
        /// The one behind the last.
        after: u32 => "after_location",
    }
}

/// Some of a trace's locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Ascending and apart from each other.
    ranges: Arc<[Range<u32>]>,
}

impl Choice {
    /// These locations, which ascend; none if no other location has calls.
    pub fn of(store: &Store, locations: &[LocationId]) -> Option<Choice> {
        let with_calls = store.locations.spans.iter(0..store.locations.len()).filter(|spans| *spans > 0).count();
        if locations.len() >= with_calls {
            return None;
        }
        let mut ranges: Vec<Range<u32>> = Vec::new();
        for location in locations {
            match ranges.last_mut() {
                Some(last) if last.end == location.0 => last.end += 1,
                _ => ranges.push(location.0..location.0.saturating_add(1)),
            }
        }
        Some(Choice { ranges: ranges.into() })
    }

    /// All of them.
    fn locations(&self) -> impl Iterator<Item = LocationId> + '_ {
        self.ranges.iter().cloned().flatten().map(LocationId)
    }

    /// How many spans they have.
    fn spans(&self, store: &Store) -> u64 {
        let count = |rows: Range<u64>| rows.end.saturating_sub(rows.start);
        self.locations().fold(0, |sum: u64, location| sum.saturating_add(count(store.spans_of(location))))
    }

    /// Whether they make so many calls that an index of them pays.
    pub fn has_many_calls(&self, store: &Store) -> bool {
        self.spans(store) > MANY_CALLS
    }

    fn place(&self, store: &Store) -> Derived {
        Derived::place(store, KIND, &self.key()).keeping(MOST_KEPT)
    }

    /// All that decides a result.
    fn key(&self) -> String {
        let mut key = format!("{KIND} {FORMAT}");
        for range in &*self.ranges {
            // Writing to a text does not fail.
            let _ = write!(key, " {}-{}", range.start, range.end);
        }
        key
    }
}

/// The calls of a choice of locations, counted.
#[derive(Debug)]
pub struct ChosenCalls {
    choice: Choice,
    index: CallIndex,
}

impl ChosenCalls {
    /// The calls of a choice, counted unless that was done already.
    pub fn open(store: &Store, choice: &Choice, progress: &dyn Progress) -> Result<ChosenCalls, StoreError> {
        let read = |path: &Path| ChosenCalls::read(store, choice, path);
        choice.place(store).open_or_make(progress, read, |path| make(store, choice, path, progress))
    }

    /// The same if they are at hand.
    pub fn find(store: &Store, choice: &Choice) -> Option<ChosenCalls> {
        Derived::existing(store, KIND, &choice.key())?.find(|path| ChosenCalls::read(store, choice, path))
    }

    fn read(store: &Store, choice: &Choice, path: &Path) -> Result<ChosenCalls, StoreError> {
        let table = ChosenTable::open(path)?;
        let ranges = table.first.iter(0..table.len()).zip(table.after.iter(0..table.len()));
        // The place has a short name, which another choice may have, too.
        let is_of_choice = choice.ranges.iter().cloned().eq(ranges.map(|(first, after)| first..after));
        require::<ChosenRows>(path, is_of_choice)?;
        Ok(ChosenCalls { choice: choice.clone(), index: CallIndex::open_chosen(path, store)? })
    }

    /// Whose calls they are.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// How many start and end when.
    pub fn index(&self) -> &CallIndex {
        &self.index
    }
}

/// Makes it all in an empty directory.
fn make(store: &Store, choice: &Choice, directory: &Path, progress: &dyn Progress) -> Result<(), StoreError> {
    let mut rows = ChosenRows::default();
    for range in &*choice.ranges {
        rows.first.push(range.start);
        rows.after.push(range.end);
    }
    write_table(directory, rows)?;
    progress.begin(COUNTING, choice.spans(store));
    CallIndex::make_chosen(store, choice.locations(), directory, store.memory() / 4, progress)
}
