//! From a path to an open store: recognise the trace, reuse its store if that is still true, else build it.

use std::io::Read;
use std::path::{Path, PathBuf};

use heddle_formats::otf2;
use heddle_model::Source;

use crate::build::build_store;
use crate::disk::DiskFiles;
use crate::meta::{FORMAT_VERSION, META_FILE, Meta, SourceState, Summary};
use crate::place::{PlaceLock, StorePlace, check_replaceable};
use crate::progress::Progress;
use crate::source_state::otf2_state;
use crate::{Store, StoreError};

/// How to import.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// Where to keep the store.
    pub place: StorePlace,
    /// Budget of anonymous memory in bytes.
    pub memory: u64,
    /// Build it anew even if there is one that is still true.
    pub force: bool,
}

/// What an import gave.
#[derive(Debug)]
pub struct Imported {
    /// The store, open.
    pub store: Store,
    /// It was there already and still true.
    pub reused: bool,
}

/// A trace on disk, recognised by its content.
#[derive(Debug)]
pub struct Trace {
    directory: PathBuf,
    name: String,
    files: DiskFiles,
}

impl Trace {
    /// The trace's name: that of its main file without the ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its records.
    pub fn source(&self) -> Result<impl Source + '_, StoreError> {
        otf2::Archive::open(&self.files, &self.name).map_err(|error| {
            StoreError::Trace(format!("{}{}{error}", self.directory.display(), std::path::MAIN_SEPARATOR))
        })
    }

    fn state(&self) -> Result<SourceState, StoreError> {
        otf2_state(&self.directory, &self.name)
            .map_err(|cause| StoreError::read(&self.directory.join(&self.name), cause))
    }
}

/// Recognises the trace at a path: an OTF2 anchor, or a directory that holds exactly one.
pub fn open_trace(path: &Path) -> Result<Trace, StoreError> {
    let anchor = if path.is_dir() { anchor_in(path)? } else { path.to_owned() };
    let mut head = Vec::new();
    std::fs::File::open(&anchor)
        .and_then(|file| file.take(16).read_to_end(&mut head))
        .map_err(|cause| StoreError::read(&anchor, cause))?;
    if !otf2::recognise(&head) {
        let seen: Vec<String> = head.iter().map(|byte| format!("{byte:02x}")).collect();
        let seen = if seen.is_empty() { "nothing: it is empty".to_owned() } else { seen.join(" ") };
        return Err(StoreError::Trace(format!(
            "{}: not a trace that Heddle knows; its first bytes are {seen}. `heddle formats` lists what can be read",
            anchor.display()
        )));
    }
    let stem = anchor.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(name) = stem.strip_suffix(".otf2") else {
        return Err(StoreError::Trace(format!(
            "{}: this is an OTF2 anchor, but its name must end in .otf2 for the other files to be found",
            anchor.display()
        )));
    };
    let directory = match anchor.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    Ok(Trace { name: name.to_owned(), files: DiskFiles::below(&directory), directory })
}

fn anchor_in(directory: &Path) -> Result<PathBuf, StoreError> {
    let entries = std::fs::read_dir(directory).map_err(|cause| StoreError::read(directory, cause))?;
    let mut anchors: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "otf2"))
        .collect();
    anchors.sort();
    match anchors.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(StoreError::Trace(format!(
            "{}: a directory with no trace in it; name the trace itself, for OTF2 the file that ends in .otf2",
            directory.display()
        ))),
        several => Err(StoreError::Trace(format!(
            "{}: a directory with {} traces; name one, for instance {}",
            directory.display(),
            several.len(),
            several[0].display()
        ))),
    }
}

/// Opens the store of a trace, importing the trace if there is none that is still true. A path to a store
/// opens just that.
pub fn open_or_import(path: &Path, options: &ImportOptions, progress: &dyn Progress) -> Result<Imported, StoreError> {
    if path.join(META_FILE).is_file() {
        return Ok(Imported { store: Store::open(path)?, reused: true });
    }
    if path.extension().is_some_and(|ending| ending == "heddle") && path.is_dir() {
        return Err(StoreError::NotAStore {
            path: path.to_owned(),
            what: "it has no meta.json; the import did not finish. Delete it and import the trace again".to_owned(),
        });
    }
    import(path, options, progress)
}

/// Imports a trace, unless its store is there and still true.
pub fn import(path: &Path, options: &ImportOptions, progress: &dyn Progress) -> Result<Imported, StoreError> {
    let trace = open_trace(path)?;
    let state = trace.state()?;
    if !options.force {
        for candidate in options.place.candidates(&trace.directory, &trace.name) {
            if let Some(store) = open_if_true(&candidate, &state) {
                return Ok(Imported { store, reused: true });
            }
        }
    }
    let target = options.place.target(&trace.directory, &trace.name);
    check_replaceable(&target)?;
    let lock = PlaceLock::acquire(&target, progress)?;
    // Somebody may have made it while we waited.
    if !options.force
        && let Some(store) = open_if_true(&target, &state)
    {
        return Ok(Imported { store, reused: true });
    }
    let source = trace.source()?;
    let made = Made { name: &trace.name, source: Some(&state) };
    make_store(&source, &lock, &made, options.memory, progress, || {
        if trace.state()? == state { Ok(()) } else { Err(StoreError::SourceChanged(path.to_owned())) }
    })?;
    drop(lock);
    Ok(Imported { store: Store::open(&target)?, reused: false })
}

/// Writes a source that is not a file, such as a simulation, as a store at exactly `target`.
pub fn store_simulation(
    source: &dyn Source,
    name: &str,
    target: &Path,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Store, StoreError> {
    check_replaceable(target)?;
    let lock = PlaceLock::acquire(target, progress)?;
    make_store(source, &lock, &Made { name, source: None }, memory, progress, || Ok(()))?;
    drop(lock);
    Store::open(target)
}

/// The store at `target`, if it is whole and was made from just this.
fn open_if_true(target: &Path, state: &SourceState) -> Option<Store> {
    let meta = Meta::read(target).ok()?;
    (meta.source.as_ref() == Some(state)).then(|| Store::open(target).ok()).flatten()
}

/// What a store remembers of its origin.
struct Made<'a> {
    name: &'a str,
    source: Option<&'a SourceState>,
}

/// Builds a store in a temporary directory and puts it in its place once it is whole.
fn make_store(
    source: &dyn Source,
    lock: &PlaceLock,
    made: &Made,
    memory: u64,
    progress: &dyn Progress,
    still_true: impl FnOnce() -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let temporary = lock.temporary()?;
    let summary: Summary = build_store(source, temporary.path(), memory, progress)?;
    let meta = Meta {
        heddle_store: FORMAT_VERSION,
        written_by: concat!("heddle ", env!("CARGO_PKG_VERSION")).to_owned(),
        name: made.name.to_owned(),
        summary,
        source: made.source.cloned(),
        tables: std::collections::BTreeMap::default(),
    };
    meta.write(temporary.path())?;
    progress.check()?;
    still_true()?;
    lock.install(temporary)
}
