//! A trace while it is read: one file or many, their blocks put together.

use std::collections::BTreeMap;
use std::io;

use heddle_model::{WarningKind, Warnings};
use rustc_hash::FxHashMap;

use super::block::Block;
use super::bound::{Bound, What};
use super::category::Class;
use super::container::Container;
use super::flows::FlowEnd;
use super::info::FileInfo;
use super::rows::{CommRow, Entry, Id, Kind, Launch, Tables, TrackKey};
use super::stated::Stated;
use super::track::Track;
use crate::runs::{Row, Runs};
use crate::{Compression, Input, OpenError, stream};

/// Instants of the whole trace that are kept; they are nowhere on disk.
const MOST_MARKS: usize = 1 << 20;

/// All that was read.
pub(super) struct Reading<'a> {
    pub(super) input: &'a Input<'a>,
    pub(super) tables: Tables,
    /// By the number of the track in the tables.
    pub(super) tracks: Vec<Track>,
    pub(super) comms: Vec<CommRow>,
    /// Calls that launch something, by file.
    pub(super) launches: Vec<Vec<Launch>>,
    pub(super) names: FxHashMap<(u32, Id, Option<Id>), u32>,
    /// File, time, text.
    pub(super) marks: Vec<(u32, i64, u32)>,
    /// Ends of flows that may be messages.
    pub(super) flows: Runs<FlowEnd>,
    pub(super) stated: Stated,
    pub(super) files: Vec<FileInfo>,
    pub(super) warnings: Warnings,
    in_memory: usize,
    other_phases: BTreeMap<u8, u64>,
    refused_names: u64,
    /// Launches that did not fit the memory.
    pub(super) lost_launches: u64,
}

impl<'a> Reading<'a> {
    pub(super) fn new(input: &'a Input<'a>) -> Reading<'a> {
        Reading {
            input,
            tables: Tables::default(),
            tracks: Vec::new(),
            comms: Vec::new(),
            launches: Vec::new(),
            names: FxHashMap::default(),
            marks: Vec::new(),
            flows: Runs::default(),
            stated: Stated::default(),
            files: Vec::new(),
            warnings: Warnings::default(),
            in_memory: 0,
            other_phases: BTreeMap::new(),
            refused_names: 0,
            lost_launches: 0,
        }
    }

    /// Entries that may be in memory at a time.
    pub(super) fn most_entries(&self) -> usize {
        let bytes = usize::try_from(self.input.memory / 4).unwrap_or(usize::MAX);
        (bytes / Entry::BYTES).max(1 << 12)
    }

    /// Reads one more file.
    pub(super) fn read(&mut self, name: &'a str) -> Result<(), OpenError> {
        let input = self.input;
        let mut head = Vec::new();
        input.files.read(name, 0..8, &mut head).map_err(OpenError::unreadable(name))?;
        let plain = Compression::of(&head).is_none();
        let stream = stream(input.files, name).map_err(OpenError::unreadable(name))?;
        let number = self.files.len() as u32;
        self.files.push(FileInfo::new(name));
        self.launches.push(Vec::new());
        let mut container = Container::new(input, name, number, stream, plain);
        container.read(&mut |block| self.take(block))?;
        self.warnings.merge(&container.warnings);
        let has_events = container.has_events;
        let file = &mut self.files[number as usize];
        for (key, value) in std::mem::take(&mut container.kept) {
            file.note(&key, &value, &mut self.warnings);
        }
        if !has_events {
            let text = "it is JSON, but has no list of events; nothing can be shown";
            self.warnings.add(WarningKind::Corrupt, || name.to_owned(), text);
        } else if file.events == 0 {
            self.warnings.add(WarningKind::Empty, || name.to_owned(), "its list of events is empty");
        }
        if !plain && let Ok(Some(length)) = input.files.len(name) {
            let _ = (input.go_on)(length);
        }
        Ok(())
    }

    /// Adds a block of the file that is being read.
    fn take(&mut self, block: Block) -> io::Result<()> {
        let budget = usize::try_from(self.input.memory / 8).unwrap_or(usize::MAX).max(1 << 20);
        let refused = &mut self.refused_names;
        let texts: Vec<u32> =
            block.tables.texts.iter().map(|text| self.tables.texts.id_within(text, budget, refused)).collect();
        let named = block.tables.regions.iter().zip(&block.tables.categories);
        let regions: Vec<u32> =
            named.map(|(name, category)| self.tables.region_within(name, *category, budget, refused)).collect();
        let text = |id: u32| texts.get(id as usize).copied().unwrap_or(0);
        let place = |id: Id| match id {
            Id::Text(id) => Id::Text(text(id)),
            number @ Id::Number(_) => number,
        };
        let class = |class: Class| match class {
            Class::Async(category) => Class::Async(text(category)),
            other => other,
        };
        let tracks: Vec<u32> = block
            .tables
            .tracks
            .iter()
            .map(|key| {
                let (pid, tid, class) = (place(key.pid), place(key.tid), class(key.class));
                self.tables.track(TrackKey { pid, tid, class, ..*key })
            })
            .collect();
        self.tracks.resize_with(self.tables.tracks.len(), Track::default);
        let first_comm = self.comms.len() as u32;
        for row in &block.comms {
            let arguments = super::rows::CommArguments {
                operation: row.arguments.operation.map(text),
                group: row.arguments.group.map(text),
                ranks: row.arguments.ranks.map(text),
                element: row.arguments.element.map(text),
                key: row.arguments.key.map(text),
                ..row.arguments
            };
            let (track, region) = (tracks[row.track as usize], regions[row.region as usize]);
            self.comms.push(CommRow { track, region, arguments, ..*row });
        }
        for (track, mut entry) in block.entries {
            entry.id = match entry.kind {
                Kind::Span | Kind::Begin => regions[entry.id as usize],
                Kind::Communication => first_comm + entry.id,
                Kind::Metric | Kind::Mark => texts[entry.id as usize],
                Kind::Finish => 0,
            };
            self.tracks[tracks[track as usize] as usize].push(entry);
            self.in_memory += 1;
        }
        for statement in &block.statements {
            let track = tracks.get(statement.track as usize).copied().unwrap_or(0);
            self.stated.take(statement, track, place(statement.pid), budget);
        }
        for (track, bound) in block.bounds {
            if matches!(bound.what, What::End | What::Done) {
                self.stated.note_number(bound.comm, bound.tag);
            }
            self.tracks[tracks[track as usize] as usize].bound.push(bound);
            self.in_memory += Bound::BYTES.div_ceil(Entry::BYTES);
        }
        for end in block.flow_ends {
            self.flows.push(FlowEnd { track: tracks[end.track as usize], ..end });
            self.in_memory += FlowEnd::BYTES.div_ceil(Entry::BYTES);
        }
        let number = self.files.len() - 1;
        for given in block.names {
            let key = (number as u32, place(given.pid), given.tid.map(place));
            self.names.insert(key, text(given.name));
        }
        let room = MOST_MARKS.saturating_sub(self.marks.len());
        self.marks.extend(block.marks.iter().take(room).map(|(time, name)| (number as u32, *time, text(*name))));
        let lost = block.marks.len().saturating_sub(room) as u64;
        self.warnings.add_many(
            WarningKind::UnusedRecords,
            lost,
            || self.files[number].name.clone(),
            "instants of the whole trace beyond a million were left out",
        );
        let room = (usize::try_from(self.input.memory / 16).unwrap_or(usize::MAX) / size_of::<Launch>())
            .saturating_sub(self.launches[number].len());
        self.lost_launches += block.launches.len().saturating_sub(room) as u64;
        let launches = block.launches.iter().take(room);
        self.launches[number]
            .extend(launches.map(|launch| Launch { thread: tracks[launch.thread as usize], ..*launch }));
        let file = &mut self.files[number];
        file.events += block.events;
        file.flows += block.flows;
        file.has_decimals |= block.has_decimals;
        file.is_kineto |= block.tables.categories.iter().any(|category| category.is_kineto());
        for (phase, count) in block.other_phases {
            *self.other_phases.entry(phase).or_insert(0) += count;
        }
        self.warnings.merge(&block.warnings);
        if self.in_memory > self.most_entries() {
            self.put_aside()?;
        }
        Ok(())
    }

    fn put_aside(&mut self) -> io::Result<()> {
        self.in_memory = 0;
        for track in &mut self.tracks {
            track.placed.put_aside(self.input.scratch)?;
            track.edges.put_aside(self.input.scratch)?;
            track.bound.put_aside(self.input.scratch)?;
        }
        self.flows.put_aside(self.input.scratch)
    }

    /// Counts what was read and is not shown.
    pub(super) fn warn_of_unused(&mut self) {
        for file in &self.files {
            self.warnings.add_many(
                WarningKind::UnusedRecords,
                file.flows,
                || file.name.clone(),
                "flow events, which tie a launch to what it launched, are counted but not shown",
            );
        }
        self.warnings.add_many(
            WarningKind::Corrupt,
            self.stated.refused,
            || self.files.first().map(|file| file.name.clone()).unwrap_or_default(),
            "statements about the trace that cannot be read, or are too many, were left out",
        );
        let first = || self.files.first().map(|file| file.name.clone()).unwrap_or_default();
        for (phase, count) in &self.other_phases {
            let text = match phase {
                0 => "events without a phase were left out".to_owned(),
                b'N' | b'O' | b'D' => "events about the life of objects are counted but not shown".to_owned(),
                b'P' | b'v' | b'V' | b'c' | b'(' | b')' | b'a' | b'p' | b'T' => {
                    format!("events of phase {} are counted but not shown", char::from(*phase))
                }
                other => format!("events of phase '{}', which is not known, were left out", other.escape_ascii()),
            };
            let known = b"NODPvVc()apT".contains(phase);
            let kind = if known { WarningKind::UnusedRecords } else { WarningKind::UnknownRecords };
            self.warnings.add_many(kind, *count, first, &text);
        }
        self.warnings.add_many(
            WarningKind::Corrupt,
            self.refused_names,
            first,
            "there are more distinct names than fit in memory; further ones are shown as one",
        );
    }
}
