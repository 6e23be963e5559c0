//! What slow messages took too long: time that a replay takes away.
//!
//! A call that completes several messages ends with the last of them, so it ends earlier only by as much as the last of all
//! would have come earlier.

use heddle_model::{LocationId, Ns};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::together::Together;
use super::usual::Usual;
use super::way::{Ground, Way, ways};
use crate::rows::Rows;
use crate::suspect::{Cut, Suspect};
use crate::waits::{late_receiver, members_of};

/// What the messages of a suspect's pairs took too long.
pub(super) fn cuts(rows: &Rows<'_>, ground: &Ground, usual: &Usual, suspect: &Suspect) -> Vec<Cut> {
    let pairs: FxHashSet<(LocationId, LocationId)> = suspect.pairs.iter().copied().collect();
    let mut receivers: Vec<usize> = suspect.pairs.iter().filter_map(|(_, to)| rows.of(*to)).collect();
    receivers.sort_unstable();
    receivers.dedup();
    let stretch = (suspect.since.0, suspect.until.0);
    let of_row = |row: &usize| {
        let is_of = |way: &Way| {
            pairs.contains(&(rows.locations[way.sender as usize], rows.locations[*row]))
                && stretch.0 < way.end
                && way.end - way.most < stretch.1
        };
        of_row(rows, ground, *row, |way| if is_of(way) { excess(usual, way) } else { 0 })
    };
    let found: Vec<Vec<Cut>> = receivers.par_iter().map(of_row).collect();
    once(found.concat())
}

/// What all messages and collectives of a stretch took longer than in the rest, where they took a multiple of the fastest.
pub(super) fn of_network(
    rows: &Rows<'_>,
    ground: &Ground,
    usual: &Usual,
    together: &[Together],
    suspect: &Suspect,
    rest: f64,
) -> Vec<Cut> {
    if rows.store.messages.len() > MOST_MESSAGES {
        return Vec::new();
    }
    let is_in = |begin: i64| suspect.since.0 <= begin && begin < suspect.until.0;
    let excess = |way: &Way| match usual.fastest(way.class).filter(|_| is_in(way.end - way.most)) {
        Some(fastest) => (way.least as f64 - fastest * rest).max(0.0) as i64,
        None => 0,
    };
    let found: Vec<Vec<Cut>> = (0..rows.len()).into_par_iter().map(|row| of_row(rows, ground, row, excess)).collect();
    let mut cuts = found.concat();
    for one in together.iter().filter(|one| is_in(one.begin) && one.ratio > rest) {
        let excess = (one.time as f64 * (1.0 - rest / one.ratio)) as i64;
        let (members, _) = members_of(rows, one.collective, true);
        cuts.extend(members.iter().filter_map(|member| {
            let excess = excess.min(member.leave - member.enter.max(one.begin));
            let (start, end) = (Ns(member.enter), Ns(member.leave));
            (excess > 0).then_some(Cut { location: member.location, start, end, excess })
        }));
    }
    once(cuts)
}

/// Runs with more messages are not replayed without their network: cuts would take as much memory as the messages.
const MOST_MESSAGES: u64 = 1 << 22;

/// Cuts in order, one for each call.
pub(super) fn once(mut cuts: Vec<Cut>) -> Vec<Cut> {
    cuts.sort_unstable();
    // A sender's call may have waited for several; it is shortened once, by the most.
    cuts.dedup_by(|later, first| {
        let is_same = (later.location, later.start) == (first.location, first.start);
        if is_same {
            first.excess = first.excess.max(later.excess);
            first.end = first.end.max(later.end);
        }
        is_same
    });
    cuts
}

fn of_row(rows: &Rows<'_>, ground: &Ground, row: usize, excess_of: impl Fn(&Way) -> i64) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let ways = ways(rows, ground, row);
    for together in ways.chunk_by(|a, b| a.call == b.call) {
        let (mut last, mut without) = (i64::MIN, i64::MIN);
        for way in together {
            let excess = excess_of(way);
            last = last.max(way.end);
            without = without.max(way.end - excess);
            if excess > 0 {
                cuts.extend(of_sender(rows, way, excess));
            }
        }
        let since = together[0].waiting_since;
        // Waiting for the sender is not the message's.
        let begin = together.iter().map(|way| way.end - way.most).max().unwrap_or(since).max(since);
        let excess = (last - without).min(last - begin);
        if excess > 0 {
            cuts.push(Cut { location: rows.locations[row], start: Ns(since), end: Ns(last), excess });
        }
    }
    cuts
}

/// How much longer than usual a message took.
fn excess(usual: &Usual, way: &Way) -> i64 {
    let Some(expected) = usual.of_class(way.class) else { return 0 };
    (way.least as f64 - expected.time).max(0.0) as i64
}

/// A send that was open until its message was through was longer by as much.
fn of_sender(rows: &Rows<'_>, way: &Way, excess: i64) -> Option<Cut> {
    let messages = &rows.store.messages;
    let completed = messages.completed.get(way.message);
    let span = messages.send_span.get(way.message).some()?;
    let sender = rows.locations[way.sender as usize];
    let call = if completed.is_some() { rows.call_around(sender, completed, span)? } else { span };
    let (enter, leave) = rows.call(call);
    let posted = late_receiver(rows, way.message).map_or(enter, |late| late.arrival.max(enter));
    let through = (leave - posted).min(excess);
    // One that ended long before the message came did not wait for it.
    (through > 0 && way.end - leave < way.most - excess).then_some(Cut {
        location: sender,
        start: Ns(enter),
        end: Ns(leave),
        excess: through,
    })
}
