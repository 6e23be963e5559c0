//! Goes through the events of a store in windows of time, so that memory is taken for a window and not for all.

use std::path::Path;

use heddle_store::{Progress, StoreError, Work};

use crate::drawer::Drawer;
use crate::extract::{Found, Survey, Windows};
use crate::structure::{Layout, Numbered};
use crate::{LogicalOptions, work};

/// How many events are taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowSize {
    /// As many as this, if that settles something.
    pub usual: u64,
    /// At most so many, while there are places to cut; else everything is taken at once.
    pub most: u64,
    /// More than `most` are refused instead.
    pub is_strict: bool,
}

/// More events at a time gain nothing.
const USUAL: u64 = 1 << 22;
/// Fewer are not worth a window.
const LEAST: u64 = 1 << 16;

/// Bytes that an event of a window takes while phases and steps are found, and that a message takes.
const EVENT_BYTES: u64 = 48;
const MESSAGE_BYTES: u64 = 20;

impl WindowSize {
    /// For so many bytes of memory.
    pub(crate) fn within(memory: u64, is_strict: bool, survey: &Survey) -> WindowSize {
        let events = u64::from(survey.events()).max(1);
        let bytes = EVENT_BYTES + (MESSAGE_BYTES * survey.messages()).div_ceil(events);
        let most = (memory.saturating_sub(survey.memory()) / bytes).max(LEAST);
        WindowSize { usual: (most / 2).clamp(LEAST, USUAL), most, is_strict }
    }

    /// Whether so many events may be taken at once where there is no place to cut.
    pub(crate) fn allow(self, events: u64) -> Result<(), StoreError> {
        if self.is_strict && events > self.most {
            return Err(StoreError::Memory(TOO_LARGE.to_owned()));
        }
        Ok(())
    }
}

/// What is said if more events belong together than may.
const TOO_LARGE: &str = "logical time: a phase of the trace is too large for the memory given";

/// Phases and steps of a store.
pub(crate) struct LaidOut<'a> {
    pub(crate) drawer: Drawer<'a>,
    pub(crate) numbered: Numbered,
}

/// Finds phases and steps, window by window. `fits` is asked before everything is taken at once for want of places to cut.
pub(crate) fn lay_out<'a>(
    survey: &'a Survey,
    options: &LogicalOptions,
    size: WindowSize,
    directory: &'a Path,
    progress: &dyn Progress,
) -> Result<LaidOut<'a>, StoreError> {
    let total = u64::from(survey.events());
    progress.begin(work::FINDING_PHASES, total);
    let rows = survey.locations().len();
    let mut drawer = Drawer::create(directory, &survey.first_of_row)?;
    let mut layout = Layout::new(rows);
    if total == 0 {
        return Ok(LaidOut { drawer, numbered: layout.finish(options.merge_overlapping) });
    }
    let mut windows = Windows::new(survey);
    let edges = windows.edges();
    // The edge where the window before ended, events before it, and how many of them are final.
    let (mut edge, mut seen, mut settled) = (0, 0, 0);
    let mut has_cuts = true;
    loop {
        progress.check()?;
        let open = u64::saturating_sub(seen, settled);
        let wanted = seen + size.usual.saturating_sub(open).max(open).max(size.usual / 4).max(1);
        // Phases that are final take their part of the memory.
        let most = size.most.saturating_sub(layout.memory() / EVENT_BYTES).max(LEAST.min(size.most));
        let limit = settled + most;
        let mut next = edge + edges[edge..].partition_point(|(_, before)| *before < wanted);
        if edges.get(next).is_some_and(|(_, before)| *before > limit) {
            next = edges.partition_point(|(_, before)| *before <= limit).saturating_sub(1);
        }
        // Where next to nothing is added to what is open, nothing is settled.
        let end = edges
            .get(next)
            .filter(|(_, before)| has_cuts && *before < total && *before > seen && 8 * (before - seen) >= open);
        let found = if let Some((end, _)) = end {
            windows.before(*end, progress)?
        } else {
            size.allow(total - settled)?;
            windows.rest(progress)?
        };
        let Some(found) = found else {
            // The records contradict what was taken as final.
            (windows, layout) = (Windows::new(survey), Layout::new(rows));
            drawer.clear();
            (edge, seen, settled, has_cuts) = (0, 0, 0, false);
            continue;
        };
        // A window that settles little is better a longer one, if there can be one.
        let events = found.events.kind.len() as u32;
        let is_short = u64::from(events) <= most / 4;
        let least = if found.is_last { 0 } else { (if is_short { events / 4 } else { 0 }).max(1) };
        (edge, seen) = (next, end.map_or(total, |(_, before)| *before));
        let Some(placed) = layout.take(&found, options, least, &Quiet(progress))? else { continue };
        drawer.add(&found.events.first_of_row, &placed)?;
        let taken = taken(&found, &placed.cuts);
        settled += taken;
        progress.advance(taken);
        if found.is_last {
            break;
        }
        windows.close(&found, &placed.cuts);
    }
    drop(windows);
    Ok(LaidOut { drawer, numbered: layout.finish(options.merge_overlapping) })
}

fn taken(found: &Found, cuts: &[u32]) -> u64 {
    cuts.iter().zip(&found.events.first_of_row).map(|(cut, first)| u64::from(cut - first)).sum()
}

/// Only hears whether to stop: parts of a window are no part of the whole.
struct Quiet<'a>(&'a dyn Progress);

impl Progress for Quiet<'_> {
    fn begin(&self, _work: Work, _total: u64) {}

    fn advance(&self, _done: u64) {}

    fn waiting(&self) {}

    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
