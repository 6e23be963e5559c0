//! Writes any [`Source`] as an OTF2 archive.
//!
//! The events come first, location by location on all cores, because the definitions say how many there
//! are; the anchor comes last, so that an archive that was cut short is not taken for a whole one. Nothing
//! here asks a clock or chance: the same source makes the same bytes.
//!
//! `encode` has the bytes, `events` the records of a location, `groups` the way from locations to
//! ranks, `places` the system tree, `definitions` and this module the files of the archive.

mod definitions;
mod encode;
mod events;
mod groups;
mod places;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};

use heddle_model::{LocationId, Part, RecordBlock, Source};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use self::definitions::{DefinitionTotals, longest_record, write_definitions};
use self::encode::{
    CHUNK_HEADER, ChunkedFile, END_OF_FILE, LITTLE_ENDIAN, put_raw64, put_record, put_text, put_u32, put_u64,
};
use self::events::{EventFile, LocationTotals, global_markers};
use self::groups::Groups;
use crate::written::parts_by_location;
use crate::{FileSink, Output, WriteError, WriteSummary};

const EVENT_CHUNK: usize = 1 << 20;
const DEFINITION_CHUNK: usize = 4 << 20;
/// The format allows no larger one.
const LARGEST_CHUNK: usize = 16 << 20;

/// An instant, in the archive's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Marker {
    time: u64,
    location: LocationId,
    name: String,
    text: String,
}

/// Writes `source` as the archive `NAME.otf2` with all that belongs to it.
///
/// Locations are written in parallel and a thread holds one part of one location and one chunk at a
/// time, so memory does not grow with the trace; only marks, which are few, are kept until the end.
pub fn write(source: &dyn Source, to: &Output<'_>) -> Result<WriteSummary, WriteError> {
    write_in_chunks(source, to, EVENT_CHUNK)
}

fn write_in_chunks(source: &dyn Source, to: &Output<'_>, event_chunk: usize) -> Result<WriteSummary, WriteError> {
    let (name, out) = (to.name, to.files);
    let definitions = source.definitions();
    check_location_ids(source)?;
    let groups = Groups::of(definitions);
    let longest = longest_record(definitions, &groups);
    let definition_chunk = longest.next_power_of_two().clamp(DEFINITION_CHUNK, LARGEST_CHUNK);
    let archive = ArchiveFiles { name, out, event_chunk, definition_chunk };

    let written = AtomicU64::new(0);
    let parts = parts_by_location(source);
    let mut totals = parts
        .into_par_iter()
        .enumerate()
        .map_init(RecordBlock::default, |block, (at, parts)| {
            let tell = |events| {
                let so_far = written.fetch_add(events, Ordering::Relaxed) + events;
                if (to.go_on)(so_far) { Ok(()) } else { Err(WriteError::Cancelled) }
            };
            archive.write_location(source, &groups, LocationId(at as u32), parts, block, &tell)
        })
        .collect::<Result<Vec<_>, _>>()?;

    let mut markers: Vec<Marker> = global_markers(definitions).collect();
    markers.extend(totals.iter_mut().flat_map(|total| std::mem::take(&mut total.markers)));
    markers.sort_by_key(|marker| (marker.time, marker.location));
    let last_event = totals.iter().map(|total| total.last).max().unwrap_or(0);
    let length = markers.last().map_or(last_event, |marker| last_event.max(marker.time));

    let file = format!("{name}.def");
    let defined = write_definitions(out, file, definition_chunk, &groups, definitions, &totals, length)?;
    if !markers.is_empty() {
        archive.write_markers(source, &markers)?;
    }
    archive.write_anchor(source, &defined)?;
    let events = totals.iter().map(|total| total.events).sum();
    Ok(WriteSummary { locations: totals.len() as u64, events, left_out: 0 })
}

fn check_location_ids(source: &dyn Source) -> Result<(), WriteError> {
    let mut seen = FxHashSet::default();
    match source.definitions().locations.iter().find(|location| !seen.insert(location.file_id)) {
        Some(location) => Err(WriteError::DuplicateLocation { file_id: location.file_id }),
        None => Ok(()),
    }
}

/// Where the files of an archive go, and how they are cut.
struct ArchiveFiles<'a> {
    name: &'a str,
    out: &'a dyn FileSink,
    event_chunk: usize,
    definition_chunk: usize,
}

impl ArchiveFiles<'_> {
    fn write_location(
        &self,
        source: &dyn Source,
        groups: &Groups<'_>,
        location: LocationId,
        parts: &[Part],
        block: &mut RecordBlock,
        tell: &dyn Fn(u64) -> Result<(), WriteError>,
    ) -> Result<LocationTotals, WriteError> {
        let file_id = source.definitions().locations[location.index()].file_id;
        let stem = format!("{}/{file_id}", self.name);
        // No ids to map and no clock to correct, but readers look for the file.
        ChunkedFile::create(self.out, format!("{stem}.def"), self.definition_chunk)?.finish()?;
        let mut file = EventFile::create(self.out, format!("{stem}.evt"), self.event_chunk, groups, location)?;
        for part in parts {
            block.clear();
            source.read(part, block)?;
            file.append(block)?;
            tell(block.len() as u64)?;
        }
        file.finish()
    }

    fn write_markers(&self, source: &dyn Source, markers: &[Marker]) -> Result<(), WriteError> {
        const DEFINITION: u8 = 5;
        const MARKER: u8 = 6;
        const SEVERITY_NONE: u8 = 0;
        const SCOPE_GLOBAL: u8 = 0;
        const SCOPE_LOCATION: u8 = 1;
        let mut file = ChunkedFile::create(self.out, format!("{}.marker", self.name), self.definition_chunk)?;
        let mut kinds: FxHashMap<&str, u32> = FxHashMap::default();
        let (mut payload, mut record) = (Vec::new(), Vec::new());
        let mut put = |id: u8, fill: &dyn Fn(&mut Vec<u8>)| {
            payload.clear();
            record.clear();
            fill(&mut payload);
            put_record(&mut record, id, &payload);
            file.append(&record)
        };
        for marker in markers {
            let next = kinds.len() as u32;
            let kind = *kinds.entry(&marker.name).or_insert(next);
            if kind == next {
                put(DEFINITION, &|out| {
                    put_u32(out, kind);
                    put_text(out, "");
                    put_text(out, &marker.name);
                    out.push(SEVERITY_NONE);
                })?;
            }
            let location = source.definitions().locations.get(marker.location.index());
            put(MARKER, &|out| {
                put_u64(out, marker.time);
                put_u64(out, 0);
                put_u32(out, kind);
                out.push(if location.is_some() { SCOPE_LOCATION } else { SCOPE_GLOBAL });
                put_u64(out, location.map_or(u64::MAX, |location| location.file_id));
                put_text(out, &marker.text);
            })?;
        }
        file.finish()?;
        Ok(())
    }

    fn write_anchor(&self, source: &dyn Source, defined: &DefinitionTotals) -> Result<(), WriteError> {
        const ANCHOR_FORMAT: u8 = 3;
        const TRACE_FORMAT: u8 = 2;
        const LIBRARY_VERSION: [u8; 3] = [3, 0, 2];
        const PLAIN_FILES: u8 = 1;
        const NOT_COMPRESSED: u8 = 1;
        let definitions = source.definitions();
        let machine = definitions.system_tree.first().map_or("", |node| &node.name);
        let mut bytes = vec![CHUNK_HEADER, LITTLE_ENDIAN];
        put_text(&mut bytes, "OTF2");
        bytes.extend_from_slice(&[ANCHOR_FORMAT, TRACE_FORMAT]);
        bytes.extend_from_slice(&LIBRARY_VERSION);
        put_raw64(&mut bytes, self.event_chunk as u64);
        put_raw64(&mut bytes, self.definition_chunk as u64);
        bytes.extend_from_slice(&[PLAIN_FILES, NOT_COMPRESSED]);
        put_raw64(&mut bytes, definitions.locations.len() as u64);
        put_raw64(&mut bytes, defined.records);
        put_text(&mut bytes, machine);
        put_text(&mut bytes, concat!("Heddle ", env!("CARGO_PKG_VERSION")));
        put_text(&mut bytes, "");
        let (properties, snapshots, thumbnails) = (0_u32, 0_u32, 0_u32);
        bytes.extend_from_slice(&properties.to_le_bytes());
        put_raw64(&mut bytes, defined.trace_id);
        bytes.extend_from_slice(&snapshots.to_le_bytes());
        bytes.extend_from_slice(&thumbnails.to_le_bytes());
        bytes.extend_from_slice(&END_OF_FILE);
        bytes.push(0);

        let file = format!("{}.otf2", self.name);
        let written = self.out.create(&file).and_then(|mut out| {
            out.write_all(&bytes)?;
            out.flush()
        });
        written.map_err(|cause| WriteError::Io { file, cause })
    }
}
