//! What is known of a cluster of ranks.

use heddle_model::Ns;
use heddle_store::Store;

use super::{Details, Fact};
use crate::analyses::ClusterData;
use crate::questions::target::Target;
use crate::request::selection::Selection;
use crate::request::window::{RankSet, row_name};
use crate::scene::ticks::grouped;
use crate::views::valued::value_text;

/// A selection is a text in an address: longer lists of ranks lead nowhere.
const LONGEST_LIST: usize = 2_000;

/// A cluster of ranks, by its number; none if there is no such cluster.
pub fn cluster_details(store: &Store, data: &ClusterData, node: u32) -> Option<Details> {
    let (clusters, logical, values) = (&data.clusters, &data.logical.logical, &data.logical.values);
    let tree = clusters.tree();
    if node >= tree.nodes() {
        return None;
    }
    let rank_name = |row: u32| row_name(store, logical.rows.location.get(u64::from(row)));
    let metric = values.metric();
    let rows = clusters.rows_of(node);
    let mut details = Details::new(Selection::Cluster(node));
    details.title = name(data, store, node);
    let steps = clusters.scope().steps(logical);
    details.steps = Some((steps.start, steps.end));
    let time = logical.step_map().time_of((f64::from(steps.start), f64::from(steps.end)));
    details.time = Some(time);
    let ranks: RankSet = rows
        .iter()
        .filter_map(|row| store.locations.rank.get(u64::from(logical.rows.location.get(u64::from(*row)).0)).some())
        .map(|rank| rank.0)
        .collect();
    let text = ranks.to_string();
    let members = Fact::plain("Members", shortened(&text));
    let leads = text.len() <= LONGEST_LIST;
    details.facts.push(if leads { Fact { select: Some(Selection::Ranks(ranks)), ..members } } else { members });
    if let Some((value, row, step)) = clusters.largest(node) {
        let value = value_text(store, metric, value);
        let text = format!("{value}: {}, step {}", rank_name(row), grouped(u64::from(step)));
        let location = logical.rows.location.get(u64::from(row));
        let rank = store.locations.rank.get(u64::from(location.0));
        let fact = Fact::plain("Largest value", text);
        let select = rank.is_some().then_some(Selection::Event { rank: rank.0, step });
        details.facts.push(Fact { select, ..fact });
    }
    if rows.len() > 1 {
        if let Some(medoid) = clusters.medoid(logical, values, node) {
            details.facts.push(Fact::plain("Medoid", format!("{}: stands for the others", rank_name(medoid))));
        }
        let spread = value_text(store, metric, clusters.spread(node));
        details.facts.push(Fact::plain("Spread", format!("a member is {spread} from its medoid on average")));
    }
    match tree.distance_to_next(node) {
        Some(apart) if apart.is_finite() => {
            let apart = value_text(store, metric, apart.sqrt());
            details.facts.push(Fact::plain("Next cluster", format!("{apart} away")));
        }
        Some(_) => details.facts.push(Fact::plain("Next cluster", "nothing to compare it by".to_owned())),
        None => {}
    }
    let target = |node: u32| target(data, store, node, time);
    details.parent = tree.parent(node).map(target);
    details.child = tree.merge(node).map(|merge| target(merge.children[0]));
    let siblings = tree.parent(node).and_then(|parent| tree.merge(parent)).map(|merge| merge.children);
    if let Some([first, second]) = siblings {
        if second == node {
            details.previous = Some(target(first));
        } else {
            details.next = Some(target(second));
        }
    }
    Some(details)
}

fn target(data: &ClusterData, store: &Store, node: u32, (start, end): (Ns, Ns)) -> Target {
    Target { select: Selection::Cluster(node), start, end, row: None, label: name(data, store, node) }
}

/// What people call a cluster.
fn name(data: &ClusterData, store: &Store, node: u32) -> String {
    let rows = data.clusters.size(node);
    match data.clusters.rows_of(node).first() {
        Some(row) if rows == 1 => {
            let name = row_name(store, data.logical.logical.rows.location.get(u64::from(*row)));
            format!("Cluster of {name} alone")
        }
        _ => format!("Cluster of {} ranks", grouped(u64::from(rows))),
    }
}

/// The beginning of a list of ranges, and how many more there are.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 6;
    let ranges: Vec<&str> = text.split(',').collect();
    let more = ranges.len().saturating_sub(SHOWN);
    let shown = ranges[..ranges.len().min(SHOWN)].join(", ");
    if more > 0 { format!("{shown} and {} more ranges", grouped(more as u64)) } else { shown }
}
