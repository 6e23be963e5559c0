//! What calls of a region mean for logical time, told by its name as MPI writes it, whatever the prefix.

use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::{Store, StoreError};

/// Regions by what matters here.
#[derive(Debug)]
pub(crate) struct Regions {
    flags: Vec<u8>,
}

/// How far around an end without a call the calls are looked at that touch it.
const NEAR: u64 = 16;

/// One of the non-blocking sends: runs of them are one event.
const ISEND: u8 = 1;
/// Waits for, or asks about, all of several requests.
const WAIT_ALL: u8 = 2;
/// Communicates.
const COMMUNICATES: u8 = 4;
/// Begins phases.
const PHASE: u8 = 8;
/// Completes receives.
const COMPLETES: u8 = 16;

impl Regions {
    pub(crate) fn of(store: &Store, phase: Option<RegionId>) -> Regions {
        let flags = (0..store.regions.len())
            .map(|region| {
                let name = plain(store.regions.name.get(region));
                let mut flags = match name.as_str() {
                    "isend" | "ibsend" | "issend" | "irsend" => ISEND,
                    "waitall" | "testall" => WAIT_ALL | COMPLETES,
                    _ if name.starts_with("wait") || name.starts_with("test") || name.contains("recv") => COMPLETES,
                    _ => 0,
                };
                let region = RegionId(region as u32);
                if store.regions.communicates(region) {
                    flags |= COMMUNICATES;
                }
                if phase == Some(region) {
                    flags |= PHASE;
                }
                flags
            })
            .collect();
        Regions { flags }
    }

    fn has(&self, region: RegionId, flag: u8) -> bool {
        self.flags.get(region.index()).is_some_and(|flags| flags & flag != 0)
    }

    pub(super) fn is_isend(&self, region: RegionId) -> bool {
        self.has(region, ISEND)
    }

    pub(super) fn is_wait_all(&self, region: RegionId) -> bool {
        self.has(region, WAIT_ALL)
    }

    /// The call that an end of a message or collective belongs to which lies in none.
    ///
    /// Some recorders write the record when the call is over already, at the same instant. Such an end belongs to a
    /// communication call that ends or begins just then; one that waits or receives goes first.
    #[cold]
    pub(crate) fn touching(&self, store: &Store, location: LocationId, time: Ns) -> Option<u64> {
        let (spans, range) = (&store.spans, store.spans_of(location));
        let after = spans.start.partition_point(range.clone(), |start| start <= time);
        (range.start.max(after.saturating_sub(NEAR))..after)
            .filter(|span| spans.end.get(*span) == time || spans.start.get(*span) == time)
            .filter(|span| self.has(spans.region.get(*span), COMMUNICATES))
            .max_by_key(|span| {
                let ends = spans.end.get(*span) == time;
                (self.has(spans.region.get(*span), COMPLETES), ends, *span)
            })
    }

    pub(super) fn begins_phase(&self, region: RegionId) -> bool {
        self.has(region, PHASE)
    }

    pub(super) fn len(&self) -> usize {
        self.flags.len()
    }
}

/// The name of an MPI function without its prefix, in small letters.
fn plain(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let rest = name.strip_prefix('p').filter(|rest| rest.starts_with("mpi_")).unwrap_or(&name);
    rest.strip_prefix("mpi_").unwrap_or(rest).trim_end_matches('_').to_owned()
}

/// The function that begins phases: the one with the shortest name that contains `wanted`.
pub fn phase_function(store: &Store, wanted: &str) -> Result<RegionId, StoreError> {
    let regions = &store.regions;
    let visited = || (0..regions.len()).filter(|region| regions.count.get(*region) > 0);
    let found = visited()
        .filter(|region| !wanted.is_empty() && regions.name.get(*region).contains(wanted))
        .min_by_key(|region| regions.name.get(*region).len());
    if let Some(region) = found {
        return Ok(RegionId(region as u32));
    }
    let mut close: Vec<(usize, &str)> =
        visited().map(|region| regions.name.get(region)).map(|name| (distance(wanted, name), name)).collect();
    close.sort_unstable();
    close.dedup();
    let names: Vec<&str> = close.iter().take(3).map(|(_, name)| *name).collect();
    let offer = match names.as_slice() {
        [] => "the trace has no functions at all".to_owned(),
        names => format!("close to it are {}", names.join(", ")),
    };
    Err(StoreError::Trace(format!("no function of the trace has a name that contains `{wanted}`; {offer}")))
}

/// How many letters must change, come or go to make one name the other, whatever their case.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.to_lowercase().chars().take(200).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, letter) in left.to_lowercase().chars().take(200).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (place, other) in right.iter().enumerate() {
            let cost = diagonal + usize::from(letter != *other);
            diagonal = row[place + 1];
            row[place + 1] = cost.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[right.len()]
}
