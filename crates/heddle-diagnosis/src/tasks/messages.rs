//! Messages between nodes: which pairs, or whose card, carry them more slowly than others of their length.
//!
//! Messages queue, so their durations vary by factors even on a network that is in order. What is slow is slow for those that
//! need not queue as well: so the quickest of each pair are compared, among messages of about the same length. What is named
//! must be slow for most messages too, and cost the run something.

use heddle_model::Ns;
use heddle_store::{Progress, StoreError};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::robust::{quantile, spread};
use super::scene::Scene;

/// How many times as long as elsewhere the messages of a card must take.
const LEAST_CARD: f64 = 1.5;
/// And those of a pair, of which there are many more to choose from.
const LEAST_LINK: f64 = 2.0;
/// How far from its peers, in robust standard deviations.
const LEAST_Z: f64 = 3.5;
/// Pairs with fewer messages are left out.
const LEAST_OF_PAIR: usize = 3;
/// Cards and links with fewer messages are not named.
const LEAST_MESSAGES: u64 = 10;
/// So many nodes there must be to know what is usual.
const LEAST_NODES: usize = 3;
/// More cards, and more pairs, are not looked at: each takes a replay.
const MOST_CARDS: usize = 4;
const MOST_LINKS: usize = 2;
/// Steps of a doubling in which durations are counted.
const STEPS: i32 = 32;
/// Doublings of lengths and durations that are told apart.
const DOUBLINGS: usize = 64;

/// How messages between two nodes compare with others of their length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// Positions of the nodes, the smaller first.
    pub(crate) nodes: (u32, u32),
    /// The quickest, by what is usual; the mean of both directions, so that clocks that disagree do not matter.
    pub(crate) ratio: f64,
    pub(crate) messages: u64,
}

impl Pair {
    /// Whether one of some nodes is at an end of it.
    fn touches(&self, nodes: &[u32]) -> bool {
        [self.nodes.0, self.nodes.1].iter().any(|node| nodes.contains(node))
    }
}

/// How the messages of a node compare.
#[derive(Clone, Copy, Debug)]
struct Card {
    node: u32,
    /// Of its quicker pairs.
    ratio: f64,
    messages: u64,
    /// Of all its pairs together.
    explains: f64,
}

/// All messages between nodes.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    pub(crate) pairs: Vec<Pair>,
    /// How many, and how long together.
    pub(crate) count: u64,
    pub(crate) bytes: u64,
    /// What most of them take, in nanoseconds.
    pub(crate) usual: f64,
    /// The longest.
    pub(crate) longest: Option<(Ns, Ns)>,
}

/// A card or pair that carries messages slowly.
#[derive(Clone, Debug)]
pub(crate) struct Slow {
    /// The node; both of a pair.
    pub(crate) nodes: Vec<u32>,
    /// How many times as long as elsewhere.
    pub(crate) ratio: f64,
    pub(crate) messages: u64,
    pub(crate) z: f64,
}

/// Durations by length: counts in logarithmic steps.
struct Counts(Vec<u64>);

impl Counts {
    fn new() -> Counts {
        Counts(vec![0; DOUBLINGS * DOUBLINGS * STEPS as usize])
    }

    fn class(bytes: u64) -> usize {
        (u64::BITS - bytes.leading_zeros()).min(DOUBLINGS as u32 - 1) as usize
    }

    fn add(&mut self, bytes: u64, duration: f64) {
        let step = (duration.max(1.0).log2() * f64::from(STEPS)) as usize;
        let most = DOUBLINGS * STEPS as usize;
        self.0[Counts::class(bytes) * most + step.min(most - 1)] += 1;
    }

    /// By class of lengths: the median duration.
    fn medians(&self) -> Vec<f64> {
        let by_class = self.0.chunks(DOUBLINGS * STEPS as usize);
        let middle = |counts: &[u64]| {
            let half = counts.iter().sum::<u64>().div_ceil(2);
            let mut before = 0;
            let step = counts.iter().position(|count| {
                before += count;
                before >= half
            });
            step.map_or(1.0, |step| ((step as f64 + 0.5) / f64::from(STEPS)).exp2())
        };
        by_class.map(middle).collect()
    }
}

/// What one node sent to each other node: how long the quickest takes, by the usual, and how many there are.
type Sent = Vec<((u32, u32), f64, u64)>;

impl Messages {
    /// Compares all messages between nodes.
    pub(crate) fn of(scene: &Scene<'_>, progress: &dyn Progress) -> Result<Messages, StoreError> {
        let (mut counts, mut all, mut found) = (Counts::new(), Counts::new(), Messages::default());
        for (from, rows) in &scene.senders {
            progress.check()?;
            each(scene, *from, rows.clone(), |_, bytes, sent, taken| {
                counts.add(bytes, taken);
                all.add(0, taken);
                found.count += 1;
                found.bytes = found.bytes.saturating_add(bytes);
                let is_longer = |(a, b): (Ns, Ns)| taken > b.since(a) as f64;
                if found.longest.is_none_or(is_longer) {
                    found.longest = Some((sent, Ns(sent.0 + taken as i64)));
                }
            });
        }
        found.usual = if found.count > 0 { all.medians()[0] } else { 0.0 };
        let usual = counts.medians();
        let sent = scene.senders.par_iter().map(|(from, rows)| {
            progress.check()?;
            let mut to: FxHashMap<u32, Vec<f64>> = FxHashMap::default();
            each(scene, *from, rows.clone(), |other, bytes, _, taken| {
                to.entry(other).or_default().push(taken / usual[Counts::class(bytes)]);
            });
            let quickest = to.into_iter().map(|(to, ratios)| {
                let quickest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
                ((*from, to), quickest, ratios.len() as u64)
            });
            Ok(quickest.collect())
        });
        let mut sent: Sent = sent.collect::<Result<Vec<Sent>, StoreError>>()?.into_iter().flatten().collect();
        sent.retain(|(_, _, messages)| *messages >= LEAST_OF_PAIR as u64);
        let unordered = |pair: (u32, u32)| (pair.0.min(pair.1), pair.0.max(pair.1));
        sent.sort_by_key(|(pair, _, _)| (unordered(*pair), *pair));
        let both = sent.chunk_by(|a, b| unordered(a.0) == unordered(b.0)).map(|ways| Pair {
            nodes: unordered(ways[0].0),
            ratio: ways.iter().map(|(_, ratio, _)| ratio).sum::<f64>() / ways.len() as f64,
            messages: ways.iter().map(|(_, _, messages)| messages).sum(),
        });
        found.pairs = both.collect();
        Ok(found)
    }

    /// Nodes all of whose messages take longer than those of others.
    ///
    /// Who receives from a slow card takes what others send later, too. So the card that explains most is named first, and
    /// takes its messages along: the others must be slow without them.
    pub(crate) fn slow_cards(&self, nodes: usize) -> Vec<Slow> {
        let cards = self.cards(nodes, &[]);
        if cards.len() < LEAST_NODES {
            return Vec::new();
        }
        let Some((middle, deviation)) = spread(&cards.iter().map(|card| card.ratio).collect::<Vec<_>>()) else {
            return Vec::new();
        };
        let z = |ratio: f64| (ratio - middle) / deviation;
        let is_slow = |card: &Card| card.ratio >= LEAST_CARD * middle && z(card.ratio) >= LEAST_Z;
        let (mut slow, mut named) = (Vec::new(), Vec::new());
        while let Some(worst) =
            self.cards(nodes, &named).into_iter().filter(is_slow).max_by(|a, b| a.explains.total_cmp(&b.explains))
        {
            named.push(worst.node);
            let Card { node, ratio, messages, .. } = worst;
            slow.push(Slow { nodes: vec![node], ratio: ratio / middle, messages, z: z(ratio) });
        }
        if 2 * slow.len() >= cards.len() { Vec::new() } else { dearest(slow, MOST_CARDS) }
    }

    /// How the messages of each node do, but for those from and to some.
    fn cards(&self, nodes: usize, but: &[u32]) -> Vec<Card> {
        let mut of_node: Vec<(Vec<f64>, u64)> = vec![(Vec::new(), 0); nodes];
        for pair in self.pairs.iter().filter(|pair| !pair.touches(but)) {
            for node in [pair.nodes.0, pair.nodes.1] {
                of_node[node as usize].0.push(pair.ratio);
                of_node[node as usize].1 += pair.messages;
            }
        }
        // All pairs of a slow card are slow, so even those that are slow the least must be.
        let card = |(node, (ratios, messages)): (u32, &mut (Vec<f64>, u64))| {
            let is_known = ratios.len() >= 2 && *messages >= LEAST_MESSAGES;
            let explains = ratios.iter().sum();
            Some(Card { node, ratio: quantile(ratios, 1, 4).filter(|_| is_known)?, messages: *messages, explains })
        };
        (0..).zip(&mut of_node).filter_map(card).collect()
    }

    /// Pairs whose messages take longer than those of others, but for those of some nodes.
    pub(crate) fn slow_links(&self, but: &[u32]) -> Vec<Slow> {
        let pairs: Vec<&Pair> = self.pairs.iter().filter(|pair| !pair.touches(but)).collect();
        let ratios: Vec<f64> = pairs.iter().map(|pair| pair.ratio).collect();
        let Some((middle, deviation)) = spread(&ratios).filter(|_| ratios.len() > LEAST_NODES) else {
            return Vec::new();
        };
        let z = |pair: &Pair| (pair.ratio - middle) / deviation;
        let is_slow =
            |pair: &&&Pair| pair.ratio >= LEAST_LINK * middle && z(pair) >= LEAST_Z && pair.messages >= LEAST_MESSAGES;
        let slow = pairs.iter().filter(is_slow).map(|pair| Slow {
            nodes: vec![pair.nodes.0, pair.nodes.1],
            ratio: pair.ratio / middle,
            messages: pair.messages,
            z: z(pair),
        });
        let slow: Vec<Slow> = slow.collect();
        if 4 * slow.len() >= pairs.len() { Vec::new() } else { dearest(slow, MOST_LINKS) }
    }
}

/// Those with most excess over all their messages.
fn dearest(mut slow: Vec<Slow>, most: usize) -> Vec<Slow> {
    let excess = |slow: &Slow| (slow.ratio - 1.0) * slow.messages as f64;
    slow.sort_by(|a, b| excess(b).total_cmp(&excess(a)));
    slow.truncate(most);
    slow
}

/// Visits the messages of a sender to other nodes: the node, the length, when it was sent and how long it took.
pub(crate) fn each(scene: &Scene<'_>, from: u32, rows: std::ops::Range<u64>, mut visit: impl FnMut(u32, u64, Ns, f64)) {
    use heddle_store::Columns as _;
    let messages = &scene.store.messages;
    let columns = (&messages.recv_location, &messages.bytes, &messages.send, &messages.recv);
    columns.for_each(rows, |(receiver, bytes, sent, received)| {
        if let Some(to) = scene.node(receiver).filter(|to| *to != from) {
            visit(to, bytes, sent, received.since(sent).max(1) as f64);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five nodes that all talk to each other, some pairs of them by a factor more slowly.
    fn messages(factor: impl Fn(u32, u32) -> f64) -> Messages {
        let pairs = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b)));
        let pairs = pairs.map(|(a, b)| Pair { nodes: (a, b), ratio: factor(a, b), messages: 20 });
        Messages { pairs: pairs.collect(), ..Messages::default() }
    }

    fn nodes(slow: &[Slow]) -> Vec<Vec<u32>> {
        slow.iter().map(|slow| slow.nodes.clone()).collect()
    }

    #[test]
    fn one_slow_pair_is_a_link_and_all_pairs_of_a_node_are_its_card() {
        let link = messages(|a, b| if (a, b) == (1, 3) { 4.0 } else { 1.0 });
        assert_eq!(nodes(&link.slow_cards(5)), Vec::<Vec<u32>>::new());
        assert_eq!(nodes(&link.slow_links(&[])), [[1, 3]]);
        let card = messages(|a, b| if a == 2 || b == 2 { 4.0 } else { 1.0 });
        let cards = card.slow_cards(5);
        assert_eq!(nodes(&cards), [[2]]);
        assert!((cards[0].ratio - 4.0).abs() < 1e-9 && cards[0].messages == 80);
        assert_eq!(nodes(&card.slow_links(&[2])), Vec::<Vec<u32>>::new());
    }

    /// Who receives from the slow card takes what a third node sends later, too.
    #[test]
    fn whoever_is_held_up_by_a_slow_card_has_none() {
        let ratios = [((0, 1), 1.0), ((0, 2), 30.0), ((1, 2), 30.0), ((1, 3), 23.0), ((2, 3), 30.0)];
        let pairs = ratios.into_iter().map(|(nodes, ratio)| Pair { nodes, ratio, messages: 66 });
        let four = Messages { pairs: pairs.collect(), ..Messages::default() };
        assert_eq!(nodes(&four.slow_cards(4)), [[2]]);
    }

    #[test]
    fn what_most_are_is_not_slow() {
        let most = messages(|a, b| if a == 0 && b == 1 { 1.0 } else { 4.0 });
        assert!(most.slow_cards(5).is_empty() && most.slow_links(&[]).is_empty());
    }
}
