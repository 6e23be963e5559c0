//! What lies in a rectangle of the call view: how many calls, how long, on how many ranks, and which are the slowest. An area
//! of the timeline (`area.rs`) is answered in the same form.
//!
//! A call of the styles that draw points is in the rectangle if its point is; a line or an arch is if it is open at any time of it. The
//! rectangle's edges belong to it.
//!
//! Every call in the rectangle's time is looked at, several locations at once. Of a rectangle with many calls the profile gives the
//! numbers instead, where it is at hand ([`summed`]): exact, too, for durations that are told with them.

mod summed;

pub use summed::brush_rests_on_profile;

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_store::tables::SpanTable;
use heddle_store::{Columns, Store};
use serde::{Serialize, Serializer};

use crate::analyses::Trace;
use crate::lookup::call_regions::call_regions;
use crate::lookup::counters::CounterAt;
use crate::lookup::counters::metric_named;
use crate::lookup::enclosing::{SpansInSight, spans_in};
use crate::lookup::traffic::Traffic;
use crate::request::ViewRequest;
use crate::request::names::{SpanName, number_text, time_text};
use crate::request::selection::Selection;
use crate::request::window::{RankSet, number_of, row_name};
use crate::views::calls::options::{CallHeight, CallStyle, CallsOptions};
use crate::views::options::{ColourBy, EventOptions};
use heddle_profile::callers::Callers;

/// Slowest calls that are named.
pub(super) const MOST_NAMED: usize = 10;
/// A filter longer than this does not fit an address.
const LONGEST_FILTER: usize = 4_000;

/// A rectangle in the coordinates of the trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brush {
    /// From and to.
    pub time: (Ns, Ns),
    /// Least and most: nanoseconds, bytes, ranks or values of a counter, as the view's heights are.
    pub values: (f64, f64),
}

/// What lies in a rectangle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Brushed {
    /// How many calls.
    #[serde(serialize_with = "number_text")]
    pub calls: u64,
    /// Their durations together; of an area, the time that its ranks spend in calls.
    #[serde(rename = "total_ns", serialize_with = "number_text")]
    pub total: u64,
    /// How many ranks they are of, or locations in a trace that has several per rank.
    pub ranks: usize,
    /// Out of so many.
    pub ranks_total: usize,
    /// Those ranks as a filter, unless it would be too long to pass on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks_filter: Option<String>,
    /// The same by function, those with most time first: by the function that is called, or by the one that it is called
    /// from where that is what colours mean.
    pub by_function: Vec<BrushedFunction>,
    /// The slowest calls, the slowest first.
    pub slowest: Vec<BrushedCall>,
    /// What is sent and received, in an area.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<BrushedMessages>,
    /// What calls were chosen by, if not by exactly what was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summed: Option<Summed>,
}

/// How the calls of a large rectangle were added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Summed {
    /// The shortest duration that counts: the rectangle's, or a little less.
    #[serde(rename = "least_ns", serialize_with = "time_text")]
    pub least: Ns,
    /// The longest: the rectangle's, or a little more.
    #[serde(rename = "most_ns", serialize_with = "time_text")]
    pub most: Ns,
    /// Locations that were not searched for the slowest calls, though they have some that last as long to within a 32nd.
    pub unsearched: usize,
}

/// The calls of one function.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BrushedFunction {
    /// Which; none for calls without a caller.
    #[serde(serialize_with = "region_id")]
    pub region: RegionId,
    /// Its name. Hostile text.
    pub name: String,
    /// How many calls.
    #[serde(serialize_with = "number_text")]
    pub calls: u64,
    /// Their durations together; of an area, what of them lies in it.
    #[serde(rename = "total_ns", serialize_with = "number_text")]
    pub total: u64,
    /// Of an area, what of that time is not in calls that they make.
    #[serde(rename = "own_ns", skip_serializing_if = "Option::is_none", serialize_with = "some_number_text")]
    pub own: Option<u64>,
    /// How many ranks they are of.
    pub ranks: usize,
}

/// A slow call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BrushedCall {
    /// Which.
    pub select: Selection,
    /// Its function.
    #[serde(serialize_with = "region_id")]
    pub region: RegionId,
    /// The function's name. Hostile text.
    pub name: String,
    /// Whose it is: a rank, or a location's name. Hostile text.
    pub who: String,
    /// Its rank, or the number of its location in a trace without ranks.
    pub rank: u32,
    /// When it begins.
    #[serde(rename = "start_ns", serialize_with = "time_text")]
    pub start: Ns,
    /// When it ends.
    #[serde(rename = "end_ns", serialize_with = "time_text")]
    pub end: Ns,
    /// How long it takes.
    #[serde(rename = "duration_ns", serialize_with = "number_text")]
    pub duration: u64,
}

/// Messages with an end in an area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BrushedMessages {
    /// Those that its ranks send during its time.
    pub sent: MessageSum,
    /// Those that its ranks receive during its time.
    pub received: MessageSum,
    /// Those that are both.
    pub inside: MessageSum,
}

/// Some messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MessageSum {
    /// How many.
    #[serde(serialize_with = "number_text")]
    pub count: u64,
    /// Their lengths together.
    #[serde(serialize_with = "number_text")]
    pub bytes: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, clippy::ref_option, reason = "the signature is serde's")]
fn some_number_text<S: Serializer>(number: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    number.map(|number| number.to_string()).serialize(serializer)
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn region_id<S: Serializer>(region: &RegionId, serializer: S) -> Result<S::Ok, S::Error> {
    region.0.serialize(serializer)
}

/// By which of their times functions are put in order and added up: calls inside each other share their totals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Total,
    Own,
}

/// Calls of one region.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) calls: u64,
    pub(super) total: u64,
    pub(super) own: u64,
    locations: usize,
}

/// What was found at some locations.
#[derive(Default)]
pub(super) struct Found {
    locations: Vec<LocationId>,
    /// Of each region; behind the last region, of what has none.
    regions: Vec<Sum>,
    /// Duration and row of the slowest calls, the slowest first.
    slowest: Vec<(u64, u64)>,
    /// Locations whose slowest calls have not been looked for, and how long the slowest one of each is.
    pub(super) others: Vec<(u64, LocationId)>,
}

impl Found {
    /// What is known of a region.
    pub(super) fn of(&mut self, region: usize) -> &mut Sum {
        if self.regions.len() <= region {
            self.regions.resize(region + 1, Sum::default());
        }
        &mut self.regions[region]
    }

    /// All of these calls are of one location.
    pub(super) fn at(mut self, location: LocationId) -> Found {
        for sum in &mut self.regions {
            sum.locations = usize::from(sum.calls > 0);
        }
        if self.regions.iter().any(|sum| sum.calls > 0) {
            self.locations.push(location);
        }
        self
    }

    /// Its slowest calls and nothing else.
    fn only_slowest(self) -> Found {
        Found { slowest: self.slowest, ..Found::default() }
    }

    pub(super) fn add_slow(&mut self, call: (u64, u64)) {
        let is_before =
            |known: &(u64, u64)| (std::cmp::Reverse(known.0), known.1) < (std::cmp::Reverse(call.0), call.1);
        let at = self.slowest.partition_point(is_before);
        if at < MOST_NAMED {
            self.slowest.insert(at, call);
            self.slowest.truncate(MOST_NAMED);
        }
    }

    pub(super) fn merge(mut self, other: Found) -> Found {
        self.locations.extend(other.locations);
        self.regions.resize(self.regions.len().max(other.regions.len()), Sum::default());
        for (sum, part) in self.regions.iter_mut().zip(other.regions) {
            sum.calls += part.calls;
            sum.total = sum.total.saturating_add(part.total);
            sum.own = sum.own.saturating_add(part.own);
            sum.locations += part.locations;
        }
        self.others.extend(other.others);
        other.slowest.into_iter().for_each(|call| self.add_slow(call));
        self
    }

    /// The answer, out of so many locations: functions by their time, the largest first.
    pub(super) fn told(self, store: &Store, all: usize, by: By) -> Brushed {
        let key = |sum: &Sum| if by == By::Own { sum.own } else { sum.total };
        let mut sums: Vec<(usize, Sum)> =
            self.regions.into_iter().enumerate().filter(|(_, sum)| sum.calls > 0).collect();
        sums.sort_by_key(|(region, sum)| (std::cmp::Reverse(key(sum)), *region));
        let by_function = sums.iter().map(|(region, sum)| {
            let region = if (*region as u64) < store.regions.len() { RegionId(*region as u32) } else { RegionId::NONE };
            let name = region.some().map_or("no caller", |region| store.regions.name.get(u64::from(region.0)));
            BrushedFunction {
                region,
                name: name.to_owned(),
                calls: sum.calls,
                total: sum.total,
                own: (by == By::Own).then_some(sum.own),
                ranks: sum.locations,
            }
        });
        let mut in_order = self.locations;
        in_order.sort_unstable();
        let filter = in_order.iter().map(|location| number_of(store, *location)).collect::<RankSet>().to_string();
        Brushed {
            calls: sums.iter().map(|(_, sum)| sum.calls).sum(),
            total: sums.iter().map(|(_, sum)| key(sum)).fold(0, u64::saturating_add),
            ranks: in_order.len(),
            ranks_total: all,
            ranks_filter: Some(filter).filter(|filter| !filter.is_empty() && filter.len() <= LONGEST_FILTER),
            by_function: by_function.collect(),
            slowest: self.slowest.into_iter().map(|(duration, row)| named(store, row, duration)).collect(),
            messages: None,
            summed: None,
        }
    }
}

/// Everything in a rectangle, under the filters of the view: ranks, hidden functions, durations and communicator.
pub fn brushed(trace: &Trace<'_>, request: &ViewRequest, brush: &Brush) -> Brushed {
    let store = trace.store;
    let locations = request.window.locations(store);
    let rectangle = Rectangle::new(store, request, brush, &locations);
    let profile = trace.profile.as_deref().filter(|_| brush_rests_on_profile(request));
    if let Some(profile) = profile.filter(|_| rectangle.is_large()) {
        return rectangle.summed(profile, &locations);
    }
    let found = locations
        .par_iter()
        .enumerate()
        .map(|(place, location)| rectangle.at(place, *location))
        .reduce(Found::default, Found::merge);
    found.told(store, locations.len(), By::Total)
}

fn named(store: &Store, row: u64, duration: u64) -> BrushedCall {
    let (spans, location) = (&store.spans, store.locations.of_span(SpanRow(row)));
    let region = spans.region.get(row);
    BrushedCall {
        select: Selection::Span(SpanName::of(store, SpanRow(row))),
        region,
        name: store.regions.name.get(u64::from(region.0)).to_owned(),
        who: row_name(store, location),
        rank: number_of(store, location),
        start: spans.start.get(row),
        end: spans.end.get(row),
        duration,
    }
}

/// What is looked for.
struct Rectangle<'a> {
    store: &'a Store,
    options: CallsOptions,
    brush: &'a Brush,
    is_shown: Vec<bool>,
    /// The shortest and the longest call that it holds.
    lasting: (i64, i64),
    /// Only where bytes or communicators matter.
    traffic: Option<Traffic<'a>>,
    /// Only where heights are its values.
    counter: Option<CounterAt>,
    /// Only where calls are told apart by who made them.
    callers: Option<Callers>,
}

impl<'a> Rectangle<'a> {
    fn new(store: &'a Store, request: &ViewRequest, brush: &'a Brush, locations: &[LocationId]) -> Rectangle<'a> {
        let mut is_shown = call_regions(store);
        for region in &request.emphasis.hidden {
            if let Some(shown) = is_shown.get_mut(region.index()) {
                *shown = false;
            }
        }
        let is_by_caller = request.options.checked::<EventOptions>().colour == ColourBy::Caller;
        let options: CallsOptions = request.options.checked();
        let lasting = lasting(&options, brush);
        let mut rectangle = Rectangle {
            store,
            options,
            brush,
            is_shown,
            lasting,
            traffic: None,
            counter: None,
            callers: is_by_caller.then(|| Callers::new(store)),
        };
        let options = &rectangle.options;
        rectangle.traffic = options.needs_traffic().then(|| Traffic::new(store, brush.time, options.communicator));
        if let CallHeight::Counter(name) = &rectangle.options.y {
            rectangle.counter = metric_named(store, name).map(|metric| CounterAt::new(store, metric, locations));
        }
        rectangle
    }

    /// Whether a call passes everything that its row says by itself.
    #[inline]
    fn is_seen(&self, Call { start, end, region, .. }: &Call) -> bool {
        if !self.is_shown.get(region.index()).is_some_and(|shown| *shown) {
            return false;
        }
        let (from, to) = self.brush.time;
        let is_in_time = match self.options.style {
            CallStyle::PointsEnd => (from..=to).contains(end),
            CallStyle::PointsStart => (from..=to).contains(start),
            CallStyle::Lines | CallStyle::Arches => *start <= to && *end >= from,
        };
        is_in_time && (self.lasting.0..=self.lasting.1).contains(&end.since(*start))
    }

    fn has_height(&self, value: f64) -> bool {
        (self.brush.values.0..=self.brush.values.1).contains(&value)
    }

    fn at(&self, place: usize, location: LocationId) -> Found {
        let mut found = Found::default();
        let (spans, options) = (&self.store.spans, &self.options);
        if !self.has_rank(location) {
            return found;
        }
        // A nanosecond more on both sides: the edges belong to the rectangle.
        let time = (Ns(self.brush.time.0.0.saturating_sub(1)), Ns(self.brush.time.1.0.saturating_add(1)));
        let in_sight = spans_in(self.store, location, time);
        let known = self.traffic.as_ref().map(|traffic| {
            // Nobody asks for the bytes of a function that goes on for the whole run.
            let around = in_sight.around.iter().copied().filter(|row| self.is_seen(&Call::get(spans, *row))).collect();
            traffic.of_spans(location, &SpansInSight { around, inside: in_sight.inside.clone() })
        });
        let known = known.unwrap_or_default();
        let bytes = |row: u64| known.binary_search_by_key(&row, |(call, _)| *call).ok().map(|at| known[at].1);
        let mut walk = self.callers.as_ref().map(Callers::walk);
        for_each_call(spans, &in_sight, |call| {
            let caller = walk.as_mut().map(|walk| walk.enter(call.depth, call.region));
            if !self.is_seen(&call) {
                return;
            }
            let is_in = match (&self.traffic, &self.counter) {
                (_, Some(counter)) if !self.has_counted(counter, place, (call.start, call.end)) => false,
                (Some(_), _) => {
                    let bytes = bytes(call.row);
                    let is_high = || options.y != CallHeight::Bytes || self.has_height(bytes.unwrap_or(0) as f64);
                    options.has_traffic(bytes) && is_high()
                }
                (None, _) => true,
            };
            if is_in {
                self.add(&mut found, &call, caller.unwrap_or(call.region));
            }
        });
        found.at(location)
    }

    fn has_counted(&self, counter: &CounterAt, place: usize, call: (Ns, Ns)) -> bool {
        counter.value(place, call).is_some_and(|value| self.has_height(value.max(0.0)))
    }

    fn add(&self, found: &mut Found, call: &Call, function: RegionId) {
        let length = call.end.since(call.start).unsigned_abs();
        let region = function.index().min(self.store.regions.len() as usize);
        let sum = found.of(region);
        sum.calls += 1;
        sum.total += length;
        found.add_slow((length, call.row));
    }
}

/// How short and how long calls may be by filter and height.
fn lasting(options: &CallsOptions, brush: &Brush) -> (i64, i64) {
    let (least, most) = options.durations.map_or((0, i64::MAX), |(least, most)| (least.0, most.0));
    if options.y != CallHeight::Duration {
        return (least, most);
    }
    let (low, high) = brush.values;
    (least.max(low.ceil() as i64), most.min(high.floor() as i64))
}

/// What its row says of a call.
struct Call {
    row: u64,
    start: Ns,
    end: Ns,
    region: RegionId,
    depth: u16,
}

impl Call {
    fn get(spans: &SpanTable, row: u64) -> Call {
        Call {
            row,
            start: spans.start.get(row),
            end: spans.end.get(row),
            region: spans.region.get(row),
            depth: spans.depth.get(row),
        }
    }
}

/// Visits the calls in sight in the order they were entered.
#[inline]
fn for_each_call(spans: &SpanTable, in_sight: &SpansInSight, mut visit: impl FnMut(Call)) {
    in_sight.around.iter().for_each(|row| visit(Call::get(spans, *row)));
    let mut row = in_sight.inside.start;
    let columns = (&spans.start, &spans.end, &spans.region, &spans.depth);
    columns.for_each(in_sight.inside.clone(), |(start, end, region, depth)| {
        visit(Call { row, start, end, region, depth });
        row += 1;
    });
}
