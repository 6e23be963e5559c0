//! Traces: which there are, what is in them, what stands out, where something is.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use heddle_view::{findings as findings_in, profile as profile_of, search as search_in};

use super::Body;
use crate::answers::{ProfileAnswer, TraceInfo, TraceList};
use crate::app::App;
use crate::asked::Asked;
use crate::error::Refusal;
use crate::params::Ids;

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

pub(super) async fn info(asked: Asked) -> Result<Response, Refusal> {
    asked.answer(|asked| Ok(TraceInfo::of(asked))).await
}

pub(super) async fn search(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let query = &asked.query;
            let hits = search_in(&asked.store, &asked.window()?, &asked.colours()?, query.text()?);
            Ok(serde_json::json!({ "hits": hits }))
        })
        .await
}

pub(super) async fn profile(asked: Asked) -> Result<Response, Refusal> {
    asked.answer(|Asked { store, query, .. }| Ok(ProfileAnswer::of(&profile_of(store, &query.window()?)))).await
}

pub(super) async fn findings(asked: Asked) -> Result<Response, Refusal> {
    asked.answer_later(|Asked { store, query, .. }| Ok(findings_in(store, &query.window()?))).await
}
