//! Colours of groups in the palette of a scene.

use super::shown::Shown;
use crate::scene::{ColourId, Rgba};

/// Appends the colours of all groups of the shown step to a palette, with an opacity.
pub(super) fn group_tints(shown: &Shown<'_>, palette: &mut Vec<Rgba>, opacity: u8) -> Vec<ColourId> {
    let add = |group: usize| {
        let Rgba(red, green, blue, _) = shown.rgba(group);
        palette.push(Rgba(red, green, blue, opacity));
        ColourId(palette.len() as u16 - 1)
    };
    (0..shown.groups()).map(add).collect()
}
