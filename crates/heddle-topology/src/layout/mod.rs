//! Where the parts of a machine are drawn: of a torus here, of a fat-tree in [`tree`].
//!
//! Of a torus, a [`Slice`] is what one picture can show: three dimensions, cut at one place of all others, rolled so that the seam where rings
//! are cut open lies where one likes. [`Projected`] lays it out on a plane, [`Grid`] in space, [`MiniMap`] sums it up along one
//! dimension. Lengths are in units of the layout; whoever draws chooses the scale.

mod axes;
mod grid;
mod minimap;
mod projected;
mod rings;
mod slice;
pub mod tree;

pub use axes::{Axes, AxesError};
pub use grid::{Grid, Stick};
pub use minimap::{Bundle, MiniMap};
pub use projected::{Band, Counts, Hit, Line, Projected, Spacing, Stub};
pub use rings::{CrossSection, Drawing, Role, Shown};
pub use slice::Slice;

#[cfg(test)]
mod tests;
