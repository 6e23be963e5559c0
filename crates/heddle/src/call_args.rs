//! Options of `heddle render` that only the call view has.

use clap::Args as ClapArgs;

use heddle_model::{CommId, Ns};
use heddle_view::{CallHeight, CallStyle, CallsOptions, OpacityMap, Spacing};

use crate::args::parse_window;

#[derive(Debug, Default, ClapArgs)]
#[command(next_help_heading = "Options of calls")]
pub(crate) struct CallArgs {
    /// What a call looks like: points-end (the default), points-start, lines or arches
    #[arg(long, value_parser = |word: &str| one_of(word, &CallStyle::WORDS))]
    style: Option<CallStyle>,
    /// What its height means: duration (the default), bytes or rank
    #[arg(long, value_name = "WHAT", value_parser = |word: &str| one_of(word, &CallHeight::WORDS))]
    y: Option<CallHeight>,
    /// How calls on a pixel become opacity: log (the default), linear, or alpha: plain blending in 8 bits, of 0.1 a call
    /// or, with alpha:0.02, of so much
    #[arg(long, value_name = "MAP", value_parser = opacity)]
    opacity: Option<OpacityMap>,
    /// Opacity of a single call, 0 to 1; 0.4 if not given
    #[arg(long, value_name = "SHARE", value_parser = share)]
    omin: Option<f32>,
    /// Only calls that last so long, for instance 10us:2ms or 1s:
    #[arg(long, value_name = "A:B", value_parser = parse_window)]
    durations: Option<(Option<i64>, Option<i64>)>,
    /// Only calls in this communicator, by its number
    #[arg(long, value_name = "ID")]
    communicator: Option<u32>,
}

impl CallArgs {
    /// The first option that was given, by name.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            (self.style.is_some(), "--style"),
            (self.y.is_some(), "--y"),
            (self.opacity.is_some(), "--opacity"),
            (self.omin.is_some(), "--omin"),
            (self.durations.is_some(), "--durations"),
            (self.communicator.is_some(), "--communicator"),
        ]
        .into_iter()
        .find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// The communicator that was asked for.
    pub(crate) fn communicator(&self) -> Option<u32> {
        self.communicator
    }

    /// All of them, with what is usual where nothing was given.
    pub(crate) fn options(&self, scale: Option<Spacing>) -> CallsOptions {
        let usual = CallsOptions::default();
        let most = |to: Option<i64>| Ns(to.unwrap_or(Ns::MAX.0));
        CallsOptions {
            style: self.style.unwrap_or(usual.style),
            y: self.y.unwrap_or(usual.y),
            scale: scale.unwrap_or(usual.scale),
            opacity: self.opacity.unwrap_or(usual.opacity),
            least: self.omin.unwrap_or(usual.least),
            durations: self.durations.map(|(from, to)| (Ns(from.unwrap_or(0)), most(to))),
            communicator: self.communicator.map(CommId),
        }
    }
}

/// What `--scale` may be: pixels of the figure, or the spacing of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ScaleArg {
    Pixels(u8),
    Axis(Spacing),
}

pub(crate) fn parse_scale(text: &str) -> Result<ScaleArg, String> {
    if let Some((_, spacing)) = Spacing::WORDS.into_iter().find(|(word, _)| *word == text) {
        return Ok(ScaleArg::Axis(spacing));
    }
    match text.parse() {
        Ok(pixels @ 1..=4) => Ok(ScaleArg::Pixels(pixels)),
        _ => Err("a scale is 1 to 4 pixels a pixel, or log or linear for the heights of calls".to_owned()),
    }
}

/// A word out of a few.
fn one_of<T: Copy>(word: &str, words: &[(&str, T)]) -> Result<T, String> {
    let found = words.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning);
    found.ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
        format!("it must be one of {}", words.join(", "))
    })
}

fn opacity(text: &str) -> Result<OpacityMap, String> {
    match text.strip_prefix("alpha:") {
        Some(each) => share(each).map(OpacityMap::Alpha),
        None => one_of(text, &OpacityMap::WORDS),
    }
}

fn share(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("it must be a number from 0 to 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_opacities_and_shares_are_understood() {
        assert_eq!(parse_scale("2"), Ok(ScaleArg::Pixels(2)));
        assert_eq!(parse_scale("linear"), Ok(ScaleArg::Axis(Spacing::Linear)));
        assert!(parse_scale("0").is_err() && parse_scale("5").is_err() && parse_scale("root").is_err());
        assert_eq!(opacity("alpha:0.25"), Ok(OpacityMap::Alpha(0.25)));
        assert!(opacity("alpha:2").is_err() && opacity("dark").is_err() && share("nan").is_err());
    }
}
