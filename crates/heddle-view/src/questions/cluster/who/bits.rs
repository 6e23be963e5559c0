//! How many bits it takes to say something. A set is named if its name, with all exceptions, takes far fewer bits than
//! a list of its ranks: by Kraft's inequality a set drawn by chance saves b bits with a probability of at most 2 to the -b.

/// log2 of n!, by Stirling's series: exact to far less than a bit.
fn log2_factorial(n: f64) -> f64 {
    if n < 2.0 {
        return 0.0;
    }
    let ln = n * n.ln() - n + 0.5 * (2.0 * std::f64::consts::PI * n).ln() + 1.0 / (12.0 * n);
    ln / std::f64::consts::LN_2
}

/// log2 of the number of ways to choose `k` of `n`.
pub(super) fn choose(n: usize, k: usize) -> f64 {
    if k == 0 || k >= n {
        return 0.0;
    }
    let [n, k] = [n as f64, k as f64];
    (log2_factorial(n) - log2_factorial(k) - log2_factorial(n - k)).max(0.0)
}

/// Which of `n` equally good things.
pub(super) fn one_of(n: usize) -> f64 {
    (n.max(1) as f64).log2()
}

/// A number that is mostly 0.
pub(super) fn rarely(number: usize) -> f64 {
    match number {
        0 => 0.5,
        number => 1.78 + 1.0 + 2.0 * (number as f64).log2(),
    }
}

/// Which `size` of `n` in a row, if they make so many runs.
pub(super) fn runs(n: usize, size: usize, runs: usize) -> f64 {
    rarely(runs.saturating_sub(1))
        + choose(size.saturating_sub(1), runs.saturating_sub(1))
        + choose((n + 1).saturating_sub(size), runs)
}

/// Which `missing` of a hypothesis' ranks are no members, and which `besides` of the `n` ranks it does not name are.
pub(super) fn exceptions(n: usize, named: usize, missing: usize, besides: usize) -> f64 {
    if missing + besides == 0 {
        return 0.5;
    }
    1.78 + rarely(missing) + rarely(besides) + choose(named, missing) + choose(n - named, besides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_counted() {
        for (n, k, ways) in [(5, 2, 10.0f64), (16, 4, 1_820.0), (52, 5, 2_598_960.0), (7, 0, 1.0), (7, 7, 1.0)] {
            assert!((choose(n, k) - ways.log2()).abs() < 0.01, "{n} {k}");
        }
        // Two runs that hold 3 of 5: 2 ways to divide them, 3 to place them.
        assert!((runs(5, 3, 2) - rarely(1) - 6f64.log2()).abs() < 0.02);
        assert!((runs(5, 5, 1) - rarely(0)).abs() < 1e-9);
    }

    #[test]
    fn codes_have_room() {
        let sum: f64 = (0..100_000).map(|number| (-rarely(number)).exp2()).sum();
        assert!(sum <= 1.0, "{sum}");
    }
}
