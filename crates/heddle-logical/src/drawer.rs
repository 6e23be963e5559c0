//! Phases and steps of events on disk: they are found window by window and wanted row by row.
//!
//! Each window is a stretch of the file: row by row how many events it has, then the phase and the step of each. Rows are
//! taken in groups that are read together, and where each group begins in each window is known.

use std::ops::Range;
use std::path::Path;

use heddle_store::{DiskScratch, Scratch, StoreError};

use crate::structure::Placed;

/// Events that are read together, about.
const EVENTS_AT_ONCE: u32 = 1 << 18;

/// Phases and steps of the events of windows.
#[derive(Debug)]
pub(crate) struct Drawer<'a> {
    scratch: DiskScratch,
    directory: &'a Path,
    /// The first event of each row, and behind the last row the number of events.
    first_of_row: &'a [u32],
    /// Rows that are read together.
    groups: Vec<Range<usize>>,
    /// For each window where each group begins in the file, and behind the last one where the window ends.
    windows: Vec<Vec<u64>>,
}

/// Events of neighbouring rows that are read together.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    group: usize,
    windows: Range<usize>,
    /// The first of them.
    first: u32,
}

/// Neighbouring events, with what there is to know of them.
#[derive(Debug, Default)]
pub(crate) struct PlacedEvents {
    /// The events of each row.
    pub(crate) rows: Vec<(usize, Range<u32>)>,
    /// How many phases were final before the phase of each.
    pub(crate) phase: Vec<u32>,
    /// The step of each.
    pub(crate) step: Vec<u32>,
}

impl<'a> Drawer<'a> {
    /// An empty one on the disk that holds `directory`.
    pub(crate) fn create(directory: &'a Path, first_of_row: &'a [u32]) -> Result<Drawer<'a>, StoreError> {
        let scratch = DiskScratch::create(directory).map_err(|cause| StoreError::write(directory, cause))?;
        let mut groups: Vec<Range<usize>> = Vec::new();
        for row in 0..first_of_row.len().saturating_sub(1) {
            match groups.last_mut() {
                Some(group) if first_of_row[row + 1] - first_of_row[group.start] <= EVENTS_AT_ONCE => group.end += 1,
                _ => groups.push(row..row + 1),
            }
        }
        Ok(Drawer { scratch, directory, first_of_row, groups, windows: Vec::new() })
    }

    /// Forgets all windows.
    pub(crate) fn clear(&mut self) {
        self.windows.clear();
    }

    /// Adds what is final of a window whose rows begin with the events `firsts`.
    pub(crate) fn add(&mut self, firsts: &[u32], placed: &Placed) -> Result<(), StoreError> {
        let mut starts = Vec::with_capacity(self.groups.len() + 1);
        let mut bytes = Vec::new();
        let mut end = None;
        for group in &self.groups {
            bytes.clear();
            for row in group.clone() {
                let events = firsts[row] as usize..placed.cuts[row] as usize;
                bytes.extend_from_slice(&(events.len() as u32).to_ne_bytes());
                for (phase, step) in placed.phase[events.clone()].iter().zip(&placed.step[events]) {
                    bytes.extend_from_slice(&phase.to_ne_bytes());
                    bytes.extend_from_slice(&step.to_ne_bytes());
                }
            }
            let start = self.scratch.append(&bytes).map_err(|cause| StoreError::write(self.directory, cause))?;
            starts.push(start);
            end = Some(start + bytes.len() as u64);
        }
        starts.extend(end);
        self.windows.push(starts);
        Ok(())
    }

    /// All events in order, as pieces that are worth reading together.
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (group, rows) in self.groups.iter().enumerate() {
            let mut first = self.first_of_row[rows.start];
            if self.first_of_row[rows.end] - first <= EVENTS_AT_ONCE {
                pieces.push(Piece { group, windows: 0..self.windows.len(), first });
                continue;
            }
            // A single long row: its events lie in order, window by window.
            for (window, starts) in self.windows.iter().enumerate() {
                let events = ((starts[group + 1] - starts[group]) / 8) as u32;
                if events > 0 {
                    pieces.push(Piece { group, windows: window..window + 1, first });
                }
                first += events;
            }
        }
        pieces
    }

    /// The events of a piece.
    pub(crate) fn read(&self, piece: &Piece) -> Result<PlacedEvents, StoreError> {
        let rows = self.groups[piece.group].clone();
        let mut bytes = Vec::new();
        // Of each row where its events of each window are.
        let mut words: Vec<u32> = Vec::new();
        let mut parts: Vec<Vec<Range<usize>>> = vec![Vec::new(); rows.len()];
        for starts in &self.windows[piece.windows.clone()] {
            let place = starts[piece.group]..starts[piece.group + 1];
            self.scratch.read(place, &mut bytes).map_err(|cause| StoreError::read(self.directory, cause))?;
            let mut at = words.len();
            words.extend(bytes.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word)));
            for part in &mut parts {
                let end = at + 1 + 2 * words[at] as usize;
                part.push(at + 1..end);
                at = end;
            }
        }
        let mut events = PlacedEvents::default();
        let mut first = piece.first;
        for (row, parts) in rows.zip(parts) {
            let start = first;
            for part in parts {
                for pair in words[part].as_chunks::<2>().0 {
                    events.phase.push(pair[0]);
                    events.step.push(pair[1]);
                    first += 1;
                }
            }
            events.rows.push((row, start..first));
        }
        Ok(events)
    }
}
