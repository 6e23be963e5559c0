//! What is usual: how often each function is called in the window, and how long its calls take.

use super::calls::{Call, Calls};

/// Classes of durations for each doubling.
const CLASSES: u32 = 16;

/// The calls of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Usual {
    pub(super) calls: u64,
    /// The most that one location made before the window's end, in the whole run.
    pub(super) most_of_one: u64,
    /// How many there are of each class of durations.
    classes: Vec<u64>,
    pub(super) longest: Option<Call>,
}

/// The class of a duration: sixteen for each doubling.
fn class_of(length: u64) -> usize {
    let length = length.max(1);
    let power = length.ilog2();
    let rest = if power >= 4 { (length >> (power - 4)) & 15 } else { (length << (4 - power)) & 15 };
    (power * CLASSES) as usize + rest as usize
}

/// The least duration of a class.
fn least_of(class: usize) -> u64 {
    let (power, rest) = (class as u32 / CLASSES, u64::from(class as u32 % CLASSES));
    ((1u128 << power) + (u128::from(rest) << power >> 4)) as u64
}

impl Usual {
    fn add(&mut self, call: Call) {
        let class = class_of(call.length());
        if self.classes.len() <= class {
            self.classes.resize(class + 1, 0);
        }
        self.classes[class] += 1;
        self.calls += 1;
        self.most_of_one = self.most_of_one.max(call.order + 1);
        if self.longest.is_none_or(|longest| longest.length() < call.length()) {
            self.longest = Some(call);
        }
    }

    fn merge(&mut self, other: &Usual) {
        self.classes.resize(self.classes.len().max(other.classes.len()), 0);
        self.classes.iter_mut().zip(&other.classes).for_each(|(sum, part)| *sum += part);
        self.calls += other.calls;
        self.most_of_one = self.most_of_one.max(other.most_of_one);
        if let Some(theirs) = other.longest
            && self.longest.is_none_or(|ours| ours.length() < theirs.length())
        {
            self.longest = Some(theirs);
        }
    }

    /// The median duration, to a thirtieth.
    pub(super) fn median(&self) -> u64 {
        let mut before = 0;
        let class = self.classes.iter().position(|count| {
            before += count;
            before * 2 >= self.calls
        });
        class.filter(|_| self.calls > 0).map_or(0, |class| least_of(class).midpoint(least_of(class + 1)))
    }
}

/// What is usual for each function.
pub(super) fn survey(calls: &Calls) -> Vec<Usual> {
    calls.gather(
        || vec![Usual::default(); calls.functions.len()],
        |found, call| found[call.function].add(call),
        |all, piece| all.iter_mut().zip(piece).for_each(|(sum, part)| sum.merge(&part)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_narrow_and_in_order() {
        for length in [1u64, 2, 3, 15, 16, 17, 1_000, 123_456_789, 1 << 62] {
            let class = class_of(length);
            assert!(least_of(class) <= length && length < least_of(class + 1).max(length + 1), "{length}");
            assert!(least_of(class) as f64 >= length as f64 * 0.94 - 1.0, "{length}: {}", least_of(class));
        }
        assert_eq!(class_of(0), class_of(1));
    }
}
