//! Puts the members of each collective together.
//!
//! All members of a communicator make its collectives in the same order, so the k-th one of one member and
//! the k-th one of another are the same operation, blocking and non-blocking counted together. On a
//! self communicator every call is an operation of its own. Where a reader knows better, because the file has sequence
//! numbers or lacks some operations, it has numbered them itself.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use heddle_model::{CommId, LocationId, WarningKind, Warnings};

use super::ends::{EndState, MemberEnd, UNNUMBERED};
use super::spill::Spill;
use super::{BuildContext, CommsInUse};
use crate::StoreError;
use crate::table::TableWriter;
use crate::tables::{CollectiveMemberRows, CollectiveRows};

/// Memory that a member takes in a round: itself, its number, and the same again while it is looked up.
const BYTES_PER_MEMBER: u64 = 128;

/// Members that are looked up together.
const AT_ONCE: usize = 1 << 14;

/// Numbers members in the order of the spill file: which operation of its communicator each is.
#[derive(Default)]
struct Numbering {
    location: Option<LocationId>,
    on_location: FxHashMap<CommId, u64>,
    on_self: FxHashMap<CommId, u64>,
}

impl Numbering {
    fn next(&mut self, context: &BuildContext, member: &MemberEnd) -> u64 {
        if member.number != UNNUMBERED {
            return u64::from(member.number);
        }
        if self.location != Some(member.location) {
            self.location = Some(member.location);
            self.on_location.clear();
        }
        let is_self = context.definitions.communicators.get(member.comm.index()).is_some_and(|comm| comm.is_self);
        let counters = if is_self { &mut self.on_self } else { &mut self.on_location };
        let counter = counters.entry(member.comm).or_insert(0);
        *counter += 1;
        *counter - 1
    }
}

/// Members that took part in something, with their communicator and the number of the operation on it.
fn numbered<'a>(
    context: &'a BuildContext,
    members: &'a Spill<MemberEnd>,
) -> impl Iterator<Item = (u64, CommId, u64)> + 'a {
    let mut numbering = Numbering::default();
    (0..).zip(members.keys()).filter_map(move |(at, member)| {
        let counts = member.state == EndState::COMPLETE && member.comm.is_some();
        counts.then(|| (at, member.comm, numbering.next(context, &member)))
    })
}

/// Matches everything and writes the tables of collectives and their members; returns how many there are.
pub(crate) fn match_collectives(
    context: &BuildContext,
    members: &Spill<MemberEnd>,
    comms: &mut CommsInUse,
    warnings: &mut Warnings,
) -> Result<u64, StoreError> {
    let open = members.keys().filter(|member| member.state == EndState::OPEN).count();
    warnings.add_many(
        WarningKind::OpenCollectives,
        open as u64,
        || "collectives".to_owned(),
        "collectives begin and never end in the trace; they were left out",
    );
    // The first operation of each communicator gets the number after the last of the one before.
    let mut operations: FxHashMap<CommId, u64> = FxHashMap::default();
    for (_, comm, number) in numbered(context, members) {
        comms.note(comm);
        let count = operations.entry(comm).or_insert(0);
        *count = (*count).max(number + 1);
    }
    let mut bases: Vec<(CommId, u64)> = operations.into_iter().collect();
    bases.sort_unstable();
    let mut total = 0;
    let bases: FxHashMap<CommId, u64> = bases
        .into_iter()
        .map(|(comm, count)| {
            total += count;
            (comm, total - count)
        })
        .collect();
    let mut sizes = vec![0u32; total as usize];
    for (_, comm, number) in numbered(context, members) {
        sizes[(bases[&comm] + number) as usize] += 1;
    }
    write_collectives(context, members, &bases, &sizes, warnings)?;
    Ok(total)
}

/// Sorts members by operation, in rounds of operations whose members fit the memory budget.
fn write_collectives(
    context: &BuildContext,
    members: &Spill<MemberEnd>,
    bases: &FxHashMap<CommId, u64>,
    sizes: &[u32],
    warnings: &mut Warnings,
) -> Result<(), StoreError> {
    let mut collectives = TableWriter::<CollectiveRows>::create(context.directory)?;
    let mut rows = TableWriter::<CollectiveMemberRows>::create(context.directory)?;
    let most = (context.memory / 4 / BYTES_PER_MEMBER).max(1 << 16);
    let mut first = 0;
    while first < sizes.len() {
        context.progress.check()?;
        let (mut last, mut count) = (first, 0u64);
        while last < sizes.len() && (last == first || count + u64::from(sizes[last]) <= most) {
            count += u64::from(sizes[last]);
            last += 1;
        }
        // Members come by location, so filling each operation's place in turn sorts them by location too.
        let mut place: Vec<usize> = Vec::with_capacity(last - first);
        let mut filled = 0;
        for size in &sizes[first..last] {
            place.push(filled);
            filled += *size as usize;
        }
        let mut order = vec![0u64; filled];
        for (at, comm, number) in numbered(context, members) {
            let operation = (bases[&comm] + number) as usize;
            if (first..last).contains(&operation) {
                order[place[operation - first]] = at;
                place[operation - first] += 1;
            }
        }
        let ends: Vec<MemberEnd> = order.par_chunks(AT_ONCE).flat_map_iter(|some| members.get_each(some)).collect();
        let mut rest = &ends[..];
        for size in &sizes[first..last] {
            let (of_this, behind) = rest.split_at(*size as usize);
            rest = behind;
            write_one(context, of_this, &mut collectives, &mut rows, warnings)?;
        }
        first = last;
    }
    collectives.finish()?;
    rows.finish()?;
    Ok(())
}

fn write_one(
    context: &BuildContext,
    of_this: &[MemberEnd],
    collectives: &mut TableWriter<CollectiveRows>,
    rows: &mut TableWriter<CollectiveMemberRows>,
    warnings: &mut Warnings,
) -> Result<(), StoreError> {
    let Some(leader) = of_this.first() else { return Ok(()) };
    let comm = context.definitions.communicators.get(leader.comm.index());
    let is_inter = comm.is_some_and(|comm| comm.remote.is_some());
    let agree = of_this.iter().all(|member| {
        // The two sides of an inter-communicator name the root differently.
        member.op == leader.op && (is_inter || member.root == leader.root)
    });
    let complete = comm.is_some_and(|comm| comm.size() == of_this.len());
    if !agree || !complete {
        let text = if complete {
            "members of a collective disagree about operation or root"
        } else {
            "collectives whose members are not all in the trace"
        };
        warnings.add(
            WarningKind::DoubtfulCollectives,
            || format!("{} on communicator {}", leader.op.name(), leader.comm.0),
            text,
        );
    }
    let first_member = rows.rows();
    let (_, table) = collectives.pending();
    table.comm.push(leader.comm);
    table.op.push(leader.op);
    table.root.push(leader.root);
    table.first_member.push(first_member);
    table.members.push(of_this.len() as u32);
    table.doubtful.push(u8::from(!agree || !complete));
    collectives.flush_full()?;
    for member in of_this {
        let (_, table) = rows.pending();
        table.location.push(member.location);
        table.span.push(member.span);
        table.start.push(member.start);
        table.end.push(member.end);
        table.sent.push(member.sent);
        table.received.push(member.received);
        rows.flush_full()?;
    }
    Ok(())
}
