//! What the colours of a timeline mean, with shares of the time in sight: of the window, and of the rows that are shown and
//! do not merely describe others.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use heddle_model::{LocationId, Ns, RegionId};

use super::{Count, MOST_VISITED, TimelinePicture};
use crate::lookup::call_regions::Rest;
use crate::lookup::enclosing::spans_in;
use crate::request::window::Window;
use crate::scene::LegendEntry;

/// Legend entries beyond this say nothing new.
const MOST_ENTRIES: usize = 16;

/// Nanoseconds by innermost region, on so many rows.
struct Times {
    of_regions: FxHashMap<RegionId, i64>,
    rows: usize,
    /// Whether those are all that count.
    is_exact: bool,
}

impl TimelinePicture<'_> {
    /// The functions with most time in sight, what is hidden, and what lies outside of all of them.
    pub(super) fn legend(&self, count: &Count) -> Vec<LegendEntry> {
        let regions = &self.store.regions;
        let times = self.times(count);
        let all = (self.time.1.since(self.time.0) as f64 * times.rows as f64).max(1.0);
        let about = if times.is_exact { "" } else { "≈ " };
        let value = |time: i64| format!("{about}{:.1} %", 100.0 * time as f64 / all);
        let sum = |of: &[(RegionId, i64)]| of.iter().map(|(_, time)| time).sum::<i64>();
        let by_time: Vec<(RegionId, i64)> = times.of_regions.into_iter().filter(|(_, time)| *time > 0).collect();
        let outside = (all as i64 - sum(&by_time)).max(0);
        let (hidden, mut shown): (Vec<_>, Vec<_>) =
            by_time.into_iter().partition(|(region, _)| self.emphasis.hides(*region));
        shown.sort_by_key(|(region, time)| (std::cmp::Reverse(*time), *region));
        let mut entries: Vec<LegendEntry> = shown
            .into_iter()
            .take(MOST_ENTRIES)
            .map(|(region, time)| LegendEntry {
                colour: self.colours.region(region),
                name: regions.name.get(u64::from(region.0)).to_owned(),
                value: value(time),
            })
            .collect();
        let others = [(self.outside_name(), outside), ("hidden", sum(&hidden))];
        let worth_saying = others.into_iter().filter(|(_, time)| *time as f64 > 0.0005 * all);
        entries.extend(worth_saying.map(|(name, time)| LegendEntry {
            colour: self.colours.compute(),
            name: name.to_owned(),
            value: value(time),
        }));
        entries
    }

    /// What is known of the time outside of all functions: where only communication was recorded, they compute.
    fn outside_name(&self) -> &'static str {
        let regions = &self.store.regions;
        let is_bare = (0..regions.len())
            .all(|region| regions.count.get(region) == 0 || regions.communicates(RegionId(region as u32)));
        let rest = Rest::of(self.store, self.rows.locations());
        if is_bare && rest == Rest::Computing { rest.name() } else { Rest::Outside.name() }
    }

    /// Exact, or from evenly spread rows where there is too much to visit.
    fn times(&self, count: &Count) -> Times {
        let regions = &self.store.regions;
        let (all, counted) = (Window::default(), self.rows.counted(self.store));
        if self.time == all.time(self.store) && counted.len() == all.locations(self.store).len() {
            let own = (0..regions.len()).map(|region| (RegionId(region as u32), regions.exclusive.get(region)));
            return Times { of_regions: own.collect(), rows: counted.len(), is_exact: true };
        }
        let step = usize::try_from(count.spans.div_ceil(MOST_VISITED)).unwrap_or(usize::MAX).max(1);
        let rows: Vec<LocationId> = counted.iter().step_by(step).copied().collect();
        let of_location = |location: &LocationId| {
            let mut times = FxHashMap::<RegionId, i64>::default();
            let clip = |at: Ns| at.clamp(self.time.0, self.time.1);
            spans_in(self.store, *location, self.time).for_each_stretch(
                self.store,
                |_| true,
                |stretch| {
                    *times.entry(stretch.region).or_default() += clip(stretch.end).since(clip(stretch.start));
                },
            );
            times
        };
        let add = |mut sum: FxHashMap<RegionId, i64>, more: FxHashMap<RegionId, i64>| {
            for (region, time) in more {
                *sum.entry(region).or_default() += time;
            }
            sum
        };
        let of_regions = rows.par_iter().map(of_location).reduce(FxHashMap::default, add);
        Times { of_regions, rows: rows.len(), is_exact: rows.len() == counted.len() }
    }
}
