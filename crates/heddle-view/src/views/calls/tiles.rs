//! Calls taken from the index, where there are too many to visit.
//!
//! A column of pixels takes the bins of time that lie inside it, from the coarsest level that fits down to the finest:
//! a bin that an edge cuts is replaced by its halves, and one of the finest level belongs where its middle is. The calls
//! of the bins that the window's own edges cut are visited one by one, so that the total is exact. With very many ranks
//! even that takes long: where bins are much narrower than pixels, those at the edges are taken or left as a whole. What is open at the
//! window's beginning is what started before it and has not ended.
//!
//! Bins of duration are narrower than a level of the axis. The calls of one that lies on two levels are divided in
//! proportion, with the fractions of calls rounded by a fixed pattern that has no stripes. Where heights are bytes, kinds of calls
//! with the same bytes are a bin.

use rayon::prelude::*;

use heddle_model::{LocationId, Ns};
use heddle_store::index::{CallEdge, CallLevel};

use super::CallsPicture;
use super::density::{Cell, Sum, add_calls, cell_of};
use super::drawn::Drawn;
use super::kinds::ShownKinds;
use super::looks::Look;
use super::options::CallStyle;
use super::scatter::Having;
use super::tally::Tally;
use crate::lookup::enclosing::{SpansInSight, beginning_in, spans_in};
use crate::scene::ticks::duration_text;

/// Locations that are visited together.
const LOCATIONS: usize = 4_096;

/// The index as the picture needs it.
pub(super) struct Tiles<'a, 's> {
    pub(super) picture: &'a CallsPicture<'s>,
    /// The moment of the left edge of each column, and of the right one of the last.
    pub(super) edges: Vec<i64>,
    /// What is drawn.
    drawn: Drawn,
    /// Which bins of duration pass the filter: those with their middle in its range.
    is_kept: Vec<bool>,
    /// Bins of the finest level that the window's edges cut.
    cut: Vec<u32>,
    /// Calls that start and that end in those, in the order of time.
    visited: [Vec<Visited>; 2],
    /// For lines and arches, the calls that began before the window and reach into it.
    pub(super) open: Vec<Open>,
}

/// The start or end of a call that was visited.
#[derive(Clone, Copy)]
struct Visited {
    moment: i64,
    duration: u16,
    number: u16,
}

/// Calls of one look and one bin that are open at the window's beginning.
#[derive(Clone, Copy)]
pub(super) struct Open {
    pub(super) look: Look,
    pub(super) bin: u16,
    pub(super) count: u64,
}

impl CallsPicture<'_> {
    /// All calls of the window, drawn as points or lines.
    pub(super) fn tiles(&self, style: CallStyle) -> Tally {
        let tiles = Tiles::new(self, style);
        let mut tally = self.empty_tally();
        let rows = self.rows as usize;
        // A few columns at once: each piece of work begins with what is open at its left edge.
        let at_once = self.columns.div_ceil(4 * rayon::current_num_threads() as u32).max(8) as usize;
        let mut work: Vec<(u32, Vec<&mut [Cell]>)> =
            (0..self.columns).step_by(at_once).map(|first| (first, Vec::new())).collect();
        for grid in &mut tally.layers {
            work.iter_mut().zip(grid.pieces(at_once * rows)).for_each(|((_, grids), piece)| grids.push(piece));
        }
        let counts: Vec<Counts> =
            work.into_par_iter().map(|(first, mut grids)| tiles.piece(style, first, &mut grids)).collect();
        for counts in &counts {
            tiles.add_counts(counts, &mut tally);
        }
        tally
    }
}

/// What a piece of the picture counted: calls by bin and look, those by bin that stand out, and all by column.
pub(super) struct Counts {
    first: u32,
    heights: Vec<u64>,
    stressed: Vec<u64>,
    /// The layer of what stands out.
    top: u8,
    across: Vec<u64>,
}

impl Counts {
    #[inline]
    pub(super) fn add(&mut self, column: usize, entries: usize, look: Look, bin: u16, count: u64) {
        self.heights[usize::from(bin) * entries + usize::from(look.entry)] += count;
        if look.layer == self.top {
            self.stressed[usize::from(bin)] += count;
        }
        self.across[column] += count;
    }
}

/// Everything at one moment: calls by bin, a list for each layer.
struct State {
    sums: Vec<Vec<Sum>>,
}

impl State {
    #[inline]
    fn change(&mut self, look: Look, bin: u16, count: u64, by: impl Fn(u64, u64) -> u64) {
        add_calls(&mut self.sums[usize::from(look.layer)][usize::from(bin)], look.colour, count, by);
    }
}

impl<'a, 's> Tiles<'a, 's> {
    pub(super) fn new(picture: &'a CallsPicture<'s>, style: CallStyle) -> Tiles<'a, 's> {
        let index = picture.index();
        let (from, to) = picture.time_in_sight();
        let width = i128::from(picture.time.1.since(picture.time.0));
        let columns = i128::from(picture.columns);
        // The least moment of a column: as the column of a moment is found.
        let edge = |column: i128| from.0 + ((width * column + columns - 1) / columns) as i64;
        let mut edges: Vec<i64> = (0..=columns).map(edge).collect();
        if let Some(last) = edges.last_mut() {
            *last = to.0;
        }
        let kept = |edges: &[i64]| picture.options.has_duration(edges[0].midpoint(edges[1] - 1));
        let mut tiles = Tiles {
            is_kept: index.durations().windows(2).map(kept).chain([true]).collect(),
            picture,
            edges,
            drawn: Drawn::new(picture),
            cut: Vec::new(),
            visited: [Vec::new(), Vec::new()],
            open: Vec::new(),
        };
        let finest = index.levels(CallEdge::Start).first().map_or(1, |level| level.bin_ns);
        let is_cut = |edge: &i64| !picture.takes_whole_bins() && *edge < i64::MAX && edge % finest != 0;
        for edge in [from.0, to.0].into_iter().filter(is_cut) {
            let bin = (edge / finest) as u32;
            if !tiles.cut.contains(&bin) {
                tiles.cut.push(bin);
            }
        }
        tiles.visited = tiles.visit_cut(style, finest);
        if Having::of(style) == Having::Part {
            tiles.open = tiles.open_at_start();
        }
        tiles
    }

    /// The calls that start and end in the bins that the window's edges cut, one by one.
    fn visit_cut(&self, style: CallStyle, finest: i64) -> [Vec<Visited>; 2] {
        let store = self.picture.store;
        let number_of = self.picture.number_of();
        let [wants_starts, wants_ends] = needed(style);
        let of_location = |found: &mut [Vec<Visited>; 2], location: LocationId| {
            for bin in &self.cut {
                let window @ (from, to) = (i64::from(*bin) * finest, (i64::from(*bin) + 1) * finest);
                // What ends just at the beginning is in the bin.
                let in_sight = if wants_ends {
                    spans_in(store, location, (Ns(from - 1), Ns(to)))
                } else {
                    let inside = beginning_in(store, location, (Ns(from), Ns(to)));
                    SpansInSight { around: Vec::new(), inside }
                };
                let is_in = |moment: i64| (window.0..window.1).contains(&moment);
                for row in in_sight.rows() {
                    if let Some(number) = number_of(row) {
                        let [start, end] = [store.spans.start.get(row).0, store.spans.end.get(row).0];
                        let duration = self.duration(end - start);
                        if wants_starts && is_in(start) {
                            found[0].push(Visited { moment: start, duration, number });
                        }
                        if wants_ends && is_in(end) {
                            found[1].push(Visited { moment: end, duration, number });
                        }
                    }
                }
            }
        };
        if self.cut.is_empty() {
            return [Vec::new(), Vec::new()];
        }
        let locations = self.picture.calls_of.locations();
        let of_chunk = |chunk: &[LocationId]| {
            let mut found = [Vec::new(), Vec::new()];
            for location in chunk {
                of_location(&mut found, *location);
            }
            found
        };
        let found: Vec<[Vec<Visited>; 2]> = locations.par_chunks(LOCATIONS).map(of_chunk).collect();
        [0, 1].map(|edge| {
            let mut all: Vec<Visited> = found.iter().flat_map(|found| found[edge].iter().copied()).collect();
            all.par_sort_unstable_by_key(|call| call.moment);
            all
        })
    }

    pub(super) fn duration(&self, ns: i64) -> u16 {
        let edges = self.picture.store.calls.durations();
        let after = edges.partition_point(|edge| *edge <= ns.max(1));
        after.saturating_sub(1).min(edges.len().saturating_sub(2)) as u16
    }

    pub(super) fn empty_counts(&self, first: u32, columns: usize) -> Counts {
        let entries = self.picture.looks.entries.len();
        let (bins, top) = (self.drawn.bins.len(), self.picture.looks.layers as u8 - 1);
        Counts { first, heights: vec![0; bins * entries], stressed: vec![0; bins], top, across: vec![0; columns] }
    }

    fn empty_state(&self) -> State {
        let bins = self.drawn.bins.len();
        State { sums: vec![vec![[0; 4]; bins]; self.picture.looks.layers] }
    }

    /// Calls `visit` for every bin of a pyramid whose calls lie between two edges of columns.
    fn cover(&self, edge: CallEdge, from: i64, to: i64, visit: &mut impl FnMut(&CallLevel, u32)) {
        let levels = self.picture.index().levels(edge);
        let Some(finest) = levels.first() else { return };
        let to = to.min(finest.bin_ns.saturating_mul(i64::from(finest.bins)));
        let coarsest = levels.iter().rposition(|level| level.bin_ns <= to - from).unwrap_or(0);
        let width = levels[coarsest].bin_ns;
        for bin in from / width..=(to - 1).max(from) / width {
            self.part(levels, coarsest, bin, (from, to), visit);
        }
    }

    fn part(
        &self,
        levels: &[CallLevel],
        at: usize,
        bin: i64,
        (from, to): (i64, i64),
        visit: &mut impl FnMut(&CallLevel, u32),
    ) {
        let level = &levels[at];
        let (left, right) = (bin * level.bin_ns, (bin + 1) * level.bin_ns);
        if right <= from || left >= to {
            return;
        }
        if left >= from && right <= to {
            visit(level, bin as u32);
        } else if at > 0 {
            self.part(levels, at - 1, 2 * bin, (from, to), visit);
            self.part(levels, at - 1, 2 * bin + 1, (from, to), visit);
        } else if (from..to).contains(&(left + level.bin_ns / 2)) && !self.cut.contains(&(bin as u32)) {
            visit(level, bin as u32);
        }
    }

    /// Adds up what starts or ends from one moment up to another, by place of the look and bin.
    fn gather_shown(&self, edge: CallEdge, from: i64, to: i64, mut add: impl FnMut(u16, u16, u64)) {
        let index = self.picture.index();
        let mut take = |number: u16, duration: u16, count: u64| {
            if let Some(shown) = self.drawn.shown.get(usize::from(number)).copied().flatten()
                && self.is_kept.get(usize::from(duration)) == Some(&true)
            {
                add(shown.look, shown.bin.unwrap_or(duration), count);
            }
        };
        if from < to {
            self.cover(edge, from, to, &mut |level, bin| {
                index.for_each(level, bin, |duration, number, count| take(number, duration, u64::from(count)));
            });
        }
        let visited = &self.visited[edge as usize];
        let first = visited.partition_point(|call| call.moment < from);
        for call in visited[first..].iter().take_while(|call| call.moment < to) {
            take(call.number, call.duration, 1);
        }
    }

    /// The same by look.
    pub(super) fn gather(&self, edge: CallEdge, from: i64, to: i64, mut add: impl FnMut(Look, u16, u64)) {
        self.gather_shown(edge, from, to, |look, bin, count| add(self.drawn.looks[usize::from(look)], bin, count));
    }

    /// The same between two columns.
    fn gather_columns(&self, edge: CallEdge, columns: std::ops::Range<u32>, add: impl FnMut(Look, u16, u64)) {
        self.gather(edge, self.edges[columns.start as usize], self.edges[columns.end as usize], add);
    }

    /// The calls that began before the window and reach into it: what has started, without what has ended.
    fn open_at_start(&self) -> Vec<Open> {
        let bins = self.drawn.bins.len();
        let before = |edge: CallEdge| {
            let mut counts = vec![0u64; self.drawn.looks.len() * bins];
            self.gather_shown(edge, 0, self.edges[0], |look, bin, count| {
                counts[usize::from(look) * bins + usize::from(bin)] += count;
            });
            counts
        };
        let (started, ended) = rayon::join(|| before(CallEdge::Start), || before(CallEdge::End));
        let open = started.into_iter().zip(ended).map(|(started, ended)| started.saturating_sub(ended));
        let open = open.enumerate().filter(|(_, count)| *count > 0);
        open.map(|(at, count)| Open { look: self.drawn.looks[at / bins], bin: (at % bins) as u16, count }).collect()
    }

    /// Draws the columns from `first` on that the grids have, one grid a layer.
    fn piece(&self, style: CallStyle, first: u32, grids: &mut [&mut [Cell]]) -> Counts {
        let rows = self.picture.rows as usize;
        let entries = self.picture.looks.entries.len();
        let columns = grids.first().map_or(0, |grid| grid.len() / rows);
        let mut counts = self.empty_counts(first, columns);
        let mut state = self.empty_state();
        let is_line = matches!(style, CallStyle::Lines | CallStyle::Arches);
        if is_line {
            let add = |state: &mut State, open: &Open| {
                state.change(open.look, open.bin, open.count, u64::wrapping_add);
            };
            self.open.iter().for_each(|open| add(&mut state, open));
            self.gather_columns(CallEdge::Start, 0..first, |look, bin, count| {
                state.change(look, bin, count, u64::wrapping_add);
            });
            self.gather_columns(CallEdge::End, 0..first, |look, bin, count| {
                state.change(look, bin, count, u64::wrapping_sub);
            });
            if first == 0 {
                self.open.iter().for_each(|open| counts.add(0, entries, open.look, open.bin, open.count));
            }
        }
        let edge = if style == CallStyle::PointsEnd { CallEdge::End } else { CallEdge::Start };
        let mut levels = vec![[0; 4]; self.picture.levels() as usize];
        for at in 0..columns {
            let column = first + at as u32;
            if !is_line {
                state.sums.iter_mut().for_each(|sums| sums.fill([0; 4]));
            }
            self.gather_columns(edge, column..column + 1, |look, bin, count| {
                state.change(look, bin, count, u64::wrapping_add);
                counts.add(at, entries, look, bin, count);
            });
            // A line keeps its row; points may be shared out differently in every column.
            let pattern = if is_line { 0 } else { column };
            for (sums, grid) in state.sums.iter().zip(grids.iter_mut()) {
                self.draw(sums, pattern, &mut levels, &mut grid[at * rows..][..rows]);
            }
            if is_line {
                let take = |look: Look, bin, count| state.change(look, bin, count, u64::wrapping_sub);
                self.gather_columns(CallEdge::End, column..column + 1, take);
            }
        }
        counts
    }

    /// Draws the calls of one column.
    fn draw(&self, sums: &[Sum], column: u32, levels: &mut [Sum], cells: &mut [Cell]) {
        levels.fill([0; 4]);
        for (bin, sum) in sums.iter().enumerate().filter(|(_, sum)| sum[0] > 0) {
            let (low, high) = self.drawn.bins[bin].place;
            let most = levels.len() - 1;
            let (first, last) = ((low as usize).min(most), ((high.ceil() as usize).max(1) - 1).min(most));
            let last = last.max(first);
            let mut given = 0;
            for (level, level_sum) in levels.iter_mut().enumerate().take(last + 1).skip(first) {
                let until = if level == last {
                    sum[0]
                } else {
                    rounded(sum[0], ((level + 1) as f64 - low) / (high - low), pattern(column, bin))
                };
                let count = until.saturating_sub(given);
                given = until.max(given);
                level_sum[0] += count;
                for (total, part) in level_sum[1..].iter_mut().zip(&sum[1..]) {
                    *total += (u128::from(*part) * u128::from(count) / u128::from(sum[0])) as u64;
                }
            }
        }
        for (level, sum) in levels.iter().enumerate().filter(|(_, sum)| sum[0] > 0) {
            cells[self.picture.row(level as u32) as usize] = cell_of(sum);
        }
    }

    pub(super) fn add_counts(&self, counts: &Counts, tally: &mut Tally) {
        let entries = self.picture.looks.entries.len();
        let bins = self.drawn.bins.iter().zip(counts.heights.chunks(entries.max(1))).zip(&counts.stressed);
        for ((bin, calls), stressed) in bins {
            let level = (f64::midpoint(bin.place.0, bin.place.1) as u32).min(self.picture.levels() - 1);
            for (entry, calls) in calls.iter().enumerate().filter(|(_, calls)| **calls > 0) {
                tally.add_height(entry, level, *calls);
            }
            if let Some(fine) = self.picture.fine_level(bin.value).filter(|_| *stressed > 0) {
                tally.add_fine(fine, *stressed);
            }
        }
        for (column, calls) in (counts.first as usize..).zip(&counts.across) {
            tally.across[column] += calls;
        }
    }
}

impl CallsPicture<'_> {
    /// How many calls the window has at least, as the index tells without a visit: those that start in its whole bins of time.
    /// There may be more of them if they are more than `enough`.
    pub(super) fn certain_calls(&self, enough: u64) -> u64 {
        let finest = self.index().levels(CallEdge::Start).first();
        let Some(level) = finest.filter(|_| self.has_tiles() && self.options.durations.is_none()) else { return 0 };
        let [first, after] = [self.time.0.0.max(0) + level.bin_ns - 1, self.time.1.0].map(|edge| edge / level.bin_ns);
        let shown = Drawn::new(self).shown;
        let mut calls = 0;
        for bin in first..after.min(i64::from(level.bins)) {
            if calls > enough {
                break;
            }
            self.index().for_each(level, bin as u32, |_, number, count| {
                let is_shown = shown.get(usize::from(number)).is_some_and(Option::is_some);
                calls += if is_shown { u64::from(count) } else { 0 };
            });
        }
        calls
    }

    /// What has to be said about pictures from the index: how far calls may be from their places, and which durations a
    /// filter really keeps.
    pub(super) fn tiles_note(&self) -> String {
        let edges = self.store.calls.durations();
        let level = f64::from(self.cell().1);
        let widths = Drawn::new(self).bins.into_iter().map(|bin| (bin.place.1 - bin.place.0) * level);
        let far = match widths.fold(0.0, f64::max).ceil() {
            pixels if pixels > 1.0 => format!("{pixels} pixels"),
            _ => String::from("a pixel"),
        };
        let edges_note = if self.takes_whole_bins() { " but for the window's very edges" } else { "" };
        let mut note = format!(
            "From tiles of the index: the count is exact{edges_note}, no call is more than {far} from its place."
        );
        if self.options.durations.is_some() {
            let kept = edges.windows(2).filter(|bin| self.options.has_duration(bin[0].midpoint(bin[1] - 1)));
            let ends = kept.fold(None, |ends: Option<(i64, i64)>, bin| {
                Some(ends.map_or((bin[0], bin[1] - 1), |(from, _)| (from, bin[1] - 1)))
            });
            if let Some((from, to)) = ends {
                let words = [from, to].map(duration_text);
                note = format!("{note} The filter keeps the bins of {} to {}.", words[0], words[1]);
            }
        }
        if let Some(more) = self.kinds.as_ref().and_then(ShownKinds::note) {
            note = format!("{note} {more}");
        }
        note
    }
}

/// Whether a style needs the starts of calls, and their ends.
fn needed(style: CallStyle) -> [bool; 2] {
    match style {
        CallStyle::PointsStart => [true, false],
        CallStyle::PointsEnd => [false, true],
        CallStyle::Lines | CallStyle::Arches => [true, true],
    }
}

/// A share of a count in whole calls: rounded up or down by the pattern, so that fractions are right on average.
#[inline]
fn rounded(count: u64, share: f64, pattern: f64) -> u64 {
    ((count as f64 * share + pattern) as u64).min(count)
}

/// Numbers from 0 to 1 that are spread evenly over columns and bins.
#[inline]
fn pattern(column: u32, bin: usize) -> f64 {
    (f64::from(column) * 0.754_877_666_246_692_8 + bin as f64 * 0.569_840_290_998_053_3).fract()
}
