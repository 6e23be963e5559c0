//! What cables and elements do over a window, for the page: a byte for each of them and each bin of time.

use heddle_model::Ns;
use heddle_network::motion::MOST_IN_FLIGHT;
use heddle_topology::{Element, Link};

use super::{ActivityShown, Moment, MotionOptions, left_out};
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::scene::ticks::{bytes_text, duration_text};
use crate::views::machine::options::{CableValue, MachineOptions};

use super::ways::Ways;

/// What goes on in a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// From and to.
    pub window: (Ns, Ns),
    /// Bins of time.
    pub bins: usize,
    /// What is left of the activity of a bin in the next one.
    pub fade: f32,
    /// Messages on links in the window.
    pub messages: u64,
    /// How many are in flight when each bin begins.
    pub in_flight: Vec<u64>,
    /// More than that are not told apart.
    pub most_in_flight: u64,
    /// What each cable carries.
    pub cables: Shares,
    /// What leaves each element.
    pub elements: Shares,
    /// What leaves the fullest element of each block that one solid stands for.
    pub blocks: Shares,
    /// Where cables and elements are, on a plane. In space the page has the solids.
    pub marks: Option<PlaneMarks>,
    /// What was left out.
    pub notes: Vec<String>,
}

/// Values of many things over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// How many things.
    pub count: usize,
    /// By bin, then thing: 255 is the largest value of any of them in any bin. What is rounded off in a bin is added to the
    /// next, so that sums are right.
    pub values: Vec<u8>,
    /// What 255 is, in words.
    pub largest: String,
    /// The largest sum over all bins, in the same unit as the values, and in words.
    pub sum: (f64, String),
}

/// Where cables and elements are on a plane, in the units of its axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaneMarks {
    /// Cables with both ends; one may be drawn in two pieces.
    pub cables: Vec<(u32, [f32; 4])>,
    /// Elements with their places.
    pub elements: Vec<(u32, [f32; 2])>,
    /// The width of a cable and the side of an element.
    pub sizes: [f32; 2],
}

pub(crate) fn activity_of(trace: &Trace<'_>, request: &ViewRequest, ways: &dyn Ways) -> Option<Activity> {
    let network = trace.network.as_ref()?;
    let moment = Moment::with(trace, network, request, MotionOptions::default());
    let found = &moment.motion.activity;
    let direction = request.options.checked::<MachineOptions>().direction;
    let shape = &**network.machine.shape;
    let per = duration_text(found.bin_ns().round() as i64);
    let cables = shares(found.bins(), shape.links() as usize / 2, &per, |bin, values| {
        let pairs = found.bytes(bin).chunks_exact(2);
        values.iter_mut().zip(pairs).for_each(|(value, pair)| *value = of_cable(direction, pair));
    });
    let leaves: Vec<usize> = (0..shape.links()).map(|link| shape.ends(Link(link)).0.index()).collect();
    let elements = shares(found.bins(), shape.elements() as usize, &per, |bin, values| {
        values.fill(0.0);
        leaves.iter().zip(found.bytes(bin)).for_each(|(element, bytes)| values[*element] += f64::from(*bytes));
    });
    let blocks = ways.blocks();
    let mut of_elements = vec![0.0; shape.elements() as usize];
    let blocks = shares(found.bins(), blocks.len(), &per, |bin, values| {
        of_elements.fill(0.0);
        leaves.iter().zip(found.bytes(bin)).for_each(|(element, bytes)| of_elements[*element] += f64::from(*bytes));
        let fullest = |block: &Vec<Element>| block.iter().map(|one| of_elements[one.index()]).fold(0.0, f64::max);
        values.iter_mut().zip(&blocks).for_each(|(value, block)| *value = fullest(block));
    });
    Some(Activity {
        window: found.window(),
        bins: found.bins(),
        fade: found.fade(),
        messages: moment.motion.messages,
        in_flight: moment.motion.in_flight.clone(),
        most_in_flight: MOST_IN_FLIGHT as u64,
        cables,
        elements,
        blocks,
        marks: ways.marks(),
        notes: left_out(&moment.motion).into_iter().collect(),
    })
}

pub(super) fn of_cable(direction: CableValue, pair: &[f32]) -> f64 {
    direction.of(pair[0].into(), pair[1].into())
}

fn shares(bins: usize, count: usize, per: &str, mut read: impl FnMut(usize, &mut [f64])) -> Shares {
    let (mut values, mut sums) = (vec![0.0; count], vec![0.0; count]);
    let mut largest = 0.0_f64;
    for bin in 0..bins {
        read(bin, &mut values);
        for (sum, value) in sums.iter_mut().zip(&values) {
            largest = largest.max(*value);
            *sum = ActivityShown::Sum.next(*sum, *value, 0.0);
        }
    }
    let sum = sums.iter().copied().fold(0.0, f64::max);
    let step = if largest > 0.0 { largest / 255.0 } else { 1.0 };
    let mut bytes = Vec::with_capacity(bins * count);
    let mut rest = vec![0.0; count];
    for bin in 0..bins {
        read(bin, &mut values);
        bytes.extend(rest.iter_mut().zip(&values).map(|(rest, value)| {
            let exact = value / step + *rest;
            let rounded = exact.round().clamp(0.0, 255.0);
            *rest = exact - rounded;
            rounded as u8
        }));
    }
    Shares {
        count,
        values: bytes,
        largest: format!("{} per {per}", bytes_text(largest.round() as u64)),
        sum: (sum / step, bytes_text(sum.round() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rounded_off_is_not_lost() {
        let found = shares(1_000, 2, "1 s", |bin, values| values.copy_from_slice(&[f64::from(bin == 0) * 255.0, 0.3]));
        let sum: u32 = found.values.chunks_exact(2).map(|pair| u32::from(pair[1])).sum();
        assert_eq!((found.values[0], sum), (255, 300));
        assert_eq!((found.largest.as_str(), found.sum.1.as_str()), ("255 B per 1 s", "300 B"));
    }
}
