//! Messages in the order of receiving.
//!
//! Receives lie by location, in the order of posting. Once it is known which of them got which message, one walk over them gives
//! each location its messages, which are then sorted by time. That is done in rounds of as many locations as fit the memory budget.

use rayon::prelude::*;

use heddle_model::Ns;

use super::ends::RecvEnd;
use super::spill::Spill;
use super::{BuildContext, Walked};
use crate::StoreError;
use crate::table::TableWriter;
use crate::tables::MessageByReceiveRows;

/// Memory that a receive takes in a round: its message, and that once more with the time.
const BYTES_PER_RECEIVE: u64 = 24;

/// In the place of a message, where a receive got none.
const NO_MESSAGE: u64 = u64::MAX;

/// Writes the table of messages by receiving. `received` has for each message the number of its receive; `visit` is shown all
/// receives in order, and whether they got a message.
pub(super) fn write_by_receive(
    context: &BuildContext,
    walked: &Walked,
    received: &Spill<u64>,
    mut visit: impl FnMut(&RecvEnd, bool) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut writer = TableWriter::<MessageByReceiveRows>::create(context.directory)?;
    let most = (context.memory / 8 / BYTES_PER_RECEIVE).max(1 << 16);
    let mut recvs = walked.recvs.iter();
    let mut locations = &walked.locations[..];
    let mut first = 0;
    while !locations.is_empty() {
        context.progress.check()?;
        // As many whole locations as fit; one location alone is taken whatever its size.
        let (mut taken, mut count) = (0, 0);
        while taken < locations.len() && (taken == 0 || count + locations[taken].receives <= most) {
            count += locations[taken].receives;
            taken += 1;
        }
        let messages = messages_of(received, first, count);
        let mut of_location = Vec::with_capacity(taken);
        let mut round: Vec<(Ns, u64)> = Vec::with_capacity(messages.len());
        let mut next = messages.iter();
        for location in &locations[..taken] {
            let before = round.len();
            for (message, recv) in next.by_ref().zip(recvs.by_ref()).take(location.receives as usize) {
                visit(&recv, *message != NO_MESSAGE)?;
                if *message != NO_MESSAGE {
                    round.push((recv.time, *message));
                }
            }
            of_location.push(round.len() - before);
        }
        sort_each(&mut round, &of_location);
        writer.append(MessageByReceiveRows { message: round.iter().map(|(_, message)| *message).collect() })?;
        first += count;
        locations = &locations[taken..];
    }
    writer.finish()?;
    Ok(())
}

/// The messages that some receives got, from a number on.
fn messages_of(received: &Spill<u64>, first: u64, count: u64) -> Vec<u64> {
    let mut messages = vec![NO_MESSAGE; count as usize];
    for (message, recv) in (0..).zip(received.iter()) {
        let place = recv.checked_sub(first).and_then(|at| messages.get_mut(at as usize));
        if let Some(place) = place {
            *place = message;
        }
    }
    messages
}

/// Sorts neighbouring stretches of these lengths, each by itself.
fn sort_each(entries: &mut [(Ns, u64)], lengths: &[usize]) {
    let mut rest = entries;
    let mut stretches = Vec::with_capacity(lengths.len());
    for length in lengths {
        let (stretch, behind) = rest.split_at_mut(*length);
        stretches.push(stretch);
        rest = behind;
    }
    stretches.into_par_iter().for_each(<[_]>::sort_unstable);
}
