//! Streams of records that are put aside piece by piece when memory is short.

use std::io;
use std::ops::Range;

use heddle_model::{Ns, RecordBlock, RegionId};

use crate::{Scratch, packed};

/// A stretch of a stream.
pub(super) struct Piece {
    pub(super) first: Ns,
    pub(super) last: Ns,
    /// The call that was open where it begins.
    pub(super) call: Option<(RegionId, Ns)>,
    records: Records,
}

/// Where the records of a piece are.
enum Records {
    InMemory(Box<RecordBlock>),
    InScratch(Range<u64>),
}

impl Piece {
    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        match &self.records {
            Records::InMemory(block) => block.bytes() as u64,
            Records::InScratch(range) => range.end - range.start,
        }
    }

    /// Its records, appended to `out`.
    pub(super) fn load(&self, scratch: &dyn Scratch, out: &mut RecordBlock) -> io::Result<()> {
        match &self.records {
            Records::InMemory(block) => out.append(block, 0),
            Records::InScratch(range) => {
                let mut bytes = Vec::new();
                scratch.read(range.clone(), &mut bytes)?;
                let changed = || {
                    io::Error::new(io::ErrorKind::InvalidData, "data in the scratch space was changed by somebody else")
                };
                out.append(&packed::unpack(&bytes).ok_or_else(changed)?, 0);
            }
        }
        Ok(())
    }
}

/// A stream of one location's records.
#[derive(Default)]
pub(super) struct Stream {
    pub(super) pieces: Vec<Piece>,
    open: RecordBlock,
    /// The call that is open now, and the one that was open when the open piece began.
    pub(super) call: Option<(RegionId, Ns)>,
    call_before: Option<(RegionId, Ns)>,
}

impl Stream {
    /// Where the next records go.
    #[inline]
    pub(super) fn block(&mut self) -> &mut RecordBlock {
        &mut self.open
    }

    /// Memory of what is not yet put aside.
    pub(super) fn bytes(&self) -> usize {
        self.open.bytes()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.open.is_empty()
    }

    /// Closes the open piece: into the scratch space, or in memory.
    pub(super) fn close(&mut self, scratch: Option<&dyn Scratch>) -> io::Result<()> {
        let Some(first) = self.open.first() else { return Ok(()) };
        let block = std::mem::take(&mut self.open);
        let last = block.iter().map(|(time, _)| time).max().unwrap_or(first);
        let records = match scratch {
            None => Records::InMemory(Box::new(block)),
            Some(scratch) => {
                let bytes = packed::pack(&block);
                let start = scratch.append(&bytes)?;
                Records::InScratch(start..start + bytes.len() as u64)
            }
        };
        let call = std::mem::replace(&mut self.call_before, self.call);
        self.pieces.push(Piece { first, last, call, records });
        Ok(())
    }
}
