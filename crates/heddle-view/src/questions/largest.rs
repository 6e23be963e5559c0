//! The largest value of a metric in a window of steps and rows: what the colours are fitted to.

use heddle_logical::Cells;
use heddle_model::LocationId;
use heddle_store::Store;

use crate::analyses::LogicalData;
use crate::request::rows::Rows;
use crate::request::window::Window;

/// The largest value of an event in sight and, if asked for, of the aggregates before them; none if there is none.
pub fn largest_in_sight(store: &Store, data: &LogicalData, window: &Window, aggregates: bool) -> Option<f64> {
    let window = Window { main_only: true, ..window.clone() };
    let rows = Rows::of(store, &window);
    let event_row = |at: &LocationId| data.logical.row_of_location(*at).unwrap_or(u32::MAX);
    let lines: Vec<u32> = rows.locations().iter().map(event_row).collect();
    let steps = window.steps.unwrap_or((0.0, data.logical.steps.len() as f64));
    let whole = (0.0, 1.0);
    // Cells as high as a picture's, so that tiles are at hand where there are many events.
    let count = rows.bands(CELLS as f32);
    let cells = Cells { lines: &lines, steps, columns: CELLS, rows: count, event: whole, aggregate: whole };
    let reduced = data.values.reduce(&data.logical, &cells);
    let largest = |values: &[f32]| values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let value = largest(&reduced.largest);
    let value = if aggregates { value.max(largest(&reduced.aggregate)) } else { value };
    value.is_finite().then_some(f64::from(value))
}

/// Cells along each axis.
const CELLS: u32 = 512;
