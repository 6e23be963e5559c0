//! Profiles: how often and how long each location was in each function, by call path and by duration, in any window of time.
//!
//! One pass over all calls makes the tree of call paths, and sums over blocks of calls ([`pyramid`]) that are kept with the
//! store's derived results. The calls that begin in a window are a run of a location's calls, so their sums are those of a few
//! blocks and of the calls at both ends of the run. What is open when the window begins or ends is found by depth and counts
//! as far as it lies inside. So every number is what a visit to each call would give, whatever the window.

pub mod bins;
pub mod by_rank;
pub mod callers;
pub mod chosen;
mod fold;
pub mod kinds;
mod lasting;
mod make;
mod memo;
pub mod messages;
mod paths;
mod pyramid;
pub mod values;

use std::ops::Range;
use std::path::Path;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::index::SpansInSight;
use heddle_store::{Columns, Derived, Progress, Store, StoreError};

pub use fold::{Folded, Grouping, Row, RowSums, Spread, each, fold};
pub use lasting::{Lasting, Within};
pub use paths::{PathId, Paths};

use bins::{BINS, bin_of};

pub use bins::Bin;
use make::{PathTable, duration_key};
use memo::Memo;
use paths::{Lately, Walk};
use pyramid::Pyramid;

/// Number of this layout. Results of another are made again.
const FORMAT: u32 = 1;
/// What the place of a result is named after.
const KIND: &str = "profile";
/// Folders of the two pyramids, and log2 of the calls of their smallest blocks.
const VISITS: (&str, u32) = ("visits", 7);
const DURATIONS: (&str, u32) = ("durations", 10);

/// What is kept of a trace's calls.
#[derive(Debug)]
pub struct CallProfile {
    paths: Paths,
    visits: Pyramid,
    durations: Pyramid,
    /// What was last asked of many locations.
    folded: Memo<fold::Asked, Vec<Folded>>,
    binned: Memo<bins::Asked, Vec<Vec<Bin>>>,
}

/// Visits of a location to a call path or a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visited {
    /// How many.
    pub count: u64,
    /// Time of the window in them.
    pub inclusive: i64,
    /// The same without what they call.
    pub exclusive: i64,
    /// Their durations together, as a whole.
    pub durations: i64,
    /// Duration of the shortest, as a whole.
    pub shortest: i64,
    /// Duration of the longest, as a whole.
    pub longest: i64,
}

impl Visited {
    const NONE: Visited =
        Visited { count: 0, inclusive: 0, exclusive: 0, durations: 0, shortest: i64::MAX, longest: i64::MIN };

    /// Takes in further visits. Their time counts as inclusive unless a visit around them counts it already.
    fn take(&mut self, other: &Visited, is_outermost: bool) {
        self.count += other.count;
        self.exclusive = self.exclusive.saturating_add(other.exclusive);
        self.durations = self.durations.saturating_add(other.durations);
        if is_outermost {
            self.inclusive = self.inclusive.saturating_add(other.inclusive);
        }
        self.shortest = self.shortest.min(other.shortest);
        self.longest = self.longest.max(other.longest);
    }
}

/// Visits of a location by call path. One serves for many locations, one after the other.
#[derive(Debug, Default)]
pub struct Visits {
    sums: Vec<Visited>,
    met: Vec<PathId>,
}

impl Visits {
    /// The call paths that were visited, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (PathId, &Visited)> {
        self.met.iter().filter_map(|path| Some((*path, self.sums.get(*path as usize)?)))
    }

    fn clear(&mut self, paths: usize) {
        for path in self.met.drain(..) {
            self.sums[path as usize] = Visited::NONE;
        }
        self.sums.resize(paths, Visited::NONE);
    }

    /// Adds visits to a path.
    fn add(&mut self, path: PathId, some: &Visited) {
        let Some(sum) = self.sums.get_mut(path as usize) else { return };
        if sum.count == 0 {
            self.met.push(path);
        }
        sum.take(some, true);
    }

    /// Takes what was called out of the callers' own time.
    fn finish(&mut self, paths: &Paths) {
        for at in 0..self.met.len() {
            let path = self.met[at];
            let inclusive = self.sums[path as usize].inclusive;
            let own = &mut self.sums[path as usize].exclusive;
            *own = own.saturating_add(inclusive);
            if let Some(caller) = self.sums.get_mut(paths.caller(path) as usize) {
                caller.exclusive = caller.exclusive.saturating_sub(inclusive);
            }
        }
    }
}

/// The calls of a location that have a part in a window.
struct InWindow {
    /// All of the location.
    rows: Range<u64>,
    /// Those that begin in it.
    inside: Range<u64>,
    /// Whether nothing comes after it.
    is_end: bool,
}

impl InWindow {
    fn new(store: &Store, location: LocationId, (from, to): (Ns, Ns)) -> InWindow {
        let rows = store.spans_of(location);
        let is_end = to.0 >= store.summary().end_ns;
        let from = if from.0 <= 0 { Ns(i64::MIN) } else { from };
        let to = if is_end { Ns(i64::MAX) } else { to };
        let inside = store.spans.start.rows_between(rows.clone(), (from, to));
        InWindow { rows, inside, is_end }
    }

    /// The calls that begin in a stretch of time to which both ends belong.
    fn between(store: &Store, location: LocationId, (from, to): (Ns, Ns)) -> InWindow {
        let rows = store.spans_of(location);
        let inside = store.spans.start.rows_between(rows.clone(), (from, Ns(to.0.saturating_add(1))));
        InWindow { rows, inside, is_end: false }
    }

    /// The location and all of its calls.
    fn of(&self, location: LocationId) -> (u64, Range<u64>) {
        (u64::from(location.0), self.rows.clone())
    }

    /// The last call before the window and its callers, the innermost first; some of them are open when it begins.
    fn before(&self, store: &Store) -> Vec<u64> {
        let last = (self.inside.start > self.rows.start).then(|| self.inside.start - 1);
        std::iter::successors(last, |row| self.caller(store, self.rows.start, *row)).collect()
    }

    /// The last call of the window and those of its callers that begin in it; some of them are open when it ends.
    fn last(&self, store: &Store) -> Vec<u64> {
        let last = (!self.is_end && !self.inside.is_empty()).then(|| self.inside.end - 1);
        // Callers before the window are not looked for: finding out that there are none here takes few steps.
        std::iter::successors(last, |row| self.caller(store, self.inside.start, *row)).collect()
    }

    /// The call that a call was made from, if it is not before a row.
    fn caller(&self, store: &Store, from: u64, row: u64) -> Option<u64> {
        SpansInSight::parent_from(&store.spans, &store.depths, &self.rows, from, row)
    }
}

impl CallProfile {
    /// The profile of a trace, made if it is not kept yet.
    pub fn open(store: &Store, progress: &dyn Progress) -> Result<CallProfile, StoreError> {
        let place = Derived::place(store, KIND, &key());
        let read = |path: &Path| CallProfile::read(store, path);
        place.open_or_make(progress, read, |path| make::make(store, path, progress))
    }

    /// The same if it is at hand.
    pub fn find(store: &Store) -> Option<CallProfile> {
        Derived::existing(store, KIND, &key())?.find(|path| CallProfile::read(store, path))
    }

    fn read(store: &Store, path: &Path) -> Result<CallProfile, StoreError> {
        let table = PathTable::open(path)?;
        let mut paths = Paths::default();
        let mut is_sound = true;
        (&table.caller, &table.region).for_each(0..table.len(), |(caller, region)| {
            let known = paths.len();
            is_sound &= (caller == Paths::OUTSIDE || (caller as usize) < known)
                && u64::from(region.0) < store.regions.len()
                && paths.enter(caller, region) as usize == known;
        });
        if !is_sound {
            let what = "call paths do not fit the trace".to_owned();
            return Err(StoreError::Damaged { path: path.to_owned(), what });
        }
        let calls = || store.locations.spans.iter(0..store.locations.len());
        Ok(CallProfile {
            paths,
            visits: Pyramid::open(&path.join(VISITS.0), calls(), VISITS.1, true)?,
            durations: Pyramid::open(&path.join(DURATIONS.0), calls(), DURATIONS.1, false)?,
            folded: Memo::default(),
            binned: Memo::default(),
        })
    }

    /// All call paths of the trace.
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// What a location visits in a window, by call path.
    pub fn visits(&self, store: &Store, location: LocationId, time: (Ns, Ns), visits: &mut Visits) {
        visits.clear(self.paths.len());
        let window = InWindow::new(store, location, time);
        let inside = &window.inside;
        let rest = self.visits.for_each(window.of(location), inside.clone(), None, |sum| {
            let some = Visited {
                count: u64::from(sum.count),
                inclusive: sum.total,
                exclusive: 0,
                durations: sum.total,
                shortest: sum.least,
                longest: sum.most,
            };
            visits.add(sum.key as PathId, &some);
        });
        // What is walked over at the ends says the paths of the calls there, too.
        let mut ends = Ends { before: None, last: None };
        for rows in rest {
            self.walk(store, location, rows, |row, path, ns| {
                if row < inside.start {
                    ends.before = Some(path);
                    return;
                }
                if row + 1 == inside.end {
                    ends.last = Some(path);
                }
                visits.add(path, &one(ns, ns));
            });
        }
        let span = |row: u64| (store.spans.start.get(row), store.spans.end.get(row));
        let before = window.before(store);
        for (row, path) in before.iter().zip(self.chain(store, location, &before, ends.before)) {
            let (start, end) = span(*row);
            if end > time.0 {
                visits.add(path, &one(end.since(start), end.min(time.1).since(time.0)));
            }
        }
        let last = window.last(store);
        for (row, path) in last.iter().zip(self.chain(store, location, &last, ends.last)) {
            let (_, end) = span(*row);
            if end > time.1 {
                visits.add(path, &Visited { inclusive: -end.since(time.1), ..Visited::NONE });
            }
        }
        visits.finish(&self.paths);
    }

    /// Calls of a function that have a part in a window, by bin of their duration: `add` gets bin, count, and durations
    /// together. A bin may come several times; what is below zero was counted before.
    pub fn durations(
        &self,
        store: &Store,
        location: LocationId,
        time: (Ns, Ns),
        region: RegionId,
        mut add: impl FnMut(u16, i64, i64),
    ) {
        let window = InWindow::new(store, location, time);
        let keys = duration_key(region, 0)..duration_key(region, BINS);
        let of_location = window.of(location);
        let rest = self.durations.for_each_signed(of_location, window.inside.clone(), Some(&keys), |sum, sign| {
            add(sum.key as u16, sign * i64::from(sum.count), sum.total.saturating_mul(sign));
        });
        let spans = &store.spans;
        for (rows, sign) in rest {
            (&store.durations, &spans.region).for_each(rows, |(ns, of)| {
                if of == region {
                    add(bin_of(ns), sign, ns.saturating_mul(sign));
                }
            });
        }
        for row in window.before(store) {
            let (start, end) = (spans.start.get(row), spans.end.get(row));
            if end > time.0 && spans.region.get(row) == region {
                add(bin_of(end.since(start)), 1, end.since(start));
            }
        }
    }

    /// Calls `visit` with row, path and duration of some calls, and of the call before them if their first smallest block
    /// has it.
    fn walk(&self, store: &Store, location: LocationId, rows: Range<u64>, mut visit: impl FnMut(u64, PathId, i64)) {
        if rows.is_empty() {
            return;
        }
        let first = store.spans_of(location).start;
        let (block, caller) = self.visits.smallest(store, location, rows.start - first);
        let (mut walk, mut lately) = (Walk::default(), Lately::default());
        walk.begin(&self.paths, caller);
        let (spans, mut row) = (&store.spans, block.start);
        let columns = (&store.durations, &spans.region, &spans.depth);
        columns.for_each(block.start..rows.end, |(ns, region, depth)| {
            let path = lately.find(&self.paths, walk.caller(depth), region);
            walk.enter(depth, path);
            if row + 1 >= rows.start {
                visit(row, path, ns);
            }
            row += 1;
        });
    }

    /// The paths of a call and of its callers, the innermost first; that of the call may be known.
    fn chain<'a>(
        &'a self,
        store: &Store,
        location: LocationId,
        calls: &[u64],
        known: Option<PathId>,
    ) -> impl Iterator<Item = PathId> + use<'a> {
        let mut innermost = known.unwrap_or(Paths::OUTSIDE);
        if let (Some(call), None) = (calls.first(), known) {
            self.walk(store, location, *call..*call + 1, |_, path, _| innermost = path);
        }
        self.paths.outwards(innermost)
    }
}

/// The paths of the last call before a window and of the last in it, where they were met.
struct Ends {
    before: Option<PathId>,
    last: Option<PathId>,
}

/// One visit of this duration, of which so much lies in the window.
fn one(ns: i64, inside: i64) -> Visited {
    Visited { count: 1, inclusive: inside, exclusive: 0, durations: ns, shortest: ns, longest: ns }
}

/// All that decides a result.
fn key() -> String {
    format!("{KIND} {FORMAT}")
}
