//! Columns: typed values of one field, stored as Arrow, read straight from the mapped file.

use std::ops::Range;

use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, StringArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use bytemuck::Pod;

use heddle_model::{CollectiveOp, CommId, LocationId, MetricId, Ns, Rank, RegionId, SpanRow, SystemNodeId, TaskId};

use crate::block::{Block, Cursor};

/// Every batch but the last has this many rows, so a row's place is a shift and a mask.
pub const BATCH_ROWS: usize = 1 << BATCH_SHIFT;
const BATCH_SHIFT: usize = 20;

/// Cuts the rows of a table into pieces, each worth a task of its own. All but the last have [`BATCH_ROWS`] rows.
pub fn pieces(rows: u64) -> Vec<Range<u64>> {
    (0..rows).step_by(BATCH_ROWS).map(|first| first..(first + BATCH_ROWS as u64).min(rows)).collect()
}

/// What can stand in a column of a table.
pub trait Cell: Sized {
    /// The readable form of a column of these.
    type Column;

    /// The Arrow type that outsiders see.
    fn data_type() -> DataType;

    /// One batch. In a nullable column the type's `NONE` becomes a null; its bits stay beneath.
    fn to_array(values: Vec<Self>, nullable: bool) -> ArrayRef;

    /// An empty vector in the memory of a batch, if nobody else holds it.
    fn from_buffer(buffer: Buffer) -> Vec<Self>;

    /// A column over the batches of a file; `None` if they are of another type.
    fn column(batches: &[ArrayRef]) -> Option<Self::Column>;
}

/// Cells of a fixed size, which are read without being touched.
pub trait Fixed: Pod + PartialEq {
    /// How Arrow stores it.
    type Arrow: ArrowPrimitiveType<Native: Pod>;
    /// The value that means "not there".
    const NONE: Self;
}

macro_rules! fixed {
    ($($type:ty, $arrow:ty, $none:expr;)*) => {$(
        impl Fixed for $type {
            type Arrow = $arrow;
            const NONE: Self = $none;
        }
    )*};
}

fixed! {
    u8, UInt8Type, u8::MAX;
    u16, UInt16Type, u16::MAX;
    u32, UInt32Type, u32::MAX;
    u64, UInt64Type, u64::MAX;
    i64, Int64Type, i64::MIN;
    f32, Float32Type, f32::NAN;
    f64, Float64Type, f64::NAN;
    Ns, Int64Type, Ns::NONE;
    LocationId, UInt32Type, LocationId::NONE;
    RegionId, UInt32Type, RegionId::NONE;
    CommId, UInt32Type, CommId::NONE;
    MetricId, UInt32Type, MetricId::NONE;
    SystemNodeId, UInt32Type, SystemNodeId::NONE;
    Rank, UInt32Type, Rank::NONE;
    SpanRow, UInt64Type, SpanRow::NONE;
    TaskId, UInt64Type, TaskId::NONE;
    CollectiveOp, UInt8Type, CollectiveOp::UNKNOWN;
}

impl<T: Fixed> Cell for T {
    type Column = Column<T>;

    fn data_type() -> DataType {
        T::Arrow::DATA_TYPE
    }

    fn to_array(values: Vec<T>, nullable: bool) -> ArrayRef {
        let nulls = (nullable && values.contains(&T::NONE))
            .then(|| values.iter().map(|value| *value != T::NONE).collect::<NullBuffer>());
        let values: Vec<<T::Arrow as ArrowPrimitiveType>::Native> = bytemuck::cast_vec(values);
        std::sync::Arc::new(PrimitiveArray::<T::Arrow>::new(ScalarBuffer::from(values), nulls))
    }

    fn from_buffer(buffer: Buffer) -> Vec<T> {
        let values: Vec<<T::Arrow as ArrowPrimitiveType>::Native> = buffer.into_vec().unwrap_or_default();
        let mut values: Vec<T> = bytemuck::cast_vec(values);
        values.clear();
        values
    }

    fn column(batches: &[ArrayRef]) -> Option<Column<T>> {
        let mut column = Column { batches: Vec::with_capacity(batches.len()), rows: 0 };
        for batch in batches {
            let array = batch.as_any().downcast_ref::<PrimitiveArray<T::Arrow>>()?;
            column.rows += array.len() as u64;
            column.batches.push(array.values().clone());
        }
        Some(column)
    }
}

/// A column of fixed-size cells.
#[derive(Debug)]
pub struct Column<T: Fixed> {
    batches: Vec<ScalarBuffer<<T::Arrow as ArrowPrimitiveType>::Native>>,
    rows: u64,
}

impl<T: Fixed> Column<T> {
    /// Number of rows.
    pub fn len(&self) -> u64 {
        self.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The value in a row; `NONE` beyond the end.
    #[inline]
    pub fn get(&self, row: u64) -> T {
        let row = row as usize;
        match self.batches.get(row >> BATCH_SHIFT).and_then(|batch| batch.get(row & (BATCH_ROWS - 1))) {
            Some(value) => bytemuck::cast(*value),
            None => T::NONE,
        }
    }

    /// The rows of a range, block by block. See [`crate::block`] for what a reader may rely on.
    #[inline]
    pub fn blocks(&self, rows: Range<u64>) -> impl Iterator<Item = Block<'_, T>> {
        let end = rows.end.min(self.rows) as usize;
        let mut at = (rows.start as usize).min(end);
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let (batch, first) = (at >> BATCH_SHIFT, at & (BATCH_ROWS - 1));
            let last = (first + (end - at)).min(self.batches[batch].len());
            at += last - first;
            Some(Block::borrowed(bytemuck::cast_slice(&self.batches[batch][first..last])))
        })
    }

    /// The rows of a range, one by one.
    pub fn iter(&self, rows: Range<u64>) -> impl Iterator<Item = T> + '_ {
        self.blocks(rows).flatten()
    }

    /// Reads single values in ascending order.
    pub fn cursor(&self) -> Cursor<'_, T> {
        Cursor::new(self)
    }

    /// The block with a row, and its first row; empty beyond the end.
    pub(crate) fn block_with(&self, row: u64) -> (u64, Block<'_, T>) {
        let first = row & !(BATCH_ROWS as u64 - 1);
        let batch = self.batches.get(row as usize >> BATCH_SHIFT);
        (first, Block::borrowed(batch.map_or(&[], |batch| bytemuck::cast_slice(batch))))
    }

    /// The first row in `rows` for which `before` is false, if all rows before it are true.
    pub fn partition_point(&self, rows: Range<u64>, mut before: impl FnMut(T) -> bool) -> u64 {
        let (mut low, mut high) = (rows.start, rows.end.min(self.rows).max(rows.start));
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.get(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Where the batches' values lie in memory: how the builder finds a row in the file to patch it.
    pub(crate) fn batch_addresses(&self) -> impl Iterator<Item = usize> + '_ {
        self.batches.iter().map(|batch| batch.as_ptr() as usize)
    }
}

impl Cell for String {
    type Column = TextColumn;

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn to_array(values: Vec<String>, nullable: bool) -> ArrayRef {
        std::sync::Arc::new(
            values.iter().map(|text| (!nullable || !text.is_empty()).then_some(text.as_str())).collect::<StringArray>(),
        )
    }

    fn from_buffer(_buffer: Buffer) -> Vec<String> {
        Vec::new()
    }

    fn column(batches: &[ArrayRef]) -> Option<TextColumn> {
        let batches = batches
            .iter()
            .map(|batch| batch.as_any().downcast_ref::<StringArray>().cloned())
            .collect::<Option<Vec<_>>>()?;
        Some(TextColumn { batches })
    }
}

/// A column of text.
#[derive(Clone, Debug)]
pub struct TextColumn {
    batches: Vec<StringArray>,
}

impl TextColumn {
    /// The text in a row; empty for null and beyond the end.
    pub fn get(&self, row: u64) -> &str {
        let (batch, at) = (row as usize >> BATCH_SHIFT, row as usize & (BATCH_ROWS - 1));
        match self.batches.get(batch) {
            Some(texts) if at < texts.len() && texts.is_valid(at) => texts.value(at),
            _ => "",
        }
    }
}
