//! Which rank stands for a cluster, and how far the others are from it.

use heddle_logical::cluster::distance;
use rayon::prelude::*;
use serde::Serialize;

use super::members::{Everyone, rank_of};
use super::{Asked, Group, Value};
use crate::scene::ticks::grouped;

/// Members whose distances are taken where the clusters do not know them.
const SAMPLED: usize = 512;

/// The rank that stands for a cluster.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Medoid {
    /// Which.
    pub rank: u32,
    /// How far the others are from it on average: the root of the mean of squares. None if it cannot be compared with any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Value>,
    /// How far the next cluster is, in the same way; none if there is none, or it has no step in common.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Value>,
    /// In words.
    pub sentences: Vec<String>,
}

pub(super) fn medoid(asked: &Asked, everyone: &Everyone, group: &Group) -> Option<Medoid> {
    let (clusters, logical, values) = (asked.clusters, &asked.data.logical, &asked.data.values);
    let row = clusters.medoid(logical, values, asked.node).filter(|_| group.size > 0)?;
    let rank = rank_of(asked.store, logical, row);
    let spread = (group.size > 1).then(|| spread(asked, everyone, group, row)).flatten();
    let joins_at = clusters.tree().distance_to_next(asked.node);
    let next = joins_at.and_then(|height| asked.value(height.sqrt()));
    let mut sentences = Vec::new();
    if group.size > 1 {
        let stands = format!(
            "Rank {} stands for it: the medoid, the rank that the others are nearest to",
            grouped(u64::from(rank))
        );
        sentences.push(match &spread {
            Some(spread) if spread.value > 0.0 => {
                format!("{stands}; on average a member is {} from it.", spread.text)
            }
            Some(_) => format!("{stands}; they do not differ from it at all."),
            None => format!("{stands}."),
        });
    }
    sentences.extend(match (joins_at, &next) {
        (_, Some(next)) => Some(format!("The next cluster is {} away.", next.text)),
        (Some(_), None) => Some(
            "It cannot be compared with the next cluster: there is no step at which values of both are known."
                .to_owned(),
        ),
        (None, _) => None,
    });
    Some(Medoid { rank, spread, next, sentences })
}

/// The root of the mean of squared distances to a row.
fn spread(asked: &Asked, everyone: &Everyone, group: &Group, medoid: u32) -> Option<Value> {
    let (clusters, logical, values) = (asked.clusters, &asked.data.logical, &asked.data.values);
    let middle = clusters.timeline(logical, values, medoid);
    if middle.is_empty() {
        return None;
    }
    if clusters.tree().merge(asked.node).is_none() {
        return asked.value(clusters.spread(asked.node));
    }
    // A joint knows only how far ranks are from the medoids of its leaves.
    let scope = clusters.scope().steps(logical);
    let rows: Vec<u32> =
        everyone.rows.iter().zip(&group.is_member).filter(|(_, is)| **is).map(|(row, _)| *row).collect();
    let some: Vec<u32> = rows.iter().step_by(rows.len().div_ceil(SAMPLED).max(1)).copied().collect();
    let squares: Vec<f64> = some
        .par_iter()
        .map(|row| distance(clusters.options().distance, &scope, &middle, &clusters.timeline(logical, values, *row)))
        .filter(|apart| apart.is_finite())
        .collect();
    asked.value((squares.iter().sum::<f64>() / squares.len() as f64).sqrt())
}
