//! Whether the clocks of a trace agree well enough to speak of time.
//!
//! Nothing ends before what it needs begins: a receive not before its send, a member of a barrier not before the last comes, a
//! broadcast not before its root. Where that is violated, clocks disagree by at least as much. Most disagreements do no harm,
//! being far shorter than the waits of the run. But waits as short as the disagreement are made of it: then nothing is to
//! be said about time.

use heddle_model::LocationId;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::histogram::Histogram;
use crate::rows::Rows;
use crate::waits::{Wait, Waits, dependence, has_payload, look, members_of};

/// Fewer violations are odd records rather than clocks.
const LEAST_SHARE: f64 = 0.001;
/// Clocks that disagree by this part of a typical wait decide who waited for whom.
const PART_OF_A_WAIT: f64 = 0.1;
/// So many violations decide it too, if clocks disagree by this part of the wait in the middle: then the long waits are
/// right, and who is behind whom in between is not.
const MANY: f64 = 0.05;
const PART_OF_A_MIDDLE_WAIT: f64 = 0.25;
/// One wrong clock among a thousand violates little of the whole, but this part of the messages of its own location, which
/// must be so many at least.
const MUCH_OF_ONE: f64 = 0.1;
const LEAST_OF_ONE: u64 = 10;
/// Nine of ten violations are shorter than what clocks are said to disagree by: single records are not believed.
const MOST: f64 = 0.9;
/// Collectives that are looked at in one go.
const AT_ONCE: u64 = 1 << 10;

/// How far the clocks of a trace can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clocks {
    /// Messages and members of collectives that ended before what they needed began.
    pub violations: u64,
    /// Out of how many.
    pub checked: u64,
    /// The largest of these, in nanoseconds.
    pub largest: i64,
    /// Between whom that was: who came too late, and who ended too early.
    pub between: Option<(LocationId, LocationId)>,
    /// What clocks disagree by, in nanoseconds: nine of ten violations are shorter.
    pub error: f64,
    /// A typical wait, in nanoseconds: half of all waiting is in longer ones.
    pub typical_wait: f64,
    /// Waits would be made from the disagreement: nothing is to be said about time.
    pub is_broken: bool,
}

/// What was looked at so far.
#[derive(Default)]
struct Checked {
    count: u64,
    sizes: Histogram,
    largest: Option<(i64, LocationId, LocationId)>,
    /// Messages at either end of which a clock must be wrong, by location.
    ends: FxHashMap<LocationId, u64>,
}

impl Checked {
    /// Somebody needed somebody else, who came earlier by some time; negative if it was later.
    fn check(&mut self, ahead: i64, needed: LocationId, needs: LocationId) {
        self.count += 1;
        if ahead < 0 {
            self.sizes.add(-ahead as f64);
            self.largest = self.largest.max(Some((-ahead, needed, needs)));
        }
    }

    fn merge(mut self, other: Checked) -> Checked {
        self.count += other.count;
        self.sizes.merge(other.sizes);
        self.largest = self.largest.max(other.largest);
        for (end, count) in other.ends {
            *self.ends.entry(end).or_default() += count;
        }
        self
    }

    /// Whether one location's clock disagrees with all others that it exchanges messages with.
    fn has_one_wrong(&self, rows: &Rows<'_>) -> bool {
        let worst = self.ends.iter().max_by_key(|(end, count)| (**count, std::cmp::Reverse(**end)));
        worst.is_some_and(|(end, count)| {
            let (sent, received) = (rows.sent(*end), rows.received(*end));
            let all = (sent.end - sent.start) + (received.end - received.start);
            *count >= LEAST_OF_ONE && *count as f64 >= MUCH_OF_ONE * all as f64
        })
    }
}

/// Looks at the clocks of a trace.
pub fn clocks(rows: &Rows<'_>, waits: &Waits) -> Clocks {
    let messages = (0..rows.len()).into_par_iter().map(|row| of_messages(rows, row));
    let all = messages.reduce(Checked::default, Checked::merge);
    let payload = has_payload(rows);
    let count = rows.store.collectives.len();
    let parts = (0..count.div_ceil(AT_ONCE)).into_par_iter().map(|part| {
        let mut checked = Checked::default();
        (part * AT_ONCE..((part + 1) * AT_ONCE).min(count))
            .for_each(|collective| of_collective(rows, collective, payload, &mut checked));
        checked
    });
    let all = parts.reduce(Checked::default, Checked::merge).merge(all);
    let violations = all.sizes.total();
    let error = all.sizes.quantile(MOST).unwrap_or(0.0);
    let (typical_wait, middle_wait) = typical(waits);
    let share = violations as f64 / all.count.max(1) as f64;
    let decides = (share > LEAST_SHARE || all.has_one_wrong(rows)) && error >= PART_OF_A_WAIT * typical_wait;
    let confuses = share > MANY && error >= PART_OF_A_MIDDLE_WAIT * middle_wait;
    Clocks {
        violations,
        checked: all.count,
        largest: all.largest.map_or(0, |largest| largest.0),
        between: all.largest.map(|(_, needed, needs)| (needed, needs)),
        error,
        typical_wait,
        is_broken: decides || confuses,
    }
}

fn of_messages(rows: &Rows<'_>, row: usize) -> Checked {
    let (messages, order) = (&rows.store.messages, &rows.store.messages_by_receive);
    let location = rows.locations[row];
    let mut checked = Checked::default();
    for message in order.message.iter(rows.received(location)) {
        let sender = messages.send_location.get(message);
        let Some(span) = messages.recv_span.get(message).some() else { continue };
        if sender == location || rows.of(sender).is_none() {
            continue;
        }
        let ahead = rows.call(span).1 - rows.sent_at(message);
        checked.check(ahead, sender, location);
        if ahead < 0 {
            for end in [sender, location] {
                *checked.ends.entry(end).or_default() += 1;
            }
        }
    }
    checked
}

fn of_collective(rows: &Rows<'_>, collective: u64, payload: bool, checked: &mut Checked) {
    let table = &rows.store.collectives;
    let Some(needs) = dependence(table.op.get(collective)).filter(|_| table.doubtful.get(collective) == 0) else {
        return;
    };
    let (members, root) = members_of(rows, collective, payload);
    if members.len() < 2 {
        return;
    }
    let seen = look(needs, &members, root);
    let needing = seen.waits.iter().flatten().count() as u64;
    checked.count += needing.max(seen.violations.len() as u64);
    for (size, needed, needs) in &seen.violations {
        checked.sizes.add(*size as f64);
        let (needed, needs) = (members[*needed].location, members[*needs].location);
        checked.largest = checked.largest.max(Some((*size, needed, needs)));
    }
}

/// The wait that half of all waiting is longer than, and the one that half of all waits are.
fn typical(waits: &Waits) -> (f64, f64) {
    let count = waits.list.len() as u64;
    let half = u64::try_from(waits.total()).unwrap_or(0) / 2;
    let weighty = reaching(&waits.list, half, |length| length);
    let middle = reaching(&waits.list, count / 2 + 1, |_| 1);
    (weighty.unwrap_or(0) as f64, middle.unwrap_or(0) as f64)
}

/// Bits of a length that are told at a time.
const DIGIT: u32 = 16;

/// The least length of a wait such that all waits up to it weigh as much. Digit by digit, the highest first: of very many waits
/// there is no place for a sorted list.
fn reaching(list: &[Wait], wanted: u64, weight: impl Fn(u64) -> u64 + Sync) -> Option<u64> {
    let (mut known, mut left) = (0, wanted);
    for digit in (0..u64::BITS / DIGIT).rev() {
        let shift = digit * DIGIT;
        // By digit: whether there are waits, and what they weigh.
        let mut found = vec![(false, 0_u64); 1 << DIGIT];
        for wait in list {
            let length = wait.wait.max(0) as u64;
            if length.checked_shr(shift + DIGIT).unwrap_or(0) == known {
                let (is_any, sum) = &mut found[(length >> shift) as usize & ((1 << DIGIT) - 1)];
                (*is_any, *sum) = (true, sum.saturating_add(weight(length)));
            }
        }
        let mut sum = 0_u64;
        let at = found.iter().position(|(is_any, more)| {
            sum = sum.saturating_add(*more);
            *is_any && sum >= left
        })?;
        left = left.saturating_sub(sum - found[at].1);
        known = known << DIGIT | at as u64;
    }
    Some(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;
    use heddle_testkit::Chance;

    #[test]
    fn typical_waits_are_those_of_a_sorted_list() {
        let mut chance = Chance(3);
        for count in 0..60_usize {
            let most = 1 << (count % 40);
            let mut lengths: Vec<i64> = (0..count).map(|_| (chance.next() % most) as i64).collect();
            let list: Vec<Wait> = lengths.iter().map(|wait| Wait { wait: *wait, ..Wait::zeroed() }).collect();
            lengths.sort_unstable();
            for wanted in [0, 1, lengths.iter().sum::<i64>() as u64 / 2] {
                let mut below = 0;
                let found = lengths.iter().find(|length| {
                    below += **length as u64;
                    below >= wanted
                });
                assert_eq!(reaching(&list, wanted, |length| length), found.map(|found| *found as u64), "{lengths:?}");
            }
            let middle = lengths.get(count / 2).map(|length| *length as u64);
            assert_eq!(reaching(&list, count as u64 / 2 + 1, |_| 1), middle);
        }
    }
}
