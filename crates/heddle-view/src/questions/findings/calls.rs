//! The calls that findings speak of: which functions count, and every call of a window with its number.

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::Store;

use crate::lookup::call_regions::{call_regions, has_communication};
use crate::lookup::enclosing::beginning_in;
use crate::request::window::Window;
use crate::scene::theme::regions_by_time;

/// Functions that are looked at, those with most time first. The others together have next to none.
const MOST_FUNCTIONS: usize = 16;
/// Pieces that the locations are cut into: enough for the cores, few enough for what each of them remembers.
const PIECES: usize = 16;
/// Not a function that counts.
const NO_FUNCTION: u8 = u8::MAX;

/// Whose calls, and when.
pub(super) struct Calls<'a> {
    pub(super) store: &'a Store,
    pub(super) time: (Ns, Ns),
    pub(super) locations: Vec<LocationId>,
    /// The functions, by their number here.
    pub(super) functions: Vec<RegionId>,
    /// The number of each region's function.
    function_of: Vec<u8>,
    /// Whether they communicate; otherwise they are whatever the program does.
    pub(super) is_communication: bool,
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// Number of its function.
    pub(super) function: usize,
    /// How many calls of that function its location made before, in the whole run.
    pub(super) order: u64,
    pub(super) row: u64,
    pub(super) location: LocationId,
    pub(super) start: Ns,
    pub(super) end: Ns,
}

impl Call {
    pub(super) fn length(&self) -> u64 {
        self.end.since(self.start).unsigned_abs()
    }
}

impl<'a> Calls<'a> {
    pub(super) fn new(store: &'a Store, window: &Window) -> Calls<'a> {
        let (is_communication, is_call) = (has_communication(store), call_regions(store));
        let functions: Vec<RegionId> = regions_by_time(store)
            .into_iter()
            .filter(|region| is_call[*region as usize])
            .take(MOST_FUNCTIONS)
            .map(|region| RegionId(region as u32))
            .collect();
        let mut function_of = vec![NO_FUNCTION; store.regions.len() as usize];
        for (number, region) in functions.iter().enumerate() {
            function_of[region.index()] = number as u8;
        }
        let (time, locations) = (window.time(store), window.locations(store));
        Calls { store, time, locations, functions, function_of, is_communication }
    }

    /// Time that all locations together have.
    pub(super) fn available(&self) -> f64 {
        self.time.1.since(self.time.0) as f64 * self.locations.len() as f64
    }

    pub(super) fn name(&self, function: usize) -> &'a str {
        self.store.regions.name.get(u64::from(self.functions[function].0))
    }

    /// The number of a region's function.
    pub(super) fn function_of(&self, region: RegionId) -> Option<usize> {
        let number = self.function_of.get(region.index()).copied().filter(|number| *number != NO_FUNCTION);
        number.map(usize::from)
    }

    /// All calls of a location that are open in the window, also in part, in the order they began.
    pub(super) fn for_each(&self, location: LocationId, mut visit: impl FnMut(Call)) {
        let spans = &self.store.spans;
        let inside = beginning_in(self.store, location, self.time);
        let rows = self.store.spans_of(location).start..inside.end;
        let mut orders = [0u64; MOST_FUNCTIONS];
        let columns =
            spans.region.blocks(rows.clone()).zip(spans.start.blocks(rows.clone())).zip(spans.end.blocks(rows.clone()));
        let mut row = rows.start;
        for ((regions, starts), ends) in columns {
            for ((region, start), end) in regions.iter().zip(&starts).zip(&ends) {
                let number = self.function_of.get(region.index()).copied().unwrap_or(NO_FUNCTION);
                if number != NO_FUNCTION {
                    let function = usize::from(number);
                    if row >= inside.start || *end > self.time.0 {
                        visit(Call { function, order: orders[function], row, location, start: *start, end: *end });
                    }
                    orders[function] += 1;
                }
                row += 1;
            }
        }
    }

    /// Goes through the calls of all locations, several locations at a time, and puts together what it finds. The
    /// pieces and their order do not depend on the number of threads.
    pub(super) fn gather<T: Send>(
        &self,
        empty: impl Fn() -> T + Sync,
        visit: impl Fn(&mut T, Call) + Sync,
        merge: impl Fn(&mut T, T),
    ) -> T {
        let piece = self.locations.len().div_ceil(PIECES).max(1);
        let pieces: Vec<T> = self
            .locations
            .par_chunks(piece)
            .map(|locations| {
                let mut found = empty();
                for location in locations {
                    self.for_each(*location, |call| visit(&mut found, call));
                }
                found
            })
            .collect();
        pieces.into_iter().fold(empty(), |mut all, piece| {
            merge(&mut all, piece);
            all
        })
    }
}
