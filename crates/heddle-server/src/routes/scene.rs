//! Scenes, and what is at a place of one.

use std::time::{Duration, Instant};

use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;

use heddle_view::{Choosing, Selection, Step, Trace, View, ViewRequest};
use serde::Serialize;

use super::Body;
use crate::asked::Asked;
use crate::error::Refusal;

/// How far from the pointer edges of calls are looked for, in pixels.
const EDGE_REACH: f32 = 6.0;

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

pub(super) async fn scene(asked: Asked) -> Result<Response, Refusal> {
    let view = asked.view()?;
    let answer =
        |asked: &Asked, bytes: Vec<u8>| Body { bytes, kind: "application/octet-stream" }.answer(asked.takes_gzip);
    if view.is_in_space() {
        // The page turns it by itself.
        let make = move |trace: Trace<'_>, request: &ViewRequest| view.scene3(trace, request);
        return made(asked, view, make, move |asked, scene| {
            let scene = scene.as_ref().ok_or_else(|| Refusal::bug("This view is not in space."))?;
            answer(asked, crate::wire::wire_space(scene))
        })
        .await;
    }
    let make = move |trace: Trace<'_>, request: &ViewRequest| view.scene(trace, request);
    made(asked, view, make, move |asked, scene| answer(asked, crate::wire::wire(scene))).await
}

/// Makes what is asked for, and of it an answer that says how long both took.
pub(super) async fn made<T>(
    asked: Asked,
    view: View,
    make: impl FnOnce(Trace<'_>, &ViewRequest) -> T + Send + 'static,
    answer: impl FnOnce(&Asked, &T) -> Result<Response, Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    let request = asked.view_request(view)?;
    let app = asked.app.clone();
    app.work
        .run(move || {
            let trace = asked.prepare(view, &request)?;
            let start = Instant::now();
            let scene = make(trace, &request);
            let made = start.elapsed();
            let mut response = answer(&asked, &scene)?;
            time(&mut response, made, start.elapsed().saturating_sub(made));
            Ok(response)
        })
        .await
}

/// Says how long it took, for the page's status line and the browser's own tools.
fn time(response: &mut Response, scene: Duration, encode: Duration) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let text = format!("scene;dur={:.2}, encode;dur={:.2}", ms(scene), ms(encode));
    if let Ok(value) = HeaderValue::from_str(&text) {
        response.headers_mut().insert(SERVER_TIMING, value);
    }
}

pub(super) async fn pick(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let view = asked.view()?;
            let request = asked.view_request(view)?;
            if view.is_in_space() {
                let solid = asked.query.solid()?;
                return Ok(view.pick_solid(asked.prepare(view, &request)?, &request, solid));
            }
            let at = asked.query.point()?;
            Ok(view.pick(asked.prepare(view, &request)?, &request, at))
        })
        .await
}

/// Where a call begins or ends near a place of a picture.
#[derive(Serialize)]
struct Edge {
    /// None if nothing is near.
    at_ns: Option<String>,
}

pub(super) async fn edge(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let view = asked.view()?;
            let (request, at) = (asked.view_request(view)?, asked.query.point()?);
            let edge = view.edge(asked.prepare(view, &request)?, &request, at, EDGE_REACH);
            Ok(Edge { at_ns: edge.map(|moment| moment.0.to_string()) })
        })
        .await
}

/// Where a key leads in a list.
pub(super) async fn step(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let view = asked.view()?;
            let request = asked.view_request(view)?;
            let words = [
                ("up", Step::Up),
                ("down", Step::Down),
                ("page-up", Step::PageUp),
                ("page-down", Step::PageDown),
                ("first", Step::First),
                ("last", Step::Last),
                ("in", Step::In),
                ("out", Step::Out),
            ];
            let by = asked.query.word("by", &words)?;
            Ok(view.step(asked.prepare(view, &request)?, &request, by))
        })
        .await
}

/// What a gesture on a picture selects, put together with what is selected already.
#[derive(Serialize)]
struct Chosen {
    select: Option<Selection>,
}

pub(super) async fn choose(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let view = asked.view()?;
            if !view.can_choose() {
                return Err(Refusal::missing("In this view, a selection is made by a click alone."));
            }
            let (request, pointed) = (asked.view_request(view)?, asked.query.pointed()?);
            let words = [("replace", Choosing::Replace), ("add", Choosing::Add), ("toggle", Choosing::Toggle)];
            let choosing = asked.query.word("how", &words)?;
            Ok(Chosen { select: view.choose(asked.prepare(view, &request)?, &request, pointed, choosing) })
        })
        .await
}
