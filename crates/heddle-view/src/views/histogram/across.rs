//! Columns of a histogram: which bins of duration or of value each has, and the axis below them.
//!
//! Columns are told by their edges alone. Bins are as wide as powers of two and begin at multiples of their width, so the edges of any
//! column are edges of bins, and no bin lies in two columns. All edges are exact in floating point.

use heddle_profile::bins::least_of;
use heddle_profile::values::{ZERO, ends_of};

use super::Bins;
use crate::scene::{Axis, Extent, Rect, Tick};

/// The fewest columns: bins around those that hold anything are shown too.
const FEWEST: u32 = 8;
/// The most columns of values: finer bins are joined.
const MOST: u32 = 192;
const TICKS_APART: f32 = 84.0;

/// What bins are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    Durations,
    Values,
}

impl Scale {
    /// The ends of a bin.
    fn ends_of(self, bin: u32) -> (f64, f64) {
        match self {
            Scale::Durations => (least_of(bin as u16) as f64, least_of(bin as u16 + 1) as f64),
            Scale::Values => ends_of(bin),
        }
    }
}

/// Columns, from the least durations or values on.
#[derive(Clone, Debug)]
pub(super) struct Across {
    scale: Scale,
    spacing: Bins,
    /// Where each column begins, and where the last one ends.
    edges: Vec<f64>,
}

impl Across {
    /// Columns for all bins that hold anything; none if none does.
    pub(super) fn new(scale: Scale, spacing: Bins, bins: impl Iterator<Item = u32> + Clone) -> Option<Across> {
        let (least, most) = (bins.clone().min()?, bins.clone().max()?);
        let edges = match (scale, spacing) {
            (Scale::Durations, Bins::Logarithmic) => {
                let missing = FEWEST.saturating_sub(most - least + 1);
                let first = least.saturating_sub(missing / 2);
                let last = most.max(first + FEWEST - 1);
                (first..=last + 1).map(|bin| scale.ends_of(bin).0).collect()
            }
            (Scale::Durations, Bins::Linear) => {
                // Narrower bins make up whole columns of the widest.
                let (from, to) = scale.ends_of(most);
                even((0.0, to), (to - from).max(1.0))
            }
            (Scale::Values, Bins::Logarithmic) => logarithmic(&bins),
            (Scale::Values, Bins::Linear) => {
                let width = |bin: u32| scale.ends_of(bin).1 - scale.ends_of(bin).0;
                let widest = bins.map(width).fold(f64::MIN_POSITIVE, f64::max);
                even((scale.ends_of(least).0, scale.ends_of(most).1), widest)
            }
        };
        Some(Across { scale, spacing, edges })
    }

    pub(super) fn columns(&self) -> u32 {
        self.edges.len() as u32 - 1
    }

    /// The column of a bin.
    pub(super) fn column(&self, bin: u32) -> u32 {
        self.column_at(self.scale.ends_of(bin).0)
    }

    /// The same of a bin that lies in none before a column.
    pub(super) fn column_from(&self, column: u32, bin: u32) -> u32 {
        let least = self.scale.ends_of(bin).0;
        let (mut column, last) = (column, self.columns() - 1);
        while column < last && self.edges[column as usize + 1] <= least {
            column += 1;
        }
        column
    }

    /// The column of a duration or value; the first or the last if it lies beyond them.
    pub(super) fn column_at(&self, value: f64) -> u32 {
        let begun = self.edges.partition_point(|edge| *edge <= value) as u32;
        begun.saturating_sub(1).min(self.columns() - 1)
    }

    /// Where a column begins, and where the next one does.
    pub(super) fn range(&self, column: u32) -> (f64, f64) {
        (self.edges[column as usize], self.edges[column as usize + 1])
    }

    /// Where all of them begin and end.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.edges[0], self.edges[self.edges.len() - 1])
    }

    /// Ticks at round durations or values.
    pub(super) fn axis(&self, plot: Rect, title: String, text: impl Fn(f64) -> String) -> Axis {
        let each = plot.width / self.columns() as f32;
        let place = |value: f64| {
            let column = self.column_at(value);
            let (from, to) = self.range(column);
            plot.x + (column as f32 + ((value - from) / (to - from)) as f32) * each
        };
        let (from, to) = self.ends();
        let mut ticks: Vec<Tick> = Vec::new();
        for value in self.round().into_iter().filter(|value| (from..=to).contains(value)) {
            let at = place(value);
            if at <= plot.x + plot.width && ticks.iter().all(|tick| (tick.at - at).abs() >= TICKS_APART) {
                ticks.push(Tick { at, label: text(value) });
            }
        }
        ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
        Axis { title, ticks, extent: Extent::Values }
    }

    /// Round durations or values, the roundest first.
    fn round(&self) -> Vec<f64> {
        let (from, to) = self.ends();
        let is_whole = self.scale == Scale::Durations;
        let step = round_step(if is_whole { ((to - from) / 10.0).floor().max(1.0) } else { (to - from) / 10.0 });
        let first = (from / step).floor();
        let even = (0..=12).map(|at| (first + f64::from(at)) * step);
        if self.spacing == Bins::Linear {
            return even.collect();
        }
        let largest = from.abs().max(to.abs()).log10().ceil().clamp(-300.0, 300.0) as i32;
        // Of values the largest come first: whatever is all but zero lies beside it.
        let powers: Vec<i32> =
            if is_whole { (0..=largest).collect() } else { (largest - 40..=largest).rev().collect() };
        let times = |digits: &[i32]| -> Vec<f64> {
            let of_power = |power: &i32| digits.iter().map(|digit| f64::from(*digit) * 10f64.powi(*power)).collect();
            let all = powers.iter().flat_map(|power| -> Vec<f64> { of_power(power) });
            all.flat_map(|value| [value, -value]).collect()
        };
        let zero = (!is_whole).then_some(0.0);
        // What hardly differs has none of these between them.
        let round = [times(&[1]), times(&[5]), times(&[2, 3]), times(&[4, 6, 7, 8])].concat();
        zero.into_iter().chain(round).chain(even).collect()
    }
}

/// Edges of columns that are equally wide: of so many narrower ones each that there are not too many.
fn even((from, to): (f64, f64), mut width: f64) -> Vec<f64> {
    let columns = |width: f64| (to / width).ceil() - (from / width).floor();
    while columns(width) > f64::from(MOST) && width < f64::MAX / 4.0 {
        width *= 2.0;
    }
    let first = (from / width).floor();
    let columns = columns(width).clamp(f64::from(FEWEST), f64::from(MOST)) as u32;
    (0..=columns).map(|column| (first + f64::from(column)) * width).collect()
}

/// Edges of columns of values that are as many bins wide each: negative values, zero, and positive ones.
fn logarithmic(bins: &(impl Iterator<Item = u32> + Clone)) -> Vec<f64> {
    let ends = |sizes: &mut dyn Iterator<Item = u32>| {
        sizes.fold(None, |ends: Option<(u32, u32)>, size| {
            let (least, most) = ends.unwrap_or((size, size));
            Some((least.min(size), most.max(size)))
        })
    };
    let above = ends(&mut bins.clone().filter(|bin| *bin > ZERO).map(|bin| bin - ZERO - 1));
    let below = ends(&mut bins.clone().filter(|bin| *bin < ZERO).map(|bin| ZERO - 1 - bin));
    let has_zero = bins.clone().any(|bin| bin == ZERO) || above.is_some() == below.is_some();
    let count = |shift: u32| {
        let of = |sizes: Option<(u32, u32)>| sizes.map_or(0, |(least, most)| (most >> shift) - (least >> shift) + 1);
        of(above) + of(below) + u32::from(has_zero)
    };
    let shift = (0..20).find(|shift| count(*shift) <= MOST).unwrap_or(20);
    let missing = FEWEST.saturating_sub(count(shift));
    let edges = |(least, most): (u32, u32), more: u32| {
        let first = (least >> shift).saturating_sub(more / 2);
        let last = (most >> shift) + more.div_ceil(2);
        // A size is that of the bin of a positive value.
        (first..=last + 1).map(|size| ends_of(ZERO + 1 + (size << shift)).0).collect::<Vec<f64>>()
    };
    let mut all: Vec<f64> = Vec::new();
    if let Some(sizes) = below {
        let more = if above.is_some() { 0 } else { missing };
        all.extend(edges(sizes, more).into_iter().rev().map(|edge| -edge));
        // What is nearer to zero than the last of them belongs to it.
        if has_zero && let Some(last) = all.last_mut() {
            *last = 0.0;
        }
    }
    match above {
        Some(sizes) => {
            if has_zero && all.is_empty() {
                all.push(0.0);
            }
            all.extend(edges(sizes, missing));
        }
        // Zero alone, or above negative values: a column as wide as may be.
        None if has_zero => {
            if all.is_empty() {
                all.push(0.0);
            }
            all.push(1.0);
        }
        None => {}
    }
    all
}

/// A round number that is at least so large.
fn round_step(at_least: f64) -> f64 {
    let ten = 10f64.powf(at_least.max(f64::MIN_POSITIVE).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|times| times * ten)
        .find(|step| *step >= at_least * (1.0 - 1e-9))
        .unwrap_or(ten)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_profile::values::bin_of;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_value_lies_in_a_column_of_its_own_bins(
            all in proptest::collection::vec((-1e3f64..1e3, -12i32..12), 1..40), linear in any::<bool>(), zero in any::<bool>(),
        ) {
            let mut values: Vec<f64> = all.iter().map(|(value, power)| value * 10f64.powi(*power)).collect();
            values.extend(zero.then_some(0.0));
            let bins: Vec<u32> = values.iter().map(|value| bin_of(*value)).collect();
            let spacing = if linear { Bins::Linear } else { Bins::Logarithmic };
            let across = Across::new(Scale::Values, spacing, bins.iter().copied()).unwrap();
            prop_assert!(across.edges.is_sorted_by(|a, b| a < b), "{:?}", across.edges);
            prop_assert!((1..=MOST + 2).contains(&across.columns()));
            for (value, bin) in values.iter().zip(&bins) {
                let (from, to) = across.range(across.column(*bin));
                let (least, most) = ends_of(*bin);
                prop_assert!(from <= least && most <= to, "{value}: {least} to {most} in {from} to {to}");
            }
        }
    }

    #[test]
    fn round_steps_are_round() {
        let all = [0.3, 1.0, 1.1, 3.0, 7.0, 45.0, 1e9].map(round_step);
        let expected = [0.5, 1.0, 2.0, 5.0, 10.0, 50.0, 1e9];
        assert!(all.iter().zip(expected).all(|(found, step)| (found - step).abs() < 1e-9 * step), "{all:?}");
    }

    #[test]
    fn what_is_nearly_the_same_everywhere_is_still_told_apart() {
        let bins = [290.0, 291.0, 295.0, 309.0].map(bin_of);
        let across = Across::new(Scale::Values, Bins::Linear, bins.into_iter()).unwrap();
        assert_eq!(across.range(0), (290.0, 291.0));
        assert_eq!(across.columns(), 20);
        let zeros = Across::new(Scale::Values, Bins::Logarithmic, [ZERO].into_iter()).unwrap();
        assert_eq!(zeros.ends(), (0.0, 1.0));
    }
}
