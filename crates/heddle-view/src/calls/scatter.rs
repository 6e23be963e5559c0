//! Calls visited one by one, each put exactly where it is.

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId};

use super::Sight;
use super::looks::Look;
use super::tally::Tally;
use crate::enclosing::{beginning_in, spans_in};
use crate::request::{CallHeight, CallStyle};

/// Beyond this many threads, grids of their own for each cost more than they save.
const MOST_GRIDS: usize = 8;
/// Not worth another grid.
const FEW_CALLS: u64 = 100_000;

/// A call that is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    /// Its row in the spans table.
    pub(super) span: u64,
    pub(super) start: Ns,
    pub(super) end: Ns,
    pub(super) look: &'a Look,
    /// Its height, and what it stands for.
    pub(super) level: u32,
    pub(super) value: i64,
}

/// Which calls are in a window of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Having {
    /// Those that start in it.
    Start,
    /// Those that end in it.
    End,
    /// Those of which any part is in it.
    Part,
    /// Those that began before it and go on.
    Open,
}

impl Having {
    /// What it takes to be in a picture of a style.
    pub(super) fn of(style: CallStyle) -> Having {
        match style {
            CallStyle::PointsStart => Having::Start,
            CallStyle::PointsEnd => Having::End,
            CallStyle::Lines | CallStyle::Arches => Having::Part,
        }
    }
}

impl Sight<'_> {
    /// All calls of the window, drawn as points or lines.
    pub(super) fn scatter(&self, style: CallStyle) -> Tally {
        let grids = (self.estimate / FEW_CALLS + 1).min(rayon::current_num_threads().min(MOST_GRIDS) as u64) as usize;
        let each = self.locations.len().div_ceil(grids).max(1);
        let places: Vec<usize> = (0..self.locations.len()).step_by(each).collect();
        let tallies: Vec<Tally> = places
            .into_par_iter()
            .map(|first| {
                let mut tally = self.empty_tally();
                for at in first..(first + each).min(self.locations.len()) {
                    self.visit(at, self.time_in_sight(), Having::of(style), |call| self.draw(&mut tally, style, &call));
                }
                tally
            })
            .collect();
        let mut tally = tallies.into_iter().reduce(|sum, more| sum.merged(&more)).unwrap_or_else(|| self.empty_tally());
        if style == CallStyle::Lines {
            tally.layers.iter_mut().for_each(super::DensityBuffer::add_up_across);
        }
        tally
    }

    #[inline]
    fn draw(&self, tally: &mut Tally, style: CallStyle, call: &Seen) {
        let moment = if style == CallStyle::PointsEnd { call.end } else { call.start };
        let column = self.column(moment);
        tally.count(*call.look, column, call.level, self.fine.level(call.value));
        let grid = &mut tally.layers[usize::from(call.look.layer)];
        let row = self.row(call.level);
        match style {
            CallStyle::PointsStart | CallStyle::PointsEnd => grid.add(column, row, call.look.colour),
            CallStyle::Lines | CallStyle::Arches => {
                grid.add_line(column..self.column(call.end) + 1, row, call.look.colour);
            }
        }
    }

    /// Calls `visit` for every call of a location that is in a window of time and passes the filters.
    #[inline]
    pub(super) fn visit<'s>(&'s self, at: usize, time: (Ns, Ns), having: Having, mut visit: impl FnMut(Seen<'s>)) {
        let location = self.locations[at];
        let spans = &self.store.spans;
        let is_in = |start: Ns, end: Ns| match having {
            Having::Start => start >= time.0 && start < time.1,
            Having::End => end >= time.0 && end < time.1,
            Having::Part => end >= time.0 && start < time.1,
            Having::Open => end >= time.0 && start < time.0,
        };
        let mut take = |span: u64, start: Ns, end: Ns, region: RegionId, bytes: Option<u64>| {
            if let Some(look) = self.looks.of(region)
                && is_in(start, end)
                && self.options.durations.is_none_or(|(least, most)| (least.0..=most.0).contains(&end.since(start)))
                && let value = self.value(start, end, bytes)
                && let Some(level) = self.level(at, value)
            {
                visit(Seen { span, start, end, look, level, value });
            }
        };
        let (around, inside) = self.candidates(location, time, having);
        if let Some(traffic) = &self.traffic {
            let known = traffic.of_location(self.store, location, time, &around);
            let mut known = known.into_iter().peekable();
            for span in around.into_iter().chain(inside) {
                while known.next_if(|(before, _)| *before < span).is_some() {}
                let bytes = known.peek().filter(|(same, _)| *same == span).map(|(_, bytes)| *bytes);
                if bytes.is_some() || self.options.communicator.is_none() {
                    take(span, spans.start.get(span), spans.end.get(span), spans.region.get(span), bytes);
                }
            }
            return;
        }
        for span in around {
            take(span, spans.start.get(span), spans.end.get(span), spans.region.get(span), None);
        }
        let edges = spans.start.slices(inside.clone()).zip(spans.end.slices(inside.clone()));
        let mut span = inside.start;
        for ((starts, ends), regions) in edges.zip(spans.region.slices(inside)) {
            for ((start, end), region) in starts.iter().zip(ends).zip(regions) {
                take(span, *start, *end, *region, None);
                span += 1;
            }
        }
    }

    /// The spans to look at: those open at the window's beginning, if they matter, and those that begin in it.
    fn candidates(&self, location: LocationId, time: (Ns, Ns), having: Having) -> (Vec<u64>, std::ops::Range<u64>) {
        if having == Having::Start {
            return (Vec::new(), beginning_in(self.store, location, time));
        }
        // What ends just at the beginning is still in the window.
        let in_sight = spans_in(self.store, location, (Ns(time.0.0 - 1), time.1));
        (in_sight.around, in_sight.inside)
    }

    /// What is measured along the axis: bytes, or else the duration.
    #[inline]
    fn value(&self, start: Ns, end: Ns, bytes: Option<u64>) -> i64 {
        match self.options.y {
            CallHeight::Bytes => bytes.unwrap_or(0).min(i64::MAX as u64).cast_signed(),
            CallHeight::Duration | CallHeight::Rank => end.since(start),
        }
    }

    #[inline]
    fn level(&self, at: usize, value: i64) -> Option<u32> {
        if self.options.y != CallHeight::Rank {
            return self.heights.level(value);
        }
        let below = at as u64 * u64::from(self.levels()) / self.locations.len().max(1) as u64;
        Some(self.levels() - 1 - below as u32)
    }
}
