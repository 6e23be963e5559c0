//! A torus on a plane (Landge et al. 2012): seen along an axis, each column of nodes fanned out as a short diagonal.
//!
//! Columns in the left half lean to the right, those in the right half to the left, and likewise up and down, so all point to
//! the middle and no two nodes or drawn cables meet, in odd and flat machines too. For a column `n` of `d`, and the `k`-th of its `A`
//! nodes, with the pitch `b`, the gap `g` and `H = A b + g`: `H n + b k` in the left half, `H (n + 1) - b k` in the right one.

use super::{CrossSection, Drawing, Role, Shown, Slice};
use crate::{Cable, Element};

/// Distances of the layout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spacing {
    /// Between nodes along a diagonal, to the right and downwards.
    pub pitch: f64,
    /// Between rings.
    pub gap: f64,
}

impl Default for Spacing {
    fn default() -> Spacing {
        Spacing { pitch: 1.0, gap: 2.0 }
    }
}

/// A torus on a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Projected {
    slice: Slice,
    spacing: Spacing,
    columns: CrossSection,
}

/// A cable as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Which.
    pub cable: Cable,
    /// Its direction on the screen.
    pub role: Role,
    /// Its lower end.
    pub from: [f64; 2],
    /// Its upper end.
    pub to: [f64; 2],
}

/// One end of a cable across the seam: a tick in the margin beyond the node that it leaves, so that it meets no other cable; along
/// the axis, the diagonal going on a little.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stub {
    /// Which.
    pub cable: Cable,
    /// The node at this end.
    pub node: Element,
    /// Its direction.
    pub role: Role,
    /// Where it begins, on the node's side.
    pub from: [f64; 2],
    /// Where it ends in the open.
    pub to: [f64; 2],
}

/// How many cables of the slice appear in which way, by [`Role`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// As lines.
    pub lines: [u32; 3],
    /// As stubs.
    pub wraps: [u32; 3],
    /// Not at all.
    pub hidden: [u32; 3],
}

/// What is found at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// A node.
    Node(Element),
    /// A cable, by its line or one of its stubs.
    Cable(Cable),
}

/// A strip of the picture that is a plane of the torus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The dimension.
    pub dim: usize,
    /// Where along it, as nodes are numbered.
    pub at: u32,
    /// Its left or upper edge.
    pub from: f64,
    /// Its right or lower edge.
    pub to: f64,
}

impl Projected {
    /// Lays out a slice whose dimensions are those of [`super::Axes::dims`]: axis, across, down.
    pub fn new(slice: Slice, spacing: Spacing) -> Projected {
        let [_, across, down] = slice.sizes();
        Projected { slice, spacing, columns: CrossSection { across, down } }
    }

    /// What is shown.
    pub fn slice(&self) -> &Slice {
        &self.slice
    }

    /// The columns.
    pub fn columns(&self) -> CrossSection {
        self.columns
    }

    /// How far stubs reach beyond the extent.
    pub fn margin(&self) -> f64 {
        self.spacing.gap * 0.75
    }

    /// Width and height: all nodes are between 0 and these.
    pub fn extent(&self) -> [f64; 2] {
        let [depth, across, down] = self.slice.sizes();
        [across, down].map(|size| {
            if size == 1 { self.spacing.pitch * f64::from(depth - 1) } else { self.step() * f64::from(size) }
        })
    }

    /// From a column to the next.
    fn step(&self) -> f64 {
        self.spacing.pitch * f64::from(self.slice.sizes()[0]) + self.spacing.gap
    }

    fn in_first_half(column: u32, columns: u32) -> bool {
        column < columns.div_ceil(2)
    }

    fn along(&self, column: u32, columns: u32, depth: u32) -> f64 {
        let inset = self.spacing.pitch * f64::from(depth);
        if Projected::in_first_half(column, columns) {
            self.step() * f64::from(column) + inset
        } else {
            self.step() * f64::from(column + 1) - inset
        }
    }

    pub(super) fn position_at(&self, [depth, across, down]: [u32; 3]) -> [f64; 2] {
        [self.along(across, self.columns.across, depth), self.along(down, self.columns.down, depth)]
    }

    /// Where a node is drawn; nowhere if it is not of this slice.
    pub fn position(&self, node: Element) -> Option<[f64; 2]> {
        self.slice.place(node).map(|place| self.position_at(place))
    }

    /// The ring of a node's column; 0 is the innermost.
    pub fn ring(&self, node: Element) -> Option<u32> {
        self.slice.place(node).map(|[_, across, down]| self.columns.ring(across, down))
    }

    /// All nodes with their positions.
    pub fn nodes(&self) -> impl Iterator<Item = (Element, [f64; 2])> {
        self.slice.places().map(|place| (self.slice.node(place), self.position_at(place)))
    }

    fn drawing_at(&self, role: Role, place: [u32; 3], shown: Shown) -> Drawing {
        match self.columns.drawing(role, place[1], place[2], shown) {
            Drawing::Line if self.slice.wraps(place, role.index()) => Drawing::Wrap,
            drawing => drawing,
        }
    }

    /// How a cable appears; nothing for a cable of another slice, or to one.
    pub fn drawing(&self, cable: Cable, shown: Shown) -> Option<Drawing> {
        let (role, place) = self.slice.place_of(cable)?;
        Some(self.drawing_at(Role::ALL[role], place, shown))
    }

    /// The cables of the slice with the places of their lower ends.
    fn cables(&self) -> impl Iterator<Item = (Cable, Role, [u32; 3])> {
        let of = |(role, place): (Role, [u32; 3])| Some((self.slice.cable(place, role.index())?, role, place));
        Role::ALL.into_iter().flat_map(|role| self.slice.places().map(move |place| (role, place))).filter_map(of)
    }

    /// The cables that are drawn between their ends.
    pub fn lines(&self, shown: Shown) -> Vec<Line> {
        let drawn = self.cables().filter(|(_, role, place)| self.drawing_at(*role, *place, shown) == Drawing::Line);
        let line = |(cable, role, place): (Cable, Role, [u32; 3])| {
            let mut next = place;
            next[role.index()] += 1;
            Line { cable, role, from: self.position_at(place), to: self.position_at(next) }
        };
        drawn.map(line).collect()
    }

    /// Both ends of each cable across the seam.
    pub fn stubs(&self, shown: Shown) -> Vec<Stub> {
        let wraps = self.cables().filter(|(_, role, place)| self.drawing_at(*role, *place, shown) == Drawing::Wrap);
        let stubs = |(cable, role, place): (Cable, Role, [u32; 3])| {
            let mut first = place;
            first[role.index()] = 0;
            [first, place].map(|end| {
                let [from, to] = self.stub(role, end, end == first);
                Stub { cable, node: self.slice.node(end), role, from, to }
            })
        };
        wraps.flat_map(stubs).collect()
    }

    /// The ends of a stub at the first or last node of a line.
    fn stub(&self, role: Role, place: [u32; 3], is_first: bool) -> [[f64; 2]; 2] {
        let [x, y] = self.position_at(place);
        let ([width, height], margin) = (self.extent(), self.margin());
        let beyond = |end: f64| {
            let inner = self.spacing.gap / 4.0;
            if is_first { [-inner, -margin] } else { [end + inner, end + margin] }
        };
        match role {
            Role::Across => beyond(width).map(|x| [x, y]),
            Role::Down => beyond(height).map(|y| [x, y]),
            Role::Axis => {
                // The first node is the outermost of its column, wherever that is; short of the next row of nodes.
                let length = self.spacing.pitch.min(self.spacing.gap) / 2.0;
                let outwards =
                    [(place[1], self.columns.across), (place[2], self.columns.down)].map(|(column, columns)| {
                        if Projected::in_first_half(column, columns) == is_first { -length } else { length }
                    });
                [[x, y], [x + outwards[0], y + outwards[1]]]
            }
        }
    }

    /// How many cables appear in which way. All other cables of the machine are of other slices, or join them.
    pub fn counts(&self, shown: Shown) -> Counts {
        let mut counts = Counts::default();
        for (_, role, place) in self.cables() {
            let count = match self.drawing_at(role, place, shown) {
                Drawing::Line => &mut counts.lines,
                Drawing::Wrap => &mut counts.wraps,
                Drawing::Hidden => &mut counts.hidden,
            };
            count[role.index()] += 1;
        }
        counts
    }

    /// What is nearest to a point, and no further than `tolerance`: a node before a cable.
    pub fn hit(&self, at: [f64; 2], tolerance: f64, shown: Shown) -> Option<Hit> {
        let nodes = self.nodes().map(|(node, place)| (Hit::Node(node), distance(at, place, place)));
        let cables = || {
            let lines = self.lines(shown).into_iter().map(|line| (line.cable, line.from, line.to));
            let stubs = self.stubs(shown).into_iter().map(|stub| (stub.cable, stub.from, stub.to));
            lines.chain(stubs).map(|(cable, from, to)| (Hit::Cable(cable), distance(at, from, to)))
        };
        nearest(nodes, tolerance).or_else(|| nearest(cables(), tolerance))
    }

    /// The bands of columns to the right ([`Role::Across`]) or downwards ([`Role::Down`]): each is a plane of the torus.
    pub fn bands(&self, role: Role) -> Vec<Band> {
        let columns = match role {
            Role::Axis => return Vec::new(),
            Role::Across => self.columns.across,
            Role::Down => self.columns.down,
        };
        let last = self.slice.sizes()[0] - 1;
        let band = |column: u32| {
            let (dim, at) = self.slice.plane(role.index(), column)?;
            let ends = [0, last].map(|depth| self.along(column, columns, depth));
            Some(Band { dim, at, from: ends[0].min(ends[1]), to: ends[0].max(ends[1]) })
        };
        (0..columns).filter_map(band).collect()
    }

    /// The band at a position, or the nearest one no further than half a gap away.
    pub fn band_at(&self, role: Role, position: f64) -> Option<Band> {
        let away = |band: &Band| (band.from - position).max(position - band.to).max(0.0);
        let nearest = self.bands(role).into_iter().min_by(|a, b| away(a).total_cmp(&away(b)));
        nearest.filter(|band| away(band) <= self.spacing.gap / 2.0)
    }
}

fn nearest(things: impl Iterator<Item = (Hit, f64)>, tolerance: f64) -> Option<Hit> {
    let near = things.filter(|(_, distance)| *distance <= tolerance);
    near.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(hit, _)| hit)
}

/// From a point to a stretch between two points.
fn distance(at: [f64; 2], from: [f64; 2], to: [f64; 2]) -> f64 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let length = along[0] * along[0] + along[1] * along[1];
    let part = (at[0] - from[0]) * along[0] + (at[1] - from[1]) * along[1];
    let part = if length > 0.0 { (part / length).clamp(0.0, 1.0) } else { 0.0 };
    (at[0] - from[0] - part * along[0]).hypot(at[1] - from[1] - part * along[1])
}
