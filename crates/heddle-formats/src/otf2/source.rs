//! An OTF2 archive as a [`Source`]: definitions read at once, events chunk by chunk when asked for.

use std::io;

use rayon::prelude::*;

use heddle_model::{
    Definitions, GlobalMark, LocationId, Ns, Part, RecordBlock, Source, SourceError, TickClock, WarningKind, Warnings,
};

use super::anchor::{Anchor, AnchorError};
use super::bytes::Fields;
use super::clock::LocationClock;
use super::events::EventDecoder;
use super::framing::{CHUNK_HEADER, USUAL_CHUNK_SIZES, chunk_order, for_each_record};
use super::ids::Translate;
use super::local::LocalDefinitions;
use super::local_cache::{LocalCache, ParsedLocal};
use super::raw_definitions::RawDefinitions;
use super::resolve::{GlobalIds, resolve};
use super::text::TextBudget;
use crate::Files;
use crate::spare::Spare;

/// Why an archive could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The anchor is missing, not an anchor, or of a kind that cannot be read.
    #[error("{file}: {cause}")]
    Anchor {
        /// The anchor file.
        file: String,
        /// What is wrong with it.
        cause: AnchorError,
    },
    /// Nothing says which locations there are.
    #[error(
        "{0}: the global definitions are missing; the run did not finish writing its trace, and without them the events mean nothing"
    )]
    NoDefinitions(String),
    /// The disk failed.
    #[error("{file}: {cause}")]
    Io {
        /// Which file.
        file: String,
        /// Why.
        cause: io::Error,
    },
}

/// An open archive.
pub struct Archive<'f> {
    files: &'f dyn Files,
    name: String,
    event_chunk: u64,
    definition_chunk: Option<u64>,
    definitions: Definitions,
    ids: GlobalIds,
    local: LocalCache,
    ticks: TickClock,
    parts: Vec<Part>,
    warnings: Warnings,
    /// Memory for chunks of events.
    chunks: Spare<Vec<u8>>,
}

/// What opening learns about one location without reading its events.
#[derive(Clone, Copy, Default)]
struct Glance {
    /// `None` without a file.
    length: Option<u64>,
    first_tick: Option<u64>,
}

impl<'f> Archive<'f> {
    /// Opens the archive whose anchor is the file `NAME.otf2`; `name` is `NAME`.
    pub fn open(files: &'f dyn Files, name: &str) -> Result<Archive<'f>, OpenError> {
        let mut warnings = Warnings::default();
        let whole = |file: &str| files.read_all(file).map_err(|cause| OpenError::Io { file: file.to_owned(), cause });
        let anchor_file = format!("{name}.otf2");
        let bytes = whole(&anchor_file)?.unwrap_or_default();
        let anchor = Anchor::parse(&bytes, &anchor_file, &mut warnings)
            .map_err(|cause| OpenError::Anchor { file: anchor_file, cause })?;
        let definition_file = format!("{name}.def");
        let bytes = whole(&definition_file)?.ok_or_else(|| OpenError::NoDefinitions(definition_file.clone()))?;
        let raw = RawDefinitions::parse(&bytes, anchor.definition_chunk, &definition_file, &mut warnings);
        drop(bytes);
        let (mut definitions, ids) = resolve(&raw, &definition_file, &mut warnings);
        definitions.creator.clone_from(&anchor.creator);
        if raw.ticks_per_second.is_none_or(|rate| rate == 0) {
            warnings.add(
                WarningKind::Corrupt,
                || definition_file,
                "the clock's resolution is missing; times are taken as nanoseconds",
            );
        }
        let rate = raw.ticks_per_second.filter(|rate| *rate != 0).unwrap_or(1_000_000_000);
        drop(raw);
        let mut archive = Archive {
            files,
            name: name.to_owned(),
            event_chunk: 0,
            definition_chunk: anchor.definition_chunk,
            definitions,
            ids,
            local: LocalCache::default(),
            ticks: TickClock::new(0, rate),
            parts: Vec::new(),
            warnings,
            chunks: Spare::default(),
        };
        archive.event_chunk = anchor.event_chunk.unwrap_or_else(|| archive.guess_event_chunk());
        archive.plan_parts(rate);
        Ok(archive)
    }

    fn event_file(&self, location: LocationId) -> String {
        format!("{}/{}.evt", self.name, self.definitions.locations[location.index()].file_id)
    }

    fn local_definition_file(&self, location: LocationId) -> String {
        format!("{}/{}.def", self.name, self.definitions.locations[location.index()].file_id)
    }

    fn parse_local(&self, location: LocationId) -> io::Result<ParsedLocal> {
        let file = self.local_definition_file(location);
        let Some(bytes) = self.files.read_all(&file)? else { return Ok(ParsedLocal::default()) };
        let mut warnings = Warnings::default();
        let definitions = LocalDefinitions::parse(&bytes, self.definition_chunk, &file, &self.ids, &mut warnings);
        Ok(ParsedLocal { definitions, warnings })
    }

    /// Looks at the head of every event file: how many chunks, and the earliest time of all.
    fn plan_parts(&mut self, rate: u64) {
        let markers = self.read_markers();
        let locations = self.definitions.locations.len() as u32;
        let glances: Vec<io::Result<Glance>> =
            (0..locations).into_par_iter().map(|location| self.glance(LocationId(location))).collect();
        let mut origin = markers.iter().map(|(tick, _)| *tick).min();
        self.parts.reserve(glances.len());
        for (location, glance) in glances.into_iter().enumerate() {
            let location = LocationId(location as u32);
            let glance = glance.unwrap_or_else(|cause| {
                let file = self.event_file(location);
                let text = format!("an event file cannot be read ({cause}); its location stays empty");
                self.warnings.add(WarningKind::MissingFile, || file, &text);
                Glance::default()
            });
            origin = origin.into_iter().chain(glance.first_tick).min();
            let length = glance.length.unwrap_or(0);
            if glance.length == Some(0) {
                let file = self.event_file(location);
                let text = "an event file has no bytes at all; its location stays empty";
                self.warnings.add(WarningKind::Truncated, || format!("{file} byte 0"), text);
            }
            for index in 0..length.div_ceil(self.event_chunk) {
                let bytes = (length - index * self.event_chunk).min(self.event_chunk);
                self.parts.push(Part { location, index: index as u32, bytes });
            }
        }
        self.ticks = TickClock::new(origin.unwrap_or(0), rate);
        for (tick, mut mark) in markers {
            mark.time = self.ticks.ns(tick);
            self.definitions.marks.push(mark);
        }
    }

    fn glance(&self, location: LocationId) -> io::Result<Glance> {
        let file = self.event_file(location);
        let Some(length) = self.files.len(&file)? else { return Ok(Glance::default()) };
        let mut head = Vec::new();
        self.files.read(&file, 0..CHUNK_HEADER as u64 + 9, &mut head)?;
        let first_raw = chunk_order(&head).and_then(|order| {
            let mut fields = Fields::new(&head[CHUNK_HEADER..], order);
            (fields.u8()? == 5).then(|| fields.raw64())?
        });
        // Damage in a location's definitions is reported when its events are read.
        let first_tick = match first_raw {
            Some(raw) => {
                let local = self.parse_local(location).unwrap_or_default();
                Some(local.definitions.correction.global(raw, &mut 0))
            }
            None => None,
        };
        Ok(Glance { length: Some(length), first_tick })
    }

    /// Where the anchor is lost, a second chunk in any event file betrays their size.
    fn guess_event_chunk(&self) -> u64 {
        let largest = (0..self.definitions.locations.len() as u32)
            .map(|location| self.event_file(LocationId(location)))
            .max_by_key(|file| self.files.len(file).ok().flatten().unwrap_or(0));
        let has_header_at = |file: &str, at: u64| {
            let mut head = Vec::new();
            self.files.read(file, at..at + CHUNK_HEADER as u64, &mut head).is_ok() && chunk_order(&head).is_some()
        };
        largest
            .and_then(|file| USUAL_CHUNK_SIZES.into_iter().find(|size| has_header_at(&file, *size)))
            .unwrap_or(USUAL_CHUNK_SIZES[USUAL_CHUNK_SIZES.len() - 1])
    }

    /// Markers with their global ticks.
    fn read_markers(&mut self) -> Vec<(u64, GlobalMark)> {
        let file = format!("{}.marker", self.name);
        let Ok(Some(bytes)) = self.files.read_all(&file) else { return Vec::new() };
        let budget = TextBudget::of(bytes.len());
        let mut names = rustc_hash::FxHashMap::<u32, String>::default();
        let mut marks = Vec::new();
        for_each_record(&bytes, self.definition_chunk, &file, &mut self.warnings, |id, fields| {
            match id {
                5 => {
                    let (id, group, category) = (fields.u32()?, fields.zstr()?, fields.zstr()?);
                    names.insert(
                        id,
                        if group.is_empty() { category.into_owned() } else { format!("{group}: {category}") },
                    );
                }
                6 => {
                    let (time, _duration, definition) = (fields.u64()?, fields.u64()?, fields.u32()?);
                    let (scope, scope_id, text) = (fields.u8()?, fields.u64()?, fields.zstr()?.into_owned());
                    let location = if scope == 1 { self.ids.locations.get(scope_id) } else { None };
                    let name = names.get(&definition).map(|name| budget.copy(name)).unwrap_or_default();
                    marks.push((time, GlobalMark { location: location.into(), time: Ns(0), name, text }));
                }
                _ => {}
            }
            Some(())
        });
        if budget.was_spent() {
            let text = "long names are used too often for their file to be sound; they were cut";
            self.warnings.add(WarningKind::Corrupt, || file, text);
        }
        marks
    }
}

impl Source for Archive<'_> {
    fn format(&self) -> &'static str {
        "otf2"
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        let file = self.event_file(part.location);
        let offset = u64::from(part.index) * self.event_chunk;
        let failed = |cause| SourceError { place: file.clone(), cause };
        let parsed = self.local.get(part.location, || self.parse_local(part.location)).map_err(failed)?;
        // Damage in the local definitions is told once, with the location's first part.
        if part.index == 0 {
            out.warnings.merge(&parsed.warnings);
        }
        let local = &parsed.definitions;
        let mut chunk = self.chunks.take();
        self.files.read(&file, offset..offset + part.bytes, &mut chunk).map_err(failed)?;
        let mut decoder = EventDecoder {
            main: self.definitions.main_location(part.location),
            file: &file,
            regions: Translate { local: local.regions.as_ref(), global: &self.ids.regions },
            comms: Translate { local: local.comms.as_ref(), global: &self.ids.comms },
            metrics: Translate { local: local.metrics.as_ref(), global: &self.ids.metrics },
            calling_contexts: Translate { local: local.calling_contexts.as_ref(), global: &self.ids.calling_contexts },
            metric_classes: &self.ids.metric_classes,
            communicators: &self.definitions.communicators,
            undefined_region: self.ids.undefined_region,
            clock: LocationClock { correction: &local.correction, ticks: self.ticks, hint: 0 },
        };
        let goes_on = decoder.decode_chunk(&chunk, offset, out);
        let end = offset + chunk.len() as u64;
        self.chunks.give_back(chunk);
        if goes_on && self.files.len(&file).map_err(failed)?.is_none_or(|length| length <= end) {
            out.warnings.add(
                WarningKind::Truncated,
                || format!("{file} byte {end}"),
                "an event file breaks off between two chunks; events after this are missing",
            );
        }
        Ok(())
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}
