//! Options that decide how far nodes have come and which of them are a group: the same for every command that shows it.

use heddle_options::{OptionSpec, Options};
use heddle_store::{Progress, Store};
use heddle_tasks::{GroupOptions, Groups, ProgressOptions, Progression};
use heddle_view::{Analysis, AnalysisKind};

use crate::commands::Usage;
use crate::option_args::{OptionArgs, OptionGroup};

/// Options of progression.
#[derive(Clone, Copy)]
pub(crate) struct ProgressGroup;

impl OptionGroup for ProgressGroup {
    const HEADING: &'static str = "Options of progression";

    fn specs() -> Vec<OptionSpec> {
        ProgressOptions::specs().into_iter().chain(GroupOptions::specs()).collect()
    }
}

pub(crate) type ProgressArgs = OptionArgs<ProgressGroup>;

impl ProgressArgs {
    /// The progression of a trace, and its groups.
    pub(crate) fn open(
        &self,
        store: &Store,
        progress: &dyn Progress,
    ) -> anyhow::Result<(std::sync::Arc<Progression>, Groups)> {
        let need = AnalysisKind::Progress.need(store, &self.options).map_err(Usage::from)?;
        if let Some(why) = need.impossible(store) {
            anyhow::bail!("{}: {why}", store.name());
        }
        let Analysis::Progress(progression, _) = need.open(store, [], progress)? else {
            anyhow::bail!("no progression came of it");
        };
        let groups = Groups::of(&progression, &self.options.read::<GroupOptions>().map_err(Usage::from)?);
        Ok((progression, groups))
    }
}
