//! A scene as pixels.
//!
//! Rectangles, cells and glyphs are blended here, with integers. tiny-skia draws the shapes with slanted edges.

use heddle_view::{Band, Layer, Raster, Rgba, Scene, SegmentMark};
use tiny_skia::{
    Color, FillRule, LineCap, Mask, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Stroke as LineStyle,
    Transform,
};

use crate::furniture::{self, Block, Text};
use crate::marks::{self, Area, Stroke};
use crate::{colour, text};

/// As many lines of a colour are drawn at once.
const LINES_AT_ONCE: usize = 512;

/// The picture of a scene, `width` by `height` pixels for `scale` pixels to each of the scene. Nothing if that is no
/// size.
pub(crate) fn draw(scene: &Scene, scale: f32, width: u32, height: u32) -> Option<Pixmap> {
    let mut pixmap = Pixmap::new(width, height)?;
    let Rgba(red, green, blue, alpha) = colour(scene, scene.background);
    pixmap.fill(Color::from_rgba8(red, green, blue, alpha));
    let plot = Area::of(&scene.plot);
    let mut canvas = Canvas { scene, scale, plot, clip: Pixels::default(), mask: None, pixmap };
    canvas.clip = canvas.on_pixels(&plot);
    let furniture = furniture::lay_out(scene);
    canvas.blocks(&furniture.under);
    for layer in &scene.layers {
        canvas.layer(layer);
    }
    canvas.blocks(&furniture.over);
    for text in &furniture.texts {
        canvas.text(text);
    }
    Some(canvas.pixmap)
}

/// A range of pixels of the picture; ends are exclusive.
#[derive(Clone, Copy, Debug, Default)]
struct Pixels {
    x: (usize, usize),
    y: (usize, usize),
}

impl Pixels {
    fn within(self, other: Pixels) -> Pixels {
        let common = |a: (usize, usize), b: (usize, usize)| (a.0.max(b.0), a.1.min(b.1));
        Pixels { x: common(self.x, other.x), y: common(self.y, other.y) }
    }
}

struct Canvas<'a> {
    scene: &'a Scene,
    scale: f32,
    plot: Area,
    /// Pixels of the plot.
    clip: Pixels,
    /// The same for tiny-skia, made when the first shape needs it.
    mask: Option<Mask>,
    pixmap: Pixmap,
}

impl Canvas<'_> {
    /// The pixels of an area: edges are rounded, so that neighbours neither overlap nor leave a gap.
    fn on_pixels(&self, area: &Area) -> Pixels {
        let range = |from: f32, to: f32, size: u32| {
            let (from, to) = ((from * self.scale).round(), (to * self.scale).round());
            (from.clamp(0.0, size as f32) as usize, to.clamp(0.0, size as f32) as usize)
        };
        Pixels {
            x: range(area.left, area.right, self.pixmap.width()),
            y: range(area.top, area.bottom, self.pixmap.height()),
        }
    }

    fn rows(&mut self, pixels: Pixels) -> impl Iterator<Item = &mut [PremultipliedColorU8]> {
        let width = self.pixmap.width() as usize;
        let (from, to) = pixels.x;
        let (first, last) = if from < to { pixels.y } else { (0, 0) };
        let rows = self.pixmap.pixels_mut().chunks_mut(width).skip(first).take(last.saturating_sub(first));
        rows.map(move |row| &mut row[from..to])
    }

    fn fill(&mut self, pixels: Pixels, colour: Rgba) {
        let opaque = (colour.3 == 255).then(|| over(PremultipliedColorU8::TRANSPARENT, colour, 255));
        for row in self.rows(pixels) {
            match opaque {
                Some(opaque) => row.fill(opaque),
                None => row.iter_mut().for_each(|pixel| *pixel = over(*pixel, colour, 255)),
            }
        }
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.fill(self.on_pixels(&block.area), colour(self.scene, block.colour));
        }
    }

    fn layer(&mut self, layer: &Layer) {
        match layer {
            Layer::Rects(rects) => {
                for mark in rects {
                    if let Some(area) = marks::visible(&self.plot, &mark.rect, 1.0 / self.scale) {
                        self.mark(&area, colour(self.scene, mark.colour));
                    }
                }
            }
            Layer::Segments(segments) => self.segments(segments),
            Layer::Bands(bands) => self.bands(bands),
            Layer::Raster(raster) => self.raster(raster),
        }
    }

    fn mark(&mut self, area: &Area, colour: Rgba) {
        self.fill(self.on_pixels(area).within(self.clip), colour);
    }

    fn segments(&mut self, segments: &[SegmentMark]) {
        let mut rest = segments;
        while let Some(first) = rest.first() {
            let ink = colour(self.scene, first.colour);
            // Lines that shine through each other have to be drawn one by one.
            let most = if ink.3 == 255 { LINES_AT_ONCE } else { 1 };
            let count = rest.iter().take(most).take_while(|segment| marks::alike(segment, first)).count();
            let (run, others) = rest.split_at(count);
            rest = others;
            let mut path = PathBuilder::new();
            for segment in run {
                match marks::stroke(&self.plot, segment, 1.0 / self.scale) {
                    Some(Stroke::Straight(area)) => self.mark(&area, ink),
                    Some(Stroke::Slanted(from, to)) => {
                        path.move_to(from.0, from.1);
                        path.line_to(to.0, to.1);
                    }
                    None => {}
                }
            }
            let cap = if ink.3 == 255 { LineCap::Round } else { LineCap::Butt };
            let style = LineStyle { width: marks::line_width(first), line_cap: cap, ..LineStyle::default() };
            if let Some(path) = path.finish() {
                self.shape(&path, ink, Some(&style));
            }
        }
    }

    fn bands(&mut self, bands: &[Band]) {
        let scene = self.scene;
        for (index, band) in bands.iter().enumerate() {
            let mut path = PathBuilder::new();
            for polygon in marks::polygons(&self.plot, bands, index, |band| colour(scene, band.colour).3 == 255) {
                let mut corners = polygon.into_iter();
                if let Some((x, y)) = corners.next() {
                    path.move_to(x, y);
                    corners.for_each(|(x, y)| path.line_to(x, y));
                    path.close();
                }
            }
            if let Some(path) = path.finish() {
                self.shape(&path, colour(scene, band.colour), None);
            }
        }
    }

    /// Fills a path, or draws along it, inside the plot.
    fn shape(&mut self, path: &Path, Rgba(red, green, blue, alpha): Rgba, style: Option<&LineStyle>) {
        if self.mask.is_none() {
            self.mask = plot_mask(&self.pixmap, self.clip);
        }
        let mut paint = Paint { anti_alias: true, ..Paint::default() };
        paint.set_color_rgba8(red, green, blue, alpha);
        let (transform, mask) = (Transform::from_scale(self.scale, self.scale), self.mask.as_ref());
        match style {
            Some(style) => self.pixmap.stroke_path(path, &paint, style, transform, mask),
            None => self.pixmap.fill_path(path, &paint, FillRule::Winding, transform, mask),
        }
    }

    fn raster(&mut self, raster: &Raster) {
        let Some((columns, rows)) = marks::raster_size(raster) else { return };
        let (scene, clip) = (self.scene, self.clip);
        // From the pixels of the whole plot, also where it reaches out of the picture.
        let whole = |from: f32, to: f32| ((from * self.scale).round() as i64, (to * self.scale).round() as i64);
        let (across, down) = (whole(self.plot.left, self.plot.right), whole(self.plot.top, self.plot.bottom));
        // The cell in which the middle of a pixel lies.
        let cell = |at: usize, (from, to): (i64, i64), cells: usize| {
            let twice = (at as i64 - from) * 2 + 1;
            ((twice * cells as i64 / (2 * (to - from).max(1))).max(0) as usize).min(cells - 1)
        };
        for (line, pixels) in self.rows(clip).enumerate() {
            let row = cell(clip.y.0 + line, down, rows) * columns;
            for (offset, pixel) in pixels.iter_mut().enumerate() {
                let index = row + cell(clip.x.0 + offset, across, columns);
                let strength = raster.strength[index];
                if strength > 0 {
                    *pixel = over(*pixel, colour(scene, raster.colours[index]), strength);
                }
            }
        }
    }

    fn text(&mut self, text: &Text) {
        let ink = colour(self.scene, text.colour);
        // On whole pixels the feet of letters are sharp.
        let place = (text.extent().0 * self.scale, (text.at.1 * self.scale).round());
        let (width, height) = (self.pixmap.width() as usize, self.pixmap.height() as usize);
        let pixels = self.pixmap.pixels_mut();
        for glyph in text::glyphs(&text.says, text.size * self.scale, text.weight, place) {
            let corner = glyph.px_bounds().min;
            let (left, top) = (corner.x as i64, corner.y as i64);
            glyph.draw(|x, y, coverage| {
                let (x, y) = (left + i64::from(x), top + i64::from(y));
                if let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y))
                    && x < width
                    && y < height
                {
                    let pixel = &mut pixels[y * width + x];
                    *pixel = over(*pixel, ink, (coverage.clamp(0.0, 1.0) * 255.0).round() as u8);
                }
            });
        }
    }
}

fn plot_mask(pixmap: &Pixmap, clip: Pixels) -> Option<Mask> {
    let mut mask = Mask::new(pixmap.width(), pixmap.height())?;
    if clip.x.0 < clip.x.1 {
        let rows = mask.data_mut().chunks_mut(pixmap.width() as usize);
        for row in rows.skip(clip.y.0).take(clip.y.1.saturating_sub(clip.y.0)) {
            row[clip.x.0..clip.x.1].fill(255);
        }
    }
    Some(mask)
}

/// A colour over a pixel, as far as it covers it.
fn over(beneath: PremultipliedColorU8, Rgba(red, green, blue, alpha): Rgba, coverage: u8) -> PremultipliedColorU8 {
    let share = |value: u32| ((value + 127) / 255) as u8;
    let alpha = u32::from(share(u32::from(alpha) * u32::from(coverage)));
    let mix = |above: u8, below: u8| share(u32::from(above) * alpha + u32::from(below) * (255 - alpha));
    let opacity = mix(255, beneath.alpha());
    // Rounding never lifts a part above the opacity; the minimum says so to tiny-skia.
    let part = |above: u8, below: u8| mix(above, below).min(opacity);
    let parts = (part(red, beneath.red()), part(green, beneath.green()), part(blue, beneath.blue()));
    PremultipliedColorU8::from_rgba(parts.0, parts.1, parts.2, opacity).unwrap_or(beneath)
}
