//! From paths to a trace: which files it is, in which format, and what it is called.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use heddle_formats::boxfish::companions;
use heddle_formats::{
    FORMATS, Files, Format, HEAD, Input, OpenError, Scratch, head, known_but_not_read, recognise, starpu,
};
use heddle_model::Source;

use crate::StoreError;
use crate::disk::DiskFiles;
use crate::meta::META_FILE;
use crate::names::{name_to_text, text_to_name};
use crate::notes;
use crate::source_state::Seen;

/// A trace on disk, recognised by its content.
#[derive(Debug)]
pub struct TraceFiles {
    directory: PathBuf,
    /// What its store is named after.
    stem: OsString,
    name: String,
    files: DiskFiles,
    /// The texts of the files it was named by, without the directory.
    names: Vec<String>,
    format: &'static Format,
}

impl TraceFiles {
    /// The trace's name for people: that of its main file without the ending, or of its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of its main file without the ending, and how many more there are.
    pub(crate) fn stem(&self) -> &OsStr {
        &self.stem
    }

    /// The directory that its files lie in.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
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

    /// All its files as they are now.
    pub(crate) fn look(&self) -> Result<Seen, StoreError> {
        let main = self.names.first().map_or("", String::as_str);
        let plain = unpacked(main);
        let stem = plain.strip_suffix(if self.format.name == "otf2" { ".otf2" } else { ".prv" }).unwrap_or(plain);
        let beside = |endings: &[&str]| endings.iter().map(|ending| format!("{stem}{ending}")).collect::<Vec<_>>();
        let (welcome, folder) = match self.format.name {
            "otf2" => (beside(&[".def", ".marker"]), Some(stem)),
            "paraver" => (beside(&[".pcf", ".row"]), None),
            "boxfish" => (companions(&self.files, main), None),
            name if OF_STARPU.contains(&name) => (starpu::companions(main), None),
            _ => (Vec::new(), None),
        };
        let seen = Seen::look(&self.directory, &self.names, &welcome, folder);
        seen.map_err(|(path, cause)| StoreError::read(&path, cause))
    }

    /// Bytes of the files it was named by.
    pub(crate) fn bytes(&self) -> u64 {
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
        if path.is_dir() { mains.extend(traces_in(path)?) } else { mains.push(main_file(path)?) }
    }
    let Some(first) = mains.first() else { return Err(StoreError::Trace("no trace was named".to_owned())) };
    let directory = common_directory(&mains);
    let files = DiskFiles::below(&directory);
    let mut format: Option<&'static Format> = None;
    let mut names = Vec::new();
    for main in &mains {
        let name = name_to_text(main.strip_prefix(&directory).unwrap_or(main).as_os_str());
        let head = head(&files, &name, HEAD).map_err(|cause| StoreError::read(main, cause))?;
        let Some(found) = recognise(&head) else {
            return Err(StoreError::Trace(format!("{}: {}", main.display(), unknown(main, &head))));
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
    let mut stem = text_to_name(&title(&name_to_text(first.file_name().unwrap_or_default()), format));
    let folder = first.parent().unwrap_or(Path::new(""));
    let mut name = shown_name(&stem.to_string_lossy(), folder);
    if names.len() > 1 {
        let more = format!("+{}", names.len() - 1);
        stem.push(&more);
        name.push_str(&more);
    }
    Ok(TraceFiles { directory, stem, name, files, names, format })
}

/// What recorders call every trace: Score-P, EZTrace, StarPU's converter, StarVZ. They put each into a folder that tells it
/// from others.
const ALIKE: [&str; 6] = ["traces", "eztrace_log", "paje", "tasks", "paje.worker_state", "application"];

/// Formats of files that describe a run of StarPU. A folder may have several, of one run; its main file is the first that
/// is there of [`starpu::MAINS`].
const OF_STARPU: [&str; 5] = ["paje", "starpu-tasks", "starvz", "starvz-parquet", "pj_dump"];

/// What to call a trace or store whose file is called `stem`, in `folder`.
pub fn shown_name(stem: &str, folder: &Path) -> String {
    if !ALIKE.contains(&stem) {
        return stem.to_owned();
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder.file_name().map_or_else(|| stem.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Refuses what can be seen to be no trace without opening it: that could wait for ever.
pub fn check_kind(path: &Path) -> Result<(), StoreError> {
    const WRITE: &str = "A trace is read several times: write it to a file, and name that";
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() || found.is_dir() => Ok(()),
        Ok(_) => Err(StoreError::Trace(format!("{}: neither a file nor a directory. {WRITE}", path.display()))),
        Err(_) if path == Path::new("-") => {
            Err(StoreError::Trace(format!("no trace can be read from standard input. {WRITE}")))
        }
        Err(cause) => Err(StoreError::read(path, cause)),
    }
}

/// The main file of the trace that a file belongs to: mostly itself.
fn main_file(path: &Path) -> Result<PathBuf, StoreError> {
    check_kind(path)?;
    if format_of(path).is_some() {
        return Ok(path.to_owned());
    }
    Ok(mains_of(path).into_iter().find(|main| main.is_file()).unwrap_or_else(|| path.to_owned()))
}

/// Where the main file can be of a trace that a file, told by its ending, is only a part of.
fn mains_of(path: &Path) -> Vec<PathBuf> {
    match path.extension().and_then(OsStr::to_str) {
        Some("pcf" | "row") => {
            let packed = PACKED.iter().map(|packed| format!("prv{packed}"));
            std::iter::once("prv".to_owned()).chain(packed).map(|ending| path.with_extension(ending)).collect()
        }
        Some("def" | "marker") => vec![path.with_extension("otf2")],
        Some("evt") => path.parent().map(|folder| folder.with_extension("otf2")).into_iter().collect(),
        _ if is_called(path, &[".yaml", ".yml"]) => runs_with(path),
        _ => Vec::new(),
    }
}

/// Whether a file has one of these endings, packed or not.
fn is_called(path: &Path, endings: &[&str]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    endings.iter().any(|ending| unpacked(&name).ends_with(ending))
}

/// The meta files of Boxfish runs beside a file that name it as one of their tables.
fn runs_with(path: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().map(name_to_text)) else { return Vec::new() };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(found) = Listing::of(folder) else { return Vec::new() };
    let files = DiskFiles::below(folder);
    let names_it = |other: &PathBuf| {
        let other_name = name_to_text(other.file_name().unwrap_or_default());
        format_of(other).is_some_and(|format| format.name == "boxfish")
            && companions(&files, &other_name).contains(&name)
    };
    let mut runs = found.traces;
    runs.retain(|other| is_called(other, &[".yaml", ".yml"]) && names_it(other));
    runs
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
    let head = head(&files, &name_to_text(path.file_name()?), HEAD).ok()?;
    recognise(&head)
}

/// What to say about a file that is no trace.
fn unknown(path: &Path, head: &[u8]) -> String {
    if let Some(main) = mains_of(path).first() {
        return format!("this is a part of a trace; its main file, {}, is not there", main.display());
    }
    if let Some(advice) = known_but_not_read(head) {
        return advice.to_owned();
    }
    let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    let known = known.join(", ");
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

/// The name of a file without what says its compression.
fn unpacked(file: &str) -> &str {
    PACKED.iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file)
}

/// The name of a trace or store without what says its format and compression, where the format is known by its ending only.
pub fn stem_of(file: &str) -> &str {
    let plain = unpacked(file);
    let endings = FORMATS.iter().flat_map(|format| format.endings.iter());
    let known = endings.filter_map(|ending| plain.strip_suffix(ending)).find(|name| !name.is_empty());
    known.or_else(|| Path::new(plain).file_stem()?.to_str()).unwrap_or(plain)
}

/// The name of a file without what says its format and compression.
fn title(file: &str, format: &Format) -> String {
    let plain = unpacked(file);
    let name = format.endings.iter().find_map(|ending| plain.strip_suffix(ending)).unwrap_or(plain);
    if name.is_empty() { file.to_owned() } else { name.to_owned() }
}

/// What is in a directory.
struct Listing {
    /// Files that are called like traces.
    traces: Vec<PathBuf>,
    stores: Vec<PathBuf>,
    others: Vec<PathBuf>,
}

impl Listing {
    fn of(directory: &Path) -> Result<Listing, StoreError> {
        let endings: Vec<&str> = FORMATS.iter().flat_map(|format| format.endings.iter().copied()).collect();
        let entries = std::fs::read_dir(directory).map_err(|cause| StoreError::read(directory, cause))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let mut found = Listing { traces: Vec::new(), stores: Vec::new(), others: Vec::new() };
        for path in paths {
            // Notes are no trace, though they end as some do.
            if path.is_file() && is_called(&path, &endings) && !is_called(&path, &[notes::ENDING]) {
                found.traces.push(path);
            } else if path.join(META_FILE).is_file() {
                found.stores.push(path);
            } else {
                found.others.push(path);
            }
        }
        Ok(found)
    }
}

/// The store that a directory holds, if there is one and no trace beside it.
pub(crate) fn only_store_in(directory: &Path) -> Option<PathBuf> {
    if !directory.is_dir() {
        return None;
    }
    let found = Listing::of(directory).ok()?;
    match found.stores.as_slice() {
        // Endings such as `.yaml` say little; the content decides.
        [store] if found.traces.iter().all(|path| format_of(path).is_none()) => Some(store.clone()),
        _ => None,
    }
}

/// The main file of a folder that holds a run of StarPU, if there is no other trace in it.
fn starpu_run(traces: &[PathBuf]) -> Option<PathBuf> {
    let is_called = |path: &&PathBuf, main: &str| {
        unpacked(&path.file_name().unwrap_or_default().to_string_lossy()) == main && format_of(path).is_some()
    };
    let main = starpu::MAINS.iter().find_map(|main| traces.iter().find(|path| is_called(path, main)))?;
    let is_of_run = |path: &PathBuf| format_of(path).is_none_or(|format| OF_STARPU.contains(&format.name));
    traces.iter().all(is_of_run).then(|| main.clone())
}

fn traces_in(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let refused = |what: String| Err(StoreError::Trace(format!("{}: {what}", directory.display())));
    if directory.join(META_FILE).is_file() {
        return refused("this is a store already: there is nothing to import".to_owned());
    }
    let Listing { mut traces, stores, others } = Listing::of(directory)?;
    if let Some(main) = starpu_run(&traces) {
        return Ok(vec![main]);
    }
    // Endings such as `.json` say little; among several the content decides.
    if traces.len() > 1 {
        let known: Vec<PathBuf> = traces.iter().filter(|path| format_of(path).is_some()).cloned().collect();
        let joins = |path: &PathBuf| format_of(path).is_some_and(|format| format.joins);
        if !known.is_empty() {
            traces = known;
            if traces.iter().all(joins) {
                return Ok(traces);
            }
        }
    }
    let what = match (traces.as_slice(), stores.as_slice()) {
        ([_], _) => return Ok(traces),
        ([], []) if others.is_empty() => "a directory with no trace in it, nor anything else".to_owned(),
        ([], []) => format!(
            "a directory with no trace in it, only {}; name the trace itself, for OTF2 the file that ends in .otf2",
            listed(&others)
        ),
        ([], stores) => format!("a directory with no trace in it, but with stores; name one of {}", listed(stores)),
        (several, _) => format!("a directory with {} traces; name one of {}", several.len(), listed(several)),
    };
    refused(what)
}

/// The names of some of these.
fn listed(paths: &[PathBuf]) -> String {
    const MOST: usize = 8;
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut text = paths.iter().take(MOST).map(name).collect::<Vec<_>>().join(", ");
    if paths.len() > MOST {
        text.push_str(&format!(" and {} more", paths.len() - MOST));
    }
    text
}
