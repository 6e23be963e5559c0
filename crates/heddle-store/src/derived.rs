//! Results that depend on options: `STORE/derived/KIND-HASH/`, each whole or not there.
//!
//! A result is made beside its place and renamed, under a lock like an import: one makes it, others wait and find it. It
//! lies inside the store, so an import that replaces the store drops it too. Where the store cannot be written to, or
//! another import has replaced it since it was opened, the result goes to the user's cache directory or, without one, to a
//! temporary directory that vanishes with its last user. Who may read the store may read the result, and nobody else.

use std::fs::{DirBuilder, File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use crate::access::{Access, create_private_directory};
use crate::meta::{META_FILE, check_tables_file, write_tables_file};
use crate::place::{PlaceLock, is_writable, remove_all_leftovers};
use crate::progress::Progress;
use crate::{Store, StoreError};

/// Results of one kind that are kept, if nothing else is said; those that were not used for longest go when another is made.
const KEPT: usize = 8;

/// Directory of the derived results in a store.
const DERIVED: &str = "derived";

/// The place of a derived result.
#[derive(Clone, Debug)]
pub struct Derived {
    path: PathBuf,
    access: Access,
    /// Results of the kind that are kept; none of a part, which goes with the whole.
    kept: Option<usize>,
    /// Held while anybody uses a result that is only for this process.
    temporary: Option<Arc<TemporaryPlace>>,
}

impl Derived {
    /// Where the result of this kind with these options is, if it is there. `options` says all that decides it.
    pub fn existing(store: &Store, kind: &str, options: &str) -> Option<Derived> {
        let name = name(kind, options);
        let places = [Some(inside(store)), in_cache(store)];
        let path = places.into_iter().flatten().map(|place| place.join(&name)).find(|path| path.is_dir());
        let access = access(store);
        path.filter(|_| store.is_in_place()).map(|path| Derived { path, access, kept: Some(KEPT), temporary: None })
    }

    /// Where it is, or else is to be made.
    pub fn place(store: &Store, kind: &str, options: &str) -> Derived {
        if let Some(there) = Derived::existing(store, kind, options) {
            return there;
        }
        let name = name(kind, options);
        let places = [Some(inside(store)), in_cache(store)];
        match places.into_iter().flatten().find(|place| store.is_in_place() && is_writable_place(place)) {
            Some(place) => Derived { path: place.join(name), access: access(store), kept: Some(KEPT), temporary: None },
            None => Derived::temporary(&name),
        }
    }

    fn temporary(name: &str) -> Derived {
        let temporary = TemporaryPlace::new();
        let path = temporary.path.join(name);
        Derived { path, access: Access::PRIVATE, kept: None, temporary: Some(Arc::new(temporary)) }
    }

    /// The same where no more than so many results of the kind are kept.
    #[must_use]
    pub fn keeping(self, most: usize) -> Derived {
        Derived { kept: self.kept.map(|_| most), ..self }
    }

    /// The place of a result that belongs to this one and goes with it.
    #[must_use]
    pub fn part(&self, name: &str) -> Derived {
        let path = self.path.join(name);
        if self.temporary.is_some() || path.is_dir() || is_writable(&self.path) {
            return Derived { path, kept: None, ..self.clone() };
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
        let found = check_tables_file(&self.path).and_then(|()| open(&self.path)).ok()?;
        if self.kept.is_some() {
            // Where others own it, it is as old as it was.
            let _ = File::open(&self.path).and_then(|directory| directory.set_modified(SystemTime::now()));
        }
        Some(found)
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
        if let Some(temporary) = &self.temporary {
            temporary.make().map_err(|cause| StoreError::write(&temporary.path, cause))?;
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
        write_tables_file(temporary.path())?;
        progress.check()?;
        lock.install(temporary, self.access)?;
        drop(lock);
        if let Some(kept) = self.kept {
            forget_oldest(parent, &self.path, kept);
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

/// Who may read the store as it is now.
fn access(store: &Store) -> Access {
    std::fs::metadata(store.path()).map_or(Access::PRIVATE, |found| Access::of(&found))
}

/// Where results of a store are that cannot be written to.
pub(crate) fn in_cache(store: &Store) -> Option<PathBuf> {
    store.cache().map(|cache| cache.join(DERIVED).join(identity(store)))
}

/// Removes the results of the same kind that were not used lately. Who has one open keeps its files.
fn forget_oldest(directory: &Path, made: &Path, kept: usize) {
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
    for (_, path) in others.iter().rev().skip(kept.saturating_sub(1)) {
        // What cannot be removed is whole and does no harm.
        let _ = std::fs::remove_dir_all(path);
    }
}

/// Whether results can be made in a directory, which need not be there yet.
fn is_writable_place(directory: &Path) -> bool {
    create_private_directory(directory).is_ok() && is_writable(directory)
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
    let name = store.path().file_stem().unwrap_or_default().to_string_lossy();
    format!("{name}-{:016x}", xxh3_64(&bytes))
}

/// A directory for this process alone, made when something is put there. Whoever has it holds a lock on a file in it, which
/// ends with the process, however that ends: so others can tell that it is nobody's any more, on any system.
#[derive(Debug)]
struct TemporaryPlace {
    path: PathBuf,
    owned: Mutex<Option<File>>,
}

const TEMPORARY: &str = "heddle-derived-";
/// The file that is locked.
const OWNER: &str = "owner";

impl TemporaryPlace {
    fn new() -> TemporaryPlace {
        // The directory may be everybody's: nobody is to know the name beforehand.
        let random = || RandomState::new().hash_one(std::process::id());
        let path = std::env::temp_dir().join(format!("{TEMPORARY}{:016x}{:016x}", random(), random()));
        TemporaryPlace { path, owned: Mutex::new(None) }
    }

    /// Makes the directory; one that somebody else has made is not accepted.
    fn make(&self) -> io::Result<()> {
        let mut owned = self.owned.lock().unwrap_or_else(PoisonError::into_inner);
        while owned.is_none() {
            DirBuilder::new().mode(0o700).create(&self.path)?;
            // Whoever sweeps may take it for a dead process's until the lock is there, and remove it.
            *owned = match own(&self.path.join(OWNER)) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
                owned => owned.ok(),
            };
        }
        remove_of_the_dead(&self.path);
        Ok(())
    }
}

/// A new file, locked. "Not found" means that it was swept away meanwhile.
fn own(path: &Path) -> io::Result<File> {
    let file = File::create_new(path)?;
    match file.try_lock() {
        // Without locks nobody sweeps.
        Ok(()) | Err(TryLockError::Error(_)) => {}
        Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::NotFound.into()),
    }
    std::fs::metadata(path).map(|_| file)
}

impl Drop for TemporaryPlace {
    fn drop(&mut self) {
        if self.owned.get_mut().unwrap_or_else(PoisonError::into_inner).is_some() {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// Removes this user's temporary places beside ours whose process has ended.
fn remove_of_the_dead(ours: &Path) {
    let (Some(directory), Ok(us)) = (ours.parent(), std::fs::symlink_metadata(ours)) else { return };
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let is_ours = entry.metadata().is_ok_and(|found| found.is_dir() && found.uid() == us.uid());
        if !is_ours || !entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            continue;
        }
        match File::options().write(true).open(entry.path().join(OWNER)) {
            Ok(file) if file.try_lock().is_ok() => drop(std::fs::remove_dir_all(entry.path())),
            // Killed before it could lock anything, or about to: it is removed only if it is empty.
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => drop(std::fs::remove_dir(entry.path())),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(directory: &Path, name: &str) -> TemporaryPlace {
        TemporaryPlace { path: directory.join(format!("{TEMPORARY}{name}")), owned: Mutex::new(None) }
    }

    #[test]
    fn temporary_places_are_private_and_not_foreseeable() {
        let (one, two) = (TemporaryPlace::new(), TemporaryPlace::new());
        assert_ne!(one.path, two.path);
        assert!(!one.path.to_string_lossy().contains(&std::process::id().to_string()));
        one.make().unwrap();
        assert_eq!(std::fs::metadata(&one.path).unwrap().mode() & 0o777, 0o700);
        let path = one.path.clone();
        drop(one);
        assert!(!path.exists());
    }

    #[test]
    fn what_somebody_else_made_is_not_accepted() {
        let directory = tempfile::tempdir().unwrap();
        let place = place(directory.path(), "x");
        std::fs::create_dir(&place.path).unwrap();
        assert_eq!(place.make().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let path = place.path.clone();
        drop(place);
        assert!(path.exists(), "and is left to them");
    }

    #[test]
    fn only_places_of_the_dead_are_swept() {
        let directory = tempfile::tempdir().unwrap();
        let alive = place(directory.path(), "alive");
        alive.make().unwrap();
        // As a killed process leaves them: nobody holds the lock, or there is none yet.
        for dead in ["dead", "empty"] {
            std::fs::create_dir(&place(directory.path(), dead).path).unwrap();
        }
        std::fs::write(place(directory.path(), "dead").path.join(OWNER), "").unwrap();
        std::fs::write(place(directory.path(), "dead").path.join("text"), "").unwrap();
        let other = place(directory.path(), "other");
        other.make().unwrap();
        let mut left: Vec<_> =
            std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        left.sort();
        assert_eq!(left, [alive.path.clone(), other.path.clone()]);
    }
}
