//! Single spans: what is known of one, and where the next is.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use heddle_view::{Direction, SpanName, details as details_of, find as find_in, step_facts};

use super::computed;
use crate::app::App;
use crate::error::Refusal;
use crate::params::{Ids, Query};

const DIRECTIONS: [(&str, Direction); 3] =
    [("next", Direction::Next), ("previous", Direction::Previous), ("longest", Direction::Longest)];

pub(super) async fn details(
    State(app): State<App>,
    Ids((id, location, ordinal)): Ids<(String, String, String)>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, store) = app.traces.ready(&id)?;
    let keeper = app.traces.logical(&id)?;
    let (window, theme, options) = (query.window()?, query.theme()?, query.logical_options()?);
    let missing = || Refusal::missing("There is no such span in this trace.");
    let (Ok(location), Ok(ordinal)) = (location.parse(), ordinal.parse()) else { return Err(missing()) };
    computed(&app, &headers, move || {
        let span = SpanName { location, ordinal }.find(&store).ok_or_else(missing)?;
        let mut details = details_of(&store, &window, theme, span);
        if let Some(logical) = keeper.structure(&store, &options) {
            details.facts.extend(step_facts(&store, &logical, &window, span));
        }
        Ok(details)
    })
    .await
}

pub(super) async fn find(
    State(app): State<App>,
    Ids(id): Ids<String>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, store) = app.traces.ready(&id)?;
    let (window, region, from) = (query.window()?, query.region(&store)?, query.moment()?);
    let direction = query.word("direction", &DIRECTIONS)?;
    computed(&app, &headers, move || Ok(find_in(&store, &window, region, from, direction))).await
}
