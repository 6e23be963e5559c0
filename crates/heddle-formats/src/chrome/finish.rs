//! From tracks to a source: rows laid out, communications matched, everything defined.

use std::io;
use std::sync::Arc;

use heddle_model::{
    CollectiveEnd, CommId, Communicator, Definitions, GlobalMark, LocationId, MarkText, MessageEnd, MetricDefinition,
    MetricId, MetricMode, MetricValue, Ns, RecordBlock, Region, RegionId, RequestId, WarningKind,
};
use rustc_hash::FxHashMap;

use super::bound::Meanings;
use super::category::kind;
use super::comms::{Action, Communications, Operation, communications};
use super::flows;
use super::matching::number_operations;
use super::places::{Placed, place};
use super::ranks::settle_ranks;
use super::reading::Reading;
use super::rows::{Entry, Id, Kind};
use super::stated::StatedRegion;
use super::track::{Step, Track};
use crate::{Gather, Gathered, OpenError};

/// Makes the source of all that was read.
pub(super) fn finish<'a>(
    mut trace: Reading,
    scratch: &'a dyn crate::Scratch,
    memory: u64,
) -> Result<Gathered<'a>, OpenError> {
    let mut world = settle_ranks(&mut trace.files, &trace.comms, &mut trace.warnings)?;
    if world == 0 {
        world = trace.stated.world();
    }
    let mut communications = communications(&mut trace, world);
    number_operations(&mut communications, &mut trace.warnings);
    trace.warn_of_unused();
    let first = trace.files.first().map(|file| file.name.clone()).unwrap_or_default();
    let failed = |cause| OpenError::Unreadable { place: first.clone(), cause };
    flows::pair(&mut trace).map_err(failed)?;
    let mut tracks = std::mem::take(&mut trace.tracks);
    let most = trace.most_entries();
    let units: Vec<i64> = trace
        .tables
        .tracks
        .iter()
        .map(|key| if trace.files[key.file as usize].has_decimals { 0 } else { 1_000 })
        .collect();
    let mut rows = vec![0; tracks.len()];
    for (at, track) in tracks.iter_mut().enumerate().filter(|(_, track)| !track.is_empty()) {
        track.pair(scratch, most).map_err(failed)?;
        rows[at] =
            if track.is_empty() { 0 } else { track.lay_out(scratch, units[at], |_, _| Ok(())).map_err(failed)? };
    }
    for track in trace.stated.locations.keys() {
        rows[*track as usize] = rows[*track as usize].max(1);
    }
    let mut definitions = Definitions { creator: creator(&trace), ..Definitions::default() };
    let placed = place(&trace, &rows, world, &mut definitions);
    define_regions(&trace, &mut definitions);
    let by_rank = definitions.world.clone();
    define_groups(&communications, &trace, &by_rank, &mut definitions);
    let meanings = meanings(&trace, &placed, &tracks, &mut definitions);
    let mut writer = Writer {
        trace: &trace,
        communications: &communications,
        definitions: &definitions,
        meanings: &meanings,
        world: &by_rank,
        gather: Gather::new(scratch, memory / 2),
        metrics: FxHashMap::default(),
        base: 0,
        written: vec![0; trace.files.len()],
        since: 0,
    };
    for Placed { track, location } in &placed {
        let (key, unit) = (&trace.tables.tracks[*track as usize], units[*track as usize]);
        writer.base = trace.files[key.file as usize].base;
        let track = &mut tracks[*track as usize];
        let step = |row: usize, step: Step| writer.step(LocationId(location.0 + row as u32), key.file as usize, step);
        track.lay_out(scratch, unit, step).map_err(failed)?;
        writer.oddities(*location, track.oddities, &definitions);
        // Its memory is needed by those that follow.
        *track = Track::default();
    }
    writer.rest(&placed);
    let Writer { gather, metrics, .. } = writer;
    define_metrics(&trace, metrics, &mut definitions);
    for (file, time, text) in &trace.marks {
        let time = Ns(time.saturating_add(trace.files[*file as usize].base));
        let MarkText { name, text } = mark_text(trace.tables.text(*text));
        definitions.marks.push(GlobalMark { location: LocationId::NONE, time, name, text });
    }
    Ok(gather.finish("chrome", definitions, trace.warnings))
}

fn creator(trace: &Reading) -> String {
    if trace.files.iter().any(|file| file.is_kineto) { "PyTorch profiler (Kineto)".to_owned() } else { String::new() }
}

fn define_regions(trace: &Reading, definitions: &mut Definitions) {
    for (name, category) in trace.tables.regions.iter().zip(&trace.tables.categories) {
        let name = String::from_utf8_lossy(name).into_owned();
        if let Some(StatedRegion { paradigm, role, file, line }) = trace.stated.regions.get(&name) {
            let (paradigm, role, file, line) = (*paradigm, *role, file.clone(), *line);
            definitions.regions.push(Region { name, paradigm, role, file, line, colour: None });
            continue;
        }
        let (paradigm, role) = kind(*category, &name);
        definitions.regions.push(Region::named(name, paradigm, role));
    }
}

fn define_groups(
    communications: &Communications,
    trace: &Reading,
    world: &[LocationId],
    definitions: &mut Definitions,
) {
    for group in &communications.groups {
        let mut members: Vec<LocationId> = match &group.ranks {
            Some(ranks) => {
                ranks.iter().map(|rank| world.get(*rank as usize).copied().unwrap_or(LocationId::NONE)).collect()
            }
            None => Vec::new(),
        };
        if members.is_empty() {
            // Nobody says who belongs to it: those that were seen, and empty seats.
            let seen = trace.files.iter().filter_map(|file| world.get(file.rank? as usize).copied());
            members = seen.take(group.size as usize).collect();
            members.resize((group.size as usize).min(world.len().max(members.len())), LocationId::NONE);
        }
        let description = trace.files.iter().flat_map(|file| &file.groups).find(|listed| listed.name == group.name);
        let description = description.map_or("", |listed| listed.description.as_str());
        let name = match (group.name.as_str(), description) {
            ("", _) => "world (assumed)".to_owned(),
            (name, "" | "undefined") => format!("process group {name}"),
            (name, description) => format!("process group {name} ({description})"),
        };
        definitions.communicators.push(Communicator::of(name, members.into()));
    }
}

fn define_metrics(trace: &Reading, metrics: FxHashMap<u32, MetricId>, definitions: &mut Definitions) {
    let mut metrics: Vec<(MetricId, u32)> = metrics.into_iter().map(|(text, metric)| (metric, text)).collect();
    metrics.sort_unstable();
    for (_, text) in metrics {
        let name = trace.tables.text(text);
        let unit = if name.starts_with("memory ") { "bytes" } else { "" };
        let stated = trace.stated.metrics.get(&name).cloned();
        let (unit, mode) = stated.unwrap_or_else(|| (unit.to_owned(), MetricMode::Absolute));
        definitions.metrics.push(MetricDefinition { name, unit, mode });
    }
}

/// What numbers of things inside of rows stand for; defines the communicators that they need.
fn meanings(trace: &Reading, placed: &[Placed], tracks: &[Track], definitions: &mut Definitions) -> Meanings {
    let mut meanings = Meanings {
        locations: vec![LocationId::NONE; tracks.len()],
        threads: FxHashMap::default(),
        first_comm: definitions.communicators.len() as u32,
        comms: trace.stated.communicators.len() as u32,
        numbered: trace.stated.numbered(),
        everybody: CommId::NONE,
    };
    for Placed { track, location } in placed {
        meanings.locations[*track as usize] = *location;
        if trace.stated.locations.contains_key(track)
            && let Id::Number(thread) = trace.tables.tracks[*track as usize].tid
            && let Ok(thread) = u32::try_from(thread)
        {
            meanings.threads.insert(thread, *location);
        }
    }
    trace.stated.define(&meanings, &mut definitions.communicators);
    let has_messages = tracks.iter().any(|track| !track.bound.is_empty());
    if has_messages && trace.stated.communicators.is_empty() {
        let everybody: Arc<[LocationId]> = if definitions.world.is_empty() {
            (0..definitions.locations.len() as u32).map(LocationId).collect()
        } else {
            definitions.world.clone().into()
        };
        meanings.everybody = CommId(definitions.communicators.len() as u32);
        definitions.communicators.push(Communicator::of("all (assumed)", everybody));
    } else if has_messages {
        meanings.everybody = CommId(meanings.first_comm);
    }
    meanings
}

/// The name of a mark, and what it says behind a zero.
fn mark_text(both: String) -> MarkText {
    match both.split_once('\0') {
        Some((name, text)) => MarkText { name: name.to_owned(), text: text.to_owned() },
        None => MarkText { name: both, text: String::new() },
    }
}

/// Puts steps into the blocks of their locations.
struct Writer<'t, 'a> {
    trace: &'t Reading<'t>,
    communications: &'t Communications,
    definitions: &'t Definitions,
    meanings: &'t Meanings,
    world: &'t [LocationId],
    gather: Gather<'a>,
    metrics: FxHashMap<u32, MetricId>,
    /// Added to the times of the file at hand.
    base: i64,
    /// Events of each file that became records.
    written: Vec<u64>,
    since: usize,
}

impl Writer<'_, '_> {
    fn step(&mut self, location: LocationId, file: usize, step: Step) -> io::Result<()> {
        let base = self.base;
        let at = |time: i64| Ns(time.saturating_add(base));
        match step {
            Step::Enter(entry) => {
                self.written[file] += 1;
                let operation = self.operation(&entry);
                let region = self.region(&entry);
                let (world, block) = (self.world, self.gather.block(location));
                block.events += 1;
                block.enter(at(entry.start), region);
                match operation.map(|operation| operation.action) {
                    Some(Action::Collective(_)) => block.collective_begin(at(entry.start)),
                    Some(Action::Send(peer)) => message(operation, peer, world, |end| block.send(at(entry.start), end)),
                    _ => {}
                }
            }
            Step::Leave(entry) => {
                let operation = self.operation(&entry);
                let region = self.region(&entry);
                let (world, block) = (self.world, self.gather.block(location));
                match operation.map(|operation| operation.action) {
                    Some(Action::Collective(_)) => end_collective(block, at(entry.end), operation),
                    Some(Action::Receive(peer)) => {
                        message(operation, peer, world, |end| block.recv(at(entry.end), end));
                    }
                    _ => {}
                }
                block.leave(at(entry.end), Some(region));
                block.last = block.last.max(Some(at(entry.end)));
            }
            Step::Point(entry) => {
                self.written[file] += 1;
                let time = at(entry.start);
                if entry.kind == Kind::Metric {
                    let next = MetricId(self.metrics.len() as u32);
                    let metric = *self.metrics.entry(entry.id).or_insert(next);
                    let value = f64::from_bits(entry.end as u64);
                    self.gather.block(location).metric(time, MetricValue { metric, value });
                } else {
                    let mark = mark_text(self.trace.tables.text(entry.id));
                    self.gather.block(location).mark(time, mark);
                }
                let block = self.gather.block(location);
                block.events += 1;
                block.last = block.last.max(Some(time));
            }
            Step::Inside(bound, time) => {
                let block = self.gather.block(location);
                self.meanings.put(&bound, at(time), self.definitions, block);
                block.last = block.last.max(Some(at(time)));
            }
        }
        self.since += 1;
        if self.since >= 1 << 12 {
            self.gather.settle(self.since * 16)?;
            self.since = 0;
        }
        Ok(())
    }

    fn operation(&self, entry: &Entry) -> Option<Operation> {
        (entry.kind == Kind::Communication).then(|| self.communications.operations.get(&entry.id).copied())?
    }

    fn region(&self, entry: &Entry) -> RegionId {
        match entry.kind {
            Kind::Communication => RegionId(self.trace.comms[entry.id as usize].region),
            _ => RegionId(entry.id),
        }
    }

    fn oddities(&mut self, location: LocationId, odd: super::track::Oddities, definitions: &Definitions) {
        let warnings = &mut self.gather.block(location).warnings;
        let place = || definitions.locations[location.index()].name.to_string();
        for (kind, count, text) in [
            (
                WarningKind::OpenRegions,
                odd.never_ended,
                "begins without an end; they end at the last event of their track",
            ),
            (WarningKind::StrayLeaves, odd.never_begun, "ends without a begin were dropped"),
            (
                WarningKind::CrossingRegions,
                odd.clipped,
                "rows that end one microsecond after the row around them, by rounding; they were clipped to it",
            ),
            (
                WarningKind::CrossingRegions,
                odd.cut,
                "more than 1,024 rows overlap at a time; the others were cut to fit",
            ),
        ] {
            warnings.add_many(kind, count, place, text);
        }
    }

    /// Counts the events that made no record, so that the sum is what the files have.
    fn rest(&mut self, placed: &[Placed]) {
        for (file, info) in self.trace.files.iter().enumerate() {
            let of_file = |placed: &&Placed| self.trace.tables.tracks[placed.track as usize].file as usize == file;
            if let Some(first) = placed.iter().find(of_file) {
                let rest = info.events.saturating_sub(self.written[file]);
                self.gather.block(first.location).events += rest;
            }
        }
    }
}

fn end_collective(block: &mut RecordBlock, time: Ns, operation: Option<Operation>) {
    let Some(Operation { action: Action::Collective(op), group, sent, received, number, .. }) = operation else {
        return;
    };
    block.collective_end(
        time,
        CollectiveEnd {
            op,
            comm: CommId(group),
            root: LocationId::NONE,
            sent,
            received,
            request: RequestId::NONE,
            number: Some(number),
        },
    );
}

fn message(operation: Option<Operation>, peer: Option<u32>, world: &[LocationId], put: impl FnOnce(MessageEnd)) {
    let Some(operation) = operation else { return };
    let peer = peer.and_then(|rank| world.get(rank as usize).copied()).unwrap_or(LocationId::NONE);
    let bytes = operation.sent.max(operation.received);
    // The sequence number pairs the two ends where there is one; without it they pair in order.
    let tag = operation.sequence.map_or(0, |sequence| sequence as u32);
    put(MessageEnd { peer, comm: CommId(operation.group), tag, bytes, request: RequestId::NONE });
}
