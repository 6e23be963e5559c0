//! Arguments of `heddle render`: a subcommand for each view, with what all views share and with the view's own options.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, Subcommand};

use heddle_draw::FigureOptions;
use heddle_options::{Given, Options, units};
use heddle_view::{AnalysisKind, RankSet, Selection, View};

use crate::args::{StoreArgs, ThemeArg, parse_picture_size};
use crate::option_args::{arguments, given};

/// `heddle render VIEW …`.
#[derive(Debug)]
pub(crate) struct RenderArgs {
    pub(crate) view: View,
    pub(crate) shared: SharedArgs,
    /// Steps from and to, where the view has logical time.
    pub(crate) steps: Option<(Option<u32>, Option<u32>)>,
    /// How many frames, and how many of them per second; only where messages move.
    pub(crate) frames: Option<Frames>,
    /// The view's own options.
    pub(crate) options: Given,
    /// The figure's size on a page, and what stands around its plot.
    pub(crate) figure: Given,
}

/// Pictures of one moment after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frames {
    pub(crate) count: u32,
    pub(crate) per_second: u16,
}

/// Frames of an animation.
const MOST_FRAMES: i64 = 10_000;

/// What all views share.
#[derive(Debug, Args)]
pub(crate) struct SharedArgs {
    /// A trace, or a store; several files of PyTorch are one trace; none for a --pattern of the network views
    #[arg(value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// The figure to write: FIG.png, FIG.svg or FIG.pdf; a directory for --frames
    #[arg(short, long, value_name = "FIG")]
    pub(crate) output: PathBuf,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1600x900", value_parser = parse_picture_size)]
    pub(crate) size: (u32, u32),
    /// Pixels of a PNG per pixel of the figure, in each direction
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4))]
    pub(crate) resolution: u8,
    /// Window of time, for instance 1.2s:1.5s, 300ms: or :40us
    #[arg(long, value_name = "A:B", value_parser = units::time_window)]
    pub(crate) time: Option<(Option<i64>, Option<i64>)>,
    /// Ranks to show, for instance 0-15,100,200-
    #[arg(long, value_name = "SPEC")]
    pub(crate) ranks: Option<RankSet>,
    /// Light or dark
    #[arg(long, default_value = "light")]
    pub(crate) theme: ThemeArg,
    /// Functions that stand out, by name: `MPI_Recv,MPI_Send`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) highlight: Vec<String>,
    /// Functions that are not drawn
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) hide: Vec<String>,
    /// What to select: span:LOCATION:ORDINAL, event:RANK:STEP, message:LOCATION:ORDINAL:INDEX, phase:NUMBER, ranks:SPEC,
    /// nodes:SPEC (*,*,5), link:FROM>TO (1,6,5>2,6,5), function:NAME, window:FROM:TO in nanoseconds, area:FROM:TO:RANKS, or `latest`, the event that is latest of all
    #[arg(long, value_name = "WHAT", value_parser = select)]
    pub(crate) select: Option<SelectArg>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// What to select.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SelectArg {
    /// The event that is latest of all.
    Latest,
    /// Something by name.
    This(Selection),
}

fn select(text: &str) -> Result<SelectArg, String> {
    match text {
        "latest" => Ok(SelectArg::Latest),
        text => text.parse().map(SelectArg::This).map_err(|error: heddle_view::SelectionError| error.to_string()),
    }
}

fn has_steps(view: View) -> bool {
    view.analyses().any(AnalysisKind::has_steps)
}

impl Subcommand for RenderArgs {
    fn augment_subcommands(command: Command) -> Command {
        let command = View::ALL.iter().fold(command, |command, view| {
            let name = view.name();
            // After the arguments: they bring a description of their own.
            let mut one = SharedArgs::augment_args(Command::new(name)).about(view.about()).long_about(None);
            one = one
                .after_help(format!("Examples:\n  heddle render {name} run/traces.otf2 -o {name}.png --size 1200x600\n  heddle render {name} run/traces.otf2 -o {name}.pdf --width 88mm --font-size 8 --no-title --no-notes"));
            if has_steps(*view) {
                let help = "Window of logical steps: 20:48 shows steps 20 to 47, 100: those from 100 on";
                one = one.arg(Arg::new("steps").long("steps").value_name("A:B").help(help).value_parser(steps));
            }
            // Known everywhere, so that a view in which nothing moves can say so.
            one = one.args(figure_arguments());
            one = one.args(frame_arguments().map(|argument| argument.hide(!view.has_motion())));
            command.subcommand(one.args(arguments(&view.options(), "Options of this view")))
        });
        command.subcommand_required(true).subcommand_value_name("VIEW").subcommand_help_heading("Views")
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        RenderArgs::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name.parse::<View>().is_ok()
    }
}

impl FromArgMatches for RenderArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<RenderArgs, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let view: View = name.parse().map_err(|_| missing())?;
        let steps = if has_steps(view) { matches.get_one("steps").copied() } else { None };
        let per_second =
            |count: &u32| Frames { count: *count, per_second: matches.get_one("fps").copied().unwrap_or(24) };
        let (frames, options) = (matches.get_one("frames").map(per_second), given(&view.options(), matches));
        let figure = given(&FigureOptions::specs(), matches);
        Ok(RenderArgs { view, shared: SharedArgs::from_arg_matches(matches)?, steps, frames, options, figure })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = RenderArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// What a figure on a page has. A size on a page is no size in pixels, and what is said of the page needs its size.
fn figure_arguments() -> Vec<Arg> {
    let arguments = arguments(&FigureOptions::specs(), "Figures for papers").into_iter();
    let bound = |argument: Arg| match argument.get_id().as_str() {
        "width" => argument.conflicts_with_all(["size", "resolution"]),
        "height" | "font-size" | "dpi" => argument.requires("width"),
        _ => argument,
    };
    arguments.map(bound).collect()
}

fn frame_arguments() -> [Arg; 2] {
    let frames = Arg::new("frames")
        .long("frames")
        .value_name("N")
        .value_parser(clap::value_parser!(u32).range(2..=MOST_FRAMES))
        .help("Messages on their way at N moments of the window: with -o DIR, N numbered PNG files in that directory; with -o FIG.png, one animated PNG");
    let fps = Arg::new("fps")
        .long("fps")
        .value_name("N")
        .requires("frames")
        .value_parser(clap::value_parser!(u16).range(1..=120))
        .default_value("24")
        .help("Frames per second of an animated PNG");
    [frames, fps]
}

fn steps(text: &str) -> Result<(Option<u32>, Option<u32>), String> {
    let wrong = || "a window of steps is A:B, for instance 20:48, 100: or :30".to_owned();
    let window = units::ends(text, "20:48", |word| word.parse::<u32>().map_err(|_| wrong()))?;
    match window {
        (Some(from), Some(to)) if from >= to => Err("the window must begin before it ends".to_owned()),
        window => Ok(window),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_selections_are_understood() {
        assert_eq!(steps("20:48"), Ok((Some(20), Some(48))));
        assert_eq!(steps("100:"), Ok((Some(100), None)));
        assert!(steps("5").is_err() && steps("5:5").is_err() && steps("a:b").is_err());
        assert_eq!(select("latest"), Ok(SelectArg::Latest));
        assert_eq!(select("event:9:26"), Ok(SelectArg::This(Selection::Event { rank: 9, step: 26 })));
        assert!(select("last").is_err());
    }

    #[test]
    fn no_option_of_a_view_has_the_name_of_one_that_all_share() {
        // clap panics in debug builds on arguments of the same name.
        RenderArgs::augment_subcommands(Command::new("render")).debug_assert();
    }
}
