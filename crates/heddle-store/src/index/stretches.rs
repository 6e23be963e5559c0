//! A location's time, cut where the innermost span changes.
//!
//! Adding up whole spans would count a nested call twice. Stretches do not overlap: at every moment at
//! most one region is innermost, so their durations add up to the time that was really spent.

use std::ops::Range;

use heddle_model::{Ns, RegionId};

use crate::tables::SpanTable;

/// A stretch of time whose innermost span, of those asked for, is in `region`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The region.
    pub region: RegionId,
    /// When it begins.
    pub start: Ns,
    /// When it ends.
    pub end: Ns,
    /// Duration of the whole span that the stretch is a piece of.
    pub span_ns: i64,
}

/// Start, end and region of the spans in some rows of the table, in order.
pub fn spans_of_rows(spans: &SpanTable, rows: Range<u64>) -> impl Iterator<Item = (Ns, Ns, RegionId)> + '_ {
    let columns = spans.start.slices(rows.clone()).zip(spans.end.slices(rows.clone())).zip(spans.region.slices(rows));
    columns.flat_map(|((starts, ends), regions)| {
        starts.iter().zip(ends).zip(regions).map(|((start, end), region)| (*start, *end, *region))
    })
}

/// Calls `visit` for every stretch of spans that are all of one location and come in the order they were
/// entered, in order of time. Empty stretches are left out.
pub fn for_each_stretch(spans: impl Iterator<Item = (Ns, Ns, RegionId)>, mut visit: impl FnMut(Stretch)) {
    let mut open: Vec<Stretch> = Vec::new();
    let mut reached = Ns(0);
    let mut until = |reached: &mut Ns, stretch: &Stretch, end: Ns| {
        if end > *reached {
            visit(Stretch { start: *reached, end, ..*stretch });
            *reached = end;
        }
    };
    // Internal iteration: the loop over rows is inside the loop over batches, as fast as over one slice.
    spans.for_each(|(start, end, region)| {
        while let Some(top) = open.last().filter(|top| top.end <= start) {
            until(&mut reached, top, top.end);
            open.pop();
        }
        match open.last() {
            Some(around) => until(&mut reached, around, start),
            None => reached = reached.max(start),
        }
        open.push(Stretch { region, start, end, span_ns: end.since(start) });
    });
    while let Some(top) = open.pop() {
        until(&mut reached, &top, top.end);
    }
}
