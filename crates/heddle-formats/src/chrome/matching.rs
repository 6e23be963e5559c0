//! Which operations of different ranks are the same one: numbers for the operations of each group.
//!
//! In the order of trust: the id that all ranks give to an operation; its sequence number in the group; its position,
//! if the operations of all ranks agree one by one and overlap in time after one shift of the clocks; else operations of
//! the same kind that overlap in time. Windows do not open at the same operation on all ranks, and tools thin files out,
//! so that position alone proves nothing.

use heddle_model::{WarningKind, Warnings};
use rustc_hash::FxHashMap;

use super::comms::{Action, Communications, Operation};

/// Numbers the operations of every group, from 0 without gaps.
pub(super) fn number_operations(communications: &mut Communications, warnings: &mut Warnings) {
    let mut by_group: Vec<Vec<(u32, Operation)>> = vec![Vec::new(); communications.groups.len()];
    for (row, operation) in &communications.operations {
        if matches!(operation.action, Action::Collective(_)) {
            by_group[operation.group as usize].push((*row, *operation));
        }
    }
    for (group, mut operations) in by_group.into_iter().enumerate() {
        // Rows are numbered in the order of the files, so this does not depend on the order of the map.
        operations.sort_unstable_by_key(|(row, operation)| (operation.file, operation.issued, *row));
        let ranks: Vec<&[(u32, Operation)]> = operations.chunk_by(|a, b| a.1.file == b.1.file).collect();
        let name = || format!("process group \"{}\"", communications.groups[group].name);
        let instances = by_key(&ranks).or_else(|| {
            let told = by_sequence(&ranks);
            if let Some(Err(())) = told {
                let text = "sequence numbers of collectives contradict their operations; they were not used";
                warnings.add(WarningKind::DoubtfulCollectives, name, text);
            }
            told.and_then(Result::ok)
        });
        let instances = instances.unwrap_or_else(|| {
            by_position(&ranks).unwrap_or_else(|| {
                let text = "the operations of the ranks do not agree one by one; those of a kind that overlap in time \
                            were taken as the same";
                warnings.add(WarningKind::DoubtfulCollectives, name, text);
                by_time(&ranks)
            })
        });
        number(communications, instances);
    }
}

/// For each rank and each of its operations, some name of the operation that is the same on all ranks.
type Instances = Vec<(u32, i64, u64)>;

/// Gives dense numbers in the order of time.
fn number(communications: &mut Communications, instances: Instances) {
    let mut first: FxHashMap<u64, i64> = FxHashMap::default();
    for (_, issued, instance) in &instances {
        let time = first.entry(*instance).or_insert(i64::MAX);
        *time = (*time).min(*issued);
    }
    let mut order: Vec<(i64, u64)> = first.into_iter().map(|(instance, time)| (time, instance)).collect();
    order.sort_unstable();
    let numbers: FxHashMap<u64, u32> =
        order.iter().enumerate().map(|(number, (_, instance))| (*instance, number as u32)).collect();
    for (row, _, instance) in instances {
        if let Some(operation) = communications.operations.get_mut(&row) {
            operation.number = numbers[&instance];
        }
    }
}

/// Names instances by a number that each operation has; several of one rank with the same are told apart by position.
fn by_number(ranks: &[&[(u32, Operation)]], number: impl Fn(&Operation) -> Option<u64>) -> Option<Instances> {
    let mut names: FxHashMap<(u64, u32), u64> = FxHashMap::default();
    let mut instances = Vec::new();
    for rank in ranks {
        let mut seen: FxHashMap<u64, u32> = FxHashMap::default();
        for (row, operation) in *rank {
            let number = number(operation)?;
            let times = seen.entry(number).or_insert(0);
            let next = names.len() as u64;
            let name = *names.entry((number, *times)).or_insert(next);
            *times += 1;
            instances.push((*row, operation.issued, name));
        }
    }
    Some(instances)
}

fn by_key(ranks: &[&[(u32, Operation)]]) -> Option<Instances> {
    by_number(ranks, |operation| operation.key.map(u64::from))
}

/// `Err` if operations of the same number are different ones.
fn by_sequence(ranks: &[&[(u32, Operation)]]) -> Option<Result<Instances, ()>> {
    let instances = by_number(ranks, |operation| operation.sequence)?;
    let mut actions: FxHashMap<u64, Action> = FxHashMap::default();
    let all = ranks.iter().flat_map(|rank| rank.iter());
    let agree = all.zip(&instances).filter(|((_, operation), (_, _, instance))| {
        *actions.entry(*instance).or_insert(operation.action) == operation.action
    });
    let agreeing = agree.count();
    Some(if agreeing * 10 >= instances.len() * 9 { Ok(instances) } else { Err(()) })
}

/// The k-th of each rank, if that is plausible.
fn by_position(ranks: &[&[(u32, Operation)]]) -> Option<Instances> {
    let (first, others) = ranks.split_first()?;
    for rank in others {
        if rank.len() != first.len() || rank.iter().zip(*first).any(|(a, b)| a.1.action != b.1.action) {
            return None;
        }
        // Clocks of different machines differ; all operations end together, give or take.
        let mut shifts: Vec<i64> = rank.iter().zip(*first).map(|(a, b)| a.1.end.saturating_sub(b.1.end)).collect();
        shifts.sort_unstable();
        let shift = shifts[shifts.len() / 2];
        let overlapping = rank.iter().zip(*first).filter(|(a, b)| {
            let (start, end) = (a.1.start.saturating_sub(shift), a.1.end.saturating_sub(shift));
            start <= b.1.end && b.1.start <= end
        });
        if overlapping.count() * 10 < rank.len() * 9 {
            return None;
        }
    }
    let position = |rank: &&[(u32, Operation)]| {
        let named = rank.iter().enumerate().map(|(at, (row, operation))| (*row, operation.issued, at as u64));
        named.collect::<Instances>()
    };
    Some(ranks.iter().flat_map(position).collect())
}

/// An operation that is going on in [`by_time`].
struct Open {
    name: u64,
    action: Action,
    start: i64,
    end: i64,
    files: Vec<u32>,
}

/// Operations of the same kind that overlap, the ends nearest to each other first.
fn by_time(ranks: &[&[(u32, Operation)]]) -> Instances {
    let mut all: Vec<&(u32, Operation)> = ranks.iter().flat_map(|rank| rank.iter()).collect();
    all.sort_unstable_by_key(|(row, operation)| (operation.start, *row));
    let mut open: Vec<Open> = Vec::new();
    let mut instances = Vec::new();
    let mut names = 0;
    for (row, operation) in all {
        open.retain(|instance| instance.end >= operation.start);
        let fitting = open.iter_mut().filter(|instance| {
            instance.action == operation.action
                && !instance.files.contains(&operation.file)
                && instance.start <= operation.end
        });
        let name = if let Some(instance) = fitting.min_by_key(|instance| instance.end.abs_diff(operation.end)) {
            instance.files.push(operation.file);
            instance.end = instance.end.max(operation.end);
            instance.name
        } else {
            open.push(Open {
                name: names,
                action: operation.action,
                start: operation.start,
                end: operation.end,
                files: vec![operation.file],
            });
            names += 1;
            names - 1
        };
        instances.push((*row, operation.issued, name));
    }
    instances
}
