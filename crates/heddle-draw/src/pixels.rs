//! A scene as pixels.
//!
//! Rectangles, cells and glyphs are blended here, with integers. tiny-skia draws the shapes with slanted edges.

use heddle_view::{Rgba, Scene};
use tiny_skia::{FillRule, LineCap, Mask, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Stroke, Transform};

use crate::canvas::{self, Canvas, Cells, Line};
use crate::furniture::Text;
use crate::marks::{Area, Polygon};
use crate::sheet::Sheet;
use crate::text;

/// As many lines of a colour are drawn at once.
const LINES_AT_ONCE: usize = 512;

/// The picture of a scene, `width` by `height` pixels for `scale` pixels to each of the scene. Nothing if that is no
/// size.
pub(crate) fn draw(scene: &Scene, sheet: &Sheet, scale: f32, (width, height): (u32, u32)) -> Option<Pixmap> {
    let pixmap = Pixmap::new(width, height)?;
    let mut drawing = Drawing { scale, clip: Pixels::all(&pixmap), mask: None, pixmap };
    canvas::draw(scene, sheet, &mut drawing);
    Some(drawing.pixmap)
}

/// A range of pixels of the picture; ends are exclusive.
#[derive(Clone, Copy, Debug)]
struct Pixels {
    x: (usize, usize),
    y: (usize, usize),
}

impl Pixels {
    fn all(pixmap: &Pixmap) -> Pixels {
        Pixels { x: (0, pixmap.width() as usize), y: (0, pixmap.height() as usize) }
    }

    fn within(self, other: Pixels) -> Pixels {
        let common = |a: (usize, usize), b: (usize, usize)| (a.0.max(b.0), a.1.min(b.1));
        Pixels { x: common(self.x, other.x), y: common(self.y, other.y) }
    }
}

struct Drawing {
    scale: f32,
    /// Pixels that may be drawn on.
    clip: Pixels,
    /// The same for tiny-skia, made when the first shape needs it.
    mask: Option<Mask>,
    pixmap: Pixmap,
}

impl Drawing {
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

    /// Fills a path, or draws along it.
    fn path(&mut self, path: &Path, Rgba(red, green, blue, alpha): Rgba, style: Option<&Stroke>) {
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
}

impl Canvas for Drawing {
    fn step(&self) -> f32 {
        1.0 / self.scale
    }

    fn clip(&mut self, plot: &Area) {
        self.clip = self.on_pixels(plot);
        self.mask = None;
    }

    fn unclip(&mut self) {
        self.clip = Pixels::all(&self.pixmap);
        self.mask = None;
    }

    fn rects(&mut self, rects: impl Iterator<Item = (Area, Rgba)>) {
        for (area, ink) in rects {
            self.fill(self.on_pixels(&area).within(self.clip), ink);
        }
    }

    fn lines(&mut self, lines: &[Line], width: f32, ink: Rgba) {
        let cap = if ink.3 == 255 { LineCap::Round } else { LineCap::Butt };
        let style = Stroke { width, line_cap: cap, ..Stroke::default() };
        // Lines that shine through each other have to be drawn one by one.
        let curves: Vec<&[Line]> = canvas::curves(lines).collect();
        for curves in curves.chunks(if ink.3 == 255 { LINES_AT_ONCE } else { 1 }) {
            let mut path = PathBuilder::new();
            for curve in curves {
                path.move_to(curve[0].0.0, curve[0].0.1);
                curve.iter().for_each(|&(_, to)| path.line_to(to.0, to.1));
            }
            if let Some(path) = path.finish() {
                self.path(&path, ink, Some(&style));
            }
        }
    }

    fn shape(&mut self, polygons: &[Polygon], ink: Rgba) {
        let mut path = PathBuilder::new();
        for polygon in polygons {
            let mut corners = polygon.iter();
            if let Some(&(x, y)) = corners.next() {
                path.move_to(x, y);
                corners.for_each(|&(x, y)| path.line_to(x, y));
                path.close();
            }
        }
        if let Some(path) = path.finish() {
            self.path(&path, ink, None);
        }
    }

    fn cells(&mut self, cells: &Cells) {
        let clip = self.clip;
        // From the pixels of the whole plot, also where it reaches out of the picture.
        let whole = |from: f32, to: f32| ((from * self.scale).round() as i64, (to * self.scale).round() as i64);
        let (across, down) = (whole(cells.area.left, cells.area.right), whole(cells.area.top, cells.area.bottom));
        // The cell in which the middle of a pixel lies.
        let cell = |at: usize, (from, to): (i64, i64), count: usize| {
            let twice = (at as i64 - from) * 2 + 1;
            ((twice * count as i64 / (2 * (to - from).max(1))).max(0) as usize).min(count - 1)
        };
        for (line, pixels) in self.rows(clip).enumerate() {
            let row = cell(clip.y.0 + line, down, cells.rows) * cells.columns;
            for (offset, pixel) in pixels.iter_mut().enumerate() {
                let [red, green, blue, alpha] = cells.colours[row + cell(clip.x.0 + offset, across, cells.columns)];
                if alpha > 0 {
                    *pixel = over(*pixel, Rgba(red, green, blue, alpha), 255);
                }
            }
        }
    }

    fn text(&mut self, text: &Text, ink: Rgba) {
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
