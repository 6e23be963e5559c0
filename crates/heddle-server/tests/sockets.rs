//! Below HTTP: garbage, slowness, length, and clients that go away.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on should say so and stop

mod common;

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use heddle_server::ListenOn;

use common::{Answer, Running};

#[test]
fn garbage_is_refused_and_does_no_harm() {
    let server = Running::new();
    for garbage in [
        &b"\0\0\0\0\0\0\0\0\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", // TLS
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost : localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\n host: localhost\r\n\r\n",
        b"POST /api/v1/session HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        b"POST /api/v1/session HTTP/1.1\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcde",
        b"POST /api/v1/session HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"\r\n\r\n\r\n",
    ] {
        let mut stream = server.connect();
        stream.write_all(garbage).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        if !answer.is_empty() {
            let status = Answer::parse(&answer).status;
            assert!((400..=505).contains(&status), "{garbage:?}: {}", String::from_utf8_lossy(&answer));
        }
    }
    assert_eq!(server.get("/api/v1/traces").status, 200);
}

#[test]
fn heads_and_bodies_that_are_too_large_are_refused() {
    let server = Running::new();
    let host = server.host();
    let one = format!("GET / HTTP/1.1\r\nhost: {host}\r\nx: {}\r\n\r\n", "a".repeat(200_000));
    let many = format!("GET / HTTP/1.1\r\nhost: {host}\r\n{}\r\n", "x: y\r\n".repeat(500));
    for head in [one, many] {
        let answer = server.raw(head.as_bytes());
        // The rest of what we sent may make the system drop the answer.
        assert!(answer.is_empty() || Answer::parse(&answer).status == 431, "{}", String::from_utf8_lossy(&answer));
    }
    let origin = server.origin();
    let headers = [("host", &*host), ("origin", &origin), ("content-type", "application/json")];
    let body = format!("{{\"token\":\"{}\"}}", "a".repeat(5_000));
    assert_eq!(server.send("POST", "/api/v1/session", &headers, &body).status, 413);
    // Without a length it shows only as it is read.
    let chunk = format!("{:x}\r\n{}\r\n", 3_000, "a".repeat(3_000));
    let head = format!(
        "POST /api/v1/session HTTP/1.1\r\nhost: {host}\r\norigin: {origin}\r\ncontent-type: application/json\r\n\
         connection: close\r\ntransfer-encoding: chunked\r\n\r\n{chunk}{chunk}0\r\n\r\n"
    );
    assert_eq!(Answer::parse(&server.raw(head.as_bytes())).status, 413);
    assert_eq!(server.get("/api/v1/traces").status, 200);
}

#[test]
fn those_who_send_slowly_or_nothing_are_let_go() {
    let server = Running::with(|options| options.header_time = Duration::from_millis(100));
    for beginning in ["", "GET / HT", "GET / HTTP/1.1\r\nhost: local"] {
        let mut stream = server.connect();
        // Less than the half minute after which hyper would close it without being asked to.
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(beginning.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // Ends because the server closes; else the read times out and is an error.
        let ended = stream.read_to_end(&mut answer);
        assert!(ended.is_ok(), "{beginning:?}: {ended:?}");
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{beginning:?}");
    }
    // A body that never comes does not keep its place for ever either.
    let (host, origin) = (server.host(), server.origin());
    let head = format!(
        "POST /api/v1/session HTTP/1.1\r\nhost: {host}\r\norigin: {origin}\r\ncontent-type: application/json\r\n\
         connection: close\r\ncontent-length: 100\r\n\r\n{{"
    );
    assert_eq!(Answer::parse(&server.raw(head.as_bytes())).status, 408);
    assert_eq!(server.get("/api/v1/traces").status, 200);
}

#[test]
fn those_without_a_session_do_not_keep_out_those_with_one() {
    // Nobody is let go for being slow.
    let server = Running::with(|options| options.header_time = Duration::from_secs(3_600));
    let (host, cookie) = (server.host(), server.cookie());
    let mut ours = server.connect();
    let mut ask = || {
        write!(ours, "GET /api/v1/tour HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\nnull") {
            let mut byte = [0];
            ours.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
    };
    ask();
    let mut strangers: Vec<_> = (0..600)
        .map(|number| {
            let mut stranger = server.connect();
            if number % 2 == 0 {
                // It may have been sent away already.
                let _ = stranger.write_all(b"GET / HTTP/1.1\r\nhost: ");
            }
            stranger
        })
        .collect();
    assert_eq!(server.get("/api/v1/traces").status, 200, "a new connection is let in");
    ask();
    for (number, stranger) in strangers.iter_mut().enumerate().take(500) {
        // An end or an error, not a wait.
        assert_eq!(stranger.read(&mut [0]).unwrap_or(0), 0, "stranger {number} is still there");
    }
}

#[test]
fn a_connection_without_a_session_lives_shortly_whatever_it_asks() {
    let server = Running::with(|options| options.header_time = Duration::from_millis(300));
    let mut stream = server.connect();
    let request = format!("GET / HTTP/1.1\r\nhost: {}\r\n\r\n", server.host());
    let mut asked = 0;
    // Never silent for long; it ends because the server closes it.
    while stream.write_all(request.as_bytes()).is_ok() && matches!(stream.read(&mut [0; 1 << 14]), Ok(1..)) {
        std::thread::sleep(Duration::from_millis(20));
        asked += 1;
        assert!(asked < 1_000, "it is still there");
    }
    assert!(asked > 0);
}

#[test]
fn clients_that_go_away_leave_a_server_that_answers() {
    let server = Running::new();
    let (host, cookie) = (server.host(), server.cookie());
    for _ in 0..40 {
        let mut stream = server.connect();
        let path = "/api/v1/traces/halo/figure/timeline.png?width=800&height=800";
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\n\r\n").unwrap();
    }
    assert_eq!(server.get("/api/v1/traces/halo").status, 200);
    server.stop();
}

#[test]
fn a_connection_is_used_again() {
    let server = Running::new();
    let (host, cookie) = (server.host(), server.cookie());
    let mut stream = server.connect();
    for last in [false, true] {
        let close = if last { "connection: close\r\n" } else { "" };
        write!(stream, "GET /api/v1/traces HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\n{close}\r\n").unwrap();
    }
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 2, "{answers}");
}

#[test]
fn a_server_that_is_stopped_closes_its_connections() {
    let server = Running::new();
    let mut idle = server.connect();
    write!(idle, "GET / HTTP/1.1\r\nhost: {}\r\n\r\n", server.host()).unwrap();
    // An answer that has begun shows that the connection is one of the server's, and not still with the system.
    idle.read_exact(&mut [0; 8]).unwrap();
    server.stop();
    let ended = idle.read_to_end(&mut Vec::new());
    assert!(ended.is_ok(), "{ended:?}");
}

#[test]
fn a_socket_is_for_its_owner_and_knows_no_ports() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("heddle.sock");
    let place = ListenOn::Socket(path.clone());
    let server = Running::with(|options| options.place = place);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let ask = |request: String| {
        let mut stream = UnixStream::connect(&path).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        Answer::parse(&answer)
    };
    let body = format!("{{\"token\":\"{}\"}}", server.token);
    let session = |host: &str| {
        ask(format!(
            "POST /api/v1/session HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ))
    };
    assert_eq!(session("evil.example").status, 403);
    for host in ["localhost", "localhost:9000"] {
        let answer = session(host);
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let get =
            format!("GET /api/v1/traces HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\nconnection: close\r\n\r\n");
        assert_eq!(ask(get).json()["traces"][0]["state"], "ready");
    }
    server.stop();
    assert!(!path.exists());
}
