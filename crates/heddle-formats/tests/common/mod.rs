//! What the tests of the OTF2 reader share: whole traces read at once, and two ways to make one.
//!
//! `bytes` puts archives together by hand in the documented byte form; `made` is a small source for the
//! crate's own writer.

#![allow(dead_code, reason = "each test binary uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

pub(crate) mod bytes;
pub(crate) mod made;
pub(crate) mod plain;

use heddle_formats::otf2::{Archive, OpenError};
use heddle_formats::{Files, MemoryFiles};
use heddle_model::{Definitions, Event, Ns, RecordBlock, Source, Warning, WarningKind, Warnings};

/// A trace as a consumer gets it: one block for each location.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) definitions: Definitions,
    pub(crate) blocks: Vec<RecordBlock>,
    /// Of the archive and of all its parts.
    pub(crate) warnings: Warnings,
}

impl Trace {
    pub(crate) fn read(files: &dyn Files, name: &str) -> Result<Trace, OpenError> {
        let archive = Archive::open(files, name)?;
        let definitions = archive.definitions().clone();
        let mut blocks: Vec<_> = definitions.locations.iter().map(|_| RecordBlock::default()).collect();
        for part in archive.parts() {
            archive.read(part, &mut blocks[part.location.index()]).unwrap();
        }
        let mut warnings = archive.warnings().clone();
        for block in &blocks {
            warnings.merge(&block.warnings);
        }
        Ok(Trace { definitions, blocks, warnings })
    }

    pub(crate) fn events(&self, location: usize) -> Vec<(Ns, Event<'_>)> {
        self.blocks[location].iter().collect()
    }

    pub(crate) fn records(&self) -> usize {
        self.blocks.iter().map(RecordBlock::len).sum()
    }

    pub(crate) fn region(&self, id: heddle_model::RegionId) -> &str {
        &self.definitions.regions[id.index()].name
    }

    /// Names of the regions that a location enters, in order.
    pub(crate) fn entered(&self, location: usize) -> Vec<&str> {
        let names = self.blocks[location].iter().filter_map(|(_, event)| match event {
            Event::Enter(region) => Some(self.region(region)),
            _ => None,
        });
        names.collect()
    }

    pub(crate) fn warned(&self, kind: WarningKind) -> u64 {
        self.warnings.count(kind)
    }

    /// Warnings of damage: the ones that must name a file and a byte.
    pub(crate) fn damage(&self) -> Vec<Warning> {
        let is_damage = |w: &Warning| matches!(w.kind, WarningKind::Truncated | WarningKind::Corrupt);
        self.warnings.to_vec().into_iter().filter(is_damage).collect()
    }
}

/// All files of an archive, to be damaged one at a time.
pub(crate) fn snapshot(files: &MemoryFiles) -> Vec<(String, Vec<u8>)> {
    files.names().into_iter().map(|name| (name.clone(), files.get(&name).unwrap())).collect()
}

/// A generator of plain pseudo-random numbers: the same in every run.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// Flips, inserts, deletes or overwrites one to eight bytes.
    pub(crate) fn damage(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len());
        let count = 1 + self.below(8);
        // Small numbers and all ones are what lengths, counts and ids are made of.
        let byte = |chance: &mut Chance| match chance.below(4) {
            0 => 0xff,
            1 => chance.below(16) as u8,
            2 => chance.below(90) as u8,
            _ => chance.next() as u8,
        };
        match self.below(4) {
            0 => {
                for at in at..(at + count).min(bytes.len()) {
                    bytes[at] ^= 1 << self.below(8);
                }
            }
            1 => {
                for _ in 0..count {
                    bytes.insert(at, byte(self));
                }
            }
            2 => drop(bytes.drain(at..(at + count).min(bytes.len()))),
            _ => {
                for at in at..(at + count).min(bytes.len()) {
                    bytes[at] = byte(self);
                }
            }
        }
    }
}
