//! What ranks send each other in a part of a trace: messages, and collectives as messages.

use std::ops::Range;

use heddle_model::{CollectiveOp, CommId, LocationId, Ns, Rank, SpanRow};
use heddle_store::{Columns, Store};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::collectives::{CollectiveModel, Collectives, is_between_all};
use super::sections::{Callers, SectionKey};

/// Rows of a table that are looked at together.
const AT_ONCE: u64 = 1 << 16;
/// Members of a group in which everybody sends to everybody that are listed pair by pair.
const MOST_BETWEEN_ALL: usize = 4_096;
/// Sections that are told apart; the rest is one.
const MOST_SECTIONS: usize = 32;

/// Which part of a trace counts.
pub struct Filter<'a> {
    /// Messages sent, and collectives entered by their last member, from the first moment on and before the second.
    pub time: (Ns, Ns),
    /// Only those of one communicator.
    pub communicator: Option<CommId>,
    /// Only those whose sender is one of these ranks.
    pub rank: Option<&'a (dyn Fn(u32) -> bool + Sync)>,
    /// Only those that such a call sends; for a collective the call of its first member.
    pub call: Option<&'a (dyn Fn(SpanRow) -> bool + Sync)>,
}

impl Filter<'_> {
    /// Everything.
    pub fn all() -> Filter<'static> {
        Filter { time: (Ns(i64::MIN), Ns(i64::MAX)), communicator: None, rank: None, call: None }
    }

    fn has_time(&self, at: Ns) -> bool {
        self.time.0 <= at && at < self.time.1
    }

    fn has(&self, comm: CommId, rank: u32, call: SpanRow) -> bool {
        self.communicator.is_none_or(|wanted| wanted == comm)
            && self.rank.is_none_or(|wanted| wanted(rank))
            && self.call.is_none_or(|wanted| call.is_some() && wanted(call))
    }
}

/// Bytes that one rank sends another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankFlow {
    /// Who sends.
    pub from: u32,
    /// Who receives.
    pub to: u32,
    /// How much.
    pub bytes: f64,
}

/// A section of what ranks send.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionSends {
    /// Its name. Hostile text.
    pub name: String,
    /// How many messages and collectives it has.
    pub operations: u64,
    /// Bytes in all.
    pub bytes: f64,
    flows: Range<usize>,
}

/// What ranks send each other: between any two, in each section, once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sends {
    /// By bytes, most first.
    pub sections: Vec<SectionSends>,
    /// What was left out or assumed, in sentences.
    pub notes: Vec<String>,
    flows: Vec<RankFlow>,
}

/// A section while it is summed up.
#[derive(Debug, Default)]
struct Sum {
    operations: u64,
    flows: FxHashMap<(u32, u32), f64>,
}

/// Collectives that can be added up: same section, members and root.
type Group = (SectionKey, CommId, LocationId);

/// How many there are, the first of them, and what each member gave and got.
#[derive(Debug)]
struct GroupSums {
    operations: u64,
    first: u64,
    members: Vec<(LocationId, f64, f64)>,
}

impl Sends {
    /// Reads what ranks send each other in a part of a trace.
    pub fn read(store: &Store, filter: &Filter<'_>, model: CollectiveModel) -> Sends {
        let callers = Callers::new(store);
        let mut notes = Vec::new();
        let mut sums = messages(store, filter, &callers);
        collectives(store, filter, model, &callers, &mut sums, &mut notes);
        gather(store, sums, notes)
    }

    /// The same, given as flows in sections: for patterns without a trace.
    pub fn of_flows(sections: Vec<(String, Vec<RankFlow>)>) -> Sends {
        let mut sends = Sends::default();
        for (name, flows) in sections {
            let first = sends.flows.len();
            let bytes = flows.iter().map(|flow| flow.bytes).sum();
            let operations = flows.len() as u64;
            sends.flows.extend(flows);
            sends.sections.push(SectionSends { name, operations, bytes, flows: first..sends.flows.len() });
        }
        sends
    }

    /// What ranks send each other in a section, by sender, then receiver.
    pub fn flows_of(&self, section: usize) -> &[RankFlow] {
        &self.flows[self.sections[section].flows.clone()]
    }

    /// What ranks send each other in all sections.
    pub fn flows(&self) -> &[RankFlow] {
        &self.flows
    }
}

/// The rank that messages of a location count for.
fn rank_of(store: &Store, location: LocationId) -> Option<u32> {
    let at = u64::from(location.0);
    let rank = (at < store.locations.len()).then(|| store.locations.rank.get(at))?;
    (rank != Rank::NONE).then_some(rank.0)
}

/// A message that counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageSent {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) bytes: f64,
    /// Where it was sent, and by which call.
    pub(crate) location: LocationId,
    pub(crate) call: SpanRow,
}

impl MessageSent {
    /// A row of the messages table, if it counts.
    pub(crate) fn read(store: &Store, filter: &Filter<'_>, row: u64) -> Option<MessageSent> {
        let messages = &store.messages;
        if !filter.has_time(messages.send.get(row)) {
            return None;
        }
        let location = messages.send_location.get(row);
        let (from, to) = (rank_of(store, location)?, rank_of(store, messages.recv_location.get(row))?);
        let call = messages.send_span.get(row);
        let counts = filter.has(messages.comm.get(row), from, call);
        counts.then(|| MessageSent { from, to, bytes: messages.bytes.get(row) as f64, location, call })
    }
}

fn messages(store: &Store, filter: &Filter<'_>, callers: &Callers<'_>) -> FxHashMap<SectionKey, Sum> {
    let messages = &store.messages;
    let pieces: Vec<u64> = (0..messages.len()).step_by(AT_ONCE as usize).collect();
    let of_piece = |first: u64| {
        let mut sums = FxHashMap::<SectionKey, Sum>::default();
        // Calls that send several messages send them one after the other.
        let mut last: Option<(SpanRow, SectionKey)> = None;
        for row in first..(first + AT_ONCE).min(messages.len()) {
            let Some(message) = MessageSent::read(store, filter, row) else { continue };
            let MessageSent { location, call, .. } = message;
            let key = match last {
                Some((known, key)) if known == call && call.is_some() => key,
                _ => SectionKey { caller: callers.of(location, call), op: None, members: 0 },
            };
            last = Some((call, key));
            let sum = sums.entry(key).or_default();
            sum.operations += 1;
            *sum.flows.entry((message.from, message.to)).or_default() += message.bytes;
        }
        sums
    };
    let pieces: Vec<FxHashMap<SectionKey, Sum>> = pieces.into_par_iter().map(of_piece).collect();
    let mut all = FxHashMap::<SectionKey, Sum>::default();
    for (key, piece) in pieces.into_iter().flatten() {
        let sum = all.entry(key).or_default();
        sum.operations += piece.operations;
        for (pair, bytes) in piece.flows {
            // Whole bytes, far below 2^53: the order of sums does not matter.
            *sum.flows.entry(pair).or_default() += bytes;
        }
    }
    all
}

/// Collectives of the same members, operation and root, added up.
#[derive(Debug)]
pub(crate) struct CollectiveGroup {
    key: SectionKey,
    pub(crate) comm: CommId,
    root: LocationId,
    /// How many there are, and the first of them.
    pub(crate) operations: u64,
    pub(crate) first: u64,
    members: Vec<(LocationId, f64, f64)>,
}

impl CollectiveGroup {
    /// What they do.
    pub(crate) fn op(&self) -> CollectiveOp {
        self.key.op.unwrap_or(CollectiveOp::UNKNOWN)
    }

    /// How many take part.
    pub(crate) fn members(&self) -> usize {
        self.members.len()
    }

    /// Whether each of too many would send to each other.
    fn is_too_large(&self, model: CollectiveModel) -> bool {
        self.members.len() > MOST_BETWEEN_ALL && is_between_all(self.op(), model)
    }

    /// Visits what ranks send each other in all of them together.
    pub(crate) fn messages(&self, store: &Store, model: CollectiveModel, mut visit: impl FnMut(u32, u32, f64)) {
        if self.is_too_large(model) {
            return;
        }
        let mut members = self.members.clone();
        in_order_of_group(store, self.comm, &mut members);
        let ranks: Vec<Option<u32>> = members.iter().map(|(location, ..)| rank_of(store, *location)).collect();
        let sent: Vec<f64> = members.iter().map(|(_, sent, _)| *sent).collect();
        let received: Vec<f64> = members.iter().map(|(_, _, received)| *received).collect();
        let root = self.root;
        let root = root.is_some().then(|| members.iter().position(|(location, ..)| *location == root)).flatten();
        let all = Collectives { op: self.op(), root, sent: &sent, received: &received };
        all.messages(model, |from, to, bytes| {
            if let (Some(from), Some(to)) = (ranks[from], ranks[to])
                && bytes > 0.0
            {
                visit(from, to, bytes);
            }
        });
    }
}

/// The collectives that count, those that can be added up added up, in an order that stays.
pub(crate) fn collective_groups(store: &Store, filter: &Filter<'_>, callers: &Callers<'_>) -> Vec<CollectiveGroup> {
    let collectives = &store.collectives;
    let pieces: Vec<u64> = (0..collectives.len()).step_by(AT_ONCE as usize / 16).collect();
    let of_piece = |first: u64| {
        let mut groups = FxHashMap::<Group, GroupSums>::default();
        for row in first..(first + AT_ONCE / 16).min(collectives.len()) {
            add_collective(store, filter, callers, row, &mut groups);
        }
        groups
    };
    let pieces: Vec<FxHashMap<Group, GroupSums>> = pieces.into_par_iter().map(of_piece).collect();
    let mut groups = FxHashMap::<Group, GroupSums>::default();
    for (group, sums) in pieces.into_iter().flatten() {
        add_group(&mut groups, group, sums);
    }
    let group = |((key, comm, root), sums): (Group, GroupSums)| {
        let GroupSums { operations, first, members } = sums;
        CollectiveGroup { key, comm, root, operations, first, members }
    };
    let mut groups: Vec<CollectiveGroup> = groups.into_iter().map(group).collect();
    // Shares are fractions, and their sums must not depend on the order of a hash map.
    groups.sort_unstable_by_key(|group| (group.key, group.comm, group.root));
    groups
}

fn collectives(
    store: &Store,
    filter: &Filter<'_>,
    model: CollectiveModel,
    callers: &Callers<'_>,
    sums: &mut FxHashMap<SectionKey, Sum>,
    notes: &mut Vec<String>,
) {
    if model == CollectiveModel::None {
        return;
    }
    let mut too_large = 0_u64;
    for group in collective_groups(store, filter, callers) {
        if group.is_too_large(model) {
            too_large += group.operations;
            continue;
        }
        let sum = sums.entry(group.key).or_default();
        sum.operations += group.operations;
        group.messages(store, model, |from, to, bytes| *sum.flows.entry((from, to)).or_default() += bytes);
    }
    if too_large > 0 {
        notes.push(format!(
            "{too_large} collectives in which each of more than {MOST_BETWEEN_ALL} ranks sends to every other are not counted."
        ));
    }
}

fn add_collective(
    store: &Store,
    filter: &Filter<'_>,
    callers: &Callers<'_>,
    row: u64,
    groups: &mut FxHashMap<Group, GroupSums>,
) {
    let (collectives, table) = (&store.collectives, &store.collective_members);
    let first = collectives.first_member.get(row);
    let rows = first..first + u64::from(collectives.members.get(row));
    let Some(last_entry) = table.start.iter(rows.clone()).max() else { return };
    let (comm, op) = (collectives.comm.get(row), collectives.op.get(row));
    let (location, call) = (table.location.get(first), table.span.get(first));
    let Some(rank) = rank_of(store, location) else { return };
    if !filter.has_time(last_entry) || !filter.has(comm, rank, call) {
        return;
    }
    let key = SectionKey { caller: callers.of(location, call), op: Some(op), members: rows.end as u32 - first as u32 };
    let mut members = Vec::with_capacity((rows.end - rows.start) as usize);
    (&table.location, &table.sent, &table.received).for_each(rows, |(location, sent, received)| {
        members.push((location, sent as f64, received as f64));
    });
    add_group(groups, (key, comm, collectives.root.get(row)), GroupSums { operations: 1, first: row, members });
}

fn add_group(groups: &mut FxHashMap<Group, GroupSums>, group: Group, more: GroupSums) {
    let GroupSums { operations, first, members } = more;
    let sums = groups.entry(group).or_insert_with(|| GroupSums { operations: 0, first, members: Vec::new() });
    sums.operations += operations;
    sums.first = sums.first.min(first);
    let sums = &mut sums.members;
    let is_same = sums.len() == members.len() && sums.iter().zip(&members).all(|(a, b)| a.0 == b.0);
    if is_same {
        for (sum, member) in sums.iter_mut().zip(members) {
            sum.1 += member.1;
            sum.2 += member.2;
        }
        return;
    }
    // Members are missing now and then in damaged traces.
    for (location, sent, received) in members {
        match sums.binary_search_by_key(&location, |(known, ..)| *known) {
            Ok(at) => {
                sums[at].1 += sent;
                sums[at].2 += received;
            }
            Err(at) => sums.insert(at, (location, sent, received)),
        }
    }
}

/// Members by location become members by their rank in the communicator: rings and trees follow that.
fn in_order_of_group(store: &Store, comm: CommId, members: &mut [(LocationId, f64, f64)]) {
    let at = u64::from(comm.0);
    if at >= store.communicators.len() {
        return;
    }
    let first = store.communicators.first_member.get(at);
    let end = (first + u64::from(store.communicators.members.get(at))).min(store.communicator_members.len());
    let listed = store.communicator_members.location.iter(first..end);
    let order: FxHashMap<LocationId, usize> = listed.zip(0..).collect();
    members.sort_by_key(|(location, ..)| order.get(location).copied().unwrap_or(usize::MAX));
}

fn gather(store: &Store, sums: FxHashMap<SectionKey, Sum>, notes: Vec<String>) -> Sends {
    let mut sections: Vec<(SectionKey, f64, Sum)> = sums
        .into_iter()
        .filter(|(_, sum)| !sum.flows.is_empty())
        .map(|(key, sum)| {
            let mut bytes: Vec<(&(u32, u32), &f64)> = sum.flows.iter().collect();
            bytes.sort_unstable_by_key(|(pair, _)| **pair);
            let bytes = bytes.into_iter().map(|(_, bytes)| *bytes).sum::<f64>();
            (key, bytes, sum)
        })
        .collect();
    sections.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut sends = Sends { notes, ..Sends::default() };
    let rest = sections.split_off(sections.len().min(MOST_SECTIONS));
    let mut named: Vec<(String, Sum)> = sections.into_iter().map(|(key, _, sum)| (key.name(store), sum)).collect();
    if !rest.is_empty() {
        let mut other = Sum::default();
        for (_, _, sum) in rest {
            other.operations += sum.operations;
            for (pair, bytes) in sum.flows {
                *other.flows.entry(pair).or_default() += bytes;
            }
        }
        named.push(("other".to_owned(), other));
    }
    for (name, sum) in named {
        let first = sends.flows.len();
        let mut flows: Vec<RankFlow> =
            sum.flows.into_iter().map(|((from, to), bytes)| RankFlow { from, to, bytes }).collect();
        flows.par_sort_unstable_by_key(|flow| (flow.from, flow.to));
        let bytes = flows.iter().map(|flow| flow.bytes).sum();
        sends.flows.extend(flows);
        let flows = first..sends.flows.len();
        sends.sections.push(SectionSends { name, operations: sum.operations, bytes, flows });
    }
    sends
}
