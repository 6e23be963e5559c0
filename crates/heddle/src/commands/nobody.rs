//! Ranks that do nothing: what a pattern of messages is drawn of where there is no trace.

use heddle_model::{
    Definitions, Location, LocationId, LocationKind, Part, Rank, RecordBlock, Source, SourceError, SystemNode,
    SystemNodeId, Warnings,
};
use heddle_network::{Machine, NetworkOptions};
use heddle_options::Given;
use heddle_store::{NoProgress, Store, store_simulation};

use super::Usage;
use crate::args::StoreArgs;

/// Ranks without records.
struct Nobody {
    definitions: Definitions,
    warnings: Warnings,
}

impl Nobody {
    fn new(ranks: u32) -> Nobody {
        let process = |rank: u32| SystemNode {
            name: format!("rank {rank}").into(),
            class: SystemNode::PROCESS.into(),
            parent: None,
        };
        let location = |rank: u32| Location {
            file_id: u64::from(rank),
            name: format!("rank {rank}").into(),
            kind: LocationKind::CpuThread,
            parent: Some(SystemNodeId(rank)),
            rank: Rank(rank),
        };
        let definitions = Definitions {
            system_tree: (0..ranks).map(process).collect(),
            locations: (0..ranks).map(location).collect(),
            world: (0..ranks).map(LocationId).collect(),
            ..Definitions::default()
        };
        Nobody { definitions, warnings: Warnings::default() }
    }
}

impl Source for Nobody {
    fn format(&self) -> &'static str {
        "pattern"
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &[]
    }

    fn read(&self, _part: &Part, _out: &mut RecordBlock) -> Result<(), SourceError> {
        Ok(())
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}

/// A store with as many ranks as the smallest of these machines has seats, for a pattern without a trace. The folder goes when it is
/// dropped.
pub(super) fn store(machines: &[Given], args: &StoreArgs) -> anyhow::Result<(tempfile::TempDir, Store)> {
    let (mut ranks, mut pattern) = (u64::MAX, String::new());
    for options in machines {
        let network: NetworkOptions = options.read().map_err(Usage::from)?;
        if network.pattern.trim().is_empty() {
            return Err(Usage("which trace? Only a --pattern is shown without one".to_owned()).into());
        }
        let shape = Machine::shape_of(&network, options).map_err(|error| Usage(format!("--{error}")))?;
        let Some(shape) = shape else {
            return Err(Usage("a --pattern without a trace needs a --topology".to_owned()).into());
        };
        ranks = ranks.min(u64::from(shape.hosts()) * u64::from(network.ranks_per_node.0.max(1)));
        pattern = network.pattern;
    }
    let ranks = u32::try_from(ranks).map_err(|_| Usage("--ranks-per-node: that is too many ranks".to_owned()))?;
    let folder = tempfile::tempdir()?;
    let target = folder.path().join("pattern.heddle");
    let store = store_simulation(&Nobody::new(ranks), &pattern, &target, args.machine.memory(), &NoProgress)?;
    Ok((folder, store))
}
