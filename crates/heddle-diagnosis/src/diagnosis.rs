//! The verdict: suspects with what they cost, and what is left to chance.

use heddle_model::{Ns, RegionId};
use heddle_store::{Progress, Store, StoreError};
use rustc_hash::FxHashSet;

use crate::clocks::{Clocks, clocks};
use crate::detect::{Spread, detect};
use crate::efficiency::Efficiency;
use crate::finding::{Finding, FindingKind, Verdict};
use crate::links::links;
use crate::rows::Rows;
use crate::run::{Replayable, Run};
use crate::suspect::{Cut, Suspect};
use crate::{gpu, tasks};

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
    /// By finding: what the run would take without it and all before it. Gains do not add up, and one fault can hide another.
    pub mended: Vec<Option<i64>>,
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
    pub fn find(_store: &Store) -> Option<Diagnosis> {
        None
    }

    /// The diagnosis of a trace, worked out unless it is there already.
    pub fn open(store: &Store, progress: &dyn Progress) -> Result<Diagnosis, StoreError> {
        match Diagnosis::find(store) {
            Some(there) => Ok(there),
            None => Diagnosis::new(store, progress),
        }
    }

    /// Works out what is to be said of a run.
    pub fn new(store: &Store, progress: &dyn Progress) -> Result<Diagnosis, StoreError> {
        let rows = Rows::new(store);
        let (run, replay) = Run::new(store, progress)?;
        let whole = run.efficiency(store, rows.run);
        let clocks = clocks(&rows, &run.waits);
        let detected = detect(&rows, &run, progress)?;
        let mut suspects = detected.suspects;
        suspects.extend(links(&rows, &run, progress)?.suspects);
        let all = whole.elapsed as f64 * whole.ranks as f64;
        let mut findings = costed(&rows, &run, &replay, suspects, all);
        findings.extend(tasks::tasks(store, progress)?);
        findings.extend(gpu::gpu(store, progress)?);
        findings.sort_by(|a, b| b.cost_share.total_cmp(&a.cost_share));
        findings.truncate(MOST_FINDINGS);
        let verdict = if clocks.is_broken {
            Verdict::Unknown
        } else if findings.iter().any(|finding| finding.kind().blames()) {
            Verdict::Faulty
        } else if findings.is_empty() {
            Verdict::Balanced
        } else {
            Verdict::Uneven
        };
        let split = Split::of(&whole, &findings);
        let mended = mended(&replay, &findings);
        Ok(Diagnosis { verdict, findings, mended, whole, split, clocks, spreads: detected.spreads, run })
    }
}

impl Split {
    fn of(whole: &Efficiency, findings: &[Finding]) -> Split {
        let all = (whole.elapsed as f64 * whole.ranks as f64).max(1.0);
        let share = |time: i64| time as f64 / all;
        let told: f64 = findings.iter().map(|finding| finding.cost_share).sum();
        Split {
            useful: share(whole.time.useful),
            chance: (share(whole.time.waiting) - told).max(0.0),
            communication: share(whole.time.communication),
            other: share(whole.time.other),
        }
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
        findings.push(Finding { suspect, cost_share, without, waiting: waiting.len() as u64, window });
    }
    findings
}

/// What the run would take without each finding and all before it, as far as they can be replayed. Alone, the first takes what
/// it takes without itself.
fn mended(replay: &Replayable, findings: &[Finding]) -> Vec<Option<i64>> {
    let mut cuts: Vec<Cut> = Vec::new();
    let mut each = Vec::with_capacity(findings.len());
    for (at, finding) in findings.iter().enumerate() {
        cuts.extend(&finding.suspect.cuts);
        cuts.sort_unstable();
        let is_known = finding.without.is_some() && each.last().is_none_or(Option::is_some);
        each.push(if at == 0 { finding.without } else { is_known.then(|| replay.without(&cuts)) });
    }
    each
}

/// Whether what a location did too much in a function, from some time to another, is what it is suspected of.
fn is_of(rows: &Rows<'_>, suspect: &Suspect, region: RegionId, from: i64, to: i64) -> bool {
    let communicates = rows.class(region).communicates;
    let is_link = matches!(suspect.kind, FindingKind::SlowLink | FindingKind::SlowCard);
    communicates == is_link && from < suspect.until.0 && suspect.since.0 < to
}
