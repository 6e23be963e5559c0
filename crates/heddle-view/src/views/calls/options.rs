//! Options of the call view: how calls are drawn, and which.

use heddle_model::{CommId, Ns};
use heddle_options::{Kind, OptionValue, Share, Words, Written, options};

use crate::scene::{OpacityMap, Spacing};

options! {
    /// How calls are drawn, and which.
    pub struct CallsOptions {
        /// What a call looks like
        "style" style: CallStyle = CallStyle::PointsEnd,
        /// What its height means: duration, bytes, rank or counter:NAME
        "y" y: CallHeight = CallHeight::Duration,
        /// How heights are spaced; auto is linear for arches, which would be distorted otherwise, and log for the other styles. Ranks are always spaced evenly
        "scale" scale: HeightScale = HeightScale::ByStyle,
        /// How the number of calls per pixel becomes opacity: log, linear, or alpha: plain blending in 8 bits, of 0.1 per call or of X with alpha:X
        "opacity" opacity: OpacityMap = OpacityMap::Logarithmic,
        /// Opacity of a single call, 0 to 1
        "omin" ("Opacity of a single call") least: Share = Share(0.4),
        /// Only calls that last this long, for instance 10us:2ms or 1s:
        "durations" durations: Option<(Ns, Ns)> = None,
        /// Only calls that send and receive this many bytes, for instance 1K:64K or 1M:
        "bytes" bytes: Option<(u64, u64)> = None,
        /// Only calls, or messages, in this communicator, by its number
        "communicator" communicator: Option<CommId> = None,
    }
}

impl CallsOptions {
    /// How heights are spaced.
    pub(crate) fn spacing(&self) -> Spacing {
        match (self.scale, self.style) {
            (HeightScale::Linear, _) | (HeightScale::ByStyle, CallStyle::Arches) => Spacing::Linear,
            (HeightScale::Logarithmic | HeightScale::ByStyle, _) => Spacing::Logarithmic,
        }
    }

    /// Whether it takes messages and collectives to know which calls are drawn, and where.
    pub(crate) fn needs_traffic(&self) -> bool {
        self.y == CallHeight::Bytes || self.bytes.is_some() || self.communicator.is_some()
    }

    /// Whether a call's traffic passes the filters. One without traffic has zero bytes, in no communicator.
    #[inline]
    pub(crate) fn has_traffic(&self, bytes: Option<u64>) -> bool {
        (self.communicator.is_none() || bytes.is_some())
            && self.bytes.is_none_or(|(least, most)| (least..=most).contains(&bytes.unwrap_or(0)))
    }

    /// Whether a call is long and short enough.
    #[inline]
    pub(crate) fn has_duration(&self, ns: i64) -> bool {
        self.durations.is_none_or(|(least, most)| (least.0..=most.0).contains(&ns))
    }
}

/// What a call looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallStyle {
    /// A point at its end.
    PointsEnd,
    /// A point at its start.
    PointsStart,
    /// A line from start to end.
    Lines,
    /// An arch from start to end, its top at the height of the call.
    Arches,
}

impl Words for CallStyle {
    const WORDS: &'static [(&'static str, CallStyle)] = &[
        ("points-end", CallStyle::PointsEnd),
        ("points-start", CallStyle::PointsStart),
        ("lines", CallStyle::Lines),
        ("arches", CallStyle::Arches),
    ];
}

/// What the height of a call means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallHeight {
    /// How long it lasts.
    Duration,
    /// Bytes that it sends and receives.
    Bytes,
    /// The rank that makes it.
    Rank,
    /// What the counter of this name says of it.
    Counter(String),
}

impl CallHeight {
    const WORDS: [(&str, CallHeight); 3] =
        [("duration", CallHeight::Duration), ("bytes", CallHeight::Bytes), ("rank", CallHeight::Rank)];
    const COUNTER: &str = "counter:";
    /// What stood there in older links.
    const METRIC: &str = "metric:";
}

impl OptionValue for CallHeight {
    fn kind() -> Kind {
        String::kind()
    }

    fn read(text: &str, written: Written) -> Result<CallHeight, String> {
        if let Some(name) = text.strip_prefix(CallHeight::COUNTER).or_else(|| text.strip_prefix(CallHeight::METRIC)) {
            return String::read(name, written).map(CallHeight::Counter);
        }
        let found = CallHeight::WORDS.into_iter().find(|(word, _)| *word == text).map(|(_, height)| height);
        found.ok_or_else(|| "must be duration, bytes, rank or counter:NAME".to_owned())
    }

    fn write(&self) -> String {
        match self {
            CallHeight::Counter(name) => format!("{}{name}", CallHeight::COUNTER),
            CallHeight::Duration => "duration".to_owned(),
            CallHeight::Bytes => "bytes".to_owned(),
            CallHeight::Rank => "rank".to_owned(),
        }
    }
}

/// How heights are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeightScale {
    /// As suits the style: an arch is half an ellipse on a linear axis only.
    ByStyle,
    /// By their logarithm.
    Logarithmic,
    /// Evenly.
    Linear,
}

impl Words for HeightScale {
    const WORDS: &'static [(&'static str, HeightScale)] =
        &[("auto", HeightScale::ByStyle), ("log", HeightScale::Logarithmic), ("linear", HeightScale::Linear)];
}

impl OptionValue for OpacityMap {
    fn kind() -> Kind {
        Kind::Word(vec!["log", "linear", "alpha"])
    }

    fn read(text: &str, written: Written) -> Result<OpacityMap, String> {
        match text {
            "log" => Ok(OpacityMap::Logarithmic),
            "linear" => Ok(OpacityMap::Linear),
            "alpha" => Ok(OpacityMap::Alpha(OpacityMap::ALPHA)),
            other => match other.strip_prefix("alpha:") {
                Some(each) => Share::read(each, written).map(|share| OpacityMap::Alpha(share.0)),
                None => Err("must be one of log, linear, alpha or alpha:SHARE".to_owned()),
            },
        }
    }

    fn write(&self) -> String {
        match *self {
            OpacityMap::Logarithmic => "log".to_owned(),
            OpacityMap::Linear => "linear".to_owned(),
            OpacityMap::Alpha(each) if each.to_bits() == OpacityMap::ALPHA.to_bits() => "alpha".to_owned(),
            OpacityMap::Alpha(each) => format!("alpha:{each}"),
        }
    }
}
