//! A progress bar on a terminal, nothing elsewhere; and Ctrl-C.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use heddle_store::{Progress, Work};

/// Set by Ctrl-C (and SIGTERM); whoever works long looks at it.
static CANCELLED: AtomicBool = AtomicBool::new(false);

/// Called by Ctrl-C: for those who sleep and cannot look.
#[cfg(feature = "page")]
static WAKE: std::sync::Mutex<Option<Box<dyn Fn() + Send>>> = std::sync::Mutex::new(None);

/// Calls this at Ctrl-C; at once if it has been pressed already.
#[cfg(feature = "page")]
pub(crate) fn on_interrupt(wake: impl Fn() + Send + 'static) {
    *WAKE.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(Box::new(wake));
    if is_cancelled() {
        wake_up();
    }
}

#[cfg(feature = "page")]
fn wake_up() {
    if let Some(wake) = &*WAKE.lock().unwrap_or_else(std::sync::PoisonError::into_inner) {
        wake();
    }
}

/// Lets Ctrl-C stop work in an orderly way; a second one stops at once.
pub(crate) fn catch_interrupt() {
    let caught = ctrlc::set_handler(|| {
        if CANCELLED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        #[cfg(feature = "page")]
        wake_up();
    });
    if let Err(error) = caught {
        eprintln!("heddle: Ctrl-C will leave temporary files behind: {error}");
    }
}

/// Whether Ctrl-C was pressed.
pub(crate) fn is_cancelled() -> bool {
    CANCELLED.load(Ordering::Relaxed)
}

/// Shows stages on stderr, with rate and time left, if stderr is a terminal.
pub(crate) struct TerminalProgress {
    bar: ProgressBar,
}

impl TerminalProgress {
    pub(crate) fn new() -> TerminalProgress {
        let target =
            if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        TerminalProgress { bar: ProgressBar::with_draw_target(None, target) }
    }

    /// A line for people that does not get in the way of the bar.
    pub(crate) fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    fn style(work: Work, total: u64) -> ProgressStyle {
        let template = match total {
            0 => "{msg:22} {spinner} {elapsed}",
            _ if work.counts_bytes() => "{msg:22} [{wide_bar}] {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left",
            _ => "{msg:22} [{wide_bar}] {percent} %  {per_sec}  {eta} left",
        };
        ProgressStyle::with_template(template)
            .map_or_else(|_| ProgressStyle::default_bar(), |style| style.progress_chars("=> "))
    }
}

impl Progress for TerminalProgress {
    fn note(&self, text: &str) {
        self.say(&format!("note: {}", crate::text::printable(text)));
    }

    fn begin(&self, work: Work, total: u64) {
        self.bar.set_style(Self::style(work, total));
        self.bar.set_message(work.name());
        self.bar.set_length(total);
        self.bar.reset();
        self.bar.enable_steady_tick(Duration::from_millis(120));
    }

    fn advance(&self, done: u64) {
        self.bar.inc(done);
    }

    fn waiting(&self) {
        eprintln!("heddle: another heddle is already working on this trace; waiting for it");
    }

    fn is_cancelled(&self) -> bool {
        is_cancelled()
    }
}

impl Drop for TerminalProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Shows nothing, but stops when the user wants to: for work that is done piece by piece.
pub(crate) struct Unseen;

impl Progress for Unseen {
    fn begin(&self, _work: Work, _total: u64) {}

    fn advance(&self, _done: u64) {}

    fn waiting(&self) {}

    fn is_cancelled(&self) -> bool {
        is_cancelled()
    }
}
