//! A figure of a paper made again, as data: `docs/gallery/calls.md` and `docs/gallery/logical.md` have them.

/// Where a figure's trace comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A file in the folder of the sample traces.
    Sample(&'static str),
    /// A program of `heddle simulate` with its options.
    Simulated(&'static str),
}

/// A figure of the paper.
pub(super) struct Plate {
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) figures: &'static [PlateFigure],
}

/// A part of it.
pub(super) struct PlateFigure {
    /// Its file, without the ending.
    pub(super) file: &'static str,
    pub(super) origin: Origin,
    /// View and options of `heddle render`.
    pub(super) render: &'static str,
    /// What can be read from it.
    pub(super) caption: &'static str,
}

pub(super) const fn figure(
    file: &'static str,
    origin: Origin,
    render: &'static str,
    caption: &'static str,
) -> PlateFigure {
    PlateFigure { file, origin, render, caption }
}
