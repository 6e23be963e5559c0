//! How long each stage of long work takes, on the clock and on the processor, for `--json`.
//!
//! Processor time is that of all threads. Without it a result of a shared machine means nothing: the clock goes on while
//! others compute.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

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
}

/// Hands progress on and notes when stages begin.
pub(crate) struct StageTimes<'a> {
    inner: &'a dyn Progress,
    begun: Mutex<Vec<(&'static str, Moment)>>,
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
        StageTimes { inner, begun: Mutex::new(Vec::new()) }
    }

    /// The stages so far, each to the beginning of the next, the last one until now.
    pub(crate) fn stages(&self) -> Vec<Stage> {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let ends = begun.iter().skip(1).map(|(_, moment)| *moment).chain([Moment::now()]);
        let stage = |((name, from), to): (&(&'static str, Moment), Moment)| Stage {
            name,
            seconds: to.clock.duration_since(from.clock).as_secs_f64(),
            cpu_seconds: from.cpu.zip(to.cpu).map(|(from, to)| to - from),
        };
        begun.iter().zip(ends).map(stage).collect()
    }
}

impl Progress for StageTimes<'_> {
    fn begin(&self, work: Work, total: u64) {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).push((work.name(), Moment::now()));
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
        std::thread::sleep(std::time::Duration::from_millis(5));
        times.begin(TWO, 0);
        let stages = times.stages();
        assert_eq!(stages.iter().map(|stage| stage.name).collect::<Vec<_>>(), ["one", "two"]);
        let sum: f64 = stages.iter().map(|stage| stage.seconds).sum();
        assert!(stages[0].seconds >= 0.005 && sum <= start.elapsed().as_secs_f64(), "{stages:?}");
    }

    #[test]
    fn processor_time_is_read_behind_any_name() {
        let stat = "7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 50 13 14";
        assert_eq!(cpu_seconds_of(stat), Some(3.0));
        assert_eq!(cpu_seconds_of("7 (cut) S 1 2"), None);
        assert_eq!(cpu_seconds_of(""), None);
    }
}
