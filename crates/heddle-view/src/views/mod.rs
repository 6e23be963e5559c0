//! All views. A view is a module here with a [`ViewModule`] that describes it, and its line in [`View`]; the command
//! line, the server, the benchmark and the page's types take everything else from the description.

pub(crate) mod activity;
pub(crate) mod calls;
mod cause;
pub(crate) mod clusters;
pub(crate) mod counters;
pub(crate) mod dragonfly;
pub(crate) mod fattree;
pub(crate) mod histogram;
pub(crate) mod kinds;
pub(crate) mod logical;
pub(crate) mod machine;
pub(crate) mod matrix;
pub(crate) mod metric;
mod near;
pub(crate) mod options;
pub(crate) mod profile;
pub(crate) mod progress;
pub(crate) mod ranks;
pub(crate) mod selected;
mod stage_marks;
pub(crate) mod timeline;
pub(crate) mod torus;
pub(crate) mod valued;

use std::borrow::Cow;
use std::str::FromStr;
use std::sync::Arc;

use heddle_model::Ns;
use heddle_options::{OptionError, OptionSpec, Options};
use heddle_store::Store;

use crate::analyses::{AnalysisKind, LogicalNeed, Need, Trace, Urgency};
use crate::lookup::communicators::check_communicator;
use crate::request::ViewRequest;
use crate::request::arranged::{RowOptions, arrange};
use crate::request::picked::Picked;
use crate::request::selection::{Selection, SelectionKind};
use crate::request::tall::Tall;
use crate::request::window::Window;
use crate::scene::frame::plot_area;
use crate::scene::space::{Scene3, SolidId};
use crate::scene::{Rect, Scene};
use machine::motion::{self, MakeWays, Ways};
use near::Near;

/// What a view is.
pub(crate) struct ViewModule {
    /// Its name on the command line and in links.
    pub(crate) name: &'static str,
    /// What it shows, in a sentence without a full stop.
    pub(crate) about: &'static str,
    /// What its axes run over: across, and down.
    pub(crate) axes: (AxisKind, AxisKind),
    /// Its own options; those of its analyses come on top.
    pub(crate) options: fn() -> Vec<OptionSpec>,
    /// Whether the trace has what its options name; none if they name nothing of a trace.
    pub(crate) check: Option<CheckOptions>,
    /// The analyses that it may rest on, and whether a picture does.
    pub(crate) analyses: &'static [(AnalysisKind, AskUrgency)],
    /// Kinds of selections that it draws itself. Functions, ranks, phases and stretches of time are drawn for it where it
    /// has axes for them.
    pub(crate) selections: &'static [SelectionKind],
    /// How it is drawn.
    pub(crate) picture: Picture,
}

/// How a view is drawn: on a plane, or in space.
pub(crate) enum Picture {
    /// On a plane.
    Flat {
        /// The picture.
        scene: fn(&Trace<'_>, &ViewRequest) -> Scene,
        /// What is drawn at a place of that picture.
        pick: fn(&Trace<'_>, &ViewRequest, (f32, f32)) -> Option<Picked>,
    },
    /// A list that one steps through with keys.
    Lines {
        /// The picture.
        scene: fn(&Trace<'_>, &ViewRequest) -> Scene,
        /// What is drawn at a place of that picture.
        pick: fn(&Trace<'_>, &ViewRequest, (f32, f32)) -> Option<Picked>,
        /// Where a key leads.
        step: fn(&Trace<'_>, &ViewRequest, Step) -> Option<Picked>,
    },
    /// Rows of calls over time.
    Rows {
        /// The picture.
        scene: fn(&Trace<'_>, &ViewRequest) -> Scene,
        /// What is drawn at a place of that picture.
        pick: fn(&Trace<'_>, &ViewRequest, (f32, f32)) -> Option<Picked>,
        /// The ranks and the time in a rectangle of it; none if there are none, or they are too scattered to be named.
        area: fn(&Trace<'_>, &ViewRequest, Rect) -> Option<Selection>,
        /// Where a call in the row at a place begins or ends, the nearest within so many pixels.
        edge: fn(&Trace<'_>, &ViewRequest, (f32, f32), f32) -> Option<Ns>,
    },
    /// On a plane of which one can mark off a rectangle.
    Areas {
        /// The picture.
        scene: fn(&Trace<'_>, &ViewRequest) -> Scene,
        /// What is drawn at a place of that picture.
        pick: fn(&Trace<'_>, &ViewRequest, (f32, f32)) -> Option<Picked>,
        /// What a rectangle of it selects; none if there is nothing, or it is too much to be named.
        area: fn(&Trace<'_>, &ViewRequest, Rect) -> Option<Selection>,
    },
    /// On a plane with things on it that one selects, several at once too.
    Plane {
        /// The picture.
        scene: fn(&Trace<'_>, &ViewRequest) -> Scene,
        /// What is drawn at a place of that picture.
        pick: fn(&Trace<'_>, &ViewRequest, (f32, f32)) -> Option<Picked>,
        /// The selection of what one points at, put together with what is selected already; none if nothing is left.
        select: fn(&Trace<'_>, &ViewRequest, Pointed, Choosing) -> Option<Selection>,
        /// Where messages travel through it; none if it does not show them.
        ways: Option<MakeWays>,
    },
    /// In space: whoever shows it turns it without asking again.
    Space(Space),
}

/// What there is to know of a view in space.
pub(crate) struct Space {
    /// What stands where.
    pub(crate) scene: fn(&Trace<'_>, &ViewRequest) -> Scene3,
    /// What a solid stands for, in words.
    pub(crate) pick: fn(&Trace<'_>, &ViewRequest, SolidId) -> Option<Picked>,
    /// The selection of some solids, put together with what is selected already; none if nothing is left.
    pub(crate) select: fn(&Trace<'_>, &ViewRequest, &[SolidId], Choosing) -> Option<Selection>,
    /// Where messages travel through it; none if it does not show them.
    pub(crate) ways: Option<MakeWays>,
}

/// How what one points at and what is selected become the new selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choosing {
    /// What one points at, and nothing else.
    Replace,
    /// Both.
    Add,
    /// What is in one of them and not in both.
    Toggle,
}

impl Choosing {
    /// Whether something is selected that was, or was not, and that one does, or does not, point at.
    pub(crate) fn chosen(self, was: bool, is: bool) -> bool {
        match self {
            Choosing::Replace => is,
            Choosing::Add => was || is,
            Choosing::Toggle => was != is,
        }
    }
}

/// Steps through a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the line above.
    Up,
    /// To the one below.
    Down,
    /// As many lines up as there are in sight.
    PageUp,
    /// And down.
    PageDown,
    /// To the first line.
    First,
    /// To the last one.
    Last,
    /// Opens a line, or goes to the first below it that it holds.
    In,
    /// Closes a line, or goes to the one that holds it.
    Out,
}

/// What one points at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pointed {
    /// A place of a picture on a plane.
    At((f32, f32)),
    /// A solid.
    Solid(SolidId),
    /// A rectangle of the picture.
    Area(Rect),
}

/// Whether the trace has what a view's options name.
type CheckOptions = fn(&Store, &ViewRequest) -> Result<(), OptionError>;

/// Whether a picture rests on an analysis, and how urgently.
type AskUrgency = fn(&ViewRequest) -> Option<Urgency>;

/// What an axis runs over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisKind {
    /// Physical time.
    Time,
    /// Logical steps.
    Steps,
    /// Rows of locations.
    Rows,
    /// The same list of locations across.
    Columns,
    /// Values, always shown whole.
    Values,
    /// Places on a plane, to the right, in thousandths of its unit.
    Across,
    /// Places on a plane, downwards; both directions have one scale.
    Down,
}

impl AxisKind {
    /// Its name, for the page.
    pub fn name(self) -> &'static str {
        match self {
            AxisKind::Time => "time",
            AxisKind::Steps => "steps",
            AxisKind::Rows => "rows",
            AxisKind::Columns => "columns",
            AxisKind::Values => "values",
            AxisKind::Across => "across",
            AxisKind::Down => "down",
        }
    }
}

macro_rules! views {
    ($($(#[$doc:meta])+ $view:ident => $($module:ident)::+,)*) => {
        /// A view.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum View { $($(#[$doc])+ $view,)* }

        impl View {
            /// All of them.
            pub const ALL: &'static [View] = &[$(View::$view),*];

            fn module(self) -> &'static ViewModule {
                match self { $(View::$view => &$($module)::+::VIEW,)* }
            }
        }
    };
}

views! {
    /// Share of ranks inside each function over time.
    Activity => activity,
    /// Calls by time and duration, whatever their rank.
    Calls => calls,
    /// Ranks that behave alike, over logical steps.
    Clusters => clusters,
    /// Counters of the trace over time.
    Counters => counters,
    /// Densities by which nodes are grouped.
    Density => progress::density,
    /// Which node has which tile.
    Distribution => progress::distribution,
    /// Groups of a dragonfly, and the links between them.
    Dragonfly => dragonfly,
    /// A fat-tree in seven representations.
    Fattree => fattree,
    /// Tasks over time, by node.
    Gantt => progress::gantt,
    /// Calls of a function by rank and duration.
    Histogram => histogram,
    /// Ranks over logical steps.
    Logical => logical,
    /// Mappings of ranks side by side.
    Mappings => torus::mappings,
    /// Senders by receivers.
    Matrix => matrix,
    /// The sum of a metric over each logical step.
    Metric => metric,
    /// A torus from all sides, each bundle of links as one line.
    Minimaps => torus::minimaps,
    /// Time and calls of every function.
    Profile => profile,
    /// How far nodes have come.
    Progress => progress,
    /// What each rank costs the others, and how it spends its own time.
    Ranks => ranks,
    /// A torus of many dimensions, slice by slice.
    Slices => torus::slices,
    /// Locations over time.
    Timeline => timeline,
    /// A torus on a plane.
    Torus => torus::projected,
    /// A torus in space.
    Torus3d => torus::space,
}

/// There is no view of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no view `{0}`; there are {views}", views = View::names())]
pub struct UnknownView(String);

impl FromStr for View {
    type Err = UnknownView;

    fn from_str(name: &str) -> Result<View, UnknownView> {
        View::ALL.iter().find(|view| view.name() == name).copied().ok_or_else(|| UnknownView(name.to_owned()))
    }
}

impl View {
    /// The names of all, for messages.
    pub fn names() -> String {
        View::ALL.iter().map(|view| view.name()).collect::<Vec<_>>().join(", ")
    }

    /// Its name on the command line and in links.
    pub fn name(self) -> &'static str {
        self.module().name
    }

    /// What it shows, in a sentence without a full stop.
    pub fn about(self) -> &'static str {
        self.module().about
    }

    /// What its axes run over: across, and down.
    pub fn axes(self) -> (AxisKind, AxisKind) {
        self.module().axes
    }

    /// All options that it heeds, with those of the analyses that it may rest on.
    pub fn options(self) -> Vec<OptionSpec> {
        let mut options = (self.module().options)();
        for kind in self.analyses() {
            for spec in kind.options() {
                if !options.iter().any(|known| known.name == spec.name) {
                    options.push(spec);
                }
            }
        }
        options
    }

    /// The analyses that it may rest on.
    pub fn analyses(self) -> impl Iterator<Item = AnalysisKind> {
        self.module().analyses.iter().map(|(kind, _)| *kind)
    }

    /// What this picture needs besides the store; an error if it names what the trace does not have.
    pub fn needs(self, store: &Store, request: &ViewRequest) -> Result<Vec<(Need, Urgency)>, OptionError> {
        if let Some(check) = self.module().check {
            check(store, request)?;
        }
        if self.axes().1 == AxisKind::Rows {
            let RowOptions { members, .. } = request.options.read()?;
            check_communicator(store, "members", members)?;
        }
        let mut needs = Vec::new();
        for (kind, urgency) in self.module().analyses {
            if let Some(urgency) = urgency(request) {
                needs.push((kind.need(store, &request.options)?.within(store, &request.window), urgency));
            }
        }
        let selects_cluster = matches!(request.emphasis.selected, Some(Selection::Cluster(_)));
        if selects_cluster && !needs.iter().any(|(need, _)| matches!(need, Need::Clusters(..))) {
            // Only to say who is in it.
            needs.push((AnalysisKind::Clusters.need(store, &request.options)?, Urgency::Welcome));
        }
        let selects_machine = matches!(request.emphasis.selected, Some(Selection::Nodes(_) | Selection::Link(_)));
        if selects_machine && !needs.iter().any(|(need, _)| matches!(need, Need::Network(_))) {
            // Only to say which ranks sit there.
            needs.push((AnalysisKind::Network.need(store, &request.options)?, Urgency::Welcome));
        }
        let selects_steps = request.emphasis.selected.as_ref().is_some_and(Selection::needs_logical);
        if selects_steps && needs.iter().all(|(need, _)| need.logical().is_none()) {
            // Only to say where it is: a view need not know of logical time to show when a phase took place.
            let need = LogicalNeed { options: request.options.read()?, metric: heddle_logical::Metric::default() };
            needs.push((Need::Logical(need), Urgency::Welcome));
        }
        Ok(needs)
    }

    /// The picture.
    pub fn scene<'a>(self, trace: impl Into<Trace<'a>>, request: &ViewRequest) -> Scene {
        let trace = trace.into();
        let request = self.resolved(&trace, request);
        let mut scene = match &self.module().picture {
            Picture::Flat { scene, .. }
            | Picture::Lines { scene, .. }
            | Picture::Rows { scene, .. }
            | Picture::Areas { scene, .. } => scene(&trace, &request),
            Picture::Plane { scene, .. } => {
                let mut scene = scene(&trace, &request);
                if let Some(ways) = self.ways(&trace, &request) {
                    motion::add_to_plane(&trace, &request, &*ways, &mut scene);
                }
                scene
            }
            Picture::Space(space) => self.solids(&trace, &request, space).projected(),
        };
        if let Some(arranged) = &request.window.arranged {
            scene.notes.insert(0, arranged.note(self.axes().0 == AxisKind::Columns));
        }
        selected::mark(self, &trace, &request, &mut scene);
        scene
    }

    /// What is drawn at a place of that picture. Of views in space, whoever turns them knows the solid ([`View::pick_solid`]).
    pub fn pick<'a>(self, trace: impl Into<Trace<'a>>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
        let trace = trace.into();
        let request = self.resolved(&trace, request);
        match &self.module().picture {
            Picture::Flat { pick, .. }
            | Picture::Lines { pick, .. }
            | Picture::Rows { pick, .. }
            | Picture::Areas { pick, .. }
            | Picture::Plane { pick, .. } => pick(&trace, &request, at),
            Picture::Space(_) => None,
        }
    }

    /// Where a key leads in a list; none in other views.
    pub fn step<'a>(self, trace: impl Into<Trace<'a>>, request: &ViewRequest, by: Step) -> Option<Picked> {
        let Picture::Lines { step, .. } = &self.module().picture else { return None };
        let trace = trace.into();
        step(&trace, &self.resolved(&trace, request), by)
    }

    /// Where a call begins or ends near a place of that picture, within so many pixels along an axis of time: of the calls in
    /// the row there, else of the one that is drawn there.
    pub fn edge<'a>(
        self,
        trace: impl Into<Trace<'a>>,
        request: &ViewRequest,
        at: (f32, f32),
        reach: f32,
    ) -> Option<Ns> {
        let trace = trace.into();
        let request = self.resolved(&trace, request);
        match &self.module().picture {
            Picture::Rows { edge, .. } => edge(&trace, &request, at, reach),
            Picture::Flat { pick, .. } if self.axes().0 == AxisKind::Time => {
                let Some(Selection::Span(name)) = pick(&trace, &request, at)?.select else { return None };
                let (span, spans) = (name.find(trace.store)?, &trace.store.spans);
                let plot = plot_area(trace.store, &request);
                let near = Near::of(request.window.time(trace.store), plot, at.0, reach);
                near.nearest([spans.start.get(span.0), spans.end.get(span.0)])
            }
            _ => None,
        }
    }

    /// Whether it is drawn in space.
    pub fn is_in_space(self) -> bool {
        matches!(self.module().picture, Picture::Space(_))
    }

    /// What stands where in space; none for a view on a plane.
    pub fn scene3<'a>(self, trace: impl Into<Trace<'a>>, request: &ViewRequest) -> Option<Scene3> {
        let Picture::Space(space) = &self.module().picture else { return None };
        let trace = trace.into();
        let request = self.resolved(&trace, request);
        let mut scene = self.solids(&trace, &request, space);
        selected::mark(self, &trace, &request, &mut scene.flat);
        Some(scene)
    }

    /// What stands where, with messages on their way.
    fn solids(self, trace: &Trace<'_>, request: &ViewRequest, space: &Space) -> Scene3 {
        let mut scene = (space.scene)(trace, request);
        if let Some(ways) = self.ways(trace, request) {
            motion::add_to_space(trace, request, &*ways, &mut scene);
        }
        scene
    }

    /// Where messages travel through the picture.
    fn ways<'a>(self, trace: &'a Trace<'_>, request: &ViewRequest) -> Option<Box<dyn Ways + 'a>> {
        self.make_ways()?(trace, request)
    }

    fn make_ways(self) -> Option<MakeWays> {
        match &self.module().picture {
            Picture::Plane { ways, .. } | Picture::Space(Space { ways, .. }) => *ways,
            Picture::Flat { .. } | Picture::Lines { .. } | Picture::Rows { .. } | Picture::Areas { .. } => None,
        }
    }

    /// Whether it shows messages on their way.
    pub fn has_motion(self) -> bool {
        self.make_ways().is_some()
    }

    /// What links and elements do over the window; none if the view shows no messages, or there is no machine.
    pub fn activity<'a>(self, trace: impl Into<Trace<'a>>, request: &ViewRequest) -> Option<motion::Activity> {
        let trace = trace.into();
        let request = self.resolved(&trace, request);
        motion::activity_of(&trace, &request, &*self.ways(&trace, &request)?)
    }

    /// The messages in flight from a moment on.
    pub fn moving<'a>(self, trace: impl Into<Trace<'a>>, request: &ViewRequest, from: Ns) -> Option<motion::Moving> {
        let trace = trace.into();
        let request = self.resolved(&trace, request);
        motion::moving_of(&trace, &request, &*self.ways(&trace, &request)?, from)
    }

    /// What a solid of a view in space stands for, in words.
    pub fn pick_solid<'a>(self, trace: impl Into<Trace<'a>>, request: &ViewRequest, solid: SolidId) -> Option<Picked> {
        let Picture::Space(space) = &self.module().picture else { return None };
        let trace = trace.into();
        (space.pick)(&trace, &self.resolved(&trace, request), solid)
    }

    /// Whether more can be selected in it than what is under the pointer: a rectangle, or several things at once.
    pub fn can_choose(self) -> bool {
        !matches!(self.module().picture, Picture::Flat { .. } | Picture::Lines { .. })
    }

    /// The selection of what one points at, put together with what is selected already. A marked area is one rectangle: it
    /// takes the place of what was selected.
    pub fn choose<'a>(
        self,
        trace: impl Into<Trace<'a>>,
        request: &ViewRequest,
        pointed: Pointed,
        choosing: Choosing,
    ) -> Option<Selection> {
        match (&self.module().picture, pointed) {
            (Picture::Plane { select, .. }, _) => {
                let trace = trace.into();
                select(&trace, &self.resolved(&trace, request), pointed, choosing)
            }
            (Picture::Rows { area, .. } | Picture::Areas { area, .. }, Pointed::Area(rect)) => {
                let trace = trace.into();
                area(&trace, &self.resolved(&trace, request), rect)
            }
            (Picture::Rows { .. } | Picture::Areas { .. }, Pointed::At(at)) => self.pick(trace, request, at)?.select,
            _ => self.select_solids(trace, request, pointed, choosing),
        }
    }

    /// The selection of what one points at in a view in space: a solid, or all whose middle lies in a rectangle of the
    /// picture, whatever is in front of them.
    pub fn select_solids<'a>(
        self,
        trace: impl Into<Trace<'a>>,
        request: &ViewRequest,
        pointed: Pointed,
        choosing: Choosing,
    ) -> Option<Selection> {
        let Picture::Space(space) = &self.module().picture else { return None };
        let trace = trace.into();
        let request = self.resolved(&trace, request);
        let solids = match pointed {
            Pointed::Solid(solid) => vec![solid],
            Pointed::Area(area) => (space.scene)(&trace, &request).inside(area),
            Pointed::At(_) => return None,
        };
        (space.select)(&trace, &request, &solids, choosing)
    }

    /// The request with what follows from options and the selection: rows as they are arranged, and what stands out.
    fn resolved<'a>(self, trace: &Trace<'_>, request: &'a ViewRequest) -> Cow<'a, ViewRequest> {
        let request = selected::with_function(trace.store, request);
        let (across, down) = self.axes();
        if down != AxisKind::Rows {
            return request;
        }
        // Only main locations have steps.
        let main_only = request.window.main_only || across == AxisKind::Steps;
        let mut window = arrange(trace, Window { main_only, ..request.window.clone() }, &request.options);
        if trace.diagnosis.is_some() {
            let own = ViewRequest { window: window.clone(), ..request.clone().into_owned() };
            window.tall = Tall::of(trace, &own).map(Arc::new);
        }
        if window == request.window {
            return request;
        }
        Cow::Owned(ViewRequest { window, ..request.into_owned() })
    }

    fn draws(self, kind: SelectionKind) -> bool {
        self.module().selections.contains(&kind)
    }
}

/// No options: for views that have none of their own.
pub(crate) fn no_options() -> Vec<OptionSpec> {
    Vec::new()
}

/// The options of two groups.
pub(crate) fn both<A: Options, B: Options>() -> Vec<OptionSpec> {
    A::specs().into_iter().chain(B::specs()).collect()
}

#[cfg(test)]
mod tests {
    use heddle_options::Written;

    use super::*;

    #[test]
    fn every_default_is_a_value_that_its_option_can_have() {
        for view in View::ALL {
            assert_eq!(view.name().parse(), Ok(*view));
            assert!(!view.about().ends_with('.'), "{}", view.about());
            for spec in view.options() {
                assert_eq!(spec.check(&spec.default, Written::ByProgram), Ok(()), "{} of {}", spec.name, view.name());
                assert!(!spec.help.ends_with('.') && !spec.help.is_empty(), "{}", spec.help);
            }
        }
    }
}
