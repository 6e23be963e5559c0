//! Several runs of one program, by their number of ranks: what keeps it from scaling.
//!
//! Efficiencies are relative to the smallest run. With strong scaling the work is the same in all runs, with weak scaling it
//! grows with the ranks. Unless it is said which, useful time tells: where that of all ranks together grows at least nine tenths
//! as fast as their number, the scaling is weak.

use heddle_diagnosis::efficiency::Efficiency;
use heddle_model::Ns;
use serde::Serialize;

use super::efficiency::EfficiencyColumn;

/// Useful time that grows at least so fast as the number of ranks is that of weak scaling.
const WEAK: f64 = 0.9;
/// An efficiency from here on is acceptable (POP).
const ACCEPTABLE: f64 = 0.8;

/// How work grows with the number of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ScalingKind {
    /// Not at all.
    Strong,
    /// With it.
    Weak,
}

impl ScalingKind {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            ScalingKind::Strong => "strong",
            ScalingKind::Weak => "weak",
        }
    }
}

/// Runs of one program, compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScalingTold {
    /// How work grows.
    pub scaling: ScalingKind,
    /// Whether that is told from useful time.
    pub is_guessed: bool,
    /// The runs, those with fewest ranks first: the first is what the others are compared with.
    pub runs: Vec<ScalingRun>,
    /// What falls below the acceptable first, from the root of the tree down, in the largest run.
    pub limit: String,
}

/// A run among others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScalingRun {
    /// Which.
    pub name: String,
    /// How many ranks.
    pub ranks: u64,
    /// How long it took, in nanoseconds.
    pub elapsed_ns: i64,
    /// How many times as fast as the first; with weak scaling times the work.
    pub speed_up: f64,
    /// Parallel efficiency times computation scaling.
    pub global: f64,
    /// What computing itself loses against the first.
    pub computation_scaling: f64,
    /// The tree.
    #[serde(flatten)]
    pub tree: EfficiencyColumn,
}

/// Compares runs of one program; none if there are none.
pub fn scaling_told(runs: Vec<(String, Efficiency)>, kind: Option<ScalingKind>) -> Option<ScalingTold> {
    let mut runs = runs;
    runs.sort_by(|a, b| (a.1.ranks, -a.1.elapsed).cmp(&(b.1.ranks, -b.1.elapsed)).then_with(|| a.0.cmp(&b.0)));
    let first = runs.first()?.1;
    let scaling = kind.unwrap_or_else(|| told_from(&runs));
    let runs: Vec<ScalingRun> =
        runs.into_iter().map(|(name, efficiency)| run(name, efficiency, first, scaling)).collect();
    let limit = runs.last().map_or_else(String::new, limit);
    Some(ScalingTold { scaling, is_guessed: kind.is_none(), runs, limit })
}

/// How work grows, from useful time.
fn told_from(runs: &[(String, Efficiency)]) -> ScalingKind {
    let Some((_, first)) = runs.first() else { return ScalingKind::Strong };
    let growth = |run: &Efficiency| {
        let ranks = run.ranks.max(1) as f64 / first.ranks.max(1) as f64;
        run.time.useful as f64 / first.time.useful.max(1) as f64 / ranks
    };
    let more: Vec<f64> = runs.iter().filter(|(_, run)| run.ranks > first.ranks).map(|(_, run)| growth(run)).collect();
    let mean = more.iter().sum::<f64>() / more.len().max(1) as f64;
    if !more.is_empty() && mean > WEAK { ScalingKind::Weak } else { ScalingKind::Strong }
}

fn run(name: String, efficiency: Efficiency, first: Efficiency, scaling: ScalingKind) -> ScalingRun {
    let ratio = |a: f64, b: f64| if b > 0.0 { a / b } else { 1.0 };
    let work = match scaling {
        ScalingKind::Strong => 1.0,
        ScalingKind::Weak => ratio(efficiency.ranks as f64, first.ranks as f64),
    };
    let computation_scaling = work * ratio(first.time.useful as f64, efficiency.time.useful as f64);
    ScalingRun {
        name,
        ranks: efficiency.ranks,
        elapsed_ns: efficiency.elapsed,
        speed_up: work * ratio(first.elapsed as f64, efficiency.elapsed as f64),
        global: efficiency.parallel() * computation_scaling,
        computation_scaling,
        tree: EfficiencyColumn::of("run", Ns(0), Ns(efficiency.elapsed), efficiency),
    }
}

/// What limits a run: from the root of the tree the way through what falls below the acceptable, each time the worse branch.
fn limit(run: &ScalingRun) -> String {
    if run.global >= ACCEPTABLE {
        return format!("With {} ranks all is acceptable: global efficiency {:.2}.", run.ranks, run.global);
    }
    let tree = &run.tree;
    let (name, value) = if run.computation_scaling < tree.parallel {
        ("computation scaling", run.computation_scaling)
    } else if tree.load_balance < tree.communication {
        ("load balance", tree.load_balance)
    } else if tree.serialisation < tree.transfer {
        ("serialisation", tree.serialisation)
    } else {
        ("transfer", tree.transfer)
    };
    format!("With {} ranks {name} limits the run most: {value:.2}.", run.ranks)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that finds nothing fails")]
mod tests {
    use super::*;
    use heddle_diagnosis::efficiency::Classes;

    fn efficiency(ranks: u64, elapsed: i64, useful: i64, most: i64, ideal: i64) -> Efficiency {
        let time = Classes { useful, ..Classes::default() };
        Efficiency { ranks, elapsed, time, most_useful: most, ideal }
    }

    #[test]
    fn strong_scaling_is_told_by_hand_made_runs() {
        // 400 of work on 4 and on 8 ranks; the second has a rank with 80 instead of 50.
        let four = efficiency(4, 110, 400, 100, 105);
        let eight = efficiency(8, 100, 400, 80, 90);
        let told = scaling_told(vec![("b".into(), eight), ("a".into(), four)], None).unwrap();
        assert_eq!(told.scaling, ScalingKind::Strong);
        assert_eq!(told.runs.iter().map(|run| run.ranks).collect::<Vec<_>>(), [4, 8]);
        let last = &told.runs[1];
        assert!((last.speed_up - 1.1).abs() < 1e-12);
        assert!((last.computation_scaling - 1.0).abs() < 1e-12);
        assert!((last.tree.parallel - 0.5).abs() < 1e-12 && (last.tree.load_balance - 0.625).abs() < 1e-12);
        assert_eq!(told.limit, "With 8 ranks load balance limits the run most: 0.62.");
    }

    #[test]
    fn weak_scaling_counts_the_work() {
        let four = efficiency(4, 100, 380, 100, 100);
        let eight = efficiency(8, 110, 760, 100, 105);
        let told = scaling_told(vec![("a".into(), four), ("b".into(), eight)], None).unwrap();
        assert_eq!((told.scaling, told.is_guessed), (ScalingKind::Weak, true));
        assert!((told.runs[1].speed_up - 2.0 * 100.0 / 110.0).abs() < 1e-12);
        assert!((told.runs[1].computation_scaling - 1.0).abs() < 1e-12);
        let said = scaling_told(vec![("a".into(), four), ("b".into(), eight)], Some(ScalingKind::Strong)).unwrap();
        assert!((said.runs[1].computation_scaling - 0.5).abs() < 1e-12 && !said.is_guessed);
        assert!(scaling_told(Vec::new(), None).is_none());
    }
}
