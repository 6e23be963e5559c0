//! Writes what a trace defines, together with what the walk over it counted.

use std::hash::Hasher;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use heddle_model::{CommId, LocationId, RegionId, Warnings};

use crate::StoreError;
use crate::build::{BuildContext, CommsInUse, LocationTotals, RegionTotals};
use crate::table::{TableWriter, write_table};
use crate::tables::{
    CommunicatorMemberRows, CommunicatorRows, LocationRows, MetricRows, RegionRows, SystemNodeRows, WarningRows,
    WorkerRows,
};

/// Writes the definition tables that are known once all locations were walked.
pub(crate) fn write_definitions(
    context: &BuildContext,
    locations: &[LocationTotals],
    totals: &FxHashMap<RegionId, RegionTotals>,
) -> Result<(), StoreError> {
    write_system_tree(context)?;
    write_locations(context, locations)?;
    write_regions(context, totals)?;
    write_metrics(context)?;
    write_workers(context)
}

fn write_system_tree(context: &BuildContext) -> Result<(), StoreError> {
    let mut rows = SystemNodeRows::default();
    for node in &context.definitions.system_tree {
        rows.name.push(node.name.clone());
        rows.class.push(node.class.clone());
        rows.parent.push(node.parent.into());
    }
    write_table(context.directory, rows).map(drop)
}

fn write_locations(context: &BuildContext, totals: &[LocationTotals]) -> Result<(), StoreError> {
    let mut rows = LocationRows::default();
    // Locations without events lie between the others: their (empty) stretch begins where the next one does.
    let mut next_span = 0;
    let world = &context.definitions.world;
    for (at, (location, total)) in context.definitions.locations.iter().zip(totals).enumerate() {
        let first_span = if total.spans > 0 { total.first_span } else { next_span };
        next_span = first_span + total.spans;
        let is_main = world.get(location.rank.index()) == Some(&LocationId(at as u32));
        rows.file_id.push(location.file_id);
        rows.name.push(location.name.clone());
        rows.kind.push(location.kind.name().into());
        rows.parent.push(location.parent.into());
        rows.rank.push(location.rank);
        rows.is_main.push(u8::from(is_main));
        rows.first_span.push(first_span);
        rows.spans.push(total.spans);
        rows.events.push(total.events);
        rows.last.push(total.last.unwrap_or(heddle_model::Ns::NONE));
    }
    write_table(context.directory, rows).map(drop)
}

fn write_regions(context: &BuildContext, totals: &FxHashMap<RegionId, RegionTotals>) -> Result<(), StoreError> {
    let mut rows = RegionRows::default();
    for (at, region) in context.definitions.regions.iter().enumerate() {
        let total = totals.get(&RegionId(at as u32)).copied().unwrap_or_default();
        rows.name.push(region.name.clone());
        rows.paradigm.push(region.paradigm.name().to_owned());
        rows.role.push(region.role.name().to_owned());
        rows.file.push(region.file.clone().unwrap_or_default());
        rows.line.push(region.line.unwrap_or(u32::MAX));
        rows.colour.push(region.colour.unwrap_or(u32::MAX));
        rows.count.push(total.count);
        rows.total.push(total.total);
        rows.exclusive.push(total.exclusive);
    }
    write_table(context.directory, rows).map(drop)
}

fn write_metrics(context: &BuildContext) -> Result<(), StoreError> {
    let mut rows = MetricRows::default();
    for metric in &context.definitions.metrics {
        rows.name.push(metric.name.clone());
        rows.unit.push(metric.unit.clone());
        rows.mode.push(metric.mode.name().to_owned());
    }
    write_table(context.directory, rows).map(drop)
}

fn write_workers(context: &BuildContext) -> Result<(), StoreError> {
    let mut rows = WorkerRows::default();
    for worker in &context.definitions.workers {
        rows.location.push(worker.location);
        rows.kind.push(worker.kind.clone());
    }
    write_table(context.directory, rows).map(drop)
}

/// Writes what was odd; last, when everything odd has been met.
pub(crate) fn write_warnings(context: &BuildContext, warnings: &Warnings) -> Result<(), StoreError> {
    let mut rows = WarningRows::default();
    for warning in warnings.to_vec() {
        rows.kind.push(warning.kind.name());
        rows.count.push(warning.count);
        rows.place.push(warning.place);
        rows.text.push(warning.text);
    }
    write_table(context.directory, rows).map(drop)
}

/// Member lists are written once each, however many communicators share them.
struct MemberLists {
    writer: TableWriter<CommunicatorMemberRows>,
    first_rows: FxHashMap<Arc<[LocationId]>, u64>,
}

impl MemberLists {
    fn first_row(&mut self, members: &Arc<[LocationId]>) -> Result<u64, StoreError> {
        if let Some(first) = self.first_rows.get(members) {
            return Ok(*first);
        }
        let first = self.writer.rows();
        self.writer.append(CommunicatorMemberRows { location: members.to_vec() })?;
        self.first_rows.insert(members.clone(), first);
        Ok(first)
    }
}

/// Writes communicators and their members; returns the number of distinct member lists in use.
pub(crate) fn write_communicators(context: &BuildContext, comms: &CommsInUse) -> Result<u64, StoreError> {
    let mut lists = MemberLists { writer: TableWriter::create(context.directory)?, first_rows: FxHashMap::default() };
    let mut rows = CommunicatorRows::default();
    let mut distinct = FxHashSet::default();
    for (at, comm) in context.definitions.communicators.iter().enumerate() {
        let used = comms.contains(CommId(at as u32));
        if used && !comm.is_self {
            let mut hasher = FxHasher::default();
            for member in comm.members.iter().chain(comm.remote.iter().flat_map(|remote| remote.iter())) {
                hasher.write_u32(member.0);
            }
            distinct.insert((comm.members.len(), hasher.finish()));
        }
        rows.name.push(comm.name.clone());
        rows.kind.push(
            if comm.is_self {
                "self"
            } else if comm.remote.is_some() {
                "inter"
            } else {
                "intra"
            }
            .to_owned(),
        );
        rows.parent.push(comm.parent.into());
        rows.first_member.push(lists.first_row(&comm.members)?);
        rows.members.push(comm.members.len() as u32);
        rows.first_remote.push(match &comm.remote {
            Some(remote) => lists.first_row(remote)?,
            None => u64::MAX,
        });
        rows.remote.push(comm.remote.as_ref().map_or(u32::MAX, |remote| remote.len() as u32));
        rows.used.push(u8::from(used));
    }
    write_table(context.directory, rows)?;
    lists.writer.finish()?;
    Ok(distinct.len() as u64)
}
