//! Traces in which the records of all locations are mixed, turned into a [`Source`] whose parts are of one location each.
//!
//! Most formats are one stream in the order of time: lines of Paje, blocks of CLOG-2, events of a JSON array. A reader
//! decodes such a stream once and puts every record into the block of its location. While the blocks fit the memory they
//! stay there, in pieces of about a megabyte; beyond it they are set aside as bytes in a [`Scratch`], which the importer
//! keeps in a file. Whoever reads the source afterwards does not notice the difference.

use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use heddle_model::{Definitions, LocationId, Ns, Part, RecordBlock, Source, SourceError, Warnings};

use crate::packed;
use crate::spare::Spare;

/// Somewhere to put bytes aside while a trace is read.
pub trait Scratch: Sync {
    /// Appends bytes; tells where they begin.
    fn append(&self, bytes: &[u8]) -> io::Result<u64>;

    /// Reads bytes back into `out`, replacing what it held.
    fn read(&self, range: Range<u64>, out: &mut Vec<u8>) -> io::Result<()>;
}

/// Scratch space in memory: for tests, fuzzing and small traces.
#[derive(Debug, Default)]
pub struct MemoryScratch {
    bytes: Mutex<Vec<u8>>,
}

impl Scratch for MemoryScratch {
    fn append(&self, bytes: &[u8]) -> io::Result<u64> {
        let mut all = self.bytes.lock().map_err(|_| io::Error::other("a writer failed"))?;
        all.extend_from_slice(bytes);
        Ok((all.len() - bytes.len()) as u64)
    }

    fn read(&self, range: Range<u64>, out: &mut Vec<u8>) -> io::Result<()> {
        let all = self.bytes.lock().map_err(|_| io::Error::other("a writer failed"))?;
        out.clear();
        let range =
            usize::try_from(range.start).unwrap_or(usize::MAX)..usize::try_from(range.end).unwrap_or(usize::MAX);
        out.extend_from_slice(all.get(range).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Records of a piece, about. A block that goes on growing would be copied whenever its memory is doubled, and would have to be
/// consumed as a whole.
const PIECE_RECORDS: usize = 1 << 16;

/// A stretch of one location's records.
enum Piece {
    /// In memory, until somebody takes it.
    Here(Mutex<Option<Box<RecordBlock>>>),
    /// Put aside.
    Aside(Range<u64>),
}

/// Takes records as they come.
pub struct Gather<'a> {
    scratch: &'a dyn Scratch,
    /// Bytes that blocks may take together.
    limit: usize,
    open: Vec<RecordBlock>,
    pieces: Vec<Vec<Piece>>,
    /// Bytes of the pieces that are in memory.
    held: usize,
    first: Option<Ns>,
    since_settled: usize,
    warnings: Warnings,
    without_collectives: bool,
    without_tiles: bool,
}

impl<'a> Gather<'a> {
    /// Blocks may take `memory` bytes together before they are put aside.
    pub fn new(scratch: &'a dyn Scratch, memory: u64) -> Gather<'a> {
        let limit = usize::try_from(memory).unwrap_or(usize::MAX);
        Gather {
            scratch,
            limit,
            open: Vec::new(),
            pieces: Vec::new(),
            held: 0,
            first: None,
            since_settled: 0,
            warnings: Warnings::default(),
            without_collectives: false,
            without_tiles: false,
        }
    }

    /// The block that a location's next records go to. Times of one location must not fall.
    pub fn block(&mut self, location: LocationId) -> &mut RecordBlock {
        let at = location.index();
        if at >= self.open.len() {
            self.open.resize_with(at + 1, RecordBlock::default);
            self.pieces.resize_with(at + 1, Vec::new);
        }
        if self.open[at].len() >= PIECE_RECORDS {
            self.close_piece(at);
        }
        &mut self.open[at]
    }

    #[cold]
    fn close_piece(&mut self, at: usize) {
        let block = std::mem::take(&mut self.open[at]);
        self.note_first(&block);
        self.held += block.bytes();
        self.pieces[at].push(Piece::Here(Mutex::new(Some(Box::new(block)))));
    }

    /// The trace begins no later than this: for events that make no record.
    pub fn begins(&mut self, time: Ns) {
        self.first = Some(self.first.map_or(time, |first| first.min(time)));
    }

    /// Records of collectives that were put in are not given out: for readers that learn only at the end that they cannot
    /// be told apart.
    pub fn without_collectives(&mut self) {
        self.without_collectives = true;
    }

    /// Tiles of tasks that were put in are not given out: for readers that learn only at the end that none was ever set.
    pub fn without_tiles(&mut self) {
        self.without_tiles = true;
    }

    /// To be called now and then, with about how many bytes were added since: puts blocks aside if there are too many.
    pub fn settle(&mut self, added: usize) -> io::Result<()> {
        self.since_settled += added;
        if self.since_settled < self.limit / 4 {
            return Ok(());
        }
        self.since_settled = 0;
        if self.held + self.open.iter().map(RecordBlock::bytes).sum::<usize>() < self.limit / 2 {
            return Ok(());
        }
        for at in 0..self.open.len() {
            if !self.open[at].is_empty() {
                self.close_piece(at);
            }
            for piece in &mut self.pieces[at] {
                let here = match piece {
                    Piece::Here(block) => block.get_mut().unwrap_or_else(PoisonError::into_inner).take(),
                    Piece::Aside(_) => None,
                };
                if let Some(block) = here {
                    self.warnings.merge(&block.warnings);
                    let bytes = packed::pack(&block);
                    let start = self.scratch.append(&bytes)?;
                    *piece = Piece::Aside(start..start + bytes.len() as u64);
                }
            }
        }
        self.held = 0;
        Ok(())
    }

    fn note_first(&mut self, block: &RecordBlock) {
        self.first = match (self.first, block.first()) {
            (Some(known), Some(new)) => Some(known.min(new)),
            (known, new) => known.or(new),
        };
    }

    /// The trace as a source. Its earliest record becomes time zero.
    pub fn finish(
        mut self,
        format: &'static str,
        mut definitions: Definitions,
        mut warnings: Warnings,
    ) -> Gathered<'a> {
        self.warnings.merge(&warnings);
        std::mem::swap(&mut self.warnings, &mut warnings);
        for at in 0..self.open.len() {
            let block = &self.open[at];
            // A block without records may still count events and carry warnings.
            if !block.is_empty() || block.events > 0 || !block.warnings.is_empty() {
                self.close_piece(at);
            }
        }
        let parts = self
            .pieces
            .iter()
            .enumerate()
            .flat_map(|(location, pieces)| {
                pieces.iter().enumerate().map(move |(index, piece)| Part {
                    location: LocationId(location as u32),
                    index: index as u32,
                    bytes: match piece {
                        Piece::Here(block) => lock(block).as_ref().map_or(0, |block| block.bytes()) as u64,
                        Piece::Aside(range) => range.end - range.start,
                    },
                })
            })
            .filter(|part| part.location.index() < definitions.locations.len())
            .collect();
        let marks = definitions.marks.iter().map(|mark| mark.time).min();
        let origin = self.first.into_iter().chain(marks).min().map_or(0, |first| first.0);
        definitions.marks.iter_mut().for_each(|mark| mark.time.0 -= origin);
        Gathered {
            scratch: self.scratch,
            format,
            definitions,
            warnings,
            pieces: self.pieces,
            parts,
            origin,
            without_collectives: self.without_collectives,
            without_tiles: self.without_tiles,
            aside: Spare::default(),
        }
    }
}

/// A trace whose records have been told apart.
pub struct Gathered<'a> {
    scratch: &'a dyn Scratch,
    format: &'static str,
    definitions: Definitions,
    warnings: Warnings,
    pieces: Vec<Vec<Piece>>,
    parts: Vec<Part>,
    origin: i64,
    without_collectives: bool,
    without_tiles: bool,
    /// Memory for bytes that are read back.
    aside: Spare<Vec<u8>>,
}

impl Gathered<'_> {
    fn piece(&self, part: &Part) -> Result<&Piece, SourceError> {
        let piece = self.pieces.get(part.location.index()).and_then(|pieces| pieces.get(part.index as usize));
        piece.ok_or_else(|| failed(part, io::ErrorKind::NotFound.into()))
    }

    fn read_aside(&self, part: &Part, range: &Range<u64>, out: &mut RecordBlock) -> Result<(), SourceError> {
        let mut bytes = self.aside.take();
        self.scratch.read(range.clone(), &mut bytes).map_err(|cause| failed(part, cause))?;
        let block = packed::unpack(&bytes).ok_or_else(|| {
            let text = "data in the scratch space was changed by somebody else";
            failed(part, io::Error::new(io::ErrorKind::InvalidData, text))
        })?;
        self.aside.give_back(bytes);
        out.append_all(block, self.origin);
        Ok(())
    }

    /// Takes out what nobody is to see.
    fn leave_out(&self, out: &mut RecordBlock) {
        if self.without_collectives {
            out.remove_collectives();
        }
        if self.without_tiles {
            out.forget_tiles();
        }
    }
}

fn failed(part: &Part, cause: io::Error) -> SourceError {
    SourceError { place: format!("location {}", part.location.0), cause }
}

/// A piece that is in memory. Nothing panics while one is locked.
fn lock(block: &Mutex<Option<Box<RecordBlock>>>) -> MutexGuard<'_, Option<Box<RecordBlock>>> {
    block.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Source for Gathered<'_> {
    fn format(&self) -> &'static str {
        self.format
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        match self.piece(part)? {
            Piece::Here(block) => match &*lock(block) {
                Some(block) => out.append(block, self.origin),
                None => return Err(failed(part, io::ErrorKind::NotFound.into())),
            },
            Piece::Aside(range) => self.read_aside(part, range, out)?,
        }
        self.leave_out(out);
        Ok(())
    }

    fn read_once(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        match self.piece(part)? {
            Piece::Here(block) => match lock(block).take() {
                Some(block) => out.append_all(*block, self.origin),
                None => return Err(failed(part, io::ErrorKind::NotFound.into())),
            },
            Piece::Aside(range) => self.read_aside(part, range, out)?,
        }
        self.leave_out(out);
        Ok(())
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}

#[cfg(test)]
mod tests {
    use heddle_model::{Location, LocationKind, MarkText, Rank, RegionId, WarningKind};

    use super::*;

    fn definitions(locations: u64) -> Definitions {
        let location = |file_id| Location {
            file_id,
            name: String::new().into(),
            kind: LocationKind::CpuThread,
            parent: None,
            rank: Rank::NONE,
        };
        Definitions { locations: (0..locations).map(location).collect(), ..Definitions::default() }
    }

    /// Records of three locations in turn; what comes back must not depend on the memory there was.
    fn gathered(memory: u64) -> Vec<(u32, i64, u32)> {
        let scratch = MemoryScratch::default();
        let mut gather = Gather::new(&scratch, memory);
        for at in 0..3_000u32 {
            let block = gather.block(LocationId(at % 3));
            block.enter(Ns(1_000 + i64::from(at)), RegionId(at));
            block.events += 1;
            if at == 500 {
                block.warnings.add(WarningKind::Corrupt, || "here".to_owned(), "odd");
            }
            gather.settle(16).unwrap();
        }
        let source = gather.finish("test", definitions(3), Warnings::default());
        let mut found = Vec::new();
        let (mut events, mut odd) = (0, source.warnings().count(WarningKind::Corrupt));
        for part in source.parts() {
            let mut block = RecordBlock::default();
            source.read(part, &mut block).unwrap();
            events += block.events;
            odd += block.warnings.count(WarningKind::Corrupt);
            for (time, event) in block.iter() {
                let heddle_model::Event::Enter(region) = event else { panic!("only enters were put in") };
                found.push((part.location.0, time.0, region.0));
            }
        }
        assert_eq!((events, odd), (3_000, 1));
        found
    }

    #[test]
    fn records_come_back_by_location_from_time_zero_whatever_the_memory() {
        let all = gathered(1 << 30);
        assert_eq!(all.len(), 3_000);
        assert_eq!((all[0], all[1_000], all[2_999]), ((0, 0, 0), (1, 1, 1), (2, 2_999, 2_999)));
        assert_eq!(gathered(2_000), all);
    }

    #[test]
    fn long_locations_come_in_pieces_and_are_let_go_of() {
        let scratch = MemoryScratch::default();
        let mut gather = Gather::new(&scratch, 1 << 30);
        let records = 2 * PIECE_RECORDS + 7;
        for at in 0..records {
            let block = gather.block(LocationId(1));
            block.enter(Ns(50 + at as i64), RegionId(at as u32));
            block.mark(Ns(50 + at as i64), MarkText { name: "at".to_owned(), text: at.to_string() });
        }
        let source = gather.finish("test", definitions(2), Warnings::default());
        assert!(source.parts().len() > 2 && source.parts().iter().all(|part| part.location == LocationId(1)));
        let (mut all, mut once) = (RecordBlock::default(), RecordBlock::default());
        for part in source.parts() {
            source.read(part, &mut all).unwrap();
            source.read_once(part, &mut once).unwrap();
            assert!(source.read_once(part, &mut RecordBlock::default()).is_err(), "nobody reads it again");
        }
        assert_eq!(all.len(), 2 * records);
        assert_eq!(all.iter().next(), Some((Ns(0), heddle_model::Event::Enter(RegionId(0)))));
        assert!(once.iter().eq(all.iter()));
    }
}
