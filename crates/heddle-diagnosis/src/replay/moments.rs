//! What each row does, as a list of moments: built once, read by every replay.
//!
//! Most moments say little: a message is issued right after another, a need follows another in the same call. So they are
//! kept as bytes, about four each: what happens, then only those of the four numbers that are not nothing, seven bits a byte.

use heddle_model::{Ns, RegionId, SpanRow};
use heddle_store::Cursor;

use super::joints::Joining;
use super::needs::Needs;
use crate::rows::Rows;
use crate::waits::{Waits, late_receiver};

/// What happens at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Time passes.
    Nothing,
    /// A message is issued: a row of the table of messages.
    Issue,
    /// A message must have been issued.
    NeedIssued,
    /// A receive is posted.
    Post,
    /// A receive must have been posted.
    NeedPosted,
    /// A collective is joined: a row of the table of collectives; for the world's end one beyond it.
    Join,
    /// Those that this member depends on must have joined.
    NeedJoined,
}

impl What {
    const ALL: [What; 7] =
        [What::Nothing, What::Issue, What::NeedIssued, What::Post, What::NeedPosted, What::Join, What::NeedJoined];
}

/// A moment of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) what: What,
    pub(super) which: u32,
    /// Computing since the moment before.
    pub(super) computing: i64,
    /// Communication since the moment before, without waiting.
    pub(super) communication: i64,
    /// Waiting since the moment before.
    pub(super) waited: i64,
}

/// Bits of the first byte of a moment, above what happens: which numbers follow.
const HAS_COMPUTING: u8 = 1 << 3;
const HAS_COMMUNICATION: u8 = 1 << 4;
const HAS_WAITED: u8 = 1 << 5;
const HAS_WHICH: u8 = 1 << 6;

/// The moments of a row, in order, as they are written.
#[derive(Debug, Default)]
struct Written {
    bytes: Vec<u8>,
}

/// The moments of a row, in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments<'a> {
    bytes: &'a [u8],
}

/// A place among the moments of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    at: usize,
    /// By what happens: what it was of last.
    last: [u32; What::ALL.len()],
}

impl Written {
    fn push(&mut self, place: &mut Place, moment: &Moment) {
        let expected = place.last[moment.what as usize].wrapping_add(1);
        let numbers = [
            (HAS_WHICH, zigzag(i64::from(moment.which) - i64::from(expected))),
            (HAS_COMPUTING, moment.computing as u64),
            (HAS_COMMUNICATION, moment.communication as u64),
            (HAS_WAITED, moment.waited as u64),
        ];
        let there = numbers.iter().filter(|(_, number)| *number > 0);
        self.bytes.push(there.clone().fold(moment.what as u8, |first, (bit, _)| first | bit));
        for (_, number) in there {
            let mut rest = *number;
            while rest > 0x7f {
                self.bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            self.bytes.push(rest as u8);
        }
        place.last[moment.what as usize] = moment.which;
    }
}

impl<'a> Moments<'a> {
    /// Those that were written.
    pub(super) fn of(bytes: &'a [u8]) -> Moments<'a> {
        Moments { bytes }
    }

    /// The moment at a place, and the place after it; none at the end.
    #[inline]
    pub(super) fn get(&self, mut place: Place) -> Option<(Moment, Place)> {
        let first = *self.bytes.get(place.at)?;
        place.at += 1;
        let what = What::ALL.get(usize::from(first & 7)).copied().unwrap_or(What::Nothing);
        let mut number = |bit: u8| if first & bit == 0 { 0 } else { self.number(&mut place.at) };
        let which = unzigzag(number(HAS_WHICH));
        let (computing, communication) = (number(HAS_COMPUTING) as i64, number(HAS_COMMUNICATION) as i64);
        let waited = number(HAS_WAITED) as i64;
        let last = &mut place.last[what as usize];
        *last = (i64::from(last.wrapping_add(1)) + which) as u32;
        Some((Moment { what, which: *last, computing, communication, waited }, place))
    }

    #[inline]
    fn number(&self, at: &mut usize) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some(byte) = self.bytes.get(*at) {
            *at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 || shift > 63 {
                break;
            }
        }
        number
    }
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Something at a moment: when, in which call, whether it needs something, and what.
type Dated = (i64, SpanRow, bool, What, u32);

/// Memory that is used again for the next row.
#[derive(Default)]
pub(super) struct Scratch {
    dated: Vec<Dated>,
    moments: Written,
}

/// The moments of a row, in order, as [`Moments`] reads them; notes which messages somebody needs.
pub(super) fn moments(
    rows: &Rows<'_>,
    waits: &Waits,
    row: usize,
    joins: &[Joining],
    needs: &Needs,
    scratch: &mut Scratch,
) -> Vec<u8> {
    let location = rows.locations[row];
    let Scratch { dated, moments } = scratch;
    dated.clear();
    moments.bytes.clear();
    messages_of(rows, row, needs, dated);
    for joining in joins {
        if joining.counts == 1 {
            dated.push((joining.begin, joining.span, false, What::Join, joining.collective));
        }
        if joining.needs == 1 {
            dated.push((joining.enter, joining.span, true, What::NeedJoined, joining.collective));
        }
    }
    dated.sort_unstable_by_key(|(time, span, is_need, what, which)| (*time, *span, *is_need, *what as u8, *which));
    let last = rows.last(location);
    dated.push((last.max(dated.last().map_or(i64::MIN, |last| last.0)), SpanRow::NONE, true, What::Nothing, 0));
    let mut sweep = Sweep::new(rows, waits, row);
    let mut place = Place::default();
    for (time, _, _, what, which) in dated {
        let (computing, communication, waited) = sweep.until(*time);
        moments.push(&mut place, &Moment { what: *what, which: *which, computing, communication, waited });
    }
    moments.bytes.as_slice().to_vec()
}

/// What a row issues, posts and needs of messages.
fn messages_of(rows: &Rows<'_>, row: usize, needs: &Needs, dated: &mut Vec<Dated>) {
    let (store, location) = (rows.store, rows.locations[row]);
    let messages = &store.messages;
    let sent = rows.sent(location);
    let mut starts = store.spans.start.cursor();
    for (message, span) in sent.clone().zip(messages.send_span.iter(sent)) {
        let begin = span.some().map_or_else(|| messages.send.get(message).0, |span| starts.get(span.0).0);
        dated.push((begin, span, false, What::Issue, message as u32));
        if let Some(late) = late_receiver(rows, message) {
            dated.push((late.enter, late.completes, true, What::NeedPosted, message as u32));
        }
    }
    let mut ends = store.spans.end.cursor();
    for message in store.messages_by_receive.message.iter(rows.received(location)) {
        let sender = messages.send_location.get(message);
        if sender == location || rows.of(sender).is_none() {
            continue;
        }
        if let Some(late) = late_receiver(rows, message) {
            dated.push((late.arrival, late.posts, false, What::Post, message as u32));
        }
        let Some(span) = messages.recv_span.get(message).some() else { continue };
        let sent = rows.sent_at(message);
        let asking = rows.asking(location, span, sent);
        let (enter, leave) = (starts.get(asking.0).0, ends.get(asking.0).0);
        let tests = || rows.class(store.spans.region.get(asking.0)).tests;
        // A receive that ended before its send began, or a test that did not wait, needed nothing.
        if sent <= leave && !(sent > enter && tests()) {
            needs.note(message);
            dated.push((enter, asking, true, What::NeedIssued, message as u32));
        }
    }
}

/// Goes through a row and tells computing from communication.
struct Sweep<'a> {
    rows: &'a Rows<'a>,
    starts: Cursor<'a, Ns>,
    ends: Cursor<'a, Ns>,
    regions: Cursor<'a, RegionId>,
    waits: &'a Waits,
    row: usize,
    time: i64,
    /// The next call to look at, and the outermost call that communicates at or before the time.
    next: u64,
    end: u64,
    call: (i64, i64),
    wait: usize,
}

impl<'a> Sweep<'a> {
    fn new(rows: &'a Rows<'a>, waits: &'a Waits, row: usize) -> Sweep<'a> {
        let own = rows.store.spans_of(rows.locations[row]);
        let start = rows.run.0.0;
        let spans = &rows.store.spans;
        Sweep {
            rows,
            starts: spans.start.cursor(),
            ends: spans.end.cursor(),
            regions: spans.region.cursor(),
            waits,
            row,
            time: start,
            next: own.start,
            end: own.end,
            call: (start, start),
            wait: 0,
        }
    }

    /// Computing, communication without waiting, and waiting since the last time.
    fn until(&mut self, time: i64) -> (i64, i64, i64) {
        let from = self.time;
        if time <= from {
            return (0, 0, 0);
        }
        let mut communication = overlap(self.call, (from, time));
        while self.next < self.end {
            let start = self.starts.get(self.next).0;
            if start >= time {
                break;
            }
            if start >= self.call.1 && self.rows.class(self.regions.get(self.next)).communicates {
                self.call = (start, self.ends.get(self.next).0);
                communication += overlap(self.call, (from, time));
            }
            self.next += 1;
        }
        let mut waited = 0;
        let own = self.waits.of(self.row);
        while let Some(wait) = own.get(self.wait) {
            // Who went on before the other came needs nothing of it in a replay.
            if !wait.is_capped() {
                waited += overlap((wait.enter, wait.end()), (from, time));
            }
            if wait.end() > time {
                break;
            }
            self.wait += 1;
        }
        self.time = time;
        let waited = waited.min(communication);
        (time - from - communication, communication - waited, waited)
    }
}

fn overlap(a: (i64, i64), b: (i64, i64)) -> i64 {
    (a.1.min(b.1) - a.0.max(b.0)).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_they_were_written() {
        let moment =
            |what, which, computing, communication, waited| Moment { what, which, computing, communication, waited };
        let all = [
            moment(What::Issue, 7, 0, 400, 0),
            moment(What::Issue, 8, 0, 0, 0),
            moment(What::NeedIssued, u32::MAX, i64::MAX, 0, 1),
            moment(What::NeedIssued, 0, 127, 128, i64::MAX),
            moment(What::NeedJoined, 3, 1 << 40, 0, 0),
            moment(What::Nothing, 0, 0, 0, 0),
        ];
        let (mut moments, mut place) = (Written::default(), Place::default());
        for moment in &all {
            moments.push(&mut place, moment);
        }
        let (moments, mut place) = (Moments::of(&moments.bytes), Place::default());
        for expected in &all {
            let (found, next) = moments.get(place).unwrap();
            assert_eq!(format!("{found:?}"), format!("{expected:?}"));
            place = next;
        }
        assert!(moments.get(place).is_none());
    }
}
