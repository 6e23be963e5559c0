//! Suspects, from what is slow.

use heddle_model::{LocationId, Ns, RegionId, SystemNodeId};

use super::blame::Slow;
use super::pairs::Score;
use super::usual::median;
use crate::rows::Rows;
use crate::suspect::{Group, Place, Suspect};

impl Slow {
    /// Who it is and since when, without what to take away.
    pub(super) fn suspect(&self, rows: &Rows<'_>) -> Suspect {
        let location = |row: u32| rows.locations[row as usize];
        let mut pairs: Vec<(LocationId, LocationId)> =
            self.scores.iter().map(|score| (location(score.from), location(score.to))).collect();
        pairs.sort_unstable();
        let mut locations: Vec<LocationId> = if self.ranks.is_empty() {
            pairs.iter().flat_map(|(from, to)| [*from, *to]).collect()
        } else {
            self.ranks.iter().map(|row| location(*row)).collect()
        };
        locations.sort_unstable();
        locations.dedup();
        // Those of a typical pair, so that what is said of one message holds together.
        let ratio = median(&mut self.scores.iter().map(|score| score.ratio).collect::<Vec<_>>()).unwrap_or(0.0);
        let typical = self.scores.iter().min_by(|a, b| (a.ratio - ratio).abs().total_cmp(&(b.ratio - ratio).abs()));
        let (since, until, is_throughout) = self.stretch(rows);
        let sum = |value: fn(&Score) -> u32| self.scores.iter().map(|score| u64::from(value(score))).sum();
        Suspect {
            kind: self.kind,
            locations,
            group: self.node.map(|node| Group::Node(SystemNodeId(node))),
            pairs,
            place: Place { region: typical.map_or(RegionId::NONE, |score| score.region), before: None },
            since,
            until,
            is_throughout,
            usual: typical.map_or(0.0, |score| score.usual),
            found: typical.map_or(0.0, |score| score.found),
            visits: sum(|score| score.messages),
            slow_visits: sum(|score| score.slow),
            z: self.z,
            period: None,
            cuts: Vec::new(),
        }
    }

    /// What all its messages took too long, in nanoseconds.
    pub(super) fn excess(&self) -> f64 {
        self.scores.iter().map(|score| score.excess).sum()
    }

    /// Whether most pairs are slow all the time.
    pub(super) fn is_throughout(&self) -> bool {
        self.scores.iter().filter(|score| score.stretch.is_some()).count() * 2 <= self.scores.len()
    }

    /// From when until when: the middle of what the pairs say, if most of them say that it is not the whole run.
    fn stretch(&self, rows: &Rows<'_>) -> (Ns, Ns, bool) {
        let stretches: Vec<(i64, i64)> = self.scores.iter().filter_map(|score| score.stretch).collect();
        if self.is_throughout() {
            return (rows.run.0, rows.run.1, true);
        }
        let middle = |value: fn(&(i64, i64)) -> i64| {
            let mut values: Vec<i64> = stretches.iter().map(value).collect();
            values.sort_unstable();
            values[values.len() / 2]
        };
        (Ns(middle(|stretch| stretch.0)), Ns(middle(|stretch| stretch.1)), false)
    }
}
