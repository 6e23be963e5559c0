//! Rectangles sorted by colour, as far as that does not change who covers whom.
//!
//! A path for all rectangles of a colour is much shorter than a path for each.

use std::collections::BTreeMap;

use heddle_view::{Rgba, Size};

use crate::marks::Area;

/// Rectangles of one colour.
pub(crate) type Batch = (Rgba, Vec<Area>);

/// The rectangles of a picture of this size, to be drawn in this order.
pub(crate) fn sorted(size: Size, rects: impl Iterator<Item = (Area, Rgba)>) -> Vec<Batch> {
    let mut rects = rects.peekable();
    if rects.peek().is_none() {
        return Vec::new();
    }
    let mut batches = Batches::new(size);
    rects.for_each(|(area, colour)| batches.add(&area, colour));
    batches.made
}

/// A rectangle joins the last batch of its colour unless a later batch already covers a part of it.
struct Batches {
    made: Vec<Batch>,
    last: BTreeMap<[u8; 4], usize>,
    /// For each cell of the picture, the number of batches up to the last that touches it.
    touched: Vec<u32>,
    columns: usize,
    rows: usize,
    /// Width and height of a cell in pixels.
    cell: f32,
}

/// More cells are not kept: they grow with the picture instead.
const MOST_CELLS: f32 = 4e6;

impl Batches {
    fn new(size: Size) -> Batches {
        let (width, height) = (size.width.max(1) as f32, size.height.max(1) as f32);
        let cell = (width / MOST_CELLS * height).sqrt().max(width.max(height) / 65_536.0).max(1.0).ceil();
        let (columns, rows) = ((width / cell).ceil() as usize, (height / cell).ceil() as usize);
        let touched = vec![0; columns * rows];
        Batches { made: Vec::new(), last: BTreeMap::new(), touched, columns, rows, cell }
    }

    fn add(&mut self, area: &Area, colour: Rgba) {
        let cells = |from: f32, to: f32, most: usize| {
            let from = ((from / self.cell).floor().max(0.0) as usize).min(most - 1);
            from..((to / self.cell).ceil().max(0.0) as usize).clamp(from + 1, most)
        };
        let (across, down) = (cells(area.left, area.right, self.columns), cells(area.top, area.bottom, self.rows));
        let starts = down.map(|row| row * self.columns);
        let ranges: Vec<_> = starts.map(|start| start + across.start..start + across.end).collect();
        let beneath = ranges.iter().flat_map(|range| &self.touched[range.clone()]).max().copied().unwrap_or(0);
        let Rgba(red, green, blue, alpha) = colour;
        let key = [red, green, blue, alpha];
        let place = match self.last.get(&key) {
            Some(&place) if place + 1 >= beneath as usize => place,
            _ => {
                self.made.push((colour, Vec::new()));
                self.made.len() - 1
            }
        };
        self.last.insert(key, place);
        self.made[place].1.push(*area);
        for range in ranges {
            self.touched[range].fill(place as u32 + 1);
        }
    }
}
