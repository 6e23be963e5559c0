//! Rasters for print: cells of a third of a pixel.
//!
//! The same view is asked for a scene with a plot three times as wide and high; its rasters take the place of the coarse ones.
//! A raster fills the plot whatever its size, so nothing has to be moved. Everything else stays: text, lines and ticks are made for
//! the size that the figure has.

use heddle_view::{Layer, Rect, RectMark, Scene, Size};

use super::fit::Room;

/// Cells for each pixel of the scene, in each direction.
const FINENESS: u32 = 3;
/// Cells of a raster, and of its longer side: more would be slow to make and slow to print.
const MOST_CELLS: u32 = 12_000_000;
const MOST_SIDE: u32 = 8_192;

/// Whether a scene has cells at all.
fn has_cells(scene: &Scene) -> bool {
    scene.layers.iter().any(is_cells)
}

fn is_cells(layer: &Layer) -> bool {
    matches!(layer, Layer::Raster(_) | Layer::Density(_))
}

/// The scene with finer rasters, as a view made it.
pub(super) fn refined(mut scene: Scene, make: &mut dyn FnMut(Size) -> Scene) -> Scene {
    let (width, height) = (scene.plot.width as u32, scene.plot.height as u32);
    let fits = |by: &u32| width.max(height) * by <= MOST_SIDE && width * by <= MOST_CELLS / (height * by).max(1);
    let Some(by) = (2..=FINENESS).rev().find(fits).filter(|_| has_cells(&scene)) else { return scene };
    let by = by as f32;
    let fine = make(Room::of(&scene).around((scene.plot.width * by, scene.plot.height * by)));
    if fine.layers.len() != scene.layers.len() {
        return scene;
    }
    let coarse_plot = scene.plot;
    let mut is_other = false;
    for (layer, fine_layer) in scene.layers.iter_mut().zip(fine.layers) {
        match (&*layer, fine_layer) {
            (Layer::Raster(_), fine @ Layer::Raster(_)) | (Layer::Density(_), fine @ Layer::Density(_)) => {
                *layer = fine;
                is_other = true;
            }
            // With more room, marks are few enough to be drawn one by one.
            (Layer::Raster(_), Layer::Rects(marks)) => {
                let at = |(x, y): (f32, f32)| {
                    (coarse_plot.x + (x - fine.plot.x) / by, coarse_plot.y + (y - fine.plot.y) / by)
                };
                let smaller = |mark: RectMark| {
                    let (x, y) = at((mark.rect.x, mark.rect.y));
                    let rect = Rect { x, y, width: mark.rect.width / by, height: mark.rect.height / by };
                    RectMark { rect, ..mark }
                };
                *layer = Layer::Rects(marks.into_iter().map(smaller).collect());
                is_other = true;
            }
            _ => {}
        }
    }
    if is_other {
        // Colours by their number, and words about what a cell stands for.
        scene.palette = fine.palette;
        scene.notes = fine.notes;
    }
    scene
}
