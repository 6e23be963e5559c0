//! Clusters of ranks that behave alike: thousands of timelines become a few rows that can be opened (Isaacs 2014, section 3.3).
//!
//! Two stages. Timelines are first gathered around **medoids** ([`clara`]): a medoid is the rank of a cluster that the others
//! are nearest to, so it stands for them. Then the clusters are joined two by two into a hierarchy ([`linkage`]), which a
//! reader opens as far as it takes.

mod clara;
mod clusters;
mod distance;
mod fold;
mod linkage;
mod pam;
mod phases;
mod scope;
mod tables;
mod timeline;
mod totals;
mod tree;

#[cfg(test)]
mod tests;

use heddle_options::{Count, options};

pub use clusters::{Clusters, Leaf};
pub use distance::{Distance, distance};
pub use phases::{Member, MemberList};
pub use scope::{Scope, ScopeChoice};
pub use timeline::{Timeline, Timelines};
pub use totals::{StepTotals, Total};
pub use tree::{Merge, Tree};

options! {
    /// What decides clusters. The same options give the same result.
    pub struct ClusterOptions {
        /// Whose ranks are clustered: run, phase:N or steps:A:B; by default the phase with the largest value if it has several steps and at least half of the ranks, else the run
        "scope" ("Clusters of") scope: ScopeChoice = ScopeChoice::Usual,
        /// How ranks are compared: at the steps where one of the two has an event (paper), or at all steps, holding the last value (held)
        "distance" ("Distance") distance: Distance = Distance::Paper,
        /// Clusters at most, before they are joined into a hierarchy
        "clusters" ("Clusters at most") clusters: Count<1, 200> = Count(20),
        /// Samples of ranks in which medoids are looked for; the best is kept
        "samples" ("Samples") samples: Count<1, 100> = Count(5),
        /// What the samples are drawn by: the same seed gives the same clusters
        "seed" ("Seed") seed: Count<0, 1_000_000> = Count(1),
    }
}
