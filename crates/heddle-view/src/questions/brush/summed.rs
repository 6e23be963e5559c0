//! Many calls in a rectangle, from the sums of the profile: by location, function and bin of duration.
//!
//! The times of the rectangle are exact. Its durations are moved outwards to edges of bins, at most a 32nd of them, and told: for those
//! the numbers are what looking at every call would give. The slowest calls are looked for where those of the highest bins are, on a few
//! locations at most; how many others might have some as slow is told, too.

use std::cmp::Reverse;

use rayon::prelude::*;

use heddle_model::{LocationId, Ns};
use heddle_profile::bins::{Tally, bin_of, least_of};
use heddle_profile::{CallProfile, Lasting, Within};

use super::{Brushed, By, Found, MOST_NAMED, Rectangle, Summed};
use crate::request::ViewRequest;
use crate::request::window::number_of;
use crate::views::calls::options::{CallHeight, CallStyle, CallsOptions};
use crate::views::options::{ColourBy, EventOptions};

/// Calls per location that take longer to look at than sums do.
const MANY_EACH: f64 = 1024.0;
/// Locations that are searched for the slowest calls.
const MOST_SEARCHED: usize = 32;

/// What is known of some locations.
#[derive(Default)]
struct Sums {
    found: Found,
    /// How many calls are in each bin, from the least on.
    by_bin: Vec<u64>,
    /// The highest bin of each location with any.
    highest: Vec<(u32, LocationId)>,
    /// Serves for one location after the other.
    tally: Tally,
}

impl Sums {
    fn merge(mut self, other: Sums) -> Sums {
        self.by_bin.resize(self.by_bin.len().max(other.by_bin.len()), 0);
        self.by_bin.iter_mut().zip(other.by_bin).for_each(|(sum, part)| *sum += part);
        self.highest.extend(other.highest);
        Sums { found: self.found.merge(other.found), ..self }
    }

    /// The bin from which on there are as many calls as are named.
    fn slow_from(&self, least: u16) -> u32 {
        let mut calls = 0;
        let slow = self.by_bin.iter().rposition(|count| {
            calls += count;
            calls >= MOST_NAMED as u64
        });
        u32::from(least) + slow.unwrap_or(0) as u32
    }
}

/// Whether the profile may tell what a rectangle holds: of a call it knows rank, function and duration, and nothing else.
pub fn brush_rests_on_profile(request: &ViewRequest) -> bool {
    let calls: CallsOptions = request.options.checked();
    matches!(calls.y, CallHeight::Duration | CallHeight::Rank)
        && !calls.needs_traffic()
        && request.options.checked::<EventOptions>().colour != ColourBy::Caller
}

impl Rectangle<'_> {
    /// Whether there are so many calls that sums take less time.
    pub(super) fn is_large(&self) -> bool {
        let (from, to) = self.brush.time;
        let end = self.store.summary().end_ns;
        let share = (to.0.min(end) as f64 - from.0.max(0) as f64).max(0.0) / end.max(1) as f64;
        let each = self.store.spans.len() as f64 / self.store.locations.len().max(1) as f64;
        self.lasting.0 <= self.lasting.1 && share * each > MANY_EACH
    }

    /// The answer for durations of whole bins.
    pub(super) fn summed(mut self, profile: &CallProfile, locations: &[LocationId]) -> Brushed {
        let wanted = self.lasting;
        let bins = (bin_of(wanted.0), bin_of(wanted.1));
        let (least, most) = (least_of(bins.0).min(wanted.0), (least_of(bins.1 + 1) - 1).max(wanted.1));
        self.lasting = (least, most);
        let within = match self.options.style {
            CallStyle::PointsStart => Within::Start,
            CallStyle::PointsEnd => Within::End,
            CallStyle::Lines | CallStyle::Arches => Within::Any,
        };
        let asked = Lasting { time: self.brush.time, within, bins, is_wanted: &self.is_shown };
        let sums = locations
            .par_iter()
            .filter(|location| self.has_rank(**location))
            .fold(Sums::default, |sums, location| self.add_sums(profile, &asked, sums, *location))
            .reduce(Sums::default, Sums::merge);
        let slow = sums.slow_from(bins.0);
        let Sums { found, mut highest, .. } = sums;
        highest.retain(|(bin, _)| *bin >= slow);
        highest.sort_unstable_by_key(|(bin, location)| (Reverse(*bin), *location));
        let unsearched = highest.len().saturating_sub(MOST_SEARCHED);
        highest.truncate(MOST_SEARCHED);
        // Neither heights of counters nor bytes matter here, so neither does the place.
        let slowest = highest.par_iter().map(|(_, location)| Found::only_slowest(self.at(0, *location)));
        let found = found.merge(slowest.reduce(Found::default, Found::merge));
        let is_as_asked = self.lasting == wanted && unsearched == 0;
        let summed = (!is_as_asked).then_some(Summed { least: Ns(least), most: Ns(most), unsearched });
        Brushed { summed, ..found.told(self.store, locations.len(), By::Total) }
    }

    /// Whether the height of a location's calls is in it, where that is their rank.
    pub(super) fn has_rank(&self, location: LocationId) -> bool {
        self.options.y != CallHeight::Rank || self.has_height(f64::from(number_of(self.store, location)))
    }

    fn add_sums(&self, profile: &CallProfile, asked: &Lasting<'_>, mut sums: Sums, location: LocationId) -> Sums {
        let mut found = Found::default();
        profile.lasting(self.store, location, asked, |region, bin, calls, ns| {
            let sum = found.of(region.index());
            sum.calls = sum.calls.saturating_add_signed(calls);
            sum.total = sum.total.saturating_add_signed(ns);
            sums.tally.add(bin, calls, ns);
        });
        let mut highest = None;
        for bin in sums.tally.take() {
            let at = (bin.bin as usize).saturating_sub(usize::from(asked.bins.0));
            if sums.by_bin.len() <= at {
                sums.by_bin.resize(at + 1, 0);
            }
            sums.by_bin[at] += bin.count;
            highest = Some(bin.bin);
        }
        sums.highest.extend(highest.map(|bin| (bin, location)));
        Sums { found: sums.found.merge(found.at(location)), ..sums }
    }
}
