//! What collectives take after the last has come: the network's part of them.

use heddle_model::CollectiveOp;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::way::class_of;
use crate::rows::Rows;
use crate::waits::{Dependence, Member, dependence, has_payload, members_of};

/// Collectives that are looked at in one go.
pub(super) const AT_ONCE: u64 = 1 << 10;

/// A collective of which it shows how long it took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Together {
    /// Its row.
    pub(super) collective: u64,
    pub(super) op: CollectiveOp,
    pub(super) members: u32,
    /// What a member gives or gets, whichever is more.
    pub(super) bytes: u64,
    /// When the last came.
    pub(super) begin: i64,
    /// How long it took from there until the first was through.
    pub(super) time: i64,
    /// How many times as long as the fastest of its kind, a few left out.
    pub(super) ratio: f64,
}

impl Together {
    /// Steps from the first message to the last in which nothing else can be done: levels of a tree.
    fn levels(&self) -> f64 {
        f64::from(self.members.next_power_of_two().trailing_zeros())
    }

    /// What it should take at most with a latency and a time per byte.
    pub(super) fn at_most(&self, latency: f64, per_byte: f64) -> f64 {
        let bytes = self.bytes as f64 * per_byte;
        match self.op.name() {
            "alltoall" | "allgather" | "allgatherv" | "reduce_scatter" | "reduce_scatter_block" => {
                // One partner after the other, each message behind the one before.
                self.levels() * latency + f64::from(self.members) * PER_PARTNER + bytes
            }
            _ => self.levels() * (latency + bytes),
        }
    }
}

/// What each partner costs in an exchange of all with all, in nanoseconds.
const PER_PARTNER: f64 = 1_000.0;

/// All collectives in which everybody needs everybody.
pub(super) fn together(rows: &Rows<'_>, overhead: i64) -> Vec<Together> {
    let count = rows.store.collectives.len();
    let payload = has_payload(rows);
    let part = |part: u64| -> Vec<Together> {
        let of_part = part * AT_ONCE..((part + 1) * AT_ONCE).min(count);
        of_part.filter_map(|collective| one(rows, collective, payload, overhead)).collect()
    };
    let parts: Vec<Vec<Together>> = (0..count.div_ceil(AT_ONCE)).into_par_iter().map(part).collect();
    let mut all = parts.concat();
    let key = |one: &Together| (one.op, one.members, class_of(one.bytes));
    let mut times: FxHashMap<(CollectiveOp, u32, u16), Vec<f64>> = FxHashMap::default();
    for one in &all {
        times.entry(key(one)).or_default().push(one.time as f64);
    }
    let fast: FxHashMap<(CollectiveOp, u32, u16), f64> =
        times.iter_mut().map(|(key, times)| (*key, fastest(times))).collect();
    for one in &mut all {
        one.ratio = one.time as f64 / fast.get(&key(one)).copied().unwrap_or(1.0).max(1.0);
    }
    all
}

/// What the fastest fifth takes at most.
fn fastest(times: &mut [f64]) -> f64 {
    let at = times.len() / 5;
    *times.select_nth_unstable_by(at, f64::total_cmp).1
}

fn one(rows: &Rows<'_>, collective: u64, payload: bool, overhead: i64) -> Option<Together> {
    if dependence(rows.store.collectives.op.get(collective)) != Some(Dependence::All) {
        return None;
    }
    let (Over { op, bytes, begin, first, .. }, members) = over(rows, collective, payload, overhead)?;
    Some(Together { collective, op, members: members.len() as u32, bytes, begin, time: first - begin, ratio: 1.0 })
}

/// When a collective was over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Over {
    pub(super) op: CollectiveOp,
    /// What a member gives or gets, whichever is more.
    pub(super) bytes: u64,
    /// When the last came.
    pub(super) begin: i64,
    /// When the first and the last of those were through who were waiting for that.
    pub(super) first: i64,
    pub(super) last: i64,
}

/// When a collective was over, and its members; none if that does not show.
pub(super) fn over(rows: &Rows<'_>, collective: u64, payload: bool, overhead: i64) -> Option<(Over, Vec<Member>)> {
    let (table, columns) = (&rows.store.collectives, &rows.store.collective_members);
    let op = table.op.get(collective);
    if table.doubtful.get(collective) != 0 {
        return None;
    }
    let (members, _) = members_of(rows, collective, payload);
    let from = table.first_member.get(collective);
    let rows_of = from..from.saturating_add(u64::from(table.members.get(collective))).min(columns.len());
    if members.len() < 2 || rows_of.end - rows_of.start != members.len() as u64 {
        return None;
    }
    let begin = members.iter().map(|member| member.begin).max()?;
    // Only who was waiting at the end shows when that was.
    let ends = rows_of.clone().zip(&members).filter_map(|(row, member)| {
        let end = columns.end.get(row).0.clamp(member.enter, member.leave);
        (end - member.enter.max(begin) > 2 * overhead).then_some(end)
    });
    let (first, last) = ends.fold((i64::MAX, i64::MIN), |(first, last), end| (first.min(end), last.max(end)));
    let bytes = rows_of.map(|row| {
        let known = |bytes: u64| if bytes == u64::MAX { 0 } else { bytes };
        known(columns.sent.get(row)).max(known(columns.received.get(row)))
    });
    let bytes = bytes.max().unwrap_or(0);
    (first <= last).then_some((Over { op, bytes, begin, first, last }, members))
}
