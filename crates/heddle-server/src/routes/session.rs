//! A token for a cookie.

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::json;
use crate::app::App;
use crate::error::Refusal;

#[derive(Deserialize)]
struct Session {
    token: String,
}

pub(super) async fn open(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let session: Option<Session> = json::read(&app, request).await?;
    let session = session.ok_or_else(|| Refusal::wrong("A session is opened with JSON: {\"token\": \"…\"}."))?;
    let cookie = app.guard.exchange(&session.token).ok_or_else(|| {
        Refusal::new(
            StatusCode::UNAUTHORIZED,
            "This token is not, or no longer, valid. Open the address that `heddle open` printed; `heddle list` shows it again.",
        )
    })?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}
