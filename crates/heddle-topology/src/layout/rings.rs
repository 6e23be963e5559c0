//! The columns of a torus seen along an axis: concentric rings, and which bundles of cables between them are drawn.

/// What a direction on the screen stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The dimension that one looks along: diagonals.
    Axis,
    /// Horizontal.
    Across,
    /// Vertical.
    Down,
}

impl Role {
    /// All, as in [`super::Slice::dims`].
    pub const ALL: [Role; 3] = [Role::Axis, Role::Across, Role::Down];

    /// Its position in [`Role::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Which directions are shown. With both horizontal and vertical cables only those within rings are drawn; of one alone, all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shown {
    /// Diagonals.
    pub axis: bool,
    /// Horizontal cables.
    pub across: bool,
    /// Vertical cables.
    pub down: bool,
}

impl Shown {
    /// Everything: concentric rings.
    pub const RINGS: Shown = Shown { axis: true, across: true, down: true };
    /// All horizontal cables, and diagonals.
    pub const ACROSS: Shown = Shown { axis: true, across: true, down: false };
    /// All vertical cables, and diagonals.
    pub const DOWN: Shown = Shown { axis: true, across: false, down: true };
}

/// How a cable appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Drawing {
    /// As a line between its ends.
    Line,
    /// Across the seam: as a stub at either end.
    Wrap,
    /// Not at all.
    Hidden,
}

/// The columns of a torus, so many to the right and so many downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossSection {
    /// Columns to the right.
    pub across: u32,
    /// Columns downwards.
    pub down: u32,
}

impl CrossSection {
    /// Number of rings.
    pub fn rings(self) -> u32 {
        self.across.min(self.down).div_ceil(2)
    }

    /// The ring of a column; 0 is the innermost.
    pub fn ring(self, across: u32, down: u32) -> u32 {
        let edge = across.min(self.across - 1 - across).min(down.min(self.down - 1 - down));
        self.rings() - 1 - edge
    }

    /// How a cable from a column upwards along `role` appears, if it is there at all.
    pub fn drawing(self, role: Role, across: u32, down: u32, shown: Shown) -> Drawing {
        let (is_shown, both) = match role {
            Role::Axis => return if shown.axis { Drawing::Line } else { Drawing::Hidden },
            Role::Across => (shown.across, shown.down),
            Role::Down => (shown.down, shown.across),
        };
        let wraps = if role == Role::Across { across + 1 == self.across } else { down + 1 == self.down };
        match (is_shown, wraps) {
            (false, _) => Drawing::Hidden,
            (true, true) => Drawing::Wrap,
            (true, false) if both && !self.within_ring(role, across, down) => Drawing::Hidden,
            (true, false) => Drawing::Line,
        }
    }

    /// Whether a bundle joins two columns of one ring, and is no rung between the long sides of the innermost one.
    fn within_ring(self, role: Role, across: u32, down: u32) -> bool {
        let ring = self.ring(across, down);
        let innermost = |across: Option<u32>, down: Option<u32>| {
            across.zip(down).is_some_and(|(a, d)| a < self.across && d < self.down && self.ring(a, d) == 0)
        };
        let (next, rung) = match role {
            Role::Axis => return true,
            Role::Across => (
                self.ring(across + 1, down),
                innermost(Some(across), down.checked_sub(1)) && innermost(Some(across), Some(down + 1)),
            ),
            Role::Down => (
                self.ring(across, down + 1),
                innermost(across.checked_sub(1), Some(down)) && innermost(Some(across + 1), Some(down)),
            ),
        };
        ring == next && !(ring == 0 && rung)
    }
}
