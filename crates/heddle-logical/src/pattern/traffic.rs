//! The messages of a scope, read once for all patterns: who hears from whom, and in which order ranks send and receive.

use std::ops::Range;

use heddle_model::Rank;
use heddle_store::{Progress, Store, StoreError};
use rayon::prelude::*;

use super::votes::{Act, Votes};
use crate::cluster::Scope;
use crate::tables::{flags, kind_of};
use crate::{Kind, Logical, work};

/// Rows that are read at once.
const ROWS_AT_ONCE: usize = 1 << 10;

/// All messages from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The place of the sender.
    pub from: u32,
    /// The first event that sent one of them, counted on the sender's row.
    pub first_send: u32,
    /// The first event that received one of them, counted on the receiver's row.
    pub first_receive: u32,
}

/// The messages of a scope: those with both ends in it. What a rank sends to itself joins nobody and is left out.
///
/// Ranks are named by their **place** among the rows that have events in the scope.
#[derive(Debug)]
pub struct Traffic<'a> {
    pub(super) store: &'a Store,
    pub(super) logical: &'a Logical,
    pub(super) scope: &'a Scope,
    /// Rows with events in the scope, ascending.
    rows: Vec<u32>,
    /// Where the links to each place begin, and behind the last one their number.
    first_link: Vec<usize>,
    /// By receiver, then by sender.
    links: Vec<Link>,
    pub(super) votes: Votes,
    collectives: u64,
}

/// What some rows receive.
#[derive(Default)]
struct Chunk {
    /// How many links each row has.
    counts: Vec<usize>,
    links: Vec<Link>,
    votes: Votes,
    collectives: u64,
}

impl<'a> Traffic<'a> {
    /// Reads the messages of a scope.
    pub fn read(
        store: &'a Store,
        logical: &'a Logical,
        scope: &'a Scope,
        progress: &dyn Progress,
    ) -> Result<Traffic<'a>, StoreError> {
        let rows = scope.rows(logical);
        progress.begin(work::RECOGNISING, rows.len() as u64);
        let reader = Reader { store, logical, scope, rows: &rows };
        let chunks: Vec<Chunk> = rows
            .par_chunks(ROWS_AT_ONCE)
            .map(|of| {
                progress.check()?;
                let chunk = reader.chunk(of);
                progress.advance(of.len() as u64);
                Ok(chunk)
            })
            .collect::<Result<_, StoreError>>()?;
        let mut first_link = Vec::with_capacity(rows.len() + 1);
        first_link.push(0);
        let mut links = Vec::with_capacity(chunks.iter().map(|chunk| chunk.links.len()).sum());
        let (mut votes, mut collectives, mut end) = (Votes::default(), 0, 0);
        for chunk in chunks {
            for count in chunk.counts {
                end += count;
                first_link.push(end);
            }
            links.extend(chunk.links);
            votes.plus(&chunk.votes);
            collectives += chunk.collectives;
        }
        Ok(Traffic { store, logical, scope, rows, first_link, links, votes, collectives })
    }

    /// Rows with events in the scope, ascending: the row of each place.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// How many ranks have events in the scope.
    pub fn ranks(&self) -> usize {
        self.rows.len()
    }

    /// How many pairs of sender and receiver there are.
    pub fn pairs(&self) -> usize {
        self.links.len()
    }

    /// Whether there are collectives in the scope.
    pub fn has_collectives(&self) -> bool {
        self.collectives > 0
    }

    /// Whom the rank at a place hears from, ascending.
    pub fn heard(&self, place: u32) -> &[Link] {
        let place = place as usize;
        &self.links[self.first_link[place]..self.first_link[place + 1]]
    }

    /// The messages from one place to another, if there are any.
    pub fn link(&self, from: u32, to: u32) -> Option<&Link> {
        let heard = self.heard(to);
        heard.binary_search_by_key(&from, |link| link.from).ok().map(|at| &heard[at])
    }

    /// All places.
    pub fn places(&self) -> Range<u32> {
        0..self.rows.len() as u32
    }

    /// The rank at a place; its row if the trace names no rank.
    pub fn rank(&self, place: u32) -> u32 {
        let row = self.rows[place as usize];
        let location = self.logical.rows.location.get(u64::from(row));
        let rank = self.store.locations.rank.get(u64::from(location.0));
        if rank == Rank::NONE { row } else { rank.0 }
    }
}

/// Reads rows.
struct Reader<'a> {
    store: &'a Store,
    logical: &'a Logical,
    scope: &'a Scope,
    rows: &'a [u32],
}

impl Reader<'_> {
    fn chunk(&self, rows: &[u32]) -> Chunk {
        let mut chunk = Chunk::default();
        let (mut links, mut received) = (Vec::new(), Vec::new());
        for row in rows {
            self.row(*row, &mut links, &mut received, &mut chunk);
            chunk.counts.push(links.len());
            chunk.links.append(&mut links);
        }
        chunk
    }

    fn row(&self, row: u32, links: &mut Vec<Link>, received: &mut Vec<u32>, chunk: &mut Chunk) {
        let Reader { store, logical, scope, .. } = *self;
        let events = scope.events_of(logical, row);
        let start_of_row = logical.events_of(row).start;
        received.clear();
        received.resize((events.end - events.start) as usize, 0);
        let steps = &logical.events.step;
        logical.for_each_received(store, row, events.clone(), |message| {
            received[(message.receive - events.start) as usize] += 1;
            if message.sender == row || !self.has(message.send) {
                return;
            }
            let Some(from) = self.place_of(message.sender) else { return };
            chunk.votes.message(steps.get(message.receive) == steps.get(message.send) + 1);
            links.push(Link {
                from,
                first_send: (message.send - logical.events_of(message.sender).start) as u32,
                first_receive: (message.receive - start_of_row) as u32,
            });
        });
        links.sort_unstable_by_key(|link| link.from);
        links.dedup_by(|next, kept| {
            let is_same = next.from == kept.from;
            if is_same {
                kept.first_send = kept.first_send.min(next.first_send);
                kept.first_receive = kept.first_receive.min(next.first_receive);
            }
            is_same
        });
        let kinds = logical.events.kind.iter(events);
        let acts = kinds.zip(received.iter()).filter_map(|(cell, received)| match kind_of(cell) {
            Kind::Send => Some(Act::Send { is_single: cell & (flags::COALESCED | flags::SEVERAL) == 0 }),
            Kind::Receive => Some(Act::Receive { messages: *received }),
            Kind::Collective => {
                chunk.collectives += 1;
                None
            }
        });
        chunk.votes.rank(acts);
    }

    /// Whether an event belongs to the scope.
    fn has(&self, event: u64) -> bool {
        match self.scope {
            Scope::Phase(phase) => self.logical.events.phase.get(event) == *phase,
            Scope::Steps(steps) => steps.contains(&self.logical.events.step.get(event)),
        }
    }

    fn place_of(&self, row: u32) -> Option<u32> {
        // Mostly all rows are there.
        if self.rows.len() as u64 == self.logical.rows.len() {
            return Some(row);
        }
        self.rows.binary_search(&row).ok().map(|place| place as u32)
    }
}
