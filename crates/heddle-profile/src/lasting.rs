//! Calls of a location by function and duration, chosen by when they begin or end: what a rectangle of the view of calls holds.
//!
//! From the same blocks as the histogram, so durations are those of whole bins. Times are exact: calls that are open at an edge of
//! the time are looked at one by one.

use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::{Columns, Store};

use crate::bins::bin_of;
use crate::make::of_duration_key;
use crate::{CallProfile, InWindow};

/// What of a call must lie in a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// Its beginning.
    Start,
    /// Its end.
    End,
    /// Any moment of it.
    Any,
}

/// Which calls are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Lasting<'a> {
    /// When: both ends belong to it.
    pub time: (Ns, Ns),
    /// What of them lies in that time.
    pub within: Within,
    /// The least and the highest bin of their durations.
    pub bins: (u16, u16),
    /// Of each function, whether its calls are meant.
    pub is_wanted: &'a [bool],
}

impl Lasting<'_> {
    #[inline]
    fn has(&self, region: RegionId, bin: u16) -> bool {
        (self.bins.0..=self.bins.1).contains(&bin)
            && self.is_wanted.get(region.index()).is_some_and(|is_wanted| *is_wanted)
    }
}

impl CallProfile {
    /// Calls of a location that last so long: `add` gets function, bin, count, and durations together. The same may come several
    /// times; what is below zero was counted before.
    pub fn lasting(
        &self,
        store: &Store,
        location: LocationId,
        asked: &Lasting<'_>,
        mut add: impl FnMut(RegionId, u16, i64, i64),
    ) {
        let mut take = |region: RegionId, bin: u16, count: i64, ns: i64| {
            if asked.has(region, bin) {
                add(region, bin, count, ns);
            }
        };
        let (spans, durations) = (&store.spans, &store.durations);
        let window = InWindow::between(store, location, asked.time);
        let of_location = window.of(location);
        let rest = self.durations.for_each_signed(of_location, window.inside.clone(), None, |sum, sign| {
            let (region, bin) = of_duration_key(sum.key);
            take(region, bin, sign * i64::from(sum.count), sum.total.saturating_mul(sign));
        });
        for (rows, sign) in rest {
            (durations, &spans.region).for_each(rows, |(ns, region)| {
                take(region, bin_of(ns), sign, ns.saturating_mul(sign));
            });
        }
        let mut take_one = |row: u64, count: i64| {
            let ns = durations.get(row);
            take(spans.region.get(row), bin_of(ns), count, ns.saturating_mul(count));
        };
        let (from, to) = asked.time;
        if asked.within != Within::Start {
            for row in window.before(store) {
                let end = spans.end.get(row);
                if end >= from && (asked.within == Within::Any || end <= to) {
                    take_one(row, 1);
                }
            }
        }
        if asked.within == Within::End {
            window.last(store).into_iter().filter(|row| spans.end.get(*row) > to).for_each(|row| take_one(row, -1));
        }
    }
}
