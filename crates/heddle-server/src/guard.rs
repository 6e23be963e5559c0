//! Who may ask: the checks that every request passes before anything else looks at it, whatever its path.
//!
//! In this order: the `Host` header names us (against DNS rebinding), `Origin` and `Sec-Fetch-Site` say that our own page
//! asks (against other pages in the same browser), and for the API the session's cookie is there (against everybody else
//! on the machine). The first two say no with a bare 403: whoever fails them has no business here. The third is 401 with a
//! sentence, since a person may have lost the address.

use std::sync::{Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::connections::Standing;
use crate::error::Refusal;
use crate::hosts::Hosts;
use crate::secret::Secret;

/// The one request that brings a token and not yet a cookie.
pub(crate) const SESSION: &str = "/api/v1/session";
/// The largest body of whoever has no session: a token in JSON.
pub(crate) const LARGEST_BODY: usize = 4 << 10;
/// The largest of whoever has one: a note with its view.
pub(crate) const LARGEST_NOTE: usize = 64 << 10;
/// The longest query: two lists of regions and one of ranks.
const LONGEST_QUERY: usize = 24 << 10;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What is needed to tell who may ask.
#[derive(Debug)]
pub(crate) struct Guard {
    hosts: Hosts,
    /// In the address that is printed.
    token: Secret,
    /// In the address that is handed to the browser. Good for one session: other people see the arguments of programs.
    once: Mutex<Option<Secret>>,
    /// In the cookie.
    session: Secret,
    /// Named for the port: a browser gives a cookie to all ports of a machine.
    cookie: String,
}

impl Guard {
    pub(crate) fn new(hosts: Hosts, token: Secret, once: Secret, session: Secret, cookie: String) -> Guard {
        Guard { hosts, token, once: Mutex::new(Some(once)), session, cookie }
    }

    /// The checks on the head of a request.
    fn check(&self, request: &Request) -> Result<(), Refusal> {
        let (headers, uri) = (request.headers(), request.uri());
        let host = only(headers, header::HOST).filter(|host| self.hosts.accept(host)).ok_or_else(Refusal::forbidden)?;
        // A request to a proxy names its host in the first line as well; we are none.
        if uri.authority().is_some() {
            return Err(Refusal::forbidden());
        }
        let writes = !matches!(*request.method(), Method::GET | Method::HEAD);
        match only(headers, header::ORIGIN) {
            Some(origin) if origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host)) => {}
            None if !writes && !headers.contains_key(header::ORIGIN) => {}
            _ => return Err(Refusal::forbidden()),
        }
        match only(headers, FETCH_SITE) {
            Some("same-origin" | "none") => {}
            None if !headers.contains_key(FETCH_SITE) => {}
            _ => return Err(Refusal::forbidden()),
        }
        // Everything below /api but the session itself, known or not.
        let needs_session = uri.path().starts_with("/api") && uri.path() != SESSION;
        if needs_session && !self.has_cookie(headers) {
            return Err(Refusal::new(
                StatusCode::UNAUTHORIZED,
                "This page has no session. Open the address that `heddle open` printed; `heddle list` shows it again.",
            ));
        }
        if uri.query().is_some_and(|query| query.len() > LONGEST_QUERY) {
            return Err(Refusal::new(
                StatusCode::URI_TOO_LONG,
                format!("The question is too long: at most {LONGEST_QUERY} characters after the question mark."),
            ));
        }
        let length = only(headers, header::CONTENT_LENGTH).and_then(|length| length.parse::<usize>().ok());
        if length.is_some_and(|length| length > if needs_session { LARGEST_NOTE } else { LARGEST_BODY }) {
            return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "There is nothing here to upload to."));
        }
        Ok(())
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        // Servers on other ports of this machine can set cookies of our name: one that fits among them is enough.
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        cookies.flat_map(|value| value.split(';')).any(|pair| {
            pair.trim().split_once('=').is_some_and(|(name, value)| name == self.cookie && self.session.is(value))
        })
    }

    /// The cookie in exchange for a token.
    pub(crate) fn exchange(&self, token: &str) -> Option<String> {
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        let is_once = once.as_ref().is_some_and(|once| once.is(token));
        if is_once {
            *once = None;
        }
        // No `Secure`: the line is plain http, and stays on this machine or in ssh.
        (is_once || self.token.is(token))
            .then(|| format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie, self.session.reveal()))
    }
}

/// A header that is there exactly once and is text.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() {
        return None;
    }
    first.to_str().ok()
}

/// The checks as a layer around all routes.
pub(crate) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    match app.guard.check(&request) {
        Ok(()) => {
            if let Some(standing) = request.extensions().get::<Standing>()
                && app.guard.has_cookie(request.headers())
            {
                standing.has_shown_session();
            }
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}
