//! Calls as shapes, for print: each a line, a point or an arch of its own, as sharp as paper is. Where they lie on each other they
//! add up.

use std::collections::BTreeMap;

use super::CallsPicture;
use super::options::CallStyle;
use super::scatter::{Having, Seen};
use crate::scene::{ColourId, DiscMark, Layer, OpacityMap, Rgba, Scene, SegmentMark};

/// More calls than these are counted on a grid.
pub(super) const MOST: u64 = 50_000;
/// With so many calls marks are thin, with fewer they are thick, in pixels.
const MANY: usize = 3_000;
const LINES: (f32, f32) = (1.0, 0.5);
const ARCHES: (f32, f32) = (0.6, 0.4);
const POINTS: (f32, f32) = (1.6, 0.8);
/// Pixels of an arch that are one straight piece, and how many pieces there are.
const PIECE: f32 = 4.0;
const PIECES: (f32, f32) = (4.0, 40.0);

impl CallsPicture<'_> {
    /// Draws every call in sight; what stands out above the rest.
    pub(super) fn shapes(&self, style: CallStyle, scene: &mut Scene) {
        let mut calls: Vec<Seen> = Vec::new();
        for at in 0..self.calls_of.locations().len() {
            self.visit(at, self.time_in_sight(), Having::of(style), |call| calls.push(call));
        }
        let thickness = |(few, many): (f32, f32)| if calls.len() > MANY { many } else { few };
        let mut inks = Inks { scene, alpha: self.opacity(), known: BTreeMap::new() };
        let coloured: Vec<(&Seen, ColourId)> = calls.iter().map(|call| (call, inks.of(call.look.colour))).collect();
        for layer in 0..self.looks.layers {
            let here = coloured.iter().filter(|(call, _)| usize::from(call.look.layer) == layer);
            scene.layers.push(match style {
                CallStyle::Lines => {
                    let width = thickness(LINES).max(self.band_height());
                    Layer::Segments(here.map(|(call, colour)| self.line(call, *colour, width)).collect())
                }
                CallStyle::Arches => {
                    let width = thickness(ARCHES);
                    Layer::Segments(here.flat_map(|(call, colour)| self.arch(call, *colour, width)).collect())
                }
                CallStyle::PointsStart | CallStyle::PointsEnd => {
                    let radius = thickness(POINTS);
                    let time = |call: &Seen| if style == CallStyle::PointsEnd { call.end } else { call.start };
                    let disc = |(call, colour): &(&Seen, ColourId)| DiscMark {
                        at: (self.x(time(call)), self.y(call.level)),
                        radius,
                        colour: *colour,
                    };
                    Layer::Discs(here.map(disc).collect())
                }
            });
        }
    }

    /// Of a single call, 0 to 255.
    fn opacity(&self) -> u8 {
        let share = match self.options.opacity {
            OpacityMap::Alpha(each) => each,
            OpacityMap::Logarithmic | OpacityMap::Linear => self.options.least.0,
        };
        (share * 255.0).round() as u8
    }

    fn line(&self, call: &Seen, colour: ColourId, width: f32) -> SegmentMark {
        let y = self.y(call.level);
        let [from, to] = [call.start, call.end].map(|time| self.x(time));
        // However short, it is seen.
        SegmentMark { from: (from, y), to: (to.max(from + width), y), width, colour }
    }

    /// Half an ellipse on the floor of the plot, in straight pieces that follow each other.
    fn arch(&self, call: &Seen, colour: ColourId, width: f32) -> Vec<SegmentMark> {
        let [from, to] = [call.start, call.end].map(|time| self.x(time));
        let (floor, top) = (self.plot.y + self.plot.height, self.y(call.level));
        let (middle, across, height) = (f32::midpoint(from, to), (to - from) / 2.0, floor - top);
        if across < width {
            return vec![SegmentMark { from: (middle, floor), to: (middle, top), width, colour }];
        }
        let pieces = ((across + height) / PIECE).clamp(PIECES.0, PIECES.1) as u16;
        let corner = |at: u16| {
            let (sine, cosine) = (std::f32::consts::PI * f32::from(at) / f32::from(pieces)).sin_cos();
            (middle - across * cosine, floor - height * sine)
        };
        let piece = |at: u16| SegmentMark { from: corner(at), to: corner(at + 1), width, colour };
        (0..pieces).map(piece).collect()
    }
}

/// Colours of a palette that shine through.
struct Inks<'a> {
    scene: &'a mut Scene,
    alpha: u8,
    known: BTreeMap<[u8; 3], ColourId>,
}

impl Inks<'_> {
    fn of(&mut self, rgb: [u8; 3]) -> ColourId {
        let (palette, alpha) = (&mut self.scene.palette, self.alpha);
        *self.known.entry(rgb).or_insert_with(|| {
            let [red, green, blue] = rgb;
            palette.push(Rgba(red, green, blue, alpha));
            // There are as many colours as functions, a few hundred at most; further ones share the last.
            ColourId(u16::try_from(palette.len() - 1).unwrap_or(u16::MAX))
        })
    }
}
