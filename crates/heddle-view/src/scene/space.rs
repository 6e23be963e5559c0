//! What a view looks like in space: boxes, spheres and tubes, each with a colour and the number of what it stands for.
//!
//! The page turns it without asking again; figures are projected by the same camera ([`Scene3::projected`]), so both show the
//! same picture. Nothing here knows which machine, or what else, is drawn.

use std::str::FromStr;

use heddle_options::{Kind, OptionValue, Written, options};

use crate::scene::{ColourId, Rect, Scene};

/// A point or a direction in space; the third coordinate goes up.
pub type Point3 = [f32; 3];

/// A picture in space.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene3 {
    /// Everything that is not in space: size, plot, palette, title, legend, colour bar, notes.
    pub flat: Scene,
    /// The solids.
    pub groups: Vec<Group>,
    /// Text in space.
    pub labels: Vec<Label3>,
    /// Directions that have names: small arrows in a corner.
    pub axes: Vec<Axis3>,
    /// What a camera that shows everything has in view.
    pub bounds: Bounds,
    /// Where one looks from.
    pub camera: Camera,
    /// Whether it is a plan: all of it lies on one plane, so one moves over it and does not turn it, and it fills the plot.
    pub is_plan: bool,
    /// Whether it stands in layers: what is higher covers what is lower, for whoever looks from above.
    pub is_layered: bool,
}

/// Solids of one shape that stand for things of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What they stand for.
    pub of: Subject,
    /// The solids.
    pub solids: Solids,
}

/// What solids stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// Elements of a machine.
    Node,
    /// Links of a machine.
    Link,
    /// Ranks of the program.
    Rank,
    /// Network cards of nodes, by cable.
    Nic,
    /// Blocks of switches.
    Block,
    /// Messages on their way, by their row.
    Message,
}

impl Subject {
    /// All of them.
    pub const ALL: [Subject; 6] =
        [Subject::Node, Subject::Link, Subject::Rank, Subject::Nic, Subject::Block, Subject::Message];

    /// Its name, for the page.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Node => "node",
            Subject::Link => "link",
            Subject::Rank => "rank",
            Subject::Nic => "nic",
            Subject::Block => "block",
            Subject::Message => "message",
        }
    }
}

/// A solid by what it stands for: `node:12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SolidId {
    /// What kind of thing.
    pub of: Subject,
    /// Which; of several the first.
    pub id: u32,
}

/// Not the name of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a solid is node:NUMBER, link:NUMBER, rank:NUMBER, nic:NUMBER or block:NUMBER")]
pub struct SolidError;

impl FromStr for SolidId {
    type Err = SolidError;

    fn from_str(text: &str) -> Result<SolidId, SolidError> {
        let (of, id) = text.split_once(':').ok_or(SolidError)?;
        let of = Subject::ALL.into_iter().find(|subject| subject.name() == of).ok_or(SolidError)?;
        Ok(SolidId { of, id: id.parse().map_err(|_| SolidError)? })
    }
}

/// Solids of one shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Solids {
    /// Boxes along the axes.
    Boxes(Vec<BoxMark>),
    /// Spheres.
    Spheres(Vec<SphereMark>),
    /// Straight tubes.
    Tubes(Vec<TubeMark>),
}

impl Solids {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Solids::Boxes(marks) => marks.len(),
            Solids::Spheres(marks) => marks.len(),
            Solids::Tubes(marks) => marks.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxMark {
    /// Its middle.
    pub centre: Point3,
    /// Its lengths.
    pub size: Point3,
    /// Colour.
    pub colour: ColourId,
    /// What it stands for.
    pub id: u32,
}

/// A sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereMark {
    /// Its middle.
    pub centre: Point3,
    /// Its radius.
    pub radius: f32,
    /// Colour.
    pub colour: ColourId,
    /// What it stands for.
    pub id: u32,
}

/// A straight tube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TubeMark {
    /// One end.
    pub from: Point3,
    /// The other.
    pub to: Point3,
    /// Its radius.
    pub radius: f32,
    /// Colour.
    pub colour: ColourId,
    /// What it stands for.
    pub id: u32,
}

/// A text that stands at a place in space and always faces the viewer.
#[derive(Clone, Debug, PartialEq)]
pub struct Label3 {
    /// Where its middle is.
    pub at: Point3,
    /// What it says. Hostile text.
    pub text: String,
    /// Colour.
    pub colour: ColourId,
}

/// A direction with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis3 {
    /// Where it points, one unit long.
    pub towards: Point3,
    /// What it is called.
    pub name: String,
    /// Colour.
    pub colour: ColourId,
}

/// A box that holds everything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The corner with the least coordinates.
    pub low: Point3,
    /// The opposite one.
    pub high: Point3,
}

impl Bounds {
    /// Around one point.
    pub fn at(point: Point3) -> Bounds {
        Bounds { low: point, high: point }
    }

    /// Large enough for a point too.
    pub fn add(&mut self, point: Point3) {
        for (axis, at) in point.into_iter().enumerate() {
            self.low[axis] = self.low[axis].min(at);
            self.high[axis] = self.high[axis].max(at);
        }
    }

    /// Its middle.
    pub fn centre(&self) -> Point3 {
        [0, 1, 2].map(|axis| f32::midpoint(self.low[axis], self.high[axis]))
    }
}

options! {
    /// Where one looks from.
    pub struct CameraOptions {
        /// Which way to look at the picture: degrees around it and degrees above it, for instance 35:22
        "turn" turn: Turn = Turn { around: 35.0, above: 22.0 },
        /// How close to go: 2 is half as far away as where everything is in view
        "zoom" zoom: Zoom = Zoom(1.0),
        /// What stands in the middle of the picture, as a way from the middle of everything, for instance 2:0:-1
        "aim" aim: Aim = Aim([0.0; 3]),
    }
}

impl CameraOptions {
    /// The camera.
    pub(crate) fn camera(&self) -> Camera {
        Camera { turn: self.turn, zoom: self.zoom.0, aim: self.aim.0 }
    }
}

/// Which way one looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Degrees around the upright axis: at 0 one looks along the second axis, with the first one to the right.
    pub around: f32,
    /// Degrees above the horizon.
    pub above: f32,
}

/// How close one is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zoom(pub f32);

/// What stands in the middle, from the middle of everything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim(pub Point3);

/// How close, and how far away, one can go.
pub(crate) const ZOOMS: std::ops::RangeInclusive<f32> = 0.1..=100.0;
/// Farther off the middle there is nothing.
const FARTHEST: f32 = 1e5;

/// So many numbers between colons.
fn numbers<const N: usize>(text: &str, is_sound: impl Fn(f32) -> bool) -> Option<[f32; N]> {
    let mut found = [0.0; N];
    let mut words = text.split(':');
    for number in &mut found {
        *number = words.next()?.trim().parse().ok().filter(|number: &f32| number.is_finite() && is_sound(*number))?;
    }
    words.next().is_none().then_some(found)
}

impl OptionValue for Turn {
    fn kind() -> Kind {
        Kind::Text { longest: 40, value_name: "AROUND:ABOVE" }
    }

    fn read(text: &str, _written: Written) -> Result<Turn, String> {
        let turn = numbers(text, |angle| angle.abs() <= 360.0).filter(|[_, above]| above.abs() <= 90.0);
        let wrong = || "must be degrees around and above, for instance 35:22, the second from -90 to 90".to_owned();
        turn.map(|[around, above]| Turn { around, above }).ok_or_else(wrong)
    }

    fn write(&self) -> String {
        format!("{}:{}", self.around, self.above)
    }
}

impl OptionValue for Zoom {
    fn kind() -> Kind {
        Kind::Number { is_whole: false, least: f64::from(*ZOOMS.start()), most: f64::from(*ZOOMS.end()) }
    }

    fn read(text: &str, _written: Written) -> Result<Zoom, String> {
        let zoom = text.parse().ok().filter(|zoom| ZOOMS.contains(zoom));
        zoom.map(Zoom).ok_or_else(|| format!("must be a number from {} to {}", ZOOMS.start(), ZOOMS.end()))
    }

    fn write(&self) -> String {
        self.0.to_string()
    }
}

impl OptionValue for Aim {
    fn kind() -> Kind {
        Kind::Text { longest: 80, value_name: "X:Y:Z" }
    }

    fn read(text: &str, _written: Written) -> Result<Aim, String> {
        let aim = numbers(text, |at| at.abs() <= FARTHEST);
        aim.map(Aim).ok_or_else(|| "must be three numbers, for instance 2:0:-1".to_owned())
    }

    fn write(&self) -> String {
        self.0.map(|at| at.to_string()).join(":")
    }
}

/// Where one looks from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Which way.
    pub turn: Turn,
    /// How close.
    pub zoom: f32,
    /// What is in the middle, from the middle of the bounds.
    pub aim: Point3,
}

/// Half of what a camera sees upwards and downwards, as a tangent: a field of view of 30 degrees.
const HALF_VIEW: f64 = 0.267_949_192_431_122_7;
/// Room around everything, as a share.
const ROOM: f64 = 1.04;
/// What is nearer to the eye than this is not seen.
pub(crate) const NEAREST: f64 = 0.2;

/// A camera in front of a picture: from places in space to pixels. `web/src/draw/space-lens.ts` is its twin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lens {
    pub(crate) eye: [f64; 3],
    pub(crate) right: [f64; 3],
    pub(crate) up: [f64; 3],
    /// Away from the viewer.
    pub(crate) forward: [f64; 3],
    /// Pixels of one unit that is one unit away.
    pub(crate) focal: f64,
    middle: (f64, f64),
}

/// A place of the picture, with its distance from the eye along the line of sight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) depth: f64,
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Which way a camera looks.
struct Way {
    right: [f64; 3],
    up: [f64; 3],
    forward: [f64; 3],
    /// Sine and cosine of how far above the horizon it is.
    above: f64,
    level: f64,
}

impl Way {
    fn of(camera: &Camera) -> Way {
        let (sine, cosine) = f64::from(camera.turn.around).to_radians().sin_cos();
        let (above, level) = f64::from(camera.turn.above).to_radians().sin_cos();
        Way {
            right: [cosine, sine, 0.0],
            up: [-sine * above, cosine * above, level],
            forward: [-sine * level, cosine * level, -above],
            above,
            level,
        }
    }

    /// How far away the middle of the bounds must be to have all of them in view: as they are seen, or however they are turned.
    fn fitting(&self, bounds: &Bounds, is_exact: bool, plot: Rect) -> f64 {
        let sideways = HALF_VIEW * f64::from(plot.width).max(1.0) / f64::from(plot.height).max(1.0);
        let half = [0, 1, 2].map(|axis| f64::from(bounds.high[axis] - bounds.low[axis]) / 2.0);
        if is_exact {
            let reach = |way: [f64; 3]| (0..3).map(|axis| (way[axis] * half[axis]).abs()).sum::<f64>();
            return (reach(self.right) / sideways).max(reach(self.up) / HALF_VIEW) + reach(self.forward);
        }
        let Way { above, level, .. } = *self;
        let (radius, tall) = (half[0].hypot(half[1]), half[2]);
        let wide = radius * (sideways.powi(-2) + level * level).sqrt() + tall * above.abs();
        let high = [1.0, -1.0].map(|side| {
            tall * (side * level / HALF_VIEW + above).abs() + radius * (level - side * above / HALF_VIEW).abs()
        });
        wide.max(high[0]).max(high[1])
    }
}

impl Camera {
    /// The same, as close as it can go without losing sight of anything: for pictures that nobody turns.
    pub(crate) fn snug(self, bounds: &Bounds, plot: Rect) -> Camera {
        let way = Way::of(&self);
        let closer = way.fitting(bounds, false, plot) / way.fitting(bounds, true, plot).max(1.0);
        Camera { zoom: (closer as f32).clamp(1.0, 4.0), ..self }
    }
}

impl Lens {
    /// The lens of a camera before a plot. At zoom 1 the bounds fit into the plot however they are turned around the upright
    /// axis, so that turning does not change how large things are; those of a plan fit exactly as they are seen.
    pub(crate) fn new(bounds: &Bounds, is_plan: bool, camera: &Camera, plot: Rect) -> Lens {
        let way = Way::of(camera);
        let away = ROOM * way.fitting(bounds, is_plan, plot).max(1.0) / f64::from(camera.zoom);
        let centre = bounds.centre();
        let eye =
            [0, 1, 2].map(|axis| f64::from(centre[axis]) + f64::from(camera.aim[axis]) - away * way.forward[axis]);
        let (width, height) = (f64::from(plot.width).max(1.0), f64::from(plot.height).max(1.0));
        Lens {
            eye,
            right: way.right,
            up: way.up,
            forward: way.forward,
            focal: height / 2.0 / HALF_VIEW,
            middle: (f64::from(plot.x) + width / 2.0, f64::from(plot.y) + height / 2.0),
        }
    }

    /// Where a place is seen; nowhere if it is behind the eye.
    pub(crate) fn see(&self, at: [f64; 3]) -> Option<Seen> {
        let from_eye = [0, 1, 2].map(|axis| at[axis] - self.eye[axis]);
        let depth = dot(from_eye, self.forward);
        if depth < NEAREST {
            return None;
        }
        let scale = self.focal / depth;
        Some(Seen {
            x: self.middle.0 + dot(from_eye, self.right) * scale,
            y: self.middle.1 - dot(from_eye, self.up) * scale,
            depth,
        })
    }
}

impl Scene3 {
    /// The solids whose middles are seen in a rectangle of the picture, whatever is in front of them; tubes are not among them.
    pub(crate) fn inside(&self, area: Rect) -> Vec<SolidId> {
        let lens = self.lens();
        let is_inside = |at: &Point3| {
            let seen = lens.see(at.map(f64::from));
            seen.is_some_and(|seen| area.contains((seen.x as f32, seen.y as f32)))
        };
        let mut found = Vec::new();
        for group in &self.groups {
            let solid = |id: u32| SolidId { of: group.of, id };
            match &group.solids {
                Solids::Boxes(marks) => {
                    found.extend(marks.iter().filter(|mark| is_inside(&mark.centre)).map(|mark| solid(mark.id)));
                }
                Solids::Spheres(marks) => {
                    found.extend(marks.iter().filter(|mark| is_inside(&mark.centre)).map(|mark| solid(mark.id)));
                }
                Solids::Tubes(_) => {}
            }
        }
        found
    }

    pub(crate) fn lens(&self) -> Lens {
        Lens::new(&self.bounds, self.is_plan, &self.camera, self.flat.plot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_sees_the_same() {
        let lines = include_str!("../../../../web/src/draw/lens.txt").lines().skip(1);
        let mut cases = 0;
        for line in lines {
            let numbers: Vec<f64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
            let [around, above, zoom, ax, ay, az, width, height, x, y, z, plan, seen_x, seen_y, depth] = numbers[..]
            else {
                panic!("{line}")
            };
            let bounds = Bounds { low: [-2.0; 3], high: [3.0, 2.0, 6.0] };
            let turn = Turn { around: around as f32, above: above as f32 };
            let camera = Camera { turn, zoom: zoom as f32, aim: [ax, ay, az].map(|at| at as f32) };
            let plot = Rect { x: 0.0, y: 0.0, width: width as f32, height: height as f32 };
            let seen = Lens::new(&bounds, plan > 0.0, &camera, plot).see([x, y, z]).unwrap();
            for (found, expected) in [(seen.x, seen_x), (seen.y, seen_y), (seen.depth, depth)] {
                assert!((found - expected).abs() < 0.01, "{line}: {found}");
            }
            cases += 1;
        }
        assert!(cases > 4);
    }

    #[test]
    fn cameras_and_solids_are_read_and_written_back() {
        for text in ["35:22", "-120.5:90", "0:-45"] {
            assert_eq!(Turn::read(text, Written::ByProgram).unwrap().write(), text);
        }
        assert_eq!(Aim::read("0.5:0:-12", Written::ByProgram).unwrap().write(), "0.5:0:-12");
        for text in ["", "35", "35:91", "nan:0", "1:2:3", "<b>:0"] {
            let why = Turn::read(text, Written::ByProgram).unwrap_err();
            assert!(why.starts_with("must ") && !why.contains("<b>"), "{why}");
        }
        assert!(Aim::read("1:2", Written::ByProgram).is_err() && Zoom::read("0", Written::ByProgram).is_err());
        assert_eq!("link:7".parse(), Ok(SolidId { of: Subject::Link, id: 7 }));
        for text in ["", "link", "link:", "wire:1", "node:-1"] {
            assert_eq!(text.parse::<SolidId>(), Err(SolidError), "{text}");
        }
    }
}
