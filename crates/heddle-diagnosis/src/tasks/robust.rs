//! Medians and spreads that a few outliers do not move.

/// The median; of an even number the smaller of the two in the middle, so that it is a value that occurs.
pub(crate) fn median(values: &mut [f64]) -> Option<f64> {
    quantile(values, 1, 2)
}

/// The value below which `part` of `of` lie.
pub(crate) fn quantile(values: &mut [f64], part: usize, of: usize) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    Some(*values.select_nth_unstable_by(last * part / of, f64::total_cmp).1)
}

/// The median of values, and their robust standard deviation: never below half a percent of the median.
pub(crate) fn spread(values: &[f64]) -> Option<(f64, f64)> {
    let mut values = values.to_vec();
    let middle = median(&mut values)?;
    for value in &mut values {
        *value = (*value - middle).abs();
    }
    let deviation = 1.4826 * median(&mut values)?;
    Some((middle, deviation.max(0.005 * middle.abs()).max(f64::MIN_POSITIVE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_outlier_stands_out_and_moves_nothing() {
        let values = [10.0, 10.2, 9.9, 10.1, 10.0, 10.3, 12.5, 9.8];
        let (middle, deviation) = spread(&values).unwrap();
        assert!((middle - 10.0).abs() < 1e-9 && deviation < 0.3);
        assert!((12.5 - middle) / deviation > 3.5);
        assert_eq!(spread(&[]), None);
    }
}
