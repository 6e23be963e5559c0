//! A scene as SVG.
//!
//! Marks of one colour share a path as far as that does not change who covers whom.

use std::collections::BTreeMap;
use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use heddle_view::{Anchor, Band, ColourId, Layer, Raster, RectMark, Rgba, Scene, SegmentMark};

use crate::furniture::{self, Block, Text};
use crate::marks::{self, Area, Polygon, Stroke};
use crate::text::Weight;
use crate::{colour, encode};

/// The scene as an SVG document. Text stays text, in `DejaVu Sans` where the reader has it.
pub fn svg(scene: &Scene) -> String {
    let (width, height) = (scene.size.width, scene.size.height);
    let plot = Area::of(&scene.plot);
    let mut writer = Writer { scene, plot, out: String::new() };
    writer.out.push_str(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans, Verdana, sans-serif\" \
         style=\"font-kerning:none\" xml:space=\"preserve\">\n"
    ));
    let all = Area::new(0.0, 0.0, width as f32, height as f32);
    writer.out.push_str(&format!("<path{} d=\"{}\"/>\n", fill(colour(scene, scene.background)), rect_path(&all)));
    let furniture = furniture::lay_out(scene);
    writer.blocks(&furniture.under);
    // The name says where the plot is: several pictures in one page may have it twice, with the same meaning.
    let name = [plot.left, plot.top, plot.width(), plot.height()].map(number).join("-");
    writer.out.push_str(&format!(
        "<clipPath id=\"plot-{name}\"><path d=\"{}\"/></clipPath>\n<g clip-path=\"url(#plot-{name})\">\n",
        rect_path(&plot)
    ));
    for layer in &scene.layers {
        writer.layer(layer);
    }
    writer.out.push_str("</g>\n");
    writer.blocks(&furniture.over);
    for text in &furniture.texts {
        writer.text(text);
    }
    writer.out.push_str("</svg>\n");
    writer.out
}

struct Writer<'a> {
    scene: &'a Scene,
    plot: Area,
    out: String,
}

impl Writer<'_> {
    fn blocks(&mut self, blocks: &[Block]) {
        self.crisp(blocks.iter().map(|block| (block.area, block.colour)));
    }

    /// Rectangles with crisp edges.
    fn crisp(&mut self, areas: impl Iterator<Item = (Area, ColourId)>) {
        let mut batches = Batches::new(self.scene);
        for (area, colour) in areas {
            batches.add(&area, colour);
        }
        if batches.paths.is_empty() {
            return;
        }
        self.out.push_str("<g shape-rendering=\"crispEdges\">\n");
        for (id, areas) in batches.paths {
            let ink = colour(self.scene, id);
            if ink.3 == 255 {
                let path: String = areas.iter().map(rect_path).collect();
                self.out.push_str(&format!("<path{} d=\"{path}\"/>\n", fill(ink)));
            } else {
                // In one path they would not shine through each other.
                self.out.push_str(&format!("<g{}>", fill(ink)));
                for area in &areas {
                    self.out.push_str(&format!("<path d=\"{}\"/>", rect_path(area)));
                }
                self.out.push_str("</g>\n");
            }
        }
        self.out.push_str("</g>\n");
    }

    fn layer(&mut self, layer: &Layer) {
        match layer {
            Layer::Rects(rects) => self.rects(rects),
            Layer::Segments(segments) => self.segments(segments),
            Layer::Bands(bands) => self.bands(bands),
            Layer::Raster(raster) => self.raster(raster),
        }
    }

    fn rects(&mut self, rects: &[RectMark]) {
        let plot = self.plot;
        let areas = rects.iter().filter_map(|mark| Some((marks::visible(&plot, &mark.rect, 1.0)?, mark.colour)));
        self.crisp(areas);
    }

    fn segments(&mut self, segments: &[SegmentMark]) {
        let plot = self.plot;
        let seen = segments.iter().filter_map(|segment| Some((segment, marks::stroke(&plot, segment, 1.0)?)));
        let seen: Vec<(&SegmentMark, Stroke)> = seen.collect();
        let straight = |stroke: &Stroke| matches!(stroke, Stroke::Straight(_));
        for run in seen.chunk_by(|a, b| straight(&a.1) == straight(&b.1)) {
            self.crisp(run.iter().filter_map(|(segment, stroke)| match stroke {
                Stroke::Straight(area) => Some((*area, segment.colour)),
                Stroke::Slanted(..) => None,
            }));
            for alike in run.chunk_by(|a, b| marks::alike(a.0, b.0)) {
                self.lines(alike);
            }
        }
    }

    /// Slanted lines of one colour and width.
    fn lines(&mut self, lines: &[(&SegmentMark, Stroke)]) {
        let Some((first, Stroke::Slanted(..))) = lines.first() else { return };
        let ink = colour(self.scene, first.colour);
        let paths = lines.iter().filter_map(|(_, stroke)| match stroke {
            Stroke::Slanted(from, to) => Some(format!("M{}L{}", point(*from), point(*to))),
            Stroke::Straight(_) => None,
        });
        let paths: Vec<String> = paths.collect();
        // In one path they would not shine through each other.
        let paths = paths.join(if ink.3 == 255 { "" } else { "\"/><path d=\"" });
        let cap = if ink.3 == 255 { " stroke-linecap=\"round\"" } else { "" };
        let width = number(marks::line_width(first));
        let stroke = paint("stroke", ink);
        self.out
            .push_str(&format!("<g fill=\"none\"{stroke} stroke-width=\"{width}\"{cap}><path d=\"{paths}\"/></g>\n"));
    }

    fn bands(&mut self, bands: &[Band]) {
        for (index, band) in bands.iter().enumerate() {
            let covers = |band: &Band| colour(self.scene, band.colour).3 == 255;
            let polygons = marks::polygons(&self.plot, bands, index, covers);
            let path: String = polygons.iter().map(polygon_path).collect();
            if !path.is_empty() {
                self.out.push_str(&format!("<path{} d=\"{path}\"/>\n", fill(colour(self.scene, band.colour))));
            }
        }
    }

    fn raster(&mut self, raster: &Raster) {
        let Some((columns, rows)) = marks::raster_size(raster) else { return };
        let cells = raster.colours.iter().zip(&raster.strength).take(columns * rows);
        let cells = cells.map(|(&id, &strength)| {
            let Rgba(red, green, blue, alpha) = colour(self.scene, id);
            let alpha = ((u32::from(alpha) * u32::from(strength) + 127) / 255) as u8;
            // All empty cells alike: they compress better.
            if alpha == 0 { [0; 4] } else { [red, green, blue, alpha] }
        });
        let cells: Vec<[u8; 4]> = cells.collect();
        // Writing to memory fails for no raster that has all its cells; without its picture the figure still stands.
        let Ok(png) = encode::cells(raster.columns, raster.rows, &cells) else { return };
        let [x, y, width, height] = [self.plot.left, self.plot.top, self.plot.width(), self.plot.height()].map(number);
        self.out.push_str(&format!(
            "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" \
             style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>\n",
            STANDARD.encode(png)
        ));
    }

    fn text(&mut self, text: &Text) {
        let anchor = match text.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if text.weight == Weight::Bold { " font-weight=\"bold\"" } else { "" };
        let (x, y, size) = (number(text.at.0), number(text.at.1), number(text.size));
        let fill = fill(colour(self.scene, text.colour));
        let content = escape(&text.says);
        self.out.push_str(&format!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{fill}{anchor}{weight}>{content}</text>\n"
        ));
    }
}

/// Rectangles sorted into paths of one colour each. A rectangle joins the last path of its colour unless a later path
/// already covers a part of it.
struct Batches {
    paths: Vec<(ColourId, Vec<Area>)>,
    last: BTreeMap<ColourId, usize>,
    /// For each cell of the picture, the number of paths up to the last that touches it.
    touched: Vec<u32>,
    columns: usize,
    rows: usize,
    /// Width and height of a cell in pixels.
    cell: f32,
}

/// More cells are not kept: they grow with the picture instead.
const MOST_CELLS: f32 = 4e6;

impl Batches {
    fn new(scene: &Scene) -> Batches {
        let (width, height) = (scene.size.width.max(1) as f32, scene.size.height.max(1) as f32);
        let cell = (width / MOST_CELLS * height).sqrt().max(width.max(height) / 65_536.0).max(1.0).ceil();
        let (columns, rows) = ((width / cell).ceil() as usize, (height / cell).ceil() as usize);
        let touched = vec![0; columns * rows];
        Batches { paths: Vec::new(), last: BTreeMap::new(), touched, columns, rows, cell }
    }

    fn add(&mut self, area: &Area, colour: ColourId) {
        let cells = |from: f32, to: f32, most: usize| {
            let from = ((from / self.cell).floor().max(0.0) as usize).min(most - 1);
            from..((to / self.cell).ceil().max(0.0) as usize).clamp(from + 1, most)
        };
        let (across, down) = (cells(area.left, area.right, self.columns), cells(area.top, area.bottom, self.rows));
        let starts = down.map(|row| row * self.columns);
        let ranges: Vec<_> = starts.map(|start| start + across.start..start + across.end).collect();
        let beneath = ranges.iter().flat_map(|range| &self.touched[range.clone()]).max().copied().unwrap_or(0);
        let place = match self.last.get(&colour) {
            Some(&place) if place + 1 >= beneath as usize => place,
            _ => {
                self.paths.push((colour, Vec::new()));
                self.paths.len() - 1
            }
        };
        self.last.insert(colour, place);
        self.paths[place].1.push(*area);
        for range in ranges {
            self.touched[range].fill(place as u32 + 1);
        }
    }
}

fn rect_path(area: &Area) -> String {
    let (x, y) = (hundredths(area.left), hundredths(area.top));
    // From rounded edges, so that neighbours keep their common edge.
    let (width, height) = (hundredths(area.right) - x, hundredths(area.bottom) - y);
    let [x, y, width, height, back] = [x, y, width, height, -width].map(written);
    format!("M{x} {y}h{width}v{height}h{back}z")
}

fn polygon_path(polygon: &Polygon) -> String {
    let corners: Vec<String> = polygon.iter().map(|&corner| point(corner)).collect();
    format!("M{}z", corners.join(" "))
}

fn point((x, y): (f32, f32)) -> String {
    format!("{} {}", number(x), number(y))
}

fn fill(colour: Rgba) -> String {
    paint("fill", colour)
}

fn paint(kind: &str, Rgba(red, green, blue, alpha): Rgba) -> String {
    let mut paint = format!(" {kind}=\"#{red:02x}{green:02x}{blue:02x}\"");
    if alpha < 255 {
        let opacity = if alpha == 0 { 0.0 } else { (f32::from(alpha) / 255.0).clamp(0.01, 0.99) };
        let _ = write!(paint, " {kind}-opacity=\"{}\"", number(opacity));
    }
    paint
}

fn number(value: f32) -> String {
    written(hundredths(value))
}

fn hundredths(value: f32) -> i64 {
    (f64::from(value) * 100.0).round() as i64
}

/// A number of hundredths, as short as it can be written.
fn written(hundredths: i64) -> String {
    let (sign, size) = (if hundredths < 0 { "-" } else { "" }, hundredths.unsigned_abs());
    let (whole, part) = (size / 100, size % 100);
    match (part, part % 10) {
        (0, _) => format!("{sign}{whole}"),
        (_, 0) => format!("{sign}{whole}.{}", part / 10),
        _ => format!("{sign}{whole}.{part:02}"),
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            character => escaped.push(character),
        }
    }
    escaped
}
