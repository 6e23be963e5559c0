//! Kinds of calls: which function, called from where, and what it sends and receives in which communicators; and an index of how
//! many calls of each kind start and end when, and how long they are.
//!
//! Programs make the same calls over and over: a few hundred kinds tell millions of calls apart. So the store's index of calls
//! ([`CallIndex`]), made once more with kinds in the place of functions, answers for whatever bytes, communicators and callers are
//! asked for, at the cost of pixels. Where sizes differ so much that there would be more kinds than the index can number, they
//! are told apart by the first bits of their bytes only ([`CallKinds::is_exact`] says so), and a kind knows the least and the most
//! bytes of its calls. If that is not enough either there are no kinds.
//!
//! The number of its kind is kept for every call in up to twelve bits. With the index, which has up to two entries of six bytes per
//! call and level as that of the store has, that is some two bytes per call.

mod make;
mod traffic;

use std::path::Path;

use heddle_model::{CommId, RegionId};
use heddle_store::index::{CallIndex, MOST_KINDS};
use heddle_store::table::{lie_within, require};
use heddle_store::{Column, Derived, Progress, Store, StoreError, table};

/// Number of this layout. Results of another are made again.
const FORMAT: u32 = 1;
/// What the place of a result is named after.
const KIND: &str = "kinds";

table! {
    /// The kind of each call, by row of the spans.
    NumberRows, NumberTable = "numbers" packed {
        /// A row of the kinds; none for spans that are not calls.
        kind: u16 => "kind" nullable,
    }
}

table! {
    /// Kinds, in the order in which they were met.
    KindRows, KindTable = "kinds" {
        /// The function.
        region: RegionId => "region",
        /// The function that it is called from.
        caller: RegionId => "caller" nullable,
        /// First row of its shares.
        first_share: u32 => "first_share",
        /// In how many communicators it sends or receives.
        shares: u32 => "shares",
        /// The least that a call sends and receives in all of them.
        least: u64 => "least_bytes",
        /// The most.
        most: u64 => "most_bytes",
    }
}

table! {
    /// What calls of a kind send and receive in a communicator.
    ShareRows, ShareTable = "shares" {
        /// The communicator.
        comm: CommId => "comm" nullable,
        /// The least of a call.
        least: u64 => "least_bytes",
        /// The most.
        most: u64 => "most_bytes",
    }
}

/// Least and most bytes.
pub type BytesRange = (u64, u64);

/// A kind of calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallKind {
    /// The function.
    pub region: RegionId,
    /// The nearest function around it that neither communicates nor idles.
    pub caller: RegionId,
    total: BytesRange,
    shares: Vec<(CommId, BytesRange)>,
}

impl CallKind {
    /// What its calls send and receive in a communicator, or in all; none if they take no part in any.
    pub fn bytes(&self, communicator: Option<CommId>) -> Option<BytesRange> {
        match communicator {
            None => (!self.shares.is_empty()).then_some(self.total),
            Some(comm) => self.shares.iter().find(|(other, _)| *other == comm).map(|(_, range)| *range),
        }
    }
}

/// The kinds of a trace's calls.
#[derive(Debug)]
pub struct CallKinds {
    kinds: Vec<CallKind>,
    is_exact: bool,
    numbers: NumberTable,
    index: CallIndex,
}

impl CallKinds {
    /// The kinds of a trace's calls, found unless they are kept already.
    pub fn open(store: &Store, progress: &dyn Progress) -> Result<CallKinds, StoreError> {
        let read = |path: &Path| CallKinds::read(store, path);
        Derived::place(store, KIND, &key()).open_or_make(progress, read, |path| make::make(store, path, progress))
    }

    /// The same if they are at hand.
    pub fn find(store: &Store) -> Option<CallKinds> {
        Derived::existing(store, KIND, &key())?.find(|path| CallKinds::read(store, path))
    }

    fn read(store: &Store, path: &Path) -> Result<CallKinds, StoreError> {
        let (mut table, mut shares) = (KindTable::open(path)?, ShareTable::open(path)?);
        let places = (0..table.len()).map(|row| (table.first_share.get(row), table.shares.get(row)));
        let fits = lie_within(places.map(|(first, count)| (u64::from(first), u64::from(count))), shares.len())
            && table.len() <= u64::from(MOST_KINDS)
            && table.region.must_be_below(store.regions.len())
            && table.caller.must_be_below_or_none(store.regions.len());
        require::<KindRows>(path, fits)?;
        require::<ShareRows>(path, shares.comm.must_be_below_or_none(store.communicators.len()))?;
        let mut numbers = NumberTable::open(path)?;
        let fits = numbers.len() == store.spans.len() && numbers.kind.must_be_below_or_none(table.len());
        require::<NumberRows>(path, fits)?;
        let kind = |row: u64| {
            let first = u64::from(table.first_share.get(row));
            let share = |row: u64| (shares.comm.get(row), (shares.least.get(row), shares.most.get(row)));
            CallKind {
                region: table.region.get(row),
                caller: table.caller.get(row),
                total: (table.least.get(row), table.most.get(row)),
                shares: (first..first + u64::from(table.shares.get(row))).map(share).collect(),
            }
        };
        let kinds: Vec<CallKind> = (0..table.len()).map(kind).collect();
        let is_exact = kinds.iter().all(|kind| kind.shares.iter().all(|(_, (least, most))| least == most));
        let index = CallIndex::open_kinds(path, store, kinds.len() as u64)?;
        Ok(CallKinds { kinds, is_exact, numbers, index })
    }

    /// All kinds, by number. None if calls differ too much, or if there are none.
    pub fn kinds(&self) -> &[CallKind] {
        &self.kinds
    }

    /// Whether all calls of a kind send and receive the same bytes.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// The number of each call's kind, by row of the spans; none for spans that are not calls.
    pub fn numbers(&self) -> &Column<u16> {
        &self.numbers.kind
    }

    /// How many calls of each kind start and end when.
    pub fn index(&self) -> &CallIndex {
        &self.index
    }
}

/// All that decides a result.
fn key() -> String {
    format!("{KIND} {FORMAT}")
}
