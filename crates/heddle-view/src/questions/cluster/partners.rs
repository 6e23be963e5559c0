//! Who sends to whom in a scope, as far as it shows how ranks are laid out.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use heddle_logical::Logical;
use heddle_logical::cluster::Scope;
use heddle_model::LocationId;
use heddle_store::Store;

use super::members::Everyone;
use super::tree::Tree;
use crate::lookup::messages::sent_between;

/// Messages of a rank beyond this are not looked at: its partners are known long before.
const MOST_MESSAGES: usize = 4_096;
/// Ranks with more partners talk to everybody.
const MOST_PARTNERS: usize = 4_096;
/// Ranks that are taken at a time: partners of all of them would be too many to keep.
const AT_ONCE: usize = 1 << 14;

/// What messages say about the layout of ranks.
#[derive(Default)]
pub(super) struct Partners {
    /// On how many ranks a partner is so many ranks away, up or down.
    distances: FxHashMap<u32, u32>,
    /// For each rank whether it and the next one are partners.
    next: Vec<bool>,
    /// The ranks that send.
    senders: u32,
    /// The tree that messages go along, if it is one.
    pub(super) tree: Option<Tree>,
    /// Whether an inner rank of it receives from ranks below.
    pub(super) gathers: bool,
    /// For each of some groups the ranks that receive messages from it, its own included.
    pub(super) receivers_of: Vec<Vec<bool>>,
}

impl Partners {
    /// The partners in a scope. `groups` says which of how many groups each rank is in, if in any.
    pub(super) fn of(
        store: &Store,
        logical: &Logical,
        scope: &Scope,
        everyone: &Everyone,
        (groups, count): (&[Option<usize>], usize),
    ) -> Partners {
        let ranks = everyone.ranks.len();
        let mut found =
            Partners { next: vec![false; ranks], receivers_of: vec![vec![false; ranks]; count], ..Partners::default() };
        let all: Vec<usize> = (0..everyone.ranks.len()).collect();
        let mut pairs: Option<Vec<(u32, u32)>> = Some(Vec::new());
        for some in all.chunks(AT_ONCE) {
            let lists: Vec<Vec<u32>> =
                some.par_iter().map(|at| receivers(store, logical, scope, everyone, everyone.rows[*at])).collect();
            for (at, receivers) in some.iter().zip(lists) {
                found.add(everyone, *at, &receivers);
                if let Some(group) = groups[*at] {
                    for to in &receivers {
                        found.receivers_of[group][*to as usize] = true;
                    }
                }
                if let Some(known) = &mut pairs {
                    known.extend(receivers.iter().map(|to| (*at as u32, *to)));
                }
                // Each pair of a tree counts twice at the most.
                if pairs.as_ref().is_some_and(|known| known.len() > 2 * all.len()) {
                    pairs = None;
                }
            }
        }
        found.tree = pairs.as_ref().and_then(|pairs| Tree::of(all.len(), pairs));
        if let (Some(tree), Some(pairs)) = (&found.tree, &pairs) {
            found.gathers = pairs.iter().any(|(from, to)| tree.levels[*from as usize] < tree.levels[*to as usize]);
        }
        found
    }

    fn add(&mut self, everyone: &Everyone, at: usize, receivers: &[u32]) {
        self.senders += u32::from(!receivers.is_empty());
        let rank = everyone.ranks[at];
        let mut seen = FxHashSet::default();
        for to in receivers {
            let apart = everyone.ranks[*to as usize].abs_diff(rank);
            if apart > 0 && seen.insert(apart) {
                *self.distances.entry(apart).or_default() += 1;
            }
            if apart == 1 {
                self.next[at.min(*to as usize)] = true;
            }
        }
    }

    /// The lengths of the process grid, the last axis being that of neighbouring ranks; none if the messages show none.
    pub(super) fn grid(&self, everyone: &Everyone) -> Option<Vec<u32>> {
        // A grid needs all its ranks, or else nothing is at its place.
        let all = u32::try_from(everyone.ranks.len()).ok()?;
        let is_whole = everyone.ranks.first() == Some(&0) && everyone.ranks.last().is_some_and(|last| last + 1 == all);
        // Neighbours on a grid close circles, which ranks of a tree do not.
        let may_be = is_whole && self.tree.is_none();
        grid(all, self.senders, &self.distances, &self.next).filter(|_| may_be)
    }
}

/// A share of the ranks must have a partner along each axis.
const LEAST_SHARE: f64 = 0.5;
/// So many of the ends of rows may be joined with the beginning of the next: in a grid none are.
const MOST_JOINED: f64 = 0.05;

/// Each rank has neighbours 1 rank away, and others the length of a row, or of a plane, away.
fn grid(all: u32, senders: u32, distances: &FxHashMap<u32, u32>, next: &[bool]) -> Option<Vec<u32>> {
    let is_common = |apart: &u32| {
        distances.get(apart).is_some_and(|ranks| f64::from(*ranks) >= LEAST_SHARE * f64::from(senders.max(1)))
    };
    if !is_common(&1) || 2 * senders < all {
        return None;
    }
    let is_end_of_row = |length: u32| {
        let ends: Vec<bool> = next.iter().skip(length as usize - 1).step_by(length as usize).copied().collect();
        let joined = ends.iter().filter(|is| **is).count();
        joined as f64 <= MOST_JOINED * ends.len() as f64
    };
    let mut wide: Vec<u32> = distances
        .keys()
        .copied()
        .filter(|apart| *apart > 1 && 2 * apart <= all && all.is_multiple_of(*apart))
        .filter(|apart| is_common(apart) && is_end_of_row(*apart))
        .collect();
    wide.sort_unstable();
    let row = *wide.first()?;
    let plane = wide.iter().skip(1).find(|apart| apart.is_multiple_of(row));
    Some(match plane {
        Some(plane) => vec![all / plane, plane / row, row],
        None => vec![all / row, row],
    })
}

/// The ranks that a row sends to in a scope, by their places in the list, each once.
fn receivers(store: &Store, logical: &Logical, scope: &Scope, everyone: &Everyone, row: u32) -> Vec<u32> {
    let events = scope.events_of(logical, row);
    if events.is_empty() {
        return Vec::new();
    }
    let time = (logical.events.enter.get(events.start), logical.events.leave.get(events.end - 1));
    let location: LocationId = logical.rows.location.get(u64::from(row));
    let mut last = None;
    let mut found: Vec<u32> = sent_between(store, location, time)
        .take(MOST_MESSAGES)
        .filter_map(|message| {
            let to = store.messages.recv_location.get(message);
            (last.replace(to) != Some(to)).then(|| everyone.place_of(logical.row_of_location(to)?)).flatten()
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST_PARTNERS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a stencil on a grid of these lengths exchanges.
    fn stencil(lengths: &[u32], is_periodic: bool) -> Option<Vec<u32>> {
        let all: u32 = lengths.iter().product();
        let mut found = Partners { next: vec![false; all as usize], ..Partners::default() };
        let everyone = Everyone::first(all);
        for rank in 0..all {
            let mut receivers = Vec::new();
            let mut width = 1;
            for length in lengths.iter().rev() {
                let at = rank / width % length;
                let steps = [(at + 1 < *length, 1i64, 1 - i64::from(*length)), (at > 0, -1, i64::from(*length) - 1)];
                for (is_inside, step, around) in steps {
                    let step = if is_inside { step } else { around };
                    if is_inside || is_periodic {
                        receivers.push((i64::from(rank) + step * i64::from(width)) as u32);
                    }
                }
                width *= length;
            }
            found.add(&everyone, rank as usize, &receivers);
        }
        found.grid(&everyone)
    }

    #[test]
    fn grids_are_found_by_their_neighbours() {
        for lengths in [vec![4, 4], vec![32, 32], vec![16, 64], vec![6, 5], vec![4, 4, 4], vec![16, 8, 8]] {
            for is_periodic in [false, true] {
                assert_eq!(stencil(&lengths, is_periodic).as_ref(), Some(&lengths), "{is_periodic}");
            }
        }
        assert_eq!(stencil(&[64], false), None, "a line");
        assert_eq!(stencil(&[64], true), None, "a ring");
    }

    #[test]
    fn neighbours_and_their_neighbours_are_no_grid() {
        let mut found = Partners { next: vec![false; 64], ..Partners::default() };
        let everyone = Everyone::first(64);
        for rank in 0..64u32 {
            let receivers: Vec<u32> = [1, 2].map(|step| (rank + step) % 64).to_vec();
            found.add(&everyone, rank as usize, &receivers);
        }
        assert_eq!(found.grid(&everyone), None);
    }
}
