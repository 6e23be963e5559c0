//! Which dimension of a torus goes which way on the screen.

use crate::{Coordinates, MOST_DIMENSIONS, Torus};

/// The dimensions of a projected view. A machine of fewer than three dimensions leaves places empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Axes {
    /// Looked along: its lines are the diagonals.
    pub axis: Option<usize>,
    /// Grows to the right.
    pub across: Option<usize>,
    /// Grows downwards.
    pub down: Option<usize>,
}

/// A text does not name axes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is no view of a torus with the dimensions {names}; name the one to look along ({first}), or all three, \
     the one to the right and the one downwards behind a colon",
    .text.escape_debug()
)]
pub struct AxesError {
    text: String,
    names: String,
    first: String,
}

impl Axes {
    /// The usual view along a dimension: with up to three dimensions x has z to the right and y downwards, y has x and z, z has x
    /// and y; with more, the first one of [`Axes::all`].
    pub fn along(torus: &Torus, dim: usize) -> Axes {
        let dimensions = torus.dimensions().len();
        if dimensions <= 3 {
            let [across, down] =
                [[2, 1], [0, 2], [0, 1]][dim.min(2)].map(|dim| Some(dim).filter(|dim| *dim < dimensions));
            return Axes { axis: Some(dim).filter(|dim| *dim < dimensions), across, down };
        }
        let mut others = wide(torus).into_iter().filter(|other| *other != dim);
        Axes { axis: Some(dim), across: others.next(), down: others.next() }
    }

    /// Every view that is worth a small map: along x, y and z with up to three dimensions; with more, along each one, with each
    /// pair of the others in their order. Dimensions of one or two nodes are left to slices, as long as three others remain.
    pub fn all(torus: &Torus) -> Vec<Axes> {
        if torus.dimensions().len() <= 3 {
            return (0..3).map(|dim| Axes::along(torus, dim)).collect();
        }
        let wide = wide(torus);
        let mut all = Vec::new();
        for axis in &wide {
            let others: Vec<usize> = wide.iter().copied().filter(|other| other != axis).collect();
            for (at, across) in others.iter().enumerate() {
                let with = |down: &usize| Axes { axis: Some(*axis), across: Some(*across), down: Some(*down) };
                all.extend(others[at + 1..].iter().map(with));
            }
        }
        all
    }

    /// `z` for the usual view along it, `z:x,y` for one with x to the right and y downwards.
    pub fn parse(text: &str, torus: &Torus) -> Result<Axes, AxesError> {
        let names: Vec<&str> = torus.dimensions().iter().map(|dimension| dimension.name.as_str()).collect();
        let error = || AxesError { text: text.to_owned(), names: names.join(", "), first: names[0].to_owned() };
        let find = |name: &str| torus.dimension(name.trim()).ok_or_else(error);
        let Some((axis, others)) = text.split_once(':') else { return Ok(Axes::along(torus, find(text)?)) };
        let (across, down) = others.split_once(',').ok_or_else(error)?;
        let (axis, across, down) = (find(axis)?, find(across)?, find(down)?);
        if axis == across || axis == down || across == down {
            return Err(error());
        }
        Ok(Axes { axis: Some(axis), across: Some(across), down: Some(down) })
    }

    /// Axis, across, down.
    pub fn dims(&self) -> [Option<usize>; 3] {
        [self.axis, self.across, self.down]
    }

    /// The same dimensions in the order of the torus, as [`super::Grid`] shows them.
    pub fn in_order(&self) -> [Option<usize>; 3] {
        let mut dims = self.dims();
        dims.sort_by_key(|dim| dim.unwrap_or(usize::MAX));
        dims
    }

    /// The dimensions that slices are cut at.
    pub fn others(&self, torus: &Torus) -> Vec<usize> {
        (0..torus.dimensions().len()).filter(|dim| !self.dims().contains(&Some(*dim))).collect()
    }

    /// The place of every slice: all combinations of the other dimensions, the first one fastest.
    pub fn slices(&self, torus: &Torus) -> Vec<Coordinates> {
        let mut slices = vec![[0; MOST_DIMENSIONS]];
        for dim in self.others(torus) {
            let before = slices.clone();
            for at in 1..torus.dimensions()[dim].size {
                slices.extend(before.iter().map(|slice| {
                    let mut slice = *slice;
                    slice[dim] = at;
                    slice
                }));
            }
        }
        slices
    }
}

/// The dimensions of more than two nodes; the first of the others too, until there are three.
fn wide(torus: &Torus) -> Vec<usize> {
    let dimensions = torus.dimensions();
    let (mut wide, narrow): (Vec<usize>, Vec<usize>) = (0..dimensions.len()).partition(|dim| dimensions[*dim].size > 2);
    let missing = 3_usize.saturating_sub(wide.len());
    wide.extend(narrow.into_iter().take(missing));
    wide.sort_unstable();
    wide
}
