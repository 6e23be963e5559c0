//! Where messages travel through a picture.

use heddle_topology::{Element, Link};

use super::shares::PlaneMarks;
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::scene::space::Point3;

/// Makes the ways of a view; none if there is no machine.
pub(crate) type MakeWays = for<'a> fn(&'a Trace<'_>, &ViewRequest) -> Option<Box<dyn Ways + 'a>>;

/// Where links lead through a picture of a machine.
pub(crate) trait Ways {
    /// Adds the way of a message over its links, of which there is at least one.
    fn way(&self, from: Element, path: &[Link], way: &mut Way);

    /// The radius of a dot, in the units of the picture.
    fn dot(&self) -> f32;

    /// Where cables and elements are on a plane; none in space, where they are solids.
    fn marks(&self) -> Option<PlaneMarks>;

    /// Whether the view draws the way of what is selected by itself.
    fn draws_selected(&self) -> bool {
        false
    }

    /// Elements that one solid stands for, by the number of the block.
    fn blocks(&self) -> Vec<Vec<Element>> {
        Vec::new()
    }
}

/// Places with the share of its time at which a message is there. A place that is no number is a break: the message vanishes
/// before it and appears behind it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Way {
    /// x, y, z and share of the time, point by point.
    pub(crate) points: Vec<[f32; 4]>,
}

impl Way {
    pub(crate) fn to(&mut self, [x, y, z]: Point3, time: f64) {
        self.points.push([x, y, z, time as f32]);
    }

    pub(crate) fn cut(&mut self, time: f64) {
        self.points.push([f32::NAN, f32::NAN, f32::NAN, time as f32]);
    }

    /// The way of a message that goes from place to place, with equal time on each link: of each link both ends, and where it
    /// leaves the picture at one end and comes back at the other, the places where that is.
    pub(crate) fn straight(&mut self, hops: &[Option<Hop>]) {
        let count = hops.len().max(1) as f64;
        for (at, hop) in hops.iter().enumerate() {
            let time = |share: f64| (at as f64 + share) / count;
            let Some(hop) = hop else {
                self.cut(time(0.0));
                continue;
            };
            let is_going_on = self.points.last().is_some_and(|last| last[..3] == hop.from);
            if !is_going_on {
                self.cut(time(0.0));
                self.to(hop.from, time(0.0));
            }
            if let Some((out, back)) = hop.around {
                self.to(out, time(0.5));
                self.cut(time(0.5));
                self.to(back, time(0.5));
            }
            self.to(hop.to, time(1.0));
        }
    }

    /// Where a message is at a share of its time: nowhere while it is out of the picture, in several places where the picture has
    /// the machine several times.
    pub(crate) fn places(&self, share: f32) -> impl Iterator<Item = Point3> + '_ {
        let is_here = move |(from, to): &([f32; 4], [f32; 4])| {
            from[3] <= share && (share < to[3] || (share <= to[3] && share >= 1.0)) && from[3] < to[3]
        };
        self.pieces().filter(is_here).map(move |(from, to)| {
            let part = (share - from[3]) / (to[3] - from[3]);
            [0, 1, 2].map(|axis| from[axis] + (to[axis] - from[axis]) * part)
        })
    }

    /// What a message has passed by then.
    pub(crate) fn passed(&self, share: f32) -> impl Iterator<Item = (Point3, Point3)> + '_ {
        let point = |[x, y, z, _]: [f32; 4]| [x, y, z];
        self.pieces().filter(move |(from, _)| from[3] <= share).map(move |(from, to)| {
            let part = if to[3] > share { (share - from[3]) / (to[3] - from[3]) } else { 1.0 };
            (point(from), [0, 1, 2].map(|axis| from[axis] + (to[axis] - from[axis]) * part))
        })
    }

    fn pieces(&self) -> impl Iterator<Item = ([f32; 4], [f32; 4])> + '_ {
        let pairs = self.points.windows(2).map(|pair| (pair[0], pair[1]));
        pairs.filter(|(from, to)| !from[0].is_nan() && !to[0].is_nan())
    }
}

/// A link in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hop {
    pub(crate) from: Point3,
    pub(crate) to: Point3,
    /// Where it leaves the picture, and where it comes back.
    pub(crate) around: Option<(Point3, Point3)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_time_for_each_link_and_breaks_around_the_edge() {
        let hop = |from: f32, to: f32| Hop { from: [from, 0.0, 0.0], to: [to, 0.0, 0.0], around: None };
        let around = Hop { around: Some(([3.5, 0.0, 0.0], [-0.5, 0.0, 0.0])), ..hop(3.0, 0.0) };
        let mut way = Way::default();
        way.straight(&[Some(hop(2.0, 3.0)), Some(around), None, Some(hop(5.0, 6.0))]);
        let x = |share: f32| way.places(share).next().map(|place| place[0]);
        assert_eq!([x(0.0), x(0.125), x(0.25)], [Some(2.0), Some(2.5), Some(3.0)]);
        assert_eq!([x(0.3125), x(0.4375)], [Some(3.25), Some(-0.25)]);
        assert_eq!([x(0.6), x(0.875), x(1.0)], [None, Some(5.5), Some(6.0)]);
        let passed: Vec<_> = way.passed(0.3125).map(|(from, to)| (from[0], to[0])).collect();
        assert_eq!(passed, [(2.0, 3.0), (3.0, 3.25)]);
        assert_eq!(way.passed(1.0).count(), 4);
        // A second strand is the same message, elsewhere.
        way.cut(0.0);
        way.to([9.0, 0.0, 0.0], 0.0);
        way.to([10.0, 0.0, 0.0], 1.0);
        assert_eq!(way.places(0.125).map(|place| place[0]).collect::<Vec<_>>(), [2.5, 9.125]);
    }
}
