//! A scene as SVG.
//!
//! Rectangles of one colour share a path as far as that does not change who covers whom.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use heddle_view::{Anchor, Rgba, Scene, Size};

use crate::canvas::{self, Canvas, Cells, Line};
use crate::furniture::Text;
use crate::marks::{Area, Polygon};
use crate::numbers::{hundredths, rounded};
use crate::text::Weight;
use crate::{batches, encode};

/// The scene as an SVG document. Text stays text, in `DejaVu Sans` where the reader has it.
pub fn svg(scene: &Scene) -> String {
    let Size { width, height } = scene.size;
    let out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans, Verdana, sans-serif\" \
         style=\"font-kerning:none\" xml:space=\"preserve\">\n"
    );
    let mut writer = Writer { size: scene.size, out };
    canvas::draw(scene, &mut writer);
    writer.out.push_str("</svg>\n");
    writer.out
}

struct Writer {
    size: Size,
    out: String,
}

impl Canvas for Writer {
    fn clip(&mut self, plot: &Area) {
        // The name says where the plot is: several pictures in one page may have it twice, with the same meaning.
        let name = rounded(plot).map(written).join("-");
        self.out.push_str(&format!(
            "<clipPath id=\"plot-{name}\"><path d=\"{}\"/></clipPath>\n<g clip-path=\"url(#plot-{name})\">\n",
            rect_path(plot)
        ));
    }

    fn unclip(&mut self) {
        self.out.push_str("</g>\n");
    }

    fn rects(&mut self, rects: impl Iterator<Item = (Area, Rgba)>) {
        let batches = batches::sorted(self.size, rects);
        if batches.is_empty() {
            return;
        }
        self.out.push_str("<g shape-rendering=\"crispEdges\">\n");
        for (ink, areas) in batches {
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

    fn lines(&mut self, lines: &[Line], width: f32, ink: Rgba) {
        let paths: Vec<String> = lines.iter().map(|&(from, to)| format!("M{}L{}", point(from), point(to))).collect();
        // In one path they would not shine through each other.
        let paths = paths.join(if ink.3 == 255 { "" } else { "\"/><path d=\"" });
        let cap = if ink.3 == 255 { " stroke-linecap=\"round\"" } else { "" };
        let (width, stroke) = (number(width), paint("stroke", ink));
        self.out
            .push_str(&format!("<g fill=\"none\"{stroke} stroke-width=\"{width}\"{cap}><path d=\"{paths}\"/></g>\n"));
    }

    fn shape(&mut self, polygons: &[Polygon], ink: Rgba) {
        let path: String = polygons.iter().map(polygon_path).collect();
        self.out.push_str(&format!("<path{} d=\"{path}\"/>\n", fill(ink)));
    }

    fn cells(&mut self, cells: &Cells) {
        // Writing to memory fails for no raster that has all its cells; without its picture the figure still stands.
        let Ok(png) = encode::cells(cells) else { return };
        let [x, y, width, height] = rounded(&cells.area).map(written);
        self.out.push_str(&format!(
            "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" \
             style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>\n",
            STANDARD.encode(png)
        ));
    }

    fn text(&mut self, text: &Text, ink: Rgba) {
        let anchor = match text.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if text.weight == Weight::Bold { " font-weight=\"bold\"" } else { "" };
        let (x, y, size) = (number(text.at.0), number(text.at.1), number(text.size));
        let fill = fill(ink);
        let content = escape(&text.says);
        self.out.push_str(&format!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{fill}{anchor}{weight}>{content}</text>\n"
        ));
    }
}

fn rect_path(area: &Area) -> String {
    let [x, y, width, height] = rounded(area);
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
