//! The least depth of every 64 and every 4,096 spans: how callers and neighbours are found.
//!
//! Spans are stored in the order they were entered, so the caller of a span is the last one before it with a smaller
//! depth. On a location with millions of calls from one function that is a long way back; with the least depths of
//! whole runs of rows the way is a few hundred steps.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::IndexContext;
use crate::StoreError;
use crate::block::Block;
use crate::column::{Column, pieces};
use crate::table::{table, write_table};

/// log2 of the rows that an entry of the finer level stands for, and of the entries that one of the coarser does.
const SHIFT: u32 = 6;
/// Rows of an entry of the finer level.
const RUN: usize = 1 << SHIFT;

table! {
    /// Least depth of every 64 rows of the spans table.
    FineRows, FineTable = "index/depths_64" packed {
        /// Least depth.
        least: u16 => "least_depth",
    }
}

table! {
    /// Least depth of every 4,096 rows.
    CoarseRows, CoarseTable = "index/depths_4096" packed {
        /// Least depth.
        least: u16 => "least_depth",
    }
}

/// Finds spans by depth.
#[derive(Debug)]
pub struct DepthIndex {
    fine: FineTable,
    coarse: CoarseTable,
}

impl DepthIndex {
    pub(crate) fn open(directory: &Path) -> Result<DepthIndex, StoreError> {
        Ok(DepthIndex { fine: FineTable::open(directory)?, coarse: CoarseTable::open(directory)? })
    }

    /// The last of `rows` that is no deeper than `depth`.
    pub fn last_at_most(&self, rows: Range<u64>, depth: u16, depths: &Column<u16>) -> Option<u64> {
        let (from, mut at) = (rows.start, rows.end);
        while at > from {
            // Whole runs that end here and are too deep are skipped.
            if at.is_multiple_of(1 << SHIFT) {
                let fine = at >> SHIFT;
                if fine.is_multiple_of(1 << SHIFT) && self.coarse.least.get((fine >> SHIFT) - 1) > depth {
                    at -= (1 << (2 * SHIFT)).min(at);
                    continue;
                }
                if self.fine.least.get(fine - 1) > depth {
                    at -= (1 << SHIFT).min(at);
                    continue;
                }
            }
            at -= 1;
            if depths.get(at) <= depth {
                return (at >= from).then_some(at);
            }
        }
        None
    }

    /// The first of `rows` that is no deeper than `depth`.
    pub fn first_at_most(&self, rows: Range<u64>, depth: u16, depths: &Column<u16>) -> Option<u64> {
        let mut at = rows.start;
        while at < rows.end {
            if at.is_multiple_of(1 << SHIFT) {
                let fine = at >> SHIFT;
                if fine.is_multiple_of(1 << SHIFT) && self.coarse.least.get(fine >> SHIFT) > depth {
                    at += 1 << (2 * SHIFT);
                    continue;
                }
                if self.fine.least.get(fine) > depth {
                    at += 1 << SHIFT;
                    continue;
                }
            }
            if depths.get(at) <= depth {
                return Some(at);
            }
            at += 1;
        }
        None
    }
}

pub(crate) fn build(context: &IndexContext) -> Result<(), StoreError> {
    // Pieces are multiples of 64 rows.
    let fine: Vec<u16> = pieces(context.spans.len())
        .into_par_iter()
        .flat_map_iter(|rows| least_of_runs(context.spans.depth.blocks(rows)))
        .collect();
    let coarse: Vec<u16> = fine.chunks(RUN).map(least).collect();
    write_table(context.directory, FineRows { least: fine })?;
    write_table(context.directory, CoarseRows { least: coarse })?;
    context.progress.check()
}

fn least(depths: &[u16]) -> u16 {
    depths.iter().copied().min().unwrap_or(u16::MAX)
}

/// The least depth of every 64 rows. Blocks may end anywhere among them.
fn least_of_runs<'a>(blocks: impl Iterator<Item = Block<'a, u16>>) -> Vec<u16> {
    let mut runs = Vec::new();
    // Rows that the last run still lacks.
    let mut missing = 0;
    for block in blocks {
        let (rest_of_run, others) = block.split_at(missing.min(block.len()));
        if let Some(open) = runs.last_mut() {
            *open = least(rest_of_run).min(*open);
        }
        missing -= rest_of_run.len();
        if !others.is_empty() {
            runs.extend(others.chunks(RUN).map(least));
            missing = others.len().next_multiple_of(RUN) - others.len();
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_do_not_depend_on_where_blocks_end(
            depths in proptest::collection::vec(0u16..50, 0..500),
            cuts in proptest::collection::vec(1usize..150, 500),
        ) {
            let mut rest = &depths[..];
            let mut blocks = Vec::new();
            for cut in cuts {
                let (block, behind) = rest.split_at(cut.min(rest.len()));
                blocks.push(Block::borrowed(block));
                rest = behind;
            }
            let runs: Vec<u16> = depths.chunks(64).map(least).collect();
            prop_assert_eq!(least_of_runs(blocks.into_iter()), runs);
        }
    }
}
