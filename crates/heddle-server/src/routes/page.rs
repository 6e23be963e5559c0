//! The page itself.

use axum::http::HeaderMap;
use axum::response::Response;

use crate::assets;
use crate::error::Refusal;
use crate::params::Ids;

pub(super) async fn index(headers: HeaderMap) -> Result<Response, Refusal> {
    assets::answer("index.html", &headers)
}

pub(super) async fn file(Ids(file): Ids<String>, headers: HeaderMap) -> Result<Response, Refusal> {
    assets::answer(&file, &headers)
}

pub(super) async fn asset(Ids(file): Ids<String>, headers: HeaderMap) -> Result<Response, Refusal> {
    assets::answer(&format!("assets/{file}"), &headers)
}
