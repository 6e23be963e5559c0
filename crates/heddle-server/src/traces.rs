//! The traces that are served, and how far each of them is.
//!
//! They are imported one after the other, on one thread: an import uses all cores, and its memory budget is meant for
//! the machine. The server answers meanwhile and says how far it is.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use axum::http::StatusCode;
use serde::Serialize;

use heddle_store::{
    ImportOptions, Notes, Progress, Store, StoreError, Work, group_traces, open_or_import_all, shown_name, stem_of,
};
use heddle_view::ColourBook;

use crate::error::Refusal;
use crate::keeper::Keeper;

/// Told about the imports as they go, beside the page.
pub trait ImportWatcher: Progress {
    /// A trace is being opened.
    fn begins(&self, name: &str);

    /// A trace can be shown.
    fn ready(&self, name: &str, store: &Store);

    /// A trace cannot be shown.
    fn failed(&self, name: &str, error: &StoreError);
}

/// What the server was started with.
#[derive(Debug)]
pub struct Traces {
    entries: Vec<Entry>,
    /// A function has the same colour in all of them. Traces come into the book as they become ready.
    book: Mutex<Arc<ColourBook>>,
}

#[derive(Debug)]
struct Entry {
    /// Its name in addresses.
    id: String,
    /// Its name for people.
    name: String,
    /// One, or the files that are a trace together.
    paths: Vec<PathBuf>,
    is_cancelled: AtomicBool,
    /// Of the stage that is going on: how much there is to do, and how much is done.
    total: AtomicU64,
    done: AtomicU64,
    state: Mutex<State>,
    keeper: Arc<Keeper>,
    /// Where its notes are, once it is ready.
    notes: OnceLock<Result<Notes, String>>,
}

#[derive(Clone, Debug)]
enum State {
    /// Its turn has not come.
    Queued,
    Importing(Option<&'static str>),
    Ready(Arc<Store>),
    /// It could be shown, until somebody damaged its store.
    Lost(String),
    Failed(String),
}

/// A trace as the list of traces says it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct TraceState {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stage: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) done: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

impl Traces {
    /// Traces or stores at these paths, none of them open yet. Files that are one trace together are one entry.
    pub fn new(paths: &[PathBuf]) -> Traces {
        let groups = group_traces(paths);
        let firsts: Vec<PathBuf> = groups.iter().map(|group| group[0].clone()).collect();
        let names = names(&firsts).into_iter().zip(&groups).map(|(name, group)| match group.len() {
            1 => name,
            several => format!("{name}+{}", several - 1),
        });
        let mut taken = HashSet::new();
        let entries = groups.iter().zip(names).map(|(paths, name)| Entry {
            id: unique(&slug(&name), &mut taken),
            name,
            paths: paths.clone(),
            is_cancelled: AtomicBool::new(false),
            total: AtomicU64::new(0),
            done: AtomicU64::new(0),
            state: Mutex::new(State::Queued),
            keeper: Arc::default(),
            notes: OnceLock::new(),
        });
        Traces { entries: entries.collect(), book: Mutex::default() }
    }

    /// What people call them.
    pub fn names(&self) -> Vec<String> {
        self.entries.iter().map(|entry| entry.name.clone()).collect()
    }

    /// Opens or imports all of them, to the end. Stores go first: they take milliseconds.
    pub fn import_all(&self, options: &ImportOptions, watcher: &dyn ImportWatcher) {
        let (stores, traces): (Vec<&Entry>, Vec<&Entry>) =
            self.entries.iter().partition(|entry| entry.paths[0].join("meta.json").is_file());
        for entry in stores.into_iter().chain(traces) {
            entry.import(options, watcher, |store| Arc::make_mut(&mut self.lock_book()).add(store));
        }
    }

    /// The colours of functions in all traces that are ready.
    pub(crate) fn book(&self) -> Arc<ColourBook> {
        Arc::clone(&self.lock_book())
    }

    fn lock_book(&self) -> MutexGuard<'_, Arc<ColourBook>> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is nothing to show, and will not be.
    pub fn all_failed(&self) -> bool {
        self.entries.iter().all(|entry| matches!(*entry.lock(), State::Failed(_)))
    }

    pub(crate) fn states(&self) -> Vec<TraceState> {
        self.entries.iter().map(Entry::told).collect()
    }

    /// The name and store of a trace that can be shown.
    pub(crate) fn ready(&self, id: &str) -> Result<(&str, Arc<Store>), Refusal> {
        let entry = self.entry(id)?;
        let mut state = entry.lock();
        if let State::Ready(store) = &*state
            && let Err(error) = store.check()
        {
            *state = State::Lost(error.to_string());
        }
        match &*state {
            State::Ready(store) => Ok((&entry.name, Arc::clone(store))),
            State::Lost(error) | State::Failed(error) => {
                Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, error.clone()))
            }
            State::Queued | State::Importing(_) => {
                Err(Refusal::new(StatusCode::CONFLICT, "The trace is still being imported."))
            }
        }
    }

    /// The results of a trace's analyses.
    pub(crate) fn keeper(&self, id: &str) -> Result<Arc<Keeper>, Refusal> {
        self.entry(id).map(|entry| Arc::clone(&entry.keeper))
    }

    /// The notes of a trace that can be shown.
    pub(crate) fn notes(&self, id: &str) -> Result<&Notes, Refusal> {
        match self.entry(id)?.notes.get() {
            Some(Ok(notes)) => Ok(notes),
            Some(Err(error)) => Err(Refusal::new(StatusCode::CONFLICT, error.clone())),
            None => Err(Refusal::new(StatusCode::CONFLICT, "The trace is still being imported.")),
        }
    }

    /// Gives up an import.
    pub(crate) fn cancel(&self, id: &str) -> Result<(), Refusal> {
        let entry = self.entry(id)?;
        let mut state = entry.lock();
        match &*state {
            State::Queued => *state = State::Failed(StoreError::Cancelled.to_string()),
            State::Importing(_) => entry.is_cancelled.store(true, Ordering::Relaxed),
            _ => return Err(Refusal::new(StatusCode::CONFLICT, "The trace is not being imported.")),
        }
        Ok(())
    }

    fn entry(&self, id: &str) -> Result<&Entry, Refusal> {
        let found = self.entries.iter().find(|entry| entry.id == id);
        found.ok_or_else(|| Refusal::missing("There is no such trace here."))
    }
}

impl Entry {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens or imports it. `prepare` sees it before anybody may ask for it.
    fn import(&self, options: &ImportOptions, watcher: &dyn ImportWatcher, prepare: impl FnOnce(&Store)) {
        {
            let mut state = self.lock();
            if !matches!(*state, State::Queued) || watcher.is_cancelled() {
                return;
            }
            *state = State::Importing(None);
        }
        watcher.begins(&self.name);
        let progress = Told { entry: self, watcher };
        // A bug in a reader must not leave a page that waits for ever.
        let opened = catch_unwind(AssertUnwindSafe(|| open_or_import_all(&self.paths, options, &progress)));
        let opened = opened.unwrap_or_else(|_| {
            Err(StoreError::Trace(format!("{}: the import failed at a bug of Heddle", self.paths[0].display())))
        });
        match opened {
            Ok(imported) => {
                prepare(&imported.store);
                let notes = Notes::of(&self.paths, &options.place).map_err(|error| error.to_string());
                // It is imported once.
                let _ = self.notes.set(notes);
                watcher.ready(&self.name, &imported.store);
                *self.lock() = State::Ready(Arc::new(imported.store));
            }
            // The server is being stopped: nothing is wrong with the trace.
            Err(StoreError::Cancelled) if watcher.is_cancelled() => {}
            Err(error) => {
                *self.lock() = State::Failed(error.to_string());
                watcher.failed(&self.name, &error);
            }
        }
    }

    fn told(&self) -> TraceState {
        let (state, stage, error) = match &*self.lock() {
            State::Queued => ("importing", Some("waiting for the traces before it"), None),
            State::Importing(stage) => ("importing", *stage, None),
            State::Ready(_) => ("ready", None, None),
            State::Lost(error) | State::Failed(error) => ("failed", None, Some(error.clone())),
        };
        let (total, done) = (self.total.load(Ordering::Relaxed), self.done.load(Ordering::Relaxed));
        let share = (stage.is_some() && total > 0).then(|| (done as f64 / total as f64).min(1.0));
        TraceState { id: self.id.clone(), name: self.name.clone(), state, stage, done: share, error }
    }
}

/// Tells the page and the terminal alike; either may stop the import.
struct Told<'a> {
    entry: &'a Entry,
    watcher: &'a dyn ImportWatcher,
}

impl Progress for Told<'_> {
    fn note(&self, text: &str) {
        self.watcher.note(text);
    }

    fn begin(&self, work: Work, total: u64) {
        self.entry.total.store(total, Ordering::Relaxed);
        self.entry.done.store(0, Ordering::Relaxed);
        *self.entry.lock() = State::Importing(Some(work.name()));
        self.watcher.begin(work, total);
    }

    fn advance(&self, done: u64) {
        self.entry.done.fetch_add(done, Ordering::Relaxed);
        self.watcher.advance(done);
    }

    fn waiting(&self) {
        *self.entry.lock() = State::Importing(Some("waiting for another import of this trace"));
        self.watcher.waiting();
    }

    fn is_cancelled(&self) -> bool {
        self.entry.is_cancelled.load(Ordering::Relaxed) || self.watcher.is_cancelled()
    }
}

/// The file's name without its ending, or that of the folder which says more; with the folder above where several would be
/// called the same.
fn names(paths: &[PathBuf]) -> Vec<String> {
    let text = |name: Option<&std::ffi::OsStr>| name.unwrap_or_default().to_string_lossy().into_owned();
    let full: Vec<PathBuf> = paths.iter().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone())).collect();
    let own = |path: &PathBuf| {
        let (file, folder) = (text(path.file_name()), path.parent().unwrap_or(Path::new("")));
        let stem = stem_of(&file);
        let shown = shown_name(stem, folder);
        // The folder that is not in the name yet.
        let above = if shown == stem { Some(folder) } else { folder.parent() };
        (shown, text(above.and_then(Path::file_name)))
    };
    let own: Vec<(String, String)> = full.iter().map(own).collect();
    let name = |(name, above): &(String, String)| {
        let is_unique = own.iter().filter(|(other, _)| other == name).count() == 1;
        if is_unique || above.is_empty() { name.clone() } else { format!("{above}/{name}") }
    };
    own.iter().map(name).collect()
}

/// A name for addresses. It is made from the trace's name, so that a link to a picture works for the next server too.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().take(60) {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => slug.push(c),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "trace".to_owned() } else { slug.to_owned() }
}

fn unique(slug: &str, taken: &mut HashSet<String>) -> String {
    let numbered = (2u64..).map(|number| format!("{slug}-{number}"));
    let free = std::iter::once(slug.to_owned()).chain(numbered).find(|id| !taken.contains(id)).unwrap_or_default();
    taken.insert(free.clone());
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(paths: &[&str]) -> Vec<String> {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        Traces::new(&paths).entries.into_iter().map(|entry| entry.id).collect()
    }

    #[test]
    fn ids_come_from_names_and_are_different() {
        assert_eq!(ids(&["/x/run.otf2", "/x/other.heddle"]), ["run", "other"]);
        assert_eq!(ids(&["/x/rank0.pt.trace.json.gz", "/x/lu.paje.zst"]), ["rank0", "lu"]);
        assert_eq!(ids(&["/x/One Run/traces.otf2", "/x/two/traces.otf2"]), ["one-run", "two"]);
        assert_eq!(ids(&["/x/a/run/traces.otf2", "/x/b/run/traces.otf2"]), ["a-run", "b-run"]);
        assert_eq!(ids(&["/x/run.otf2", "/x/run.otf2"]), ["x-run", "x-run-2"]);
        assert_eq!(ids(&["/x/<script>…\u{202e}.otf2", "/x/….otf2"]), ["script", "trace"]);
        assert_eq!(ids(&[&format!("/x/{}.otf2", "long".repeat(50))])[0].len(), 60);
    }

    #[test]
    fn an_import_that_waits_its_turn_can_be_given_up() {
        let traces = Traces::new(&[PathBuf::from("/nowhere/run.otf2")]);
        assert_eq!(traces.states()[0].state, "importing");
        assert_eq!(traces.ready("run").map(|_| ()).map_err(|refusal| refusal.status), Err(StatusCode::CONFLICT));
        assert!(!traces.all_failed());
        traces.cancel("run").unwrap();
        assert_eq!(traces.states()[0].state, "failed");
        assert!(traces.all_failed());
        assert_eq!(traces.cancel("run").map_err(|refusal| refusal.status), Err(StatusCode::CONFLICT));
        assert_eq!(traces.cancel("other").map_err(|refusal| refusal.status), Err(StatusCode::NOT_FOUND));
    }
}
