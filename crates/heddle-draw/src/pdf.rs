//! A scene as PDF: one page with vector shapes and real text, for papers.
//!
//! How many points a pixel of the scene is, the sheet says. The page's coordinates are turned so that the rest of this module counts
//! in pixels of the scene, y downwards; only sizes of text are in points, so that the file says what is printed.
//!
//! There is no date and no random name in the file: the same scene gives the same bytes.

use std::collections::BTreeSet;

use heddle_view::{Rgba, Scene, Size};
use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::LineCapStyle;
use pdf_writer::writers::ExtGraphicsState;
use pdf_writer::{Chunk, Content, Filter, Finish, Name, Pdf, Rect, Ref, Settings, Str, TextStr};

use self::font::Font;
use crate::canvas::{self, Canvas, Cells, Line};
use crate::furniture::Text;
use crate::marks::{Area, Polygon};
use crate::numbers::{hundredths, rounded};
use crate::sheet::Sheet;
use crate::text::{self, Weight};
use crate::{DrawError, LARGEST, batches};

mod font;
mod image;

/// As many rectangles or lines share a path. Readers take long over much longer ones.
const AT_ONCE: usize = 1024;

/// The farthest place from the page's corner, in hundredths of a pixel.
const FARTHEST: i64 = 100_000_000;

/// How hard to compress. The hardest, 9, saves another hundredth.
const EFFORT: u8 = 6;

/// No line breaks and indents between what nobody reads.
const SETTINGS: Settings = Settings { pretty: false };

/// The scene as a PDF file of one page. Text can be searched and copied, and needs no font of the reader.
pub fn pdf(scene: &Scene) -> Result<Vec<u8>, DrawError> {
    let Size { width, height } = scene.size;
    if !(1..=LARGEST).contains(&width) || !(1..=LARGEST).contains(&height) {
        return Err(DrawError::Size { width, height });
    }
    on_sheet(scene, &Sheet::screen(scene.size))
}

/// The scene on a page of a size of its own.
pub(crate) fn on_sheet(scene: &Scene, sheet: &Sheet) -> Result<Vec<u8>, DrawError> {
    let mut page = Page::new(scene.size, sheet);
    canvas::draw(scene, sheet, &mut page);
    page.file(&scene.title)
}

/// What a shape is drawn with, so that only changes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pen {
    fill: [u8; 3],
    stroke: [u8; 3],
    alpha: u8,
    /// Width of lines in hundredths of a pixel, and whether their ends are round.
    line: (i64, bool),
}

/// With what a page begins.
const FIRST_PEN: Pen = Pen { fill: [0; 3], stroke: [0; 3], alpha: 255, line: (100, false) };

/// The page while it is drawn.
struct Page {
    size: Size,
    sheet: Sheet,
    content: Content,
    pen: Pen,
    /// The pen before the plot, which comes back after it.
    outside: Pen,
    /// Opacities in use.
    alphas: BTreeSet<u8>,
    images: Chunk,
    image_ids: Vec<Ref>,
    fonts: [Font; 2],
    /// The next object's number.
    next: Ref,
}

impl Page {
    fn new(size: Size, sheet: &Sheet) -> Page {
        let mut content = Content::new();
        content.transform([sheet.points, 0.0, 0.0, -sheet.points, 0.0, sheet.size.1]);
        Page {
            size,
            sheet: *sheet,
            content,
            pen: FIRST_PEN,
            outside: FIRST_PEN,
            alphas: BTreeSet::new(),
            images: Chunk::with_settings(SETTINGS),
            image_ids: Vec::new(),
            fonts: [Weight::Regular, Weight::Bold].map(Font::new),
            next: Ref::new(1),
        }
    }

    fn fill_with(&mut self, Rgba(red, green, blue, alpha): Rgba) {
        self.opacity(alpha);
        let fill = [red, green, blue];
        if self.pen.fill != fill {
            let [red, green, blue] = fill.map(share);
            self.content.set_fill_rgb(red, green, blue);
            self.pen.fill = fill;
        }
    }

    fn stroke_with(&mut self, Rgba(red, green, blue, alpha): Rgba, width: f32) {
        self.opacity(alpha);
        let stroke = [red, green, blue];
        if self.pen.stroke != stroke {
            let [red, green, blue] = stroke.map(share);
            self.content.set_stroke_rgb(red, green, blue);
            self.pen.stroke = stroke;
        }
        let line = (hundredths(width), alpha == 255);
        if self.pen.line != line {
            let cap = if line.1 { LineCapStyle::RoundCap } else { LineCapStyle::ButtCap };
            self.content.set_line_width(short(line.0)).set_line_cap(cap);
            self.pen.line = line;
        }
    }

    fn opacity(&mut self, alpha: u8) {
        if self.pen.alpha != alpha {
            self.alphas.insert(alpha);
            self.content.set_parameters(Name(alpha_name(alpha).as_bytes()));
            self.pen.alpha = alpha;
        }
    }

    fn path_of(&mut self, rect: &Area) {
        let [x, y, width, height] = rounded(rect).map(short);
        self.content.rect(x, y, width, height);
    }

    /// The whole file, with all that the page refers to.
    fn file(mut self, title: &str) -> Result<Vec<u8>, DrawError> {
        let mut pdf = Pdf::with_settings(SETTINGS);
        let [catalog, pages, page, content, info] = [(); 5].map(|()| self.next.bump());
        pdf.catalog(catalog).pages(pages);
        pdf.pages(pages).kids([page]).count(1);
        pdf.document_info(info).title(TextStr(&text::clean(title))).producer(TextStr("Heddle"));
        pdf.extend(&self.images);
        let mut fonts = Vec::new();
        for font in self.fonts.iter().filter(|font| !font.is_unused()) {
            fonts.push((font.name(), font.write(&mut pdf, &mut self.next)?));
        }
        let mut written = pdf.page(page);
        let (width, height) = self.sheet.size;
        written.parent(pages).media_box(Rect::new(0.0, 0.0, width, height)).contents(content);
        let mut resources = written.resources();
        resources.fonts().pairs(fonts);
        let names: Vec<String> = (0..self.image_ids.len()).map(image_name).collect();
        let names = names.iter().map(|name| Name(name.as_bytes()));
        resources.x_objects().pairs(names.zip(self.image_ids));
        let mut states = resources.ext_g_states();
        for &alpha in &self.alphas {
            let mut state = states.insert(Name(alpha_name(alpha).as_bytes())).start::<ExtGraphicsState>();
            state.non_stroking_alpha(share(alpha)).stroking_alpha(share(alpha));
        }
        states.finish();
        resources.finish();
        written.finish();
        let drawn = compress_to_vec_zlib(&self.content.finish(), EFFORT);
        pdf.stream(content, &drawn).filter(Filter::FlateDecode);
        Ok(pdf.finish())
    }
}

impl Canvas for Page {
    fn clip(&mut self, plot: &Area) {
        self.outside = self.pen;
        self.content.save_state();
        self.path_of(plot);
        self.content.clip_nonzero().end_path();
    }

    fn unclip(&mut self) {
        self.content.restore_state();
        self.pen = self.outside;
    }

    fn rects(&mut self, rects: impl Iterator<Item = (Area, Rgba)>) {
        for (ink, areas) in batches::sorted(self.size, rects) {
            self.fill_with(ink);
            // In one path they would not shine through each other.
            for areas in areas.chunks(if ink.3 == 255 { AT_ONCE } else { 1 }) {
                for area in areas {
                    self.path_of(area);
                }
                self.content.fill_nonzero();
            }
        }
    }

    fn lines(&mut self, lines: &[Line], width: f32, ink: Rgba) {
        self.stroke_with(ink, width);
        let curves: Vec<&[Line]> = canvas::curves(lines).collect();
        for curves in curves.chunks(if ink.3 == 255 { AT_ONCE } else { 1 }) {
            for curve in curves {
                self.content.move_to(near(curve[0].0.0), near(curve[0].0.1));
                for &(_, to) in *curve {
                    self.content.line_to(near(to.0), near(to.1));
                }
            }
            self.content.stroke();
        }
    }

    fn shape(&mut self, polygons: &[Polygon], ink: Rgba) {
        self.fill_with(ink);
        for polygon in polygons {
            let mut corners = polygon.iter().map(|&(x, y)| (near(x), near(y)));
            if let Some((x, y)) = corners.next() {
                self.content.move_to(x, y);
                corners.for_each(|(x, y)| {
                    self.content.line_to(x, y);
                });
            }
        }
        // Filling closes what is open.
        self.content.fill_nonzero();
    }

    fn cells(&mut self, cells: &Cells) {
        let [x, y, width, height] = rounded(&cells.area).map(short);
        let name = image_name(self.image_ids.len());
        self.opacity(255);
        self.content.save_state().transform([width, 0.0, 0.0, -height, x, y + height]);
        self.content.x_object(Name(name.as_bytes())).restore_state();
        self.image_ids.push(image::write(&mut self.images, &mut self.next, cells));
    }

    fn text(&mut self, text: &Text, ink: Rgba) {
        self.fill_with(ink);
        let [regular, bold] = &mut self.fonts;
        let font = if text.weight == Weight::Bold { bold } else { regular };
        let (x, y) = (near(text.extent().0), near(text.at.1));
        let codes = font.encode(&text.says);
        let points = self.sheet.points;
        self.content.begin_text().set_font(font.name(), near(text.size * points));
        self.content.set_text_matrix([1.0 / points, 0.0, 0.0, -1.0 / points, x, y]);
        self.content.show(Str(&codes)).end_text();
    }
}

/// An opacity or part of a colour, from 0 to 1, in as few digits as tell 256 steps apart.
fn share(part: u8) -> f32 {
    (f32::from(part) / 255.0 * 1000.0).round() / 1000.0
}

/// Hundredths as pixels: the nearest number, which is also written with two digits. Readers count in 32 bits, so nothing
/// lies further out than they can tell.
fn short(hundredths: i64) -> f32 {
    hundredths.clamp(-FARTHEST, FARTHEST) as f32 / 100.0
}

fn near(value: f32) -> f32 {
    short(hundredths(value))
}

fn alpha_name(alpha: u8) -> String {
    format!("a{alpha}")
}

fn image_name(index: usize) -> String {
    format!("i{index}")
}
