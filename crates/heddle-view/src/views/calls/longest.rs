//! The longest call in sight: where a linear axis ends. A window of short calls under an axis that reaches to the longest
//! of the run would show a line on its floor.

use rayon::prelude::*;

use heddle_model::{LocationId, Ns};
use heddle_store::Store;
use heddle_store::index::{CallEdge, CallLevel};

use super::looks::Looks;
use crate::lookup::enclosing::spans_in;

/// Bins of time that a window has at least, unless there are no finer ones.
const BINS: i64 = 64;

/// The duration of the longest call of which a part is in the window, or a little more; none if there is no call.
pub(super) fn longest(store: &Store, looks: &Looks, locations: &[LocationId], time: (Ns, Ns)) -> Option<i64> {
    if store.calls.levels(CallEdge::Start).is_empty() {
        return visited(store, looks, locations, time);
    }
    let index = &store.calls;
    let edges = index.durations();
    let is_drawn =
        |number: u16| index.regions().get(usize::from(number)).is_none_or(|region| looks.of(*region).is_some());
    let wide = |level: &CallLevel| level.bin_ns * BINS <= time.1.since(time.0);
    let at = index.levels(CallEdge::Start).iter().rposition(wide).unwrap_or(0);
    let level = &index.levels(CallEdge::Start)[at];
    let first = (time.0.0.max(0) / level.bin_ns).min(i64::from(level.bins)) as u32;
    let last = (time.1.0.max(0) / level.bin_ns).min(i64::from(level.bins) - 1) as u32;
    // What started before the first bin and has not ended, by bin of duration.
    let mut open = vec![0i64; edges.len()];
    for (edge, sign) in [(CallEdge::Start, 1), (CallEdge::End, -1)] {
        before(index.levels(edge), at, first, |level, bin| {
            index.for_each(level, bin, |duration, number, count| {
                if is_drawn(number) {
                    open[usize::from(duration)] += sign * i64::from(count);
                }
            });
        });
    }
    let mut longest = open.iter().rposition(|calls| *calls > 0);
    for bin in first..=last {
        index.for_each(level, bin, |duration, number, _| {
            if is_drawn(number) {
                longest = longest.max(Some(usize::from(duration)));
            }
        });
    }
    longest.and_then(|bin| edges.get(bin + 1)).map(|after| after - 1)
}

/// Visits the bins before one of a level, as few as there are.
pub(super) fn before(levels: &[CallLevel], at: usize, bin: u32, mut visit: impl FnMut(&CallLevel, u32)) {
    let mut bin = bin;
    for (depth, level) in levels.iter().enumerate().skip(at) {
        if depth + 1 == levels.len() {
            (0..bin).for_each(|bin| visit(level, bin));
        } else if bin % 2 == 1 {
            visit(level, bin - 1);
        }
        bin /= 2;
    }
}

fn visited(store: &Store, looks: &Looks, locations: &[LocationId], time: (Ns, Ns)) -> Option<i64> {
    let spans = &store.spans;
    let of_location = |location: &LocationId| {
        let rows = spans_in(store, *location, (Ns(time.0.0 - 1), time.1)).rows();
        let drawn = rows.filter(|row| looks.of(spans.region.get(*row)).is_some());
        drawn.map(|row| spans.end.get(row).since(spans.start.get(row))).max()
    };
    locations.par_iter().filter_map(of_location).max()
}
