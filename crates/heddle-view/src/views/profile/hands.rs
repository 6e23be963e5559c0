//! What one points at in a profile, and where keys lead.

use std::collections::BTreeMap;

use heddle_model::{LocationId, SpanRow};
use heddle_store::{Columns, Store};

use super::columns::{Column, KNOB, Layout, Place, mean, share};
use super::table::{Kind, Table, mean_call, number};
use super::{ProfileOptions, SortBy, laid_out};
use crate::analyses::Trace;
use crate::lookup::enclosing::{parent, spans_in};
use crate::questions::details::source_text;
use crate::request::ViewRequest;
use crate::request::names::SpanName;
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::window::{RankSet, row_name};
use crate::scene::ticks::{counted, duration_text};
use crate::scene::{Rect, Rgba};
use crate::views::Step;
use heddle_options::Words;

type Sets = BTreeMap<&'static str, String>;

/// What is at a place.
pub(super) fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let options: ProfileOptions = request.options.checked();
    let layout = Layout::new(request, options.by_rank);
    let (line, column) = match layout.place(at)? {
        Place::Head(column, area) => return Some(head(&options, column, area)),
        Place::Line(line, column) => (line, column),
    };
    let (table, first) = laid_out(trace, request, &layout)?;
    let hit = Hit { store: trace.store, request, layout: &layout, table: &table, first };
    hit.picked(first + line, line, column, at.0)
}

/// A click on a head sorts by it; another one the other way round.
fn head(options: &ProfileOptions, column: Option<Column>, area: Rect) -> Picked {
    let (sort, about) = match column {
        Some(column) => (column.sort(), column.about()),
        None => (SortBy::Name, if options.by_rank { "Ranks, in their order" } else { "Functions, by name" }),
    };
    let is_sorted = options.sort == sort;
    let reverse = is_sorted && !options.reverse;
    let what = if is_sorted { "A click sorts the other way round" } else { "A click sorts by it" };
    Picked {
        title: about.to_owned(),
        colour: Rgba(0, 0, 0, 0),
        lines: vec![what.to_owned()],
        select: None,
        toggles: None,
        sets: Some(Sets::from([
            ("sort", sort.word().to_owned()),
            ("reverse", u8::from(reverse).to_string()),
            ("first-row", "0".to_owned()),
        ])),
        area: Some(area),
    }
}

struct Hit<'a> {
    store: &'a Store,
    request: &'a ViewRequest,
    layout: &'a Layout,
    table: &'a Table,
    first: usize,
}

impl Hit<'_> {
    /// A line, which is in sight at some place.
    fn picked(&self, at: usize, place: usize, column: Option<Column>, x: f32) -> Option<Picked> {
        let (store, table) = (self.store, self.table);
        let line = table.lines.get(at).filter(|_| place < self.layout.room)?;
        let folded = table.folded(line.row);
        let mut sets = self.at(line.row);
        let knob = self.layout.names.0 + super::indent(self.layout, line.depth);
        let is_knob = column.is_none() && line.is_open.is_some() && (knob - 4.0..knob + KNOB).contains(&x);
        let mut select = Some(self.selection(line.row));
        let mut area = self.layout.row(place);
        let mut lines = self.lines(line.row);
        if let (true, Some(is_open)) = (is_knob, line.is_open) {
            sets.insert("branches", table.branches.with(&table.key(store, line.row), !is_open));
            select = None;
            lines.push(format!("A click {} it", if is_open { "closes" } else { "opens" }));
        } else if let Some((column, rank)) = column.and_then(|column| Some((column, column.names(folded)?))) {
            let is_ranks = matches!(table.kind, Kind::Ranks(_));
            let call = matches!(column, Column::Longest | Column::Shortest).then(|| self.call(line.row, column, rank));
            if let Some(call) = call.flatten() {
                select = Some(Selection::Span(SpanName::of(store, call)));
                lines.push("A click selects that call".to_owned());
                area = self.layout.cell(place, column);
            } else if !is_ranks {
                let rank = number(store, &table.locations, rank as u32);
                select = Some(Selection::Ranks(RankSet::from_iter([rank])));
                lines.push(format!("A click selects rank {rank}"));
                area = self.layout.cell(place, column);
            }
        }
        Some(Picked {
            title: table.path_text(store, line.row),
            colour: table.region(line.row).map_or(Rgba(0, 0, 0, 0), |region| self.request.colours(store).rgba(region)),
            lines,
            select,
            toggles: None,
            sets: Some(sets),
            area: Some(area),
        })
    }

    /// The option by which a row is the one that one is at; a rank is that by being selected.
    fn at(&self, row: u32) -> Sets {
        let key = self.table.key(self.store, row);
        if key.is_empty() { Sets::new() } else { Sets::from([("row", key)]) }
    }

    /// What a row stands for.
    fn selection(&self, row: u32) -> Selection {
        let (store, table) = (self.store, self.table);
        match table.region(row) {
            Some(region) => Selection::Function(store.regions.name.get(u64::from(region.0)).to_owned()),
            None => Selection::Ranks(RankSet::from_iter([number(store, &table.locations, row)])),
        }
    }

    /// What there is to say about a row.
    fn lines(&self, row: u32) -> Vec<String> {
        let (store, table) = (self.store, self.table);
        let (folded, ranks) = (table.folded(row), table.locations.len());
        let (is_ranks, of) = (matches!(table.kind, Kind::Ranks(_)), &table.locations);
        let whose = if is_ranks { "its time" } else { "the time of all" };
        let mut lines: Vec<String> = table.subject(store).into_iter().map(|name| format!("in {name}")).collect();
        let exclusive = folded.exclusive.total;
        lines.push(format!("exclusive {}, {} of {whose}", duration_text(exclusive), share(exclusive, table.all)));
        lines.push(format!("inclusive {}", duration_text(folded.inclusive.total)));
        if folded.count > 0 {
            let longest = if is_ranks { duration_text(folded.longest.0) } else { on_rank(store, of, folded.longest) };
            lines.push(format!(
                "{}, the shortest {}, on average {}, the longest {longest}",
                counted(folded.count, "call"),
                duration_text(folded.shortest.0),
                duration_text(mean_call(folded)),
            ));
        } else {
            lines.push("no calls".to_owned());
        }
        if ranks > 1 && !is_ranks {
            lines.push(format!(
                "exclusive: least {}, mean {}, most {}",
                on_rank(store, of, folded.exclusive.least),
                duration_text(mean(&folded.exclusive, ranks)),
                on_rank(store, of, folded.exclusive.most)
            ));
        }
        lines.extend(table.region(row).and_then(|region| source_text(store, region)));
        lines
    }

    /// The longest or shortest call of a row on a rank.
    fn call(&self, row: u32, column: Column, at: usize) -> Option<SpanRow> {
        let (store, table, spans) = (self.store, self.table, &self.store.spans);
        let location = *table.locations.get(at)?;
        let folded = table.folded(row);
        let wanted = if column == Column::Longest { folded.longest.0 } else { folded.shortest.0 };
        let regions = match table.kind {
            Kind::Ranks(of) => table.regions(of?),
            Kind::Functions | Kind::Paths => table.regions(row),
        };
        let own = *regions.last()?;
        let is_path = table.kind == Kind::Paths || regions.len() > 1;
        let is_it = |span: u64| {
            let hidden = |region| self.request.emphasis.hides(region);
            let around = std::iter::successors(Some(span), |span| parent(store, *span));
            !is_path
                || around.map(|span| spans.region.get(span)).filter(|of| !hidden(*of)).eq(regions.iter().rev().copied())
        };
        let sight = spans_in(store, location, self.request.window.time(store));
        let of_around =
            |span: &u64| spans.region.get(*span) == own && spans.end.get(*span).since(spans.start.get(*span)) == wanted;
        if let Some(span) = sight.around.iter().copied().filter(of_around).find(|span| is_it(*span)) {
            return Some(SpanRow(span));
        }
        let (mut span, mut found) = (sight.inside.start, None);
        (&spans.start, &spans.end, &spans.region).for_each(sight.inside, |(start, end, region)| {
            if found.is_none() && region == own && end.since(start) == wanted && is_it(span) {
                found = Some(SpanRow(span));
            }
            span += 1;
        });
        found
    }

    /// Where a key leads: the line there, brought into sight; or the line that one is at, opened or closed.
    fn stepped(&self, step: Step) -> Option<Picked> {
        let (store, table, room) = (self.store, self.table, self.layout.room);
        let last = table.lines.len().checked_sub(1)?;
        let at = table.current(store, self.request);
        let here = at.and_then(|at| table.lines.get(at));
        let caller = || {
            let depth = here?.depth.checked_sub(1)?;
            table.lines[..at?].iter().rposition(|line| line.depth == depth)
        };
        let next = match (step, at) {
            (Step::First, _) => 0,
            (Step::Last, _) => last,
            (_, None) => self.first,
            (Step::Up, Some(at)) => at.saturating_sub(1),
            (Step::Down, Some(at)) => (at + 1).min(last),
            (Step::PageUp, Some(at)) => at.saturating_sub(room),
            (Step::PageDown, Some(at)) => (at + room).min(last),
            (Step::In, Some(at)) if here?.is_open == Some(true) => at + 1,
            (Step::Out, Some(at)) if here?.is_open != Some(true) => caller().unwrap_or(at),
            (Step::In | Step::Out, Some(at)) => at,
        };
        let toggles = at == Some(next) && matches!(step, Step::In | Step::Out);
        let first = self.first.clamp((next + 1).saturating_sub(room), next);
        let line = table.lines.get(next)?;
        let mut sets = self.at(line.row);
        sets.insert("first-row", first.to_string());
        if toggles && line.is_open == Some(step == Step::Out) {
            sets.insert("branches", table.branches.with(&table.key(store, line.row), step == Step::In));
        }
        let mut picked = Hit { first, ..*self }.picked(next, next - first, None, f32::NEG_INFINITY)?;
        picked.sets = Some(sets);
        Some(picked)
    }
}

/// Where a key leads.
pub(super) fn step(trace: &Trace<'_>, request: &ViewRequest, step: Step) -> Option<Picked> {
    let options: ProfileOptions = request.options.checked();
    let layout = Layout::new(request, options.by_rank);
    let (table, first) = laid_out(trace, request, &layout)?;
    Hit { store: trace.store, request, layout: &layout, table: &table, first }.stepped(step)
}

/// Who spends most, or least: a number and the location.
fn on_rank(store: &Store, locations: &[LocationId], (ns, at): (i64, usize)) -> String {
    match locations.get(at) {
        Some(location) => format!("{} on {}", duration_text(ns), row_name(store, *location)),
        None => duration_text(ns),
    }
}
