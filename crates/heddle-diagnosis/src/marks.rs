//! A bit for each row of a large table: what was found once and is asked often.

/// Some marked rows.
#[derive(Debug)]
pub(crate) struct Marks(Vec<u64>);

impl Marks {
    /// None of so many rows.
    pub(crate) fn none(rows: u64) -> Marks {
        Marks(vec![0; rows.div_ceil(64) as usize])
    }

    /// Marks a row.
    pub(crate) fn set(&mut self, row: u64) {
        if let Some(word) = self.0.get_mut((row / 64) as usize) {
            *word |= 1 << (row % 64);
        }
    }

    /// Whether a row is marked.
    #[inline]
    pub(crate) fn has(&self, row: u64) -> bool {
        self.0.get((row / 64) as usize).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Marks;

    #[test]
    fn only_what_was_marked_is() {
        let mut marks = Marks::none(130);
        for row in [0, 63, 64, 129] {
            marks.set(row);
        }
        let marked: Vec<u64> = (0..200).filter(|row| marks.has(*row)).collect();
        assert_eq!(marked, [0, 63, 64, 129]);
        // Beyond the end there is nothing to mark.
        marks.set(1 << 40);
        assert!(!marks.has(1 << 40));
    }
}
