//! Sets of moments: kernels of one device overlap, so their durations must never be added up.

/// Stretches of time that do not touch each other, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stretches(Vec<(i64, i64)>);

impl Stretches {
    /// The union of some stretches, in any order.
    pub fn of(mut stretches: Vec<(i64, i64)>) -> Stretches {
        stretches.sort_unstable();
        let mut union = Stretches::default();
        for (start, end) in stretches {
            union.push(start, end);
        }
        union
    }

    /// Adds a stretch that begins no earlier than the last.
    pub(super) fn push(&mut self, start: i64, end: i64) {
        match self.0.last_mut() {
            Some((first, last)) if start <= *last && start >= *first => *last = end.max(*last),
            _ if end > start => self.0.push((start, end)),
            _ => {}
        }
    }

    /// Their length.
    pub fn length(&self) -> i64 {
        self.0.iter().map(|(start, end)| end - start).sum()
    }

    /// The first moment and the last.
    pub fn ends(&self) -> Option<(i64, i64)> {
        Some((self.0.first()?.0, self.0.last()?.1))
    }

    /// What is in either.
    #[must_use]
    pub fn or(&self, other: &Stretches) -> Stretches {
        Stretches::of(self.0.iter().chain(&other.0).copied().collect())
    }

    /// What is in both.
    #[must_use]
    pub fn and(&self, other: &Stretches) -> Stretches {
        let (mut both, mut a, mut b) = (Stretches::default(), 0, 0);
        while let (Some(one), Some(two)) = (self.0.get(a), other.0.get(b)) {
            let (start, end) = (one.0.max(two.0), one.1.min(two.1));
            if start < end {
                both.0.push((start, end));
            }
            if one.1 < two.1 { a += 1 } else { b += 1 }
        }
        both
    }

    /// How much is in these and not in others.
    pub fn length_without(&self, other: &Stretches) -> i64 {
        self.length() - self.and(other).length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_those_of_single_moments() {
        let a = Stretches::of(vec![(5, 9), (0, 3), (2, 4), (7, 8), (12, 12)]);
        let b = Stretches::of(vec![(3, 6), (8, 20)]);
        let has = |set: &Stretches, at: i64| set.0.iter().any(|(start, end)| (*start..*end).contains(&at));
        let count = |is: &dyn Fn(i64) -> bool| (0..30).filter(|at| is(*at)).count() as i64;
        assert_eq!(a.length(), count(&|at| has(&a, at)));
        assert_eq!(a.length(), 8);
        assert_eq!(a.and(&b).length(), count(&|at| has(&a, at) && has(&b, at)));
        assert_eq!(a.or(&b).length(), count(&|at| has(&a, at) || has(&b, at)));
        assert_eq!(a.length_without(&b), count(&|at| has(&a, at) && !has(&b, at)));
        assert_eq!((a.ends(), Stretches::default().ends()), (Some((0, 9)), None));
    }
}
