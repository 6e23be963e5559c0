//! `heddle open`, `list` and `demo`: from the command line to an answer and back to the prompt.

#![cfg(feature = "page")]
#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use common::{Done, Place};

/// Long enough for any machine; a test that needs it has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running `heddle open`, or another command that serves.
struct Opened {
    child: Option<Child>,
    url: String,
    stdout: BufReader<ChildStdout>,
}

impl Opened {
    /// Starts it and reads the line with the address.
    fn start(place: &Place, args: &[&str]) -> Opened {
        let mut command = command(place, &[args, &["--no-browser"]].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut url = String::new();
        stdout.read_line(&mut url).unwrap();
        Opened { child: Some(child), url: url.trim_end().to_owned(), stdout }
    }

    fn host(&self) -> &str {
        self.url.strip_prefix("http://").and_then(|rest| rest.split('/').next()).unwrap()
    }

    fn token(&self) -> &str {
        self.url.split_once("/#token=").unwrap().1
    }

    /// Status, head and body of an answer.
    fn ask(&self, request: &str, headers: &str, body: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(self.host()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (host, length) = (self.host(), body.len());
        write!(
            stream,
            "{request} HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head, answer[end + 4..].to_vec())
    }

    /// The cookie's header, in exchange for the token.
    fn session(&self) -> String {
        let body = format!("{{\"token\":\"{}\"}}", self.token());
        let (status, head, _) = self.ask("POST /api/v1/session", "", &body);
        assert_eq!(status, 204, "{head}");
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        format!("cookie: {}\r\n", cookie.split(';').next().unwrap())
    }

    /// The state of the first trace, once it is no longer importing.
    fn state(&self, session: &str) -> Value {
        let start = Instant::now();
        loop {
            let (status, head, body) = self.ask("GET /api/v1/traces", session, "");
            assert_eq!(status, 200, "{head}");
            let list: Value = serde_json::from_slice(&body).unwrap();
            if list["traces"][0]["state"] != "importing" {
                return list["traces"][0].clone();
            }
            assert!(start.elapsed() < PATIENCE, "{list}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ctrl-C, and what was left at the end.
    fn interrupt(mut self) -> Done {
        let mut child = self.child.take().unwrap();
        let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
        assert!(sent.success());
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = child.kill();
        let mut done = Done::of(child.wait_with_output().unwrap());
        self.stdout.read_to_end(&mut done.stdout).unwrap();
        done
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
        }
    }
}

/// The program with a runtime directory of its own, as if somebody sat at this machine.
fn command(place: &Place, args: &[&str]) -> Command {
    let mut command = place.command(args);
    let run = place.path("run");
    std::fs::create_dir_all(&run).unwrap();
    command.env("XDG_RUNTIME_DIR", run).env_remove("SSH_CONNECTION");
    command
}

fn run(place: &Place, args: &[&str]) -> Done {
    Done::of(command(place, args).output().unwrap())
}

#[test]
fn a_trace_is_opened_shown_listed_and_closed() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "4", "--iterations", "5"]);
    let opened = Opened::start(&place, &["open", "run.otf2", "--port", "0"]);
    assert!(opened.url.starts_with("http://127.0.0.1:"), "{}", opened.url);
    assert!(opened.token().len() >= 32 && opened.token().bytes().all(|c| c.is_ascii_hexdigit()));

    let (status, _, page) = opened.ask("GET /", "", "");
    assert!(status == 200 && page.starts_with(b"<!doctype html>"));
    assert_eq!(opened.ask("GET /api/v1/traces", "", "").0, 401);
    let session = opened.session();
    let state = opened.state(&session);
    assert_eq!((&state["id"], &state["state"]), (&"run".into(), &"ready".into()));
    let (status, head, scene) = opened.ask("GET /api/v1/traces/run/scene/timeline?width=400&height=300", &session, "");
    assert!(status == 200 && scene.starts_with(b"HSCN"), "{head}");

    // Another one tries the same port and says so.
    let port = opened.host().rsplit_once(':').unwrap().1;
    let taken = run(&place, &["open", "run.otf2", "--no-browser", "--port", port]);
    assert_eq!(taken.code, Some(1));
    assert!(taken.stdout.is_empty() && taken.stderr.contains(port), "{}", taken.stderr);

    let listed = String::from_utf8(run(&place, &["list"]).stdout).unwrap();
    assert!(listed.contains(&opened.url) && listed.contains("run"), "{listed}");
    let listed: Value = serde_json::from_slice(&run(&place, &["list", "--json"]).stdout).unwrap();
    assert_eq!((&listed[0]["url"], &listed[0]["traces"]), (&opened.url.as_str().into(), &serde_json::json!(["run"])));
    let entries = place.names("run/heddle");
    assert_eq!(entries.len(), 1, "{entries:?}");
    let mode = |path: &str| std::fs::metadata(place.path(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("run/heddle"), mode(&format!("run/heddle/{}", entries[0]))), (0o700, 0o600));

    let done = opened.interrupt();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.is_empty(), "stdout is for the address only");
    assert!(done.stderr.contains("4 ranks") && !done.stderr.contains("token"), "{}", done.stderr);
    assert_eq!(place.names("run/heddle"), [""; 0]);
    let listed = run(&place, &["list"]);
    assert!(listed.stdout.is_empty() && listed.stderr.contains("no server"), "{}", listed.stderr);
}

#[test]
fn a_broken_trace_is_explained_on_the_page_and_at_the_end() {
    let place = Place::new();
    std::fs::write(place.path("broken.otf2"), "no trace").unwrap();
    let opened = Opened::start(&place, &["open", "broken.otf2", "--port", "0"]);
    let session = opened.session();
    let state = opened.state(&session);
    assert_eq!(state["state"], "failed");
    assert!(state["error"].as_str().unwrap().contains("not a trace"), "{state}");
    assert_eq!(opened.ask("GET /api/v1/traces/broken", &session, "").0, 422);
    let done = opened.interrupt();
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stderr.contains("broken.otf2: not a trace that Heddle knows"), "{}", done.stderr);
}

#[test]
fn a_store_that_is_cut_while_it_is_shown_is_explained_and_the_server_goes_on() {
    let place = Place::new();
    place.ok(&["simulate", "halo", "--ranks", "4", "--iterations", "5", "-o", "run.heddle"]);
    let opened = Opened::start(&place, &["open", "run.heddle", "--port", "0"]);
    let session = opened.session();
    assert_eq!(opened.state(&session)["state"], "ready");
    let spans = std::fs::File::options().write(true).open(place.path("run.heddle/spans.packed")).unwrap();
    spans.set_len(16).unwrap();
    let (status, _, body) = opened.ask("GET /api/v1/traces/run/scene/timeline?width=400&height=300", &session, "");
    let text = String::from_utf8(body).unwrap();
    assert!(status == 422 && text.contains("spans.packed") && text.contains("heddle import --force"), "{text}");
    assert_eq!(opened.state(&session)["state"], "failed");
    assert_eq!(opened.interrupt().code, Some(0), "there was something to show");
}

#[test]
#[cfg(target_os = "linux")]
fn the_signal_of_a_file_that_was_cut_is_told_in_words() {
    let place = Place::new();
    place.ok(&["simulate", "halo", "--ranks", "4", "--iterations", "5", "-o", "run.heddle"]);
    let mut opened = Opened::start(&place, &["open", "run.heddle", "--port", "0"]);
    let child = opened.child.take().unwrap();
    assert!(Command::new("sh").args(["-c", &format!("kill -BUS {}", child.id())]).status().unwrap().success());
    let done = Done::of(child.wait_with_output().unwrap());
    assert_eq!(done.code, Some(1), "not killed by a signal: {}", done.stderr);
    assert!(done.stderr.contains("cut short") && done.stderr.contains("heddle import --force"), "{}", done.stderr);
}

#[test]
fn an_import_that_is_interrupted_is_no_failure_and_leaves_nothing() {
    let place = Place::new();
    place.simulate("long", &["--ranks", "64", "--iterations", "300"]);
    let opened = Opened::start(&place, &["open", "long.otf2", "--port", "0"]);
    let done = opened.interrupt();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    // Nothing, or, on a quick machine, the whole store.
    let left = place.names("stores");
    assert!(left.iter().all(|name| name.ends_with(".heddle") && !name.starts_with('.')), "{left:?}");
    assert_eq!(place.names("run/heddle"), [""; 0]);
}

#[test]
fn what_is_plainly_wrong_is_said_at_once() {
    let place = Place::new();
    place.fails(&["open", "nowhere.otf2", "--no-browser", "--port", "0"], 1, &["nowhere.otf2", "cannot read"]);
    place.fails(&["open"], 2, &["TRACE"]);
    std::fs::write(place.path("file"), "").unwrap();
    place.fails(&["open", "file", "--host", "nobody"], 2, &["127.0.0.1"]);
    place.fails(&["open", "file", "--allow-host", "http://x"], 2, &["is not a host"]);
    place.fails(&["open", "file", "--socket", "s", "--port", "1"], 2, &["--port"]);
    place.fails(&["open", "file", "--socket", "file"], 1, &["no socket"]);
    // It would be read from for ever.
    assert!(Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    place.fails(&["open", "pipe", "--no-browser", "--port", "0"], 1, &["neither a file nor a directory"]);
}

#[test]
fn a_remote_shell_is_told_how_to_forward() {
    let place = Place::new();
    std::fs::write(place.path("broken.otf2"), "no trace").unwrap();
    let mut command = command(&place, &["open", "broken.otf2", "--port", "0"]);
    // Without --no-browser: there is none to be opened in a remote shell.
    command.env("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 2222").env("USER", "ada").env_remove("DISPLAY");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut url = String::new();
    stdout.read_line(&mut url).unwrap();
    let opened = Opened { child: Some(child), url: url.trim_end().to_owned(), stdout };
    let port = opened.host().rsplit_once(':').unwrap().1.to_owned();
    opened.state(&opened.session());
    let done = opened.interrupt();
    let expected = format!("ssh -N -p 2222 -L {port}:127.0.0.1:{port} ada@");
    assert!(done.stderr.contains(&expected), "{}", done.stderr);
}

#[test]
fn the_demo_is_simulated_and_shown() {
    let place = Place::new();
    let opened = Opened::start(&place, &["demo", "halo", "--store", "kept", "--port", "0"]);
    let session = opened.session();
    assert_eq!(opened.state(&session)["state"], "ready");
    assert_eq!(place.names("kept/demo"), ["halo.heddle"]);
    let (status, _, tour) = opened.ask("GET /api/v1/tour", &session, "");
    let tour: Value = serde_json::from_slice(&tour).unwrap();
    let listed = place.json(&["demo", "--list", "--json"]);
    let case = listed.as_array().unwrap().iter().find(|case| case["name"] == "halo").unwrap();
    assert_eq!((status, &tour["title"], &tour["stops"]), (200, &case["title"], &case["stops"]));
    let done = opened.interrupt();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("256 ranks"), "{}", done.stderr);
    assert_eq!(place.json(&["info", "--json", "kept/demo/halo.heddle"])["ranks"], 256);
}
