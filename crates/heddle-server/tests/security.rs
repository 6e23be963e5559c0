//! Every route against everything that must be refused.
//!
//! The routes come from the list that the router is built from: a new one without a line in [`example`] fails here.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on should say so and stop

mod common;

use heddle_server::{RouteInfo, route_list};

use common::{Answer, Running};

/// A path of a route, and what a good request to it gives.
fn example(route: &RouteInfo) -> (&'static str, u16) {
    match (route.method, route.path) {
        ("GET", "/") => ("/", 200),
        ("GET", "/{file}") => ("/nothing.txt", 404),
        ("GET", "/assets/{file}") => ("/assets/nothing.js", 404),
        ("POST", "/api/v1/session") => ("/api/v1/session", 204),
        ("GET", "/api/v1/tour") => ("/api/v1/tour", 200),
        ("GET", "/api/v1/traces") => ("/api/v1/traces", 200),
        ("GET", "/api/v1/traces/{id}") => ("/api/v1/traces/halo", 200),
        // It is not being imported any more.
        ("POST", "/api/v1/traces/{id}/cancel") => ("/api/v1/traces/halo/cancel", 409),
        ("GET", "/api/v1/traces/{id}/scene/{view}") => ("/api/v1/traces/halo/scene/timeline?width=64&height=64", 200),
        ("GET", "/api/v1/traces/{id}/pick/{view}") => {
            ("/api/v1/traces/halo/pick/timeline?width=64&height=64&at_x=30&at_y=30", 200)
        }
        ("GET", "/api/v1/traces/{id}/edge/{view}") => {
            ("/api/v1/traces/halo/edge/timeline?width=640&height=400&at_x=300&at_y=200", 200)
        }
        ("GET", "/api/v1/traces/{id}/step/{view}") => {
            ("/api/v1/traces/halo/step/profile?width=640&height=400&by=down", 409)
        }
        ("GET", "/api/v1/traces/{id}/choose/{view}") => {
            ("/api/v1/traces/halo/choose/torus3d?width=64&height=64&solid=node:0&how=replace", 200)
        }
        ("GET", "/api/v1/traces/{id}/details") => ("/api/v1/traces/halo/details?select=span:0:0", 200),
        ("GET", "/api/v1/traces/{id}/find") => ("/api/v1/traces/halo/find?region=0&after=0&direction=next", 200),
        ("GET", "/api/v1/traces/{id}/search") => ("/api/v1/traces/halo/search?q=mpi", 200),
        ("GET", "/api/v1/traces/{id}/profile") => ("/api/v1/traces/halo/profile?time=0:1000", 200),
        ("GET", "/api/v1/traces/{id}/brush") => {
            ("/api/v1/traces/halo/brush?width=64&height=64&select=window:0:1000000:0:1e9", 200)
        }
        ("GET", "/api/v1/traces/{id}/findings") => ("/api/v1/traces/halo/findings?time=0:1000000", 200),
        ("GET", "/api/v1/traces/{id}/analysis/{kind}") => ("/api/v1/traces/halo/analysis/logical?metric=lateness", 200),
        // Nothing is being computed, and nothing has been with these options.
        ("POST", "/api/v1/traces/{id}/analysis/{kind}/cancel") => {
            ("/api/v1/traces/halo/analysis/logical/cancel?leap-merge=1", 409)
        }
        ("GET", "/api/v1/traces/{id}/phases") => ("/api/v1/traces/halo/phases?leap-merge=1&sort=lateness", 409),
        ("GET", "/api/v1/traces/{id}/largest") => ("/api/v1/traces/halo/largest?leap-merge=1&metric=lateness", 409),
        ("GET", "/api/v1/traces/{id}/steps") => ("/api/v1/traces/halo/steps?leap-merge=1&time=0:1000", 409),
        ("GET", "/api/v1/traces/{id}/cause") => ("/api/v1/traces/halo/cause?leap-merge=1&select=span:0:0", 409),
        ("GET", "/api/v1/traces/{id}/network") => ("/api/v1/traces/halo/network?topology=2x2x4", 200),
        ("GET", "/api/v1/traces/{id}/mappings") => ("/api/v1/traces/halo/mappings?topology=2x2x4&mappings=block", 200),
        ("GET", "/api/v1/traces/{id}/progress") => ("/api/v1/traces/halo/progress", 409),
        ("GET", "/api/v1/traces/{id}/diagnosis") => ("/api/v1/traces/halo/diagnosis", 409),
        ("GET", "/api/v1/traces/{id}/efficiency") => ("/api/v1/traces/halo/efficiency?time=0:1000", 409),
        ("GET", "/api/v1/traces/{id}/motion/{view}/activity") => {
            ("/api/v1/traces/halo/motion/torus3d/activity?width=64&height=64&topology=2x2x4", 200)
        }
        ("GET", "/api/v1/traces/{id}/motion/{view}/messages") => {
            ("/api/v1/traces/halo/motion/torus/messages?width=64&height=64&topology=2x2x4&after=0", 200)
        }
        ("GET", "/api/v1/traces/{id}/message") => ("/api/v1/traces/halo/message?row=0", 200),
        ("GET", "/api/v1/traces/{id}/figure/{file}") => {
            ("/api/v1/traces/halo/figure/activity.svg?width=300&height=200", 200)
        }
        ("GET" | "POST", "/api/v1/traces/{id}/notes") => ("/api/v1/traces/halo/notes", 200),
        ("PUT" | "DELETE", "/api/v1/traces/{id}/notes/{note}") => ("/api/v1/traces/halo/notes/abc", 200),
        // There is no such note.
        ("POST", "/api/v1/traces/{id}/notes/{note}/move") => ("/api/v1/traces/halo/notes/none/move", 404),
        ("GET", "/api/v1/traces/{id}/written/{file}") => ("/api/v1/traces/halo/written/notes.md", 200),
        other => panic!("{other:?} is a new route: say here what a good request to it is"),
    }
}

/// A good request, to be made worse.
struct Good<'a> {
    server: &'a Running,
    cookie: String,
}

impl<'a> Good<'a> {
    fn new(server: &'a Running) -> Good<'a> {
        Good { server, cookie: server.cookie() }
    }

    /// Sends it with some headers replaced; an empty value leaves the header out.
    fn send(&self, method: &str, path: &str, changes: &[(&str, &str)]) -> Answer {
        let (host, origin) = (self.server.host(), self.server.origin());
        let is_write = method != "GET" && method != "HEAD";
        let mut headers = vec![("host", &*host), ("cookie", &self.cookie)];
        if is_write {
            headers.push(("origin", &origin));
        }
        headers.retain(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
        headers.extend(changes.iter().filter(|(_, value)| !value.is_empty()));
        let body = match path {
            _ if !is_write => String::new(),
            _ if path.ends_with("/move") => "{\"by\":1}".to_owned(),
            _ if path.contains("/notes") => "{\"name\":\"a\",\"text\":\"b\",\"view\":\"v=1\"}".to_owned(),
            _ => format!("{{\"token\":\"{}\"}}", self.server.token),
        };
        if is_write {
            headers.push(("content-type", "application/json"));
        }
        self.server.send(method, path, &headers, &body)
    }
}

fn refused(answer: &Answer, what: &str) {
    assert_eq!(answer.status, 403, "{what}: {}", answer.text());
    assert!(answer.body.is_empty(), "{what} was told {}", answer.text());
    assert_eq!(answer.header("set-cookie"), None, "{what}");
}

#[test]
fn good_requests_are_answered() {
    let server = Running::new();
    let good = Good::new(&server);
    for route in route_list() {
        let (path, status) = example(&route);
        let answer = good.send(route.method, path, &[]);
        assert_eq!(answer.status, status, "{route:?}: {}", answer.text());
        let (port, localhost) = (server.port, format!("localhost:{}", server.port));
        for (host, origin) in [
            (localhost.clone(), format!("http://{localhost}")),
            (format!("[::1]:{port}"), format!("http://[::1]:{port}")),
        ] {
            for site in ["", "same-origin", "none"] {
                let answer =
                    good.send(route.method, path, &[("host", &host), ("origin", &origin), ("sec-fetch-site", site)]);
                assert_eq!(answer.status, status, "{route:?} as {host}: {}", answer.text());
            }
        }
        if route.method == "GET" {
            let answer = good.send("HEAD", path, &[]);
            assert_eq!((answer.status, answer.body.len()), (status, 0), "HEAD {path}");
        }
    }
}

#[test]
fn every_route_refuses_foreign_hosts() {
    let server = Running::new();
    let good = Good::new(&server);
    let port = server.port;
    let bad = [
        String::new(),
        "localhost".to_owned(),
        "127.0.0.1".to_owned(),
        format!("localhost:{}", port ^ 1),
        format!("evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost:{port}.evil.example"),
        format!("0.0.0.0:{port}"),
        format!("127.0.0.2:{port}"),
        format!("2130706433:{port}"),
        format!("evil@localhost:{port}"),
        format!("localhost:{port}@evil.example"),
        format!("localhost.:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("http://localhost:{port}"),
    ];
    for route in route_list() {
        let (path, _) = example(&route);
        for host in &bad {
            // The origin goes along: a page that was rebound to us is of the origin it names.
            let origin = format!("http://{host}");
            refused(
                &good.send(route.method, path, &[("host", host), ("origin", &origin)]),
                &format!("{path} at {host}"),
            );
        }
        let two = [("host", server.host()), ("host", "evil.example".to_owned())].map(|(name, value)| (name, value));
        let two: Vec<(&str, &str)> = two.iter().map(|(name, value)| (*name, value.as_str())).collect();
        refused(&good.send(route.method, path, &two), &format!("{path} at two hosts"));
        let absolute = format!("http://evil.example{path}");
        refused(&good.send(route.method, &absolute, &[]), &absolute);
    }
}

#[test]
fn every_route_refuses_foreign_pages() {
    let server = Running::new();
    let good = Good::new(&server);
    let (host, port) = (server.host(), server.port);
    let origins = [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("http://evil.example:{port}"),
        format!("https://{host}"),
        format!("http://localhost:{port}"), // ours, but not the one that was asked
        format!("http://127.0.0.1:{}", port ^ 1),
        "http://127.0.0.1".to_owned(),
        format!("http://{host}.evil.example"),
        format!("http://{host}/"),
        format!("http://evil@{host}"),
        host.clone(),
        "file://".to_owned(),
    ];
    for route in route_list() {
        let (path, status) = example(&route);
        for origin in &origins {
            refused(&good.send(route.method, path, &[("origin", origin)]), &format!("{path} from {origin}"));
        }
        for site in ["cross-site", "same-site", "CROSS-SITE", "garbage"] {
            refused(&good.send(route.method, path, &[("sec-fetch-site", site)]), &format!("{path} from {site}"));
        }
        let ours = server.origin();
        let both = [("origin", &*ours), ("origin", "http://evil.example")];
        refused(&good.send(route.method, path, &both), &format!("{path} from two origins"));
        let both = [("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")];
        refused(&good.send(route.method, path, &both), &format!("{path} from two sites"));
        // Reading is fine without an origin, writing is not.
        let answer = good.send(route.method, path, &[("origin", "")]);
        assert_eq!(answer.status, if route.method == "GET" { status } else { 403 }, "{path}");
    }
}

#[test]
fn every_route_of_the_api_needs_the_cookie() {
    let server = Running::new();
    let good = Good::new(&server);
    let (name, value) = good.cookie.split_once('=').unwrap();
    assert_eq!(name, format!("heddle-{}", server.port));
    let other_port = format!("heddle-{}={value}", server.port ^ 1);
    let cookies = [
        String::new(),
        format!("{name}="),
        format!("{name}={}", server.token),
        format!("{name}={}", &value[1..]),
        format!("{name}={value}0"),
        format!("{name}={}", value.to_uppercase()),
        format!("{name}=\"{value}\""),
        other_port,
        format!("x{name}={value}"),
        value.to_owned(),
    ];
    let needs_cookie = |path: &str| path.starts_with("/api") && path != "/api/v1/session";
    for route in route_list().iter().filter(|route| needs_cookie(route.path)) {
        let (path, status) = example(route);
        for cookie in &cookies {
            let answer = good.send(route.method, path, &[("cookie", cookie)]);
            assert_eq!(answer.status, 401, "{path} with {cookie}: {}", answer.text());
            assert!(answer.json()["error"].is_string(), "{path}");
        }
        // A server on another port may have set one of our name: ours counts.
        let tossed = format!("a=b; {name}=junk; {}; c=d", good.cookie);
        assert_eq!(good.send(route.method, path, &[("cookie", &tossed)]).status, status, "{path}");
    }
    for unknown in ["/api", "/api/", "/api/v1", "/api/v2/traces", "/api/v1/traces/halo/unknown", "/apix"] {
        assert_eq!(good.send("GET", unknown, &[("cookie", "")]).status, 401, "{unknown}");
        assert_eq!(good.send("GET", unknown, &[]).status, 404, "{unknown}");
    }
}

#[test]
fn only_the_token_opens_a_session() {
    let server = Running::new();
    let token = &server.token;
    let cookie = server.session(token);
    let text = cookie.header("set-cookie").unwrap();
    for word in ["; HttpOnly", "; SameSite=Strict", "; Path=/"] {
        assert!(text.contains(word), "{text}");
    }
    assert!(!text.contains(token.as_str()) && !text.contains("Domain"), "{text}");
    for wrong in ["", "0", &token[1..], &format!("{token}0"), &token.to_uppercase(), "00000000000000000000000000000000"]
    {
        let answer = server.session(wrong);
        assert_eq!((answer.status, answer.header("set-cookie")), (401, None), "{wrong}");
        assert!(!answer.text().contains(token.as_str()));
    }
    // The address that the browser was started with works once: other people see the arguments of programs.
    assert_eq!(server.session(&server.browser_token).status, 204);
    assert_eq!(server.session(&server.browser_token).status, 401);

    let headers = |kind: &'static str| {
        vec![("host", server.host()), ("origin", server.origin()), ("content-type", kind.to_owned())]
    };
    let fine = format!("{{\"token\":\"{token}\"}}");
    for (kind, body) in [
        ("text/plain", fine.as_str()),
        ("application/x-www-form-urlencoded", "token=x"),
        ("application/json", ""),
        ("application/json", "{"),
        ("application/json", "[]"),
        ("application/json", "{\"token\":7}"),
        ("application/json", "\u{0}"),
    ] {
        let headers = headers(kind);
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = server.send("POST", "/api/v1/session", &headers, body);
        assert_eq!((answer.status, answer.header("set-cookie")), (400, None), "{kind} {body}");
    }
}

#[test]
fn every_route_refuses_other_methods() {
    let server = Running::new();
    let good = Good::new(&server);
    for route in route_list() {
        let (path, _) = example(&route);
        let others = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];
        // A path may have several methods; each is a route of its own, and tested as such.
        let is_other = |method: &&str| !route_list().iter().any(|one| one.path == route.path && one.method == *method);
        for method in others.into_iter().filter(is_other) {
            let answer = good.send(method, path, &[]);
            assert_eq!(answer.status, 405, "{method} {path}: {}", answer.text());
            if method != "GET" {
                refused(&good.send(method, path, &[("origin", "")]), &format!("{method} {path}"));
            }
        }
    }
}

#[test]
fn paths_that_try_something_find_nothing() {
    let server = Running::new();
    let good = Good::new(&server);
    let long = format!("/{}", "a".repeat(20_000));
    let deep = "/a".repeat(5_000);
    for path in [
        "/../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/%252e%252e%252fetc%252fpasswd",
        "/assets/../../../../etc/passwd",
        "/assets/..%2f..%2f..%2fetc%2fpasswd",
        "/assets/%2fetc%2fpasswd",
        "/assets//etc/passwd",
        "/assets/..%5c..%5cetc%5cpasswd",
        "/assets/index.html%00.js",
        "/assets/%00",
        "/assets/.",
        "/assets/..",
        "/assets/",
        "//etc/passwd",
        "/./",
        "/index.html/",
        "/INDEX.HTML",
        "/.git/config",
        "/Cargo.toml",
        "/%ff%fe",
        "/%",
        "/%zz",
        "/api%2fv1%2ftraces",
        "//api/v1/traces",
        "/api/v1/traces/",
        "/api/v1/traces/..",
        "/api/v1/traces/%2e%2e",
        "/api/v1/traces/halo.heddle",
        "/api/v1/traces/%2fetc%2fpasswd",
        "/api/v1/traces/..%2f..%2fetc%2fpasswd",
        "/api/v1/traces/halo%00",
        "/api/v1/traces/halo%2fscene%2ftimeline",
        "/api/v1/traces/HALO",
        "/api/v1/traces/halo/scene/..%2factivity?width=64&height=64",
        "/api/v1/traces/halo/scene/?width=64&height=64",
        "/api/v1/traces/halo/figure/..%2f..%2fetc%2fpasswd.svg?width=300&height=200",
        "/api/v1/traces/halo/figure/activity.exe?width=300&height=200",
        "/api/v1/traces/halo/figure/activity?width=300&height=200",
        "/api/v1/traces/halo/details?select=span:-1:0",
        "/api/v1/traces/halo/details?select=span:0:99999999999999999999999",
        "/api/v1/traces/halo/details?select=span:0:18446744073709551615",
        &long,
        &deep,
    ] {
        let shown: String = path.chars().take(80).collect();
        let answer = good.send("GET", path, &[]);
        // A path whose bytes are no text is refused as a bad request.
        assert!([400, 404].contains(&answer.status), "{shown}: {} {}", answer.status, answer.text());
        let told = answer.text();
        // The longest answer lists the views. None repeats what was asked.
        assert!(!told.contains("root:") && !told.contains("etc") && told.len() < 300, "{shown}: {told}");
        assert!(answer.json()["error"].is_string(), "{shown}: {told}");
        let answer = good.send("GET", path, &[("cookie", "")]);
        assert!([400, 401, 404].contains(&answer.status), "{shown}");
    }
    // Longer than any question of ours.
    let query = format!("/api/v1/traces?x={}", "a".repeat(30_000));
    assert_eq!(good.send("GET", &query, &[]).status, 414);
}

#[cfg(feature = "page")]
#[test]
fn the_page_comes_with_its_files_and_asks_nobody_else() {
    let server = Running::new();
    let good = Good::new(&server);
    let page = good.send("GET", "/", &[("cookie", "")]);
    let text = page.text();
    assert_eq!((page.status, page.header("cache-control")), (200, Some("no-store")));
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(!text.contains("http://") && !text.contains("https://") && !text.contains("<style"), "{text}");
    let files: Vec<&str> = text.split('"').filter(|word| word.starts_with("/assets/")).collect();
    let has = |ending: &str| files.iter().any(|file| file.rsplit_once('.').is_some_and(|(_, end)| end == ending));
    assert!(has("js") && has("css"), "{text}");
    for file in files {
        let plain = good.send("GET", file, &[("cookie", "")]);
        assert_eq!((plain.status, plain.header("content-encoding")), (200, None), "{file}");
        assert!(plain.header("cache-control").unwrap().contains("immutable"), "{file}");
        let packed = good.send("GET", file, &[("accept-encoding", "gzip")]);
        if packed.header("content-encoding") == Some("gzip") {
            assert!(packed.body.len() < plain.body.len(), "{file}");
        }
    }
}

#[test]
fn a_name_that_was_allowed_is_accepted_and_no_other() {
    let server = Running::with(|options| options.allowed_hosts = vec!["login3.example.org".parse().unwrap()]);
    let good = Good::new(&server);
    let answer = |host: &str| good.send("GET", "/api/v1/traces", &[("host", host)]).status;
    assert_eq!(answer("login3.example.org:9000"), 200);
    assert_eq!(answer("Login3.Example.Org"), 200);
    assert_eq!(answer("login4.example.org:9000"), 403);
    let origins = [("host", "login3.example.org:9000"), ("origin", "http://login3.example.org:9000")];
    assert_eq!(good.send("POST", "/api/v1/session", &origins).status, 204);
}
