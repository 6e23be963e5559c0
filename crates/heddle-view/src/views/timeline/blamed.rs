//! Timelines coloured by who waits for whom: blue waits, orange makes others wait, everything else recedes.
//!
//! How strong the orange is says how many ranks wait because of what a row does just then: the rate of
//! [`rates`](crate::diagnosed::rates). A cell of a raster shows the mean share of waiting of its rows, or the largest rate of
//! any of them, whichever is stronger on its scale: one rank that makes others wait is seen among thousands.

use rayon::prelude::*;

use heddle_diagnosis::waits::Wait;
use heddle_model::{LocationId, Ns, RegionId, SpanRow};

use super::{Count, MOST_VISITED, TimelinePicture};
use crate::diagnosed::rates::for_each_work;
use crate::diagnosed::tiles::{Bins, Level, Tiles};
use crate::diagnosed::{Diagnosed, Index};
use crate::request::arranged::{Fold, RowOptions};
use crate::request::{Emphasis, ViewRequest};
use crate::scene::blame::BlameInks;
use crate::scene::frame::column_time;
use crate::scene::ticks::{counted, grouped};
use crate::scene::{ColourBar, ColourId, LegendEntry, Raster, Rect, RectMark};
use crate::views::options::{ColourBy, DiagnosisShown};

/// Lower rates are not drawn: fewer than one rank in a hundred of the time.
const LEAST_RATE: f32 = 0.01;
/// Rates are placed on the scale by their logarithm, bent so that what chance does to everybody recedes.
const BEND: f32 = 1.5;
/// The least share of waiting that is drawn.
const LEAST_WAITING: f32 = 0.01;
/// Rows from this height on show communication that does not wait.
const OWN_HEIGHT: f32 = 5.0;

/// Places on the scale of colours: of work that took longer than usual, and of what is above the usual.
const USUAL: f32 = 0.32;
const ABOVE: f32 = 0.8;

/// Colours by a diagnosis.
pub(super) struct Blamed<'a> {
    pub(super) diagnosed: &'a Diagnosed,
    pub(super) index: &'a Index,
    pub(super) inks: BlameInks,
    by: ColourBy,
    emphasis: &'a Emphasis,
    /// Whether rows are those of the path, drawn with what is beyond the usual.
    is_close: bool,
}

impl<'a> Blamed<'a> {
    /// Colours by who waits for whom; none if others are asked for, or there is no diagnosis.
    pub(super) fn new(
        diagnosed: Option<&'a Diagnosed>,
        index: Option<&'a Index>,
        request: &'a ViewRequest,
        inks: BlameInks,
    ) -> Option<Blamed<'a>> {
        let by = DiagnosisShown::of(request).colour?;
        let is_close = request.options.checked::<RowOptions>().fold == Fold::Path;
        Some(Blamed { diagnosed: diagnosed?, index: index?, inks, by, emphasis: &request.emphasis, is_close })
    }

    /// Whether colours are of the path alone.
    pub(super) fn is_path(&self) -> bool {
        self.by == ColourBy::Path
    }

    fn shows_waiting(&self) -> bool {
        matches!(self.by, ColourBy::Waits | ColourBy::Waiting)
    }

    fn shows_cost(&self) -> bool {
        matches!(self.by, ColourBy::Waits | ColourBy::Cost)
    }

    /// The place of a rate on the scale of colours, from 0 to 1.
    pub(super) fn share(&self, rate: f32) -> f32 {
        (rate.max(0.0).ln_1p() / self.index.top.ln_1p()).clamp(0.0, 1.0).powf(BEND)
    }

    /// The colour of a cell, and how strongly it is drawn.
    fn cell(&self, waiting: f32, rate: f32) -> (ColourId, u8) {
        let waits = if self.shows_waiting() && waiting >= LEAST_WAITING { waiting } else { 0.0 };
        let makes = if self.shows_cost() && rate >= LEAST_RATE { self.share(rate) } else { 0.0 };
        match (waits, makes) {
            (waits, makes) if waits <= 0.0 && makes <= 0.0 => (self.inks.useful(), 0),
            (waits, makes) if makes > waits => (self.inks.makes(makes), u8::MAX),
            (waits, _) => (self.inks.waits(waits), u8::MAX),
        }
    }

    /// Whether a function is neither hidden nor receding because others stand out.
    pub(super) fn stands_out(&self, region: RegionId) -> bool {
        !self.emphasis.hides(region) && !self.emphasis.fades(region)
    }

    /// The waits of a location.
    pub(super) fn waits(&self, location: LocationId) -> &'a [Wait] {
        self.index.row_of(location).map_or(&[], |row| self.diagnosed.run.waits.of(row))
    }

    /// Calls `visit` with the stretches in which others wait for a location, and how many do.
    pub(super) fn for_each_cost(
        &self,
        store: &heddle_store::Store,
        location: LocationId,
        window: (Ns, Ns),
        visit: impl FnMut(Ns, Ns, f32),
    ) {
        if let Some(row) = self.index.row_of(location) {
            let work = (self.waits(location), location);
            self.index.rates(row).for_each(store, work, window, |region| self.stands_out(region), visit);
        }
    }

    /// What its colours mean, beside the scale. Communication that does not wait is only seen where calls are drawn one by one.
    pub(super) fn key(&self, is_single: bool) -> Vec<LegendEntry> {
        let entry = |colour, name: &str| LegendEntry { colour, name: name.to_owned(), value: String::new() };
        let mut key = Vec::new();
        if self.by == ColourBy::Waits {
            key.push(entry(self.inks.waits(1.0), "waits"));
        }
        if self.shows_excess() {
            key.push(entry(self.inks.makes(USUAL), "makes others wait"));
            key.push(entry(self.inks.makes(ABOVE), "time above the usual"));
        }
        if self.is_path() {
            key.push(entry(self.inks.makes(ABOVE), "computes, on the path"));
            key.push(entry(self.inks.own(), "communicates, on the path"));
        } else if self.by == ColourBy::Waits && is_single {
            key.push(entry(self.inks.own(), "communicates"));
        }
        key.push(entry(self.inks.useful(), if self.is_path() { "not on the path" } else { "computes" }));
        key
    }

    /// Whether rows show what is above the usual rather than who waits for it.
    fn shows_excess(&self) -> bool {
        let has_cuts = || self.diagnosed.findings.iter().any(|finding| !finding.suspect.cuts.is_empty());
        self.is_close && self.shows_cost() && has_cuts()
    }

    /// The scale of its colours.
    pub(super) fn bar(&self) -> Option<ColourBar> {
        if self.shows_cost() && !self.shows_excess() {
            let title = "makes others wait".to_owned();
            let top = self.index.top;
            let many = format!("{} or more", grouped(top.round() as u64));
            let from = (0.0, "0 ranks".to_owned());
            return Some(ColourBar { title, colours: self.inks.makes_scale(), from, to: (f64::from(top), many) });
        }
        let end = |share: f64, text: &str| (share, text.to_owned());
        (self.by == ColourBy::Waiting).then(|| ColourBar {
            title: "waits".to_owned(),
            colours: self.inks.waits_scale(),
            from: end(0.0, "never"),
            to: end(1.0, "all the time"),
        })
    }
}

/// Tiles, and where columns lie on them.
struct Tiled<'a> {
    tiles: &'a Tiles,
    bins: Vec<(Level, Vec<Bins>)>,
}

/// Waiting and rates along a row of cells.
struct Sums {
    time: (Ns, Ns),
    /// Waiting of all locations, in columns.
    waiting: Vec<f32>,
    /// The largest rate of a location.
    largest: Vec<f32>,
    /// That of the current one, and the columns in which it has any.
    rate: Vec<f32>,
    touched: std::ops::Range<usize>,
}

impl Sums {
    fn new(time: (Ns, Ns), columns: usize) -> Sums {
        Sums {
            time,
            waiting: vec![0.0; columns],
            largest: vec![0.0; columns],
            rate: vec![0.0; columns],
            touched: columns..0,
        }
    }

    /// Adds a stretch to cells, as shares of them; which it touched.
    fn spread(time: (Ns, Ns), cells: &mut [f32], from: Ns, to: Ns, weight: f32) -> std::ops::Range<usize> {
        let per_ns = cells.len() as f64 / time.1.since(time.0).max(1) as f64;
        let place = |at: Ns| (at.since(time.0) as f64 * per_ns).clamp(0.0, cells.len() as f64);
        let (from, to) = (place(from), place(to));
        if to <= from {
            return 0..0;
        }
        let (first, last) = (from as usize, (to as usize).min(cells.len() - 1));
        if first == last {
            cells[first] += (to - from) as f32 * weight;
            return first..first + 1;
        }
        cells[first] += ((first + 1) as f64 - from) as f32 * weight;
        cells[first + 1..last].iter_mut().for_each(|cell| *cell += weight);
        cells[last] += (to - last as f64) as f32 * weight;
        first..last + 1
    }

    fn add_wait(&mut self, from: Ns, to: Ns) {
        Sums::spread(self.time, &mut self.waiting, from, to, 1.0);
    }

    fn add_cost(&mut self, from: Ns, to: Ns, rate: f32) {
        let columns = Sums::spread(self.time, &mut self.rate, from, to, rate);
        if !columns.is_empty() {
            self.touched = self.touched.start.min(columns.start)..self.touched.end.max(columns.end);
        }
    }

    fn end_location(&mut self) {
        let columns = std::mem::replace(&mut self.touched, self.rate.len()..0);
        if columns.is_empty() {
            return;
        }
        for (largest, rate) in self.largest[columns.clone()].iter_mut().zip(&mut self.rate[columns]) {
            *largest = largest.max(std::mem::take(rate));
        }
    }
}

impl TimelinePicture<'_> {
    /// Cells with the stronger of waiting and making others wait.
    pub(super) fn blamed_raster(&self, blamed: &Blamed<'_>, count: &Count) -> (Raster, String) {
        let (columns, rows) = (self.plot.width as u32, self.rows.bands(self.plot.height));
        let bands: Vec<&[LocationId]> = (0..rows).map(|band| self.rows.band(band, rows)).collect();
        // Neighbouring bands may be of one row.
        let distinct: Vec<&[&[LocationId]]> = bands.chunk_by(|a, b| std::ptr::eq(*a, *b)).collect();
        let tiles = blamed.index.tiles.as_ref().filter(|_| count.spans > MOST_VISITED);
        let tiled = tiles.map(|tiles| self.tiled(tiles, columns));
        let cells = |band: &&[&[LocationId]]| -> Vec<(ColourId, u8)> {
            let members = self.rows.stood_for(band[0]);
            let (waiting, rates) = match &tiled {
                Some(tiled) => self.tiled_sums(blamed, tiled, &members, columns),
                None => self.visited_sums(blamed, &members, columns),
            };
            waiting.into_iter().zip(rates).map(|(waiting, rate)| blamed.cell(waiting, rate)).collect()
        };
        let found: Vec<Vec<(ColourId, u8)>> = distinct.par_iter().map(cells).collect();
        let (mut colours, mut strength) = (Vec::new(), Vec::new());
        for (band, cells) in distinct.iter().zip(&found) {
            for _ in 0..band.len() {
                colours.extend(cells.iter().map(|cell| cell.0));
                strength.extend(cells.iter().map(|cell| cell.1));
            }
        }
        (Raster { columns, rows, colours, strength }, self.blamed_note(blamed, &bands, tiles.is_some()))
    }

    fn blamed_note(&self, blamed: &Blamed<'_>, bands: &[&[LocationId]], is_tiled: bool) -> String {
        let most = bands.iter().map(|band| self.rows.stood_for(band).len()).max().unwrap_or(1);
        let who = if most > 1 {
            format!("Each row stands for up to {}; cells", counted(most as u64, "location"))
        } else {
            "Cells".to_owned()
        };
        let what = match blamed.by {
            ColourBy::Waiting => "show the share of time that is waited",
            ColourBy::Cost if most > 1 => "show how many ranks wait because of one of them, at most",
            ColourBy::Cost => "show how many ranks wait because of what is done",
            _ if most > 1 => "show waiting, or how many ranks wait because of one of them, whichever is stronger",
            _ => "show waiting, or how many ranks wait because of what is done, whichever is stronger",
        };
        let how = match (is_tiled, self.emphasis.highlighted.is_empty() && self.emphasis.hidden.is_empty()) {
            (true, true) => ", from sums",
            (true, false) => ", from sums of all functions: zoom in to see some of them",
            (false, _) => "",
        };
        format!("{who} {what}{how}.")
    }

    /// Mean waiting and the largest rate of some locations, column by column.
    fn visited_sums(&self, blamed: &Blamed<'_>, locations: &[LocationId], columns: u32) -> (Vec<f32>, Vec<f32>) {
        let mut sums = Sums::new(self.time, columns.max(1) as usize);
        for location in locations {
            for wait in self.waits_in(blamed, *location).iter().filter(|wait| self.is_shown(blamed, wait)) {
                sums.add_wait(Ns(wait.enter), Ns(wait.end()));
            }
            if blamed.shows_cost() {
                blamed.for_each_cost(self.store, *location, self.time, |from, to, rate| sums.add_cost(from, to, rate));
                sums.end_location();
            }
        }
        let all = locations.len().max(1) as f32;
        sums.waiting.iter_mut().for_each(|waiting| *waiting /= all);
        (sums.waiting, sums.largest)
    }

    /// Where columns lie on tiles, for every level.
    fn tiled<'b>(&self, tiles: &'b Tiles, columns: u32) -> Tiled<'b> {
        let times: Vec<[Ns; 2]> =
            (0..columns).map(|column| [column, column + 1].map(|edge| column_time(self.time, columns, edge))).collect();
        let bins = |level: Level| times.iter().map(|[from, to]| tiles.bins(level, *from, *to)).collect();
        Tiled { tiles, bins: tiles.levels().map(|level| (level, bins(level))).collect() }
    }

    /// The same from tiles.
    fn tiled_sums(
        &self,
        blamed: &Blamed<'_>,
        tiled: &Tiled<'_>,
        locations: &[LocationId],
        columns: u32,
    ) -> (Vec<f32>, Vec<f32>) {
        let (mut waiting, mut rates) = (vec![0.0f32; columns as usize], vec![0.0f32; columns as usize]);
        let column_ns = self.time.1.since(self.time.0) as f64 / f64::from(columns.max(1));
        // Tiles are of neighbours: in another order, those of several rows are of the wrong ones.
        let each = if self.rows.is_arranged() { 1.0 } else { locations.len() as f64 };
        let level = tiled.tiles.level(each, column_ns);
        let Some((level, bins)) = tiled.bins.iter().find(|(other, _)| Some(*other) == level) else {
            return (waiting, rates);
        };
        let mut blocks: Vec<usize> =
            locations.iter().filter_map(|at| blamed.index.row_of(*at)).map(|row| row / level.rows).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let all = blocks.len().max(1) as f32;
        for block in blocks {
            let row = tiled.tiles.row(*level, block);
            for (column, bins) in bins.iter().enumerate() {
                let (share, rate) = row.between(bins);
                waiting[column] += share / all;
                rates[column] = rates[column].max(rate);
            }
        }
        (waiting, rates)
    }

    /// Whether the call of a wait stands out.
    fn is_shown(&self, blamed: &Blamed<'_>, wait: &Wait) -> bool {
        blamed.stands_out(self.store.spans.region.get(wait.span.0))
    }

    /// The waits of a location that the window sees.
    pub(super) fn waits_in<'b>(&self, blamed: &Blamed<'b>, location: LocationId) -> &'b [Wait] {
        let all = blamed.waits(location);
        let first = all.partition_point(|wait| wait.end() <= self.time.0.0);
        let last = all.partition_point(|wait| wait.enter < self.time.1.0);
        &all[first.min(last)..last]
    }

    /// Waits, and what made others wait, one by one.
    pub(super) fn blamed_rects(&self, blamed: &Blamed<'_>) -> Vec<RectMark> {
        let of_row = |(row, location): (usize, &LocationId)| {
            let lane = self.lane(row);
            let mut marks = Vec::new();
            let mut mark = |from: Ns, to: Ns, colour: ColourId, span: SpanRow| {
                let [left, right] = [from, to].map(|time| self.x(time));
                let rect = Rect { x: left, width: (right - left).max(1.0), ..lane };
                marks.push(RectMark { rect, colour, span });
            };
            if blamed.by == ColourBy::Waits && lane.height >= OWN_HEIGHT {
                let regions = &self.store.regions;
                for_each_work(self.store, blamed.waits(*location), *location, self.time, |region, from, to| {
                    if region.is_some() && regions.communicates(region) && blamed.stands_out(region) {
                        mark(Ns(from), Ns(to), blamed.inks.own(), SpanRow::NONE);
                    }
                });
            }
            if blamed.shows_waiting() {
                for wait in self.waits_in(blamed, *location).iter().filter(|wait| self.is_shown(blamed, wait)) {
                    mark(Ns(wait.enter), Ns(wait.end()), blamed.inks.waits(1.0), wait.span);
                }
            }
            let shows_excess = blamed.shows_excess();
            if blamed.shows_cost() {
                // What is above the usual stands out of what others wait for.
                let most = if shows_excess { USUAL } else { 1.0 };
                blamed.for_each_cost(self.store, *location, self.time, |from, to, rate| {
                    if rate >= LEAST_RATE {
                        mark(from, to, blamed.inks.makes(blamed.share(rate).min(most)), SpanRow::NONE);
                    }
                });
            }
            if shows_excess {
                for (from, to, share) in self.excess_of(blamed, *location) {
                    mark(from, to, blamed.inks.makes(share), SpanRow::NONE);
                }
            }
            marks
        };
        self.rows.locations().par_iter().enumerate().flat_map_iter(of_row).collect()
    }

    /// What suspects did beyond the usual: the whole stretch pale, what is above the usual at its end.
    fn excess_of(&self, blamed: &Blamed<'_>, location: LocationId) -> Vec<(Ns, Ns, f32)> {
        let mut found = Vec::new();
        for finding in &blamed.diagnosed.findings {
            let cuts = &finding.suspect.cuts;
            let first = cuts.partition_point(|cut| cut.location < location);
            for cut in cuts[first..].iter().take_while(|cut| cut.location == location) {
                if cut.end.0 > self.time.0.0 && cut.start.0 < self.time.1.0 {
                    let from = Ns((cut.end.0 - cut.excess).max(cut.start.0));
                    found.extend([(cut.start, from, USUAL), (from, cut.end, ABOVE)]);
                }
            }
        }
        found.retain(|(from, to, _)| from < to);
        found
    }
}
