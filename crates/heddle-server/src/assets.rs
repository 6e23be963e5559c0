//! The page, from the program itself: no file of the machine is ever served.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::error::Refusal;
use crate::gzip;

/// A file of the page.
struct Asset {
    /// Its path below the page's root.
    path: &'static str,
    kind: &'static str,
    plain: &'static [u8],
    /// Compressed, where that is shorter.
    gzip: Option<&'static [u8]>,
}

#[cfg(feature = "page")]
include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Built without the page: the API still works.
#[cfg(not(feature = "page"))]
static ASSETS: &[Asset] = &[Asset {
    path: "index.html",
    kind: "text/html; charset=utf-8",
    plain: b"<!doctype html><title>Heddle</title><p>This server was built without its page.",
    gzip: None,
}];

/// The file at a path.
pub(crate) fn answer(path: &str, headers: &HeaderMap) -> Result<Response, Refusal> {
    let asset = ASSETS.iter().find(|asset| asset.path == path);
    let asset = asset.ok_or_else(|| Refusal::missing("There is nothing here."))?;
    let packed = asset.gzip.filter(|_| gzip::is_accepted(headers));
    let mut response = packed.unwrap_or(asset.plain).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if packed.is_some() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    // Names below assets/ change with their content; the others must be asked for again.
    if path.starts_with("assets/") {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
    }
    Ok(response)
}
