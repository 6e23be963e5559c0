//! Work that is unevenly cut: many rows differ, each by its share, and none stands out.

use super::judge::{Accused, RowLevel};
use super::stats::quantile;

/// Rows differ by so much, as a logarithm: 8 %.
const LEAST_RANGE: f64 = 0.077;
/// And by so many times what chance allows.
const BEYOND_CHANCE: f64 = 3.0;
/// Fewer rows have no shape.
const LEAST_ROWS: usize = 8;

/// A course over the rows is smooth if a parabola explains so much of how they differ.
const LEAST_EXPLAINED: f64 = 0.6;

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

/// Whether what rows compute follows a smooth course from the first to the last, rather than steps between groups of them:
/// `groups` are those that would be accused. Then it is the work that is cut so, and nobody is slow.
pub(super) fn is_smooth(levels: &[RowLevel], groups: &[&[usize]]) -> bool {
    let rows: Vec<usize> = (0..levels.len()).filter(|row| levels[*row].visits > 0).collect();
    let level = |row: &usize| levels[*row].level;
    if rows.len() < LEAST_ROWS {
        return false;
    }
    let mean = rows.iter().map(level).sum::<f64>() / rows.len() as f64;
    let apart: f64 = rows.iter().map(|row| (level(row) - mean).powi(2)).sum();
    let course: Vec<(f64, f64)> = rows.iter().map(|row| (place(*row, levels.len()), level(row))).collect();
    let left = beside_parabola(&course);
    if left > (1.0 - LEAST_EXPLAINED) * apart {
        return false;
    }
    let mut group_of = vec![0; levels.len()];
    for (group, rows) in groups.iter().enumerate() {
        rows.iter().for_each(|row| group_of[*row] = group + 1);
    }
    let beside_steps: f64 = (0..=groups.len())
        .map(|group| {
            let own: Vec<f64> = rows.iter().filter(|row| group_of[**row] == group).map(level).collect();
            let mean = own.iter().sum::<f64>() / own.len().max(1) as f64;
            own.iter().map(|level| (level - mean).powi(2)).sum::<f64>()
        })
        .sum();
    left < beside_steps
}

/// Where a row is, from -1 to 1.
fn place(row: usize, rows: usize) -> f64 {
    2.0 * row as f64 / (rows.max(2) - 1) as f64 - 1.0
}

/// What a parabola through points leaves, as a sum of squares: orthogonal polynomials, one after the other.
fn beside_parabola(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let shift = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let line: Vec<f64> = points.iter().map(|(x, _)| x - shift).collect();
    let square = |list: &[f64]| list.iter().map(|value| value * value).sum::<f64>();
    let (first, third) = (square(&line), line.iter().map(|x| x.powi(3)).sum::<f64>());
    let slant = if first > 0.0 { third / first } else { 0.0 };
    let bow: Vec<f64> = line.iter().map(|x| x * x - slant * x - first / count).collect();
    let mean = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let mut left: Vec<f64> = points.iter().map(|(_, y)| y - mean).collect();
    for base in [line, bow] {
        let size = square(&base);
        let along = if size > 0.0 { base.iter().zip(&left).map(|(a, b)| a * b).sum::<f64>() / size } else { 0.0 };
        left.iter_mut().zip(&base).for_each(|(left, base)| *left -= along * base);
    }
    square(&left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(of: impl Fn(usize) -> f64) -> Vec<RowLevel> {
        // A little that no course explains, the same each time.
        let chance = |row: usize| ((row * 7919) % 13) as f64 / 13.0 * 0.01;
        (0..64).map(|row| RowLevel { level: of(row) + chance(row), error: 0.01, visits: 20 }).collect()
    }

    #[test]
    fn a_valley_is_smooth_and_a_slow_node_at_the_end_is_not() {
        let ends: Vec<usize> = (0..16).chain(48..64).collect();
        let valley = levels(|row| 0.4 * (2.0 * row as f64 / 63.0 - 1.0).powi(2));
        assert!(is_smooth(&valley, &[&ends]));
        let slope = levels(|row| 0.3 * row as f64 / 63.0);
        assert!(is_smooth(&slope, &[&(48..64).collect::<Vec<usize>>()]));
        let node: Vec<usize> = (48..64).collect();
        assert!(!is_smooth(&levels(|row| if row >= 48 { 0.4 } else { 0.0 }), &[&node]));
        assert!(!is_smooth(&levels(|row| if row == 9 { 0.4 } else { 0.0 }), &[&[9]]));
        assert!(!is_smooth(&levels(|_| 0.0), &[]));
    }
}
