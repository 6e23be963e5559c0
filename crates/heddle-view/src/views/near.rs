//! A place along an axis of time, and what is near it.

use heddle_model::Ns;

use crate::scene::Rect;
use crate::scene::frame::time_at;

/// A moment under the pointer, and how far around it one looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    at: Ns,
    /// Nanoseconds on both sides; at least one, so that what lies exactly there is found at any zoom.
    reach: i64,
}

impl Near {
    /// The moment at `x` in a plot that shows a window, and so many pixels around it.
    pub(super) fn of(time: (Ns, Ns), plot: Rect, x: f32, reach: f32) -> Near {
        let length = time.1.since(time.0) as f64;
        Near {
            at: time_at(time, plot, x),
            reach: (length * f64::from(reach) / f64::from(plot.width.max(1.0))).ceil().max(1.0) as i64,
        }
    }

    /// A window of time with everything that is near.
    pub(super) fn window(self) -> (Ns, Ns) {
        let beyond = self.reach.saturating_add(1);
        (Ns(self.at.0.saturating_sub(beyond)), Ns(self.at.0.saturating_add(beyond)))
    }

    /// The nearest of some moments, if it is near; of two, the earlier.
    pub(super) fn nearest(self, moments: impl IntoIterator<Item = Ns>) -> Option<Ns> {
        let distance = |moment: Ns| moment.since(self.at).unsigned_abs();
        let near = moments.into_iter().filter(|moment| distance(*moment) <= self.reach.unsigned_abs());
        near.min_by_key(|moment| (distance(*moment), *moment))
    }
}
