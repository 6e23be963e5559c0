//! Chance that can be asked again: every draw is a hash of what it is for.
//!
//! A generator with a state would tie the numbers to the order in which ranks are simulated, and so to
//! the number of threads; and records could not be made again later, one part at a time. Only additions
//! and multiplications are used, which give the same bits on every machine: `exp` and `ln` do not.

/// What a number is drawn for, so that draws for different things do not move together.
#[derive(Clone, Copy)]
pub(crate) enum Draw {
    Compute,
    Collective,
    Start,
    End,
    Data,
    Phase,
}

/// Mixes 64 bits thoroughly (the finaliser of splitmix64).
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// 64 bits for one draw of one rank; `which` counts or places the draws for the same thing.
pub(crate) fn bits(seed: u64, draw: Draw, rank: u32, which: u64) -> u64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let stream = mix(seed.wrapping_add(STEP.wrapping_mul(draw as u64 + 1)));
    mix(mix(stream ^ mix(u64::from(rank).wrapping_add(STEP))) ^ which.wrapping_mul(STEP))
}

/// A number in [0, 1).
pub(crate) fn uniform(seed: u64, draw: Draw, rank: u32, which: u64) -> f64 {
    const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;
    (bits(seed, draw, rank, which) >> 11) as f64 * UNIT
}

/// A positive factor around 1 whose relative spread is `noise`: skewed to the right like the times of
/// real computations, about log-normal.
pub(crate) fn factor(seed: u64, draw: Draw, rank: u32, which: u64, noise: f64) -> f64 {
    const ROOT_OF_3: f64 = 1.732_050_807_568_877_2;
    let bits = bits(seed, draw, rank, which);
    // The sum of four uniform numbers is nearly normal, with variance 4/12 and no long tail.
    let sum: u64 = (0..4).map(|part| (bits >> (16 * part)) & 0xffff).sum();
    let normal = (sum as f64 / 65_535.0 - 2.0) * ROOT_OF_3;
    // (1 + x/16)^16 is e^x as far as anybody can see in a trace.
    let mut power = 1.0 + noise * normal / 16.0;
    for _ in 0..4 {
        power *= power;
    }
    // The mean of e^(noise * normal) lies above 1 by about this much.
    power / (1.0 + noise * noise / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_have_the_mean_and_spread_asked_for() {
        for noise in [0.0, 0.05, 0.3] {
            let count = 40_000;
            let draw = |i: u32| factor(7, Draw::Compute, i % 200, u64::from(i / 200), noise);
            let factors: Vec<f64> = (0..count).map(draw).collect();
            let mean = factors.iter().sum::<f64>() / f64::from(count);
            let spread = (factors.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / f64::from(count)).sqrt();
            assert!((mean - 1.0).abs() < 0.01, "mean {mean} for {noise}");
            assert!((spread - noise).abs() < 0.1 * noise + 1e-9, "spread {spread} for {noise}");
            assert!(factors.iter().all(|f| *f > 0.0));
        }
    }

    #[test]
    fn draws_differ_by_everything_they_are_for() {
        let base = bits(1, Draw::Compute, 2, 3);
        assert_ne!(base, bits(2, Draw::Compute, 2, 3));
        assert_ne!(base, bits(1, Draw::Collective, 2, 3));
        assert_ne!(base, bits(1, Draw::Compute, 3, 2));
        assert_eq!(base, bits(1, Draw::Compute, 2, 3));
    }
}
