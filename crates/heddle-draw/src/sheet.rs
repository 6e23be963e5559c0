//! What a scene is drawn on: how large one of its pixels is, how large the whole is, and which sizes text has.

use heddle_view::Size;

/// Points for each pixel of a scene that has no size on paper, as in a browser.
const SCREEN_POINTS: f32 = 0.75;

/// Sizes of text and of what goes with it, in pixels of the scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Type {
    pub(crate) title: f32,
    /// Labels, titles of axes, notes.
    pub(crate) small: f32,
    pub(crate) legend: f32,
    /// From the title's baseline to the plot.
    pub(crate) below_title: f32,
    /// Between the labels of the vertical axis and the plot.
    pub(crate) beside_plot: f32,
    /// Free space at the edges.
    pub(crate) edge: f32,
    /// Lines of the legend, and of notes.
    pub(crate) legend_row: f32,
    pub(crate) note_row: f32,
    pub(crate) swatch: f32,
    /// No text is larger than this, whatever the scene says.
    pub(crate) largest: f32,
}

impl Type {
    /// As on the page.
    pub(crate) const SCREEN: Type = Type {
        title: 14.0,
        small: 11.0,
        legend: 12.0,
        below_title: 10.0,
        beside_plot: 8.0,
        edge: 8.0,
        legend_row: 18.0,
        note_row: 15.0,
        swatch: 10.0,
        largest: f32::MAX,
    };

    /// One size for all text, as in the paper around it, and no margins but the paper's own.
    pub(crate) const PAPER: Type = Type {
        title: 11.0,
        small: 11.0,
        legend: 11.0,
        below_title: 6.0,
        beside_plot: 7.0,
        edge: 2.0,
        legend_row: 15.0,
        note_row: 14.0,
        swatch: 8.0,
        largest: 11.0,
    };
}

/// What a scene is drawn on. What remains of it beside the scene, less than a pixel, has the scene's background.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sheet {
    /// Points for each pixel of the scene.
    pub(crate) points: f32,
    /// Width and height in points.
    pub(crate) size: (f32, f32),
    pub(crate) text: Type,
    /// Whether it has a size on paper, and not only one in pixels.
    pub(crate) is_paper: bool,
}

impl Sheet {
    /// For a scene of this size, as on the page.
    pub(crate) fn screen(size: Size) -> Sheet {
        let size = (size.width as f32 * SCREEN_POINTS, size.height as f32 * SCREEN_POINTS);
        Sheet { points: SCREEN_POINTS, size, text: Type::SCREEN, is_paper: false }
    }

    /// For a size in points, with text of so many points.
    pub(crate) fn paper(size: (f32, f32), font_size: f32) -> Sheet {
        Sheet { points: font_size / Type::PAPER.small, size, text: Type::PAPER, is_paper: true }
    }

    /// Width and height in pixels of the scene.
    pub(crate) fn pixels(&self) -> (f32, f32) {
        if self.is_paper {
            return (self.size.0 / self.points, self.size.1 / self.points);
        }
        ((self.size.0 / self.points).round(), (self.size.1 / self.points).round())
    }
}
