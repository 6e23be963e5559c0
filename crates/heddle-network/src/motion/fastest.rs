//! The fastest messages, by how many links they pass and about how long they are.

use rustc_hash::FxHashMap;

/// The shortest and the longest time that messages of a kind took, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fastest {
    took: FxHashMap<(usize, u32), (i64, i64)>,
}

/// About how long: two classes for each power of two.
fn class(bytes: u64) -> u32 {
    let bits = u64::BITS - bytes.leading_zeros();
    let half = bits >= 2 && bytes >> (bits - 2) & 1 == 1;
    2 * bits + u32::from(half)
}

impl Fastest {
    pub(super) fn add(&mut self, hops: usize, bytes: u64, took: i64) {
        self.add_kind((hops, class(bytes)), (took, took));
    }

    fn add_kind(&mut self, kind: (usize, u32), (shortest, longest): (i64, i64)) {
        let known = self.took.entry(kind).or_insert((shortest, longest));
        *known = (shortest.min(known.0), longest.max(known.1));
    }

    pub(super) fn merge(&mut self, other: Fastest) {
        for (kind, took) in other.took {
            self.add_kind(kind, took);
        }
    }

    /// How much longer than the fastest of its kind any message took.
    pub(super) fn longest_wait(&self) -> i64 {
        self.took.values().map(|(shortest, longest)| longest - shortest).max().unwrap_or(0)
    }

    pub(super) fn of(&self, hops: usize, bytes: u64) -> Option<i64> {
        self.took.get(&(hops, class(bytes))).map(|(shortest, _)| *shortest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_is_within_half_a_power_of_two() {
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7, 8].map(class), [0, 2, 4, 5, 6, 6, 7, 7, 8]);
        let mut fastest = Fastest::default();
        fastest.add(3, 4, 50);
        fastest.add(3, 5, 40);
        fastest.add(2, 5, 10);
        assert_eq!((fastest.of(3, 4), fastest.of(3, 6), fastest.of(2, 4)), (Some(40), None, Some(10)));
        assert_eq!(fastest.longest_wait(), 10);
    }
}
