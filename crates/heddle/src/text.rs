//! Text for people: numbers with separators, durations in units people use, names made harmless.

use std::io::{IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

pub(crate) use heddle_view::{counted, duration_text as duration, grouped, harmless_json, printable, printable_name};

/// A line with a path: harmless on a terminal, byte by byte as it is for a script.
pub(crate) fn write_path(out: &mut (impl Write + IsTerminal), path: &Path) -> std::io::Result<()> {
    if out.is_terminal() {
        return writeln!(out, "{}", printable_name(&path.display().to_string()));
    }
    out.write_all(path.as_os_str().as_bytes())?;
    out.write_all(b"\n")
}
