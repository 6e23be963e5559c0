//! From a picture in space to one on paper: solids become polygons, the farthest first, so that the near ones cover them.
//! Those that shine through lie below all others: they recede, whatever they are in front of. What stands in layers is drawn layer
//! by layer instead: of a wide plate and a small one above it, neither is always the nearer one.

use rustc_hash::FxHashMap;

use crate::scene::space::{BoxMark, Lens, NEAREST, Scene3, Seen, Solids, SphereMark, TubeMark, dot};
use crate::scene::{Anchor, ColourId, Label, Layer, PolygonMark, Rgba, Scene, SegmentMark};

/// How bright the sides of a box are, as shares of its colour: those that face along the first, second and third axis.
const SHADES: [f32; 3] = [0.88, 0.74, 1.0];
/// Boxes of fewer pixels have no sides that could be told apart.
const LEAST_BOX: f64 = 3.0;
/// No tube is thinner than this, from its middle, in pixels.
const THINNEST: f64 = 0.4;
/// Corners of a sphere.
const ROUND: usize = 16;

/// The arrows of axes: how long, and how far from the corner of the plot.
const ARROW: f32 = 32.0;
const CORNER: f32 = 46.0;
const TEXT: f32 = 11.0;

impl Scene3 {
    /// The picture on paper.
    pub fn projected(self) -> Scene {
        let lens = self.lens();
        let is_layered = self.is_layered;
        let Scene3 { flat: mut scene, groups, labels, axes, .. } = self;
        let (shades, found) = (FxHashMap::default(), Vec::new());
        let mut paper = Paper { lens, is_layered, palette: &mut scene.palette, shades, found };
        for group in &groups {
            match &group.solids {
                Solids::Boxes(marks) => marks.iter().for_each(|mark| paper.add_box(mark)),
                Solids::Spheres(marks) => marks.iter().for_each(|mark| paper.add_sphere(mark)),
                Solids::Tubes(marks) => marks.iter().for_each(|mark| paper.add_tube(mark)),
            }
        }
        let mut found = paper.found;
        let is_opaque = |polygon: &PolygonMark| scene.palette[usize::from(polygon.colour.0)].3 == 255;
        // Whoever looks from below has the lowest layer in front.
        let upwards = if lens.forward[2] <= 0.0 { 1.0 } else { -1.0 };
        // What differs by rounding alone stands in one layer.
        let layer = |far: &Far| if is_layered { upwards * (far.foot * 50.0).round() } else { 0.0 };
        found.sort_by(|(a, of_a), (b, of_b)| {
            let by_layer = layer(a).total_cmp(&layer(b));
            is_opaque(of_a).cmp(&is_opaque(of_b)).then(by_layer).then(b.depth.total_cmp(&a.depth))
        });
        scene.polygons = found.into_iter().map(|(_, polygon)| polygon).collect();
        for label in labels {
            let Some(seen) = lens.see(label.at.map(f64::from)) else { continue };
            let at = (seen.x as f32, seen.y as f32);
            if scene.plot.contains(at) {
                let (text, colour) = (label.text, label.colour);
                scene.labels.push(Label {
                    at: (at.0, at.1 + TEXT * 0.36),
                    text,
                    size: TEXT,
                    colour,
                    anchor: Anchor::Middle,
                });
            }
        }
        let corner = (scene.plot.x + CORNER, scene.plot.y + scene.plot.height - CORNER);
        let mut arrows = Vec::new();
        for axis in axes {
            let towards = axis.towards.map(f64::from);
            let way = (dot(towards, lens.right) as f32 * ARROW, -dot(towards, lens.up) as f32 * ARROW);
            let to = (corner.0 + way.0, corner.1 + way.1);
            arrows.push(SegmentMark { from: corner, to, width: 2.0, colour: axis.colour });
            // Beyond the tip; one that points at the viewer has its name beside the corner.
            let length = way.0.hypot(way.1).max(1.0);
            let beyond = |part: f32| part + part / length * 9.0;
            let at = (corner.0 + beyond(way.0), corner.1 + beyond(way.1) + TEXT * 0.36);
            scene.labels.push(Label { at, text: axis.name, size: TEXT, colour: axis.colour, anchor: Anchor::Middle });
        }
        scene.layers.push(Layer::Segments(arrows));
        scene
    }
}

/// How far away a polygon is.
#[derive(Clone, Copy)]
struct Far {
    depth: f64,
    /// How high above the ground its solid stands: the foot of a box, the middle of what is round.
    foot: f64,
}

struct Paper<'a> {
    lens: Lens,
    is_layered: bool,
    palette: &'a mut Vec<Rgba>,
    /// Darker colours that are in the palette already.
    shades: FxHashMap<(ColourId, usize), ColourId>,
    /// Polygons with their distance.
    found: Vec<(Far, PolygonMark)>,
}

impl Paper<'_> {
    /// The colour of a side of a box.
    fn shade(&mut self, colour: ColourId, side: usize) -> ColourId {
        let palette = &mut *self.palette;
        *self.shades.entry((colour, side)).or_insert_with(|| {
            let Rgba(red, green, blue, alpha) = palette[usize::from(colour.0)];
            let darker = |part: u8| (f32::from(part) * SHADES[side]).round() as u8;
            // A palette has room for some 60,000 colours: those of a picture are a few hundred.
            let Ok(id) = u16::try_from(palette.len()) else { return colour };
            palette.push(Rgba(darker(red), darker(green), darker(blue), alpha));
            ColourId(id)
        })
    }

    fn add(&mut self, far: Far, corners: impl IntoIterator<Item = (f64, f64)>, colour: ColourId) {
        let mut corners: Vec<(f32, f32)> = corners.into_iter().map(|(x, y)| (x as f32, y as f32)).collect();
        // All the same way round: several may be filled as one shape.
        let next = corners.iter().skip(1).chain(corners.first());
        let area: f32 = corners.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum();
        if area < 0.0 {
            corners.reverse();
        }
        self.found.push((far, PolygonMark { corners, colour }));
    }

    fn add_box(&mut self, mark: &BoxMark) {
        let (centre, half) = (mark.centre.map(f64::from), mark.size.map(|length| f64::from(length) / 2.0));
        let Some(middle) = self.lens.see(centre) else { return };
        let largest = half.into_iter().fold(0.0, f64::max);
        let foot = centre[2] - half[2];
        // In front of the sticks that begin in its middle; of a layer, whatever stands nearer is in front, however high it is.
        let ground = if self.is_layered { self.lens.see([centre[0], centre[1], foot]) } else { None };
        let far = Far { depth: ground.map_or(middle.depth - largest, |ground| ground.depth), foot };
        let pixels = 2.0 * largest * self.lens.focal / middle.depth;
        if pixels < LEAST_BOX {
            let reach = (pixels / 2.0).max(2.0 * THINNEST);
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            let corners = corners.map(|(x, y)| (middle.x + x * reach, middle.y + y * reach));
            self.add(far, corners, mark.colour);
            return;
        }
        for side in 0..3 {
            // The side that faces the eye, unless the eye is between both.
            let apart = self.lens.eye[side] - centre[side];
            if apart.abs() <= half[side] {
                continue;
            }
            let (a, b) = ((side + 1) % 3, (side + 2) % 3);
            let corner = |(along_a, along_b): (f64, f64)| {
                let mut at = centre;
                at[side] += half[side] * apart.signum();
                at[a] += half[a] * along_a;
                at[b] += half[b] * along_b;
                self.lens.see(at)
            };
            let corners: Option<Vec<Seen>> =
                [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].into_iter().map(corner).collect();
            let Some(corners) = corners else { continue };
            let colour = self.shade(mark.colour, side);
            self.add(far, corners.iter().map(|seen| (seen.x, seen.y)), colour);
        }
    }

    fn add_sphere(&mut self, mark: &SphereMark) {
        let Some(middle) = self.lens.see(mark.centre.map(f64::from)) else { return };
        let reach = (f64::from(mark.radius) * self.lens.focal / middle.depth).max(2.0 * THINNEST);
        let corner = |at: usize| {
            let (sine, cosine) = (std::f64::consts::TAU * at as f64 / ROUND as f64).sin_cos();
            (middle.x + cosine * reach, middle.y + sine * reach)
        };
        let far = Far { depth: middle.depth, foot: f64::from(mark.centre[2]) };
        self.add(far, (0..ROUND).map(corner), mark.colour);
    }

    fn add_tube(&mut self, mark: &TubeMark) {
        let (mut from, mut to) = (mark.from.map(f64::from), mark.to.map(f64::from));
        let depth = |at: [f64; 3]| dot([0, 1, 2].map(|axis| at[axis] - self.lens.eye[axis]), self.lens.forward);
        let (near, far) = (depth(from), depth(to));
        // What is behind the eye is cut off.
        let least = NEAREST * 1.001;
        if near < least && far < least {
            return;
        }
        let between =
            |from: [f64; 3], to: [f64; 3], part: f64| [0, 1, 2].map(|axis| from[axis] + (to[axis] - from[axis]) * part);
        if near < least {
            from = between(from, to, (least - near) / (far - near));
        } else if far < least {
            to = between(from, to, (least - near) / (far - near));
        }
        let (Some(a), Some(b)) = (self.lens.see(from), self.lens.see(to)) else { return };
        let reach = |seen: &Seen| (f64::from(mark.radius) * self.lens.focal / seen.depth).max(THINNEST);
        let (ra, rb) = (reach(&a), reach(&b));
        let length = (b.x - a.x).hypot(b.y - a.y);
        let far = Far { depth: f64::midpoint(a.depth, b.depth), foot: from[2].min(to[2]) };
        if length < 1e-3 {
            // Seen from its end.
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            self.add(far, corners.map(|(x, y)| (a.x + x * ra, a.y + y * ra)), mark.colour);
            return;
        }
        let aside = (-(b.y - a.y) / length, (b.x - a.x) / length);
        let corner = |seen: &Seen, reach: f64| (seen.x + aside.0 * reach, seen.y + aside.1 * reach);
        self.add(far, [corner(&a, ra), corner(&b, rb), corner(&b, -rb), corner(&a, -ra)], mark.colour);
    }
}
