//! Whose turn it is to write: one writer at a time, in this process or any other.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::NotesError;
use crate::StoreError;
use crate::place::{PlaceLock, parent_of};
use crate::progress::{Progress, Work};

/// Writing takes milliseconds; whoever takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(10);

/// The right to write a file of notes, until it is dropped.
pub(super) struct Turn {
    _lock: PlaceLock,
    _held: Option<Held>,
}

impl Turn {
    /// Waits for it, not for ever.
    pub(super) fn take(path: &Path) -> Result<Turn, NotesError> {
        let lock = PlaceLock::acquire(path, &Waiting(Instant::now())).map_err(|error| match error {
            StoreError::Write { cause, .. } => NotesError::Write { path: path.to_owned(), cause },
            _ => NotesError::Busy { path: PlaceLock::path_for(path) },
        })?;
        // Large file systems are often mounted without locks. There the file itself is one.
        let held = if lock.is_held() { None } else { Some(Held::take(path, PATIENCE)?) };
        Ok(Turn { _lock: lock, _held: held })
    }
}

/// Gives up after a while.
struct Waiting(Instant);

impl Progress for Waiting {
    fn begin(&self, _work: Work, _total: u64) {}

    fn advance(&self, _done: u64) {}

    fn waiting(&self) {}

    fn is_cancelled(&self) -> bool {
        self.0.elapsed() > PATIENCE
    }
}

/// A file that only one can make. If its maker is killed it stays, and the error that names it says what to do.
struct Held(PathBuf);

impl Held {
    fn take(path: &Path, patience: Duration) -> Result<Held, NotesError> {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".writing");
        let held = parent_of(path).join(name);
        let since = Instant::now();
        loop {
            match OpenOptions::new().write(true).create_new(true).open(&held) {
                Ok(_) => return Ok(Held(held)),
                Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(NotesError::Write { path: held, cause });
                }
                Err(_) if since.elapsed() > patience => return Err(NotesError::Busy { path: held }),
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_locks_a_file_lets_one_in_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.notes.json");
        let counter = folder.path().join("counter");
        std::fs::write(&counter, "0").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        let _held = Held::take(&path, PATIENCE).unwrap();
                        let now: u32 = std::fs::read_to_string(&counter).unwrap().parse().unwrap();
                        std::thread::yield_now();
                        std::fs::write(&counter, (now + 1).to_string()).unwrap();
                    }
                });
            }
        });
        assert_eq!(std::fs::read_to_string(&counter).unwrap(), "40");
        // One that was left by the killed is named.
        let held = Held::take(&path, PATIENCE).unwrap();
        let told = Held::take(&path, Duration::ZERO).err().unwrap().to_string();
        assert!(told.contains(".run.notes.json.writing") && told.contains("remove this file"), "{told}");
        drop(held);
        assert!(Held::take(&path, Duration::ZERO).is_ok());
    }
}
