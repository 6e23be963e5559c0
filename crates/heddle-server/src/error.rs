//! What can go wrong: with the server itself, and with one request.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use heddle_options::OptionError;

/// Why the server could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The port is taken, or not ours to take.
    #[error("cannot listen on {address}: {cause}{}", advice(cause))]
    Port {
        /// Where.
        address: SocketAddr,
        /// Why.
        cause: io::Error,
    },
    /// All ports that were tried are taken.
    #[error("ports {first} to {last} are all taken; choose one with --port, or --port 0 for any that is free")]
    Ports {
        /// The first that was tried.
        first: u16,
        /// The last.
        last: u16,
    },
    /// A socket could not be made.
    #[error("{}: cannot listen on this socket: {cause}", path.display())]
    Socket {
        /// Where.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Something else is in the socket's place.
    #[error("{}: {what}; choose another path with --socket", path.display())]
    SocketTaken {
        /// Where.
        path: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// The system gave no random numbers, and without them there is no token.
    #[error("the system gives no random numbers: {0}")]
    Random(getrandom::Error),
    /// Threads or sockets could not be set up.
    #[error("cannot start the server: {0}")]
    Start(io::Error),
}

fn advice(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::AddrInUse => "; another program listens there. Choose another with --port, or 0 for any",
        io::ErrorKind::PermissionDenied => "; ports below 1024 are not for everybody. Choose another with --port",
        io::ErrorKind::AddrNotAvailable => "; --host must be an address of this machine",
        _ => "",
    }
}

/// Why a request was not answered: a status, and a sentence for the person at the page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// Empty for those who should not learn more than the status.
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal { status, message: message.into() }
    }

    /// A picture or answer needs logical time, and nobody has computed it.
    pub(crate) fn not_computed() -> Refusal {
        Refusal::new(StatusCode::CONFLICT, "What this shows has not been computed with these options yet.")
    }

    /// A parameter is not what it should be.
    pub(crate) fn wrong(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    /// There is no such thing.
    pub(crate) fn missing(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, message)
    }

    /// Our own fault.
    pub(crate) fn bug(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// Somebody who should not be here: the status and not a word.
    pub(crate) fn forbidden() -> Refusal {
        Refusal::new(StatusCode::FORBIDDEN, "")
    }
}

impl From<OptionError> for Refusal {
    fn from(error: OptionError) -> Refusal {
        Refusal::wrong(error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        if self.message.is_empty() {
            return self.status.into_response();
        }
        let body = serde_json::json!({ "error": self.message }).to_string();
        (self.status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    }
}
