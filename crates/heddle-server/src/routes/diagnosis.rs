//! What is wrong with a run, in words, and how well its time was used.

use axum::response::Response;

use heddle_view::{diagnosis_told, efficiency_told};

use crate::asked::Asked;
use crate::error::Refusal;

/// The verdict, what costs time, and what is not a problem; refused while that is not there.
pub(super) async fn diagnosis(asked: Asked) -> Result<Response, Refusal> {
    asked.answer(|asked| Ok(diagnosis_told(&asked.store, &*asked.diagnosis()?))).await
}

/// The efficiencies of the run and of the window of the query.
pub(super) async fn efficiency(asked: Asked) -> Result<Response, Refusal> {
    asked.answer(|asked| Ok(efficiency_told(&asked.store, &*asked.diagnosis()?, &asked.query.window()?))).await
}
