//! The clusters of a scope, computed once and kept beside the steps they belong to.

use std::ops::Range;
use std::path::Path;

use heddle_options::Options;
use heddle_store::table::require;
use heddle_store::{Derived, Progress, StoreError, write_table};

use super::clara::Clara;
use super::distance::{Distance, distance};
use super::linkage::single_linkage;
use super::scope::Scope;
use super::tables::{
    FORMAT, LeafRows, LeafTable, MemberRows, MemberTable, MergeRows, MergeTable, TotalRows, TotalTable,
};
use super::timeline::{RowTimelines, Timeline, Timelines};
use super::totals::{Members, StepTotals, read};
use super::tree::{Merge, Tree};
use super::{ClusterOptions, ScopeChoice};
use crate::{Logical, Metric, MetricValues, work};

/// A cluster before it is joined with others.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// The row that stands for it: the one that the others are nearest to.
    pub medoid: u32,
    /// How many rows it has.
    pub members: u32,
    /// Its largest value, with row and step; none if no value is known.
    pub largest: Option<(f64, u32, u32)>,
    /// Its rows in the table of totals.
    pub(super) totals: Range<u64>,
}

impl Leaf {
    /// Takes note of a value. Of equal ones the first counts: by row, then by step.
    pub(super) fn saw(&mut self, value: Option<(f64, u32, u32)>) {
        let Some(new) = value else { return };
        let is_first = |old: (f64, u32, u32)| new.0 > old.0 || (new.0 >= old.0 && (new.1, new.2) < (old.1, old.2));
        if self.largest.is_none_or(is_first) {
            self.largest = Some(new);
        }
    }
}

/// The clusters of a scope.
#[derive(Debug)]
pub struct Clusters {
    options: ClusterOptions,
    scope: Scope,
    metric: Metric,
    members: MemberTable,
    totals: TotalTable,
    leaves: Vec<Leaf>,
    tree: Tree,
    /// Held as long as the files are needed.
    _place: Derived,
}

struct Tables {
    members: MemberTable,
    leaves: LeafTable,
    merges: MergeTable,
    totals: TotalTable,
}

impl Tables {
    /// Of so many rows and steps of logical time.
    fn open((rows, steps): (u64, u64), path: &Path) -> Result<Tables, StoreError> {
        let mut tables = Tables {
            members: MemberTable::open(path)?,
            leaves: LeafTable::open(path)?,
            merges: MergeTable::open(path)?,
            totals: TotalTable::open(path)?,
        };
        let Tables { members, leaves, merges, totals } = &mut tables;
        let fits = members.row.must_be_below(rows) && members.leaf.must_be_below(leaves.len());
        require::<MemberRows>(path, fits && members.len() <= rows)?;
        let first: Vec<u64> = leaves.first_total.iter(0..leaves.len()).collect();
        let fits = leaves.medoid.must_be_below(rows)
            && leaves.members.must_be_below(rows + 1)
            && leaves.largest_row.must_be_below_or_none(rows)
            && leaves.largest_step.must_be_below_or_none(steps)
            && first.is_sorted()
            && first.last().is_none_or(|last| *last <= totals.len());
        require::<LeafRows>(path, fits && leaves.len() <= members.len())?;
        require::<TotalRows>(path, totals.step.must_be_below(steps))?;
        require::<MergeRows>(path, are_joined(leaves.len(), merges))?;
        Ok(tables)
    }
}

/// Whether joints join leaves, and joints before them, each once, until there is one.
fn are_joined(leaves: u64, merges: &MergeTable) -> bool {
    let mut is_free = vec![true; (leaves + merges.len()) as usize];
    let mut take = |child: u32, below: u64| {
        let is_there = u64::from(child) < below && is_free[child as usize];
        is_there && std::mem::replace(&mut is_free[child as usize], false)
    };
    let mut is_joint = |at: u64| {
        let children = [merges.first.get(at), merges.second.get(at)];
        children.into_iter().all(|child| take(child, leaves + at))
    };
    merges.len() == leaves.saturating_sub(1) && (0..merges.len()).all(&mut is_joint)
}

impl Clusters {
    /// The clusters with these options, if they are there.
    pub fn find(logical: &Logical, values: &MetricValues, scope: &Scope, options: &ClusterOptions) -> Option<Clusters> {
        let place = place(values, scope, options);
        let tables = place.find(|path| Tables::open(size(logical), path))?;
        Some(Clusters::new(place, values.metric(), scope, options, tables))
    }

    /// The clusters with these options; computed if they are not there.
    pub fn open(
        logical: &Logical,
        values: &MetricValues,
        scope: &Scope,
        options: &ClusterOptions,
        progress: &dyn Progress,
    ) -> Result<Clusters, StoreError> {
        let place = place(values, scope, options);
        let open = |path: &Path| Tables::open(size(logical), path);
        let tables = place
            .open_or_make(progress, open, |directory| build(directory, logical, values, scope, options, progress))?;
        Ok(Clusters::new(place, values.metric(), scope, options, tables))
    }

    fn new(place: Derived, metric: Metric, scope: &Scope, options: &ClusterOptions, tables: Tables) -> Clusters {
        let Tables { members, leaves: table, merges, totals } = tables;
        let count = table.len();
        let leaf = |at: u64| Leaf {
            medoid: table.medoid.get(at),
            members: table.members.get(at),
            largest: Some(table.largest.get(at))
                .filter(|largest| largest.is_finite())
                .map(|largest| (largest, table.largest_row.get(at), table.largest_step.get(at))),
            totals: table.first_total.get(at)..if at + 1 < count {
                table.first_total.get(at + 1)
            } else {
                totals.len()
            },
        };
        let leaves = (0..count).map(leaf).collect();
        let merge =
            |at: u64| Merge { children: [merges.first.get(at), merges.second.get(at)], height: merges.height.get(at) };
        let tree = Tree::new(count as u32, (0..merges.len()).map(merge).collect());
        Clusters {
            options: options.clone(),
            scope: scope.clone(),
            metric,
            members,
            totals,
            leaves,
            tree,
            _place: place,
        }
    }

    /// What decided them.
    pub fn options(&self) -> &ClusterOptions {
        &self.options
    }

    /// Whose clusters they are.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// What ranks were compared by.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The hierarchy. Its leaves are those of [`Clusters::leaves`].
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The clusters before they were joined.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// How many rows there are in all.
    pub fn rows(&self) -> u64 {
        self.members.len()
    }

    /// The leaf of a row of logical time; none if it has no event in the scope.
    pub fn leaf_of(&self, row: u32) -> Option<u32> {
        let at = self.members.row.partition_point(0..self.members.len(), |other| other < row);
        (self.members.row.get(at) == row && at < self.members.len()).then(|| self.members.leaf.get(at))
    }

    /// All rows with their leaves, ascending.
    pub fn members(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let all = 0..self.members.len();
        self.members.row.iter(all.clone()).zip(self.members.leaf.iter(all))
    }

    /// The rows below a node, ascending.
    pub fn rows_of(&self, node: u32) -> Vec<u32> {
        let leaves = self.is_below(node);
        self.members().filter(|(_, leaf)| leaves[*leaf as usize]).map(|(row, _)| row).collect()
    }

    /// For each leaf whether it is below a node.
    fn is_below(&self, node: u32) -> Vec<bool> {
        let mut below = vec![false; self.leaves.len()];
        for leaf in self.tree.leaves_of(node) {
            below[leaf as usize] = true;
        }
        below
    }

    /// How many rows are below a node.
    pub fn size(&self, node: u32) -> u32 {
        self.tree.leaves_of(node).into_iter().map(|leaf| self.leaves[leaf as usize].members).sum()
    }

    /// The largest value below a node, with row and step; of equal ones the first.
    pub fn largest(&self, node: u32) -> Option<(f64, u32, u32)> {
        let mut of_all = Leaf { medoid: 0, members: 0, largest: None, totals: 0..0 };
        for leaf in self.tree.leaves_of(node) {
            of_all.saw(self.leaves[leaf as usize].largest);
        }
        of_all.largest
    }

    /// The row that stands for a node: of its leaves' medoids the one that is nearest to all rows of the others, each leaf
    /// weighing as much as it has members.
    pub fn medoid(&self, logical: &Logical, values: &MetricValues, node: u32) -> Option<u32> {
        let leaves = self.tree.leaves_of(node);
        if let [leaf] = leaves[..] {
            return Some(self.leaves[leaf as usize].medoid);
        }
        let scope = self.scope.steps(logical);
        let timelines: Vec<Timeline> =
            leaves.iter().map(|leaf| self.timeline(logical, values, self.leaves[*leaf as usize].medoid)).collect();
        let cost = |at: usize| -> f64 {
            let weighed = leaves.iter().zip(&timelines).map(|(leaf, other)| {
                let apart = distance(self.options.distance, &scope, &timelines[at], other);
                let members = f64::from(self.leaves[*leaf as usize].members);
                if apart.is_finite() { members * apart } else { 0.0 }
            });
            weighed.sum()
        };
        let known = (0..leaves.len()).filter(|at| !timelines[*at].is_empty());
        let nearest = known.min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
        nearest.or(Some(0)).and_then(|at| leaves.get(at)).map(|leaf| self.leaves[*leaf as usize].medoid)
    }

    /// The values of a row in the scope.
    pub fn timeline(&self, logical: &Logical, values: &MetricValues, row: u32) -> Timeline {
        let rows = [row];
        let timelines = RowTimelines { logical, values, scope: &self.scope, rows: &rows };
        let mut timeline = Timeline::default();
        timelines.read(0, &mut timeline);
        timeline
    }

    /// Visits what the members of a node do in some steps, one leaf after the other: a step may come several times.
    pub fn for_each_total(&self, node: u32, steps: Range<u32>, mut visit: impl FnMut(u32, &StepTotals)) {
        for leaf in self.tree.leaves_of(node) {
            let rows = self.leaves[leaf as usize].totals.clone();
            let first = self.totals.step.partition_point(rows.clone(), |step| step < steps.start);
            for at in first..rows.end {
                let step = self.totals.step.get(at);
                if step >= steps.end {
                    break;
                }
                visit(step, &read(&self.totals, at));
            }
        }
    }

    /// The clusters that a reader sees first: between one and `most` of them.
    pub fn natural(&self, most: usize) -> Vec<u32> {
        let apart = self.members.apart.iter(0..self.members.len());
        self.tree.natural(most, within(apart, self.leaves.len()))
    }

    /// How far the rows of a node are from the medoids of their leaves, on average: the root of the mean of squares.
    pub fn spread(&self, node: u32) -> f64 {
        let below = self.is_below(node);
        let all = 0..self.members.len();
        let (mut sum, mut count) = (0.0, 0u64);
        for (leaf, apart) in self.members.leaf.iter(all.clone()).zip(self.members.apart.iter(all)) {
            if below[leaf as usize] && apart.is_finite() {
                sum += apart;
                count += 1;
            }
        }
        if count > 0 { (sum / count as f64).sqrt() } else { 0.0 }
    }
}

/// Rows and steps.
fn size(logical: &Logical) -> (u64, u64) {
    (logical.rows.len(), logical.steps.len())
}

/// Where clusters are kept.
fn place(values: &MetricValues, scope: &Scope, options: &ClusterOptions) -> Derived {
    let scope = match scope {
        Scope::Phase(phase) => format!("phase-{phase}"),
        Scope::Steps(steps) => format!("steps-{}-{}", steps.start, steps.end),
    };
    // The scope as it is, however it was chosen.
    let options = ClusterOptions { scope: ScopeChoice::Usual, ..options.clone() };
    let words = options.given().into_iter().map(|(name, text)| format!("-{name}-{text}"));
    values.place().part(&format!("clusters-{FORMAT}-{scope}{}", words.collect::<String>()))
}

fn build(
    directory: &Path,
    logical: &Logical,
    values: &MetricValues,
    scope: &Scope,
    options: &ClusterOptions,
    progress: &dyn Progress,
) -> Result<(), StoreError> {
    let rows = scope.rows(logical);
    let timelines = RowTimelines { logical, values, scope, rows: &rows };
    let found = Found::new(&timelines, options, progress)?;
    let mut leaves: Vec<Leaf> =
        found.medoids.iter().map(|at| Leaf { medoid: rows[*at], members: 0, largest: None, totals: 0..0 }).collect();
    for leaf in &found.leaf_of {
        leaves[*leaf as usize].members += 1;
    }
    let members = Members { logical, values, scope, rows: &rows, leaf_of: &found.leaf_of };
    members.write(directory, &mut leaves, progress)?;
    let merges = ordered(found.merges, &leaves);
    write_table(directory, MemberRows { row: rows, leaf: found.leaf_of, apart: found.apart })?;
    let largest =
        |of: fn((f64, u32, u32)) -> u32| leaves.iter().map(|leaf| leaf.largest.map_or(u32::MAX, of)).collect();
    write_table(
        directory,
        LeafRows {
            medoid: leaves.iter().map(|leaf| leaf.medoid).collect(),
            members: leaves.iter().map(|leaf| leaf.members).collect(),
            largest_row: largest(|(_, row, _)| row),
            largest_step: largest(|(_, _, step)| step),
            largest: leaves.iter().map(|leaf| leaf.largest.map_or(f64::NAN, |(value, ..)| value)).collect(),
            first_total: leaves.iter().map(|leaf| leaf.totals.start).collect(),
        },
    )?;
    write_table(
        directory,
        MergeRows {
            first: merges.iter().map(|merge| merge.children[0]).collect(),
            second: merges.iter().map(|merge| merge.children[1]).collect(),
            height: merges.iter().map(|merge| merge.height).collect(),
        },
    )
    .map(drop)
}

/// Children by their largest value, the smaller one above.
fn ordered(mut merges: Vec<Merge>, leaves: &[Leaf]) -> Vec<Merge> {
    let mut largest: Vec<f64> =
        leaves.iter().map(|leaf| leaf.largest.map_or(f64::NEG_INFINITY, |(value, ..)| value)).collect();
    for merge in &mut merges {
        let [first, second] = merge.children.map(|node| largest[node as usize]);
        if second < first {
            merge.children.reverse();
        }
        largest.push(first.max(second));
    }
    merges
}

/// Clusters of timelines, and their hierarchy.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    /// The timeline that stands for each leaf.
    pub(super) medoids: Vec<usize>,
    /// The leaf of each timeline.
    pub(super) leaf_of: Vec<u32>,
    /// How far each is from its medoid.
    pub(super) apart: Vec<f64>,
    pub(super) merges: Vec<Merge>,
}

impl Found {
    #[cfg(test)]
    pub(super) fn within(&self) -> Option<f64> {
        within(self.apart.iter().copied(), self.medoids.len())
    }

    pub(super) fn new<T: Timelines + ?Sized>(
        timelines: &T,
        options: &ClusterOptions,
        progress: &dyn Progress,
    ) -> Result<Found, StoreError> {
        let count = timelines.count();
        let (samples, clusters) = (options.samples.0 as usize, options.clusters.0 as usize);
        progress.begin(work::CLUSTERING, (count * Clara::passes(samples)) as u64);
        let distance = options.distance;
        if count <= clusters {
            // Nothing to gather: each is a leaf.
            let medoids: Vec<usize> = (0..count).collect();
            let merges = linked(timelines, distance, &medoids);
            return Ok(Found { leaf_of: (0..count as u32).collect(), apart: vec![0.0; count], merges, medoids });
        }
        let clara = Clara { distance, clusters, samples, seed: u64::from(options.seed.0) };
        let found = clara.partition(timelines, progress)?;
        let mut medoids = found.medoids;
        let mut leaf_of = found.cluster_of;
        // Those without values cannot be compared with anything: they are a leaf of their own.
        if let Some(first) = leaf_of.iter().position(|leaf| *leaf == u32::MAX) {
            let own = medoids.len() as u32;
            medoids.push(first);
            leaf_of.iter_mut().filter(|leaf| **leaf == u32::MAX).for_each(|leaf| *leaf = own);
        }
        let merges = linked(timelines, distance, &medoids);
        Ok(Found { medoids, leaf_of, apart: found.apart, merges })
    }
}

/// How far ranks are from their medoids, as a mean of squares; none if there are only medoids.
fn within(apart: impl Iterator<Item = f64>, leaves: usize) -> Option<f64> {
    let (sum, count) =
        apart.filter(|apart| apart.is_finite()).fold((0.0, 0), |(sum, count), apart| (sum + apart, count + 1));
    (count > leaves).then(|| sum / (count - leaves) as f64)
}

/// The hierarchy of medoids.
fn linked<T: Timelines + ?Sized>(timelines: &T, which: Distance, medoids: &[usize]) -> Vec<Merge> {
    let scope = timelines.steps();
    let read: Vec<Timeline> = medoids
        .iter()
        .map(|at| {
            let mut timeline = Timeline::default();
            timelines.read(*at, &mut timeline);
            timeline
        })
        .collect();
    single_linkage(read.len(), |a, b| distance(which, &scope, &read[a], &read[b]))
}
