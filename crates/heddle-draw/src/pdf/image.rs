//! A raster as an image with its opacities in a mask.
//!
//! Many readers smooth an image when they enlarge it, whatever the file says. So a cell becomes as many samples as it
//! has pixels: what is smoothed then is narrower than a pixel. Repeated samples compress to almost nothing.

use std::collections::BTreeMap;

use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::Predictor;
use pdf_writer::writers::ImageXObject;
use pdf_writer::{Chunk, Filter, Finish, Name, Ref};

use super::EFFORT;
use crate::canvas::Cells;

/// How a row of samples is written: as it is, or as its difference from the row above.
const SAME: u8 = 0;
const LIKE_ABOVE: u8 = 2;

/// Samples for each pixel of the scene.
const SAMPLES: f32 = 3.0;

/// Cells are not divided into more samples than these. A raster that has more cells keeps them.
const MOST_SAMPLES: usize = 1 << 24;

/// Writes the image and gives its number.
pub(super) fn write(chunk: &mut Chunk, next: &mut Ref, cells: &Cells) -> Ref {
    let samples = Samples::of(cells);
    let image = next.bump();
    let colours = cells.colours.iter().scan([0; 3], |last, &[red, green, blue, alpha]| {
        // An empty cell continues its neighbour: no other colour can shine in from it where a reader smooths.
        *last = if alpha > 0 { [red, green, blue] } else { *last };
        Some(*last)
    });
    let colours: Vec<[u8; 3]> = colours.collect();
    let mut palette: BTreeMap<[u8; 3], u8> = BTreeMap::new();
    for colour in &colours {
        if palette.len() <= 256 && !palette.contains_key(colour) {
            palette.insert(*colour, 0);
        }
    }
    let few = palette.len() <= 256;
    for (index, place) in (0..=255).zip(palette.values_mut()) {
        *place = index;
    }
    let data = if few {
        let index = |colour: &[u8; 3]| [palette.get(colour).copied().unwrap_or(0)];
        samples.compressed(&colours.iter().map(index).collect::<Vec<_>>())
    } else {
        samples.compressed(&colours)
    };
    let opaque = cells.colours.iter().all(|cell| cell[3] == 255);
    let mut written = samples.image(chunk, image, &data, if few { 1 } else { 3 });
    if few {
        let lookup: Vec<u8> = palette.keys().flatten().copied().collect();
        written.color_space().indexed(Name(b"DeviceRGB"), palette.len() as i32 - 1, &lookup);
    } else {
        written.color_space().device_rgb();
    }
    if opaque {
        return image;
    }
    let mask = next.bump();
    written.s_mask(mask);
    written.finish();
    let data = samples.compressed(&cells.colours.iter().map(|cell| [cell[3]]).collect::<Vec<_>>());
    samples.image(chunk, mask, &data, 1).color_space().device_gray();
    image
}

/// How cells become samples.
struct Samples {
    columns: usize,
    rows: usize,
    /// Samples of a cell in each direction.
    across: usize,
    down: usize,
}

impl Samples {
    fn of(cells: &Cells) -> Samples {
        let (columns, rows) = (cells.columns, cells.rows);
        let share = |length: f32, cells: usize| ((SAMPLES * length / cells as f32).round() as usize).max(1);
        let (across, down) = (share(cells.area.width(), columns), share(cells.area.height(), rows));
        let all = [across, rows, down].iter().try_fold(columns, |product, factor| product.checked_mul(*factor));
        match all {
            Some(all) if all <= MOST_SAMPLES => Samples { columns, rows, across, down },
            _ => Samples { columns, rows, across: 1, down: 1 },
        }
    }

    fn image<'a>(&self, chunk: &'a mut Chunk, id: Ref, compressed: &'a [u8], parts: i32) -> ImageXObject<'a> {
        let (width, height) = (self.columns * self.across, self.rows * self.down);
        let mut image = chunk.image_xobject(id, compressed);
        image.width(width as i32).height(height as i32).bits_per_component(8).interpolate(false);
        image.filter(Filter::FlateDecode);
        let mut rows = image.decode_parms();
        rows.predictor(Predictor::PngOptimum).colors(parts).bits_per_component(8).columns(width as i32);
        rows.finish();
        image
    }

    fn compressed<const N: usize>(&self, cells: &[[u8; N]]) -> Vec<u8> {
        let mut samples = Vec::with_capacity((cells.len() * self.across * N + self.rows) * self.down);
        for row in cells.chunks(self.columns) {
            let line: Vec<[u8; N]> = row.iter().flat_map(|cell| std::iter::repeat_n(*cell, self.across)).collect();
            samples.push(SAME);
            samples.extend_from_slice(line.as_flattened());
            for _ in 1..self.down {
                samples.push(LIKE_ABOVE);
                samples.resize(samples.len() + line.len() * N, 0);
            }
        }
        compress_to_vec_zlib(&samples, EFFORT)
    }
}
