//! Delay costs: whose work made others wait, directly and further on (Böhme et al. 2010, 2016).
//!
//! A wait of W on p for q is looked at over the stretch since p and q were last at one. There q did more than p in some
//! functions (its excess δ, in all D) and may itself have waited (V). W is charged to both in proportion: to q's excess at
//! once, and to q's own waits, whose culprits get it in turn. What a wait was charged by later ones (C) goes the same way.
//! Costs of all functions on all rows add up to all waiting, short-term and long-term.
//!
//! Both directions are linear: a stretch is a difference of profiles ([`crate::profile`]), and charges of a run of waits are
//! passed on as one number that is added where the run begins and taken off where it ends.

use heddle_model::{CommId, LocationId, RegionId};
use heddle_store::{Progress, StoreError, Work};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::profile::{Profile, Profiles};
use crate::rows::Rows;
use crate::waits::{Waits, With};

/// Waits are followed to what caused them.
pub const DELAYS: Work = Work::new("following waits to their causes");

/// What a stretch of a row in one function made others wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Charge {
    /// The wait that it is of: a place in the list of waits.
    pub wait: u32,
    /// The function; `NONE` outside of all.
    pub region: RegionId,
    /// How much longer the culprit was in it than who waited.
    pub excess: i64,
    /// What that cost, directly and further on, in nanoseconds of all ranks.
    pub cost: f32,
}

/// What a function on a row cost others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// What waited for it directly.
    pub short: f64,
    /// What waited because those waited.
    pub long: f64,
}

impl Cost {
    /// Both.
    pub fn total(self) -> f64 {
        self.short + self.long
    }
}

/// All delay costs of a run.
#[derive(Debug, Default)]
pub struct Delays {
    /// By wait: since when its two rows were apart.
    pub since: Vec<i64>,
    /// By wait: what later waits charged to it.
    pub passed_on: Vec<f64>,
    /// By culprit's row, then wait: what is charged to whom.
    pub charges: Vec<Charge>,
    /// Where the charges of a row begin, and where the last one's end.
    pub first: Vec<usize>,
    /// By row and function, in that order.
    pub costs: Vec<(u32, RegionId, Cost)>,
    /// Waiting that was caused by work.
    pub direct: f64,
    /// Waiting that was caused by waiting.
    pub indirect: f64,
    /// Waiting that nothing explains: clocks disagree.
    pub unexplained: f64,
}

impl Delays {
    /// Follows all waits.
    pub(crate) fn new(
        rows: &Rows<'_>,
        waits: &Waits,
        profiles: &Profiles<'_>,
        progress: &dyn Progress,
    ) -> Result<Delays, StoreError> {
        progress.begin(DELAYS, waits.list.len() as u64);
        let since = since(rows, waits);
        let excess = excess(rows, waits, profiles, &since, progress)?;
        Ok(pass_on(rows, waits, since, excess))
    }

    /// What a row's time in a function cost others.
    pub fn charges_of(&self, row: usize) -> &[Charge] {
        &self.charges[self.first[row]..self.first[row + 1]]
    }

    /// All costs: as much as all waiting that is explained.
    pub fn total(&self) -> f64 {
        self.costs.iter().map(|(_, _, cost)| cost.total()).sum()
    }
}

/// By wait: when its rows were last at one.
fn since(rows: &Rows<'_>, waits: &Waits) -> Vec<i64> {
    let members = Members::new(rows);
    let of_row = |row: usize| {
        let (own, points) = (waits.of(row), &waits.points[row]);
        let mut last_with: FxHashMap<LocationId, i64> = FxHashMap::default();
        let mut last_in: Vec<(CommId, i64)> = Vec::new();
        let mut world = rows.run.0.0;
        let mut at = 0;
        let mut found = Vec::with_capacity(own.len());
        for wait in own {
            while let Some(point) = points.get(at).filter(|point| point.span < wait.span) {
                match point.with {
                    With::World => world = world.max(point.begin),
                    With::Location(other) => {
                        last_with.insert(other, point.begin);
                    }
                    With::Members(comm) => match last_in.iter_mut().find(|(known, _)| *known == comm) {
                        Some((_, begin)) => *begin = point.begin,
                        None => last_in.push((comm, point.begin)),
                    },
                }
                at += 1;
            }
            let pair = last_with.get(&wait.culprit).copied().unwrap_or(i64::MIN);
            let common = last_in.iter().filter(|(comm, _)| members.has(*comm, wait.culprit));
            let latest = common.map(|(_, begin)| *begin).fold(world.max(pair), i64::max);
            found.push(latest.min(wait.enter).min(wait.arrival));
        }
        found
    };
    let found: Vec<Vec<i64>> = (0..rows.len()).into_par_iter().map(of_row).collect();
    found.concat()
}

/// Who is in a communicator.
struct Members {
    /// Sorted; empty for those that hold everybody.
    lists: FxHashMap<CommId, Vec<LocationId>>,
}

impl Members {
    fn new(rows: &Rows<'_>) -> Members {
        let store = rows.store;
        let list = |comm: u64| {
            let table = &store.communicators;
            let first = table.first_member.get(comm);
            let count = u64::from(table.members.get(comm));
            let end = first.saturating_add(count).min(store.communicator_members.len());
            let mut list: Vec<LocationId> = store.communicator_members.location.iter(first..end).collect();
            if list.len() >= rows.len() && table.remote.get(comm) == u32::MAX {
                list.clear();
            }
            list.sort_unstable();
            (CommId(comm as u32), list)
        };
        let used = |comm: &u64| store.communicators.used.get(*comm) == 1;
        Members { lists: (0..store.communicators.len()).filter(used).map(list).collect() }
    }

    fn has(&self, comm: CommId, location: LocationId) -> bool {
        self.lists.get(&comm).is_some_and(|list| list.is_empty() || list.binary_search(&location).is_ok())
    }
}

/// What culprits did beyond those who waited for them.
struct Excess {
    /// By culprit's row, then wait.
    charges: Vec<Charge>,
    first: Vec<usize>,
    /// By wait: all excess, and the culprit's own waiting.
    work: Vec<i64>,
    waiting: Vec<i64>,
    /// By wait: the run of the culprit's waits in the stretch, as places in the list of waits.
    run: Vec<(u32, u32)>,
}

/// Charges of a culprit, and by wait: all excess, own waiting, and the run of own waits.
type Found = (Vec<Charge>, Vec<(u32, i64, i64, (u32, u32))>);

fn excess(
    rows: &Rows<'_>,
    waits: &Waits,
    profiles: &Profiles<'_>,
    since: &[i64],
    progress: &dyn Progress,
) -> Result<Excess, StoreError> {
    // Those who wait for the same thing are looked at one after the other: the culprit's profile is then at hand.
    let mut by_culprit: Vec<Vec<u32>> = vec![Vec::new(); rows.len()];
    for (at, wait) in waits.list.iter().enumerate() {
        if let Some(row) = rows.of(wait.culprit) {
            by_culprit[row].push(at as u32);
        }
    }
    let of_culprit = |(culprit, mine): (usize, &mut Vec<u32>)| -> Result<Found, StoreError> {
        progress.check()?;
        mine.sort_by_key(|at| (waits.list[*at as usize].arrival, since[*at as usize], *at));
        let own = waits.of(culprit);
        let own_first = waits.first[culprit];
        let (mut theirs, mut ours) = (Profile::new(rows), Profile::new(rows));
        let mut known = None;
        let (mut charges, mut sums) = (Vec::new(), Vec::with_capacity(mine.len()));
        for at in mine.iter() {
            let (wait, from) = (&waits.list[*at as usize], since[*at as usize]);
            if known != Some((from, wait.arrival)) {
                ours.clear();
                profiles.add(culprit, from, wait.arrival, &mut ours);
                known = Some((from, wait.arrival));
            }
            theirs.clear();
            if let Some(row) = rows.of(wait.location) {
                profiles.add(row, from, wait.enter, &mut theirs);
            }
            let mut work = 0;
            let first = charges.len();
            for (region, time) in ours.iter() {
                let excess = time - theirs.get(region).max(0);
                if excess > 0 {
                    work += excess;
                    charges.push(Charge { wait: *at, region, excess, cost: 0.0 });
                }
            }
            charges[first..].sort_by_key(|charge| charge.region);
            let begin = own.partition_point(|other| other.enter < from);
            let end = own.partition_point(|other| other.end() <= wait.arrival).max(begin);
            let waiting = own[begin..end].iter().map(|other| other.wait).sum();
            sums.push((*at, work, waiting, ((own_first + begin) as u32, (own_first + end) as u32)));
        }
        progress.advance(mine.len() as u64);
        Ok((charges, sums))
    };
    let found: Vec<Found> = by_culprit.par_iter_mut().enumerate().map(of_culprit).collect::<Result<_, StoreError>>()?;
    let count = waits.list.len();
    let mut excess = Excess {
        charges: Vec::with_capacity(found.iter().map(|(charges, _)| charges.len()).sum()),
        first: vec![0],
        work: vec![0; count],
        waiting: vec![0; count],
        run: vec![(0, 0); count],
    };
    for (charges, sums) in found {
        excess.charges.extend(charges);
        excess.first.push(excess.charges.len());
        for (at, work, waiting, run) in sums {
            (excess.work[at as usize], excess.waiting[at as usize], excess.run[at as usize]) = (work, waiting, run);
        }
    }
    Ok(excess)
}

/// Charges all waits, the last first.
fn pass_on(rows: &Rows<'_>, waits: &Waits, since: Vec<i64>, excess: Excess) -> Delays {
    let list = &waits.list;
    let leave = |at: u32| rows.store.spans.end.get(list[at as usize].span.0);
    let mut order: Vec<u32> = (0..list.len() as u32).collect();
    order.par_sort_by_key(|at| (std::cmp::Reverse((list[*at as usize].end(), leave(*at))), *at));
    // What is charged to each nanosecond of a row's waits, from its last one down: it changes where runs end and begin. A row
    // has one place more than waits, for runs that reach to its end.
    let mut change = vec![0.0f64; list.len() + rows.len()];
    let mut current = vec![0.0f64; rows.len()];
    // The next wait of a row to be looked at, from its end.
    let mut next: Vec<usize> = (0..rows.len()).map(|row| waits.first[row + 1]).collect();
    let mut passed_on = vec![0.0; list.len()];
    let mut factor = vec![0.0; list.len()];
    let (mut direct, mut indirect, mut unexplained) = (0.0, 0.0, 0.0);
    for at in order {
        let wait = &list[at as usize];
        let Some(row) = rows.of(wait.location) else { continue };
        while next[row] > at as usize {
            current[row] += change[next[row] + row];
            next[row] -= 1;
        }
        let charged = current[row] * wait.wait as f64;
        passed_on[at as usize] = charged;
        let (work, waiting) = (excess.work[at as usize] as f64, excess.waiting[at as usize] as f64);
        let whole = work + waiting;
        let per = if whole > 0.0 { 1.0 / whole.max(wait.wait as f64) } else { 0.0 };
        factor[at as usize] = per;
        let own = wait.wait as f64;
        direct += own * per * work;
        indirect += own * per * waiting;
        unexplained += (own + charged) * (1.0 - per * whole);
        let (from, to) = excess.run[at as usize];
        if let Some(culprit) = rows.of(wait.culprit).filter(|_| from < to) {
            let each = (own + charged) * per;
            change[to as usize + culprit] += each;
            change[from as usize + culprit] -= each;
        }
    }
    let mut charges = excess.charges;
    charges.par_iter_mut().for_each(|charge| {
        let at = charge.wait as usize;
        charge.cost = ((list[at].wait as f64 + passed_on[at]) * factor[at] * charge.excess as f64) as f32;
    });
    let first = excess.first;
    let of_row = |row: usize| {
        let mut costs: FxHashMap<RegionId, Cost> = FxHashMap::default();
        for charge in &charges[first[row]..first[row + 1]] {
            let at = charge.wait as usize;
            let each = factor[at] * charge.excess as f64;
            let cost = costs.entry(charge.region).or_default();
            cost.short += list[at].wait as f64 * each;
            cost.long += passed_on[at] * each;
        }
        let mut costs: Vec<(u32, RegionId, Cost)> =
            costs.into_iter().map(|(region, cost)| (row as u32, region, cost)).collect();
        costs.sort_by_key(|(_, region, _)| *region);
        costs
    };
    let costs: Vec<Vec<_>> = (0..rows.len()).into_par_iter().map(of_row).collect();
    Delays { since, passed_on, charges, first, costs: costs.concat(), direct, indirect, unexplained }
}
