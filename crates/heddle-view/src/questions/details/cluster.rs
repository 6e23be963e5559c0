//! What is known of a cluster of ranks.

use heddle_model::Ns;
use heddle_store::Store;

use super::{Courses, Details, Fact};
use crate::analyses::ClusterData;
use crate::questions::cluster::{WhoKind, about_cluster};
use crate::questions::target::Target;
use crate::request::selection::Selection;
use crate::request::window::row_name;
use crate::scene::ticks::grouped;
use crate::views::valued::value_text;

/// A cluster of ranks, by its number, beside those that are shown; none if there is no such cluster.
pub fn cluster_details(store: &Store, data: &ClusterData, node: u32, shown: &[u32]) -> Option<Details> {
    let (clusters, logical) = (&data.clusters, &data.logical.logical);
    let tree = clusters.tree();
    if node >= tree.nodes() {
        return None;
    }
    let about = about_cluster(store, &data.logical, clusters, node, shown);
    let mut details = Details::new(Selection::Cluster(node));
    details.title = name(data, store, node);
    let steps = clusters.scope().steps(logical);
    details.steps = Some((steps.start, steps.end));
    let time = logical.step_map().time_of((f64::from(steps.start), f64::from(steps.end)));
    details.time = Some(time);
    let ranks = about.ranks.as_ref().and_then(|ranks| ranks.parse().ok()).map(Selection::Ranks);
    details.facts.push(Fact { select: ranks, ..Fact::plain("Members", about.members.clone()) });
    if about.who.kind != WhoKind::None && about.size > 1 {
        details.facts.push(Fact::plain("These are", about.who.text.clone()));
    }
    details.facts.push(Fact::plain("Of these", about.roles.text.clone()));
    if let Some(largest) = &about.apart.largest {
        let text = format!(
            "{}: rank {}, step {}",
            largest.value.text,
            grouped(largest.rank.into()),
            grouped(largest.step.into())
        );
        let select = Some(Selection::Event { rank: largest.rank, step: largest.step });
        details.facts.push(Fact { select, ..Fact::plain("Largest", text) });
    }
    if let Some(medoid) = &about.medoid {
        details.facts.push(Fact::plain("Medoid", format!("rank {}", grouped(medoid.rank.into()))));
        details.facts.extend(medoid.next.iter().map(|next| Fact::plain("Next cluster", format!("{} away", next.text))));
    }
    let known = about.courses.iter().flat_map(|course| course.points.iter().flatten());
    let largest =
        known.copied().fold(None, |most: Option<f64>, point| Some(most.map_or(point, |most| most.max(point))));
    details.courses = Some(Courses {
        title: about.metric.clone(),
        lines: about.courses,
        steps: about.course_steps,
        largest: largest.map(|largest| value_text(store, clusters.metric(), largest)),
    });
    details.sentences = about.sentences;
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
