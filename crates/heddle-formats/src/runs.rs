//! Rows in order, whatever the order they come in and the memory there is: entries of one track by time, ends of messages
//! by what they are matched by.
//!
//! Rows that do not fit the memory are sorted and put aside as runs; reading merges the runs. Files are nearly in order,
//! and sorting what is nearly in order is cheap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::ops::Range;

use crate::Scratch;

/// Something of a fixed size that has an order.
pub(crate) trait Row: Copy {
    type Key: Ord;
    type Bytes: AsRef<[u8]>;
    const BYTES: usize;

    fn key(&self) -> Self::Key;
    fn to_bytes(self) -> Self::Bytes;
    /// From as many bytes as it has.
    fn from_bytes(bytes: &[u8]) -> Self;
}

/// Rows in the order of the file, sorted when they are read.
#[derive(Debug)]
pub(crate) struct Runs<T> {
    here: Vec<T>,
    aside: Vec<Range<u64>>,
}

impl<T> Default for Runs<T> {
    fn default() -> Runs<T> {
        Runs { here: Vec::new(), aside: Vec::new() }
    }
}

impl<T: Row> Runs<T> {
    #[inline]
    pub(crate) fn push(&mut self, entry: T) {
        self.here.push(entry);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.here.is_empty() && self.aside.is_empty()
    }

    /// How many are in memory.
    pub(crate) fn here(&self) -> usize {
        self.here.len()
    }

    fn sort(&mut self) {
        if !self.here.is_sorted_by_key(T::key) {
            self.here.sort_by_key(T::key);
        }
    }

    /// Frees the memory.
    pub(crate) fn put_aside(&mut self, scratch: &dyn Scratch) -> io::Result<()> {
        if self.here.is_empty() {
            return Ok(());
        }
        self.sort();
        let first = scratch.append(&[])?;
        let mut end = first;
        let mut bytes = Vec::new();
        for piece in self.here.chunks(1 << 14) {
            bytes.clear();
            for row in piece {
                bytes.extend_from_slice(row.to_bytes().as_ref());
            }
            // One writer: pieces of a run lie one behind the other.
            end = scratch.append(&bytes)? + bytes.len() as u64;
        }
        self.here = Vec::new();
        self.aside.push(first..end);
        Ok(())
    }

    /// The same, if there are more than `most`.
    pub(crate) fn put_aside_beyond(&mut self, most: usize, scratch: &dyn Scratch) -> io::Result<()> {
        if self.here.len() > most { self.put_aside(scratch) } else { Ok(()) }
    }

    /// All entries in order; equals in the order of the file.
    pub(crate) fn merged<'a>(&'a mut self, scratch: &'a dyn Scratch) -> io::Result<Merged<'a, T>> {
        self.sort();
        let buffer = ((1 << 17) / (self.aside.len() + 1)).clamp(64, 1 << 14);
        let mut merged = Merged {
            here: &self.here,
            scratch,
            buffer,
            runs: self.aside.iter().map(|range| Run { left: range.clone(), buffer: Vec::new() }).collect(),
            heap: BinaryHeap::new(),
        };
        for run in 0..merged.runs.len() {
            merged.offer(run)?;
        }
        if !merged.heap.is_empty()
            && let Some(entry) = merged.here.first()
        {
            // What is still in memory was the last of the file.
            merged.heap.push(Reverse((entry.key(), merged.runs.len())));
        }
        Ok(merged)
    }
}

/// A run that was put aside; the buffer is read from its end.
struct Run<T> {
    left: Range<u64>,
    buffer: Vec<T>,
}

/// See [`Runs::merged`].
pub(crate) struct Merged<'a, T: Row> {
    here: &'a [T],
    scratch: &'a dyn Scratch,
    buffer: usize,
    runs: Vec<Run<T>>,
    heap: BinaryHeap<Reverse<(T::Key, usize)>>,
}

impl<T: Row> Merged<'_, T> {
    /// Puts the next entry of a run into the heap.
    fn offer(&mut self, at: usize) -> io::Result<()> {
        let run = &mut self.runs[at];
        if run.buffer.is_empty() && !run.left.is_empty() {
            let end = run.left.end.min(run.left.start + (self.buffer * T::BYTES) as u64);
            let mut bytes = Vec::new();
            self.scratch.read(run.left.start..end, &mut bytes)?;
            run.buffer.extend(bytes.chunks_exact(T::BYTES).rev().map(T::from_bytes));
            run.left.start = end;
        }
        if let Some(entry) = run.buffer.last() {
            self.heap.push(Reverse((entry.key(), at)));
        }
        Ok(())
    }

    #[cold]
    fn next_of_many(&mut self) -> io::Result<Option<T>> {
        let Some(Reverse((_, at))) = self.heap.pop() else { return Ok(None) };
        if at == self.runs.len() {
            let Some((entry, rest)) = self.here.split_first() else { return Ok(None) };
            self.here = rest;
            if let Some(next) = rest.first() {
                self.heap.push(Reverse((next.key(), at)));
            }
            return Ok(Some(*entry));
        }
        let entry = self.runs[at].buffer.pop();
        self.offer(at)?;
        Ok(entry)
    }
}

impl<T: Row> Iterator for Merged<'_, T> {
    type Item = io::Result<T>;

    #[inline]
    fn next(&mut self) -> Option<io::Result<T>> {
        if self.runs.is_empty() {
            let (entry, rest) = self.here.split_first()?;
            self.here = rest;
            return Some(Ok(*entry));
        }
        self.next_of_many().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryScratch;

    /// Sorted by the first; the second tells equals apart.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Pair(i64, u64);

    impl Row for Pair {
        type Key = i64;
        type Bytes = Vec<u8>;
        const BYTES: usize = 16;

        fn key(&self) -> i64 {
            self.0
        }

        fn to_bytes(self) -> Vec<u8> {
            [self.0.to_le_bytes(), self.1.to_le_bytes()].concat()
        }

        fn from_bytes(bytes: &[u8]) -> Pair {
            let word = |at: usize| bytes[at..at + 8].try_into().unwrap();
            Pair(i64::from_le_bytes(word(0)), u64::from_le_bytes(word(8)))
        }
    }

    #[test]
    fn what_was_put_aside_comes_back_in_order() {
        let all: Vec<Pair> = (0..5_000).map(|at| Pair(at * 7_919 % 100 - 50, at as u64)).collect();
        let mut expected = all.clone();
        expected.sort_by_key(Pair::key);
        for every in [10_000, 1_700, 61] {
            let scratch = MemoryScratch::default();
            let mut runs = Runs::default();
            for (at, row) in all.iter().enumerate() {
                runs.push(*row);
                if (at + 1) % every == 0 {
                    runs.put_aside(&scratch).unwrap();
                }
            }
            let found: Vec<Pair> = runs.merged(&scratch).unwrap().map(Result::unwrap).collect();
            assert_eq!(found, expected, "put aside every {every}");
        }
    }
}
