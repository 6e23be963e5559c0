//! A function has the same colour in all traces of a server, wherever it is shown.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on should say so and stop

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use heddle_model::{
    Definitions, Location, LocationId, LocationKind, Ns, Paradigm, Rank, Region, RegionId, Role, SystemNode,
    SystemNodeId,
};
use heddle_store::{NoProgress, store_simulation};
use heddle_testkit::MadeSource;
use serde_json::Value;

use common::{Quiet, Running, import_options};

/// A store in which a rank calls these functions one after the other, the first for the longest time.
fn make_store(folder: &Path, name: &str, functions: &[(&str, Option<u32>)]) -> PathBuf {
    let region = |(name, colour): &(&str, Option<u32>)| Region {
        colour: *colour,
        ..Region::named(*name, Paradigm::User, Role::Function)
    };
    let definitions = Definitions {
        system_tree: vec![SystemNode { name: "p".into(), class: SystemNode::PROCESS.into(), parent: None }],
        locations: vec![Location {
            file_id: 0,
            name: "rank 0".into(),
            kind: LocationKind::CpuThread,
            parent: Some(SystemNodeId(0)),
            rank: Rank(0),
        }],
        regions: functions.iter().map(region).collect(),
        world: vec![LocationId(0)],
        ..Definitions::default()
    };
    let parts = MadeSource::part_per_location(&definitions, 100);
    let count = functions.len() as i64;
    let source = MadeSource::new(definitions, parts, |_, out| {
        let mut time = 0;
        for at in 0..count {
            let region = RegionId(at as u32);
            out.enter(Ns(time), region);
            // A call within, so that functions are callers too.
            out.enter(Ns(time + 1), RegionId(0));
            out.leave(Ns(time + 10), Some(RegionId(0)));
            time += 1_000 * (count - at);
            out.leave(Ns(time), Some(region));
        }
        out.last = Some(Ns(time));
    });
    let path = folder.join(format!("{name}.heddle"));
    store_simulation(&source, name, &path, 64 << 20, &NoProgress).unwrap();
    path
}

/// Header of a scene.
fn header(server: &Running, path: &str) -> Value {
    let answer = server.get(path);
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    let length = u32::from_le_bytes(answer.body[8..12].try_into().unwrap()) as usize;
    serde_json::from_slice(&answer.body[16..16 + length]).unwrap()
}

/// Every place where a function's colour is said: what it is called, and which colours were seen there, in which trace.
type Seen = BTreeMap<String, BTreeMap<String, Vec<String>>>;

fn look(server: &Running, trace: &str, seen: &mut Seen) {
    let base = format!("/api/v1/traces/{trace}");
    let mut note = |place: String, colour: &Value| {
        // A scene says how opaque it is, too: not at all see-through.
        let colour = colour.as_str().unwrap_or_else(|| panic!("{place}: {colour}")).to_owned();
        let colour = if colour.len() == 7 { format!("{colour}ff") } else { colour };
        seen.entry(place).or_default().entry(colour).or_default().push(trace.to_owned());
    };
    for region in server.json(&base)["regions"].as_array().unwrap() {
        let name = region["name"].as_str().unwrap();
        for theme in ["light", "dark"] {
            note(format!("{name} {theme}"), &region[theme]);
            let details = server.json(&format!("{base}/details?select=function:{name}&theme={theme}"));
            note(format!("{name} {theme}"), &details["colour"]);
            let hits = server.json(&format!("{base}/search?q={name}&theme={theme}"));
            let hit = hits["hits"].as_array().unwrap().iter().find(|hit| hit["label"] == name).unwrap();
            note(format!("{name} {theme}"), &hit["colour"]);
        }
    }
    for theme in ["light", "dark"] {
        for (what, view, options) in
            [("", "timeline", ""), ("", "calls", ""), ("caller ", "calls", "&colour=caller&y=duration")]
        {
            let scene = header(
                server,
                &format!("{base}/scene/{view}?width=900&height=500&frame=figure&theme={theme}{options}"),
            );
            for entry in scene["legend"].as_array().unwrap() {
                let name = entry["name"].as_str().unwrap();
                // What stands for several functions, or for none, is not a function.
                if !name.contains(' ') {
                    let colour = &scene["palette"][entry["colour"].as_u64().unwrap() as usize];
                    note(format!("{what}{name} {theme}"), colour);
                }
            }
        }
    }
}

#[test]
fn a_function_has_the_same_colour_in_all_traces_of_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let shared: Vec<String> = (0..8).map(|at| format!("shared_{at}")).collect();
    // In each trace other functions compete for the same few colours, and in the last nobody communicates.
    let functions = |prefix: &str| -> Vec<String> {
        let own = (0..8).map(|at| format!("{prefix}_{at}"));
        shared.iter().cloned().zip(own).flat_map(|(shared, own)| [own, shared]).collect()
    };
    let store = |name: &str, first: &[&str], chosen: Option<u32>| {
        let own = functions(name);
        let all = first.iter().copied().chain(own.iter().map(String::as_str));
        let all: Vec<(&str, Option<u32>)> = all.map(|name| (name, chosen.filter(|_| name == "shared_3"))).collect();
        make_store(folder.path(), name, &all)
    };
    let paths = [
        store("one", &["MPI_Recv", "MPI_Fetch_and_op", "MPI_Win_fence", "MPI_Put", "MPI_Get"], None),
        store("two", &["MPI_Win_fence", "MPI_Comm_dup", "MPI_Comm_split", "MPI_Put", "MPI_Test"], Some(0x12_3456)),
        store("plain", &[], None),
    ];
    let mut before = Seen::new();
    {
        let alone = Running::not_imported(tempfile::tempdir().unwrap(), &paths[..1], |_| {});
        alone.traces.import_all(&import_options(alone.folder.path()), &Quiet);
        look(&alone, "one", &mut before);
    }
    let server = Running::not_imported(tempfile::tempdir().unwrap(), &paths, |_| {});
    server.traces.import_all(&import_options(server.folder.path()), &Quiet);
    let mut seen = Seen::new();
    for trace in ["one", "two", "plain"] {
        look(&server, trace, &mut seen);
    }
    assert!(seen.contains_key("caller shared_1 dark"), "{:?}", seen.keys());
    let several: Vec<_> = seen.iter().filter(|(_, colours)| colours.len() > 1).collect();
    assert!(several.is_empty(), "{several:#?}");
    for (name, colours) in before {
        let colour = |colours: &BTreeMap<String, Vec<String>>| colours.keys().next().cloned();
        assert_eq!(colour(&colours), colour(&seen[&name]), "{name} changed with the traces that came later");
    }
}
