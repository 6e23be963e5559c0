//! The global definition file as it stands: records by kind, ids unresolved.
//!
//! Definitions may refer to later ones, repeat ids and repeat strings, so everything is read before
//! anything is resolved ([`super::resolve`]).

use heddle_model::{Name, Warnings};

use super::bytes::Fields;
use super::enumerations::{legacy_group, legacy_region};
use super::framing::for_each_record;
use super::text::TextBudget;

pub(crate) struct RawSystemNode {
    pub(crate) id: u32,
    pub(crate) name: u32,
    pub(crate) class: u32,
    pub(crate) parent: u32,
}

pub(crate) struct RawLocationGroup {
    pub(crate) id: u32,
    pub(crate) name: u32,
    pub(crate) kind: u8,
    pub(crate) parent: u32,
    pub(crate) creator: u32,
}

pub(crate) struct RawLocation {
    pub(crate) id: u64,
    pub(crate) name: u32,
    pub(crate) kind: u8,
    pub(crate) group: u32,
}

pub(crate) struct RawRegion {
    pub(crate) id: u32,
    pub(crate) name: u32,
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) role: u8,
    pub(crate) paradigm: u8,
}

pub(crate) struct RawGroup {
    pub(crate) id: u32,
    pub(crate) members: Vec<u64>,
    pub(crate) kind: u8,
    pub(crate) paradigm: u8,
    pub(crate) flags: u32,
}

pub(crate) struct RawComm {
    pub(crate) id: u32,
    pub(crate) name: u32,
    pub(crate) group: u32,
    /// The second group of an inter-communicator.
    pub(crate) remote: Option<u32>,
    pub(crate) parent: u32,
}

pub(crate) struct RawMetricMember {
    pub(crate) id: u32,
    pub(crate) name: u32,
    pub(crate) mode: u8,
    pub(crate) base: u8,
    pub(crate) exponent: i64,
    pub(crate) unit: u32,
}

/// Strings by id, as a sorted list: half of what a hash map takes, and there may be millions.
#[derive(Default)]
pub(crate) struct Strings {
    sorted: Vec<(u32, Name)>,
}

impl Strings {
    fn push(&mut self, id: u32, text: Name) {
        self.sorted.push((id, text));
    }

    /// Nearly always they come in order.
    fn sort(&mut self) {
        self.sorted.sort_by_key(|(id, _)| *id);
        self.sorted.shrink_to_fit();
    }

    /// The text of an id; of several the last one.
    pub(crate) fn get(&self, id: u32) -> Option<&Name> {
        let after = self.sorted.partition_point(|(other, _)| *other <= id);
        self.sorted[..after].last().filter(|(other, _)| *other == id).map(|(_, text)| text)
    }
}

/// All records of the global definition file that the model has a place for.
#[derive(Default)]
pub(crate) struct RawDefinitions {
    pub(crate) budget: TextBudget,
    pub(crate) strings: Strings,
    pub(crate) ticks_per_second: Option<u64>,
    pub(crate) system_nodes: Vec<RawSystemNode>,
    pub(crate) location_groups: Vec<RawLocationGroup>,
    pub(crate) locations: Vec<RawLocation>,
    pub(crate) regions: Vec<RawRegion>,
    pub(crate) groups: Vec<RawGroup>,
    pub(crate) comms: Vec<RawComm>,
    pub(crate) metric_members: Vec<RawMetricMember>,
    /// Class id, member ids. Instances are resolved to the members of their class.
    pub(crate) metric_classes: Vec<(u32, Vec<u32>)>,
    /// Instance id, class id.
    pub(crate) metric_instances: Vec<(u32, u32)>,
    /// Context id, region id.
    pub(crate) calling_contexts: Vec<(u32, u32)>,
}

impl RawDefinitions {
    pub(crate) fn parse(bytes: &[u8], chunk_size: Option<u64>, name: &str, warnings: &mut Warnings) -> RawDefinitions {
        let mut raw = RawDefinitions { budget: TextBudget::of(bytes.len()), ..RawDefinitions::default() };
        for_each_record(bytes, chunk_size, name, warnings, |id, fields| raw.record(id, fields));
        raw.strings.sort();
        raw
    }

    pub(crate) fn string<T: Default + for<'t> From<&'t str>>(&self, id: u32) -> T {
        self.strings.get(id).map(|text| self.budget.copy(text)).unwrap_or_default()
    }

    /// Reads one record; `None` if its fields make no sense. Kinds without a place are skipped.
    fn record(&mut self, id: u8, f: &mut Fields) -> Option<()> {
        match id {
            5 => self.ticks_per_second = Some(f.u64()?),
            10 => {
                let key = f.u32()?;
                self.strings.push(key, Name::from(f.zstr()?));
            }
            12 => self.system_nodes.push(RawSystemNode {
                id: f.u32()?,
                name: f.u32()?,
                class: f.u32()?,
                parent: f.u32()?,
            }),
            13 => self.location_groups.push(RawLocationGroup {
                id: f.u32()?,
                name: f.u32()?,
                kind: f.u8()?,
                parent: f.u32()?,
                creator: if f.has_more() { f.u32()? } else { u32::MAX },
            }),
            14 => {
                let (id, name, kind) = (f.u64()?, f.u32()?, f.u8()?);
                let _number_of_events = f.u64()?; // a hint that recorders get wrong
                self.locations.push(RawLocation { id, name, kind, group: f.u32()? });
            }
            15 => self.regions.push(region(f)?),
            18 => self.groups.push(group(f)?),
            19 => {
                let (id, name, _description, _kind) = (f.u32()?, f.u32()?, f.u32()?, f.u8()?);
                let (mode, _value_type, base) = (f.u8()?, f.u8()?, f.u8()?);
                let (exponent, unit) = (f.i64()?, f.u32()?);
                self.metric_members.push(RawMetricMember { id, name, mode, base, exponent, unit });
            }
            20 => {
                let (id, count) = (f.u32()?, f.u8()?);
                let members = (0..count).map(|_| f.u32()).collect::<Option<Vec<_>>>()?;
                self.metric_classes.push((id, members));
            }
            21 => self.metric_instances.push((f.u32()?, f.u32()?)),
            22 => self.comms.push(RawComm {
                id: f.u32()?,
                name: f.u32()?,
                group: f.u32()?,
                remote: None,
                parent: f.u32()?,
            }),
            34 => self.calling_contexts.push((f.u32()?, f.u32()?)),
            43 => self.comms.push(RawComm {
                id: f.u32()?,
                name: f.u32()?,
                group: f.u32()?,
                remote: Some(f.u32()?),
                parent: f.u32()?,
            }),
            _ => {}
        }
        Some(())
    }
}

fn region(f: &mut Fields) -> Option<RawRegion> {
    let (id, name, _description, legacy) = (f.u32()?, f.u32()?, f.u32()?, f.u8()?);
    let (file, line, _end_line) = (f.u32()?, f.u32()?, f.u32()?);
    let (role, paradigm) = if f.has_more() {
        let _canonical_name = f.u32()?;
        (f.u8()?, f.u8()?)
    } else {
        legacy_region(legacy)
    };
    Some(RawRegion { id, name, file, line, role, paradigm })
}

fn group(f: &mut Fields) -> Option<RawGroup> {
    let (id, _name, legacy) = (f.u32()?, f.u32()?, f.u8()?);
    let count = f.u32()? as usize;
    // Every member takes at least one byte: the payload, not the claim, decides how much is allocated.
    let mut members = Vec::with_capacity(count.min(f.remaining()));
    for _ in 0..count {
        members.push(f.u64()?);
    }
    let (kind, paradigm, flags) =
        if f.has_more() { (f.u8()?, f.u8()?, f.u32()?) } else { (legacy_group(legacy).0, legacy_group(legacy).1, 0) };
    Some(RawGroup { id, members, kind, paradigm, flags })
}
