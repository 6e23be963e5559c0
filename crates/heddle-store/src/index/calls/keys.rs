//! Keys that calls are counted by: bin of time, bin of duration and number, in the bits of one integer.

use super::build::DURATION_BITS;

/// Bits that are sorted by at once.
const DIGIT: u32 = 11;

/// A key of a call.
pub(super) trait Key: Copy + Default + Send + Sync {
    /// How many bits it has, and how many of them are for the number; what is left is for time.
    const BITS: u32;
    const NUMBER_BITS: u32;

    /// Of a bin of time and the rest.
    fn new(bin: u32, rest: u32) -> Self;

    /// Bin of time and the rest.
    fn parts(self) -> (u32, u32);

    /// Some of its bits, from one on.
    fn digit(self, shift: u32) -> usize;

    /// Bin of duration and number as one.
    #[inline]
    fn rest(duration: u16, number: u16) -> u32 {
        let most = (1 << Self::NUMBER_BITS) - 1;
        (u32::from(duration) << Self::NUMBER_BITS) | u32::from(number).min(most)
    }

    /// Bin of duration and number.
    #[inline]
    fn of_rest(rest: u32) -> (u16, u16) {
        ((rest >> Self::NUMBER_BITS) as u16, (rest & ((1 << Self::NUMBER_BITS) - 1)) as u16)
    }
}

/// A key in an integer, with so many bits for the number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Keys<I, const NUMBER_BITS: u32>(I);

macro_rules! keys {
    ($($integer:ty),+) => {
        $(impl<const NUMBER_BITS: u32> Key for Keys<$integer, NUMBER_BITS> {
            const BITS: u32 = <$integer>::BITS;
            const NUMBER_BITS: u32 = NUMBER_BITS;

            #[inline]
            fn new(bin: u32, rest: u32) -> Self {
                Keys((<$integer>::from(bin) << (DURATION_BITS + NUMBER_BITS)) | <$integer>::from(rest))
            }

            #[inline]
            fn parts(self) -> (u32, u32) {
                let rest = self.0 & ((1 << (DURATION_BITS + NUMBER_BITS)) - 1);
                ((self.0 >> (DURATION_BITS + NUMBER_BITS)) as u32, rest as u32)
            }

            #[inline]
            fn digit(self, shift: u32) -> usize {
                (self.0 >> shift) as usize & ((1 << DIGIT) - 1)
            }
        })+
    };
}

keys!(u32, u64);

/// Sorts keys that have so many bits, digit by digit, the lowest first.
pub(super) fn sort<K: Key>(keys: &mut Vec<K>, bits: u32) {
    let mut other = vec![K::default(); keys.len()];
    for shift in (0..bits).step_by(DIGIT as usize) {
        let mut places = vec![0usize; 1 << DIGIT];
        for key in keys.iter() {
            places[key.digit(shift)] += 1;
        }
        let mut sum = 0;
        for place in &mut places {
            (*place, sum) = (sum, sum + *place);
        }
        for key in keys.iter() {
            let place = &mut places[key.digit(shift)];
            other[*place] = *key;
            *place += 1;
        }
        std::mem::swap(keys, &mut other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<K: Key + Ord + std::fmt::Debug>(keys: &[(u32, u16, u16)], bins: u32) {
        let mut keys: Vec<K> =
            keys.iter().map(|(bin, duration, number)| K::new(*bin, K::rest(*duration, *number))).collect();
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        sort(&mut keys, DURATION_BITS + K::NUMBER_BITS + bins);
        assert_eq!(keys, sorted);
    }

    proptest! {
        #[test]
        fn keys_are_sorted(keys in proptest::collection::vec((0u32..1 << 12, 0u16..1 << 11, 0u16..1 << 8), 0..200)) {
            check::<Keys<u32, 8>>(&keys, 12);
            check::<Keys<u64, 12>>(&keys, 12);
        }

        #[test]
        fn a_key_has_its_parts(bin in 0u32..1 << 19, duration in 0u16..1 << 11, number in 0u16..1 << 12) {
            type Wide = Keys<u64, 12>;
            let (found, rest) = Wide::new(bin, Wide::rest(duration, number)).parts();
            prop_assert_eq!((found, Wide::of_rest(rest)), (bin, (duration, number)));
        }
    }
}
