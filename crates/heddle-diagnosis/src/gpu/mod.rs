//! Accelerators: communication that is not hidden behind computing, and ranks that come late to collectives.
//!
//! On a device communication is a kernel like others: while it runs the device looks busy, whether it moves data or waits for
//! a rank that is late. So what is asked is how long devices communicate while nothing computes, and who comes last.

mod arrivals;
mod device;
mod stretches;

use heddle_model::{LocationId, Ns};
use heddle_store::{Progress, Store, StoreError};

pub use arrivals::{Arrivals, RankArrivals, arrivals};
pub use device::{DeviceEfficiency, DeviceTime, device_efficiency, device_times};
pub use stretches::Stretches;

use crate::finding::{Finding, FindingKind};
use crate::suspect::Suspect;
use crate::tasks::robust::median;

/// What costs less of the time of all ranks is not worth a sentence.
const LEAST_COST: f64 = 0.02;
/// Communication is exposed if it is so for this share of the devices' time.
const LEAST_EXPOSED: f64 = 0.1;

/// What is found on rows of accelerators; nothing where there are none.
pub fn gpu(store: &Store, progress: &dyn Progress) -> Result<Vec<Finding>, StoreError> {
    let times = device_times(store, None, progress)?;
    if times.is_empty() {
        return Ok(Vec::new());
    }
    let arrivals = arrivals(store, progress)?;
    let late = straggler(store, &arrivals, times.len());
    let waited = late.as_ref().map_or(0.0, |finding| finding.cost_share);
    let exposed = exposed(store, &times, &arrivals, waited);
    let mut findings: Vec<Finding> = late.into_iter().chain(exposed).collect();
    findings.sort_by(|a, b| b.cost_share.total_cmp(&a.cost_share));
    Ok(findings)
}

/// The run, from its first moment to its last.
fn run(store: &Store) -> (Ns, Ns) {
    (Ns(store.summary().start_ns), Ns(store.summary().end_ns))
}

fn suspect(store: &Store, kind: FindingKind, locations: Vec<LocationId>) -> Suspect {
    Suspect { locations, ..Suspect::throughout(kind, run(store)) }
}

/// The rank that the others wait for in collectives: what it takes from one to the next, and what others take.
fn straggler(store: &Store, arrivals: &Arrivals, ranks: usize) -> Option<Finding> {
    let of = &arrivals.ranks[arrivals.straggler()?];
    let (from, to) = run(store);
    let all = to.since(from) as f64 * ranks.max(arrivals.ranks.len()) as f64;
    let cost_share = of.made_wait as f64 / all;
    let mut others: Vec<f64> =
        arrivals.ranks.iter().filter(|other| other.rank != of.rank).map(|other| other.between).collect();
    let mut suspect = suspect(store, FindingKind::SlowRanks, vec![of.location]);
    suspect.usual = median(&mut others)?;
    suspect.found = of.between;
    (suspect.visits, suspect.slow_visits) = (of.whole, of.last);
    let waiting = arrivals.ranks.len() as u64 - 1;
    let is_one = (LEAST_COST..=1.0).contains(&cost_share) && suspect.found > suspect.usual;
    is_one.then(|| Finding::unreplayed(suspect, cost_share, waiting, (from, to)))
}

/// Communication that nothing hides, but for what waits for a straggler.
fn exposed(store: &Store, times: &[DeviceTime], arrivals: &Arrivals, waited: f64) -> Option<Finding> {
    let sum = |of: &dyn Fn(&DeviceTime) -> i64| times.iter().map(|time| of(time) as f64).sum::<f64>();
    let (exposed, windows) = (sum(&|time| time.exposed_communication), sum(&|time| time.length()));
    if exposed < LEAST_EXPOSED * windows {
        return None;
    }
    let (from, to) = run(store);
    let all = to.since(from).max(1) as f64 * times.len() as f64;
    let cost_share = (exposed / all - waited).clamp(0.0, 1.0 - waited);
    if cost_share < LEAST_COST {
        return None;
    }
    let most = times.iter().max_by_key(|time| (time.exposed_communication, std::cmp::Reverse(time.window.0)))?;
    let with = times.iter().filter(|time| time.exposed_communication > 0);
    let mut locations: Vec<LocationId> = with.flat_map(|time| &time.streams).copied().collect();
    locations.sort_unstable();
    let mut suspect = suspect(store, FindingKind::ExposedCommunication, locations);
    let communications: u64 = times.iter().map(|time| time.communications).sum();
    (suspect.visits, suspect.slow_visits) = (communications, communications);
    // A collective takes so long on a rank, and would take so long if all came at once.
    suspect.found = sum(&|time| time.communication) / communications.max(1) as f64;
    suspect.usual = arrivals.communication;
    let waiting = times.iter().filter(|time| time.exposed_communication > 0).count() as u64;
    Some(Finding::unreplayed(suspect, cost_share, waiting, most.window))
}
