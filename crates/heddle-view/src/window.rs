//! Which part of a trace a view shows: a window of time and some of the ranks.

use heddle_model::{LocationId, Ns};
use heddle_store::Store;

/// Ranges of ranks, as people write them: `0-15,100,200-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankSet {
    ranges: Vec<(u32, u32)>,
}

/// Why a list of ranks could not be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a list of ranks; write for instance 0-15,100,200-")]
pub struct RankSetError(String);

impl std::str::FromStr for RankSet {
    type Err = RankSetError;

    fn from_str(text: &str) -> Result<RankSet, RankSetError> {
        let wrong = || RankSetError(text.to_owned());
        let number = |word: &str| word.trim().parse::<u32>().map_err(|_| wrong());
        let mut ranges = Vec::new();
        for piece in text.split(',') {
            let range = match piece.split_once('-') {
                None => (number(piece)?, number(piece)?),
                Some((first, last)) if last.trim().is_empty() => (number(first)?, u32::MAX),
                Some((first, last)) => (number(first)?, number(last)?),
            };
            if range.0 > range.1 {
                return Err(wrong());
            }
            ranges.push(range);
        }
        Ok(RankSet { ranges })
    }
}

impl RankSet {
    /// Whether a rank is one of them.
    pub fn contains(&self, rank: u32) -> bool {
        self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&rank))
    }
}

/// What to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// From and to; the whole run if not given.
    pub time: Option<(Ns, Ns)>,
    /// Which ranks; all if not given.
    pub ranks: Option<RankSet>,
}

impl Window {
    /// The time window, never empty.
    pub fn time(&self, store: &Store) -> (Ns, Ns) {
        let (from, to) = self.time.unwrap_or((Ns(0), Ns(store.summary().end_ns)));
        (from, Ns(to.0.max(from.0.saturating_add(1))))
    }

    /// The locations to show, in order: those with spans, of the ranks asked for. In a trace without ranks
    /// the location's number stands for the rank.
    pub fn locations(&self, store: &Store) -> Vec<LocationId> {
        (0..store.locations.len())
            .filter(|at| store.locations.spans.get(*at) > 0)
            .filter(|at| {
                let rank = store.locations.rank.get(*at);
                let number = if rank.is_some() { rank.0 } else { *at as u32 };
                self.ranks.as_ref().is_none_or(|ranks| ranks.contains(number))
            })
            .map(|at| LocationId(at as u32))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_written_as_people_do() {
        let ranks: RankSet = "0-2,100, 200-".parse().unwrap();
        let inside = [0, 2, 100, 200, 1_000_000];
        assert!(inside.iter().all(|rank| ranks.contains(*rank)));
        assert!([3, 99, 101, 199].iter().all(|rank| !ranks.contains(*rank)));
        for wrong in ["", "a", "5-3", "1,,2", "-4"] {
            assert!(wrong.parse::<RankSet>().is_err(), "{wrong}");
        }
    }
}
