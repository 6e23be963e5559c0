//! Waits in collectives.

use heddle_model::{CollectiveOp, CommId, LocationId, SpanRow};
use heddle_store::{LongList, Progress, StoreError};
use rayon::prelude::*;

use super::{Point, Wait, wait_kind};
use crate::by_row::{ByRow, Gathered};
use crate::rows::{Rows, WorldEnd};

/// Whom a member of a collective needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependence {
    /// Everybody needs everybody.
    All,
    /// Everybody needs the root.
    Root,
    /// The root needs everybody.
    IntoRoot,
    /// Everybody needs those of lower rank.
    Lower,
}

/// Whom members of an operation need; none where that is not known: of `MPI_Alltoallv` and `MPI_Alltoallw`, in which each
/// pair decides by itself, and of operations that nobody has defined.
pub(crate) fn dependence(op: CollectiveOp) -> Option<Dependence> {
    match op.name() {
        "barrier"
        | "allgather"
        | "allgatherv"
        | "alltoall"
        | "allreduce"
        | "reduce_scatter"
        | "reduce_scatter_block"
        | "create_handle"
        | "destroy_handle"
        | "create_handle_and_allocate"
        | "destroy_handle_and_deallocate" => Some(Dependence::All),
        "bcast" | "scatter" | "scatterv" => Some(Dependence::Root),
        "gather" | "gatherv" | "reduce" => Some(Dependence::IntoRoot),
        "scan" | "exscan" => Some(Dependence::Lower),
        _ => None,
    }
}

/// A member of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) location: LocationId,
    /// The call that completes it.
    pub(crate) span: SpanRow,
    /// When it began or was posted.
    pub(crate) begin: i64,
    /// When that call was entered: later than the begin if it did not block.
    pub(crate) enter: i64,
    /// When that call was left.
    pub(crate) leave: i64,
    pub(crate) sends: bool,
    pub(crate) receives: bool,
}

/// A collective, looked at.
pub(crate) struct Seen {
    /// By member: how long it waited, and for whom (a position among the members).
    pub(crate) waits: Vec<Option<(i64, usize)>>,
    /// When the first of those who are in step left; none if nobody is.
    pub(crate) departure: Option<i64>,
    /// By how much members ended before what they need began: positions of who was needed, and of who needed it.
    pub(crate) violations: Vec<(i64, usize, usize)>,
}

/// Who of a collective waited for whom. `root` is a position among the members. Members are in the order of ranks.
pub(crate) fn look(dependence: Dependence, members: &[Member], root: Option<usize>) -> Seen {
    let mut seen = Seen { waits: vec![None; members.len()], departure: None, violations: Vec::new() };
    let latest = |among: &mut dyn Iterator<Item = usize>| {
        among.reduce(|best, at| if members[at].begin > members[best].begin { at } else { best })
    };
    let wait_for = |seen: &mut Seen, at: usize, last: usize| {
        let (member, arrival) = (&members[at], members[last].begin);
        if at == last {
            return;
        }
        let wait = arrival.min(member.leave) - member.enter.max(member.begin);
        if wait > 0 {
            seen.waits[at] = Some((wait, last));
        }
        if arrival > member.leave {
            seen.violations.push((arrival - member.leave, last, at));
        }
    };
    match dependence {
        Dependence::All => {
            let Some(last) = latest(&mut (0..members.len()).filter(|at| members[*at].sends)) else { return seen };
            for (at, member) in members.iter().enumerate().filter(|(_, member)| member.receives) {
                if member.begin < members[last].begin {
                    wait_for(&mut seen, at, last);
                }
            }
            // With somebody gone before the last came, only those who waited for it, and it, are in step.
            let in_step =
                |at: &usize| *at == last || members[*at].receives && members[*at].begin <= members[last].begin;
            seen.departure = (0..members.len()).filter(in_step).map(|at| members[at].leave).min();
        }
        Dependence::Root => {
            let Some(root) = root else { return seen };
            for (at, member) in members.iter().enumerate().filter(|(_, member)| member.receives) {
                if member.begin < members[root].begin {
                    wait_for(&mut seen, at, root);
                }
            }
        }
        Dependence::IntoRoot => {
            let Some(root) = root else { return seen };
            if let Some(last) = latest(&mut (0..members.len()).filter(|at| *at != root && members[*at].sends)) {
                wait_for(&mut seen, root, last);
            }
        }
        Dependence::Lower => {
            let mut last = 0;
            for at in 1..members.len() {
                wait_for(&mut seen, at, last);
                if members[at].begin > members[last].begin {
                    last = at;
                }
            }
        }
    }
    seen
}

/// Who leaves so many times sooner after somebody came than it had stayed until then was held up by that one.
const HELD: i64 = 3;

/// Whom members of an operation with a root waited for that is not the root. Data goes along a tree, from the root or to it: who
/// comes late holds up those behind it. Which tree is not in the trace, but who leaves as soon as somebody came is.
pub(crate) fn relays(needs: Dependence, members: &[Member], root: Option<usize>) -> Vec<Option<usize>> {
    let starts = match (needs, root) {
        (Dependence::Root, Some(root)) => members[root].begin,
        (Dependence::IntoRoot, Some(_)) => i64::MIN,
        _ => return vec![None; members.len()],
    };
    let mut by_begin: Vec<usize> = (0..members.len()).filter(|at| Some(*at) != root).collect();
    by_begin.sort_unstable_by_key(|at| (members[*at].begin, std::cmp::Reverse(*at)));
    let relay = |(at, member): (usize, &Member)| {
        let there = by_begin.partition_point(|other| members[*other].begin <= member.leave);
        let last = by_begin[..there].iter().rev().copied().find(|other| *other != at)?;
        let (ready, came) = (member.enter.max(member.begin).max(starts), members[last].begin);
        let is_held = came - ready > HELD * (member.leave - came);
        (Some(at) != root && came > ready && is_held).then_some(last)
    };
    members.iter().enumerate().map(relay).collect()
}

/// What collectives say, by row.
pub(super) struct Together {
    /// Waits by row, then call. A call may have several.
    pub(super) waits: ByRow<Wait>,
    /// By call.
    pub(super) points: LongList<Point>,
    pub(super) violations: u64,
    pub(super) largest_violation: i64,
    pub(super) unexplained: i64,
}

/// What a part of the collectives says.
#[derive(Default)]
struct Part {
    waits: Vec<Wait>,
    points: Vec<Point>,
    violations: u64,
    largest_violation: i64,
    unexplained: i64,
}

/// Collectives that are looked at in one go.
const AT_ONCE: u64 = 1 << 6;
/// How often, before what was found is put together.
const PARTS_AT_ONCE: usize = 64;
/// Members that are looked at before that, about.
const MEMBERS_AT_ONCE: u64 = 1 << 18;

/// What was found so far, in the order of collectives.
struct All {
    waits: Gathered<Wait>,
    points: Gathered<Point>,
    violations: u64,
    largest_violation: i64,
    unexplained: i64,
}

impl All {
    fn take(&mut self, part: Part) -> Result<(), StoreError> {
        self.violations += part.violations;
        self.largest_violation = self.largest_violation.max(part.largest_violation);
        self.unexplained += part.unexplained;
        self.waits.extend(part.waits)?;
        self.points.extend(part.points)
    }
}

pub(super) fn collectives(rows: &Rows<'_>, progress: &dyn Progress) -> Result<Together, StoreError> {
    let count = rows.store.collectives.len();
    let members = rows.store.collective_members.len() / count.max(1);
    let at_once = (MEMBERS_AT_ONCE / PARTS_AT_ONCE as u64 / members.max(1)).clamp(1, AT_ONCE);
    let parts_at_once = (MEMBERS_AT_ONCE / at_once / members.max(1)).clamp(2, PARTS_AT_ONCE as u64);
    let payload = has_payload(rows);
    let part = |from: u64| -> Result<Part, StoreError> {
        progress.check()?;
        let mut part = Part::default();
        for collective in from..(from + at_once).min(count) {
            part.look_at(rows, collective, payload);
        }
        progress.advance(part.points.len() as u64);
        Ok(part)
    };
    let (waits, points) = (Gathered::new(rows), Gathered::new(rows));
    let mut all = All { waits, points, violations: 0, largest_violation: 0, unexplained: 0 };
    let parts: Vec<u64> = (0..count).step_by(at_once as usize).collect();
    for some in parts.chunks(parts_at_once as usize) {
        let found: Vec<Part> = some.par_iter().map(|from| part(*from)).collect::<Result<_, _>>()?;
        found.into_iter().try_for_each(|part| all.take(part))?;
    }
    all.take(ends_of_the_world(rows))?;
    let row = |location: LocationId| rows.of(location).unwrap_or_default();
    let All { waits, points, violations, largest_violation, unexplained } = all;
    Ok(Together {
        waits: waits.by_row(rows, |wait| row(wait.location), |wait| wait.span)?,
        // Rows have the order of their calls.
        points: points.by_row(rows, |point| row(point.location), |point| *point)?.into_list(),
        violations,
        largest_violation,
        unexplained,
    })
}

/// Whether the trace says how much collectives carry. Where it does, those that carry nothing make nobody wait.
pub(crate) fn has_payload(rows: &Rows<'_>) -> bool {
    let members = &rows.store.collective_members;
    let some =
        |column: &heddle_store::Column<u64>| column.iter(0..members.len()).any(|bytes| bytes > 0 && bytes < u64::MAX);
    some(&members.sent) || some(&members.received)
}

/// The members of a collective that have rows, in the order of ranks, and where the root is among them.
pub(crate) fn members_of(rows: &Rows<'_>, collective: u64, payload: bool) -> (Vec<Member>, Option<usize>) {
    let (table, members) = (&rows.store.collectives, &rows.store.collective_members);
    let op = table.op.get(collective);
    let first = table.first_member.get(collective);
    let of_this = first..first.saturating_add(u64::from(table.members.get(collective))).min(members.len());
    let carries = |bytes: u64| op == CollectiveOp::BARRIER || !payload || (bytes > 0 && bytes < u64::MAX);
    let found: Vec<Member> = of_this
        .filter_map(|member| {
            let (location, span) = (members.location.get(member), members.span.get(member));
            rows.of(location)?;
            let (begin, end) = (members.start.get(member).0, members.end.get(member).0);
            let (enter, leave) = span.some().map_or((begin, end), |span| rows.call(span));
            let (sends, receives) = (carries(members.sent.get(member)), carries(members.received.get(member)));
            Some(Member { location, span, begin, enter, leave, sends, receives })
        })
        .collect();
    let root = table.root.get(collective);
    let root = found.iter().position(|member| member.location == root);
    (found, root)
}

impl Part {
    fn look_at(&mut self, rows: &Rows<'_>, collective: u64, payload: bool) {
        let table = &rows.store.collectives;
        let (op, comm) = (table.op.get(collective), table.comm.get(collective));
        let (mut members, root) = members_of(rows, collective, payload);
        let is_doubtful = table.doubtful.get(collective) != 0;
        let Some(needs) = dependence(op).filter(|_| !is_doubtful) else {
            self.unexplained += members.iter().map(|member| (member.leave - member.enter).max(0)).sum::<i64>();
            return;
        };
        if let (Dependence::Root | Dependence::IntoRoot, Some(root)) = (needs, root) {
            // What a root gives itself is not always recorded, and what the others get or give is what counts.
            members[root].sends = true;
            members[root].receives = true;
        }
        if members.len() < 2 {
            return;
        }
        self.take(needs, &members, root, op, WorldEnd::No, comm);
    }

    fn take(
        &mut self,
        needs: Dependence,
        members: &[Member],
        root: Option<usize>,
        op: CollectiveOp,
        end: WorldEnd,
        comm: CommId,
    ) {
        let Some(kind) = wait_kind(op, end) else { return };
        let seen = look(needs, members, root);
        for ((member, wait), relay) in members.iter().zip(&seen.waits).zip(relays(needs, members, root)) {
            let relayed = relay.map(|last| (members[last].begin - member.enter.max(member.begin), last));
            let Some((wait, last)) = relayed.or(*wait) else { continue };
            let culprit = &members[last];
            if member.span.some().is_none() {
                continue;
            }
            self.waits.push(Wait {
                span: member.span,
                enter: member.enter.max(member.begin),
                wait,
                culprit_span: culprit.span,
                arrival: culprit.begin,
                location: member.location,
                culprit: culprit.location,
                sort: Wait::sort(kind, culprit.begin > member.leave),
            });
        }
        self.violations += seen.violations.len() as u64;
        self.largest_violation =
            self.largest_violation.max(seen.violations.iter().map(|violation| violation.0).max().unwrap_or(0));
        let last = members.iter().map(|member| member.begin).max();
        if let Some(departure) = seen.departure.filter(|departure| Some(*departure) >= last) {
            let points = members.iter().filter(|member| member.span.is_some());
            let point =
                |member: &Member| Point { span: member.span, begin: departure, comm, location: member.location };
            self.points.extend(points.map(point));
        }
    }
}

/// `MPI_Init` is a point that all have in common; `MPI_Finalize` is a barrier if nobody leaves before the last comes.
fn ends_of_the_world(rows: &Rows<'_>) -> Part {
    let mut part = Part::default();
    let begins = calls_at(rows, WorldEnd::Init);
    if let Some(departure) = begins.iter().map(|member| member.leave).min().filter(|_| begins.len() == rows.len()) {
        let point = |member: &Member| {
            let Member { span, location, .. } = *member;
            Point { span, begin: departure, comm: CommId::NONE, location }
        };
        part.points = begins.iter().map(point).collect();
    }
    let ends = common_end(rows);
    if !ends.is_empty() {
        let op = CollectiveOp::BARRIER;
        part.take(Dependence::All, &ends, None, op, WorldEnd::Finalize, CommId::NONE);
    }
    part
}

/// The rows' `MPI_Finalize`, if all have one and leave it together.
pub(crate) fn common_end(rows: &Rows<'_>) -> Vec<Member> {
    let ends = calls_at(rows, WorldEnd::Finalize);
    let last = ends.iter().map(|member| member.begin).max();
    let first_gone = ends.iter().map(|member| member.leave).min();
    let is_common = ends.len() == rows.len() && rows.len() > 1 && first_gone >= last;
    if is_common { ends } else { Vec::new() }
}

/// The calls in which the world begins or ends, by row.
fn calls_at(rows: &Rows<'_>, which: WorldEnd) -> Vec<Member> {
    let spans = &rows.store.spans;
    let member = |location: &LocationId| {
        let own = rows.store.spans_of(*location);
        let is_it = |row: &u64| rows.class(spans.region.get(*row)).ends == which;
        let row = match which {
            WorldEnd::Finalize => (own.start.max(own.end.saturating_sub(MOST_LOOKED))..own.end).rev().find(is_it),
            _ => (own.start..own.end.min(own.start + MOST_LOOKED)).find(is_it),
        }?;
        let (enter, leave) = rows.call(SpanRow(row));
        let (span, begin) = (SpanRow(row), enter);
        Some(Member { location: *location, span, begin, enter, leave, sends: true, receives: true })
    };
    rows.locations.iter().filter_map(member).collect()
}

/// Calls from either end of a location among which those that begin and end the world are looked for.
const MOST_LOOKED: u64 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn members(calls: &[(i64, i64)]) -> Vec<Member> {
        let member = |(at, (begin, leave)): (usize, &(i64, i64))| Member {
            location: LocationId(at as u32),
            span: SpanRow(at as u64),
            begin: *begin,
            enter: *begin,
            leave: *leave,
            sends: true,
            receives: true,
        };
        calls.iter().enumerate().map(member).collect()
    }

    fn waits(seen: &Seen) -> Vec<i64> {
        seen.waits.iter().map(|wait| wait.map_or(0, |(wait, _)| wait)).collect()
    }

    #[test]
    fn everybody_waits_for_the_last() {
        let seen = look(Dependence::All, &members(&[(1, 10), (5, 10), (8, 12), (3, 11)]), None);
        assert_eq!((waits(&seen), seen.departure, seen.violations.len()), (vec![7, 3, 0, 5], Some(10), 0));
        let gone = look(Dependence::All, &members(&[(1, 6), (5, 10), (8, 12), (3, 11)]), None);
        assert_eq!((waits(&gone), gone.violations), (vec![5, 3, 0, 5], vec![(2, 2, 0)]));
        assert_eq!(waits(&look(Dependence::All, &members(&[(5, 6); 4]), None)), [0; 4]);
        let mut empty = members(&[(1, 10), (5, 10), (8, 12), (3, 11)]);
        for member in &mut empty {
            (member.sends, member.receives) = (false, false);
        }
        assert_eq!(waits(&look(Dependence::All, &empty, None)), [0; 4]);
    }

    #[test]
    fn in_rooted_operations_only_those_wait_who_need_somebody() {
        let late = look(Dependence::Root, &members(&[(6, 7), (2, 8), (9, 10), (4, 8)]), Some(0));
        assert_eq!(waits(&late), [0, 4, 0, 2]);
        let early = look(Dependence::IntoRoot, &members(&[(2, 13), (5, 6), (11, 12), (7, 8)]), Some(0));
        assert_eq!((waits(&early), early.waits[0]), (vec![9, 0, 0, 0], Some((9, 2))));
        let scan = look(Dependence::Lower, &members(&[(4, 5), (9, 10), (2, 11), (6, 12)]), None);
        assert_eq!(waits(&scan), [0, 0, 7, 3]);
    }

    #[test]
    fn who_comes_late_holds_up_those_behind_it_in_a_tree() {
        // The root is gone at 7; rank 1 passes on at 50 what ranks 2 and 3 then get. Rank 4 got its own from the root.
        let calls = members(&[(6, 7), (50, 52), (8, 54), (10, 56), (5, 9)]);
        assert_eq!(relays(Dependence::Root, &calls, Some(0)), [None, None, Some(1), Some(1), None]);
        // Towards a root, rank 1 waits for its child; the root's own wait has a rule of its own.
        let into = members(&[(2, 60), (5, 54), (50, 52), (7, 8)]);
        assert_eq!(relays(Dependence::IntoRoot, &into, Some(0)), [None, Some(2), None, None]);
        assert_eq!(relays(Dependence::All, &into, None), [None; 4]);
    }

    #[test]
    fn what_does_not_block_waits_in_the_call_that_completes() {
        let mut posted = members(&[(1, 12), (5, 12), (8, 12), (3, 12)]);
        posted.iter_mut().zip([6, 7, 9, 4]).for_each(|(member, enter)| member.enter = enter);
        assert_eq!(waits(&look(Dependence::All, &posted, None)), [2, 1, 0, 4]);
    }
}
