//! Calls by rank: how many calls of each function start in each bin of time, and how many are open when it begins, for groups of
//! neighbouring locations.
//!
//! A picture with a row for every few ranks has a million cells, whatever the number of calls. So they are counted once, for about
//! as many groups as a screen has rows, and for bins of time in which a group makes some dozens of calls. Coarser levels have bins
//! four times as wide. What is open at the edges of bins makes the ends of calls known as well: those that were open or have
//! started, without those that are open at the next edge.
//!
//! The counts of a group and a function lie in chunks of 256 bins; where a function is not called and not open in any of them
//! there is no chunk. There is a value for at most every sixth call in the finest level, so all of them take about a quarter of a byte per call.

mod make;

use std::ops::Range;
use std::path::Path;

use heddle_store::index::NUMBERS;
use heddle_store::table::require;
use heddle_store::{Derived, Progress, Store, StoreError, table};

/// Number of this layout. Results of another are made again.
const FORMAT: u32 = 1;
/// What the place of a result is named after.
const KIND: &str = "by_rank";
/// Groups that there are at most.
const MOST_GROUPS: usize = 1_024;
/// log2 of the bins of a chunk: as many as a packed table has rows in a block.
const CHUNK: u32 = 8;
const CHUNK_BINS: usize = 1 << CHUNK;
/// log2 of how much wider the bins of a level are than those of the finer one.
const COARSER: u32 = 2;
/// Levels that there may be.
const MOST_LEVELS: u64 = 16;

table! {
    /// The levels, finest first.
    LevelRows, LevelTable = "levels" {
        /// Width of a bin.
        bin_ns: i64 => "bin_ns",
        /// Number of bins.
        bins: u32 => "bins",
    }
}

table! {
    /// Where the chunks of groups begin: group by group, in each the levels; and where the last one ends.
    GroupRows, GroupTable = "groups" {
        /// First of its rows in the chunks.
        first: u64 => "first_chunk",
    }
}

table! {
    /// Chunks, by group, level, function and time. The counts of each are as many rows as a chunk has bins.
    ChunkRows, ChunkTable = "chunks" packed {
        /// Number of the function, as in the store's index of calls.
        number: u16 => "number",
        /// Which of the level's chunks.
        chunk: u32 => "chunk",
    }
}

table! {
    /// Counts of calls by bin.
    CountRows, CountTable = "counts" packed {
        /// How many start in it.
        started: u32 => "started",
        /// How many are open when it begins.
        open: u32 => "open",
    }
}

/// Bins of time of the same width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankLevel {
    /// Their number.
    pub bins: u32,
    /// The width of each in nanoseconds.
    pub bin_ns: i64,
}

impl RankLevel {
    /// Bins of a width, as many as a trace takes that ends at a moment.
    fn of(end_ns: i64, bin_ns: i64) -> RankLevel {
        let bin_ns = bin_ns.max(1);
        RankLevel { bins: u32::try_from(end_ns / bin_ns + 1).unwrap_or(u32::MAX), bin_ns }
    }

    fn chunks(&self) -> u64 {
        u64::from(self.bins).div_ceil(CHUNK_BINS as u64)
    }
}

/// Calls by rank, counted.
#[derive(Debug)]
pub struct CallsByRank {
    size: usize,
    levels: Vec<RankLevel>,
    groups: Vec<u64>,
    chunks: ChunkTable,
    counts: CountTable,
}

/// What a group makes of a function in some bins: how many calls start in each, and how many are open when it begins.
pub type Counted = (Vec<u32>, Vec<u32>);

impl CallsByRank {
    /// A trace's calls by rank, counted unless that was done already.
    pub fn open(store: &Store, progress: &dyn Progress) -> Result<CallsByRank, StoreError> {
        let read = |path: &Path| CallsByRank::read(store, path);
        Derived::place(store, KIND, &key()).open_or_make(progress, read, |path| make::make(store, path, progress))
    }

    /// The same if they are at hand.
    pub fn find(store: &Store) -> Option<CallsByRank> {
        Derived::existing(store, KIND, &key())?.find(|path| CallsByRank::read(store, path))
    }

    fn read(store: &Store, path: &Path) -> Result<CallsByRank, StoreError> {
        let (levels, groups) = (LevelTable::open(path)?, GroupTable::open(path)?);
        let level = |row| RankLevel { bin_ns: levels.bin_ns.get(row), bins: levels.bins.get(row) };
        // Bins reach to the end of the trace, and not beyond it.
        let is_sound =
            |level: &RankLevel| level.bin_ns > 0 && *level == RankLevel::of(store.summary().end_ns, level.bin_ns);
        let fits = levels.len() <= MOST_LEVELS && (0..levels.len()).all(|row| is_sound(&level(row)));
        require::<LevelRows>(path, fits)?;
        let levels: Vec<RankLevel> = (0..levels.len()).map(level).collect();
        let (mut chunks, counts) = (ChunkTable::open(path)?, CountTable::open(path)?);
        let most = levels.iter().map(RankLevel::chunks).max().unwrap_or(0);
        let fits = chunks.number.must_be_below(NUMBERS as u64) && chunks.chunk.must_be_below(most);
        require::<ChunkRows>(path, fits)?;
        require::<CountRows>(path, Some(counts.len()) == chunks.len().checked_mul(CHUNK_BINS as u64))?;
        let groups: Vec<u64> = groups.first.iter(0..groups.len()).collect();
        let size = group_size(store);
        let wanted = (store.locations.len() as usize).div_ceil(size).saturating_mul(levels.len()) + 1;
        let fits = groups.len() == wanted && groups.is_sorted() && groups.last() == Some(&chunks.len());
        require::<GroupRows>(path, fits)?;
        Ok(CallsByRank { size, levels, groups, chunks, counts })
    }

    /// How many neighbouring locations are a group; the last one may have fewer.
    pub fn group_size(&self) -> usize {
        self.size
    }

    /// All levels, finest first; none if calls are few.
    pub fn levels(&self) -> &[RankLevel] {
        &self.levels
    }

    /// The calls of a group in some bins of a level, by number of the function. `open` has one value more: how many are open
    /// behind the last bin.
    pub fn counted(&self, level: usize, group: usize, bins: Range<u32>) -> Vec<(u16, Counted)> {
        let mut found: Vec<(u16, Counted)> = Vec::new();
        let at = group.saturating_mul(self.levels.len()).saturating_add(level);
        let (Some(first), Some(after)) = (self.groups.get(at), self.groups.get(at + 1)) else { return found };
        let len = bins.len();
        let rows = self.chunks.number.iter(*first..*after).zip(self.chunks.chunk.iter(*first..*after));
        for (row, (number, chunk)) in (*first..*after).zip(rows) {
            let from = chunk.saturating_mul(CHUNK_BINS as u32);
            // One more for what is open behind the last.
            let here = from.max(bins.start)..from.saturating_add(CHUNK_BINS as u32).min(bins.end.saturating_add(1));
            if here.is_empty() {
                continue;
            }
            if found.last().is_none_or(|(last, _)| *last != number) {
                found.push((number, (vec![0; len], vec![0; len + 1])));
            }
            let Some((_, (started, open))) = found.last_mut() else { continue };
            let values = row * CHUNK_BINS as u64 + u64::from(here.start - from)..;
            let values = values.start..values.start + here.len() as u64;
            let to = (here.start - bins.start) as usize;
            fill(&mut open[to..], self.counts.open.blocks(values.clone()));
            fill(&mut started[to.min(len)..], self.counts.started.blocks(values));
        }
        found
    }
}

/// Copies neighbouring rows, as far as there is room.
fn fill<'a>(to: &mut [u32], blocks: impl Iterator<Item = heddle_store::Block<'a, u32>>) {
    let mut at = 0;
    for block in blocks {
        let count = block.len().min(to.len() - at);
        to[at..at + count].copy_from_slice(&block[..count]);
        at += count;
    }
}

/// How many neighbouring locations are a group.
fn group_size(store: &Store) -> usize {
    (store.locations.len() as usize).div_ceil(MOST_GROUPS).next_power_of_two()
}

/// All that decides a result.
fn key() -> String {
    format!("{KIND} {FORMAT}")
}
