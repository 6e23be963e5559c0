//! Densities in scenes of calls: how many there are, and whether two pictures have them in the same places.

use heddle_view::{Density, Layer, Scene};

/// All of a scene.
pub(crate) fn densities(scene: &Scene) -> Vec<&Density> {
    let layers = scene.layers.iter();
    layers.filter_map(|layer| if let Layer::Density(density) = layer { Some(density) } else { None }).collect()
}

/// Calls on all cells.
pub(crate) fn sum(density: &Density) -> u64 {
    density.counts.iter().map(|count| u64::from(*count)).sum()
}

/// How many calls a scene says it has.
pub(crate) fn total(scene: &Scene) -> &str {
    scene.notes[0].split(' ').next().unwrap()
}

/// Whether every call of one picture can be paired with one of the other at most a cell away: no square holds more calls
/// than the other picture has in that square and a cell around it.
pub(crate) fn nothing_is_far(a: &Density, b: &Density) -> bool {
    let sums = |density: &Density| {
        let (columns, rows) = (density.columns as usize, density.rows as usize);
        let mut sums = vec![0u64; (columns + 1) * (rows + 1)];
        for row in 0..rows {
            for column in 0..columns {
                let at = (row + 1) * (columns + 1) + column + 1;
                sums[at] = u64::from(density.counts[row * columns + column]) + sums[at - 1] + sums[at - columns - 1]
                    - sums[at - columns - 2];
            }
        }
        sums
    };
    let (columns, rows) = (a.columns as usize, a.rows as usize);
    let (a, b) = (sums(a), sums(b));
    let inside = |sums: &[u64], left: usize, top: usize, right: usize, bottom: usize| {
        let at = |column: usize, row: usize| sums[row * (columns + 1) + column];
        at(right, bottom) + at(left, top) - at(left, bottom) - at(right, top)
    };
    (0..rows).all(|top| {
        (0..columns).all(|left| {
            [1, 2, 5, 20].into_iter().all(|size: usize| {
                let (right, bottom) = ((left + size).min(columns), (top + size).min(rows));
                let around = |sums: &[u64]| {
                    let (left, top) = (left.saturating_sub(1), top.saturating_sub(1));
                    inside(sums, left, top, (right + 1).min(columns), (bottom + 1).min(rows))
                };
                inside(&a, left, top, right, bottom) <= around(&b) && inside(&b, left, top, right, bottom) <= around(&a)
            })
        })
    })
}
