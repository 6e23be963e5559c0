//! Running other programs: with a time limit, measured, their memory watched.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How often a running program's memory is looked at.
const SAMPLE_EVERY: Duration = Duration::from_millis(5);

/// No program that we start runs longer than this.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(1_800);

/// How one run of a program went.
#[derive(Debug)]
pub(crate) struct Run {
    /// From start to end.
    pub(crate) wall: Duration,
    /// What it wrote to stdout; empty if that was discarded.
    pub(crate) stdout: String,
    /// Most memory it was seen to hold.
    pub(crate) peak: Memory,
    /// Seconds of all its threads on processors, up to the last look at it.
    pub(crate) cpu: f64,
}

/// Memory of a process in bytes. Zero if it ended before it could be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    /// Anonymous memory: its own, not pages of mapped files.
    pub(crate) anonymous: u64,
    /// Resident memory, mapped files included, as the kernel's own high-water mark has it.
    pub(crate) resident: u64,
}

impl Memory {
    /// The larger of each.
    pub(crate) fn max(self, other: Memory) -> Memory {
        Memory { anonymous: self.anonymous.max(other.anonymous), resident: self.resident.max(other.resident) }
    }
}

/// What becomes of a program's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// Kept in [`Run::stdout`].
    Keep,
    /// Goes to the null device, as `> /dev/null` does.
    Discard,
}

/// Runs a program to its end and measures it. Fails if it does, or if it takes longer than `limit`.
pub(crate) fn run(command: &mut Command, output: Output, limit: Duration) -> Result<Run> {
    let shown = show(command);
    let mut kept = tempfile::tempfile().context("no temporary file for a program's output")?;
    command.stdin(Stdio::null()).stderr(Stdio::piped()).stdout(match output {
        Output::Keep => Stdio::from(kept.try_clone()?),
        Output::Discard => Stdio::null(),
    });
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("cannot start `{shown}`"))?;
    let id = child.id();

    // The end of the program closes its stderr: a thread that reads it wakes us at once, where polling
    // would add its own interval to every time measured.
    let (done, wait) = channel();
    let mut stderr = child.stderr.take().context("stderr is piped")?;
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stderr.read_to_end(&mut bytes);
        let _ = done.send(());
        bytes
    });
    let (mut peak, mut cpu) = (memory(id), 0.0);
    while wait.recv_timeout(SAMPLE_EVERY) == Err(RecvTimeoutError::Timeout) {
        peak = peak.max(memory(id));
        cpu = cpu_seconds(id).unwrap_or(cpu);
        if start.elapsed() > limit {
            child.kill().with_context(|| format!("cannot stop `{shown}`"))?;
            child.wait()?;
            bail!("`{shown}` took longer than {} s and was stopped", limit.as_secs());
        }
    }
    // It is there until somebody waits for it, with all that it took.
    cpu = cpu_seconds(id).unwrap_or(cpu);
    let status = child.wait()?;
    let wall = start.elapsed();
    let stderr = reader.join().unwrap_or_default();
    if !status.success() {
        bail!("`{shown}` failed ({}):\n{}", describe(status), tail(&String::from_utf8_lossy(&stderr), 15));
    }
    Ok(Run { wall, stdout: read_back(&mut kept)?, peak, cpu })
}

/// Seconds that a running program has spent on all cores, those of its threads that have ended included.
pub(crate) fn cpu_seconds(id: u32) -> Result<f64> {
    let file = format!("/proc/{id}/stat");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
    parse_stat(&text).with_context(|| format!("{file} is not as expected"))
}

/// The command line as a person would type it: program and files by their last name only, so that
/// nothing printed depends on where the checkout lies.
pub(crate) fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words
        .map(|word| {
            let path = std::path::Path::new(word);
            let name = if path.is_absolute() { path.file_name().unwrap_or(word) } else { word };
            name.to_string_lossy().into_owned()
        })
        .collect();
    words.join(" ")
}

/// Whether a program of this name can be started.
pub(crate) fn is_installed(program: &str) -> bool {
    find(program).is_some()
}

/// The file that a program's name stands for.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// `exit code 1`, or which signal.
pub(crate) fn describe(status: ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"))
}

fn read_back(file: &mut File) -> Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

fn memory(id: u32) -> Memory {
    fs::read_to_string(format!("/proc/{id}/status")).map(|text| parse_status(&text)).unwrap_or_default()
}

/// Seconds in the program and in the system: the 14th and 15th field, in hundredths.
fn parse_stat(text: &str) -> Option<f64> {
    // The second field is the program's name, in brackets, and may contain anything.
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some((ticks()? + ticks()?) as f64 / 100.0)
}

fn parse_status(text: &str) -> Memory {
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
    };
    Memory { anonymous: field("RssAnon").unwrap_or(0), resident: field("VmHWM").unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn memory_is_read_from_the_status_file() {
        let text = "Name:\tx\nVmHWM:\t   2048 kB\nRssAnon:\t     12 kB\nRssFile:\t 5 kB\n";
        assert_eq!(parse_status(text), Memory { anonymous: 12 * 1024, resident: 2048 * 1024 });
        assert_eq!(parse_status("State:\tZ (zombie)\n"), Memory::default());
    }

    #[test]
    fn processor_time_is_read_behind_any_name() {
        assert_eq!(parse_stat("7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 50 13 14"), Some(3.0));
        assert_eq!(parse_stat("7 (cut) S 1 2"), None);
    }

    #[test]
    fn output_and_memory_of_a_run_are_kept() {
        let run = run(&mut shell("echo out; sleep 0.05; echo err >&2"), Output::Keep, TIME_LIMIT).expect("runs");
        assert_eq!(run.stdout, "out\n");
        assert!(run.wall >= Duration::from_millis(50), "{:?}", run.wall);
        if cfg!(target_os = "linux") {
            assert!(run.peak.anonymous > 0 && run.peak.resident >= run.peak.anonymous, "{:?}", run.peak);
        }
    }

    #[test]
    fn a_failure_says_what_the_program_said() {
        let error = run(&mut shell("echo why >&2; exit 3"), Output::Discard, TIME_LIMIT).expect_err("fails");
        let text = error.to_string();
        assert!(text.contains("exit code 3") && text.contains("why"), "{text}");
    }

    #[test]
    fn a_program_that_hangs_is_stopped() {
        let start = Instant::now();
        let mut sleep = Command::new("sleep");
        let error = run(sleep.arg("60"), Output::Discard, Duration::from_millis(50)).expect_err("too long");
        assert!(error.to_string().contains("longer"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn shown_commands_hold_no_folders() {
        let mut command = Command::new("/somewhere/heddle");
        command.args(["import", "/elsewhere/x.otf2", "--threads", "2"]);
        assert_eq!(show(&command), "heddle import x.otf2 --threads 2");
    }
}
