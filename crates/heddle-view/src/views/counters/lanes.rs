//! Lanes of counters: what each shows in every pixel column, its scale, and how it is drawn. Those of the view, and those below the
//! rows of the timeline.

use heddle_model::{MetricId, Ns};
use heddle_store::Store;
use heddle_store::index::{Counted, Reading, Series};
use rayon::prelude::*;

use crate::lookup::counters::value_with_unit;
use crate::request::picked::Picked;
use crate::request::window::{row_name, shortened};
use crate::scene::frame::column_time;
use crate::scene::theme::Colours;
use crate::scene::ticks::{counted, grouped, time_text_between};
use crate::scene::{Band, ColourId, Rect, Rgba};

/// In higher lanes the name has a line of its own above the values.
pub(crate) const NAME_HEIGHT: f32 = 34.0;
/// Height of that line.
pub(crate) const LINE: f32 = 15.0;
/// Characters of a name, and of a place behind it.
const MOST_NAME: usize = 60;
/// Values are looked up one location after the other up to so many in sight; beyond, bins stand for all.
const MOST_SAMPLES: u64 = 2_000_000;
/// A scale begins at zero unless values differ by less than this part of the largest.
const NARROW: f64 = 0.1;

/// What a lane shows.
pub(crate) struct Lane {
    pub(crate) metric: MetricId,
    pub(crate) reading: Reading,
    /// One, or all locations of the counter.
    pub(crate) series: Vec<Series>,
    pub(crate) rect: Rect,
}

/// What is to be drawn, and where.
pub(crate) struct Lanes<'a> {
    pub(crate) store: &'a Store,
    pub(crate) time: (Ns, Ns),
    pub(crate) plot: Rect,
    pub(crate) all: Vec<Lane>,
    /// Counters for which there is no room.
    pub(crate) left_out: usize,
}

/// The columns of a lane, left edges and values.
pub(crate) struct Shown {
    /// One for each pixel column.
    pub(crate) columns: Vec<Counted>,
    /// How long a bin is, where bins stand for the values.
    pub(crate) bin_ns: Option<i64>,
}

impl Lanes<'_> {
    /// What a lane shows in every pixel column.
    pub(crate) fn shown(&self, lane: &Lane) -> Shown {
        let counters = &self.store.counters;
        let columns = self.plot.width as u32;
        let edges: Vec<Ns> = (0..=columns).map(|column| column_time(self.time, columns, column)).collect();
        // The bins are those of all locations together.
        let is_all = || counters.series().filter(|one| one.metric == lane.metric).count() == lane.series.len();
        let in_sight = || lane.series.par_iter().map(|series| counters.samples_in(series, self.time)).sum::<u64>();
        if lane.series.len() > 1
            && in_sight() > MOST_SAMPLES
            && is_all()
            && let Some((bin_ns, bins)) = counters.of_all(lane.metric, lane.reading)
        {
            return self.binned(bin_ns, &bins, &edges);
        }
        let of_one = |series: &Series| counters.between(series, lane.reading, &edges);
        let both = |mut sums: Vec<Counted>, more: Vec<Counted>| {
            sums.resize(sums.len().max(more.len()), Counted::default());
            sums.iter_mut().zip(more).for_each(|(sum, one)| *sum = sum.and(one));
            sums
        };
        Shown { columns: lane.series.par_iter().map(of_one).reduce(Vec::new, both), bin_ns: None }
    }

    /// Columns that show bins: as many as make a pixel, or one for several pixels.
    fn binned(&self, bin_ns: i64, bins: &[Counted], edges: &[Ns]) -> Shown {
        let pixel = (self.time.1.since(self.time.0) as f64 / f64::from(self.plot.width)).max(1.0);
        let mut each = 1usize;
        while ((each as i64).saturating_mul(bin_ns) as f64) < pixel && each < bins.len() {
            each *= 2;
        }
        let joined: Vec<Counted> =
            bins.chunks(each).map(|some| some.iter().copied().fold(Counted::default(), Counted::and)).collect();
        let long = bin_ns.saturating_mul(each as i64);
        let at = |edge: &Ns| joined.get((edge.0 / long).max(0) as usize).copied().unwrap_or_default();
        let columns = edges[..edges.len() - 1].iter().map(at).collect();
        Shown { columns, bin_ns: Some(long) }
    }

    /// A value with its unit.
    pub(crate) fn text(&self, lane: &Lane, value: f64) -> String {
        let text = value_with_unit(self.store, lane.metric, value);
        if lane.reading == Reading::Rate { format!("{text}/s") } else { text }
    }

    /// Whose values a lane has.
    pub(crate) fn who(&self, lane: &Lane) -> String {
        match lane.series.as_slice() {
            [one] => place_name(self.store, one),
            several => format!("all {} locations", grouped(several.len() as u64)),
        }
    }

    pub(crate) fn name(&self, lane: &Lane) -> String {
        let name = shortened(self.store.metrics.name.get(u64::from(lane.metric.0)), MOST_NAME);
        let mut parts = vec![name];
        parts.extend(Some(self.who(lane)).filter(|who| !who.is_empty()).map(|who| shortened(&who, MOST_NAME)));
        parts.extend(Some(unit_of(self.store, lane.metric, lane.reading)).filter(|unit| !unit.is_empty()));
        parts.join(" · ")
    }
}

/// What values of a counter are in; nothing where they are plain numbers.
pub(crate) fn unit_of(store: &Store, metric: MetricId, reading: Reading) -> String {
    let unit: String = store.metrics.unit.get(u64::from(metric.0)).chars().take(12).collect();
    match (reading, unit.as_str()) {
        (Reading::Level, "#") => String::new(),
        (Reading::Level, _) => unit,
        (Reading::Rate, "" | "#") => "per second".to_owned(),
        (Reading::Rate, _) => format!("{unit} per second"),
    }
}

/// Where a series was recorded; nothing where that says nothing: tools give places of counters alone no names.
fn place_name(store: &Store, series: &Series) -> String {
    let at = u64::from(series.location.0);
    let rank = store.locations.rank.get(at);
    match (store.locations.name.get(at).is_empty(), rank.is_some()) {
        (true, true) => format!("rank {}", grouped(u64::from(rank.0))),
        (true, false) => String::new(),
        (false, _) => row_name(store, series.location),
    }
}

/// Which value is where in a lane.
pub(crate) struct Scale {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) top: f32,
    pub(crate) bottom: f32,
}

impl Scale {
    /// From what is in sight; none if there is nothing.
    pub(crate) fn of(columns: &[Counted], rect: Rect) -> Option<Scale> {
        let head = if rect.height >= NAME_HEIGHT { LINE } else { 2.0 };
        Scale::within(columns, (rect.y + head, rect.y + rect.height - 3.0))
    }

    /// The same between two places.
    pub(crate) fn within(columns: &[Counted], (top, bottom): (f32, f32)) -> Option<Scale> {
        let all = columns.iter().copied().fold(Counted::default(), Counted::and);
        if !all.is_known() {
            return None;
        }
        let size = all.least.abs().max(all.most.abs());
        let is_narrow = all.most > all.least && all.most - all.least < NARROW * size;
        let (mut low, mut high) =
            if is_narrow { (all.least, all.most) } else { (all.least.min(0.0), all.most.max(0.0)) };
        if high <= low {
            (low, high) = (low, low + 1.0);
        }
        Some(Scale { low, high, top, bottom })
    }

    fn y(&self, value: f64) -> f32 {
        let share = (value - self.low) / (self.high - self.low);
        self.bottom - (share * f64::from(self.bottom - self.top)) as f32
    }
}

/// Colours of a lane: the area below, the band from least to largest, the line of means.
pub(crate) struct Inks {
    pub(crate) area: ColourId,
    pub(crate) band: ColourId,
    pub(crate) line: ColourId,
    pub(crate) paper: ColourId,
}

impl Inks {
    pub(crate) fn add(palette: &mut Vec<Rgba>, colours: &Colours) -> Inks {
        let Rgba(red, green, blue, _) = palette[usize::from(colours.accent().0)];
        let paper = palette[usize::from(colours.background().0)];
        let mut add = |colour: Rgba| {
            palette.push(colour);
            ColourId(palette.len() as u16 - 1)
        };
        Inks {
            area: add(Rgba(red, green, blue, 40)),
            band: add(Rgba(red, green, blue, 110)),
            line: add(Rgba(red, green, blue, 255)),
            paper: add(Rgba(paper.0, paper.1, paper.2, 200)),
        }
    }
}

/// The area below the least value, the band up to the largest, and the mean.
pub(crate) fn draw(columns: &[Counted], scale: &Scale, inks: &Inks) -> [Band; 3] {
    const HALF: f32 = 0.75;
    let y = |value: f64| if value.is_finite() { scale.y(value) } else { f32::NAN };
    let means: Vec<f32> = columns.iter().map(|one| one.mean().map_or(f32::NAN, |mean| scale.y(mean))).collect();
    let zero = scale.y(0.0_f64.clamp(scale.low, scale.high));
    let band = |upper: Vec<f32>, lower: Vec<f32>, colour: ColourId| Band { upper, lower, colour };
    let near: Vec<f32> = columns
        .iter()
        .map(|one| if one.least < 0.0 && one.most < 0.0 { y(one.most) } else { y(one.least.max(0.0)) })
        .collect();
    let area = band(
        near.iter().map(|edge| if edge.is_nan() { f32::NAN } else { edge.min(zero) }).collect(),
        near.iter().map(|edge| if edge.is_nan() { f32::NAN } else { edge.max(zero) }).collect(),
        inks.area,
    );
    let range = band(
        columns.iter().map(|one| y(one.most)).collect(),
        columns.iter().map(|one| y(one.least)).collect(),
        inks.band,
    );
    let mean = band(means.iter().map(|y| y - HALF).collect(), means.iter().map(|y| y + HALF).collect(), inks.line);
    [area, range, mean]
}

impl Lanes<'_> {
    /// What is at a place of them.
    pub(crate) fn pick(&self, colours: &Colours, at: (f32, f32)) -> Option<Picked> {
        let store = self.store;
        let lane = self.all.iter().find(|lane| lane.rect.contains(at))?;
        let columns = self.plot.width as u32;
        let column = ((at.0 - self.plot.x) as u32).min(columns.saturating_sub(1));
        let shown = self.shown(lane);
        let told = shown.columns.get(column as usize).copied().unwrap_or_default();
        let [from, to] = [column, column + 1].map(|edge| column_time(self.time, columns, edge));
        let (from, to) = match shown.bin_ns {
            Some(bin) => (Ns(from.0 / bin * bin), Ns((from.0 / bin + 1) * bin)),
            None => (from, Ns(to.0.max(from.0 + 1))),
        };
        let mut lines: Vec<String> = Some(self.who(lane)).filter(|who| !who.is_empty()).into_iter().collect();
        match told.mean() {
            Some(mean) if told.least < told.most => {
                lines.push(format!("{} on average", self.text(lane, mean)));
                lines.push(format!("{} to {}", self.text(lane, told.least), self.text(lane, told.most)));
            }
            Some(mean) => lines.push(self.text(lane, mean)),
            None => lines.push("no value".to_owned()),
        }
        lines.push(time_text_between(from, to));
        if shown.bin_ns.is_none() {
            let samples: u64 = lane.series.iter().map(|series| store.counters.samples_in(series, (from, to))).sum();
            lines.push(format!("{} recorded here", counted(samples, "value")));
        }
        Some(Picked {
            title: store.metrics.name.get(u64::from(lane.metric.0)).to_owned(),
            colour: colours.palette()[usize::from(colours.accent().0)],
            lines,
            select: None,
            toggles: None,
            sets: None,
            area: Some(Rect { x: self.plot.x + column as f32, width: 1.0, ..lane.rect }),
        })
    }
}
