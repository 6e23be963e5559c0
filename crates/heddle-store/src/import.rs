//! From a path to an open store: recognise the trace, reuse its store if it is up to date, else build it.

use std::path::{Path, PathBuf};

use heddle_formats::{FORMATS, Files, Format, HEAD, Input, OpenError, Scratch, head, known_but_not_read, recognise};
use heddle_model::Source;

use crate::build::build_store;
use crate::disk::{DiskFiles, DiskScratch};
use crate::meta::{FORMAT_VERSION, META_FILE, Meta, SourceState, Summary};
use crate::place::{PlaceLock, StorePlace, TemporaryDirectory, check_replaceable};
use crate::progress::{OPENING, Progress};
use crate::source_state::{files_state, otf2_state};
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

/// A trace on disk, recognised by its content.
#[derive(Debug)]
pub struct TraceFiles {
    directory: PathBuf,
    name: String,
    files: DiskFiles,
    /// The files it was named by, without the directory.
    names: Vec<String>,
    format: &'static Format,
}

impl TraceFiles {
    /// The trace's name: that of its main file without the ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its records. A trace in which all locations are mixed is read for it once, within about half of `memory`; what does
    /// not fit goes to `scratch`. `go_on` is told how many more bytes were read, and says whether to read on; `say` is told
    /// what the user should know beforehand.
    pub fn source<'a>(
        &'a self,
        scratch: &'a dyn Scratch,
        memory: u64,
        go_on: &'a (dyn Fn(u64) -> bool + Sync),
        say: &'a (dyn Fn(&str) + Sync),
    ) -> Result<Box<dyn Source + 'a>, StoreError> {
        let input = Input { files: &self.files, names: &self.names, scratch, memory, go_on, say };
        self.format.open(&input).map_err(|error| match error {
            OpenError::Cancelled => StoreError::Cancelled,
            error => StoreError::Trace(format!("{}{}{error}", self.directory.display(), std::path::MAIN_SEPARATOR)),
        })
    }

    fn state(&self) -> Result<SourceState, StoreError> {
        let state = match self.format.name {
            "otf2" => otf2_state(&self.directory, &self.name),
            _ => files_state(&self.directory, &self.names),
        };
        state.map_err(|cause| StoreError::read(&self.directory.join(&self.name), cause))
    }

    /// Bytes of the files it was named by.
    fn bytes(&self) -> u64 {
        self.names.iter().filter_map(|name| self.files.len(name).ok().flatten()).sum()
    }
}

/// Recognises the trace at a path: a file of one of the formats, or a directory that holds exactly one.
pub fn open_trace(path: &Path) -> Result<TraceFiles, StoreError> {
    open_traces(&[path.to_owned()])
}

/// Recognises the trace that several files make together: all of one format, in which every process writes its own.
pub fn open_traces(paths: &[PathBuf]) -> Result<TraceFiles, StoreError> {
    let mut mains: Vec<PathBuf> = Vec::new();
    for path in paths {
        if path.is_dir() { mains.extend(traces_in(path)?) } else { mains.push(path.clone()) }
    }
    let Some(first) = mains.first() else { return Err(StoreError::Trace("no trace was named".to_owned())) };
    let directory = common_directory(&mains);
    let files = DiskFiles::below(&directory);
    let mut format: Option<&'static Format> = None;
    let mut names = Vec::new();
    for main in &mains {
        let name = main.strip_prefix(&directory).unwrap_or(main).to_string_lossy().into_owned();
        let head = head(&files, &name, HEAD).map_err(|cause| StoreError::read(main, cause))?;
        let Some(found) = recognise(&head) else {
            return Err(StoreError::Trace(format!("{}: {}", main.display(), unknown(&head))));
        };
        if let Some(format) = format.filter(|format| format.name != found.name || !format.joins) {
            return Err(StoreError::Trace(not_together(first, format, main, found)));
        }
        if names.contains(&name) {
            return Err(StoreError::Trace(format!("{}: the file is named twice", main.display())));
        }
        format = Some(found);
        names.push(name);
    }
    let Some(format) = format else { return Err(StoreError::Trace("no trace was named".to_owned())) };
    let file = first.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut name = title(&file, format);
    if names.len() > 1 {
        name.push_str(&format!("+{}", names.len() - 1));
    }
    Ok(TraceFiles { directory, name, files, names, format })
}

/// Why two files are not one trace.
fn not_together(first: &Path, format: &Format, other: &Path, found: &Format) -> String {
    if format.name == found.name {
        return format!(
            "{} and {} are two traces: files belong together only in formats in which every process writes its own. Name one \
             of them, or compare them with `heddle open`",
            first.display(),
            other.display()
        );
    }
    format!(
        "{} is {} and {} is {}: files of different formats are not one trace. Name files of one format",
        first.display(),
        format.name,
        other.display(),
        found.name
    )
}

/// The directory that all files lie in, perhaps in folders of it.
fn common_directory(files: &[PathBuf]) -> PathBuf {
    let mut common = files[0].parent().map(Path::to_owned).unwrap_or_default();
    while !files.iter().all(|file| file.starts_with(&common)) {
        common = common.parent().map(Path::to_owned).unwrap_or_default();
    }
    if common.as_os_str().is_empty() { PathBuf::from(".") } else { common }
}

/// Sorts paths into traces: files of a format in which every process writes its own are one trace together, everything
/// else is a trace by itself. What cannot be read is, too; opening it says why.
pub fn group_traces(paths: &[PathBuf]) -> Vec<Vec<PathBuf>> {
    let mut groups: Vec<(Option<&'static str>, Vec<PathBuf>)> = Vec::new();
    for path in paths {
        let joins = if path.is_file() { format_of(path).filter(|format| format.joins) } else { None };
        let joins = joins.map(|format| format.name);
        match groups.iter_mut().find(|(format, _)| joins.is_some() && *format == joins) {
            Some((_, group)) => group.push(path.clone()),
            None => groups.push((joins, vec![path.clone()])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The format of a file, told by its content.
fn format_of(path: &Path) -> Option<&'static Format> {
    let files = DiskFiles::below(path.parent()?);
    let head = head(&files, &path.file_name()?.to_string_lossy(), HEAD).ok()?;
    recognise(&head)
}

/// What to say about a file that is no trace.
fn unknown(head: &[u8]) -> String {
    let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    let known = known.join(", ");
    if let Some(advice) = known_but_not_read(head) {
        return advice.to_owned();
    }
    if head.is_empty() {
        return format!("it is empty, so it is no trace. Heddle reads {known}; `heddle formats` says more");
    }
    let bytes: Vec<String> = head.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let text: String =
        head.iter().take(16).map(|byte| if matches!(byte, b' '..=b'~') { *byte as char } else { '.' }).collect();
    format!(
        "not a trace that Heddle knows; its first bytes are {} ({text}). It reads {known}; `heddle formats` says how each \
         is recognised",
        bytes.join(" ")
    )
}

/// What compressed files are called.
const PACKED: [&str; 4] = [".gz", ".zst", ".xz", ".bz2"];

/// The name of a file without what says its format and compression.
fn title(file: &str, format: &Format) -> String {
    let plain = PACKED.iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file);
    let name = format.endings.iter().find_map(|ending| plain.strip_suffix(ending)).unwrap_or(plain);
    if name.is_empty() { file.to_owned() } else { name.to_owned() }
}

fn traces_in(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = std::fs::read_dir(directory).map_err(|cause| StoreError::read(directory, cause))?;
    let endings: Vec<&str> = FORMATS.iter().flat_map(|format| format.endings.iter().copied()).collect();
    let mut traces: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let plain = PACKED.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
            path.is_file() && endings.iter().any(|ending| plain.ends_with(ending))
        })
        .collect();
    traces.sort();
    // Endings such as `.json` say little; among several the content decides.
    if traces.len() > 1 {
        let known: Vec<PathBuf> = traces.iter().filter(|path| format_of(path).is_some()).cloned().collect();
        let joins = |path: &PathBuf| format_of(path).is_some_and(|format| format.joins);
        if known.len() == 1 || (known.len() > 1 && known.iter().all(joins)) {
            traces = known;
            if traces.iter().all(joins) {
                return Ok(traces);
            }
        }
    }
    match traces.as_slice() {
        [_] => Ok(traces),
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
        return Ok(Imported { store: Store::open(path)?.with_cache(options.place.cache()), reused: true });
    }
    if path.extension().is_some_and(|ending| ending == "heddle") && path.is_dir() {
        return Err(StoreError::NotAStore {
            path: path.to_owned(),
            what: "it has no meta.json; the import did not finish. Delete it and import the trace again".to_owned(),
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
    let state = trace.state()?;
    if !options.force {
        for candidate in options.place.candidates(&trace.directory, &trace.name) {
            if let Some(store) = open_if_current(&candidate, &state) {
                return Ok(Imported { store: store.with_cache(options.place.cache()), reused: true });
            }
        }
    }
    let target = options.place.target(&trace.directory, &trace.name);
    check_replaceable(&target)?;
    let lock = PlaceLock::acquire(&target, progress)?;
    // Somebody may have made it while we waited.
    if !options.force
        && let Some(store) = open_if_current(&target, &state)
    {
        return Ok(Imported { store: store.with_cache(options.place.cache()), reused: true });
    }
    let temporary = lock.temporary()?;
    let scratch = DiskScratch::create(temporary.path()).map_err(|cause| StoreError::write(temporary.path(), cause))?;
    progress.begin(OPENING, trace.bytes());
    let go_on = |bytes: u64| {
        progress.advance(bytes);
        !progress.is_cancelled()
    };
    let say = |text: &str| progress.note(text);
    let source = trace.source(&scratch, options.memory, &go_on, &say)?;
    let made = Origin { name: &trace.name, source: Some(&state) };
    make_store(&*source, &lock, temporary, &made, options.memory, progress, || {
        if trace.state()? == state { Ok(()) } else { Err(StoreError::SourceChanged(paths[0].clone())) }
    })?;
    drop(lock);
    Ok(Imported { store: Store::open(&target)?.with_cache(options.place.cache()), reused: false })
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
    make_store(source, &lock, temporary, &Origin { name, source: None }, memory, progress, || Ok(()))?;
    drop(lock);
    Store::open(target)
}

/// The store at `target`, if it is whole and was made from just this.
fn open_if_current(target: &Path, state: &SourceState) -> Option<Store> {
    let meta = Meta::read(target).ok()?;
    (meta.source.as_ref() == Some(state)).then(|| Store::open(target).ok()).flatten()
}

/// What a store remembers of its origin.
struct Origin<'a> {
    name: &'a str,
    source: Option<&'a SourceState>,
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
    lock.install(temporary)
}
