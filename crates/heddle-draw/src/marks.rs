//! Geometry of the data, in pixels of the scene: what is left of a mark inside the plot.
//!
//! Nothing that lies in the plot vanishes for being small, and nothing reaches out of it.

use heddle_view::{Band, Density, DiscMark, PolygonMark, Raster, Rect, SegmentMark};

/// A rectangle by its edges, finite and not inside out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) right: f32,
    pub(crate) bottom: f32,
}

impl Area {
    /// The place of a rectangle, as far as it is one.
    pub(crate) fn of(rect: &Rect) -> Area {
        let sound = |value: f32| if value.is_finite() { value.clamp(-1e6, 1e6) } else { 0.0 };
        let (left, top) = (sound(rect.x), sound(rect.y));
        Area { left, top, right: left + sound(rect.width).max(0.0), bottom: top + sound(rect.height).max(0.0) }
    }

    pub(crate) fn new(left: f32, top: f32, width: f32, height: f32) -> Area {
        Area { left, top, right: left + width, bottom: top + height }
    }

    pub(crate) fn width(&self) -> f32 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f32 {
        self.bottom - self.top
    }

    /// Whether both cover some place.
    pub(crate) fn meets(&self, other: &Area) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }
}

/// What of a rectangle is in the plot: at least a pixel wide and high. Small ones keep to a raster of `step` pixels, so
/// that their neighbours stay crisp.
pub(crate) fn visible(plot: &Area, rect: &Rect, step: f32) -> Option<Area> {
    let (left, right) = stretch(rect.x, rect.width, (plot.left, plot.right), step)?;
    let (top, bottom) = stretch(rect.y, rect.height, (plot.top, plot.bottom), step)?;
    Some(Area { left, top, right, bottom })
}

fn stretch(start: f32, length: f32, (low, high): (f32, f32), step: f32) -> Option<(f32, f32)> {
    let end = start + length;
    let sound = start.is_finite() && end.is_finite() && length >= 0.0 && low < high;
    // An empty stretch on the very edge is inside, a longer one that only touches the edge is not.
    let outside = end < low || start > high || (length > 0.0 && (end <= low || start >= high));
    if !sound || outside {
        return None;
    }
    let (from, to) = (start.max(low), end.min(high));
    if to - from >= 1.0 {
        return Some((from, to));
    }
    let from = ((from / step).floor() * step).min(high - 1.0).max(low);
    Some((from, (from + 1.0).min(high)))
}

/// Whether a polygon may be seen in the plot: it has an extent there, and only sound corners.
pub(crate) fn meets(plot: &Area, corners: &[Point]) -> bool {
    let is_sound = |(x, y): &Point| x.is_finite() && y.is_finite() && x.abs() < 1e6 && y.abs() < 1e6;
    if corners.len() < 3 || !corners.iter().all(is_sound) {
        return false;
    }
    let ends = |of: fn(&Point) -> f32| {
        corners.iter().map(of).fold((f32::MAX, f32::MIN), |(low, high), at| (low.min(at), high.max(at)))
    };
    let ((left, right), (top, bottom)) = (ends(|corner| corner.0), ends(|corner| corner.1));
    Area { left, top, right, bottom }.meets(plot)
}

/// A segment as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stroke {
    /// Along an axis: a rectangle, to be crisp.
    Straight(Area),
    /// Any other direction: a line between two points near the plot.
    Slanted((f32, f32), (f32, f32)),
}

/// The thinnest line in pixels.
const THINNEST: f32 = 0.25;

/// The width of a segment's line.
pub(crate) fn line_width(segment: &SegmentMark) -> f32 {
    if segment.width.is_finite() { segment.width.clamp(THINNEST, 1e3) } else { 1.0 }
}

/// Whether two segments have the same colour and width.
pub(crate) fn alike(a: &SegmentMark, b: &SegmentMark) -> bool {
    a.colour == b.colour && a.width.to_bits() == b.width.to_bits()
}

/// What of a segment may be seen in the plot.
pub(crate) fn stroke(plot: &Area, segment: &SegmentMark, step: f32) -> Option<Stroke> {
    let ((x0, y0), (x1, y1)) = (segment.from, segment.to);
    if ![x0, y0, x1, y1].iter().all(|value| value.is_finite()) {
        return None;
    }
    let width = line_width(segment);
    let (across, down) = ((x1 - x0).abs(), (y1 - y0).abs());
    if across > 0.0 && down > 0.0 {
        let (from, to) = clip(plot, width + 2.0, segment.from, segment.to)?;
        return Some(Stroke::Slanted(from, to));
    }
    // Thin lines fill the pixel in which they lie; thicker ones lie around their middle.
    let aside = |middle: f32| if width <= 1.0 { (middle, 0.0) } else { (middle - width / 2.0, width) };
    let rect = if down > 0.0 {
        let (x, width) = aside(x0);
        Rect { x, y: y0.min(y1), width, height: down }
    } else {
        let (y, height) = aside(y0);
        Rect { x: x0.min(x1), y, width: across, height }
    };
    visible(plot, &rect, step).map(Stroke::Straight)
}

/// The part of a line within `margin` of the plot (Liang and Barsky's way).
fn clip(plot: &Area, margin: f32, from: (f32, f32), to: (f32, f32)) -> Option<((f32, f32), (f32, f32))> {
    let (x, y) = (f64::from(from.0), f64::from(from.1));
    let (dx, dy) = (f64::from(to.0) - x, f64::from(to.1) - y);
    let sides = [
        (-dx, x - f64::from(plot.left - margin)),
        (dx, f64::from(plot.right + margin) - x),
        (-dy, y - f64::from(plot.top - margin)),
        (dy, f64::from(plot.bottom + margin) - y),
    ];
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for (towards, distance) in sides {
        if towards == 0.0 {
            if distance < 0.0 {
                return None;
            }
        } else if towards < 0.0 {
            enter = enter.max(distance / towards);
        } else {
            leave = leave.min(distance / towards);
        }
    }
    let at = |share: f64| ((x + share * dx) as f32, (y + share * dy) as f32);
    (enter <= leave).then(|| (at(enter), at(leave)))
}

/// Corners of a disc: so many that nobody sees them, also in a picture of twice the resolution.
const CORNERS: u32 = 32;

/// A disc as a polygon; none if it has no place or no size.
pub(crate) fn disc(disc: &DiscMark) -> Option<PolygonMark> {
    let (x, y) = disc.at;
    if !(x.is_finite() && y.is_finite() && disc.radius.is_finite() && disc.radius > 0.0) {
        return None;
    }
    let corner = |at: u32| {
        let (sin, cos) = (at as f32 / CORNERS as f32 * std::f32::consts::TAU).sin_cos();
        (x + disc.radius * cos, y + disc.radius * sin)
    };
    Some(PolygonMark { corners: (0..CORNERS).map(corner).collect(), colour: disc.colour })
}

/// The polygons of `bands[index]`, along the upper edge to the right and back along the lower one. A sample that is no
/// number parts a band in two.
///
/// Where the next band continues this one without a gap and covers what is beneath it, this one reaches a pixel under
/// it. Otherwise the background would shine through the smoothed edge between them.
pub(crate) fn polygons(plot: &Area, bands: &[Band], index: usize, covers: impl Fn(&Band) -> bool) -> Vec<Polygon> {
    let Some(band) = bands.get(index) else { return Vec::new() };
    let next = bands.get(index + 1).filter(|next| covers(next));
    // Samples right of the plot cannot be seen; one more is kept for the edge.
    let samples = band.upper.len().min(band.lower.len()).min(plot.width().ceil() as usize + 1);
    let mut polygons = Vec::new();
    let (mut upper, mut lower): (Vec<Point>, Vec<Point>) = (Vec::new(), Vec::new());
    for column in 0..samples {
        let x = plot.left + column as f32;
        let (mut high, mut low) = (band.upper[column], band.lower[column]);
        if !(high.is_finite() && low.is_finite()) {
            close(&mut polygons, &mut upper, &mut lower);
            continue;
        }
        if let Some(next) = next {
            (high, low) = reach_under(next, column, (high, low));
        }
        let near = |y: f32| y.clamp(plot.top - 4096.0, plot.bottom + 4096.0);
        upper.push((x, near(high)));
        lower.push((x, near(low)));
    }
    // With a sample for each column, the last one holds to the right edge.
    if let (Some(&(x, high)), Some(&(_, low))) = (upper.last(), lower.last())
        && x < plot.right
        && plot.right - x <= 1.0
    {
        upper.push((plot.right, high));
        lower.push((plot.right, low));
    }
    close(&mut polygons, &mut upper, &mut lower);
    polygons
}

/// x and y.
pub(crate) type Point = (f32, f32);

/// Corners in order.
pub(crate) type Polygon = Vec<Point>;

fn reach_under(next: &Band, column: usize, (high, low): (f32, f32)) -> (f32, f32) {
    let (Some(&next_high), Some(&next_low)) = (next.upper.get(column), next.lower.get(column)) else {
        return (high, low);
    };
    let same = |a: f32, b: f32| (a - b).abs() < 0.01;
    if same(next_high, low) {
        (high, (low + 1.0).min(next_low).max(low))
    } else if same(next_low, high) {
        ((high - 1.0).max(next_high).min(high), low)
    } else {
        (high, low)
    }
}

fn close(polygons: &mut Vec<Polygon>, upper: &mut Vec<Point>, lower: &mut Vec<Point>) {
    if let &[(x, high)] = upper.as_slice() {
        // A single sample between gaps is a column of its own.
        upper.push((x + 1.0, high));
        lower.extend(lower.first().map(|&(_, low)| (x + 1.0, low)));
    }
    if !upper.is_empty() {
        let mut polygon = thinned(upper);
        polygon.extend(thinned(lower).into_iter().rev());
        polygons.push(polygon);
    }
    upper.clear();
    lower.clear();
}

/// The edge without the inner points of its level stretches.
fn thinned(edge: &[Point]) -> Vec<Point> {
    let level = |index: usize| {
        let height = |index: usize| edge.get(index).map(|point| point.1);
        index > 0 && height(index - 1) == height(index) && height(index + 1) == height(index)
    };
    edge.iter().enumerate().filter(|&(index, _)| !level(index)).map(|(_, &point)| point).collect()
}

/// Columns and rows of a raster that has all its cells; others are not drawn.
pub(crate) fn raster_size(raster: &Raster) -> Option<(usize, usize)> {
    let (columns, rows) = (raster.columns as usize, raster.rows as usize);
    let cells = columns.checked_mul(rows)?;
    (cells > 0 && cells <= raster.colours.len() && cells <= raster.strength.len()).then_some((columns, rows))
}

/// The same for a density.
pub(crate) fn density_size(density: &Density) -> Option<(usize, usize)> {
    let (columns, rows) = (density.columns as usize, density.rows as usize);
    let cells = columns.checked_mul(rows)?;
    (cells > 0 && cells <= density.counts.len() && cells <= density.colours.len()).then_some((columns, rows))
}
