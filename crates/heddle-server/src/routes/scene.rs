//! Scenes, and what is at a place or in a rectangle of one.

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;

use heddle_view::{Trace, brushed};

use super::{Body, computed, logical_data};
use crate::app::App;
use crate::error::Refusal;
use crate::gzip;
use crate::params::{Ids, Query, view};

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

pub(super) async fn scene(
    State(app): State<App>,
    Ids((id, name)): Ids<(String, String)>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, store) = app.traces.ready(&id)?;
    let (view, request) = (view(&name)?, query.view_request(&store)?);
    let logical = logical_data(&app, &id, (&store, &query), (view, &request))?;
    let takes_gzip = gzip::is_accepted(&headers);
    app.work
        .run(move || {
            let start = Instant::now();
            let scene = view.scene(Trace { store: &store, logical: logical.as_ref() }, &request);
            let made = start.elapsed();
            let body = Body { bytes: heddle_draw::wire(&scene), kind: "application/octet-stream" };
            let mut response = body.answer(takes_gzip)?;
            time(&mut response, made, start.elapsed().saturating_sub(made));
            Ok(response)
        })
        .await
}

/// Says how long it took, for the page's status line and the browser's own tools.
pub(super) fn time(response: &mut Response, scene: Duration, encode: Duration) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let text = format!("scene;dur={:.2}, encode;dur={:.2}", ms(scene), ms(encode));
    if let Ok(value) = HeaderValue::from_str(&text) {
        response.headers_mut().insert(SERVER_TIMING, value);
    }
}

pub(super) async fn pick(
    State(app): State<App>,
    Ids((id, name)): Ids<(String, String)>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, store) = app.traces.ready(&id)?;
    let (view, request, at) = (view(&name)?, query.view_request(&store)?, query.point()?);
    let logical = logical_data(&app, &id, (&store, &query), (view, &request))?;
    computed(&app, &headers, move || Ok(view.pick(Trace { store: &store, logical: logical.as_ref() }, &request, at)))
        .await
}

pub(super) async fn brush(
    State(app): State<App>,
    Ids(id): Ids<String>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, store) = app.traces.ready(&id)?;
    let (request, brush) = (query.view_request(&store)?, query.brush()?);
    computed(&app, &headers, move || Ok(brushed(&store, &request, &brush))).await
}
