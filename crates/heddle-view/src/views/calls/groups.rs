//! Calls where heights are ranks, taken from the counts of groups of ranks, where there are too many to visit.
//!
//! Counts are those of bins of time, so how many calls have started by a moment is known at the edges of bins. Between them it
//! is taken to grow evenly, and so is how many have ended: at the edge of a column it is rounded, by the same fraction for both, so
//! that what has ended has started. In the bins that the window's own edges cut calls are visited, so that what is counted in a
//! window is exact. A group that lies on two bands is divided between them in proportion, and rounded in the same way.

use std::ops::Range;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_profile::by_rank::{CallsByRank, RankLevel};
use heddle_store::index::NUMBERS;
use heddle_store::{Columns, Store};

use super::bands::BandCounts;
use super::looks::{Look, Looks};
use super::options::{CallHeight, CallStyle, CallsOptions};
use super::scatter::Having;
use super::tally::Tally;
use super::{CallsPicture, MANY_LOCATIONS};
use crate::lookup::enclosing::{SpansInSight, beginning_in, spans_in};
use crate::request::ViewRequest;
use crate::views::options::{ColourBy, EventOptions};

/// Bands that are worked on together: a group that lies on two of them is read once.
const BANDS: usize = 8;

/// The counts of groups as a picture needs them.
#[derive(Debug)]
pub(super) struct ShownGroups<'a> {
    all: &'a CallsByRank,
    /// The level, and its place.
    level: RankLevel,
    at: usize,
}

/// Where the edge of a column is: in which bin, and how far in what the window has of it.
#[derive(Clone, Copy)]
struct Edge {
    bin: usize,
    share: f64,
}

/// Calls of a look in a group, counted up to the left edge of each column and to the window's end.
struct Course {
    look: Look,
    /// How many have come: points, or lines, with those that were open when the window began.
    at: Vec<u64>,
    /// How many lines have ended.
    ended: Vec<u64>,
}

/// A part of a bin, cut off by an edge of the window.
enum Part {
    /// Of each function, how many calls of a group start and end in it.
    Visited(Vec<[u32; 2]>),
    /// So large a share of the bin, where nobody is visited.
    About(f64),
}

impl<'a> ShownGroups<'a> {
    /// Of a window in so many columns; none if there are no counts.
    pub(super) fn new(all: &'a CallsByRank, window_ns: i64, columns: u32) -> Option<ShownGroups<'a>> {
        let is_narrow = |level: &RankLevel| level.bin_ns.saturating_mul(i64::from(columns)) <= window_ns;
        let at = all.levels().iter().rposition(is_narrow).unwrap_or(0);
        // A bin that is as long as the window tells nothing of it.
        let level = all.levels().get(at).filter(|level| level.bin_ns < window_ns)?;
        Some(ShownGroups { all, level: *level, at })
    }

    /// Ranks of a group.
    pub(super) fn size(&self) -> usize {
        self.all.group_size()
    }

    /// The width of a bin in columns.
    pub(super) fn bin_columns(&self, columns_a_ns: f64) -> f64 {
        self.level.bin_ns as f64 * columns_a_ns
    }
}

/// What all groups of a picture share.
struct Drawing<'a, 's> {
    picture: &'a CallsPicture<'s>,
    groups: &'a ShownGroups<'s>,
    style: CallStyle,
    /// Bins with a part in the window.
    bins: Range<u32>,
    /// The left edges of columns, and the window's end.
    edges: Vec<Edge>,
    /// How functions look, by number.
    looks: Vec<Option<Look>>,
    /// The numbers of functions, by region.
    numbers: Vec<Option<u16>>,
}

impl CallsPicture<'_> {
    /// All calls of the window by groups of ranks.
    pub(super) fn bands_of_groups(&self, groups: &ShownGroups, style: CallStyle) -> Tally {
        let drawing = Drawing::new(self, groups, style);
        self.laid(BANDS, style, |bands, counts| drawing.count(bands, counts))
    }
}

impl<'a, 's> Drawing<'a, 's> {
    fn new(picture: &'a CallsPicture<'s>, groups: &'a ShownGroups<'s>, style: CallStyle) -> Drawing<'a, 's> {
        let (from, to) = (picture.time.0.0, picture.time.1.0);
        let width = groups.level.bin_ns;
        let bin = |moment: i64| (moment.max(0) / width).min(i64::from(groups.level.bins) - 1);
        let is_end = to >= picture.store.summary().end_ns;
        let last = if is_end { i64::from(groups.level.bins) - 1 } else { bin(to - 1) };
        let (first, last) = (bin(from), last.max(bin(from)));
        let edge = |column: u32| {
            let moment = from as f64 + f64::from(column) / picture.columns_a_ns;
            let at = bin(moment as i64).clamp(first, last);
            // What the window has of the bin.
            let left = (at * width).max(from) as f64;
            let right = if at == last { to } else { (at + 1) * width } as f64;
            Edge { bin: (at - first) as usize, share: ((moment - left) / (right - left).max(1.0)).clamp(0.0, 1.0) }
        };
        let mut edges: Vec<Edge> = (0..picture.columns).map(edge).collect();
        edges.push(Edge { bin: (last - first) as usize, share: 1.0 });
        let regions = picture.store.calls.regions();
        let look = |number: usize| match regions.get(number) {
            Some(region) => picture.looks.of(*region).copied(),
            None => Some(picture.looks.others()),
        };
        Drawing {
            picture,
            groups,
            style,
            bins: first as u32..last as u32 + 1,
            edges,
            looks: (0..NUMBERS).map(look).collect(),
            numbers: picture.store.calls.numbers(&picture.store.regions),
        }
    }

    /// Counts the calls of neighbouring bands.
    fn count(&self, bands: Range<usize>, counts: &mut [BandCounts]) {
        let (size, ranks) = (self.groups.size(), self.picture.bands.ranks);
        let locations = self.picture.calls_of.locations().len();
        let of_bands = bands.start * ranks..(bands.end * ranks).min(locations);
        for group in of_bands.start / size..of_bands.end.div_ceil(size) {
            let of_group = group * size..((group + 1) * size).min(locations);
            let courses = self.courses(group, of_group.clone());
            let first = of_group.start / ranks;
            // The ranks of the group on its first band; no group lies on more than two.
            let upper = ((first + 1) * ranks).min(of_group.end) - of_group.start;
            let share = upper as f64 / of_group.len().max(1) as f64;
            for course in courses {
                let parts = if upper == of_group.len() { vec![course] } else { course.divided(share).into() };
                for (band, part) in (first..).zip(parts).filter(|(band, _)| bands.contains(band)) {
                    part.add_to(&mut counts[band - bands.start]);
                }
            }
        }
    }

    /// How the calls of a group go on through the window, by look.
    fn courses(&self, group: usize, locations: Range<usize>) -> Vec<Course> {
        let [before, until] = self.cut(locations);
        let mut courses: Vec<Course> = Vec::new();
        let counted = self.groups.all.counted(self.groups.at, group, self.bins.clone());
        for (number, (started, open)) in counted {
            let Some(look) = self.looks.get(usize::from(number)).copied().flatten() else { continue };
            let mut function = Function { started: &started, open: &open, before: None, until: None };
            let last = started.len() - 1;
            let [of_first, of_last] = [(&before, 0), (&until, last)].map(|(part, at)| {
                let whole = function.bin(at);
                part.as_ref().map(|part| part.of(number, whole))
            });
            (function.before, function.until) = (of_first, of_last);
            let course = self.course(look, &function, fraction(group, number));
            if course.at.last() == Some(&0) {
                continue;
            }
            match courses.iter_mut().find(|other| other.look == look) {
                Some(same) => same.join(&course),
                None => courses.push(course),
            }
        }
        courses
    }

    /// How the calls of a function go on.
    fn course(&self, look: Look, function: &Function, fraction: f64) -> Course {
        let at = match self.style {
            CallStyle::PointsStart => self.reached(function, 0, fraction),
            CallStyle::PointsEnd => self.reached(function, 1, fraction),
            CallStyle::Lines | CallStyle::Arches => {
                let open = function.open_at_start();
                let started = self.reached(function, 0, fraction);
                let at = started.into_iter().map(|started| started + open).collect();
                return Course { look, at, ended: self.reached(function, 1, fraction) };
            }
        };
        Course { look, at, ended: Vec::new() }
    }

    /// How many calls of a function have started (0) or ended (1) in the window by each edge of a column.
    fn reached(&self, function: &Function, which: usize, fraction: f64) -> Vec<u64> {
        let (mut reached, mut sum) = (0, 0);
        let mut here = function.bin(0)[which];
        let by = |edge: &Edge| {
            while reached < edge.bin {
                sum += here;
                reached += 1;
                here = function.bin(reached)[which];
            }
            sum + (here as f64 * edge.share + fraction) as u64
        };
        self.edges.iter().map(by).collect()
    }

    /// What starts and ends in the bins that the window's edges cut: of the first one what lies before the window, of the last one
    /// what lies in it. None of a bin that is in the window as a whole.
    fn cut(&self, locations: Range<usize>) -> [Option<Part>; 2] {
        let width = self.groups.level.bin_ns;
        let (from, to) = (self.picture.time.0.0, self.picture.time_in_sight().1.0);
        let left = |bin: u32| i64::from(bin) * width;
        let first = left(self.bins.start)..from;
        let last = left(self.bins.end - 1);
        // One of a single bin takes nothing from before the window.
        let is_cut = to < last.saturating_add(width);
        let part = |time: Range<i64>| {
            let about = || Part::About((time.end - time.start) as f64 / width as f64);
            let visited = || Part::Visited(self.visited(locations.clone(), &time));
            (!time.is_empty()).then(|| if self.picture.is_crowd() { about() } else { visited() })
        };
        [part(first), if is_cut { part(last..to) } else { None }]
    }

    /// How many calls of each function start and end in a stretch of time.
    fn visited(&self, locations: Range<usize>, time: &Range<i64>) -> Vec<[u32; 2]> {
        let store = self.picture.store;
        let spans = &store.spans;
        let mut part = vec![[0; 2]; NUMBERS];
        let mut take = |start: Ns, end: Ns, region: RegionId| {
            let number = self.numbers.get(region.index()).copied().flatten();
            if let Some(counts) = number.and_then(|number| part.get_mut(usize::from(number))) {
                counts[0] += u32::from(time.contains(&start.0));
                counts[1] += u32::from(time.contains(&end.0));
            }
        };
        for location in &self.picture.calls_of.locations()[locations] {
            // What ends just at the beginning is in it.
            let window = (Ns(time.start - 1), Ns(time.end));
            let in_sight = match Having::of(self.style) {
                Having::Start => SpansInSight { around: Vec::new(), inside: beginning_in(store, *location, window) },
                Having::End | Having::Part => spans_in(store, *location, window),
            };
            for row in in_sight.around {
                take(spans.start.get(row), spans.end.get(row), spans.region.get(row));
            }
            (&spans.start, &spans.end, &spans.region)
                .for_each(in_sight.inside, |(start, end, region)| take(start, end, region));
        }
        part
    }
}

/// A function in the bins of a window.
struct Function<'a> {
    started: &'a [u32],
    open: &'a [u32],
    /// What starts and ends in the first bin before the window.
    before: Option<[u64; 2]>,
    /// What starts and ends in the last bin in the window, if that is not all.
    until: Option<[u64; 2]>,
}

impl Function<'_> {
    /// How many start and end in what the window has of a bin.
    #[inline]
    fn bin(&self, at: usize) -> [u64; 2] {
        let started = u64::from(self.started[at]);
        let ended = (started + u64::from(self.open[at])).saturating_sub(u64::from(self.open[at + 1]));
        let [mut started, mut ended] = [started, ended];
        if at + 1 == self.started.len()
            && let Some(until) = self.until
        {
            [started, ended] = until;
        }
        if at == 0
            && let Some(before) = self.before
        {
            started = started.saturating_sub(before[0]);
            ended = ended.saturating_sub(before[1]);
        }
        [started, ended]
    }

    /// How many are open when the window begins.
    fn open_at_start(&self) -> u64 {
        let [started, ended] = self.before.unwrap_or_default();
        (u64::from(self.open[0]) + started).saturating_sub(ended)
    }
}

impl Part {
    /// What starts and ends in it of a function that has so many in the whole bin.
    fn of(&self, number: u16, whole: [u64; 2]) -> [u64; 2] {
        match self {
            Part::Visited(counts) => counts.get(usize::from(number)).copied().unwrap_or_default().map(u64::from),
            Part::About(share) => whole.map(|count| (count as f64 * share) as u64),
        }
    }
}

impl Course {
    /// Puts the calls on the columns of a band.
    fn add_to(&self, counts: &mut BandCounts) {
        let Some(counts) = counts.of(self.look) else { return };
        let mut before = 0;
        for (count, after) in counts.at.iter_mut().zip(self.at.iter().skip(1)) {
            *count = count.wrapping_add((after - before) as u32);
            before = *after;
        }
        let mut before = 0;
        for (count, after) in counts.ended.iter_mut().zip(&self.ended) {
            *count = count.wrapping_add((after - before) as u32);
            before = *after;
        }
    }

    /// Takes in another one of the same look.
    fn join(&mut self, other: &Course) {
        self.at.iter_mut().zip(&other.at).for_each(|(sum, more)| *sum += more);
        self.ended.iter_mut().zip(&other.ended).for_each(|(sum, more)| *sum += more);
    }

    /// A share of the calls, and the others.
    fn divided(self, share: f64) -> [Course; 2] {
        let part = |counts: &[u64]| counts.iter().map(|count| (*count as f64 * share + 0.5) as u64).collect();
        let rest = |counts: &[u64], part: &[u64]| counts.iter().zip(part).map(|(all, part)| all - part).collect();
        let (at, ended): (Vec<u64>, Vec<u64>) = (part(&self.at), part(&self.ended));
        let others = Course { look: self.look, at: rest(&self.at, &at), ended: rest(&self.ended, &ended) };
        [Course { look: self.look, at, ended }, others]
    }
}

/// By what fraction of a call the counts of a group and a function are rounded: spread evenly.
fn fraction(group: usize, number: u16) -> f64 {
    (group as f64 * 0.754_877_666_246_692_8 + f64::from(number) * 0.569_840_290_998_053_3).fract()
}

impl CallsPicture<'_> {
    /// What has to be said about pictures from counts of groups.
    pub(super) fn groups_note(&self, groups: &ShownGroups) -> String {
        let far = (groups.bin_columns(self.columns_a_ns) * f64::from(self.cell().0)).ceil();
        let far = if far > 1.0 { format!("{far} pixels") } else { String::from("a pixel") };
        let ranks = match groups.size() {
            1 => String::from("each rank"),
            size => format!("groups of {size} ranks"),
        };
        let edges = if self.is_crowd() { " but for the window's very edges" } else { "" };
        format!(
            "From counts of the calls of {ranks}: the count is exact{edges}, no call is more than {far} from its place."
        )
    }

    /// Whether there are so many ranks that none is visited, not even in the bins that the window's edges cut.
    fn is_crowd(&self) -> bool {
        self.calls_of.locations().len() > MANY_LOCATIONS
    }
}

/// Whether counts of groups can tell what is asked for.
pub(super) fn suit(store: &Store, options: &CallsOptions, looks: &Looks, locations: &[LocationId]) -> bool {
    let is_plain = options.durations.is_none() && !options.needs_traffic() && looks.callers().is_none();
    options.y == CallHeight::Rank
        && is_plain
        && (store.calls.regions().len() < NUMBERS - 1 || looks.layers == 1)
        && locations.len() as u64 == store.locations.len()
        && locations.is_sorted()
}

/// Whether counts of groups are of use to a picture.
pub(super) fn are_of_use(request: &ViewRequest) -> bool {
    let options = request.options.checked::<CallsOptions>();
    let is_by_caller = request.options.checked::<EventOptions>().colour == ColourBy::Caller;
    options.y == CallHeight::Rank
        && options.durations.is_none()
        && !options.needs_traffic()
        && !is_by_caller
        && request.window.ranks.is_none()
}
