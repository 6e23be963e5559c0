//! `heddle notes`: what people wrote down about a trace, beside it.

use std::io::Write;

use heddle_store::{Draft, Notes, NotesError, notes_json};
use heddle_view::{notes_markdown, notes_text};

use super::{Usage, store_place};
use crate::args::NotesArgs;
use crate::text::{counted, harmless_json, printable_name};

pub(super) fn run(args: &NotesArgs) -> anyhow::Result<()> {
    let notes = Notes::of(&args.traces, &store_place(args.store.as_ref()))?;
    let mut out = std::io::stdout().lock();
    if let Some(name) = &args.add {
        let text = args.text.clone().unwrap_or_default();
        let view = args.link.clone().unwrap_or_else(|| "v=1".to_owned());
        let note = notes.add(Draft { name: name.clone(), text, view }).map_err(blamed)?;
        say_where(&notes);
        writeln!(out, "{}", note.id)?;
        return Ok(());
    }
    if let Some(id) = &args.remove {
        if !notes.list()?.iter().any(|note| note.id == *id) {
            return Err(NotesError::Unknown(printable_name(id)).into());
        }
        return Ok(notes.remove(id)?);
    }
    let all = notes.list()?;
    let text = if args.json {
        harmless_json(&notes_json(&all)?)
    } else if args.markdown {
        notes_markdown(notes.name(), &all)
    } else {
        eprintln!("{}: {}", printable_name(notes.name()), counted(all.len() as u64, "note"));
        notes_text(&all)
    };
    Ok(out.write_all(text.as_bytes())?)
}

/// Says where a note went if that is not beside the trace, where one would look for it.
fn say_where(notes: &Notes) {
    let (file, is_beside) = notes.home();
    if !is_beside {
        let file = printable_name(&file.display().to_string());
        eprintln!(
            "the folder of the trace cannot be written to; the note is in {file} and does not move along with the trace"
        );
    }
}

/// What cannot be written down was typed so.
fn blamed(error: NotesError) -> anyhow::Error {
    match error {
        NotesError::Wrong(what) => Usage(what).into(),
        error => error.into(),
    }
}
