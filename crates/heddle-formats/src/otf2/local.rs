//! A location's own definitions: how its ids map to global ones, and how its clock is off.

use heddle_model::{CommId, RegionId, Warnings};

use super::bytes::Fields;
use super::clock::{ClockOffset, Correction};
use super::framing::for_each_record;
use super::ids::IdMap;
use super::resolve::GlobalIds;

mod kind {
    pub(super) const REGION: u8 = 3;
    pub(super) const METRIC: u8 = 5;
    pub(super) const COMM: u8 = 6;
    pub(super) const CALLING_CONTEXT: u8 = 10;
}

/// What one location's definition file says. Kinds without a map are global already.
#[derive(Default)]
pub(crate) struct LocalDefinitions {
    pub(crate) regions: Option<IdMap<RegionId>>,
    pub(crate) comms: Option<IdMap<CommId>>,
    pub(crate) metrics: Option<IdMap<u32>>,
    pub(crate) calling_contexts: Option<IdMap<RegionId>>,
    pub(crate) correction: Correction,
}

impl LocalDefinitions {
    pub(crate) fn parse(
        bytes: &[u8],
        chunk_size: Option<u64>,
        name: &str,
        ids: &GlobalIds,
        warnings: &mut Warnings,
    ) -> LocalDefinitions {
        let mut local = LocalDefinitions::default();
        let mut offsets = Vec::new();
        for_each_record(bytes, chunk_size, name, warnings, |id, fields| {
            match id {
                5 => local.mapping_table(fields, ids)?,
                6 => offsets.push(ClockOffset { time: fields.raw64()?, offset: fields.i64()? }),
                _ => {}
            }
            Some(())
        });
        local.correction = Correction::new(&offsets);
        local
    }

    /// About what they take.
    pub(crate) fn bytes(&self) -> usize {
        fn of<T: Copy>(map: Option<&IdMap<T>>) -> usize {
            map.map_or(0, IdMap::bytes)
        }
        of(self.regions.as_ref())
            + of(self.comms.as_ref())
            + of(self.metrics.as_ref())
            + of(self.calling_contexts.as_ref())
            + self.correction.bytes()
    }

    fn mapping_table(&mut self, fields: &mut Fields, ids: &GlobalIds) -> Option<()> {
        let (table, count, sparse) = (fields.u8()?, fields.u64()?, fields.u8()? == 1);
        // An entry takes a byte or more: the claim cannot make us allocate what is not there.
        let mut entries = Vec::with_capacity(usize::try_from(count).ok()?.min(fields.remaining()));
        for position in 0..count {
            let local = if sparse { fields.u64()? } else { position };
            entries.push((local, fields.u64()?));
        }
        match table {
            kind::REGION => self.regions = Some(compose(&entries, &ids.regions, Some(ids.undefined_region))),
            kind::METRIC => self.metrics = Some(compose(&entries, &ids.metrics, None)),
            kind::COMM => self.comms = Some(compose(&entries, &ids.comms, None)),
            kind::CALLING_CONTEXT => {
                self.calling_contexts = Some(compose(&entries, &ids.calling_contexts, Some(ids.undefined_region)));
            }
            _ => {}
        }
        Some(())
    }
}

/// From local ids straight to the model's.
fn compose<T: Copy>(entries: &[(u64, u64)], global: &IdMap<T>, otherwise: Option<T>) -> IdMap<T> {
    IdMap::new(entries.iter().filter_map(|(local, id)| Some((*local, global.get(*id).or(otherwise)?))))
}
