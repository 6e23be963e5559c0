//! The critical path over a timeline: thick along a rank, thin from rank to rank.
//!
//! A path may hop a million times. However many hops a column of pixels has, it gets a few lines: pieces that are narrower
//! than a pixel become one thin line from the highest of their ranks to the lowest. Where most columns are like that, these
//! lines are faint, or they would hide everything.

use heddle_diagnosis::path::PathPiece;
use heddle_model::{LocationId, Ns, RegionId, SpanRow};

use super::TimelinePicture;
use super::blamed::Blamed;
use crate::diagnosed::Diagnosed;
use crate::lookup::enclosing::spans_in;
use crate::scene::blame::BlameInks;
use crate::scene::frame::time_at;
use crate::scene::ticks::counted;
use crate::scene::{Layer, LegendEntry, Rect, RectMark, Scene, SegmentMark};

/// Widths of its lines: along a rank, the rim around it, and between ranks.
const ALONG: f32 = 2.6;
const RIM: f32 = 4.6;
const BETWEEN: f32 = 1.0;
/// Pieces of a column that are drawn one by one.
const FEW: usize = 2;
/// The part of all columns with many hops from which on their lines are faint.
const CROWDED: f32 = 0.2;
/// Marks of a column of pixels, at most, where colours are those of the path.
const MOST_MARKS: usize = 6;
/// Calls of a piece that are looked at one by one.
const MOST_CALLS: u64 = 4_096;

/// Where colours are those of the path: the least height of what lies on it, and the colour of computing on its scale.
const LEAST_HEIGHT: f32 = 4.0;
const ON_PATH: f32 = 0.8;

/// A rectangle of at least some height, around the same middle.
fn at_least(rect: Rect, height: f32) -> Rect {
    let more = (height - rect.height).max(0.0);
    Rect { y: rect.y - more / 2.0, height: rect.height + more, ..rect }
}

/// Pieces that are narrower than a pixel, in one column.
struct Bundle {
    column: i64,
    points: Vec<(f32, f32)>,
    count: usize,
    low: f32,
    high: f32,
}

/// Lines of a path while they are made.
#[derive(Default)]
struct Lines {
    along: Vec<SegmentMark>,
    between: Vec<SegmentMark>,
    crowded: Vec<SegmentMark>,
    /// Where the line is.
    at: Option<(f32, f32)>,
}

impl Lines {
    fn to(&mut self, (x, y): (f32, f32), inks: BlameInks) {
        if let Some((_, before)) = self.at.filter(|(_, before)| (before - y).abs() > 0.01) {
            self.between.push(SegmentMark { from: (x, before), to: (x, y), width: BETWEEN, colour: inks.path() });
        }
        self.at = Some((x, y));
    }

    fn along(&mut self, from: f32, to: f32, y: f32, inks: BlameInks) {
        self.to((from, y), inks);
        self.along.push(SegmentMark { from: (from, y), to: (to, y), width: ALONG, colour: inks.path() });
        self.at = Some((to, y));
    }

    fn flush(&mut self, bundle: Option<Bundle>, inks: BlameInks) {
        let Some(bundle) = bundle else { return };
        if bundle.count <= FEW {
            bundle.points.iter().for_each(|point| self.to(*point, inks));
            return;
        }
        let x = bundle.column as f32 + 0.5;
        let before = self.at.map_or(bundle.low, |(_, y)| y);
        let (low, high) = (bundle.low.min(before), bundle.high.max(before));
        self.crowded.push(SegmentMark { from: (x, low), to: (x, high), width: BETWEEN, colour: inks.path_crowd() });
        self.at = bundle.points.last().copied();
    }
}

/// The pieces of the path that a window sees.
pub(crate) fn pieces_in(diagnosed: &Diagnosed, time: (Ns, Ns)) -> &[PathPiece] {
    let path = &diagnosed.run.path;
    let first = path.partition_point(|piece| piece.end <= time.0);
    let last = path.partition_point(|piece| piece.start < time.1);
    &path[first.min(last)..last]
}

impl TimelinePicture<'_> {
    fn path_y(&self, location: LocationId) -> f32 {
        self.middle_of(self.rows.row_or_beyond(location))
    }

    /// Draws the path, and says how often it hops.
    pub(super) fn draw_path(&self, diagnosed: &Diagnosed, inks: BlameInks, scene: &mut Scene) {
        let pieces = pieces_in(diagnosed, self.time);
        let mut lines = Lines::default();
        let mut bundle: Option<Bundle> = None;
        for piece in pieces {
            let (from, to, y) = (self.x(piece.start), self.x(piece.end), self.path_y(piece.location));
            let column = from.floor() as i64;
            if to - from >= 1.0 {
                lines.flush(bundle.take(), inks);
                lines.along(from, to, y, inks);
                continue;
            }
            if bundle.as_ref().is_some_and(|bundle| bundle.column != column) {
                lines.flush(bundle.take(), inks);
            }
            let bundle = bundle.get_or_insert_with(|| Bundle { column, points: Vec::new(), count: 0, low: y, high: y });
            bundle.count += 1;
            (bundle.low, bundle.high) = (bundle.low.min(y), bundle.high.max(y));
            if bundle.points.len() > FEW {
                bundle.points.pop();
            }
            bundle.points.push((from, y));
        }
        lines.flush(bundle, inks);
        let is_crowded = lines.crowded.len() as f32 > CROWDED * self.plot.width;
        if !is_crowded {
            lines.crowded.iter_mut().for_each(|line| line.colour = inks.path());
        }
        if self.blamed.as_ref().is_some_and(Blamed::is_path) {
            // What lies on it is coloured: a line along it would hide that.
            lines.along.clear();
        }
        let rim = lines.along.iter().map(|line| SegmentMark { width: RIM, colour: inks.rim(), ..*line });
        let all = rim.collect::<Vec<_>>().into_iter().chain(lines.crowded).chain(lines.between).chain(lines.along);
        scene.layers.push(Layer::Segments(all.collect()));
        let name = "critical path".to_owned();
        scene.legend.push(LegendEntry { colour: inks.path(), name, value: String::new() });
        let hops = pieces.windows(2).filter(|pair| pair[0].location != pair[1].location).count() as u64;
        let ranks = {
            let mut ranks: Vec<LocationId> = pieces.iter().map(|piece| piece.location).collect();
            ranks.sort_unstable();
            ranks.dedup();
            ranks.len() as u64
        };
        scene.notes.push(match pieces {
            [] => "There is no critical path: no rank waits for another.".to_owned(),
            _ => format!("The critical path is on {} here, with {}.", counted(ranks, "rank"), counted(hops, "hop")),
        });
    }

    /// What lies on the path: computing stands out, communication is told apart from it.
    pub(super) fn path_marks(&self, diagnosed: &Diagnosed, inks: BlameInks) -> Vec<RectMark> {
        let mut marks: Vec<RectMark> = Vec::new();
        let mut in_column = (i64::MIN, 0);
        for piece in pieces_in(diagnosed, self.time) {
            let Some(row) = self.rows.row_for(piece.location) else { continue };
            let window = (piece.start.max(self.time.0), piece.end.min(self.time.1));
            let (from, to) = (self.x(window.0), self.x(window.1));
            let column = from.floor() as i64;
            if column != in_column.0 {
                in_column = (column, 0);
            } else if to - from < 1.0 && in_column.1 >= MOST_MARKS {
                continue;
            }
            in_column.1 += 1;
            let lane = at_least(self.lane(row), LEAST_HEIGHT);
            let spans = spans_in(self.store, piece.location, window);
            let is_many = spans.inside.end - spans.inside.start > MOST_CALLS;
            let mut mark = |from: f32, to: f32, region: RegionId| {
                let rect = Rect { x: from, width: (to - from).max(1.0), ..lane };
                let talks = region.is_some() && self.store.regions.communicates(region);
                let colour = if talks { inks.own() } else { inks.makes(ON_PATH) };
                let is_beside = |last: &&mut RectMark| {
                    (last.rect.y - rect.y).abs() < 0.01 && rect.x <= last.rect.x + last.rect.width
                };
                match marks.last_mut().filter(is_beside) {
                    Some(last) if last.colour == colour => {
                        last.rect.width = last.rect.width.max(rect.x + rect.width - last.rect.x);
                    }
                    // The first of a column's short calls stands for them.
                    Some(last) if to - from < 1.0 && last.rect.width <= 1.0 && last.rect.x as i64 == from as i64 => {}
                    _ => marks.push(RectMark { rect, colour, span: SpanRow::NONE }),
                }
            };
            if is_many {
                for column in from.floor() as i64..to.ceil() as i64 {
                    let time = time_at(self.time, self.plot, column as f32 + 0.5).clamp(window.0, window.1);
                    let around = spans_in(self.store, piece.location, (time, Ns(time.0 + 1)));
                    let region = around.rows().last().map_or(RegionId::NONE, |span| self.store.spans.region.get(span));
                    mark(column as f32, column as f32 + 1.0, region);
                }
                continue;
            }
            spans.for_each_stretch(
                self.store,
                |_| true,
                |stretch| {
                    let clip = |time: Ns| self.x(time.clamp(window.0, window.1));
                    if stretch.end > window.0 && stretch.start < window.1 {
                        mark(clip(stretch.start), clip(stretch.end), stretch.region);
                    }
                },
            );
        }
        marks
    }
}
