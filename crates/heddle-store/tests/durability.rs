//! A store is whole or not there, true or rebuilt, and the same on any machine.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tempfile::TempDir;

use common::{differences, files_below, table_differences};
use heddle_formats::{MemoryScratch, Output, otf2};
use heddle_model::Source;
use heddle_simulate::{HaloOptions, Machine, Simulation, halo};
use heddle_store::progress::MATCHING;
use heddle_store::{
    DiskFiles, ImportOptions, Imported, NoProgress, Progress, Store, StoreError, StorePlace, Work, import,
    open_or_import, open_trace, store_simulation,
};
use heddle_testkit::sample_traces;

const MEMORY: u64 = 256 << 20;

/// On an ordinary machine.
fn simulated(options: &HaloOptions) -> Simulation {
    halo(options, &Machine::default()).unwrap()
}

fn small() -> HaloOptions {
    HaloOptions { ranks: 6, iterations: 20, allreduce_every: 3, ..HaloOptions::default() }
}

/// A directory with the archive `run.otf2`.
fn archive(options: &HaloOptions) -> TempDir {
    archive_of(&simulated(options))
}

fn archive_of(simulation: &Simulation) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    otf2::write(simulation, &Output::new("run", &DiskFiles::below(directory.path()), &MemoryScratch::default()))
        .unwrap();
    directory
}

fn anchor(directory: &TempDir) -> PathBuf {
    directory.path().join("run.otf2")
}

fn options(place: StorePlace) -> ImportOptions {
    ImportOptions { place, memory: MEMORY, force: false }
}

fn beside() -> ImportOptions {
    options(StorePlace::Beside { cache: None })
}

fn import_beside(directory: &TempDir) -> Imported {
    import(&anchor(directory), &beside(), &NoProgress).unwrap()
}

fn names_in(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The trace and its store and nothing else.
fn assert_only_a_store(directory: &TempDir) {
    assert_eq!(names_in(directory.path()), ["run", "run.def", "run.heddle", "run.otf2"]);
}

fn assert_no_store(directory: &TempDir) {
    assert_eq!(names_in(directory.path()), ["run", "run.def", "run.otf2"]);
}

fn append(path: &Path, bytes: &[u8]) {
    File::options().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

/// What a damaged store says, and that the next import of its trace makes it whole again.
fn assert_refused(damage: impl Fn(&Path), words: &[&str]) {
    let directory = archive(&small());
    let store = import_beside(&directory).store.path().to_owned();
    let whole = files_below(&store);
    damage(&store);
    for refused in [Store::open(&store).map(drop), open_or_import(&store, &beside(), &NoProgress).map(drop)] {
        let text = refused.unwrap_err().to_string();
        assert!(text.contains(store.to_str().unwrap()), "{text}");
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
    // Without a meta.json it might be anybody's directory; everything else is ours to replace.
    if store.join("meta.json").is_file() {
        assert!(!import_beside(&directory).reused, "a damaged store is not reused");
        assert_eq!(files_below(&store), whole);
        assert_only_a_store(&directory);
    }
}

#[test]
fn a_store_without_its_meta_is_none() {
    assert_refused(|store| fs::remove_file(store.join("meta.json")).unwrap(), &["meta.json", "import"]);
}

#[test]
fn a_store_with_a_cut_table_is_none() {
    for table in ["spans.packed", "messages.packed", "index/tiles.packed", "warnings.arrow"] {
        let cut = |store: &Path| {
            let file = File::options().write(true).open(store.join(table)).unwrap();
            file.set_len(file.metadata().unwrap().len() - 1).unwrap();
        };
        assert_refused(cut, &[table, "damaged", "delete the store and import the trace again"]);
    }
}

#[test]
fn a_store_without_a_table_is_none() {
    assert_refused(|store| fs::remove_file(store.join("collectives.packed")).unwrap(), &["collectives.packed"]);
}

#[test]
fn a_store_of_another_version_is_rebuilt() {
    let later = |store: &Path| {
        let text = fs::read_to_string(store.join("meta.json")).unwrap();
        let mut meta: serde_json::Value = serde_json::from_str(&text).unwrap();
        meta["heddle_store"] = 999.into();
        fs::write(store.join("meta.json"), meta.to_string()).unwrap();
    };
    assert_refused(later, &["999", "import the trace again"]);
}

#[test]
fn a_store_with_garbage_for_meta_is_none() {
    let nothing_else = format!("{{\"heddle_store\": {}}}", heddle_store::FORMAT_VERSION);
    for garbage in ["", "{", "[]", "\0\0\0", "{\"heddle_store\": \"one\"}", &nothing_else] {
        assert_refused(|store| fs::write(store.join("meta.json"), garbage).unwrap(), &["meta.json"]);
    }
}

#[test]
fn garbage_within_a_table_of_the_right_length_does_not_panic() {
    let directory = archive(&small());
    let store = import_beside(&directory).store.path().to_owned();
    for table in files_below(&store).keys().filter(|name| *name != "meta.json") {
        let path = store.join(table);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, vec![0xff; whole.len()]).unwrap();
        let text = Store::open(&store).unwrap_err().to_string();
        assert!(text.contains(table) && text.contains("import the trace again"), "{text}");
        fs::write(&path, whole).unwrap();
    }
    Store::open(&store).unwrap();
}

#[test]
fn what_is_not_a_store_is_not_replaced() {
    let directory = archive(&small());
    let foreign = directory.path().join("thesis");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("chapter-1.tex"), "years of work").unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "a file").unwrap();
    for target in [&foreign, &file] {
        let text = import(&anchor(&directory), &options(StorePlace::Exactly(target.clone())), &NoProgress)
            .unwrap_err()
            .to_string();
        assert!(text.contains(target.to_str().unwrap()) && text.contains("choose another place"), "{text}");
        assert!(store_simulation(&simulated(&small()), "x", target, MEMORY, &NoProgress).is_err());
    }
    assert_eq!(fs::read_to_string(foreign.join("chapter-1.tex")).unwrap(), "years of work");
    assert_eq!(names_in(directory.path()), ["file", "run", "run.def", "run.otf2", "thesis"]);
    // An empty directory is nobody's.
    let empty = directory.path().join("empty");
    fs::create_dir(&empty).unwrap();
    import(&anchor(&directory), &options(StorePlace::Exactly(empty.clone())), &NoProgress).unwrap();
    Store::open(&empty).unwrap();
}

#[test]
fn a_true_store_is_reused_and_force_builds_anew() {
    let directory = archive(&small());
    assert!(!import_beside(&directory).reused);
    assert!(import_beside(&directory).reused);
    assert!(open_or_import(&anchor(&directory), &beside(), &NoProgress).unwrap().reused);
    assert!(open_or_import(directory.path(), &beside(), &NoProgress).unwrap().reused, "the directory has one anchor");
    let forced = ImportOptions { force: true, ..beside() };
    assert!(!import(&anchor(&directory), &forced, &NoProgress).unwrap().reused);
    assert_only_a_store(&directory);
}

#[test]
fn a_changed_trace_is_never_shown_stale() {
    let directory = archive(&small());
    let event_file = fs::read_dir(directory.path().join("run"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "evt"))
        .unwrap();
    let definitions = directory.path().join("run.def");
    let mut changed = fs::read(&definitions).unwrap();
    let name = changed.windows(7).position(|window| window == b"compute").unwrap();
    changed[name..name + 7].copy_from_slice(b"COMPUTE");
    let old = directory.path().join("run.heddle");
    let steps: [(&str, &dyn Fn()); 6] = [
        ("an event file grew", &|| append(&event_file, &[0])),
        ("an event file changed, and its length and time did not", &|| change_unseen(&event_file)),
        ("definitions changed, and their length and time did not", &|| change_unseen(&definitions)),
        ("definitions changed in place", &|| fs::write(&definitions, &changed).unwrap()),
        ("the anchor grew", &|| append(&anchor(&directory), &[0])),
        ("an event file went", &|| fs::remove_file(&event_file).unwrap()),
    ];
    import_beside(&directory);
    for (what, change) in steps {
        // An open store outlives its being replaced.
        let open = Store::open(&old).unwrap();
        change();
        assert!(!import_beside(&directory).reused, "{what}");
        assert!(import_beside(&directory).reused, "{what}, and then nothing");
        assert_only_a_store(&directory);
        assert!((0..open.spans.len()).all(|row| open.spans.end.get(row) >= open.spans.start.get(row)));
    }
    let store = import_beside(&directory).store;
    assert!((0..store.regions.len()).any(|row| store.regions.name.get(row) == "COMPUTE"));
}

/// Turns a bit of the last byte and sets the time back, as careful tools do.
fn change_unseen(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let time = fs::metadata(path).unwrap().modified().unwrap();
    let mut file = File::options().write(true).open(path).unwrap();
    file.write_all(&bytes).unwrap();
    file.set_modified(time).unwrap();
}

#[test]
fn the_names_of_a_paraver_trace_are_part_of_it() {
    let directory = tempfile::tempdir().unwrap();
    heddle_formats::paraver::write(
        &simulated(&small()),
        &Output::new("run", &DiskFiles::below(directory.path()), &MemoryScratch::default()),
    )
    .unwrap();
    let trace = directory.path().join("run.prv");
    assert!(!import(&trace, &beside(), &NoProgress).unwrap().reused);
    for file in ["run.pcf", "run.row", "run.prv"] {
        assert!(import(&trace, &beside(), &NoProgress).unwrap().reused);
        change_unseen(&directory.path().join(file));
        assert!(!import(&trace, &beside(), &NoProgress).unwrap().reused, "{file} changed");
    }
    fs::remove_file(directory.path().join("run.row")).unwrap();
    assert!(!import(&trace, &beside(), &NoProgress).unwrap().reused, "run.row went");
}

#[test]
fn a_trace_that_is_copied_with_its_store_needs_no_import() {
    let directory = archive(&small());
    import_beside(&directory);
    let copy = tempfile::tempdir().unwrap();
    let copied =
        Command::new("cp").args(["-R", "-p"]).arg(directory.path().join(".")).arg(copy.path()).status().unwrap();
    assert!(copied.success());
    assert!(import_beside(&copy).reused, "the content is the same");
    change_unseen(&copy.path().join("run.def"));
    assert!(!import_beside(&copy).reused);
}

#[test]
fn names_that_are_not_utf_8_are_names() {
    let directory = archive(&small());
    let odd = |ending: &[u8]| directory.path().join(OsStr::from_bytes(&[b"caf\xe9", ending].concat()));
    for ending in ["", ".otf2", ".def"] {
        fs::rename(directory.path().join(format!("run{ending}")), odd(ending.as_bytes())).unwrap();
    }
    let imported = import(&odd(b".otf2"), &beside(), &NoProgress).unwrap();
    assert_eq!(imported.store.path(), odd(b".heddle"));
    assert_eq!(imported.store.name(), "caf\u{fffd}");
    assert!(imported.store.summary().spans > 0);
    assert!(import(&odd(b".otf2"), &beside(), &NoProgress).unwrap().reused);
}

#[test]
fn pipes_and_standard_input_are_refused_in_words() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("run.prv");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let refused = |path: &Path| import(path, &beside(), &NoProgress).unwrap_err().to_string();
    assert!(refused(&pipe).contains("write it to a file"), "{}", refused(&pipe));
    assert!(refused(Path::new("-")).contains("standard input"), "{}", refused(Path::new("-")));
    // So is one that belongs to a trace.
    let trace = archive(&small());
    fs::remove_file(trace.path().join("run.def")).unwrap();
    assert!(Command::new("mkfifo").arg(trace.path().join("run.def")).status().unwrap().success());
    assert!(refused(&anchor(&trace)).contains("run.def"), "{}", refused(&anchor(&trace)));
}

#[test]
fn a_part_of_a_trace_leads_to_the_trace() {
    let directory = archive(&small());
    heddle_formats::paraver::write(
        &simulated(&small()),
        &Output::new("p", &DiskFiles::below(directory.path()), &MemoryScratch::default()),
    )
    .unwrap();
    let place = options(StorePlace::Under(directory.path().join("stores")));
    for (part, name) in [("p.pcf", "p"), ("p.row", "p"), ("run.def", "run"), ("run/0.evt", "run")] {
        let imported = import(&directory.path().join(part), &place, &NoProgress).unwrap();
        assert_eq!(imported.store.name(), name, "{part}");
    }
    fs::remove_file(directory.path().join("p.prv")).unwrap();
    let text = import(&directory.path().join("p.row"), &place, &NoProgress).unwrap_err().to_string();
    assert!(text.contains("p.row") && text.contains("p.prv, is not there"), "{text}");
}

#[test]
fn a_folder_of_stores_says_which() {
    let directory = tempfile::tempdir().unwrap();
    let make = |name: &str| {
        store_simulation(&simulated(&small()), name, &directory.path().join(name), MEMORY, &NoProgress).unwrap();
    };
    make("a.heddle");
    assert_eq!(
        open_or_import(directory.path(), &beside(), &NoProgress).unwrap().store.name(),
        "a.heddle",
        "the only one"
    );
    make("b.heddle");
    let text = open_or_import(directory.path(), &beside(), &NoProgress).unwrap_err().to_string();
    assert!(text.contains("a.heddle, b.heddle"), "{text}");
    let text = import(&directory.path().join("a.heddle"), &beside(), &NoProgress).unwrap_err().to_string();
    assert!(text.contains("a store already"), "{text}");
}

#[test]
fn a_trace_called_as_its_recorder_calls_all_is_called_by_its_folder() {
    // Score-P and EZTrace.
    for stem in ["traces", "eztrace_log"] {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("lulesh");
        fs::create_dir(&run).unwrap();
        otf2::write(&simulated(&small()), &Output::new(stem, &DiskFiles::below(&run), &MemoryScratch::default()))
            .unwrap();
        let imported = import(&run.join(format!("{stem}.otf2")), &beside(), &NoProgress).unwrap();
        assert_eq!(imported.store.name(), "lulesh", "{stem}");
        // Its store is found where it always was, and under another folder has another name.
        assert_eq!(imported.store.path(), run.join(format!("{stem}.heddle")));
        let renamed = folder.path().join("before");
        fs::rename(&run, &renamed).unwrap();
        let again = import(&renamed, &beside(), &NoProgress).unwrap();
        assert!(again.reused);
        assert_eq!(again.store.name(), "before", "{stem}");
    }
}

#[test]
fn a_trace_that_changes_while_it_is_read_gives_no_store() {
    struct Growing(PathBuf);
    impl Progress for Growing {
        fn begin(&self, work: Work, _total: u64) {
            if work == MATCHING {
                append(&self.0, &[0]);
            }
        }
        fn advance(&self, _done: u64) {}
        fn waiting(&self) {}
        fn is_cancelled(&self) -> bool {
            false
        }
    }
    let directory = archive(&small());
    let error = import(&anchor(&directory), &beside(), &Growing(directory.path().join("run/0.evt"))).unwrap_err();
    assert!(matches!(error, StoreError::SourceChanged(_)), "{error}");
    assert_no_store(&directory);
}

#[test]
fn threads_that_import_at_once_share_one_store() {
    for _ in 0..5 {
        let directory = archive(&small());
        let results: Vec<bool> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| import_beside(&directory).reused)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(results.iter().filter(|reused| !**reused).count(), 1, "one makes it, the others find it");
        assert_only_a_store(&directory);
    }
}

#[test]
fn a_reader_never_sees_a_store_half_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("x.heddle");
    let traces = [1, 2].map(|seed| {
        let options = HaloOptions { iterations: 10 * seed as u32, ..small() };
        halo(&options, &Machine { seed, ..Machine::default() }).unwrap()
    });
    store_simulation(&traces[0], "x", &target, MEMORY, &NoProgress).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut opened, mut odd) = (0, Vec::new());
            while !is_over.load(Ordering::Relaxed) {
                let told = |store: &Store| (store.summary().spans, store.summary().messages);
                match Store::open(&target) {
                    Ok(store) if told(&store) != (store.spans.len(), store.messages.len()) => {
                        odd.push("of two stores".to_owned());
                    }
                    Ok(_) => opened += 1,
                    // Between the two renames there is none.
                    Err(StoreError::NotAStore { .. }) => {}
                    Err(error) => odd.push(error.to_string()),
                }
            }
            (opened, odd)
        });
        for round in 0..60 {
            store_simulation(&traces[round % 2], "x", &target, MEMORY, &NoProgress).unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
        let (opened, odd) = reader.join().unwrap();
        assert!(opened > 0 && odd.is_empty(), "{} of {} readers: {odd:?}", odd.len(), opened + odd.len());
    });
}

/// Not a test of its own: what the children of the next test do.
#[test]
fn child_imports_what_it_is_told() {
    if let Some(trace) = std::env::var_os("HEDDLE_TEST_IMPORT") {
        import(Path::new(&trace), &beside(), &NoProgress).unwrap();
    }
}

#[test]
fn processes_that_import_at_once_share_one_store() {
    let directory = archive(&HaloOptions { iterations: 300, ..small() });
    let mut children: Vec<_> = (0..3)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "child_imports_what_it_is_told"])
                .env("HEDDLE_TEST_IMPORT", anchor(&directory))
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_only_a_store(&directory);
    assert!(import_beside(&directory).reused);
}

/// Gives up when asked for the given number of times.
struct Impatient(AtomicU32);

impl Progress for Impatient {
    fn begin(&self, _work: Work, _total: u64) {}
    fn advance(&self, _done: u64) {}
    fn waiting(&self) {}
    fn is_cancelled(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn whenever_it_is_cancelled_nothing_is_left() {
    let directory = archive(&small());
    for patience in 0.. {
        let scarce = ImportOptions { memory: 1, ..beside() };
        let Err(error) = import(&anchor(&directory), &scarce, &Impatient(AtomicU32::new(patience))) else {
            assert!(patience > 5, "it is asked often");
            break;
        };
        assert!(matches!(error, StoreError::Cancelled), "{error}");
        assert_no_store(&directory);
    }
    assert_only_a_store(&directory);
}

#[test]
fn a_cancelled_rebuild_keeps_the_old_store() {
    let directory = archive(&small());
    import_beside(&directory);
    let forced = ImportOptions { force: true, ..beside() };
    assert!(import(&anchor(&directory), &forced, &Impatient(AtomicU32::new(3))).is_err());
    assert_only_a_store(&directory);
    assert!(import_beside(&directory).reused);
}

#[test]
fn what_killed_imports_left_is_cleared() {
    let directory = archive(&small());
    let leave = |name: &str| {
        fs::create_dir(directory.path().join(name)).unwrap();
        fs::write(directory.path().join(name).join("spans.packed"), "half").unwrap();
    };
    leave(".run.heddle.tmp-999999");
    leave(".run.heddle.tmp-999998");
    File::create(directory.path().join(".run.heddle.lock")).unwrap();
    import_beside(&directory);
    assert_only_a_store(&directory);
    // A store that is up to date is reused, and what a killed rebuild left beside it goes all the same.
    leave(".run.heddle.tmp-999996");
    File::create(directory.path().join(".run.heddle.lock")).unwrap();
    assert!(import_beside(&directory).reused);
    assert_only_a_store(&directory);
    // Killed while the older store was giving way: what it was moved to must not stand in the way for ever.
    leave(".run.heddle.tmp-999997-old");
    let forced = ImportOptions { force: true, ..beside() };
    import(&anchor(&directory), &forced, &NoProgress).unwrap();
    assert_only_a_store(&directory);
}

#[test]
fn what_cannot_be_read_is_named() {
    let directory = archive(&small());
    let refused = |path: &Path| import(path, &beside(), &NoProgress).unwrap_err().to_string();
    let missing = directory.path().join("gone.otf2");
    assert!(refused(&missing).starts_with(&format!("{}: cannot read", missing.display())));
    let empty = directory.path().join("nothing");
    fs::create_dir(&empty).unwrap();
    assert!(refused(&empty).contains("a directory with no trace in it"));
    fs::copy(anchor(&directory), directory.path().join("second.otf2")).unwrap();
    assert!(refused(directory.path()).contains("2 traces"));
    fs::remove_file(directory.path().join("run.def")).unwrap();
    assert!(refused(&anchor(&directory)).contains("run.def"), "{}", refused(&anchor(&directory)));
    assert!(!names_in(directory.path()).iter().any(|name| name.starts_with('.') || name.ends_with(".heddle")));
}

/// A store of `source` made with so many threads and so much memory.
fn made(source: &dyn Source, threads: usize, memory: u64) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("x.heddle");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| store_simulation(source, "x", &target, memory, &NoProgress)).unwrap();
    (directory, target)
}

fn assert_same_everywhere(source: &dyn Source, what: &str) {
    let (_one, alone) = made(source, 1, MEMORY);
    let (_eight, many) = made(source, 8, MEMORY);
    assert_eq!(differences(&alone, &many), Vec::<String>::new(), "{what}: one thread and eight");
    for memory in [1, 64 << 20, 4 << 30] {
        let (_other, other) = made(source, 3, memory);
        assert_eq!(table_differences(&alone, &other), Vec::<String>::new(), "{what}: {memory} bytes of memory");
    }
}

#[test]
fn threads_and_memory_change_no_byte() {
    assert_same_everywhere(&simulated(&small()), "small");
    // Many locations, several parts each, ends beyond what is held in memory.
    let larger = HaloOptions { ranks: 300, iterations: 60, ..HaloOptions::default() };
    let noisy = Machine { noise: 0.3, ..Machine::default() };
    assert_same_everywhere(&halo(&larger, &noisy).unwrap(), "many ranks");
    let longer = HaloOptions { ranks: 3, iterations: 9_000, periodic: false, ..HaloOptions::default() };
    assert_same_everywhere(&simulated(&longer), "many iterations");
}

#[test]
fn threads_and_memory_change_no_byte_of_real_traces() {
    let Some(traces) = sample_traces("otf2") else { return };
    let mut compared = 0;
    for entry in fs::read_dir(&traces).unwrap() {
        let path = entry.unwrap().path();
        if path.join("truth.json").is_file() {
            let trace = open_trace(&path).unwrap();
            let scratch = MemoryScratch::default();
            let source = trace.source(&scratch, u64::MAX, &|_| true, &|_| {}).unwrap();
            assert_same_everywhere(&*source, &path.display().to_string());
            compared += 1;
        }
    }
    assert!(compared > 0, "no traces below {}", traces.display());
}

#[test]
fn by_way_of_otf2_it_is_the_same_trace() {
    let slow = Machine { slow_ranks: vec![5], ..Machine::default() };
    for (options, machine) in [
        (small(), Machine::default()),
        (HaloOptions { ranks: 1, ..small() }, Machine::default()),
        (HaloOptions { ranks: 27, dimensions: heddle_simulate::Dimensions::Three, ..small() }, slow),
    ] {
        let simulation = halo(&options, &machine).unwrap();
        let directory = archive_of(&simulation);
        let imported = import_beside(&directory).store;
        let (_kept, direct) = made(&simulation, 2, MEMORY);
        let differ = table_differences(imported.path(), &direct);
        for same in
            ["spans", "messages", "messages_by_receive", "unmatched", "collectives", "collective_members", "warnings"]
        {
            assert!(!differ.contains(&format!("{same}.arrow")), "{same} of {options:?}");
        }
        let mut summary = imported.summary().clone();
        let direct = Store::open(&direct).unwrap();
        summary.format.clone_from(&direct.summary().format);
        summary.creator.clone_from(&direct.summary().creator);
        assert_eq!(&summary, direct.summary());
    }
}
