//! From a file's ids to the model's: dense where the file is dense, hashed where it is not.
//!
//! Score-P's location ids reach 2^37 and EZTrace's region ids 2^31, so a plain vector will not do; but a
//! hash for every enter would be the most expensive thing in the decoder.

use rustc_hash::FxHashMap;

/// A map from file ids to `T`.
#[derive(Clone, Debug)]
pub(crate) struct IdMap<T> {
    dense: Vec<Option<T>>,
    sparse: FxHashMap<u64, T>,
}

impl<T: Copy> IdMap<T> {
    /// Where an id comes twice the last one counts.
    pub(crate) fn new(entries: impl Iterator<Item = (u64, T)> + Clone) -> IdMap<T> {
        let (count, largest) = entries.clone().fold((0u64, 0), |(n, max), (id, _)| (n + 1, u64::max(max, id)));
        let mut map = IdMap { dense: Vec::new(), sparse: FxHashMap::default() };
        if count == 0 {
            return map;
        }
        if largest < 4 * count + 1024 {
            map.dense = vec![None; largest as usize + 1];
            for (id, value) in entries {
                map.dense[id as usize] = Some(value);
            }
        } else {
            map.sparse = entries.collect();
        }
        map
    }

    /// About what it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.dense.len() * size_of::<Option<T>>() + self.sparse.capacity() * (size_of::<(u64, T)>() + 1)
    }

    #[inline]
    pub(crate) fn get(&self, id: u64) -> Option<T> {
        match self.dense.get(id as usize) {
            Some(value) => *value,
            None if self.sparse.is_empty() => None,
            None => self.sparse.get(&id).copied(),
        }
    }
}

/// The ids of one location: through its own map first, if it has one, else they are global already.
#[derive(Debug)]
pub(crate) struct Translate<'a, T> {
    pub(crate) local: Option<&'a IdMap<T>>,
    pub(crate) global: &'a IdMap<T>,
}

impl<T: Copy> Translate<'_, T> {
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Option<T> {
        if let Some(local) = self.local
            && let Some(value) = local.get(u64::from(id))
        {
            return Some(value);
        }
        self.global.get(u64::from(id))
    }
}
