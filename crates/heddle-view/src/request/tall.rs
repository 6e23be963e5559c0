//! Rows that are drawn higher than others: those of whom something was found.
//!
//! One rank in thousands is less than a pixel high. Rows with findings get a part of the picture that is large enough to see
//! what they do, the others share the rest. Where rows lie is for [`Rows`](super::rows::Rows) to say; nobody else knows that
//! heights differ.

use std::ops::Range;

use heddle_model::LocationId;

use super::rows::Rows;
use super::{Framing, ViewRequest};
use crate::analyses::Trace;
use crate::scene::frame::plot_area;
use crate::views::options::DiagnosisShown;

/// How high rows with findings are, in pixels: at least, at most, and as a multiple of the others.
const HEIGHT: (f32, f32) = (10.0, 16.0);
const TIMES: f32 = 4.0;
/// The part of the picture that they may have, and of all rows that they may be.
const MOST_ROOM: f32 = 0.45;
const MOST_ROWS: f32 = 0.34;
/// Rows of this height need no help.
const HIGH_ENOUGH: f32 = 9.0;

/// Which rows are higher, and how much.
#[derive(Clone, Debug, PartialEq)]
pub struct Tall {
    /// Stretches of rows among all, ascending.
    stretches: Vec<Range<usize>>,
    /// How many times as high they are as the others.
    times: f32,
}

impl Tall {
    /// The higher rows of a request; none if all are equal.
    pub(crate) fn of(trace: &Trace<'_>, request: &ViewRequest) -> Option<Tall> {
        let diagnosis = trace.diagnosis.as_ref()?;
        if !DiagnosisShown::of(request).magnify || request.framing == Framing::Strip {
            return None;
        }
        let rows = Rows::of(trace.store, &request.window);
        let mut found: Vec<usize> = diagnosis
            .findings
            .iter()
            .flat_map(|finding| finding.suspect.locations.iter())
            .filter_map(|location: &LocationId| rows.place_for(*location))
            .collect();
        found.sort_unstable();
        found.dedup();
        let in_sight = rows.sight();
        let count = found.iter().filter(|place| in_sight.contains(place)).count() as f32;
        let (all, height) = (rows.len() as f32, plot_area(trace.store, request).height);
        let usual = height / all;
        if count == 0.0 || count > MOST_ROWS * all || usual >= HIGH_ENOUGH {
            return None;
        }
        let high = (usual * TIMES).clamp(HEIGHT.0, HEIGHT.1).min(MOST_ROOM * height / count);
        let low = (height - count * high) / (all - count);
        let mut stretches: Vec<Range<usize>> = Vec::new();
        for place in found {
            match stretches.last_mut() {
                Some(last) if last.end == place => last.end = place + 1,
                _ => stretches.push(place..place + 1),
            }
        }
        (high > low * 1.2).then(|| Tall { stretches, times: high / low })
    }

    /// Some higher rows, for tests of rows.
    #[cfg(test)]
    pub(super) fn made(stretches: Vec<Range<usize>>, times: f32) -> Tall {
        Tall { stretches, times }
    }

    /// The stretches of higher rows among those in sight, counted from the first of these.
    pub(super) fn within(&self, shown: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        self.stretches.iter().filter_map(|stretch| {
            let (from, to) = (stretch.start.max(shown.start), stretch.end.min(shown.end));
            (from < to).then(|| from - shown.start..to - shown.start)
        })
    }

    /// Where rows in sight lie: pairs of a row and its upper edge, as a share of the height; between them evenly.
    pub(super) fn knots(&self, shown: &Range<usize>) -> Vec<(f32, f32)> {
        let stretches: Vec<Range<usize>> = self.within(shown).collect();
        let high: usize = stretches.iter().map(Range::len).sum();
        let all = (shown.len() - high) as f64 + high as f64 * f64::from(self.times);
        let (mut knots, mut row, mut y) = (vec![(0.0, 0.0)], 0, 0.0);
        for stretch in stretches {
            y += (stretch.start - row) as f64;
            knots.push((stretch.start as f32, (y / all) as f32));
            y += stretch.len() as f64 * f64::from(self.times);
            knots.push((stretch.end as f32, (y / all) as f32));
            row = stretch.end;
        }
        knots.push((shown.len() as f32, 1.0));
        knots.dedup_by_key(|(row, _)| *row);
        knots
    }
}
