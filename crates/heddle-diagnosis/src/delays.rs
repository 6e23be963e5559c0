//! Delay costs: whose work made others wait, directly and further on (Böhme et al. 2010, 2016).
//!
//! A wait of W on p for q is looked at over the stretch since p and q were last at one. There q did more than p in some
//! functions (its excess δ, in all D) and may itself have waited (V). W is charged to both in proportion: to q's excess at
//! once, and to q's own waits, whose culprits get it in turn. What a wait was charged by later ones (C) goes the same way.
//! Costs of all functions on all rows add up to all waiting, short-term and long-term.
//!
//! Both directions are linear: a stretch is a difference of profiles ([`crate::profile`]), and charges of a run of waits are
//! passed on as one number that is added where the run begins and taken off where it ends.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use heddle_model::{CommId, LocationId, RegionId, SpanRow};
use heddle_store::{LongList, Progress, StoreError, Work};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::by_row::parts;
use crate::profile::{Profile, Profiles};
use crate::rows::Rows;
use crate::waits::{Point, Wait, Waits};

/// Waits are followed to what caused them.
pub const DELAYS: Work = Work::new("following waits to their causes");

/// What a stretch of a row in one function made others wait.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Charge {
    /// The wait that it is of: a place in the list of waits.
    pub wait: u32,
    /// The function; `NONE` outside of all.
    pub region: RegionId,
    /// What it cost that the culprit was longer in it than who waited, directly and further on, in nanoseconds of all ranks.
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
    pub since: LongList<i64>,
    /// By wait: what each nanosecond of its culprit's excess cost, directly and further on. Only findings need it: it is not
    /// kept with the results.
    pub(crate) price: LongList<f32>,
    /// By culprit's row, then wait: what is charged to whom.
    pub charges: LongList<Charge>,
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
        let mut by_culprit = ByCulprit::new(rows, waits)?;
        let since = since(rows, waits, &mut by_culprit)?;
        let excess = excess(waits, profiles, &since, &mut by_culprit, progress)?;
        drop(by_culprit);
        charged(rows, waits, since, excess)
    }

    /// How much longer the culprit of a charge was in its function than who waited, in nanoseconds.
    pub(crate) fn excess(&self, charge: &Charge) -> f64 {
        let price = self.price.get(charge.wait as usize).copied().map_or(0.0, f64::from);
        if price > 0.0 { f64::from(charge.cost) / price } else { 0.0 }
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

/// Waits by the row of their culprit.
struct ByCulprit {
    /// Places in the list of waits.
    order: LongList<u32>,
    first: Vec<usize>,
}

impl ByCulprit {
    fn new(rows: &Rows<'_>, waits: &Waits) -> Result<ByCulprit, StoreError> {
        let culprits = || waits.list.iter().zip(0u32..).filter_map(|(wait, at)| Some((rows.of(wait.culprit)?, at)));
        let mut first = vec![0; rows.len() + 1];
        for (row, _) in culprits() {
            first[row + 1] += 1;
        }
        for row in 0..rows.len() {
            first[row + 1] += first[row];
        }
        let mut next = first.clone();
        let mut order = LongList::zeroed(&rows.room, first[rows.len()])?;
        for (row, at) in culprits() {
            order[next[row]] = at;
            next[row] += 1;
        }
        Ok(ByCulprit { order, first })
    }

    /// Those of some rows, each of which can be put into another order.
    fn of(&mut self, rows: Range<usize>) -> Vec<(usize, &mut [u32])> {
        parts(&mut self.order[self.first[rows.start]..self.first[rows.end]], &self.first, rows)
    }
}

/// By wait: when its rows were last at one.
fn since(rows: &Rows<'_>, waits: &Waits, by_culprit: &mut ByCulprit) -> Result<LongList<i64>, StoreError> {
    let members = Members::new(rows);
    let mut all = LongList::new(&rows.room);
    for batch in rows.batches() {
        let of_row = |(row, theirs): (usize, &mut [u32])| {
            theirs.sort_unstable_by_key(|at| (waits.list[*at as usize].culprit_span, *at));
            Apart::new(rows, waits, row, theirs).since(&members)
        };
        let found: Vec<Vec<i64>> = by_culprit.of(batch).into_par_iter().map(of_row).collect();
        all.extend(&found.concat())?;
    }
    Ok(all)
}

/// Goes through the calls of a row and knows when it was last at one with whom.
struct Apart<'a> {
    rows: &'a Rows<'a>,
    waits: &'a Waits,
    own: &'a [Wait],
    /// Waits for this row, by the call that they are for.
    theirs: &'a [u32],
    points: &'a [Point],
    with: FxHashMap<LocationId, i64>,
    within: Vec<(CommId, i64)>,
    with_all: i64,
}

impl<'a> Apart<'a> {
    fn new(rows: &'a Rows<'a>, waits: &'a Waits, row: usize, theirs: &'a [u32]) -> Apart<'a> {
        let (own, points) = (waits.of(row), waits.points_of(rows, row));
        let with_all = rows.run.0.0;
        Apart { rows, waits, own, theirs, points, with: FxHashMap::default(), within: Vec::new(), with_all }
    }

    /// By own wait: since when the culprit and this row are apart.
    fn since(mut self, members: &Members) -> Vec<i64> {
        let mut found = Vec::with_capacity(self.own.len());
        let (mut passed, mut pointed) = (0, 0);
        for (at, wait) in self.own.iter().enumerate() {
            if let Some(before) = at.checked_sub(1) {
                self.meet(&self.own[before], self.own[before].culprit);
            }
            while let Some(other) = self.theirs.get(passed).map(|at| &self.waits.list[*at as usize]) {
                if other.culprit_span >= wait.span {
                    break;
                }
                self.meet(other, other.location);
                passed += 1;
            }
            while let Some(point) = self.points.get(pointed).filter(|point| point.span < wait.span) {
                self.join(point);
                pointed += 1;
            }
            let pair = self.with.get(&wait.culprit).copied().unwrap_or(i64::MIN);
            let common = self.within.iter().filter(|(comm, _)| members.has(*comm, wait.culprit));
            let latest = common.map(|(_, begin)| *begin).fold(self.with_all.max(pair), i64::max);
            found.push(latest.min(wait.enter).min(wait.arrival));
        }
        found
    }

    /// A pair is at one after either waited for the other: from when the first of both went on.
    fn meet(&mut self, wait: &Wait, other: LocationId) {
        if wait.kind().is_everybodys() {
            return;
        }
        let leave = |span: SpanRow| span.some().map_or(i64::MAX, |span| self.rows.store.spans.end.get(span.0).0);
        let begin = leave(wait.span).min(leave(wait.culprit_span));
        let known = self.with.entry(other).or_insert(begin);
        *known = begin.max(*known);
    }

    fn join(&mut self, point: &Point) {
        if point.comm == CommId::NONE {
            self.with_all = self.with_all.max(point.begin);
            return;
        }
        match self.within.iter_mut().find(|(known, _)| *known == point.comm) {
            Some((_, begin)) => *begin = point.begin,
            None => self.within.push((point.comm, point.begin)),
        }
    }
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
    /// By culprit's row, then wait; the excess is where the cost will be.
    charges: LongList<Charge>,
    first: Vec<usize>,
    by_wait: LongList<Stretch>,
}

/// What a culprit did while it was apart from who waited for it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Stretch {
    /// All excess, and the culprit's own waiting.
    work: i64,
    waiting: i64,
    /// The run of its waits, as places in the list of waits.
    run: [u32; 2],
}

/// Charges of a culprit, and what it did, by wait.
type Found = (Vec<Charge>, Vec<(u32, Stretch)>);

fn excess(
    waits: &Waits,
    profiles: &Profiles<'_>,
    since: &[i64],
    by_culprit: &mut ByCulprit,
    progress: &dyn Progress,
) -> Result<Excess, StoreError> {
    let of_culprit = |(culprit, mine): (usize, &mut [u32])| -> Result<Found, StoreError> {
        progress.check()?;
        // Those who wait for the same thing are looked at one after the other: the culprit's profile is then at hand.
        mine.sort_unstable_by_key(|at| (waits.list[*at as usize].arrival, since[*at as usize], *at));
        let found = of_culprit(waits, profiles, since, culprit, mine);
        progress.advance(mine.len() as u64);
        Ok(found)
    };
    let room = &profiles.rows.room;
    let by_wait = LongList::zeroed(room, waits.list.len())?;
    let mut excess = Excess { charges: LongList::new(room), first: vec![0], by_wait };
    for batch in profiles.rows.batches() {
        let parts = by_culprit.of(batch);
        let found: Vec<Found> = parts.into_par_iter().map(of_culprit).collect::<Result<_, StoreError>>()?;
        let mut charges = Vec::new();
        let by_wait = &mut excess.by_wait[..];
        for (of_culprit, stretches) in found {
            charges.extend(of_culprit);
            excess.first.push(excess.charges.len() + charges.len());
            for (at, stretch) in stretches {
                by_wait[at as usize] = stretch;
            }
        }
        excess.charges.extend(&charges)?;
    }
    Ok(excess)
}

/// What a culprit did beyond those who waited for it; `mine` are these, by arrival and since when they were apart.
fn of_culprit(waits: &Waits, profiles: &Profiles<'_>, since: &[i64], culprit: usize, mine: &[u32]) -> Found {
    let rows = profiles.rows;
    let (own, own_first) = (waits.of(culprit), waits.first[culprit]);
    let (mut theirs, mut ours) = (Profile::new(rows), Profile::new(rows));
    let mut known = None;
    let (mut charges, mut sums) = (Vec::new(), Vec::with_capacity(mine.len()));
    for at in mine {
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
                charges.push(Charge { wait: *at, region, cost: excess as f32 });
            }
        }
        charges[first..].sort_unstable_by_key(|charge| charge.region);
        let begin = own.partition_point(|other| other.enter < from);
        let end = own.partition_point(|other| other.end() <= wait.arrival).max(begin);
        let waiting = own[begin..end].iter().map(|other| other.wait).sum();
        let run = [(own_first + begin) as u32, (own_first + end) as u32];
        sums.push((*at, Stretch { work, waiting, run }));
    }
    (charges, sums)
}

/// Charges all waits to what caused them.
fn charged(rows: &Rows<'_>, waits: &Waits, since: LongList<i64>, excess: Excess) -> Result<Delays, StoreError> {
    let Shares { passed_on, factor, direct, indirect, unexplained } = Shares::new(rows, waits, &excess.by_wait)?;
    let list = &waits.list[..];
    let (mut charges, first) = (excess.charges, excess.first);
    drop(excess.by_wait);
    let (passed_on, factor) = (&passed_on[..], &factor[..]);
    let of_row = |row: usize| {
        let mut costs: FxHashMap<RegionId, Cost> = FxHashMap::default();
        for charge in &charges[first[row]..first[row + 1]] {
            let at = charge.wait as usize;
            let each = factor[at] * f64::from(charge.cost);
            let cost = costs.entry(charge.region).or_default();
            cost.short += list[at].wait as f64 * each;
            cost.long += passed_on[at] * each;
        }
        let mut costs: Vec<(u32, RegionId, Cost)> =
            costs.into_iter().map(|(region, cost)| (row as u32, region, cost)).collect();
        costs.sort_unstable_by_key(|(_, region, _)| *region);
        costs
    };
    let costs: Vec<Vec<_>> = (0..rows.len()).into_par_iter().map(of_row).collect();
    let of_wait = |at: usize| ((list[at].wait as f64 + passed_on[at]) * factor[at]) as f32;
    let mut price = LongList::zeroed(&rows.room, list.len())?;
    price.par_iter_mut().enumerate().for_each(|(at, price)| *price = of_wait(at));
    let prices: &[f32] = &price;
    charges.par_iter_mut().for_each(|charge| charge.cost *= prices[charge.wait as usize]);
    Ok(Delays { since, price, charges, first, costs: costs.concat(), direct, indirect, unexplained })
}

/// How waits are shared out.
struct Shares {
    /// By wait: what later ones charged to it.
    passed_on: LongList<f64>,
    /// By wait: what a nanosecond of excess, or of the culprit's waiting, takes of a nanosecond of it.
    factor: LongList<f64>,
    direct: f64,
    indirect: f64,
    unexplained: f64,
}

impl Shares {
    /// Goes through all waits, the last first.
    fn new(rows: &Rows<'_>, waits: &Waits, stretches: &[Stretch]) -> Result<Shares, StoreError> {
        let list = &waits.list[..];
        let order = last_first(rows, list)?;
        // What is charged to each nanosecond of a row's waits, from its last one down: it changes where runs end and begin. A
        // row has one place more than waits, for runs that reach to its end.
        let mut change_of = LongList::zeroed(&rows.room, list.len() + rows.len())?;
        let change: &mut [f64] = &mut change_of;
        let mut current = vec![0.0f64; rows.len()];
        // The next wait of a row to be looked at, from its end.
        let mut next: Vec<usize> = (0..rows.len()).map(|row| waits.first[row + 1]).collect();
        let none = || LongList::zeroed(&rows.room, list.len());
        let (mut passed_on_by, mut factor_of) = (none()?, none()?);
        let (passed_on, factor): (&mut [f64], &mut [f64]) = (&mut passed_on_by, &mut factor_of);
        let (mut direct, mut indirect, mut unexplained) = (0.0, 0.0, 0.0);
        for [_, at] in order.iter() {
            let (wait, stretch) = (&list[*at as usize], &stretches[*at as usize]);
            let Some(row) = rows.of(wait.location) else { continue };
            while next[row] > *at as usize {
                current[row] += change[next[row] + row];
                next[row] -= 1;
            }
            let (own, charged) = (wait.wait as f64, (current[row] * wait.wait as f64).max(0.0));
            let (work, waiting) = (stretch.work as f64, stretch.waiting as f64);
            let whole = work + waiting;
            let per = if whole > 0.0 { 1.0 / whole.max(own) } else { 0.0 };
            (passed_on[*at as usize], factor[*at as usize]) = (charged, per);
            direct += own * per * work;
            indirect += own * per * waiting;
            unexplained += (own + charged) * (1.0 - per * whole);
            let [from, to] = stretch.run;
            if let Some(culprit) = rows.of(wait.culprit).filter(|_| from < to) {
                let each = (own + charged) * per;
                change[to as usize + culprit] += each;
                change[from as usize + culprit] -= each;
            }
        }
        Ok(Shares { passed_on: passed_on_by, factor: factor_of, direct, indirect, unexplained })
    }
}

/// Places in the list of waits behind when these ended, the last first.
fn last_first(rows: &Rows<'_>, list: &[Wait]) -> Result<LongList<[i64; 2]>, StoreError> {
    let leave = |at: i64| rows.store.spans.end.get(list[at as usize].span.0);
    // Ends beside their waits: to look them up while sorting would take most of the time.
    let mut order = LongList::zeroed(&rows.room, list.len())?;
    order.par_iter_mut().zip(list).enumerate().for_each(|(at, (place, wait))| *place = [wait.end(), at as i64]);
    order.par_sort_unstable_by(|one, other| {
        let later = other[0].cmp(&one[0]);
        later.then_with(|| leave(other[1]).cmp(&leave(one[1]))).then(one[1].cmp(&other[1]))
    });
    Ok(order)
}
