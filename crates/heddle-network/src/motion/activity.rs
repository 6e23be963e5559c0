//! What links and elements do over a window: bytes per bin of time.

use std::sync::atomic::{AtomicU64, Ordering};

use heddle_model::Ns;
use heddle_topology::{Link, Topology};

/// Bins of a window; fewer on machines with very many links.
const MOST_BINS: usize = 240;
const LEAST_BINS: usize = 8;
/// Bins times links.
const MOST_CELLS: usize = 12_000_000;
/// What is over fades: by half in this share of the window.
const HALF_LIFE: f64 = 0.008;

/// Bins of one length.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bins {
    window: (Ns, Ns),
    count: usize,
}

impl Bins {
    fn new(window: (Ns, Ns), links: u32) -> Bins {
        let count = (MOST_CELLS / (links as usize).max(1)).clamp(LEAST_BINS, MOST_BINS);
        // No bin is shorter than the clock can tell.
        let length = window.1.since(window.0).max(1) as usize;
        Bins { window, count: count.min(length) }
    }

    fn length(&self) -> i64 {
        self.window.1.since(self.window.0).max(1)
    }

    fn at(&self, at: Ns) -> Option<usize> {
        let inside = (self.window.0..self.window.1).contains(&at);
        inside.then(|| (i128::from(at.since(self.window.0)) * self.count as i128 / i128::from(self.length())) as usize)
    }

    /// The first moment of a bin; of the one after the last, the end of the window.
    fn start(&self, bin: usize) -> Ns {
        let (parts, count) = (bin.min(self.count) as i128 * i128::from(self.length()), self.count as i128);
        let offset = (parts + count - 1) / count;
        Ns(self.window.0.0 + offset as i64)
    }
}

/// Adds messages up, from several threads: whole bytes, so that their order does not matter.
pub(super) struct Counting {
    bins: Bins,
    links: usize,
    bytes: Vec<AtomicU64>,
}

impl Counting {
    pub(super) fn new(window: (Ns, Ns), links: u32) -> Counting {
        let bins = Bins::new(window, links);
        let cells = bins.count * links as usize;
        Counting { bins, links: links as usize, bytes: (0..cells).map(|_| AtomicU64::new(0)).collect() }
    }

    pub(super) fn bins(&self) -> usize {
        self.bins.count
    }

    pub(super) fn bin(&self, at: Ns) -> Option<usize> {
        self.bins.at(at)
    }

    /// The first bin that begins within a stretch of time, and the first that begins behind it.
    pub(super) fn beginnings(&self, from: Ns, to: Ns) -> (usize, usize) {
        let after = |at: Ns| match self.bins.at(at) {
            Some(bin) if self.bins.start(bin) == at => bin,
            Some(bin) => bin + 1,
            None if at < self.bins.window.0 => 0,
            None => self.bins.count,
        };
        (after(from), after(to))
    }

    /// Adds a message: equal time on each link, its bytes evenly over that time.
    pub(super) fn add(&self, path: &[Link], (start, end): (Ns, Ns), bytes: u64) {
        let took = i128::from(end.since(start));
        let hops = path.len() as i128;
        for (hop, link) in path.iter().enumerate() {
            let moment = |hop: i128| Ns(start.0.saturating_add((took * hop / hops) as i64));
            self.add_hop(*link, (moment(hop as i128), moment(hop as i128 + 1)), bytes);
        }
    }

    fn add_hop(&self, link: Link, (from, to): (Ns, Ns), bytes: u64) {
        let (low, high) = self.bins.window;
        if from >= high || (to < low || (to == low && from < to)) {
            return;
        }
        let took = i128::from(to.since(from));
        // Bytes that have passed by a moment.
        let passed = |at: Ns| (i128::from(bytes) * i128::from(at.since(from)) / took.max(1)) as u64;
        let first = self.bins.at(from.max(low)).unwrap_or(0);
        if took == 0 {
            self.put(first, link, bytes);
            return;
        }
        let mut before = passed(from.max(low));
        for bin in first..self.bins.count {
            let end = self.bins.start(bin + 1).min(to);
            let now = passed(end);
            self.put(bin, link, now - before);
            before = now;
            if end >= to {
                break;
            }
        }
    }

    fn put(&self, bin: usize, link: Link, bytes: u64) {
        if let Some(cell) = self.bytes.get(bin * self.links + link.index())
            && bytes > 0
        {
            cell.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    pub(super) fn done(self, topology: &dyn Topology, capacities: Option<&[f64]>) -> Activity {
        let bytes = self.bytes.into_iter().map(|cell| cell.into_inner() as f32).collect();
        let seconds = self.bins.length() as f64 / 1e9 / self.bins.count as f64;
        let capacity = capacities.map(|capacities| {
            let of = |link: u32| (capacities[topology.class(Link(link))] * seconds) as f32;
            (0..topology.links()).map(of).collect()
        });
        Activity { bins: self.bins, links: self.links, bytes, capacity }
    }
}

/// What each link carried in each bin of a window.
#[derive(Clone, Debug)]
pub struct Activity {
    bins: Bins,
    links: usize,
    /// By bin, then link.
    bytes: Vec<f32>,
    /// Bytes that each link can carry in a bin; none if that is not known of all.
    capacity: Option<Vec<f32>>,
}

impl Activity {
    /// From and to.
    pub fn window(&self) -> (Ns, Ns) {
        self.bins.window
    }

    /// How many bins there are.
    pub fn bins(&self) -> usize {
        self.bins.count
    }

    /// The bin of a moment; none outside of the window.
    pub fn bin(&self, at: Ns) -> Option<usize> {
        self.bins.at(at)
    }

    /// The first moment of a bin; of the one after the last, the end of the window.
    pub fn bin_start(&self, bin: usize) -> Ns {
        self.bins.start(bin)
    }

    /// How long a bin is, in nanoseconds.
    pub fn bin_ns(&self) -> f64 {
        self.bins.length() as f64 / self.bins.count as f64
    }

    /// Bytes over each link in a bin.
    pub fn bytes(&self, bin: usize) -> &[f32] {
        &self.bytes[bin * self.links..(bin + 1) * self.links]
    }

    /// Bytes that each link can carry in a bin; none if that is not known of all.
    pub fn capacity(&self) -> Option<&[f32]> {
        self.capacity.as_deref()
    }

    /// What is left of the activity of a bin in the next one.
    pub fn fade(&self) -> f32 {
        0.5_f64.powf(1.0 / (HALF_LIFE * self.bins.count as f64)) as f32
    }
}
