//! Everything that ranks may share in a trace.

use super::stretches::stretches;
use super::{Classes, Fit, Group, Guess, WhoKind, bits};
use crate::questions::cluster::lists::joined;
use crate::questions::cluster::tree::Tree;
use crate::scene::ticks::grouped;

/// Bits to say which kind is meant. Two to the minus these add up to one, with those of stretches (2).
pub(in super::super) const PLACE: f64 = 2.0;
pub(in super::super) const GRID: f64 = 2.0;
const TREE: f64 = 3.0;
const COMMUNICATOR: f64 = 4.0;
const RESIDUE: f64 = 4.0;

/// All numbers up to this are tried as distances between the ranks of a residue class; beyond it divisors of the number of
/// ranks, powers of two, and what the members suggest.
const ALL_MODULI: usize = 64;
/// Classes of fewer ranks are no pattern.
const LEAST_RESIDUE: usize = 4;
/// More residues are no name.
const MOST_RESIDUES: usize = 3;
/// Members by which most moduli are ruled out.
const SAMPLED: usize = 1_024;
/// Branches of fewer ranks are no pattern.
const LEAST_BRANCH: u32 = 4;

/// What is known of the ranks of a trace.
#[derive(Default)]
pub(in super::super) struct Hypotheses<'a> {
    /// Ways to divide the ranks: by node, by row of the process grid.
    pub(in super::super) classes: Vec<Classes<'a>>,
    /// Groups with a name that may overlap, as places in the list of all ranks; how many there are in all.
    pub(in super::super) communicators: (Vec<(String, Vec<u32>)>, usize),
    /// The tree that messages go along, if it is one.
    pub(in super::super) tree: Option<&'a Tree>,
}

impl Hypotheses<'_> {
    /// What fits a group in the fewest bits.
    pub(super) fn best(&self, group: &Group) -> Option<Fit> {
        let mut best: Option<Fit> = None;
        let mut consider = |guess: Guess| {
            // Cheap names first: a longer one that is no better is not compared at all.
            if best.as_ref().is_some_and(|known| known.bits <= guess.bits) {
                return;
            }
            if let Some(fit) = Fit::of(group, guess)
                && best.as_ref().is_none_or(|known| fit.bits < known.bits)
            {
                best = Some(fit);
            }
        };
        for classes in &self.classes {
            if let Some((chosen, bits)) = classes.chosen(group) {
                let name = (classes.name)(&chosen);
                consider(Guess { kind: classes.kind, name, bits, named: classes.ranks_of(&chosen) });
            }
        }
        if let Some(tree) = self.tree {
            in_tree(group, tree).into_iter().for_each(&mut consider);
        }
        stretches(group).into_iter().for_each(&mut consider);
        self.in_communicators(group).into_iter().for_each(&mut consider);
        residues(group).into_iter().for_each(&mut consider);
        best
    }

    fn in_communicators(&self, group: &Group) -> Vec<Guess> {
        let (listed, count) = &self.communicators;
        let mut found = Vec::new();
        for (name, members) in listed {
            let inside = members.iter().filter(|at| group.is_member[**at as usize]).count();
            if 4 * inside < 3 * members.len() || 4 * inside < 3 * group.size {
                continue;
            }
            let mut named = vec![false; group.ranks.len()];
            for at in members {
                named[*at as usize] = true;
            }
            let name = format!("the {} members of {name}", grouped(members.len() as u64));
            found.push(Guess { kind: WhoKind::Communicator, name, bits: COMMUNICATOR + bits::one_of(*count), named });
        }
        found
    }
}

/// Every so-manieth rank.
fn residues(group: &Group) -> Vec<Guess> {
    let Some(last) = group.ranks.last() else { return Vec::new() };
    let all = *last as usize + 1;
    let most = all / LEAST_RESIDUE;
    let is_tried =
        |modulus: &usize| *modulus <= ALL_MODULI || all.is_multiple_of(*modulus) || modulus.is_power_of_two();
    // Divisors beyond the root come in pairs with those below it.
    let below = 2..=most.min(all.isqrt().max(ALL_MODULI));
    let beyond = (1..=all.isqrt()).rev().filter(|small| all.is_multiple_of(*small)).map(|small| all / small);
    let powers = (1..usize::BITS).map(|power| 1usize << power);
    let mut moduli: Vec<usize> =
        below.filter(is_tried).chain(beyond).chain(powers).filter(|modulus| (2..=most).contains(modulus)).collect();
    moduli.sort_unstable();
    moduli.dedup();
    let members: Vec<u32> = group.members().collect();
    let listed = 1.0 + bits::one_of(moduli.len());
    let mut tried: Vec<(usize, f64)> = moduli.into_iter().map(|modulus| (modulus, listed)).collect();
    // Any other may be meant too, but takes more words: the most common distance from a member to the next.
    tried.extend(
        usual_distance(&members)
            .filter(|apart| (2..=most).contains(apart))
            .map(|apart| (apart, 1.0 + bits::one_of(most))),
    );
    let few: Vec<u32> = members.iter().step_by(members.len().div_ceil(SAMPLED).max(1)).copied().collect();
    let mut found = Vec::new();
    for (modulus, bits_of_modulus) in &tried {
        let counts = |ranks: &[u32]| {
            let mut counts = vec![0u32; *modulus];
            for rank in ranks {
                counts[*rank as usize % modulus] += 1;
            }
            counts
        };
        let mut largest = counts(&few);
        largest.sort_unstable_by(|a, b| b.cmp(a));
        let held: u32 = largest.iter().take(MOST_RESIDUES).sum();
        if 4 * (held as usize) < 3 * few.len() {
            continue;
        }
        let counts = counts(&members);
        // Without knowing which ranks take part: a class has at most so many.
        let full = all.div_ceil(*modulus);
        let chosen: Vec<u32> =
            (0..).zip(&counts).filter(|(_, count)| 2 * **count as usize > full).map(|(at, _)| at).collect();
        if chosen.is_empty() || chosen.len() > MOST_RESIDUES || 2 * chosen.len() > *modulus {
            continue;
        }
        let named = group.ranks.iter().map(|rank| chosen.contains(&(rank % *modulus as u32))).collect();
        let bits = RESIDUE + bits_of_modulus + bits::rarely(chosen.len() - 1) + bits::choose(*modulus, chosen.len());
        found.push(Guess { kind: WhoKind::Residue, name: residue_name(*modulus, &chosen), bits, named });
    }
    found
}

/// The distance that most members have to the next.
fn usual_distance(members: &[u32]) -> Option<usize> {
    let mut distances: Vec<u32> = members.windows(2).map(|pair| pair[1] - pair[0]).collect();
    distances.sort_unstable();
    let most = distances.chunk_by(|a, b| a == b).max_by_key(|same| same.len())?;
    Some(most[0] as usize)
}

fn residue_name(modulus: usize, chosen: &[u32]) -> String {
    let text = |number: u32| grouped(u64::from(number));
    match (modulus, chosen) {
        (2, [0]) => "the even ranks".to_owned(),
        (2, [_]) => "the odd ranks".to_owned(),
        (_, [one]) => {
            let [second, third] = [1, 2].map(|times| text(one + times * modulus as u32));
            format!("one in {} ranks: {}, {second}, {third} …", grouped(modulus as u64), text(*one))
        }
        (_, several) => {
            let texts: Vec<String> = several.iter().map(|residue| text(*residue)).collect();
            format!("ranks that leave {} when divided by {}", joined(&texts).replace(" and ", " or "), modulus)
        }
    }
}

/// Levels of a tree, and branches of it with or without the inner ranks.
fn in_tree(group: &Group, tree: &Tree) -> Vec<Guess> {
    let levels = Classes {
        kind: WhoKind::Tree,
        bits: TREE + 1.0,
        class_of: tree.levels.clone(),
        count: tree.top as usize + 1,
        name: Box::new(|levels| level_name(levels, tree.top)),
    };
    let mut found = Vec::new();
    if let Some((chosen, bits)) = levels.chosen(group) {
        found.push(Guess { kind: WhoKind::Tree, name: (levels.name)(&chosen), bits, named: levels.ranks_of(&chosen) });
    }
    for leaves_only in [false, true] {
        let counts = tree.below(|at| !leaves_only || tree.levels[at] == 0, |at| group.is_member[at]);
        // What a branch gets wrong: its ranks that are no members, and members outside of it.
        let wrong = |(all, members): (u32, u32)| (all - members) as usize + (group.size - members as usize);
        let branches = (0..counts.len()).filter(|at| tree.levels[*at] > 0 && counts[*at].0 >= LEAST_BRANCH);
        let Some(best) = branches.min_by_key(|at| wrong(counts[*at])) else { continue };
        let mut named = tree.branch(best);
        let rank = grouped(u64::from(group.ranks[best]));
        let name = if leaves_only {
            for (named, level) in named.iter_mut().zip(&tree.levels) {
                *named &= *level == 0;
            }
            format!("the leaves below rank {rank} in the communication tree")
        } else {
            format!("rank {rank} and all below it in the communication tree")
        };
        // A branch is one of the inner ranks'.
        let inner = tree.levels.iter().filter(|level| **level > 0).count();
        found.push(Guess { kind: WhoKind::Tree, name, bits: TREE + 2.0 + bits::one_of(inner), named });
    }
    found
}

/// What some levels of a tree are called, the highest of which is `top`.
fn level_name(levels: &[u32], top: u32) -> String {
    match levels {
        [0] => "the leaves of the communication tree".to_owned(),
        [first, .., last] if (*first, *last) == (1, top) && levels.len() == top as usize => {
            "the inner ranks of the communication tree".to_owned()
        }
        [1] if top == 1 => "the inner ranks of the communication tree".to_owned(),
        [one] => format!("the ranks at level {one} of the communication tree"),
        [first, .., last] if last - first + 1 == levels.len() as u32 => {
            format!("the ranks at levels {first}–{last} of the communication tree")
        }
        [0, rest @ ..] => format!("the leaves and {}", level_name(rest, top)),
        several => {
            let texts: Vec<String> = several.iter().map(u32::to_string).collect();
            format!("the ranks at levels {} of the communication tree", joined(&texts))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_called_by_what_they_are() {
        for (levels, top, text) in [
            (&[0][..], 4, "the leaves of the communication tree"),
            (&[1, 2, 3, 4], 4, "the inner ranks of the communication tree"),
            (&[1], 1, "the inner ranks of the communication tree"),
            (&[2], 4, "the ranks at level 2 of the communication tree"),
            (&[1, 2], 4, "the ranks at levels 1–2 of the communication tree"),
            (&[0, 4], 4, "the leaves and the ranks at level 4 of the communication tree"),
            (&[1, 3], 4, "the ranks at levels 1 and 3 of the communication tree"),
        ] {
            assert_eq!(level_name(levels, top), text);
        }
    }
}
