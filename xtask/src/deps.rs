//! The one-way order of the crates, and the check that nobody goes against it.
//!
//! Only normal and build dependencies count: a test may reach for whatever shows that the crate works. The folders of the
//! page have an order of their own, in [`imports`].

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{imports, root};

/// The way of the data. A crate may use those of earlier rows, never its own row or a later one.
const STAGES: &[&[&str]] = &[
    &["heddle-model"],
    &["heddle-options", "heddle-topology"],
    &["heddle-formats"],
    &["heddle-store"],
    &["heddle-logical", "heddle-network", "heddle-profile", "heddle-tasks"],
    &["heddle-diagnosis"],
    &["heddle-view"],
    &["heddle-draw"],
    &["heddle-server"],
    &["heddle"],
];

/// Crates beside that way, and all that each of them may use. Of the stages only the last may use them, and nobody those
/// of [`NOT_SHIPPED`].
const BESIDE: &[(&str, &[&str])] = &[
    ("heddle-simulate", &["heddle-model", "heddle-topology"]),
    ("heddle-testkit", &["heddle-model", "heddle-formats"]),
    ("xtask", &[]),
];

/// What no program may contain: tests use the first, people the second.
const NOT_SHIPPED: &[&str] = &["heddle-testkit", "xtask"];

/// A crate of the workspace and the crates of the workspace that it uses.
#[derive(Debug)]
struct Crate {
    name: String,
    uses: Vec<String>,
}

/// Fails if a crate of the workspace at `root`, or a folder of the page, uses one that does not stand before it.
pub(crate) fn check(root: &Path) -> Result<()> {
    let mut cargo = root::cargo(root);
    cargo.args(["metadata", "--format-version", "1", "--no-deps"]);
    let output = cargo.output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata = serde_json::from_slice(&output.stdout).context("`cargo metadata` printed no JSON")?;
    let crates = parse(&metadata)?;
    let faults: Vec<String> = crates.iter().flat_map(faults).collect();
    if !faults.is_empty() {
        bail!("crates depend on each other in one direction only:\n  {}", faults.join("\n  "));
    }
    println!("{} crates, each uses only what stands before it", crates.len());
    imports::check(root)
}

fn parse(metadata: &Value) -> Result<Vec<Crate>> {
    let packages = metadata["packages"].as_array().context("`cargo metadata` has no packages")?;
    let names: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let crates = packages.iter().filter_map(|package| {
        let uses = package["dependencies"].as_array()?.iter();
        let uses = uses
            .filter(|dependency| dependency["kind"].as_str() != Some("dev"))
            .filter_map(|dependency| dependency["name"].as_str())
            .filter(|name| names.contains(name))
            .map(str::to_owned)
            .collect();
        Some(Crate { name: package["name"].as_str()?.to_owned(), uses })
    });
    Ok(crates.collect())
}

/// What is wrong with the place of one crate; nothing if all is well.
fn faults(of: &Crate) -> Vec<String> {
    let name = of.name.as_str();
    if stage(name).is_none() && beside(name).is_none() {
        return vec![format!("{name} has no place: add it to the table in xtask/src/deps.rs")];
    }
    let wrong = of.uses.iter().filter(|used| !may_use(name, used));
    wrong.map(|used| format!("{name} uses {used}, which does not stand before it")).collect()
}

fn may_use(user: &str, used: &str) -> bool {
    if let Some(allowed) = beside(user) {
        return allowed.contains(&used);
    }
    match (stage(user), stage(used)) {
        (Some(user), Some(used)) => used < user,
        (Some(user), None) => user + 1 == STAGES.len() && beside(used).is_some() && !NOT_SHIPPED.contains(&used),
        _ => false,
    }
}

fn stage(name: &str) -> Option<usize> {
    STAGES.iter().position(|row| row.contains(&name))
}

fn beside(name: &str) -> Option<&'static [&'static str]> {
    BESIDE.iter().find(|(crate_name, _)| *crate_name == name).map(|(_, allowed)| *allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults_of(name: &str, uses: &[&str]) -> Vec<String> {
        faults(&Crate { name: name.to_owned(), uses: uses.iter().map(|used| (*used).to_owned()).collect() })
    }

    #[test]
    fn the_designed_graph_passes() {
        for (name, uses) in [
            ("heddle-model", &[][..]),
            ("heddle-formats", &["heddle-model"]),
            ("heddle-store", &["heddle-model", "heddle-formats"]),
            ("heddle-tasks", &["heddle-store", "heddle-model"]),
            ("heddle-diagnosis", &["heddle-store", "heddle-tasks"]),
            ("heddle-view", &["heddle-logical", "heddle-network", "heddle-tasks", "heddle-store"]),
            ("heddle-server", &["heddle-draw", "heddle-view"]),
            ("heddle-simulate", &["heddle-model", "heddle-topology"]),
            ("heddle", &["heddle-model", "heddle-simulate", "heddle-server"]),
            ("heddle-testkit", &["heddle-model", "heddle-formats"]),
            ("xtask", &[]),
        ] {
            assert_eq!(faults_of(name, uses), Vec::<String>::new(), "{name}");
        }
    }

    #[test]
    fn going_back_sideways_or_around_fails() {
        for (name, used) in [
            ("heddle-model", "heddle-formats"),
            ("heddle-formats", "heddle-store"),
            ("heddle-store", "heddle-store"),
            ("heddle-logical", "heddle-network"),
            ("heddle-view", "heddle"),
            ("heddle-store", "heddle-simulate"),
            ("heddle-simulate", "heddle-formats"),
            ("heddle-simulate", "heddle"),
            ("heddle", "xtask"),
            ("heddle", "heddle-testkit"),
            ("heddle-store", "heddle-testkit"),
            ("heddle-testkit", "heddle-store"),
            ("xtask", "heddle-model"),
        ] {
            let found = faults_of(name, &[used]);
            assert_eq!(found.len(), 1, "{name} -> {used}");
            assert!(found[0].contains(name) && found[0].contains(used), "{found:?}");
        }
    }

    #[test]
    fn a_crate_without_a_place_fails() {
        assert!(faults_of("heddle-magic", &[])[0].contains("add it to the table"));
        assert_eq!(faults_of("heddle", &["heddle-magic"]).len(), 1);
    }

    #[test]
    fn only_normal_and_build_dependencies_on_the_workspace_count() {
        let metadata = serde_json::json!({ "packages": [
            { "name": "heddle-model", "dependencies": [
                { "name": "heddle-store", "kind": "dev" },
                { "name": "serde", "kind": null },
            ]},
            { "name": "heddle-store", "dependencies": [
                { "name": "heddle-model", "kind": null },
                { "name": "heddle-formats", "kind": "build" },
            ]},
            { "name": "heddle-formats", "dependencies": [] },
        ]});
        let crates = parse(&metadata).expect("well-formed");
        let uses: Vec<_> = crates.iter().map(|c| c.uses.join(",")).collect();
        assert_eq!(uses, ["", "heddle-model,heddle-formats", ""]);
    }
}
