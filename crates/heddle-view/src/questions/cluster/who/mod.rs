//! What some ranks share: the shortest true description of them, if there is one.
//!
//! Hypotheses are tested: stretches of ranks, what nodes or other places of the machine they are on, rows and columns of the
//! process grid, levels and branches of a communication tree, communicators, residues. Each names some ranks; what it gets
//! wrong is counted and written out. The one is taken that says it in the fewest bits, and only if it has few exceptions
//! ([`MOST_EXCEPTIONS`]) and saves so many bits over a list of the ranks ([`needed`]) that chance does not explain it.

mod bits;
mod classes;
mod hypotheses;
mod stretches;
#[cfg(test)]
mod tests;

use serde::Serialize;

use super::lists::{joined, list};
use crate::scene::ticks::grouped;
pub(super) use classes::{Classes, Namer};
pub(super) use hypotheses::{GRID, Hypotheses, PLACE};

/// A name may get at most this share of its ranks wrong, of the set's, and of those that neither has.
const MOST_EXCEPTIONS: f64 = 1.0 / 8.0;
/// Ranks named one by one as exceptions; more are counted.
const MOST_NAMED: usize = 4;
/// All but so many of the ranks may be said of any set.
const ALL_BUT: f64 = 1.0 / 8.0;

/// How many bits a name must save. In a small trace there are few sets altogether, so less can be asked: of sets drawn by
/// chance at most one in 8 is named with 16 ranks, one in 4,096 with 1,024, one in 262,144 with 16,384. These are bounds:
/// what happens is far rarer.
fn needed(ranks: usize) -> f64 {
    1.5 * bits::one_of(ranks) - 3.0
}

/// What kind of thing ranks share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhoKind {
    /// There is only one.
    Single,
    /// They are all there are.
    All,
    /// All ranks of places in the machine.
    Place,
    /// Rows, columns, planes, edges of the process grid.
    Grid,
    /// Leaves, levels or branches of a communication tree.
    Tree,
    /// Members of a communicator.
    Communicator,
    /// Ranks that follow each other.
    Ranges,
    /// Every so-manieth rank.
    Residue,
    /// All but a few.
    AllBut,
    /// Nothing that was looked for.
    None,
}

/// What ranks share, in words, and how well it fits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Who {
    /// What kind of thing.
    pub kind: WhoKind,
    /// In words: `all 32 ranks of node 3`. Names in it are hostile text.
    pub text: String,
    /// Whether those are all but the ranks that the kind speaks of.
    pub is_complement: bool,
    /// How many ranks the name speaks of that are not members.
    pub missing: usize,
    /// How many members it does not speak of.
    pub besides: usize,
    /// How many bits shorter it is than a list of the ranks: one set of 2 to this many, drawn by chance, has such a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_bits: Option<f64>,
}

impl Who {
    fn trivial(kind: WhoKind, text: String) -> Who {
        Who { kind, text, is_complement: false, missing: 0, besides: 0, evidence_bits: None }
    }
}

/// Some ranks of all that take part.
#[derive(Clone, Debug)]
pub(super) struct Group<'a> {
    /// All ranks that take part, ascending.
    pub(super) ranks: &'a [u32],
    /// Which of them are members.
    pub(super) is_member: Vec<bool>,
    /// How many.
    pub(super) size: usize,
}

impl<'a> Group<'a> {
    pub(super) fn new(ranks: &'a [u32], is_member: Vec<bool>) -> Group<'a> {
        let size = is_member.iter().filter(|is| **is).count();
        Group { ranks, is_member, size }
    }

    fn complement(&self) -> Group<'a> {
        Group::new(self.ranks, self.is_member.iter().map(|is| !is).collect())
    }

    pub(super) fn members(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranks.iter().zip(&self.is_member).filter(|(_, is)| **is).map(|(rank, _)| *rank)
    }
}

/// A name that fits: by places in the list of all ranks.
#[derive(Clone, Debug)]
struct Guess {
    kind: WhoKind,
    /// What it is called, all of whose ranks it names: `node 3`.
    name: String,
    /// Bits of the name alone.
    bits: f64,
    /// The ranks that it names.
    named: Vec<bool>,
}

/// A guess that was compared with the group.
struct Fit {
    guess: Guess,
    missing: usize,
    besides: usize,
    bits: f64,
}

impl Fit {
    fn of(group: &Group, guess: Guess) -> Option<Fit> {
        let (mut named, mut missing) = (0, 0);
        for (is_named, is_member) in guess.named.iter().zip(&group.is_member) {
            named += usize::from(*is_named);
            missing += usize::from(*is_named && !is_member);
        }
        let besides = group.size + missing - named;
        let all = group.ranks.len();
        let smallest = named.min(group.size).min(all - named).min(all - group.size);
        let most = MOST_EXCEPTIONS * smallest as f64;
        let bits = guess.bits + bits::exceptions(all, named, missing, besides);
        ((missing + besides) as f64 <= most).then_some(Fit { guess, missing, besides, bits })
    }
}

/// What the members of a group share.
pub(super) fn who(group: &Group, hypotheses: &Hypotheses) -> Who {
    let (all, size) = (group.ranks.len(), group.size);
    match size {
        0 => return Who::trivial(WhoKind::None, "no ranks".to_owned()),
        1 => {
            let rank = group.members().next().unwrap_or(0);
            return Who::trivial(WhoKind::Single, format!("rank {}", grouped(u64::from(rank))));
        }
        _ if size == all => return Who::trivial(WhoKind::All, format!("all {} ranks", grouped(all as u64))),
        _ => {}
    }
    let plain = bits::choose(all, size);
    let saves = |fit: &Fit| plain - fit.bits >= needed(all);
    let direct = hypotheses.best(group).filter(saves);
    let opposite = (2 * size > all).then(|| group.complement());
    let around = opposite.as_ref().and_then(|opposite| hypotheses.best(opposite)).filter(saves);
    let evidence = |fit: &Fit| Some(((plain - fit.bits) * 10.0).round() / 10.0);
    match (direct, around, &opposite) {
        (Some(fit), None, _) => named(group, &fit, evidence(&fit)),
        (Some(fit), Some(around), _) if fit.bits <= around.bits => named(group, &fit, evidence(&fit)),
        (_, Some(fit), Some(opposite)) => {
            let rest = named(opposite, &fit, evidence(&fit));
            Who { text: format!("all ranks except {}", rest.text), is_complement: true, ..rest }
        }
        (_, _, Some(opposite)) if opposite.size as f64 <= ALL_BUT * all as f64 => {
            let few = opposite.size <= MOST_NAMED;
            let which = if few { list(opposite.members(), MOST_NAMED) } else { grouped(opposite.size as u64) };
            let noun = if opposite.size == 1 { "rank" } else { "ranks" };
            let text = if few { format!("all ranks except {noun} {which}") } else { format!("all but {which} {noun}") };
            Who { missing: opposite.size, ..Who::trivial(WhoKind::AllBut, text) }
        }
        _ => Who::trivial(WhoKind::None, "no pattern in the ranks".to_owned()),
    }
}

/// Ranks that some name speaks of, one of so many, in words with its exceptions; none if it does not fit the group, or no
/// better than chance. With the bits that it takes.
pub(super) fn fitting(group: &Group, name: String, named_ranks: Vec<bool>, of: usize) -> Option<(Who, f64)> {
    let guess = Guess { kind: WhoKind::None, name, bits: bits::one_of(of), named: named_ranks };
    let fit = Fit::of(group, guess)?;
    let saved = bits::choose(group.ranks.len(), group.size) - fit.bits;
    (saved >= needed(group.ranks.len())).then(|| (named(group, &fit, None), fit.bits))
}

/// The words of a name, with its exceptions.
fn named(group: &Group, fit: &Fit, evidence_bits: Option<f64>) -> Who {
    let Fit { guess, missing, besides, .. } = fit;
    let exceptions = |is_wanted: fn(bool, bool) -> bool| {
        let each = group.ranks.iter().zip(guess.named.iter().zip(&group.is_member));
        each.filter(move |(_, (named, member))| is_wanted(**named, **member)).map(|(rank, _)| *rank)
    };
    let count = |number: usize, ranks: &mut dyn Iterator<Item = u32>| {
        let noun = if number == 1 { "rank" } else { "ranks" };
        let which = if number <= MOST_NAMED { list(ranks, MOST_NAMED) } else { String::new() };
        if which.is_empty() { format!("{} {noun}", grouped(number as u64)) } else { format!("{noun} {which}") }
    };
    let mut text = guess.name.clone();
    let mut wrong = Vec::new();
    if *missing > 0 {
        wrong.push(format!("without {}", count(*missing, &mut exceptions(|named, member| named && !member))));
    }
    if *besides > 0 {
        wrong.push(format!("with {} besides", count(*besides, &mut exceptions(|named, member| !named && member))));
    }
    if !wrong.is_empty() {
        text = format!("{text}, {}", joined(&wrong));
    }
    Who { kind: guess.kind, text, is_complement: false, missing: *missing, besides: *besides, evidence_bits }
}
