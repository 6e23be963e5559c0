//! Calls visited one by one, each put exactly where it is.

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::Columns;

use super::CallsPicture;
use super::looks::Look;
use super::options::{CallHeight, CallStyle};
use super::tally::Tally;
use crate::lookup::enclosing::{SpansInSight, beginning_in, spans_in};

/// Beyond this many threads, grids of their own for each cost more than they save.
const MOST_GRIDS: usize = 8;
/// Not worth another grid.
const FEW_CALLS: u64 = 100_000;

/// A call that is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Its row in the spans table.
    pub(super) span: u64,
    pub(super) start: Ns,
    pub(super) end: Ns,
    pub(super) look: Look,
    /// The function that it was called from, where that matters.
    pub(super) caller: RegionId,
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

impl CallsPicture<'_> {
    /// All calls of the window, drawn as points or lines.
    pub(super) fn scatter(&self, style: CallStyle) -> Tally {
        let grids = (self.estimate / FEW_CALLS + 1).min(rayon::current_num_threads().min(MOST_GRIDS) as u64) as usize;
        let each = self.calls_of.locations().len().div_ceil(grids).max(1);
        let places: Vec<usize> = (0..self.calls_of.locations().len()).step_by(each).collect();
        let tallies: Vec<Tally> = places
            .into_par_iter()
            .map(|first| {
                let mut tally = self.empty_tally();
                for at in first..(first + each).min(self.calls_of.locations().len()) {
                    let draw = |call: Seen| self.draw(&mut tally, style, &call);
                    let without = self.visit(at, self.time_in_sight(), Having::of(style), draw);
                    tally.without += without;
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
        tally.count(call.look, column, call.level, self.fine_level(call.value));
        let grid = &mut tally.layers[usize::from(call.look.layer)];
        let row = self.row(call.level);
        match style {
            CallStyle::PointsStart | CallStyle::PointsEnd => grid.add(column, row, call.look.colour),
            CallStyle::Lines | CallStyle::Arches => {
                grid.add_line(column..self.column(call.end) + 1, row, call.look.colour);
            }
        }
    }

    /// Calls `visit` for every call of a location that is in a window of time, passes the filters and has a height.
    /// Gives the number of calls without one.
    #[inline]
    pub(super) fn visit(&self, at: usize, time: (Ns, Ns), having: Having, mut visit: impl FnMut(Seen)) -> u64 {
        let location = self.calls_of.locations()[at];
        let spans = &self.store.spans;
        let level_of_rank = (self.options.y == CallHeight::Rank).then(|| self.level_of(at / self.bands.ranks));
        let is_in = |start: Ns, end: Ns| match having {
            Having::Start => start >= time.0 && start < time.1,
            Having::End => end >= time.0 && end < time.1,
            Having::Part => end >= time.0 && start < time.1,
        };
        let mut without = 0;
        let mut take = |span: u64, start: Ns, end: Ns, look: Look, caller: RegionId, bytes: Option<u64>| {
            if is_in(start, end) && self.options.has_duration(end.since(start)) {
                match self.measure.value(at, (start, end), bytes) {
                    None => without += 1,
                    Some(value) => {
                        if let Some(level) = level_of_rank.or_else(|| self.heights.level(value)) {
                            visit(Seen { span, start, end, look, caller, level, value });
                        }
                    }
                }
            }
        };
        let mut in_sight = self.candidates(location, time, having);
        if let Some(kinds) = self.kinds.as_ref().filter(|kinds| kinds.is_exact()) {
            let numbers = kinds.numbers();
            let mut take = |span: u64, start: Ns, end: Ns, number: u16| {
                if let Some(kind) = kinds.get(number) {
                    take(span, start, end, kind.look, kind.caller, kind.middle());
                }
            };
            for span in in_sight.around {
                take(span, spans.start.get(span), spans.end.get(span), numbers.get(span));
            }
            let mut span = in_sight.inside.start;
            (&spans.start, &spans.end, numbers).for_each(in_sight.inside, |(start, end, number)| {
                take(span, start, end, number);
                span += 1;
            });
            return without;
        }
        let mut take = |span: u64, start: Ns, end: Ns, region: RegionId, caller: RegionId, bytes: Option<u64>| {
            if let Some(look) = self.looks.of_call(region, caller) {
                take(span, start, end, look, caller, bytes);
            }
        };
        if let Some(callers) = self.looks.callers() {
            let mut walk = callers.walk();
            let mut known = self.traffic.as_ref().map(|traffic| {
                let around = in_sight.around.iter().copied();
                let around = around.filter(|row| self.looks.of(spans.region.get(*row)).is_some()).collect();
                let of = SpansInSight { around, inside: in_sight.inside.clone() };
                traffic.of_spans(location, &of).into_iter().peekable()
            });
            let mut enter = |span: u64, (start, end): (Ns, Ns), region: RegionId, depth| {
                let caller = walk.enter(depth, region);
                let bytes = known.as_mut().and_then(|known| {
                    while known.next_if(|(before, _)| *before < span).is_some() {}
                    known.peek().filter(|(same, _)| *same == span).map(|(_, bytes)| *bytes)
                });
                if self.traffic.is_none() || self.options.has_traffic(bytes) {
                    take(span, start, end, region, caller, bytes);
                }
            };
            for span in in_sight.around {
                let time = (spans.start.get(span), spans.end.get(span));
                enter(span, time, spans.region.get(span), spans.depth.get(span));
            }
            let mut span = in_sight.inside.start;
            let columns = (&spans.start, &spans.end, &spans.region, &spans.depth);
            columns.for_each(in_sight.inside, |(start, end, region, depth)| {
                enter(span, (start, end), region, depth);
                span += 1;
            });
            return without;
        }
        if let Some(traffic) = &self.traffic {
            // Nobody asks for the bytes of a function that goes on for the whole run.
            in_sight.around.retain(|row| self.looks.of(spans.region.get(*row)).is_some());
            let mut known = traffic.of_spans(location, &in_sight).into_iter().peekable();
            for span in in_sight.rows() {
                while known.next_if(|(before, _)| *before < span).is_some() {}
                let bytes = known.peek().filter(|(same, _)| *same == span).map(|(_, bytes)| *bytes);
                if self.options.has_traffic(bytes) {
                    let (start, end) = (spans.start.get(span), spans.end.get(span));
                    take(span, start, end, spans.region.get(span), RegionId::NONE, bytes);
                }
            }
            return without;
        }
        let SpansInSight { around, inside } = in_sight;
        for span in around {
            take(span, spans.start.get(span), spans.end.get(span), spans.region.get(span), RegionId::NONE, None);
        }
        let edges = spans.start.blocks(inside.clone()).zip(spans.end.blocks(inside.clone()));
        let mut span = inside.start;
        for ((starts, ends), regions) in edges.zip(spans.region.blocks(inside)) {
            for ((start, end), region) in starts.iter().zip(&ends).zip(&regions) {
                take(span, *start, *end, *region, RegionId::NONE, None);
                span += 1;
            }
        }
        without
    }

    /// The spans to look at: those open at the window's beginning, if they matter, and those that begin in it.
    fn candidates(&self, location: LocationId, time: (Ns, Ns), having: Having) -> SpansInSight {
        if having == Having::Start && self.looks.callers().is_none() {
            return SpansInSight { around: Vec::new(), inside: beginning_in(self.store, location, time) };
        }
        // What ends just at the beginning is still in the window.
        spans_in(self.store, location, (Ns(time.0.0 - 1), time.1))
    }
}
