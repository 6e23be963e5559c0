//! The way through a scene: what is drawn, in which order and in which colour.
//!
//! It is written once, over a [`Canvas`] of a few simple shapes. A writer of a file is such a canvas and knows neither
//! layers nor palettes, so all files show the same picture.

use heddle_view::{Band, ColourId, Density, Layer, PolygonMark, Raster, Rgba, Scene, SegmentMark, opacity};

use crate::furniture::{self, Block, Text};
use crate::marks::{self, Area, Point, Polygon, Stroke};
use crate::sheet::Sheet;

/// What a writer can draw. Later shapes cover earlier ones; colours may shine through.
pub(crate) trait Canvas {
    /// Small marks keep to a raster of so many pixels of the scene.
    fn step(&self) -> f32 {
        1.0
    }

    /// What follows is seen inside the plot only.
    fn clip(&mut self, plot: &Area);

    /// What follows is seen everywhere.
    fn unclip(&mut self);

    /// Rectangles with crisp edges.
    fn rects(&mut self, rects: impl Iterator<Item = (Area, Rgba)>);

    /// Lines of one width. They have round ends, unless they shine through: then the ends would show.
    fn lines(&mut self, lines: &[Line], width: f32, ink: Rgba);

    /// Polygons that together are one shape.
    fn shape(&mut self, polygons: &[Polygon], ink: Rgba);

    /// A grid of cells with hard edges.
    fn cells(&mut self, cells: &Cells);

    /// A text that is clean and not empty.
    fn text(&mut self, text: &Text, ink: Rgba);
}

/// A line between two points.
pub(crate) type Line = (Point, Point);

/// Lines that go on where the one before them ended, together: each such list is one stroke. So a curve that shines through
/// is not darker where its pieces meet.
pub(crate) fn curves(lines: &[Line]) -> impl Iterator<Item = &[Line]> {
    lines.chunk_by(|before, after| before.1 == after.0)
}

/// Cells that fill an area evenly: red, green, blue, opacity of each, from the upper left. There is at least one.
#[derive(Debug)]
pub(crate) struct Cells {
    pub(crate) area: Area,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) colours: Vec<[u8; 4]>,
}

/// Draws everything.
pub(crate) fn draw(scene: &Scene, sheet: &Sheet, canvas: &mut impl Canvas) {
    let plot = Area::of(&scene.plot);
    let furniture = furniture::lay_out(scene, &sheet.text);
    let (width, height) = sheet.pixels();
    let all = Area::new(0.0, 0.0, width, height);
    let background = inked(scene, std::iter::once((all, scene.background)));
    canvas.rects(background.chain(blocks(scene, &furniture.under)));
    canvas.clip(&plot);
    draw_polygons(scene, canvas, &plot, &scene.polygons);
    for layer in &scene.layers {
        match layer {
            Layer::Rects(rects) => {
                let step = canvas.step();
                let seen =
                    rects.iter().filter_map(|mark| Some((marks::visible(&plot, &mark.rect, step)?, mark.colour)));
                canvas.rects(inked(scene, seen));
            }
            Layer::Segments(segments) => draw_segments(scene, canvas, &plot, segments),
            Layer::Discs(discs) => {
                let round: Vec<PolygonMark> = discs.iter().filter_map(marks::disc).collect();
                draw_polygons(scene, canvas, &plot, &round);
            }
            Layer::Bands(bands) => draw_bands(scene, canvas, &plot, bands),
            Layer::Raster(raster) => {
                if let Some(cells) = cells(scene, plot, raster) {
                    canvas.cells(&cells);
                }
            }
            Layer::Density(density) => {
                if let Some(cells) = density_cells(plot, density) {
                    canvas.cells(&cells);
                }
            }
        }
    }
    canvas.unclip();
    let beside = scene.beside.iter().map(|mark| (Area::of(&mark.rect), mark.colour));
    canvas.rects(inked(scene, beside));
    canvas.rects(blocks(scene, &furniture.over));
    for text in &furniture.texts {
        let ink = colour(scene, text.colour);
        if ink.3 > 0 {
            canvas.text(text, ink);
        }
    }
}

/// A colour of the palette. A position that is not in it is a bug of the view, which grey shows and nothing hides.
fn colour(scene: &Scene, id: ColourId) -> Rgba {
    scene.palette.get(usize::from(id.0)).copied().unwrap_or(Rgba(128, 128, 128, 255))
}

fn blocks(scene: &Scene, blocks: &[Block]) -> impl Iterator<Item = (Area, Rgba)> {
    inked(scene, blocks.iter().map(|block| (block.area, block.colour)))
}

/// With their colours, and without those that nobody could see.
fn inked(scene: &Scene, areas: impl Iterator<Item = (Area, ColourId)>) -> impl Iterator<Item = (Area, Rgba)> {
    areas.map(|(area, id)| (area, colour(scene, id))).filter(|(_, ink)| ink.3 > 0)
}

fn draw_segments(scene: &Scene, canvas: &mut impl Canvas, plot: &Area, segments: &[SegmentMark]) {
    let step = canvas.step();
    let seen = segments.iter().filter_map(|segment| Some((segment, marks::stroke(plot, segment, step)?)));
    let seen: Vec<(&SegmentMark, Stroke)> = seen.collect();
    let is_straight = |stroke: &Stroke| matches!(stroke, Stroke::Straight(_));
    for run in seen.chunk_by(|a, b| is_straight(&a.1) == is_straight(&b.1)) {
        let straight = run.iter().filter_map(|(segment, stroke)| match stroke {
            Stroke::Straight(area) => Some((*area, segment.colour)),
            Stroke::Slanted(..) => None,
        });
        canvas.rects(inked(scene, straight));
        for alike in run.chunk_by(|a, b| marks::alike(a.0, b.0)) {
            let slanted = alike.iter().filter_map(|(_, stroke)| match stroke {
                Stroke::Slanted(from, to) => Some((*from, *to)),
                Stroke::Straight(_) => None,
            });
            let slanted: Vec<Line> = slanted.collect();
            let ink = colour(scene, alike[0].0.colour);
            if !slanted.is_empty() && ink.3 > 0 {
                canvas.lines(&slanted, marks::line_width(alike[0].0), ink);
            }
        }
    }
}

/// Polygons in their order; neighbours of one colour together, as long as that looks the same.
fn draw_polygons(scene: &Scene, canvas: &mut impl Canvas, plot: &Area, polygons: &[PolygonMark]) {
    let seen: Vec<&PolygonMark> = polygons.iter().filter(|polygon| marks::meets(plot, &polygon.corners)).collect();
    let is_opaque = |polygon: &PolygonMark| colour(scene, polygon.colour).3 == 255;
    for run in seen.chunk_by(|a, b| a.colour == b.colour && is_opaque(a)) {
        let ink = colour(scene, run[0].colour);
        if ink.3 > 0 {
            let shapes: Vec<Polygon> = run.iter().map(|polygon| polygon.corners.clone()).collect();
            canvas.shape(&shapes, ink);
        }
    }
}

fn draw_bands(scene: &Scene, canvas: &mut impl Canvas, plot: &Area, bands: &[Band]) {
    for (index, band) in bands.iter().enumerate() {
        let ink = colour(scene, band.colour);
        let polygons = marks::polygons(plot, bands, index, |band| colour(scene, band.colour).3 == 255);
        if !polygons.is_empty() && ink.3 > 0 {
            canvas.shape(&polygons, ink);
        }
    }
}

/// The cells of a raster that has all of them; others are not drawn.
fn cells(scene: &Scene, area: Area, raster: &Raster) -> Option<Cells> {
    let (columns, rows) = marks::raster_size(raster)?;
    let cells = raster.colours.iter().zip(&raster.strength).take(columns * rows);
    let colours = cells.map(|(&id, &strength)| {
        let Rgba(red, green, blue, alpha) = colour(scene, id);
        let alpha = ((u32::from(alpha) * u32::from(strength) + 127) / 255) as u8;
        // All empty cells alike: they compress better.
        if alpha == 0 { [0; 4] } else { [red, green, blue, alpha] }
    });
    Some(Cells { area, columns, rows, colours: colours.collect() })
}

/// The cells of a density that has all of them, as opaque as its map says.
fn density_cells(area: Area, density: &Density) -> Option<Cells> {
    let Density { map, least, most, .. } = *density;
    let (columns, rows) = marks::density_size(density)?;
    // Most counts are small, and logarithms are not free.
    let known: Vec<u8> = (0..=4096.min(most)).map(|count| of_255(opacity(map, least, count, most))).collect();
    let cells = density.counts.iter().zip(&density.colours).take(columns * rows);
    let colours = cells.map(|(&count, &[red, green, blue])| {
        let known = known.get(count as usize).copied();
        match known.unwrap_or_else(|| of_255(opacity(map, least, count, most))) {
            0 => [0; 4],
            alpha => [red, green, blue, alpha],
        }
    });
    Some(Cells { area, columns, rows, colours: colours.collect() })
}

/// A share of 1 in 255ths.
fn of_255(share: f32) -> u8 {
    (share * 255.0).round() as u8
}
