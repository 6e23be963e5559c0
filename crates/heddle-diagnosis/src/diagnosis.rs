//! The verdict: suspects with what they cost, and what is left to chance.

use heddle_model::{Ns, RegionId};
use heddle_store::{Progress, Store, StoreError};
use rustc_hash::FxHashSet;

use crate::efficiency::Efficiency;
use crate::finding::{Finding, FindingKind, Verdict};
use crate::rows::Rows;
use crate::run::{Replayable, Run};
use crate::suspect::{Suspect, SuspectKind};

/// What costs less of the time of all ranks is not worth a sentence.
const LEAST_COST: f64 = 0.02;
/// More findings are not read.
const MOST_FINDINGS: usize = 8;

/// What is to be said of a run.
#[derive(Debug)]
pub struct Diagnosis {
    /// In a word.
    pub verdict: Verdict,
    /// What costs time, the dearest first.
    pub findings: Vec<Finding>,
    /// How well the whole run was used.
    pub whole: Efficiency,
    /// Share of the time of all ranks that is waited and that no finding explains.
    pub chance: f64,
    /// The run, worked through.
    pub run: Run,
}

impl Diagnosis {
    /// Works out what is to be said of a run.
    pub fn new(store: &Store, progress: &dyn Progress) -> Result<Diagnosis, StoreError> {
        let rows = Rows::new(store);
        let (run, replay) = Run::new(store, progress)?;
        let whole = run.efficiency(store, rows.run);
        let suspects: Vec<Suspect> = Vec::new();
        let all = whole.elapsed as f64 * whole.ranks as f64;
        let findings = costed(&rows, &run, &replay, suspects, all);
        let told: f64 = findings.iter().map(|finding| finding.cost_share).sum();
        let chance = (run.waits.total() as f64 / all.max(1.0) - told).max(0.0);
        let verdict = if findings.iter().any(|finding| finding.kind.blames()) {
            Verdict::Faulty
        } else if findings.is_empty() {
            Verdict::Balanced
        } else {
            Verdict::Uneven
        };
        Ok(Diagnosis { verdict, findings, whole, chance, run })
    }
}

/// Suspects with their costs: each charge goes to one of them, the one with the largest excess there.
fn costed(rows: &Rows<'_>, run: &Run, replay: &Replayable, suspects: Vec<Suspect>, all: f64) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut taken: FxHashSet<usize> = FxHashSet::default();
    for suspect in suspects {
        let (mut cost, mut waiting) = (0.0, Vec::new());
        let mut dearest: Option<(f64, (Ns, Ns))> = None;
        for location in &suspect.locations {
            let Some(row) = rows.of(*location) else { continue };
            for at in run.delays.first[row]..run.delays.first[row + 1] {
                let charge = &run.delays.charges[at];
                let wait = &run.waits.list[charge.wait as usize];
                let (from, to) = (run.delays.since[charge.wait as usize], wait.arrival);
                if !is_of(rows, &suspect, charge.region, from, to) || taken.contains(&at) {
                    continue;
                }
                taken.insert(at);
                cost += f64::from(charge.cost);
                waiting.push(wait.location);
                if dearest.is_none_or(|(most, _)| f64::from(charge.cost) > most) {
                    dearest = Some((f64::from(charge.cost), (Ns(from), Ns(wait.end()))));
                }
            }
        }
        let cost_share = cost / all.max(1.0);
        if cost_share < LEAST_COST {
            continue;
        }
        waiting.sort_unstable();
        waiting.dedup();
        let without = Some(replay.without(&suspect.cuts));
        let window = dearest.map_or((suspect.since, suspect.until), |(_, window)| window);
        let kind = kind_of(&suspect);
        findings.push(Finding { kind, suspect, cost_share, without, waiting: waiting.len() as u64, window });
    }
    findings.sort_by(|a, b| b.cost_share.total_cmp(&a.cost_share));
    findings.truncate(MOST_FINDINGS);
    findings
}

/// Whether what a location did too much in a function, from some time to another, is what it is suspected of.
fn is_of(rows: &Rows<'_>, suspect: &Suspect, region: RegionId, from: i64, to: i64) -> bool {
    let communicates = rows.class(region).communicates;
    let is_link = matches!(suspect.kind, SuspectKind::SlowLink | SuspectKind::SlowCard);
    communicates == is_link && from < suspect.until.0 && suspect.since.0 < to
}

fn kind_of(suspect: &Suspect) -> FindingKind {
    match suspect.kind {
        SuspectKind::Slow => FindingKind::SlowRanks,
        SuspectKind::Drift => FindingKind::Drift,
        SuspectKind::Stall => FindingKind::Stall,
        SuspectKind::Periodic => FindingKind::PeriodicNoise,
        SuspectKind::Serial => FindingKind::SerialWork,
        SuspectKind::SlowLink => FindingKind::SlowLink,
        SuspectKind::SlowCard => FindingKind::SlowCard,
    }
}
