//! A view as a figure: of a size in pixels, or of a size on a page with text of so many points.
//!
//! On a page, a pixel of the scene is as large as makes its text the size that is asked for. So a column of 88 mm with text of 8
//! points is a scene 343 pixels wide, and everything that is made for reading on a screen can be read on paper.

use heddle_options::OptionError;
use heddle_view::{AxisKind, PrintOptions, Scene, Size, View, ViewRequest};

use self::fine::refined;
use self::fit::fitted;
use crate::sheet::Sheet;
use crate::{DrawError, LARGEST, encode, pdf, pixels, svg};

mod fine;
mod fit;
mod options;

pub use options::{Dpi, FigureOptions, FontSize, Length};

/// What a figure is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Pixels.
    Png,
    /// Shapes and text, for editing.
    Svg,
    /// Shapes and text, for papers.
    Pdf,
}

impl Format {
    /// By the ending of a file's name, whatever its case.
    pub fn of_ending(ending: &str) -> Option<Format> {
        match ending.to_ascii_lowercase().as_str() {
            "png" => Some(Format::Png),
            "svg" => Some(Format::Svg),
            "pdf" => Some(Format::Pdf),
            _ => None,
        }
    }
}

/// A view as a figure, ready to be written.
#[derive(Debug)]
pub struct Figure {
    scene: Scene,
    sheet: Sheet,
    /// Pixels of a PNG per inch, or per pixel of the scene.
    fineness: Fineness,
}

#[derive(Clone, Copy, Debug)]
enum Fineness {
    Dpi(u32),
    Scale(f32),
}

/// Height of figures without a height of their own, as a share of the width.
fn aspect(view: View) -> f32 {
    match view.axes() {
        (AxisKind::Columns, _) => 0.95,
        (AxisKind::Across, _) => 0.85,
        _ if view.is_in_space() => 0.85,
        _ => 0.72,
    }
}

/// Narrower or lower figures have room for text alone, in pixels of the scene.
const LEAST: (f32, f32) = (160.0, 100.0);

/// The page of a figure, and the size of the scene that goes on it. None if it has no size on a page.
fn on_page(view: View, options: &FigureOptions) -> Result<Option<(Sheet, Size)>, OptionError> {
    let error = |name: &str, why: String| OptionError { name: name.to_owned(), why };
    let Some(width) = options.width.points() else {
        return match options.height.points() {
            Some(_) => Err(error("height", "needs a width as well".to_owned())),
            None => Ok(None),
        };
    };
    let height = options.height.points().unwrap_or(width * aspect(view));
    let sheet = Sheet::paper((width, height), options.font_size.0);
    let (across, down) = sheet.pixels();
    let millimetres = |pixels: f32| (pixels * sheet.points / 72.0 * 25.4).ceil();
    for (name, pixels, least) in [("width", across, LEAST.0), ("height", down, LEAST.1)] {
        if pixels < least {
            let (least, size) = (millimetres(least), options.font_size.0);
            return Err(error(name, format!("must be at least {least}mm for text of {size} points")));
        }
        if pixels > LARGEST as f32 {
            return Err(error(
                name,
                format!("must be at most {}mm for text of this size", millimetres(LARGEST as f32)),
            ));
        }
    }
    // What is left of a pixel stays free, so that text has exactly the size that is asked for.
    Ok(Some((sheet, Size { width: across as u32, height: down as u32 })))
}

impl Figure {
    /// The figure of a view. A scene of it is made as often as it takes, each for the request that it is given.
    ///
    /// Without a size on a page, the figure has that of the request, and a PNG `scale` pixels for each of them.
    pub fn of(
        view: View,
        request: &ViewRequest,
        options: &FigureOptions,
        format: Format,
        scale: f32,
        make: impl Fn(&ViewRequest) -> Scene,
    ) -> Result<Figure, OptionError> {
        let page = on_page(view, options)?;
        let is_printed = page.is_some() || format != Format::Png;
        let request = if is_printed { for_print(request) } else { request.clone() };
        let mut make = |size: Size| make(&ViewRequest { size, ..request.clone() });
        let (sheet, size) = page.unwrap_or((Sheet::screen(request.size), request.size));
        let is_all = options.title && options.legend && options.notes;
        let scene = match (page.is_none() && is_all, is_printed) {
            (true, false) => make(size),
            (true, true) => refined(make(size), &mut make),
            (false, _) => fitted(size, options, &sheet.text, is_printed, &mut make),
        };
        let fineness = if page.is_some() { Fineness::Dpi(options.dpi.0) } else { Fineness::Scale(scale) };
        Ok(Figure { scene, sheet, fineness })
    }

    /// What is on it.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The file.
    pub fn write(&self, format: Format) -> Result<Vec<u8>, DrawError> {
        match format {
            Format::Png => self.png(),
            Format::Svg => Ok(svg::on_sheet(&self.scene, &self.sheet)?.into_bytes()),
            Format::Pdf => pdf::on_sheet(&self.scene, &self.sheet),
        }
    }

    fn png(&self) -> Result<Vec<u8>, DrawError> {
        let dpi = match self.fineness {
            Fineness::Scale(scale) => return crate::png(&self.scene, scale),
            Fineness::Dpi(dpi) => dpi,
        };
        let each = dpi as f32 / 72.0;
        let [width, height] = [self.sheet.size.0, self.sheet.size.1].map(|points| (points * each).round() as u32);
        let error = DrawError::Size { width, height };
        if !(1..=LARGEST).contains(&width) || !(1..=LARGEST).contains(&height) {
            return Err(error);
        }
        let canvas = pixels::draw(&self.scene, &self.sheet, self.sheet.points * each, (width, height)).ok_or(error)?;
        Ok(encode::canvas(&canvas, Some(dpi))?)
    }
}

/// The request for a picture that is printed.
fn for_print(request: &ViewRequest) -> ViewRequest {
    let mut options = request.options.clone();
    options.add(&PrintOptions { shapes: true });
    ViewRequest { options, ..request.clone() }
}
