//! Time: nanoseconds since the trace's earliest event, and the way there from a recorder's ticks.

use bytemuck::{Pod, Zeroable};

/// Nanoseconds since the earliest event of the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct Ns(pub i64);

impl Ns {
    /// No time known. Earlier than every real time; written as null.
    pub const NONE: Ns = Ns(i64::MIN);

    /// The latest time there is, 36 years: only garbage lies beyond, and sums of it must not overflow.
    pub const MAX: Ns = Ns(1 << 60);

    /// Whether this is a real time.
    #[inline]
    pub fn is_some(self) -> bool {
        self != Ns::NONE
    }

    /// Nanoseconds from `earlier` to this.
    #[inline]
    pub fn since(self, earlier: Ns) -> i64 {
        self.0.wrapping_sub(earlier.0)
    }
}

/// Converts a recorder's ticks to nanoseconds: exact to the nearest, in 128-bit arithmetic.
///
/// The division by the tick rate is done once, as a multiplication by a reciprocal whose last digit
/// is then put right: a 128-bit division for each event would cost more than decoding it.
///
/// ```
/// use heddle_model::{Ns, TickClock};
/// let clock = TickClock::new(7_397_466_976_977_800, 2_095_197_216);
/// assert_eq!(clock.ns(7_397_466_976_977_800), Ns(0));
/// assert_eq!(clock.ns(7_397_466_976_977_800 + 2_095_197_216), Ns(1_000_000_000));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TickClock {
    origin: u64,
    ticks_per_second: u64,
    /// floor(2^64 * 10^9 / ticks per second), capped to 64 bits of fraction and 64 of whole.
    reciprocal: u128,
}

const NS_PER_SECOND: u128 = 1_000_000_000;

impl TickClock {
    /// A clock whose zero is `origin`. A tick rate of zero is nonsense and taken for 10^9.
    pub fn new(origin: u64, ticks_per_second: u64) -> TickClock {
        let ticks_per_second = if ticks_per_second == 0 { NS_PER_SECOND as u64 } else { ticks_per_second };
        let reciprocal = (NS_PER_SECOND << 64) / u128::from(ticks_per_second);
        TickClock { origin, ticks_per_second, reciprocal }
    }

    /// The time of a tick. Ticks before the origin are negative times; what does not fit saturates.
    #[inline]
    pub fn ns(&self, tick: u64) -> Ns {
        let ns = match self.ticks_per_second {
            1_000_000_000 => u128::from(tick.abs_diff(self.origin)),
            _ => self.scale(tick.abs_diff(self.origin)),
        };
        let ns = ns.min(Ns::MAX.0 as u128) as i64;
        Ns(if tick >= self.origin { ns } else { -ns })
    }

    #[inline]
    fn scale(&self, ticks: u64) -> u128 {
        let rate = u128::from(self.ticks_per_second);
        let (whole, fraction) = (self.reciprocal >> 64, self.reciprocal & u128::from(u64::MAX));
        let mut ns = u128::from(ticks) * whole + ((u128::from(ticks) * fraction) >> 64);
        // The reciprocal was rounded down, so `ns` is at most a little too small.
        let exact = u128::from(ticks) * NS_PER_SECOND + rate / 2;
        while (ns + 1) * rate <= exact {
            ns += 1;
        }
        ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(tick: u64, origin: u64, rate: u64) -> i64 {
        let ticks = i128::from(tick) - i128::from(origin);
        let rounded = (ticks.abs() * 1_000_000_000 + i128::from(rate) / 2) / i128::from(rate);
        (rounded * ticks.signum()) as i64
    }

    #[test]
    fn agrees_with_plain_division() {
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let rate = match state % 5 {
                0 => 1_000_000_000,
                1 => 2_095_197_216,
                2 => 3_699_958_577,
                3 => 1 + state % 1_000,
                _ => 1 + (state >> 20) % 10_000_000_000,
            };
            let range = rate.saturating_mul(9_000_000).min(1 << 52);
            let (tick, origin) = ((state >> 7) % range, (state >> 13) % range);
            let clock = TickClock::new(origin, rate);
            assert_eq!(clock.ns(tick).0, plain(tick, origin, rate), "tick {tick} origin {origin} rate {rate}");
        }
    }

    #[test]
    fn extremes_saturate_and_do_not_hang() {
        for rate in [0, 1, 2, 3, 1_000_000_000, 1_000_000_007, u64::MAX] {
            let clock = TickClock::new(5, rate);
            assert!((1..=Ns::MAX.0).contains(&clock.ns(u64::MAX).0), "{rate}");
            assert!((-Ns::MAX.0..=0).contains(&clock.ns(0).0), "{rate}");
        }
    }
}
