//! Messages in the order of receiving.
//!
//! Receives lie by location, in the order of posting. Once it is known which of them got which message, one walk over them gives
//! each location its messages, which are then sorted by time. That is done in rounds of as many locations as fit the memory
//! budget, several rounds at once.

use std::ops::Range;

use rayon::prelude::*;

use heddle_model::Ns;

use super::ends::{EndState, RecvEnd};
use super::spill::{Spill, first_of_block};
use super::{BuildContext, CommsInUse, LocationTotals, Walked};
use crate::StoreError;
use crate::table::TableWriter;
use crate::tables::MessageByReceiveRows;

/// Memory that a receive takes in a round: its message, and that once more with the time.
const BYTES_PER_RECEIVE: u64 = 24;

/// Fewer than so many are not worth a round.
const FEW: u64 = 1 << 16;

/// In the place of a message, where a receive got none.
const NO_MESSAGE: u64 = u64::MAX;

/// Writes the table of messages by receiving. `received` has for each message the number of its receive; `visit` is shown the
/// communicators of all receives and, in order, those that are left without a message.
pub(super) fn write_by_receive(
    context: &BuildContext,
    walked: &Walked,
    received: &Spill<u64>,
    mut visit: impl FnMut(&CommsInUse, &[RecvEnd]) -> Result<(), StoreError> + Send,
) -> Result<(), StoreError> {
    let mut writer = TableWriter::<MessageByReceiveRows>::create(context.directory)?;
    let at_once = rayon::current_num_threads().max(1);
    let most = (context.memory / 8 / BYTES_PER_RECEIVE / at_once as u64).max(FEW);
    // Which receives the messages of a block lie among: most blocks have none of a round.
    let blocks = received.map_blocks(|numbers| {
        let numbers = || numbers.iter().copied();
        numbers().min().unwrap_or(0)..numbers().max().map_or(0, |last| last + 1)
    });
    let mut write = |rounds: Vec<Round>| {
        rounds.into_iter().try_for_each(|round| {
            visit(&round.comms, &round.left)?;
            writer.append(MessageByReceiveRows { message: round.messages })
        })
    };
    let mut done = Vec::new();
    for rounds in rounds(&walked.locations, most).chunks(at_once) {
        context.progress.check()?;
        let round = |(locations, receives): &(Range<usize>, Range<u64>)| {
            let messages = messages_of(received, &blocks, receives);
            Round::new(walked, &walked.locations[locations.clone()], receives.start, &messages)
        };
        let previous = std::mem::take(&mut done);
        let written;
        (done, written) = rayon::join(|| rounds.par_iter().map(round).collect(), || write(previous));
        written?;
    }
    write(done)?;
    writer.finish()?;
    Ok(())
}

/// Locations by rounds, and the numbers of their receives: as many whole locations as fit; one alone is taken whatever its size.
fn rounds(locations: &[LocationTotals], most: u64) -> Vec<(Range<usize>, Range<u64>)> {
    let mut rounds: Vec<(Range<usize>, Range<u64>)> = Vec::new();
    let mut last = 0;
    for (at, location) in locations.iter().enumerate() {
        let first = last;
        last += location.receives;
        match rounds.last_mut().filter(|(_, receives)| last - receives.start <= most) {
            Some((locations, receives)) => (locations.end, receives.end) = (at + 1, last),
            None => rounds.push((at..at + 1, first..last)),
        }
    }
    rounds
}

/// What a round gives.
struct Round {
    /// The messages that its locations received, in order.
    messages: Vec<u64>,
    comms: CommsInUse,
    /// Receives without a message, unless they were cancelled.
    left: Vec<RecvEnd>,
}

impl Round {
    /// That of some locations, whose receives begin with a number and got these messages.
    fn new(walked: &Walked, locations: &[LocationTotals], first: u64, messages: &[u64]) -> Round {
        let mut round = Round { messages: Vec::new(), comms: CommsInUse::default(), left: Vec::new() };
        let mut received: Vec<(Ns, u64)> = Vec::with_capacity(messages.len());
        let mut of_location = Vec::with_capacity(locations.len());
        let mut recvs = walked.recvs.iter_from(first);
        let mut next = messages.iter();
        for location in locations {
            let before = received.len();
            for (message, recv) in next.by_ref().zip(recvs.by_ref()).take(location.receives as usize) {
                round.comms.note(recv.envelope.comm);
                if *message != NO_MESSAGE {
                    received.push((recv.time, *message));
                } else if recv.state != EndState::CANCELLED {
                    round.left.push(recv);
                }
            }
            of_location.push(received.len() - before);
        }
        sort_each(&mut received, &of_location);
        round.messages.extend(received.iter().map(|(_, message)| *message));
        round
    }
}

/// The messages that some receives got.
fn messages_of(received: &Spill<u64>, blocks: &[Range<u64>], receives: &Range<u64>) -> Vec<u64> {
    let mut messages = vec![NO_MESSAGE; (receives.end - receives.start) as usize];
    for (block, numbers) in blocks.iter().enumerate() {
        if numbers.start >= receives.end || numbers.end <= receives.start {
            continue;
        }
        for (message, recv) in (first_of_block(block)..).zip(received.keys_of_block(block).iter()) {
            let place = recv.checked_sub(receives.start).and_then(|at| messages.get_mut(at as usize));
            if let Some(place) = place {
                *place = message;
            }
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
