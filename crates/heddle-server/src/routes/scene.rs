//! Scenes, and what is at a place of one.

use std::time::{Duration, Instant};

use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;

use heddle_view::{Scene, View};

use super::Body;
use crate::asked::Asked;
use crate::error::Refusal;

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

pub(super) async fn scene(asked: Asked) -> Result<Response, Refusal> {
    let view = asked.view()?;
    drawn(asked, view, |asked, scene| {
        let body = Body { bytes: crate::wire::wire(scene), kind: "application/octet-stream" };
        body.answer(asked.takes_gzip)
    })
    .await
}

/// Makes the scene that is asked for, and of it an answer that says how long both took.
pub(super) async fn drawn(
    asked: Asked,
    view: View,
    answer: impl FnOnce(&Asked, &Scene) -> Result<Response, Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    let request = asked.view_request(view)?;
    let app = asked.app.clone();
    app.work
        .run(move || {
            let trace = asked.prepare(view, &request)?;
            let start = Instant::now();
            let scene = view.scene(trace, &request);
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
            let (request, at) = (asked.view_request(view)?, asked.query.point()?);
            Ok(view.pick(asked.prepare(view, &request)?, &request, at))
        })
        .await
}
