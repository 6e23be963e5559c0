//! Logical time over HTTP: asked for, waited for, looked at.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on should say so and stop

mod common;

use std::time::{Duration, Instant};

use common::{PATIENCE, Running};
use serde_json::Value;

const TRACE: &str = "/api/v1/traces/halo";

/// Asks until logical time is no longer being computed.
fn settled(server: &Running, query: &str) -> Value {
    let start = Instant::now();
    loop {
        let state = server.json(&format!("{TRACE}/analysis/logical?{query}"));
        if state["state"] != "building" {
            return state;
        }
        assert!(state["stage"].is_string() && (0.0..=1.0).contains(&state["done"].as_f64().unwrap()), "{state}");
        assert!(start.elapsed() < PATIENCE, "{state}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn logical_time_is_computed_when_it_is_asked_for() {
    let server = Running::new();
    let info = server.json(TRACE);
    assert_eq!((info["logical"].as_bool(), info["rows_main"].as_u64()), (Some(true), Some(8)));
    // A picture that needs it says that it is not there.
    let scene = format!("{TRACE}/scene/logical?width=300&height=200");
    let refused = server.get(&scene);
    assert_eq!(refused.status, 409, "{}", refused.text());
    assert!(refused.text().contains("has not been computed with these options"), "{}", refused.text());
    let state = settled(&server, "metric=lateness");
    assert_eq!(state["state"], "ready", "{state}");
    let about = &state["about"];
    assert_eq!(about["rows"], 8);
    assert!(about["steps"].as_u64().unwrap() >= 24 && about["events"].as_str().unwrap().parse::<u64>().unwrap() >= 192);
    assert!(about["largest"]["lateness"].as_str().unwrap().parse::<i64>().unwrap() > 0, "{state}");
    assert!(about["metrics"].as_array().unwrap().iter().any(|metric| metric["name"] == "differential"), "{state}");
    assert_eq!(server.get(&scene).status, 200);
    // Another metric has columns of its own.
    assert_eq!(server.get(&format!("{scene}&metric=differential")).status, 409);
    assert_eq!(settled(&server, "metric=differential")["state"], "ready");
    assert_eq!(server.get(&format!("{scene}&metric=differential")).status, 200);
    // Words about steps need no metric, and one that nobody has made takes nothing away from them.
    assert_eq!(server.get(&format!("{TRACE}/phases?sort=first&metric=duration")).status, 200);
    assert_eq!(server.get(&format!("{TRACE}/cause?select=span:3:5&metric=duration")).status, 200);
    let figure = format!("{TRACE}/figure/logical.svg?width=300&height=200");
    assert_eq!(server.get(&figure).status, 200);
    assert_eq!(server.get(&format!("{figure}&leap-merge=1")).status, 409, "other options are another result");
    // A call says its step and how late it is.
    let facts = |ordinal: u32| server.json(&format!("{TRACE}/details?select=span:3:{ordinal}"))["facts"].clone();
    let labels = |ordinal: u32| -> Vec<String> {
        facts(ordinal).as_array().unwrap().iter().map(|fact| fact["label"].as_str().unwrap().to_owned()).collect()
    };
    let told: Vec<String> = (0..40).flat_map(labels).collect();
    for label in ["Step", "Phase", "Lateness", "From"] {
        assert!(told.iter().any(|known| known == label), "{label}: {told:?}");
    }
    // A new server finds what is in the store.
    assert!(server.folder.path().join("halo.heddle/derived").is_dir());
}

#[test]
fn phases_are_sorted_and_listed_in_pages() {
    let server = Running::new();
    settled(&server, "");
    let phases = |query: &str| server.json(&format!("{TRACE}/phases?{query}"));
    let number = |value: &Value| value.as_str().unwrap().parse::<i64>().unwrap();
    let all = phases("sort=lateness&count=1000");
    let listed = all["phases"].as_array().unwrap();
    assert_eq!(listed.len() as u64, all["total"].as_u64().unwrap());
    assert!(listed.is_sorted_by_key(|phase| std::cmp::Reverse(number(&phase["max_lateness_ns"]))));
    let totals = phases("sort=total&count=1000");
    let totals = totals["phases"].as_array().unwrap();
    assert!(totals.is_sorted_by_key(|phase| std::cmp::Reverse(number(&phase["total_lateness_ns"]))));
    let page = phases("sort=first&from=2&count=3");
    let page: Vec<u64> =
        page["phases"].as_array().unwrap().iter().map(|phase| phase["phase"].as_u64().unwrap()).collect();
    assert_eq!(page, [2, 3, 4]);
    for wrong in ["sort=name", "sort=first&count=5000", "sort=first&from=x", "", "sort=first&leap-merge=2"] {
        assert_eq!(server.get(&format!("{TRACE}/phases?{wrong}")).status, 400, "{wrong}");
    }
}

#[test]
fn steps_and_time_follow_each_other() {
    let server = Running::new();
    settled(&server, "");
    let steps = |query: &str| server.json(&format!("{TRACE}/steps?{query}"));
    let there = steps("steps=4:8");
    let (from, to) = (there["time"][0].as_str().unwrap(), there["time"][1].as_str().unwrap());
    let back = steps(&format!("time={from}:{to}"));
    // Steps overlap in time: what lies in the window may be more, never less.
    assert!(back["steps"][0].as_f64().unwrap() <= 4.0 && back["steps"][1].as_f64().unwrap() >= 8.0, "{back}");
    for wrong in ["", "time=0:10&steps=0:1", "steps=5:2", "steps=NaN:3", "steps=0:inf", "time=a:b"] {
        assert_eq!(server.get(&format!("{TRACE}/steps?{wrong}")).status, 400, "{wrong}");
    }
}

#[test]
fn a_late_call_says_where_its_lateness_arose() {
    let server = Running::new();
    settled(&server, "");
    // Of so many calls some are late, some on time, and some no events.
    let mut told = [0; 3];
    for ordinal in 0..60 {
        let cause = server.json(&format!("{TRACE}/cause?select=span:3:{ordinal}"));
        let text: String =
            cause["text"].as_array().unwrap().iter().map(|piece| piece["text"].as_str().unwrap()).collect();
        let path = cause["path"].as_array();
        assert_eq!(path.is_some(), cause["origin"].is_object(), "{cause}");
        match path {
            Some(path) => {
                assert!(text.contains(" longer ") && text.contains("; it reached "), "{text}");
                // A run of sends goes by its first call.
                let call: u32 = path[0]["select"].as_str().unwrap().strip_prefix("span:3:").unwrap().parse().unwrap();
                assert!(call <= ordinal, "{cause}");
                assert!(path[0]["lateness_ns"].as_str().unwrap().parse::<i64>().unwrap() > 0 && path[0]["row"] == 3);
                told[0] += 1;
            }
            None if text.contains("on time") => told[1] += 1,
            None => told[2] += 1,
        }
    }
    assert!(told.iter().all(|count| *count > 0), "{told:?}");
    assert_eq!(server.get(&format!("{TRACE}/cause?select=3:99999999")).status, 404);
    assert_eq!(server.get(&format!("{TRACE}/cause?select=x")).status, 400);
    // An event by rank and step has the same cause as its call, and details of its own.
    let event = server.json(&format!("{TRACE}/details?select=event:3:5"));
    assert_eq!((&event["kind"], &event["select"]), (&"event".into(), &"event:3:5".into()), "{event}");
    assert_eq!(event["steps"], serde_json::json!([5, 6]));
    assert!(server.json(&format!("{TRACE}/cause?select=event:3:5"))["text"].is_array());
    assert_eq!(server.get(&format!("{TRACE}/details?select=event:3:99999")).status, 404);
}

#[test]
fn what_cannot_be_computed_says_why() {
    let server = Running::new();
    let failed = settled(&server, "phase-function=no_such_function");
    assert_eq!(failed["state"], "failed");
    assert!(failed["error"].as_str().unwrap().contains("close to it are"), "{failed}");
    // Told once: asking again tries again.
    assert_eq!(settled(&server, "phase-function=no_such_function")["state"], "failed");
    assert_eq!(server.post(&format!("{TRACE}/analysis/logical/cancel")).status, 409, "nothing is being computed");
    for wrong in ["metric=nonsense", "stepping=later", "common-caller=maybe"] {
        assert_eq!(server.get(&format!("{TRACE}/analysis/logical?{wrong}")).status, 400, "{wrong}");
    }
    let long = format!("{TRACE}/analysis/logical?phase-function={}", "x".repeat(1001));
    assert_eq!(server.get(&long).status, 400);
}
