//! An arch from the start of a call to its end: half an ellipse on the floor of the plot.

use std::ops::Range;

/// Calls `visit` for every column of pixels that an arch from `from` to `to` and of this height passes, with the heights
/// that it passes there, from the floor. In neighbouring columns they touch, so the arch has no gaps.
pub(super) fn for_each_column(from: f64, to: f64, height: f64, columns: u32, mut visit: impl FnMut(u32, Range<u32>)) {
    let (middle, radius) = (f64::midpoint(from, to), (to - from) / 2.0);
    let top = height.max(0.0) as u32;
    if radius < 0.5 {
        // Thinner than a pixel: both legs in one.
        if middle >= 0.0 && middle < f64::from(columns) {
            visit(middle as u32, 0..top + 1);
        }
        return;
    }
    let height_at = |x: f64| {
        let part = ((x - middle) / radius).clamp(-1.0, 1.0);
        height * (1.0 - part * part).sqrt()
    };
    let first = from.max(0.0) as u32;
    let last = to.min(f64::from(columns) - 1.0).max(0.0) as u32;
    for column in first..=last.min(columns.saturating_sub(1)) {
        let (left, right) = (from.max(f64::from(column)), to.min(f64::from(column) + 1.0));
        if left > right {
            continue;
        }
        let ends = (height_at(left), height_at(right));
        let highest = if left <= middle && middle <= right { height } else { ends.0.max(ends.1) };
        visit(column, ends.0.min(ends.1) as u32..highest as u32 + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(from: f64, to: f64, height: f64) -> Vec<(u32, Range<u32>)> {
        let mut seen = Vec::new();
        for_each_column(from, to, height, 100, |column, heights| seen.push((column, heights)));
        seen
    }

    #[test]
    fn an_arch_stands_on_both_ends_and_has_its_top_in_the_middle() {
        let arch = columns(10.0, 30.0, 40.5);
        assert_eq!((arch[0].0, arch[arch.len() - 1].0), (10, 30));
        assert_eq!((arch[0].1.start, arch[arch.len() - 1].1.start), (0, 0));
        let top = arch.iter().max_by_key(|(_, heights)| heights.end).expect("columns");
        assert!((18..=21).contains(&top.0) && top.1.end == 41, "{top:?}");
        for pair in arch.windows(2) {
            assert_eq!(pair[0].0 + 1, pair[1].0);
            assert!(pair[0].1.start <= pair[1].1.end && pair[1].1.start <= pair[0].1.end, "a gap at {pair:?}");
        }
    }

    #[test]
    fn a_short_call_is_a_leg_and_a_long_one_is_cut_at_the_edges() {
        assert_eq!(columns(5.2, 5.4, 3.5), [(5, 0..4)]);
        assert_eq!(columns(-5.0, -4.9, 3.5), []);
        let wide = columns(-1000.0, 1000.0, 50.0);
        assert_eq!((wide.len(), wide[0].0, wide[99].0), (100, 0, 99));
        assert!(wide.iter().all(|(_, heights)| heights.start >= 49));
    }
}
