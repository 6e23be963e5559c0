//! Imports that end badly: killed, interrupted, out of space, not allowed, two at once.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use common::{Done, Place, text};

/// An archive of a million events or so, made once, where cargo keeps what tests make.
static TRACE: LazyLock<PathBuf> = LazyLock::new(|| {
    let anchor = Path::new(env!("CARGO_TARGET_TMPDIR")).join("killed").join("long.otf2");
    std::fs::create_dir_all(anchor.parent().unwrap()).unwrap();
    let program = ["simulate", "halo", "--ranks", "64", "--iterations", "500", "--force", "-o"];
    Place::new().ok(&[&program[..], &[text(&anchor)]].concat());
    anchor
});

/// Long enough for any machine; a test that needs it has failed.
const PATIENCE: Duration = Duration::from_secs(60);

fn trace() -> &'static str {
    text(&TRACE)
}

fn start(place: &Place, more: &[&str]) -> Child {
    let args = [&["import", trace()], more].concat();
    place.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn interrupt(child: &Child) {
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(sent.success());
}

fn wait_until(mut is_so: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

/// Waits for the end; a child that does not come to one is killed and the test fails.
fn end_of(mut child: Child) -> Done {
    let has_ended = wait_until(|| child.try_wait().unwrap().is_some());
    if !has_ended {
        child.kill().unwrap();
    }
    let done = Done::of(child.wait_with_output().unwrap());
    assert!(has_ended, "it does not end: {}", done.stderr);
    done
}

/// The stores that can be seen, all of which must open.
fn visible_stores(place: &Place) -> Vec<String> {
    let mut names = place.names("stores");
    names.retain(|name| !name.starts_with('.'));
    for name in &names {
        place.ok(&["info", text(&place.path("stores").join(name))]);
    }
    names
}

fn assert_one_store(place: &Place) {
    let names = place.names("stores");
    assert!(names.len() == 1 && names[0].ends_with(".heddle"), "{names:?}");
    visible_stores(place);
}

#[test]
fn a_killed_import_leaves_nothing_that_looks_finished() {
    let place = Place::new();
    for milliseconds in [1, 20, 60, 150, 250, 400, 700] {
        let mut child = start(&place, &["--force"]);
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(visible_stores(&place).len() <= 1);
    }
    // Once more where it surely is in the middle, and then to the end.
    let mut child = start(&place, &["--force"]);
    let has_begun = || place.names("stores").iter().any(|name| name.contains(".tmp-"));
    assert!(wait_until(has_begun));
    child.kill().unwrap();
    child.wait().unwrap();
    place.ok(&["import", trace(), "--force"]);
    assert_one_store(&place);
    assert_eq!(place.json(&["import", "--json", trace()])["reused"], true);
}

#[test]
fn ctrl_c_ends_an_import_and_cleans_up() {
    let mut stopped = 0;
    for _ in 0..5 {
        let place = Place::new();
        let child = start(&place, &[]);
        assert!(wait_until(|| place.names("stores").iter().any(|name| name.contains(".tmp-"))));
        interrupt(&child);
        let done = end_of(child);
        if done.code == Some(0) {
            assert_one_store(&place); // it was faster
            continue;
        }
        assert_eq!(done.code, Some(130), "{}", done.stderr);
        assert!(done.stderr.contains("cancelled") && done.stdout.is_empty(), "{}", done.stderr);
        assert!(place.names("stores").is_empty(), "{:?}", place.names("stores"));
        stopped += 1;
    }
    assert!(stopped > 0);
}

#[test]
fn ctrl_c_ends_a_simulation() {
    let place = Place::new();
    let output = place.path("x.otf2");
    let args = ["simulate", "halo", "--ranks", "256", "--iterations", "400", "-o", text(&output)];
    let child = place.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let has_begun = || place.names(".").iter().any(|name| name.contains(".tmp-"));
    let is_done = || output.exists();
    assert!(wait_until(|| has_begun() || is_done()));
    interrupt(&child);
    let done = end_of(child);
    if done.code != Some(0) {
        assert_eq!(done.code, Some(130), "{}", done.stderr);
        assert!(place.names(".").is_empty(), "{:?}", place.names("."));
    }
}

#[test]
fn ctrl_c_ends_the_wait_for_another_import() {
    let place = Place::new();
    // We are the other import.
    let lock = File::create(place.path(".z.heddle.lock")).unwrap();
    lock.lock().unwrap();
    let mut child = start(&place, &["-o", "z.heddle"]);
    let mut first_line = String::new();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.read_line(&mut first_line).unwrap();
    assert!(first_line.contains("waiting"), "{first_line}");
    // Between saying so and beginning to wait there is a moment in which everything works.
    std::thread::sleep(Duration::from_millis(200));
    interrupt(&child);
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let status = child.try_wait().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(status.map(|status| status.code()), Some(Some(130)), "None: it still waits after Ctrl-C");
    assert!(!place.path("z.heddle").exists());
}

#[test]
fn two_imports_at_once_make_one_store() {
    let place = Place::new();
    let children = [start(&place, &[]), start(&place, &[])];
    for done in children.map(end_of) {
        assert_eq!(done.code, Some(0), "{}", done.stderr);
    }
    assert_one_store(&place);
}

#[test]
fn a_place_that_cannot_be_written_is_told_with_advice() {
    let place = Place::new();
    place.fails(&["import", trace(), "--store", "/proc/heddle-x"], 1, &["/proc/heddle-x", "cannot write"]);
    std::fs::write(place.path("file"), "").unwrap();
    place.fails(&["import", trace(), "--store", "file/below"], 1, &["file/below", "cannot write"]);
    place.fails(&["import", trace(), "--store", "/proc/heddle-x"], 1, &["--store", "HEDDLE_STORE"]);
}

/// A file system of a few megabytes, for as long as this lives.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path) -> Option<SmallDisk> {
        std::fs::create_dir(at).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=3m", "tmpfs"]).arg(at).output();
        mounted.is_ok_and(|mounted| mounted.status.success()).then(|| SmallDisk(at.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A mount that stays would be worse than a test that says so.
        let unmounted = Command::new("umount").arg(&self.0).status();
        if !unmounted.is_ok_and(|status| status.success()) {
            eprintln!("{} is still mounted", self.0.display());
        }
    }
}

#[test]
fn a_full_disk_is_told_and_left_empty() {
    let place = Place::new();
    let Some(disk) = SmallDisk::mount(&place.path("disk")) else {
        println!("skipped: no right to mount a small file system");
        return;
    };
    place.fails(&["import", trace(), "--store", "disk"], 1, &["disk", "space", "--store"]);
    assert!(common::names_in(&disk.0).is_empty(), "{:?}", common::names_in(&disk.0));
    place.fails(&["import", trace(), "-o", "disk/x.heddle"], 1, &["space"]);
    assert!(common::names_in(&disk.0).is_empty(), "{:?}", common::names_in(&disk.0));
    // A table that does not fit leaves no half of it.
    place.ok(&["import", trace(), "-o", "x.heddle"]);
    let done = place.run(&["export", "x.heddle", "--table", "spans", "-o", "disk/spans.csv"]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stderr.contains("space") && done.stderr.contains("spans.csv"), "{}", done.stderr);
    assert!(common::names_in(&disk.0).is_empty(), "{:?}", common::names_in(&disk.0));
    // A figure does not either, and one that was there stays as it was.
    let render = ["render", "timeline", "x.heddle", "--size", "400x300", "-o"];
    place.ok(&[&render[..], &["disk/old.png"]].concat());
    let old = std::fs::read(place.path("disk/old.png")).unwrap();
    // All space goes.
    let filled = std::fs::write(place.path("disk/filler"), vec![1; 4 << 20]);
    assert!(filled.is_err());
    for figure in ["disk/old.png", "disk/new.png"] {
        place.fails(&[&render[..], &[figure]].concat(), 1, &[figure, "space"]);
    }
    assert_eq!(common::names_in(&disk.0), ["filler", "old.png"]);
    assert_eq!(std::fs::read(place.path("disk/old.png")).unwrap(), old);
    for name in ["filler", "old.png"] {
        std::fs::remove_file(disk.0.join(name)).unwrap();
    }
    // So does an archive.
    let done = place.run(&["simulate", "halo", "--ranks", "64", "--iterations", "500", "-o", "disk/y.otf2"]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stderr.contains("space"), "{}", done.stderr);
    assert!(common::names_in(&disk.0).is_empty(), "{:?}", common::names_in(&disk.0));
}

#[test]
fn a_limit_on_the_length_of_files_is_told_and_nothing_is_left() {
    let place = Place::new();
    let limited = |args: &[&str]| {
        // In blocks of 512 or 1,024 bytes, by shell.
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -f 64; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_heddle")]).args(args);
        let command = command.current_dir(place.path(".")).env("HEDDLE_STORE", place.path("stores"));
        Done::of(command.stdin(Stdio::null()).output().unwrap())
    };
    let done = limited(&["import", trace()]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stderr.contains("cannot write") && done.stderr.contains("ulimit -f"), "{}", done.stderr);
    assert!(place.names("stores").is_empty(), "{:?}", place.names("stores"));
    place.ok(&["import", trace(), "-o", "x.heddle"]);
    let done = limited(&["export", "x.heddle", "--table", "spans", "-o", "spans.csv"]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stderr.contains("spans.csv: cannot write"), "{}", done.stderr);
    assert_eq!(place.names("."), ["stores", "x.heddle"]);
}

#[test]
fn what_killed_commands_left_of_an_output_goes_with_the_next() {
    let place = Place::new();
    place.simulate("x", &["--ranks", "4", "--iterations", "3"]);
    std::fs::write(place.path(".x.png.tmp-999999"), "half").unwrap();
    std::fs::create_dir(place.path(".y.otf2.tmp-999999")).unwrap();
    std::fs::write(place.path(".y.otf2.tmp-999999/y.def"), "half").unwrap();
    // Somebody else is at work on this one.
    let busy = File::create(place.path(".x.png.tmp-999998")).unwrap();
    busy.lock().unwrap();
    place.ok(&["render", "activity", "x.otf2", "-o", "x.png", "--size", "400x300"]);
    place.ok(&["export", "x.otf2", "--to", "otf2", "-o", "y.otf2"]);
    let hidden: Vec<String> = place.names(".").into_iter().filter(|name| name.starts_with('.')).collect();
    assert_eq!(hidden, [".x.png.tmp-999998"]);
}

#[test]
fn ctrl_c_ends_the_wait_for_a_reader() {
    let place = Place::new();
    place.simulate("x", &["--ranks", "4", "--iterations", "3"]);
    place.ok(&["import", "x.otf2"]);
    assert!(Command::new("mkfifo").arg(place.path("x.png")).status().unwrap().success());
    let args = ["render", "activity", "x.otf2", "-o", "x.png", "--size", "400x300"];
    let child = place.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Whether it waits already or is still drawing: one is enough.
    std::thread::sleep(Duration::from_millis(500));
    interrupt(&child);
    let done = end_of(child);
    assert_eq!(done.code, Some(130), "{}", done.stderr);
}
