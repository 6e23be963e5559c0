//! What a trace looked like when its store was made: how a later change is noticed.
//!
//! Names, lengths and times of modification of all files have to be the same. If the system says besides that no file was
//! touched since (inode and time of change, which nobody can set), that is enough. Otherwise, as after copying a trace
//! together with its store, the content decides: of up to [`BUDGET`] bytes all, of more an even sample.

use std::ffi::OsStr;
use std::fs::{DirEntry, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use crate::access::Access;
use crate::meta::{SourceFile, SourceState};
use crate::names::text_to_name;

/// Bytes of a trace that are looked at.
const BUDGET: u64 = 128 << 20;
/// Bytes of a sample.
const BLOCK: u64 = 64 << 10;
/// Event files whose states are asked for together.
const AT_ONCE: usize = 1 << 14;
/// Event files of a large trace that are looked into.
const MOST_FILES: usize = 1_024;

/// A trace's files as they are now.
pub(crate) struct Seen {
    directory: PathBuf,
    /// Main files, definitions, files of names.
    named: Vec<SeenFile>,
    events: EventFiles,
    access: Access,
}

/// A file with what tells that it changed.
struct SeenFile {
    /// From the trace's directory.
    path: PathBuf,
    state: FileState,
}

/// Those that may be millions, in a folder of their own: sorted by name, the names in one piece.
#[derive(Default)]
struct EventFiles {
    folder: PathBuf,
    /// One after the other.
    names: Vec<u8>,
    files: Vec<EventFile>,
}

struct EventFile {
    /// Where in `names` its own ends, and how long it is.
    name_end: u64,
    name_length: u32,
    state: FileState,
}

impl EventFiles {
    fn push(&mut self, name: &OsStr, state: FileState) {
        self.names.extend_from_slice(name.as_bytes());
        self.files.push(EventFile { name_end: self.names.len() as u64, name_length: name.len() as u32, state });
    }

    fn sort(&mut self) {
        let names = &self.names;
        self.files.par_sort_unstable_by(|one, other| one.name(names).cmp(other.name(names)));
    }

    /// From the trace's directory.
    fn path(&self, file: &EventFile) -> PathBuf {
        self.folder.join(OsStr::from_bytes(file.name(&self.names)))
    }
}

impl EventFile {
    fn name<'a>(&self, names: &'a [u8]) -> &'a [u8] {
        &names[self.name_end as usize - self.name_length as usize..self.name_end as usize]
    }
}

#[derive(Clone, Copy)]
struct FileState {
    length: u64,
    modified_ns: i64,
    changed_ns: i64,
    inode: u64,
}

impl FileState {
    fn of(found: &Metadata) -> FileState {
        let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        FileState {
            length: found.len(),
            modified_ns: nanoseconds(found.mtime(), found.mtime_nsec()),
            changed_ns: nanoseconds(found.ctime(), found.ctime_nsec()),
            inode: found.ino(),
        }
    }
}

impl Seen {
    /// Looks at the files `names`, at those of `welcome` that are there, and at all in `folder`.
    pub(crate) fn look(
        directory: &Path,
        names: &[String],
        welcome: &[String],
        folder: Option<&str>,
    ) -> Result<Seen, (PathBuf, io::Error)> {
        let mut seen = Seen {
            directory: directory.to_owned(),
            named: Vec::new(),
            events: EventFiles::default(),
            access: Access::USUAL,
        };
        for (name, must_be) in names.iter().map(|name| (name, true)).chain(welcome.iter().map(|name| (name, false))) {
            let (name, path) = (PathBuf::from(text_to_name(name)), directory.join(text_to_name(name)));
            match std::fs::metadata(&path) {
                Ok(found) => {
                    seen.access = seen.access.and(Access::of(&found));
                    seen.named.push(SeenFile { path: name, state: FileState::of(&found) });
                }
                Err(cause) if cause.kind() == io::ErrorKind::NotFound && !must_be => {}
                Err(cause) => return Err((path, cause)),
            }
        }
        if let Some(folder) = folder {
            let folder = PathBuf::from(text_to_name(folder));
            let path = directory.join(&folder);
            seen.look_into(folder).map_err(|cause| (path, cause))?;
        }
        Ok(seen)
    }

    fn look_into(&mut self, folder: PathBuf) -> io::Result<()> {
        let entries = match std::fs::read_dir(self.directory.join(&folder)) {
            Ok(entries) => entries,
            Err(cause) if matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(());
            }
            Err(cause) => return Err(cause),
        };
        self.events.folder = folder;
        let mut entries = entries.peekable();
        while entries.peek().is_some() {
            let some: Vec<DirEntry> = entries.by_ref().take(AT_ONCE).collect::<io::Result<_>>()?;
            let found = some.par_iter().map(|entry| {
                let found = entry.metadata()?;
                let found = if found.is_symlink() { std::fs::metadata(entry.path()).unwrap_or(found) } else { found };
                Ok((FileState::of(&found), Access::of(&found)))
            });
            let found: Vec<(FileState, Access)> = found.collect::<io::Result<_>>()?;
            for (entry, (state, access)) in some.iter().zip(found) {
                self.access = self.access.and(access);
                self.events.push(&entry.file_name(), state);
            }
        }
        self.events.sort();
        Ok(())
    }

    /// Who may read all of them.
    pub(crate) fn access(&self) -> Access {
        self.access
    }

    /// What to remember.
    pub(crate) fn state(&self) -> io::Result<SourceState> {
        Ok(SourceState { content: self.content()?, ..self.outside() })
    }

    /// Whether the trace is the one that is remembered.
    pub(crate) fn is(&self, remembered: &SourceState) -> bool {
        let outside = self.outside();
        let is_alike = SourceState { touched: String::new(), content: String::new(), ..remembered.clone() }
            == SourceState { touched: String::new(), ..outside.clone() };
        is_alike
            && (remembered.touched == outside.touched
                || self.content().is_ok_and(|content| content == remembered.content))
    }

    /// The state without the content.
    fn outside(&self) -> SourceState {
        let file = |file: &SeenFile| SourceFile {
            name: crate::names::name_to_text(file.path.as_os_str()),
            length: file.state.length,
            modified_ns: file.state.modified_ns,
        };
        let (mut events, mut touched) = (Xxh3::new(), Xxh3::new());
        let folder = self.events.folder.join("");
        for event in &self.events.files {
            events.update(folder.as_os_str().as_bytes());
            events.update(event.name(&self.events.names));
            events.update(&event.state.length.to_le_bytes());
            events.update(&event.state.modified_ns.to_le_bytes());
        }
        for state in self.states() {
            touched.update(&state.inode.to_le_bytes());
            touched.update(&state.changed_ns.to_le_bytes());
        }
        SourceState {
            files: self.named.iter().map(file).collect(),
            event_files: self.events.files.len() as u64,
            event_bytes: self.events.files.iter().map(|event| event.state.length).sum(),
            event_hash: format!("{:016x}", events.digest()),
            touched: format!("{:016x}", touched.digest()),
            content: String::new(),
        }
    }

    fn states(&self) -> impl Iterator<Item = &FileState> {
        self.named.iter().map(|file| &file.state).chain(self.events.files.iter().map(|file| &file.state))
    }

    /// A hash of the content, or of samples of it.
    fn content(&self) -> io::Result<String> {
        let bytes: u64 = self.states().map(|state| state.length).sum();
        let events = &self.events.files;
        let step = if bytes <= BUDGET { 1 } else { events.len().div_ceil(MOST_FILES).max(1) };
        let named = self.named.iter().map(|file| (file.path.clone(), file.state.length));
        let sampled = events.iter().step_by(step).map(|file| (self.events.path(file), file.state.length));
        let count = self.named.len() + events.len().div_ceil(step);
        let each = if bytes <= BUDGET { u64::MAX } else { BUDGET / count as u64 };
        let mut hash = Xxh3::new();
        let mut block = vec![0; BLOCK as usize];
        for (path, length) in named.chain(sampled) {
            let path = self.directory.join(path);
            // Opening anything else could wait for ever.
            if std::fs::metadata(&path)?.is_file() {
                add_samples(&File::open(path)?, length, each, &mut block, &mut hash)?;
            }
        }
        Ok(format!("{:016x}", hash.digest()))
    }
}

/// Adds a file, or beginning, end and places evenly between.
fn add_samples(file: &File, length: u64, most: u64, block: &mut [u8], hash: &mut Xxh3) -> io::Result<()> {
    let all = length.div_ceil(BLOCK);
    let blocks = all.min((most / BLOCK).max(2));
    for number in 0..blocks {
        let place = if blocks == all {
            number * BLOCK
        } else {
            (u128::from(length - BLOCK) * u128::from(number) / u128::from(blocks - 1)) as u64
        };
        // No more than is there: most files of large runs are small, and looking for their end once more costs as much again.
        let block = &mut block[..length.saturating_sub(place).min(BLOCK) as usize];
        let mut filled = 0;
        while filled < block.len() {
            match file.read_at(&mut block[filled..], place + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(cause),
            }
        }
        hash.update(&block[..filled]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(file: &File, length: u64, most: u64) -> u64 {
        let mut hash = Xxh3::new();
        add_samples(file, length, most, &mut vec![0; BLOCK as usize], &mut hash).unwrap();
        hash.digest()
    }

    #[test]
    fn small_files_are_looked_at_whole_and_large_ones_at_both_ends_and_between() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let length = 40 * BLOCK + 17;
        std::fs::write(&path, vec![7; length as usize]).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        let (whole, sampled) = (digest(&file, length, u64::MAX), digest(&file, length, 4 * BLOCK));
        for place in [0, length / 3, length - 1] {
            file.write_all_at(&[8], place).unwrap();
            assert_ne!(digest(&file, length, u64::MAX), whole, "at {place}");
            file.write_all_at(&[7], place).unwrap();
        }
        for place in [0, length - 1] {
            file.write_all_at(&[8], place).unwrap();
            assert_ne!(digest(&file, length, 4 * BLOCK), sampled, "at {place}");
            file.write_all_at(&[7], place).unwrap();
        }
        assert_eq!(digest(&file, length, 4 * BLOCK), sampled);
    }
}
