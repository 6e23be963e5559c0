//! Clusters of many timelines: CLARA (Kaufman and Rousseeuw 1990). Medoids are found in a small sample, all timelines are
//! given to the nearest, and the best of several samples is kept.
//!
//! What is done beyond that:
//! * every sample after the first holds the best medoids so far, so the search goes on from where it is;
//! * the best medoids are then exchanged for better ones of their clusters, looked at as a whole;
//! * a single odd rank among thousands is what one looks for, and no sample has it, nor would it be worth a medoid among so
//!   many: a timeline that is much farther from its medoid than is usual becomes a medoid too.

use std::ops::Range;

use rayon::prelude::*;

use heddle_store::{Progress, StoreError};

use super::distance::{Distance, Front};
use super::fold::Folded;
use super::pam::{Distances, medoids};
use super::timeline::{Timeline, Timelines};

/// Timelines that are worth another thread.
const AT_ONCE: usize = 256;

/// Members of a cluster that may become its medoid, in each of so many rounds.
const CANDIDATES: usize = 24;
const ROUNDS: usize = 3;
/// So many times as far from its medoid as the others on average, a timeline is odd.
const FAR: f64 = 4.0;

/// How to cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clara {
    pub(super) distance: Distance,
    /// Clusters, at most.
    pub(super) clusters: usize,
    /// Samples.
    pub(super) samples: usize,
    pub(super) seed: u64,
}

/// Timelines by their nearest medoid.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Partition {
    /// The timelines that stand for the clusters.
    pub(super) medoids: Vec<usize>,
    /// For each timeline the cluster; `u32::MAX` for those without values.
    pub(super) cluster_of: Vec<u32>,
    /// And how far its medoid is.
    pub(super) apart: Vec<f64>,
}

impl Partition {
    /// How far all are from their medoids together.
    pub(super) fn cost(&self) -> f64 {
        self.apart.iter().filter(|apart| apart.is_finite()).sum()
    }
}

impl Clara {
    /// So many timelines are in a sample; of no more than that all are taken.
    pub(super) fn sample_size(self) -> usize {
        // The authors took 40 + 2k; five times as many medoids' worth comes within 5 % of all distances on some hundred ranks.
        40 + 10 * self.clusters
    }

    /// How often all timelines are gone through, about.
    pub(super) fn passes(samples: usize) -> usize {
        1 + samples + ROUNDS
    }

    /// Clusters all timelines.
    pub(super) fn partition<T: Timelines + ?Sized>(
        self,
        timelines: &T,
        progress: &dyn Progress,
    ) -> Result<Partition, StoreError> {
        let folded = Folded::new(timelines);
        progress.advance(timelines.count() as u64);
        let found = self.gathered(timelines, &folded, progress)?;
        self.with_outliers(timelines, &folded, found, progress)
    }

    /// The best medoids of several samples.
    pub(super) fn gathered<T: Timelines + ?Sized>(
        self,
        timelines: &T,
        folded: &Folded,
        progress: &dyn Progress,
    ) -> Result<Partition, StoreError> {
        let known: Vec<usize> = (0..timelines.count()).filter(|at| !folded.is_empty(*at)).collect();
        if known.len() <= self.sample_size() {
            let medoids = self.medoids_of(timelines, &known);
            return self.assign(timelines, folded, medoids, progress);
        }
        let mut chance = Chance(self.seed);
        let mut best: Option<Partition> = None;
        for _ in 0..self.samples.max(1) {
            progress.check()?;
            let sample = self.sample(&known, best.as_ref(), &mut chance);
            let medoids = self.medoids_of(timelines, &sample);
            let found = self.assign(timelines, folded, medoids, progress)?;
            if best.as_ref().is_none_or(|best| found.cost() < best.cost()) {
                best = Some(found);
            }
        }
        let mut best = best.unwrap_or_default();
        for _ in 0..ROUNDS {
            let medoids = self.centred(timelines, folded, &best, &mut chance, progress)?;
            let found = self.assign(timelines, folded, medoids, progress)?;
            if found.cost() >= best.cost() {
                break;
            }
            best = found;
        }
        Ok(best)
    }

    /// Medoids of all timelines, by all their distances. For comparison, and for few.
    pub(super) fn medoids_of<T: Timelines + ?Sized>(self, timelines: &T, of: &[usize]) -> Vec<usize> {
        let scope = timelines.steps();
        let read: Vec<Timeline> = of.iter().map(|at| read(timelines, *at)).collect();
        let chosen = medoids(&self.distances(&scope, &read), self.clusters);
        chosen.into_iter().map(|at| of[at]).collect()
    }

    fn distances(self, scope: &Range<u32>, timelines: &[Timeline]) -> Distances {
        let front = Front::new(self.distance, scope.clone(), timelines);
        let row = |timeline: &Timeline| {
            let mut apart = Vec::new();
            front.distances(timeline, &mut apart);
            apart
        };
        let rows: Vec<Vec<f64>> = timelines.par_iter().map(row).collect();
        Distances::new(timelines.len(), rows.concat())
    }

    /// Whom to look at next, ascending.
    fn sample(self, known: &[usize], best: Option<&Partition>, chance: &mut Chance) -> Vec<usize> {
        let size = self.sample_size().min(known.len());
        let mut sample = Vec::new();
        sample.extend(best.iter().flat_map(|best| &best.medoids));
        while sample.len() < size {
            let at = known[chance.below(known.len())];
            if let Err(place) = sample.binary_search(&at) {
                sample.insert(place, at);
            }
        }
        sample
    }

    /// Exchanges each medoid for the member of its cluster that all its members are nearest to, out of a few by chance.
    fn centred<T: Timelines + ?Sized>(
        self,
        timelines: &T,
        folded: &Folded,
        found: &Partition,
        chance: &mut Chance,
        progress: &dyn Progress,
    ) -> Result<Vec<usize>, StoreError> {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); found.medoids.len()];
        for (at, cluster) in found.cluster_of.iter().enumerate() {
            if let Some(members) = members.get_mut(*cluster as usize) {
                members.push(at);
            }
        }
        let mut centred = Vec::new();
        for (medoid, members) in found.medoids.iter().zip(members) {
            progress.check()?;
            let mut candidates = vec![*medoid];
            if members.len() <= CANDIDATES {
                candidates.extend(members.iter().filter(|at| *at != medoid));
            } else {
                candidates.extend((1..CANDIDATES).map(|_| members[chance.below(members.len())]));
            }
            let read: Vec<Timeline> = candidates.iter().map(|at| read(timelines, *at)).collect();
            let front = Front::new(self.distance, timelines.steps(), &read);
            let costs = costs(timelines, folded, &front, &members);
            let best = (0..candidates.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b]));
            centred.push(best.map_or(*medoid, |at| candidates[at]));
        }
        centred.sort_unstable();
        centred.dedup();
        Ok(centred)
    }

    /// Makes medoids of those that are far from all, the farthest first: at most as many again.
    fn with_outliers<T: Timelines + ?Sized>(
        self,
        timelines: &T,
        folded: &Folded,
        mut found: Partition,
        progress: &dyn Progress,
    ) -> Result<Partition, StoreError> {
        let usual = found.cost() / found.apart.iter().filter(|apart| apart.is_finite()).count().max(1) as f64;
        for _ in 0..self.clusters {
            let far = found.apart.iter().zip(0..).filter(|(apart, _)| apart.is_finite());
            let farthest = far.max_by(|a, b| a.0.total_cmp(b.0).then(b.1.cmp(&a.1)));
            let Some((_, odd)) = farthest.filter(|(apart, _): &(&f64, usize)| **apart > FAR * usual) else { break };
            let alone = self.assign(timelines, folded, vec![odd], progress)?;
            let cluster = found.medoids.len() as u32;
            found.medoids.push(odd);
            for at in 0..timelines.count() {
                if alone.apart[at] < found.apart[at] {
                    found.apart[at] = alone.apart[at];
                    found.cluster_of[at] = cluster;
                }
            }
        }
        Ok(found)
    }

    /// Gives every timeline to its nearest medoid; of equally near ones to the first.
    pub(super) fn assign<T: Timelines + ?Sized>(
        self,
        timelines: &T,
        folded: &Folded,
        medoids: Vec<usize>,
        progress: &dyn Progress,
    ) -> Result<Partition, StoreError> {
        let of_medoids: Vec<Timeline> = medoids.iter().map(|at| read(timelines, *at)).collect();
        let front = Front::new(self.distance, timelines.steps(), &of_medoids);
        let distinct = folded.distinct();
        let nearest: Result<Vec<Vec<(u32, f64)>>, StoreError> = distinct
            .par_chunks(AT_ONCE)
            .map(|some| {
                progress.check()?;
                let (mut timeline, mut apart) = (Timeline::default(), Vec::new());
                let near = |at: &usize| {
                    timelines.read(*at, &mut timeline);
                    front.distances(&timeline, &mut apart);
                    nearest(&apart)
                };
                let near = some.iter().map(near).collect();
                progress.advance(some.len() as u64);
                Ok(near)
            })
            .collect();
        let nearest = nearest?.concat();
        let (mut cluster_of, mut apart) = (Vec::new(), Vec::new());
        for at in 0..timelines.count() {
            let (cluster, distance) = folded.class_of(at).map_or((u32::MAX, f64::INFINITY), |class| nearest[class]);
            cluster_of.push(cluster);
            apart.push(distance);
        }
        Ok(Partition { medoids, cluster_of, apart })
    }
}

/// How far some timelines are from each of a front, added up.
fn costs<T: Timelines + ?Sized>(timelines: &T, folded: &Folded, front: &Front, members: &[usize]) -> Vec<f64> {
    // Equal ones are compared once.
    let mut times: Vec<(usize, f64)> = Vec::new();
    let mut classes: Vec<usize> = members.iter().filter_map(|at| folded.class_of(*at)).collect();
    classes.sort_unstable();
    for class in classes {
        match times.last_mut() {
            Some((last, times)) if *last == class => *times += 1.0,
            _ => times.push((class, 1.0)),
        }
    }
    let parts: Vec<Vec<f64>> = times
        .par_chunks(AT_ONCE)
        .map(|some| {
            let (mut timeline, mut apart, mut sums) = (Timeline::default(), Vec::new(), Vec::new());
            for (class, times) in some {
                timelines.read(folded.distinct()[*class], &mut timeline);
                front.distances(&timeline, &mut apart);
                sums.resize(apart.len(), 0.0);
                sums.iter_mut().zip(&apart).for_each(|(sum, apart)| *sum += times * apart);
            }
            sums
        })
        .collect();
    let mut sums = vec![0.0; front.lanes()];
    for part in parts {
        sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
    sums
}

/// The nearest of some, and how far it is.
fn nearest(apart: &[f64]) -> (u32, f64) {
    let mut best = (u32::MAX, f64::INFINITY);
    for (at, apart) in apart.iter().enumerate() {
        if *apart < best.1 {
            best = (at as u32, *apart);
        }
    }
    best
}

fn read<T: Timelines + ?Sized>(timelines: &T, at: usize) -> Timeline {
    let mut timeline = Timeline::default();
    timelines.read(at, &mut timeline);
    timeline
}

/// Pseudo-random numbers (`SplitMix64`): the same for the same seed, everywhere.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }
}
