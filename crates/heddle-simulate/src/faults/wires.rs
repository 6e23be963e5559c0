//! What messages cost where some are slow.

use std::sync::atomic::{AtomicU64, Ordering};

use super::planted::{check_node, check_rank, check_slow, check_when, marked};
use super::{Between, Fault, When, Who};
use crate::SimulateError;
use crate::interconnect::Nodes;
use crate::machine::{LogGp, Machine};
use crate::members::Members;

/// What messages cost: what the machine says, times the factors of faults.
#[derive(Debug)]
pub(crate) struct Wires {
    network: LogGp,
    networks: Vec<Network>,
    cards: Vec<Card>,
    links: Vec<Link>,
    /// No message is slower by more.
    worst: f64,
    /// By rank; empty if nobody asks.
    nodes: Vec<u32>,
    /// The faults that have changed something, a bit for each.
    felt: AtomicU64,
}

/// A slow network.
#[derive(Debug)]
struct Network {
    factor: f64,
    when: When,
    fault: usize,
}

/// Slow cards.
#[derive(Debug)]
struct Card {
    who: Cards,
    factor: f64,
    fault: usize,
}

/// Whose cards.
#[derive(Debug)]
enum Cards {
    /// By rank.
    Ranks(Vec<bool>),
    /// By node.
    Nodes(Vec<bool>),
}

/// A slow link.
#[derive(Debug)]
struct Link {
    between: Between,
    factor: f64,
    fault: usize,
}

impl Wires {
    pub(super) fn new(machine: &Machine, nodes: &Nodes<'_>, ranks: u32) -> Result<Wires, SimulateError> {
        let mut wires = Wires {
            network: machine.network,
            networks: Vec::new(),
            cards: Vec::new(),
            links: Vec::new(),
            worst: 1.0,
            nodes: Vec::new(),
            felt: AtomicU64::new(0),
        };
        for (fault, planted) in machine.faults.iter().enumerate() {
            let kind = planted.kind();
            let factor = match planted {
                Fault::Network { factor, when } => {
                    check_when(kind, *when)?;
                    wires.networks.push(Network { factor: *factor, when: *when, fault });
                    *factor
                }
                Fault::Card { who, factor } => {
                    wires.cards.push(Card { who: cards(who, nodes, ranks)?, factor: *factor, fault });
                    *factor
                }
                Fault::Link { between, factor } => {
                    check_ends(*between, nodes.count(), ranks)?;
                    wires.links.push(Link { between: *between, factor: *factor, fault });
                    *factor
                }
                _ => continue,
            };
            check_slow(kind, factor)?;
            wires.worst *= factor.max(1.0);
        }
        if !(wires.cards.is_empty() && wires.links.is_empty()) {
            wires.nodes = (0..ranks).map(|rank| nodes.of(rank)).collect();
        }
        // The slowest message must be one that a machine without faults could have.
        Machine { network: wires.slowest(), faults: Vec::new(), ..machine.clone() }.check(ranks)?;
        Ok(wires)
    }

    fn is_plain(&self) -> bool {
        self.networks.is_empty() && self.cards.is_empty() && self.links.is_empty()
    }

    /// What a processor is busy for with each message.
    pub(crate) fn overhead(&self) -> i64 {
        self.network.overhead()
    }

    /// From the last byte that has left to its arrival.
    pub(crate) fn latency(&self, from: u32, to: u32, at: i64) -> i64 {
        self.between(from, to, at).latency()
    }

    /// What the bytes of a message take.
    pub(crate) fn transfer(&self, (from, to): (u32, u32), bytes: u64, at: i64) -> i64 {
        self.between(from, to, at).transfer(bytes)
    }

    /// How long a message keeps its sender's card.
    pub(crate) fn injection(&self, (from, to): (u32, u32), bytes: u64, at: i64) -> i64 {
        if self.is_plain() {
            return self.network.injection(bytes);
        }
        let of_sender = |card: &&Card| self.passes(card, from, to) && self.is_of(card, from);
        let slowest = self.cards.iter().filter(of_sender).map(|card| card.factor).fold(1.0, slower);
        self.network.slowed(self.everywhere(at) * slowest).injection(bytes)
    }

    /// What a message between two ranks costs that is sent at a time.
    pub(crate) fn between(&self, from: u32, to: u32, at: i64) -> LogGp {
        if self.is_plain() {
            return self.network;
        }
        self.network.slowed(self.everywhere(at) * self.on_the_way(from, to))
    }

    /// By how much all messages are slowed.
    pub(crate) fn everywhere(&self, at: i64) -> f64 {
        let mut product = 1.0;
        for network in self.networks.iter().filter(|network| network.when.contains(at)) {
            product *= network.factor;
            self.feel(network.fault);
        }
        product
    }

    /// By how much the slowest of a link and the cards at both ends slows a message.
    fn on_the_way(&self, from: u32, to: u32) -> f64 {
        let mut slowest = 1.0;
        for card in self.cards.iter().filter(|card| self.passes(card, from, to)) {
            slowest = slower(slowest, card.factor);
            self.feel(card.fault);
        }
        for link in self.links.iter().filter(|link| self.is_over(link, from, to)) {
            slowest = slower(slowest, link.factor);
            self.feel(link.fault);
        }
        slowest
    }

    /// Whether a message goes over one of these cards. What stays on a node does not go over the node's.
    fn passes(&self, card: &Card, from: u32, to: u32) -> bool {
        let is_away = matches!(card.who, Cards::Ranks(_)) || self.nodes[from as usize] != self.nodes[to as usize];
        is_away && (self.is_of(card, from) || self.is_of(card, to))
    }

    fn is_of(&self, card: &Card, rank: u32) -> bool {
        match &card.who {
            Cards::Ranks(ranks) => ranks[rank as usize],
            Cards::Nodes(nodes) => nodes[self.nodes[rank as usize] as usize],
        }
    }

    fn is_over(&self, link: &Link, from: u32, to: u32) -> bool {
        let (one, other, ends) = match link.between {
            Between::Ranks(one, other) => (one, other, (from, to)),
            Between::Nodes(one, other) => (one, other, (self.nodes[from as usize], self.nodes[to as usize])),
        };
        ends == (one, other) || ends == (other, one)
    }

    /// What messages cost where nothing but the network as a whole is slow.
    pub(crate) fn usual(&self, at: i64) -> LogGp {
        if self.is_plain() { self.network } else { self.network.slowed(self.everywhere(at)) }
    }

    /// How much longer something takes that members do together and that counts as one event, because of slow cards: a member
    /// sends in one step of the tree. Slow links are not felt, since nobody knows who sends to whom.
    pub(crate) fn held_up(&self, members: &Members, bytes: u64, at: i64) -> i64 {
        let mut slowest = 1.0;
        for card in self.cards.iter().filter(|card| members.ranks().any(|rank| self.is_of(card, rank))) {
            slowest = slower(slowest, card.factor);
            self.feel(card.fault);
        }
        let (usual, slow) = (self.usual(at), self.network.slowed(self.everywhere(at) * slowest));
        slow.transfer(bytes) + slow.latency() - usual.transfer(bytes) - usual.latency()
    }

    /// No message costs more.
    pub(crate) fn slowest(&self) -> LogGp {
        self.network.slowed(self.worst)
    }

    /// Whether messages between some members may cost more than between others.
    pub(crate) fn tells_apart(&self, members: &Members) -> bool {
        let is_end = |link: &Link, rank: u32| match link.between {
            Between::Ranks(one, other) => rank == one || rank == other,
            Between::Nodes(one, other) => [one, other].contains(&self.nodes[rank as usize]),
        };
        self.cards.iter().any(|card| members.ranks().any(|rank| self.is_of(card, rank)))
            || self.links.iter().any(|link| members.ranks().filter(|rank| is_end(link, *rank)).nth(1).is_some())
    }

    fn feel(&self, fault: usize) {
        let bit = 1 << fault;
        if self.felt.load(Ordering::Relaxed) & bit == 0 {
            self.felt.fetch_or(bit, Ordering::Relaxed);
        }
    }

    pub(super) fn felt(&self) -> u64 {
        self.felt.load(Ordering::Relaxed)
    }
}

fn slower(one: f64, other: f64) -> f64 {
    one.max(other)
}

fn cards(who: &Who, nodes: &Nodes<'_>, ranks: u32) -> Result<Cards, SimulateError> {
    Ok(match who {
        Who::All => Cards::Ranks(vec![true; ranks as usize]),
        Who::Ranks(list) => {
            list.iter().try_for_each(|rank| check_rank("card", *rank, ranks))?;
            Cards::Ranks(marked(list, ranks))
        }
        Who::Nodes(list) => {
            list.iter().try_for_each(|node| check_node("card", *node, nodes.count()))?;
            Cards::Nodes(marked(list, nodes.count()))
        }
    })
}

fn check_ends(between: Between, nodes: u32, ranks: u32) -> Result<(), SimulateError> {
    match between {
        Between::Ranks(one, other) => [one, other].iter().try_for_each(|rank| check_rank("link", *rank, ranks)),
        Between::Nodes(one, other) => [one, other].iter().try_for_each(|node| check_node("link", *node, nodes)),
    }
}
