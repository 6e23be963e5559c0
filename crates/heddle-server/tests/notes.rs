//! Notes through the API: what is written by one server is listed by another, and nothing else is taken for a note.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::path::Path;

use serde_json::{Value, json};

use common::{Answer, Quiet, Running, import_options, make_store};

const NOTES: &str = "/api/v1/traces/halo/notes";

fn send(server: &Running, method: &str, path: &str, body: &str) -> Answer {
    let (host, cookie, origin) = (server.host(), server.cookie(), server.origin());
    let kind = ("content-type", "application/json");
    server.send(method, path, &[("host", &host), ("cookie", &cookie), ("origin", &origin), kind], body)
}

fn note(name: &str) -> String {
    json!({ "name": name, "text": "Look here.", "view": "v=1&layout=timeline&time=0:1000" }).to_string()
}

fn done(server: &Running, method: &str, path: &str, body: &str) -> Value {
    let answer = send(server, method, path, body);
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.text());
    answer.json()
}

fn names(told: &Value) -> Vec<&str> {
    told["notes"].as_array().unwrap().iter().map(|note| note["name"].as_str().unwrap()).collect()
}

fn refused(server: &Running, method: &str, path: &str, body: &str, status: u16) -> String {
    let answer = send(server, method, path, body);
    assert_eq!(answer.status, status, "{method} {path} {body}: {}", answer.text());
    answer.json()["error"].as_str().unwrap().to_owned()
}

/// Another server of the same store.
fn second(folder: &Path) -> Running {
    let own = tempfile::tempdir().unwrap();
    let server = Running::not_imported(own, &[folder.join("halo.heddle")], |_| {});
    server.traces.import_all(&import_options(server.folder.path()), &Quiet);
    server
}

#[test]
fn notes_are_kept_beside_the_trace_and_two_servers_have_the_same() {
    let one = Running::new();
    let two = second(one.folder.path());
    let told = one.json(NOTES);
    assert_eq!((&told["notes"], &told["is_beside"]), (&json!([]), &true.into()));
    let told = done(&one, "POST", NOTES, &note("first"));
    let first = told["changed"].as_str().unwrap().to_owned();
    assert_eq!(told["notes"][0]["id"], *first);
    let file = one.folder.path().join("halo.notes.json");
    assert_eq!(told["file"], file.to_str().unwrap());
    assert!(file.is_file());
    let told = done(&two, "POST", NOTES, &note("second"));
    assert_eq!(names(&told), ["first", "second"]);
    let second = told["changed"].as_str().unwrap().to_owned();
    assert_eq!(names(&one.json(NOTES)), ["first", "second"]);

    assert_eq!(names(&done(&one, "PUT", &format!("{NOTES}/{first}"), &note("edited"))), ["edited", "second"]);
    assert_eq!(names(&done(&two, "POST", &format!("{NOTES}/{second}/move"), "{\"by\":-1}")), ["second", "edited"]);
    assert_eq!(names(&done(&one, "DELETE", &format!("{NOTES}/{second}"), "")), ["edited"]);
    // The other had it open: the last writer wins, on this note alone.
    assert_eq!(names(&done(&two, "PUT", &format!("{NOTES}/{second}"), &note("kept"))), ["edited", "kept"]);
    assert_eq!(names(&one.json(NOTES)), ["edited", "kept"]);
}

#[test]
fn two_servers_that_write_at_once_lose_nothing() {
    let one = Running::new();
    let two = second(one.folder.path());
    std::thread::scope(|scope| {
        for (server, prefix) in [(&one, "a"), (&one, "b"), (&two, "c"), (&two, "d")] {
            scope.spawn(move || {
                for number in 0..8 {
                    done(server, "POST", NOTES, &note(&format!("{prefix}{number}")));
                }
            });
        }
    });
    let told = one.json(NOTES);
    let mut found = names(&told);
    found.sort_unstable();
    let expected: Vec<String> =
        ["a", "b", "c", "d"].iter().flat_map(|prefix| (0..8).map(move |number| format!("{prefix}{number}"))).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_damaged_file_is_told_in_words_and_never_overwritten() {
    let server = Running::new();
    let file = server.folder.path().join("halo.notes.json");
    let id = done(&server, "POST", NOTES, &note("a"))["changed"].as_str().unwrap().to_owned();
    let whole = std::fs::read(&file).unwrap();
    let damaged = &whole[..whole.len() / 2];
    std::fs::write(&file, damaged).unwrap();
    let one = format!("{NOTES}/{id}");
    let told = refused(&server, "GET", NOTES, "", 409);
    assert!(told.contains("halo.notes.json") && told.contains("line") && told.contains("repair it"), "{told}");
    for (method, path, body) in [
        ("POST", NOTES.to_owned(), note("b")),
        ("PUT", one.clone(), note("b")),
        ("DELETE", one.clone(), String::new()),
        ("POST", format!("{one}/move"), "{\"by\":1}".to_owned()),
        ("GET", "/api/v1/traces/halo/written/notes.json".to_owned(), String::new()),
    ] {
        assert_eq!(refused(&server, method, &path, &body, 409), told);
    }
    assert_eq!(std::fs::read(&file).unwrap(), damaged);
    // The trace itself is still shown, and the notes too once somebody has mended them.
    assert_eq!(server.get("/api/v1/traces/halo").status, 200);
    std::fs::write(&file, &whole).unwrap();
    assert_eq!(names(&server.json(NOTES)), ["a"]);
}

#[test]
fn what_is_no_note_is_refused() {
    let server = Running::new();
    let with = |key: &str, value: Value| {
        let mut body: Value = serde_json::from_str(&note("a")).unwrap();
        body[key] = value;
        body.to_string()
    };
    for body in [
        String::from("{}"),
        "[]".into(),
        "x".into(),
        with("name", "".into()),
        with("name", 7.into()),
        with("name", "x".repeat(201).into()),
        with("text", "x".repeat(4001).into()),
        with("view", "https://evil.example/".into()),
        with("view", "javascript:alert(1)".into()),
        with("view", "v=1&highlight=<script>".into()),
        with("id", "abc".into()),
    ] {
        refused(&server, "POST", NOTES, &body, 400);
        refused(&server, "PUT", &format!("{NOTES}/abc"), &body, 400);
    }
    for id in ["A", "a-b", "..%2f..%2fx", &"a".repeat(40)] {
        let told = refused(&server, "PUT", &format!("{NOTES}/{id}"), &note("a"), 400);
        assert!(!told.contains(id), "{told}");
    }
    for body in ["", "{}", "{\"by\":0}", "{\"by\":2}", "{\"by\":-2147483648}", "{\"by\":\"1\"}"] {
        refused(&server, "POST", &format!("{NOTES}/abc/move"), body, 400);
    }
    let (host, cookie, origin) = (server.host(), server.cookie(), server.origin());
    let head = format!(
        "POST {NOTES} HTTP/1.1\r\nhost: {host}\r\norigin: {origin}\r\ncookie: {cookie}\r\ncontent-type: application/json\r\n\
         connection: close\r\n"
    );
    let long = format!("{head}content-length: 70000\r\n\r\n");
    assert_eq!(Answer::parse(&server.raw(long.as_bytes())).status, 413);
    // Without a length it shows only as it is read. The rest of what we sent may make the system drop the answer.
    let chunk = format!("{:x}\r\n{}\r\n", 40_000, "a".repeat(40_000));
    let long = format!("{head}transfer-encoding: chunked\r\n\r\n{chunk}{chunk}0\r\n\r\n");
    let answer = server.raw(long.as_bytes());
    assert!(answer.is_empty() || Answer::parse(&answer).status == 413);
    // A form of another page can send this type, and no JSON.
    let plain = ("content-type", "text/plain");
    let headers = [("host", &*host), ("cookie", &cookie), ("origin", &origin), plain];
    assert_eq!(server.send("POST", NOTES, &headers, &note("a")).status, 400);
    assert_eq!(server.json(NOTES)["notes"], json!([]));
}

#[test]
fn notes_are_exported_with_nothing_that_could_do_harm() {
    let server = Running::new();
    let name = "<img>\u{202e}";
    let link = "http://127.0.0.1:7700/#v=1&trace=other&token=secret&time=0:1000";
    let body = json!({ "name": name, "text": "one", "view": link }).to_string();
    let told = done(&server, "POST", NOTES, &body);
    assert_eq!(told["notes"][0]["view"], "v=1&time=0:1000");
    let answer = server.get("/api/v1/traces/halo/written/notes.md");
    assert_eq!(answer.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"halo-notes.md\""));
    let text = answer.text();
    assert!(text.contains("# Notes on halo\n") && text.contains("## 1. \\<img\\>\u{fffd}\n"), "{text}");
    assert!(text.contains("View: `#v=1&time=0:1000`") && !text.contains("secret"), "{text}");
    // As the file has them, so that it can be put beside a copy of the trace.
    let answer = server.get("/api/v1/traces/halo/written/notes.json");
    let kept: Value =
        serde_json::from_slice(&std::fs::read(server.folder.path().join("halo.notes.json")).unwrap()).unwrap();
    assert_eq!(answer.json(), kept);
    assert_eq!(kept["notes"][0]["name"], name);
    assert_eq!(server.get("/api/v1/traces/halo/written/notes.html").status, 404);
}

#[test]
fn a_trace_that_is_not_ready_has_no_notes_yet() {
    let folder = tempfile::tempdir().unwrap();
    let store = make_store(folder.path());
    let server = Running::not_imported(folder, &[store], |_| {});
    refused(&server, "POST", NOTES, &note("a"), 409);
    refused(&server, "GET", "/api/v1/traces/other/notes", "", 404);
}
