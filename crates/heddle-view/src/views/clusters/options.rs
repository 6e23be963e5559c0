//! What is shown of clusters.

use heddle_options::{Count, Kind, OptionValue, Written, options};

options! {
    /// What is shown of clusters.
    pub(crate) struct ClusterViewOptions {
        /// How many messages away from the rank in focus ranks are shown beside it
        "radius" ("Radius") radius: Count<0, 20> = Count(1),
        /// The rank in focus: a number, or of the selected cluster, else of all, the rank with the largest value (max) or the one that stands for it (medoid)
        "focus" ("Focus") focus: Focus = Focus::Max,
        /// Clusters that are open, by number; by default those above the groups that stand out
        "open" ("Open clusters") open: OpenNodes = OpenNodes(None),
        /// Show which part of a cluster does nothing at a step; without it all boxes are filled
        "idle" ("Idle part") idle: bool = true,
    }
}

/// Which rank is in focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    /// The one with the largest value.
    Max,
    /// The one that stands for the cluster.
    Medoid,
    /// This one.
    Rank(u32),
}

impl OptionValue for Focus {
    fn kind() -> Kind {
        Kind::Text { longest: 10, value_name: "RANK|max|medoid" }
    }

    fn read(text: &str, _written: Written) -> Result<Focus, String> {
        match text {
            "max" => Ok(Focus::Max),
            "medoid" => Ok(Focus::Medoid),
            text => text.parse().map(Focus::Rank).map_err(|_| "must be max, medoid or the number of a rank".to_owned()),
        }
    }

    fn write(&self) -> String {
        match self {
            Focus::Max => "max".to_owned(),
            Focus::Medoid => "medoid".to_owned(),
            Focus::Rank(rank) => rank.to_string(),
        }
    }
}

/// Nodes of the hierarchy that are open; none for those that usually are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenNodes(pub(crate) Option<Vec<u32>>);

impl OptionValue for OpenNodes {
    fn kind() -> Kind {
        Kind::Text { longest: 4_000, value_name: "NODES" }
    }

    fn read(text: &str, _written: Written) -> Result<OpenNodes, String> {
        match text {
            "" => Ok(OpenNodes(None)),
            "none" => Ok(OpenNodes(Some(Vec::new()))),
            text => {
                let nodes: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
                nodes.map(|nodes| OpenNodes(Some(nodes))).map_err(|_| "must be numbers of clusters, or none".to_owned())
            }
        }
    }

    fn write(&self) -> String {
        match &self.0 {
            None => String::new(),
            Some(nodes) if nodes.is_empty() => "none".to_owned(),
            Some(nodes) => nodes.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
        }
    }
}
