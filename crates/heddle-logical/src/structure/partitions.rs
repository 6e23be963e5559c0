//! Events in partitions, and the graph of partitions that program order makes.

use rayon::prelude::*;

use crate::Events;

/// One bit an event.
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// The first events of rows.
    pub(super) fn row_starts(events: &Events) -> Bits {
        let mut bits = vec![0; events.kind.len().div_ceil(64)];
        for row in events.first_of_row.windows(2) {
            if row[0] < row[1] {
                bits[row[0] as usize / 64] |= 1 << (row[0] % 64);
            }
        }
        Bits(bits)
    }

    #[inline]
    pub(super) fn get(&self, event: u32) -> bool {
        self.0[event as usize / 64] >> (event % 64) & 1 == 1
    }
}

/// A partition of the events, and where each part has its runs: neighbours on one row.
///
/// Two neighbours on a row in different parts are an edge of the graph of parts. So runs are all it takes: behind the end
/// of a run stands a successor, before its start a predecessor.
pub(super) struct Partitions<'a> {
    /// The part of each event.
    pub(super) of: Vec<u32>,
    /// The first events of rows.
    pub(super) row_starts: &'a Bits,
    /// Where the runs of each part begin in `starts`, and behind the last one their number.
    first_run: Vec<u32>,
    /// The first event of each run, by part, then ascending.
    starts: Vec<u32>,
}

impl<'a> Partitions<'a> {
    /// From the part of each event, of which there are `parts`.
    pub(super) fn new(of: Vec<u32>, parts: u32, row_starts: &'a Bits) -> Partitions<'a> {
        let is_start = |event: usize| event == 0 || of[event] != of[event - 1] || row_starts.get(event as u32);
        // Counted two places further on, summed, and moved back by one while they are filled in.
        let mut first_run = vec![0; parts as usize + 2];
        for (event, &part) in of.iter().enumerate() {
            if is_start(event) {
                first_run[part as usize + 2] += 1;
            }
        }
        for part in 2..first_run.len() {
            first_run[part] += first_run[part - 1];
        }
        let mut starts = vec![0; first_run.last().map_or(0, |&runs| runs as usize)];
        for (event, &part) in of.iter().enumerate() {
            if is_start(event) {
                let place = &mut first_run[part as usize + 1];
                starts[*place as usize] = event as u32;
                *place += 1;
            }
        }
        first_run.pop();
        Partitions { of, row_starts, first_run, starts }
    }

    /// The same events with other parts: `label` of each part here, below their number. Parts are numbered by their first event.
    pub(super) fn relabelled(self, label: &[u32]) -> Partitions<'a> {
        let mut dense = vec![u32::MAX; label.len()];
        let mut parts = 0;
        for &label in label {
            let dense = &mut dense[label as usize];
            if *dense == u32::MAX {
                *dense = parts;
                parts += 1;
            }
        }
        let Partitions { mut of, row_starts, .. } = self;
        of.par_iter_mut().for_each(|part| *part = dense[label[*part as usize] as usize]);
        Partitions::new(of, parts, row_starts)
    }

    /// How many parts there are.
    pub(super) fn len(&self) -> u32 {
        self.first_run.len() as u32 - 1
    }

    /// The first events of a part's runs.
    pub(super) fn starts(&self, part: u32) -> &[u32] {
        &self.starts[self.first_run[part as usize] as usize..self.first_run[part as usize + 1] as usize]
    }

    /// Whether an event and the one before it are neighbours on a row and in one part.
    #[inline]
    pub(super) fn continues(&self, event: u32) -> bool {
        event > 0 && self.of[event as usize] == self.of[event as usize - 1] && !self.row_starts.get(event)
    }

    /// Behind the last event of the run that an event is in.
    #[inline]
    pub(super) fn run_end(&self, event: u32) -> u32 {
        let mut end = event + 1;
        while (end as usize) < self.of.len() && self.continues(end) {
            end += 1;
        }
        end
    }

    /// The part before a run, if the row does not begin with it.
    #[inline]
    pub(super) fn before(&self, start: u32) -> Option<u32> {
        (!self.row_starts.get(start)).then(|| self.of[start as usize - 1])
    }

    /// The part behind a run, by where the run ends, if the row goes on.
    #[inline]
    pub(super) fn behind(&self, end: u32) -> Option<u32> {
        ((end as usize) < self.of.len() && !self.row_starts.get(end)).then(|| self.of[end as usize])
    }

    /// Calls `visit` with the successor behind each run of a part, as often as there are such runs.
    #[inline]
    pub(super) fn for_successors(&self, part: u32, mut visit: impl FnMut(u32)) {
        for &start in self.starts(part) {
            if let Some(next) = self.behind(self.run_end(start)) {
                visit(next);
            }
        }
    }

    /// Calls `visit` with the predecessor before each run of a part, as often as there are such runs.
    #[inline]
    pub(super) fn for_predecessors(&self, part: u32, mut visit: impl FnMut(u32)) {
        for &start in self.starts(part) {
            if let Some(previous) = self.before(start) {
                visit(previous);
            }
        }
    }
}
