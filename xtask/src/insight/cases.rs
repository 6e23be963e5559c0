//! One setting after the other: the run without a fault, and those with one, each judged.

use anyhow::Result;

use super::plant::{self, Fault, Ground, Kind, MOST_STRENGTH};
use super::runs::{Heddle, Measured, Run};
use super::said::Said;
use super::settings::Setting;
use super::truth::{self, Score, Truth};

/// A fault that costs less, of the run's length and of the time of all ranks, is nobody's concern.
const LEAST_COST: f64 = 0.02;
/// What is planted should cost this much, if it can.
const CLEAR_COST: f64 = 0.03;
/// Ranks, pairs and times that are tried for a fault that costs enough.
const ATTEMPTS: u64 = 3;

/// A run and what came of it.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// Kind of fault, or `clean`.
    pub(super) kind: &'static str,
    pub(super) program: &'static str,
    /// As a person would type it.
    pub(super) command: String,
    pub(super) outcome: Outcome,
    /// What was said, in brief.
    pub(super) said: Vec<String>,
    /// What is wrong with that in itself.
    pub(super) impossible: Vec<String>,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Without a fault: whether somebody was accused.
    Clean { is_false: bool },
    /// With faults.
    Judged(Score),
    /// Nobody could tell: why.
    Undecided(String),
    /// Something could not be run.
    Failed(String),
}

/// The run of a setting, and all with faults that are wanted.
pub(super) fn run(heddle: &Heddle, setting: &Setting, wants: &dyn Fn(&str) -> bool) -> Vec<Case> {
    let kinds: Vec<Kind> = plant::kinds(setting).into_iter().filter(|kind| wants(kind.name())).collect();
    if kinds.is_empty() && !wants("clean") {
        return Vec::new();
    }
    let name = format!("{}-{}", setting.program, setting.size());
    let (clean, pairs) = match prepare(heddle, setting, &name) {
        Ok(prepared) => prepared,
        Err(error) => {
            let command = setting.words().join(" ");
            return vec![Case::new("clean", setting, command, Outcome::Failed(format!("{error:#}")))];
        }
    };
    let mut cases = Vec::new();
    if wants("clean") {
        cases.push(Case::clean(heddle, setting, &clean));
    }
    let ground = Ground { setting, clean: &clean.measured, pairs: &pairs };
    for (number, kind) in kinds.into_iter().enumerate() {
        let work =
            Work { heddle, ground: &ground, clean: &clean, name: format!("{name}-{number}"), number: number as u64 };
        cases.push(work.case(kind));
    }
    cases
}

fn prepare(heddle: &Heddle, setting: &Setting, name: &str) -> Result<(Run, Vec<(u32, u32)>)> {
    let clean = heddle.simulate(setting, &[], name)?;
    let pairs = if setting.machine.is_some() { heddle.pairs(&clean)? } else { Vec::new() };
    Ok((clean, pairs))
}

/// How planting went.
enum Planted {
    /// A run whose faults matter.
    There(Run, Vec<Fault>),
    /// None could be had: the last command, and why.
    Nowhere(String, String),
}

/// Plants faults of a kind into a setting.
struct Work<'a> {
    heddle: &'a Heddle,
    ground: &'a Ground<'a>,
    clean: &'a Run,
    name: String,
    /// Among the faults of the setting.
    number: u64,
}

impl Work<'_> {
    fn case(&self, kind: Kind) -> Case {
        let setting = self.ground.setting;
        let planted = if kind == Kind::Two { self.two() } else { self.one(kind) };
        match planted {
            Planted::There(run, faults) => Case::judged(self.heddle, setting, kind.name(), &run, &faults),
            Planted::Nowhere(command, why) => Case::new(kind.name(), setting, command, Outcome::Undecided(why)),
        }
    }

    /// Of several attempts, each stronger and stronger, the first fault that matters.
    fn one(&self, kind: Kind) -> Planted {
        let (mut command, mut why) = (self.ground.command(), "there is no such fault here".to_owned());
        if let Some(why) = self.ground.hides(kind) {
            return Planted::Nowhere(command, why);
        }
        // Runs of tasks have several faults of one kind: even attempts are slow nodes, odd ones slow links.
        let (first, step) = if kind == Kind::Tasks { (self.number, 2) } else { (0, 1) };
        for attempt in (0..ATTEMPTS).map(|attempt| first + step * attempt) {
            for strength in self.ground.first_strength(kind)..=MOST_STRENGTH {
                let Some(fault) = self.ground.plant(kind, strength, attempt) else { break };
                let run = match self.simulate(std::slice::from_ref(&fault)) {
                    Ok(run) => run,
                    Err(error) => {
                        why = refusal(&error);
                        break;
                    }
                };
                let cost = run.measured.cost(self.ground.clean);
                let is_strongest = self.ground.plant(kind, strength + 1, attempt).is_none();
                command.clone_from(&run.command);
                if kind == Kind::Clock || cost >= if is_strongest { LEAST_COST } else { CLEAR_COST } {
                    let same = self.same_as_a_link([&fault], 0, &run).or_else(|| self.same_as_a_stall(&fault, &run));
                    let same = same.or_else(|| self.same_at_another_time(&fault, &run));
                    let Some(same) = same else {
                        return Planted::There(run, vec![fault]);
                    };
                    why = same;
                    break;
                }
                why = cheap(cost);
            }
        }
        Planted::Nowhere(command, why)
    }

    /// Why nobody can tell a slow card, one of some faults, from a slow link, if the run with that in its place has the same
    /// records.
    fn same_as_a_link<const N: usize>(&self, faults: [&Fault; N], card: usize, run: &Run) -> Option<String> {
        let link = self.ground.link_for(faults[card])?;
        let text = link.words.last()?.clone();
        let mut others = faults.map(Fault::clone);
        others[card] = link;
        let other = self.heddle.simulate(self.ground.setting, &others, &format!("{}-link", self.name)).ok()?;
        let is_same = self.heddle.records(run).ok()? == self.heddle.records(&other).ok()?;
        is_same.then(|| format!("with {text} instead, every call and message is the same"))
    }

    /// Why nobody can tell a slow interval from a stall, if it holds a single computation of its rank and the run with a stall in
    /// its place has the same records.
    fn same_as_a_stall(&self, slow: &Fault, run: &Run) -> Option<String> {
        let Truth::Slow { ranks, function: None, from: Some(from), until } = &slow.truth else { return None };
        let rank = *ranks.first().filter(|_| ranks.len() == 1)?;
        let until = until.unwrap_or(run.measured.length);
        let found = self.heddle.computations(run, rank, *from, until).ok()?;
        let [(start, time)] = found.as_slice() else { return None };
        // Until then nothing has changed, so it begins at the same time without the fault.
        let clean = self.heddle.computations(self.clean, rank, *start, *start + 1).ok()?;
        let (_, usual) = clean.first()?;
        let text = format!("stall:rank={rank},at={}ns,for={}ns", start + 1, time - usual);
        let stall = Fault { words: vec!["--fault".to_owned(), text.clone()], ..slow.clone() };
        let other = self.heddle.simulate(self.ground.setting, &[stall], &format!("{}-stall", self.name)).ok()?;
        let is_same = self.heddle.records(run).ok()? == self.heddle.records(&other).ok()?;
        is_same.then(|| format!("with {text} instead, every call and message is the same"))
    }

    /// Why nobody can tell when a slow interval was, if its rank computes nothing for long at the beginning or end of it, and the
    /// run with an interval from its first computation there to its last one has the same records.
    fn same_at_another_time(&self, slow: &Fault, run: &Run) -> Option<String> {
        let Truth::Slow { ranks, function: None, from: Some(from), until } = &slow.truth else { return None };
        let rank = *ranks.first().filter(|_| ranks.len() == 1)?;
        let until = until.unwrap_or(run.measured.length);
        let found = self.heddle.computations(run, rank, *from, until).ok()?;
        let ((since, _), (last, time)) = (*found.first()?, *found.last()?);
        let slack = truth::slack(run.measured.length);
        if since - from <= slack && (until - (last + time)).abs() <= slack {
            return None;
        }
        let (what, _) = slow.words.last()?.split_once(",from=")?;
        let text = format!("{what},from={since}ns,until={}ns", last + time);
        let other = Fault { words: vec!["--fault".to_owned(), text.clone()], ..slow.clone() };
        let other = self.heddle.simulate(self.ground.setting, &[other], &format!("{}-then", self.name)).ok()?;
        let is_same = self.heddle.records(run).ok()? == self.heddle.records(&other).ok()?;
        is_same.then(|| format!("with {text} instead, every call and message is the same"))
    }

    /// Two faults, each of which matters beside the other.
    fn two(&self) -> Planted {
        let kinds = plant::two(self.ground.setting);
        let mut strengths = kinds.map(|kind| self.ground.first_strength(kind));
        let mut attempt = 0;
        let (mut command, mut why) = (self.ground.command(), "there are no such faults here".to_owned());
        if let Some(why) = kinds.iter().find_map(|kind| self.ground.hides(*kind)) {
            return Planted::Nowhere(command, why);
        }
        while attempt < ATTEMPTS {
            let [Some(one), Some(other)] =
                [0, 1].map(|which| self.ground.plant(kinds[which], strengths[which], attempt))
            else {
                attempt += 1;
                strengths = kinds.map(|kind| self.ground.first_strength(kind));
                continue;
            };
            match self.both(&one, &other) {
                Ok((both, [cost_of_one, cost_of_other])) => {
                    if cost_of_one.min(cost_of_other) >= LEAST_COST {
                        let same = (0..2).find_map(|card| self.same_as_a_link([&one, &other], card, &both));
                        let Some(same) = same else { return Planted::There(both, vec![one, other]) };
                        (command, why) = (both.command.clone(), same);
                        attempt += 1;
                        strengths = kinds.map(|kind| self.ground.first_strength(kind));
                        continue;
                    }
                    strengths[usize::from(cost_of_one >= cost_of_other)] += 1;
                    command.clone_from(&both.command);
                    why = format!("one of them hides the other: {}", cheap(cost_of_one.min(cost_of_other)));
                }
                Err(error) => {
                    why = refusal(&error);
                    attempt += 1;
                }
            }
        }
        Planted::Nowhere(command, why)
    }

    /// The run with both, and what each costs beside the other.
    fn both(&self, one: &Fault, other: &Fault) -> Result<(Run, [f64; 2])> {
        let alone: Vec<Measured> = [other, one]
            .into_iter()
            .map(|fault| Ok(self.simulate(std::slice::from_ref(fault))?.measured.clone()))
            .collect::<Result<_>>()?;
        let both = self.simulate(&[one.clone(), other.clone()])?;
        let costs = [both.measured.cost(&alone[0]), both.measured.cost(&alone[1])];
        Ok((both, costs))
    }

    fn simulate(&self, faults: &[Fault]) -> Result<Run> {
        self.heddle.simulate(self.ground.setting, faults, &self.name)
    }
}

fn cheap(cost: f64) -> String {
    format!("it costs {:.1} % of the run, less than {:.0} %", 100.0 * cost, 100.0 * LEAST_COST)
}

/// The last line of what the program said.
fn refusal(error: &anyhow::Error) -> String {
    error.to_string().lines().last().unwrap_or_default().to_owned()
}

impl Case {
    fn new(kind: &'static str, setting: &Setting, command: String, outcome: Outcome) -> Case {
        Case { kind, program: setting.program, command, outcome, said: Vec::new(), impossible: Vec::new() }
    }

    fn clean(heddle: &Heddle, setting: &Setting, run: &Run) -> Case {
        let judge = |said: &Said| Outcome::Clean { is_false: truth::is_false(said, setting.size() as usize) };
        Case::diagnosed(heddle, setting, "clean", run, &judge)
    }

    fn judged(heddle: &Heddle, setting: &Setting, kind: &'static str, run: &Run, faults: &[Fault]) -> Case {
        let truths: Vec<_> = faults.iter().map(|fault| fault.truth.clone()).collect();
        let of = truth::Run { ranks: setting.size() as usize, length: run.measured.length };
        Case::diagnosed(heddle, setting, kind, run, &|said| Outcome::Judged(truth::judge(&truths, said, of)))
    }

    fn diagnosed(
        heddle: &Heddle,
        setting: &Setting,
        kind: &'static str,
        run: &Run,
        judge: &dyn Fn(&Said) -> Outcome,
    ) -> Case {
        match heddle.diagnose(run) {
            Err(error) => Case::new(kind, setting, run.command.clone(), Outcome::Failed(refusal(&error))),
            Ok(said) => Case {
                said: brief(&said),
                impossible: said.impossible.clone(),
                ..Case::new(kind, setting, run.command.clone(), judge(&said))
            },
        }
    }
}

/// Verdict and findings, a line each.
fn brief(said: &Said) -> Vec<String> {
    let mut lines = vec![said.verdict.clone()];
    for finding in &said.findings {
        let who = match (&finding.pairs, &finding.ranks) {
            (pairs, _) if !pairs.is_empty() => format!("pairs {:?}", pairs.iter().take(4).collect::<Vec<_>>()),
            (_, ranks) => format!("{} ranks {:?}", ranks.len(), ranks.iter().take(8).collect::<Vec<_>>()),
        };
        let function = finding.function.as_deref().unwrap_or("-");
        let (from, to) = (finding.since as f64 / 1e6, finding.until as f64 / 1e6);
        let cost = 100.0 * finding.cost;
        lines.push(format!(
            "{}: {who}, in {function}, {from:.3} to {to:.3} ms, {cost:.1} %: {}",
            finding.kind, finding.text
        ));
    }
    lines
}
