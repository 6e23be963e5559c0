//! The critical path: the chain of work and messages that decided how long the run took.
//!
//! Walked backwards. A row is followed to its last wait; there the path goes on with the culprit, at the moment it arrived.
//! Pieces touch, so their lengths add up to the run. Without a wait the path stays on its row: it never moves for a message
//! that was there already.

use heddle_model::{LocationId, Ns};

use crate::rows::Rows;
use crate::waits::Waits;

/// A stretch of the path on one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathPiece {
    /// Whose.
    pub location: LocationId,
    /// When it begins.
    pub start: Ns,
    /// When it ends.
    pub end: Ns,
}

/// The pieces of the path in the order of time.
pub(crate) fn path(rows: &Rows<'_>, waits: &Waits) -> Vec<PathPiece> {
    let Some((mut row, mut time)) = end(rows, waits) else { return Vec::new() };
    let mut pieces = Vec::new();
    // Each hop goes back in time or to an earlier call, unless clocks disagree.
    let most = 2 * waits.list.len() + rows.len() + 1;
    // Calls of a row beyond which the path does not come back to it.
    let mut bound: Vec<usize> = (0..rows.len()).map(|row| waits.of(row).len()).collect();
    for _ in 0..most {
        let own = waits.of(row);
        let before = own[..bound[row]].partition_point(|wait| wait.enter < time);
        let last = before.checked_sub(1).map(|at| (at, &own[at])).filter(|(_, wait)| rows.of(wait.culprit).is_some());
        let Some((at, wait)) = last else { break };
        bound[row] = at;
        let until = wait.end().min(time);
        if until < time {
            pieces.push(PathPiece { location: rows.locations[row], start: Ns(until), end: Ns(time) });
        }
        time = until;
        row = rows.of(wait.culprit).unwrap_or(row);
    }
    if rows.run.0.0 < time {
        pieces.push(PathPiece { location: rows.locations[row], start: rows.run.0, end: Ns(time) });
    }
    pieces.reverse();
    pieces
}

/// Where the path ends: on the row that ends last; where several end in the same moment, on the one that waited least at the
/// end, which is the last to come to a common end.
fn end(rows: &Rows<'_>, waits: &Waits) -> Option<(usize, i64)> {
    let last = |row: usize| rows.last(rows.locations[row]);
    let waited = |row: usize| {
        let at_end = waits.of(row).last().filter(|wait| rows.call(wait.span).1 >= last(row));
        at_end.map_or(0, |wait| wait.wait)
    };
    let row = (0..rows.len()).min_by_key(|row| (std::cmp::Reverse(last(*row)), waited(*row)))?;
    Some((row, last(row)))
}
