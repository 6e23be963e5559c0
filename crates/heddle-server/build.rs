//! Builds the page and puts it into the program.
//!
//! The page is built from `web/` into `web/dist` by vite, which needs Node. `web/dist/built-from` says which sources it
//! was built from: while that is still true nothing is run, so that an archive with a built page needs no Node. Builds
//! that go on at the same time wait for each other. What the program contains is copied to `OUT_DIR` first; nothing reads
//! `web/dist` later.

mod installed;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use installed::is_installed;
use xxhash_rust::xxh3::Xxh3;
use zlib_rs::{DeflateConfig, ReturnCode, compress_bound, compress_slice};

/// Files and folders of `web/` that decide what the page is.
const SOURCES: [&str; 7] =
    ["package.json", "package-lock.json", "index.html", "vite.config.ts", "tsconfig.json", "src", "public"];
const LEAST_NODE: (u32, u32) = (20, 19);
const STAMP: &str = "built-from";
const WITHOUT: &str = "Or build without the page, and without `heddle open`: --no-default-features.";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=installed.rs");
    if std::env::var_os("CARGO_FEATURE_PAGE").is_none() {
        return;
    }
    if let Err(message) = build() {
        for line in message.lines() {
            println!("cargo::error={line}");
        }
    }
}

fn build() -> Result<(), String> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from).ok_or_else(|| format!("{name} is not set"));
    let root = variable("CARGO_MANIFEST_DIR")?.join("../..");
    let web = root.canonicalize().map_err(|error| said(&root, &error))?.join("web");
    let out = variable("OUT_DIR")?;
    for source in SOURCES {
        // A name that is not there would make cargo run this every time.
        if web.join(source).exists() {
            println!("cargo::rerun-if-changed={}", web.join(source).display());
        }
    }
    if !web.join("index.html").is_file() {
        return Err(format!("{}: the sources of the page are not here.\n{WITHOUT}", web.display()));
    }
    let lock = File::create(web.join(".build-lock")).map_err(|error| said(&web, &error))?;
    lock.lock().map_err(|error| said(&web, &error))?;
    let (dist, hash) = (web.join("dist"), hash_of(&web)?);
    if fs::read_to_string(dist.join(STAMP)).is_ok_and(|stamp| stamp.trim() == hash) {
        return embed(&dist, &out);
    }
    check_node()?;
    if !is_installed(&web) {
        npm(&web, &["ci", "--no-audit", "--no-fund"])?;
    }
    npm(&web, &["run", "build"])?;
    fs::write(dist.join(STAMP), &hash).map_err(|error| said(&dist, &error))?;
    embed(&dist, &out)
}

fn said(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// All files below a folder, or the file itself; sorted, with `/` between names.
fn files(root: &Path, name: &str) -> Result<Vec<String>, String> {
    let path = root.join(name);
    if path.is_file() {
        return Ok(vec![name.to_owned()]);
    }
    let Ok(entries) = fs::read_dir(&path) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| said(&path, &error))?.file_name();
        let entry = entry.to_str().ok_or_else(|| format!("{}: a name that is not UTF-8", path.display()))?;
        let below = if name.is_empty() { entry.to_owned() } else { format!("{name}/{entry}") };
        found.extend(files(root, &below)?);
    }
    found.sort();
    Ok(found)
}

/// What the sources are, in one number. Tests are none of them.
fn hash_of(web: &Path) -> Result<String, String> {
    let mut hash = Xxh3::new();
    for source in SOURCES {
        for name in files(web, source)?.iter().filter(|name| !name.contains(".test.")) {
            let bytes = fs::read(web.join(name)).map_err(|error| said(&web.join(name), &error))?;
            hash.update(name.as_bytes());
            hash.update(&(bytes.len() as u64).to_le_bytes());
            hash.update(&bytes);
        }
    }
    Ok(format!("{:032x}", hash.digest128()))
}

fn check_node() -> Result<(), String> {
    let (major, minor) = LEAST_NODE;
    let needed =
        format!("The page is built with Node {major}.{minor} or newer, and npm: install them (nodejs.org).\n{WITHOUT}");
    let version =
        Command::new("node").arg("--version").output().map_err(|error| format!("node: {error}.\n{needed}"))?;
    let text = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let mut numbers = text.trim_start_matches('v').split('.').map_while(|word| word.parse::<u32>().ok());
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if found < LEAST_NODE { Err(format!("This is Node {text}.\n{needed}")) } else { Ok(()) }
}

/// Runs npm; what it says is shown only if it fails.
fn npm(web: &Path, args: &[&str]) -> Result<(), String> {
    let command = format!("npm {}", args.join(" "));
    let output = Command::new("npm").args(args).current_dir(web).output();
    let output = output.map_err(|error| format!("{command}: {error}. Is npm installed?\n{WITHOUT}"))?;
    if output.status.success() {
        return Ok(());
    }
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Err(format!("`{command}` failed in {}:\n{out}{err}", web.display()))
}

/// Copies the page to where the compiler finds it, and writes the list of its files as Rust.
fn embed(dist: &Path, out: &Path) -> Result<(), String> {
    let folder = out.join("page");
    fs::create_dir_all(&folder).map_err(|error| said(&folder, &error))?;
    let mut list = "static ASSETS: &[Asset] = &[\n".to_owned();
    for (number, name) in files(dist, "")?.iter().filter(|name| *name != STAMP).enumerate() {
        let bytes = fs::read(dist.join(name)).map_err(|error| said(&dist.join(name), &error))?;
        let write = |file: String, bytes: &[u8]| {
            fs::write(folder.join(&file), bytes).map_err(|error| said(&folder.join(&file), &error))?;
            Ok::<_, String>(format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/page/{file}\"))"))
        };
        let plain = write(number.to_string(), &bytes)?;
        let gzip = match gzip(&bytes) {
            Some(packed) => format!("Some({})", write(format!("{number}.gz"), &packed)?),
            None => "None".to_owned(),
        };
        let kind = kind(name)?;
        let _ = writeln!(list, "    Asset {{ path: {name:?}, kind: {kind:?}, plain: {plain}, gzip: {gzip} }},");
    }
    list.push_str("];\n");
    fs::write(out.join("page.rs"), list).map_err(|error| said(out, &error))
}

fn kind(name: &str) -> Result<&'static str, String> {
    Ok(match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" | "map" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        _ => return Err(format!("{name}: no known type of file; add it to crates/heddle-server/build.rs")),
    })
}

/// As small as it gets, if that is smaller.
fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut room = vec![0; compress_bound(bytes.len()) + 12];
    let config = DeflateConfig { window_bits: 15 + 16, ..DeflateConfig::new(9) };
    let (written, code) = compress_slice(&mut room, bytes, config);
    let length = written.len();
    room.truncate(length);
    (code == ReturnCode::Ok && length < bytes.len()).then_some(room)
}
