//! What costs time and is nobody's fault in particular: ranks that work in turn, receives that come late, messages received
//! in another order than they were sent, transfers that nothing hides.

use heddle_model::{LocationId, Ns, RegionId};
use rustc_hash::FxHashMap;

use crate::efficiency::Efficiency;
use crate::finding::FindingKind;
use crate::links::Linked;
use crate::rows::Rows;
use crate::run::Run;
use crate::suspect::Suspect;
use crate::waits::{Wait, WaitKind};

/// What takes less of the time of all ranks is not worth a sentence.
const LEAST_SHARE: f64 = 0.02;
/// Transfers take something of every run; from this part on they are worth a sentence.
const LEAST_EXPOSED: f64 = 0.05;
/// Receiving in another order matters from this part of the waiting for senders on.
const LEAST_WRONG: f64 = 0.2;
/// Ranks work in turn if even an ideal network would let the busiest compute for less of the run, and they do about the same.
/// Chance alone, which every step waits for the slowest by, takes a quarter where computing varies by a fifth.
const LEAST_SERIALISATION: f64 = 0.5;
const LEAST_BALANCE: f64 = 0.8;
/// And if that is so many times what uneven work costs.
const TIMES_IMBALANCE: f64 = 2.0;
/// And if so much of the waiting is for others that wait.
const LEAST_INDIRECT: f64 = 0.5;

/// Something that costs time, and its share of the time of all ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What it is, and where it shows.
    pub suspect: Suspect,
    /// What it costs.
    pub share: f64,
}

/// Looks for patterns, the dearest first.
pub fn patterns(rows: &Rows<'_>, run: &Run, whole: &Efficiency, linked: &Linked) -> Vec<Found> {
    let all = (whole.elapsed as f64 * whole.ranks as f64).max(1.0);
    let of = |kinds: &[WaitKind]| Waiting::new(rows, run, |wait| kinds.contains(&wait.kind()));
    let mut found = Vec::new();
    found.extend(serial_chain(rows, run, whole));
    let late = of(&[WaitKind::LateReceiver]);
    found.extend(late.found(rows, FindingKind::LateReceiver, all));
    let (wrong, senders) = (of(&[WaitKind::WrongOrder]), of(&[WaitKind::WrongOrder, WaitKind::LateSender]));
    if wrong.time as f64 >= LEAST_WRONG * senders.time as f64 {
        found.extend(wrong.found(rows, FindingKind::WrongOrder, all));
    }
    let blames_network = linked.suspects.iter().any(|suspect| suspect.kind == FindingKind::SlowNetwork);
    if linked.network.share >= LEAST_EXPOSED && !blames_network {
        let suspect = Suspect::throughout(FindingKind::ExposedCommunication, rows.run);
        let suspect = Suspect { visits: linked.network.transfers, ..suspect };
        found.push(Found { suspect, share: linked.network.share });
    }
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    found
}

/// Ranks work one after the other: little is lost to uneven work, much to waiting in turn, and the path goes through at least
/// half of the ranks.
fn serial_chain(rows: &Rows<'_>, run: &Run, whole: &Efficiency) -> Option<Found> {
    let [imbalance, serialisation, _] = whole.lost();
    let is_even = whole.load_balance() >= LEAST_BALANCE && serialisation >= TIMES_IMBALANCE * imbalance;
    let hops = run.path.windows(2).filter(|pieces| pieces[0].location != pieces[1].location).count();
    let waiting = run.delays.direct + run.delays.indirect;
    let is_chain = 2 * hops >= rows.len() && run.delays.indirect >= LEAST_INDIRECT * waiting;
    if whole.serialisation() >= LEAST_SERIALISATION || !is_even || !is_chain {
        return None;
    }
    let mut suspect = Suspect::throughout(FindingKind::SerialChain, rows.run);
    suspect.visits = hops as u64;
    suspect.slow_visits = hops as u64;
    // A hop of the path, on average.
    suspect.found = whole.elapsed as f64 / hops.max(1) as f64;
    suspect.place.region = Waiting::new(rows, run, |_| true).region;
    Some(Found { suspect, share: serialisation })
}

/// Waiting of some kind, as far as rows are known.
struct Waiting {
    count: u64,
    time: i64,
    /// From when on, until when.
    span: Option<(i64, i64)>,
    /// Where, in order.
    locations: Vec<LocationId>,
    /// The function in which most of it is.
    region: RegionId,
}

impl Waiting {
    fn new(rows: &Rows<'_>, run: &Run, is_of: impl Fn(&Wait) -> bool) -> Waiting {
        let (mut count, mut time, mut span, mut locations) = (0, 0, None, Vec::new());
        let mut by_region: FxHashMap<RegionId, i64> = FxHashMap::default();
        for wait in run.waits.list.iter().filter(|wait| is_of(wait) && rows.of(wait.location).is_some()) {
            count += 1;
            time += wait.wait;
            let (from, to) = span.unwrap_or((wait.enter, wait.end()));
            span = Some((from.min(wait.enter), to.max(wait.end())));
            // Waits lie by row, so that each is met once.
            if locations.last() != Some(&wait.location) {
                locations.push(wait.location);
            }
            *by_region.entry(rows.store.spans.region.get(wait.span.0)).or_default() += wait.wait;
        }
        locations.sort_unstable();
        locations.dedup();
        let dearest = by_region.into_iter().max_by_key(|(region, time)| (*time, std::cmp::Reverse(*region)));
        let region = dearest.map_or(RegionId::NONE, |(region, _)| region);
        Waiting { count, time, span, locations, region }
    }

    fn found(self, rows: &Rows<'_>, kind: FindingKind, all: f64) -> Option<Found> {
        let share = self.time as f64 / all;
        if share < LEAST_SHARE {
            return None;
        }
        let mut suspect = Suspect::throughout(kind, rows.run);
        let count = self.count.max(1);
        suspect.place.region = self.region;
        (suspect.since, suspect.until) = self.span.map_or(rows.run, |(from, to)| (Ns(from), Ns(to)));
        suspect.found = self.time as f64 / count as f64;
        (suspect.visits, suspect.slow_visits) = (count, count);
        suspect.locations = self.locations;
        Some(Found { suspect, share })
    }
}
