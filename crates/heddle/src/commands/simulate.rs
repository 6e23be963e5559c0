//! `heddle simulate`: writes a synthetic trace as a store or an OTF2 archive.

use std::io::Write;
use std::path::{Path, PathBuf};

use heddle_simulate::SimulateError;
use heddle_store::store_simulation;

use super::write_trace::{TraceFormat, TraceOutput};
use super::{Usage, use_threads};
use crate::programs::SimulateCommand;
use crate::progress::TerminalProgress;
use crate::text::{grouped, harmless_json, write_path};

pub(super) fn run(command: &SimulateCommand) -> anyhow::Result<()> {
    let simulated = command.simulated();
    let args = simulated.output();
    use_threads(&args.machine)?;
    let target = Target::of(&args.output)?;
    if !args.force {
        target.check_free()?;
    }
    let simulation = simulated.simulate().map_err(|error| match error.downcast::<SimulateError>() {
        Ok(error) => Usage(error.to_string()).into(),
        Err(error) => error,
    })?;
    let events = match &target {
        Target::Store { path, name } => {
            let progress = TerminalProgress::new();
            store_simulation(&*simulation, name, path, args.machine.memory(), &progress)?.summary().events
        }
        Target::Otf2(archive) => {
            if !simulation.definitions().workers.is_empty() {
                eprintln!("an OTF2 archive keeps when tasks ran, but neither their numbers nor what they waited for");
            }
            archive.write(&*simulation, args.machine.memory())?
        }
    };
    let ranks = simulation.definitions().ranks() as u64;
    if args.json {
        let told = serde_json::json!({ "output": args.output.to_string_lossy(), "events": events, "ranks": ranks });
        return Ok(writeln!(std::io::stdout(), "{}", harmless_json(&told.to_string()))?);
    }
    eprintln!("{} events of {} ranks", grouped(events), grouped(ranks));
    Ok(write_path(&mut std::io::stdout(), &args.output)?)
}

/// What to write, told from the name's ending.
enum Target {
    Store { path: PathBuf, name: String },
    Otf2(TraceOutput),
}

impl Target {
    fn of(output: &Path) -> anyhow::Result<Target> {
        let file = output.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match file.rsplit_once('.') {
            Some((name, "otf2")) if !name.is_empty() => Ok(Target::Otf2(TraceOutput::of(output, TraceFormat::Otf2)?)),
            Some((name, "heddle")) if !name.is_empty() => {
                Ok(Target::Store { path: output.to_owned(), name: name.to_owned() })
            }
            _ => Err(Usage(format!(
                "-o {}: the name must end in .otf2 for an OTF2 archive or in .heddle for a store",
                output.display()
            ))
            .into()),
        }
    }

    fn check_free(&self) -> anyhow::Result<()> {
        match self {
            Target::Store { path, .. } if path.exists() => {
                Err(Usage(format!("{} already exists; --force replaces it", path.display())).into())
            }
            Target::Store { .. } => Ok(()),
            Target::Otf2(archive) => Ok(archive.check_free()?),
        }
    }
}
