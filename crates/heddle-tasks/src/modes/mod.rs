//! Groups of values by modal clustering: a density is laid over them and cut where it has a minimum.
//!
//! Evenly spread values ripple, so valleys that are too shallow are no cuts: the least depth decides.

mod density;
#[cfg(test)]
mod tests;

pub use density::Density;

/// A group of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Positions among the values, ascending.
    pub members: Vec<u32>,
    /// Their mean.
    pub mean: f64,
}

/// The groups of some values.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// From the slowest to the fastest.
    pub clusters: Vec<Cluster>,
    /// Where the density was cut, ascending: one fewer than there are groups.
    pub cuts: Vec<f64>,
}

impl Modes {
    /// The groups of values by a bandwidth; valleys less deep than `min_depth` of the lower peak beside them are no cuts.
    /// What is not a number is in no group.
    pub fn of(values: &[f64], bandwidth: f64, min_depth: f64) -> Modes {
        Modes::by(&Density::new(values, bandwidth), values, min_depth)
    }

    fn by(density: &Density, values: &[f64], min_depth: f64) -> Modes {
        let mut landscape = Landscape::of(density);
        landscape.drop_shallow(density, min_depth);
        let cuts: Vec<f64> = landscape.valleys.iter().map(|valley| valley.bottom(density)).collect();
        // A value at a cut belongs to the slower group; where a cut lies is known but for rounding.
        let tie = 1e-7 * density.bandwidth();
        let group_of = |value: f64| cuts.partition_point(|cut| *cut < value - tie);
        let mut members = vec![Vec::new(); cuts.len() + 1];
        for (at, value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
            members[group_of(*value)].push(at as u32);
        }
        // A cut with nobody on one side of it separates nothing.
        let mut kept = Vec::new();
        let mut clusters: Vec<Cluster> = Vec::new();
        for (at, members) in members.into_iter().enumerate() {
            if members.is_empty() {
                continue;
            }
            if !clusters.is_empty() {
                kept.push(cuts[at - 1]);
            }
            let mean = members.iter().map(|at| values[*at as usize]).sum::<f64>() / members.len() as f64;
            clusters.push(Cluster { members, mean });
        }
        Modes { clusters, cuts: kept }
    }
}

/// A stretch in which the slope changes its sign, with the slopes at its ends; those of a plateau are 0.
#[derive(Clone, Copy, Debug)]
struct Turn {
    from: (f64, f64),
    to: (f64, f64),
}

impl Turn {
    /// About where the slope is 0: on the line between its ends, or in the middle of a plateau.
    fn place(self) -> f64 {
        let ((from, falling), (to, rising)) = (self.from, self.to);
        let share = if falling == 0.0 { 0.5 } else { falling / (falling - rising) };
        from + (to - from) * share
    }

    /// Where a valley is lowest, as exactly as numbers allow.
    fn bottom(self, density: &Density) -> f64 {
        let (mut from, mut to) = (self.from, self.to);
        if from.1 == 0.0 {
            return self.place();
        }
        // Regula falsi that halves the slope of an end which stays (Illinois): a few rounds instead of fifty.
        let mut stayed = 0;
        for _ in 0..60 {
            let middle = Turn { from, to }.place();
            if middle <= from.0 || middle >= to.0 {
                break;
            }
            let slope = density.slope(middle);
            if slope < 0.0 {
                from = (middle, slope);
                to.1 *= if stayed == 1 { 0.5 } else { 1.0 };
                stayed = 1;
            } else {
                to = (middle, slope);
                from.1 *= if stayed == 2 { 0.5 } else { 1.0 };
                stayed = 2;
            }
            if slope == 0.0 {
                return middle;
            }
        }
        Turn { from, to }.place()
    }
}

/// Peaks and the valleys between them: one fewer.
#[derive(Debug)]
struct Landscape {
    peaks: Vec<Turn>,
    valleys: Vec<Turn>,
}

impl Landscape {
    /// Goes along the slopes. Left of all values the density rises, right of all it falls, so peaks and valleys alternate.
    fn of(density: &Density) -> Landscape {
        let slopes = density.slopes();
        let (mut peaks, mut valleys) = (Vec::new(), Vec::new());
        // The last place where it rose or fell: what lies between is flat.
        let mut last: Option<(f64, f64)> = None;
        for (at, slope) in slopes.at.iter().copied().enumerate() {
            let here = (slopes.place(at), slope);
            if slope == 0.0 {
                continue;
            }
            match last {
                Some(before) if before.1 > 0.0 && slope < 0.0 => peaks.push(Turn { from: before, to: here }),
                Some(before) if before.1 < 0.0 && slope > 0.0 => {
                    let is_flat = here.0 - before.0 > 3.0 * (slopes.place(1) - slopes.place(0));
                    // Nothing in reach: any place is as low as any other, so the middle.
                    let slopes = if is_flat { (0.0, 0.0) } else { (before.1, slope) };
                    valleys.push(Turn { from: (before.0, slopes.0), to: (here.0, slopes.1) });
                }
                _ => {}
            }
            last = Some(here);
        }
        // What rounding leaves over at the ends separates nothing.
        valleys.truncate(peaks.len().saturating_sub(1));
        Landscape { peaks, valleys }
    }

    /// Takes out the shallowest valley as long as it is too shallow.
    fn drop_shallow(&mut self, density: &Density, min_depth: f64) {
        if min_depth <= 0.0 || self.valleys.is_empty() {
            return;
        }
        let height = |turn: &Turn| density.at(turn.place());
        let mut peaks: Vec<f64> = self.peaks.iter().map(height).collect();
        let mut bottoms: Vec<f64> = self.valleys.iter().map(height).collect();
        loop {
            let depth = |at: usize| 1.0 - bottoms[at] / peaks[at].min(peaks[at + 1]);
            let Some(shallowest) = (0..bottoms.len()).min_by(|a, b| depth(*a).total_cmp(&depth(*b))) else { return };
            if depth(shallowest) >= min_depth {
                return;
            }
            self.valleys.remove(shallowest);
            bottoms.remove(shallowest);
            let other = peaks.remove(shallowest + 1);
            peaks[shallowest] = peaks[shallowest].max(other);
        }
    }
}
