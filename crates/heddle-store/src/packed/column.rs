//! Reading one column of a packed file.

use std::sync::atomic::{AtomicU64, Ordering};

use arrow_buffer::ScalarBuffer;

use super::block::{BLOCK_SHIFT, Entry, PackedBlock};
use super::limits::Limits;
use super::relative::{Other, Step};
use super::{BLOCK_ROWS, CHUNK_SHIFT, PackedFile};
use crate::map::Mapped;

/// With so many values of a block asked for, unpacking all of it is faster than reading them one by one.
const WORTH_UNPACKING: usize = 12;

/// So few neighbouring rows in the middle of a block cost less one by one than with all before them.
pub(crate) const FEW: usize = 16;

/// A column of words. Narrower types are cut from them by [`crate::Column`].
#[derive(Debug)]
pub(crate) struct PackedColumn {
    words: ScalarBuffer<u64>,
    chunks: Vec<u64>,
    rows: u64,
    missing: u64,
    /// The column that this one is relative to.
    other: Option<Box<Other>>,
    /// Whether what is read are the differences to that column, however a block is kept.
    is_difference: bool,
    /// What its values must lie within.
    limits: Option<Box<Limits>>,
    /// A bit for each block that was found to be intact, and within the limits.
    intact: Vec<AtomicU64>,
    /// The file, to note damage.
    file: Mapped,
}

impl PackedColumn {
    /// A column of a file, by its place among them.
    pub(crate) fn of(file: &PackedFile, column: usize) -> Option<PackedColumn> {
        let field = file.fields.get(column)?;
        let other = match &field.relative_to {
            Some(relative) => Some(Box::new(Other::of(file, relative)?)),
            None => None,
        };
        let blocks = usize::try_from(file.rows.div_ceil(BLOCK_ROWS as u64)).ok()?;
        Some(PackedColumn {
            words: file.words.clone(),
            chunks: file.chunks.get(column)?.clone(),
            rows: file.rows,
            missing: field.missing,
            other,
            is_difference: false,
            limits: None,
            intact: nothing_checked(blocks.div_ceil(64)),
            file: file.mapped.clone(),
        })
    }

    /// The same column, of which nothing was checked yet.
    pub(super) fn again(&self) -> PackedColumn {
        PackedColumn {
            words: self.words.clone(),
            chunks: self.chunks.clone(),
            rows: self.rows,
            missing: self.missing,
            other: self.other.as_ref().map(|other| Box::new(other.again())),
            is_difference: self.is_difference,
            limits: self.limits.clone(),
            intact: nothing_checked(self.intact.len()),
            file: self.file.clone(),
        }
    }

    /// What its values differ by from those of the column that it is relative to, within the same limits. Blocks that are kept
    /// as differences are read as they are, and the other column only beside the rest.
    pub(crate) fn differences(&self) -> PackedColumn {
        PackedColumn { is_difference: true, ..self.again() }
    }

    /// How the value of a block becomes what is asked for.
    #[inline]
    fn step(&self, block: &PackedBlock<'_>) -> Option<(&Other, Step)> {
        let step = match (self.is_difference, block.is_relative) {
            (false, true) => Step::Add,
            (true, false) => Step::Subtract,
            _ => return None,
        };
        self.other.as_deref().map(|other| (other, step))
    }

    /// Blocks with values beyond these limits count as damaged from now on.
    pub(crate) fn limit(&mut self, limits: Limits) {
        // What a time is a difference to is a time as well.
        if let Some(other) = self.other.as_mut().filter(|_| limits.are_for_differences()) {
            other.values_mut().limit(Limits::times(None));
        }
        self.limits = Some(Box::new(limits));
        self.intact.iter_mut().for_each(|intact| *intact.get_mut() = 0);
    }

    /// The value in a row, which there is.
    #[inline]
    pub(crate) fn get(&self, row: u64) -> u64 {
        let Some(block) = self.block(row >> BLOCK_SHIFT) else { return self.of_damage() };
        let value = block.get(row as usize & (BLOCK_ROWS - 1));
        match self.step(&block) {
            Some((other, step)) if value != self.missing => step.apply(value, other.get(row)),
            _ => value,
        }
    }

    /// The same; 0 beyond the end.
    #[inline]
    pub(super) fn get_or_zero(&self, row: u64) -> u64 {
        if row < self.rows { self.get(row) } else { 0 }
    }

    /// Puts values in the places of the numbers of their rows; 0 beyond the end.
    pub(super) fn look_up(&self, rows: &mut [u64]) {
        let mut values = [0; BLOCK_ROWS];
        for of_block in rows.chunk_by_mut(|a, b| a >> BLOCK_SHIFT == b >> BLOCK_SHIFT) {
            let block = of_block[0] >> BLOCK_SHIFT;
            if of_block.len() < WORTH_UNPACKING || of_block[0] >= self.rows {
                for row in of_block {
                    *row = self.get_or_zero(*row);
                }
                continue;
            }
            let values = &mut values[..self.rows_of(block)];
            self.unpack(block, values);
            for row in of_block {
                *row = values.get(*row as usize % BLOCK_ROWS).copied().unwrap_or(0);
            }
        }
    }

    /// What a row of a damaged block reads as: missing where a value may be, else zero.
    fn of_damage(&self) -> u64 {
        self.limits.as_deref().and_then(Limits::none).unwrap_or(0)
    }

    /// Reads the first rows of a block, as many as there is room for.
    pub(crate) fn unpack(&self, number: u64, out: &mut [u64]) {
        let Some(block) = self.block(number) else { return out.fill(self.of_damage()) };
        block.unpack(out);
        if let Some((other, step)) = self.step(&block) {
            let mut others = [0; BLOCK_ROWS];
            let others = &mut others[..out.len().min(BLOCK_ROWS)];
            other.unpack(number, others);
            step.apply_all(out, others, self.missing);
        }
    }

    /// Reads a few neighbouring rows of one block, which there are, at most [`FEW`]. The block is looked up once for all of them.
    pub(crate) fn read_few(&self, first: u64, out: &mut [u64]) {
        let Some(block) = self.block(first >> BLOCK_SHIFT) else { return out.fill(self.of_damage()) };
        let row = first as usize & (BLOCK_ROWS - 1);
        for (at, value) in out.iter_mut().enumerate() {
            *value = block.get(row + at);
        }
        if let Some((other, step)) = self.step(&block) {
            let mut others = [0; FEW];
            let others = &mut others[..out.len().min(FEW)];
            other.read_few(first, others);
            step.apply_all(out, others, self.missing);
        }
    }

    /// Rows of a block.
    fn rows_of(&self, block: u64) -> usize {
        (self.rows - (block << BLOCK_SHIFT)).min(BLOCK_ROWS as u64) as usize
    }

    /// A block, unless it is damaged. Called with blocks that there are.
    #[inline]
    fn block(&self, block: u64) -> Option<PackedBlock<'_>> {
        let chunk = *self.chunks.get((block >> (CHUNK_SHIFT - BLOCK_SHIFT)) as usize)?;
        let in_chunk = block & ((1 << (CHUNK_SHIFT - BLOCK_SHIFT)) - 1);
        let entry = Entry::from_word(*self.words.get((chunk + in_chunk) as usize)?);
        let flag = 1 << (block % 64);
        let intact = self.intact.get((block / 64) as usize)?;
        // Whether somebody else has looked meanwhile does not matter: looking twice finds the same.
        if intact.load(Ordering::Relaxed) & flag == 0 {
            self.check(block, chunk, entry)?;
            intact.fetch_or(flag, Ordering::Relaxed);
        }
        self.found(block, chunk, entry)
    }

    /// A block that an entry describes.
    #[inline]
    fn found(&self, block: u64, chunk: u64, entry: Entry) -> Option<PackedBlock<'_>> {
        let start = (chunk + u64::from(entry.offset)) as usize;
        if entry.is_moved {
            return self.moved(block, start);
        }
        // Behind every block there is another word, of the end of the file at least.
        let words = self.words.get(start..start + entry.words(self.rows_of(block)) + 1)?;
        PackedBlock::new(entry, words, self.rows_of(block), self.missing)
    }

    #[cold]
    fn moved(&self, block: u64, stub: usize) -> Option<PackedBlock<'_>> {
        let (entry, start) = self.moved_entry(stub)?;
        let words = self.words.get(start..start.checked_add(entry.words(self.rows_of(block)) + 1)?)?;
        PackedBlock::new(entry, words, self.rows_of(block), self.missing)
    }

    /// The entry of a block that was written anew, and where its words begin.
    fn moved_entry(&self, stub: usize) -> Option<(Entry, usize)> {
        let place = usize::try_from(*self.words.get(stub)?).ok()?;
        let entry = Entry::from_word(*self.words.get(place)?);
        (!entry.is_moved).then_some((entry, place.checked_add(1)?))
    }

    /// Compares a block with its checksum, and its values with the limits.
    #[cold]
    fn check(&self, block: u64, chunk: u64, entry: Entry) -> Option<()> {
        let is_intact = |entry: Entry, start: usize| {
            let words = start.checked_add(entry.words(self.rows_of(block))).and_then(|end| self.words.get(start..end));
            words.is_some_and(|words| entry.is_intact(words))
                && start + entry.words(self.rows_of(block)) < self.words.len()
        };
        let start = usize::try_from(chunk + u64::from(entry.offset)).ok()?;
        let stands = is_intact(entry, start)
            && (!entry.is_moved || self.moved_entry(start).is_some_and(|(entry, start)| is_intact(entry, start)));
        if stands && self.is_within_limits(block, chunk, entry) {
            return Some(());
        }
        self.file.note_damage();
        None
    }

    fn is_within_limits(&self, number: u64, chunk: u64, entry: Entry) -> bool {
        let Some(limits) = self.limits.as_deref() else { return true };
        let Some(block) = self.found(number, chunk, entry) else { return false };
        let rows = self.rows_of(number);
        if block.range(rows).is_some_and(|range| limits.hold(range, block.is_relative)) {
            return true;
        }
        let (mut values, mut others) = ([0; BLOCK_ROWS], [0; BLOCK_ROWS]);
        let (values, others) = (&mut values[..rows], &mut others[..rows]);
        block.unpack(values);
        if block.is_relative && limits.are_for_differences() {
            return values.iter().all(|value| limits.has_difference(*value));
        }
        if let Some(other) = self.other.as_ref().filter(|_| block.is_relative || limits.is_ordered()) {
            other.unpack(number, others);
            if block.is_relative {
                Step::Add.apply_all(values, others, self.missing);
            }
        }
        values.iter().zip(others).all(|(value, other)| limits.has(*value, *other))
    }
}

/// A bit for each block, in so many words.
fn nothing_checked(words: usize) -> Vec<AtomicU64> {
    std::iter::repeat_with(AtomicU64::default).take(words).collect()
}
