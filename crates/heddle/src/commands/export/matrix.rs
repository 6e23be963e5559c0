//! The table of who sent how much to whom: a row for each pair that exchanged messages, by sender, then receiver.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use heddle_model::LocationId;
use heddle_profile::messages::{Exchanged, Messages, Wanted};
use heddle_store::{Store, StoreError};
use heddle_view::Window;

use super::Sink;
use super::tables::{ids, ranks};
use crate::progress::is_cancelled;

/// Rows that are written at once, about.
const AT_ONCE: usize = 1 << 16;

/// A row: who sent, who received, and what.
type Pair = (LocationId, LocationId, Exchanged);

pub(super) fn schema() -> SchemaRef {
    let field = |name: &str, kind: DataType| Field::new(name, kind, true);
    Arc::new(Schema::new(vec![
        field("send_rank", DataType::UInt32),
        field("recv_rank", DataType::UInt32),
        field("messages", DataType::UInt64),
        field("bytes", DataType::UInt64),
        field("bytes_per_s", DataType::Float64),
        field("wait_ns", DataType::UInt64),
        field("flight_ns", DataType::UInt64),
        field("send_location", DataType::UInt64),
        field("recv_location", DataType::UInt64),
    ]))
}

pub(super) fn write(
    store: &Store,
    messages: &Messages,
    window: &Window,
    mut sink: Box<dyn Sink + '_>,
) -> anyhow::Result<()> {
    let (time, locations) = (window.time(store), window.locations(store));
    let wanted = Wanted::default();
    let mut rows: Vec<Pair> = Vec::new();
    for sender in &locations {
        if is_cancelled() {
            return Err(StoreError::Cancelled.into());
        }
        let mut to: BTreeMap<LocationId, Exchanged> = BTreeMap::new();
        messages.sent(store, *sender, time, &wanted, |receiver, sum| {
            if locations.binary_search(&receiver).is_ok() {
                to.entry(receiver).or_default().add(sum);
            }
        });
        rows.extend(to.into_iter().map(|(receiver, sum)| (*sender, receiver, sum)));
        if rows.len() >= AT_ONCE {
            sink.write(&batch(store, &rows)?)?;
            rows.clear();
        }
    }
    sink.write(&batch(store, &rows)?)?;
    sink.finish()
}

fn batch(store: &Store, rows: &[Pair]) -> anyhow::Result<RecordBatch> {
    let numbers = |of: fn(&Exchanged) -> u64| -> ArrayRef {
        Arc::new(rows.iter().map(|(.., sum)| Some(of(sum))).collect::<UInt64Array>())
    };
    let (senders, receivers) = (|| rows.iter().map(|(from, ..)| *from), || rows.iter().map(|(_, to, _)| *to));
    let columns: Vec<ArrayRef> = vec![
        ranks(store, senders()),
        ranks(store, receivers()),
        numbers(|sum| sum.messages),
        numbers(|sum| sum.bytes),
        Arc::new(rows.iter().map(|(.., sum)| sum.bandwidth()).collect::<Float64Array>()),
        numbers(|sum| sum.wait),
        numbers(|sum| sum.flight),
        ids(store, senders()),
        ids(store, receivers()),
    ];
    Ok(RecordBatch::try_new(schema(), columns)?)
}
