//! Work that is unevenly cut: many rows differ, each by its share, and none stands out.

use super::judge::{Accused, RowLevel};
use super::stats::quantile;

/// Rows differ by so much, as a logarithm: 8 %.
const LEAST_RANGE: f64 = 0.077;
/// And by so many times what chance allows.
const BEYOND_CHANCE: f64 = 3.0;
/// Fewer rows have no shape.
const LEAST_ROWS: usize = 8;

/// How work is cut.
#[derive(Debug)]
pub(super) struct Uneven {
    /// What rows with least and most compute, as logarithms of what is usual.
    pub(super) least: f64,
    pub(super) most: f64,
    /// By row, what it computes beyond the average; not a number for those that are accused of something else.
    pub(super) beyond: Vec<f64>,
    /// How many times more than chance allows.
    pub(super) score: f64,
}

/// Whether work is unevenly cut, over the rows that are not accused.
pub(super) fn uneven(levels: &[RowLevel], accused: &[Accused]) -> Option<Uneven> {
    let mut is_asked: Vec<bool> = levels.iter().map(|row| row.visits > 0).collect();
    for one in accused {
        is_asked[one.row] = false;
    }
    let asked = || levels.iter().zip(&is_asked).filter(|(_, is_asked)| **is_asked).map(|(row, _)| row);
    let count = asked().count();
    if count < LEAST_ROWS {
        return None;
    }
    let mut sorted: Vec<f64> = asked().map(|row| row.level).collect();
    let (least, most) = (quantile(&mut sorted, 0.05), quantile(&mut sorted, 0.95));
    let mean = (asked().map(|row| row.level.exp()).sum::<f64>() / count as f64).ln();
    // Quartiles: a few that differ do not make the work uneven.
    let apart = (quantile(&mut sorted, 0.8) - quantile(&mut sorted, 0.2)) / 1.683;
    let error = quantile(&mut asked().map(|row| row.error).collect::<Vec<f64>>(), 0.5);
    let score = apart / error.max(1e-4);
    if most - least < LEAST_RANGE || score < BEYOND_CHANCE {
        return None;
    }
    let beyond = levels.iter().zip(&is_asked).map(|(row, is)| if *is { row.level - mean } else { f64::NAN }).collect();
    Some(Uneven { least, most, beyond, score })
}
