//! Partitions that follow each other: what lies on a cycle is merged.

use heddle_store::{Progress, StoreError};
use rayon::prelude::*;

use super::components::Graph;
use super::partitions::Partitions;

const NONE: u32 = u32::MAX;

/// Parts in an order in which each follows its predecessors.
pub(super) type Order = Vec<u32>;

/// Merges the parts of each cycle. Gives the parts, whose graph has no cycles, and their order.
pub(super) fn merge_cycles<'a>(
    parts: Partitions<'a>,
    progress: &dyn Progress,
) -> Result<(Partitions<'a>, Order), StoreError> {
    let (order, waiting) = peel_front(&parts, progress)?;
    if order.len() == parts.len() as usize {
        return Ok((parts, order));
    }
    drop(order);
    let core = peel_back(&parts, &waiting);
    drop(waiting);
    progress.check()?;
    let label = core_labels(&parts, &core);
    drop(core);
    progress.check()?;
    // Merging cycles makes no new ones.
    let parts = parts.relabelled(&label);
    let (order, _) = peel_front(&parts, progress)?;
    Ok((parts, order))
}

/// Takes parts off that have no predecessors left, in turn. Gives their order, and for each part how many predecessors it
/// still waits for: 0 for what was taken.
///
/// What became free last is taken first: that is near in memory, and the order is as good as any.
fn peel_front(parts: &Partitions, progress: &dyn Progress) -> Result<(Order, Vec<u32>), StoreError> {
    let waits = |part| parts.starts(part).iter().filter(|&&start| parts.before(start).is_some()).count() as u32;
    let mut waiting: Vec<u32> = (0..parts.len()).into_par_iter().map(waits).collect();
    let mut free: Vec<u32> = (0..parts.len()).filter(|&part| waiting[part as usize] == 0).collect();
    let mut order = Vec::with_capacity(parts.len() as usize);
    while let Some(part) = free.pop() {
        if order.len() % (1 << 20) == 0 {
            progress.check()?;
        }
        order.push(part);
        parts.for_successors(part, |next| {
            waiting[next as usize] -= 1;
            if waiting[next as usize] == 0 {
                free.push(next);
            }
        });
    }
    Ok((order, waiting))
}

/// Of the parts that wait, those that still have successors after what has none was taken off in turn: cycles and what
/// lies between them.
fn peel_back(parts: &Partitions, waiting: &[u32]) -> Vec<u32> {
    let mut successors = vec![0; waiting.len()];
    let mut free = Vec::new();
    for part in (0..parts.len()).filter(|&part| waiting[part as usize] > 0) {
        // What follows a part that waits, waits.
        parts.for_successors(part, |_| successors[part as usize] += 1);
        if successors[part as usize] == 0 {
            free.push(part);
        }
    }
    while let Some(part) = free.pop() {
        parts.for_predecessors(part, |previous| {
            if waiting[previous as usize] > 0 {
                successors[previous as usize] -= 1;
                if successors[previous as usize] == 0 {
                    free.push(previous);
                }
            }
        });
    }
    (0..parts.len()).filter(|&part| waiting[part as usize] > 0 && successors[part as usize] > 0).collect()
}

/// A label for each part: that of the smallest part on a cycle with it, or its own.
fn core_labels(parts: &Partitions, core: &[u32]) -> Vec<u32> {
    let mut place = vec![NONE; parts.len() as usize];
    for (node, &part) in (0..).zip(core) {
        place[part as usize] = node;
    }
    let mut graph = Graph { first: Vec::with_capacity(core.len() + 1), targets: Vec::new() };
    graph.first.push(0);
    for &part in core {
        parts.for_successors(part, |next| {
            if place[next as usize] != NONE {
                graph.targets.push(place[next as usize]);
            }
        });
        graph.first.push(graph.targets.len() as u32);
    }
    let component = graph.components();
    drop(graph);
    let mut smallest = vec![NONE; core.len()];
    let mut label = place;
    for part in 0..parts.len() {
        let node = label[part as usize];
        label[part as usize] = if node == NONE {
            part
        } else {
            let smallest = &mut smallest[component[node as usize] as usize];
            *smallest = part.min(*smallest);
            *smallest
        };
    }
    label
}
