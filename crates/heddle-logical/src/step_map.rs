//! Between steps and time: what a view of time shows when one of steps is moved, and the other way round.
//!
//! Steps overlap in time, so a window of steps begins with the earliest entry of any step from its first on, and ends with
//! the latest leave of any step up to its last. Both edges grow with the steps and are straight between whole ones, so that
//! views follow each other without jumping. Where nothing happens between two steps, an edge crosses the gap in a tenth of
//! a step.

use heddle_model::Ns;

use crate::tables::StepTable;

/// The part of a step in which an edge crosses a stretch of time without events.
const CROSSING: f64 = 0.1;

/// Places that an edge passes: step, time.
type Knots = Vec<(f64, i64)>;

/// Between steps and time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepMap {
    /// The edge where windows begin.
    begins: Knots,
    /// The edge where they end.
    ends: Knots,
}

impl StepMap {
    pub(crate) fn of(steps: &StepTable) -> StepMap {
        let first: Vec<i64> = steps.first_enter.iter(0..steps.len()).map(|time| time.0).collect();
        let last: Vec<i64> = steps.last_leave.iter(0..steps.len()).map(|time| time.0).collect();
        StepMap::from_times(first, &last)
    }

    /// From the first entry and the last leave of each step.
    fn from_times(mut first: Vec<i64>, last: &[i64]) -> StepMap {
        // An edge never goes back.
        for at in (1..first.len()).rev() {
            first[at - 1] = first[at - 1].min(first[at]);
        }
        let mut map = StepMap::default();
        let mut latest = first.first().copied().unwrap_or(0);
        for (step, (begin, end)) in first.iter().zip(last).enumerate() {
            let at = step as f64;
            if *begin > latest && step > 0 {
                map.begins.push((at - CROSSING, latest.max(first[step - 1])));
            }
            map.begins.push((at, *begin));
            map.ends.push((at, latest));
            if *begin > latest {
                map.ends.push((at + CROSSING, *begin));
            }
            latest = latest.max(*end);
        }
        map.begins.push((first.len() as f64, latest));
        map.ends.push((first.len() as f64, latest));
        map
    }

    /// The time in which some steps lie: from where the first begins to where the last ends.
    pub fn time_of(&self, steps: (f64, f64)) -> (Ns, Ns) {
        let begin = time_at(&self.begins, steps.0);
        (Ns(begin), Ns(time_at(&self.ends, steps.1).max(begin)))
    }

    /// The steps in a stretch of time: the way back of `time_of`, so that neither view moves the other on when people go
    /// from one to the other. In a stretch that is shorter than its steps, those that are under way.
    pub fn steps_of(&self, time: (Ns, Ns)) -> (f64, f64) {
        let (from, to) = (step_at(&self.begins, time.0.0), step_at(&self.ends, time.1.0));
        (from.min(to), from.max(to))
    }

    /// All steps that have events in a stretch of time, those that it cuts in part.
    pub fn steps_touching(&self, time: (Ns, Ns)) -> (f64, f64) {
        let (begins, ends) = (&self.begins, &self.ends);
        let from = step_at(begins, time.0.0).min(step_at(ends, time.0.0));
        (from, step_at(begins, time.1.0).max(step_at(ends, time.1.0)).max(from))
    }
}

fn time_at(knots: &Knots, step: f64) -> i64 {
    let after = knots.partition_point(|(at, _)| *at <= step);
    match (after.checked_sub(1).and_then(|before| knots.get(before)), knots.get(after)) {
        (Some(before), Some(after)) => {
            let part = (step - before.0) / (after.0 - before.0);
            before.1 + (after.1.wrapping_sub(before.1) as f64 * part).round() as i64
        }
        (Some(only), None) | (None, Some(only)) => only.1,
        (None, None) => 0,
    }
}

fn step_at(knots: &Knots, time: i64) -> f64 {
    let after = knots.partition_point(|(_, at)| *at < time);
    match (after.checked_sub(1).and_then(|before| knots.get(before)), knots.get(after)) {
        (Some(before), Some(after)) => {
            let part = time.wrapping_sub(before.1) as f64 / (after.1.wrapping_sub(before.1) as f64);
            before.0 + (after.0 - before.0) * part
        }
        (Some(only), None) | (None, Some(only)) => only.0,
        (None, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_steps_that_do_not_overlap_come_back() {
        let map = StepMap::from_times(vec![10, 100, 300], &[50, 250, 400]);
        for (steps, time) in [((0.0, 1.0), (10, 50)), ((1.0, 2.0), (100, 250)), ((0.0, 3.0), (10, 400))] {
            assert_eq!(map.time_of(steps), (Ns(time.0), Ns(time.1)));
            assert_eq!(map.steps_of((Ns(time.0), Ns(time.1))), steps);
        }
    }

    #[test]
    fn overlapping_steps_are_all_inside() {
        // Step 1 begins before step 0 ends, and step 0 lasts longer than all.
        let map = StepMap::from_times(vec![10, 40, 30], &[500, 60, 90]);
        assert_eq!(map.time_of((1.0, 2.0)), (Ns(30), Ns(500)));
        for (from, to) in [map.steps_of((Ns(45), Ns(46))), map.steps_touching((Ns(45), Ns(46)))] {
            assert!(from < 1.0 && to > 2.0, "{from} {to}");
        }
    }

    #[test]
    fn edges_never_jump_and_never_go_back() {
        let map = StepMap::from_times(vec![0, 20, 15, 200, 210], &[30, 40, 100, 205, 400]);
        let at = |step: i32| map.time_of((f64::from(step) / 1000.0, f64::from(step) / 1000.0 + 1.0));
        for step in 0..4000 {
            let (here, next) = (at(step), at(step + 1));
            assert!(here.0 <= next.0 && here.1 <= next.1, "{step}");
            assert!(next.0.0 - here.0.0 <= 3 && next.1.0 - here.1.0 <= 3, "{step}: {here:?} {next:?}");
        }
        for time in 0..400 {
            let (here, next) = (map.steps_of((Ns(time), Ns(time + 9))), map.steps_of((Ns(time + 1), Ns(time + 10))));
            assert!(here.0 <= next.0 && here.1 <= next.1 && here.0 <= here.1, "{time}");
        }
    }

    #[test]
    fn the_way_there_and_back_ends_where_it_began() {
        let map = StepMap::from_times(vec![0, 20, 15, 200, 210, 390], &[30, 40, 100, 205, 400, 500]);
        for from in 2..40 {
            let steps = (f64::from(from) / 8.0, f64::from(from) / 8.0 + 1.0);
            let (there, back) = (map.time_of(steps), map.steps_of(map.time_of(steps)));
            assert_eq!(map.time_of(back), there, "{steps:?} became {back:?}");
        }
    }

    #[test]
    fn nothing_is_no_trouble() {
        let map = StepMap::from_times(Vec::new(), &[]);
        assert_eq!(map.time_of((0.0, 1.0)), (Ns(0), Ns(0)));
        assert_eq!(map.steps_of((Ns(0), Ns(5))), (0.0, 0.0));
    }
}
