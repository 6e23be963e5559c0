//! Writing columns of values, several rows of events at a time.

use std::path::Path;

use rayon::prelude::*;

use heddle_store::{Progress, StoreError, TableWriter};

use super::values::SideRows;
use crate::Logical;

/// Events of the rows that are worked out at once, about.
const AT_ONCE: u64 = 1 << 21;

/// Writes two values for each event. `values` gives them for all events of a row, in order.
pub(super) fn write_rows(
    directory: &Path,
    logical: &Logical,
    progress: &dyn Progress,
    values: impl Fn(u32, &mut dyn FnMut(f64, f64)) + Sync,
) -> Result<(), StoreError> {
    let mut writer = TableWriter::<SideRows>::create(directory)?;
    let rows = logical.rows.len() as u32;
    let mut first = 0;
    while first < rows {
        progress.check()?;
        let begin = logical.events_of(first).start;
        let mut end = first + 1;
        while end < rows && logical.events_of(end).end - begin <= AT_ONCE {
            end += 1;
        }
        let made: Vec<SideRows> = (first..end)
            .into_par_iter()
            .map(|row| {
                let mut side = SideRows::default();
                values(row, &mut |event, aggregate| {
                    side.event.push(event);
                    side.aggregate.push(aggregate);
                });
                side
            })
            .collect();
        for side in made {
            let count = side.event.len() as u64;
            writer.append(side)?;
            progress.advance(count);
        }
        first = end;
    }
    writer.finish().map(drop)
}
