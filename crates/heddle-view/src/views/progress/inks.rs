//! Colours of a picture of progression, as its palette gets them.

use crate::scene::theme::{Colours, Theme};
use crate::scene::{ColourId, Rgba};

/// Opacity of ways between groups, of what recedes, and of what lies beneath a text.
const WAY: u8 = 208;
const FADED: u8 = 48;
const PAPER: u8 = 200;
/// Opacity of the line of a node among few, and the least among many.
const LINE: f32 = 96.0;
const LEAST_LINE: f32 = 14.0;
/// Few.
const FEW: f32 = 30.0;
/// Opacity of the line of one of several chosen nodes.
const CHOSEN: u8 = 110;
/// So many chosen nodes are few.
pub(super) const FEW_CHOSEN: usize = 3;
/// Opacity of the ribbons: of all nodes, and of most of them.
const RIBBONS: [u8; 2] = [44, 70];

/// Colours in a scene's palette, which is here while the scene is drawn.
pub(super) struct Inks {
    /// Bounds.
    pub(super) strong: ColourId,
    /// Names of nodes, and their lines where they stand out.
    pub(super) text: ColourId,
    /// The grey of nodes.
    pub(super) faint: ColourId,
    /// The shown step.
    pub(super) accent: ColourId,
    /// Around points.
    pub(super) background: ColourId,
    /// Under texts.
    pub(super) paper: ColourId,
    grey: Rgba,
    /// All colours so far.
    pub(super) palette: Vec<Rgba>,
}

impl Inks {
    pub(super) fn new(mut palette: Vec<Rgba>, colours: &Colours, theme: Theme) -> Inks {
        let ink = colours.ink();
        let rgba = |id: ColourId| palette[usize::from(id.0)];
        let (background, grey) = (rgba(colours.background()), rgba(ink.faint));
        // On black a grey of the same opacity is fainter.
        let grey = if theme == Theme::Dark { lighter(grey) } else { grey };
        let paper = put(&mut palette, with(background, PAPER));
        Inks {
            strong: ink.strong,
            text: ink.text,
            faint: ink.faint,
            accent: colours.accent(),
            background: colours.background(),
            paper,
            grey,
            palette,
        }
    }

    /// A colour.
    pub(super) fn of(&mut self, colour: Rgba) -> ColourId {
        put(&mut self.palette, colour)
    }

    /// A colour that shines through, or recedes.
    pub(super) fn way(&mut self, colour: Rgba, fades: bool) -> ColourId {
        put(&mut self.palette, with(colour, if fades { FADED } else { WAY }))
    }

    /// A colour that recedes if it is to.
    pub(super) fn dot(&mut self, colour: Rgba, fades: bool) -> ColourId {
        // Points lie on lines, which must not be seen through them: mixed with the background instead.
        if !fades {
            return put(&mut self.palette, colour);
        }
        let beneath = self.palette[usize::from(self.background.0)];
        let mix = |above: u8, below: u8| ((2 * u16::from(above) + 3 * u16::from(below)) / 5) as u8;
        put(&mut self.palette, Rgba(mix(colour.0, beneath.0), mix(colour.1, beneath.1), mix(colour.2, beneath.2), 255))
    }

    /// The line of one of so many nodes.
    pub(super) fn line(&mut self, nodes: usize, fades: bool) -> ColourId {
        let opacity = (LINE * (FEW / nodes.max(1) as f32).sqrt()).clamp(LEAST_LINE, LINE);
        put(&mut self.palette, with(self.grey, (opacity * if fades { 0.6 } else { 1.0 }) as u8))
    }

    /// The line of one of so many chosen nodes: dark if they are few, since each of them is meant then.
    pub(super) fn chosen_line(&mut self, nodes: usize) -> ColourId {
        let text = self.palette[usize::from(self.text.0)];
        if nodes <= FEW_CHOSEN { self.text } else { put(&mut self.palette, with(text, CHOSEN)) }
    }

    /// A ribbon: 0 of all nodes, 1 of most of them.
    pub(super) fn ribbon(&mut self, which: usize) -> ColourId {
        put(&mut self.palette, with(self.grey, RIBBONS[which]))
    }
}

fn with(colour: Rgba, opacity: u8) -> Rgba {
    Rgba(colour.0, colour.1, colour.2, opacity)
}

fn lighter(colour: Rgba) -> Rgba {
    let up = |value: u8| value.saturating_add(36);
    Rgba(up(colour.0), up(colour.1), up(colour.2), colour.3)
}

/// The place of a colour, which is added unless it is there.
fn put(palette: &mut Vec<Rgba>, colour: Rgba) -> ColourId {
    let at = palette.iter().rposition(|other| *other == colour).unwrap_or_else(|| {
        palette.push(colour);
        palette.len() - 1
    });
    ColourId(at as u16)
}
