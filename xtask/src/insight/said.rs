//! What `heddle diagnose --json` says, and what can be wrong with it whatever the run.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde_json::Value;

/// Kinds that accuse somebody or something of a fault. `serial-work` is not among them: that few ranks do what the others wait
/// for is how a program is written.
const ACCUSING: [&str; 8] =
    ["slow-ranks", "drift", "stall", "periodic-noise", "slow-link", "slow-card", "slow-network", "slow-nodes"];

/// Kinds whose excess is computing.
const COMPUTING: [&str; 7] = ["slow-ranks", "drift", "stall", "periodic-noise", "noise", "imbalance", "serial-work"];

/// Rounding may make a sum of shares this much larger.
const SLACK: f64 = 1e-6;

/// A diagnosis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Said {
    pub(super) verdict: String,
    /// Dearest first.
    pub(super) findings: Vec<Finding>,
    /// What is wrong with it in itself.
    pub(super) impossible: Vec<String>,
}

/// Something found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Finding {
    pub(super) kind: String,
    pub(super) ranks: BTreeSet<u32>,
    pub(super) nodes: BTreeSet<String>,
    /// The smaller rank first.
    pub(super) pairs: BTreeSet<(u32, u32)>,
    pub(super) function: Option<String>,
    pub(super) since: i64,
    pub(super) until: i64,
    pub(super) cost: f64,
    pub(super) text: String,
}

impl Finding {
    /// Whether it accuses somebody of a run of so many ranks. Noise that is everywhere is nobody's fault.
    pub(super) fn accuses(&self, ranks: usize) -> bool {
        let is_everywhere = self.kind == "periodic-noise" && (self.ranks.is_empty() || self.ranks.len() == ranks);
        ACCUSING.contains(&self.kind.as_str()) && !is_everywhere
    }
}

impl Said {
    /// Reads a diagnosis of a run that took so long, in nanoseconds, and whose ranks computed for so long each.
    pub(super) fn parse(text: &str, length: i64, computed: &BTreeMap<u32, i64>) -> Result<Said> {
        let value: Value = serde_json::from_str(text).context("the diagnosis is no JSON")?;
        let verdict = value["verdict"].as_str().context("the diagnosis has no verdict")?.to_owned();
        let list = value["findings"].as_array().context("the diagnosis has no findings")?;
        let mut impossible = Vec::new();
        for finding in list {
            check(finding, length, computed, &mut impossible);
        }
        let sum: f64 = list.iter().filter_map(|finding| finding["cost_share"].as_f64()).sum();
        if sum > 1.0 + SLACK {
            impossible.push(format!("all findings together cost {:.1} %", 100.0 * sum));
        }
        let split: f64 = each(&value["split"]).filter_map(|part| part["share"].as_f64()).sum();
        if split > 1.0 + SLACK {
            impossible.push(format!("the parts of the run's time add up to {:.1} %", 100.0 * split));
        }
        let findings = list.iter().map(finding).collect();
        Ok(Said { verdict, findings, impossible })
    }
}

fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// What no run can have.
fn check(finding: &Value, length: i64, computed: &BTreeMap<u32, i64>, impossible: &mut Vec<String>) {
    let kind = finding["kind"].as_str().unwrap_or("a finding");
    match finding["cost_share"].as_f64() {
        Some(share) if (0.0..=1.0 + SLACK).contains(&share) => {}
        Some(share) => impossible.push(format!("{kind} costs {:.1} %", 100.0 * share)),
        None => impossible.push(format!("{kind} has no cost")),
    }
    if let Some(without) = finding["without_ns"].as_i64().filter(|without| *without > length) {
        impossible.push(format!("without {kind} the run would take {without} ns, longer than its {length} ns"));
    }
    let ranks: Vec<u32> = each(&finding["ranks"]).filter_map(number).collect();
    let own = if COMPUTING.contains(&kind) {
        ranks.iter().map(|rank| computed.get(rank).copied().unwrap_or(0)).sum()
    } else {
        // Messages hold up whoever receives them, and others in collectives.
        length.saturating_mul(computed.len().max(1) as i64)
    };
    match finding["excess_ns"].as_i64() {
        Some(excess) if excess <= own || ranks.is_empty() => {}
        Some(excess) => {
            impossible.push(format!("{kind} takes {excess} ns too long, more than the {own} ns of its ranks"));
        }
        None => impossible.push(format!("{kind} does not say what is in excess")),
    }
    let (since, until) = (finding["since_ns"].as_i64(), finding["until_ns"].as_i64());
    if !matches!((since, until), (Some(since), Some(until)) if 0 <= since && since <= until && until <= length) {
        impossible.push(format!("{kind} lasts from {since:?} to {until:?} in a run of {length} ns"));
    }
}

fn finding(value: &Value) -> Finding {
    let pair = |pair: &Value| -> Option<(u32, u32)> {
        let (one, other) = (number(&pair[0])?, number(&pair[1])?);
        Some((one.min(other), one.max(other)))
    };
    Finding {
        kind: value["kind"].as_str().unwrap_or_default().to_owned(),
        ranks: each(&value["ranks"]).filter_map(number).collect(),
        nodes: each(&value["nodes"]).filter_map(|name| Some(name.as_str()?.to_owned())).collect(),
        pairs: each(&value["pairs"]).filter_map(pair).collect(),
        function: value["function"].as_str().map(str::to_owned),
        since: value["since_ns"].as_i64().unwrap_or(0),
        until: value["until_ns"].as_i64().unwrap_or(0),
        cost: value["cost_share"].as_f64().unwrap_or(0.0),
        text: value["text"].as_str().unwrap_or_default().to_owned(),
    }
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnosis_is_read_as_it_is_written() {
        let text = r#"{"verdict": "faulty", "findings": [
            {"kind": "slow-link", "ranks": [17, 3], "nodes": ["node 0"], "pairs": [[17, 3], [3, 17]], "function": null,
             "since_ns": 5, "until_ns": 90, "cost_share": 0.25, "without_ns": 80, "excess_ns": 4, "text": "They are slow."}],
            "split": []}"#;
        let said = Said::parse(text, 100, &BTreeMap::new()).unwrap();
        assert_eq!((said.verdict.as_str(), said.impossible.len()), ("faulty", 0));
        let found = &said.findings[0];
        assert_eq!((found.since, found.until, found.text.as_str()), (5, 90, "They are slow."));
        assert_eq!(found.pairs, BTreeSet::from([(3, 17)]));
        assert_eq!(found.ranks, BTreeSet::from([3, 17]));
    }

    #[test]
    fn what_cannot_be_is_noticed() {
        let finding = |share: f64, without: i64, until: i64| {
            format!(
                r#"{{"kind": "stall", "ranks": [1], "since_ns": 0, "until_ns": {until}, "cost_share": {share},
                "without_ns": {without}, "excess_ns": 60}}"#
            )
        };
        let said = |findings: &[String], split: f64| {
            let text = format!(
                r#"{{"verdict": "faulty", "findings": [{}], "split": [{{"share": {split}}}]}}"#,
                findings.join(",")
            );
            Said::parse(&text, 100, &BTreeMap::from([(1, 60), (2, 90)])).unwrap().impossible
        };
        assert_eq!(said(&[finding(0.5, 100, 100), finding(0.5, 10, 50)], 1.0), [""; 0]);
        assert_eq!(said(&[finding(1.2, 10, 50)], 0.0)[0], "stall costs 120.0 %");
        assert_eq!(said(&[finding(0.6, 10, 50), finding(0.6, 10, 50)], 0.0), ["all findings together cost 120.0 %"]);
        assert_eq!(said(&[finding(0.6, 101, 50)], 0.0).len(), 1);
        assert_eq!(said(&[finding(0.6, 10, 101)], 0.0).len(), 1);
        assert_eq!(said(&[], 1.1), ["the parts of the run's time add up to 110.0 %"]);
        let more = finding(0.6, 10, 50).replace("\"excess_ns\": 60", "\"excess_ns\": 61");
        assert_eq!(said(&[more], 0.0), ["stall takes 61 ns too long, more than the 60 ns of its ranks"]);
        let silent = finding(0.6, 10, 50).replace("excess_ns", "excess");
        assert_eq!(said(&[silent], 0.0), ["stall does not say what is in excess"]);
    }
}
