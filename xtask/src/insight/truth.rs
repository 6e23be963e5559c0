//! What was planted, and whether a diagnosis names it.

use std::collections::BTreeSet;

use super::said::{Finding, Said};

/// Times may be off by this share of the run.
const TIME_SLACK: f64 = 0.1;

/// A planted fault, as somebody would have to name it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Truth {
    /// Ranks compute slowly: those, no others; in a function, if it is only there; and then, if not throughout.
    Slow { ranks: BTreeSet<u32>, function: Option<String>, from: Option<i64>, until: Option<i64> },
    /// Ranks compute ever more slowly.
    Drift { ranks: BTreeSet<u32> },
    /// A rank stalls once.
    Stall { rank: u32, at: i64 },
    /// Messages between two ranks are slow, the smaller one first.
    RankLink(u32, u32),
    /// Messages between all ranks of one node and all of another are: the names of both, and the pairs that exchange some.
    NodeLink { nodes: BTreeSet<String>, pairs: BTreeSet<(u32, u32)> },
    /// All messages of a rank, or those that leave or reach a node, are slow: the pairs that exchange some. Of the node's ranks those
    /// are guilty that do.
    Card { ranks: BTreeSet<u32>, node: Option<String>, pairs: BTreeSet<(u32, u32)> },
    /// All messages are.
    Network,
    /// Something takes the processor of a rank away at regular intervals.
    Noise { rank: u32 },
    /// Of all ranks, each at its own times.
    NoiseEverywhere,
    /// Work is not evenly cut: nobody is to blame.
    Uneven,
    /// A clock is wrong, so that messages are there before they are sent, or only so little that nobody can see it.
    Clock { is_visible: bool },
    /// Nodes of a run of tasks are slow.
    SlowNodes(BTreeSet<String>),
    /// Their links are.
    SlowNodeLinks(BTreeSet<String>),
}

/// How far a finding names a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Named {
    /// It is about something else.
    No,
    /// It is about nothing else, but not all of it, or not exactly.
    Partly,
    /// As it is.
    Whole,
}

/// How a diagnosis of a run with faults did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Score {
    /// The first who is accused is guilty.
    pub(super) first: bool,
    /// Every fault is named as it is.
    pub(super) whole: bool,
    /// Somebody is accused who is not guilty.
    pub(super) wrong: bool,
    /// Nobody is accused, although somebody is guilty.
    pub(super) silent: bool,
}

impl Score {
    /// Whether nothing could be better.
    pub(super) fn is_right(self) -> bool {
        self.first && self.whole && !self.wrong
    }
}

/// What a run is like that faults were planted into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) ranks: usize,
    /// In nanoseconds.
    pub(super) length: i64,
}

impl Truth {
    fn blames_nobody(&self) -> bool {
        matches!(self, Truth::NoiseEverywhere | Truth::Uneven | Truth::Clock { .. })
    }

    /// Whether something that accuses nobody tells of it. A network that is slow from the first message to the last cannot be
    /// told from one that is built so: what can be measured is how much of the run it takes.
    fn is_told_by(&self, finding: &Finding) -> bool {
        *self == Truth::Network && finding.kind == "exposed-communication"
    }

    fn named(&self, by: &Finding, run: Run) -> Named {
        let is = |kind: &str| by.kind == kind;
        let slack = slack(run.length);
        match self {
            Truth::Slow { ranks, function, from, until } if is("slow-ranks") => {
                let is_there = function.is_none() || by.function == *function;
                let has_time = from.is_some() || until.is_some();
                let since = (by.since - from.unwrap_or(0)).abs() <= slack;
                let until = (by.until - until.unwrap_or(run.length)).abs() <= slack;
                whole_if(same(&by.ranks, ranks), is_there && (!has_time || (since && until)))
            }
            Truth::Drift { ranks } if is("drift") || is("slow-ranks") => same(&by.ranks, ranks),
            Truth::Stall { rank, at } if is("stall") => {
                // It hits what the rank computes then, or next.
                let is_then = *at <= by.until + slack;
                whole_if(same(&by.ranks, &BTreeSet::from([*rank])), is_then)
            }
            Truth::RankLink(one, other) if is("slow-link") => same(&by.pairs, &BTreeSet::from([(*one, *other)])),
            Truth::NodeLink { nodes, pairs } if is("slow-link") => match same(&by.pairs, pairs) {
                Named::Partly if by.nodes == *nodes => Named::Whole,
                Named::No if by.nodes == *nodes && by.pairs.is_empty() => Named::Whole,
                named => named,
            },
            Truth::Card { node: Some(node), .. } if is("slow-card") && by.nodes == BTreeSet::from([node.clone()]) => {
                Named::Whole
            }
            Truth::Card { ranks, .. } if is("slow-card") => same(&by.ranks, ranks),
            // Its pairs are slow, and no others; but that they have a card in common is not said, unless there is only one.
            Truth::Card { pairs, .. } if is("slow-link") => whole_if(same(&by.pairs, pairs), pairs.len() == 1),
            Truth::Network if is("slow-network") || self.is_told_by(by) => Named::Whole,
            Truth::Noise { rank } if is("periodic-noise") => same(&by.ranks, &BTreeSet::from([*rank])),
            Truth::SlowNodes(nodes) if is("slow-nodes") => same(&by.nodes, nodes),
            Truth::SlowNodeLinks(nodes) if is("slow-card") || is("slow-link") => same(&by.nodes, nodes),
            _ => Named::No,
        }
    }

    /// Whether what is said of a run is right where nobody is to blame; nobody is accused.
    fn is_understood(&self, said: &Said) -> bool {
        match self {
            Truth::NoiseEverywhere => {
                said.findings.iter().any(|finding| ["periodic-noise", "noise"].contains(&finding.kind.as_str()))
            }
            Truth::Uneven => said.verdict == "uneven",
            Truth::Clock { is_visible } => !is_visible || said.verdict == "unknown",
            _ => false,
        }
    }
}

/// By how much times may be off in a run of some length.
pub(super) fn slack(length: i64) -> i64 {
    (length as f64 * TIME_SLACK) as i64
}

/// Whether exactly those are named, or only some of them.
fn same<T: Ord>(named: &BTreeSet<T>, guilty: &BTreeSet<T>) -> Named {
    if named == guilty {
        Named::Whole
    } else if !named.is_empty() && named.is_subset(guilty) {
        Named::Partly
    } else {
        Named::No
    }
}

fn whole_if(named: Named, is_exact: bool) -> Named {
    if is_exact { named } else { named.min(Named::Partly) }
}

/// Judges a diagnosis of a run that these faults were planted into.
pub(super) fn judge(truths: &[Truth], said: &Said, run: Run) -> Score {
    let accused: Vec<&Finding> = said.findings.iter().filter(|finding| finding.accuses(run.ranks)).collect();
    if truths.iter().all(Truth::blames_nobody) {
        let is_right = accused.is_empty() && truths.iter().all(|truth| truth.is_understood(said));
        return Score {
            first: is_right,
            whole: is_right,
            wrong: !accused.is_empty(),
            silent: accused.is_empty() && !is_right,
        };
    }
    let is_told =
        |finding: &&Finding| finding.accuses(run.ranks) || truths.iter().any(|truth| truth.is_told_by(finding));
    let accused: Vec<&Finding> = said.findings.iter().filter(is_told).collect();
    let named = |finding: &Finding| truths.iter().map(|truth| truth.named(finding, run)).max().unwrap_or(Named::No);
    let is_whole = |truth: &Truth| {
        accused.iter().any(|finding| truth.named(finding, run) == Named::Whole) || truth.blames_nobody()
    };
    Score {
        first: accused.first().is_some_and(|finding| named(finding) > Named::No),
        whole: truths.iter().all(is_whole),
        wrong: accused.iter().any(|finding| named(finding) == Named::No),
        silent: accused.is_empty(),
    }
}

/// Whether a diagnosis of a run without a fault accuses somebody.
pub(super) fn is_false(said: &Said, ranks: usize) -> bool {
    said.verdict == "faulty" || said.findings.iter().any(|finding| finding.accuses(ranks))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Run = Run { ranks: 64, length: 1_000 };

    fn ranks<const N: usize>(list: [u32; N]) -> BTreeSet<u32> {
        BTreeSet::from(list)
    }

    fn found<const N: usize>(kind: &str, list: [u32; N]) -> Finding {
        Finding { kind: kind.to_owned(), ranks: ranks(list), until: 1_000, ..Finding::default() }
    }

    fn said(findings: &[Finding]) -> Said {
        let verdict = if findings.is_empty() { "balanced" } else { "faulty" };
        Said { verdict: verdict.to_owned(), findings: findings.to_vec(), impossible: Vec::new() }
    }

    fn slow<const N: usize>(list: [u32; N]) -> Truth {
        Truth::Slow { ranks: ranks(list), function: None, from: None, until: None }
    }

    /// First, whole, wrong, silent.
    fn scored(truths: &[Truth], findings: &[Finding]) -> [bool; 4] {
        let score = judge(truths, &said(findings), RUN);
        [score.first, score.whole, score.wrong, score.silent]
    }

    const RIGHT: [bool; 4] = [true, true, false, false];
    const PART: [bool; 4] = [true, false, false, false];
    const WRONG: [bool; 4] = [false, false, true, false];
    const SILENT: [bool; 4] = [false, false, false, true];

    #[test]
    fn a_set_is_named_whole_only_if_it_is_equal() {
        for (list, expected) in [
            (&found("slow-ranks", [5, 9]), RIGHT),
            (&found("slow-ranks", [5]), PART),
            (&found("slow-ranks", [5, 9, 10]), WRONG),
            (&found("slow-ranks", [10]), WRONG),
            (&found("slow-ranks", []), WRONG),
            (&found("stall", [5, 9]), WRONG),
        ] {
            assert_eq!(scored(&[slow([5, 9])], std::slice::from_ref(list)), expected, "{list:?}");
        }
        assert_eq!(scored(&[slow([5])], &[]), SILENT);
    }

    #[test]
    fn the_first_accused_counts_and_others_are_wrong() {
        let (guilty, other) = (found("slow-ranks", [5]), found("slow-ranks", [6]));
        assert_eq!(scored(&[slow([5])], &[guilty.clone(), other.clone()]), [true, true, true, false]);
        assert_eq!(scored(&[slow([5])], &[other, guilty.clone()]), [false, true, true, false]);
        // What accuses nobody does not count, wherever it stands.
        assert_eq!(scored(&[slow([5])], &[found("imbalance", [1, 2]), guilty]), RIGHT);
    }

    #[test]
    fn of_two_faults_both_must_be_named() {
        let truths = [slow([5]), Truth::Stall { rank: 7, at: 500 }];
        let stall = Finding { since: 450, until: 520, ..found("stall", [7]) };
        assert_eq!(scored(&truths, &[found("slow-ranks", [5]), stall.clone()]), RIGHT);
        assert_eq!(scored(&truths, &[stall]), PART);
    }

    #[test]
    fn functions_and_times_must_be_right() {
        let inside = |function: &str| Finding { function: Some(function.to_owned()), ..found("slow-ranks", [5]) };
        let truth = Truth::Slow { ranks: ranks([5]), function: Some("fft".to_owned()), from: None, until: None };
        assert_eq!(scored(std::slice::from_ref(&truth), &[inside("fft")]), RIGHT);
        assert_eq!(scored(&[truth], &[inside("hydro")]), PART);
        let later = |from, until| Truth::Slow { ranks: ranks([5]), function: None, from: Some(from), until };
        let at = |since, until| Finding { since, until, ..found("slow-ranks", [5]) };
        assert_eq!(scored(&[later(300, None)], &[at(390, 1_000)]), RIGHT);
        assert_eq!(scored(&[later(300, None)], &[at(401, 1_000)]), PART);
        assert_eq!(scored(&[later(300, Some(600))], &[at(300, 1_000)]), PART);
        assert_eq!(scored(&[later(300, Some(600))], &[at(250, 650)]), RIGHT);
        let stall = Truth::Stall { rank: 5, at: 500 };
        let stalled = |since, until| Finding { since, until, ..found("stall", [5]) };
        assert_eq!(scored(std::slice::from_ref(&stall), &[stalled(480, 700)]), RIGHT);
        assert_eq!(scored(std::slice::from_ref(&stall), &[stalled(700, 800)]), RIGHT, "it computes later");
        assert_eq!(scored(&[stall], &[stalled(100, 300)]), PART);
    }

    #[test]
    fn messages_are_slow_on_a_link_a_card_or_everywhere() {
        let link = |pairs: &[(u32, u32)]| Finding { pairs: pairs.iter().copied().collect(), ..found("slow-link", []) };
        assert_eq!(scored(&[Truth::RankLink(3, 17)], &[link(&[(3, 17)])]), RIGHT);
        assert_eq!(scored(&[Truth::RankLink(3, 17)], &[link(&[(3, 17), (3, 18)])]), WRONG);
        let nodes = BTreeSet::from(["node 0".to_owned(), "node 1".to_owned()]);
        let between = Truth::NodeLink { nodes: nodes.clone(), pairs: BTreeSet::from([(0, 2), (1, 3)]) };
        let named = Finding { nodes, ..link(&[(0, 2)]) };
        assert_eq!(scored(std::slice::from_ref(&between), &[named]), RIGHT);
        assert_eq!(scored(std::slice::from_ref(&between), &[link(&[(0, 2), (1, 3)])]), RIGHT);
        assert_eq!(scored(std::slice::from_ref(&between), &[link(&[(0, 2)])]), PART);
        assert_eq!(scored(&[between], &[link(&[(0, 1)])]), WRONG);
        let of = |pairs: &[(u32, u32)]| Truth::Card {
            ranks: ranks([4, 5]),
            node: Some("node 2".to_owned()),
            pairs: pairs.iter().copied().collect(),
        };
        assert_eq!(scored(&[of(&[(4, 60)])], &[link(&[(4, 60)])]), RIGHT, "nobody can tell it from a link");
        let card = of(&[(4, 60), (5, 61)]);
        let of_node = Finding { nodes: BTreeSet::from(["node 2".to_owned()]), ..found("slow-card", []) };
        assert_eq!(scored(std::slice::from_ref(&card), &[of_node]), RIGHT);
        assert_eq!(scored(std::slice::from_ref(&card), &[found("slow-card", [4, 5])]), RIGHT);
        assert_eq!(scored(std::slice::from_ref(&card), &[link(&[(4, 60), (5, 61)])]), PART);
        assert_eq!(scored(&[card], &[link(&[(4, 60), (7, 61)])]), WRONG);
        let nodes = BTreeSet::from(["node 2".to_owned()]);
        let named = |kind: &str| Finding { nodes: nodes.clone(), ..found(kind, []) };
        assert_eq!(scored(&[Truth::SlowNodes(nodes.clone())], &[named("slow-nodes")]), RIGHT);
        assert_eq!(scored(&[Truth::SlowNodes(nodes.clone())], &[named("slow-card")]), WRONG);
        assert_eq!(scored(&[Truth::SlowNodeLinks(nodes.clone())], &[named("slow-card")]), RIGHT);
        assert_eq!(scored(&[Truth::Network], &[found("slow-network", [])]), RIGHT);
        assert_eq!(scored(&[Truth::Network], &[found("exposed-communication", [])]), RIGHT);
        assert_eq!(scored(&[Truth::Network], &[found("slow-ranks", [1])]), WRONG);
    }

    #[test]
    fn where_nobody_is_to_blame_nobody_may_be_blamed() {
        let verdict = |verdict: &str, findings: &[Finding]| Said { verdict: verdict.to_owned(), ..said(findings) };
        let everywhere = found("periodic-noise", []);
        let judged = |truth: Truth, said: &Said| {
            let score = judge(&[truth], said, RUN);
            [score.first, score.whole, score.wrong, score.silent]
        };
        assert_eq!(judged(Truth::Uneven, &verdict("uneven", &[found("imbalance", [1])])), RIGHT);
        assert_eq!(judged(Truth::Uneven, &verdict("balanced", &[])), SILENT);
        assert_eq!(judged(Truth::Uneven, &verdict("uneven", &[found("slow-ranks", [63])])), WRONG);
        assert_eq!(judged(Truth::NoiseEverywhere, &verdict("balanced", std::slice::from_ref(&everywhere))), RIGHT);
        assert_eq!(judged(Truth::NoiseEverywhere, &verdict("faulty", &[found("periodic-noise", [3])])), WRONG);
        assert_eq!(judged(Truth::Noise { rank: 3 }, &verdict("faulty", &[found("periodic-noise", [3])])), RIGHT);
        assert_eq!(judged(Truth::Clock { is_visible: true }, &verdict("unknown", &[])), RIGHT);
        assert_eq!(judged(Truth::Clock { is_visible: true }, &verdict("balanced", &[])), SILENT);
        assert_eq!(judged(Truth::Clock { is_visible: false }, &verdict("balanced", &[])), RIGHT);
        assert_eq!(judged(Truth::Clock { is_visible: false }, &verdict("faulty", &[found("stall", [3])])), WRONG);
        for (said, expected) in [
            (verdict("balanced", &[]), false),
            (verdict("uneven", &[found("serial-chain", [1]), found("serial-work", [2])]), false),
            (verdict("balanced", &[everywhere]), false),
            (verdict("faulty", &[]), true),
            (verdict("balanced", &[found("stall", [3])]), true),
        ] {
            assert_eq!(is_false(&said, 64), expected, "{said:?}");
        }
    }
}
