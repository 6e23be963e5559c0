//! How long the analysis of a store takes, stage by stage, and how much memory beyond mapped files.
//!
//! ```text
//! heddle simulate halo --ranks 1024 --iterations 9600 -o /tmp/x.heddle
//! cargo run --release -p heddle-diagnosis --example measure -- /tmp/x.heddle
//! ```

use std::error::Error;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use heddle_diagnosis::rows::Rows;
use heddle_diagnosis::run::Run;
use heddle_model::Ns;
use heddle_store::{Progress, Store, Work};

/// Anonymous memory of this process, in bytes.
fn anonymous() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

/// Processor time of this process, in seconds.
fn processor() -> f64 {
    let ticks = |field: &str| field.parse::<u64>().unwrap_or(0);
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    (fields.get(11).map_or(0, |user| ticks(user)) + fields.get(12).map_or(0, |system| ticks(system))) as f64 / 100.0
}

/// Says when stages begin.
struct Stages {
    start: Instant,
    last: Mutex<Option<String>>,
    peak: AtomicU64,
}

impl Stages {
    fn next(&self, name: Option<String>) {
        let Ok(mut last) = self.last.lock() else { return };
        if let Some(known) = std::mem::replace(&mut *last, name) {
            let peak = self.peak.swap(0, Ordering::Relaxed);
            let (elapsed, used) = (self.start.elapsed().as_secs_f64(), processor());
            println!("{elapsed:8.2} s, {used:8.2} s of processors: {known} (up to {} MiB)", peak >> 20);
        }
    }
}

impl Progress for Stages {
    fn begin(&self, work: Work, _total: u64) {
        self.next(Some(work.name().to_owned()));
    }

    fn advance(&self, _done: u64) {}

    fn waiting(&self) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which store?")?;
    let store = Store::open(Path::new(&path))?;
    println!("{} spans, {} messages", store.spans.len(), store.messages.len());
    let is_over = AtomicBool::new(false);
    let stages = Stages { start: Instant::now(), last: Mutex::new(None), peak: AtomicU64::new(0) };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                stages.peak.fetch_max(anonymous(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        let measured = measure(&store, &stages);
        is_over.store(true, Ordering::Relaxed);
        measured
    })
}

fn measure(store: &Store, stages: &Stages) -> Result<(), Box<dyn Error>> {
    let (run, replay) = Run::new(store, stages)?;
    stages.next(None);
    let (waits, charges) = (run.waits.list.len(), run.delays.charges.len());
    println!("{waits} waits, {charges} charges, {} pieces, {} MiB now", run.path.len(), anonymous() >> 20);
    println!("length {}, replayed {}, {} unmet", run.length, run.replayed, run.unmet);
    let (from, to) = Rows::new(store).run;
    let length = to.0 - from.0;
    let before = processor();
    let mut took: Vec<f64> = (0..200i64)
        .map(|at| {
            let start = from.0 + length / 300 * at;
            let asked = Instant::now();
            let found = run.efficiency(store, (Ns(start), Ns(start + length / (3 + at % 50))));
            assert!(found.elapsed >= 0);
            asked.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    took.sort_by(f64::total_cmp);
    let used = (processor() - before) * 1e3 / took.len() as f64;
    println!("efficiency of a window: {used:.1} ms of processors, median {:.1} ms, p95 {:.1} ms", took[100], took[190]);
    let before = processor();
    println!("without anything: {} in {:.2} s of processors", replay.without(&[]), processor() - before);
    Ok(())
}
