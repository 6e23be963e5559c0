//! Draws a [`Scene`] as PNG, SVG or PDF.
//!
//! The same scene gives the same bytes: there is no clock, no system font and no order of a hash map in a picture.
//! Text is measured and drawn with `DejaVu Sans`, which is part of the program. All writers are led
//! through the scene by `canvas`, which places everything by the same rules (`furniture` for axes and text, `marks` for
//! the data), so that the figure in a paper is the picture on the screen.
//!
//! Scenes carry hostile text and numbers that came out of damaged traces. Neither makes a picture invalid: control
//! characters are dropped, markup is escaped, and marks that are not finite are left out.

mod animation;
mod batches;
mod canvas;
mod encode;
mod figure;
mod furniture;
mod marks;
mod numbers;
mod pdf;
mod pixels;
mod sfnt;
mod sheet;
mod svg;
mod text;

#[cfg(test)]
mod tests;

use heddle_view::{Scene, Size};

pub use animation::Animation;
pub use figure::{Dpi, Figure, FigureOptions, FontSize, Format, Length};
pub use pdf::pdf;
pub use svg::svg;
pub use text::text_width;

use sheet::Sheet;

/// The largest width and height of a picture, in its own pixels.
pub const LARGEST: u32 = 16_384;

/// Why a picture could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// Nothing to draw on, or more than fits in memory.
    #[error("a picture of {width} × {height} pixels cannot be drawn: both must be from 1 to {LARGEST}")]
    Size {
        /// Width in pixels, after scaling.
        width: u32,
        /// Height in pixels, after scaling.
        height: u32,
    },
    /// The pixels could not be written as PNG.
    #[error("the picture cannot be written as PNG: {0}")]
    Encoding(#[from] png::EncodingError),
    /// The built-in font could not be put into the file.
    #[error("the font cannot be put into the figure: {0}")]
    Font(#[from] subsetter::Error),
}

/// The scene as a PNG file. A `scale` of 2 gives twice the pixels in each direction, for paper and fine screens.
pub fn png(scene: &Scene, scale: f32) -> Result<Vec<u8>, DrawError> {
    let (width, height) = pixels_of(scene.size, scale)?;
    let sheet = Sheet::screen(scene.size);
    let canvas = pixels::draw(scene, &sheet, scale, (width, height)).ok_or(DrawError::Size { width, height })?;
    Ok(encode::canvas(&canvas, None)?)
}

/// Width and height in pixels of the file.
fn pixels_of(size: Size, scale: f32) -> Result<(u32, u32), DrawError> {
    // A scale that is no number becomes a size of zero, and one that is too large the largest: both are refused.
    let scaled = |length: u32| (length as f32 * scale).round() as u32;
    let (width, height) = (scaled(size.width), scaled(size.height));
    let is_one = (1..=LARGEST).contains(&width) && (1..=LARGEST).contains(&height);
    if is_one { Ok((width, height)) } else { Err(DrawError::Size { width, height }) }
}
