//! Options of views and analyses as arguments of the command line, made from their descriptions.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use heddle_options::{Given, Kind, OptionError, OptionSpec, Written};

use crate::commands::Usage;

/// Options that several commands take together.
pub(crate) trait OptionGroup {
    /// What they stand below in the help.
    const HEADING: &'static str;

    /// All of them.
    fn specs() -> Vec<OptionSpec>;
}

/// The options of a group as they were given.
pub(crate) struct OptionArgs<G> {
    pub(crate) options: Given,
    group: PhantomData<G>,
}

impl<G> OptionArgs<G> {
    /// These options.
    pub(crate) fn new(options: Given) -> OptionArgs<G> {
        OptionArgs { options, group: PhantomData }
    }
}

impl<G: OptionGroup> OptionArgs<G> {
    /// The first option that was given, as it was typed: `--leap-merge`.
    pub(crate) fn given(&self) -> Option<String> {
        let first = self.options.first()?;
        G::specs().iter().find(|spec| spec.name == first).map(|spec| format!("--{}", spec.flag()))
    }
}

impl<G> Clone for OptionArgs<G> {
    fn clone(&self) -> OptionArgs<G> {
        OptionArgs::new(self.options.clone())
    }
}

impl<G> fmt::Debug for OptionArgs<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.options.fmt(f)
    }
}

impl<G: OptionGroup> Args for OptionArgs<G> {
    fn augment_args(command: Command) -> Command {
        command.args(arguments(&G::specs(), G::HEADING))
    }

    fn augment_args_for_update(command: Command) -> Command {
        OptionArgs::<G>::augment_args(command)
    }
}

impl<G: OptionGroup> FromArgMatches for OptionArgs<G> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<OptionArgs<G>, clap::Error> {
        Ok(OptionArgs::new(given(&G::specs(), matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = OptionArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// An argument for each option.
pub(crate) fn arguments(specs: &[OptionSpec], heading: &'static str) -> Vec<Arg> {
    specs.iter().map(|spec| argument(spec).help_heading(heading)).collect()
}

fn argument(spec: &OptionSpec) -> Arg {
    let arg = Arg::new(spec.name).long(spec.flag());
    if spec.kind == Kind::Switch {
        return arg.action(ArgAction::SetTrue).help(switch_help(spec));
    }
    let checked = spec.clone();
    let default = if spec.default.is_empty() { String::new() } else { format!(" [default: {}]", spec.default) };
    let arg = arg
        .help(format!("{}{default}", spec.help))
        .value_name(value_name(&spec.kind))
        .value_parser(move |text: &str| checked.check(text, Written::ByHand).map(|()| text.to_owned()));
    // Both spellings of the word are in use.
    if spec.name == "colour" { arg.visible_alias("color") } else { arg }
}

/// A switch that is on by default is turned off by its flag.
fn switch_help(spec: &OptionSpec) -> String {
    if spec.default != "1" {
        return spec.help.clone();
    }
    let mut letters = spec.help.chars();
    let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
    format!("Do not {first}{}", letters.as_str())
}

fn value_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Word(_) => "WORD",
        Kind::Range { value_name, .. } | Kind::Text { value_name, .. } => value_name,
        Kind::Number { .. } => "NUMBER",
        Kind::Id => "ID",
        Kind::Switch => "",
    }
}

/// The options that were given.
pub(crate) fn given(specs: &[OptionSpec], matches: &ArgMatches) -> Given {
    let pairs = specs.iter().filter_map(|spec| {
        let text = match spec.kind {
            // The flag says the opposite of the default.
            Kind::Switch => matches.get_flag(spec.name).then(|| if spec.default == "1" { "0" } else { "1" }.to_owned()),
            _ => matches.get_one::<String>(spec.name).cloned(),
        };
        text.map(|text| (spec.name.to_owned(), text))
    });
    Given::by_hand(pairs)
}

/// Options that may name a file.
const FILES: [&str; 3] = ["topology", "mapping", "cells"];
/// The largest file that an option names: the map of a million ranks has 20 MB.
const LARGEST_FILE: u64 = 256 << 20;

/// The options with the files that they name, read: whoever heeds options never opens one.
pub(crate) fn with_files(given: Given) -> anyhow::Result<Given> {
    let mut files = Vec::new();
    for option in FILES {
        let Some(name) = given.get(option) else { continue };
        files.extend(text_file(option, name)?.map(|text| (name.to_owned(), text)));
    }
    Ok(given.with_files(files.into()))
}

/// The text of the file that an option names, if there is such a file.
pub(crate) fn text_file(option: &str, name: &str) -> anyhow::Result<Option<String>> {
    let path = Path::new(name);
    if !path.is_file() {
        return Ok(None);
    }
    let context = || format!("--{option} {name}");
    let length = std::fs::metadata(path).with_context(context)?.len();
    if length > LARGEST_FILE {
        return Err(Usage(format!("--{option} {name}: a file of {length} bytes is too large to be one")).into());
    }
    let text = String::from_utf8(std::fs::read(path).with_context(context)?);
    text.map(Some).map_err(|_| Usage(format!("--{option} {name}: expected a text file")).into())
}

impl From<OptionError> for Usage {
    fn from(error: OptionError) -> Usage {
        Usage(format!("--{}: {}", error.name, error.why))
    }
}
