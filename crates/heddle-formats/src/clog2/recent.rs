//! What was found lately. Records come from few places and of few kinds, again and again in turns: a look here costs a fraction of
//! one at a table.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

/// Places, as a power of two.
const PLACES: usize = 256;

/// The last values that were found for keys; each has one place that it may be in.
pub(super) struct Recent<K, V>(Vec<Option<(K, V)>>);

impl<K: Copy + Eq + Hash, V: Copy> Recent<K, V> {
    /// Nothing was found yet.
    pub(super) fn new() -> Recent<K, V> {
        Recent(vec![None; PLACES])
    }

    /// The value of a key; `find` gives it if it was not found lately.
    #[inline]
    pub(super) fn get(&mut self, key: K, find: impl FnOnce() -> V) -> V {
        let place = &mut self.0[FxBuildHasher.hash_one(key) as usize % PLACES];
        match *place {
            Some((known, value)) if known == key => value,
            _ => {
                let value = find();
                *place = Some((key, value));
                value
            }
        }
    }
}
