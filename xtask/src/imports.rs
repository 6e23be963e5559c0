//! The one-way order of the page's folders, and the check that no import goes against it.
//!
//! Imports are found in the text, not by a parser: whatever follows `from`, `import`, `import(` or `require(` in quotes.
//! A sentence that looks like one is told at once; an import that is missed would not be.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Folders of `web/src`. A folder may use itself and those before it.
const FOLDERS: [&str; 9] = ["base", "scene", "draw", "api", "state", "pane", "views", "panels", "app"];
/// End-to-end tests use the page as people do, and may know its types.
const END_TO_END: &str = "e2e";
const SOURCES: [&str; 5] = ["ts", "tsx", "js", "mjs", "css"];

/// Fails if a file of the page at `root` imports what does not stand before it.
pub(crate) fn check(root: &Path) -> Result<()> {
    let web = root.join("web");
    let packages = packages(&fs::read_to_string(web.join("package.json")).context("cannot read web/package.json")?)?;
    let mut files = Vec::new();
    for folder in ["src", END_TO_END] {
        collect(&web, folder, &mut files)?;
    }
    let mut faults = Vec::new();
    for name in &files {
        let text = fs::read_to_string(web.join(name)).with_context(|| format!("cannot read web/{name}"))?;
        faults.extend(faults_of(name, &text, &packages));
    }
    if !faults.is_empty() {
        bail!("folders of the page use each other in one direction only:\n  {}", faults.join("\n  "));
    }
    println!("{} files of the page, each imports only what stands before it", files.len());
    Ok(())
}

/// Names of the packages that the page may use.
fn packages(manifest: &str) -> Result<Vec<String>> {
    let manifest: Value = serde_json::from_str(manifest).context("web/package.json is not JSON")?;
    let lists = ["dependencies", "devDependencies"].iter().filter_map(|list| manifest[*list].as_object());
    Ok(lists.flat_map(|list| list.keys().cloned()).collect())
}

/// Source files below a folder, as paths within `web` with `/` between names.
fn collect(web: &Path, folder: &str, files: &mut Vec<String>) -> Result<()> {
    let entries = fs::read_dir(web.join(folder)).with_context(|| format!("cannot list web/{folder}"))?;
    for entry in entries {
        let entry = entry?;
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(web, &name, files)?;
        } else if Path::new(&name).extension().is_some_and(|end| SOURCES.iter().any(|source| end == *source)) {
            files.push(name);
        }
    }
    files.sort();
    Ok(())
}

/// What is wrong with the imports of one file.
fn faults_of(name: &str, text: &str, packages: &[String]) -> Vec<String> {
    let place = Place::of(name);
    if place == Place::Nowhere {
        return vec![format!("web/{name} has no place: the folders are {}", FOLDERS.join(", "))];
    }
    let imports = imports(text).into_iter();
    imports
        .filter_map(|import| {
            let why = fault(name, place, &import, packages)?;
            Some(format!("web/{name}:{}: `{}` {why}", import.line, import.from))
        })
        .collect()
}

fn fault(name: &str, place: Place, import: &Import, packages: &[String]) -> Option<String> {
    let from = import.from.as_str();
    if from.contains("${") {
        return Some("is known only when it runs: write the file's name".to_owned());
    }
    if !from.starts_with('.') {
        let is_package = from.starts_with("node:") || packages.iter().any(|package| is_part_of(from, package));
        return (!is_package).then(|| "is neither a relative path nor a package of web/package.json".to_owned());
    }
    let Some(target) = resolve(name, from) else { return Some("leads out of web/".to_owned()) };
    match (place, Place::of(&target)) {
        (Place::Folder(own), Place::Folder(other)) if other <= own => None,
        (Place::Folder(own), Place::Folder(other)) => {
            Some(format!("is in {}, which does not stand before {}", FOLDERS[other], FOLDERS[own]))
        }
        (Place::EndToEnd, Place::Folder(_)) if !import.is_type && !is_known_to_tests(&target) => {
            Some("is code of the page: end-to-end tests may only know its types".to_owned())
        }
        (Place::EndToEnd, Place::Folder(_) | Place::EndToEnd) => None,
        _ => Some("is in none of the folders".to_owned()),
    }
}

/// Where a file stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Position in [`FOLDERS`].
    Folder(usize),
    EndToEnd,
    Nowhere,
}

impl Place {
    fn of(name: &str) -> Place {
        let parts: Vec<&str> = name.split('/').collect();
        match parts[..] {
            [END_TO_END, _, ..] => Place::EndToEnd,
            ["src", folder, _, ..] => {
                FOLDERS.iter().position(|known| *known == folder).map_or(Place::Nowhere, Place::Folder)
            }
            _ => Place::Nowhere,
        }
    }
}

fn is_part_of(from: &str, package: &str) -> bool {
    from.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The file within `web` that a relative path means; `None` outside of it.
fn resolve(name: &str, from: &str) -> Option<String> {
    let mut parts: Vec<&str> = name.split('/').collect();
    parts.pop();
    for part in from.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[derive(Debug, PartialEq, Eq)]
struct Import {
    /// From 1.
    line: usize,
    from: String,
    /// Only types, nothing that runs.
    is_type: bool,
}

/// All imports and re-exports, outside of comments that begin their line.
fn imports(text: &str) -> Vec<Import> {
    let code = without_comments(text);
    let quotes = code.match_indices(['"', '\'', '`']);
    let found = quotes.filter_map(|(at, quote)| {
        let before = before_quote(&code[..at])?;
        let rest = &code[at + 1..];
        let from = &rest[..rest.find(quote)?];
        let is_name = !from.is_empty() && !from.contains(char::is_whitespace);
        let line = code[..at].matches('\n').count() + 1;
        is_name.then(|| Import { line, from: from.to_owned(), is_type: is_type(before) })
    });
    found.collect()
}

/// The text with as many lines, those empty that are nothing but comment.
fn without_comments(text: &str) -> String {
    let mut inside = false;
    let lines = text.lines().map(|line| {
        let start = line.trim_start();
        inside |= start.starts_with("/*");
        if inside {
            let end = line.find("*/");
            inside = end.is_none();
            return end.map_or("", |end| &line[end + 2..]);
        }
        if start.starts_with("//") { "" } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The text up to and with the word that makes what follows a path; `None` if there is no such word.
fn before_quote(text: &str) -> Option<&str> {
    let text = without_comment(text);
    let text = text.strip_suffix('(').map_or(text, without_comment);
    let is_word = |word: &str| {
        let rest = text.strip_suffix(word)?;
        (!rest.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')).then_some(text)
    };
    ["from", "import", "require"].iter().find_map(|word| is_word(word))
}

fn without_comment(text: &str) -> &str {
    let text = text.trim_end();
    let comment = text.strip_suffix("*/").and_then(|text| text.rfind("/*"));
    comment.map_or(text, |start| text[..start].trim_end())
}

/// Whether the statement that ends here is about types alone.
fn is_type(before: &str) -> bool {
    let start = ["import", "export"].iter().filter_map(|word| before.rfind(word)).max();
    let statement = start.map_or("", |start| &before[start + "import".len()..]);
    statement.trim_start().strip_prefix("type").is_some_and(|rest| rest.starts_with([' ', '{', '\n', '*']))
}

/// Geometry of the page that end-to-end tests use in order to find what they click on. It has tests of its own.
const KNOWN_TO_TESTS: [&str; 3] = ["src/scene/plane", "src/scene/space", "src/draw/space-lens"];

fn is_known_to_tests(target: &str) -> bool {
    let target = target.trim_end_matches(".ts");
    KNOWN_TO_TESTS.iter().any(|known| target.ends_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(name: &str, text: &str) -> Vec<String> {
        faults_of(name, text, &["preact".to_owned(), "@preact/signals".to_owned()])
    }

    #[test]
    fn imports_to_the_left_and_of_packages_pass() {
        let text = r#"
import { a } from "../base/format";
import type { B } from '../api/types';
import "./pane.css";
import { useRef } from "preact/hooks";
import { signal } from "@preact/signals";
const later = await import("../draw/create");
export { c } from "./latest";
"#;
        assert_eq!(faults("src/pane/pane.tsx", text), Vec::<String>::new());
        assert_eq!(
            faults("src/app/deep/x.ts", "import { a } from '../../panels/ui'; import b from '../main'"),
            [""; 0]
        );
    }

    #[test]
    fn a_forbidden_import_is_found_however_it_is_written() {
        for text in [
            "import { a } from \"../app/main\";",
            "import {\n  a,\n  b,\n}\n  from '../app/main'",
            "import type { A } from \"../app/main\";",
            "import { type A } from \"../app/main\";",
            "import \"../app/shell.css\";",
            "const a = await import(\"../app/main\");",
            "const a = import(\n  /* later */ `../app/main`,\n);",
            "type A = typeof import('../app/main');",
            "export { a } from \"../app/main\";",
            "export * from \"../app/main\";",
            "export\n  * from \"../app/main\";",
            "/* a */ import \"../app/main\";",
            "export type { A } from \"../app/main\";",
            "@import \"../app/shell.css\";",
            "const a = require(\"../app/main\");",
            "import { a } from \"../state/../app/main\";",
        ] {
            let found = faults("src/state/place.ts", text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].starts_with("web/src/state/place.ts:") && found[0].contains("app"), "{found:?}");
        }
    }

    #[test]
    fn the_line_of_the_fault_is_named() {
        let found = faults("src/base/x.ts", "// first\n\nimport {\n  a,\n} from \"../app/main\";\n");
        assert!(found[0].starts_with("web/src/base/x.ts:5: `../app/main`"), "{found:?}");
    }

    #[test]
    fn paths_that_are_not_relative_or_lead_elsewhere_are_found() {
        for from in ["src/base/format", "/src/base/format", "@/base/format", "preactor", "lodash"] {
            let found = faults("src/app/main.tsx", &format!("import a from \"{from}\""));
            assert!(found.len() == 1 && found[0].contains("neither a relative path"), "{from}: {found:?}");
        }
        for from in ["../../vite.config", "../../../xtask", "../../../../x", "../stray", "../magic/x"] {
            assert_eq!(faults("src/app/main.tsx", &format!("import a from \"{from}\"")).len(), 1, "{from}");
        }
        assert!(faults("src/app/x.ts", "import(`../base/${name}`)")[0].contains("only when it runs"));
        assert!(faults("src/magic/x.ts", "")[0].contains("no place"));
        assert!(faults("src/x.ts", "")[0].contains("no place"));
    }

    #[test]
    fn end_to_end_tests_may_know_types_only() {
        let name = "e2e/page.test.ts";
        assert_eq!(
            faults(name, "import type { Place } from \"../src/state/place\";\nimport a from \"./browser\";"),
            [""; 0]
        );
        assert_eq!(faults(name, "import { go } from \"../src/state/history\";").len(), 1);
        assert_eq!(
            faults(name, "import type { A } from \"../src/a/b\";\nimport { b } from \"../src/api/types\";").len(),
            2
        );
    }

    #[test]
    fn words_in_prose_and_strings_are_no_imports() {
        let text = "/**\n * taken from \"../app/main\"\n */\n// import \"../app/main\"\nconst text = \"away from here\";\n\
                    const key = \"from\", other = isFrom(\"../app/main\");\n";
        assert_eq!(faults("src/base/x.ts", text), Vec::<String>::new());
    }
}
