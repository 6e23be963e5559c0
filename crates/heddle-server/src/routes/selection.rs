//! What is selected: what is known of it, why it is late, what lies in it, and where the next call is.

use axum::response::Response;

use heddle_view::{
    AnalysisKind, Brush, Direction, Selection, Trace, Urgency, View, ViewRequest, area_told, brush_rests_on_profile,
    brushed, calls_told, cause_of, cluster_details, details as details_of, find as find_in, machine_details,
    message_route, messages_told, shown_clusters,
};

use crate::asked::Asked;
use crate::error::Refusal;

const DIRECTIONS: [(&str, Direction); 3] =
    [("next", Direction::Next), ("previous", Direction::Previous), ("longest", Direction::Longest)];

fn missing() -> Refusal {
    Refusal::missing("The trace has nothing of that name.")
}

pub(super) async fn details(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let query = &asked.query;
            let (window, colours, selected) = (asked.window()?, asked.colours()?, query.selection()?);
            if let Selection::Cluster(node) = selected {
                let data = asked.clusters()?;
                let shown = shown_clusters(&data.clusters, &query.options(&View::Clusters.options())?);
                return cluster_details(&asked.store, &data, node, &shown).ok_or_else(missing);
            }
            if matches!(selected, Selection::Nodes(_) | Selection::Link(_)) {
                // Pictures have a size; an answer in words needs none.
                let request = asked.view_request_in_words(View::Torus)?;
                let trace = asked.prepare(View::Torus, &request)?;
                return machine_details(&trace, &request, &selected).ok_or_else(missing);
            }
            if let Selection::Messages(between) = &selected {
                let request = ViewRequest { window, ..asked.view_request_in_words(View::Matrix)? };
                // Whatever rows the matrix has, the messages are the same.
                let messages = AnalysisKind::Messages.need(&asked.store, &request.options)?;
                let trace = asked.with([(messages, Urgency::Required)])?;
                return messages_told(&trace, &request, between).ok_or_else(missing);
            }
            if let Selection::Calls(range) = &selected {
                let request = ViewRequest { window, ..asked.view_request_in_words(View::Histogram)? };
                let profile = AnalysisKind::Profile.need(&asked.store, &request.options)?;
                let trace = asked.with([(profile, Urgency::Required)])?;
                return calls_told(&trace, &request, range).ok_or_else(missing);
            }
            let steps = if selected.needs_logical() { Some(asked.steps()?) } else { asked.steps_if_known()? };
            let details = details_of(&asked.store, steps.as_ref(), &window, &colours, &selected);
            let mut details = details.ok_or_else(missing)?;
            if matches!(selected, Selection::Message { .. }) {
                details.facts.extend(message_route(&asked.with_network()?, &selected));
            }
            Ok(details)
        })
        .await
}

pub(super) async fn cause(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let (window, selected) = (asked.window()?, asked.query.selection()?);
            // A diagnosis knows better whom a call waited for; it is not waited for.
            let diagnosis = asked.diagnosis().ok();
            cause_of(&asked.store, &asked.steps()?, diagnosis.as_deref().map(|found| &**found), &window, &selected)
                .ok_or_else(missing)
        })
        .await
}

pub(super) async fn brush(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let Asked { store, query, .. } = asked;
            let request = query.view_request_in_words(View::Calls)?;
            match query.selection()? {
                Selection::Window { time, values: Some(values) } => {
                    // What the options name must be there.
                    View::Calls.needs(store, &request)?;
                    let trace = if brush_rests_on_profile(&request) {
                        asked.with_begun([AnalysisKind::Profile], &request.options)?
                    } else {
                        Trace::from(&**store)
                    };
                    Ok(brushed(&trace, &request, &Brush { time, values }))
                }
                Selection::Area { time, ranks } => {
                    let kinds = [AnalysisKind::Profile, AnalysisKind::Messages];
                    let trace = asked.with_begun(kinds, &request.options)?;
                    Ok(area_told(&trace, &request.window, &request.emphasis, (time, &ranks)))
                }
                _ => Err(Refusal::wrong("`select` must be window:FROM:TO:LOW:HIGH or area:FROM:TO:RANKS")),
            }
        })
        .await
}

pub(super) async fn find(asked: Asked) -> Result<Response, Refusal> {
    asked
        .answer(|asked| {
            let Asked { store, query, .. } = asked;
            let (window, region, from) = (asked.window()?, query.region(store)?, query.moment()?);
            Ok(find_in(store, &window, region, from, query.word("direction", &DIRECTIONS)?))
        })
        .await
}
