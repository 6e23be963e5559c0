//! All routes, in one list. The router is built from it and the security tests walk it: a route that is not in the list
//! does not exist, and one that is in it is tested.

mod diagnosis;
mod figure;
mod json;
mod logical;
mod motion;
mod network;
mod notes;
mod page;
mod progress;
mod scene;
mod selection;
mod session;
mod trace;

use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::http::{HeaderValue, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{MethodRouter, delete, get, post, put};
use axum::{Router, response::Response};
use serde::Serialize;

use crate::app::App;
use crate::error::Refusal;
use crate::guard::{LARGEST_BODY, LARGEST_NOTE, SESSION, guard};
use crate::gzip;
use crate::headers::{assert_headers, headers};

/// Answers beyond this are a mistake: a scene is bounded by its pixels.
const LARGEST_ANSWER: usize = 256 << 20;

struct Route {
    info: RouteInfo,
    handler: fn() -> MethodRouter<App>,
}

/// A route, as the tests see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteInfo {
    /// `GET`, `POST`, `PUT` or `DELETE`. A path may have several, each a route of its own.
    pub method: &'static str,
    /// The path, with names in braces for what varies.
    pub path: &'static str,
}

/// A row of the list.
const fn route(method: &'static str, path: &'static str, handler: fn() -> MethodRouter<App>) -> Route {
    Route { info: RouteInfo { method, path }, handler }
}

static ROUTES: &[Route] = &[
    route("GET", "/", || get(page::index)),
    route("GET", "/{file}", || get(page::file)),
    route("GET", "/assets/{file}", || get(page::asset)),
    route("POST", SESSION, || post(session::open)),
    route("GET", "/api/v1/tour", || get(trace::tour)),
    route("GET", "/api/v1/traces", || get(trace::list)),
    route("GET", "/api/v1/traces/{id}", || get(trace::info)),
    route("POST", "/api/v1/traces/{id}/cancel", || post(trace::cancel)),
    route("GET", "/api/v1/traces/{id}/scene/{view}", || get(scene::scene)),
    route("GET", "/api/v1/traces/{id}/pick/{view}", || get(scene::pick)),
    route("GET", "/api/v1/traces/{id}/edge/{view}", || get(scene::edge)),
    route("GET", "/api/v1/traces/{id}/step/{view}", || get(scene::step)),
    route("GET", "/api/v1/traces/{id}/choose/{view}", || get(scene::choose)),
    route("GET", "/api/v1/traces/{id}/details", || get(selection::details)),
    route("GET", "/api/v1/traces/{id}/cause", || get(selection::cause)),
    route("GET", "/api/v1/traces/{id}/find", || get(selection::find)),
    route("GET", "/api/v1/traces/{id}/search", || get(trace::search)),
    route("GET", "/api/v1/traces/{id}/profile", || get(trace::profile)),
    route("GET", "/api/v1/traces/{id}/brush", || get(selection::brush)),
    route("GET", "/api/v1/traces/{id}/findings", || get(trace::findings)),
    route("GET", "/api/v1/traces/{id}/analysis/{kind}", || get(logical::state)),
    route("POST", "/api/v1/traces/{id}/analysis/{kind}/cancel", || post(logical::cancel)),
    route("GET", "/api/v1/traces/{id}/phases", || get(logical::phases)),
    route("GET", "/api/v1/traces/{id}/steps", || get(logical::steps)),
    route("GET", "/api/v1/traces/{id}/largest", || get(logical::largest)),
    route("GET", "/api/v1/traces/{id}/network", || get(network::network)),
    route("GET", "/api/v1/traces/{id}/mappings", || get(network::mappings)),
    route("GET", "/api/v1/traces/{id}/progress", || get(progress::progress)),
    route("GET", "/api/v1/traces/{id}/diagnosis", || get(diagnosis::diagnosis)),
    route("GET", "/api/v1/traces/{id}/efficiency", || get(diagnosis::efficiency)),
    route("GET", "/api/v1/traces/{id}/motion/{view}/activity", || get(motion::activity)),
    route("GET", "/api/v1/traces/{id}/motion/{view}/messages", || get(motion::messages)),
    route("GET", "/api/v1/traces/{id}/message", || get(motion::message)),
    route("GET", "/api/v1/traces/{id}/figure/{file}", || get(figure::figure)),
    route("GET", "/api/v1/traces/{id}/notes", || get(notes::list)),
    route("POST", "/api/v1/traces/{id}/notes", || takes_note(post(notes::add))),
    route("PUT", "/api/v1/traces/{id}/notes/{note}", || takes_note(put(notes::put))),
    route("DELETE", "/api/v1/traces/{id}/notes/{note}", || delete(notes::remove)),
    route("POST", "/api/v1/traces/{id}/notes/{note}/move", || post(notes::shift)),
    route("GET", "/api/v1/traces/{id}/written/{file}", || get(notes::file)),
];

/// Lets a body be as large as a note.
fn takes_note(handler: MethodRouter<App>) -> MethodRouter<App> {
    handler.layer(DefaultBodyLimit::max(LARGEST_NOTE))
}

/// Every route that there is.
pub fn route_list() -> Vec<RouteInfo> {
    ROUTES.iter().map(|route| route.info).collect()
}

/// The routes with everything around them. The last layer is the first that a request meets.
pub(crate) fn router(app: App) -> Router {
    let routes = ROUTES.iter().fold(Router::new(), |router, route| router.route(route.info.path, (route.handler)()));
    routes
        .fallback(async || Refusal::missing("There is nothing here."))
        .method_not_allowed_fallback(async || {
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "This cannot be asked in this way.")
        })
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(from_fn_with_state(app.clone(), guard))
        .layer(from_fn(headers))
        .layer(from_fn(assert_headers))
        .with_state(app)
}

/// A body with what it is, before it is compressed.
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    pub(crate) kind: &'static str,
}

impl Body {
    pub(crate) fn json(value: &impl Serialize) -> Result<Body, Refusal> {
        let bytes = serde_json::to_vec(value).map_err(|_| Refusal::bug("The answer could not be written."))?;
        Ok(Body { bytes, kind: "application/json" })
    }

    /// The answer with this body; compressed if the client takes that and it is worth it.
    pub(crate) fn answer(self, takes_gzip: bool) -> Result<Response, Refusal> {
        if self.bytes.len() > LARGEST_ANSWER {
            return Err(Refusal::bug("The answer is too large to be sent. Ask for a smaller picture."));
        }
        let packed = if takes_gzip { gzip::compressed(&self.bytes) } else { None };
        let is_packed = packed.is_some();
        let mut response = packed.unwrap_or(self.bytes).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if is_packed {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        Ok(response)
    }
}
