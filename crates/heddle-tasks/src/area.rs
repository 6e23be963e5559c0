//! The area bound: how long a machine needs for some work if its workers are never idle, whatever waits for what.
//!
//! Work of each type is handed to kinds of workers, in fractions, such that the busiest kind is done as early as possible.
//! With one or two kinds the answer can be written down; with more it takes a linear program.

use microlp::{ComparisonOp, OptimizationDirection, Problem};

/// The shortest time in which `workers` of each kind can do `counts` pieces of each type. `means` has the durations by type,
/// then kind, where a kind can do a type. What no kind can do counts for nothing.
///
/// Should the solver fail, the answer is the best bound by two kinds at a time, with the others free of charge: a lower bound
/// too, though not the highest.
pub fn area_bound(counts: &[f64], means: &[Vec<Option<f64>>], workers: &[u64]) -> f64 {
    let loads = Loads::of(counts, means, workers);
    match loads.kinds[..] {
        [] => 0.0,
        [one] => loads.of_pair(one, one),
        [one, other] => loads.of_pair(one, other),
        _ => {
            let pairs = loads.kinds.iter().flat_map(|one| loads.kinds.iter().map(|other| loads.of_pair(*one, *other)));
            let least = pairs.fold(0.0, f64::max);
            loads.solve().filter(|bound| bound.is_finite()).map_or(least, |bound| bound.max(least))
        }
    }
}

/// How long all workers of each kind need for all work of each type.
struct Loads {
    /// By type, then kind; only types that there are and that somebody can do.
    loads: Vec<Vec<Option<f64>>>,
    /// Kinds that can do anything.
    kinds: Vec<usize>,
}

impl Loads {
    fn of(counts: &[f64], means: &[Vec<Option<f64>>], workers: &[u64]) -> Loads {
        let load = |count: f64, means: &Vec<Option<f64>>| -> Vec<Option<f64>> {
            let of_kind = |(mean, workers): (&Option<f64>, &u64)| {
                mean.filter(|_| *workers > 0).map(|mean| count * mean / *workers as f64)
            };
            means.iter().zip(workers).map(of_kind).collect()
        };
        let there = counts.iter().zip(means).filter(|(count, _)| **count > 0.0);
        let loads: Vec<Vec<Option<f64>>> =
            there.map(|(count, means)| load(*count, means)).filter(|loads| loads.iter().any(Option::is_some)).collect();
        let kinds = (0..workers.len()).filter(|kind| loads.iter().any(|loads| loads[*kind].is_some())).collect();
        Loads { loads, kinds }
    }

    /// The bound by two kinds; what others can do is left to those.
    fn of_pair(&self, one: usize, other: usize) -> f64 {
        // All that has a choice begins on the one kind and moves to the other, what gains most first.
        let (mut on_one, mut on_other) = (0.0, 0.0);
        let mut both = Vec::new();
        for loads in &self.loads {
            let elsewhere = loads.iter().enumerate().any(|(kind, load)| kind != one && kind != other && load.is_some());
            match (loads[one], loads[other]) {
                _ if elsewhere => {}
                (Some(load), _) if one == other => on_one += load,
                (Some(here), Some(there)) => {
                    on_one += here;
                    if here > 0.0 {
                        both.push((here, there));
                    }
                }
                (Some(load), None) => on_one += load,
                (None, Some(load)) => on_other += load,
                (None, None) => {}
            }
        }
        both.sort_by(|a, b| (b.0 / b.1).total_cmp(&(a.0 / a.1)));
        for (here, there) in both {
            let share = ((on_one - on_other) / (here + there)).clamp(0.0, 1.0);
            on_one -= share * here;
            on_other += share * there;
            if share < 1.0 {
                break;
            }
        }
        on_one.max(on_other)
    }

    /// The linear program; `None` if the solver does not find the optimum.
    fn solve(&self) -> Option<f64> {
        // The solver wants numbers of similar size.
        let largest = self.loads.iter().flatten().flatten().copied().fold(0.0, f64::max);
        if largest <= 0.0 {
            return Some(0.0);
        }
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let time = problem.add_var(1.0, (0.0, f64::INFINITY));
        let mut of_kind: Vec<Vec<(microlp::Variable, f64)>> = vec![vec![(time, -1.0)]; self.loads[0].len()];
        for loads in &self.loads {
            let mut shares = Vec::new();
            for (load, terms) in loads.iter().zip(&mut of_kind) {
                if let Some(load) = load {
                    let share = problem.add_var(0.0, (0.0, f64::INFINITY));
                    shares.push((share, 1.0));
                    terms.push((share, load / largest));
                }
            }
            problem.add_constraint(shares, ComparisonOp::Eq, 1.0);
        }
        for kind in &self.kinds {
            problem.add_constraint(&of_kind[*kind], ComparisonOp::Le, 0.0);
        }
        let solution = problem.solve().ok()?.into_solution().ok()?;
        Some(solution.objective() * largest)
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "nothing is exact")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_near(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-300), "{a} {b}");
    }

    #[test]
    fn one_kind_shares_everything() {
        let means = [vec![Some(10.0)], vec![Some(2.0)]];
        assert_near(area_bound(&[6.0, 5.0], &means, &[4]), 17.5);
    }

    #[test]
    fn two_kinds_meet() {
        // 10 tasks that take 8 on a CPU and 2 on a GPU, one of each: x on the CPU, 8x = 2(10 - x).
        assert_near(area_bound(&[10.0], &[vec![Some(8.0), Some(2.0)]], &[1, 1]), 16.0);
        // A type that only the GPU can do, and one that gains little there: the CPU takes 13/3 of the latter.
        let means = [vec![None, Some(1.0)], vec![Some(4.0), Some(2.0)]];
        let bound = area_bound(&[10.0, 8.0], &means, &[1, 1]);
        assert_near(bound, 52.0 / 3.0);
        // What has no choice decides alone if it is long enough.
        let forced = [vec![None, Some(100.0)], vec![Some(4.0), Some(2.0)]];
        assert_near(area_bound(&[10.0, 8.0], &forced, &[1, 1]), 1000.0);
        let forced = [vec![Some(100.0), None], vec![Some(4.0), Some(2.0)]];
        assert_near(area_bound(&[10.0, 8.0], &forced, &[1, 1]), 1000.0);
    }

    #[test]
    fn three_kinds_take_a_program() {
        // One kind each can do the first two, any the last: 3 + 4.5x = 3 + 9y = 9z with shares that make 1.
        let means = [vec![Some(6.0), None, None], vec![None, Some(3.0), None], vec![Some(9.0), Some(9.0), Some(9.0)]];
        assert_near(area_bound(&[1.0; 3], &means, &[2, 1, 1]), 4.5);
        // What has no choice decides alone.
        assert_near(area_bound(&[1.0; 3], &means, &[1, 3, 1]), 6.0);
    }

    #[test]
    fn nothing_takes_no_time() {
        assert_eq!(area_bound(&[], &[], &[]), 0.0);
        assert_eq!(area_bound(&[0.0], &[vec![Some(5.0)]], &[1]), 0.0);
        assert_eq!(area_bound(&[3.0], &[vec![Some(0.0)]], &[2]), 0.0);
        assert_eq!(area_bound(&[3.0], &[vec![Some(0.0), Some(0.0), Some(0.0)]], &[2, 1, 1]), 0.0);
        assert_eq!(area_bound(&[3.0], &[vec![Some(1.0)]], &[0]), 0.0, "nobody can do it");
        assert_eq!(area_bound(&[3.0], &[vec![None]], &[4]), 0.0);
    }

    type Instance = (Vec<f64>, Vec<Vec<Option<f64>>>, Vec<u64>);

    /// Random work for machines with some kinds of workers; somebody can do each type.
    fn instance(kinds: usize) -> impl Strategy<Value = Instance> {
        (1..6usize).prop_flat_map(move |types| {
            let means =
                prop::collection::vec(prop::option::weighted(0.7, 0.5..100.0f64), kinds).prop_map(|mut means| {
                    if means.iter().all(Option::is_none) {
                        means[0] = Some(1.0);
                    }
                    means
                });
            (
                prop::collection::vec(1..1000u32, types).prop_map(|counts| counts.into_iter().map(f64::from).collect()),
                prop::collection::vec(means, types),
                prop::collection::vec(1..9u64, kinds),
            )
        })
    }

    /// The largest value of the dual, which is concave and consists of planes: it is where two of their edges meet.
    fn dual(loads: &Loads) -> f64 {
        // Edges a·x + b·y = c in the plane of the prices of the first two of three kinds, that of the third being 1 - x - y.
        let mut edges = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]];
        for load in &loads.loads {
            if let (Some(p), Some(q)) = (load[0], load[1]) {
                edges.push([p, -q, 0.0]);
            }
            if let (Some(p), Some(r)) = (load[0], load[2]) {
                edges.push([p + r, r, r]);
            }
            if let (Some(q), Some(r)) = (load[1], load[2]) {
                edges.push([r, q + r, r]);
            }
        }
        let value = |prices: [f64; 3]| -> f64 {
            let least = |load: &Vec<Option<f64>>| {
                load.iter()
                    .zip(prices)
                    .filter_map(|(load, price)| load.map(|load| load * price))
                    .fold(f64::MAX, f64::min)
            };
            loads.loads.iter().map(least).sum()
        };
        let mut best: f64 = 0.0;
        for (at, a) in edges.iter().enumerate() {
            for b in &edges[at + 1..] {
                let determinant = a[0] * b[1] - a[1] * b[0];
                let (x, y) = ((a[2] * b[1] - a[1] * b[2]) / determinant, (a[0] * b[2] - a[2] * b[0]) / determinant);
                let prices = [x, y, 1.0 - x - y];
                if prices.iter().all(|price| *price > -1e-12) {
                    best = best.max(value(prices.map(|price| price.max(0.0))));
                }
            }
        }
        best
    }

    proptest! {
        #[test]
        fn closed_forms_solve_the_program((counts, means, workers) in (1..3usize).prop_flat_map(instance)) {
            let loads = Loads::of(&counts, &means, &workers);
            let (closed, solved) = (area_bound(&counts, &means, &workers), loads.solve().unwrap());
            prop_assert!((closed - solved).abs() <= 1e-9 * closed, "{closed} {solved}");
        }

        #[test]
        fn the_program_equals_its_dual((counts, means, workers) in instance(3)) {
            let loads = Loads::of(&counts, &means, &workers);
            let (solved, dual) = (loads.solve().unwrap(), dual(&loads));
            prop_assert!((solved - dual).abs() <= 1e-9 * solved, "{solved} {dual}");
            // And what stands in for it is never more.
            for one in 0..3 {
                for other in 0..3 {
                    prop_assert!(loads.of_pair(one, other) <= solved * (1.0 + 1e-9));
                }
            }
        }

        #[test]
        fn steps_take_no_less_than_the_whole((counts, means, workers) in instance(2), share in 0.0..1.0f64) {
            let part = |share: f64| counts.iter().map(|count| count * share).collect::<Vec<f64>>();
            let whole = area_bound(&counts, &means, &workers);
            let sum = area_bound(&part(share), &means, &workers) + area_bound(&part(1.0 - share), &means, &workers);
            prop_assert!(sum >= whole * (1.0 - 1e-9));
        }
    }
}
