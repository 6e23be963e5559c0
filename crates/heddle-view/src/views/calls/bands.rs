//! Calls where heights are ranks: how many of each look start and end in which column, for each band of ranks.
//!
//! That is all that the cells of a band take, and it is small enough to stay in the nearest cache while calls are counted. It
//! becomes a strip of cells, which is laid on the picture once, on as many rows as the band has.

use std::ops::Range;

use rayon::prelude::*;

use super::CallsPicture;
use super::density::{Cell, Sum, add_calls, cell_of};
use super::looks::Look;
use super::options::CallStyle;
use super::scatter::Having;
use super::tally::Tally;

/// How levels are shared out among ranks where they are what heights mean: every band has as many levels, and as many
/// ranks, as every other, so that no row is stronger for lying well on the pixels. Elsewhere a band is a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bands {
    /// Ranks of a band.
    pub(super) ranks: usize,
    /// Levels of a band.
    pub(super) levels: u32,
    /// How many of those are drawn on; the others keep bands apart.
    pub(super) filled: u32,
}

impl Bands {
    pub(super) const NONE: Bands = Bands { ranks: 1, levels: 1, filled: 1 };

    /// Bands of so many ranks on at most so many levels, each of so many ranks or more, and how many levels they take.
    pub(super) fn of(ranks: usize, most: u32, least: usize) -> (Bands, u32) {
        let most = most.max(1);
        let each = ranks.div_ceil(most as usize).max(least).max(1);
        let bands = ranks.div_ceil(each).max(1) as u32;
        let levels = (most / bands).max(1);
        let apart = if levels < 3 { 0 } else { (levels / 5).max(1) };
        (Bands { ranks: each, levels, filled: levels - apart }, bands * levels)
    }
}

/// The calls of a band.
pub(super) struct BandCounts {
    columns: usize,
    /// By number of the look; none if there are no calls of it.
    by_look: Vec<Option<LookCounts>>,
    /// Calls that have no height.
    pub(super) without: u64,
}

/// Calls of one look.
pub(super) struct LookCounts {
    look: Look,
    /// How many are at each column: points, or the left ends of lines.
    pub(super) at: Vec<u32>,
    /// How many lines reach to the column before each one. Points have no such ends.
    pub(super) ended: Vec<u32>,
}

/// What a band comes to.
struct Strip {
    /// Its cells, a list for each layer.
    layers: Vec<Vec<Cell>>,
    /// Calls by entry of the legend.
    calls: Vec<u64>,
    /// Calls that are at each column.
    across: Vec<u64>,
    without: u64,
}

impl BandCounts {
    fn new(picture: &CallsPicture) -> BandCounts {
        let by_look = (0..picture.looks.count).map(|_| None).collect();
        BandCounts { columns: picture.columns as usize, by_look, without: 0 }
    }

    /// The counts of a look, if it has a number.
    #[inline]
    pub(super) fn of(&mut self, look: Look) -> Option<&mut LookCounts> {
        let columns = self.columns;
        let new = || LookCounts { look, at: vec![0; columns], ended: vec![0; columns + 1] };
        Some(self.by_look.get_mut(usize::from(look.number))?.get_or_insert_with(new))
    }

    fn strip(&self, picture: &CallsPicture, style: CallStyle) -> Strip {
        let mut sums: Vec<Vec<Sum>> = vec![vec![[0; 4]; self.columns]; picture.looks.layers];
        let (mut calls, mut across) = (vec![0; picture.looks.entries.len()], vec![0; self.columns]);
        let is_line = Having::of(style) == Having::Part;
        for counts in self.by_look.iter().flatten() {
            let mut open = 0u32;
            let cells = sums[usize::from(counts.look.layer)].iter_mut().zip(&mut across);
            for ((sum, across), (at, ended)) in cells.zip(counts.at.iter().zip(&counts.ended)) {
                open = if is_line { open.wrapping_add(*at).wrapping_sub(*ended) } else { *at };
                add_calls(sum, counts.look.colour, u64::from(open), u64::wrapping_add);
                *across += u64::from(*at);
            }
            calls[usize::from(counts.look.entry)] += counts.at.iter().copied().map(u64::from).sum::<u64>();
        }
        let layers = sums.iter().map(|sums| sums.iter().map(cell_of).collect()).collect();
        Strip { layers, calls, across, without: self.without }
    }
}

impl LookCounts {
    /// A call at a column, which as a line reaches to another one.
    #[inline]
    fn add(&mut self, column: u32, last: Option<u32>) {
        if let Some(count) = self.at.get_mut(column as usize) {
            *count = count.wrapping_add(1);
        }
        if let Some(count) = last.and_then(|last| self.ended.get_mut(last as usize + 1)) {
            *count = count.wrapping_add(1);
        }
    }
}

impl CallsPicture<'_> {
    /// All calls of the window by the ranks that make them, each visited.
    pub(super) fn bands(&self, style: CallStyle) -> Tally {
        self.laid(1, style, |bands, counts| {
            for (band, counts) in bands.zip(counts) {
                self.visit_band(band, style, counts);
            }
        })
    }

    fn visit_band(&self, band: usize, style: CallStyle, counts: &mut BandCounts) {
        let first = band * self.bands.ranks;
        for at in first..(first + self.bands.ranks).min(self.calls_of.locations().len()) {
            let without = self.visit(at, self.time_in_sight(), Having::of(style), |call| {
                let Some(counts) = counts.of(call.look) else { return };
                match style {
                    CallStyle::PointsStart => counts.add(self.column(call.start), None),
                    CallStyle::PointsEnd => counts.add(self.column(call.end), None),
                    CallStyle::Lines | CallStyle::Arches => {
                        counts.add(self.column(call.start), Some(self.column(call.end)));
                    }
                }
            });
            counts.without += without;
        }
    }

    /// The picture of what is counted, so many neighbouring bands at once.
    pub(super) fn laid(
        &self,
        at_once: usize,
        style: CallStyle,
        count: impl Fn(Range<usize>, &mut [BandCounts]) + Sync,
    ) -> Tally {
        let bands = self.calls_of.locations().len().div_ceil(self.bands.ranks);
        let strips = |first: usize| {
            let bands = first..(first + at_once).min(bands);
            let mut counts: Vec<BandCounts> = bands.clone().map(|_| BandCounts::new(self)).collect();
            count(bands, &mut counts);
            counts.iter().map(|counts| counts.strip(self, style)).collect::<Vec<Strip>>()
        };
        let first: Vec<usize> = (0..bands).step_by(at_once).collect();
        let strips: Vec<Strip> = first.into_par_iter().flat_map_iter(strips).collect();
        let mut tally = self.empty_tally();
        for (band, strip) in strips.iter().enumerate() {
            let level = self.level_of(band);
            for (entry, calls) in strip.calls.iter().enumerate().filter(|(_, calls)| **calls > 0) {
                tally.add_height(entry, level, *calls);
            }
            tally.across.iter_mut().zip(&strip.across).for_each(|(sum, calls)| *sum += calls);
            tally.without += strip.without;
        }
        for (layer, grid) in tally.layers.iter_mut().enumerate() {
            let strips = strips.iter().enumerate().map(|(band, strip)| {
                let levels = self.levels_of(self.level_of(band));
                (self.row(levels.end - 1)..self.row(levels.start) + 1, &strip.layers[layer][..])
            });
            grid.lay(&strips.collect::<Vec<_>>());
        }
        tally
    }

    /// The lowest level of a band.
    pub(super) fn level_of(&self, band: usize) -> u32 {
        self.levels().saturating_sub((band as u32 + 1) * self.bands.levels)
    }
}
