//! Pixels to PNG bytes: fixed filter and compression, and no chunk that says when or by whom.

use std::io::Write;

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Filter, PixelDimensions, Unit};
use tiny_skia::{Pixmap, PremultipliedColorU8};

use crate::canvas::Cells;

/// A finished picture. An opaque one, which is the usual case, is written without its opacity. One that has a size on paper says how
/// many pixels of it are an inch.
pub(crate) fn canvas(pixels: &Pixmap, dpi: Option<u32>) -> Result<Vec<u8>, EncodingError> {
    let opaque = pixels.pixels().iter().all(PremultipliedColorU8::is_opaque);
    let colour = if opaque { ColorType::Rgb } else { ColorType::Rgba };
    let rows = pixels.pixels().chunks(pixels.width() as usize);
    let rows = rows.map(|row| -> Vec<u8> {
        if opaque {
            row.iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect()
        } else {
            let straight = row.iter().map(PremultipliedColorU8::demultiply);
            straight.flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]).collect()
        }
    });
    write((pixels.width(), pixels.height()), colour, dpi, rows)
}

/// The pixels of a picture on an opaque ground, three bytes each.
pub(crate) fn opaque(pixels: &Pixmap) -> Vec<u8> {
    pixels.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect()
}

/// Cells with straight opacity, one pixel each.
pub(crate) fn cells(cells: &Cells) -> Result<Vec<u8>, EncodingError> {
    let lines = cells.colours.chunks(cells.columns).map(|row| row.as_flattened().to_vec());
    write((cells.columns as u32, cells.rows as u32), ColorType::Rgba, None, lines)
}

fn write(
    (width, height): (u32, u32),
    colour: ColorType,
    dpi: Option<u32>,
    rows: impl Iterator<Item = Vec<u8>>,
) -> Result<Vec<u8>, EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(colour);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    // Areas of one colour repeat exactly, which filters that predict a pixel from its neighbours only hide.
    encoder.set_filter(Filter::NoFilter);
    encoder.set_pixel_dims(dpi.map(|dpi| {
        let per_metre = (f64::from(dpi) / 0.0254).round() as u32;
        PixelDimensions { xppu: per_metre, yppu: per_metre, unit: Unit::Meter }
    }));
    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer()?;
    for row in rows {
        stream.write_all(&row)?;
    }
    stream.finish()?;
    writer.finish()?;
    Ok(bytes)
}
