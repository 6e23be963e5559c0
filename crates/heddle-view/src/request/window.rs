//! Which part of a trace a view shows: a window of time and some of the ranks.

use std::sync::Arc;

use heddle_model::{LocationId, Ns};
use heddle_profile::chosen::Choice;
use heddle_store::Store;

use super::arranged::Arranged;
use super::tall::Tall;
use crate::scene::ticks::grouped;

/// Ranges of ranks, as people write them: `0-15,100,200-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankSet {
    /// First and last of each range, in order, apart from each other.
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
        Ok(RankSet::of_ranges(ranges))
    }
}

impl FromIterator<u32> for RankSet {
    fn from_iter<I: IntoIterator<Item = u32>>(ranks: I) -> RankSet {
        RankSet::of_ranges(ranks.into_iter().map(|rank| (rank, rank)).collect())
    }
}

impl std::fmt::Display for RankSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, (first, last)) in self.ranges.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            match (first, last) {
                (first, last) if first == last => write!(f, "{comma}{first}")?,
                (first, &u32::MAX) => write!(f, "{comma}{first}-")?,
                (first, last) => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

impl RankSet {
    fn of_ranges(mut ranges: Vec<(u32, u32)>) -> RankSet {
        ranges.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match joined.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => joined.push((first, last)),
            }
        }
        RankSet { ranges: joined }
    }

    /// These and others together.
    #[must_use]
    pub fn and(&self, others: &RankSet) -> RankSet {
        RankSet::of_ranges(self.ranges.iter().chain(&others.ranges).copied().collect())
    }

    /// Whether a rank is one of them.
    pub fn contains(&self, rank: u32) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first <= rank);
        after > 0 && rank <= self.ranges[after - 1].1
    }
}

/// What to show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    /// From and to; the whole run if not given.
    pub time: Option<(Ns, Ns)>,
    /// Which ranks; all if not given.
    pub ranks: Option<RankSet>,
    /// Which rows of the list of their locations, the second one excluded; all if not given. Views without rows of
    /// locations do not heed it.
    pub rows: Option<(usize, usize)>,
    /// Which columns of the same list, for views of locations by locations.
    pub columns: Option<(usize, usize)>,
    /// Which part of a plane, to the right and downwards, in thousandths of its unit; all of it if not given.
    pub across: Option<(usize, usize)>,
    /// The same downwards.
    pub down: Option<(usize, usize)>,
    /// From and to, in logical steps: step s takes from s to s + 1. All if not given.
    pub steps: Option<(f64, f64)>,
    /// Only the main location of each rank: those that have logical time.
    pub main_only: bool,
    /// Rows in another order, or folded, as [`arrange`](super::arranged::arrange) made them of these ranks; one row per
    /// location, ascending, if not given.
    pub arranged: Option<Arc<Arranged>>,
    /// Rows that are higher than others; all are equal if not given.
    pub tall: Option<Arc<Tall>>,
}

impl Window {
    /// The time window, never empty.
    pub fn time(&self, store: &Store) -> (Ns, Ns) {
        let (from, to) = self.time.unwrap_or((Ns(0), Ns(store.summary().end_ns)));
        (from, Ns(to.0.max(from.0.saturating_add(1))))
    }

    /// The locations to show, ascending, however their rows are arranged: those with spans, of the ranks asked for. In a
    /// trace without ranks the location's number stands for the rank.
    pub fn locations(&self, store: &Store) -> Vec<LocationId> {
        (0..store.locations.len()).map(|at| LocationId(at as u32)).filter(|at| self.shows(store, *at)).collect()
    }

    /// The locations to show as a choice of them; none if they are all that have calls.
    pub(crate) fn choice(&self, store: &Store) -> Option<Choice> {
        self.is_filtered().then(|| Choice::of(store, &self.locations(store))).flatten()
    }

    /// Whether some locations may not be shown.
    pub(crate) fn is_filtered(&self) -> bool {
        self.ranks.is_some() || self.main_only
    }

    /// Whether it has a row for a location.
    pub(crate) fn shows(&self, store: &Store, location: LocationId) -> bool {
        let at = u64::from(location.0);
        let rank = store.locations.rank.get(at);
        let is_shown = !self.main_only || (rank.is_some() && store.locations.is_main.get(at) != 0);
        is_shown && store.locations.spans.get(at) > 0 && self.has_rank(store, location)
    }

    /// Whether a location is of the ranks asked for, with calls or without.
    pub(crate) fn has_rank(&self, store: &Store, location: LocationId) -> bool {
        self.ranks.as_ref().is_none_or(|ranks| ranks.contains(number_of(store, location)))
    }

    /// The row that stands for a location.
    pub(crate) fn row_for(&self, store: &Store, location: LocationId) -> Option<usize> {
        if let Some(arranged) = &self.arranged {
            return arranged.row_for(location);
        }
        self.shows(store, location)
            .then(|| (0..location.0).filter(|before| self.shows(store, LocationId(*before))).count())
    }
}

/// A location's rank; its own number where there are no ranks.
pub(crate) fn number_of(store: &Store, location: LocationId) -> u32 {
    let rank = store.locations.rank.get(u64::from(location.0));
    if rank.is_some() { rank.0 } else { location.0 }
}

/// Characters of a label for which there is room beside the plot.
const LABEL: usize = 27;

/// Whether rows need names: some rank has several locations, or there are no ranks at all.
pub(crate) fn rows_have_names(store: &Store) -> bool {
    let locations = &store.locations;
    if locations.len() == store.summary().ranks {
        // Most traces, and all of the largest: no need to look.
        return false;
    }
    let mut before = None;
    (0..locations.len()).filter(|at| locations.spans.get(*at) > 0).any(|at| {
        let rank = locations.rank.get(at);
        !rank.is_some() || before.replace(rank) == Some(rank)
    })
}

/// What stands beside a location's row: the rank, or its name, with the rank where there are several.
pub(crate) fn row_label(store: &Store, location: LocationId, has_name: bool) -> String {
    let at = u64::from(location.0);
    let (rank, name) = (store.locations.rank.get(at), store.locations.name.get(at));
    let number = || grouped(u64::from(if rank.is_some() { rank.0 } else { location.0 }));
    if !has_name || name.is_empty() {
        number()
    } else if rank.is_some() && store.summary().ranks > 1 && !name.starts_with(&rank.0.to_string()) {
        shortened(&format!("{} · {name}", number()), LABEL)
    } else {
        shortened(name, LABEL)
    }
}

/// A text of at most so many characters, its end kept: names of rows and functions differ there.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let end = most * 3 / 7;
    let begin: String = text.chars().take(most - end - 1).collect();
    format!("{}…{}", begin.trim_end(), text.chars().skip(count - end).collect::<String>().trim_start())
}

/// What people call a location: its rank, with its own name where the rank has several.
pub(crate) fn row_name(store: &Store, location: LocationId) -> String {
    let locations = &store.locations;
    let at = u64::from(location.0);
    let rank = locations.rank.get(at);
    match rank.is_some() {
        true if locations.is_main.get(at) != 0 => format!("rank {}", grouped(u64::from(rank.0))),
        true => format!("rank {}, {}", grouped(u64::from(rank.0)), locations.name.get(at)),
        false if locations.name.get(at).is_empty() => format!("location {}", grouped(at)),
        false => locations.name.get(at).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(shortened("GPU 2 stream 7", 27), "GPU 2 stream 7");
        assert_eq!(shortened("0 · thread 542 (python3) · annotations", 27), "0 · thread 542…annotations");
        assert_eq!(shortened("ä".repeat(40).as_str(), 5), "ää…ää");
    }

    #[test]
    fn ranks_are_written_as_people_do() {
        let ranks: RankSet = "0-2,100, 200-".parse().unwrap();
        let inside = [0, 2, 100, 200, 1_000_000];
        assert!(inside.iter().all(|rank| ranks.contains(*rank)));
        assert!([3, 99, 101, 199].iter().all(|rank| !ranks.contains(*rank)));
        assert_eq!(ranks.to_string(), "0-2,100,200-");
        assert_eq!([7, 3, 4, 5, 9].into_iter().collect::<RankSet>().to_string(), "3-5,7,9");
        for wrong in ["", "a", "5-3", "1,,2", "-4"] {
            assert!(wrong.parse::<RankSet>().is_err(), "{wrong}");
        }
    }
}
