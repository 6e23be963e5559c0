//! The clusters of all phases, or of one scope, as a list of ranks: for tables. Nothing of it is kept.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use heddle_store::{Progress, StoreError};

use super::clusters::Found;
use super::timeline::RowTimelines;
use super::tree::Tree;
use super::{ClusterOptions, Scope, ScopeChoice};
use crate::{Logical, MetricValues};

/// Members that are worked out at once, about.
const AT_ONCE: u64 = 1 << 16;

/// A rank in a scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The scope.
    pub scope: Scope,
    /// Its row of logical time.
    pub row: u32,
    /// Its cluster.
    pub cluster: u32,
    /// The row that stands for the cluster.
    pub medoid: u32,
    /// How far the cluster is from what it joins next, as a mean of squares; infinite if they cannot be compared, none if there
    /// is no other.
    pub height: Option<f64>,
}

/// The members of all phases, phase by phase, or of one scope if there is a choice.
pub struct MemberList<'a> {
    logical: &'a Logical,
    values: &'a MetricValues,
    options: &'a ClusterOptions,
    scopes: Vec<Scope>,
    /// Where the members of each scope begin, and where the last ones end.
    first: Vec<u64>,
    /// What was worked out last: tables are read from front to back.
    last: Mutex<(Range<u64>, Vec<Member>)>,
}

impl<'a> MemberList<'a> {
    /// The list. Clusters are found when they are read.
    pub fn new(logical: &'a Logical, values: &'a MetricValues, options: &'a ClusterOptions) -> MemberList<'a> {
        let (scopes, counts): (Vec<Scope>, Vec<u64>) = if options.scope == ScopeChoice::Usual {
            let phases = 0..logical.phases.len();
            let counts = logical.phases.rows.iter(phases.clone()).map(u64::from);
            phases.map(|phase| Scope::Phase(phase as u32)).zip(counts).unzip()
        } else {
            let scope = options.scope.scope(logical, values);
            let count = scope.rows(logical).len() as u64;
            (vec![scope], vec![count])
        };
        let mut first = vec![0];
        for count in counts {
            first.push(first[first.len() - 1] + count);
        }
        MemberList { logical, values, options, scopes, first, last: Mutex::new((0..0, Vec::new())) }
    }

    /// How many members there are in all.
    pub fn len(&self) -> u64 {
        self.first[self.first.len() - 1]
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Some of them, in order.
    pub fn get(&self, wanted: Range<u64>, progress: &dyn Progress) -> Result<Vec<Member>, StoreError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Vec::new();
        let mut at = wanted.start;
        while at < wanted.end.min(self.len()) {
            if !last.0.contains(&at) {
                *last = self.work_out(at, progress)?;
            }
            let (known, members) = &*last;
            let end = known.end.min(wanted.end);
            let part = (at - known.start) as usize..(end - known.start) as usize;
            // A damaged result may have fewer than it counts.
            found.extend_from_slice(members.get(part).unwrap_or_default());
            at = end;
        }
        Ok(found)
    }

    /// The members from the scope on that one belongs to, of several scopes if they are small.
    fn work_out(&self, at: u64, progress: &dyn Progress) -> Result<(Range<u64>, Vec<Member>), StoreError> {
        let scope = self.first.partition_point(|first| *first <= at) - 1;
        let end = (scope + 1..self.scopes.len())
            .find(|next| self.first[*next] - self.first[scope] >= AT_ONCE)
            .unwrap_or(self.scopes.len());
        let scopes = scope..end;
        let rows = self.rows_of(scopes.clone());
        let members: Result<Vec<Vec<Member>>, StoreError> = scopes
            .clone()
            .into_par_iter()
            .zip(rows)
            .map(|(scope, rows)| self.members(scope, &rows, progress))
            .collect();
        Ok((self.first[scope]..self.first[end], members?.concat()))
    }

    /// The rows of some scopes: of phases in one pass over all rows.
    fn rows_of(&self, scopes: Range<usize>) -> Vec<Vec<u32>> {
        if let [Scope::Steps(_)] = self.scopes[..] {
            return vec![self.scopes[0].rows(self.logical)];
        }
        let is_single = self.scopes.len() == 1;
        let number = |scope: usize| if let Scope::Phase(phase) = self.scopes[scope] { phase } else { 0 };
        let phases = if is_single { number(0)..number(0) + 1 } else { scopes.start as u32..scopes.end as u32 };
        let column = &self.logical.events.phase;
        let of_row = |row: u32| {
            let events = self.logical.events_of(row);
            let mut at = column.partition_point(events.clone(), |phase| phase < phases.start);
            let mut found = Vec::new();
            while at < events.end {
                let phase = column.get(at);
                if phase >= phases.end {
                    break;
                }
                found.push((phase - phases.start, row));
                at = column.partition_point(at..events.end, |other| other <= phase);
            }
            found
        };
        let found: Vec<Vec<(u32, u32)>> = (0..self.logical.rows.len() as u32).into_par_iter().map(of_row).collect();
        let mut rows = vec![Vec::new(); scopes.len()];
        for (scope, row) in found.into_iter().flatten() {
            rows[scope as usize].push(row);
        }
        rows
    }

    fn members(&self, scope: usize, rows: &[u32], progress: &dyn Progress) -> Result<Vec<Member>, StoreError> {
        progress.check()?;
        let scope = &self.scopes[scope];
        let timelines = RowTimelines { logical: self.logical, values: self.values, scope, rows };
        let found = Found::new(&timelines, self.options, progress)?;
        let tree = Tree::new(found.medoids.len() as u32, found.merges);
        let heights: Vec<Option<f64>> = (0..tree.leaves()).map(|leaf| tree.distance_to_next(leaf)).collect();
        let member = |(row, leaf): (&u32, &u32)| Member {
            scope: scope.clone(),
            row: *row,
            cluster: *leaf,
            medoid: rows[found.medoids[*leaf as usize]],
            height: heights[*leaf as usize],
        };
        Ok(rows.iter().zip(&found.leaf_of).map(member).collect())
    }
}
