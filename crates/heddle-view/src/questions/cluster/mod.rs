//! A cluster of ranks in words: who its members are, what sets them apart from the others, and which rank stands for them.
//!
//! Everything that is said follows from numbers, which are said too. A set without a pattern gets no name.

mod apart;
mod courses;
mod lists;
mod medoid;
mod members;
mod partners;
mod places;
mod receivers;
mod roles;
mod tree;
mod who;

use heddle_logical::Metric;
use heddle_logical::cluster::Clusters;
use heddle_store::Store;
use serde::Serialize;

use crate::analyses::LogicalData;
use crate::questions::findings::LONGEST_FILTER;
use crate::request::window::RankSet;
use crate::scene::ticks::grouped;
use crate::views::valued::value_text;
pub use apart::{Apart, LargestValue, Mostly, Stretch};
use courses::Courses;
pub use courses::{Course, CourseSteps};
use lists::list;
pub use medoid::Medoid;
use members::Everyone;
use partners::Partners;
use receivers::Others;
pub use receivers::ReceivesFrom;
pub use roles::{Roles, TreeRoles};
use who::Group;
pub use who::{Who, WhoKind};

/// Pieces of a list of ranks that are written out.
const LISTED: usize = 3;

/// A value of the metric, as a number and in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Value {
    /// In nanoseconds, or in the counter's unit. Always a number.
    pub value: f64,
    /// With its unit.
    pub text: String,
}

/// What there is to say about a cluster.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClusterAbout {
    /// Which node of the hierarchy.
    pub node: u32,
    /// How many ranks it has.
    pub size: u32,
    /// Of how many that take part.
    pub of: u64,
    /// Its ranks, shortened: `8,193–8,255, 8,321–8,383 and 3 more`.
    pub members: String,
    /// All of them as a filter, unless it would be too long to pass on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<String>,
    /// What they share.
    pub who: Who,
    /// The shown cluster whose receivers they are; none if they are those of none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receives_from: Option<ReceivesFrom>,
    /// How many of them send, receive, gather.
    pub roles: Roles,
    /// The metric that they were compared by, as people call it. Hostile text.
    pub metric: String,
    /// What sets them apart.
    pub apart: Apart,
    /// Which rank stands for them; none if there are no ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub medoid: Option<Medoid>,
    /// The mean along the steps, of this cluster and of the others that are shown.
    pub courses: Vec<Course>,
    /// The steps that the points of these stand for.
    pub course_steps: CourseSteps,
    /// All of it in sentences.
    pub sentences: Vec<String>,
}

/// What everything here is looked up in.
struct Asked<'a> {
    store: &'a Store,
    data: &'a LogicalData,
    clusters: &'a Clusters,
    node: u32,
}

impl Asked<'_> {
    fn metric(&self) -> Metric {
        self.clusters.metric()
    }

    /// A value in words; none if it is not a number.
    fn value(&self, value: f64) -> Option<Value> {
        value.is_finite().then(|| Value { value, text: value_text(self.store, self.metric(), value) })
    }

    /// The metric as it stands in a sentence: `lateness`; names of counters as they are.
    fn metric_in_words(&self) -> String {
        let title = self.metric().title(self.store);
        if self.metric().is_time() { title.to_lowercase() } else { title }
    }
}

/// What there is to say about a node of the hierarchy, beside others that are shown (itself may be among them).
pub fn about_cluster(store: &Store, data: &LogicalData, clusters: &Clusters, node: u32, shown: &[u32]) -> ClusterAbout {
    let asked = Asked { store, data, clusters, node };
    let everyone = Everyone::of(store, &data.logical, clusters);
    let mut is_below = vec![false; clusters.leaves().len()];
    for leaf in clusters.tree().leaves_of(node) {
        is_below[leaf as usize] = true;
    }
    let is_member: Vec<bool> = everyone.leaves.iter().map(|leaf| is_below[*leaf as usize]).collect();
    let group = Group::new(&everyone.ranks, is_member);
    let others = Others::of(&asked, &everyone, &is_below, shown);
    let partners = Partners::of(store, &data.logical, clusters.scope(), &everyone, others.groups());
    let hypotheses = places::hypotheses(store, &data.logical, &everyone, &partners, group.size);
    let who = who::who(&group, &hypotheses);
    let receives_from = others.received_by(&group, &partners, &hypotheses);
    let courses = Courses::of(&asked, &is_below, shown);
    let apart = apart::apart(&asked, &everyone, &group, &courses);
    let medoid = medoid::medoid(&asked, &everyone, &group);
    let roles = roles::roles(&asked, &everyone, &group, &partners);
    let ranks: Vec<u32> =
        everyone.ranks.iter().zip(&group.is_member).filter(|(_, is)| **is).map(|(at, _)| *at).collect();
    let filter = ranks.iter().copied().collect::<RankSet>().to_string();
    let members = list(ranks, LISTED);
    let mut sentences = vec![opening(&who, &members, group.size, everyone.ranks.len())];
    sentences.extend(receives_from.iter().map(|from| format!("They are {}.", from.text)));
    sentences.extend(apart.sentences.iter().cloned());
    sentences.extend(medoid.iter().flat_map(|medoid| medoid.sentences.iter().cloned()));
    ClusterAbout {
        node,
        size: group.size as u32,
        of: everyone.ranks.len() as u64,
        members,
        ranks: (!filter.is_empty() && filter.len() <= LONGEST_FILTER).then_some(filter),
        who,
        receives_from,
        roles,
        metric: asked.metric().title(store),
        apart,
        medoid,
        courses: courses.shown,
        course_steps: courses.steps,
        sentences,
    }
}

/// Who it is about.
fn opening(who: &Who, members: &str, size: usize, all: usize) -> String {
    let count = grouped(size as u64);
    match who.kind {
        _ if size == 0 => "No rank of this cluster has an event here.".to_owned(),
        // Too few to have a pattern or not.
        WhoKind::None if size <= LISTED + 1 => format!("Ranks {members}."),
        WhoKind::None => format!("{count} of {} ranks, with no pattern in their numbers.", grouped(all as u64)),
        _ => {
            let mut letters = who.text.chars();
            let text: String =
                letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
            format!("{text}.")
        }
    }
}
