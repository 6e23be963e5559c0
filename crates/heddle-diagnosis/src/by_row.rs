//! Long lists by row: what is found collective by collective, and wanted row by row.

use std::ops::Range;

use bytemuck::Pod;
use heddle_store::{LongList, StoreError};
use rayon::prelude::*;

use crate::rows::Rows;

/// Findings that are put at the end of their list at a time.
const AT_ONCE: usize = 1 << 16;

/// A list that is found piece by piece.
pub(crate) struct Gathered<T> {
    list: LongList<T>,
    /// What the list does not have yet.
    last: Vec<T>,
}

/// A list by row.
pub(crate) struct ByRow<T> {
    list: LongList<T>,
    /// Where those of each row begin, and those of the last one end.
    first: Vec<usize>,
}

impl<T: Pod + Send> Gathered<T> {
    pub(crate) fn new(rows: &Rows<'_>) -> Gathered<T> {
        Gathered { list: LongList::new(&rows.room), last: Vec::new() }
    }

    /// Puts some behind the others.
    pub(crate) fn extend(&mut self, more: impl IntoIterator<Item = T>) -> Result<(), StoreError> {
        self.last.extend(more);
        if self.last.len() >= AT_ONCE { self.finish() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), StoreError> {
        self.list.extend(&self.last)?;
        self.last.clear();
        Ok(())
    }

    /// All of them in the order in which they were found.
    pub(crate) fn list(mut self) -> Result<LongList<T>, StoreError> {
        self.finish()?;
        Ok(self.list)
    }

    /// All of them by row, those of a row by a key, and where that is the same in the order in which they were found.
    pub(crate) fn by_row<K: Ord>(
        self,
        rows: &Rows<'_>,
        row: impl Fn(&T) -> usize,
        key: impl Fn(&T) -> K + Sync,
    ) -> Result<ByRow<T>, StoreError> {
        let found = self.list()?;
        let mut first = vec![0; rows.len() + 1];
        found.iter().for_each(|one| first[row(one) + 1] += 1);
        for row in 0..rows.len() {
            first[row + 1] += first[row];
        }
        let mut next = first.clone();
        let mut list = LongList::zeroed(&rows.room, found.len())?;
        let places: &mut [T] = &mut list;
        for one in found.iter() {
            let at = &mut next[row(one)];
            places[*at] = *one;
            *at += 1;
        }
        parts(places, &first, 0..rows.len()).into_par_iter().for_each(|(_, part)| part.sort_by_key(&key));
        Ok(ByRow { list, first })
    }
}

impl<T: Pod> ByRow<T> {
    /// Those of a row.
    pub(crate) fn of(&self, row: usize) -> &[T] {
        &self.list[self.first[row]..self.first[row + 1]]
    }

    /// All of them.
    pub(crate) fn into_list(self) -> LongList<T> {
        self.list
    }
}

/// The parts of some rows, each of which can be changed; `first` says where each begins, and the last one ends.
pub(crate) fn parts<'a, T>(mut rest: &'a mut [T], first: &[usize], rows: Range<usize>) -> Vec<(usize, &'a mut [T])> {
    let mut parts = Vec::with_capacity(rows.len());
    for row in rows {
        let (part, after) = rest.split_at_mut(first[row + 1] - first[row]);
        parts.push((row, part));
        rest = after;
    }
    parts
}
