//! Numbers by chance that are the same in every run, and damage to files made with them.

/// Pseudo-random numbers (`SplitMix64`) from a seed.
#[derive(Clone, Debug)]
pub struct Chance(pub u64);

impl Chance {
    /// Any number.
    #[expect(clippy::should_implement_trait, reason = "it never ends, and nobody iterates over it")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// Yes, in so many cases of a hundred.
    pub fn is(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A permutation of `0..count`.
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for place in (1..count).rev() {
            order.swap(place, self.below(place + 1));
        }
        order
    }

    /// Flips, inserts, deletes or overwrites one to eight bytes.
    pub fn damage(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len());
        let count = 1 + self.below(8);
        // Small numbers and all ones are what lengths, counts and ids are made of.
        let byte = |chance: &mut Chance| match chance.below(4) {
            0 => 0xff,
            1 => chance.below(16) as u8,
            2 => chance.below(90) as u8,
            _ => chance.next() as u8,
        };
        match self.below(4) {
            0 => {
                for at in at..(at + count).min(bytes.len()) {
                    bytes[at] ^= 1 << self.below(8);
                }
            }
            1 => {
                for _ in 0..count {
                    bytes.insert(at, byte(self));
                }
            }
            2 => drop(bytes.drain(at..(at + count).min(bytes.len()))),
            _ => {
                for at in at..(at + count).min(bytes.len()) {
                    bytes[at] = byte(self);
                }
            }
        }
    }
}
