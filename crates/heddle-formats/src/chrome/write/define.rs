//! Processes and threads: their numbers and names, and what [`super::super::stated`] reads again.

use std::io::{self, Write};

use heddle_model::{Definitions, LocationId, SystemNode, SystemNodeId};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::text::{member, string};

/// Where everything goes.
pub(super) struct Places {
    /// Process of each location.
    pids: Vec<u64>,
    /// Locations of each process.
    counts: FxHashMap<u64, u32>,
    /// The members `pid` and `tid` of each location.
    suffixes: Vec<Box<[u8]>>,
    /// The members `name` and `cat` of each region.
    pub(super) regions: Vec<Box<[u8]>>,
}

/// The number of a location's thread.
pub(super) fn tid(location: LocationId) -> u64 {
    u64::from(location.0) + 1
}

impl Places {
    pub(super) fn of(definitions: &Definitions) -> Places {
        let mut pids = Vec::with_capacity(definitions.locations.len());
        let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
        let mut others: FxHashMap<(Option<SystemNodeId>, u32), u64> = FxHashMap::default();
        let ranks = definitions.world.len() as u64;
        for (at, location) in definitions.locations.iter().enumerate() {
            let pid = if location.rank.is_some() && u64::from(location.rank.0) < ranks {
                u64::from(location.rank.0)
            } else {
                // Without a process every location is one.
                let process = process_of(definitions, location.parent);
                let next = ranks + others.len() as u64;
                *others.entry((process, process.map_or(at as u32, |_| u32::MAX))).or_insert(next)
            };
            *counts.entry(pid).or_insert(0) += 1;
            pids.push(pid);
        }
        let suffix = |(at, pid): (usize, &u64)| {
            let mut out = Vec::new();
            member(&mut out, "pid", *pid);
            member(&mut out, "tid", tid(LocationId(at as u32)));
            out.into_boxed_slice()
        };
        let regions = definitions.regions.iter().map(|region| {
            let mut out = b"\"name\":".to_vec();
            string(&mut out, &region.name);
            out.extend_from_slice(b",\"cat\":");
            string(&mut out, region.paradigm.name());
            out.into_boxed_slice()
        });
        let regions = regions.collect();
        Places { suffixes: pids.iter().enumerate().map(suffix).collect(), pids, counts, regions }
    }

    /// The members `pid` and `tid`.
    pub(super) fn suffix(&self, location: LocationId) -> &[u8] {
        self.suffixes.get(location.index()).map_or(b",\"pid\":0,\"tid\":0", |suffix| suffix)
    }

    /// Whether a location is alone in its process.
    pub(super) fn is_alone(&self, location: LocationId) -> bool {
        self.pids.get(location.index()).and_then(|pid| self.counts.get(pid)) == Some(&1)
    }

    /// Writes all metadata; `settle` is called between.
    pub(super) fn write(
        &self,
        definitions: &Definitions,
        out: &mut Vec<u8>,
        settle: &mut dyn FnMut(&mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<()> {
        let put = |out: &mut Vec<u8>, name: &str, place: &[u8], arguments: &Value| {
            if out.last() == Some(&b'}') {
                out.extend_from_slice(b",\n");
            }
            write!(out, "{{\"ph\":\"M\",\"name\":\"{name}\"")?;
            out.extend_from_slice(place);
            out.extend_from_slice(b",\"args\":");
            serde_json::to_writer(&mut *out, arguments)?;
            out.push(b'}');
            Ok::<(), io::Error>(())
        };
        // What follows begins with a comma, so that there must be something before.
        put(out, "heddle_trace", b",\"pid\":0,\"tid\":0", &json!({"version": 1}))?;
        let mut known = vec![false; definitions.world.len() + definitions.locations.len()];
        for (at, (location, pid)) in definitions.locations.iter().zip(&self.pids).enumerate() {
            let place = self.suffix(LocationId(at as u32));
            if !std::mem::replace(&mut known[*pid as usize], true) {
                let main = definitions.world.get(*pid as usize).copied();
                let node = process_of(definitions, location.parent);
                let named =
                    node.and_then(|node| definitions.system_tree.get(node.index())).map(|node| node.name.as_str());
                let title = match (named, main) {
                    (Some(name), _) if !name.is_empty() => name.to_owned(),
                    (_, Some(_)) => format!("rank {pid}"),
                    _ => format!("process {pid}"),
                };
                put(out, "process_name", place, &json!({ "name": title }))?;
                put(out, "process_sort_index", place, &json!({ "sort_index": pid }))?;
                if let Some(main) = main {
                    put(out, "heddle_process", place, &json!({ "rank": pid, "main": tid(main) }))?;
                }
            }
            put(out, "thread_name", place, &json!({ "name": location.name }))?;
            put(out, "thread_sort_index", place, &json!({ "sort_index": at + 1 }))?;
            put(out, "heddle_location", place, &json!({ "kind": location.kind.name() }))?;
            settle_keeping_last(out, settle)?;
        }
        let whole = b",\"pid\":0,\"tid\":0";
        for region in &definitions.regions {
            let mut said = json!({"name": region.name, "paradigm": region.paradigm.name(), "role": region.role.name()});
            if let Some(file) = &region.file {
                said["file"] = file.as_str().into();
            }
            if let Some(line) = region.line {
                said["line"] = line.into();
            }
            put(out, "heddle_region", whole, &said)?;
            settle_keeping_last(out, settle)?;
        }
        for metric in &definitions.metrics {
            let said = json!({"name": metric.name, "unit": metric.unit, "mode": metric.mode.name()});
            put(out, "heddle_metric", whole, &said)?;
        }
        let list = |members: &[LocationId]| -> Value {
            members.iter().map(|one| if one.is_some() { tid(*one).into() } else { Value::Null }).collect()
        };
        for comm in &definitions.communicators {
            let mut said = json!({"name": comm.name, "members": list(&comm.members)});
            if let Some(remote) = &comm.remote {
                said["remote"] = list(remote);
            }
            if let Some(parent) = comm.parent {
                said["parent"] = parent.0.into();
            }
            if comm.is_self {
                said["self"] = true.into();
            }
            put(out, "heddle_communicator", whole, &said)?;
            settle_keeping_last(out, settle)?;
        }
        Ok(())
    }
}

/// Hands over what is there; whether a comma is needed is told from what is left.
fn settle_keeping_last(out: &mut Vec<u8>, settle: &mut dyn FnMut(&mut Vec<u8>) -> io::Result<()>) -> io::Result<()> {
    let brace = out.pop();
    settle(out)?;
    out.extend(brace);
    Ok(())
}

/// The process that a place belongs to; the place itself if there is none.
fn process_of(definitions: &Definitions, place: Option<SystemNodeId>) -> Option<SystemNodeId> {
    let mut at = place;
    while let Some(node) = at.and_then(|id| definitions.system_tree.get(id.index())) {
        if node.class == SystemNode::PROCESS {
            return at;
        }
        // Parents come before their children.
        at = node.parent.filter(|parent| at.is_some_and(|child| *parent < child));
    }
    place
}
