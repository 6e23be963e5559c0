//! `heddle list`: the running servers of this user.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use heddle_server::registry::{self, Running};

use crate::args::ListArgs;
use crate::text::{harmless_json, printable_name};

pub(super) fn run(args: &ListArgs) -> anyhow::Result<()> {
    let running = registry::directory().map(|directory| registry::running(&directory)).unwrap_or_default();
    let mut out = std::io::stdout().lock();
    if args.json {
        return Ok(writeln!(out, "{}", harmless_json(&serde_json::to_string_pretty(&running)?))?);
    }
    if running.is_empty() {
        eprintln!("no server is running; `heddle open TRACE` starts one");
    }
    let here = registry::host();
    for one in &running {
        writeln!(out, "{}", printable_name(&one.url))?;
        writeln!(out, "  {}{}", told(one), if one.host == here { "" } else { " (on another machine)" })?;
    }
    Ok(())
}

fn told(one: &Running) -> String {
    let traces = one.traces.join(", ");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let minutes = now.saturating_sub(one.since) / 60;
    let since = match minutes {
        0 => "just started".to_owned(),
        1..120 => format!("running for {minutes} min"),
        120..2_880 => format!("running for {} h", minutes / 60),
        _ => format!("running for {} days", minutes / 1_440),
    };
    printable_name(&format!("{traces} · process {} on {} · {since}", one.pid, one.host))
}
