//! All views by name: the one place where the command line, the server and the tests find them.

use std::str::FromStr;

use heddle_store::Store;

use crate::picked::Picked;
use crate::request::ViewRequest;
use crate::scene::Scene;
use crate::{activity, calls, timeline};

/// A view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Share of ranks inside each function over time.
    Activity,
    /// Calls by time and duration, whatever their rank.
    Calls,
    /// Locations over time.
    Timeline,
}

/// There is no view of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no view `{0}`; there are {views}", views = View::ALL.map(View::name).join(", "))]
pub struct UnknownView(String);

impl FromStr for View {
    type Err = UnknownView;

    fn from_str(name: &str) -> Result<View, UnknownView> {
        View::ALL.into_iter().find(|view| view.name() == name).ok_or_else(|| UnknownView(name.to_owned()))
    }
}

impl View {
    /// All of them.
    pub const ALL: [View; 3] = [View::Activity, View::Calls, View::Timeline];

    /// Its name on the command line and in addresses.
    pub const fn name(self) -> &'static str {
        match self {
            View::Activity => "activity",
            View::Calls => "calls",
            View::Timeline => "timeline",
        }
    }

    /// The picture.
    pub fn scene(self, store: &Store, request: &ViewRequest) -> Scene {
        match self {
            View::Activity => activity::scene(store, request),
            View::Calls => calls::scene(store, request),
            View::Timeline => timeline::scene(store, request),
        }
    }

    /// What is drawn at a place of that picture.
    pub fn pick(self, store: &Store, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
        match self {
            View::Activity => activity::pick(store, request, at),
            View::Calls => calls::pick(store, request, at),
            View::Timeline => timeline::pick(store, request, at),
        }
    }
}
