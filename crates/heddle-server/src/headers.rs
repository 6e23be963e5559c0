//! The headers of every answer, errors included.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// What the page may do: load from here, and nothing else. No inline script or style, no frames, no forms.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
    connect-src 'self'; font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ALWAYS: [(HeaderName, HeaderValue); 6] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
];

/// Puts the headers on; caches keep nothing unless the answer says otherwise.
pub(crate) async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in &ALWAYS {
        headers.insert(name, value.clone());
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Looks once more at what goes out. In debug builds an answer without its headers stops the test that got it.
pub(crate) async fn assert_headers(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    if cfg!(debug_assertions) {
        check(response.headers(), response.status().is_success());
    }
    response
}

fn check(headers: &HeaderMap, has_body: bool) {
    for (name, value) in &ALWAYS {
        debug_assert_eq!(headers.get(name), Some(value), "{name} is missing or changed");
    }
    debug_assert!(headers.contains_key(header::CACHE_CONTROL));
    debug_assert!(!headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN), "no other page may read answers");
    let says_what = headers.contains_key(header::CONTENT_TYPE) || headers.contains_key(header::SET_COOKIE);
    let is_empty = headers.get(header::CONTENT_LENGTH).is_some_and(|length| length == "0");
    debug_assert!(!has_body || says_what || is_empty || headers.get(header::CONTENT_LENGTH).is_none());
}
