//! What each kind of finding is called, and what to look at next.
//!
//! Only what was measured is said of a run; what may lie behind it (heat, a bad cable, other jobs) is something to look at.

use heddle_diagnosis::finding::{Finding, FindingKind};
use heddle_diagnosis::suspect::Group;
use heddle_store::Store;

use super::sentence::{brief, capital, region_name, roughly_times};
use super::who::{Who, everybody, node_pair};
use crate::questions::details::node_name;
use crate::request::window::row_name;
use crate::scene::ticks::grouped;

/// What a finding is called at the head of a card: `Node 12 computes slowly`.
pub(super) fn title(store: &Store, finding: &Finding) -> String {
    let (who, suspect) = (Who::of(store, finding), &finding.suspect);
    capital(&match finding.kind() {
        FindingKind::SlowRanks => who.verb("computes slowly", "compute slowly"),
        FindingKind::Drift => who.verb("computes ever more slowly", "compute ever more slowly"),
        FindingKind::Stall if suspect.slow_visits > 1 => {
            format!("{} stalled {} times", who.name, grouped(suspect.slow_visits))
        }
        FindingKind::Stall => format!("{} stalled once", who.name),
        FindingKind::PeriodicNoise => match suspect.period {
            Some(period) => format!("{} every {}", interrupted(store, finding, &who), brief(period)),
            None => interrupted(store, finding, &who),
        },
        FindingKind::SlowLink => format!("slow messages {}", between(store, finding)),
        FindingKind::SlowCard => format!("slow messages, {}", who.name),
        FindingKind::SlowNetwork => "slow network".to_owned(),
        FindingKind::SerialChain => format!("{} work one after the other", everybody(store)),
        FindingKind::SerialWork => format!("only {}", who.verb("executes", "execute")) + " " + function(store, finding),
        FindingKind::Imbalance => "work is unevenly cut".to_owned(),
        FindingKind::LateReceiver => "sends wait for their receives".to_owned(),
        FindingKind::WrongOrder => "messages are received in another order than sent".to_owned(),
        FindingKind::Noise => "interruptions hit all ranks alike".to_owned(),
        FindingKind::ExposedCommunication => "communication is not hidden behind computing".to_owned(),
        FindingKind::SlowNodes => format!("the others wait for {}", who.name),
    })
}

/// What a finding is called in pictures: `node 12 computes 1.8× slower`.
pub(super) fn label(store: &Store, finding: &Finding) -> String {
    let (who, suspect) = (Who::of(store, finding), &finding.suspect);
    let factor = Some(suspect.factor()).filter(|factor| factor.is_finite() && *factor > 0.0).map(roughly_times);
    let longer = |what: String| match &factor {
        Some(factor) => format!("{what} take {factor} as long"),
        None => format!("{what} are slow"),
    };
    match (finding.kind(), &factor) {
        (FindingKind::SlowRanks, Some(factor)) => {
            who.verb(&format!("computes {factor} slower"), &format!("compute {factor} slower"))
        }
        (FindingKind::SlowRanks, None) => who.verb("computes slowly", "compute slowly"),
        (FindingKind::Drift, Some(factor)) => {
            who.verb(&format!("slows down to {factor}"), &format!("slow down to {factor}"))
        }
        (FindingKind::Drift, None) => who.verb("slows down", "slow down"),
        (FindingKind::Stall, _) => {
            let long = brief(suspect.found);
            who.verb(&format!("stalls for {long}"), &format!("stall for {long}"))
        }
        (FindingKind::PeriodicNoise, _) => match suspect.period {
            Some(period) => format!("interrupted every {}", brief(period)),
            None => "interrupted regularly".to_owned(),
        },
        (FindingKind::SlowLink, _) => longer(format!("messages {}", between(store, finding))),
        (FindingKind::SlowCard, _) => longer(format!("messages of {}", who.name)),
        (FindingKind::SlowNetwork, Some(_)) => longer("messages".to_owned()),
        (FindingKind::SlowNetwork, None) => "slow network".to_owned(),
        (FindingKind::SerialChain, _) => "one after the other".to_owned(),
        (FindingKind::SerialWork, _) => {
            format!("only {} {}", who.verb("executes", "execute"), function(store, finding))
        }
        (FindingKind::Imbalance, Some(factor)) => format!("up to {factor} the work of others"),
        (FindingKind::Imbalance, None) => "unevenly cut".to_owned(),
        (FindingKind::LateReceiver, _) => "sends wait for receives".to_owned(),
        (FindingKind::WrongOrder, _) => "received in another order".to_owned(),
        (FindingKind::Noise, _) => "interruptions".to_owned(),
        (FindingKind::ExposedCommunication, _) => "communication not hidden".to_owned(),
        (FindingKind::SlowNodes, Some(factor)) if suspect.factor() > 1.0 => {
            who.verb(&format!("works {factor} slower"), &format!("work {factor} slower"))
        }
        (FindingKind::SlowNodes, _) => format!("others wait for {}", who.name),
    }
}

/// What to look at next.
pub(super) fn advice(finding: &Finding) -> &'static str {
    let on_node = matches!(finding.suspect.group, Some(Group::Node(_)));
    match finding.kind() {
        FindingKind::SlowRanks if on_node => "Look at: clock rate, heat, other jobs there",
        FindingKind::SlowRanks => "Look at: the work these ranks are given, clock rate, what else runs on their cores",
        FindingKind::Drift => "Look at: data and memory that grow, heat",
        FindingKind::Stall => "Look at: what else ran there then: files, paging, other jobs",
        FindingKind::PeriodicNoise => "Look at: what runs with that period: daemons, timers, checkpoints",
        FindingKind::SlowLink => "Look at: the route between them, cables, error counters, other traffic",
        FindingKind::SlowCard => "Look at: its network card, error counters",
        FindingKind::SlowNetwork => "Look at: number and length of messages, other traffic, settings of the network",
        FindingKind::SerialChain => {
            "Look at: the order of sends and receives, whether work can be passed on in smaller pieces"
        }
        FindingKind::SerialWork => "Look at: whether others can share this work, or go on meanwhile",
        FindingKind::Imbalance => "Look at: how the work is cut over the ranks",
        FindingKind::LateReceiver => "Look at: posting receives earlier",
        FindingKind::WrongOrder => "Look at: receiving in the order of sending, or from any source",
        FindingKind::Noise => {
            "Look at: what else runs on the machine, and whether ranks must wait for each other so often"
        }
        FindingKind::ExposedCommunication => "Look at: starting communication earlier, in smaller pieces",
        FindingKind::SlowNodes => "Look at: its speed, and how tasks and data are placed",
    }
}

/// Ranks that are interrupted: named where they are few, else all of them.
fn interrupted(store: &Store, finding: &Finding, who: &Who) -> String {
    let all = finding.suspect.locations.len() as u64;
    if all == 0 || all == store.summary().ranks.max(2) {
        "interruptions".to_owned()
    } else {
        who.verb("is interrupted", "are interrupted")
    }
}

/// Between whom messages are slow: `between rank 3 and rank 17`, `of 18 pairs of ranks`.
pub(super) fn between(store: &Store, finding: &Finding) -> String {
    let pairs = &finding.suspect.pairs;
    if let [(from, to), rest @ ..] = pairs.as_slice()
        && rest.iter().all(|pair| *pair == (*to, *from))
    {
        let names = [row_name(store, *from), row_name(store, *to)];
        return match rest {
            [] => format!("from {} to {}", names[0], names[1]),
            _ => format!("between {} and {}", names[0], names[1]),
        };
    }
    if let Some((a, b)) = node_pair(store, pairs) {
        return format!("between {} and {}", node_name(store, a), node_name(store, b));
    }
    match pairs.len() as u64 {
        0 => format!("of {}", Who::of(store, finding).name),
        count => format!("of {} pairs of {}", grouped(count), everybody(store)),
    }
}

/// The function of a finding by name.
fn function<'a>(store: &'a Store, finding: &Finding) -> &'a str {
    region_name(store, finding.suspect.place.region)
}
