//! How long each stage of long work takes, on the clock and on the processor, for `--json`.
//!
//! Processor time is that of all threads. Without it a result of a shared machine means nothing: the clock goes on while
//! others compute. How much of a stage only one thread worked in is found by looking every few milliseconds: what else runs
//! on the machine does not change that.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use heddle_store::{Progress, Work};
use serde::Serialize;

/// What a stage took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Stage {
    /// The words of the progress bar.
    name: &'static str,
    /// Seconds on the clock.
    seconds: f64,
    /// Seconds of all threads on processors, to a hundredth; none where the system does not tell.
    cpu_seconds: Option<f64>,
    /// Share of its time in which no more than one thread worked; none where the system does not tell, or it was too short.
    serial_share: Option<f64>,
}

/// Hands progress on and notes when stages begin and how many threads work.
pub(crate) struct StageTimes<'a> {
    inner: &'a dyn Progress,
    begun: Arc<Mutex<Vec<Begun>>>,
    watch: Option<Watch>,
}

struct Begun {
    name: &'static str,
    at: Moment,
    /// How often somebody looked, and how often no more than one thread worked then.
    looks: u32,
    serial: u32,
}

/// The thread that looks.
struct Watch {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Watch {
    const INTERVAL: Duration = Duration::from_millis(4);

    /// None if there can be no further thread: only the shares are missing then.
    fn over(begun: Arc<Mutex<Vec<Begun>>>) -> Option<Watch> {
        let is_over = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&is_over);
        let look = move || {
            while !until.load(Ordering::Relaxed) {
                // The thread that looks is at work itself.
                let Some(working) = working_threads().map(|threads| threads.saturating_sub(1)) else { return };
                if let Some(stage) = lock(&begun).last_mut() {
                    stage.looks += 1;
                    stage.serial += u32::from(working <= 1);
                }
                std::thread::park_timeout(Watch::INTERVAL);
            }
        };
        let thread = std::thread::Builder::new().name("stage times".to_owned()).spawn(look).ok()?;
        Some(Watch { is_over, thread })
    }
}

fn lock(begun: &Mutex<Vec<Begun>>) -> MutexGuard<'_, Vec<Begun>> {
    begun.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Clone, Copy)]
struct Moment {
    clock: Instant,
    cpu: Option<f64>,
}

impl Moment {
    fn now() -> Moment {
        Moment { clock: Instant::now(), cpu: cpu_seconds() }
    }
}

impl<'a> StageTimes<'a> {
    pub(crate) fn new(inner: &'a dyn Progress) -> StageTimes<'a> {
        let begun = Arc::default();
        StageTimes { inner, watch: Watch::over(Arc::clone(&begun)), begun }
    }

    /// The stages so far, each to the beginning of the next, the last one until now.
    pub(crate) fn stages(&self) -> Vec<Stage> {
        let begun = lock(&self.begun);
        let ends = begun.iter().skip(1).map(|stage| stage.at).chain([Moment::now()]);
        let stage = |(stage, to): (&Begun, Moment)| Stage {
            name: stage.name,
            seconds: to.clock.duration_since(stage.at.clock).as_secs_f64(),
            cpu_seconds: stage.at.cpu.zip(to.cpu).map(|(from, to)| to - from),
            serial_share: (stage.looks > 0).then(|| f64::from(stage.serial) / f64::from(stage.looks)),
        };
        begun.iter().zip(ends).map(stage).collect()
    }
}

impl Drop for StageTimes<'_> {
    fn drop(&mut self) {
        if let Some(watch) = self.watch.take() {
            watch.is_over.store(true, Ordering::Relaxed);
            watch.thread.thread().unpark();
            // It cannot have failed in a way that matters here.
            let _ = watch.thread.join();
        }
    }
}

impl Progress for StageTimes<'_> {
    fn begin(&self, work: Work, total: u64) {
        lock(&self.begun).push(Begun { name: work.name(), at: Moment::now(), looks: 0, serial: 0 });
        self.inner.begin(work, total);
    }

    fn advance(&self, done: u64) {
        self.inner.advance(done);
    }

    fn note(&self, text: &str) {
        self.inner.note(text);
    }

    fn waiting(&self) {
        self.inner.waiting();
    }

    fn is_cancelled(&self) -> bool {
        self.inner.is_cancelled()
    }
}

/// Processor time of this process so far, with that spent in the system.
fn cpu_seconds() -> Option<f64> {
    cpu_seconds_of(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// From a line of Linux's `/proc/PID/stat`: the 14th and 15th field, in hundredths.
fn cpu_seconds_of(stat: &str) -> Option<f64> {
    // The second field is the program's name, in brackets, and may contain anything.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some((ticks()? + ticks()?) as f64 / 100.0)
}

/// How many threads of this process run, or wait for a processor or a disk and not for each other.
fn working_threads() -> Option<usize> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?.flatten();
    // A thread that ends meanwhile has no more to say.
    let stats = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok());
    Some(stats.filter(|stat| is_working(stat)).count())
}

/// From a line of `/proc/PID/task/TID/stat`: the third field.
fn is_working(stat: &str) -> bool {
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with(['R', 'D']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_store::NoProgress;

    #[test]
    fn stages_follow_each_other() {
        const ONE: Work = Work::new("one");
        const TWO: Work = Work::new("two");
        let times = StageTimes::new(&NoProgress);
        assert_eq!(times.stages(), []);
        let start = Instant::now();
        times.begin(ONE, 3);
        std::thread::sleep(Duration::from_millis(5));
        times.begin(TWO, 0);
        let stages = times.stages();
        assert_eq!(stages.iter().map(|stage| stage.name).collect::<Vec<_>>(), ["one", "two"]);
        let sum: f64 = stages.iter().map(|stage| stage.seconds).sum();
        assert!(stages[0].seconds >= 0.005 && sum <= start.elapsed().as_secs_f64(), "{stages:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn one_thread_is_told_from_two() {
        const WORK: [Work; 2] = [Work::new("alone"), Work::new("together")];
        // Whoever works until enough was seen of each stage needs no processor of its own.
        let times = StageTimes::new(&NoProgress);
        let is_seen = |at: usize| lock(&times.begun).get(at).is_some_and(|stage| stage.looks >= 20);
        let work = |at| while !is_seen(at) {};
        times.begin(WORK[0], 0);
        work(0);
        times.begin(WORK[1], 0);
        std::thread::scope(|scope| {
            scope.spawn(|| work(1));
            work(1);
        });
        let shares: Vec<f64> = times.stages().iter().filter_map(|stage| stage.serial_share).collect();
        assert!(shares.len() == 2 && shares[1] < 0.5, "{shares:?}");
    }

    #[test]
    fn a_thread_that_waits_for_others_does_not_work() {
        assert!(is_working("7 (a) b (c) R 1 2 3") && is_working("7 (x) D 1"));
        assert!(!is_working("7 (R) S 1 2 3") && !is_working("7 (R"));
    }

    #[test]
    fn processor_time_is_read_behind_any_name() {
        let stat = "7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 50 13 14";
        assert_eq!(cpu_seconds_of(stat), Some(3.0));
        assert_eq!(cpu_seconds_of("7 (cut) S 1 2"), None);
        assert_eq!(cpu_seconds_of(""), None);
    }
}
