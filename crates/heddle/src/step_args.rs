//! Options of `heddle render` that only pictures of logical time have.

use std::sync::Arc;

use clap::Args as ClapArgs;

use heddle_logical::{Logical, Metric, MetricValues};
use heddle_model::{LocationId, Rank, SpanRow};
use heddle_store::{Progress, Store};
use heddle_view::{ColourBy, LogicalData, LogicalView, Palette, latest_event};

use crate::args::parse_window;
use crate::call_args::one_of;
use crate::commands::Usage;

#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Options of logical, metric and timeline")]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct StepArgs {
    /// Window of logical steps: 20:48 shows steps 20 to 47, 100: those from 100 on. A timeline shows their time
    #[arg(long, value_name = "A:B", value_parser = steps)]
    steps: Option<(Option<u32>, Option<u32>)>,
    /// What colours mean: lateness (the default), phase-lateness, differential, phase-differential, duration, enter, exit,
    /// or counter:NAME
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// Values at the ends of the scale of colours, for instance 0:4ms; for counters plain numbers
    #[arg(long, value_name = "LO:HI")]
    range: Option<String>,
    /// End the scale of colours at the largest value of each step
    #[arg(long)]
    relative: bool,
    /// Do not draw, nor sum, what lies between events
    #[arg(long)]
    no_aggregates: bool,
    /// Do not draw messages and collectives
    #[arg(long)]
    no_messages: bool,
    /// What calls are coloured by: function (the default of timeline), metric (that of logical) or phase
    #[arg(long, visible_alias = "color", value_name = "WHAT", value_parser = |word: &str| one_of(word, &ColourBy::WORDS))]
    colour: Option<ColourBy>,
    /// Colours of the metric: diverging (the default) or sequential
    #[arg(long, value_parser = |word: &str| one_of(word, &Palette::WORDS))]
    palette: Option<Palette>,
    /// Select an event, as RANK:STEP or `latest`, and draw the way on which its lateness came
    #[arg(long, value_name = "RANK:STEP|latest", value_parser = cause)]
    cause: Option<Cause>,
}

/// The event whose cause is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Latest,
    At(u32, u32),
}

impl StepArgs {
    /// The first option that was given, by name.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            (self.steps.is_some(), "--steps"),
            (self.metric.is_some(), "--metric"),
            (self.range.is_some(), "--range"),
            (self.relative, "--relative"),
            (self.no_aggregates, "--no-aggregates"),
            (self.no_messages, "--no-messages"),
            (self.colour.is_some(), "--colour"),
            (self.palette.is_some(), "--palette"),
            (self.cause.is_some(), "--cause"),
        ]
        .into_iter()
        .find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// Whether a timeline needs logical time for what was asked.
    pub(crate) fn needs_logical(&self) -> bool {
        let by_logical = matches!(self.colour, Some(ColourBy::Metric | ColourBy::Phase));
        by_logical || self.steps.is_some() || self.cause.is_some()
    }

    /// The values of the metric that was asked for.
    pub(crate) fn open(&self, store: &Store, logical: Logical, progress: &dyn Progress) -> anyhow::Result<LogicalData> {
        let values = MetricValues::open(store, &logical, self.metric(store)?, progress)?;
        Ok(LogicalData { logical: Arc::new(logical), values: Arc::new(values) })
    }

    fn metric(&self, store: &Store) -> anyhow::Result<Metric> {
        let Some(name) = &self.metric else { return Ok(Metric::default()) };
        Ok(Metric::find(store, name).map_err(|error| Usage(format!("--metric: {error}")))?)
    }

    /// All of them, with what is usual where nothing was given.
    pub(crate) fn view(&self, store: &Store, steps: u64) -> anyhow::Result<LogicalView> {
        let usual = LogicalView::default();
        let metric = self.metric(store)?;
        let all = u32::try_from(steps).unwrap_or(u32::MAX);
        let window = self.steps.map(|(from, to)| (from.unwrap_or(0), to.unwrap_or(all)));
        if let Some((from, to)) = window
            && (from >= to || from >= all)
        {
            return Err(Usage(format!("--steps: there are {all} steps, from 0 on")).into());
        }
        Ok(LogicalView {
            steps: window.map(|(from, to)| (f64::from(from), f64::from(to.min(all)))),
            metric,
            range: self.range.as_deref().map(|text| range(text, metric)).transpose()?,
            relative: self.relative,
            aggregates: !self.no_aggregates,
            messages: !self.no_messages,
            colour: self.colour,
            palette: self.palette.unwrap_or(usual.palette),
            path: self.cause.is_some(),
        })
    }

    /// The call of the event whose cause was asked for.
    pub(crate) fn selected(&self, store: &Store, logical: &Logical) -> anyhow::Result<Option<SpanRow>> {
        let event = match self.cause {
            None => return Ok(None),
            Some(Cause::Latest) => {
                latest_event(logical).ok_or_else(|| Usage("--cause latest: no event is late".to_owned()))?
            }
            Some(Cause::At(rank, step)) => {
                let of_rank =
                    |at: &u64| store.locations.rank.get(*at) == Rank(rank) && store.locations.is_main.get(*at) != 0;
                let location = (0..store.locations.len()).find(of_rank).map(|at| LocationId(at as u32));
                let row = location.and_then(|location| logical.row_of_location(location));
                let row = row.ok_or_else(|| Usage(format!("--cause: rank {rank} has no communication")))?;
                let event = logical.event_at(row, step);
                event.ok_or_else(|| Usage(format!("--cause: rank {rank} has no event at step {step}")))?
            }
        };
        Ok(Some(logical.events.span.get(event)))
    }
}

fn steps(text: &str) -> Result<(Option<u32>, Option<u32>), String> {
    let wrong = || "a window of steps is A:B, for instance 20:48, 100: or :30".to_owned();
    let (from, to) = text.split_once(':').ok_or_else(wrong)?;
    let end = |word: &str| match word.trim() {
        "" => Ok(None),
        word => word.parse().map(Some).map_err(|_| wrong()),
    };
    let window = (end(from)?, end(to)?);
    if let (Some(from), Some(to)) = window
        && from >= to
    {
        return Err("the window must begin before it ends".to_owned());
    }
    Ok(window)
}

fn cause(text: &str) -> Result<Cause, String> {
    if text == "latest" {
        return Ok(Cause::Latest);
    }
    let numbers = text.split_once(':').and_then(|(rank, step)| Some((rank.parse().ok()?, step.parse().ok()?)));
    numbers.map(|(rank, step)| Cause::At(rank, step)).ok_or_else(|| "it must be RANK:STEP or latest".to_owned())
}

/// Values of a metric: times with units, counters without.
fn range(text: &str, metric: Metric) -> anyhow::Result<(f64, f64)> {
    let wrong = |why: String| Usage(format!("--range: {why}"));
    let ends = if metric.is_time() {
        let (from, to) = parse_window(text).map_err(wrong)?;
        to.map(|to| (from.unwrap_or(0) as f64, to as f64))
    } else {
        text.split_once(':').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)))
    };
    let ends = ends.filter(|(from, to): &(f64, f64)| from < to && from.is_finite() && to.is_finite());
    Ok(ends.ok_or_else(|| wrong("it is LO:HI, the first below the second, for instance 0:4ms".to_owned()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_causes_and_ranges_are_understood() {
        assert_eq!(steps("20:48"), Ok((Some(20), Some(48))));
        assert_eq!(steps("100:"), Ok((Some(100), None)));
        assert!(steps("5").is_err() && steps("5:5").is_err() && steps("a:b").is_err());
        assert_eq!(cause("latest"), Ok(Cause::Latest));
        assert_eq!(cause("9:26"), Ok(Cause::At(9, 26)));
        assert!(cause("9").is_err() && cause("last").is_err());
        assert_eq!(range("0:4ms", Metric::Lateness).unwrap(), (0.0, 4e6));
        assert!(range("0:4", Metric::Lateness).is_err() && range("4ms:0", Metric::Lateness).is_err());
    }
}
