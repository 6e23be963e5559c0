//! Logical time: how far it is, its phases, which steps lie when, and where a lateness arose.

use std::cmp::Reverse;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Serialize;

use heddle_logical::{Logical, LogicalOptions, Metric};
use heddle_store::Store;
use heddle_view::explain;

use super::computed;
use crate::app::App;
use crate::error::Refusal;
use crate::logical::{LogicalKeeper, LogicalState};
use crate::params::{Ids, Query};

/// How far logical time is.
#[derive(Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
enum StateAnswer {
    Ready {
        steps: u64,
        phases: u64,
        events: String,
        rows: u64,
        hints: Vec<String>,
        /// Where colours of the metric end: with aggregates, and of events alone.
        largest: serde_json::Map<String, serde_json::Value>,
        largest_of_events: serde_json::Map<String, serde_json::Value>,
        metrics: Vec<MetricAnswer>,
    },
    Building {
        stage: &'static str,
        done: f64,
    },
    None {
        why: String,
    },
    Failed {
        error: String,
    },
}

#[derive(Serialize)]
struct MetricAnswer {
    name: String,
    title: String,
    unit: String,
}

pub(super) async fn state(
    State(app): State<App>,
    Ids(id): Ids<String>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, store) = app.traces.ready(&id)?;
    let keeper = app.traces.logical(&id)?;
    let (options, metric) = (query.logical_options()?, query.metric(&store)?);
    computed(&app, &headers, move || {
        Ok(match keeper.ask(&store, &options, metric) {
            LogicalState::Ready(data) => {
                let largest = |aggregates: bool| {
                    let value = text(metric, data.values.largest(aggregates));
                    serde_json::Map::from_iter([(metric.name(&store), value.into())])
                };
                StateAnswer::Ready {
                    steps: data.logical.steps.len(),
                    phases: data.logical.phases.len(),
                    events: data.logical.events.len().to_string(),
                    rows: data.logical.rows.len(),
                    hints: data.logical.hints().to_vec(),
                    largest: largest(true),
                    largest_of_events: largest(false),
                    metrics: metrics(&store),
                }
            }
            LogicalState::Building(stage, done) => StateAnswer::Building { stage, done },
            LogicalState::None(why) => StateAnswer::None { why },
            LogicalState::Failed(error) => StateAnswer::Failed { error },
        })
    })
    .await
}

/// A value as text: nanoseconds whole, counters as they are.
fn text(metric: Metric, value: f64) -> String {
    if metric.is_time() { format!("{value:.0}") } else { value.to_string() }
}

fn metrics(store: &Store) -> Vec<MetricAnswer> {
    let answer = |metric: Metric| MetricAnswer {
        name: metric.name(store),
        title: metric.title(store),
        unit: metric.unit(store),
    };
    Metric::all(store).into_iter().map(answer).collect()
}

pub(super) async fn cancel(State(app): State<App>, Ids(id): Ids<String>, query: Query) -> Result<StatusCode, Refusal> {
    let options = query.logical_options()?;
    if app.traces.logical(&id)?.cancel(&options) {
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(Refusal::new(StatusCode::CONFLICT, "Logical time is not being computed."))
}

/// Phases and steps that must be there already.
fn structure(keeper: &LogicalKeeper, store: &Store, options: &LogicalOptions) -> Result<Arc<Logical>, Refusal> {
    keeper.structure(store, options).ok_or_else(Refusal::no_logical_time)
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

pub(super) async fn phases(
    State(app): State<App>,
    Ids(id): Ids<String>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, store) = app.traces.ready(&id)?;
    let keeper = app.traces.logical(&id)?;
    let (options, sort, (from, count)) = (query.logical_options()?, query.word("sort", &SORTS)?, query.page()?);
    computed(&app, &headers, move || {
        let logical = structure(&keeper, &store, &options)?;
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

pub(super) async fn link(
    State(app): State<App>,
    Ids(id): Ids<String>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, store) = app.traces.ready(&id)?;
    let keeper = app.traces.logical(&id)?;
    let options = query.logical_options()?;
    let (time, steps) = (query.window()?.time, query.steps()?);
    if time.is_some() == steps.is_some() {
        return Err(Refusal::wrong("either `time` or `steps` must be given"));
    }
    computed(&app, &headers, move || {
        let logical = structure(&keeper, &store, &options)?;
        let map = logical.step_map();
        let (time, steps) = match (time, steps) {
            (Some(time), _) => (time, map.steps_of(time)),
            (None, steps) => {
                let steps = steps.unwrap_or_default();
                (map.time_of(steps), steps)
            }
        };
        let time = [time.0.0.to_string(), time.1.0.to_string()];
        Ok(serde_json::json!({ "time": time, "steps": [steps.0, steps.1] }))
    })
    .await
}

pub(super) async fn cause(
    State(app): State<App>,
    Ids(id): Ids<String>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, store) = app.traces.ready(&id)?;
    let keeper = app.traces.logical(&id)?;
    let (options, window) = (query.logical_options()?, query.window()?);
    let span = query.span(&store)?;
    computed(&app, &headers, move || {
        let logical = structure(&keeper, &store, &options)?;
        Ok(explain(&store, &logical, &window, span))
    })
    .await
}
