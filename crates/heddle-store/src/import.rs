//! From a path to an open store: reuse the trace's store if it is up to date, else build it.

use std::path::{Path, PathBuf};

use heddle_model::Source;

use crate::access::Access;
use crate::build::build_store;
use crate::disk::DiskScratch;
use crate::meta::{FORMAT_VERSION, META_FILE, Meta, SourceState, Summary, check_unmarked};
use crate::place::{PlaceLock, StorePlace, TemporaryDirectory, check_replaceable, is_store, remove_leftovers_of};
use crate::progress::{OPENING, Progress};
use crate::source_state::Seen;
use crate::trace_files::{only_store_in, open_traces};
use crate::{Store, StoreError};

/// How to import.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// Where to keep the store.
    pub place: StorePlace,
    /// Budget of anonymous memory in bytes.
    pub memory: u64,
    /// Build it anew even if there is one that is up to date.
    pub force: bool,
}

/// What an import gave.
#[derive(Debug)]
pub struct Imported {
    /// The store, open.
    pub store: Store,
    /// It was there already and up to date.
    pub reused: bool,
}

/// Opens the store of a trace, importing the trace if there is none that is up to date. A path to a store
/// opens just that.
pub fn open_or_import(path: &Path, options: &ImportOptions, progress: &dyn Progress) -> Result<Imported, StoreError> {
    open_or_import_all(&[path.to_owned()], options, progress)
}

/// The same for a trace that is several files.
pub fn open_or_import_all(
    paths: &[PathBuf],
    options: &ImportOptions,
    progress: &dyn Progress,
) -> Result<Imported, StoreError> {
    let [path] = paths else {
        if let Some(store) = paths.iter().find(|path| path.join(META_FILE).is_file()) {
            return Err(StoreError::Trace(format!(
                "{}: a store is a trace by itself and cannot be joined with files",
                store.display()
            )));
        }
        return import_all(paths, options, progress);
    };
    if path.join(META_FILE).is_file() {
        return Ok(Imported {
            store: Store::open(path)?.with_cache(options.place.cache()).with_memory(options.memory),
            reused: true,
        });
    }
    if path.extension().is_some_and(|ending| ending == "heddle") && path.is_dir() {
        return Err(StoreError::NotAStore {
            path: path.to_owned(),
            what: "it has no meta.json; the import did not finish. Delete it and import the trace again".to_owned(),
        });
    }
    if let Some(store) = only_store_in(path) {
        return Ok(Imported {
            store: Store::open(&store)?.with_cache(options.place.cache()).with_memory(options.memory),
            reused: true,
        });
    }
    import(path, options, progress)
}

/// Imports a trace, unless its store is there and up to date.
pub fn import(path: &Path, options: &ImportOptions, progress: &dyn Progress) -> Result<Imported, StoreError> {
    import_all(&[path.to_owned()], options, progress)
}

/// The same for a trace that is several files.
pub fn import_all(paths: &[PathBuf], options: &ImportOptions, progress: &dyn Progress) -> Result<Imported, StoreError> {
    let trace = open_traces(paths)?;
    let seen = trace.look()?;
    let opened = |store: Store, reused| {
        Ok(Imported {
            store: store.with_cache(options.place.cache()).with_memory(options.memory).with_name(trace.name()),
            reused,
        })
    };
    if !options.force {
        for candidate in options.place.candidates(trace.directory(), trace.stem()) {
            if let Some(store) = open_if_current(&candidate, &seen).unwrap_or_else(|error| say_damage(&error, progress))
            {
                remove_leftovers_of(&candidate);
                return opened(store, true);
            }
        }
    }
    let target = options.place.target(trace.directory(), trace.stem())?;
    check_replaceable(&target)?;
    let lock = PlaceLock::acquire(&target, progress)?;
    // Somebody may have made it while we waited.
    if !options.force
        && let Some(store) = open_if_current(&target, &seen).unwrap_or_default()
    {
        return opened(store, true);
    }
    let temporary = lock.temporary()?;
    let scratch = DiskScratch::create(temporary.path()).map_err(|cause| StoreError::write(temporary.path(), cause))?;
    progress.begin(OPENING, trace.bytes());
    let go_on = |bytes: u64| {
        progress.advance(bytes);
        !progress.is_cancelled()
    };
    let state = seen.state().map_err(|cause| StoreError::read(&paths[0], cause))?;
    let say = |text: &str| progress.note(text);
    let source = trace.source(&scratch, options.memory, &go_on, &say)?;
    let made = Origin { name: trace.name(), source: Some(&state), access: seen.access() };
    drop(seen); // two million files, perhaps
    make_store(&*source, &lock, temporary, &made, options.memory, progress, || {
        if trace.look()?.is(&state) { Ok(()) } else { Err(StoreError::SourceChanged(paths[0].clone())) }
    })?;
    drop(lock);
    opened(Store::open(&target)?, false)
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
    let temporary = lock.temporary()?;
    make_store(
        source,
        &lock,
        temporary,
        &Origin { name, source: None, access: Access::USUAL },
        memory,
        progress,
        || Ok(()),
    )?;
    drop(lock);
    Store::open(target)
}

/// The store at `target`, if it was made from just this; an error if it is damaged.
fn open_if_current(target: &Path, seen: &Seen) -> Result<Option<Store>, StoreError> {
    if !is_store(target) {
        return Ok(None);
    }
    let source = match Meta::read(target) {
        Ok(meta) => meta.source,
        Err(StoreError::Version { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    if !source.is_some_and(|remembered| seen.is(&remembered)) {
        return Ok(None);
    }
    check_unmarked(target)?;
    Store::open(target).map(Some)
}

/// Tells the user why the store is built again.
fn say_damage(error: &StoreError, progress: &dyn Progress) -> Option<Store> {
    let what = match error {
        StoreError::Damaged { path, what } => format!("{}: {what}", path.display()),
        other => other.to_string(),
    };
    progress.note(&format!("the store is damaged ({what}), and is built again from the trace"));
    None
}

/// What a store remembers of its origin.
struct Origin<'a> {
    name: &'a str,
    source: Option<&'a SourceState>,
    /// Who may read it.
    access: Access,
}

/// Builds a store in a temporary directory and puts it in its place once it is whole.
fn make_store(
    source: &dyn Source,
    lock: &PlaceLock,
    temporary: TemporaryDirectory,
    made: &Origin,
    memory: u64,
    progress: &dyn Progress,
    is_unchanged: impl FnOnce() -> Result<(), StoreError>,
) -> Result<(), StoreError> {
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
    is_unchanged()?;
    lock.install(temporary, made.access)
}
