//! A server with a small simulated trace, and a client that sends just what it is told to.

// Every test file is a crate of its own and uses some of this.
#![allow(dead_code)]
#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on should say so and stop

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use heddle_server::{ImportWatcher, ListenOn, Options, Server, Stopper, Traces};
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{ImportOptions, NoProgress, Progress, Store, StoreError, StorePlace, Work, store_simulation};

/// Long enough for any machine; a test that needs it has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A running server.
pub(crate) struct Running {
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) browser_token: String,
    pub(crate) traces: Arc<Traces>,
    pub(crate) folder: TempDir,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// With one trace called `halo`, ready.
    pub(crate) fn new() -> Running {
        Running::with(|_| {})
    }

    /// The same, with options of its own.
    pub(crate) fn with(change: impl FnOnce(&mut Options)) -> Running {
        let folder = tempfile::tempdir().unwrap();
        let store = make_store(folder.path());
        let running = Running::not_imported(folder, &[store], change);
        running.traces.import_all(&import_options(running.folder.path()), &Quiet);
        running
    }

    /// With these traces, none of them imported yet.
    pub(crate) fn not_imported(folder: TempDir, paths: &[PathBuf], change: impl FnOnce(&mut Options)) -> Running {
        let place = ListenOn::Port { address: [127, 0, 0, 1].into(), port: Some(0) };
        let mut options = Options { place, ..Options::default() };
        change(&mut options);
        let server = Server::bind(&options).unwrap();
        let token = |url: String| url.split_once("#token=").unwrap().1.to_owned();
        let traces = Arc::new(Traces::new(paths));
        let served = Arc::clone(&traces);
        Running {
            port: server.port().unwrap_or(0),
            token: token(server.url()),
            browser_token: token(server.url_for_browser()),
            traces,
            folder,
            stopper: server.stopper(),
            thread: Some(std::thread::spawn(move || server.serve(served).unwrap())),
        }
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.host())
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.host()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes as they are; everything that comes back until the server closes.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // The server may have said no and closed before it had read all.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    /// Sends a request with just these headers, and checks the headers of the answer.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            request += &format!("content-length: {}\r\n", body.len());
        }
        request += &format!("\r\n{body}");
        let answer = Answer::parse(&self.raw(request.as_bytes()));
        answer.check_headers(&format!("{method} {path} {headers:?}"));
        answer
    }

    /// The cookie in exchange for the token.
    pub(crate) fn cookie(&self) -> String {
        let answer = self.session(&self.token);
        assert_eq!(answer.status, 204, "{}", answer.text());
        answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    }

    pub(crate) fn session(&self, token: &str) -> Answer {
        let headers = [("host", &*self.host()), ("origin", &self.origin()), ("content-type", "application/json")];
        self.send("POST", "/api/v1/session", &headers, &format!("{{\"token\":\"{token}\"}}"))
    }

    /// Asks as the page does.
    pub(crate) fn get(&self, path: &str) -> Answer {
        let headers = [("host", &*self.host()), ("cookie", &self.cookie()), ("sec-fetch-site", "same-origin")];
        self.send("GET", path, &headers, "")
    }

    pub(crate) fn post(&self, path: &str) -> Answer {
        let headers = [("host", &*self.host()), ("cookie", &self.cookie()), ("origin", &self.origin())];
        self.send("POST", path, &headers, "")
    }

    /// An answer that must be fine.
    pub(crate) fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    /// Stops it and waits for its end.
    pub(crate) fn stop(mut self) {
        self.stopper.stop();
        self.thread.take().unwrap().join().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn parse(bytes: &[u8]) -> Answer {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(bytes)));
        let head = std::str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        Answer { status, headers, body: bytes[end + 4..].to_vec() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// What every answer must have.
    fn check_headers(&self, what: &str) {
        let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
            connect-src 'self'; font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
            frame-ancestors 'none'";
        for (name, value) in [
            ("content-security-policy", policy),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(self.header(name), Some(value), "{what}: {self:?}");
        }
        assert!(self.header("cache-control").is_some(), "{what}");
        assert!(!self.headers.iter().any(|(name, _)| name.starts_with("access-control-")), "{what}");
        if !self.body.is_empty() {
            assert!(self.header("content-type").is_some(), "{what}");
        }
    }
}

/// A small store called `halo`.
pub(crate) fn make_store(folder: &Path) -> PathBuf {
    let options = HaloOptions { ranks: 8, iterations: 12, ..HaloOptions::default() };
    let path = folder.join("halo.heddle");
    store_simulation(&halo(&options, &Machine::default()).unwrap(), "halo", &path, 512 << 20, &NoProgress).unwrap();
    path
}

pub(crate) fn import_options(folder: &Path) -> ImportOptions {
    ImportOptions { place: StorePlace::Under(folder.join("stores")), memory: 512 << 20, force: false }
}

/// Nobody watches.
pub(crate) struct Quiet;

impl Progress for Quiet {
    fn begin(&self, _work: Work, _total: u64) {}
    fn advance(&self, _done: u64) {}
    fn waiting(&self) {}
    fn is_cancelled(&self) -> bool {
        false
    }
}

impl ImportWatcher for Quiet {
    fn begins(&self, _name: &str) {}
    fn ready(&self, _name: &str, _store: &Store) {}
    fn failed(&self, _name: &str, _error: &StoreError) {}
}
