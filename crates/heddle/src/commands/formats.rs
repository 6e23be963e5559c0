//! `heddle formats`: what can be read, and how each is recognised.

use std::io::Write;

use serde::Serialize;

use crate::args::FormatsArgs;

#[derive(Serialize)]
struct Format {
    name: &'static str,
    title: &'static str,
    open: &'static str,
    recognised_by: &'static str,
    limits: &'static str,
}

/// Everything that can be opened: the trace formats, and what they become.
fn formats() -> Vec<Format> {
    let traces = heddle_formats::FORMATS.iter().map(|format| Format {
        name: format.name,
        title: format.title,
        open: format.open,
        recognised_by: format.recognised_by,
        limits: format.limits,
    });
    let store = Format {
        name: "heddle",
        title: "A Heddle store",
        open: "the directory NAME.heddle",
        recognised_by: "a file meta.json with the key \"heddle_store\"",
        limits: "made by this version of the format; others are imported again",
    };
    traces.chain([store]).collect()
}

pub(super) fn run(args: &FormatsArgs) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&formats())?)?;
        return Ok(());
    }
    for format in formats() {
        writeln!(out, "{:8}{}", format.name, format.title)?;
        writeln!(out, "        open:          {}", format.open)?;
        writeln!(out, "        recognised by: {}", format.recognised_by)?;
        writeln!(out, "        limits:        {}\n", format.limits)?;
    }
    Ok(())
}
