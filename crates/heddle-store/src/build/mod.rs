//! From a [`Source`] to the tables of a store.
//!
//! The source's parts are taken in waves small enough for the memory budget. Parts of a wave are decoded
//! and their locations walked in parallel; what they give is written in the order of locations while the
//! next wave is decoded. Waves are cut by bytes, never by threads, and everything is written in one
//! order: the result is the same, byte for byte, on any number of cores.

mod collectives;
mod ends;
mod location;
mod matching;
mod messages;
mod receives;
mod requests;
mod spill;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use heddle_model::{
    CommId, Definitions, LocationId, Ns, Part, RecordBlock, RegionId, Source, SpanRow, WarningKind, Warnings,
};

use crate::column::Fixed;
use crate::definitions::{write_communicators, write_definitions, write_warnings};
use crate::index::IndexContext;
use crate::network::write_network;
use crate::progress::{MATCHING, Progress, READING};
use crate::table::{Rows, TableWriter};
use crate::tables::{DependencyRows, MarkRows, MetricValueRows, SpanRows, TaskRows};
use crate::{StoreError, Summary};
use ends::{Ends, MemberEnd, RecvEnd, SendEnd};
pub(crate) use location::RegionTotals;
use location::{LocationOutput, LocationWalk};
use spill::{Record, Spill, SpillWriter};

/// What every step of building needs.
pub(crate) struct BuildContext<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) definitions: &'a Definitions,
    /// Budget of anonymous memory, in bytes.
    pub(crate) memory: u64,
    pub(crate) progress: &'a dyn Progress,
    main_locations: Vec<LocationId>,
}

impl BuildContext<'_> {
    /// The location that a message to or from this one is addressed to.
    fn main_location(&self, location: LocationId) -> LocationId {
        self.main_locations.get(location.index()).copied().unwrap_or(location)
    }

    /// How warnings call a location.
    fn name(&self, location: LocationId) -> String {
        match self.definitions.locations.get(location.index()) {
            Some(l) if l.rank.is_some() => format!("rank {} (location {})", l.rank.0, l.file_id),
            Some(l) => format!("location {} ({})", l.file_id, l.name),
            None => "an unknown location".to_owned(),
        }
    }
}

/// Which communicators messages and collectives really use.
#[derive(Default)]
pub(crate) struct CommsInUse {
    /// A measurement has neither: whoever made it listed the communicators because they matter.
    are_all: bool,
    used: FxHashSet<CommId>,
    latest: Option<CommId>,
}

impl CommsInUse {
    fn note(&mut self, comm: CommId) {
        // Nearly always the same as the one before.
        if self.latest != Some(comm) {
            self.latest = Some(comm);
            if comm.is_some() {
                self.used.insert(comm);
            }
        }
    }

    /// Notes what others use as well.
    fn merge(&mut self, others: &CommsInUse) {
        others.used.iter().for_each(|comm| self.note(*comm));
    }

    pub(crate) fn contains(&self, comm: CommId) -> bool {
        self.are_all || self.used.contains(&comm)
    }
}

/// What the walk over all locations found, location by location.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LocationTotals {
    pub(crate) first_span: u64,
    pub(crate) spans: u64,
    pub(crate) events: u64,
    pub(crate) sends: u64,
    /// Receives, whether they are complete or not.
    pub(crate) receives: u64,
    pub(crate) last: Option<Ns>,
}

/// What to say of a trace that is only a header.
const NO_EVENTS: &str = "the trace has no events, so there is nothing to see: the recording was not switched on, stopped \
                         before it began, or the events are in another file";

/// Builds all tables and indexes in `directory`; returns what `info` tells.
pub(crate) fn build_store(
    source: &dyn Source,
    directory: &Path,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Summary, StoreError> {
    let definitions = source.definitions();
    let main_locations =
        (0..definitions.locations.len() as u32).map(|at| definitions.main_location(LocationId(at))).collect();
    let context = BuildContext { directory, definitions, memory, progress, main_locations };
    let mut warnings = source.warnings().clone();
    let walked = walk_all(&context, source, &mut warnings)?;
    let events = walked.locations.iter().map(|l| l.events).sum();
    if let Some(network) = source.network() {
        write_network(directory, network)?;
    } else if events == 0 {
        warnings.add(WarningKind::Empty, || "the whole trace".to_owned(), NO_EVENTS);
    }
    write_definitions(&context, &walked.locations, &walked.totals)?;
    let end = walked.locations.iter().filter_map(|l| l.last).max().unwrap_or(Ns(0));
    let ends = walked.sends.len() + walked.recvs.len() + walked.members.len();
    // Matching works on the ends, indexes on the spans: each fills the gaps that the other leaves on the cores.
    let indexes = IndexContext::open(directory, end, &walked.totals, memory / 2, progress)?;
    progress.begin(MATCHING, indexes.work() + ends);
    let is_measurement = events == 0 && source.network().is_some();
    let comms = CommsInUse { are_all: is_measurement, ..CommsInUse::default() };
    let (matched, indexed) = rayon::join(|| match_ends(&context, &walked, comms, &mut warnings), || indexes.build());
    let MatchCounts { messages, collectives, communicators } = matched?;
    indexed?;
    write_warnings(&context, &warnings)?;
    Ok(Summary {
        format: source.format().to_owned(),
        creator: definitions.creator.clone(),
        ranks: definitions.ranks() as u64,
        locations: definitions.locations.len() as u64,
        events,
        spans: walked.spans,
        messages: messages.matched,
        unmatched_sends: messages.unmatched_sends,
        unmatched_receives: messages.unmatched_receives,
        collectives,
        communicators,
        start_ns: 0,
        end_ns: end.0,
    })
}

/// How matching came out.
struct MatchCounts {
    messages: messages::MessageCounts,
    collectives: u64,
    /// Distinct member lists in use.
    communicators: u64,
}

fn match_ends(
    context: &BuildContext,
    walked: &Walked,
    mut comms: CommsInUse,
    warnings: &mut Warnings,
) -> Result<MatchCounts, StoreError> {
    let messages = messages::match_messages(context, walked, &mut comms, warnings)?;
    let collectives = collectives::match_collectives(context, &walked.members, &mut comms, warnings)?;
    context.progress.advance(walked.members.len());
    let communicators = write_communicators(context, &comms)?;
    Ok(MatchCounts { messages, collectives, communicators })
}

/// What the first pass leaves.
struct Walked {
    locations: Vec<LocationTotals>,
    totals: FxHashMap<RegionId, RegionTotals>,
    spans: u64,
    sends: Spill<SendEnd>,
    recvs: Spill<RecvEnd>,
    members: Spill<MemberEnd>,
}

/// A wave's decoded records take up to ten times the bytes of the file, in two waves at once. Small waves use
/// the same memory over and over; but there should be enough parts in one for all cores.
fn wave_bytes(memory: u64, parts: &[Part]) -> u64 {
    let largest = parts.iter().map(|part| part.bytes).max().unwrap_or(0);
    (memory / 40).clamp(1 << 20, (16 << 20).max(8 * largest))
}

/// Cuts the parts into waves of about `bytes`, at least one part each.
fn waves(parts: &[Part], bytes: u64) -> Vec<Range<usize>> {
    let mut waves = Vec::new();
    let (mut start, mut sum) = (0, 0);
    for (at, part) in parts.iter().enumerate() {
        // Empty parts cost something too: a file to open, and what a location found takes some KiB however little it is.
        let cost = part.bytes + 1024;
        if at > start && sum + cost > bytes {
            waves.push(start..at);
            (start, sum) = (at, 0);
        }
        sum += cost;
    }
    if start < parts.len() {
        waves.push(start..parts.len());
    }
    waves
}

fn walk_all(context: &BuildContext, source: &dyn Source, warnings: &mut Warnings) -> Result<Walked, StoreError> {
    let parts = source.parts();
    context.progress.begin(READING, parts.iter().map(|part| part.bytes).sum());
    let mut writer = WalkWriter::create(context)?;
    let pool = Pool::default();
    let mut carried: Option<Box<LocationWalk>> = None;
    let mut finished: Vec<LocationOutput> = Vec::new();
    let mut finished_locations: Vec<LocationId> = Vec::new();
    for wave in waves(parts, wave_bytes(context.memory, parts)) {
        context.progress.check()?;
        let next_location = parts.get(wave.end).map(|part| part.location);
        let wave = &parts[wave];
        let (decoded, written) = rayon::join(
            || walk_wave(context, source, wave, &pool, carried.take(), next_location),
            || writer.write(context, &finished_locations, std::mem::take(&mut finished), &pool, warnings),
        );
        written?;
        let outputs;
        (outputs, carried) = decoded;
        (finished_locations, finished) = outputs.into_iter().unzip();
        context.progress.advance(wave.iter().map(|part| part.bytes).sum());
    }
    writer.write(context, &finished_locations, finished, &pool, warnings)?;
    drop(pool);
    writer.finish()
}

type WaveOutput = (Vec<(LocationId, LocationOutput)>, Option<Box<LocationWalk>>);

/// Decodes a wave and walks its locations. The walk of a location that goes on in the next wave is handed on.
fn walk_wave(
    context: &BuildContext,
    source: &dyn Source,
    wave: &[Part],
    pool: &Pool,
    carried: Option<Box<LocationWalk>>,
    next_location: Option<LocationId>,
) -> WaveOutput {
    let mut runs: Vec<(Option<Box<LocationWalk>>, &[Part])> =
        wave.chunk_by(|a, b| a.location == b.location).map(|run| (None, run)).collect();
    if let (Some(walk), Some(first)) = (carried, runs.first_mut())
        && walk.location() == first.1[0].location
    {
        first.0 = Some(walk);
    }
    let walked: Vec<(LocationId, LocationOutput, Option<Box<LocationWalk>>)> = runs
        .into_par_iter()
        .map(|(walk, run)| {
            let location = run[0].location;
            let new = || Box::new(LocationWalk::new(location, context.name(location), pool.output()));
            let mut walk = walk.unwrap_or_else(new);
            for_each_block(source, run, pool, |block| walk.feed(block));
            let goes_on = next_location == Some(location);
            if !goes_on {
                walk.finish();
            }
            (location, walk.take(), goes_on.then_some(walk))
        })
        .collect();
    let mut going_on = None;
    let outputs = walked
        .into_iter()
        .map(|(location, output, walk)| {
            going_on = walk.or(going_on.take());
            (location, output)
        })
        .collect();
    (outputs, going_on)
}

/// Decodes the parts of one location, several at once if there are several, and visits them in order.
fn for_each_block(source: &dyn Source, run: &[Part], pool: &Pool, mut visit: impl FnMut(&mut RecordBlock)) {
    let read = |part: &Part| {
        let mut block = pool.block();
        if let Err(error) = source.read_once(part, &mut block) {
            block.warnings.add(
                WarningKind::MissingFile,
                || error.place.clone(),
                &format!("a part of the trace cannot be read ({}); its events are missing", error.cause),
            );
        }
        block
    };
    let mut visit = |mut block: RecordBlock| {
        visit(&mut block);
        pool.give_back_block(block);
    };
    match run {
        [only] => visit(read(only)),
        several => several.par_iter().map(read).collect::<Vec<_>>().into_iter().for_each(visit),
    }
}

/// Memory that has served and will serve again. Without it every wave would take fresh pages from the
/// system, which costs more than decoding.
#[derive(Default)]
struct Pool {
    blocks: Mutex<Vec<RecordBlock>>,
    outputs: Mutex<Vec<LocationOutput>>,
}

impl Pool {
    fn block(&self) -> RecordBlock {
        lock(&self.blocks).pop().unwrap_or_default()
    }

    fn give_back_block(&self, mut block: RecordBlock) {
        block.clear();
        lock(&self.blocks).push(block);
    }

    fn output(&self) -> LocationOutput {
        lock(&self.outputs).pop().unwrap_or_default()
    }

    fn give_back_output(&self, mut output: LocationOutput) {
        output.clear();
        lock(&self.outputs).push(output);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Writes what walks give, in the order of locations.
struct WalkWriter {
    spans: TableWriter<SpanRows>,
    /// Ends of spans that were already on disk when they ended.
    late_ends: Vec<(u64, Ns)>,
    sends: SpillWriter<SendEnd>,
    recvs: SpillWriter<RecvEnd>,
    members: SpillWriter<MemberEnd>,
    metric_values: TableWriter<MetricValueRows>,
    marks: TableWriter<MarkRows>,
    tasks: TableWriter<TaskRows>,
    dependencies: TableWriter<DependencyRows>,
    /// The latest location's first task.
    first_task: u64,
    locations: Vec<LocationTotals>,
    /// Where the latest location's sends, receives and members begin in their files.
    current: Option<LocationId>,
    first_end: [u64; 3],
    totals: FxHashMap<RegionId, RegionTotals>,
}

impl WalkWriter {
    fn create(context: &BuildContext) -> Result<WalkWriter, StoreError> {
        let directory = context.directory;
        let mut marks = MarkRows::default();
        for mark in &context.definitions.marks {
            marks.location.push(mark.location);
            marks.time.push(mark.time);
            marks.name.push(mark.name.clone());
            marks.text.push(mark.text.clone());
        }
        let mut mark_writer = TableWriter::create(directory)?;
        mark_writer.append(marks)?;
        Ok(WalkWriter {
            spans: TableWriter::create(directory)?,
            late_ends: Vec::new(),
            sends: SpillWriter::create(directory, "sends.tmp", context.memory / 12),
            recvs: SpillWriter::create(directory, "recvs.tmp", context.memory / 12),
            members: SpillWriter::create(directory, "members.tmp", context.memory / 12),
            metric_values: TableWriter::create(directory)?,
            marks: mark_writer,
            tasks: TableWriter::create(directory)?,
            dependencies: TableWriter::create(directory)?,
            first_task: 0,
            locations: vec![LocationTotals::default(); context.definitions.locations.len()],
            current: None,
            first_end: [0; 3],
            totals: FxHashMap::default(),
        })
    }

    fn write(
        &mut self,
        context: &BuildContext,
        locations: &[LocationId],
        outputs: Vec<LocationOutput>,
        pool: &Pool,
        warnings: &mut Warnings,
    ) -> Result<(), StoreError> {
        for (location, mut output) in locations.iter().zip(outputs) {
            context.progress.check()?;
            self.write_location(*location, &mut output, warnings)?;
            pool.give_back_output(output);
        }
        Ok(())
    }

    fn write_location(
        &mut self,
        location: LocationId,
        output: &mut LocationOutput,
        warnings: &mut Warnings,
    ) -> Result<(), StoreError> {
        let totals = &mut self.locations[location.index()];
        if self.current != Some(location) {
            self.current = Some(location);
            totals.first_span = self.spans.rows();
            self.first_end = [self.sends.len(), self.recvs.len(), self.members.len()];
            self.first_task = self.tasks.rows();
        }
        totals.spans += output.spans.len() as u64;
        totals.events += output.events;
        totals.sends += output.sends.new.len() as u64;
        totals.receives += output.recvs.new.len() as u64;
        totals.last = totals.last.max(output.last);
        let base = totals.first_span;
        for (region, of_region) in &output.totals {
            self.totals.entry(*region).or_default().add(*of_region);
        }
        warnings.merge(&output.warnings);
        self.end_spans(base, &output.span_ends);
        let late_ends = &mut self.late_ends;
        self.spans.append_seen(&mut output.spans, |first, rows| hold_back_ends(first, rows, late_ends))?;
        write_ends(&mut self.sends, &mut output.sends, self.first_end[0], |end| place_span(&mut end.span, base))?;
        write_ends(&mut self.recvs, &mut output.recvs, self.first_end[1], |end| place_span(&mut end.span, base))?;
        write_ends(&mut self.members, &mut output.members, self.first_end[2], |end| place_span(&mut end.span, base))?;
        self.metric_values.append_from(&mut output.metric_values)?;
        output.tasks.span.iter_mut().for_each(|span| place_span(span, base));
        self.tasks.append_from(&mut output.tasks)?;
        output.dependencies.task.iter_mut().for_each(|task| *task += self.first_task);
        self.dependencies.append_from(&mut output.dependencies)?;
        self.marks.append_from(&mut output.marks)
    }

    /// Sets the ends of spans of earlier waves: in memory while they wait there, else once the file is whole.
    fn end_spans(&mut self, base: u64, ends: &[(u64, Ns)]) {
        let (first_pending, pending) = self.spans.pending();
        for (ordinal, end) in ends {
            let row = base + ordinal;
            match row.checked_sub(first_pending) {
                Some(at) => pending.end[at as usize] = *end,
                None => self.late_ends.push((row, *end)),
            }
        }
    }

    fn finish(self) -> Result<Walked, StoreError> {
        // What was held back before it was known is known by now, and later in the list.
        let late_ends: BTreeMap<u64, u64> = self.late_ends.iter().map(|(row, end)| (*row, end.to_word())).collect();
        let late_ends: Vec<(u64, u64)> = late_ends.into_iter().collect();
        let spans = self.spans.finish_patched("end_ns", &late_ends)?;
        self.metric_values.finish()?;
        self.marks.finish()?;
        self.tasks.finish()?;
        self.dependencies.finish()?;
        Ok(Walked {
            locations: self.locations,
            totals: self.totals,
            spans,
            sends: self.sends.finish()?,
            recvs: self.recvs.finish()?,
            members: self.members.finish()?,
        })
    }
}

/// Takes the ends of the last of these spans and of its callers out of rows that go to disk. Other spans of theirs ended
/// before that one began, so their ends are known by now; these may be or not, depending on where waves were cut, and what is
/// written must not.
fn hold_back_ends(first: u64, rows: &mut SpanRows, late_ends: &mut Vec<(u64, Ns)>) {
    let mut callers_below = u16::MAX;
    for row in (0..rows.depth.len()).rev() {
        if rows.depth[row] < callers_below {
            callers_below = rows.depth[row];
            late_ends.push((first + row as u64, rows.end[row]));
            rows.end[row] = rows.start[row];
        }
        if callers_below == 0 {
            return;
        }
    }
}

/// From a position on the location to a row of the spans table.
fn place_span(span: &mut SpanRow, base: u64) {
    if span.is_some() {
        span.0 += base;
    }
}

fn write_ends<T: Record>(
    writer: &mut SpillWriter<T>,
    ends: &mut Ends<T>,
    first: u64,
    place: impl Fn(&mut T),
) -> Result<(), StoreError> {
    ends.new.iter_mut().for_each(&place);
    writer.append(&ends.new)?;
    for (position, end) in &mut ends.patches {
        *position += first;
        place(end);
    }
    writer.patch(&mut ends.patches)
}
