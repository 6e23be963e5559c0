//! Where messages travel on the plane of a torus.

use heddle_topology::layout::{Projected, Shown, Spacing};
use heddle_topology::{Cable, Element, Link, Topology, Torus};
use rustc_hash::FxHashMap;

use super::loads::TorusLoads;
use super::projected::{FINE, RIM};
use super::shown::Part;
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::scene::space::Point3;
use crate::views::machine::motion::{Hop, PlaneMarks, Way, Ways};

/// From node to node, along links that the picture leaves out too; around the torus by way of the stubs.
struct PlaneWays<'a> {
    torus: &'a Torus,
    layout: Projected,
    shown: Shown,
    has_stubs: bool,
    /// Where a cable that wraps around leaves the picture at a node.
    stubs: FxHashMap<(Cable, Element), Point3>,
}

/// The ways on the plane.
pub(super) fn on_plane<'a>(trace: &'a Trace<'_>, request: &ViewRequest) -> Option<Box<dyn Ways + 'a>> {
    let loads = TorusLoads::of(trace, request)?;
    let part = Part::of(loads.torus, &loads.shown).ok()?;
    let layout = Projected::new(part.slice(loads.torus, part.axes.dims()), Spacing::default());
    let all = Shown { axis: true, across: true, down: true };
    let stubs = layout.stubs(all).into_iter().map(|stub| ((stub.cable, stub.node), place(stub.to))).collect();
    let shown = super::shown::shown(&loads.shown);
    Some(Box::new(PlaneWays { torus: loads.torus, layout, shown, has_stubs: loads.shown.stubs, stubs }))
}

/// In the units of the plane's axes.
fn place(at: [f64; 2]) -> Point3 {
    let unit = |at: f64| ((at + RIM) * FINE) as f32;
    [unit(at[0]), unit(at[1]), 0.0]
}

impl Ways for PlaneWays<'_> {
    fn way(&self, _from: Element, path: &[Link], way: &mut Way) {
        let hop = |link: &Link| {
            let (from, to) = self.torus.ends(*link);
            let [start, end] = [from, to].map(|node| self.layout.position(node).map(place));
            let mut hop = Hop { from: start?, to: end?, around: None };
            let (role, lower) = self.layout.slice().place_of(link.cable())?;
            if self.layout.slice().wraps(lower, role) {
                let stub = |node: Element, at: Point3| self.stubs.get(&(link.cable(), node)).copied().unwrap_or(at);
                hop.around = Some((stub(from, hop.from), stub(to, hop.to)));
            }
            Some(hop)
        };
        way.straight(&path.iter().map(hop).collect::<Vec<_>>());
    }

    fn dot(&self) -> f32 {
        (0.42 * FINE) as f32
    }

    fn marks(&self) -> Option<PlaneMarks> {
        let ends = |from: [f64; 2], to: [f64; 2]| {
            let ([x, y, _], [to_x, to_y, _]) = (place(from), place(to));
            [x, y, to_x, to_y]
        };
        let lines = self.layout.lines(self.shown).into_iter().map(|line| (line.cable.0, ends(line.from, line.to)));
        let stubs = self.layout.stubs(self.shown).into_iter().filter(|_| self.has_stubs);
        let stubs = stubs.map(|stub| (stub.cable.0, ends(stub.from, stub.to)));
        let elements = self.layout.nodes().map(|(node, at)| {
            let [x, y, _] = place(at);
            (node.0, [x, y])
        });
        Some(PlaneMarks {
            cables: lines.chain(stubs).collect(),
            elements: elements.collect(),
            sizes: [(0.46 * FINE) as f32, (0.62 * FINE) as f32],
        })
    }
}
