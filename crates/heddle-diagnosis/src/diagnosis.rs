//! The verdict: suspects with what they cost, and what is left to chance.

use std::cmp::Reverse;

use heddle_model::Ns;
use heddle_store::{Derived, LongList, Progress, Store, StoreError};
use rayon::prelude::*;

use crate::clocks::{Clocks, clocks};
use crate::costs::{Costed, costs, is_of_messages};
use crate::detect::{Spread, detect};
use crate::efficiency::Efficiency;
use crate::finding::{Finding, FindingKind, Verdict};
use crate::links::links;
use crate::patterns::{Found, patterns};
use crate::rows::Rows;
use crate::run::{Replayable, Run};
use crate::suspect::{Cut, Suspect};
use crate::{gpu, kept, memory, tasks};

/// What costs less of the time of all ranks is not worth a sentence.
const LEAST_COST: f64 = 0.02;
/// More findings are not read.
const MOST_FINDINGS: usize = 8;
/// Suspects whose absence is replayed: each costs a pass over the run.
const MOST_REPLAYED: usize = 16;
/// So much waiting that nobody caused needs an explanation, or the word that there is none.
const MUCH_WAITING: f64 = 0.1;
/// A finding is shown in at least this part of the run.
const LEAST_WINDOW: i64 = 20;

/// What is to be said of a run.
#[derive(Debug)]
pub struct Diagnosis {
    /// In a word.
    pub verdict: Verdict,
    /// What costs time: what somebody is to blame for, then the rest, the dearest of each first.
    pub findings: Vec<Finding>,
    /// How well the whole run was used.
    pub whole: Efficiency,
    /// Where the time of all ranks went.
    pub split: Split,
    /// Whether clocks agree.
    pub clocks: Clocks,
    /// How much computing varies by chance: where most time goes first.
    pub spreads: Vec<Spread>,
    /// The run, worked through.
    pub run: Run,
}

/// Where the time of all ranks went, as shares that add up to 1 together with the costs of the findings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Split {
    /// Computing.
    pub useful: f64,
    /// Waiting that no finding explains.
    pub chance: f64,
    /// Communication without waiting.
    pub communication: f64,
    /// Waiting for work, files, the recorder.
    pub other: f64,
}

impl Diagnosis {
    /// The diagnosis of a trace if it is there already.
    pub fn find(store: &Store) -> Option<Diagnosis> {
        let place = Derived::existing(store, kept::KIND, &kept::key())?;
        place.find(|directory| kept::read(directory, store))
    }

    /// The diagnosis of a trace, worked out and kept unless it is there already; refused if that takes more memory than it may.
    pub fn open(store: &Store, progress: &dyn Progress) -> Result<Diagnosis, StoreError> {
        let place = Derived::place(store, kept::KIND, &kept::key());
        place.open_or_make(
            progress,
            |directory| kept::read(directory, store),
            |directory| {
                memory::check(store)?;
                kept::write(directory, &Diagnosis::new(store, progress)?)
            },
        )
    }

    /// Works out what is to be said of a run.
    pub fn new(store: &Store, progress: &dyn Progress) -> Result<Diagnosis, StoreError> {
        let rows = Rows::new(store);
        let (run, replay) = Run::of(&rows, progress)?;
        let whole = run.efficiency(store, rows.run);
        let clocks = clocks(&rows, &run.waits);
        let mut diagnosis = Diagnosis {
            verdict: Verdict::Unknown,
            findings: Vec::new(),
            whole,
            split: Split::default(),
            clocks,
            spreads: Vec::new(),
            run,
        };
        // Where clocks disagree, waiting is made from the disagreement, and whoever was blamed for it would be blamed wrongly.
        if clocks.is_broken {
            return Ok(diagnosis);
        }
        let worked = tasks::worked(store, progress)?;
        if let Some(worked) = worked {
            // Workers of a runtime call nothing in turn: there is nothing to compare from call to call.
            diagnosis.findings = tasks::tasks(store, progress)?;
            diagnosis.split = Split::of_tasks(&worked, &diagnosis.findings);
        } else {
            diagnosis.split = Split::of(&whole);
            diagnosis.compare(&rows, &replay, progress)?;
        }
        let others = gpu::gpu(store, progress)?;
        let is_examined = rows.communicates() && rows.has_partners()
            || !others.is_empty()
            || worked.is_some_and(|worked| worked.nodes > 1);
        for finding in &others {
            diagnosis.split.make_room(finding.cost_share);
        }
        diagnosis.findings.extend(others);
        // Who is to blame comes before what is nobody's fault, however much that takes: it may well be their doing.
        let order = |finding: &Finding| !finding.kind().blames();
        diagnosis.findings.sort_by(|a, b| order(a).cmp(&order(b)).then(b.cost_share.total_cmp(&a.cost_share)));
        diagnosis.findings.truncate(MOST_FINDINGS);
        diagnosis.verdict = match verdict(&diagnosis.findings) {
            _ if !is_examined => Verdict::Unknown,
            Verdict::Balanced if diagnosis.waits_by_design() => Verdict::Uneven,
            found => found,
        };
        diagnosis.run.delays.price = LongList::default();
        Ok(diagnosis)
    }

    /// The most that chance can cost, as a share of the time of all ranks: as if every visit were waited for by everybody, each
    /// time for the slowest of all ranks, and twice that.
    pub fn most_by_chance(&self) -> f64 {
        let share: f64 = self.spreads.iter().map(|spread| spread.share).sum();
        let varies: f64 = self.spreads.iter().map(|spread| spread.share * spread.deviation).sum();
        let deviation = if share > 0.0 { varies / share } else { 0.0 };
        let slowest = (2.0 * (self.whole.ranks.max(2) as f64).ln()).sqrt();
        2.0 * deviation * slowest * self.split.useful
    }

    /// Whether ranks wait much longer than chance makes them, and nobody is found who caused it: it is the way that the work is
    /// cut and ordered.
    pub fn waits_by_design(&self) -> bool {
        self.split.chance >= MUCH_WAITING && self.split.chance > self.most_by_chance()
    }

    /// Compares ranks and messages with each other. Who is to blame comes first; what nobody is to blame for, and a network
    /// that was never faster, get what is left of the time that is lost.
    fn compare(&mut self, rows: &Rows<'_>, replay: &Replayable, progress: &dyn Progress) -> Result<(), StoreError> {
        let detected = detect(rows, &self.run, progress)?;
        let linked = links(rows, &self.run, progress)?;
        self.spreads = detected.spreads;
        let (networks, mut suspects): (Vec<Suspect>, Vec<Suspect>) =
            linked.suspects.iter().cloned().partition(|suspect| suspect.cuts.is_empty());
        suspects.extend(detected.suspects);
        // What interrupts everybody is nobody's fault.
        for suspect in suspects.iter_mut().filter(|suspect| suspect.kind == FindingKind::PeriodicNoise) {
            if suspect.locations.len() == rows.len() {
                suspect.kind = FindingKind::Noise;
            }
        }
        self.charge(rows, replay, suspects);
        let networks = networks.into_iter().map(|suspect| Found { suspect, share: linked.network.share });
        for found in networks.chain(patterns(rows, &self.run, &self.whole, &linked)) {
            self.share_out(found);
        }
        Ok(())
    }

    /// Makes a finding of what costs a share of the run as a whole: of communication first, then of waiting that nobody caused.
    fn share_out(&mut self, found: Found) {
        let takes_communication = is_of_messages(found.suspect.kind);
        let communication = if takes_communication { found.share.min(self.split.communication) } else { 0.0 };
        // Transfers that a slow link or card prolongs are its: of waiting nothing more is laid at the network's door. Who
        // computes slowly prolongs none.
        let is_of_wires = |finding: &Finding| finding.kind().blames() && is_of_messages(finding.kind());
        let is_blamed = takes_communication && self.findings.iter().any(is_of_wires);
        let waiting = if is_blamed { 0.0 } else { (found.share - communication).min(self.split.chance) };
        let cost_share = communication + waiting;
        if cost_share < LEAST_COST {
            return;
        }
        self.split.communication -= communication;
        self.split.chance -= waiting;
        let window = (found.suspect.since, found.suspect.until);
        let (suspect, waiting) = (found.suspect, self.whole.ranks);
        self.findings.push(Finding::unreplayed(suspect, cost_share, waiting, window));
    }

    /// Makes findings of those suspects that cost enough, and takes what they cost out of what is left to chance.
    ///
    /// A suspect costs what others waited for it, or what the run would gain without it, whichever is more: where ranks wait
    /// for each other by design, most waiting has other causes as well, and yet the run ends later.
    fn charge(&mut self, rows: &Rows<'_>, replay: &Replayable, suspects: Vec<Suspect>) {
        let all = (self.whole.elapsed as f64 * self.whole.ranks as f64).max(1.0);
        let mut costed = costs(rows, &self.run, suspects);
        // What is in excess is the most that the run can gain.
        let most_gained = |costed: &Costed| costed.suspect.excess() as f64 / self.run.length.max(1) as f64;
        costed.retain(|costed| costed.total() / all >= LEAST_COST || most_gained(costed) >= LEAST_COST);
        costed.sort_by_key(|costed| Reverse(costed.suspect.excess()));
        costed.truncate(MOST_REPLAYED);
        let mut costed: Vec<(Costed, i64)> = costed
            .into_par_iter()
            .map(|costed| {
                let without = replay.without(&costed.suspect.cuts);
                let gained = (self.run.replayed - without) as f64 * self.whole.ranks as f64;
                let waiting = costed.waiting.max(gained - costed.own);
                (Costed { waiting, ..costed }, without)
            })
            .collect();
        costed.sort_by(|(a, _), (b, _)| b.total().total_cmp(&a.total()));
        let mut dearer: Vec<Cut> = Vec::new();
        for (costed, without) in costed {
            let waiting = (costed.waiting / all).min(self.split.chance);
            let own = (costed.own / all).min(self.split.communication);
            if waiting + own < LEAST_COST || self.findings.len() == MOST_FINDINGS {
                continue;
            }
            self.split.chance -= waiting;
            self.split.communication -= own;
            dearer.extend_from_slice(&costed.suspect.cuts);
            dearer.sort_unstable();
            let together = if self.findings.is_empty() { without } else { replay.without(&dearer) };
            self.findings.push(Finding {
                window: self.window(&costed),
                functions: costed.shares(waiting, own),
                suspect: costed.suspect,
                cost_share: waiting + own,
                without: Some(without),
                without_dearer: Some(together),
                waiting: costed.waiters,
            });
        }
    }

    /// The time to look at: around what cost most, wide enough to see what is usual beside it.
    fn window(&self, costed: &Costed) -> (Ns, Ns) {
        let run = self.run.length;
        let (from, to) = costed.dearest.unwrap_or((costed.suspect.since, costed.suspect.until));
        let width = (2 * to.since(from)).max(run / LEAST_WINDOW).min(run);
        let middle = from.0 + to.since(from) / 2;
        let from = (middle - width / 2).clamp(0, (run - width).max(0));
        (Ns(from), Ns(from + width))
    }
}

/// The verdict that findings lead to.
fn verdict(findings: &[Finding]) -> Verdict {
    let is_any = |of: fn(FindingKind) -> bool| findings.iter().any(|finding| of(finding.kind()));
    if is_any(FindingKind::blames) {
        Verdict::Faulty
    } else if is_any(FindingKind::is_uneven) {
        Verdict::Uneven
    } else {
        Verdict::Balanced
    }
}

impl Split {
    /// Takes a share of the time away for something that devices were found to do: meanwhile their ranks communicated, waited
    /// for something, or called the device, which looks like computing.
    fn make_room(&mut self, mut share: f64) {
        for part in [&mut self.communication, &mut self.other, &mut self.useful, &mut self.chance] {
            let taken = share.min(*part);
            *part -= taken;
            share -= taken;
        }
    }

    /// Workers run tasks or are idle, for what was found or for other reasons.
    fn of_tasks(worked: &tasks::Worked, findings: &[Finding]) -> Split {
        let told: f64 = findings.iter().map(|finding| finding.cost_share).sum();
        Split { useful: 1.0 - worked.idle, other: (worked.idle - told).max(0.0), ..Split::default() }
    }

    /// All waiting is left to chance until somebody is found who caused it.
    fn of(whole: &Efficiency) -> Split {
        let all = (whole.elapsed as f64 * whole.ranks as f64).max(1.0);
        let share = |time: i64| time as f64 / all;
        let (useful, other) = (share(whole.time.useful), share(whole.time.other));
        Split { useful, chance: share(whole.time.waiting), communication: share(whole.time.communication), other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_most_does_not_hide_that_work_is_uneven() {
        use FindingKind::{ExposedCommunication, Imbalance, Stall};
        let of = |kinds: &[FindingKind]| {
            let window = (Ns(0), Ns(1));
            let finding = |kind: &FindingKind| Finding::unreplayed(Suspect::throughout(*kind, window), 0.1, 1, window);
            verdict(&kinds.iter().map(finding).collect::<Vec<_>>())
        };
        assert_eq!(of(&[]), Verdict::Balanced);
        assert_eq!(of(&[ExposedCommunication]), Verdict::Balanced);
        assert_eq!(of(&[ExposedCommunication, Imbalance]), Verdict::Uneven);
        assert_eq!(of(&[Stall, Imbalance]), Verdict::Faulty);
    }
}
