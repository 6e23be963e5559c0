//! Patterns of links that are kept, and shifted to where a message starts.
//!
//! Whoever asks for routes one by one (a search of mappings, a simulation) asks for the same displacements again and again. On
//! machines that are not too large, the pattern of each is found once.

use std::sync::OnceLock;

use crate::{Cable, Coordinates, Direction, Element, Link, MOST_DIMENSIONS, Torus};

/// No more links of patterns are kept than this, 64 megabytes: enough for 16x16x16 nodes.
const MOST_KEPT: f64 = 2e6;

/// The patterns of a machine, by the number of the displacement.
pub(super) struct Shifted {
    kept: Vec<OnceLock<Box<[Step]>>>,
    /// For each dimension, cables of it between neighbours along each dimension.
    strides: [[u32; MOST_DIMENSIONS]; MOST_DIMENSIONS],
}

/// A link of a pattern.
#[derive(Clone, Copy)]
struct Step {
    /// From the start of the message to the lower end of the cable, around rings.
    by: [u16; MOST_DIMENSIONS],
    dim: u8,
    direction: Direction,
    share: f64,
}

impl Shifted {
    /// For a machine whose displacements have numbers below `end`.
    pub(super) fn new(torus: &Torus, end: u64) -> Shifted {
        let mut strides = [[0; MOST_DIMENSIONS]; MOST_DIMENSIONS];
        for (dim, strides) in strides.iter_mut().enumerate().take(torus.dimensions().len()) {
            *strides = cable_strides(torus, dim);
        }
        let end = if all_links(torus) > MOST_KEPT { 0 } else { end as usize };
        Shifted { kept: (0..end).map(|_| OnceLock::new()).collect(), strides }
    }

    /// Visits the links of a message. `find` does so too, the long way.
    pub(super) fn visit(
        &self,
        torus: &Torus,
        displacement: u64,
        from: Element,
        find: impl Fn(&mut dyn FnMut(Link, f64)),
        visit: &mut dyn FnMut(Link, f64),
    ) {
        let Some(kept) = self.kept.get(displacement as usize) else { return find(visit) };
        let at = torus.coordinates(from);
        let steps = kept.get_or_init(|| {
            let mut steps = Vec::new();
            find(&mut |link, share| steps.push(Step::new(torus, &at, link, share)));
            steps.into()
        });
        for step in steps {
            let dim = usize::from(step.dim);
            let mut cable = torus.cables_of(dim).start;
            for (other, dimension) in torus.dimensions().iter().enumerate() {
                let place = at[other] + u32::from(step.by[other]);
                let place = if place >= dimension.size { place - dimension.size } else { place };
                cable += place * self.strides[dim][other];
            }
            visit(Torus::link(Cable(cable), step.direction), step.share);
        }
    }
}

impl Step {
    fn new(torus: &Torus, from: &Coordinates, link: Link, share: f64) -> Step {
        let (cable, direction) = Torus::cable_of(link);
        let end = torus.coordinates(torus.lower_end(cable));
        let mut by = [0; MOST_DIMENSIONS];
        for (dim, dimension) in torus.dimensions().iter().enumerate() {
            // Of longer dimensions nothing is kept.
            by[dim] = ((end[dim] + dimension.size - from[dim]) % dimension.size) as u16;
        }
        Step { by, dim: torus.dimension_of(cable) as u8, direction, share }
    }
}

/// About how many links the patterns of all displacements have: on average a quarter of a ring and a third of a line is between
/// two nodes.
fn all_links(torus: &Torus) -> f64 {
    let both = torus.dimensions().iter().map(|dimension| {
        let size = f64::from(dimension.size);
        if dimension.is_ring() { size * (size / 4.0 + 1.0) } else { 2.0 * size * (size / 3.0 + 1.0) }
    });
    both.product::<f64>() * torus.dimensions().len() as f64
}

/// Cables of a dimension between those of neighbours along each dimension.
pub(super) fn cable_strides(torus: &Torus, dim: usize) -> [u32; MOST_DIMENSIONS] {
    let dimension = &torus.dimensions()[dim];
    let mut strides = [0; MOST_DIMENSIONS];
    for (other, stride) in strides.iter_mut().enumerate().take(torus.dimensions().len()) {
        let lines = if other < dim { torus.stride(other) } else { torus.stride(other) / dimension.size };
        *stride = if other == dim { 1 } else { lines * dimension.cables_per_line() };
    }
    strides
}
