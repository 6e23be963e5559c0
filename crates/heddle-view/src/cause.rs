//! Where a lateness arose, in words, and the way to there.

use heddle_logical::{Kind, Logical, Reach, Stop, cause};
use heddle_model::SpanRow;
use heddle_store::Store;
use serde::Serialize;

use crate::findings::Piece;
use crate::names::SpanName;
use crate::target::Target;
use crate::ticks::{duration_text, grouped};
use crate::window::{Window, row_name};

/// Why a call is late.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// In words.
    pub text: Vec<Piece>,
    /// Where it arose and how far it reached; none for a call that is not late.
    #[serde(flatten)]
    pub way: Option<Way>,
}

/// The way of a lateness.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Way {
    /// Where most of it arose.
    pub origin: WayPoint,
    /// From the call back to where nothing of its lateness is left.
    pub path: Vec<WayPoint>,
    /// Ranks that it reached, without the one on which it arose.
    pub ranks: u32,
    /// Steps in which it was felt.
    pub steps: u32,
    /// Messages that handed it on.
    pub messages: u64,
    /// The first of the steps.
    pub first_step: u32,
    /// The last of them.
    pub last_step: u32,
}

/// An event on the way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WayPoint {
    /// Its call.
    #[serde(flatten)]
    pub target: Target,
    /// Its step.
    pub step: u32,
    /// How late it is.
    #[serde(serialize_with = "number_text")]
    pub lateness_ns: i64,
    /// Whether what its rank did before the call is meant.
    pub is_aggregate: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn number_text<S: serde::Serializer>(number: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

/// Why a call is late. Of several events at one call the latest counts.
pub fn explain(store: &Store, logical: &Logical, window: &Window, span: SpanRow) -> Explanation {
    let only = |text: &str| Explanation { text: vec![words(text)], way: None };
    let events = logical.events_of_span(store, span);
    let Some(event) = events.max_by_key(|event| (logical.lateness(*event), std::cmp::Reverse(*event))) else {
        return only("This call has no step: it neither sends, receives nor takes part in a collective.");
    };
    let Some(found) = cause(store, logical, event) else {
        return only("This call is on time: none of its step ends earlier.");
    };
    let point = |stop: &Stop| WayPoint {
        target: Target::of(store, window, logical.events.span.get(stop.event)),
        step: logical.events.step.get(stop.event),
        lateness_ns: stop.lateness,
        is_aggregate: stop.is_aggregate,
    };
    let (origin, reach) = (found.origin(), found.reach);
    Explanation {
        text: sentence(store, logical, origin, reach),
        way: Some(Way {
            origin: point(&origin),
            path: found.path.iter().map(point).collect(),
            ranks: reach.ranks,
            steps: reach.steps,
            messages: reach.messages,
            first_step: reach.first_step,
            last_step: reach.last_step,
        }),
    }
}

fn words(text: &str) -> Piece {
    Piece { text: text.to_owned(), ..Piece::default() }
}

/// "rank 10 computed 4.2 ms longer before step 36; it reached 15 ranks over 9 steps"
fn sentence(store: &Store, logical: &Logical, origin: Stop, reach: Reach) -> Vec<Piece> {
    let span = logical.events.span.get(origin.event);
    let location = store.locations.of_span(span);
    let rank = store.locations.rank.get(u64::from(location.0)).some().map(|rank| rank.0.to_string());
    let step = logical.events.step.get(origin.event);
    let longer = duration_text(origin.own);
    let call = |text: String| Piece { text, span: Some(SpanName::of(store, span)), ..Piece::default() };
    let mut pieces = vec![Piece { text: row_name(store, location), ranks: rank, ..Piece::default() }];
    if origin.is_aggregate {
        pieces.push(words(&format!(" computed {longer} longer before ")));
        pieces.push(call(format!("step {}", grouped(u64::from(step)))));
    } else {
        let region = store.spans.region.get(span.0);
        let name = store.regions.name.get(u64::from(region.0)).to_owned();
        let what = match logical.kind(origin.event) {
            Kind::Send => " sent",
            Kind::Receive => " received",
            Kind::Collective => " took part",
        };
        pieces.push(words(&format!("{what} {longer} longer in ")));
        pieces.push(Piece { text: name, region: Some(region), ..Piece::default() });
        pieces.push(words(" at "));
        pieces.push(call(format!("step {}", grouped(u64::from(step)))));
    }
    let counted = |number: u64, one: &str| format!("{} {one}{}", grouped(number), if number == 1 { "" } else { "s" });
    let at_least = if reach.is_cut { "at least " } else { "" };
    let ranks = counted(u64::from(reach.ranks), "other rank");
    let over = counted(u64::from(reach.steps), "step");
    pieces.push(words(&if reach.ranks == 0 {
        format!("; it reached no other rank, and lasted {over}.")
    } else {
        format!("; it reached {at_least}{ranks} over {over}.")
    }));
    pieces
}
