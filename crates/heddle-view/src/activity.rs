//! Activity: which share of the ranks is inside each function, over time, stacked.
//!
//! Exact: a column shows the time that all ranks spent in a function between the column's edges, divided by
//! the time they had. What stays empty is computing.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_store::Store;
use heddle_store::index::ActivityScope;

use crate::enclosing::spans_in;
use crate::frame::{column_time, frame, plot_area};
use crate::scene::{Band, Layer, LegendEntry, Rect, RectMark, Scene, Size, Tick};
use crate::theme::{Colours, Theme};
use crate::ticks::grouped;
use crate::window::Window;

/// Functions with a band of their own; the others share one.
const MOST_BANDS: usize = 10;

/// Time spent in each region in each column, summed over locations.
pub struct ActivityColumns {
    /// Regions, the ones with most time in the whole trace first, with nanoseconds for each column.
    pub regions: Vec<(RegionId, Vec<u64>)>,
    /// Nanoseconds that all locations together had, for each column.
    pub available: Vec<u64>,
    /// How many locations.
    pub locations: usize,
}

impl ActivityColumns {
    /// Computes `columns` columns of the window.
    pub fn of(store: &Store, window: &Window, columns: u32) -> ActivityColumns {
        let time = window.time(store);
        let edges: Vec<Ns> = (0..=columns).map(|column| column_time(time, columns, column)).collect();
        let locations = window.locations(store);
        let sums = match &window.ranks {
            None => whole(store, &edges),
            Some(_) => selected(store, &edges, &locations),
        };
        let totals = &store.regions.total;
        let mut regions: Vec<_> = sums.into_iter().collect();
        regions.sort_by_key(|(region, _)| (std::cmp::Reverse(totals.get(u64::from(region.0))), *region));
        let available =
            edges.windows(2).map(|edge| edge[1].since(edge[0]).unsigned_abs() * locations.len() as u64).collect();
        ActivityColumns { regions, available, locations: locations.len() }
    }
}

/// Differences between neighbouring edges of the time spent before them.
fn between(store: &Store, series: u64, edges: &[Ns]) -> Vec<u64> {
    let before: Vec<u64> = edges.iter().map(|edge| store.activity.time_before(series, *edge)).collect();
    before.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])).collect()
}

fn whole(store: &Store, edges: &[Ns]) -> FxHashMap<RegionId, Vec<u64>> {
    let series: Vec<_> = store
        .activity
        .series()
        .filter(|(scope, ..)| *scope == ActivityScope::Whole)
        .map(|(_, region, at)| (region, at))
        .collect();
    series.into_par_iter().map(|(region, at)| (region, between(store, at, edges))).collect()
}

/// Whole blocks from the index, the rest from the spans themselves.
fn selected(store: &Store, edges: &[Ns], locations: &[LocationId]) -> FxHashMap<RegionId, Vec<u64>> {
    let is_in = |location: u32| locations.binary_search(&LocationId(location)).is_ok();
    let has_spans = |location: u32| store.locations.spans.get(u64::from(location)) > 0;
    let mut covered = vec![false; store.locations.len() as usize];
    let mut series = Vec::new();
    let mut wanted = vec![false; store.regions.len() as usize];
    for (scope, region, at) in store.activity.series() {
        wanted[region.index()] = true;
        if let ActivityScope::Block(first, last) = scope
            && (first.0..=last.0).all(|location| is_in(location) || !has_spans(location))
        {
            covered[first.index()..=last.index()].fill(true);
            series.push((region, at));
        }
    }
    let from_blocks: Vec<_> = series.into_par_iter().map(|(region, at)| (region, between(store, at, edges))).collect();
    let rest: Vec<LocationId> = locations.iter().copied().filter(|location| !covered[location.index()]).collect();
    let from_spans: Vec<_> =
        rest.into_par_iter().flat_map_iter(|location| of_location(store, location, &wanted, edges)).collect();
    let mut sums: FxHashMap<RegionId, Vec<u64>> = FxHashMap::default();
    for (region, columns) in from_blocks.into_iter().chain(from_spans) {
        let sum = sums.entry(region).or_insert_with(|| vec![0; edges.len() - 1]);
        for (total, part) in sum.iter_mut().zip(columns) {
            *total += part;
        }
    }
    sums
}

fn of_location(store: &Store, location: LocationId, wanted: &[bool], edges: &[Ns]) -> FxHashMap<RegionId, Vec<u64>> {
    let mut sums: FxHashMap<RegionId, Vec<u64>> = FxHashMap::default();
    let columns = edges.len() - 1;
    let spans = spans_in(store, location, (edges[0], edges[columns]));
    let wants = |region: RegionId| wanted[region.index()];
    spans.for_each_stretch(store, wants, |stretch| {
        let first = edges.partition_point(|edge| *edge <= stretch.start).saturating_sub(1);
        for column in (first..columns).take_while(|column| edges[*column] < stretch.end) {
            let (from, to) = (edges[column].max(stretch.start), edges[column + 1].min(stretch.end));
            if to > from {
                sums.entry(stretch.region).or_insert_with(|| vec![0; columns])[column] += to.since(from).unsigned_abs();
            }
        }
    });
    sums
}

/// The picture.
pub fn activity(store: &Store, window: &Window, theme: Theme, size: Size) -> Scene {
    let colours = Colours::of(store, theme);
    let time = window.time(store);
    let plot = plot_area(size, 1, true);
    let columns = ActivityColumns::of(store, window, plot.width as u32);
    let all: u64 = columns.available.iter().sum::<u64>().max(1);
    let share = |times: &[u64]| times.iter().sum::<u64>() as f64 / all as f64;
    let (own, rest) = columns.regions.split_at(columns.regions.len().min(MOST_BANDS));
    let mut stack: Vec<(_, String, Vec<u64>)> = own
        .iter()
        .map(|(region, times)| {
            (colours.region(*region), store.regions.name.get(u64::from(region.0)).to_owned(), times.clone())
        })
        .collect();
    if !rest.is_empty() {
        let mut sum = vec![0; columns.available.len()];
        for (_, times) in rest {
            sum.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
        }
        stack.push((colours.region(RegionId::NONE), format!("{} others", rest.len()), sum));
    }
    let computing = 1.0 - stack.iter().map(|(_, _, times)| share(times)).sum::<f64>();
    let mut legend: Vec<LegendEntry> = stack
        .iter()
        .map(|(colour, name, times)| LegendEntry { colour: *colour, name: name.clone(), value: percent(share(times)) })
        .collect();
    legend.push(LegendEntry { colour: colours.compute(), name: "computing".to_owned(), value: percent(computing) });
    let notes = vec![format!(
        "Height is the exact share of the time of {} locations that they spent in each function, column by column.",
        grouped(columns.locations as u64)
    )];
    let title = format!("{} · activity", store.name());
    let mut scene = frame(size, plot, title, time, &colours, legend, notes);
    scene.y_axis.ticks = [0, 25, 50, 75, 100]
        .iter()
        .map(|part| Tick { at: plot.y + plot.height * (1.0 - *part as f32 / 100.0), label: format!("{part} %") })
        .collect();
    scene.layers.push(Layer::Rects(vec![RectMark { rect: plot, colour: colours.compute(), span: SpanRow::NONE }]));
    scene.layers.push(Layer::Bands(bands(&stack, &columns.available, plot)));
    scene
}

/// Stacks the functions from the bottom up.
fn bands(stack: &[(crate::scene::ColourId, String, Vec<u64>)], available: &[u64], plot: Rect) -> Vec<Band> {
    let bottom = plot.y + plot.height;
    let mut reached = vec![0u64; available.len()];
    stack
        .iter()
        .map(|(colour, _, times)| {
            let edge = |reached: &[u64]| -> Vec<f32> {
                let heights = reached.iter().zip(available).map(|(sum, all)| *sum as f64 / (*all).max(1) as f64);
                heights.map(|height| bottom - (height.min(1.0) as f32) * plot.height).collect()
            };
            let lower = edge(&reached);
            reached.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
            Band { upper: edge(&reached), lower, colour: *colour }
        })
        .collect()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share.max(0.0) * 100.0)
}
