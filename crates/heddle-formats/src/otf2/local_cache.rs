//! The definitions of the locations that are being read.
//!
//! A location has as many parts as its event file has chunks, and every part needs the location's own definitions. Parts
//! are read by location, a few locations at a time, so remembering the last few is enough to parse a location's
//! definitions once. What is remembered is bounded, whatever the archive says.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use heddle_model::{LocationId, Warnings};

use super::local::LocalDefinitions;

/// More locations than threads read at a time.
const MOST_LOCATIONS: usize = 64;

/// Of all that is remembered. One location alone may have more, as it may while it is read.
const MOST_BYTES: usize = 8 << 20;

/// What was found in a location's definition file.
#[derive(Default)]
pub(super) struct ParsedLocal {
    pub(super) definitions: LocalDefinitions,
    pub(super) warnings: Warnings,
}

/// A location's definitions, locked while somebody parses them.
type Slot = Arc<Mutex<Option<Arc<ParsedLocal>>>>;

struct Recent {
    location: LocationId,
    slot: Slot,
    /// 0 until they are parsed.
    bytes: usize,
}

/// The last few locations, the latest at the end.
#[derive(Default)]
pub(super) struct LocalCache {
    recent: Mutex<VecDeque<Recent>>,
}

impl LocalCache {
    /// The definitions of a location; `parse` is asked if they are not remembered.
    pub(super) fn get(
        &self,
        location: LocationId,
        parse: impl FnOnce() -> io::Result<ParsedLocal>,
    ) -> io::Result<Arc<ParsedLocal>> {
        let slot = self.slot(location);
        let mut known = lock(&slot);
        if let Some(known) = &*known {
            return Ok(Arc::clone(known));
        }
        let parsed = Arc::new(parse()?);
        *known = Some(Arc::clone(&parsed));
        drop(known);
        self.settle(location, parsed.definitions.bytes());
        Ok(parsed)
    }

    fn slot(&self, location: LocationId) -> Slot {
        let mut recent = lock(&self.recent);
        let found = recent.iter().position(|entry| entry.location == location).and_then(|at| recent.remove(at));
        let entry = found.unwrap_or_else(|| Recent { location, slot: Slot::default(), bytes: 0 });
        let slot = Arc::clone(&entry.slot);
        recent.push_back(entry);
        if recent.len() > MOST_LOCATIONS {
            recent.pop_front();
        }
        slot
    }

    /// Forgets the oldest if there is too much now.
    fn settle(&self, location: LocationId, bytes: usize) {
        let mut recent = lock(&self.recent);
        if let Some(entry) = recent.iter_mut().find(|entry| entry.location == location) {
            entry.bytes = bytes;
        }
        let mut total: usize = recent.iter().map(|entry| entry.bytes).sum();
        while total > MOST_BYTES && recent.len() > 1 {
            total -= recent.pop_front().map_or(0, |entry| entry.bytes);
        }
    }
}

/// What a thread left behind that panicked is as good as before.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::otf2::ids::IdMap;

    fn parsed(entries: u32) -> ParsedLocal {
        let metrics = Some(IdMap::new((0..entries).map(|id| (u64::from(id), id))));
        ParsedLocal { definitions: LocalDefinitions { metrics, ..LocalDefinitions::default() }, ..Default::default() }
    }

    /// Which of the locations are parsed when they are asked for in this order.
    fn parses(cache: &LocalCache, locations: impl Iterator<Item = u32>, entries: u32) -> Vec<u32> {
        let asked = Cell::new(Vec::new());
        for location in locations {
            let parse = || {
                asked.set([asked.take(), vec![location]].concat());
                Ok(parsed(entries))
            };
            cache.get(LocationId(location), parse).unwrap();
        }
        asked.into_inner()
    }

    #[test]
    fn chunks_of_a_few_locations_parse_each_once() {
        let chunks = (0..100_u32).flat_map(|group| (0..10).flat_map(move |_| (0..4).map(move |at| 4 * group + at)));
        assert_eq!(parses(&LocalCache::default(), chunks, 10), (0..400).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let cache = LocalCache::default();
        parses(&cache, 0..1000, 10);
        assert_eq!(lock(&cache.recent).len(), MOST_LOCATIONS);
        parses(&cache, 1000..1050, 200_000);
        assert!(lock(&cache.recent).iter().map(|entry| entry.bytes).sum::<usize>() <= MOST_BYTES);
        parses(&cache, 2000..2002, 4_000_000);
        assert_eq!(lock(&cache.recent).len(), 1, "the one that is being read");
    }

    #[test]
    fn a_failure_is_not_remembered() {
        let cache = LocalCache::default();
        assert!(cache.get(LocationId(0), || Err(io::ErrorKind::TimedOut.into())).is_err());
        assert_eq!(parses(&cache, [0, 0].into_iter(), 1), [0]);
    }
}
