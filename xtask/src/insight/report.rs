//! The figures of all cases: by kind, by program, and one by one where something is not right.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::{Value, json};

use super::cases::{Case, Outcome};
use super::truth::Score;

/// Shares of the faults that must be named first and whole: of all, and of every kind.
const GOAL: f64 = 0.95;
const GOAL_OF_KIND: f64 = 0.9;

/// Counts of some cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    planted: usize,
    first: usize,
    whole: usize,
    wrong: usize,
    silent: usize,
    /// Not among those planted.
    undecided: usize,
    failed: usize,
}

impl Counts {
    fn of<'a>(cases: impl Iterator<Item = &'a Case>) -> Counts {
        let mut counts = Counts::default();
        for case in cases.filter(|case| case.kind != "clean") {
            match &case.outcome {
                Outcome::Judged(score) => {
                    counts.planted += 1;
                    counts.first += usize::from(score.first);
                    counts.whole += usize::from(score.whole);
                    counts.wrong += usize::from(score.wrong);
                    counts.silent += usize::from(score.silent);
                }
                Outcome::Undecided(_) => counts.undecided += 1,
                Outcome::Failed(_) => {
                    counts.planted += 1;
                    counts.failed += 1;
                }
                Outcome::Clean { .. } => {}
            }
        }
        counts
    }

    fn reaches(&self, goal: f64) -> bool {
        let least = goal * self.planted as f64;
        self.first as f64 >= least && self.whole as f64 >= least
    }

    fn to_json(self) -> Value {
        let Counts { planted, first, whole, wrong, silent, undecided, failed } = self;
        json!({ "planted": planted, "first": first, "whole": whole, "wrong": wrong, "silent": silent,
                "undecided": undecided, "failed": failed })
    }
}

/// All figures.
pub(super) struct Report<'a> {
    cases: &'a [Case],
    all: Counts,
    by_kind: Vec<(&'static str, Counts)>,
    by_program: Vec<(&'static str, Counts)>,
    clean: usize,
    accused: usize,
}

impl Report<'_> {
    pub(super) fn new(cases: &[Case]) -> Report<'_> {
        let clean = cases.iter().filter(|case| case.kind == "clean");
        let accused = clean.clone().filter(|case| case.outcome == Outcome::Clean { is_false: true }).count();
        Report {
            cases,
            all: Counts::of(cases.iter()),
            by_kind: groups(cases, |case| case.kind),
            by_program: groups(cases, |case| case.program),
            clean: clean.count(),
            accused,
        }
    }

    /// The goals that are missed, in words.
    pub(super) fn missed(&self) -> Vec<String> {
        let mut missed = Vec::new();
        if !self.all.reaches(GOAL) {
            missed.push(format!("less than {:.0} % named first and whole", 100.0 * GOAL));
        }
        for (kind, counts) in &self.by_kind {
            if !counts.reaches(GOAL_OF_KIND) {
                missed.push(format!("less than {:.0} % of {kind}", 100.0 * GOAL_OF_KIND));
            }
        }
        if self.accused > 0 {
            missed.push(format!("{} of {} clean runs have somebody accused", self.accused, self.clean));
        }
        let impossible = self.cases.iter().filter(|case| !case.impossible.is_empty()).count();
        if impossible > 0 {
            missed.push(format!("{impossible} diagnoses say what cannot be"));
        }
        let failed = self.cases.iter().filter(|case| matches!(case.outcome, Outcome::Failed(_))).count();
        if failed > 0 {
            missed.push(format!("{failed} runs failed"));
        }
        missed
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        for (title, rows) in [("kind", &self.by_kind), ("program", &self.by_program)] {
            let _ = writeln!(
                text,
                "{title:<16}{:>9}{:>9}{:>9}{:>9}{:>9}{:>11}",
                "planted", "first", "whole", "wrong", "silent", "undecided"
            );
            for (name, counts) in rows.iter().chain([&("all", self.all)]) {
                let Counts { planted, first, whole, wrong, silent, undecided, .. } = counts;
                let _ =
                    writeln!(text, "{name:<16}{planted:>9}{first:>9}{whole:>9}{wrong:>9}{silent:>9}{undecided:>11}");
            }
            text.push('\n');
        }
        let _ = writeln!(text, "clean runs: {}, false: {}\n", self.clean, self.accused);
        self.list(&mut text, "Not right", |case| match &case.outcome {
            Outcome::Clean { is_false } => is_false.then_some("somebody is accused in a clean run".to_owned()),
            Outcome::Judged(score) if score.is_right() => None,
            Outcome::Judged(score) => Some(describe(*score)),
            Outcome::Failed(why) => Some(format!("failed: {why}")),
            Outcome::Undecided(_) => None,
        });
        self.list(&mut text, "Impossible", |case| (!case.impossible.is_empty()).then(|| case.impossible.join("; ")));
        self.list(&mut text, "Cannot be decided from the trace", |case| match &case.outcome {
            Outcome::Undecided(why) => Some(why.clone()),
            _ => None,
        });
        text
    }

    /// The cases that something is to be said of.
    fn list(&self, text: &mut String, title: &str, what: impl Fn(&Case) -> Option<String>) {
        let mut is_first = true;
        for (case, what) in self.cases.iter().filter_map(|case| Some((case, what(case)?))) {
            if std::mem::take(&mut is_first) {
                let _ = writeln!(text, "{title}:");
            }
            let _ = writeln!(text, "  {} in {}: {what}\n    {}", case.kind, case.program, case.command);
            for line in &case.said {
                let _ = writeln!(text, "      {line}");
            }
        }
        if !is_first {
            text.push('\n');
        }
    }

    pub(super) fn to_json(&self) -> Result<String> {
        let rows = |rows: &[(&str, Counts)]| -> Vec<Value> {
            rows.iter().map(|(name, counts)| json!({ "name": name, "counts": counts.to_json() })).collect()
        };
        let cases: Vec<Value> = self.cases.iter().map(case_json).collect();
        let value = json!({
            "all": self.all.to_json(),
            "kinds": rows(&self.by_kind),
            "programs": rows(&self.by_program),
            "clean": { "runs": self.clean, "false": self.accused },
            "missed": self.missed(),
            "cases": cases,
        });
        Ok(serde_json::to_string_pretty(&value)? + "\n")
    }
}

fn describe(score: Score) -> String {
    let mut words = Vec::new();
    for (word, holds) in [
        ("silent", score.silent),
        ("not named first", !score.first && !score.silent),
        ("not named whole", !score.whole && !score.silent),
        ("somebody else is accused", score.wrong),
    ] {
        if holds {
            words.push(word);
        }
    }
    words.join(", ")
}

fn case_json(case: &Case) -> Value {
    let outcome = match &case.outcome {
        Outcome::Clean { is_false } => json!({ "false": is_false }),
        Outcome::Judged(score) => json!({ "first": score.first, "whole": score.whole, "wrong": score.wrong,
                                          "silent": score.silent }),
        Outcome::Undecided(why) => json!({ "undecided": why }),
        Outcome::Failed(why) => json!({ "failed": why }),
    };
    json!({ "kind": case.kind, "program": case.program, "command": case.command, "outcome": outcome,
            "said": case.said, "impossible": case.impossible })
}

/// Counts by a name, in the order in which names come.
fn groups(cases: &[Case], name: impl Fn(&Case) -> &'static str) -> Vec<(&'static str, Counts)> {
    let mut names: Vec<&'static str> = Vec::new();
    for case in cases.iter().filter(|case| case.kind != "clean") {
        if !names.contains(&name(case)) {
            names.push(name(case));
        }
    }
    let of = |wanted| Counts::of(cases.iter().filter(|case| name(case) == wanted));
    names.into_iter().map(|name| (name, of(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(kind: &'static str, outcome: Outcome) -> Case {
        let command = format!("heddle simulate halo # {kind}");
        Case { kind, program: "halo", command, outcome, said: vec!["faulty".to_owned()], impossible: Vec::new() }
    }

    fn judged(kind: &'static str, first: bool, whole: bool) -> Case {
        case(kind, Outcome::Judged(Score { first, whole, wrong: !first, silent: false }))
    }

    #[test]
    fn goals_are_for_all_for_each_kind_and_for_clean_runs() {
        let right = |kind, count| std::iter::repeat_n(judged(kind, true, true), count);
        let mut cases: Vec<Case> = right("stall", 99).chain(right("drift", 10)).collect();
        cases.push(case("clean", Outcome::Clean { is_false: false }));
        assert_eq!(Report::new(&cases).missed(), [""; 0]);
        cases.push(judged("drift", true, false));
        assert_eq!(Report::new(&cases).missed(), [""; 0], "10 of 11 is enough for a kind");
        cases.push(judged("drift", false, false));
        assert_eq!(Report::new(&cases).missed(), ["less than 90 % of drift"]);
        cases.push(case("clean", Outcome::Clean { is_false: true }));
        assert_eq!(Report::new(&cases).missed().last().unwrap(), "1 of 2 clean runs have somebody accused");
        cases.push(case("stall", Outcome::Failed("it crashed".to_owned())));
        assert_eq!(Report::new(&cases).missed().last().unwrap(), "1 runs failed");
    }

    #[test]
    fn what_is_not_right_is_listed_with_its_command() {
        let cases = [
            judged("stall", true, true),
            judged("link", false, false),
            case("card", Outcome::Undecided("it costs 0.1 %".to_owned())),
        ];
        let text = Report::new(&cases).to_text();
        assert!(text.contains("  link in halo: not named first, not named whole, somebody else is accused\n    heddle simulate halo # link\n      faulty\n"), "{text}");
        assert!(!text.contains("# stall"), "{text}");
        assert!(text.contains("  card in halo: it costs 0.1 %"), "{text}");
        let row = |name: &str| {
            text.lines().find(|line| line.starts_with(name)).unwrap().split_whitespace().collect::<Vec<_>>()
        };
        assert_eq!(row("link"), ["link", "1", "0", "0", "1", "0", "0"]);
        assert_eq!(row("card"), ["card", "0", "0", "0", "0", "0", "1"]);
        let value: Value = serde_json::from_str(&Report::new(&cases).to_json().unwrap()).unwrap();
        assert_eq!(value["all"]["planted"], 2);
    }
}
