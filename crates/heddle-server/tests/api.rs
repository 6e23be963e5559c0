//! What the API answers to those who may ask.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use heddle_formats::{MemoryScratch, Output, otf2};
use heddle_server::{ImportWatcher, Stop, Tour};
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{DiskFiles, Progress, Store, StoreError, Work};
use heddle_testkit::MadeRun;
use heddle_view::View;
use serde_json::Value;

use common::{Answer, Quiet, Running, import_options};

const SCENE: &str = "/api/v1/traces/halo/scene";

/// Header and arrays of a scene.
fn scene(bytes: &[u8]) -> (Value, &[u8]) {
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], number(4), number(12)), (&b"HSCN"[..], 2, 0));
    let length = number(8);
    assert_eq!(length % 8, 0);
    (serde_json::from_slice(&bytes[16..16 + length]).unwrap(), &bytes[16 + length..])
}

#[test]
fn a_trace_is_listed_and_described() {
    let server = Running::new();
    let list = server.json("/api/v1/traces");
    assert_eq!(list["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(list["traces"], serde_json::json!([{ "id": "halo", "name": "halo", "state": "ready" }]));
    let info = server.json("/api/v1/traces/halo");
    for (key, value) in [("id", "halo"), ("name", "halo"), ("format", "simulated"), ("unmatched", "0")] {
        assert_eq!(info[key], value, "{key}");
    }
    assert_eq!((&info["ranks"], &info["rows"], &info["has_ranks"]), (&8.into(), &8.into(), &true.into()));
    for key in ["spans", "messages", "collectives", "end_ns"] {
        assert!(info[key].as_str().unwrap().parse::<u64>().unwrap() > 0, "{key}");
    }
    let regions = info["regions"].as_array().unwrap();
    assert_eq!(info["regions_total"], regions.len());
    let own: Vec<i64> =
        regions.iter().map(|region| region["exclusive_ns"].as_str().unwrap().parse().unwrap()).collect();
    assert!(own.windows(2).all(|two| two[0] >= two[1]), "{own:?}");
    let waitall = regions.iter().find(|region| region["name"] == "MPI_Waitall").unwrap();
    assert_eq!(
        (&waitall["communication"], &waitall["paradigm"], &waitall["role"]),
        (&true.into(), &"mpi".into(), &"wait".into())
    );
    for theme in ["light", "dark"] {
        let colour = waitall[theme].as_str().unwrap();
        assert!(colour.len() == 7 && colour.starts_with('#'), "{colour}");
    }
    assert_eq!(info["communicators"][0]["ranks"], "0-7");
    assert_eq!(info["views"], serde_json::json!(View::ALL.iter().map(|view| view.name()).collect::<Vec<_>>()));
}

#[test]
fn a_measured_network_is_described_and_its_communicators_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let communicators = vec![("line".to_owned(), 3, vec![0, 1, 2])];
    let run = MadeRun { regions: vec![-1, 4, 4], communicators, ..MadeRun::torus(&[4, 3]) };
    let meta = run.write(folder.path(), "made", |_, _| 1, |_, _| 2);
    let server = Running::not_imported(folder, &[meta], |_| {});
    server.traces.import_all(&import_options(server.folder.path()), &Quiet);
    let info = server.json("/api/v1/traces/made");
    assert_eq!((&info["format"], &info["spans"], &info["ranks"]), (&"boxfish".into(), &"0".into(), &12.into()));
    let network = &info["network"];
    assert_eq!((&network["sizes"], &network["links"]), (&"4x3".into(), &48.into()));
    assert_eq!(network["sections"][1], serde_json::json!({ "id": "4", "name": "", "visits": 2 }));
    assert_eq!(
        network["counters"],
        serde_json::json!([{ "name": "packets", "of": "links" }, { "name": "flops", "of": "nodes" }])
    );
    assert_eq!(
        (&info["communicators"][0]["name"], &info["communicators"][0]["ranks"]),
        (&"line 3".into(), &"0-2".into())
    );
    assert!(Running::new().json("/api/v1/traces/halo").get("network").is_none());
}

#[test]
fn a_tour_is_handed_on_as_it_is_and_without_one_there_is_null() {
    assert_eq!(Running::new().json("/api/v1/tour"), Value::Null);
    let stop = |title: &str, view: &str| Stop { title: title.into(), text: "Look.".into(), view: view.into() };
    let stops = vec![stop("All", "v=1&trace=halo"), stop("Part", "v=1&trace=halo&time=0:5000")];
    let server = Running::with(|options| options.tour = Some(Tour { title: "Halo".into(), stops }));
    let expected = serde_json::json!({ "title": "Halo", "stops": [
        { "title": "All", "text": "Look.", "view": "v=1&trace=halo" },
        { "title": "Part", "text": "Look.", "view": "v=1&trace=halo&time=0:5000" },
    ] });
    assert_eq!(server.json("/api/v1/tour"), expected);
}

#[test]
fn a_scene_makes_the_round_trip() {
    let server = Running::new();
    for view in ["activity", "calls", "timeline"] {
        let path = format!("{SCENE}/{view}?width=640&height=400&time=0:5000000&ranks=0-3&theme=dark&frame=pane");
        let plain = server.get(&path);
        assert_eq!((plain.status, plain.header("content-type")), (200, Some("application/octet-stream")));
        assert_eq!(plain.header("cache-control"), Some("no-store"));
        let timing = plain.header("server-timing").unwrap();
        assert!(timing.starts_with("scene;dur=") && timing.contains("encode;dur="), "{timing}");
        let (header, arrays) = scene(&plain.body);
        assert_eq!(header["size"], serde_json::json!([640, 400]));
        assert_eq!((&header["x"]["kind"], &header["x"]["to"]), (&"time".into(), &"5000000".into()));
        assert!(!arrays.is_empty() && !header["layers"].as_array().unwrap().is_empty());
        if view == "timeline" {
            assert_eq!(header["y"]["count"], 4, "the filter leaves four rows");
        }

        let headers = [("host", &*server.host()), ("cookie", &server.cookie()), ("accept-encoding", "br, gzip;q=0.8")];
        let packed = server.send("GET", &path, &headers, "");
        assert_eq!(packed.header("content-encoding"), Some("gzip"));
        assert!(packed.body.len() < plain.body.len());
        let mut room = vec![0; plain.body.len()];
        let config = zlib_rs::InflateConfig { window_bits: 15 + 16 };
        let (back, _) = zlib_rs::decompress_slice(&mut room, &packed.body, config);
        assert_eq!(&*back, plain.body.as_slice());
    }
}

#[test]
fn what_is_under_the_pointer_leads_to_details_and_on() {
    let server = Running::new();
    let info = server.json("/api/v1/traces/halo");
    let end: i64 = info["end_ns"].as_str().unwrap().parse().unwrap();
    let base = "/api/v1/traces/halo";
    let picked = server.json(&format!("{base}/pick/timeline?width=640&height=400&at_x=400&at_y=200"));
    let span = picked["select"].as_str().unwrap();
    let details = server.json(&format!("{base}/details?select={span}"));
    assert_eq!((&details["select"], &details["title"]), (&span.into(), &picked["title"]));
    assert!(!details["facts"].as_array().unwrap().is_empty());
    // Outside the plot there is nothing.
    assert_eq!(server.json(&format!("{base}/pick/timeline?width=640&height=400&at_x=-5&at_y=200")), Value::Null);
    let selected = server.get(&format!("{SCENE}/timeline?width=640&height=400&select={span}"));
    assert_eq!(selected.status, 200);
    // A span that this trace does not have is no reason to show nothing.
    assert_eq!(server.get(&format!("{SCENE}/timeline?width=640&height=400&select=77:1")).status, 200);

    let region = &info["regions"][0]["id"];
    for direction in ["next", "previous", "longest"] {
        let target = server.json(&format!("{base}/find?region={region}&after=0&direction={direction}&ranks=2"));
        assert!(target["select"].as_str().unwrap().starts_with("span:2:"), "{direction}: {target}");
        assert_eq!(target["row"], 0);
    }
    assert_eq!(server.get(&format!("{base}/find?region=4000000&after=0&direction=next")).status, 404);
    let hits = server.json(&format!("{base}/search?q=waitall&theme=dark"));
    assert_eq!((&hits["hits"][0]["label"], &hits["hits"][0]["kind"]), (&"MPI_Waitall".into(), &"function".into()));
    assert_eq!(server.json(&format!("{base}/search"))["hits"], serde_json::json!([]));
    let profile = server.json(&format!("{base}/profile?time=0:{end}"));
    assert_eq!(profile["available_ns"].as_str().unwrap().parse::<i64>().unwrap(), end * 8);
    let spent: i64 =
        profile["regions"].as_array().unwrap().iter().map(|r| r["ns"].as_str().unwrap().parse::<i64>().unwrap()).sum();
    assert!(spent > 0 && spent < end * 8);
}

#[test]
fn what_stands_out_comes_with_stages_and_efficiency() {
    let server = Running::new();
    let info = server.json("/api/v1/traces/halo");
    let base = "/api/v1/traces/halo/findings";
    let found = server.json(base);
    let efficiency = found["efficiency"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&efficiency), "{efficiency}");
    assert!(found["findings"].is_array() && found["notes"].is_array());
    let stages = found["stages"].as_array().unwrap();
    let (first, last) = (stages.first().unwrap(), stages.last().unwrap());
    assert_eq!((&first["start_ns"], &last["end_ns"]), (&"0".into(), &info["end_ns"]));
    // The first receive of a single rank fills this window, so the longest call is worth a sentence there.
    let region = info["regions"].as_array().unwrap().iter().find(|region| region["name"] == "MPI_Waitall").unwrap();
    let call = server.json(&format!("/api/v1/traces/halo/find?region={}&direction=longest&ranks=2", region["id"]));
    let window = format!("{}:{}", call["start_ns"].as_str().unwrap(), call["end_ns"].as_str().unwrap());
    let found = server.json(&format!("{base}?time={window}&ranks=2"));
    let finding = &found["findings"][0];
    assert_eq!(
        (&finding["kind"], &finding["span"], &finding["region"]),
        (&"longest-call".into(), &call["span"], &region["id"])
    );
    assert_eq!(finding["window"], serde_json::json!([call["start_ns"], call["end_ns"]]));
    let named = finding["text"].as_array().unwrap().iter().find(|piece| piece["region"] == region["id"]).unwrap();
    assert_eq!(named["text"], "MPI_Waitall");
    assert_eq!(server.get(&format!("{base}?time=9:7")).status, 400);
    assert_eq!(server.get(&format!("{base}?ranks=4000000-")).status, 200);
}

#[test]
fn a_rectangle_of_calls_is_told_in_numbers() {
    let server = Running::new();
    let info = server.json("/api/v1/traces/halo");
    let end = info["end_ns"].as_str().unwrap();
    let base = "/api/v1/traces/halo/brush?width=640&height=400";
    let number = |value: &Value| value.as_str().unwrap().parse::<u64>().unwrap();
    let all = server.json(&format!("{base}&select=window:0:{end}:0:1e15"));
    let communicating: u64 = info["regions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|region| region["communication"] == true)
        .map(|region| number(&region["count"]))
        .sum();
    assert_eq!((number(&all["calls"]), &all["ranks"], &all["ranks_total"]), (communicating, &8.into(), &8.into()));
    assert_eq!(all["ranks_filter"], "0-7");
    let functions = all["by_function"].as_array().unwrap();
    assert_eq!(functions.iter().map(|function| number(&function["calls"])).sum::<u64>(), communicating);
    let slowest = all["slowest"].as_array().unwrap();
    assert_eq!(slowest.len(), 10);
    let (first, second) = (number(&slowest[0]["duration_ns"]), number(&slowest[1]["duration_ns"]));
    assert!(first >= second);
    let slow = slowest[0]["select"].as_str().unwrap();
    let details = server.json(&format!("/api/v1/traces/halo/details?select={slow}"));
    assert_eq!(details["title"], slowest[0]["name"]);

    let few = server.json(&format!("{base}&select=window:0:{end}:{first}:1e15&ranks=0-7"));
    assert!(number(&few["calls"]) >= 1 && number(&few["calls"]) < 10);
    let none = server.json(&format!("{base}&select=window:0:{end}:1e15:1e15"));
    assert_eq!((&none["calls"], none["slowest"].as_array().unwrap().len()), (&"0".into(), 0));
    for wrong in ["", "&select=window:0:5", "&select=window:5:0:0:1", "&select=window:0:5:0:inf", "&select=phase:1"] {
        assert_eq!(server.get(&format!("{base}{wrong}")).status, 400, "{wrong}");
    }
}

#[test]
fn an_area_of_the_timeline_is_told_in_numbers() {
    let server = Running::new();
    let info = server.json("/api/v1/traces/halo");
    let end: u64 = info["end_ns"].as_str().unwrap().parse().unwrap();
    let number = |value: &Value| value.as_str().unwrap().parse::<u64>().unwrap();
    let base = "/api/v1/traces/halo/brush?select=area";
    let all = server.json(&format!("{base}:0:{}:0-7", end + 1));
    assert_eq!((number(&all["calls"]), &all["ranks"]), (number(&info["spans"]), &8.into()));
    let messages = number(&info["messages"]);
    assert_eq!(["sent", "received", "inside"].map(|end| number(&all["messages"][end]["count"])), [messages; 3]);
    let own: u64 = all["by_function"].as_array().unwrap().iter().map(|function| number(&function["own_ns"])).sum();
    assert_eq!(own, number(&all["total_ns"]));

    let one = server.json(&format!("{base}:0:{}:3", end / 2));
    assert_eq!((&one["ranks"], &one["ranks_total"], &one["ranks_filter"]), (&1.into(), &1.into(), &"3".into()));
    assert!(number(&one["total_ns"]) <= end / 2);

    let timeline = "/api/v1/traces/halo/choose/timeline?width=640&height=400&how=replace";
    let chosen = server.json(&format!("{timeline}&area=200:100:200:50"));
    assert!(chosen["select"].as_str().unwrap().starts_with("area:"), "{chosen}");
    let edge =
        |x: f32| server.json(&format!("/api/v1/traces/halo/edge/timeline?width=640&height=400&at_x={x}&at_y=200"));
    assert_eq!(edge(-5.0)["at_ns"], Value::Null);
}

#[test]
fn figures_are_files() {
    let server = Running::new();
    for (ending, kind, start) in
        [("png", "image/png", &b"\x89PNG"[..]), ("svg", "image/svg+xml", b"<svg"), ("pdf", "application/pdf", b"%PDF")]
    {
        let figure =
            server.get(&format!("/api/v1/traces/halo/figure/timeline.{ending}?width=400&height=300&frame=figure"));
        assert_eq!((figure.status, figure.header("content-type")), (200, Some(kind)), "{}", figure.text());
        let expected = format!("attachment; filename=\"halo-timeline.{ending}\"");
        assert_eq!(figure.header("content-disposition"), Some(&*expected));
        assert!(figure.body.windows(start.len()).take(200).any(|bytes| bytes == start), "{ending}");
    }
}

#[test]
fn a_figure_has_the_size_on_a_page_that_is_asked_for() {
    let server = Running::new();
    let of = |ending: &str, paper: &str| {
        let size = "width=400&height=300&frame=figure";
        server.get(&format!("/api/v1/traces/halo/figure/timeline.{ending}?{size}&{paper}"))
    };
    let column = "paper-width=88mm&paper-height=60mm&paper-font-size=8&paper-title=0&paper-notes=0";
    let pdf = of("pdf", column).text();
    let page = pdf.split("/MediaBox[").nth(1).unwrap().split(']').next().unwrap();
    let sides: Vec<f32> = page.split_whitespace().map(|side| side.parse().unwrap()).collect();
    assert!((sides[2] - 249.449).abs() < 0.01 && (sides[3] - 170.079).abs() < 0.01, "{sides:?}");
    assert!(of("svg", column).text().contains("width=\"88mm\" height=\"60mm\""));
    let png = of("png", &format!("{column}&paper-dpi=254")).body;
    assert_eq!(png[16..24], [880u32.to_be_bytes(), 600u32.to_be_bytes()].concat());
    for (wrong, why) in [
        ("paper-width=88", "88mm"),
        ("paper-width=88mm&paper-font-size=99", "4 to 24"),
        ("paper-width=25mm&paper-font-size=12", "at least"),
        ("paper-height=60mm", "width"),
    ] {
        let refused = of("pdf", wrong);
        assert_eq!(refused.status, 400, "{wrong}");
        assert!(refused.text().contains(why), "{wrong}: {}", refused.text());
    }
}

#[test]
fn wrong_parameters_say_what_is_expected() {
    let server = Running::new();
    let told = |path: &str| -> (u16, String) {
        let answer: Answer = server.get(path);
        (answer.status, answer.json()["error"].as_str().unwrap().to_owned())
    };
    for (wrong, word) in [
        ("", "width"),
        ("width=640", "height"),
        ("width=15&height=400", "16 to 8192"),
        ("width=640&height=9000", "16 to 8192"),
        ("width=8192&height=8192", "at most"),
        ("width=640&height=400&time=7", "FROM:TO"),
        ("width=640&height=400&time=9:7", "below"),
        ("width=640&height=400&rows=4:4", "rows"),
        ("width=640&height=400&rows=-1:4", "rows"),
        ("width=640&height=400&ranks=all", "0-15,100,200-"),
        ("width=640&height=400&theme=pink", "light or dark"),
        ("width=640&height=400&frame=none", "pane, wide, tree, nodes, strip or figure"),
        ("width=640&height=400&highlight=MPI", "highlight"),
        ("width=640&height=400&hide=1,,2", "hide"),
        ("width=640&height=400&select=7", "span:LOCATION:N"),
        ("width=640&height=400&width=640", "twice"),
    ] {
        let (status, error) = told(&format!("{SCENE}/timeline?{wrong}"));
        assert!(status == 400 && error.contains(word), "{wrong}: {status} {error}");
    }
    assert_eq!(told(&format!("{SCENE}/sundial?width=640&height=400")).0, 404);
    assert_eq!(told("/api/v1/traces/halo/find?region=0&direction=up").0, 400);
    assert_eq!(told("/api/v1/traces/other").0, 404);
    // Strange, but not wrong: there is just nothing to see.
    for strange in ["ranks=4000000-", "rows=900:1000", "time=900000000000:900000000001", "hide=4000000&highlight=7000"]
    {
        let answer = server.get(&format!("{SCENE}/timeline?width=640&height=400&{strange}"));
        assert_eq!(answer.status, 200, "{strange}: {}", answer.text());
    }
}

#[test]
fn a_trace_that_cannot_be_read_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.otf2");
    std::fs::write(&broken, "no trace").unwrap();
    let server = Running::not_imported(folder, &[broken], |_| {});
    server.traces.import_all(&import_options(server.folder.path()), &Quiet);
    let state = &server.json("/api/v1/traces")["traces"][0];
    assert_eq!(state["state"], "failed");
    let error = state["error"].as_str().unwrap();
    assert!(error.contains("not a trace that Heddle knows"), "{error}");
    let answer = server.get("/api/v1/traces/broken");
    assert_eq!((answer.status, answer.json()["error"].as_str()), (422, Some(error)));
    assert_eq!(server.get("/api/v1/traces/broken/scene/timeline?width=64&height=64").status, 422);
    assert_eq!(server.post("/api/v1/traces/broken/cancel").status, 409);
    assert!(server.traces.all_failed());
}

/// Stops the import at its first stage until the test lets it go on.
struct Gate {
    reached: Mutex<Sender<()>>,
    open: Mutex<Receiver<()>>,
}

impl Progress for Gate {
    fn begin(&self, _work: Work, _total: u64) {
        let _ = self.reached.lock().unwrap().send(());
        // Once it is open, the other end is gone, and it stays open.
        let _ = self.open.lock().unwrap().recv();
    }
    fn advance(&self, _done: u64) {}
    fn waiting(&self) {}
    fn is_cancelled(&self) -> bool {
        false
    }
}

impl ImportWatcher for Gate {
    fn begins(&self, _name: &str) {}
    fn ready(&self, _name: &str, _store: &Store) {}
    fn failed(&self, _name: &str, _error: &StoreError) {}
}

#[test]
fn an_import_can_be_watched_and_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let options = HaloOptions { ranks: 4, iterations: 3, ..HaloOptions::default() };
    let simulation = halo(&options, &Machine::default()).unwrap();
    otf2::write(&simulation, &Output::new("run", &DiskFiles::below(folder.path()), &MemoryScratch::default())).unwrap();
    let paths = ["run", "run"].map(|name| folder.path().join(format!("{name}.otf2")));
    let server = Running::not_imported(folder, &paths, |_| {});
    let ((reached, is_reached), (open, is_open)) = (channel(), channel());
    let gate = Gate { reached: Mutex::new(reached), open: Mutex::new(is_open) };
    std::thread::scope(|scope| {
        let import = scope.spawn(|| server.traces.import_all(&import_options(server.folder.path()), &gate));
        is_reached.recv_timeout(common::PATIENCE).unwrap();
        let traces = server.json("/api/v1/traces")["traces"].clone();
        assert_eq!((&traces[0]["state"], &traces[0]["stage"]), (&"importing".into(), &"opening the trace".into()));
        assert_eq!(traces[1]["state"], "importing");
        let id = traces[0]["id"].as_str().unwrap();
        assert_eq!(server.get(&format!("/api/v1/traces/{id}")).status, 409);
        assert_eq!(server.post(&format!("/api/v1/traces/{id}/cancel")).status, 204);
        drop(open);
        import.join().unwrap();
        let traces = server.json("/api/v1/traces")["traces"].clone();
        assert_eq!(traces[0]["state"], "failed");
        assert!(traces[0]["error"].as_str().unwrap().contains("cancelled"), "{traces}");
        // The other one had its turn.
        assert_eq!(traces[1]["state"], "ready");
    });
}

#[test]
fn a_store_that_is_cut_while_it_is_open_is_refused_and_the_others_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let one = common::make_store(folder.path());
    let other = folder.path().join("other.heddle");
    std::fs::rename(&one, &other).unwrap();
    let one = common::make_store(folder.path());
    let server = Running::not_imported(folder, &[one.clone(), other], |_| {});
    server.traces.import_all(&import_options(server.folder.path()), &Quiet);
    let scene = |id: &str| server.get(&format!("/api/v1/traces/{id}/scene/timeline?width=400&height=300"));
    assert_eq!((scene("halo").status, scene("other").status), (200, 200));
    for entry in std::fs::read_dir(&one).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "arrow" || ending == "packed") {
            std::fs::File::options().write(true).open(path).unwrap().set_len(1).unwrap();
        }
    }
    for path in ["halo", "halo/scene/timeline?width=400&height=300", "halo/findings", "halo/search?q=MPI"] {
        let answer = server.get(&format!("/api/v1/traces/{path}"));
        assert_eq!(answer.status, 422, "{path}: {}", answer.text());
        let text = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(text.contains("halo.heddle/") && text.contains("heddle import --force"), "{text}");
    }
    assert_eq!(server.json("/api/v1/traces")["traces"][0]["state"], "failed");
    assert_eq!(scene("other").status, 200);
}
