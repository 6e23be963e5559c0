//! Who loads a link: the messages, pairs of ranks, collectives and functions whose bytes cross it, exactly.
//!
//! What crosses a link follows from the routes alone: of every pair of nodes that exchanges anything the share that the link
//! carries. So the sums here are the load that pictures show, to the last byte.

use heddle_model::{CollectiveOp, CommId, RegionId, SpanRow};
use heddle_store::Store;
use heddle_topology::mapping::Placement;
use heddle_topology::routing::Routing;
use heddle_topology::{Element, Link};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::predict::{Callers, CollectiveModel, Filter, MessageSent, Sends, collective_groups};

/// Entries of each list; the rest is counted.
const LISTED: usize = 50;
/// Messages that are looked at together.
const AT_ONCE: u64 = 1 << 16;

/// A pair of ranks, and its bytes on the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairOnLink {
    /// Who sends.
    pub from: u32,
    /// Who receives.
    pub to: u32,
    /// Bytes over the link.
    pub bytes: f64,
}

/// A message, and its bytes on the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageOnLink {
    /// Its row in the messages table.
    pub row: u64,
    /// Bytes over the link.
    pub bytes: f64,
}

/// Collectives of one communicator, and their bytes on the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollectivesOnLink {
    /// What they do.
    pub op: CollectiveOp,
    /// Whose.
    pub comm: CommId,
    /// Members that take part.
    pub members: usize,
    /// How many there are, and the row of the first.
    pub operations: u64,
    /// The row of the first in the collectives table.
    pub first: u64,
    /// Bytes over the link.
    pub bytes: f64,
}

/// Who loads a link. Lists are by bytes, most first, and cut; counts and sums are of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Makers {
    /// Bytes over the link.
    pub bytes: f64,
    /// Name and bytes of each section that has any, with the number of pairs of ranks.
    pub sections: Vec<(String, f64, u64)>,
    /// Pairs of ranks.
    pub pairs: Vec<PairOnLink>,
    /// How many there are.
    pub all_pairs: u64,
    /// Ranks that send over it.
    pub senders: Vec<u32>,
    /// Messages.
    pub messages: Vec<MessageOnLink>,
    /// How many there are.
    pub all_messages: u64,
    /// Collectives.
    pub collectives: Vec<CollectivesOnLink>,
    /// How many there are, each instance counted.
    pub all_collectives: u64,
    /// Functions that were called to send, and their bytes.
    pub functions: Vec<(RegionId, f64)>,
}

/// Where ranks sit and which way their messages go.
#[derive(Clone, Copy)]
pub(crate) struct Ways<'a> {
    pub(crate) placement: &'a Placement,
    pub(crate) routing: &'a dyn Routing,
}

/// Finds who loads a link by what `filter` lets through; `sends` is what that gave.
pub(crate) fn makers(
    store: &Store,
    filter: &Filter<'_>,
    model: CollectiveModel,
    sends: &Sends,
    ways: Ways<'_>,
    link: Link,
) -> Makers {
    let shares = Shares::of(sends, ways, link);
    let mut makers = Makers::default();
    let mut pairs = FxHashMap::<(u32, u32), f64>::default();
    for (at, section) in sends.sections.iter().enumerate() {
        let crossing = sends
            .flows_of(at)
            .iter()
            .map(|flow| (flow, flow.bytes * shares.of_ranks(ways.placement, flow.from, flow.to)));
        let (mut bytes, mut count) = (0.0, 0);
        for (flow, part) in crossing.filter(|(_, part)| *part > 0.0) {
            *pairs.entry((flow.from, flow.to)).or_default() += part;
            bytes += part;
            count += 1;
        }
        if count > 0 {
            makers.sections.push((section.name.clone(), bytes, count));
            makers.bytes += bytes;
        }
    }
    makers.all_pairs = pairs.len() as u64;
    makers.senders = pairs.keys().map(|(from, _)| *from).collect();
    makers.senders.sort_unstable();
    makers.senders.dedup();
    makers.pairs = pairs.into_iter().map(|((from, to), bytes)| PairOnLink { from, to, bytes }).collect();
    largest(&mut makers.pairs, |pair| pair.bytes, |pair| (pair.from, pair.to));
    let mut functions = FxHashMap::<RegionId, f64>::default();
    messages(store, filter, ways, &shares, &mut makers, &mut functions);
    if model != CollectiveModel::None {
        collectives(store, filter, model, ways, &shares, &mut makers, &mut functions);
    }
    makers.functions = functions.into_iter().collect();
    largest(&mut makers.functions, |(_, bytes)| *bytes, |(region, _)| *region);
    makers
}

/// The share of the bytes between two nodes that a link carries.
struct Shares {
    of_nodes: FxHashMap<(Element, Element), f64>,
}

impl Shares {
    fn of(sends: &Sends, ways: Ways<'_>, link: Link) -> Shares {
        let node = |rank: u32| (rank < ways.placement.ranks()).then(|| ways.placement.node(rank));
        let mut pairs: Vec<(Element, Element)> =
            sends.flows().iter().filter_map(|flow| Some((node(flow.from)?, node(flow.to)?))).collect();
        pairs.par_sort_unstable();
        pairs.dedup();
        let share = |pair: (Element, Element)| {
            let mut share = 0.0;
            if pair.0 != pair.1 {
                ways.routing.route(pair.0, pair.1, &mut |one, part| {
                    if one == link {
                        share += part;
                    }
                });
            }
            (share > 0.0).then_some((pair, share))
        };
        Shares { of_nodes: pairs.into_par_iter().filter_map(share).collect() }
    }

    fn of_ranks(&self, placement: &Placement, from: u32, to: u32) -> f64 {
        if from >= placement.ranks() || to >= placement.ranks() {
            return 0.0;
        }
        self.of_nodes.get(&(placement.node(from), placement.node(to))).copied().unwrap_or(0.0)
    }
}

fn messages(
    store: &Store,
    filter: &Filter<'_>,
    ways: Ways<'_>,
    shares: &Shares,
    makers: &mut Makers,
    functions: &mut FxHashMap<RegionId, f64>,
) {
    let rows = store.messages.len();
    let pieces: Vec<u64> = (0..rows).step_by(AT_ONCE as usize).collect();
    let of_piece = |first: u64| {
        let mut found = Vec::new();
        let (mut count, mut functions) = (0_u64, FxHashMap::<RegionId, f64>::default());
        for row in first..(first + AT_ONCE).min(rows) {
            let Some(message) = MessageSent::read(store, filter, row) else { continue };
            let bytes = message.bytes * shares.of_ranks(ways.placement, message.from, message.to);
            if bytes > 0.0 {
                count += 1;
                *functions.entry(region_of(store, message.call)).or_default() += bytes;
                found.push(MessageOnLink { row, bytes });
            }
        }
        largest(&mut found, |message| message.bytes, |message| message.row);
        (found, count, functions)
    };
    let pieces: Vec<_> = pieces.into_par_iter().map(of_piece).collect();
    for (found, count, of_piece) in pieces {
        makers.messages.extend(found);
        makers.all_messages += count;
        for (region, bytes) in of_piece {
            *functions.entry(region).or_default() += bytes;
        }
    }
    largest(&mut makers.messages, |message| message.bytes, |message| message.row);
}

fn collectives(
    store: &Store,
    filter: &Filter<'_>,
    model: CollectiveModel,
    ways: Ways<'_>,
    shares: &Shares,
    makers: &mut Makers,
    functions: &mut FxHashMap<RegionId, f64>,
) {
    for group in collective_groups(store, filter, &Callers::new(store)) {
        let mut bytes = 0.0;
        group.messages(store, model, |from, to, sent| bytes += sent * shares.of_ranks(ways.placement, from, to));
        if bytes > 0.0 {
            makers.all_collectives += group.operations;
            let member = store.collectives.first_member.get(group.first);
            *functions.entry(region_of(store, store.collective_members.span.get(member))).or_default() += bytes;
            makers.collectives.push(CollectivesOnLink {
                op: group.op(),
                comm: group.comm,
                members: group.members(),
                operations: group.operations,
                first: group.first,
                bytes,
            });
        }
    }
    largest(&mut makers.collectives, |group| group.bytes, |group| group.first);
}

fn region_of(store: &Store, call: SpanRow) -> RegionId {
    if call.is_some() && call.0 < store.spans.len() { store.spans.region.get(call.0) } else { RegionId::NONE }
}

/// Keeps the largest, in order; of equals those with the smaller key.
fn largest<T, K: Ord>(list: &mut Vec<T>, bytes: impl Fn(&T) -> f64, key: impl Fn(&T) -> K) {
    list.sort_unstable_by(|a, b| bytes(b).total_cmp(&bytes(a)).then_with(|| key(a).cmp(&key(b))));
    list.truncate(LISTED);
}
