//! A location's time, cut where the innermost span changes.
//!
//! Adding up whole spans would count a nested call twice. Stretches do not overlap: at every moment at
//! most one region is innermost, so their durations add up to the time that was really spent.

use heddle_model::{LocationId, Ns, RegionId};

use super::IndexContext;

/// A stretch of time whose innermost span, of those asked for, is in `region`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) region: RegionId,
    pub(crate) start: Ns,
    pub(crate) end: Ns,
    /// Duration of the whole span that the stretch is a piece of.
    pub(crate) span_ns: i64,
}

/// Calls `visit` for every stretch of a location, in order of time. Only spans of regions for which
/// `wanted` holds count; empty stretches are left out.
pub(crate) fn for_each_stretch(
    context: &IndexContext,
    location: LocationId,
    wanted: impl Fn(RegionId) -> bool,
    mut visit: impl FnMut(Stretch),
) {
    let rows = context.spans_of(location);
    let spans = &context.spans;
    let columns = spans.start.slices(rows.clone()).zip(spans.end.slices(rows.clone())).zip(spans.region.slices(rows));
    let mut open: Vec<Stretch> = Vec::new();
    let mut reached = Ns(0);
    let mut until = |reached: &mut Ns, stretch: &Stretch, end: Ns| {
        if end > *reached {
            visit(Stretch { start: *reached, end, ..*stretch });
            *reached = end;
        }
    };
    for ((starts, ends), regions) in columns {
        for ((start, end), region) in starts.iter().zip(ends).zip(regions) {
            if !wanted(*region) {
                continue;
            }
            while let Some(top) = open.last().filter(|top| top.end <= *start) {
                until(&mut reached, top, top.end);
                open.pop();
            }
            match open.last() {
                Some(around) => until(&mut reached, around, *start),
                None => reached = reached.max(*start),
            }
            open.push(Stretch { region: *region, start: *start, end: *end, span_ns: end.since(*start) });
        }
    }
    while let Some(top) = open.pop() {
        until(&mut reached, &top, top.end);
    }
}
