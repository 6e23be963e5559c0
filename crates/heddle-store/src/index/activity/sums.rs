//! Time by bin and region, added up stretch by stretch.
//!
//! A stretch touches the bin that it begins in and the one that it ends in; those between know of it by the number of
//! stretches that are open. So adding costs the same however long a stretch is, and everything is a sum of whole
//! numbers: the order does not matter, and neither does who adds what.

use heddle_model::Ns;

/// Neighbouring stretches of time.
pub(super) trait Bins: Clone {
    /// How many.
    fn count(&self) -> usize;

    /// The bin that a moment lies in; of moments beyond the ends the first and the last.
    fn bin(&self, time: i64) -> usize;

    /// Where a bin begins, and the last one ends.
    fn edge(&self, bin: usize) -> i64;
}

/// Bins of 2^n nanoseconds, the first of them from 0 on.
#[derive(Clone, Debug)]
pub(super) struct EvenBins {
    pub(super) log2_ns: u32,
    pub(super) count: usize,
}

impl Bins for EvenBins {
    fn count(&self) -> usize {
        self.count
    }

    #[inline]
    fn bin(&self, time: i64) -> usize {
        ((time.max(0) >> self.log2_ns) as usize).min(self.count - 1)
    }

    #[inline]
    fn edge(&self, bin: usize) -> i64 {
        (bin as i64) << self.log2_ns
    }
}

/// Bins between given moments, in order of time.
#[derive(Clone, Debug)]
pub(super) struct Between<'a> {
    edges: &'a [Ns],
    per_ns: f64,
}

impl<'a> Between<'a> {
    /// There must be two moments at least.
    pub(super) fn new(edges: &'a [Ns]) -> Between<'a> {
        let last = edges.len() - 1;
        Between { edges, per_ns: last as f64 / edges[last].since(edges[0]).max(1) as f64 }
    }
}

impl Bins for Between<'_> {
    fn count(&self) -> usize {
        self.edges.len() - 1
    }

    #[inline]
    fn bin(&self, time: i64) -> usize {
        let last = self.count() - 1;
        // Bins are nearly even, so the guess is the bin or its neighbour.
        let mut bin = ((time.saturating_sub(self.edges[0].0) as f64 * self.per_ns) as usize).min(last);
        while bin > 0 && self.edges[bin].0 > time {
            bin -= 1;
        }
        while bin < last && self.edges[bin + 1].0 <= time {
            bin += 1;
        }
        bin
    }

    #[inline]
    fn edge(&self, bin: usize) -> i64 {
        self.edges[bin].0
    }
}

/// What is known of a region in a bin.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// Time of stretches that begin here, as if they all lasted, less what those that end here lack.
    time: i64,
    /// Stretches that begin here and last, less those that end here.
    open: i64,
}

/// Time by bin and region. Regions are known by small numbers.
#[derive(Clone, Debug)]
pub(super) struct Sums<B> {
    bins: B,
    /// Region by region.
    cells: Vec<Cell>,
}

impl<B: Bins> Sums<B> {
    pub(super) fn new(bins: B) -> Sums<B> {
        Sums { bins, cells: Vec::new() }
    }

    /// Adds a stretch, which must lie within the bins.
    #[inline]
    pub(super) fn add(&mut self, region: usize, start: i64, end: i64) {
        let count = self.bins.count();
        if self.cells.len() < (region + 1) * count {
            self.grow(region);
        }
        let cells = &mut self.cells[region * count..(region + 1) * count];
        let (first, last) = (self.bins.bin(start), self.bins.bin(end));
        if first == last {
            cells[first].time += end - start;
            return;
        }
        cells[first].time += self.bins.edge(first + 1) - start;
        cells[first].open += 1;
        cells[last].time -= self.bins.edge(last + 1) - end;
        cells[last].open -= 1;
    }

    #[cold]
    fn grow(&mut self, region: usize) {
        self.cells.resize((region + 1) * self.bins.count(), Cell::default());
    }

    /// Adds what others added.
    pub(super) fn merge(&mut self, other: &Sums<B>) {
        if self.cells.len() < other.cells.len() {
            self.cells.resize(other.cells.len(), Cell::default());
        }
        for (cell, more) in self.cells.iter_mut().zip(&other.cells) {
            cell.time += more.time;
            cell.open += more.open;
        }
    }

    /// How many regions it has room for: those with larger numbers have no time.
    pub(super) fn regions(&self) -> usize {
        self.cells.len() / self.bins.count()
    }

    /// Time in a region, bin by bin.
    pub(super) fn of_region(&self, region: usize) -> impl Iterator<Item = u64> + '_ {
        let count = self.bins.count();
        let mut open = 0;
        self.cells[region * count..(region + 1) * count].iter().enumerate().map(move |(bin, cell)| {
            let time = open * (self.bins.edge(bin + 1) - self.bins.edge(bin)) + cell.time;
            open += cell.open;
            time.cast_unsigned()
        })
    }
}
