//! Checks of the documents: they name every crate, their links lead somewhere, and no file of the
//! repository holds a path of somebody's machine.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// First folders of absolute paths that exist on one machine only. Without slashes, so that this very
/// file passes.
const MACHINE_FOLDERS: [&str; 3] = ["work", "root", "home"];

/// Fails if a document of the repository at `root` has fallen behind.
pub(crate) fn check(root: &Path) -> Result<()> {
    let mut faults = crates_without_a_line(root)?;
    let files = repository_files(root)?;
    for name in &files {
        // Listed but deleted in the work tree: nothing to check.
        let Ok(bytes) = fs::read(root.join(name)) else { continue };
        faults.extend(machine_paths(&bytes).map(|(line, path)| {
            format!("{name}:{line}: `{path}…` is a path of one machine: make it relative, or a variable")
        }));
        if Path::new(name).extension().is_some_and(|end| end == "md") {
            faults.extend(broken_links(root, name, &String::from_utf8_lossy(&bytes)));
        }
    }
    if !faults.is_empty() {
        bail!("documents and files that need fixing:\n  {}", faults.join("\n  "));
    }
    println!("{} files checked", files.len());
    Ok(())
}

fn crates_without_a_line(root: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).context("cannot read ARCHITECTURE.md")?;
    fs::read_to_string(root.join("README.md")).context("cannot read README.md")?;
    let mut missing = Vec::new();
    for entry in fs::read_dir(root.join("crates")).context("cannot list crates/")? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().join("Cargo.toml").is_file() && !text.contains(&format!("`{name}`")) {
            missing.push(format!("ARCHITECTURE.md does not name the crate `{name}`: add its line to the table"));
        }
    }
    missing.sort();
    Ok(missing)
}

/// Files that git tracks, and those that it would add: a fault is cheaper before the commit.
fn repository_files(root: &Path) -> Result<Vec<String>> {
    let mut git = Command::new("git");
    git.current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = git.output().context("cannot start git, which lists the files to check")?;
    if !output.status.success() {
        bail!("`git ls-files` failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// Lines (from 1) on which an absolute path of one machine begins.
fn machine_paths(bytes: &[u8]) -> impl Iterator<Item = (usize, String)> {
    let patterns = MACHINE_FOLDERS.map(|folder| format!("/{folder}/"));
    bytes.split(|byte| *byte == b'\n').enumerate().flat_map(move |(line, text)| {
        let found = patterns.iter().filter(|pattern| begins_in(text, pattern.as_bytes()));
        found.map(move |pattern| (line + 1, pattern.clone())).collect::<Vec<_>>()
    })
}

/// Whether `pattern` occurs where it is not the continuation of a relative path (`a/b`, `../b`, `$x/b`).
fn begins_in(text: &[u8], pattern: &[u8]) -> bool {
    let continues = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.~})*".contains(&byte);
    text.windows(pattern.len())
        .enumerate()
        .any(|(at, window)| window == pattern && !(at > 0 && continues(text[at - 1])))
}

fn broken_links(root: &Path, name: &str, text: &str) -> Vec<String> {
    let folder = root.join(name).parent().map_or_else(|| root.to_path_buf(), Path::to_path_buf);
    let local = links(text).into_iter().filter(|(_, target)| !target.contains("://") && !target.starts_with("mailto:"));
    local
        .filter_map(|(line, target)| {
            let file = target.split('#').next().unwrap_or_default();
            let broken = !file.is_empty() && !folder.join(file).exists();
            broken.then(|| format!("{name}:{line}: the link to `{target}` leads nowhere"))
        })
        .collect()
}

/// Targets of Markdown links `[text](target)` with their lines (from 1), outside of code.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            // Every other piece between backticks is code; a link's text may be code, its target not.
            let prose: Vec<&str> = line.split('`').enumerate().filter(|(at, _)| at % 2 == 0).map(|(_, p)| p).collect();
            let prose = prose.concat();
            let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            found.extend(targets.map(|target| (number + 1, target.split(' ').next().unwrap_or_default().to_owned())));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absolute(rest: &str) -> String {
        format!("/{rest}")
    }

    #[test]
    fn absolute_paths_are_found_wherever_they_begin() {
        for text in ["work/x", "root/.cargo", "home/me"].map(absolute) {
            for line in [text.clone(), format!("cd {text}"), format!("\"{text}\""), format!("file://{text}")] {
                assert_eq!(machine_paths(format!("a\n{line}\n").as_bytes()).count(), 1, "{line}");
            }
        }
    }

    #[test]
    fn relative_paths_and_words_pass() {
        let text =
            ["src", "..", "${CARGO}", "$(pwd)", "~"].map(|start| start.to_owned() + &absolute("work/x")).join("\n");
        assert_eq!(machine_paths(text.as_bytes()).next(), None);
        assert_eq!(machine_paths(absolute("homework/").as_bytes()).next(), None);
    }

    #[test]
    fn bytes_that_are_no_text_are_searched_too() {
        let bytes = [&[0xff, 0x00][..], absolute("home/me").as_bytes(), &[0xfe]].concat();
        assert_eq!(machine_paths(&bytes).next(), Some((1, absolute("home/"))));
    }

    #[test]
    fn links_in_prose_are_found_and_those_in_code_are_not() {
        let text = "see [a](A.md#top) and [`b`](b/c.rs \"title\")\n`[c](c.md)`\n```\n[d](d.md)\n```\n[e](https://e)\n";
        let found = [(1, "A.md#top"), (1, "b/c.rs"), (6, "https://e")];
        assert_eq!(links(text), found.map(|(line, target)| (line, target.to_owned())));
    }

    #[test]
    fn a_link_must_lead_to_a_file() {
        let folder = tempfile::tempdir().expect("temporary folder");
        fs::write(folder.path().join("A.md"), "").expect("write");
        let text = "[a](A.md#top) [b](B.md) [c](#here) [d](https://d) [e](mailto:e@e)";
        let faults = broken_links(folder.path(), "README.md", text);
        assert_eq!(faults, ["README.md:1: the link to `B.md` leads nowhere"]);
    }
}
