//! A body of JSON, from a page that may send one.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::app::App;
use crate::error::Refusal;

/// Reads the body of a request within the time and size that it has; `None` if it is not what was asked for.
pub(super) async fn read<T: DeserializeOwned>(app: &App, request: Request) -> Result<Option<T>, Refusal> {
    // A form of another page cannot send this type.
    let kind = request.headers().get(header::CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let body = timeout(app.patience, Bytes::from_request(request, &())).await;
    let body = body.map_err(|_| Refusal::new(StatusCode::REQUEST_TIMEOUT, "The body did not come."))?;
    let body = body.map_err(|rejection| Refusal::new(rejection.status(), "The body could not be read."))?;
    Ok(is_json.then(|| serde_json::from_slice(&body).ok()).flatten())
}
