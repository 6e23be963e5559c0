//! How different two timelines are, and one timeline from several at once.
//!
//! Both distances are means of squared differences. A rank without an event at a step stands where its last event left it;
//! before its first event it cannot be compared. The distances differ in which steps count:
//! * **paper** (Isaacs 2014, section 3.3.1): those at which at least one of the two has an event;
//! * **held**: all from where both have begun to the end of the scope, so a value that is kept for long weighs more.

use std::ops::Range;

use heddle_options::Words;

use super::timeline::Timeline;

/// Which steps count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Distance {
    /// Those at which one of the two has an event.
    Paper,
    /// All from where both have begun.
    Held,
}

impl Words for Distance {
    const WORDS: &'static [(&'static str, Distance)] = &[("paper", Distance::Paper), ("held", Distance::Held)];
}

/// How different two timelines are: 0 if equal, infinite if they have no step to be compared at.
pub fn distance(which: Distance, scope: &Range<u32>, one: &Timeline, other: &Timeline) -> f64 {
    let mut apart = Vec::new();
    Front::new(which, scope.clone(), std::slice::from_ref(one)).distances(other, &mut apart);
    apart[0]
}

/// Several timelines, laid out so that another one is compared with all of them in one walk along the steps.
pub(super) struct Front {
    which: Distance,
    scope: Range<u32>,
    lanes: usize,
    /// The steps at which one of them has an event, ascending.
    knots: Vec<u32>,
    /// For each knot and timeline, where it stands from there on.
    values: Vec<f64>,
    /// 1 once it has begun, else 0.
    begun: Vec<f64>,
    /// 1 where it has an event, else 0.
    events: Vec<f64>,
}

impl Front {
    pub(super) fn new(which: Distance, scope: Range<u32>, timelines: &[Timeline]) -> Front {
        let lanes = timelines.len();
        let mut knots: Vec<u32> = timelines.iter().flat_map(|timeline| timeline.steps.iter().copied()).collect();
        knots.sort_unstable();
        knots.dedup();
        let cells = knots.len() * lanes;
        let (mut values, mut begun, mut events) = (vec![0.0; cells], vec![0.0; cells], vec![0.0; cells]);
        for (lane, timeline) in timelines.iter().enumerate() {
            let mut next = 0;
            let mut last = None;
            for (knot, step) in knots.iter().enumerate() {
                let cell = knot * lanes + lane;
                if timeline.steps.get(next) == Some(step) {
                    last = Some(timeline.values[next]);
                    events[cell] = 1.0;
                    next += 1;
                }
                if let Some(value) = last {
                    values[cell] = value;
                    begun[cell] = 1.0;
                }
            }
        }
        Front { which, scope, lanes, knots, values, begun, events }
    }

    /// How many there are.
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// How different a timeline is from each of them.
    pub(super) fn distances(&self, timeline: &Timeline, apart: &mut Vec<f64>) {
        apart.clear();
        apart.resize(self.lanes * 2, 0.0);
        let (sums, weights) = apart.split_at_mut(self.lanes);
        let (mut knot, mut event) = (0, 0);
        // What they stand at before the next knot.
        let mut held = None::<usize>;
        let mut value = None::<f64>;
        loop {
            let next = [self.knots.get(knot), timeline.steps.get(event)].into_iter().flatten().min().copied();
            let Some(step) = next else { break };
            let (is_knot, is_event) = (self.knots.get(knot) == Some(&step), timeline.steps.get(event) == Some(&step));
            if is_knot {
                held = Some(knot);
                knot += 1;
            }
            if is_event {
                value = Some(timeline.values[event]);
                event += 1;
            }
            let (Some(value), Some(at)) = (value, held) else { continue };
            let cells = at * self.lanes..(at + 1) * self.lanes;
            let values = &self.values[cells.clone()];
            let (counted, times) = match self.which {
                Distance::Paper if is_event => (&self.begun[cells], 1.0),
                Distance::Paper => (&self.events[cells], 1.0),
                Distance::Held => {
                    let after = [self.knots.get(knot), timeline.steps.get(event)].into_iter().flatten().min();
                    let end = after.copied().unwrap_or(self.scope.end).max(step);
                    (&self.begun[cells], f64::from(end - step))
                }
            };
            let lanes = sums.iter_mut().zip(weights.iter_mut()).zip(values.iter().zip(counted));
            for ((sum, weight), (other, counted)) in lanes {
                let apart = value - other;
                let counted = counted * times;
                *sum += counted * (apart * apart);
                *weight += counted;
            }
        }
        for (sum, weight) in sums.iter_mut().zip(weights.iter()) {
            *sum = if *weight > 0.0 { *sum / *weight } else { f64::INFINITY };
        }
        apart.truncate(self.lanes);
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "small whole numbers, which are exact")]
mod tests {
    use super::*;

    fn timeline(events: &[(u32, f64)]) -> Timeline {
        Timeline { steps: events.iter().map(|at| at.0).collect(), values: events.iter().map(|at| at.1).collect() }
    }

    fn apart(which: Distance, one: &[(u32, f64)], other: &[(u32, f64)]) -> f64 {
        distance(which, &(0..10), &timeline(one), &timeline(other))
    }

    #[test]
    fn gaps_are_held_and_steps_without_events_skipped() {
        // As in Figure 4: p at 0, 1, 3, 6; q at 1, 2, 6. At 0 there is no q yet; at 2 and 3 one holds its last value; 4 and 5
        // have no event of either.
        let (p, q) = ([(0, 9.0), (1, 4.0), (3, 7.0), (6, 1.0)], [(1, 2.0), (2, 5.0), (6, 3.0)]);
        let squares = [(4.0 - 2.0f64), (4.0 - 5.0), (7.0 - 5.0), (1.0 - 3.0)].map(|d| d * d);
        assert_eq!(apart(Distance::Paper, &p, &q), squares.iter().sum::<f64>() / 4.0);
        // Held: steps 1 to 9, each once. From 3 to 5 they are 7 and 5, from 6 to 9 they are 1 and 3.
        let held = (4.0 + 1.0 + 3.0 * 4.0 + 4.0 * 4.0) / 9.0;
        assert_eq!(apart(Distance::Held, &p, &q), held);
    }

    #[test]
    fn nothing_in_common_is_infinitely_far() {
        for which in [Distance::Paper, Distance::Held] {
            assert_eq!(apart(which, &[(0, 1.0)], &[]), f64::INFINITY);
            assert_eq!(apart(which, &[], &[]), f64::INFINITY);
            // The earlier one stands where it ended.
            assert_eq!(apart(which, &[(0, 1.0)], &[(5, 3.0)]), 4.0);
        }
    }

    #[test]
    fn several_at_once_are_as_far_as_each_alone() {
        let all = [
            timeline(&[(0, 1.0), (2, 5.0)]),
            timeline(&[(3, 2.0)]),
            timeline(&[(0, 0.0), (1, 9.0), (9, 4.0)]),
            timeline(&[]),
        ];
        let one = timeline(&[(1, 3.0), (2, 4.0), (7, 8.0)]);
        for which in [Distance::Paper, Distance::Held] {
            let mut together = Vec::new();
            Front::new(which, 0..10, &all).distances(&one, &mut together);
            let alone: Vec<f64> = all.iter().map(|other| distance(which, &(0..10), &one, other)).collect();
            assert_eq!(together, alone);
        }
    }
}
