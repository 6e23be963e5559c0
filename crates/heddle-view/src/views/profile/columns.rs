//! Columns of a profile, and where things are.

use heddle_model::LocationId;
use heddle_profile::{Folded, Spread};
use heddle_store::Store;

use super::SortBy;
use super::table::{Kind, Table, mean_call};
use crate::request::window::{row_name, shortened};
use crate::request::{Framing, ViewRequest};
use crate::scene::Rect;
use crate::scene::ticks::{duration_text, grouped};

pub(super) const ROW: f32 = 22.0;
pub(super) const HEAD: f32 = 24.0;
pub(super) const INDENT: f32 = 14.0;
/// What opens and closes a path, in front of its name.
pub(super) const KNOB: f32 = 14.0;
/// Notes below a figure.
const BELOW: f32 = 44.0;
/// Room for what says where in a long list one is.
pub(super) const SCROLL: f32 = 10.0;

/// A column of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Exclusive,
    Share,
    Inclusive,
    Calls,
    MeanCall,
    Shortest,
    Longest,
    Mean,
    Most,
    Least,
}

impl Column {
    /// Those that go last when there is little room stand last here; with their widths.
    const ALL: [(Column, f32); 10] = [
        (Column::Exclusive, 88.0),
        (Column::Share, 56.0),
        (Column::Inclusive, 88.0),
        (Column::Calls, 84.0),
        (Column::Most, 172.0),
        (Column::Mean, 108.0),
        (Column::MeanCall, 92.0),
        (Column::Longest, 172.0),
        (Column::Least, 172.0),
        (Column::Shortest, 172.0),
    ];
    /// Those of a list of ranks, each of which is one.
    const OF_RANKS: [(Column, f32); 7] = [
        (Column::Exclusive, 88.0),
        (Column::Share, 76.0),
        (Column::Inclusive, 88.0),
        (Column::Calls, 84.0),
        (Column::MeanCall, 92.0),
        (Column::Longest, 104.0),
        (Column::Shortest, 104.0),
    ];

    fn of(is_ranks: bool) -> &'static [(Column, f32)] {
        if is_ranks { &Column::OF_RANKS } else { &Column::ALL }
    }

    pub(super) fn title(self, is_ranks: bool) -> &'static str {
        match self {
            Column::Exclusive => "exclusive",
            Column::Share if is_ranks => "of its time",
            Column::Share => "of all",
            Column::Inclusive => "inclusive",
            Column::Calls => "calls",
            Column::MeanCall => "mean call",
            Column::Shortest => "shortest call",
            Column::Longest => "longest call",
            Column::Mean => "mean per rank",
            Column::Most => "most, on rank",
            Column::Least => "least, on rank",
        }
    }

    /// What it says, in a sentence without a full stop.
    pub(super) fn about(self) -> &'static str {
        match self {
            Column::Exclusive => "Time of its own, without what it calls",
            Column::Share => "Time of its own as a part of all time",
            Column::Inclusive => "Time with what it calls",
            Column::Calls => "Number of calls that have a part in the window",
            Column::MeanCall => "Mean duration of a call, as a whole",
            Column::Shortest => "Duration of the shortest call, as a whole",
            Column::Longest => "Duration of the longest call, as a whole",
            Column::Mean => "Exclusive time of a rank on average",
            Column::Most => "Exclusive time of the rank that has most",
            Column::Least => "Exclusive time of the rank that has least",
        }
    }

    /// What a click on its head sorts by.
    pub(super) fn sort(self) -> SortBy {
        match self {
            Column::Exclusive | Column::Share | Column::Mean => SortBy::Exclusive,
            Column::Inclusive => SortBy::Inclusive,
            Column::Calls => SortBy::Calls,
            Column::MeanCall => SortBy::Mean,
            Column::Shortest => SortBy::Shortest,
            Column::Longest => SortBy::Longest,
            Column::Most => SortBy::Most,
            Column::Least => SortBy::Least,
        }
    }

    /// Whether its head says so when rows are sorted by it; several columns may have one order.
    pub(super) fn leads(self, sort: SortBy) -> bool {
        !matches!(self, Column::Share | Column::Mean) && self.sort() == sort
    }

    /// The rank that it names in a row, as a place among the locations.
    pub(super) fn names(self, row: &Folded) -> Option<usize> {
        let (_, at) = match self {
            Column::Most => row.exclusive.most,
            Column::Least => row.exclusive.least,
            Column::Longest if row.count > 0 => row.longest,
            Column::Shortest if row.count > 0 => row.shortest,
            _ => return None,
        };
        Some(at)
    }

    /// What stands in it.
    pub(super) fn text(self, store: &Store, table: &Table, row: &Folded) -> String {
        let is_ranks = matches!(table.kind, Kind::Ranks(_));
        let of_rank = |value: (i64, usize)| {
            if is_ranks { duration_text(value.0) } else { of_rank(store, &table.locations, value) }
        };
        match self {
            Column::MeanCall | Column::Shortest | Column::Longest if row.count == 0 => "–".to_owned(),
            Column::Exclusive => duration_text(row.exclusive.total),
            Column::Share => share(row.exclusive.total, table.all),
            Column::Inclusive => duration_text(row.inclusive.total),
            Column::Calls => grouped(row.count),
            Column::MeanCall => duration_text(mean_call(row)),
            Column::Shortest => of_rank(row.shortest),
            Column::Longest => of_rank(row.longest),
            Column::Mean => duration_text(mean(&row.exclusive, table.locations.len())),
            Column::Most => of_rank(row.exclusive.most),
            Column::Least => of_rank(row.exclusive.least),
        }
    }
}

/// A number and its rank, for a column whose head says "on rank".
fn of_rank(store: &Store, locations: &[LocationId], (ns, at): (i64, usize)) -> String {
    let Some(location) = locations.get(at) else { return duration_text(ns) };
    let name = row_name(store, *location);
    let short = name.strip_prefix("rank ").unwrap_or(&name);
    format!("{}, {}", duration_text(ns), shortened(short, 14))
}

pub(super) fn mean(spread: &Spread, locations: usize) -> i64 {
    spread.total / locations.max(1) as i64
}

pub(super) fn share(ns: i64, all: f64) -> String {
    let percent = 100.0 * ns as f64 / all.max(1.0);
    if percent >= 10.0 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

/// Where things are.
pub(super) struct Layout {
    pub(super) area: Rect,
    /// Where names begin and how wide they are, and the same of bars.
    pub(super) names: (f32, f32),
    pub(super) bars: (f32, f32),
    /// Left and right edges of the columns of numbers, and what they say.
    pub(super) columns: Vec<(f32, f32, Column)>,
    /// How many rows have room.
    pub(super) room: usize,
}

/// What lies at a place of a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// The head of the names, of the bars, or of a column.
    Head(Option<Column>, Rect),
    /// A line of the rows in sight, and the column there.
    Line(usize, Option<Column>),
}

impl Layout {
    pub(super) fn new(request: &ViewRequest, is_ranks: bool) -> Layout {
        let (width, height) = (request.size.width as f32, request.size.height as f32);
        let is_figure = request.framing == Framing::Figure;
        let (top, bottom) = if is_figure { (34.0, BELOW) } else { (2.0, 4.0) };
        let area = Rect { x: 14.0, y: top, width: (width - 28.0).max(1.0), height: (height - top - bottom).max(1.0) };
        let name = (area.width * 0.26).clamp(120.0, 420.0);
        let least_bar = (area.width * 0.16).clamp(60.0, 220.0);
        let mut left = area.width - name - least_bar - SCROLL;
        let fits = |(_, wide): &&(Column, f32)| {
            left -= wide;
            left >= 0.0
        };
        let shown: Vec<(Column, f32)> = Column::of(is_ranks).iter().take_while(fits).copied().collect();
        let numbers: f32 = shown.iter().map(|(_, wide)| wide).sum();
        let bars = (area.x + name, area.width - name - numbers - 10.0 - SCROLL);
        let mut right = area.x + area.width - numbers - SCROLL;
        let columns = shown.into_iter().map(|(column, wide)| {
            right += wide;
            (right - wide, right, column)
        });
        let columns = columns.collect();
        let room = ((area.height - HEAD) / ROW).max(1.0) as usize;
        Layout { area, names: (area.x, name), bars, columns, room }
    }

    /// A line of the rows in sight.
    pub(super) fn row(&self, at: usize) -> Rect {
        Rect { y: self.area.y + HEAD + at as f32 * ROW, height: ROW, ..self.area }
    }

    /// A column of a line.
    pub(super) fn cell(&self, at: usize, column: Column) -> Rect {
        let row = self.row(at);
        let found = self.columns.iter().find(|(.., other)| *other == column);
        found.map_or(row, |(left, right, _)| Rect { x: *left, width: right - left, ..row })
    }

    /// What lies at a place.
    pub(super) fn place(&self, at: (f32, f32)) -> Option<Place> {
        if !self.area.contains(at) {
            return None;
        }
        let column = self.columns.iter().find(|(left, right, _)| (*left..*right).contains(&at.0)).copied();
        let line = (at.1 - self.area.y - HEAD) / ROW;
        if line >= 0.0 {
            return Some(Place::Line(line as usize, column.map(|(.., column)| column)));
        }
        let head = |x: f32, width: f32| Rect { x, width, y: self.area.y, height: HEAD };
        Some(match column {
            Some((left, right, column)) => Place::Head(Some(column), head(left, right - left)),
            None => Place::Head(None, head(self.names.0, self.names.1)),
        })
    }

    /// The first line in sight, of so many.
    pub(super) fn first(&self, asked: u32, lines: usize) -> usize {
        (asked as usize).min(lines.saturating_sub(self.room))
    }
}
