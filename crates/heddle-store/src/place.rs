//! Where stores are kept, and how one comes into being whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

use crate::StoreError;
use crate::access::{Access, create_private_directory};
use crate::meta::META_FILE;
use crate::progress::Progress;
use crate::table::path_of;
use crate::tables::SpanRows;

/// Where to keep the store of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorePlace {
    /// Beside the trace; if that is not writable, in this cache directory.
    Beside {
        /// The user's cache directory for Heddle.
        cache: Option<PathBuf>,
    },
    /// In this directory, under the trace's name and a hash of its path.
    Under(PathBuf),
    /// Exactly here.
    Exactly(PathBuf),
}

impl StorePlace {
    /// Everywhere the store of the trace `NAME` in `directory` may already be, the likeliest place first.
    pub(crate) fn candidates(&self, directory: &Path, name: &OsStr) -> Vec<PathBuf> {
        match self {
            StorePlace::Exactly(path) => vec![path.clone()],
            StorePlace::Under(base) => vec![under(base, directory, name)],
            StorePlace::Beside { cache } => {
                let beside = directory.join(with_ending(name, ".heddle"));
                std::iter::once(beside).chain(cache.as_ref().map(|cache| under(cache, directory, name))).collect()
            }
        }
    }

    /// Where the store of a trace goes whose folder cannot be written to, if there is such a place.
    pub(crate) fn elsewhere(&self, directory: &Path, name: &OsStr) -> Option<PathBuf> {
        self.cache().map(|base| under(&base, directory, name))
    }

    /// Where results go that belong to a store which cannot be written to.
    pub(crate) fn cache(&self) -> Option<PathBuf> {
        match self {
            StorePlace::Beside { cache } => cache.clone(),
            StorePlace::Under(base) => Some(base.clone()),
            StorePlace::Exactly(_) => None,
        }
    }

    /// Where to make it: the first place that can be written to. The user's cache comes into being for the user only.
    pub(crate) fn target(&self, directory: &Path, name: &OsStr) -> Result<PathBuf, StoreError> {
        let mut candidates = self.candidates(directory, name);
        if candidates.len() > 1 && !is_writable(directory) {
            let target = candidates.swap_remove(1);
            let cache = parent_of(&target);
            create_private_directory(cache).map_err(|cause| StoreError::write(cache, cause))?;
            return Ok(target);
        }
        Ok(candidates.swap_remove(0))
    }
}

fn with_ending(name: &OsStr, ending: &str) -> OsString {
    let mut name = name.to_owned();
    name.push(ending);
    name
}

/// A place of its own in a directory shared by many traces.
fn under(base: &Path, directory: &Path, name: &OsStr) -> PathBuf {
    let full = std::path::absolute(directory.join(name)).unwrap_or_else(|_| directory.join(name));
    let hash = xxh3_64(full.as_os_str().as_encoded_bytes());
    base.join(with_ending(name, &format!("-{hash:016x}.heddle")))
}

/// Whether files can be made in a directory: found out by making one.
pub(crate) fn is_writable(directory: &Path) -> bool {
    let probe = directory.join(format!(".heddle-probe-{}", std::process::id()));
    let made = File::create(&probe).is_ok();
    // Nothing to do about a probe that cannot be removed; it is empty.
    let _ = std::fs::remove_file(&probe);
    made
}

/// A quarter of the machine's memory: what an import may use unless told otherwise.
pub fn default_memory() -> u64 {
    const OTHERWISE: u64 = 1 << 30;
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kib.map_or(OTHERWISE, |kib| (kib * 1024 / 4).max(384 << 20))
}

/// The right to make or replace one store, or one derived result; others who want to make the same wait for it.
///
/// The lock is on a file beside the store and ends with the process, however that ends.
pub(crate) struct PlaceLock {
    target: PathBuf,
    lock_path: PathBuf,
    /// `None` where the file system has no locks: renaming still keeps stores whole.
    file: Option<File>,
}

impl PlaceLock {
    /// The file that is locked.
    pub(crate) fn path_for(target: &Path) -> PathBuf {
        parent_of(target).join(format!(".{}.lock", name_of(target)))
    }

    /// Whether it keeps others out; not where the file system has no locks.
    pub(crate) fn is_held(&self) -> bool {
        self.file.is_some()
    }

    /// Waits for the lock, for as long as the user wants to.
    pub(crate) fn acquire(target: &Path, progress: &dyn Progress) -> Result<PlaceLock, StoreError> {
        let parent = parent_of(target);
        std::fs::create_dir_all(parent).map_err(|cause| StoreError::write(parent, cause))?;
        let lock_path = PlaceLock::path_for(target);
        let mut told = false;
        loop {
            let file = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&lock_path)
                .map_err(|cause| StoreError::write(&lock_path, cause))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    if !std::mem::replace(&mut told, true) {
                        progress.waiting();
                    }
                    // Asked again and again: a blocking wait would not notice that the user gave up.
                    std::thread::sleep(Duration::from_millis(50));
                    progress.check()?;
                    continue;
                }
                Err(TryLockError::Error(_)) => {
                    return Ok(PlaceLock { target: target.to_owned(), lock_path, file: None });
                }
            }
            // Whoever had the lock removes the file: a lock on a removed file locks nobody out.
            let same = match (file.metadata(), std::fs::metadata(&lock_path)) {
                (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
                _ => false,
            };
            if same {
                return Ok(PlaceLock { target: target.to_owned(), lock_path, file: Some(file) });
            }
        }
    }

    /// A fresh directory beside the store's place, after clearing what killed imports left.
    pub(crate) fn temporary(&self) -> Result<TemporaryDirectory, StoreError> {
        let parent = parent_of(&self.target);
        let prefix = format!(".{}.tmp-", name_of(&self.target));
        if self.file.is_some() {
            remove_leftovers(parent, &prefix);
        }
        let path = parent.join(format!("{prefix}{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        TemporaryDirectory::create(path.clone()).map_err(|cause| StoreError::write(&path, cause))
    }

    /// Puts a finished store in its place, for those who may see it; an older one gives way.
    pub(crate) fn install(&self, mut finished: TemporaryDirectory, access: Access) -> Result<(), StoreError> {
        let failed = |cause| StoreError::write(&self.target, cause);
        access.apply(finished.path(), finished.born).map_err(failed)?;
        let Some(new) = finished.path.take() else { return Ok(()) };
        // Named like a temporary one, so that the next import clears it if we are killed while removing it.
        let mut old = new.clone().into_os_string();
        old.push("-old");
        let old = PathBuf::from(old);
        let replaced = match std::fs::rename(&self.target, &old) {
            Ok(()) => true,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => false,
            Err(cause) => {
                finished.path = Some(new);
                return Err(failed(cause));
            }
        };
        if let Err(cause) = std::fs::rename(&new, &self.target) {
            if replaced {
                let _ = std::fs::rename(&old, &self.target);
            }
            finished.path = Some(new);
            return Err(failed(cause));
        }
        if replaced {
            // Readers keep their mappings of the old files; only the names go.
            let _ = std::fs::remove_dir_all(&old);
        }
        Ok(())
    }
}

/// Removes what a killed maker left beside something that is there and needs no making. Its lock file, which only the
/// killed leave, tells that there is something to look for.
pub(crate) fn remove_leftovers_of(target: &Path) {
    let (parent, name) = (parent_of(target), name_of(target));
    let lock_path = parent.join(format!(".{name}.lock"));
    let Ok(file) = File::options().write(true).open(&lock_path) else { return };
    if file.try_lock().is_ok() {
        remove_leftovers(parent, &format!(".{name}.tmp-"));
        let _ = std::fs::remove_file(&lock_path);
    }
}

/// Removes what killed makers of one thing left. Whoever calls has the lock on it.
fn remove_leftovers(directory: &Path, prefix: &str) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            // What cannot be removed does no harm: nothing opens it.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Removes what killed makers of anything left in a directory, unless somebody is making just that.
pub(crate) fn remove_all_leftovers(directory: &Path) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some((target, _)) = name.strip_prefix('.').and_then(|name| name.split_once(".tmp-")) else { continue };
        let lock_path = directory.join(format!(".{target}.lock"));
        let Ok(file) = File::options().create(true).truncate(false).write(true).open(&lock_path) else { continue };
        if file.try_lock().is_ok() {
            remove_leftovers(directory, &format!(".{target}.tmp-"));
            let _ = std::fs::remove_file(&lock_path);
        }
    }
}

impl Drop for PlaceLock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.lock_path);
    }
}

/// A directory that vanishes unless it is installed. Until then nobody else can look into it.
pub(crate) struct TemporaryDirectory {
    path: Option<PathBuf>,
    /// The mode that the user's umask gave it.
    born: u32,
}

impl TemporaryDirectory {
    fn create(path: PathBuf) -> io::Result<TemporaryDirectory> {
        std::fs::create_dir(&path)?;
        let made = TemporaryDirectory { born: std::fs::metadata(&path)?.mode(), path: Some(path) };
        // There are file systems without modes.
        let _ = std::fs::set_permissions(made.path(), Permissions::from_mode(0o700));
        Ok(made)
    }

    pub(crate) fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(""))
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

/// Whether a directory is a store, or is left of one.
pub(crate) fn is_store(directory: &Path) -> bool {
    directory.join(META_FILE).is_file() || path_of::<SpanRows>(directory).is_file()
}

/// Refuses to replace a directory that is not a store: it may be anything.
pub(crate) fn check_replaceable(target: &Path) -> Result<(), StoreError> {
    let is_empty = std::fs::read_dir(target).map(|mut entries| entries.next().is_none());
    match is_empty {
        Ok(false) if !is_store(target) => Err(StoreError::NotAStore {
            path: target.to_owned(),
            what: "it exists already and holds something else; choose another place with -o".to_owned(),
        }),
        Err(_) if target.exists() => Err(StoreError::NotAStore {
            path: target.to_owned(),
            what: "it exists already and is not a directory; choose another place with -o".to_owned(),
        }),
        _ => Ok(()),
    }
}

pub(crate) fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| "store".to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_cache_comes_into_being_for_the_user_only() {
        let directory = tempfile::tempdir().unwrap();
        let cache = directory.path().join("cache/heddle");
        let place = StorePlace::Beside { cache: Some(cache.clone()) };
        // Nothing can be made below a file, whoever one is.
        let file = directory.path().join("file");
        std::fs::write(&file, "").unwrap();
        let target = place.target(&file, OsStr::new("run")).unwrap();
        assert_eq!(target.parent(), Some(cache.as_path()));
        for made in [&cache, &directory.path().join("cache")] {
            assert_eq!(std::fs::metadata(made).unwrap().mode() & 0o777, 0o700, "{}", made.display());
        }
    }
}
