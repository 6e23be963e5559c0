//! Lower bounds of the time that a run takes.

use heddle_model::RegionId;
use heddle_store::{Progress, Store, StoreError};

use crate::area::area_bound;
use crate::tally::{Tally, means};
use crate::{BoundWorkers, Chain, ProgressOptions, WorkKind};

/// Lower bounds of a run, in nanoseconds from the first start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Whether there are any. Logical steps are calls that wait as well as work, so they say nothing about how fast a machine
    /// could be: then all bounds are 0 and are not to be shown.
    pub is_known: bool,
    /// Of the run as a whole: what the workers need if they are never idle.
    pub area: f64,
    /// Of the work of each step alone.
    pub steps: Vec<f64>,
    /// Of each node that had work: what its own workers need for its own work.
    pub node: Vec<f64>,
    /// The length of the longest chain of tasks that wait for each other, where that is known.
    pub chain: Option<f64>,
    /// The same with what else is to be said of dependencies.
    pub dependencies: Option<Chain>,
    /// Workers that the bounds count on, by kind.
    pub workers: Vec<u64>,
    /// Workers that there are, by kind.
    pub declared: Vec<u64>,
    /// Workers that worked, by kind.
    pub observed: Vec<u64>,
}

impl Bounds {
    pub(crate) fn of(tally: &Tally, types: usize, work: &WorkKind, options: &ProgressOptions) -> Bounds {
        let pool = &tally.pool;
        let (declared, observed) = (pool.declared.clone(), pool.observed.clone());
        let workers = match options.bound_workers {
            BoundWorkers::Declared => declared.clone(),
            BoundWorkers::Observed => observed.clone(),
        };
        let is_known = *work != WorkKind::Steps;
        let means = means(&pool.on_kind, types, declared.len());
        let bound = |counts: &[f64]| if is_known { area_bound(counts, &means, &workers) } else { 0.0 };
        let totals: Vec<f64> = pool.tasks.iter().map(|tasks| *tasks as f64).collect();
        let steps = (0..tally.steps.count()).map(|step| bound(&pool.in_step[step * types..(step + 1) * types]));
        let with_work = tally.nodes.iter().filter(|node| node.line.is_some());
        Bounds {
            is_known,
            area: bound(&totals),
            steps: steps.collect(),
            node: with_work.map(|node| if is_known { node.bound } else { 0.0 }).collect(),
            chain: None,
            dependencies: None,
            workers,
            declared,
            observed,
        }
    }

    /// Looks for the longest chain of tasks that wait for each other.
    pub(crate) fn follow(
        &mut self,
        store: &Store,
        tally: &Tally,
        types: &[RegionId],
        watch: &dyn Progress,
    ) -> Result<(), StoreError> {
        let means = means(&tally.pool.on_kind, types.len(), self.declared.len());
        let fastest = |of: usize| means[of].iter().flatten().copied().reduce(f64::min).unwrap_or(0.0);
        let mut by_region = vec![0.0; store.regions.len() as usize];
        for (of, region) in types.iter().enumerate() {
            by_region[region.index()] = fastest(of);
        }
        let fastest = |region: RegionId| by_region.get(region.index()).copied().unwrap_or(0.0);
        self.dependencies = Chain::of(store, fastest, watch)?;
        self.chain = self.dependencies.as_ref().map(|chain| chain.length);
        Ok(())
    }

    /// The bounds of all steps up to each instant, added up; nothing at the first.
    pub fn cumulative(&self) -> Vec<f64> {
        let sums = self.steps.iter().scan(0.0, |sum, step| {
            *sum += step;
            Some(*sum)
        });
        std::iter::once(0.0).chain(sums).collect()
    }
}
