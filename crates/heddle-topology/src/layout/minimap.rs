//! A small map of a torus: the projected view with every column as one point, and the cables between two columns as one.

use super::{Drawing, Projected, Role, Shown, Slice, Spacing};
use crate::{Cable, Coordinates};

/// The cables between two neighbouring columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bundle {
    /// To the right or downwards.
    pub role: Role,
    /// The lower one of the two columns as drawn: how far to the right, and how far downwards.
    pub column: [u32; 2],
    /// How it appears among concentric rings.
    pub drawing: Drawing,
    /// Its lower end.
    pub from: [f64; 2],
    /// Its upper end; of one across the seam, the same as the lower one.
    pub to: [f64; 2],
}

/// A small map.
#[derive(Clone, Debug, PartialEq)]
pub struct MiniMap {
    /// All that it sums up; they differ in where they are cut.
    slices: Vec<Slice>,
    extent: [f64; 2],
    bundles: Vec<Bundle>,
}

impl MiniMap {
    /// The map of a slice whose dimensions are axis, across and down, summed up over the same slice at other places too; `places`
    /// may be empty.
    pub fn new(slice: &Slice, places: &[Coordinates], spacing: Spacing) -> MiniMap {
        let [_, across, down] = slice.dims();
        let flat = Projected::new(Slice::new(slice.torus(), [None, across, down]), spacing);
        let mut bundles = Vec::new();
        for role in [Role::Across, Role::Down] {
            for [_, column, row] in flat.slice().places() {
                if slice.cable([0, column, row], role.index()).is_none() {
                    continue;
                }
                let drawing = flat.columns().drawing(role, column, row, Shown::RINGS);
                let from = flat.position_at([0, column, row]);
                let to = match (drawing, role) {
                    (Drawing::Wrap, _) | (_, Role::Axis) => from,
                    (_, Role::Across) => flat.position_at([0, column + 1, row]),
                    (_, Role::Down) => flat.position_at([0, column, row + 1]),
                };
                bundles.push(Bundle { role, column: [column, row], drawing, from, to });
            }
        }
        let slices = if places.is_empty() {
            vec![slice.clone()]
        } else {
            places.iter().map(|place| slice.clone().at(place)).collect()
        };
        MiniMap { slices, extent: flat.extent(), bundles }
    }

    /// Width and height.
    pub fn extent(&self) -> [f64; 2] {
        self.extent
    }

    /// All bundles, those that are not drawn too.
    pub fn bundles(&self) -> &[Bundle] {
        &self.bundles
    }

    /// The cables that a bundle stands for.
    pub fn cables(&self, bundle: &Bundle) -> impl Iterator<Item = Cable> {
        let ([across, down], role) = (bundle.column, bundle.role.index());
        self.slices.iter().flat_map(move |slice| {
            (0..slice.sizes()[0]).filter_map(move |depth| slice.cable([depth, across, down], role))
        })
    }

    /// The mean of each bundle's cables, from one value per cable of the machine. Missing values (NaN) do not count; a bundle without
    /// any value has none.
    pub fn means(&self, values: &[f64]) -> Vec<f64> {
        let mean = |bundle: &Bundle| {
            let present = self.cables(bundle).map(|cable| values[cable.index()]).filter(|value| !value.is_nan());
            let (sum, count) = present.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
            if count == 0 { f64::NAN } else { sum / f64::from(count) }
        };
        self.bundles.iter().map(mean).collect()
    }
}
