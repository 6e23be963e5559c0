//! Whose fault slow messages are: a link's, a network card's, or nobody's.
//!
//! All partners of a rank slow: its card. All partners of a node slow: the node's card. Else the pairs themselves, unless there
//! are so many that they get into each other's way, or a clock is wrong: that makes one direction longer by what it makes
//! the other shorter.

use heddle_model::{LocationId, Ns, SystemNodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::pairs::{LEAST_RATIO, Pairs, SLOW, Score, Tally};
use super::usual::median;
use super::way::Ground;
use crate::finding::FindingKind;
use crate::rows::Rows;
use crate::suspect::{Group, Place, Suspect};

/// How far a pair must be from the others, in robust standard deviations.
const FAR_OFF: f64 = 3.5;
/// The least deviation of pairs that is believed, with many pairs and with few.
const LEAST_DEVIATION: f64 = 0.05;
const LEAST_DEVIATION_OF_FEW: f64 = 0.1;
const FEW_PAIRS: usize = 16;
/// What of the run all messages of a suspect must take too long, for less cannot cost what is worth a sentence.
const LEAST_SHARE: f64 = 0.002;
/// So many of the partners of a slow card are slow.
const MOST_PARTNERS: f64 = 0.8;
/// With more slow pairs it is not the pairs.
const MOST_SLOW_PAIRS: f64 = 0.1;
const FEW_SLOW_PAIRS: usize = 4;

/// The least part of messages that is thought to be slow by chance; and how often all pairs together may be wrongly blamed.
const LEAST_CHANCE: f64 = 0.02;
const MOST_CHANCE: f64 = 0.001;

/// Who is slow, before it is a suspect.
#[derive(Debug)]
pub(super) struct Slow {
    pub(super) kind: FindingKind,
    /// For cards, whose.
    pub(super) ranks: Vec<u32>,
    pub(super) node: Option<u32>,
    /// Pairs that show it.
    pub(super) scores: Vec<Score>,
    pub(super) z: f64,
}

/// Names links and cards.
pub(super) fn blame(rows: &Rows<'_>, ground: &Ground, pairs: &Pairs) -> Vec<Slow> {
    let flags = Flags::new(rows, pairs);
    if flags.slow.is_empty() {
        return Vec::new();
    }
    let mut blamed: Vec<Slow> = Vec::new();
    let mut taken: FxHashSet<u32> = FxHashSet::default();
    for (node, members) in nodes(ground) {
        if is_slow_node(pairs, &members) {
            taken.extend(members.iter().copied());
            blamed.push(flags.slow_card(members, Some(node)));
        }
    }
    for row in 0..rows.len() as u32 {
        if !taken.contains(&row) && is_slow_card(&pairs.partners[row as usize]) {
            blamed.push(flags.slow_card(vec![row], None));
        }
    }
    blamed.retain(|slow| !slow.scores.is_empty());
    let cards: FxHashSet<u32> = blamed.iter().flat_map(|slow| slow.ranks.iter().copied()).collect();
    let is_left = |score: &&Score| !cards.contains(&score.from) && !cards.contains(&score.to);
    let left: Vec<Score> = flags.slow.iter().filter(is_left).copied().collect();
    let scored = pairs.scores.iter().filter(is_left).count();
    if left.len() <= FEW_SLOW_PAIRS || left.len() as f64 <= MOST_SLOW_PAIRS * scored as f64 {
        blamed.extend(slow_links(ground, &flags, left));
    }
    let least = LEAST_SHARE * rows.run.1.since(rows.run.0) as f64;
    blamed.retain(|slow| slow.scores.iter().map(|score| score.excess).sum::<f64>() >= least);
    blamed
}

/// Pairs that are slower than the others beyond chance.
struct Flags {
    slow: Vec<Score>,
    /// By distance: the usual ratio of a pair, as a logarithm, and its deviation.
    centre: [(f64, f64); 2],
}

impl Flags {
    fn new(rows: &Rows<'_>, pairs: &Pairs) -> Flags {
        let spread = pairs.spread();
        let of = |is_far: bool| {
            let alike = pairs.scores.iter().filter(|score| score.is_far == is_far);
            let mut logs: Vec<f64> = alike.map(|score| score.ratio.max(LEAST_RATIO).ln()).collect();
            let centre = median(&mut logs).unwrap_or(0.0);
            let least = if logs.len() < FEW_PAIRS { LEAST_DEVIATION_OF_FEW } else { LEAST_DEVIATION };
            let mut off: Vec<f64> = logs.iter().map(|log| (log - centre).abs()).collect();
            (centre, (median(&mut off).unwrap_or(0.0) / 0.6745).max(least).max(spread))
        };
        let mut flags = Flags { slow: Vec::new(), centre: [of(false), of(true)] };
        let clocks = Shifts::new(rows.len(), pairs);
        let chance = Chance::new(pairs);
        let is_slow = |score: &&Score| {
            score.is_slow
                && !chance.explains(score)
                && score.ratio >= SLOW
                && flags.z(score) >= FAR_OFF
                && !clocks.explain(score)
                && !is_hidden(pairs, score)
        };
        let slow = pairs.scores.iter().filter(is_slow).copied().collect();
        flags.slow = slow;
        flags
    }

    fn z(&self, score: &Score) -> f64 {
        let (centre, deviation) = self.centre[usize::from(score.is_far)];
        (score.ratio.max(LEAST_RATIO).ln() - centre) / deviation
    }

    fn slow_card(&self, ranks: Vec<u32>, node: Option<u32>) -> Slow {
        let mine: FxHashSet<u32> = ranks.iter().copied().collect();
        let touches = |score: &&Score| mine.contains(&score.from) != mine.contains(&score.to);
        let scores: Vec<Score> = self.slow.iter().filter(touches).copied().collect();
        let z = scores.iter().map(|score| self.z(score)).fold(0.0, f64::max);
        Slow { kind: FindingKind::SlowCard, ranks, node, scores, z }
    }
}

/// How often messages of a pair are slow by chance: where all ranks share few processors, many are.
struct Chance {
    share: f64,
    pairs: f64,
}

impl Chance {
    fn new(pairs: &Pairs) -> Chance {
        let share = |score: &Score| f64::from(score.slow) / f64::from(score.inside.max(1));
        let mut shares: Vec<f64> = pairs.scores.iter().map(share).collect();
        Chance { share: median(&mut shares).unwrap_or(0.0).max(LEAST_CHANCE), pairs: pairs.scores.len() as f64 }
    }

    /// As many slow ones as the pair has are to be expected of the slowest of so many pairs.
    fn explains(&self, score: &Score) -> bool {
        // The chance of at least so many, from above (Chernoff), in logarithms.
        let (all, slow) = (f64::from(score.inside.max(1)), f64::from(score.slow));
        let (found, usual) = (slow / all, self.share);
        if found <= usual {
            return true;
        }
        let part = |part: f64, of: f64| if part > 0.0 { part * (part / of).ln() } else { 0.0 };
        let chance = -all * (part(found, usual) + part(1.0 - found, 1.0 - usual));
        chance + self.pairs.ln() > MOST_CHANCE.ln()
    }
}

/// Another pair into the same rank is slower in the same calls: it is that one's fault.
fn is_hidden(pairs: &Pairs, score: &Score) -> bool {
    if score.shared <= 0.5 {
        return false;
    }
    let from = pairs.scores.partition_point(|other| other.to < score.to);
    let to = pairs.scores.partition_point(|other| other.to <= score.to);
    let rivals = pairs.scores[from..to].iter().filter(|other| other.from != score.from && other.slow > 0);
    // Nearly as slow is too near to decide between them.
    rivals.into_iter().any(|other| other.ratio * 1.2 > score.ratio)
}

/// How much earlier than usual the messages of a row come, at most, by direction: a wrong clock shows there.
struct Shifts {
    received: Vec<f64>,
    sent: Vec<f64>,
}

impl Shifts {
    fn new(rows: usize, pairs: &Pairs) -> Shifts {
        let mut shifts = Shifts { received: vec![0.0; rows], sent: vec![0.0; rows] };
        for score in &pairs.scores {
            let early = score.usual - score.found;
            let (received, sent) = (&mut shifts.received[score.to as usize], &mut shifts.sent[score.from as usize]);
            *received = received.max(early);
            *sent = sent.max(early);
        }
        shifts
    }

    /// Messages into the sender, or out of the receiver, come too early by as much as these come too late.
    fn explain(&self, score: &Score) -> bool {
        let late = score.found - score.usual;
        self.received[score.from as usize].max(self.sent[score.to as usize]) >= late / 2.0
    }
}

fn nodes(ground: &Ground) -> Vec<(u32, Vec<u32>)> {
    let mut of: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (row, node) in ground.node.iter().enumerate() {
        of.entry(*node).or_default().push(row as u32);
    }
    let mut nodes: Vec<(u32, Vec<u32>)> = of.into_iter().collect();
    nodes.sort_by_key(|(node, _)| *node);
    let is_part = nodes.len() > 1;
    nodes.retain(|(_, members)| is_part && members.len() > 1);
    nodes
}

/// Whether nearly all partners of a card are slow: in both directions together, or in one of them.
fn is_slow(directions: [Tally; 2], least: u32) -> bool {
    let mut both = directions[0];
    both.add(directions[1]);
    let mostly = |tally: Tally, least: u32| {
        tally.slow >= least && f64::from(tally.slow) >= MOST_PARTNERS * f64::from(tally.known)
    };
    mostly(both, least) || directions.iter().any(|direction| mostly(*direction, least.max(3)))
}

fn is_slow_card(partners: &super::pairs::Partners) -> bool {
    partners.several && (is_slow(partners.all, 2) || is_slow(partners.far, 2))
}

/// All cards of a node are slow; and not only those of few ranks that talk to other nodes.
fn is_slow_node(pairs: &Pairs, members: &[u32]) -> bool {
    let mut far = [Tally::default(); 2];
    let mut ranks = 0;
    for row in members {
        let partners = &pairs.partners[*row as usize];
        far[0].add(partners.far[0]);
        far[1].add(partners.far[1]);
        ranks += u32::from(partners.far.iter().any(|tally| tally.slow > 0));
    }
    ranks >= 2 && is_slow(far, 4)
}

/// Pairs that belong together: both directions, and those between the same two nodes.
fn slow_links(ground: &Ground, flags: &Flags, slow: Vec<Score>) -> Vec<Slow> {
    let mut groups: FxHashMap<((u32, u32), (u32, u32)), Vec<Score>> = FxHashMap::default();
    let unordered = |a: u32, b: u32| (a.min(b), a.max(b));
    for score in slow {
        let (from, to) = (ground.node[score.from as usize], ground.node[score.to as usize]);
        let ends = if from == to { unordered(score.from, score.to) } else { (u32::MAX, u32::MAX) };
        groups.entry((unordered(from, to), ends)).or_default().push(score);
    }
    let mut links: Vec<Slow> = groups
        .into_values()
        .map(|scores| {
            let z = scores.iter().map(|score| flags.z(score)).fold(0.0, f64::max);
            Slow { kind: FindingKind::SlowLink, ranks: Vec::new(), node: None, scores, z }
        })
        .collect();
    links.sort_by_key(|slow| slow.scores.first().map(|score| (score.from, score.to)));
    links
}

impl Slow {
    /// Who it is and since when, without what to take away.
    pub(super) fn suspect(&self, rows: &Rows<'_>) -> Suspect {
        let location = |row: u32| rows.locations[row as usize];
        let mut pairs: Vec<(LocationId, LocationId)> =
            self.scores.iter().map(|score| (location(score.from), location(score.to))).collect();
        pairs.sort_unstable();
        let mut locations: Vec<LocationId> = if self.ranks.is_empty() {
            pairs.iter().flat_map(|(from, to)| [*from, *to]).collect()
        } else {
            self.ranks.iter().map(|row| location(*row)).collect()
        };
        locations.sort_unstable();
        locations.dedup();
        let middle =
            |value: fn(&Score) -> f64| median(&mut self.scores.iter().map(value).collect::<Vec<_>>()).unwrap_or(0.0);
        // Those of a typical pair, so that what is said of one message holds together.
        let ratio = middle(|score| score.ratio);
        let typical = self.scores.iter().min_by(|a, b| (a.ratio - ratio).abs().total_cmp(&(b.ratio - ratio).abs()));
        let (since, until, is_throughout) = self.stretch(rows);
        Suspect {
            kind: self.kind,
            locations,
            group: self.node.map(|node| Group::Node(SystemNodeId(node))),
            pairs,
            place: Place { region: typical.map_or(heddle_model::RegionId::NONE, |score| score.region), before: None },
            since,
            until,
            is_throughout,
            usual: typical.map_or(0.0, |score| score.usual),
            found: typical.map_or(0.0, |score| score.found),
            visits: self.scores.iter().map(|score| u64::from(score.messages)).sum(),
            slow_visits: self.scores.iter().map(|score| u64::from(score.slow)).sum(),
            z: self.z,
            period: None,
            cuts: Vec::new(),
        }
    }

    /// From when until when: the middle of what the pairs say, if most of them say that it is not the whole run.
    fn stretch(&self, rows: &Rows<'_>) -> (Ns, Ns, bool) {
        let stretches: Vec<(i64, i64)> = self.scores.iter().filter_map(|score| score.stretch).collect();
        if stretches.len() * 2 <= self.scores.len() {
            return (rows.run.0, rows.run.1, true);
        }
        let middle = |value: fn(&(i64, i64)) -> i64| {
            let mut values: Vec<i64> = stretches.iter().map(value).collect();
            values.sort_unstable();
            values[values.len() / 2]
        };
        (Ns(middle(|stretch| stretch.0)), Ns(middle(|stretch| stretch.1)), false)
    }
}
