//! Results that depend on options: `STORE/derived/KIND-HASH/`, each whole or not there.
//!
//! A result is made beside its place and renamed, under a lock like an import: one makes it, others wait and find it. It
//! lies inside the store, so an import that replaces the store drops it too. Where the store cannot be written to, or
//! another import has replaced it since it was opened, the result goes to the user's cache directory or, without one, to a
//! temporary directory that vanishes with its last user.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use crate::meta::META_FILE;
use crate::place::{PlaceLock, is_writable, remove_all_leftovers};
use crate::progress::Progress;
use crate::{Store, StoreError};

/// Results of one kind that a store keeps; the oldest beyond that go when another is made.
const KEPT: usize = 8;

/// Directory of the derived results in a store.
const DERIVED: &str = "derived";

/// The place of a derived result.
#[derive(Clone, Debug)]
pub struct Derived {
    path: PathBuf,
    /// Held while anybody uses a result that is only for this process.
    temporary: Option<Arc<TemporaryPlace>>,
}

impl Derived {
    /// Where the result of this kind with these options is, if it is there. `options` says all that decides it.
    pub fn existing(store: &Store, kind: &str, options: &str) -> Option<Derived> {
        let name = name(kind, options);
        let places = [Some(inside(store)), in_cache(store)];
        let path = places.into_iter().flatten().map(|place| place.join(&name)).find(|path| path.is_dir());
        path.filter(|_| store.is_in_place()).map(|path| Derived { path, temporary: None })
    }

    /// Where it is, or else is to be made.
    pub fn place(store: &Store, kind: &str, options: &str) -> Derived {
        if let Some(there) = Derived::existing(store, kind, options) {
            return there;
        }
        let name = name(kind, options);
        let places = [Some(inside(store)), in_cache(store)];
        match places.into_iter().flatten().find(|place| store.is_in_place() && is_writable_place(place)) {
            Some(place) => Derived { path: place.join(name), temporary: None },
            None => Derived::temporary(&name),
        }
    }

    fn temporary(name: &str) -> Derived {
        let temporary = TemporaryPlace::new();
        Derived { path: temporary.path.join(name), temporary: Some(Arc::new(temporary)) }
    }

    /// The place of a result that belongs to this one and goes with it.
    #[must_use]
    pub fn part(&self, name: &str) -> Derived {
        let path = self.path.join(name);
        if self.temporary.is_some() || path.is_dir() || is_writable(&self.path) {
            return Derived { path, temporary: self.temporary.clone() };
        }
        Derived::temporary(name)
    }

    /// The directory; there once the result is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the result if it is there. A damaged one counts as missing.
    pub fn find<T>(&self, open: impl Fn(&Path) -> Result<T, StoreError>) -> Option<T> {
        if !self.path.is_dir() {
            return None;
        }
        open(&self.path).ok()
    }

    /// Opens the result; makes it first if it is not there. `make` writes into an empty directory.
    pub fn open_or_make<T>(
        &self,
        progress: &dyn Progress,
        open: impl Fn(&Path) -> Result<T, StoreError>,
        make: impl FnOnce(&Path) -> Result<(), StoreError>,
    ) -> Result<T, StoreError> {
        if let Some(there) = self.find(&open) {
            return Ok(there);
        }
        let lock = PlaceLock::acquire(&self.path, progress)?;
        // Somebody may have made it while we waited.
        if let Some(there) = self.find(&open) {
            return Ok(there);
        }
        let parent = self.path.parent().unwrap_or(Path::new("."));
        remove_all_leftovers(parent);
        let temporary = lock.temporary()?;
        make(temporary.path())?;
        progress.check()?;
        lock.install(temporary)?;
        drop(lock);
        if parent.file_name().is_some_and(|name| name == DERIVED) {
            forget_oldest(parent, &self.path);
        }
        open(&self.path)
    }
}

fn name(kind: &str, options: &str) -> String {
    format!("{kind}-{:016x}", xxh3_64(options.as_bytes()))
}

fn inside(store: &Store) -> PathBuf {
    store.path().join(DERIVED)
}

fn in_cache(store: &Store) -> Option<PathBuf> {
    store.cache().map(|cache| cache.join(DERIVED).join(identity(store)))
}

/// Removes the results of the same kind that were not made lately. Who has one open keeps its files.
fn forget_oldest(directory: &Path, made: &Path) {
    let Some(kind) = made.file_name().and_then(|name| name.to_str()).and_then(|name| name.rsplit_once('-')) else {
        return;
    };
    let prefix = format!("{}-", kind.0);
    let mut others: Vec<(SystemTime, PathBuf)> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix) && entry.path() != made)
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    others.sort_unstable();
    for (_, path) in others.iter().rev().skip(KEPT - 1) {
        // What cannot be removed is whole and does no harm.
        let _ = std::fs::remove_dir_all(path);
    }
}

/// Whether results can be made in a directory, which need not be there yet.
fn is_writable_place(directory: &Path) -> bool {
    std::fs::create_dir_all(directory).is_ok() && is_writable(directory)
}

/// A name in the cache for a store as it is now: a new import has another.
fn identity(store: &Store) -> String {
    let path = std::path::absolute(store.path()).unwrap_or_else(|_| store.path().to_owned());
    let meta = store.path().join(META_FILE);
    let modified = std::fs::metadata(&meta).and_then(|meta| meta.modified()).ok();
    let since = modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok()).unwrap_or_default();
    let mut bytes = path.as_os_str().as_encoded_bytes().to_vec();
    bytes.extend(since.as_nanos().to_le_bytes());
    bytes.extend(std::fs::read(&meta).unwrap_or_default());
    format!("{}-{:016x}", store.name(), xxh3_64(&bytes))
}

/// A directory for this process alone. It is made when something is put there.
#[derive(Debug)]
struct TemporaryPlace {
    path: PathBuf,
}

impl TemporaryPlace {
    fn new() -> TemporaryPlace {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir();
        remove_of_the_dead(&directory);
        TemporaryPlace { path: directory.join(format!("{TEMPORARY}{}-{number}", std::process::id())) }
    }
}

impl Drop for TemporaryPlace {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

const TEMPORARY: &str = "heddle-derived-";

/// Removes temporary places whose process has ended.
fn remove_of_the_dead(directory: &Path) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix(TEMPORARY).and_then(|rest| rest.split_once('-')).map(|(process, _)| process);
        if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            // It may be another user's; then it stays.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
