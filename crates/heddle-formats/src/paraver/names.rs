//! Numbers of the file to ids of the model: regions, counters and communicators, in the order they were met.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use heddle_model::{
    CollectiveOp, CommId, Communicator, LocationId, MetricDefinition, MetricId, MetricMode, Paradigm, Region, RegionId,
    Role, WarningKind, Warnings,
};

use super::calls::{
    COLLECTIVE, Class, FILES, POINT_TO_POINT, STATE, STATES, Types, USER_FUNCTION, call_name, collective_op,
};
use super::header::Header;
use super::labels::Labels;

/// A communicator that a line defines or a collective names.
#[derive(Debug)]
struct Comm {
    application: u32,
    number: i64,
    /// As the line has it, until all lines are known.
    line: Option<CommLine>,
}

#[derive(Debug)]
enum CommLine {
    Alone,
    Group(Vec<i64>),
    Inter(i64, i64),
}

/// What has a name or number.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) regions: Vec<Region>,
    ops: Vec<CollectiveOp>,
    by_name: FxHashMap<String, RegionId>,
    by_value: FxHashMap<(u32, i64), RegionId>,
    pub(super) metrics: Vec<MetricDefinition>,
    by_kind: FxHashMap<u32, MetricId>,
    comms: Vec<Comm>,
    by_number: FxHashMap<(u32, i64), CommId>,
    /// How many lines defined communicators.
    pub(super) comm_lines: u64,
}

impl Names {
    #[inline]
    pub(super) fn region(&self, kind: u32, value: i64) -> Option<RegionId> {
        self.by_value.get(&(kind, value)).copied()
    }

    #[inline]
    pub(super) fn metric(&self, kind: u32) -> Option<MetricId> {
        self.by_kind.get(&kind).copied()
    }

    pub(super) fn communicator(&self, application: u32, number: i64) -> Option<CommId> {
        self.by_number.get(&(application, number)).copied()
    }

    pub(super) fn op(&self, region: RegionId) -> CollectiveOp {
        self.ops.get(region.index()).copied().unwrap_or(CollectiveOp::UNKNOWN)
    }

    /// Makes sure that a type and value have an id.
    pub(super) fn add(&mut self, kind: u32, value: i64, types: &Types, labels: &Labels) {
        if kind != STATE && types.class(kind) == Class::Counter {
            if self.by_kind.contains_key(&kind) {
                return;
            }
            let name = labels.type_name(kind).map_or_else(|| format!("counter {kind}"), str::to_owned);
            self.by_kind.insert(kind, MetricId(self.metrics.len() as u32));
            // Values are what came since the reading before.
            self.metrics.push(MetricDefinition { name, unit: String::new(), mode: MetricMode::Relative });
            return;
        }
        if self.by_value.contains_key(&(kind, value)) {
            return;
        }
        let region = region(kind, value, labels);
        let next = RegionId(self.regions.len() as u32);
        let id = *self.by_name.entry(region.name.clone()).or_insert(next);
        if id == next {
            let op = if kind == COLLECTIVE { collective_op(&region.name) } else { CollectiveOp::UNKNOWN };
            self.ops.push(op);
            self.regions.push(region);
        }
        self.by_value.insert((kind, value), id);
    }

    /// Makes sure that a communicator of an application has an id.
    pub(super) fn add_communicator(&mut self, application: u32, number: i64) -> CommId {
        let next = CommId(self.comms.len() as u32);
        let id = *self.by_number.entry((application, number)).or_insert(next);
        if id == next {
            self.comms.push(Comm { application, number, line: None });
        }
        id
    }

    /// Takes a line that defines a communicator; `None` if it makes no sense.
    pub(super) fn define(&mut self, line: &[u8]) -> Option<()> {
        let text = std::str::from_utf8(line).ok()?.trim_end();
        let mut fields = text.split(':');
        let kind = fields.next()?;
        let mut numbers = fields.map(str::parse::<i64>);
        let application = u32::try_from(numbers.next()?.ok()?.checked_sub(1)?).ok()?;
        let number = numbers.next()?.ok()?;
        let line = if kind.eq_ignore_ascii_case("i") {
            let (one, _, other) = (numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
            CommLine::Inter(one, other)
        } else {
            let _size = numbers.next()?.ok()?;
            let tasks = numbers.collect::<Result<Vec<_>, _>>().ok()?;
            if tasks == [-1] { CommLine::Alone } else { CommLine::Group(tasks) }
        };
        self.comm_lines += 1;
        let id = self.add_communicator(application, number);
        self.comms.get_mut(id.index())?.line = Some(line);
        Some(())
    }

    /// The communicators, once all lines are known.
    pub(super) fn communicators(&self, header: &Header, place: &str, warnings: &mut Warnings) -> Vec<Communicator> {
        let mut outside = 0;
        let mut groups: Vec<Arc<[LocationId]>> = Vec::with_capacity(self.comms.len());
        for comm in &self.comms {
            let members: Arc<[LocationId]> = match &comm.line {
                Some(CommLine::Group(tasks)) => {
                    let application = i64::from(comm.application) + 1;
                    let main = |task: &i64| header.main_of(application, *task).map_or(LocationId::NONE, LocationId);
                    let members: Arc<[LocationId]> = tasks.iter().map(main).collect();
                    outside += members.iter().filter(|member| !member.is_some()).count() as u64;
                    members
                }
                Some(_) => Arc::new([]),
                None => header.mains(comm.application).map(LocationId).collect(),
            };
            groups.push(members);
        }
        let undefined = self.comms.iter().filter(|comm| comm.line.is_none()).count() as u64;
        let whole = || place.to_owned();
        warnings.add_many(
            WarningKind::UndefinedReference,
            undefined,
            whole,
            "communicators that no line defines; they were taken as all tasks of their application",
        );
        let text = "communicators have members that their application does not have";
        warnings.add_many(WarningKind::UndefinedReference, outside, whole, text);
        let group = |application: u32, number: i64| {
            self.communicator(application, number)
                .map_or_else(|| Arc::new([]) as Arc<[LocationId]>, |id| groups[id.index()].clone())
        };
        let communicator = |(comm, members): (&Comm, &Arc<[LocationId]>)| {
            let (members, remote) = match comm.line {
                Some(CommLine::Inter(one, other)) => {
                    (group(comm.application, one), Some(group(comm.application, other)))
                }
                _ => (members.clone(), None),
            };
            let is_self = matches!(comm.line, Some(CommLine::Alone));
            Communicator { name: format!("communicator {}", comm.number), members, remote, parent: None, is_self }
        };
        self.comms.iter().zip(&groups).map(communicator).collect()
    }
}

fn region(kind: u32, value: i64, labels: &Labels) -> Region {
    if kind == STATE {
        let usual = usize::try_from(value).ok().and_then(|at| STATES.get(at).copied());
        let name = labels.state(value).filter(|name| !name.is_empty()).or(usual);
        let name = name.map_or_else(|| format!("state {value}"), str::to_owned);
        let (paradigm, role) = match value {
            0 => (Paradigm::Idle, Role::Function),
            1 => (Paradigm::User, Role::Function),
            3 | 8 => (Paradigm::Mpi, Role::Wait),
            4 | 10 => (Paradigm::Mpi, Role::Send),
            6 => (Paradigm::Mpi, Role::Test),
            11 => (Paradigm::Mpi, Role::Receive),
            12 => (Paradigm::Io, Role::FileIo),
            13 => (Paradigm::Mpi, Role::Collective),
            16 => (Paradigm::Mpi, Role::SendReceive),
            20 | 21 | 25 => (Paradigm::OneSided, Role::OneSided),
            7 => (Paradigm::OpenMp, Role::Parallel),
            _ => (Paradigm::Other, Role::Function),
        };
        return Region::named(name, paradigm, role);
    }
    let label = labels.value(kind, value);
    if (POINT_TO_POINT..=FILES).contains(&kind) {
        let customary = || call_name(value).unwrap_or_else(|| format!("MPI call {value}"));
        let name = label.map_or_else(customary, str::to_owned);
        // Some tables leave the prefix out.
        let name = match call_name(value) {
            Some(usual) if usual.strip_prefix("MPI_") == Some(name.as_str()) => usual,
            _ => name,
        };
        return Region::named(name, Paradigm::Mpi, Role::Function);
    }
    let title = labels.type_name(kind).unwrap_or("function");
    let name = label.map_or_else(|| format!("{title} {value}"), str::to_owned);
    let word = title.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|part| word.contains(part));
    let paradigm = match kind {
        USER_FUNCTION => Paradigm::User,
        _ if has(&["openmp", "omp "]) => Paradigm::OpenMp,
        _ if has(&["pthread"]) => Paradigm::Threads,
        _ if has(&["cuda", "opencl", "hip", "openacc", "gpu"]) => Paradigm::Accelerator,
        _ if has(&["task"]) => Paradigm::Task,
        _ if has(&["i/o"]) => Paradigm::Io,
        _ => Paradigm::User,
    };
    Region::named(name, paradigm, Role::Function)
}
