//! An arch from the start of a call to its end: half an ellipse on the floor of the plot.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::CallsPicture;
use super::density::DensityBuffer;
use super::looks::Look;
use super::scatter::Having;
use super::tally::{Fine, Tally};

/// Columns drawn together: their cells fit into the cache, however wide the arches are.
const COLUMNS: u32 = 16;

/// An arch in columns and levels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arch {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) height: f64,
}

impl Arch {
    /// Calls `visit` for every one of some columns that the arch passes, with the heights that it passes there, from the
    /// floor. In neighbouring columns they touch, so the arch has no gaps.
    #[inline]
    pub(super) fn for_each_column(&self, columns: Range<u32>, mut visit: impl FnMut(u32, Range<u32>)) {
        let Arch { from, to, height } = *self;
        let (middle, radius) = (f64::midpoint(from, to), (to - from) / 2.0);
        let (first, after) = (f64::from(columns.start), f64::from(columns.end));
        if to < first || from >= after {
            return;
        }
        if radius < 0.5 {
            // Thinner than a pixel: both legs in one.
            if middle >= first && middle < after {
                visit(middle as u32, 0..height.max(0.0) as u32 + 1);
            }
            return;
        }
        let height_at = |x: f64| {
            let part = ((x - middle) / radius).clamp(-1.0, 1.0);
            height * (1.0 - part * part).sqrt()
        };
        let last = to.min(after - 1.0) as u32;
        let mut left = height_at(from.max(first));
        for column in from.max(first) as u32..=last {
            let right = height_at(to.min(f64::from(column) + 1.0));
            let has_top = f64::from(column) <= middle && middle <= f64::from(column) + 1.0;
            let highest = if has_top { height } else { left.max(right) };
            visit(column, left.min(right) as u32..highest as u32 + 1);
            left = right;
        }
    }
}

/// An arch to be drawn: small, because there are many of them and each is looked at for every piece it passes.
struct Drawn {
    arch: Arch,
    look: Look,
}

impl CallsPicture<'_> {
    /// All calls of the window, drawn as arches; none if there are too many for that.
    pub(super) fn arches(&self, most: u64) -> Option<Tally> {
        let count = AtomicU64::new(0);
        let of_location = |at: usize| {
            let mut calls: Vec<(Drawn, u32, Option<Fine>)> = Vec::new();
            if count.load(Ordering::Relaxed) > most {
                return (calls, 0);
            }
            let without = self.visit(at, self.time_in_sight(), Having::Part, |call| {
                let [from, to] = [call.start, call.end].map(|time| self.place(time));
                let arch = Arch { from, to, height: f64::from(call.level) + 0.5 };
                calls.push((Drawn { arch, look: call.look }, call.level, self.fine_level(call.value)));
            });
            count.fetch_add(calls.len() as u64, Ordering::Relaxed);
            (calls, without)
        };
        let found: Vec<_> = (0..self.calls_of.locations().len()).into_par_iter().map(of_location).collect();
        if count.into_inner() > most {
            return None;
        }
        let mut tally = self.empty_tally();
        let mut arches = Vec::new();
        for (calls, without) in found {
            tally.without += without;
            for (drawn, level, fine) in calls {
                let column = (drawn.arch.from.max(0.0) as u32).min(self.columns - 1);
                tally.count(drawn.look, column, level, fine);
                arches.push(drawn);
            }
        }
        let of_pieces = self.by_piece(&arches);
        for (number, grid) in tally.layers.iter_mut().enumerate() {
            let rows = self.rows;
            let pieces = (0..self.columns).step_by(COLUMNS as usize).zip(grid.pieces((COLUMNS * rows) as usize));
            let work: Vec<_> = pieces.zip(&of_pieces).collect();
            work.into_par_iter().for_each(|((first, cells), here)| {
                let columns = first..(first + COLUMNS).min(self.columns);
                let here = here.iter().map(|at| &arches[*at as usize]);
                for drawn in here.filter(|drawn| usize::from(drawn.look.layer) == number) {
                    drawn.arch.for_each_column(columns.clone(), |column, heights| {
                        let from = rows.saturating_sub(heights.end)..rows.saturating_sub(heights.start);
                        let column = &mut cells[((column - first) * rows) as usize..][..rows as usize];
                        DensityBuffer::add_to_column(column, from, drawn.look.colour);
                    });
                }
                cells.chunks_mut(rows.max(1) as usize).for_each(DensityBuffer::add_up_column);
            });
        }
        Some(tally)
    }

    /// Which arches pass each piece of the picture.
    fn by_piece(&self, arches: &[Drawn]) -> Vec<Vec<u32>> {
        let mut pieces = vec![Vec::new(); self.columns.div_ceil(COLUMNS) as usize];
        let last = pieces.len().saturating_sub(1);
        for (number, Drawn { arch, .. }) in (0..).zip(arches) {
            if arch.to < 0.0 || arch.from >= f64::from(self.columns) {
                continue;
            }
            let [from, to] = [arch.from, arch.to].map(|x| ((x.max(0.0) / f64::from(COLUMNS)) as usize).min(last));
            pieces[from..=to].iter_mut().for_each(|piece| piece.push(number));
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(from: f64, to: f64, height: f64) -> Vec<(u32, Range<u32>)> {
        let mut seen = Vec::new();
        Arch { from, to, height }.for_each_column(0..100, |column, heights| seen.push((column, heights)));
        seen
    }

    #[test]
    fn an_arch_stands_on_both_ends_and_has_its_top_in_the_middle() {
        let arch = columns(10.0, 30.0, 40.5);
        assert_eq!((arch[0].0, arch[arch.len() - 1].0), (10, 30));
        assert_eq!((arch[0].1.start, arch[arch.len() - 1].1.start), (0, 0));
        let top = arch.iter().max_by_key(|(_, heights)| heights.end).expect("columns");
        assert!((18..=21).contains(&top.0) && top.1.end == 41, "{top:?}");
        for pair in arch.windows(2) {
            assert_eq!(pair[0].0 + 1, pair[1].0);
            assert!(pair[0].1.start <= pair[1].1.end && pair[1].1.start <= pair[0].1.end, "a gap at {pair:?}");
        }
    }

    #[test]
    fn pieces_of_an_arch_are_the_whole() {
        let arch = Arch { from: 3.3, to: 61.8, height: 33.5 };
        let mut pieces = Vec::new();
        for first in (0..100).step_by(16) {
            arch.for_each_column(first..(first + 16).min(100), |column, heights| pieces.push((column, heights)));
        }
        assert_eq!(pieces, columns(3.3, 61.8, 33.5));
    }

    #[test]
    fn a_short_call_is_a_leg_and_a_long_one_is_cut_at_the_edges() {
        assert_eq!(columns(5.2, 5.4, 3.5), [(5, 0..4)]);
        assert_eq!(columns(-5.0, -4.9, 3.5), []);
        let wide = columns(-1000.0, 1000.0, 50.0);
        assert_eq!((wide.len(), wide[0].0, wide[99].0), (100, 0, 99));
        assert!(wide.iter().all(|(_, heights)| heights.start >= 49));
    }
}
