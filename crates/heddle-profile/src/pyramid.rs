//! Sums over blocks of neighbouring calls of a location: blocks of a power of two, then of eight times as many, up to one
//! for all calls of the location. Any run of calls is a few blocks, and at most two parts of the smallest blocks; or, where sums may be
//! taken back, blocks nearest to it with what they have too much or lack. What is said
//! of calls and locations here holds for values and their series too (`values`).
//!
//! What a sum is of, its key, is the business of who makes them. Of `n` calls with `k` keys in a block of `b` there are
//! about `8/7 n k / b` entries of 20 bytes, 36 where the shortest and longest are kept too.

use std::ops::Range;
use std::path::Path;

use heddle_model::LocationId;
use heddle_store::{Columns, Store, StoreError, TableWriter, table};

/// log2 of how many blocks make up one of the next level.
const FAN: u32 = 3;

table! {
    /// Where the blocks of each location are.
    PlaceRows, PlaceTable = "places" packed {
        /// Its first block.
        first_block: u64 => "first_block",
    }
}

table! {
    /// Blocks, by location, then level, the smallest first. One more row says where the entries end.
    BlockRows, BlockTable = "blocks" packed {
        /// Its first entry.
        first_entry: u64 => "first_entry",
        /// The key of what the first call of a smallest block was made from, where that matters.
        caller: u32 => "caller",
    }
}

table! {
    /// Sums of a block, by key.
    EntryRows, EntryTable = "entries" packed {
        /// What it is of.
        key: u64 => "key",
        /// Number of calls.
        count: u32 => "count",
        /// Their durations together.
        total: i64 => "total_ns",
    }
}

table! {
    /// The shortest and longest call of each entry.
    ExtremeRows, ExtremeTable = "extremes" packed {
        /// The shortest.
        least: i64 => "least_ns",
        /// The longest.
        most: i64 => "most_ns" - least,
    }
}

/// Some calls together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) key: u64,
    pub(crate) count: u32,
    pub(crate) total: i64,
    pub(crate) least: i64,
    pub(crate) most: i64,
}

impl Sum {
    pub(crate) fn of_call(key: u64, ns: i64) -> Sum {
        Sum { key, count: 1, total: ns, least: ns, most: ns }
    }

    /// Adds it to another of the same key.
    pub(crate) fn add_to(&self, sum: &mut Sum) {
        sum.count = sum.count.saturating_add(self.count);
        sum.total = sum.total.saturating_add(self.total);
        sum.least = sum.least.min(self.least);
        sum.most = sum.most.max(self.most);
    }
}

/// Puts sums in the order of their keys, each key once.
pub(crate) fn merge(sums: &mut Vec<Sum>) {
    sums.sort_unstable_by_key(|sum| sum.key);
    sums.dedup_by(|next, kept| {
        let is_same = next.key == kept.key;
        if is_same {
            next.add_to(kept);
        }
        is_same
    });
}

/// How many blocks a location has on each level, from the smallest on, for so many calls and blocks of so many bits.
fn levels(calls: u64, bits: u32) -> impl Iterator<Item = u64> {
    let first = (calls > 0).then(|| calls.div_ceil(1 << bits));
    std::iter::successors(first, |blocks| (*blocks > 1).then(|| blocks.div_ceil(1 << FAN)))
}

/// Neighbours that are to be added, with 1, or taken away, with -1.
type Signed = (Range<u64>, i64);

/// Some of `count` neighbours as whole groups of `1 << bits`, and what is to be added to them, or taken away, at both ends; none if
/// that is no less than themselves.
fn nearest(some: &Range<u64>, count: u64, bits: u32) -> Option<(Range<u64>, [Signed; 2])> {
    let edge = |at: u64| {
        let (before, after) = (at >> bits, at.div_ceil(1 << bits));
        let [from, to] = [before, after].map(|group| (group << bits).min(count));
        if at - from <= to - at { (before, from) } else { (after, to) }
    };
    // The last group may be smaller: its end is the nearest edge to itself.
    let last = if some.end == count { (count.div_ceil(1 << bits), count) } else { edge(some.end) };
    let first = edge(some.start);
    let left = if first.1 < some.start { (first.1..some.start, -1) } else { (some.start..first.1, 1) };
    let right = if last.1 > some.end { (some.end..last.1, -1) } else { (last.1..some.end, 1) };
    let beside = (left.0.end - left.0.start) + (right.0.end - right.0.start);
    (first.0 < last.0 && beside < some.end - some.start).then_some((first.0..last.0, [left, right]))
}

/// The blocks of one location, in the order they are kept.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// Where the entries of each block end, and its caller.
    blocks: Vec<(usize, u32)>,
    entries: Vec<Sum>,
}

impl Blocks {
    /// Adds the next of the smallest blocks.
    pub(crate) fn push(&mut self, sums: &mut Vec<Sum>, caller: u32) {
        merge(sums);
        self.entries.append(sums);
        self.blocks.push((self.entries.len(), caller));
    }

    /// Adds all larger ones.
    pub(crate) fn finish(&mut self) {
        let mut level = 0..self.blocks.len();
        while level.len() > 1 {
            for first in level.clone().step_by(1 << FAN) {
                let from = if first == 0 { 0 } else { self.blocks[first - 1].0 };
                let last = (first + (1 << FAN)).min(level.end) - 1;
                let mut sums = self.entries[from..self.blocks[last].0].to_vec();
                self.push(&mut sums, u32::MAX);
            }
            level = level.end..self.blocks.len();
        }
    }

    /// Gives paths their numbers among those of all locations.
    pub(crate) fn rename(&mut self, names: &[u32]) {
        let name = |key: u32| names.get(key as usize).copied().unwrap_or(u32::MAX);
        for (_, caller) in &mut self.blocks {
            *caller = name(*caller);
        }
        let mut from = 0;
        for (to, _) in &self.blocks {
            let entries = &mut self.entries[from..*to];
            for sum in &mut *entries {
                sum.key = u64::from(name(sum.key as u32));
            }
            entries.sort_unstable_by_key(|sum| sum.key);
            from = *to;
        }
    }
}

/// Writes the blocks of all locations.
pub(crate) struct PyramidWriter {
    places: TableWriter<PlaceRows>,
    blocks: TableWriter<BlockRows>,
    entries: TableWriter<EntryRows>,
    extremes: Option<TableWriter<ExtremeRows>>,
}

impl PyramidWriter {
    /// Into an empty directory.
    pub(crate) fn create(directory: &Path, has_extremes: bool) -> Result<PyramidWriter, StoreError> {
        Ok(PyramidWriter {
            places: TableWriter::create(directory)?,
            blocks: TableWriter::create(directory)?,
            entries: TableWriter::create(directory)?,
            extremes: if has_extremes { Some(TableWriter::create(directory)?) } else { None },
        })
    }

    /// Appends the blocks of the next location.
    pub(crate) fn append(&mut self, location: &Blocks) -> Result<(), StoreError> {
        self.places.append(PlaceRows { first_block: vec![self.blocks.rows()] })?;
        let mut rows = BlockRows::default();
        let mut first = 0;
        for (end, caller) in &location.blocks {
            rows.first_entry.push(self.entries.rows() + first as u64);
            rows.caller.push(*caller);
            first = *end;
        }
        self.blocks.append(rows)?;
        let column = |of: fn(&Sum) -> i64| location.entries.iter().map(of).collect::<Vec<i64>>();
        self.entries.append(EntryRows {
            key: location.entries.iter().map(|sum| sum.key).collect(),
            count: location.entries.iter().map(|sum| sum.count).collect(),
            total: column(|sum| sum.total),
        })?;
        match &mut self.extremes {
            Some(extremes) => {
                extremes.append(ExtremeRows { least: column(|sum| sum.least), most: column(|sum| sum.most) })
            }
            None => Ok(()),
        }
    }

    pub(crate) fn finish(mut self) -> Result<(), StoreError> {
        self.blocks.append(BlockRows { first_entry: vec![self.entries.rows()], caller: vec![u32::MAX] })?;
        self.places.finish()?;
        self.blocks.finish()?;
        self.entries.finish()?;
        self.extremes.map_or(Ok(()), |extremes| extremes.finish().map(drop))
    }
}

/// The blocks of all locations, open.
#[derive(Debug)]
pub(crate) struct Pyramid {
    /// log2 of the calls of a smallest block.
    bits: u32,
    places: PlaceTable,
    blocks: BlockTable,
    entries: EntryTable,
    extremes: Option<ExtremeTable>,
}

impl Pyramid {
    /// Opens what was written for locations of so many calls each; what does not fit them is refused.
    pub(crate) fn open(
        directory: &Path,
        calls: impl Iterator<Item = u64>,
        bits: u32,
        has_extremes: bool,
    ) -> Result<Pyramid, StoreError> {
        let mut pyramid = Pyramid {
            bits,
            places: PlaceTable::open(directory)?,
            blocks: BlockTable::open(directory)?,
            entries: EntryTable::open(directory)?,
            extremes: if has_extremes { Some(ExtremeTable::open(directory)?) } else { None },
        };
        let last = pyramid.blocks.len().checked_sub(1);
        let (mut locations, mut blocks) = (0, 0);
        for calls in calls {
            locations += 1;
            blocks += levels(calls, bits).sum::<u64>();
        }
        let extremes = pyramid.extremes.as_ref().map_or(pyramid.entries.len(), ExtremeTable::len);
        let fits = last == Some(blocks)
            && last.is_some_and(|last| pyramid.blocks.first_entry.get(last) == pyramid.entries.len())
            && extremes == pyramid.entries.len()
            && pyramid.places.len() == locations;
        let entries = pyramid.entries.len();
        let leads_somewhere = pyramid.places.first_block.must_be_below(pyramid.blocks.len())
            && pyramid.blocks.first_entry.must_be_below(entries + 1);
        if fits && leads_somewhere {
            return Ok(pyramid);
        }
        let what = "sums of calls do not fit the trace".to_owned();
        Err(StoreError::Damaged { path: directory.to_owned(), what })
    }

    /// The smallest block of a location with its call of this ordinal: the rows of it, and its caller.
    pub(crate) fn smallest(&self, store: &Store, location: LocationId, ordinal: u64) -> (Range<u64>, u32) {
        let calls = store.spans_of(location);
        let block = ordinal >> self.bits;
        let first = calls.start + (block << self.bits);
        let rows = first..(first + (1 << self.bits)).min(calls.end);
        (rows, self.blocks.caller.get(self.places.first_block.get(u64::from(location.0)) + block))
    }

    /// Calls `visit` for the entries with keys of a range, in blocks that make up as much of a run of the calls of a location
    /// as whole blocks can. Gives the rest: calls before them, and calls after them, each within one smallest block.
    pub(crate) fn for_each(
        &self,
        (location, calls): (u64, Range<u64>),
        run: Range<u64>,
        keys: Option<&Range<u64>>,
        mut visit: impl FnMut(Sum),
    ) -> [Range<u64>; 2] {
        let (first, last) = (run.start - calls.start, run.end - calls.start);
        let is_last = run.end == calls.end;
        // Blocks of a level that lie wholly in the run; the very last may be shorter.
        let inner = |shift: u32| {
            let from = first.div_ceil(1 << shift);
            let to = if is_last { last.div_ceil(1 << shift) } else { last >> shift };
            from..to.max(from)
        };
        let smallest = inner(self.bits);
        if smallest.is_empty() {
            return [run.clone(), run.end..run.end];
        }
        let row = |block: u64| (calls.start + (block << self.bits)).min(run.end);
        let rest = [run.start..row(smallest.start), row(smallest.end)..run.end];
        let mut level_first = self.places.first_block.get(location);
        let mut shift = self.bits;
        let mut blocks = smallest;
        for count in levels(calls.end - calls.start, self.bits) {
            let above = inner(shift + FAN);
            let is_top = count == 1;
            // What whole blocks of the next level make up is left to them.
            let (left, right) = if is_top || above.is_empty() {
                (blocks.clone(), blocks.end..blocks.end)
            } else {
                (blocks.start..above.start << FAN, (above.end << FAN).min(blocks.end)..blocks.end)
            };
            for blocks in [left, right] {
                self.entries_of(level_first + blocks.start..level_first + blocks.end, keys, &mut visit);
            }
            if is_top || above.is_empty() {
                break;
            }
            level_first += count;
            shift += FAN;
            blocks = above;
        }
        rest
    }

    /// The same where sums may be taken back: edges of the run are those of the nearest blocks, and what lies between is added or
    /// taken away. So half as many blocks, and half as many calls, are looked at. `visit` gets 1 or -1 with what is to be added or
    /// taken away, which was added before; so does the caller with the rest.
    pub(crate) fn for_each_signed(
        &self,
        (location, calls): (u64, Range<u64>),
        run: Range<u64>,
        keys: Option<&Range<u64>>,
        mut visit: impl FnMut(Sum, i64),
    ) -> [Signed; 2] {
        let count = calls.end - calls.start;
        let mut edges = run.start - calls.start..run.end - calls.start;
        let Some((blocks, [left, right])) = nearest(&edges, count, self.bits) else {
            return [(run.clone(), 1), (run.end..run.end, 1)];
        };
        let row = |(edges, sign): Signed| (calls.start + edges.start..calls.start + edges.end, sign);
        let rest = [row(left), row(right)];
        // From the smallest blocks on; what is taken away lies in larger ones, and so is visited after them.
        let (mut taken, mut level_first) = (Vec::new(), self.places.first_block.get(location));
        edges = blocks;
        for count in levels(count, self.bits) {
            let above = nearest(&edges, count, FAN).filter(|_| count > 1);
            let (next, pieces) = above.unwrap_or((0..0, [(edges, 1), (0..0, 1)]));
            for (blocks, sign) in pieces {
                let blocks = level_first + blocks.start..level_first + blocks.end;
                if sign > 0 {
                    self.entries_of(blocks, keys, &mut |sum| visit(sum, 1));
                } else {
                    taken.push(blocks);
                }
            }
            if next.is_empty() {
                break;
            }
            edges = next;
            level_first += count;
        }
        for blocks in taken {
            self.entries_of(blocks, keys, &mut |sum| visit(sum, -1));
        }
        rest
    }

    /// The entries of neighbouring blocks. They stand one after the other.
    fn entries_of(&self, blocks: Range<u64>, keys: Option<&Range<u64>>, visit: &mut impl FnMut(Sum)) {
        let first_entry = &self.blocks.first_entry;
        let Some(keys) = keys else {
            if !blocks.is_empty() {
                self.visit(first_entry.get(blocks.start)..first_entry.get(blocks.end), visit);
            }
            return;
        };
        let key = &self.entries.key;
        for block in blocks {
            let rows = first_entry.get(block)..first_entry.get(block + 1);
            let first = key.partition_point(rows.clone(), |key| key < keys.start);
            self.visit(first..key.partition_point(first..rows.end, |key| key < keys.end), visit);
        }
    }

    fn visit(&self, rows: Range<u64>, visit: &mut impl FnMut(Sum)) {
        let EntryTable { key, count, total, .. } = &self.entries;
        match &self.extremes {
            // A row for each entry.
            Some(ExtremeTable { least, most, .. }) => (key, count, total, least, most)
                .for_each(rows, |(key, count, total, least, most)| visit(Sum { key, count, total, least, most })),
            None => (key, count, total)
                .for_each(rows, |(key, count, total)| visit(Sum { key, count, total, least: 0, most: 0 })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn groups_with_what_is_added_and_taken_away_are_the_run(
            count in 0u64..200, from in 0u64..200, length in 0u64..200, bits in 0u32..6,
        ) {
            let run = from.min(count)..(from + length).min(count);
            let Some((groups, beside)) = nearest(&run, count, bits) else { return Ok(()) };
            let times = |at: u64| {
                let signed: i64 = beside.iter().filter(|(rows, _)| rows.contains(&at)).map(|(_, sign)| sign).sum();
                signed + i64::from(groups.contains(&(at >> bits)))
            };
            for at in 0..count {
                prop_assert_eq!(times(at), i64::from(run.contains(&at)));
            }
            prop_assert!(groups.end <= count.div_ceil(1 << bits));
        }
    }
}
