//! How density becomes opacity, so that neither outliers nor crowds are lost.
//!
//! After Muelder, Gygi and Ma (2009), section 2.3, with D calls at a pixel and Dmax at the fullest one:
//! opacity = least + (1 - least) * D / Dmax, or with log D / log Dmax. A single call is never fainter than `least`, and
//! nothing is stronger than 1. Plain blending, which loses both, is there for comparison.

use crate::scene::OpacityMap;

/// The opacity of a cell with `count` calls, where the fullest one has `most`: 0 without calls, else from `least` to 1.
pub fn opacity(map: OpacityMap, least: f32, count: u32, most: u32) -> f32 {
    if count == 0 {
        return 0.0;
    }
    let least = least.clamp(0.0, 1.0);
    let share = match map {
        // The fullest cell is full, also where log Dmax = 0.
        _ if count >= most && !matches!(map, OpacityMap::Alpha(_)) => 1.0,
        OpacityMap::Linear => f64::from(count) / f64::from(most),
        OpacityMap::Logarithmic => f64::from(count).ln() / f64::from(most).ln(),
        OpacityMap::Alpha(each) => return blended(each, count),
    };
    least + (1.0 - least) * share as f32
}

/// What `count` layers of opacity `each` give in a buffer of 8 bits, rounded after every one of them.
fn blended(each: f32, count: u32) -> f32 {
    let each = each.clamp(0.0, 1.0);
    let mut reached = 0.0f32;
    for _ in 0..count {
        let next = (reached + (255.0 - reached) * each).round();
        // From here on rounding swallows every further layer.
        if next <= reached {
            break;
        }
        reached = next;
    }
    reached / 255.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [OpacityMap; 2] = [OpacityMap::Logarithmic, OpacityMap::Linear];

    fn near(a: f32, b: f32) {
        assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    }

    #[test]
    fn the_formulas_are_those_of_the_paper() {
        near(opacity(OpacityMap::Linear, 0.2, 25, 100), 0.2 + 0.8 * 0.25);
        near(opacity(OpacityMap::Logarithmic, 0.2, 10, 100), 0.2 + 0.8 * 0.5);
        near(opacity(OpacityMap::Logarithmic, 0.0, 1, 100), 0.0);
        near(opacity(OpacityMap::Linear, 0.0, 1, 100), 0.01);
    }

    #[test]
    fn nothing_is_drawn_where_nothing_is() {
        for map in [OpacityMap::Logarithmic, OpacityMap::Linear, OpacityMap::Alpha(0.5)] {
            near(opacity(map, 0.4, 0, 100), 0.0);
            near(opacity(map, 0.4, 0, 0), 0.0);
        }
    }

    #[test]
    fn one_call_beside_others_has_the_least_opacity() {
        near(opacity(OpacityMap::Logarithmic, 0.3, 1, 50), 0.3);
        near(opacity(OpacityMap::Linear, 0.3, 1, 50), 0.3 + 0.7 / 50.0);
    }

    #[test]
    fn where_no_calls_overlap_all_are_full_and_nothing_is_divided_by_zero() {
        for map in BOTH {
            near(opacity(map, 0.2, 1, 1), 1.0);
        }
    }

    #[test]
    fn an_outlier_beside_a_million_is_seen() {
        for map in BOTH {
            let outlier = opacity(map, 0.2, 1, 1_000_000);
            assert!((0.2..0.201).contains(&outlier), "{outlier}");
            near(opacity(map, 0.2, 1_000_000, 1_000_000), 1.0);
        }
        near(opacity(OpacityMap::Logarithmic, 0.2, 1_000, 1_000_000), 0.6);
        // Blending so faintly that a million can be told from fewer shows no outlier at all.
        near(opacity(OpacityMap::Alpha(1e-3), 0.2, 1, 1_000_000), 0.0);
    }

    #[test]
    fn blending_in_eight_bits_stops_short() {
        near(opacity(OpacityMap::Alpha(0.5), 0.0, 1, 9), 128.0 / 255.0);
        near(opacity(OpacityMap::Alpha(0.5), 0.0, 2, 9), 192.0 / 255.0);
        near(opacity(OpacityMap::Alpha(1.0), 0.0, 3, 9), 1.0);
        // At one hundredth, what is left of 255 rounds to nothing before it is reached.
        let crowd = opacity(OpacityMap::Alpha(0.01), 0.0, 1_000_000, 1_000_000);
        near(crowd, opacity(OpacityMap::Alpha(0.01), 0.0, 1_000, 1_000_000));
        assert!(crowd < 0.9, "{crowd}");
    }

    #[test]
    fn more_calls_are_never_fainter_and_wild_numbers_do_no_harm() {
        for map in [BOTH[0], BOTH[1], OpacityMap::Alpha(0.1)] {
            let steps: Vec<f32> = (1..=300).map(|count| opacity(map, 0.25, count, 300)).collect();
            assert!(steps.windows(2).all(|pair| pair[0] <= pair[1]));
        }
        near(opacity(OpacityMap::Linear, 7.0, 1, 10), 1.0);
        near(opacity(OpacityMap::Logarithmic, 0.5, 20, 10), 1.0);
    }
}
