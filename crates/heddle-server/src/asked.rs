//! A question about a trace that is open: what nearly every handler begins with.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::response::Response;
use serde::Serialize;

use heddle_options::Given;
use heddle_store::Store;
use heddle_view::{
    Analysis, AnalysisKind, ClusterData, ColourBook, Colours, Diagnosed, Need, Steps, Trace, Urgency, View,
    ViewRequest, Window, arrange, row_needs, row_options,
};

use crate::app::App;
use crate::error::Refusal;
use crate::gzip;
use crate::keeper::Keeper;
use crate::params::Query;
use crate::routes::Body;

/// A trace with so many calls is large: looking at all of them takes longer than a glance.
const MANY_CALLS: u64 = 3_000_000;

/// A question about a trace.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) app: App,
    /// The trace's name in addresses.
    pub(crate) id: String,
    /// Its name for people.
    pub(crate) name: String,
    pub(crate) store: Arc<Store>,
    pub(crate) keeper: Arc<Keeper>,
    /// The colours of functions in all traces.
    pub(crate) book: Arc<ColourBook>,
    pub(crate) query: Query,
    pub(crate) takes_gzip: bool,
    /// What varies in the path.
    parts: Vec<(String, String)>,
}

impl FromRequestParts<App> for Asked {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Asked, Refusal> {
        let query = Query::parse(parts.uri.query().unwrap_or(""))?.with_usual(&app.usual);
        let takes_gzip = gzip::is_accepted(&parts.headers);
        // A path that is no text names nothing.
        let path = Path::<Vec<(String, String)>>::from_request_parts(parts, app).await;
        let Path(parts) = path.map_err(|_| Refusal::missing("There is nothing here."))?;
        let id = parts.iter().find(|(name, _)| name == "id").map(|(_, id)| id.clone()).unwrap_or_default();
        let (name, store) = app.traces.ready(&id)?;
        let (name, keeper, book) = (name.to_owned(), app.traces.keeper(&id)?, app.traces.book());
        Ok(Asked { app: app.clone(), id, name, store, keeper, book, query, takes_gzip, parts })
    }
}

impl Asked {
    /// What stands in the path under a name.
    pub(crate) fn part(&self, name: &str) -> &str {
        self.parts.iter().find(|(known, _)| known == name).map_or("", |(_, part)| part.as_str())
    }

    /// The view that the path names.
    pub(crate) fn view(&self) -> Result<View, Refusal> {
        view(self.part("view"))
    }

    /// The analysis that the path names, with the options of the query and of its ranks.
    pub(crate) fn need(&self) -> Result<Need, Refusal> {
        let kind = AnalysisKind::ALL.into_iter().find(|kind| kind.name() == self.part("kind"));
        let kind = kind.ok_or_else(|| Refusal::missing("There is no such analysis."))?;
        let need = kind.need(&self.store, &self.query.options(&kind.options())?)?;
        Ok(need.within(&self.store, &self.query.window()?))
    }

    /// The question to a view in the query.
    pub(crate) fn view_request(&self, view: View) -> Result<ViewRequest, Refusal> {
        Ok(ViewRequest { book: Arc::clone(&self.book), ..self.query.view_request(view)? })
    }

    /// The same question for an answer in words, which has no size.
    pub(crate) fn view_request_in_words(&self, view: View) -> Result<ViewRequest, Refusal> {
        Ok(ViewRequest { book: Arc::clone(&self.book), ..self.query.view_request_in_words(view)? })
    }

    /// The trace with the machine that the query's options say, if that is sound.
    pub(crate) fn with_network(&self) -> Result<Trace<'_>, Refusal> {
        let kind = AnalysisKind::Network;
        let need = kind.need(&self.store, &self.query.options(&kind.options())?)?;
        self.with([(need, Urgency::Welcome)])
    }

    /// The colours of the trace's functions, in the theme of the query.
    pub(crate) fn colours(&self) -> Result<Colours, Refusal> {
        Ok(Colours::of(&self.store, &self.book, self.query.theme()?))
    }

    /// The trace with all that a picture needs; refused while that is not there.
    pub(crate) fn prepare(&self, view: View, request: &ViewRequest) -> Result<Trace<'_>, Refusal> {
        Trace::prepare(&self.store, view, request, |need, urgency| self.result(need, urgency))
    }

    /// The trace with these results; refused while one that is required is not there.
    pub(crate) fn with(&self, needs: impl IntoIterator<Item = (Need, Urgency)>) -> Result<Trace<'_>, Refusal> {
        Trace::with(&self.store, needs, |need, urgency| self.result(need, urgency))
    }

    /// The trace with results as far as they are there. Those that a large trace lacks are begun.
    pub(crate) fn with_begun<const KINDS: usize>(
        &self,
        kinds: [AnalysisKind; KINDS],
        given: &Given,
    ) -> Result<Trace<'_>, Refusal> {
        let needs = kinds.into_iter().map(|kind| kind.need(&self.store, given)).collect::<Result<Vec<Need>, _>>()?;
        self.with(needs.into_iter().map(|need| (need, Urgency::Useful)))
    }

    fn result(&self, need: &Need, urgency: Urgency) -> Result<Option<Analysis>, Refusal> {
        match self.keeper.get(&self.store, need) {
            None if urgency == Urgency::Required => Err(Refusal::not_computed()),
            None if urgency == Urgency::Useful && self.store.spans.len() > MANY_CALLS => {
                // The same question is answered sooner the next time.
                self.keeper.ask(&self.store, need);
                Ok(None)
            }
            result => Ok(result),
        }
    }

    /// The window of the query with its rows as pictures have them: every answer that names rows is about this one.
    pub(crate) fn window(&self) -> Result<Window, Refusal> {
        let (window, options) = (self.query.window()?, self.query.options(&row_options())?);
        let needs = row_needs(&self.store, &options)?;
        let trace = self.with(needs)?;
        Ok(arrange(&trace, window, &options))
    }

    /// Phases and steps as the query's options have them, where they are there.
    pub(crate) fn steps_if_known(&self) -> Result<Option<Steps>, Refusal> {
        let kind = AnalysisKind::Logical;
        let need = kind.need(&self.store, &self.query.options(&kind.options())?)?;
        Ok(self.keeper.steps(&self.store, &need))
    }

    /// Phases and steps, which must be there already.
    pub(crate) fn steps(&self) -> Result<Steps, Refusal> {
        self.steps_if_known()?.ok_or_else(Refusal::not_computed)
    }

    /// Clusters as the query's options have them, which must be there already.
    pub(crate) fn clusters(&self) -> Result<ClusterData, Refusal> {
        let kind = AnalysisKind::Clusters;
        let need = kind.need(&self.store, &self.query.options(&kind.options())?)?;
        match self.keeper.get(&self.store, &need) {
            Some(Analysis::Clusters(data)) => Ok(data),
            _ => Err(Refusal::not_computed()),
        }
    }

    /// The diagnosis, which must be there already.
    pub(crate) fn diagnosis(&self) -> Result<Arc<Diagnosed>, Refusal> {
        match self.keeper.get(&self.store, &Need::Diagnosis) {
            Some(Analysis::Diagnosis(diagnosis)) => Ok(diagnosis),
            _ => Err(Refusal::not_computed()),
        }
    }

    /// Computes a JSON answer where computing is done.
    pub(crate) async fn answer<T, F>(self, job: F) -> Result<Response, Refusal>
    where
        T: Serialize,
        F: FnOnce(&Asked) -> Result<T, Refusal> + Send + 'static,
    {
        let app = self.app.clone();
        app.work.run(move || Body::json(&job(&self)?)?.answer(self.takes_gzip)).await
    }

    /// The same for an answer that is read after the pictures were looked at: those go before it.
    pub(crate) async fn answer_later<T, F>(self, job: F) -> Result<Response, Refusal>
    where
        T: Serialize,
        F: FnOnce(&Asked) -> Result<T, Refusal> + Send + 'static,
    {
        let app = self.app.clone();
        app.work.run_later(move || Body::json(&job(&self)?)?.answer(self.takes_gzip)).await
    }
}

/// A view by the name in an address.
pub(crate) fn view(name: &str) -> Result<View, Refusal> {
    // The name is not said back: it may be anything.
    name.parse().map_err(|_| Refusal::missing(format!("There is no such view; there are {}.", View::names())))
}
