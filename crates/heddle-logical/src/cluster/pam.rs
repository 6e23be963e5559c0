//! Medoids of a few timelines, by all their distances: PAM (partitioning around medoids, Kaufman and Rousseeuw 1987).
//!
//! A start is built greedily; then the exchange of a medoid for another timeline that gains most is made, as long as there is
//! one that gains. All exchanges of a candidate are weighed in one pass over the timelines (Schubert and Rousseeuw 2019), so a
//! round costs n² and not k·n².

/// All distances between some timelines.
#[derive(Clone, Debug)]
pub(super) struct Distances {
    count: usize,
    /// Row by row.
    cells: Vec<f64>,
}

impl Distances {
    /// Rows of distances, one for each timeline.
    pub(super) fn new(count: usize, cells: Vec<f64>) -> Distances {
        Distances { count, cells }
    }

    pub(super) fn row(&self, at: usize) -> &[f64] {
        &self.cells[at * self.count..(at + 1) * self.count]
    }
}

/// An exchange must gain more than this share of all distances together: less may be rounding, and would go on for ever.
const LEAST_GAIN: f64 = 1e-12;

/// At most `most` medoids, ascending: fewer if more would gain nothing. All distances must be finite.
pub(super) fn medoids(distances: &Distances, most: usize) -> Vec<usize> {
    let count = distances.count;
    if count == 0 || most == 0 {
        return Vec::new();
    }
    let mut chosen = build(distances, most);
    improve(distances, &mut chosen);
    chosen.sort_unstable();
    chosen
}

/// The timeline in the middle first, then always the one that brings the others nearest to a medoid.
fn build(distances: &Distances, most: usize) -> Vec<usize> {
    let count = distances.count;
    let total = |at: &usize| distances.row(*at).iter().sum::<f64>();
    let first = (0..count).min_by(|a, b| total(a).total_cmp(&total(b))).unwrap_or(0);
    let mut chosen = vec![first];
    let mut nearest: Vec<f64> = distances.row(first).to_vec();
    while chosen.len() < most.min(count) {
        let gain = |at: usize| -> f64 {
            distances.row(at).iter().zip(&nearest).map(|(apart, nearest)| (nearest - apart).max(0.0)).sum()
        };
        let mut best = (LEAST_GAIN * nearest.iter().sum::<f64>(), None);
        for at in 0..count {
            let gain = gain(at);
            if gain > best.0 {
                best = (gain, Some(at));
            }
        }
        let Some(at) = best.1 else { break };
        for (nearest, apart) in nearest.iter_mut().zip(distances.row(at)) {
            *nearest = nearest.min(*apart);
        }
        chosen.push(at);
    }
    chosen
}

/// A timeline's nearest medoid, how far it is, and how far the next one.
#[derive(Clone, Copy)]
struct Near {
    medoid: usize,
    apart: f64,
    second: f64,
}

fn near_all(distances: &Distances, chosen: &[usize]) -> Vec<Near> {
    let of = |at: usize| {
        let mut near = Near { medoid: 0, apart: f64::INFINITY, second: f64::INFINITY };
        for (medoid, timeline) in chosen.iter().enumerate() {
            let apart = distances.row(at)[*timeline];
            if apart < near.apart {
                near = Near { medoid, apart, second: near.apart };
            } else {
                near.second = near.second.min(apart);
            }
        }
        near
    };
    (0..distances.count).map(of).collect()
}

/// How far all are from their medoids together.
fn cost(near: &[Near]) -> f64 {
    near.iter().map(|near| near.apart).sum()
}

/// Exchanges medoids as long as that gains anything.
fn improve(distances: &Distances, chosen: &mut [usize]) {
    let mut near = near_all(distances, chosen);
    loop {
        // What is lost if a medoid goes and nothing comes.
        let mut lost = vec![0.0; chosen.len()];
        for near in near.iter().filter(|near| near.second.is_finite()) {
            lost[near.medoid] += near.second - near.apart;
        }
        // What is weighed is a difference of sums: the larger of them decides what may be rounding.
        let weighed: f64 = cost(&near) + lost.iter().sum::<f64>();
        let mut best = (-LEAST_GAIN * weighed, None);
        let mut change = vec![0.0; chosen.len()];
        for candidate in (0..distances.count).filter(|at| !chosen.contains(at)) {
            change.copy_from_slice(&lost);
            let mut shared = 0.0;
            for (apart, near) in distances.row(candidate).iter().zip(&near) {
                if *apart < near.apart {
                    shared += apart - near.apart;
                    // It goes to the candidate, not to its second.
                    change[near.medoid] += near.apart - if near.second.is_finite() { near.second } else { near.apart };
                } else if *apart < near.second {
                    let second = if near.second.is_finite() { near.second } else { near.apart };
                    change[near.medoid] += apart - second;
                }
            }
            for (medoid, change) in change.iter().enumerate() {
                if change + shared < best.0 {
                    best = (change + shared, Some((medoid, candidate)));
                }
            }
        }
        let Some((medoid, candidate)) = best.1 else { return };
        let before = std::mem::replace(&mut chosen[medoid], candidate);
        let nearer = near_all(distances, chosen);
        // Distances of a damaged result may be anything, and so may what was weighed; costs that fall come to an end.
        if cost(&nearer).total_cmp(&cost(&near)).is_ge() {
            chosen[medoid] = before;
            return;
        }
        near = nearer;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distances(points: &[f64]) -> Distances {
        let cells = points.iter().flat_map(|one| points.iter().map(move |other| (one - other) * (one - other)));
        Distances::new(points.len(), cells.collect())
    }

    fn cost(distances: &Distances, chosen: &[usize]) -> f64 {
        super::cost(&near_all(distances, chosen))
    }

    /// The least cost of all choices.
    fn least_cost(distances: &Distances, count: usize) -> f64 {
        fn choose(distances: &Distances, from: usize, left: usize, chosen: &mut Vec<usize>) -> f64 {
            if left == 0 {
                return cost(distances, chosen);
            }
            let mut least = f64::INFINITY;
            for at in from..distances.count {
                chosen.push(at);
                least = least.min(choose(distances, at + 1, left - 1, chosen));
                chosen.pop();
            }
            least
        }
        choose(distances, 0, count, &mut Vec::new())
    }

    #[test]
    fn a_few_timelines_get_the_best_medoids() {
        let points = [0.0, 0.4, 1.1, 7.0, 7.3, 8.9, 30.0, 31.0, 33.5, 90.0];
        let distances = distances(&points);
        for count in 1..5 {
            let chosen = medoids(&distances, count);
            assert_eq!(chosen.len(), count);
            assert!(
                cost(&distances, &chosen) <= least_cost(&distances, count) + 1e-9,
                "{chosen:?}: {} and not {}",
                cost(&distances, &chosen),
                least_cost(&distances, count)
            );
        }
        assert_eq!(medoids(&distances, 1), vec![6], "the exchange is weighed rightly for a single medoid too");
    }

    #[test]
    fn what_is_left_of_rounding_is_no_gain() {
        // All are at a medoid, so nothing costs anything; 80.2 and 56.9 in turns for ever.
        assert_eq!(medoids(&distances(&[80.2, 56.9, 80.2, 80.2]), 3), vec![0, 1]);
    }

    #[test]
    fn distances_of_any_kind_come_to_an_end() {
        let mut chance = heddle_testkit::Chance(7);
        for _ in 0..2_000 {
            let count = 4 + chance.below(12);
            let mut cells = vec![0.0; count * count];
            for cell in &mut cells {
                let sign = if chance.is(50) { -1.0 } else { 1.0 };
                *cell = sign * chance.below(1_000) as f64 * 10f64.powi(chance.below(300) as i32);
            }
            assert!(!medoids(&Distances::new(count, cells), 4).is_empty());
        }
    }

    #[test]
    fn no_more_medoids_than_differ() {
        assert_eq!(medoids(&distances(&[5.0, 5.0, 5.0, 1.0]), 4), vec![0, 3]);
        assert_eq!(medoids(&distances(&[5.0; 6]), 3), vec![0]);
        assert!(medoids(&distances(&[]), 3).is_empty());
    }
}
