//! Options of `heddle render` that only the call view has.

use clap::Args as ClapArgs;

use heddle_model::{CommId, Ns};
use heddle_store::Store;
use heddle_view::{CallHeight, CallStyle, CallsOptions, OpacityMap, Spacing, metric_named};

use crate::args::parse_window;
use crate::commands::Usage;

#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Options of calls")]
pub(crate) struct CallArgs {
    /// What a call looks like: points-end (the default), points-start, lines or arches
    #[arg(long, value_parser = |word: &str| one_of(word, &CallStyle::WORDS))]
    style: Option<CallStyle>,
    /// What its height means: duration (the default), bytes, rank, or metric:NAME, a counter of the trace
    #[arg(long, value_name = "WHAT", value_parser = height)]
    y: Option<HeightArg>,
    /// How calls on a pixel become opacity: log (the default), linear, or alpha: plain blending in 8 bits, of 0.1 a call
    /// or, with alpha:0.02, of so much
    #[arg(long, value_name = "MAP", value_parser = opacity)]
    opacity: Option<OpacityMap>,
    /// Opacity of a single call, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = share, default_value_t = CallsOptions::LEAST)]
    omin: f32,
    /// Only calls that last so long, for instance 10us:2ms or 1s:
    #[arg(long, value_name = "A:B", value_parser = parse_window)]
    durations: Option<(Option<i64>, Option<i64>)>,
    /// Only calls that send and receive so many bytes, for instance 1K:64K or 1M:
    #[arg(long, value_name = "A:B", value_parser = bytes_window)]
    bytes: Option<(u64, u64)>,
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
            (self.omin.to_bits() != CallsOptions::LEAST.to_bits(), "--omin"),
            (self.durations.is_some(), "--durations"),
            (self.bytes.is_some(), "--bytes"),
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
    pub(crate) fn options(&self, store: &Store, scale: Option<Spacing>) -> Result<CallsOptions, Usage> {
        let usual = CallsOptions::default();
        let most = |to: Option<i64>| Ns(to.unwrap_or(Ns::MAX.0));
        let y = match &self.y {
            None => usual.y,
            Some(HeightArg::Word(height)) => *height,
            Some(HeightArg::Metric(name)) => {
                CallHeight::Metric(metric_named(store, name).ok_or_else(|| unknown_metric(store, name))?)
            }
        };
        Ok(CallsOptions {
            style: self.style.unwrap_or(usual.style),
            y,
            scale: scale.unwrap_or(usual.scale),
            opacity: self.opacity.unwrap_or(usual.opacity),
            least: self.omin,
            durations: self.durations.map(|(from, to)| (Ns(from.unwrap_or(0)), most(to))),
            bytes: self.bytes,
            communicator: self.communicator.map(CommId),
        })
    }
}

/// What `--y` may be.
#[derive(Clone, Debug, PartialEq)]
enum HeightArg {
    Word(CallHeight),
    Metric(String),
}

fn height(text: &str) -> Result<HeightArg, String> {
    match text.strip_prefix(CallHeight::METRIC) {
        Some(name) => Ok(HeightArg::Metric(name.to_owned())),
        None => one_of(text, &CallHeight::WORDS)
            .map(HeightArg::Word)
            .map_err(|error| format!("{error}, or {}NAME", CallHeight::METRIC)),
    }
}

fn unknown_metric(store: &Store, name: &str) -> Usage {
    let metrics = store.metrics.len();
    let some: Vec<&str> = (0..metrics.min(8)).map(|row| store.metrics.name.get(row)).collect();
    let known = match metrics {
        0 => String::from("none"),
        1..=8 => some.join(", "),
        _ => format!("{metrics}, among them {}", some.join(", ")),
    };
    Usage(format!("--y: the trace has no counter `{name}`; it has {known}"))
}

/// `A:B` in bytes, either end open.
fn bytes_window(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = text.split_once(':').ok_or("a range is FROM:TO, for instance 1K:64K")?;
    let end = |word: &str, open: u64| match word.trim() {
        "" => Ok(open),
        word => bytes(word),
    };
    let (from, to) = (end(from, 0)?, end(to, u64::MAX)?);
    if from <= to { Ok((from, to)) } else { Err("the range must begin before it ends".to_owned()) }
}

/// A number of bytes: `64`, `4K`, `1.5M`.
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1u64,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        other => return Err(format!("`{other}` is no unit of bytes; use K, M or G")),
    };
    match digits.trim().parse::<f64>() {
        Ok(number) if number >= 0.0 => Ok((number * unit as f64) as u64),
        _ => Err(format!("`{text}` is no number of bytes; write for instance 64K")),
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
pub(crate) fn one_of<T: Copy>(word: &str, words: &[(&str, T)]) -> Result<T, String> {
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
        assert_eq!(height("metric:PAPI_L2_TCM"), Ok(HeightArg::Metric("PAPI_L2_TCM".to_owned())));
        assert_eq!(height("bytes"), Ok(HeightArg::Word(CallHeight::Bytes)));
        assert_eq!((bytes_window("1K:2MiB"), bytes_window("7:")), (Ok((1 << 10, 2 << 20)), Ok((7, u64::MAX))));
        assert!(
            ["", "5", "2K:1K", "x:", "1Q:"].iter().all(|wrong| bytes_window(wrong).is_err()) && height("x").is_err()
        );
        assert!(opacity("alpha:2").is_err() && opacity("dark").is_err() && share("nan").is_err());
    }
}
