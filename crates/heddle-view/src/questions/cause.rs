//! Why an event is late, in words: where its lateness arose, and how far it reached.

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_logical::{Kind, Logical, Reach, Stop};
use heddle_store::Store;
use serde::Serialize;

use crate::analyses::{Steps, latest_of_call};
use crate::questions::findings::Piece;
use crate::questions::target::Target;
use crate::questions::waited::waited;
use crate::request::names::SpanName;
use crate::request::selection::Selection;
use crate::request::window::{Window, row_name};
use crate::scene::ticks::{counted, duration_text, grouped};
use crate::views::selected::event_at;

/// Why an event is late.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CauseAnswer {
    /// In words.
    pub text: Vec<Piece>,
    /// Where it arose and how far it reached; none for an event that is not late.
    #[serde(flatten)]
    pub cause: Option<CausePath>,
}

/// Where a lateness came from, and how far it reached.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CausePath {
    /// Where most of it arose.
    pub origin: CauseStop,
    /// From the event back to where nothing of its lateness is left.
    pub path: Vec<CauseStop>,
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

/// An event that a lateness came through.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CauseStop {
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

/// Why the selected event, or the latest one of the selected call, is late; none if nothing of the kind is selected. Where a
/// diagnosis is at hand, whom the call waited for is said by its delay costs.
pub fn cause_of(
    store: &Store,
    steps: &Steps,
    diagnosis: Option<&Diagnosis>,
    window: &Window,
    selected: &Selection,
) -> Option<CauseAnswer> {
    let logical = &*steps.logical;
    let only = |text: &str| Some(CauseAnswer { text: vec![words(text)], cause: None });
    if diagnosis.is_some_and(|diagnosis| diagnosis.clocks.is_broken) {
        return only("The clocks of the trace disagree: why a call is late cannot be said.");
    }
    let event = match selected {
        Selection::Span(name) => latest_of_call(store, logical, name.find(store)?),
        Selection::Event { rank, step } => Some(event_at(store, logical, *rank, *step)?),
        _ => return None,
    };
    let span = match selected {
        Selection::Span(name) => name.find(store),
        _ => event.map(|event| logical.events.span.get(event)),
    };
    let waited = diagnosis.zip(span).and_then(|(diagnosis, span)| waited(store, diagnosis, span));
    let Some(event) = event else {
        if let Some(text) = waited {
            return Some(CauseAnswer { text, cause: None });
        }
        return only("This call has no step: it neither sends, receives nor takes part in a collective.");
    };
    let Some(found) = steps.cause(store, event) else {
        if let Some(text) = waited {
            return Some(CauseAnswer { text, cause: None });
        }
        return only("This call is on time: no other of its step ends earlier.");
    };
    let stop = |stop: &Stop| {
        let step = logical.events.step.get(stop.event);
        CauseStop {
            target: Target::of(store, window, logical.events.span.get(stop.event)),
            step,
            lateness_ns: stop.lateness,
            is_aggregate: stop.is_aggregate,
        }
    };
    let (origin, reach) = (found.origin(), found.reach);
    Some(CauseAnswer {
        text: waited.unwrap_or_else(|| sentence(store, logical, origin, reach)),
        cause: Some(CausePath {
            origin: stop(&origin),
            path: found.path.iter().map(stop).collect(),
            ranks: reach.ranks,
            steps: reach.steps,
            messages: reach.messages,
            first_step: reach.first_step,
            last_step: reach.last_step,
        }),
    })
}

fn words(text: &str) -> Piece {
    Piece { text: text.to_owned(), ..Piece::default() }
}

/// Time between the call of an event and that of the event before it on its row, or the row's beginning.
fn computed(store: &Store, logical: &Logical, event: u64) -> i64 {
    let span = logical.events.span.get(event);
    let start = store.spans.start.get(span.0);
    let is_first = logical.events_of(logical.row_of(event)).start == event;
    let before = if is_first {
        heddle_model::Ns(store.summary().start_ns)
    } else {
        store.spans.end.get(logical.events.span.get(event - 1).0)
    };
    start.since(before).max(0)
}

/// "rank 10 computed 4.2 ms longer before step 36; it reached 15 ranks over 9 steps"
fn sentence(store: &Store, logical: &Logical, origin: Stop, reach: Reach) -> Vec<Piece> {
    let span = logical.events.span.get(origin.event);
    let location = store.locations.of_span(span);
    let rank = store.locations.rank.get(u64::from(location.0)).some().map(|rank| rank.0.to_string());
    let step = logical.events.step.get(origin.event);
    let longer = duration_text(origin.own);
    let call =
        |text: String| Piece { text, select: Some(Selection::Span(SpanName::of(store, span))), ..Piece::default() };
    let mut pieces = vec![Piece { text: row_name(store, location), ranks: rank, ..Piece::default() }];
    let here = call(format!("step {}", grouped(u64::from(step))));
    if origin.is_aggregate {
        let gap = computed(store, logical, origin.event);
        if gap >= origin.own {
            pieces.push(words(&format!(" computed {longer} longer before ")));
            pieces.push(here);
        } else {
            // It did not compute so long: that it is behind is all that is certain.
            pieces.push(words(&format!(" comes {longer} behind to ")));
            pieces.push(here);
            pieces.push(words(&format!(", with {} of computing before it", duration_text(gap))));
        }
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
        pieces.push(here);
    }
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
