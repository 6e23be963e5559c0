//! How far nodes have come, in figures and words.

use axum::response::Response;

use heddle_view::{View, about_progress};

use crate::asked::Asked;
use crate::error::Refusal;

/// What the lines and groups say: the same question as for a picture of them.
pub(super) async fn progress(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let request = asked.view_request_in_words(View::Progress)?;
            let trace = asked.prepare(View::Progress, &request)?;
            about_progress(&trace, &request).ok_or_else(|| Refusal::missing("The trace has no work to count."))
        })
        .await
}
