//! What each communication row does: which operation, of which process group, with how many bytes.
//!
//! The name of a kernel is a hint and no fact: one kernel runs any operation. In the order of trust: the arguments on
//! the kernel; those of the `record_param_comms` row that its external id names; the row of the host around the call
//! that launched it; the kernel's name, which is said to be a guess.

use heddle_model::{CollectiveOp, WarningKind};
use rustc_hash::FxHashMap;

use super::arguments::element_bytes;
use super::info::rank_list;
use super::reading::Reading;
use super::rows::{CommArguments, CommRow, Part};

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Collective(CollectiveOp),
    /// To a global rank.
    Send(Option<u32>),
    /// From a global rank.
    Receive(Option<u32>),
    /// Not a communication: a wait, a set-up.
    Nothing,
}

/// One communication of one rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub(super) action: Action,
    /// Index in [`Communications::groups`].
    pub(super) group: u32,
    pub(super) file: u32,
    pub(super) sent: u64,
    pub(super) received: u64,
    /// Nanoseconds since 1970, if the file says so.
    pub(super) start: i64,
    pub(super) end: i64,
    /// When the host asked for it.
    pub(super) issued: i64,
    pub(super) sequence: Option<u64>,
    /// The id that all ranks give to it.
    pub(super) key: Option<u32>,
    /// Which operation of its group.
    pub(super) number: u32,
}

/// A communicator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CommGroup {
    pub(super) name: String,
    /// Global ranks, if known.
    pub(super) ranks: Option<Vec<u32>>,
    pub(super) size: u32,
}

/// All communications of a trace.
#[derive(Debug, Default)]
pub(super) struct Communications {
    pub(super) groups: Vec<CommGroup>,
    ids: FxHashMap<CommGroup, u32>,
    /// By communication row.
    pub(super) operations: FxHashMap<u32, Operation>,
}

/// How sure it is what a kernel does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    Said,
    Guessed,
}

/// Finds out what each row does. `world` is the number of ranks.
pub(super) fn communications(trace: &mut Reading, world: u32) -> Communications {
    let mut out = Communications::default();
    for file in 0..trace.files.len() as u32 {
        trace.launches[file as usize].sort_unstable();
        let context = Context::new(trace, file);
        let (mut kernels, mut said, mut nameless, mut on_host) = (0u64, 0u64, 0u64, 0u64);
        let rows = trace.comms.iter().enumerate().filter(|(_, row)| row.file == file && row.part == Part::Execution);
        for (at, row) in rows {
            let found = context.look(row);
            let group = out.group(trace, file, &found.arguments, world, &mut nameless);
            let operation = context.operation(row, &found, group);
            if trace.tables.tracks[row.track as usize].class.is_device() {
                kernels += 1;
                said += u64::from(found.trust == Trust::Said);
            } else {
                on_host += 1;
            }
            if operation.action != Action::Nothing {
                out.operations.insert(at as u32, operation);
            }
        }
        let name = || trace.files[file as usize].name.clone();
        if said < kernels {
            let text = format!(
                "{said} of {kernels} communication kernels recognised: for the others nothing says which operation they \
                 run; their names were taken for a hint"
            );
            trace.warnings.add_many(WarningKind::DoubtfulCollectives, kernels - said, name, &text);
            trace.warnings.add_many(
                WarningKind::UnusedRecords,
                trace.lost_launches,
                name,
                "more launches than fit in memory; the operations of some kernels are not known",
            );
        }
        let text = if on_host > 0 {
            "communications that name no process group were taken as operations of the whole world"
        } else {
            "communication kernels that name no process group were taken as operations of the whole world"
        };
        trace.warnings.add_many(WarningKind::Assumed, nameless, name, text);
    }
    out
}

/// What was found about a row.
struct Found {
    arguments: CommArguments,
    operation: String,
    issued: Option<i64>,
    trust: Trust,
}

/// The rows of one file by which kernels are understood.
struct Context<'t> {
    trace: &'t Reading<'t>,
    file: u32,
    by_external: FxHashMap<i64, &'t CommRow>,
    /// Rows of the host by thread, then start.
    host: Vec<&'t CommRow>,
}

impl<'t> Context<'t> {
    fn new(trace: &'t Reading<'t>, file: u32) -> Context<'t> {
        let mut host: Vec<&CommRow> =
            trace.comms.iter().filter(|row| row.file == file && row.part != Part::Execution).collect();
        host.sort_by_key(|row| (row.track, row.start, std::cmp::Reverse(row.end)));
        let parameters = host.iter().filter(|row| row.part == Part::Parameters && row.arguments.operation.is_some());
        let by_external = parameters.filter_map(|row| Some((row.arguments.external?, *row))).collect();
        Context { trace, file, by_external, host }
    }

    fn text(&self, id: Option<u32>) -> String {
        id.map(|id| self.trace.tables.text(id)).unwrap_or_default()
    }

    fn region(&self, row: &CommRow) -> String {
        String::from_utf8_lossy(self.trace.tables.regions.get(row.region)).into_owned()
    }

    /// The rows of the host around a call, innermost first.
    fn around(&self, thread: u32, time: i64) -> impl Iterator<Item = &'t CommRow> + '_ {
        let after = self.host.partition_point(|row| (row.track, row.start) <= (thread, time));
        let before = self.host[..after].iter().rev().take(64).take_while(move |row| row.track == thread);
        before.filter(move |row| row.end >= time).copied()
    }

    fn look(&self, row: &CommRow) -> Found {
        let said = |arguments: CommArguments, issued| Found {
            operation: self.text(arguments.operation),
            arguments,
            issued,
            trust: Trust::Said,
        };
        let parameters = row.arguments.external.and_then(|external| self.by_external.get(&external));
        if row.arguments.operation.is_some() {
            let mut arguments = row.arguments;
            if let Some(host) = parameters {
                // The number of the operation is newer than the copying of arguments.
                arguments.sequence = arguments.sequence.or(host.arguments.sequence);
                arguments.key = arguments.key.or(host.arguments.key);
            }
            return said(arguments, parameters.map(|host| host.start));
        }
        if let Some(host) = parameters {
            return said(host.arguments, Some(host.start));
        }
        let name = self.region(row);
        if name.starts_with("gloo:") {
            return Found { arguments: row.arguments, operation: name, issued: Some(row.start), trust: Trust::Said };
        }
        let launches = &self.trace.launches[self.file as usize];
        let launch = row.arguments.correlation.and_then(|correlation| {
            let at = launches.partition_point(|launch| launch.correlation < correlation);
            launches.get(at).filter(|launch| launch.correlation == correlation)
        });
        let mut scope = None;
        for host in launch.into_iter().flat_map(|launch| self.around(launch.thread, launch.time)) {
            if host.part == Part::Parameters && host.arguments.operation.is_some() {
                return said(host.arguments, Some(host.start));
            }
            if host.part == Part::Scope && scope.is_none() {
                scope = Some(host);
            }
        }
        match scope {
            Some(host) => Found {
                arguments: row.arguments,
                operation: self.region(host),
                issued: Some(host.start),
                trust: Trust::Said,
            },
            None => Found {
                arguments: row.arguments,
                operation: name,
                issued: launch.map(|launch| launch.time),
                trust: Trust::Guessed,
            },
        }
    }

    fn operation(&self, row: &CommRow, found: &Found, group: u32) -> Operation {
        let arguments = &found.arguments;
        let element = arguments.element.map_or(1, |id| element_bytes(self.trace.tables.texts.get(id)));
        let bytes = |elements: Option<u64>| elements.unwrap_or(0).saturating_mul(element);
        let base = self.trace.files[self.file as usize].base;
        let action = match action(&found.operation, found.trust == Trust::Guessed) {
            Action::Send(_) => Action::Send(arguments.destination),
            Action::Receive(_) => Action::Receive(arguments.source),
            other => other,
        };
        Operation {
            action,
            group,
            file: self.file,
            sent: bytes(arguments.sent),
            received: bytes(arguments.received),
            start: row.start.saturating_add(base),
            end: row.end.saturating_add(base),
            issued: found.issued.unwrap_or(row.start).saturating_add(base),
            sequence: arguments.sequence,
            key: arguments.key,
            number: 0,
        }
    }
}

impl Communications {
    /// The group of a row. Groups of the same name on different ranks may differ: their ranks are part of them.
    fn group(&mut self, trace: &Reading, file: u32, row: &CommArguments, world: u32, nameless: &mut u64) -> u32 {
        let name = row.group.map(|id| trace.tables.text(id)).unwrap_or_default();
        let listed = trace.files[file as usize].groups.iter().find(|group| group.name == name && row.group.is_some());
        let listed_ranks = listed.map(|group| group.ranks.clone()).filter(|ranks| !ranks.is_empty());
        let own = row.ranks.and_then(|id| rank_list(trace.tables.texts.get(id))).filter(|ranks| !ranks.is_empty());
        let mut ranks = own.or(listed_ranks);
        let size = ranks.as_ref().map(|ranks| ranks.len() as u32).or(row.size).or(listed.and_then(|group| group.size));
        if row.group.is_none() && ranks.is_none() {
            *nameless += 1;
        }
        let size = if row.group.is_none() && ranks.is_none() { world } else { size.unwrap_or(world) };
        if ranks.is_none() && size == world {
            ranks = Some((0..world).collect());
        }
        if let Some(ranks) = &mut ranks {
            ranks.sort_unstable();
            ranks.dedup();
        }
        let group = CommGroup { name, ranks, size };
        let next = self.groups.len() as u32;
        let id = *self.ids.entry(group.clone()).or_insert(next);
        if id == next {
            self.groups.push(group);
        }
        id
    }
}

const UNKNOWN: Action = Action::Collective(CollectiveOp::UNKNOWN);

/// What a name is if it contains this; the first that fits counts.
const SPELLINGS: [(&str, Action); 17] = {
    const fn op(number: u8) -> Action {
        Action::Collective(CollectiveOp(number))
    }
    [
        ("allreduce", Action::Collective(CollectiveOp::ALLREDUCE)),
        ("reducescatter", op(13)),
        ("allgather", op(6)),
        ("alltoallv", op(9)),
        ("alltoall", op(8)),
        ("broadcast", op(1)),
        ("barrier", Action::Collective(CollectiveOp::BARRIER)),
        ("sendrecv", UNKNOWN),
        ("coalesced", UNKNOWN),
        ("batch", UNKNOWN),
        ("gather", op(2)),
        ("scatter", op(4)),
        ("reduce", op(12)),
        ("send", Action::Send(None)),
        ("recv", Action::Receive(None)),
        // Not of kernels, which do something.
        ("wait", Action::Nothing),
        ("init", Action::Nothing),
    ]
};

/// The operation of a name, as the parameters, the rows of the host and the kernels spell it.
fn action(name: &str, from_kernel: bool) -> Action {
    let word: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let found = SPELLINGS.iter().find(|(part, _)| word.contains(part));
    match found {
        Some((_, Action::Nothing)) if from_kernel => UNKNOWN,
        Some((_, action)) => *action,
        None => UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_many_spellings() {
        let op = |number| Action::Collective(CollectiveOp(number));
        for (name, expected) in [
            ("allreduce", op(11)),
            ("nccl:all_reduce", op(11)),
            ("c10d::allreduce_", op(11)),
            ("allreduce_coalesced", op(11)),
            ("_allgather_base", op(6)),
            ("nccl:_all_gather_base", op(6)),
            ("_reduce_scatter_base", op(13)),
            ("all_to_allv", op(9)),
            ("nccl:all_to_all", op(8)),
            ("broadcast", op(1)),
            ("barrier", op(0)),
            ("reduce", op(12)),
            ("send", Action::Send(None)),
            ("nccl:recv 0<-1", Action::Receive(None)),
            ("wait", Action::Nothing),
            ("init", Action::Nothing),
        ] {
            assert_eq!(action(name, false), expected, "{name}");
        }
        let unknown = Action::Collective(CollectiveOp::UNKNOWN);
        assert_eq!(action("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", true), unknown);
        assert_eq!(action("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWork*)", true), unknown);
        assert_eq!(action("ncclDevKernel_AllGather_RING_LL(x)", true), op(6));
    }
}
