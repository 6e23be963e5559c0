//! The tables of progression.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Float64Array, UInt32Array};

use heddle_tasks::{Groups, Progression};

use super::tables::{Column, Exported, times};

/// How far nodes had come, with the group of each.
pub(super) struct Progressed<'a> {
    progression: &'a Progression,
    /// By instant, then node: number of the group, 1 for the slowest.
    groups: Vec<Vec<u32>>,
    cumulative: Vec<f64>,
}

impl<'a> Progressed<'a> {
    pub(super) fn of(progression: &'a Progression, groups: &Groups) -> Progressed<'a> {
        let of_instant = |modes: &heddle_tasks::Modes| {
            let mut of_node = vec![0; progression.nodes.len()];
            for (number, cluster) in (1..).zip(&modes.clusters) {
                cluster.members.iter().for_each(|node| of_node[*node as usize] = number);
            }
            of_node
        };
        Progressed {
            progression,
            groups: groups.at.iter().map(of_instant).collect(),
            cumulative: progression.bounds.cumulative(),
        }
    }

    pub(super) fn instants(&self) -> u64 {
        self.progression.times.len() as u64
    }

    /// One for each node at each instant.
    pub(super) fn rows(&self) -> u64 {
        self.instants() * self.progression.nodes.len() as u64
    }
}

/// How far each node had come, node by node.
pub(super) fn progress(from: &Exported, rows: Range<u64>) -> Vec<Column> {
    let Some(from) = from.progress else { return Vec::new() };
    let progression = from.progression;
    let place = |row: u64| ((row / from.instants()) as usize, (row % from.instants()) as usize);
    let places = || rows.clone().map(place);
    vec![
        ("node", Arc::new(places().map(|(node, _)| progression.nodes[node]).collect::<UInt32Array>())),
        ("step", Arc::new(places().map(|(_, instant)| instant as u32).collect::<UInt32Array>())),
        ("time_ns", times(places().map(|(_, instant)| progression.times[instant]))),
        ("progress", Arc::new(places().map(|(node, at)| progression.line(node)[at]).collect::<Float64Array>())),
        ("group", Arc::new(places().map(|(node, instant)| from.groups[instant][node]).collect::<UInt32Array>())),
    ]
}

/// Lower bounds: at each instant that of the step before it, and the sum of all up to there.
pub(super) fn bounds(from: &Exported, rows: Range<u64>) -> Vec<Column> {
    let Some(from) = from.progress else { return Vec::new() };
    let progression = from.progression;
    let instants = || rows.clone().map(|row| row as usize);
    let of_step = |instant: usize| instant.checked_sub(1).map_or(0.0, |step| progression.bounds.steps[step]);
    vec![
        ("step", Arc::new(instants().map(|instant| instant as u32).collect::<UInt32Array>())),
        ("time_ns", times(instants().map(|instant| progression.times[instant]))),
        ("bound_ns", Arc::new(instants().map(of_step).collect::<Float64Array>())),
        ("cumulative_ns", Arc::new(instants().map(|instant| from.cumulative[instant]).collect::<Float64Array>())),
        ("progress", Arc::new(instants().map(|instant| progression.pooled[instant]).collect::<Float64Array>())),
    ]
}
