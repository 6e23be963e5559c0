//! One location's clock: from raw ticks to global ticks to nanoseconds.
//!
//! Recorders measure how far a location's clock is off at a few moments; between two of them the offset
//! is a straight line. The arithmetic is that of the reference library, to the tick: nearest even
//! rounding and wrapping sums.

use heddle_model::{Ns, TickClock};

/// A measured offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClockOffset {
    pub(crate) time: u64,
    pub(crate) offset: i64,
}

#[derive(Clone, Copy, Debug)]
struct Interval {
    start: u64,
    end: u64,
    offset: i64,
    slope: f64,
}

/// The correction of one location. Fewer than two measurements correct nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Correction {
    intervals: Vec<Interval>,
}

impl Correction {
    /// About what it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.intervals.as_slice())
    }

    pub(crate) fn new(offsets: &[ClockOffset]) -> Correction {
        let intervals = offsets
            .windows(2)
            .map(|pair| {
                let rise = pair[1].offset.wrapping_sub(pair[0].offset) as f64;
                let run = pair[1].time.wrapping_sub(pair[0].time) as f64;
                Interval {
                    start: pair[0].time,
                    end: pair[1].time,
                    offset: pair[0].offset,
                    slope: if run == 0.0 { 0.0 } else { rise / run },
                }
            })
            .collect();
        Correction { intervals }
    }

    /// The global tick of a raw one. `hint` remembers the interval: ticks of a sound file only rise, but the
    /// end of a stall lies ahead, and damage may lie anywhere.
    #[inline]
    pub(crate) fn global(&self, raw: u64, hint: &mut usize) -> u64 {
        if self.intervals.is_empty() {
            return raw;
        }
        while *hint + 1 < self.intervals.len() && self.intervals[*hint].end < raw {
            *hint += 1;
        }
        while *hint > 0 && self.intervals[*hint - 1].end >= raw {
            *hint -= 1;
        }
        let interval = &self.intervals[*hint];
        let elapsed = raw.wrapping_sub(interval.start).cast_signed() as f64;
        raw.wrapping_add_signed(interval.offset)
            .wrapping_add_signed((interval.slope * elapsed).round_ties_even() as i64)
    }
}

/// Correction and conversion together, with the memory of where in the file reading is.
#[derive(Debug)]
pub(crate) struct LocationClock<'a> {
    pub(crate) correction: &'a Correction,
    pub(crate) ticks: TickClock,
    pub(crate) hint: usize,
}

impl LocationClock<'_> {
    #[inline]
    pub(crate) fn ns(&mut self, raw: u64) -> Ns {
        self.ticks.ns(self.correction.global(raw, &mut self.hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolates_and_extrapolates_along_the_nearest_interval() {
        let offset = |time, offset| ClockOffset { time, offset };
        let two = Correction::new(&[offset(100, 10), offset(200, 20), offset(300, 20)]);
        let at = |raw| two.global(raw, &mut 0);
        assert_eq!(at(100), 110);
        assert_eq!(at(150), 165);
        assert_eq!(at(0), 0, "before the first: the first line goes on, 10 - 10");
        assert_eq!(at(250), 270);
        assert_eq!(at(1000), 1020);
        assert_eq!(at(105), 115, "half a tick rounds to even: 10 + 0.5 -> 10");
        assert_eq!(Correction::new(&[offset(100, 10)]).global(100, &mut 0), 100, "one record corrects nothing");
    }
}
