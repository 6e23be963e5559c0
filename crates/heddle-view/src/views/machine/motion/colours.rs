//! Colours of messages.

use heddle_network::motion::{Motion, Moving, WaitRule};

use super::options::MessagesBy;
use crate::scene::ColourId;
use crate::scene::LegendEntry;
use crate::scene::ramp::{Ramp, STEPS, Tone};
use crate::scene::ticks::{bytes_text, duration_text, grouped};

/// The scale begins here: what recedes into the panel is no colour for a dot.
const FIRST: usize = STEPS * 3 / 10;

/// What messages are coloured by, and between which ends.
pub(super) struct Colouring {
    by: MessagesBy,
    ends: (f64, f64),
    rule: WaitRule,
}

impl Colouring {
    pub(super) fn new(by: MessagesBy, motion: &Motion, ranks: u32) -> Colouring {
        let ends = match by {
            MessagesBy::Wait => (0.0, motion.longest_wait as f64),
            MessagesBy::Size => (motion.sizes.0 as f64, motion.sizes.1 as f64),
            MessagesBy::Source | MessagesBy::Destination => (0.0, f64::from(ranks.saturating_sub(1))),
        };
        Colouring { by, ends, rule: motion.wait_rule }
    }

    /// Where a message lies on the scale, from 0 to 1. Sizes differ by orders of magnitude: theirs is logarithmic.
    pub(super) fn share(&self, message: &Moving) -> f32 {
        let spaced = |value: f64| if self.by == MessagesBy::Size { value.max(1.0).ln() } else { value };
        let value = match self.by {
            MessagesBy::Wait => message.wait as f64,
            MessagesBy::Size => message.bytes as f64,
            MessagesBy::Source => f64::from(message.from),
            MessagesBy::Destination => f64::from(message.to),
        };
        let (low, high) = (spaced(self.ends.0), spaced(self.ends.1));
        if high > low { ((spaced(value) - low) / (high - low)).clamp(0.0, 1.0) as f32 } else { 0.0 }
    }

    pub(super) fn colour(ramp: Ramp, share: f32) -> ColourId {
        ramp.at((FIRST as f32 + share * (STEPS - 1 - FIRST) as f32) / (STEPS - 1) as f32, Tone::Full)
    }

    /// All colours of the scale.
    pub(super) fn scale(ramp: Ramp) -> Vec<ColourId> {
        ramp.scale().split_off(FIRST)
    }

    /// What colours mean.
    pub(super) fn title(&self) -> String {
        match self.by {
            MessagesBy::Wait => format!("wait of a message, {}", self.rule.words()),
            MessagesBy::Size => "size of a message".to_owned(),
            MessagesBy::Source => "rank that sends".to_owned(),
            MessagesBy::Destination => "rank that receives".to_owned(),
        }
    }

    /// The ends of the scale in words.
    pub(super) fn texts(&self) -> [String; 2] {
        [self.ends.0, self.ends.1].map(|end| match self.by {
            MessagesBy::Wait => duration_text(end as i64),
            MessagesBy::Size => bytes_text(end as u64),
            MessagesBy::Source | MessagesBy::Destination => grouped(end as u64),
        })
    }

    /// The same for the legend of a figure.
    pub(super) fn legend(&self, ramp: Ramp) -> Vec<LegendEntry> {
        let word = match self.by {
            MessagesBy::Wait => "wait",
            MessagesBy::Size => "message of",
            MessagesBy::Source => "from rank",
            MessagesBy::Destination => "to rank",
        };
        let [low, high] = self.texts();
        let entry = |share: f32, value: String| LegendEntry {
            colour: Colouring::colour(ramp, share),
            name: word.to_owned(),
            value,
        };
        if low == high { vec![entry(0.0, low)] } else { vec![entry(0.0, low), entry(1.0, high)] }
    }
}
