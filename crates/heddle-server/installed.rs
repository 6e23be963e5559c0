//! Whether the packages of the page are there. The build of the page asks, and the test suite, which includes this file.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

/// Whether `node_modules` holds what the lock file asks for, by the list that npm leaves there.
pub(crate) fn is_installed(web: &Path) -> bool {
    let (Some(wanted), Some(there)) =
        (listed(&web.join("package-lock.json")), listed(&web.join("node_modules/.package-lock.json")))
    else {
        return false;
    };
    // Packages for other systems are optional and stay away.
    let same = |name: &str| there.get(name).is_some_and(|found| found["version"] == wanted[name]["version"]);
    wanted.iter().all(|(name, package)| name.is_empty() || package["optional"] == true || same(name))
        && there.keys().all(|name| wanted.contains_key(name) && same(name))
}

fn listed(lock: &Path) -> Option<Map<String, Value>> {
    let mut lock: Value = serde_json::from_slice(&fs::read(lock).ok()?).ok()?;
    match lock["packages"].take() {
        Value::Object(packages) => Some(packages),
        _ => None,
    }
}
