//! Messages in motion: what a view of a machine shows at a moment, and what the page needs to go from moment to moment by itself.
//!
//! A view says only where links lead through its picture ([`Ways`]). Loads at a moment take the place of those of the window
//! ([`Moment::links`]), so links, nodes and switches are coloured as they always are; dots and pipes are drawn on top.

mod colours;
mod drawn;
mod moving;
mod options;
mod shares;
mod ways;

use std::sync::Arc;

use heddle_model::Ns;
use heddle_network::Network;
use heddle_network::motion::{MOST_IN_FLIGHT, Motion};
use heddle_topology::Link;

use super::loads::Counting;
use super::options::MachineOptions;
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::scene::ticks::{counted, duration_text, grouped};

pub(crate) use drawn::{add_to_plane, add_to_space};
pub(crate) use moving::moving_of;
pub use moving::{Moving, MovingMessage, name_of_message};
pub use options::{ActivityShown, MessagesBy, MotionKind, MotionOptions};
pub(crate) use shares::activity_of;
pub use shares::{Activity, PlaneMarks, Shares};
pub(crate) use ways::{Hop, MakeWays, Way, Ways};

/// A moment of a window, and what goes on around it.
pub(crate) struct Moment<'a> {
    pub(crate) network: &'a Network,
    pub(crate) options: MotionOptions,
    pub(crate) at: Ns,
    pub(crate) motion: Arc<Motion>,
    counting: Counting<'a>,
}

impl<'a> Moment<'a> {
    /// The moment that a request asks for; none if it does not ask for motion.
    pub(crate) fn of(trace: &'a Trace<'_>, network: &'a Network, request: &ViewRequest) -> Option<Moment<'a>> {
        let options: MotionOptions = request.options.checked();
        (options.motion != MotionKind::None).then(|| Moment::with(trace, network, request, options))
    }

    /// The same whether it does or not.
    pub(crate) fn with(
        trace: &'a Trace<'_>,
        network: &'a Network,
        request: &ViewRequest,
        options: MotionOptions,
    ) -> Moment<'a> {
        let mut counting = Counting::new(trace, request, &request.options.checked::<MachineOptions>());
        // The whole run holds its last moment too.
        let window = request.window.time.unwrap_or((Ns(0), Ns(trace.store.summary().end_ns.saturating_add(1))));
        counting.part.time = window;
        let middle = Ns(window.0.0 + window.1.since(window.0) / 2);
        let at = options.at.unwrap_or(middle).clamp(window.0, Ns(window.1.0 - 1).max(window.0));
        let motion = network.motion(trace.store, &counting.part, counting.tests());
        Moment { network, options, at, motion, counting }
    }

    fn bin(&self) -> usize {
        self.motion.activity.bin(self.at).unwrap_or(0)
    }

    /// What each link carries at the moment, and what has just been fades; or all since the window began.
    pub(crate) fn links(&self) -> Vec<f64> {
        let activity = &self.motion.activity;
        let mut found = vec![0.0_f64; activity.bytes(0).len()];
        for bin in 0..=self.bin() {
            for (known, bytes) in found.iter_mut().zip(activity.bytes(bin)) {
                *known = self.options.activity.next(*known, f64::from(*bytes), f64::from(activity.fade()));
            }
        }
        found
    }

    /// The largest value that a cable has at any moment of the window: the end of the colour scale.
    pub(crate) fn largest(&self, value: impl Fn(f64, f64) -> f64) -> f64 {
        let activity = &self.motion.activity;
        let mut sums = vec![0.0_f64; activity.bytes(0).len() / 2];
        let mut largest = 0.0_f64;
        for bin in 0..activity.bins() {
            for (sum, pair) in sums.iter_mut().zip(activity.bytes(bin).chunks_exact(2)) {
                *sum = self.options.activity.next(*sum, value(pair[0].into(), pair[1].into()), 0.0);
                largest = largest.max(*sum);
            }
        }
        largest
    }

    /// What leaves each element at the moment, in the same way, and the largest that it is at any moment of the window.
    pub(crate) fn elements(&self) -> (Vec<f64>, f64) {
        let (activity, shape) = (&self.motion.activity, &**self.network.machine.shape);
        let leaves: Vec<usize> = (0..shape.links()).map(|link| shape.ends(Link(link)).0.index()).collect();
        let (mut now, mut found) = (vec![0.0; shape.elements() as usize], Vec::new());
        let (mut shown, mut largest) = (now.clone(), 0.0_f64);
        for bin in 0..activity.bins() {
            now.fill(0.0);
            leaves.iter().zip(activity.bytes(bin)).for_each(|(element, bytes)| now[*element] += f64::from(*bytes));
            for (shown, bytes) in shown.iter_mut().zip(&now) {
                *shown = self.options.activity.next(*shown, *bytes, f64::from(activity.fade()));
                largest = largest.max(*shown);
            }
            if bin == self.bin() {
                found.clone_from(&shown);
            }
        }
        (found, largest)
    }

    /// What loads are, behind their unit: `in 12 µs`, or `so far`.
    pub(crate) fn words(&self) -> String {
        match self.options.activity {
            ActivityShown::Now => format!("per {}", duration_text(self.motion.activity.bin_ns().round() as i64)),
            ActivityShown::Sum => "so far".to_owned(),
        }
    }

    /// The part of the window that loads are of.
    pub(crate) fn span(&self) -> (Ns, Ns) {
        let (activity, bin) = (&self.motion.activity, self.bin());
        let from = if self.options.activity == ActivityShown::Now { bin } else { 0 };
        (activity.bin_start(from), activity.bin_start(bin + 1))
    }

    /// What is shown, and what is not.
    pub(crate) fn notes(&self, in_flight: u64) -> Vec<String> {
        let moment = format!("At {}", duration_text(self.at.0));
        let mut notes = vec![if in_flight > MOST_IN_FLIGHT as u64 {
            format!("{moment}: {}", only_activity(in_flight))
        } else {
            format!("{moment}: {} in flight.", counted(in_flight, "message"))
        }];
        notes.extend(left_out(&self.motion));
        notes
    }
}

/// What is said where there are too many messages to be told apart.
pub(crate) fn only_activity(in_flight: u64) -> String {
    format!("{} messages in flight: activity of links and switches is shown.", grouped(in_flight))
}

/// What does not move.
fn left_out(motion: &Motion) -> Option<String> {
    let stay = motion.unseen;
    (stay > 0).then(|| match stay {
        1 => "1 message does not leave its node and is not shown.".to_owned(),
        stay => format!("{} messages do not leave their node and are not shown.", grouped(stay)),
    })
}
