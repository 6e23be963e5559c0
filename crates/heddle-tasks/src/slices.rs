//! Time spent in stretches, slice by slice.

use heddle_model::Ns;

/// Time in something, slice by slice, while it is being added up. A stretch adds to its first and last slice what lies in
/// them, and to those between through one change at either end: the cost is stretches plus slices.
#[derive(Clone, Debug)]
pub struct SliceSums {
    parts: Vec<i64>,
    /// How many more stretches cover a slice wholly than the slice before.
    changes: Vec<i64>,
    /// Where the last stretch began: the next is never far.
    reached: usize,
}

impl SliceSums {
    /// Nothing yet, in so many slices.
    pub fn new(slices: usize) -> SliceSums {
        SliceSums { parts: vec![0; slices], changes: vec![0; slices + 1], reached: 0 }
    }

    /// Adds a stretch. `edges` ascend, one more than there are slices, the same ones each time.
    #[inline]
    pub fn add(&mut self, edges: &[Ns], start: Ns, end: Ns) {
        let slices = self.parts.len();
        let (start, end) = (start.max(edges[0]), end.min(edges[slices]));
        if end <= start {
            return;
        }
        let first = self.slice_at(edges, start);
        if end <= edges[first + 1] {
            self.parts[first] += end.since(start);
            return;
        }
        let last = edges[first..].partition_point(|edge| *edge < end) + first - 1;
        self.parts[first] += edges[first + 1].since(start);
        self.parts[last] += end.since(edges[last]);
        self.changes[first + 1] += 1;
        self.changes[last] -= 1;
    }

    fn slice_at(&mut self, edges: &[Ns], time: Ns) -> usize {
        let is_in = |at: usize| at + 1 < edges.len() && edges[at] <= time && time < edges[at + 1];
        if !is_in(self.reached) {
            let next = self.reached + 1;
            self.reached = if is_in(next) { next } else { edges.partition_point(|edge| *edge <= time) - 1 };
        }
        self.reached
    }

    /// Nanoseconds of each slice.
    pub fn finish(mut self, edges: &[Ns]) -> Vec<i64> {
        let mut covering = 0;
        for (slice, part) in self.parts.iter_mut().enumerate() {
            covering += self.changes[slice];
            *part += covering * edges[slice + 1].since(edges[slice]);
        }
        self.parts
    }
}

/// The edge of a slice: a run from 0 on, halved so many times.
pub fn grid_edge(run: i64, halvings: u32, at: i64) -> Ns {
    Ns(((i128::from(run) * i128::from(at)) >> halvings) as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn slices_are_those_of_a_plain_scan(
            mut edges in proptest::collection::vec(0i64..100, 2..12),
            runs in proptest::collection::vec((0i64..120, 0i64..60), 0..12),
        ) {
            edges.sort_unstable();
            let edges: Vec<Ns> = edges.into_iter().map(Ns).collect();
            let mut sums = SliceSums::new(edges.len() - 1);
            for (start, length) in &runs {
                sums.add(&edges, Ns(*start), Ns(start + length));
            }
            let found = sums.finish(&edges);
            for (slice, ends) in edges.windows(2).enumerate() {
                let runs_at = |time: i64| {
                    runs.iter().filter(|(start, length)| (*start..start + length).contains(&time)).count()
                };
                let expected: usize = (ends[0].0..ends[1].0).map(runs_at).sum();
                prop_assert_eq!(found[slice], expected as i64, "slice {} of {:?} with {:?}", slice, edges, runs);
            }
        }
    }
}
