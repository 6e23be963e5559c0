//! What the members of a cluster do at each step: how many send, receive and take part in collectives, and with which values.
//!
//! Kept for leaves; what a joint does is the sum over its leaves.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use heddle_store::{Progress, StoreError, TableWriter};

use super::clusters::Leaf;
use super::scope::Scope;
use super::tables::{TotalRows, TotalTable};
use crate::tables::kind_of;
use crate::{Kind, Logical, MetricValues};

/// Events of one kind, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Total {
    /// How many events.
    pub count: u32,
    /// Of how many the value is known.
    pub known: u32,
    /// The sum of these.
    pub sum: f64,
    /// Of how many the value of the aggregate is known.
    pub aggregates_known: u32,
    /// The sum of these.
    pub aggregate_sum: f64,
}

impl Total {
    /// The mean value of the events; not a number if none is known.
    pub fn mean(&self) -> f64 {
        self.sum / f64::from(self.known)
    }

    /// The mean value of the aggregates before them; not a number if none is known.
    pub fn aggregate_mean(&self) -> f64 {
        self.aggregate_sum / f64::from(self.aggregates_known)
    }

    fn add(&mut self, value: f64, aggregate: f64) {
        self.count += 1;
        if value.is_finite() {
            self.known += 1;
            self.sum += value;
        }
        if aggregate.is_finite() {
            self.aggregates_known += 1;
            self.aggregate_sum += aggregate;
        }
    }

    /// Both together.
    pub fn plus(&mut self, other: &Total) {
        self.count += other.count;
        self.known += other.known;
        self.sum += other.sum;
        self.aggregates_known += other.aggregates_known;
        self.aggregate_sum += other.aggregate_sum;
    }
}

/// What the members of a cluster do at a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepTotals {
    /// Those that send.
    pub sends: Total,
    /// Those that receive.
    pub receives: Total,
    /// Those that take part in collectives.
    pub collectives: Total,
}

impl StepTotals {
    /// How many do anything.
    pub fn active(&self) -> u32 {
        self.sends.count + self.receives.count + self.collectives.count
    }

    /// Both together.
    pub fn plus(&mut self, other: &StepTotals) {
        self.sends.plus(&other.sends);
        self.receives.plus(&other.receives);
        self.collectives.plus(&other.collectives);
    }

    fn of_kind(&mut self, kind: Kind) -> &mut Total {
        match kind {
            Kind::Send => &mut self.sends,
            Kind::Receive => &mut self.receives,
            Kind::Collective => &mut self.collectives,
        }
    }
}

/// Steps that are added up at once.
const STEPS_AT_ONCE: u32 = 1 << 12;
/// Rows are added up in so many groups, whatever the number of threads: sums of fractions depend on their order.
const GROUPS: usize = 8;

/// What totals are made of.
pub(super) struct Members<'a> {
    pub(super) logical: &'a Logical,
    pub(super) values: &'a MetricValues,
    pub(super) scope: &'a Scope,
    /// Rows of the scope, and the leaf of each.
    pub(super) rows: &'a [u32],
    pub(super) leaf_of: &'a [u32],
}

/// What is found on the way: the largest value of a leaf, and where it is.
#[derive(Clone, Copy)]
struct Largest {
    value: f64,
    row: u32,
    step: u32,
}

/// One group's sums over some steps.
struct Group {
    /// By leaf, then by step.
    totals: Vec<StepTotals>,
    /// By leaf.
    largest: Vec<Option<Largest>>,
}

impl Members<'_> {
    /// Adds up all steps of the scope, writes them, and fills in what leaves know of their largest value.
    pub(super) fn write(
        &self,
        directory: &Path,
        leaves: &mut [Leaf],
        progress: &dyn Progress,
    ) -> Result<(), StoreError> {
        let all = self.scope.steps(self.logical);
        // By leaf first: what the bands have is kept until all are done.
        let mut found: Vec<Vec<(u32, StepTotals)>> = vec![Vec::new(); leaves.len()];
        let mut from = all.start;
        while from < all.end {
            progress.check()?;
            let band = from..all.end.min(from.saturating_add(STEPS_AT_ONCE));
            let group_size = self.rows.len().div_ceil(GROUPS).max(1);
            let groups: Vec<Group> = self
                .rows
                .par_chunks(group_size)
                .zip(self.leaf_of.par_chunks(group_size))
                .map(|(rows, leaf_of)| self.group(rows, leaf_of, &band, leaves.len()))
                .collect();
            for (leaf, found) in found.iter_mut().enumerate() {
                for (place, step) in band.clone().enumerate() {
                    let mut sum = StepTotals::default();
                    for group in &groups {
                        sum.plus(&group.totals[leaf * band.len() + place]);
                    }
                    if sum.active() > 0 {
                        found.push((step, sum));
                    }
                }
            }
            for group in &groups {
                for (leaf, largest) in leaves.iter_mut().zip(&group.largest) {
                    leaf.saw(largest.map(|largest| (largest.value, largest.row, largest.step)));
                }
            }
            from = band.end;
        }
        let mut writer = TableWriter::<TotalRows>::create(directory)?;
        let mut first = 0;
        for (leaf, found) in leaves.iter_mut().zip(found) {
            leaf.totals = first..first + found.len() as u64;
            first = leaf.totals.end;
            for (step, totals) in found {
                let (_, rows) = writer.pending();
                push(rows, step, &totals);
                writer.flush_full()?;
            }
        }
        writer.finish().map(drop)
    }

    fn group(&self, rows: &[u32], leaf_of: &[u32], band: &Range<u32>, leaves: usize) -> Group {
        let mut group = Group { totals: vec![StepTotals::default(); leaves * band.len()], largest: vec![None; leaves] };
        for (row, leaf) in rows.iter().zip(leaf_of) {
            let leaf = *leaf as usize;
            let mut events = self.scope.events_of(self.logical, *row);
            let steps = &self.logical.events.step;
            events.start = steps.partition_point(events.clone(), |step| step < band.start);
            events.end = steps.partition_point(events.clone(), |step| step < band.end);
            let mut kinds = self.logical.events.kind.iter(events.clone());
            self.values.for_each(self.logical, *row, events, |value| {
                let kind = kind_of(kinds.next().unwrap_or(0));
                let place = leaf * band.len() + (value.step - band.start) as usize;
                group.totals[place].of_kind(kind).add(value.event, value.aggregate);
                let largest = &mut group.largest[leaf];
                if value.event.is_finite() && largest.is_none_or(|known| value.event > known.value) {
                    *largest = Some(Largest { value: value.event, row: *row, step: value.step });
                }
            });
        }
        group
    }
}

fn push(rows: &mut TotalRows, step: u32, totals: &StepTotals) {
    let StepTotals { sends, receives, collectives } = totals;
    rows.step.push(step);
    rows.sends.push(sends.count);
    rows.send_sum.push(sends.sum);
    rows.send_known.push(sends.known);
    rows.send_aggregate_sum.push(sends.aggregate_sum);
    rows.send_aggregate_known.push(sends.aggregates_known);
    rows.receives.push(receives.count);
    rows.receive_sum.push(receives.sum);
    rows.receive_known.push(receives.known);
    rows.receive_aggregate_sum.push(receives.aggregate_sum);
    rows.receive_aggregate_known.push(receives.aggregates_known);
    rows.collectives.push(collectives.count);
    rows.collective_sum.push(collectives.sum);
    rows.collective_known.push(collectives.known);
    rows.collective_aggregate_sum.push(collectives.aggregate_sum);
    rows.collective_aggregate_known.push(collectives.aggregates_known);
}

/// One row of the table.
pub(super) fn read(table: &TotalTable, at: u64) -> StepTotals {
    StepTotals {
        sends: Total {
            count: table.sends.get(at),
            known: table.send_known.get(at),
            sum: table.send_sum.get(at),
            aggregates_known: table.send_aggregate_known.get(at),
            aggregate_sum: table.send_aggregate_sum.get(at),
        },
        receives: Total {
            count: table.receives.get(at),
            known: table.receive_known.get(at),
            sum: table.receive_sum.get(at),
            aggregates_known: table.receive_aggregate_known.get(at),
            aggregate_sum: table.receive_aggregate_sum.get(at),
        },
        collectives: Total {
            count: table.collectives.get(at),
            known: table.collective_known.get(at),
            sum: table.collective_sum.get(at),
            aggregates_known: table.collective_aggregate_known.get(at),
            aggregate_sum: table.collective_aggregate_sum.get(at),
        },
    }
}
