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

const FORMATS: [Format; 2] = [
    Format {
        name: "otf2",
        title: "Open Trace Format 2 (Score-P, EZTrace, TAU, HPX …)",
        open: "the anchor file NAME.otf2, or a directory that holds just one",
        recognised_by: "bytes 03, 42 or 23, then \"OTF2\" at the beginning of the anchor",
        limits: "trace formats up to 2; not SIONlib containers, not zlib-compressed archives",
    },
    Format {
        name: "heddle",
        title: "A Heddle store",
        open: "the directory NAME.heddle",
        recognised_by: "a file meta.json with the key \"heddle_store\"",
        limits: "made by this version of the format; others are imported again",
    },
];

pub(super) fn run(args: &FormatsArgs) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&FORMATS)?)?;
        return Ok(());
    }
    for format in &FORMATS {
        writeln!(out, "{:8}{}", format.name, format.title)?;
        writeln!(out, "        open:          {}", format.open)?;
        writeln!(out, "        recognised by: {}", format.recognised_by)?;
        writeln!(out, "        limits:        {}\n", format.limits)?;
    }
    Ok(())
}
