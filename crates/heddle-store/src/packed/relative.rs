//! What the values of a column may be kept as differences to: another column of the same row, or a column of another table in
//! the row that this one names. The end of a call is near its start, and a message is sent at about the time its call begins.

use super::{BLOCK_ROWS, Field, PackedColumn, PackedFile};

/// What the blocks of a column may be relative to. Declared in the program, never taken from a file; no column leads back to
/// itself.
#[derive(Clone, Debug)]
pub enum Relative {
    /// A column of the same table, by its place.
    Column(usize),
    /// A column of another table in the same directory. A row that is not there counts as 0.
    Through {
        /// The column that has the rows, by its place.
        row: usize,
        /// The table.
        table: &'static str,
        /// All columns of it.
        fields: fn() -> Vec<Field>,
        /// Its column, by its place.
        column: usize,
    },
}

/// The column that another one is relative to, ready to be read.
#[derive(Debug)]
pub(super) enum Other {
    Column(PackedColumn),
    Through { rows: PackedColumn, values: PackedColumn },
}

impl Other {
    pub(super) fn of(file: &PackedFile, relative: &Relative) -> Option<Other> {
        Some(match relative {
            Relative::Column(column) => Other::Column(PackedColumn::of(file, *column)?),
            Relative::Through { row, table, column, .. } => Other::Through {
                rows: PackedColumn::of(file, *row)?,
                values: PackedColumn::of(file.sibling(table)?, *column)?,
            },
        })
    }

    /// The same, of which nothing was checked yet.
    pub(super) fn again(&self) -> Other {
        match self {
            Other::Column(column) => Other::Column(column.again()),
            Other::Through { rows, values } => Other::Through { rows: rows.again(), values: values.again() },
        }
    }

    /// The column that has the values.
    pub(super) fn values_mut(&mut self) -> &mut PackedColumn {
        match self {
            Other::Column(column) => column,
            Other::Through { values, .. } => values,
        }
    }

    /// The value for a row.
    #[inline]
    pub(super) fn get(&self, row: u64) -> u64 {
        match self {
            Other::Column(column) => column.get(row),
            Other::Through { rows, values } => values.get_or_zero(rows.get(row)),
        }
    }

    /// The values for a few neighbouring rows of one block, at most [`FEW`](super::FEW).
    pub(super) fn read_few(&self, first: u64, out: &mut [u64]) {
        match self {
            Other::Column(column) => column.read_few(first, out),
            Other::Through { rows, values } => {
                rows.read_few(first, out);
                for row in out {
                    *row = values.get_or_zero(*row);
                }
            }
        }
    }

    /// The values for the first rows of a block, as many as there is room for.
    pub(super) fn unpack(&self, block: u64, out: &mut [u64]) {
        match self {
            Other::Column(column) => column.unpack(block, out),
            Other::Through { rows, values } => {
                rows.unpack(block, out);
                values.look_up(out);
            }
        }
    }
}

/// Differences become values again, or values differences.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Add,
    Subtract,
}

impl Step {
    #[inline]
    pub(super) fn apply(self, value: u64, other: u64) -> u64 {
        match self {
            Step::Add => value.wrapping_add(other),
            Step::Subtract => value.wrapping_sub(other),
        }
    }

    /// The same for all but missing values.
    pub(super) fn apply_all(self, values: &mut [u64], others: &[u64], missing: u64) {
        for (value, other) in values.iter_mut().zip(others) {
            if *value != missing {
                *value = self.apply(*value, *other);
            }
        }
    }
}

/// Values less those of another column; none if one of them would then mean "not there".
pub(super) fn differences(values: &[u64], others: &[u64], missing: u64) -> Option<[u64; BLOCK_ROWS]> {
    let mut differences = [0; BLOCK_ROWS];
    let mut is_ambiguous = false;
    for ((difference, value), other) in differences.iter_mut().zip(values).zip(others) {
        let is_missing = *value == missing;
        *difference = if is_missing { missing } else { value.wrapping_sub(*other) };
        is_ambiguous |= *difference == missing && !is_missing;
    }
    (!is_ambiguous).then_some(differences)
}
