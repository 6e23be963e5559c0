//! Shares that add up: rounded together, so that what is read adds up as well.

/// Shares are read in tenths of a percent.
const STEPS: f64 = 1_000.0;

/// Shares of a whole in tenths of a percent, rounded so that they add up to what their sum rounds to: those with the largest
/// remainders are rounded up, of equal ones the first.
pub(super) fn tenths(shares: &[f64]) -> Vec<u32> {
    let exact: Vec<f64> = shares.iter().map(|share| share.clamp(0.0, 1.0) * STEPS).collect();
    let mut rounded: Vec<u32> = exact.iter().map(|share| share.floor() as u32).collect();
    let whole = exact.iter().sum::<f64>().round() as u32;
    let missing = whole.saturating_sub(rounded.iter().sum());
    let mut order: Vec<usize> = (0..exact.len()).collect();
    order.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()).then(a.cmp(b)));
    for at in order.into_iter().take(missing as usize) {
        rounded[at] += 1;
    }
    rounded
}

/// `18.8 %`.
pub(super) fn tenths_text(tenths: u32) -> String {
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Parts of a whole, made to add up to 1: what is too much is taken from the parts that `spare` lists, in that order, then from
/// the last; what is missing is added to the last.
pub(super) fn made_whole(parts: &mut [f64], spare: &[usize]) {
    for part in parts.iter_mut() {
        *part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
    }
    let Some(last) = parts.len().checked_sub(1) else { return };
    let mut over = parts.iter().sum::<f64>() - 1.0;
    if over < 0.0 {
        parts[last] -= over;
        return;
    }
    for at in spare.iter().copied().chain((0..=last).rev()) {
        let taken = over.min(parts[at]);
        parts[at] -= taken;
        over -= taken;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_adds_up_is_rounded_together() {
        // Each alone would be 33.3 %, which makes 99.9 %.
        assert_eq!(tenths(&[1.0 / 3.0; 3]), [334, 333, 333]);
        assert_eq!(tenths(&[0.654, 0.188_4, 0.033_4, 0.02, 0.056_2, 0.048]).iter().sum::<u32>(), 1_000);
        assert_eq!(tenths(&[0.0, 1.0]), [0, 1_000]);
        assert_eq!([0, 7, 188, 1_000].map(tenths_text), ["0.0 %", "0.7 %", "18.8 %", "100.0 %"]);
    }

    #[test]
    fn no_whole_is_more_than_a_hundred_percent() {
        let mut parts = [0.7, 0.5, 0.1, 0.0];
        made_whole(&mut parts, &[2]);
        assert_eq!(parts.map(|part| (part * 10.0).round() as i32), [7, 3, 0, 0]);
        let mut parts = [0.5, 4.35, f64::NAN];
        made_whole(&mut parts, &[]);
        assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-12 && parts.iter().all(|part| *part <= 1.0));
        let mut parts = [0.5, 0.2, 0.1];
        made_whole(&mut parts, &[]);
        assert_eq!((parts[2] * 10.0).round() as i32, 3, "the rest is other");
    }
}
