//! Options of messages in motion.

use heddle_model::Ns;
use heddle_options::{Words, options};

options! {
    /// Which messages move, and how.
    pub struct MotionOptions {
        /// Messages on their way at a moment: none, as dots, or as pipes that grow from the sender
        "motion" motion: MotionKind = MotionKind::None,
        /// The moment; by default the middle of the window
        "at" at: Option<Ns> = None,
        /// What links and switches show meanwhile: what they carry now, which fades when it is over, or the sum since the window began
        "activity" activity: ActivityShown = ActivityShown::Now,
        /// What messages are coloured by: their wait, size, source or destination
        "colour-messages" ("Messages by") messages_by: MessagesBy = MessagesBy::Wait,
    }
}

/// How messages are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionKind {
    /// Not at all.
    None,
    /// As dots.
    Dots,
    /// As pipes from where they began to where they are.
    Pipes,
}

impl Words for MotionKind {
    const WORDS: &'static [(&'static str, MotionKind)] =
        &[("none", MotionKind::None), ("dots", MotionKind::Dots), ("pipes", MotionKind::Pipes)];
}

/// What links and switches show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivityShown {
    /// What they carry now; what is over fades.
    Now,
    /// All since the window began.
    Sum,
}

impl Words for ActivityShown {
    const WORDS: &'static [(&'static str, ActivityShown)] = &[("now", ActivityShown::Now), ("sum", ActivityShown::Sum)];
}

impl ActivityShown {
    /// What is shown in a bin, from what was shown in the one before. `web/src/motion/activity.ts` is its twin.
    pub(crate) fn next(self, before: f64, bytes: f64, fade: f64) -> f64 {
        match self {
            ActivityShown::Now => bytes.max(before * fade),
            ActivityShown::Sum => before + bytes,
        }
    }
}

/// What messages are coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessagesBy {
    /// How much longer they took than they had to.
    Wait,
    /// How long they are.
    Size,
    /// Who sends.
    Source,
    /// Who receives.
    Destination,
}

impl Words for MessagesBy {
    const WORDS: &'static [(&'static str, MessagesBy)] = &[
        ("wait", MessagesBy::Wait),
        ("size", MessagesBy::Size),
        ("source", MessagesBy::Source),
        ("destination", MessagesBy::Destination),
    ];
}
