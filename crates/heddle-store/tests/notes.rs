//! Notes beside a trace: none is ever lost, and no file that cannot be understood is written to.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use heddle_formats::{MemoryScratch, Output, otf2};
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{DiskFiles, Draft, Note, Notes, NotesError, StorePlace, notes_json, open_or_import_all};

fn beside() -> StorePlace {
    StorePlace::Beside { cache: None }
}

/// A folder with something that has notes as a store has them.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("run.heddle")).unwrap();
    fs::write(folder.path().join("run.heddle/meta.json"), "{}").unwrap();
    folder
}

fn notes_in(folder: &Path, place: &StorePlace) -> Notes {
    Notes::of(&[folder.join("run.heddle")], place).unwrap()
}

fn draft(name: &str) -> Draft {
    Draft {
        name: name.to_owned(),
        text: format!("About {name}."),
        view: format!("v=1&layout=timeline&highlight={name}"),
    }
}

fn names(notes: &Notes) -> Vec<String> {
    notes.list().unwrap().into_iter().map(|note| note.name).collect()
}

/// What the folder holds, without what is there from the beginning.
fn files(folder: &Path) -> Vec<String> {
    let mut files: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.retain(|name| name != "run.heddle");
    files.sort();
    files
}

#[test]
fn notes_are_added_changed_moved_and_removed() {
    let folder = folder();
    let notes = notes_in(folder.path(), &beside());
    assert_eq!((notes.name(), notes.list().unwrap(), files(folder.path())), ("run", vec![], vec![]));
    let [a, b, c] = ["a", "b", "c"].map(|name| notes.add(draft(name)).unwrap());
    assert_eq!(notes.list().unwrap(), [a.clone(), b.clone(), c.clone()]);
    // Nothing but the file is left.
    assert_eq!(files(folder.path()), ["run.notes.json"]);
    assert_eq!(notes.home(), (folder.path().join("run.notes.json").as_path(), true));

    notes.shift(&c.id, -1).unwrap();
    assert_eq!(names(&notes), ["a", "c", "b"]);
    notes.shift(&a.id, -1).unwrap();
    notes.shift(&b.id, 1).unwrap();
    assert_eq!(names(&notes), ["a", "c", "b"], "nothing lies beyond the ends");
    notes.shift(&a.id, 1).unwrap();
    assert_eq!(names(&notes), ["c", "a", "b"]);

    let changed = notes.put(&a.id, draft("A")).unwrap();
    assert_eq!((changed.id, names(&notes)), (a.id.clone(), ["c", "A", "b"].map(str::to_owned).to_vec()));
    notes.remove(&c.id).unwrap();
    notes.remove(&c.id).unwrap();
    assert_eq!(names(&notes), ["A", "b"]);
    assert!(matches!(notes.shift(&c.id, 1), Err(NotesError::Unknown(_))));
    // Edited after somebody deleted it: the last writer wins.
    notes.put(&c.id, draft("c2")).unwrap();
    assert_eq!(names(&notes), ["A", "b", "c2"]);
}

#[test]
fn the_file_can_be_read_by_people_and_says_its_version() {
    let folder = folder();
    let notes = notes_in(folder.path(), &beside());
    let text = "Später: „rank 37“ <b>\u{1f40c}</b>";
    let note = notes.add(Draft { text: text.to_owned(), ..draft("x") }).unwrap();
    let written = fs::read_to_string(folder.path().join("run.notes.json")).unwrap();
    let expected = format!(
        "{{\n  \"format\": \"heddle-notes\",\n  \"version\": 1,\n  \"notes\": [\n    {{\n      \"id\": \"{}\",\n      \"name\": \"x\",\n      \"text\": \"{text}\",\n      \"view\": \"v=1&layout=timeline&highlight=x\"\n    }}\n  ]\n}}\n",
        note.id
    );
    assert_eq!(written, expected);
    assert_eq!(notes_json(&notes.list().unwrap()).unwrap(), written);
}

#[test]
fn a_trace_and_its_store_have_the_same_notes_which_move_along_and_outlive_the_store() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path().join("first");
    fs::create_dir(&home).unwrap();
    let options = HaloOptions { ranks: 4, iterations: 3, ..HaloOptions::default() };
    let simulation = halo(&options, &Machine::default()).unwrap();
    let output = DiskFiles::below(&home);
    otf2::write(&simulation, &Output::new("traces", &output, &MemoryScratch::default())).unwrap();
    let import = |home: &Path, force| {
        let options = heddle_store::ImportOptions { place: beside(), memory: 384 << 20, force };
        open_or_import_all(&[home.join("traces.otf2")], &options, &heddle_store::NoProgress).unwrap();
    };
    let notes = |path: PathBuf| Notes::of(&[path], &beside()).unwrap();
    let of_trace = notes(home.join("traces.otf2"));
    assert_eq!(of_trace.name(), "first", "all traces of Score-P are called traces");
    let note = of_trace.add(draft("a")).unwrap();
    assert!(home.join("traces.notes.json").is_file());
    import(&home, false);
    import(&home, true);
    // By the trace, its store, or the folder of both, in which the notes are not taken for a trace.
    for path in [home.join("traces.otf2"), home.join("traces.heddle"), home.clone()] {
        assert_eq!(notes(path).list().unwrap(), std::slice::from_ref(&note));
    }
    let moved = directory.path().join("second");
    fs::rename(&home, &moved).unwrap();
    assert_eq!(notes(moved.join("traces.otf2")).list().unwrap(), [note]);
    import(&moved, false);
}

#[test]
fn many_writers_at_once_lose_nothing() {
    let folder = folder();
    let writers = 6;
    let each = 12;
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let folder = folder.path();
            scope.spawn(move || {
                // Each as a server of its own would.
                let notes = notes_in(folder, &beside());
                for number in 0..each {
                    let note = notes.add(draft(&format!("{writer}.{number}"))).unwrap();
                    notes.put(&note.id, draft(&format!("{writer}.{number}.edited"))).unwrap();
                    if number % 3 == 0 {
                        notes.remove(&note.id).unwrap();
                    }
                }
            });
        }
    });
    let notes = notes_in(folder.path(), &beside());
    let mut found = names(&notes);
    found.sort();
    let kept = |number: &i32| number % 3 != 0;
    let mut expected: Vec<String> = (0..writers)
        .flat_map(|writer| (0..each).filter(kept).map(move |number| format!("{writer}.{number}.edited")))
        .collect();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(files(folder.path()), ["run.notes.json"]);
}

/// Every way to write is refused with the same words, and the file stays as it is.
fn is_refused(folder: &Path, bytes: &[u8], words: &[&str]) {
    let path = folder.join("run.notes.json");
    fs::write(&path, bytes).unwrap();
    let notes = notes_in(folder, &beside());
    let told = notes.list().unwrap_err().to_string();
    for word in words.iter().chain(&["run.notes.json", "The file stays as it is", "move it away"]) {
        assert!(told.contains(word), "{told}");
    }
    for other in [
        notes.add(draft("b")).map(|_| ()),
        notes.put("abc", draft("b")).map(|_| ()),
        notes.remove("abc"),
        notes.shift("abc", 1),
    ] {
        assert_eq!(other.unwrap_err().to_string(), told);
    }
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(files(folder), ["run.notes.json"]);
}

#[test]
fn a_file_cut_at_any_byte_is_refused_and_never_written_to() {
    let folder = folder();
    let notes = notes_in(folder.path(), &beside());
    notes.add(Draft { text: "ä\n\"b\"".to_owned(), ..draft("a") }).unwrap();
    notes.add(draft("b")).unwrap();
    let whole = fs::read(folder.path().join("run.notes.json")).unwrap();
    is_refused(folder.path(), b"", &["the file is empty"]);
    // The last byte is a line end, which nothing needs.
    for cut in 1..whole.len() - 1 {
        is_refused(folder.path(), &whole[..cut], &["line", "column"]);
    }
    fs::write(folder.path().join("run.notes.json"), &whole[..whole.len() - 1]).unwrap();
    assert_eq!(names(&notes), ["a", "b"]);
    // Once it has been moved away, one begins anew.
    is_refused(folder.path(), &whole[..40], &["line"]);
    fs::remove_file(folder.path().join("run.notes.json")).unwrap();
    notes.add(draft("c")).unwrap();
    assert_eq!(names(&notes), ["c"]);
}

#[test]
fn what_is_not_known_is_refused_in_words() {
    let folder = folder();
    let file = |version: &str, notes: &str| {
        format!("{{\"format\": \"heddle-notes\", \"version\": {version},\n \"notes\": [{notes}]}}").into_bytes()
    };
    let note = |id: &str, name: &str, view: &str| {
        format!("{{\"id\": \"{id}\", \"name\": \"{name}\", \"text\": \"\", \"view\": \"{view}\"}}")
    };
    let fine = note("a", "b", "v=1");
    let refused = |bytes: &[u8], words: &[&str]| is_refused(folder.path(), bytes, words);
    refused(&file("2", ""), &["format 2", "format 1", "newer Heddle"]);
    // Of a later version nothing else is expected to be the same.
    refused(b"{\"format\": \"heddle-notes\", \"version\": 9, \"stories\": 7}", &["format 9"]);
    refused(b"{\"format\": \"other\", \"version\": 1, \"notes\": []}", &["`format`"]);
    refused(b"{\"format\": \"heddle-notes\", \"version\": 1, \"notes\": [], \"more\": 1}", &["line 1", "more"]);
    refused(b"[]", &["line 1"]);
    refused(b"\xff\xfe", &["line 1, column 1"]);
    refused(&file("1", &fine.replace("\"text\"", "\"txt\"")), &["line 2", "txt"]);
    refused(&file("1", &format!("{fine}, {fine}")), &["note 2 has the id of another one"]);
    refused(&file("1", &note("A/..", "b", "v=1")), &["note 1", "an id is"]);
    refused(&file("1", &note("a", " ", "v=1")), &["note 1", "a name"]);
    refused(&file("1", &format!("{fine}, {}", note("c", "b", "javascript:alert(1)"))), &["note 2", "a view is"]);
    refused(&file("1", &note("a", "b", "https://evil.example/#v=1")), &["note 1", "a view"]);
    refused(&file("1", &note("a", "b", "v=1&trace=other")), &["note 1", "neither a trace"]);
    let many: Vec<String> = (0..1001).map(|id| note(&id.to_string(), "b", "v=1")).collect();
    refused(&file("1", &many.join(",")), &["more than 1000"]);
    let large = file("1", &note("a", &"x".repeat(1 << 20), "v=1"));
    refused(&large, &["larger than 1024 KiB"]);
    fs::remove_file(folder.path().join("run.notes.json")).unwrap();
    fs::create_dir(folder.path().join("run.notes.json")).unwrap();
    let told = notes_in(folder.path(), &beside()).add(draft("a")).unwrap_err().to_string();
    assert!(told.contains("this is not a file"), "{told}");
}

#[test]
fn there_is_an_end_to_what_is_kept() {
    let folder = folder();
    let notes = notes_in(folder.path(), &beside());
    let long = Draft { text: "ä".repeat(4000), ..draft("a") };
    let mut count = 0;
    let told = loop {
        match notes.add(long.clone()) {
            Ok(_) => count += 1,
            Err(error) => break error.to_string(),
        }
    };
    assert!(told.contains("no room") && told.contains("run.notes.json"), "{told}");
    // Two bytes for each character.
    assert!((120..=131).contains(&count), "{count}");
    assert_eq!(notes.list().unwrap().len(), count);
}

/// Makes a folder one in which nothing can be made, even for root, whom modes do not stop.
fn shut(folder: &Path) {
    fs::set_permissions(folder, Permissions::from_mode(0o555)).unwrap();
    let probe = folder.join(format!(".heddle-probe-{}", std::process::id()));
    let _ = fs::create_dir(&probe);
}

#[test]
fn where_the_folder_cannot_be_written_to_notes_go_where_the_store_does() {
    let folder = folder();
    let theirs = notes_in(folder.path(), &beside()).add(draft("theirs")).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let place = StorePlace::Beside { cache: Some(cache.path().join("heddle")) };
    shut(folder.path());
    let before = fs::read(folder.path().join("run.notes.json")).unwrap();
    let notes = notes_in(folder.path(), &place);
    let (home, is_beside) = notes.home();
    assert!(home.starts_with(cache.path().join("heddle")) && !is_beside, "{}", home.display());
    let mine = notes.add(draft("mine")).unwrap();
    assert_eq!(notes.list().unwrap(), [theirs.clone(), mine.clone()]);
    assert_eq!(fs::read(folder.path().join("run.notes.json")).unwrap(), before);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(home) & 0o077, mode(home.parent().unwrap())), (0, 0o700), "for this user only");
    // Each is changed where it is.
    notes.put(&mine.id, draft("mine2")).unwrap();
    assert_eq!(names(&notes), ["theirs", "mine2"]);
    notes.remove(&mine.id).unwrap();
    assert_eq!(notes.list().unwrap(), [theirs]);
    // Without such a place one is told.
    let lock = folder.path().join(".run.notes.json.lock");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(&lock).unwrap();
    let told = notes_in(folder.path(), &beside()).add(draft("b")).unwrap_err().to_string();
    assert!(told.contains("run.notes.json: cannot write") && told.contains("nothing was changed"), "{told}");
}

#[test]
fn notes_are_for_those_who_may_read_the_trace() {
    let folder = folder();
    let (store, file) = (folder.path().join("run.heddle"), folder.path().join("run.notes.json"));
    let mode = || fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(&store, Permissions::from_mode(0o700)).unwrap();
    let notes = notes_in(folder.path(), &beside());
    notes.add(draft("a")).unwrap();
    assert_eq!(mode(), 0o600);
    // What somebody has decided since stays so.
    fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    notes.add(draft("b")).unwrap();
    assert_eq!(mode(), 0o640);
}

#[test]
fn a_link_to_notes_stays_one() {
    let folder = folder();
    let shared = tempfile::tempdir().unwrap();
    let real = shared.path().join("team.json");
    fs::write(&real, notes_json(&[]).unwrap()).unwrap();
    std::os::unix::fs::symlink(&real, folder.path().join("run.notes.json")).unwrap();
    let notes = notes_in(folder.path(), &beside());
    let note: Note = notes.add(draft("a")).unwrap();
    assert!(folder.path().join("run.notes.json").is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains(&note.id));
    assert_eq!(notes.list().unwrap(), [note]);
}
