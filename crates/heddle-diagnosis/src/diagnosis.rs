//! The verdict: suspects with what they cost, and what is left to chance.

use heddle_model::Ns;
use heddle_store::{Progress, Store, StoreError};

use crate::clocks::{Clocks, clocks};
use crate::costs::{Costed, costs};
use crate::detect::{Spread, detect};
use crate::efficiency::Efficiency;
use crate::finding::{Finding, Verdict};
use crate::links::links;
use crate::rows::Rows;
use crate::run::{Replayable, Run};
use crate::suspect::{Cut, Suspect};
use crate::{gpu, tasks};

/// What costs less of the time of all ranks is not worth a sentence.
const LEAST_COST: f64 = 0.02;
/// More findings are not read.
const MOST_FINDINGS: usize = 8;
/// A finding is shown in at least this part of the run.
const LEAST_WINDOW: i64 = 20;

/// What is to be said of a run.
#[derive(Debug)]
pub struct Diagnosis {
    /// In a word.
    pub verdict: Verdict,
    /// What costs time, the dearest first.
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
        let detected = detect(&rows, &diagnosis.run, progress)?;
        let mut suspects = detected.suspects;
        suspects.extend(links(&rows, &diagnosis.run, progress)?.suspects);
        diagnosis.spreads = detected.spreads;
        diagnosis.split = Split::of(&whole);
        diagnosis.charge(&rows, &replay, suspects);
        let others = [tasks::tasks(store, progress)?, gpu::gpu(store, progress)?].concat();
        let is_examined = rows.communicates() || !others.is_empty();
        diagnosis.findings.extend(others);
        diagnosis.findings.sort_by(|a, b| b.cost_share.total_cmp(&a.cost_share));
        diagnosis.findings.truncate(MOST_FINDINGS);
        diagnosis.verdict = if diagnosis.findings.iter().any(|finding| finding.kind().blames()) {
            Verdict::Faulty
        } else if !diagnosis.findings.is_empty() {
            Verdict::Uneven
        } else if is_examined {
            Verdict::Balanced
        } else {
            Verdict::Unknown
        };
        Ok(diagnosis)
    }

    /// Makes findings of those suspects that cost enough, and takes what they cost out of what is left to chance.
    fn charge(&mut self, rows: &Rows<'_>, replay: &Replayable, suspects: Vec<Suspect>) {
        let all = (self.whole.elapsed as f64 * self.whole.ranks as f64).max(1.0);
        let mut costed = costs(rows, &self.run, suspects);
        costed.retain(|costed| costed.total() / all >= LEAST_COST);
        costed.sort_by(|a, b| b.total().total_cmp(&a.total()));
        costed.truncate(MOST_FINDINGS);
        let mut dearer: Vec<Cut> = Vec::new();
        for costed in costed {
            let window = self.window(&costed);
            let cost_share = costed.total() / all;
            self.split.chance = (self.split.chance - costed.waiting / all).max(0.0);
            self.split.communication = (self.split.communication - costed.own / all).max(0.0);
            dearer.extend_from_slice(&costed.suspect.cuts);
            dearer.sort_unstable();
            let without = Some(replay.without(&costed.suspect.cuts));
            let without_dearer = if self.findings.is_empty() { without } else { Some(replay.without(&dearer)) };
            let (suspect, waiting) = (costed.suspect, costed.waiters);
            self.findings.push(Finding { suspect, cost_share, without, without_dearer, waiting, window });
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

impl Split {
    /// All waiting is left to chance until somebody is found who caused it.
    fn of(whole: &Efficiency) -> Split {
        let all = (whole.elapsed as f64 * whole.ranks as f64).max(1.0);
        let share = |time: i64| time as f64 / all;
        let (useful, other) = (share(whole.time.useful), share(whole.time.other));
        Split { useful, chance: share(whole.time.waiting), communication: share(whole.time.communication), other }
    }
}
