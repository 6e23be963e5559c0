//! Notes on a trace, in the file beside it: listed, added, changed, moved, removed, and as a file of their own.
//!
//! Every change is answered with the whole list: it has what others wrote meanwhile.

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::{Deserialize, Serialize};

use heddle_store::{Draft, Note, Notes, NotesError, notes_json};
use heddle_view::{harmless_json, notes_markdown, printable};

use super::{Body, json};
use crate::asked::Asked;
use crate::error::Refusal;

/// All notes, and where a new one goes.
#[derive(Serialize)]
struct NotesTold {
    notes: Vec<Note>,
    file: String,
    /// Whether that is beside the trace, where others find it.
    is_beside: bool,
    /// The one that was added or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<String>,
}

#[derive(Deserialize)]
struct Move {
    by: i32,
}

impl From<NotesError> for Refusal {
    fn from(error: NotesError) -> Refusal {
        let status = match error {
            NotesError::Wrong(_) => StatusCode::BAD_REQUEST,
            NotesError::Unknown(_) => StatusCode::NOT_FOUND,
            NotesError::Busy { .. } => StatusCode::SERVICE_UNAVAILABLE,
            // The file is in the way; what is wrong with it has to be dealt with first.
            _ => StatusCode::CONFLICT,
        };
        Refusal::new(status, printable(&error.to_string()))
    }
}

pub(super) async fn list(asked: Asked) -> Result<Response, Refusal> {
    change(asked, |_| Ok(None)).await
}

pub(super) async fn add(asked: Asked, request: Request) -> Result<Response, Refusal> {
    let draft = draft(&asked, request).await?;
    change(asked, |notes| notes.add(draft).map(|note| Some(note.id))).await
}

pub(super) async fn put(asked: Asked, request: Request) -> Result<Response, Refusal> {
    let (id, draft) = (asked.part("note").to_owned(), draft(&asked, request).await?);
    change(asked, move |notes| notes.put(&id, draft).map(|note| Some(note.id))).await
}

pub(super) async fn remove(asked: Asked) -> Result<Response, Refusal> {
    let id = asked.part("note").to_owned();
    change(asked, move |notes| notes.remove(&id).map(|()| None)).await
}

pub(super) async fn shift(asked: Asked, request: Request) -> Result<Response, Refusal> {
    let id = asked.part("note").to_owned();
    let asked_for: Option<Move> = json::read(&asked.app, request).await?;
    let by = asked_for.map(|Move { by }| by).filter(|by| matches!(by, -1 | 1));
    let by = by.ok_or_else(|| Refusal::wrong("A note is moved with JSON: {\"by\": 1} or {\"by\": -1}."))?;
    change(asked, move |notes| notes.shift(&id, by).map(|()| None)).await
}

/// All notes as `NAME.md`, or as `NAME.json`, which is how their file has them.
pub(super) async fn file(asked: Asked) -> Result<Response, Refusal> {
    let is_markdown = match asked.part("file") {
        "notes.md" => true,
        "notes.json" => false,
        _ => return Err(Refusal::missing("Notes are notes.md or notes.json.")),
    };
    let app = asked.app.clone();
    app.work
        .run(move || {
            let notes = asked.app.traces.notes(&asked.id)?;
            let all = notes.list()?;
            let (text, kind, ending) = if is_markdown {
                (notes_markdown(notes.name(), &all), "text/markdown; charset=utf-8", "md")
            } else {
                (harmless_json(&notes_json(&all)?), "application/json", "json")
            };
            let mut response = Body { bytes: text.into_bytes(), kind }.answer(false)?;
            // The id is a word of our own: nothing in it needs quoting.
            let disposition = format!("attachment; filename=\"{}-notes.{ending}\"", asked.id);
            if let Ok(value) = HeaderValue::from_str(&disposition) {
                response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
            }
            Ok(response)
        })
        .await
}

async fn draft(asked: &Asked, request: Request) -> Result<Draft, Refusal> {
    let draft = json::read(&asked.app, request).await?;
    draft.ok_or_else(|| Refusal::wrong("A note is JSON: {\"name\": \"…\", \"text\": \"…\", \"view\": \"v=1&…\"}."))
}

/// Changes the notes of the trace, and answers with all of them.
async fn change<F>(asked: Asked, job: F) -> Result<Response, Refusal>
where
    F: FnOnce(&Notes) -> Result<Option<String>, NotesError> + Send + 'static,
{
    asked
        .answer(|asked| {
            let notes = asked.app.traces.notes(&asked.id)?;
            let changed = job(notes)?;
            let (file, is_beside) = notes.home();
            Ok(NotesTold { notes: notes.list()?, file: printable(&file.display().to_string()), is_beside, changed })
        })
        .await
}
