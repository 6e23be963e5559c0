//! A scene as SVG.
//!
//! Rectangles of one colour share a path as far as that does not change who covers whom. The letters in use are part of the document,
//! so that text looks and fits the same everywhere and can still be selected.

use std::collections::BTreeSet;
use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use heddle_view::{Anchor, Rgba, Scene, Size};

use crate::canvas::{self, Canvas, Cells, Line};
use crate::furniture::Text;
use crate::marks::{Area, Polygon};
use crate::numbers::{hundredths, rounded};
use crate::sheet::Sheet;
use crate::text::Weight;
use crate::{DrawError, batches, encode, sfnt};

/// The scene as an SVG document. Text stays text, and the document brings its letters along.
pub fn svg(scene: &Scene) -> Result<String, DrawError> {
    on_sheet(scene, &Sheet::screen(scene.size))
}

/// The scene on a sheet of a size of its own.
pub(crate) fn on_sheet(scene: &Scene, sheet: &Sheet) -> Result<String, DrawError> {
    let mut writer = Writer { size: scene.size, out: String::new(), used: Default::default() };
    canvas::draw(scene, sheet, &mut writer);
    let (width, height) = sheet.pixels();
    let [across, down] = [width, height].map(exact);
    let size = if sheet.is_paper {
        let [width, height] = [sheet.size.0, sheet.size.1].map(|points| exact(points / 72.0 * 25.4));
        format!("width=\"{width}mm\" height=\"{height}mm\"")
    } else {
        format!("width=\"{across}\" height=\"{down}\"")
    };
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" {size} viewBox=\"0 0 {across} {down}\" \
         font-family=\"Heddle DejaVu Sans, DejaVu Sans, Verdana, sans-serif\" \
         style=\"font-kerning:none\" xml:space=\"preserve\">\n{}{}</svg>\n",
        writer.fonts()?,
        writer.out
    ))
}

/// To thousandths, without zeros at the end.
fn exact(length: f32) -> String {
    let text = format!("{length:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

struct Writer {
    size: Size,
    out: String,
    /// Characters in use, regular and bold.
    used: [BTreeSet<char>; 2],
}

impl Writer {
    /// The letters in use, as fonts. They have a name of their own: a reader's font of the same name may look different.
    fn fonts(&self) -> Result<String, DrawError> {
        let mut rules = String::new();
        for (weight, used) in
            [Weight::Regular, Weight::Bold].into_iter().zip(&self.used).filter(|(_, used)| !used.is_empty())
        {
            let name = if weight == Weight::Bold { "bold" } else { "normal" };
            let font = sfnt::subset(weight, &used.iter().copied().collect::<Vec<_>>())?;
            let _ = write!(
                rules,
                "@font-face{{font-family:\"Heddle DejaVu Sans\";font-weight:{name};src:url(data:font/ttf;base64,{})}}",
                STANDARD.encode(font)
            );
        }
        Ok(if rules.is_empty() { rules } else { format!("<style>{rules}</style>\n") })
    }
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
        let curve = |lines: &[Line]| {
            let to: Vec<String> = lines.iter().map(|&(_, to)| point(to)).collect();
            format!("M{}L{}", point(lines[0].0), to.join(" "))
        };
        let paths: Vec<String> = canvas::curves(lines).map(curve).collect();
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
        self.used[usize::from(text.weight == Weight::Bold)].extend(text.says.chars());
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
