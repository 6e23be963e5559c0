//! A run, worked through: waits, delays, the path, and what efficiencies of windows rest on.

use std::path::Path;

use bytemuck::Pod;
use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_store::{BATCH_ROWS, LongList, Rows, StoreError, TableWriter, table, write_table};

use super::{Check, MOST};
use crate::delays::{Charge, Cost, Delays};
use crate::path::PathPiece;
use crate::profile::Sums;
use crate::replay::FRONT;
use crate::run::Run;
use crate::waits::{Wait, WaitKind, Waits};

table! {
    /// Calls that waited, by row, then time.
    WaitRows, WaitTable = "waits" packed {
        /// The call.
        span: SpanRow => "span",
        /// When it began to wait.
        enter: i64 => "enter_ns",
        /// How long it waited.
        wait: i64 => "wait_ns",
        /// The call that it waited for.
        culprit_span: SpanRow => "culprit_span" - span nullable,
        /// When that came.
        arrival: i64 => "arrival_ns" - enter,
        /// Where.
        location: LocationId => "location",
        /// Where the other call is.
        culprit: LocationId => "culprit" - location,
        /// A place in the list of kinds.
        kind: u8 => "kind",
        /// 1 if the call ended before its culprit came.
        is_capped: u8 => "is_capped",
        /// Since when the two were apart.
        since: i64 => "since_ns" - enter,
    }
}

table! {
    /// What waits are charged to, by the culprit's row.
    ChargeRows, ChargeTable = "charges" packed {
        /// A row of the table of waits.
        wait: u32 => "wait",
        /// The function.
        region: RegionId => "region" nullable,
        /// What it cost.
        cost: f32 => "cost_ns",
    }
}

table! {
    /// What functions on rows cost.
    CostRows, CostTable = "costs" packed {
        /// The row.
        row: u32 => "row",
        /// The function.
        region: RegionId => "region" nullable,
        /// Who waited directly.
        short: f64 => "short_ns",
        /// Who waited for those.
        long: f64 => "long_ns",
    }
}

table! {
    /// Where the parts of rows begin, and of the last one end.
    FirstRows, FirstTable = "rows" packed {
        /// In the table of waits.
        wait: u64 => "first_wait",
        /// In that of charges.
        charge: u64 => "first_charge",
        /// In that of sums.
        sum: u64 => "first_sum",
    }
}

table! {
    /// The critical path.
    PathRows, PathTable = "path" packed {
        /// Where.
        location: LocationId => "location",
        /// From.
        start: Ns => "start_ns",
        /// To.
        end: Ns => "end_ns" - start,
    }
}

table! {
    /// When sums were taken, by row.
    TimeRows, TimeTable = "sum_times" packed {
        /// When.
        time: i64 => "time_ns",
    }
}

table! {
    /// Time by function up to then.
    SumRows, SumTable = "sums" packed {
        /// How much.
        time: i64 => "time_ns",
    }
}

table! {
    /// How far the run had come on an ideal network.
    FrontRows, FrontTable = "front" {
        /// How far.
        time: i64 => "time_ns",
    }
}

table! {
    /// Numbers of the run: one row.
    NumberRows, NumberTable = "numbers" {
        /// How long it took.
        length: i64 => "length_ns",
        /// How long its replay takes.
        replayed: i64 => "replayed_ns",
        /// Needs that were not met.
        unmet: u64 => "unmet",
        /// What ended before what it needed began.
        violations: u64 => "violations",
        /// By how much at most.
        largest_violation: i64 => "largest_violation_ns",
        /// Time in calls of which nothing is known.
        unexplained: i64 => "unexplained_ns",
        /// Tests.
        tests: u64 => "tests",
        /// Waiting that work caused.
        direct: f64 => "direct_ns",
        /// Waiting that waiting caused.
        indirect: f64 => "indirect_ns",
        /// Waiting that nothing explains.
        undirected: f64 => "unexplained_wait_ns",
    }
}

/// Writes a long table piece by piece.
fn write_long<T, R: Rows>(directory: &Path, all: &[T], rows: impl Fn(&[T], usize) -> R) -> Result<(), StoreError> {
    let mut writer = TableWriter::create(directory)?;
    for (number, piece) in all.chunks(BATCH_ROWS).enumerate() {
        writer.append(rows(piece, number * BATCH_ROWS))?;
    }
    writer.finish()?;
    Ok(())
}

pub(super) fn write(directory: &Path, run: &Run) -> Result<(), StoreError> {
    let Run { waits, delays, path, length, replayed, unmet, sums, front } = run;
    let Waits { list, first: first_wait, points: _, violations, largest_violation, unexplained, tests } = waits;
    let Delays { since, price: _, charges, first: first_charge, costs, direct, indirect, unexplained: undirected } =
        delays;
    let Sums { first: first_sum, times, by_function } = sums;
    write_long(directory, list, |piece, at| wait_rows(piece, &since[at..]))?;
    write_long(directory, charges, |piece, _| ChargeRows {
        wait: piece.iter().map(|charge| charge.wait).collect(),
        region: piece.iter().map(|charge| charge.region).collect(),
        cost: piece.iter().map(|charge| charge.cost).collect(),
    })?;
    write_long(directory, costs, |piece, _| CostRows {
        row: piece.iter().map(|(row, _, _)| *row).collect(),
        region: piece.iter().map(|(_, region, _)| *region).collect(),
        short: piece.iter().map(|(_, _, cost)| cost.short).collect(),
        long: piece.iter().map(|(_, _, cost)| cost.long).collect(),
    })?;
    let numbers = |first: &[usize]| first.iter().map(|first| *first as u64).collect();
    let first = FirstRows { wait: numbers(first_wait), charge: numbers(first_charge), sum: numbers(first_sum) };
    write_table(directory, first)?;
    write_long(directory, path, |piece, _| PathRows {
        location: piece.iter().map(|piece| piece.location).collect(),
        start: piece.iter().map(|piece| piece.start).collect(),
        end: piece.iter().map(|piece| piece.end).collect(),
    })?;
    write_long(directory, times, |piece, _| TimeRows { time: piece.to_vec() })?;
    write_long(directory, by_function, |piece, _| SumRows { time: piece.to_vec() })?;
    write_table(directory, FrontRows { time: front.clone() })?;
    let numbers = NumberRows {
        length: vec![*length],
        replayed: vec![*replayed],
        unmet: vec![*unmet],
        violations: vec![*violations],
        largest_violation: vec![*largest_violation],
        unexplained: vec![*unexplained],
        tests: vec![*tests],
        direct: vec![*direct],
        indirect: vec![*indirect],
        undirected: vec![*undirected],
    };
    write_table(directory, numbers)?;
    Ok(())
}

fn wait_rows(list: &[Wait], since: &[i64]) -> WaitRows {
    let mut rows = WaitRows::default();
    rows.reserve(list.len());
    for (wait, since) in list.iter().zip(since) {
        let Wait { span, enter, wait, culprit_span, arrival, location, culprit, sort: [kind, is_capped] } = *wait;
        rows.span.push(span);
        rows.enter.push(enter);
        rows.wait.push(wait);
        rows.culprit_span.push(culprit_span);
        rows.arrival.push(arrival);
        rows.location.push(location);
        rows.culprit.push(culprit);
        rows.kind.push(kind as u8);
        rows.is_capped.push(is_capped as u8);
        rows.since.push(*since);
    }
    rows
}

pub(super) fn read(check: &Check<'_>) -> Result<Run, StoreError> {
    let numbers = NumberTable::open(check.directory)?;
    check.that(numbers.len() == 1, "the table of numbers")?;
    let first = FirstTable::open(check.directory)?;
    let begins = |column: &heddle_store::Column<u64>| -> Vec<usize> {
        column.iter(0..first.len()).map(|first| usize::try_from(first).unwrap_or(usize::MAX)).collect()
    };
    let (list, since) = read_waits(check)?;
    let waits = Waits {
        first: begins(&first.wait),
        points: LongList::default(),
        violations: numbers.violations.get(0),
        largest_violation: numbers.largest_violation.get(0),
        unexplained: numbers.unexplained.get(0),
        tests: numbers.tests.get(0),
        list,
    };
    check.that(check.is_cut(&waits.first, waits.list.len()), "the table of waits")?;
    for row in 0..check.rows.len() {
        let location = check.rows.locations[row];
        let own = waits.of(row);
        let spans = check.rows.store.spans_of(location);
        let fits = own.iter().all(|wait| wait.location == location && spans.contains(&wait.span.0));
        check.that(fits && own.is_sorted_by_key(|wait| wait.enter), "the waits of a row")?;
    }
    let delays = Delays {
        price: LongList::default(),
        since,
        charges: read_charges(check, waits.list.len())?,
        first: begins(&first.charge),
        costs: read_costs(check)?,
        direct: numbers.direct.get(0),
        indirect: numbers.indirect.get(0),
        unexplained: numbers.undirected.get(0),
    };
    check.that(check.is_cut(&delays.first, delays.charges.len()), "the table of charges")?;
    let (length, replayed) = (numbers.length.get(0), numbers.replayed.get(0));
    check.that(Check::is_time(length) && Check::is_time(replayed), "the length of the run")?;
    let front = FrontTable::open(check.directory)?;
    let front: Vec<i64> = front.time.iter(0..front.len()).collect();
    check.that(front.len() == FRONT + 1 && front.iter().all(|time| Check::is_time(*time)), "the ideal run")?;
    Ok(Run {
        path: read_path(check)?,
        length,
        replayed,
        unmet: numbers.unmet.get(0),
        sums: read_sums(check, begins(&first.sum))?,
        front,
        waits,
        delays,
    })
}

/// Rows of a table that are read at a time.
const READ_AT_ONCE: usize = 1 << 16;

/// Reads a long table piece by piece, each row checked.
fn read_long<T: Pod>(
    check: &Check<'_>,
    len: u64,
    mut row: impl FnMut(u64) -> Result<T, StoreError>,
) -> Result<LongList<T>, StoreError> {
    let mut list = LongList::new(&check.rows.room);
    for from in (0..len).step_by(READ_AT_ONCE) {
        let piece = (from..len.min(from + READ_AT_ONCE as u64)).map(&mut row).collect::<Result<Vec<T>, _>>()?;
        list.extend(&piece)?;
    }
    Ok(list)
}

fn read_waits(check: &Check<'_>) -> Result<(LongList<Wait>, LongList<i64>), StoreError> {
    let rows = WaitTable::open(check.directory)?;
    let spans = check.rows.store.spans.len();
    let read = |row: u64| -> Result<Wait, StoreError> {
        let kind = check.one_of(&WaitKind::ALL, rows.kind.get(row), "the kind of a wait")?;
        let wait = Wait {
            span: rows.span.get(row),
            enter: rows.enter.get(row),
            wait: rows.wait.get(row),
            culprit_span: rows.culprit_span.get(row),
            arrival: rows.arrival.get(row),
            location: rows.location.get(row),
            culprit: rows.culprit.get(row),
            sort: Wait::sort(kind, rows.is_capped.get(row) == 1),
        };
        let apart = rows.since.get(row);
        let times = [wait.enter, wait.wait, wait.arrival, apart];
        let fits = times.into_iter().all(Check::is_time)
            && wait.wait >= 0
            && check.is_row(wait.culprit)
            && wait.culprit_span.some().is_none_or(|span| span.0 < spans);
        check.that(fits, "a wait")?;
        Ok(wait)
    };
    Ok((read_long(check, rows.len(), read)?, read_long(check, rows.len(), |row| Ok(rows.since.get(row)))?))
}

fn read_charges(check: &Check<'_>, waits: usize) -> Result<LongList<Charge>, StoreError> {
    let rows = ChargeTable::open(check.directory)?;
    read_long(check, rows.len(), |row| {
        let charge = Charge { wait: rows.wait.get(row), region: rows.region.get(row), cost: rows.cost.get(row) };
        let fits = (charge.wait as usize) < waits && check.is_region(charge.region) && charge.cost.is_finite();
        check.that(fits, "a charge")?;
        Ok(charge)
    })
}

fn read_costs(check: &Check<'_>) -> Result<Vec<(u32, RegionId, Cost)>, StoreError> {
    let rows = CostTable::open(check.directory)?;
    let cost = |at: u64| -> Result<(u32, RegionId, Cost), StoreError> {
        let (row, region) = (rows.row.get(at), rows.region.get(at));
        let cost = Cost { short: rows.short.get(at), long: rows.long.get(at) };
        check
            .that((row as usize) < check.rows.len() && check.is_region(region) && cost.total().is_finite(), "a cost")?;
        Ok((row, region, cost))
    };
    (0..rows.len()).map(cost).collect()
}

fn read_path(check: &Check<'_>) -> Result<Vec<PathPiece>, StoreError> {
    let rows = PathTable::open(check.directory)?;
    let piece = |row: u64| -> Result<PathPiece, StoreError> {
        let (location, start, end) = (rows.location.get(row), rows.start.get(row), rows.end.get(row));
        check.that(check.is_row(location) && Check::is_window((start, end)), "a piece of the path")?;
        Ok(PathPiece { location, start, end })
    };
    (0..rows.len()).map(piece).collect()
}

fn read_sums(check: &Check<'_>, first: Vec<usize>) -> Result<Sums, StoreError> {
    let (times, sums) = (TimeTable::open(check.directory)?, SumTable::open(check.directory)?);
    let places = check.rows.region_count() as u64 + 1;
    check.that(times.len().checked_mul(places) == Some(sums.len()), "the table of sums")?;
    let sums = Sums {
        times: read_long(check, times.len(), |row| Ok(times.time.get(row)))?,
        by_function: read_long(check, sums.len(), |row| Ok(sums.time.get(row)))?,
        first,
    };
    let most = MOST / (places as i64);
    let fits = check.is_cut(&sums.first, sums.times.len())
        && sums.times.iter().all(|time| Check::is_time(*time))
        && sums.by_function.iter().all(|time| (-most..=most).contains(time));
    check.that(fits, "the table of sums")?;
    Ok(sums)
}
