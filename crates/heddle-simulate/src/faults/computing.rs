//! What faults do to computations: how long one takes follows from what it is and when it begins, so it can be worked out again when
//! records are made. Only which computation a stall befell is kept.

use super::{Growth, When};
use crate::chance::{self, Draw};
use crate::machine::{LATEST, Machine};
use crate::program::Own;

/// A computation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Computation {
    pub(crate) rank: u32,
    pub(crate) region: Own,
    pub(crate) mean_ns: u64,
    /// Among those of its rank: stage and position.
    pub(crate) place: u64,
    /// When it begins.
    pub(crate) start: i64,
}

/// A computation that a stall befell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stalled {
    /// Number of the effect.
    effect: usize,
    place: u64,
}

/// What a fault does to computations.
#[derive(Debug)]
pub(super) struct Effect {
    /// By rank, whether it is befallen; empty for all.
    pub(super) who: Vec<bool>,
    pub(super) what: What,
    /// Number of its fault.
    pub(super) fault: usize,
}

#[derive(Debug)]
pub(super) enum What {
    Factor {
        factor: f64,
        when: When,
        function: Option<Own>,
    },
    /// By rank.
    Factors(Vec<f64>),
    Drift(Growth),
    Noise {
        every: i64,
        busy: i64,
        at: Option<i64>,
    },
    Stall {
        at: i64,
        length: i64,
    },
}

/// Nanoseconds in a second.
const SECOND: f64 = 1e9;

impl Effect {
    fn befalls(&self, rank: u32) -> bool {
        self.who.is_empty() || self.who[rank as usize]
    }
}

/// By how much a computation is slowed, and by which faults (a bit for each). `stages` is how many its rank goes through.
pub(super) fn factor(effects: &[Effect], of: &Computation, stages: u32) -> (f64, u64) {
    let (mut product, mut felt) = (1.0, 0);
    for effect in effects.iter().filter(|effect| effect.befalls(of.rank)) {
        product *= match &effect.what {
            What::Factor { factor, when, function } => {
                if !when.contains(of.start) || function.is_some_and(|function| function != of.region) {
                    continue;
                }
                *factor
            }
            What::Factors(by_rank) => by_rank[of.rank as usize],
            What::Drift(Growth::To(to)) => {
                let stage = (of.place >> 32) as f64;
                1.0 + (to - 1.0) * if stages > 1 { stage / f64::from(stages - 1) } else { 1.0 }
            }
            What::Drift(Growth::PerSecond(gain)) => 1.0 + gain * of.start as f64 / SECOND,
            What::Noise { .. } | What::Stall { .. } => continue,
        };
        felt |= 1 << effect.fault;
    }
    (product, felt)
}

/// How long a computation takes that would take so long if nothing stopped it, and which faults did.
pub(super) fn interrupted(effects: &[Effect], of: &Computation, machine: &Machine, mut length: i64) -> (i64, u64) {
    let mut felt = 0;
    for effect in effects.iter().filter(|effect| effect.befalls(of.rank)) {
        let What::Noise { every, busy, at } = effect.what else { continue };
        let phase = at.unwrap_or_else(|| {
            let bits = chance::bits(machine.seed, Draw::Phase, of.rank, effect.fault as u64);
            (bits % every.unsigned_abs()) as i64
        });
        let stopped = stopped(of.start + every - phase % every, length, every, busy);
        if stopped > length {
            felt |= 1 << effect.fault;
        }
        length = stopped.min(LATEST);
    }
    (length, felt)
}

/// How long work takes that begins at a time and is stopped for the first `busy` of `every` nanoseconds.
fn stopped(start: i64, work: i64, every: i64, busy: i64) -> i64 {
    if work == 0 {
        return 0;
    }
    let free = every - busy;
    let done_before = start / every * free + (start % every - busy).max(0);
    let until = done_before.saturating_add(work);
    let (laps, rest) = (until / free, until % free);
    // Work that ends with an interval is not stopped by the next one.
    let end =
        if rest == 0 { laps.saturating_mul(every) } else { laps.saturating_mul(every).saturating_add(busy + rest) };
    end.saturating_sub(start)
}

/// By how much stalls prolong a computation. Each befalls a rank once: `befallen` are those that have.
pub(super) fn stall(effects: &[Effect], of: &Computation, length: i64, befallen: &mut Vec<Stalled>) -> (i64, u64) {
    let (mut added, mut felt) = (0, 0);
    for (number, effect) in effects.iter().enumerate().filter(|(_, effect)| effect.befalls(of.rank)) {
        let What::Stall { at, length: stalled } = effect.what else { continue };
        if of.start + length > at && befallen.iter().all(|other| other.effect != number) {
            befallen.push(Stalled { effect: number, place: of.place });
            added += stalled;
            felt |= 1 << effect.fault;
        }
    }
    (added, felt)
}

/// The same afterwards, when it is known which computations were befallen.
pub(super) fn stalled(effects: &[Effect], place: u64, befallen: &[Stalled]) -> i64 {
    let here = befallen.iter().filter(|stalled| stalled.place == place);
    here.map(|stalled| match effects[stalled.effect].what {
        What::Stall { length, .. } => length,
        _ => 0,
    })
    .sum()
}

#[cfg(test)]
mod tests {
    use super::stopped;

    /// Nanosecond by nanosecond.
    fn plainly(start: i64, work: i64, every: i64, busy: i64) -> i64 {
        let (mut now, mut done) = (start, 0);
        while done < work {
            done += i64::from(now % every >= busy);
            now += 1;
        }
        now - start
    }

    #[test]
    fn work_waits_while_the_processor_is_away() {
        for (every, busy) in [(10, 3), (7, 1), (5, 4), (4, 0)] {
            for start in 0..30 {
                for work in 0..40 {
                    let expected = plainly(start, work, every, busy);
                    assert_eq!(stopped(start, work, every, busy), expected, "{work} from {start}, {busy} of {every}");
                }
            }
        }
    }
}
