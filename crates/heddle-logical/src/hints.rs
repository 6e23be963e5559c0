//! What a user should know about a result: where it is less than it could be, and which option would help.

use heddle_model::{WarningKind, grouped};
use std::collections::BTreeMap;

use heddle_store::Store;

use crate::LogicalOptions;
use crate::extract::Survey;

/// Fewer events in one phase than this are no reason to wonder.
const MANY_EVENTS: u64 = 64;

/// How large phases are.
pub(crate) struct PhaseSizes {
    /// How many phases have so many events.
    pub(crate) phases: BTreeMap<u64, u64>,
    /// In how many collectives were taken apart.
    pub(crate) split: u64,
}

/// What to say about a result.
pub(crate) fn hints(store: &Store, options: &LogicalOptions, survey: &Survey, sizes: &PhaseSizes) -> Vec<String> {
    let mut hints = Vec::new();
    phase_hints(options, sizes, &mut hints);
    oddity_hints(survey, &mut hints);
    let skew = store.warnings().into_iter().find(|warning| warning.kind == WarningKind::ReceiveBeforeSend);
    if let Some(skew) = skew {
        hints.push(format!(
            "{} before they were sent: the clocks of the ranks differ. Phases and steps do not depend on \
             clocks, lateness does.",
            count(skew.count, "message arrives", "messages arrive")
        ));
    }
    let mismatches = store.length_mismatches.len();
    if options.same_size && mismatches > 0 {
        hints.push(format!(
            "The ends of {} different lengths: they count as unmatched.",
            count(mismatches, "message name", "messages name")
        ));
    }
    hints
}

fn phase_hints(options: &LogicalOptions, sizes: &PhaseSizes, hints: &mut Vec<String>) {
    let total: u64 = sizes.phases.iter().map(|(size, phases)| size * phases).sum();
    let phases: u64 = sizes.phases.values().sum();
    let mut up_to = 0;
    let median = sizes.phases.iter().find(|(_, number)| {
        up_to += **number;
        up_to > phases / 2
    });
    let median = median.map_or(0, |(size, _)| *size);
    if median == 2 && phases > 8 && !options.leap_merge && options.phase_function.is_none() {
        hints.push(
            "Most phases are single messages, so phase lateness says little: lateness compares all events of a step. Leap \
             merge, or a function that begins phases, would join them."
                .to_owned(),
        );
    }
    let largest = sizes.phases.keys().last().copied().unwrap_or(0);
    if total >= MANY_EVENTS && largest * 10 >= total * 9 {
        let why = if options.common_caller && options.phase_function.is_none() {
            "Without common callers, or with a function that begins phases, there may be more."
        } else {
            "Its messages leave no point at which everything before it is finished."
        };
        hints.push(format!("One phase holds {} of {} events. {why}", grouped(largest), grouped(total)));
    }
    let split = sizes.split;
    if split > 0 {
        hints.push(format!(
            "In {} messages and collectives contradict each other: those collectives were taken apart, and contradictions \
             that are left order nothing.",
            count(split, "phase", "phases")
        ));
    }
}

fn oddity_hints(survey: &Survey, hints: &mut Vec<String>) {
    let oddities = &survey.oddities;
    let mut say = |number: u64, one: &str, several: &str, rest: &str| {
        if number > 0 {
            hints.push(format!("{} {rest}.", count(number, one, several)));
        }
    };
    say(oddities.unmatched_sends, "send has", "sends have", "no receive in the trace");
    say(oddities.unmatched_receives, "receive has", "receives have", "no send in the trace");
    say(
        oddities.posted_receives,
        "receive was",
        "receives were",
        "posted, but the trace has no record of completion: who waited for whom is not known",
    );
    say(
        oddities.without_call,
        "end of a message lies",
        "ends of messages lie",
        "outside all calls, with no place in logical time",
    );
    say(
        oddities.left_out,
        "end of a message or collective is",
        "ends of messages and collectives are",
        "on threads other than the one that stands for its rank; only one thread per rank has logical time",
    );
    say(
        oddities.replaced_rows,
        "rank is",
        "ranks are",
        "represented by a thread or stream other than the main one, which does not communicate",
    );
    if oddities.without_ranks && !survey.locations().is_empty() {
        hints.push("The trace has no ranks: every location that communicates has a row.".to_owned());
    }
}

fn count(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { several })
}
