//! Which regions take most of the time of a tile or a cell, found while adding up.

use heddle_model::RegionId;

/// Time in up to `N` regions. Where there are more, the least of them gives way: with `N` well above what is
/// asked for, those that come first are the right ones.
#[derive(Clone, Copy, Debug)]
pub struct Busiest<const N: usize> {
    times: [(RegionId, f64); N],
}

impl<const N: usize> Default for Busiest<N> {
    fn default() -> Self {
        Busiest { times: [(RegionId::NONE, 0.0); N] }
    }
}

impl<const N: usize> Busiest<N> {
    /// Adds time to a region.
    #[inline]
    pub fn add(&mut self, region: RegionId, time: f64) {
        let mut least = 0;
        for at in 0..N {
            let (known, sum) = &mut self.times[at];
            if *known == region || *known == RegionId::NONE {
                (*known, *sum) = (region, *sum + time);
                return;
            }
            if *sum < self.times[least].1 {
                least = at;
            }
        }
        if time > self.times[least].1 {
            self.times[least] = (region, time);
        }
    }

    /// The regions and their times, in no order.
    pub fn times(&self) -> impl Iterator<Item = (RegionId, f64)> + '_ {
        self.times.iter().copied().filter(|(region, _)| region.is_some())
    }

    /// The two with most time, the first one first; of equals the one defined first. NONE where there are fewer.
    pub fn first_two(&self) -> [(RegionId, f64); 2] {
        let mut two = [(RegionId::NONE, 0.0); 2];
        for next in self.times() {
            let before = |other: (RegionId, f64)| next.1.total_cmp(&other.1).then(other.0.cmp(&next.0)).is_gt();
            if before(two[0]) {
                two = [next, two[0]];
            } else if before(two[1]) {
                two[1] = next;
            }
        }
        two
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_come_first_and_small_ones_give_way() {
        let mut busiest = Busiest::<3>::default();
        assert_eq!(busiest.first_two(), [(RegionId::NONE, 0.0); 2]);
        for (region, time) in [(5, 1.0), (1, 4.0), (7, 2.0), (1, 1.0), (9, 3.0), (2, 0.5)] {
            busiest.add(RegionId(region), time);
        }
        // Region 5 had least when 9 came; 2 had too little to take a place.
        assert_eq!(busiest.first_two(), [(RegionId(1), 5.0), (RegionId(9), 3.0)]);
        let mut equal = Busiest::<3>::default();
        equal.add(RegionId(4), 2.0);
        equal.add(RegionId(3), 2.0);
        assert_eq!(equal.first_two()[0].0, RegionId(3));
    }
}
