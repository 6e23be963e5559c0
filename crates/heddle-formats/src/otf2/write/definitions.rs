//! The global definitions of an archive: `NAME.def`.
//!
//! Ids of regions, communicators and metrics are the model's own positions. The system tree is cut in
//! two, since OTF2 tells processes ("location groups") from the places that hold them. A string is
//! written just before the first record that uses it.

use heddle_model::{Definitions, LocationId, LocationKind, MetricMode, Paradigm, Region, Role};
use rustc_hash::FxHashMap;

use super::encode::{ChunkedFile, number_bytes, put_record, put_text, put_u32, put_u64};
use super::events::{LocationTotals, TYPE_F64};
use super::groups::{CommGroups, Groups};
use super::places::Places;
use crate::otf2::enumerations::group::{COMM_GROUP, COMM_LOCATIONS, COMM_SELF};
use crate::otf2::enumerations::{MPI, paradigm_number};
use crate::{FileSink, WriteError};

/// Record ids of the global definition file.
mod id {
    pub(super) const CLOCK_PROPERTIES: u8 = 5;
    pub(super) const PARADIGM: u8 = 6;
    pub(super) const PARADIGM_PROPERTY: u8 = 7;
    pub(super) const STRING: u8 = 10;
    pub(super) const SYSTEM_TREE_NODE: u8 = 12;
    pub(super) const LOCATION_GROUP: u8 = 13;
    pub(super) const LOCATION: u8 = 14;
    pub(super) const REGION: u8 = 15;
    pub(super) const GROUP: u8 = 18;
    pub(super) const METRIC_MEMBER: u8 = 19;
    pub(super) const METRIC_CLASS: u8 = 20;
    pub(super) const COMM: u8 = 22;
    pub(super) const SYSTEM_TREE_NODE_DOMAIN: u8 = 27;
    pub(super) const INTER_COMM: u8 = 43;
}

const UNDEFINED: u32 = u32::MAX;
/// The model counts in nanoseconds, and so does the archive.
const TICKS_PER_SECOND: u64 = 1_000_000_000;
const TYPE_STRING: u8 = 11;
/// Bytes around the members of a group record: id, length, and the other fields at their longest.
const GROUP_FRAME: usize = 64;

/// What the anchor must know of the definitions.
pub(super) struct DefinitionTotals {
    pub(super) records: u64,
    pub(super) trace_id: u64,
}

/// Writes all global definitions.
pub(super) fn write_definitions(
    sink: &dyn FileSink,
    name: String,
    chunk_size: usize,
    groups: &Groups<'_>,
    definitions: &Definitions,
    totals: &[LocationTotals],
    length: u64,
) -> Result<DefinitionTotals, WriteError> {
    let file = ChunkedFile::create(sink, name, chunk_size)?;
    let mut writer = Writer {
        file,
        payload: Vec::new(),
        record: Vec::new(),
        strings: FxHashMap::default(),
        records: 0,
        hash: FNV_OFFSET,
    };
    writer.clock(length)?;
    writer.paradigm(definitions)?;
    writer.places(definitions, totals)?;
    for (at, region) in definitions.regions.iter().enumerate() {
        writer.region(at as u32, region)?;
    }
    writer.communicators(definitions, groups)?;
    writer.metrics(definitions)?;
    writer.file.finish()?;
    Ok(DefinitionTotals { records: writer.records, trace_id: writer.hash })
}

/// An upper bound of the longest definition record: only texts and groups can be long.
pub(super) fn longest_record(definitions: &Definitions, groups: &Groups<'_>) -> usize {
    let world = groups.reached.iter().filter_map(|location| definitions.locations.get(location.index()));
    let world: usize = world.map(|location| number_bytes(location.file_id)).sum();
    let member = number_bytes(groups.reached.len() as u64);
    let group = groups.lists.iter().map(|group| group.members.len() * member).max().unwrap_or(0);
    let names = definitions
        .regions
        .iter()
        .flat_map(|region| [Some(&*region.name), region.file.as_deref()])
        .flatten()
        .chain(definitions.locations.iter().map(|location| &*location.name))
        .chain(definitions.system_tree.iter().flat_map(|node| [&*node.name, &*node.class]))
        .chain(definitions.communicators.iter().map(|comm| &*comm.name))
        .chain(definitions.metrics.iter().flat_map(|metric| [&*metric.name, &*metric.unit]))
        .map(str::len);
    names.max().unwrap_or(0).max(world).max(group) + GROUP_FRAME
}

// FNV-1a: the trace id must be the same for the same trace on every machine and in every version.
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

struct Writer<'a> {
    file: ChunkedFile<'a>,
    payload: Vec<u8>,
    record: Vec<u8>,
    strings: FxHashMap<String, u32>,
    records: u64,
    hash: u64,
}

impl Writer<'_> {
    fn put(&mut self, id: u8, fill: impl FnOnce(&mut Vec<u8>)) -> Result<(), WriteError> {
        self.payload.clear();
        self.record.clear();
        fill(&mut self.payload);
        put_record(&mut self.record, id, &self.payload);
        self.records += 1;
        self.hash = self.record.iter().fold(self.hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME));
        self.file.append(&self.record)
    }

    /// The id of a text, which is written if it is new.
    fn string(&mut self, text: &str) -> Result<u32, WriteError> {
        if let Some(string) = self.strings.get(text) {
            return Ok(*string);
        }
        let string = self.strings.len() as u32;
        self.strings.insert(text.to_owned(), string);
        self.put(id::STRING, |out| {
            put_u32(out, string);
            put_text(out, text);
        })?;
        Ok(string)
    }

    fn clock(&mut self, length: u64) -> Result<(), WriteError> {
        self.put(id::CLOCK_PROPERTIES, |out| {
            put_u64(out, TICKS_PER_SECOND);
            put_u64(out, 0);
            put_u64(out, length);
            // The date of the run is not in the model.
            put_u64(out, u64::MAX);
        })
    }

    fn paradigm(&mut self, definitions: &Definitions) -> Result<(), WriteError> {
        const CLASS_PROCESS: u8 = 0;
        const COMM_NAME_TEMPLATE: u8 = 0;
        let is_mpi = !definitions.communicators.is_empty()
            || !definitions.world.is_empty()
            || definitions.regions.iter().any(|region| region.paradigm == Paradigm::Mpi);
        if !is_mpi {
            return Ok(());
        }
        let name = self.string("MPI")?;
        self.put(id::PARADIGM, |out| {
            out.push(MPI);
            put_u32(out, name);
            out.push(CLASS_PROCESS);
        })?;
        let template = self.string("MPI Communicator ${id}")?;
        self.put(id::PARADIGM_PROPERTY, |out| {
            out.extend_from_slice(&[MPI, COMM_NAME_TEMPLATE, TYPE_STRING]);
            put_u32(out, template);
        })
    }

    fn places(&mut self, definitions: &Definitions, totals: &[LocationTotals]) -> Result<(), WriteError> {
        let places = Places::of(definitions);
        for (at, node) in places.nodes.iter().enumerate() {
            let (name, class) = (self.string(node.name)?, self.string(node.class)?);
            self.put(id::SYSTEM_TREE_NODE, |out| {
                put_u32(out, at as u32);
                put_u32(out, name);
                put_u32(out, class);
                put_u32(out, node.parent.unwrap_or(UNDEFINED));
            })?;
            if let Some(domain) = node.domain() {
                self.put(id::SYSTEM_TREE_NODE_DOMAIN, |out| {
                    put_u32(out, at as u32);
                    out.push(domain);
                })?;
            }
        }
        for (at, group) in places.groups.iter().enumerate() {
            let name = self.string(group.name)?;
            self.put(id::LOCATION_GROUP, |out| {
                put_u32(out, at as u32);
                put_u32(out, name);
                out.push(group.kind);
                put_u32(out, group.parent);
                put_u32(out, group.creator.unwrap_or(UNDEFINED));
            })?;
        }
        for ((location, group), total) in definitions.locations.iter().zip(&places.of_location).zip(totals) {
            let name = self.string(&location.name)?;
            self.put(id::LOCATION, |out| {
                put_u64(out, location.file_id);
                put_u32(out, name);
                out.push(location_type(location.kind));
                put_u64(out, total.events);
                put_u32(out, *group);
            })?;
        }
        Ok(())
    }

    fn region(&mut self, at: u32, region: &Region) -> Result<(), WriteError> {
        let name = self.string(&region.name)?;
        let file = region.file.as_deref().map_or(Ok(UNDEFINED), |file| self.string(file))?;
        self.put(id::REGION, |out| {
            put_u32(out, at);
            put_u32(out, name);
            put_u32(out, UNDEFINED);
            // The type of readers older than roles and paradigms: unknown.
            out.push(0);
            put_u32(out, file);
            put_u32(out, region.line.unwrap_or(0));
            put_u32(out, 0);
            put_u32(out, name);
            out.extend_from_slice(&[region_role(region), paradigm_number(region.paradigm)]);
            put_u32(out, 0);
        })
    }

    fn communicators(&mut self, definitions: &Definitions, groups: &Groups<'_>) -> Result<(), WriteError> {
        if definitions.communicators.is_empty() && definitions.world.is_empty() {
            return Ok(());
        }
        let mut index = vec![u64::MAX; definitions.locations.len()];
        for (at, location) in groups.reached.iter().enumerate() {
            if let Some(index) = index.get_mut(location.index()).filter(|index| **index == u64::MAX) {
                *index = at as u64;
            }
        }
        let file_id = |location: &LocationId| {
            definitions.locations.get(location.index()).map_or(u64::MAX, |location| location.file_id)
        };
        self.group(0, COMM_LOCATIONS, groups.reached.iter().map(file_id))?;
        for (at, group) in groups.lists.iter().enumerate() {
            let members = group.members.iter().map(|member| index.get(member.index()).copied().unwrap_or(u64::MAX));
            self.group(at as u32 + 1, COMM_GROUP, members)?;
        }
        let alone = groups.lists.len() as u32 + 1;
        if groups.of_comm.contains(&CommGroups::Alone) {
            self.group(alone, COMM_SELF, std::iter::empty())?;
        }
        for (at, (comm, lists)) in definitions.communicators.iter().zip(&groups.of_comm).enumerate() {
            let (name, parent) = (self.string(&comm.name)?, comm.parent.map_or(UNDEFINED, |parent| parent.0));
            let (record, group, other) = match *lists {
                CommGroups::Alone => (id::COMM, alone, None),
                CommGroups::Intra(group) => (id::COMM, group + 1, None),
                CommGroups::Inter(a, b) => (id::INTER_COMM, a + 1, Some(b + 1)),
            };
            self.put(record, |out| {
                put_u32(out, at as u32);
                put_u32(out, name);
                put_u32(out, group);
                if let Some(other) = other {
                    put_u32(out, other);
                }
                put_u32(out, parent);
                put_u32(out, 0);
            })?;
        }
        Ok(())
    }

    fn group(&mut self, at: u32, kind: u8, members: impl ExactSizeIterator<Item = u64>) -> Result<(), WriteError> {
        let name = self.string("")?;
        let legacy_type = match kind {
            COMM_LOCATIONS => 6,
            COMM_SELF => 5,
            _ => 4,
        };
        self.put(id::GROUP, |out| {
            put_u32(out, at);
            put_u32(out, name);
            out.push(legacy_type);
            put_u32(out, members.len() as u32);
            members.for_each(|member| put_u64(out, member));
            out.extend_from_slice(&[kind, MPI]);
            put_u32(out, 0);
        })
    }

    /// Each counter is a class of its own: the model does not know which were recorded together.
    fn metrics(&mut self, definitions: &Definitions) -> Result<(), WriteError> {
        const TYPE_OTHER: u8 = 0;
        const DECIMAL: u8 = 1;
        const ASYNCHRONOUS: u8 = 2;
        const RECORDER_UNKNOWN: u8 = 0;
        for (at, metric) in definitions.metrics.iter().enumerate() {
            let (name, unit) = (self.string(&metric.name)?, self.string(&metric.unit)?);
            self.put(id::METRIC_MEMBER, |out| {
                put_u32(out, at as u32);
                put_u32(out, name);
                put_u32(out, UNDEFINED);
                out.extend_from_slice(&[TYPE_OTHER, metric_mode(metric.mode), TYPE_F64, DECIMAL]);
                put_u64(out, 0);
                put_u32(out, unit);
            })?;
            self.put(id::METRIC_CLASS, |out| {
                put_u32(out, at as u32);
                out.push(1);
                put_u32(out, at as u32);
                out.extend_from_slice(&[ASYNCHRONOUS, RECORDER_UNKNOWN]);
            })?;
        }
        Ok(())
    }
}

fn location_type(kind: LocationKind) -> u8 {
    match kind {
        LocationKind::Unknown => 0,
        LocationKind::CpuThread => 1,
        LocationKind::AcceleratorStream => 2,
        LocationKind::Metric => 3,
    }
}

/// Low half how to read the values; high half since when: start, this point, the sample before.
fn metric_mode(mode: MetricMode) -> u8 {
    match mode {
        MetricMode::Accumulated => 0x00,
        MetricMode::Absolute => 0x11,
        MetricMode::Relative => 0x22,
    }
}

fn region_role(region: &Region) -> u8 {
    match region.role {
        Role::Function => 1,
        // The format says "point to point" of all these; outside MPI it has no word for them.
        Role::Send | Role::Receive | Role::SendReceive | Role::Wait | Role::Test => {
            if region.paradigm == Paradigm::Mpi { 28 } else { 1 }
        }
        Role::Collective => 26,
        Role::Barrier => 15,
        Role::OneSided => 29,
        Role::Loop => 3,
        Role::Parallel => 5,
        Role::Task => 20,
        Role::Lock => 12,
        Role::FileIo => 27,
        Role::Memory => 35,
        Role::Transfer => 30,
        Role::Artificial => 31,
    }
}
