//! Messages in motion: what links do over the window of a picture, the messages from a moment on, and what one of them is called.

use axum::response::Response;
use serde::Serialize;

use heddle_view::{Selection, name_of_message};

use super::Body;
use crate::asked::Asked;
use crate::error::Refusal;
use crate::wire::{wire_activity, wire_moving};

/// What links and elements do: the same question as for the picture.
pub(super) async fn activity(asked: Asked) -> Result<Response, Refusal> {
    let app = asked.app.clone();
    app.work
        .run(move || {
            let view = asked.view()?;
            let request = asked.view_request(view)?;
            let activity = view.activity(asked.prepare(view, &request)?, &request).ok_or_else(still)?;
            binary(&asked, wire_activity(&activity))
        })
        .await
}

/// The messages in flight from a moment on.
pub(super) async fn messages(asked: Asked) -> Result<Response, Refusal> {
    let app = asked.app.clone();
    app.work
        .run(move || {
            let view = asked.view()?;
            let (request, from) = (asked.view_request(view)?, asked.query.moment()?);
            let moving = view.moving(asked.prepare(view, &request)?, &request, from).ok_or_else(still)?;
            binary(&asked, wire_moving(&moving))
        })
        .await
}

fn still() -> Refusal {
    Refusal::missing("In this view nothing moves.")
}

fn binary(asked: &Asked, bytes: Vec<u8>) -> Result<Response, Refusal> {
    Body { bytes, kind: "application/octet-stream" }.answer(asked.takes_gzip)
}

/// What a message is called.
#[derive(Serialize)]
struct Named {
    select: Option<Selection>,
}

/// The selection of a message by its row.
pub(super) async fn message(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let row = asked.query.row()?;
            if row >= asked.store.messages.len() {
                return Err(Refusal::missing("The trace has no such message."));
            }
            Ok(Named { select: name_of_message(&asked.store, row) })
        })
        .await
}
