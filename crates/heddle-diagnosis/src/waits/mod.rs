//! Wait states: which calls waited, for how long, and for whom.
//!
//! A call waits from its enter until its culprit arrives: the enter of the send that it receives, the posting of the receive
//! that its send needs, the last begin of a collective. One call has at most one wait: of several candidates the longest,
//! never the sum, and of several equally long ones that of the lowest location. What is left of the call is transfer and
//! library. The rules are those of Scalasca, extended to calls that do not block: there the time counts in the call that
//! completes, and arrival is the posting.
//!
//! A wait that would outlast its call (a receive that ends before its send begins) is cut at the end of the call and marked:
//! clocks disagree.

mod collective;
mod message;

use bytemuck::{Pod, Zeroable};
use heddle_model::{CollectiveOp, CommId, LocationId, SpanRow};
use heddle_store::{LongList, Progress, StoreError, Work};
use rayon::prelude::*;

use crate::marks::Marks;
use crate::rows::{Rows, WorldEnd};
pub(crate) use collective::{Dependence, Member, common_end, dependence, has_payload, look, members_of, relays};
pub(crate) use message::late_receiver;

/// Calls are asked whom they waited for.
pub const WAITS: Work = Work::new("finding who waits for whom");

/// What a call waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitKind {
    /// A receive, for its send.
    LateSender,
    /// A receive, for a send, while a message that was sent earlier was there already.
    WrongOrder,
    /// A send, for its receive.
    LateReceiver,
    /// A barrier, for the last to come.
    Barrier,
    /// Another collective in which everybody needs everybody, for the last to come.
    AllToAll,
    /// A broadcast or scatter, for the root, or for who passes on what it sends.
    LateBroadcast,
    /// The root of a reduction or gather, for the last to contribute; or who passes contributions on, for one of them.
    EarlyReduce,
    /// A scan, for a lower rank.
    EarlyScan,
    /// `MPI_Finalize`, for the last to come.
    Finalize,
}

impl WaitKind {
    /// All of them, in the order of their numbers in tables.
    pub const ALL: [WaitKind; 9] = [
        WaitKind::LateSender,
        WaitKind::WrongOrder,
        WaitKind::LateReceiver,
        WaitKind::Barrier,
        WaitKind::AllToAll,
        WaitKind::LateBroadcast,
        WaitKind::EarlyReduce,
        WaitKind::EarlyScan,
        WaitKind::Finalize,
    ];

    /// Its word, in exports.
    pub fn name(self) -> &'static str {
        match self {
            WaitKind::LateSender => "late-sender",
            WaitKind::WrongOrder => "wrong-order",
            WaitKind::LateReceiver => "late-receiver",
            WaitKind::Barrier => "barrier",
            WaitKind::AllToAll => "all-to-all",
            WaitKind::LateBroadcast => "late-broadcast",
            WaitKind::EarlyReduce => "early-reduce",
            WaitKind::EarlyScan => "early-scan",
            WaitKind::Finalize => "finalize",
        }
    }
}

/// A call that waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Wait {
    /// The call.
    pub span: SpanRow,
    /// When it was entered.
    pub enter: i64,
    /// How long it waited.
    pub wait: i64,
    /// The call that it waited for; none where the trace has only the moment.
    pub culprit_span: SpanRow,
    /// When that came: the end of the waiting, unless clocks disagree.
    pub arrival: i64,
    /// Where the call is.
    pub location: LocationId,
    /// Where that call is.
    pub culprit: LocationId,
    /// As plain numbers: what it waited for, and whether the call ended before its culprit arrived.
    pub(crate) sort: [u32; 2],
}

impl Wait {
    pub(crate) fn sort(kind: WaitKind, is_capped: bool) -> [u32; 2] {
        [kind as u32, u32::from(is_capped)]
    }

    /// What it waited for.
    pub fn kind(&self) -> WaitKind {
        WaitKind::ALL.get(self.sort[0] as usize).copied().unwrap_or(WaitKind::LateSender)
    }

    /// Whether the call ended before its culprit arrived.
    pub fn is_capped(&self) -> bool {
        self.sort[1] == 1
    }

    /// When the waiting ended.
    #[inline]
    pub fn end(&self) -> i64 {
        self.enter + self.wait
    }
}

/// A moment at which the members of a communicator were at one: what delays are counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Point {
    /// The own call.
    pub(crate) span: SpanRow,
    /// From when on all go their ways.
    pub(crate) begin: i64,
    /// Whose members; none for everybody.
    pub(crate) comm: CommId,
    /// Where the call is.
    pub(crate) location: LocationId,
}

/// All waits of a run.
#[derive(Debug, Default)]
pub struct Waits {
    /// By row, then in the order in which calls were entered.
    pub list: LongList<Wait>,
    /// Where a row's waits begin in the list, and where the last one's end.
    pub first: Vec<usize>,
    /// In the order of calls: moments at which they were at one with others. Only until delays are known.
    pub(crate) points: LongList<Point>,
    /// Calls that ended before what they needed began, and by how much at most.
    pub violations: u64,
    /// The largest of these.
    pub largest_violation: i64,
    /// Time in calls that communicate and that nothing is known of: ends without partner, doubtful collectives.
    pub unexplained: i64,
    /// Tests that found nothing, and requests that were completed by tests.
    pub tests: u64,
}

impl Waits {
    /// Finds them.
    pub fn new(rows: &Rows<'_>, progress: &dyn Progress) -> Result<Waits, StoreError> {
        progress.begin(WAITS, rows.store.messages.len() + rows.store.collective_members.len());
        let mut together = collective::collectives(rows, progress)?;
        let points = std::mem::take(&mut together.points);
        let of_row = |row: usize| -> Result<message::RowWaits, StoreError> {
            progress.check()?;
            let found = message::of_row(rows, row, together.waits.of(row));
            let received = rows.received(rows.locations[row]);
            progress.advance(received.end - received.start);
            Ok(found)
        };
        let mut waits = Waits {
            first: Vec::with_capacity(rows.len() + 1),
            list: LongList::new(&rows.room),
            violations: together.violations,
            largest_violation: together.largest_violation,
            points,
            unexplained: together.unexplained,
            tests: 0,
        };
        waits.first.push(0);
        let mut late = Marks::none(rows.store.messages.len());
        for batch in rows.batches() {
            let found: Vec<message::RowWaits> = batch.into_par_iter().map(of_row).collect::<Result<_, _>>()?;
            let mut list = Vec::new();
            for row in found {
                list.extend(row.waits);
                waits.first.push(waits.list.len() + list.len());
                waits.violations += row.violations;
                waits.largest_violation = waits.largest_violation.max(row.largest_violation);
                waits.unexplained += row.unexplained;
                waits.tests += row.tests;
                row.late_receivers.iter().for_each(|message| late.set(*message));
            }
            waits.list.extend(&list)?;
        }
        rows.know_late_receivers(late);
        Ok(waits)
    }

    /// The waits of a row.
    pub fn of(&self, row: usize) -> &[Wait] {
        &self.list[self.first[row]..self.first[row + 1]]
    }

    /// All waiting, in nanoseconds over all rows.
    pub fn total(&self) -> i64 {
        self.list.iter().map(|wait| wait.wait).sum()
    }

    /// The points of a row.
    pub(crate) fn points_of(&self, rows: &Rows<'_>, row: usize) -> &[Point] {
        let own = rows.store.spans_of(rows.locations[row]);
        let from = self.points.partition_point(|point| point.span.0 < own.start);
        let to = from + self.points[from..].partition_point(|point| point.span.0 < own.end);
        &self.points[from..to]
    }
}

impl WaitKind {
    /// Whether all members of a collective wait for one, and are at one afterwards.
    pub(crate) fn is_everybodys(self) -> bool {
        matches!(self, WaitKind::Barrier | WaitKind::AllToAll | WaitKind::Finalize)
    }
}

/// What collectives of a kind make their members wait for.
pub(crate) fn wait_kind(op: CollectiveOp, end: WorldEnd) -> Option<WaitKind> {
    if end == WorldEnd::Finalize {
        return Some(WaitKind::Finalize);
    }
    Some(match dependence(op)? {
        Dependence::All if op == CollectiveOp::BARRIER => WaitKind::Barrier,
        Dependence::All => WaitKind::AllToAll,
        Dependence::Root => WaitKind::LateBroadcast,
        Dependence::IntoRoot => WaitKind::EarlyReduce,
        Dependence::Lower => WaitKind::EarlyScan,
    })
}
