//! A token for a cookie.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tokio::time::timeout;

use crate::app::App;
use crate::error::Refusal;

#[derive(Deserialize)]
struct Session {
    token: String,
}

pub(super) async fn open(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    // A form of another page cannot send this type.
    let kind = request.headers().get(header::CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let body = timeout(app.patience, Bytes::from_request(request, &())).await;
    let body = body.map_err(|_| Refusal::new(StatusCode::REQUEST_TIMEOUT, "The token did not come."))?;
    let body = body.map_err(|rejection| Refusal::new(rejection.status(), "The token could not be read."))?;
    let session: Session = is_json
        .then(|| serde_json::from_slice(&body).ok())
        .flatten()
        .ok_or_else(|| Refusal::wrong("A session is opened with JSON: {\"token\": \"…\"}."))?;
    let cookie = app.guard.exchange(&session.token).ok_or_else(|| {
        Refusal::new(
            StatusCode::UNAUTHORIZED,
            "This token is not, or no longer, valid. Open the address that `heddle open` printed; `heddle list` shows it again.",
        )
    })?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}
