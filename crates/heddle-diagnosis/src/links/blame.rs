//! Whose fault slow messages are: a link's, a network card's, or nobody's.
//!
//! All partners of a rank slow: its card. All partners of a node slow: the node's card. Else the pairs themselves, unless there
//! are so many that they get into each other's way, or a clock is wrong: that makes one direction longer by what it makes
//! the other shorter. The rank or node that explains most slow pairs comes first, and takes them along.

use rustc_hash::{FxHashMap, FxHashSet};

use super::chance::Chance;
use super::pairs::{LEAST_RATIO, Pairs, SLOW, Score};
use super::usual::{median, quantile};
use super::way::Ground;
use crate::finding::FindingKind;

/// How far a pair must be from the others, in robust standard deviations.
const FAR_OFF: f64 = 3.5;
/// The least deviation of pairs that is believed, with many pairs and with few.
const LEAST_DEVIATION: f64 = 0.05;
const LEAST_DEVIATION_OF_FEW: f64 = 0.1;
const FEW_PAIRS: usize = 16;
/// So many of the pairs of a slow card are slow.
const MOST_PARTNERS: f64 = 0.8;
/// With more slow links than one, or than this part of them, it is not the links: messages get into each other's way.
const MOST_SLOW_LINKS: f64 = 0.01;
const FEW_SLOW_LINKS: usize = 1;

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
pub(super) fn blame(ground: &Ground, pairs: &Pairs) -> Vec<Slow> {
    let normal = Normal::new(ground, pairs);
    let mut left: Vec<Score> = pairs.scores.iter().filter(|score| normal.lacks(pairs, score)).copied().collect();
    let mut blamed = cards(ground, pairs, &mut left, &normal, true);
    blamed.extend(cards(ground, pairs, &mut left, &normal, false));
    // What has to wait for a slow card is slow too.
    let slow_cards: FxHashSet<u32> = blamed.iter().flat_map(|slow| slow.ranks.iter().copied()).collect();
    let is_apart = |score: &Score| !slow_cards.contains(&score.from) && !slow_cards.contains(&score.to);
    left.retain(|score| is_apart(score) && !normal.is_chance(pairs, score));
    let others = pairs.scores.iter().filter(|score| is_apart(score)).map(|score| between(ground, score));
    let others = others.collect::<FxHashSet<_>>().len();
    let mut links = slow_links(ground, &normal, left);
    // Several that become slow have something else in common.
    if links.iter().filter(|link| !link.is_throughout()).count() > FEW_SLOW_LINKS {
        links.retain(Slow::is_throughout);
    }
    if links.len() <= FEW_SLOW_LINKS || links.len() as f64 <= MOST_SLOW_LINKS * others as f64 {
        blamed.extend(links);
    }
    blamed
}

/// What pairs are like that nothing is wrong with.
struct Normal {
    /// By distance: the ratio of a pair, as a logarithm, and its deviation.
    centre: [(f64, f64); 2],
    chance: Chance,
    shifts: Shifts,
}

impl Normal {
    fn new(ground: &Ground, pairs: &Pairs) -> Normal {
        let spread = pairs.spread(ground);
        let of = |is_far: bool| {
            let middle = |values: &mut [f64]| quantile(values, ground.middle(is_far)).unwrap_or(0.0);
            let alike = pairs.scores.iter().filter(|score| score.is_far == is_far);
            let mut logs: Vec<f64> = alike.map(|score| score.ratio.max(LEAST_RATIO).ln()).collect();
            let centre = middle(&mut logs);
            let least = if logs.len() < FEW_PAIRS { LEAST_DEVIATION_OF_FEW } else { LEAST_DEVIATION };
            let mut off: Vec<f64> = logs.iter().map(|log| (log - centre).abs()).collect();
            (centre, (middle(&mut off) / 0.6745).max(least).max(spread))
        };
        let (chance, shifts) = (Chance::new(ground, pairs), Shifts::new(pairs));
        Normal { centre: [of(false), of(true)], chance, shifts }
    }

    fn z(&self, score: &Score) -> f64 {
        let (centre, deviation) = self.centre[usize::from(score.is_far)];
        (score.ratio.max(LEAST_RATIO).ln() - centre) / deviation
    }

    /// Whether a pair is slower than the others, and neither clocks nor another pair are to blame. With few messages that may
    /// still be chance.
    fn lacks(&self, pairs: &Pairs, score: &Score) -> bool {
        score.is_slow
            && score.ratio >= SLOW
            && self.z(score) >= FAR_OFF
            && !self.shifts.explain(score)
            && !is_hidden(pairs, score)
    }

    /// Whether so many slow messages, in both directions, may be chance.
    fn is_chance(&self, pairs: &Pairs, score: &Score) -> bool {
        let way_back = find(pairs, score.to, score.from).filter(|back| back.is_slow);
        let (inside, slow) = way_back.map_or((0, 0), |back| (back.inside, back.slow));
        self.chance.explains(score.inside + inside, score.slow + slow)
    }
}

fn find(pairs: &Pairs, from: u32, to: u32) -> Option<&Score> {
    let at = pairs.scores.binary_search_by_key(&(to, from), |score| (score.to, score.from)).ok()?;
    pairs.scores.get(at)
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

/// How much earlier than usual the messages of most pairs of a row come, by direction and distance: a wrong clock shows there.
struct Shifts {
    received: FxHashMap<(u32, bool), f64>,
    sent: FxHashMap<(u32, bool), f64>,
}

impl Shifts {
    fn new(pairs: &Pairs) -> Shifts {
        let of = |end: fn(&Score) -> u32| {
            let mut early: FxHashMap<(u32, bool), Vec<f64>> = FxHashMap::default();
            for score in &pairs.scores {
                early.entry((end(score), score.is_far)).or_default().push(-score.off);
            }
            early.into_iter().map(|(end, mut early)| (end, median(&mut early).unwrap_or(0.0))).collect()
        };
        Shifts { received: of(|score| score.to), sent: of(|score| score.from) }
    }

    /// Messages into the sender, or out of the receiver, come too early by as much as these come too late.
    fn explain(&self, score: &Score) -> bool {
        let early = |of: &FxHashMap<(u32, bool), f64>, end: u32| of.get(&(end, score.is_far)).copied().unwrap_or(0.0);
        early(&self.received, score.from).max(early(&self.sent, score.to)) >= score.off / 2.0
    }
}

/// Cards, of nodes or of ranks, that explain slow pairs: those that explain most first. What they explain is taken away.
fn cards(ground: &Ground, pairs: &Pairs, left: &mut Vec<Score>, normal: &Normal, is_node: bool) -> Vec<Slow> {
    // The ends of a pair: nodes, or ranks.
    let ends = |score: &Score| {
        let of = |row: u32| if is_node { ground.node[row as usize] } else { row };
        let (from, to) = (of(score.from), of(score.to));
        (from != to).then_some((from, to))
    };
    let mut known: FxHashMap<(u32, bool), u32> = FxHashMap::default();
    for score in &pairs.scores {
        let Some((from, to)) = ends(score) else { continue };
        for end in [from, to] {
            *known.entry((end, false)).or_default() += 1;
            *known.entry((end, true)).or_default() += u32::from(score.is_far);
        }
    }
    let mut found = Vec::new();
    while let Some(end) = worst(ground, &known, left, normal, ends) {
        let is_of = |score: &Score| ends(score).is_some_and(|(from, to)| from == end || to == end);
        let scores: Vec<Score> = left.iter().filter(|score| is_of(score)).copied().collect();
        left.retain(|score| !is_of(score));
        let z = scores.iter().map(|score| normal.z(score)).fold(0.0, f64::max);
        let members = (0..ground.node.len() as u32).filter(|row| ground.node[*row as usize] == end);
        let ranks = if is_node { members.collect() } else { vec![end] };
        found.push(Slow { kind: FindingKind::SlowCard, ranks, node: is_node.then_some(end), scores, z });
    }
    found
}

/// Slow pairs of a rank or node.
#[derive(Clone, Copy, Default)]
struct End {
    pairs: u32,
    far: u32,
    /// Messages, and slow ones.
    messages: u32,
    slow: u32,
    partner: Option<(bool, u32)>,
    has_several: bool,
}

impl End {
    fn add(&mut self, score: &Score, partner: (bool, u32)) {
        self.pairs += 1;
        self.far += u32::from(score.is_far);
        self.messages += score.inside;
        self.slow += score.slow;
        self.has_several |= self.partner.is_some_and(|known| known != partner);
        self.partner = Some(partner);
    }
}

/// The end of most slow pairs, if nearly all its pairs are slow, or all that lead to other nodes, with several partners.
fn worst(
    ground: &Ground,
    known: &FxHashMap<(u32, bool), u32>,
    left: &[Score],
    normal: &Normal,
    ends: impl Fn(&Score) -> Option<(u32, u32)>,
) -> Option<u32> {
    let mut slow: FxHashMap<u32, End> = FxHashMap::default();
    for score in left {
        let Some((from, to)) = ends(score) else { continue };
        // Partners at one other node are one: it may as well be the way there.
        let place = |row: u32| if score.is_far { (true, ground.node[row as usize]) } else { (false, row) };
        slow.entry(from).or_default().add(score, place(score.to));
        slow.entry(to).or_default().add(score, place(score.from));
    }
    let is_most = |slow: u32, end: u32, is_far: bool| {
        let known = known.get(&(end, is_far)).copied().unwrap_or(0);
        slow >= 2 && f64::from(slow) >= MOST_PARTNERS * f64::from(known)
    };
    slow.into_iter()
        .filter(|(end, of)| of.has_several && (is_most(of.pairs, *end, false) || is_most(of.far, *end, true)))
        .filter(|(_, of)| !normal.chance.explains(of.messages, of.slow))
        .max_by_key(|(end, of)| (of.pairs, std::cmp::Reverse(*end)))
        .map(|(end, _)| end)
}

/// The link of a pair: two nodes, or two ranks of one node.
fn between(ground: &Ground, score: &Score) -> (bool, u32, u32) {
    let (from, to) = (ground.node[score.from as usize], ground.node[score.to as usize]);
    let (from, to) = if score.is_far { (from, to) } else { (score.from, score.to) };
    (score.is_far, from.min(to), from.max(to))
}

/// Links, with the pairs that show them: both directions, and those between the same two nodes.
fn slow_links(ground: &Ground, normal: &Normal, mut slow: Vec<Score>) -> Vec<Slow> {
    slow.sort_by_key(|score| (between(ground, score), score.from, score.to));
    let link = |scores: &[Score]| {
        let z = scores.iter().map(|score| normal.z(score)).fold(0.0, f64::max);
        Slow { kind: FindingKind::SlowLink, ranks: Vec::new(), node: None, scores: scores.to_vec(), z }
    };
    slow.chunk_by(|a, b| between(ground, a) == between(ground, b)).map(link).collect()
}
