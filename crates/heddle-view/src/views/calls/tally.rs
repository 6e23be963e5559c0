//! What is added up while calls are visited: the picture, and what stands in its margins.

use super::density::DensityBuffer;
use super::looks::{Look, Looks};

/// Pictures and numbers of the calls in sight.
#[derive(Debug)]
pub(super) struct Tally {
    /// What recedes or all, then what stands out.
    pub(super) layers: Vec<DensityBuffer>,
    /// Calls at each level of the axis, by entry of the legend.
    pub(super) heights: Vec<u64>,
    /// Of what stands out, or of all: calls of a value of zero or less, then those at each fine level.
    pub(super) stressed: Vec<u64>,
    /// The greatest value of each of those.
    pub(super) greatest: Vec<i64>,
    /// Calls that are at each column, at their start or end.
    pub(super) across: Vec<u64>,
    /// Calls, by entry of the legend.
    pub(super) calls: Vec<u64>,
    /// Calls that are not drawn because they have no height.
    pub(super) without: u64,
    entries: usize,
    /// The layer of what stands out.
    pub(super) top: u8,
}

/// A value, and its place among the stressed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fine {
    pub(super) place: u32,
    pub(super) value: i64,
}

impl Tally {
    pub(super) fn new(looks: &Looks, columns: u32, rows: u32, levels: u32) -> Tally {
        let entries = looks.entries.len();
        Tally {
            layers: vec![DensityBuffer::new(columns, rows); looks.layers],
            heights: vec![0; entries * levels as usize],
            stressed: vec![0; super::FINE as usize + 1],
            greatest: vec![i64::MIN; super::FINE as usize + 1],
            across: vec![0; columns as usize],
            calls: vec![0; entries],
            without: 0,
            entries,
            top: looks.layers as u8 - 1,
        }
    }

    /// One call of a look at a level; `column` is where it is counted along time, `fine` its place among the stressed.
    #[inline]
    pub(super) fn count(&mut self, look: Look, column: u32, level: u32, fine: Option<Fine>) {
        let (entry, level) = (usize::from(look.entry), level as usize);
        self.heights[level * self.entries + entry] += 1;
        self.calls[entry] += 1;
        self.across[column as usize] += 1;
        if look.layer == self.top
            && let Some(fine) = fine
        {
            self.add_fine(fine, 1);
        }
    }

    /// So many calls of an entry at a level, wherever they are along time.
    pub(super) fn add_height(&mut self, entry: usize, level: u32, count: u64) {
        self.heights[level as usize * self.entries + entry] += count;
        self.calls[entry] += count;
    }

    /// So many calls that stand out, of a value.
    #[inline]
    pub(super) fn add_fine(&mut self, Fine { place, value }: Fine, count: u64) {
        self.stressed[place as usize] += count;
        let greatest = &mut self.greatest[place as usize];
        *greatest = value.max(*greatest);
    }

    /// Both together.
    pub(super) fn merged(mut self, other: &Tally) -> Tally {
        self.layers = self.layers.into_iter().zip(&other.layers).map(|(one, two)| one.merged(two)).collect();
        for (sums, more) in [
            (&mut self.heights, &other.heights),
            (&mut self.stressed, &other.stressed),
            (&mut self.across, &other.across),
            (&mut self.calls, &other.calls),
        ] {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        self.greatest.iter_mut().zip(&other.greatest).for_each(|(most, more)| *most = (*more).max(*most));
        self.without += other.without;
        self
    }

    /// All calls in sight.
    pub(super) fn total(&self) -> u64 {
        self.calls.iter().sum()
    }

    /// Calls at a level, by entry.
    pub(super) fn at_level(&self, level: u32) -> &[u64] {
        &self.heights[level as usize * self.entries..][..self.entries]
    }
}
