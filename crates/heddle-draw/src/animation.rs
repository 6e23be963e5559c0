//! Several scenes as one animated PNG. Browsers and slides show it; whatever knows no animations shows the first scene.

use std::io::Write;

use heddle_view::{Scene, Size};
use png::{BitDepth, ColorType, Compression, Encoder, Filter, Writer};

use crate::sheet::Sheet;
use crate::{DrawError, encode, pixels, pixels_of};

/// An animated PNG that is being written.
pub struct Animation<W: Write> {
    writer: Writer<W>,
    scale: f32,
    /// In pixels of the file.
    size: (u32, u32),
}

impl<W: Write> std::fmt::Debug for Animation<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Animation").field("size", &self.size).finish_non_exhaustive()
    }
}

impl<W: Write> Animation<W> {
    /// Begins one of so many scenes of one size, so many of them per second, again and again.
    pub fn new(out: W, size: Size, scale: f32, frames: u32, fps: u16) -> Result<Animation<W>, DrawError> {
        let size = pixels_of(size, scale)?;
        let mut encoder = Encoder::new(out, size.0, size.1);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Balanced);
        encoder.set_filter(Filter::NoFilter);
        encoder.set_animated(frames, 0)?;
        encoder.set_frame_delay(1, fps)?;
        Ok(Animation { writer: encoder.write_header()?, scale, size })
    }

    /// Adds the next scene. One of another size is refused.
    pub fn add(&mut self, scene: &Scene) -> Result<(), DrawError> {
        let (width, height) = pixels_of(scene.size, self.scale)?;
        let refused = DrawError::Size { width, height };
        if (width, height) != self.size {
            return Err(refused);
        }
        let sheet = Sheet::screen(scene.size);
        let canvas = pixels::draw(scene, &sheet, self.scale, (width, height)).ok_or(refused)?;
        Ok(self.writer.write_image_data(&encode::opaque(&canvas))?)
    }

    /// All scenes are there.
    pub fn finish(self) -> Result<(), DrawError> {
        Ok(self.writer.finish()?)
    }
}
