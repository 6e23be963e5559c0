//! What is asked of a view: which part of the trace, what to stress, how large, in which frame, and its own options.

pub(crate) mod arranged;
pub(crate) mod names;
pub(crate) mod node_set;
pub(crate) mod picked;
pub(crate) mod print;
pub(crate) mod rows;
pub(crate) mod selection;
pub(crate) mod tall;
pub(crate) mod window;

use std::sync::Arc;

use heddle_model::RegionId;
use heddle_options::Given;
use heddle_store::Store;

use crate::scene::Size;
use crate::scene::book::ColourBook;
use crate::scene::theme::{Colours, Theme};
use selection::Selection;
use window::Window;

/// A question to a view. The same question gives the same scene.
#[derive(Clone, Debug)]
pub struct ViewRequest {
    /// Which part of the trace.
    pub window: Window,
    /// What stands out, what recedes.
    pub emphasis: Emphasis,
    /// Light or dark.
    pub theme: Theme,
    /// Colours that functions have already, in traces that are looked at beside this one. Empty for a trace alone.
    pub book: Arc<ColourBook>,
    /// What to draw around the plot.
    pub framing: Framing,
    /// Whether to leave room for names of rows in any case: panes beside this one have rows with names.
    pub has_names: bool,
    /// Size of the picture.
    pub size: Size,
    /// The view's own options, and those of the analyses that it rests on. The view reads the groups that it has.
    pub options: Given,
}

impl ViewRequest {
    /// The colours of a trace's functions.
    pub(crate) fn colours(&self, store: &Store) -> Colours {
        Colours::of(store, &self.book, self.theme)
    }
}

/// What the user pointed at: it stands out, the rest fades but does not vanish.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Emphasis {
    /// Regions that stand out; if there are none, nothing fades.
    pub highlighted: Vec<RegionId>,
    /// Regions that are not drawn.
    pub hidden: Vec<RegionId>,
    /// What is selected.
    pub selected: Option<Selection>,
}

impl Emphasis {
    /// Whether a region fades because others stand out.
    pub(crate) fn fades(&self, region: RegionId) -> bool {
        !self.highlighted.is_empty() && !self.highlighted.contains(&region)
    }

    /// Whether a region is not drawn.
    pub(crate) fn hides(&self, region: RegionId) -> bool {
        self.hidden.contains(&region)
    }
}

/// What stands around the plot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Title, axes, legend and notes: a figure that explains itself.
    #[default]
    Figure,
    /// Axes only: the page has its own title and legend.
    Pane,
    /// The same with room at the right for what stands beside the plot, the same in all views on one axis of time.
    Wide,
    /// Axes with room at the left for a hierarchy of rows, the same in all views on one axis of steps.
    Tree,
    /// Axes with room at the left for numbers of nodes and kinds of workers, but not for names of rows.
    Nodes,
    /// A thin time axis only.
    Strip,
}

impl Framing {
    /// Whether the page has title and legend of its own.
    pub(crate) fn is_pane(self) -> bool {
        matches!(self, Framing::Pane | Framing::Wide | Framing::Tree | Framing::Nodes)
    }
}
