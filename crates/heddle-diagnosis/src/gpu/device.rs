//! What the accelerators of each rank did: computing, communication, copies, and how much of that hides behind what.

use heddle_model::{Location, LocationId, LocationKind, Ns, Paradigm, RegionId, Role, SystemNodeId};
use heddle_store::{Columns as _, Progress, Store, StoreError};
use rayon::prelude::*;

use super::stretches::Stretches;

/// What a row of a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Computing,
    Communication,
    Copying,
    Nothing,
}

/// What the accelerators of a rank did.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceTime {
    /// Their streams, in the order of locations.
    pub streams: Vec<LocationId>,
    /// From when to when it is counted.
    pub window: (Ns, Ns),
    /// Time in kernels that compute.
    pub computing: i64,
    /// Time in kernels that communicate.
    pub communication: i64,
    /// Time in copies.
    pub copies: i64,
    /// Communication while kernels compute as well.
    pub hidden: i64,
    /// Communication while none computes.
    pub exposed_communication: i64,
    /// Copies while there is neither.
    pub exposed_copies: i64,
    /// How many kernels communicate.
    pub communications: u64,
}

impl DeviceTime {
    /// Adds up what some sets of moments have in common.
    fn of(streams: Vec<LocationId>, window: (Ns, Ns), busy: &Busy) -> DeviceTime {
        let Busy { computing, communication, copies, communications } = busy;
        let hidden = computing.and(communication).length();
        DeviceTime {
            streams,
            window,
            computing: computing.length(),
            communication: communication.length(),
            copies: copies.length(),
            hidden,
            exposed_communication: communication.length() - hidden,
            exposed_copies: copies.length_without(&computing.or(communication)),
            communications: *communications,
        }
    }

    /// How long the window is.
    pub fn length(&self) -> i64 {
        self.window.1.since(self.window.0)
    }

    /// Time in which nothing happens. Computing, what is exposed, and this are the window.
    pub fn idle(&self) -> i64 {
        self.length() - self.computing - self.exposed_communication - self.exposed_copies
    }

    /// Share of communication that hides behind computing; none without communication.
    pub fn overlap(&self) -> Option<f64> {
        (self.communication > 0).then(|| self.hidden as f64 / self.communication as f64)
    }
}

/// When something happens on some streams.
#[derive(Clone, Debug, Default)]
struct Busy {
    computing: Stretches,
    communication: Stretches,
    copies: Stretches,
    communications: u64,
}

impl Busy {
    fn or(&self, other: &Busy) -> Busy {
        Busy {
            computing: self.computing.or(&other.computing),
            communication: self.communication.or(&other.communication),
            copies: self.copies.or(&other.copies),
            communications: self.communications + other.communications,
        }
    }

    fn all(&self) -> Stretches {
        self.computing.or(&self.communication).or(&self.copies)
    }
}

/// Streams of accelerators, but for rows that only describe others.
pub(super) fn streams(store: &Store) -> Vec<LocationId> {
    let is_stream = |location: &LocationId| {
        let row = u64::from(location.0);
        store.locations.kind.get(row) == LocationKind::AcceleratorStream.name()
            && store.locations.spans.get(row) > 0
            && !Location::describes_others(store.locations.name.get(row))
    };
    (0..store.locations.len() as u32).map(LocationId).filter(is_stream).collect()
}

fn doing(store: &Store) -> Vec<Doing> {
    let of = |region: u32| {
        let paradigm = store.regions.paradigm_of(RegionId(region));
        match Role::from_name(store.regions.role.get(region.into())) {
            _ if paradigm.is_communication() => Doing::Communication,
            Role::Transfer => Doing::Copying,
            Role::Wait | Role::Artificial => Doing::Nothing,
            _ if matches!(paradigm, Paradigm::Idle | Paradigm::Measurement) => Doing::Nothing,
            _ => Doing::Computing,
        }
    };
    (0..store.regions.len() as u32).map(of).collect()
}

/// What a stream does from `from` to `to`.
fn busy(store: &Store, doing: &[Doing], stream: LocationId, from: i64, to: i64) -> Busy {
    let (spans, rows) = (&store.spans, store.spans_of(stream));
    let mut busy = Busy::default();
    (&spans.start, &spans.end, &spans.region).for_each(rows, |(start, end, region)| {
        let (start, end) = (start.0.max(from), end.0.min(to));
        let into = match doing.get(region.index()).copied().unwrap_or(Doing::Nothing) {
            _ if start >= end => return,
            Doing::Computing => &mut busy.computing,
            Doing::Communication => {
                busy.communications += 1;
                &mut busy.communication
            }
            Doing::Copying => &mut busy.copies,
            Doing::Nothing => return,
        };
        into.push(start, end);
    });
    busy
}

/// Streams and what they do, one entry for each value of `key`, in its order.
fn by<K: Ord + Copy + Send + Sync>(
    store: &Store,
    window: (Ns, Ns),
    progress: &dyn Progress,
    key: impl Fn(LocationId) -> K,
) -> Result<Vec<(Vec<LocationId>, Busy)>, StoreError> {
    let doing = doing(store);
    let mut streams: Vec<(K, LocationId)> = streams(store).into_iter().map(|stream| (key(stream), stream)).collect();
    streams.sort_unstable();
    let groups: Vec<&[(K, LocationId)]> = streams.chunk_by(|a, b| a.0 == b.0).collect();
    let of_group = |group: &&[(K, LocationId)]| {
        progress.check()?;
        let streams: Vec<LocationId> = group.iter().map(|(_, stream)| *stream).collect();
        let each = streams.iter().map(|stream| busy(store, &doing, *stream, window.0.0, window.1.0));
        let all = each.fold(Busy::default(), |all, one| all.or(&one));
        Ok((streams, all))
    };
    groups.par_iter().map(of_group).collect()
}

/// The accelerator, or else the process, that a stream belongs to; none if the trace does not say.
fn device(store: &Store, stream: LocationId) -> SystemNodeId {
    store.locations.parent.get(u64::from(stream.0))
}

/// What the accelerators of each rank did: in a window, or else from their first row to their last.
pub fn device_times(
    store: &Store,
    window: Option<(Ns, Ns)>,
    progress: &dyn Progress,
) -> Result<Vec<DeviceTime>, StoreError> {
    let whole = (Ns(i64::MIN), Ns(i64::MAX));
    let rank = |stream: LocationId| store.locations.rank.get(u64::from(stream.0));
    let groups = by(store, window.unwrap_or(whole), progress, |stream| {
        let rank = rank(stream);
        (rank, if rank.is_some() { SystemNodeId::NONE } else { device(store, stream) })
    })?;
    let time = |(streams, busy): (Vec<LocationId>, Busy)| {
        let window = window.or_else(|| busy.all().ends().map(|(from, to)| (Ns(from), Ns(to))))?;
        Some(DeviceTime::of(streams, window, &busy))
    };
    Ok(groups.into_iter().filter_map(time).collect())
}

/// How well the accelerators were used, as TALP counts; kernels that communicate are kernels there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceEfficiency {
    /// How many accelerators there are.
    pub devices: u64,
    /// Length of the window.
    pub elapsed: i64,
    /// Time in kernels, of all of them.
    pub kernels: i64,
    /// Time in kernels of the one that has most.
    pub most_kernels: i64,
    /// Time in kernels or copies of the one that has most.
    pub most_busy: i64,
    /// Time in kernels that compute, of all of them: what a straggler does not make longer.
    pub computing: i64,
}

impl DeviceEfficiency {
    /// How evenly kernels are spread over the accelerators.
    pub fn load_balance(self) -> f64 {
        share(self.kernels as f64 / self.devices.max(1) as f64, self.most_kernels as f64)
    }

    /// What copies leave.
    pub fn communication(self) -> f64 {
        share(self.most_kernels as f64, self.most_busy as f64)
    }

    /// What the host leaves: the busiest accelerator is idle for the rest.
    pub fn orchestration(self) -> f64 {
        share(self.most_busy as f64, self.elapsed as f64)
    }

    /// Share of the accelerators' time in kernels: the product of the three.
    pub fn parallel(self) -> f64 {
        share(self.kernels as f64, self.devices as f64 * self.elapsed as f64)
    }

    /// Share of the accelerators' time in kernels that compute.
    pub fn useful(self) -> f64 {
        share(self.computing as f64, self.devices as f64 * self.elapsed as f64)
    }
}

fn share(part: f64, of: f64) -> f64 {
    if of > 0.0 { part / of } else { 1.0 }
}

/// How well the accelerators were used in a window; none without accelerators.
pub fn device_efficiency(
    store: &Store,
    window: (Ns, Ns),
    progress: &dyn Progress,
) -> Result<Option<DeviceEfficiency>, StoreError> {
    let groups =
        by(store, window, progress, |stream| (store.locations.rank.get(u64::from(stream.0)), device(store, stream)))?;
    let elapsed = window.1.since(window.0);
    if groups.is_empty() || elapsed <= 0 {
        return Ok(None);
    }
    let mut all = DeviceEfficiency {
        devices: groups.len() as u64,
        elapsed,
        kernels: 0,
        most_kernels: 0,
        most_busy: 0,
        computing: 0,
    };
    for (_, busy) in &groups {
        let kernels = busy.computing.or(&busy.communication).length();
        all.kernels += kernels;
        all.most_kernels = all.most_kernels.max(kernels);
        all.most_busy = all.most_busy.max(busy.all().length());
        all.computing += busy.computing.length();
    }
    Ok(Some(all))
}
