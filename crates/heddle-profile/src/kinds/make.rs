//! The pass over all calls that tells their kinds apart: each location for itself, several at once. Then they are counted.
//!
//! Kinds are told apart by all their bytes at first. If there are too many of them, the pass begins again with fewer bits.

use std::ops::Range;
use std::path::Path;

use heddle_model::{CommId, LocationId, RegionId};
use heddle_store::index::{CallIndex, MOST_KINDS, call_regions};
use heddle_store::{Columns, Progress, Store, StoreError, TableWriter, Work, write_table};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::traffic::{Share, of_collectives, of_location};
use super::{BytesRange, KindRows, NumberRows, NumberTable, ShareRows};
use crate::callers::Callers;

/// Telling calls apart.
const TELLING: Work = Work::new("telling calls apart");
/// The index of what was told apart.
const COUNTING: Work = Work::new("counting calls of each kind");
/// Calls, and locations, that are worked on at a time.
const AT_A_TIME: (u64, u32) = (1 << 22, 1 << 14);
/// How many bits of the number of bytes tell kinds apart, after the first one: all of them, or as few as it takes.
const BITS: [u32; 5] = [64, 5, 3, 1, 0];

/// Makes it all in an empty directory.
pub(super) fn make(store: &Store, directory: &Path, progress: &dyn Progress) -> Result<(), StoreError> {
    let memory = store.memory() / 4;
    let mut found = None;
    for bits in BITS {
        found = Telling::new(store, bits).write(directory, memory, progress)?;
        if found.is_some() {
            break;
        }
    }
    if found.is_none() {
        write_no_numbers(store, directory)?;
    }
    write_kinds(directory, found.map(|kinds| kinds.met).unwrap_or_default())?;
    progress.begin(COUNTING, store.spans.len());
    CallIndex::make(store, &NumberTable::open(directory)?.kind, directory, memory, progress)
}

/// Where calls differ too much, none of them has a kind.
fn write_no_numbers(store: &Store, directory: &Path) -> Result<(), StoreError> {
    let mut numbers = TableWriter::<NumberRows>::create(directory)?;
    for _ in 0..store.spans.len() {
        numbers.pending().1.kind.push(u16::MAX);
        numbers.flush_full()?;
    }
    numbers.finish().map(drop)
}

fn write_kinds(directory: &Path, kinds: Vec<Kind>) -> Result<(), StoreError> {
    let (mut rows, mut shares) = (KindRows::default(), ShareRows::default());
    for kind in kinds {
        rows.region.push(kind.region);
        rows.caller.push(kind.caller);
        rows.first_share.push(shares.comm.len() as u32);
        rows.shares.push(kind.shares.len() as u32);
        rows.least.push(kind.total.0);
        rows.most.push(kind.total.1);
        for (comm, (least, most)) in kind.shares {
            shares.comm.push(comm);
            shares.least.push(least);
            shares.most.push(most);
        }
    }
    write_table(directory, rows)?;
    write_table(directory, shares).map(drop)
}

/// A kind as far as its calls have been met.
#[derive(Clone)]
struct Kind {
    region: RegionId,
    caller: RegionId,
    total: BytesRange,
    shares: Vec<(CommId, BytesRange)>,
}

impl Kind {
    fn of(region: RegionId, caller: RegionId, shares: &[Share]) -> Kind {
        let total = shares.iter().fold(0u64, |sum, share| sum.saturating_add(share.bytes));
        let shares = shares.iter().map(|share| (share.comm, (share.bytes, share.bytes)));
        Kind { region, caller, total: (total, total), shares: shares.collect() }
    }

    /// Takes in another one that it is not told apart from.
    fn merge(&mut self, other: &Kind) {
        let wider = |range: &mut BytesRange, other: BytesRange| *range = (range.0.min(other.0), range.1.max(other.1));
        wider(&mut self.total, other.total);
        for ((_, range), (_, other)) in self.shares.iter_mut().zip(&other.shares) {
            wider(range, *other);
        }
    }
}

/// Kinds by number, and their numbers by what tells them apart: function and caller, then communicators and bytes.
#[derive(Default)]
struct Kinds {
    met: Vec<Kind>,
    numbers: FxHashMap<Box<[u64]>, u16>,
}

impl Kinds {
    /// The number of a kind; none if there are too many. `kind` makes it if its words are new or it may have other bytes.
    fn number(&mut self, words: &[u64], is_exact: bool, kind: impl FnOnce() -> Kind) -> Option<u16> {
        if let Some(number) = self.numbers.get(words) {
            if !is_exact {
                self.met[usize::from(*number)].merge(&kind());
            }
            return Some(*number);
        }
        let number = u16::try_from(self.met.len()).ok().filter(|number| *number < MOST_KINDS)?;
        self.met.push(kind());
        self.numbers.insert(words.into(), number);
        Some(number)
    }

    /// Takes in those of a location: the number of each of them here. None if there are too many.
    fn take(&mut self, other: &Kinds, is_exact: bool) -> Option<Vec<u16>> {
        let mut numbers = vec![0; other.met.len()];
        let mut in_order: Vec<_> = other.numbers.iter().map(|(words, number)| (*number, words)).collect();
        in_order.sort_unstable_by_key(|(number, _)| *number);
        for (number, words) in in_order {
            let kind = &other.met[usize::from(number)];
            numbers[usize::from(number)] = self.number(words, is_exact, || kind.clone())?;
        }
        Some(numbers)
    }
}

/// Telling calls apart by so many bits of their bytes.
struct Telling<'a> {
    store: &'a Store,
    bits: u32,
    callers: Callers,
    is_call: Vec<bool>,
}

impl<'a> Telling<'a> {
    fn new(store: &'a Store, bits: u32) -> Telling<'a> {
        Telling { store, bits, callers: Callers::new(store), is_call: call_regions(&store.regions) }
    }

    fn is_exact(&self) -> bool {
        self.bits >= u64::BITS
    }

    /// Writes the number of every span, and gives the kinds; none if there are too many.
    fn write(&self, directory: &Path, memory: u64, progress: &dyn Progress) -> Result<Option<Kinds>, StoreError> {
        progress.begin(TELLING, self.store.spans.len());
        let mut writer = TableWriter::<NumberRows>::create(directory)?;
        let mut kinds = Kinds::default();
        for round in self.rounds(memory) {
            let collectives = of_collectives(self.store, round.clone());
            let mut first = round.start;
            while first < round.end {
                progress.check()?;
                let (mut after, mut calls) = (first, 0);
                while after < round.end && (after == first || (calls < AT_A_TIME.0 && after - first < AT_A_TIME.1)) {
                    calls += self.store.locations.spans.get(u64::from(after));
                    after += 1;
                }
                let told: Vec<Option<(Kinds, Vec<u16>)>> =
                    (first..after).into_par_iter().map(|at| self.of_location(LocationId(at), &collectives)).collect();
                for told in told {
                    let Some((own, mut numbers)) = told else { return Ok(None) };
                    let Some(renamed) = kinds.take(&own, self.is_exact()) else { return Ok(None) };
                    for number in &mut numbers {
                        *number = renamed.get(usize::from(*number)).copied().unwrap_or(u16::MAX);
                    }
                    writer.append(NumberRows { kind: numbers })?;
                }
                progress.advance(calls);
                first = after;
            }
        }
        writer.finish()?;
        Ok(Some(kinds))
    }

    /// Neighbouring locations whose parts in collectives fit into memory together.
    fn rounds(&self, memory: u64) -> Vec<Range<u32>> {
        let members = &self.store.collective_members;
        let mut counts = vec![0u64; self.store.locations.len() as usize];
        for location in members.location.iter(0..members.len()) {
            if let Some(count) = counts.get_mut(location.index()) {
                *count += 1;
            }
        }
        let most = memory / size_of::<Share>() as u64;
        let (mut rounds, mut first, mut sum) = (Vec::new(), 0, 0);
        for (at, count) in (0..).zip(counts) {
            if at > first && sum + count > most {
                rounds.push(first..at);
                (first, sum) = (at, 0);
            }
            sum += count;
        }
        rounds.push(first..self.store.locations.len() as u32);
        rounds
    }

    /// The kinds of a location, and the number of each span; none if there are too many.
    fn of_location(&self, location: LocationId, collectives: &[Share]) -> Option<(Kinds, Vec<u16>)> {
        let (store, rows) = (self.store, self.store.spans_of(location));
        let first = collectives.partition_point(|share| share.span < rows.start);
        let after = collectives.partition_point(|share| share.span < rows.end);
        let shares = of_location(store, location, &collectives[first..after]);
        let (mut kinds, mut numbers) = (Kinds::default(), Vec::with_capacity((rows.end - rows.start) as usize));
        let (mut walk, mut words, mut rest) = (self.callers.walk(), Vec::new(), &shares[..]);
        let (mut span, mut has_room) = (rows.start, true);
        (&store.spans.region, &store.spans.depth).for_each(rows, |(region, depth)| {
            let caller = walk.enter(depth, region);
            let own = rest.iter().take_while(|share| share.span == span).count();
            let (own, behind) = rest.split_at(own);
            rest = behind;
            span += 1;
            if self.is_call.get(region.index()) != Some(&true) || !has_room {
                numbers.push(u16::MAX);
                return;
            }
            words.clear();
            words.push(u64::from(region.0) << 32 | u64::from(caller.0));
            words.extend(own.iter().flat_map(|share| [u64::from(share.comm.0), first_bits(share.bytes, self.bits)]));
            let number = kinds.number(&words, self.is_exact(), || Kind::of(region, caller, own));
            has_room = number.is_some();
            numbers.push(number.unwrap_or(u16::MAX));
        });
        has_room.then_some((kinds, numbers))
    }
}

/// A number with only so many bits after its first one.
fn first_bits(value: u64, bits: u32) -> u64 {
    let less = value.max(1).ilog2().saturating_sub(bits);
    value >> less << less
}
