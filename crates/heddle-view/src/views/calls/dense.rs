//! Arches of more calls than can be drawn one by one.
//!
//! The index knows how many calls of each duration start at a column and how many end at one, but not which start belongs
//! to which end. So the left half of every arch is drawn from its start and the right half from its end: both legs stand
//! in their columns, and the halves meet at the top, where an arch is flat. Halves are as long as the shortest duration of
//! their bin; what is open in a column and in neither half lies at the top. So every call is counted once in each column
//! in which it is open, as if it had been drawn by itself.
//!
//! Calls of one height and one width in columns are drawn together, so that the cost grows with the pixels and not with
//! the calls.

use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use heddle_store::index::CallEdge;

use super::CallsPicture;
use super::density::{Cell, Sum, add_calls, cell_of};
use super::looks::Look;
use super::options::CallStyle;
use super::scatter::Having;
use super::tally::Tally;
use super::tiles::{Counts, Tiles};

/// Columns drawn together.
const COLUMNS: usize = 32;
/// Further from the window than it is wide, starts and ends are known to a part of their distance: nothing that is in
/// sight moves by a pixel.
const FAR_PARTS: f64 = 256.0;

/// Arches that look the same but for their place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Group {
    /// The level of their tops.
    level: u32,
    /// Columns of a half; none if they are narrower than a column, and drawn as a leg.
    half: i64,
    /// Half their width, in columns.
    radius: f64,
}

impl Group {
    /// The heights that a half passes in its column of this number from the leg, from the floor.
    #[inline]
    fn heights(&self, at: i64) -> Range<u32> {
        let top = f64::from(self.level) + 0.5;
        let height = |column: i64| {
            let part = 1.0 - (column as f64 / self.radius).min(1.0);
            (top * (1.0 - part * part).sqrt()) as u32
        };
        let upper = if at + 1 >= self.half { self.level } else { height(at + 1) };
        height(at).min(upper)..upper + 1
    }
}

/// All groups, and which of them a bin of duration is in.
struct Groups {
    all: Vec<Group>,
    of_bin: Vec<u16>,
}

impl Groups {
    fn new(picture: &CallsPicture) -> Groups {
        let edges = picture.store.calls.durations();
        let mut groups = Groups { all: Vec::new(), of_bin: Vec::new() };
        let mut first = 0;
        for (at, bin) in edges.windows(2).enumerate() {
            let middle = picture.heights.share(bin[0].midpoint(bin[1] - 1) as f64) * f64::from(picture.levels());
            let level = (middle.max(0.0) as u32).min(picture.levels() - 1);
            let half = ((bin[0] as f64 * picture.columns_a_ns) as i64 + 1) / 2;
            let half = if (bin[0] as f64 * picture.columns_a_ns) < 1.0 { 0 } else { half };
            let is_same = groups.all.last().is_some_and(|last| last.level == level && last.half == half);
            if !is_same {
                first = at;
                groups.all.push(Group { level, half, radius: 0.0 });
            }
            if let Some(group) = groups.all.last_mut() {
                group.radius = edges[first].midpoint(bin[1]) as f64 * picture.columns_a_ns / 2.0;
            }
            groups.of_bin.push(groups.all.len() as u16 - 1);
        }
        groups
    }

    fn of(&self, bin: u16) -> u16 {
        self.of_bin.get(usize::from(bin)).or(self.of_bin.last()).copied().unwrap_or(0)
    }
}

/// Calls that start, or that end, at a column: the widest first.
struct Ends {
    at: i64,
    calls: Vec<(u16, Sum)>,
}

/// What one layer is drawn from.
struct Halves {
    starts: Vec<Ends>,
    ends: Vec<Ends>,
    /// Calls that began before the window, by group.
    open: Vec<Sum>,
}

/// Starts or ends between two moments, all drawn at one column.
struct Position {
    from: i64,
    to: i64,
    at: i64,
}

impl CallsPicture<'_> {
    /// All calls of the window as arches, from the index.
    pub(super) fn dense_arches_from_tiles(&self) -> Tally {
        let tiles = Tiles::new(self, CallStyle::Arches);
        let groups = Groups::new(self);
        let mut tally = self.empty_tally();
        let (entries, layers) = (self.looks.entries.len(), self.looks.layers);
        let widest = groups.all.iter().map(|group| group.half).max().unwrap_or(0);
        let [before, after] = [self.positions_before(widest), self.positions_after(widest)];
        let inside: Vec<Position> = (0..)
            .zip(tiles.edges.windows(2))
            .map(|(at, edges)| Position { from: edges[0], to: edges[1], at })
            .collect();
        let gather = |edge: CallEdge, position: &Position, also: &mut dyn FnMut(Look, u16, u64)| {
            let mut found = vec![FxHashMap::<u16, Sum>::default(); layers];
            tiles.gather(edge, position.from, position.to, |look, bin, count| {
                let sum = found[usize::from(look.layer)].entry(groups.of(bin)).or_default();
                add_calls(sum, look.colour, count, u64::wrapping_add);
                also(look, bin, count);
            });
            found.into_iter().map(|calls| groups.sorted(position.at, calls)).collect::<Vec<Ends>>()
        };
        let find = |edge: CallEdge, positions: &[Position]| -> Vec<Vec<Ends>> {
            positions.par_iter().map(|position| gather(edge, position, &mut |_, _, _| ())).collect()
        };
        // Calls are counted where they start.
        let counted = |positions: &[Position]| -> (Counts, Vec<Vec<Ends>>) {
            let first = positions.first().map_or(0, |position| position.at as u32);
            let mut counts = tiles.empty_counts(first, positions.len());
            let starts = positions.iter().enumerate().map(|(column, position)| {
                gather(CallEdge::Start, position, &mut |look, bin, count| counts.add(column, entries, look, bin, count))
            });
            let starts = starts.collect();
            (counts, starts)
        };
        let mut open = vec![vec![[0; 4]; groups.all.len()]; layers];
        let mut at_left = tiles.empty_counts(0, 1);
        for calls in &tiles.open {
            let sum = &mut open[usize::from(calls.look.layer)][usize::from(groups.of(calls.bin))];
            add_calls(sum, calls.look.colour, calls.count, u64::wrapping_add);
            at_left.add(0, entries, calls.look, calls.bin, calls.count);
        }
        tiles.add_counts(&at_left, &mut tally);
        let mut starts = Vec::new();
        for (counts, some) in inside.par_chunks(COLUMNS).map(counted).collect::<Vec<_>>() {
            tiles.add_counts(&counts, &mut tally);
            starts.extend(some);
        }
        starts.extend(find(CallEdge::Start, &before));
        let mut ends = find(CallEdge::End, &inside);
        ends.extend(find(CallEdge::End, &after));
        let [starts, ends] = [starts, ends].map(|found| by_layer(found, layers));
        for (layer, ((starts, ends), open)) in starts.into_iter().zip(ends).zip(open).enumerate() {
            self.draw_halves(&groups, &Halves { starts, ends, open }, &mut tally, layer);
        }
        tally
    }

    /// All calls of the window as arches, each of them visited.
    pub(super) fn dense_arches_from_visits(&self) -> Tally {
        type Found = FxHashMap<(i64, u16), Sum>;
        let groups = Groups::new(self);
        let layers = self.looks.layers;
        let edges = self.store.calls.durations();
        let bin = |ns: i64| edges.partition_point(|edge| *edge <= ns.max(1)).saturating_sub(1) as u16;
        let (columns, is_end) = (i64::from(self.columns), self.time.1.0 >= self.store.summary().end_ns);
        let place = |moment| {
            let column = self.place(moment).floor() as i64;
            if is_end { column.min(columns - 1) } else { column }
        };
        let of_chunk = |range: Range<usize>| {
            let mut tally = self.empty_tally();
            let mut ends = vec![[Found::default(), Found::default()]; layers];
            let mut open = vec![vec![[0; 4]; groups.all.len()]; layers];
            for at in range {
                let without = self.visit(at, self.time_in_sight(), Having::Part, |call| {
                    let (look, group) = (call.look, groups.of(bin(call.end.since(call.start))));
                    let layer = usize::from(look.layer);
                    tally.count(look, self.column(call.start), call.level, self.fine_level(call.value));
                    for (found, moment) in ends[layer].iter_mut().zip([call.start, call.end]) {
                        let sum = found.entry((place(moment), group)).or_default();
                        add_calls(sum, look.colour, 1, u64::wrapping_add);
                    }
                    if call.start < self.time.0 {
                        add_calls(&mut open[layer][usize::from(group)], look.colour, 1, u64::wrapping_add);
                    }
                });
                tally.without += without;
            }
            (tally, ends, open)
        };
        let locations = self.calls_of.locations().len();
        let each = locations.div_ceil(4 * rayon::current_num_threads()).max(1);
        let chunks: Vec<usize> = (0..locations).step_by(each).collect();
        let found: Vec<_> =
            chunks.into_par_iter().map(|first| of_chunk(first..(first + each).min(locations))).collect();
        let mut tally = self.empty_tally();
        let mut all = vec![[Found::default(), Found::default()]; layers];
        let mut open = vec![vec![[0; 4]; groups.all.len()]; layers];
        for (some, ends, started) in found {
            tally = tally.merged(&some);
            for (all, found) in all.iter_mut().flatten().zip(ends.into_iter().flatten()) {
                for (key, sum) in found {
                    add(all.entry(key).or_default(), &sum, u64::wrapping_add);
                }
            }
            for (all, sum) in open.iter_mut().flatten().zip(started.iter().flatten()) {
                add(all, sum, u64::wrapping_add);
            }
        }
        for (layer, (ends, open)) in all.into_iter().zip(open).enumerate() {
            let [starts, ends] = ends.map(|found| groups.by_column(found));
            self.draw_halves(&groups, &Halves { starts, ends, open }, &mut tally, layer);
        }
        tally
    }

    /// Stretches of time before the window from which a left half may reach into it.
    fn positions_before(&self, widest: i64) -> Vec<Position> {
        let mut positions = Vec::new();
        let mut to = self.time.0.0;
        for (near, far) in distances(self.columns, widest) {
            if to <= 0 {
                break;
            }
            let from = ((self.time.0.0 as f64 - far / self.columns_a_ns) as i64).clamp(0, to);
            positions.push(Position { from, to, at: -(near.midpoint(far).round() as i64) });
            to = from;
        }
        positions
    }

    /// Stretches of time behind the window from which a right half may reach into it.
    fn positions_after(&self, widest: i64) -> Vec<Position> {
        let mut positions = Vec::new();
        let end = self.store.summary().end_ns;
        let mut from = self.time_in_sight().1.0;
        for (near, far) in distances(self.columns, widest) {
            if from > end {
                break;
            }
            let to = ((self.time.1.0 as f64 + far / self.columns_a_ns) as i64).clamp(from, end + 1);
            positions.push(Position { from, to, at: i64::from(self.columns) + near.midpoint(far) as i64 });
            from = to;
        }
        positions
    }

    /// Draws one layer.
    fn draw_halves(&self, groups: &Groups, halves: &Halves, tally: &mut Tally, layer: usize) {
        let tops = Tops::new(groups, halves, self.columns as usize);
        let rows = self.rows as usize;
        let pieces = tally.layers[layer].pieces(COLUMNS * rows);
        let work: Vec<_> = (0..self.columns as usize).step_by(COLUMNS).zip(pieces).zip(&tops.at_pieces).collect();
        work.into_par_iter().for_each(|((first, cells), tops_here)| {
            let columns = first as i64..(first + cells.len() / rows) as i64;
            // What begins at a row, going down, and what ends at it.
            let mut sums = vec![[0; 4]; (rows + 1) * (cells.len() / rows)];
            let mut draw = |column: i64, heights: Range<u32>, sum: &Sum| {
                let column = &mut sums[(column - columns.start) as usize * (rows + 1)..][..=rows];
                add(&mut column[rows - (heights.end as usize).min(rows)], sum, u64::wrapping_add);
                add(&mut column[rows - heights.start as usize], sum, u64::wrapping_sub);
            };
            for Ends { at, calls } in halves.starts.iter().filter(|ends| ends.at < columns.end) {
                let nearest = (columns.start - at).max(0);
                for (group, sum) in calls {
                    let group = &groups.all[usize::from(*group)];
                    if group.half <= nearest {
                        if !columns.contains(at) {
                            // None of the narrower ones reaches so far.
                            break;
                        }
                        draw(*at, 0..group.level + 1, sum);
                    }
                    (nearest..group.half.min(columns.end - at))
                        .for_each(|from| draw(at + from, group.heights(from), sum));
                }
            }
            for Ends { at, calls } in halves.ends.iter().filter(|ends| ends.at >= columns.start) {
                let nearest = (at - columns.end + 1).max(0);
                let wide = calls.iter().map(|(group, sum)| (&groups.all[usize::from(*group)], sum));
                for (group, sum) in wide.take_while(|(group, _)| group.half > nearest) {
                    (nearest..group.half.min(at - columns.start + 1))
                        .for_each(|from| draw(at - from, group.heights(from), sum));
                }
            }
            let mut open = tops_here.clone();
            for column in columns.clone() {
                for (group, change) in &tops.changes[column as usize] {
                    add(&mut open[usize::from(*group)], change, u64::wrapping_add);
                }
                for (group, sum) in groups.all.iter().zip(&open).filter(|(_, sum)| is_some(sum)) {
                    draw(column, group.level..group.level + 1, sum);
                }
            }
            for (sums, cells) in sums.chunks(rows + 1).zip(cells.chunks_mut(rows)) {
                add_up(sums, cells);
            }
        });
    }
}

impl Groups {
    /// Calls at a column, the widest first.
    fn sorted(&self, at: i64, calls: FxHashMap<u16, Sum>) -> Ends {
        let mut calls: Vec<(u16, Sum)> = calls.into_iter().collect();
        calls.sort_unstable_by_key(|(group, _)| (std::cmp::Reverse(self.all[usize::from(*group)].half), *group));
        Ends { at, calls }
    }

    fn by_column(&self, found: FxHashMap<(i64, u16), Sum>) -> Vec<Ends> {
        let mut columns = FxHashMap::<i64, FxHashMap<u16, Sum>>::default();
        for ((at, group), sum) in found {
            columns.entry(at).or_default().insert(group, sum);
        }
        columns.into_iter().map(|(at, calls)| self.sorted(at, calls)).collect()
    }
}

/// The tops of arches: what is open and in neither half.
struct Tops {
    /// By group, before the changes of the first column of each piece.
    at_pieces: Vec<Vec<Sum>>,
    /// What comes at a column and what goes.
    changes: Vec<Vec<(u16, Sum)>>,
}

impl Tops {
    fn new(groups: &Groups, halves: &Halves, columns: usize) -> Tops {
        let mut open = halves.open.clone();
        let mut changes = vec![Vec::new(); columns];
        let half = |group: &u16| groups.all[usize::from(*group)].half;
        let mut change = |at: i64, group: u16, sum: Sum| {
            if let Some(changes) = usize::try_from(at).ok().and_then(|at| changes.get_mut(at)) {
                changes.push((group, sum));
            }
        };
        for Ends { at, calls } in &halves.starts {
            for (group, sum) in calls.iter().filter(|(group, _)| half(group) > 0) {
                let behind = at + half(group);
                // What began so long before the window is at its top already.
                if behind > 0 {
                    if *at < 0 {
                        add(&mut open[usize::from(*group)], sum, u64::wrapping_sub);
                    }
                    change(behind, *group, *sum);
                }
            }
        }
        for Ends { at, calls } in &halves.ends {
            for (group, sum) in calls.iter().filter(|(group, _)| half(group) > 0) {
                let first = at - half(group) + 1;
                if first <= 0 {
                    add(&mut open[usize::from(*group)], sum, u64::wrapping_sub);
                } else {
                    change(first, *group, sum.map(u64::wrapping_neg));
                }
            }
        }
        // Legs have no top of their own.
        for (sum, _) in open.iter_mut().zip(&groups.all).filter(|(_, group)| group.half == 0) {
            *sum = [0; 4];
        }
        let mut at_pieces = Vec::new();
        for (column, changes) in changes.iter().enumerate() {
            if column % COLUMNS == 0 {
                at_pieces.push(open.clone());
            }
            for (group, sum) in changes {
                add(&mut open[usize::from(*group)], sum, u64::wrapping_add);
            }
        }
        Tops { at_pieces, changes }
    }
}

/// What was found at each place, by layer; without the places where a layer has nothing.
fn by_layer(found: Vec<Vec<Ends>>, layers: usize) -> Vec<Vec<Ends>> {
    let mut of_layer: Vec<Vec<Ends>> = (0..layers).map(|_| Vec::new()).collect();
    for at_place in found {
        for (list, ends) in of_layer.iter_mut().zip(at_place).filter(|(_, ends)| !ends.calls.is_empty()) {
            list.push(ends);
        }
    }
    of_layer
}

/// Distances from the window, in columns, up to half the widest arch: column by column at first, then growing.
fn distances(columns: u32, widest: i64) -> impl Iterator<Item = (f64, f64)> {
    let next = move |(_, near): (f64, f64)| {
        let step = if near < f64::from(columns) { 1.0 } else { (near / FAR_PARTS).floor().max(1.0) };
        (near, near + step)
    };
    std::iter::successors(Some((0.0, 1.0)), move |last| Some(next(*last)))
        .take_while(move |(near, _)| *near < widest as f64)
}

#[inline]
fn add(sum: &mut Sum, more: &Sum, by: impl Fn(u64, u64) -> u64) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum = by(*sum, *more));
}

/// Whether there are calls. Far from the window columns are rounded, and a call may be missing for the blink of a column.
fn is_some(sum: &Sum) -> bool {
    sum[0].cast_signed() > 0
}

/// Cells from what begins and ends at each row.
fn add_up(sums: &[Sum], cells: &mut [Cell]) {
    let mut reached = [0; 4];
    for (sum, cell) in sums.iter().zip(cells) {
        add(&mut reached, sum, u64::wrapping_add);
        if is_some(&reached) {
            *cell = cell_of(&reached);
        }
    }
}
