//! What all handlers share.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use heddle_options::Given;
use heddle_view::View;

use crate::guard::Guard;
use crate::tour::Tour;
use crate::traces::Traces;
use crate::work::Work;

/// The server's state.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) guard: Guard,
    pub(crate) traces: Arc<Traces>,
    pub(crate) tour: Option<Tour>,
    /// Views that the page does not offer.
    pub(crate) left_out: Vec<View>,
    /// Options that hold where a question does not say otherwise, with the files that they name.
    pub(crate) usual: Given,
    pub(crate) work: Work,
    /// How long a client may take to send what it has announced.
    pub(crate) patience: Duration,
}

/// A handle to it.
#[derive(Clone, Debug)]
pub(crate) struct App(Arc<Shared>);

impl App {
    pub(crate) fn new(
        guard: Guard,
        traces: Arc<Traces>,
        tour: Option<Tour>,
        (left_out, usual): (Vec<View>, Given),
        patience: Duration,
    ) -> App {
        App(Arc::new(Shared { guard, traces, tour, left_out, usual, work: Work::new(), patience }))
    }
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}
