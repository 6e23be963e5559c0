//! Traffic on the machine, in figures and words.

use axum::response::Response;

use heddle_view::{MappingsOptions, View, about_network, compare_mappings};

use crate::asked::Asked;
use crate::error::Refusal;

/// What the links say: the same question as for a picture of them.
pub(super) async fn network(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let request = asked.view_request_in_words(View::Torus)?;
            let trace = asked.prepare(View::Torus, &request)?;
            about_network(&trace, &request).ok_or_else(|| Refusal::missing("The trace has no machine."))
        })
        .await
}

/// What several mappings put on the links.
pub(super) async fn mappings(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let request = asked.view_request_in_words(View::Mappings)?;
            let trace = asked.prepare(View::Mappings, &request)?;
            let torus = trace.network.as_ref().and_then(|network| network.machine.shape.torus());
            let dimensions = torus.map_or(0, |torus| torus.dimensions().len());
            let names = request.options.read::<MappingsOptions>()?.names(dimensions);
            Ok(compare_mappings(&trace, &request, &names))
        })
        .await
}
