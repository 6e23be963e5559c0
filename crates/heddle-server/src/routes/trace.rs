//! Traces: which there are, what is in them, what stands out, where something is.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use heddle_view::{findings as findings_in, profile as profile_of, search as search_in};

use super::{Body, computed};
use crate::answers::{ProfileAnswer, TraceInfo, TraceList};
use crate::app::App;
use crate::error::Refusal;
use crate::params::{Ids, Query};

pub(super) async fn list(State(app): State<App>) -> Result<Response, Refusal> {
    Body::json(&TraceList { version: env!("CARGO_PKG_VERSION"), traces: app.traces.states() })?.answer(false)
}

/// The tour, or null.
pub(super) async fn tour(State(app): State<App>) -> Result<Response, Refusal> {
    Body::json(&app.tour)?.answer(false)
}

pub(super) async fn cancel(State(app): State<App>, Ids(id): Ids<String>) -> Result<StatusCode, Refusal> {
    app.traces.cancel(&id).map(|()| StatusCode::NO_CONTENT)
}

pub(super) async fn info(
    State(app): State<App>,
    Ids(id): Ids<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (name, store) = app.traces.ready(&id)?;
    let name = name.to_owned();
    computed(&app, &headers, move || Ok(TraceInfo::of(&id, &name, &store))).await
}

pub(super) async fn search(
    State(app): State<App>,
    Ids(id): Ids<String>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, store) = app.traces.ready(&id)?;
    let (window, theme) = (query.window()?, query.theme()?);
    let text = query.text()?.to_owned();
    computed(&app, &headers, move || Ok(serde_json::json!({ "hits": search_in(&store, &window, theme, &text) }))).await
}

pub(super) async fn profile(
    State(app): State<App>,
    Ids(id): Ids<String>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, store) = app.traces.ready(&id)?;
    let window = query.window()?;
    computed(&app, &headers, move || Ok(ProfileAnswer::of(&profile_of(&store, &window)))).await
}

pub(super) async fn findings(
    State(app): State<App>,
    Ids(id): Ids<String>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, store) = app.traces.ready(&id)?;
    let window = query.window()?;
    computed(&app, &headers, move || Ok(findings_in(&store, &window))).await
}
