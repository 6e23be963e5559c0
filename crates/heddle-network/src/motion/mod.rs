//! Messages on their way through a machine: when each of them is where, and what links do meanwhile.
//!
//! A trace knows when a message was sent and when it had arrived. In between it is taken to spend equal time on each link of its
//! path, and its bytes to pass a link evenly during that time. Where a routing has several paths, a message takes one of them, the
//! same one whenever it is asked for.

mod activity;
mod fastest;

use heddle_model::Ns;
use heddle_store::{Columns, Store};
use heddle_topology::{Element, Link, Topology};
use rayon::prelude::*;

use crate::makers::Ways;
use crate::predict::{Filter, MessageSent};

pub use activity::Activity;
use activity::Counting;
use fastest::Fastest;

/// Messages in flight at one time that can be told apart; beyond that, only what links do is worth showing.
pub const MOST_IN_FLIGHT: usize = 4_000;
/// Messages that are listed at once.
pub const MOST_LISTED: usize = 16_000;
/// Rows of a table that are looked at together.
const AT_ONCE: u64 = 1 << 16;

/// A message on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    /// Its row in the messages table.
    pub row: u64,
    /// Who sends.
    pub from: u32,
    /// Who receives.
    pub to: u32,
    /// When it was sent.
    pub start: Ns,
    /// When it had arrived; never before it was sent.
    pub end: Ns,
    /// How long it is.
    pub bytes: u64,
    /// How much longer it took than it had to, in nanoseconds, as [`WaitRule`] has it.
    pub wait: i64,
    /// Where its links are in [`Listed::links`].
    path: (usize, usize),
}

/// What the wait of a message is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitRule {
    /// What its bytes take over the slowest link of its path.
    Capacity,
    /// What the fastest message of the window takes that passes as many links and is about as long.
    Fastest,
}

impl WaitRule {
    /// In words, after "wait": `beyond what its bytes take …`.
    pub fn words(self) -> &'static str {
        match self {
            WaitRule::Capacity => "beyond what its bytes take over the slowest link",
            WaitRule::Fastest => "beyond the fastest message of as many hops and about its size",
        }
    }
}

/// Messages in flight in a stretch of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The messages that leave their node, by their start.
    pub messages: Vec<Moving>,
    /// All that are in flight from the first moment on and before this one are listed.
    pub until: Ns,
    /// How many are in flight at the first moment, listed or not.
    pub in_flight: u64,
    links: Vec<Link>,
}

impl Listed {
    /// The links that a message passes, in this order.
    pub fn path(&self, message: &Moving) -> &[Link] {
        self.links.get(message.path.0..message.path.1).unwrap_or_default()
    }
}

/// What goes on in a window: kept, so that moments of it are found quickly.
#[derive(Clone, Debug)]
pub struct Motion {
    /// What links and elements do, bin by bin.
    pub activity: Activity,
    /// Messages that are on links in the window.
    pub messages: u64,
    /// Messages that do not leave their node, and those that cannot get there.
    pub unseen: u64,
    /// How many are in flight at the beginning of each bin.
    pub in_flight: Vec<u64>,
    /// What waits are counted from.
    pub wait_rule: WaitRule,
    /// The longest wait of a message, in nanoseconds.
    pub longest_wait: i64,
    /// The shortest and the longest message, in bytes.
    pub sizes: (u64, u64),
    fastest: Fastest,
    /// Bytes per second of each class of links, where all are known.
    capacities: Option<Vec<f64>>,
    /// How many begin in each bin.
    begin: Vec<u64>,
}

impl Motion {
    /// What goes on in a window of time among the messages that a filter has, whatever the filter says of times.
    pub(crate) fn of(
        store: &Store,
        topology: &dyn Topology,
        ways: Ways<'_>,
        filter: &Filter<'_>,
        window: (Ns, Ns),
        bandwidth: Option<f64>,
    ) -> Motion {
        let classes = topology.classes().iter();
        let capacities: Option<Vec<f64>> =
            classes.map(|class| bandwidth.or(class.capacity).filter(|capacity| *capacity > 0.0)).collect();
        let counting = Counting::new(window, topology.links());
        let bins = counting.bins();
        let pieces: Vec<u64> = (0..store.messages.len()).step_by(AT_ONCE as usize).collect();
        let of_piece = |first: u64| {
            let mut tally = Tally::new(bins);
            for row in overlapping(store, first, window) {
                let Some(message) = sent(store, filter, row) else { continue };
                let path = way(ways, &message);
                if path.is_empty() {
                    tally.unseen += 1;
                    continue;
                }
                tally.messages += 1;
                tally.sizes = (tally.sizes.0.min(message.bytes), tally.sizes.1.max(message.bytes));
                if let Some(capacities) = &capacities {
                    let wait = took(&message) - least(topology, capacities, message.bytes, &path);
                    tally.longest_wait = tally.longest_wait.max(wait);
                }
                counting.add(&path, (message.start, message.end), message.bytes);
                tally.fastest.add(path.len(), message.bytes, took(&message));
                if let Some(bin) = counting.bin(message.start) {
                    tally.begin[bin] += 1;
                }
                let (from, to) = counting.beginnings(message.start, message.end);
                tally.change[from] += 1;
                tally.change[to] -= 1;
            }
            tally
        };
        let tallies: Vec<Tally> = pieces.into_par_iter().map(of_piece).collect();
        let mut sum = Tally::new(bins);
        for tally in tallies {
            sum.messages += tally.messages;
            sum.unseen += tally.unseen;
            sum.sizes = (sum.sizes.0.min(tally.sizes.0), sum.sizes.1.max(tally.sizes.1));
            sum.longest_wait = sum.longest_wait.max(tally.longest_wait);
            sum.begin.iter_mut().zip(tally.begin).for_each(|(sum, more)| *sum += more);
            sum.change.iter_mut().zip(tally.change).for_each(|(sum, more)| *sum += more);
            sum.fastest.merge(tally.fastest);
        }
        let mut now = 0;
        let in_flight = sum.change[..bins].iter().map(|change| {
            now += change;
            now.max(0) as u64
        });
        let in_flight = in_flight.collect();
        Motion {
            activity: counting.done(topology, capacities.as_deref()),
            messages: sum.messages,
            unseen: sum.unseen,
            in_flight,
            wait_rule: if capacities.is_some() { WaitRule::Capacity } else { WaitRule::Fastest },
            longest_wait: if capacities.is_some() { sum.longest_wait } else { sum.fastest.longest_wait() },
            sizes: if sum.messages == 0 { (0, 0) } else { sum.sizes },
            fastest: sum.fastest,
            capacities,
            begin: sum.begin,
        }
    }

    /// The messages in flight from a moment on, as far as a list of them is bounded.
    pub(crate) fn listed(
        &self,
        store: &Store,
        topology: &dyn Topology,
        ways: Ways<'_>,
        filter: &Filter<'_>,
        (from, to): (Ns, Ns),
        most: usize,
    ) -> Listed {
        let stretch = (from, self.reach(from, to, most));
        let pieces: Vec<u64> = (0..store.messages.len()).step_by(AT_ONCE as usize).collect();
        let of_piece = |first: u64| {
            let read = |row| sent(store, filter, row).filter(|message| node_of(ways, message).is_some());
            overlapping(store, first, stretch).into_iter().filter_map(read).collect()
        };
        let found: Vec<Vec<Moving>> = pieces.into_par_iter().map(of_piece).collect();
        let mut found = found.concat();
        found.sort_by_key(|message| (message.start, message.row));
        let in_flight = found.iter().filter(|message| message.start <= from).count() as u64;
        let mut until = stretch.1;
        // Sorted by their start: those in flight at the first moment come first, and are all listed.
        if let Some(beyond) = found.get(most.max(in_flight as usize)) {
            // Those that start together are listed together, or not at all.
            until = beyond.start;
            found.truncate(found.partition_point(|message| message.start < until));
        }
        let mut links = Vec::new();
        for message in &mut found {
            let path = way(ways, message);
            message.wait = self.wait(topology, message, &path);
            message.path = (links.len(), links.len() + path.len());
            links.extend(path);
        }
        found.retain(|message| message.path.0 < message.path.1);
        Listed { messages: found, until, in_flight, links }
    }

    /// To which moment a list from another moment on is likely to reach.
    fn reach(&self, from: Ns, to: Ns, most: usize) -> Ns {
        let Some(first) = self.activity.bin(from) else { return to };
        let mut sum = self.in_flight[first];
        for bin in first..self.activity.bins() {
            sum += self.begin[bin];
            // A bin more than there is room for: what is too much is cut off when it is known.
            if sum > most as u64 {
                return self.activity.bin_start(bin + 1).clamp(Ns(from.0 + 1), to);
            }
        }
        to
    }

    fn wait(&self, topology: &dyn Topology, message: &Moving, path: &[Link]) -> i64 {
        let took = took(message);
        let least = match &self.capacities {
            Some(capacities) => least(topology, capacities, message.bytes, path),
            None => self.fastest.of(path.len(), message.bytes).unwrap_or(took),
        };
        (took - least).max(0)
    }
}

/// What a piece of the messages adds.
struct Tally {
    messages: u64,
    unseen: u64,
    sizes: (u64, u64),
    longest_wait: i64,
    begin: Vec<u64>,
    change: Vec<i64>,
    fastest: Fastest,
}

impl Tally {
    fn new(bins: usize) -> Tally {
        Tally {
            messages: 0,
            unseen: 0,
            sizes: (u64::MAX, 0),
            longest_wait: 0,
            begin: vec![0; bins],
            change: vec![0; bins + 1],
            fastest: Fastest::default(),
        }
    }
}

fn took(message: &Moving) -> i64 {
    message.end.since(message.start)
}

/// What so many bytes take over the slowest link of a path, in nanoseconds.
fn least(topology: &dyn Topology, capacities: &[f64], bytes: u64, path: &[Link]) -> i64 {
    let slowest = path.iter().map(|link| capacities[topology.class(*link)]).fold(f64::INFINITY, f64::min);
    (bytes as f64 / slowest * 1e9) as i64
}

/// Messages of a piece of the table that are in flight at some time of a window. One that takes no time is in flight when it is sent.
fn overlapping(store: &Store, first: u64, (from, to): (Ns, Ns)) -> Vec<u64> {
    let messages = &store.messages;
    let (mut rows, mut row) = (Vec::new(), first);
    (&messages.send, &messages.recv).for_each(first..(first + AT_ONCE).min(messages.len()), |(send, receive)| {
        if send < to && (receive > from || send >= from) {
            rows.push(row);
        }
        row += 1;
    });
    rows
}

fn sent(store: &Store, filter: &Filter<'_>, row: u64) -> Option<Moving> {
    let any = Filter { time: (Ns(i64::MIN), Ns(i64::MAX)), ..*filter };
    let MessageSent { from, to, .. } = MessageSent::read(store, &any, row)?;
    let messages = &store.messages;
    let (start, bytes) = (messages.send.get(row), messages.bytes.get(row));
    // Clocks of two nodes may differ.
    let end = messages.recv.get(row).max(start);
    Some(Moving { row, from, to, start, end, bytes, wait: 0, path: (0, 0) })
}

/// The nodes of a message that leaves its node.
fn node_of(ways: Ways<'_>, message: &Moving) -> Option<(Element, Element)> {
    let ranks = ways.placement.ranks();
    if message.from >= ranks || message.to >= ranks {
        return None;
    }
    let (from, to) = (ways.placement.node(message.from), ways.placement.node(message.to));
    (from != to).then_some((from, to))
}

fn way(ways: Ways<'_>, message: &Moving) -> Vec<Link> {
    node_of(ways, message).map_or_else(Vec::new, |(from, to)| ways.routing.path(from, to, message.row))
}

#[cfg(test)]
mod tests;
