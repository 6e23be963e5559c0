//! Analyses: how far they are; and of logical time its phases, and which steps lie when.

use std::cmp::Reverse;

use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;

use heddle_logical::Logical;
use heddle_options::Options;
use heddle_view::{AnalysisKind, MetricOptions, largest_in_sight};

use crate::asked::Asked;
use crate::error::Refusal;
use crate::keeper::Progressed;

/// How far an analysis is.
#[derive(Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
enum StateAnswer<T> {
    Ready { about: T },
    Building { stage: &'static str, done: f64 },
    None { why: String },
    Failed { error: String },
}

pub(super) async fn state(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let need = asked.need()?;
            Ok(match asked.keeper.ask(&asked.store, &need) {
                Progressed::Ready(result) => StateAnswer::Ready { about: result.about(&asked.store) },
                Progressed::Building(stage, done) => StateAnswer::Building { stage, done },
                Progressed::None(why) => StateAnswer::None { why },
                Progressed::Failed(error) => StateAnswer::Failed { error },
            })
        })
        .await
}

pub(super) async fn cancel(asked: Asked) -> Result<StatusCode, Refusal> {
    if asked.keeper.cancel(&asked.need()?) {
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(Refusal::new(StatusCode::CONFLICT, "It is not being computed."))
}

/// In which order phases are listed.
#[derive(Clone, Copy)]
enum Sort {
    Lateness,
    Total,
    First,
    Events,
    Ranks,
}

const SORTS: [(&str, Sort); 5] = [
    ("lateness", Sort::Lateness),
    ("total", Sort::Total),
    ("first", Sort::First),
    ("events", Sort::Events),
    ("ranks", Sort::Ranks),
];

#[derive(Serialize)]
struct PhaseAnswer {
    phase: u64,
    first_step: u32,
    last_step: u32,
    ranks: u32,
    events: String,
    max_lateness_ns: String,
    total_lateness_ns: String,
    start_ns: String,
    end_ns: String,
    is_split: bool,
}

pub(super) async fn phases(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let (sort, (from, count)) = (asked.query.word("sort", &SORTS)?, asked.query.page()?);
            let logical = asked.steps()?.logical;
            let table = &logical.phases;
            let mut order: Vec<u64> = (0..table.len()).collect();
            match sort {
                Sort::Lateness => order.sort_by_key(|phase| Reverse(table.max_lateness.get(*phase))),
                Sort::Total => order.sort_by_key(|phase| Reverse(table.total_lateness.get(*phase))),
                Sort::First => {}
                Sort::Events => order.sort_by_key(|phase| Reverse(table.events.get(*phase))),
                Sort::Ranks => order.sort_by_key(|phase| Reverse(table.rows.get(*phase))),
            }
            let shown = order.into_iter().skip(from).take(count).map(|phase| PhaseAnswer::of(&logical, phase));
            let shown: Vec<PhaseAnswer> = shown.collect();
            Ok(serde_json::json!({ "total": table.len(), "phases": shown }))
        })
        .await
}

impl PhaseAnswer {
    fn of(logical: &Logical, phase: u64) -> PhaseAnswer {
        let table = &logical.phases;
        PhaseAnswer {
            phase,
            first_step: table.first_step.get(phase),
            last_step: table.last_step.get(phase),
            ranks: table.rows.get(phase),
            events: table.events.get(phase).to_string(),
            max_lateness_ns: table.max_lateness.get(phase).to_string(),
            total_lateness_ns: table.total_lateness.get(phase).to_string(),
            start_ns: table.first.get(phase).0.to_string(),
            end_ns: table.last.get(phase).0.to_string(),
            is_split: logical.is_split(phase as u32),
        }
    }
}

/// The steps of a window of time, or the time of a window of steps.
pub(super) async fn steps(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let window = asked.query.window()?;
            let logical = asked.steps()?.logical;
            let map = logical.step_map();
            let (time, steps) = match (window.time, window.steps) {
                (Some(time), None) => (time, map.steps_of(time)),
                (None, Some(steps)) => (map.time_of(steps), steps),
                _ => return Err(Refusal::wrong("either `time` or `steps` must be given")),
            };
            let time = [time.0.0.to_string(), time.1.0.to_string()];
            Ok(serde_json::json!({ "time": time, "steps": [steps.0, steps.1] }))
        })
        .await
}

/// The largest value of a metric in the window, which colours are fitted to; null if there is none.
pub(super) async fn largest(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let window = asked.window()?;
            let kind = AnalysisKind::Logical;
            let need = kind.need(&asked.store, &asked.query.options(&kind.options())?)?;
            let aggregates = asked.query.options(&MetricOptions::specs())?.checked::<MetricOptions>().aggregates;
            let known = asked.keeper.get(&asked.store, &need).ok_or_else(Refusal::not_computed)?;
            let data = known.logical().ok_or_else(Refusal::not_computed)?;
            Ok(serde_json::json!({ "largest": largest_in_sight(&asked.store, data, &window, aggregates) }))
        })
        .await
}
