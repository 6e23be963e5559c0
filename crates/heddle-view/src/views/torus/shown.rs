//! Which part of a torus a picture shows: three dimensions, where the others are cut, and how far it is rolled.

use std::collections::BTreeMap;

use heddle_options::OptionError;
use heddle_store::Store;
use heddle_topology::layout::{Axes, Drawing, Projected, Shown, Slice, Spacing};
use heddle_topology::{Cable, Coordinates, MOST_DIMENSIONS, Topology, Torus};

use super::options::{LinksShown, TorusOptions};
use crate::request::ViewRequest;

/// What a picture shows of a torus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    /// The dimensions.
    pub(crate) axes: Axes,
    /// Where all others are cut.
    cut: Coordinates,
    /// How far nodes are moved along each dimension.
    roll: Coordinates,
}

impl Part {
    /// The part that options name; an error says which of them is wrong.
    pub(crate) fn of(torus: &Torus, options: &TorusOptions) -> Result<Part, OptionError> {
        let wrong = |name: &str, why: String| OptionError { name: name.to_owned(), why };
        let (along, plane) = (options.along.trim(), options.plane.trim());
        let usual = usual(torus);
        let axes = match (along, plane) {
            ("", "") => usual,
            (along, "") => Axes::parse(along, torus).map_err(|error| wrong("along", format!("is wrong: {error}")))?,
            (along, plane) => {
                let last = usual.axis.map_or("", |dim| torus.dimensions()[dim].name.as_str());
                let text = format!("{}:{plane}", if along.is_empty() { last } else { along });
                Axes::parse(&text, torus).map_err(|error| wrong("plane", format!("is wrong: {error}")))?
            }
        };
        let names: Vec<&str> = torus.dimensions().iter().map(|dimension| dimension.name.as_str()).collect();
        let mut cut = [0; MOST_DIMENSIONS];
        for piece in options.slice.split(',').map(str::trim).filter(|piece| !piece.is_empty()) {
            let found = piece.split_once('=').and_then(|(name, at)| {
                let dim = torus.dimension(name.trim())?;
                let at: u32 = at.trim().parse().ok()?;
                (at < torus.dimensions()[dim].size).then_some((dim, at))
            });
            let why = || {
                format!(
                    "must be places along dimensions ({}), for instance {}=0",
                    names.join(", "),
                    names[names.len() - 1]
                )
            };
            let (dim, at) = found.ok_or_else(|| wrong("slice", why()))?;
            cut[dim] = at;
        }
        let mut roll = [0; MOST_DIMENSIONS];
        if !options.roll.trim().is_empty() {
            let node = torus.find(&options.roll);
            let why = || {
                format!(
                    "must be the coordinates of a node of the {} torus, for instance {}",
                    torus.sizes(),
                    torus.label(heddle_topology::Element(0))
                )
            };
            let at = torus.coordinates(node.ok_or_else(|| wrong("roll", why()))?);
            for (dim, dimension) in torus.dimensions().iter().enumerate() {
                roll[dim] = (dimension.size - at[dim]) % dimension.size;
            }
        }
        Ok(Part { axes, cut, roll })
    }

    /// The nodes and cables in it, with these dimensions in this order.
    pub(crate) fn slice(&self, torus: &Torus, dims: [Option<usize>; 3]) -> Slice {
        Slice::new(torus, dims).at(&self.cut).rolled(&self.roll)
    }

    /// Which cables the projected view draws.
    pub(crate) fn seen_in_2d<'a>(
        &self,
        torus: &'a Torus,
        options: &'a TorusOptions,
    ) -> impl Fn(Cable) -> bool + use<'a> {
        let projected = Projected::new(self.slice(torus, self.axes.dims()), Spacing::default());
        let shown = shown(options);
        move |cable| match projected.drawing(cable, shown) {
            Some(Drawing::Line) => true,
            Some(Drawing::Wrap) => options.stubs,
            Some(Drawing::Hidden) | None => false,
        }
    }

    /// Where it is cut: names of dimensions, and places along them.
    pub(crate) fn cuts(&self, torus: &Torus) -> Vec<(String, u32)> {
        let name = |dim: usize| torus.dimensions()[dim].name.clone();
        self.axes.others(torus).into_iter().map(|dim| (name(dim), self.cut[dim])).collect()
    }

    /// Where it is cut, in words; empty if all dimensions are shown.
    pub(crate) fn cut_text(&self, torus: &Torus) -> String {
        let words = self.cuts(torus).into_iter().map(|(name, at)| format!("{name} = {at}"));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// The options that show these axes.
pub(crate) fn axes_options(axes: &Axes, torus: &Torus) -> BTreeMap<&'static str, String> {
    let name = |dim: Option<usize>| dim.map_or(String::new(), |dim| torus.dimensions()[dim].name.clone());
    let is_usual = torus.dimensions().len() <= 3;
    let plane = if is_usual { String::new() } else { format!("{},{}", name(axes.across), name(axes.down)) };
    BTreeMap::from([("along", name(axes.axis)), ("plane", plane)])
}

/// Which directions the projected view draws.
pub(crate) fn shown(options: &TorusOptions) -> Shown {
    let (across, down) = match options.links {
        LinksShown::Concentric => (true, true),
        LinksShown::Horizontal => (true, false),
        LinksShown::Vertical => (false, true),
        LinksShown::None => (false, false),
    };
    Shown { axis: options.diagonals, across, down }
}

/// From above of two dimensions, along the last of three; of more than three, the first three that are worth it.
fn usual(torus: &Torus) -> Axes {
    // A plane is looked at from above.
    if let [_, _] = torus.dimensions() {
        return Axes { axis: None, across: Some(0), down: Some(1) };
    }
    let all = Axes::all(torus);
    let last = all.first().and_then(|first| first.in_order().into_iter().flatten().last());
    Axes::along(torus, last.unwrap_or(0))
}

/// Whether options name what the machine of a trace has.
pub(crate) fn check(store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    let options: TorusOptions = request.options.read()?;
    crate::views::machine::nodes::check(store, request)?;
    let names = [&options.along, &options.plane, &options.slice, &options.roll];
    if names.iter().all(|name| name.trim().is_empty()) {
        return Ok(());
    }
    // A machine that is wrong is said where it is opened.
    let Ok(network) = heddle_network::Network::open(store, &request.options) else { return Ok(()) };
    network.machine.shape.torus().map_or(Ok(()), |torus| Part::of(torus, &options).map(drop))
}
