//! Ticks with labels people read: times in the unit that fits the window, ranks at round numbers.

use std::ops::Range;

use heddle_model::Ns;
pub use heddle_model::{counted, grouped};

use crate::scene::Tick;

/// Units of time, in nanoseconds.
const UNITS: [(i64, &str); 4] = [(1, "ns"), (1_000, "µs"), (1_000_000, "ms"), (1_000_000_000, "s")];

/// Steps of 1, 2, 5 times a power of ten.
pub(crate) fn round_step(at_least: i64) -> i64 {
    let mut power = 1i64;
    loop {
        for factor in [1, 2, 5] {
            let step = power.saturating_mul(factor);
            if step >= at_least || step > i64::MAX / 20 {
                return step;
            }
        }
        power *= 10;
    }
}

/// Ticks of a time axis from `from` to `to`, placed on `start..start + length`, about `apart` pixels from each other.
pub(crate) fn time_ticks(from: Ns, to: Ns, start: f32, length: f32, apart: f32) -> Vec<Tick> {
    let window = to.since(from).max(1);
    let wanted = (length / apart).max(1.0);
    let step = round_step((window as f64 / f64::from(wanted)).ceil() as i64);
    let (unit, name) = unit_of(step, to.0.max(from.0.abs()));
    let decimals = (0..9).find(|decimals| step * 10i64.pow(*decimals) % unit == 0).unwrap_or(9) as usize;
    let first = from.0.div_euclid(step) + i64::from(from.0.rem_euclid(step) != 0);
    (first..=to.0.div_euclid(step))
        .map(|count| count * step)
        .map(|at| Tick {
            at: start + ((at - from.0) as f64 / window as f64) as f32 * length,
            label: format!("{} {name}", number(at, unit, decimals)),
        })
        .collect()
}

/// A multiple of a unit, exactly, with thousands separators.
fn number(ns: i64, unit: i64, decimals: usize) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    let (whole, rest) = (ns.unsigned_abs() / unit.unsigned_abs(), ns.unsigned_abs() % unit.unsigned_abs());
    if decimals == 0 {
        return format!("{sign}{}", grouped(whole));
    }
    let fraction = rest * 10u64.pow(decimals as u32) / unit.unsigned_abs();
    format!("{sign}{}.{fraction:0decimals$}", grouped(whole))
}

/// The unit in which neither the step nor the largest number is unwieldy.
fn unit_of(step: i64, largest: i64) -> (i64, &'static str) {
    UNITS.into_iter().rev().find(|(unit, _)| step >= unit / 1000 && largest >= *unit).unwrap_or(UNITS[0])
}

/// Ticks of an axis of whole numbers, at round ones, in the middles of their rows.
pub(crate) fn count_ticks(
    rows: Range<usize>,
    start: f32,
    length: f32,
    apart: f32,
    label: impl Fn(usize) -> String,
) -> Vec<Tick> {
    let each = f64::from(length) / rows.len().max(1) as f64;
    let step = round_step((f64::from(apart) / each).ceil() as i64).max(1) as usize;
    (rows.start.next_multiple_of(step)..rows.end)
        .step_by(step)
        .map(|at| Tick { at: start + (((at - rows.start) as f64 + 0.5) * each) as f32, label: label(at) })
        .collect()
}

/// Ticks of an axis of steps, at round numbers, about `apart` pixels from each other; `width` is that of a step.
pub(crate) fn step_ticks(steps: Range<u32>, apart: f32, width: f32, place: impl Fn(u32) -> f32) -> Vec<Tick> {
    let each = round_step((apart / width.max(1e-6)).ceil() as i64).max(1);
    let each = u32::try_from(each).unwrap_or(u32::MAX);
    let first = steps.start.div_ceil(each).saturating_mul(each);
    (first..steps.end)
        .step_by(each as usize)
        .map(|step| Tick { at: place(step), label: grouped(u64::from(step)) })
        .collect()
}

/// The largest unit that a time is at least one of.
fn largest_unit(ns: i64) -> (i64, &'static str) {
    UNITS.into_iter().rev().find(|(unit, _)| ns.abs() >= *unit).unwrap_or(UNITS[0])
}

/// Digits of a duration: more are noise beside a picture.
const DIGITS: u32 = 4;

/// A duration to four digits, rounded: `3.786 ms`. Below a microsecond it is exact. The rule of the page's `formatDuration`.
pub fn duration_text(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    let length = u128::from(ns.unsigned_abs());
    // What would round up to a thousand belongs to the next unit: 999.99 µs is 1.000 ms.
    let reaches = |size: i64| length * 100_000 >= u128::from(size.unsigned_abs()) * 99_995;
    let (size, name) = UNITS.into_iter().rev().find(|(size, _)| reaches(*size)).unwrap_or(UNITS[0]);
    if size == 1 {
        return format!("{ns} ns");
    }
    let size = u128::from(size.unsigned_abs());
    let steps = |decimals: u32| (length * 10u128.pow(decimals) * 2 + size) / (size * 2);
    let fits = |decimals: &u32| steps(*decimals) < 10u128.pow(DIGITS);
    let decimals = (1..DIGITS).rev().find(fits).unwrap_or(0);
    let (steps, parts) = (steps(decimals), 10u128.pow(decimals));
    let whole = grouped(u64::try_from(steps / parts).unwrap_or(u64::MAX));
    match decimals {
        0 => format!("{sign}{whole} {name}"),
        _ => format!("{sign}{whole}.{:0width$} {name}", steps % parts, width = decimals as usize),
    }
}

/// A stay, to as many digits as its length deserves: `3.426118 – 3.429904 s`.
pub(crate) fn time_text_between(start: Ns, end: Ns) -> String {
    let (unit, name) = largest_unit(end.0);
    let smallest = (end.since(start) / 1000).max(1);
    let decimals = (0..9).find(|decimals| unit / 10i64.pow(*decimals) <= smallest).unwrap_or(9) as usize;
    format!("{} – {} {name}", number(start.0, unit, decimals), number(end.0, unit, decimals))
}

/// A moment of a run that ends at some time, to about a thousandth of it: `310 ms` of 638 ms, `0.311 s` of 1.2 s.
pub(crate) fn moment_text(at: Ns, end: Ns) -> String {
    let (unit, name) = largest_unit(end.0);
    let smallest = (end.0 / 500).max(1);
    let decimals = (0..9).find(|decimals| unit / 10i64.pow(*decimals) <= smallest).unwrap_or(9);
    let step = (unit / 10i64.pow(decimals)).max(1);
    let rounded = at.0.saturating_add(step / 2).div_euclid(step).saturating_mul(step);
    format!("{} {name}", number(rounded, unit, decimals as usize))
}

/// A size in bytes, in the unit that fits: `32 KiB`.
pub(crate) fn bytes_text(bytes: u64) -> String {
    const NAMES: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 10_240 {
        return format!("{} B", grouped(bytes));
    }
    let power = (bytes.ilog2() / 10).min(NAMES.len() as u32);
    let value = bytes as f64 / f64::from(1u32 << 10).powi(power as i32);
    let digits = usize::from(value < 100.0 && value.fract() != 0.0);
    format!("{value:.digits$} {}", NAMES[power as usize - 1])
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot read its cases fails")]
mod tests {
    use super::*;

    fn labels(from: i64, to: i64) -> Vec<String> {
        time_ticks(Ns(from), Ns(to), 0.0, 1000.0, 100.0).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn times_have_units_people_use() {
        assert_eq!(labels(0, 1_000_000_000)[..3], ["0.0 s", "0.1 s", "0.2 s"]);
        assert_eq!(labels(0, 900)[1], "100 ns");
        assert_eq!(labels(0, 9_000_000)[1], "1 ms");
        assert_eq!(labels(3_412_000_000, 3_447_000_000)[..2], ["3.415 s", "3.420 s"]);
        assert_eq!(labels(5_000_000_000, 5_000_001_000)[0], "5,000,000.0 µs");
    }

    #[test]
    fn numbers_have_separators() {
        assert_eq!([0, 999, 1_234_567].map(grouped), ["0", "999", "1,234,567"]);
    }

    #[test]
    fn durations_and_sizes_have_units_people_use() {
        // The page reads the same file: one rule for both.
        let cases: Vec<&str> = include_str!("../../../../web/src/base/durations.txt").lines().collect();
        assert!(cases.len() > 20);
        for case in cases {
            let (ns, text) = case.split_once(" = ").unwrap();
            assert_eq!(duration_text(ns.parse().unwrap()), text);
        }
        assert_eq!(time_text_between(Ns(3_426_118_400), Ns(3_429_904_000)), "3.426118 – 3.429904 s");
        assert_eq!(time_text_between(Ns(5), Ns(905)), "5 – 905 ns");
        assert_eq!(moment_text(Ns(310_400_000), Ns(638_000_000)), "310 ms");
        assert_eq!(moment_text(Ns(310_600_000), Ns(1_238_000_000)), "0.311 s");
        assert_eq!(moment_text(Ns(7), Ns(0)), "7 ns");
        assert_eq!([0, 9_000, 32_768, 1_572_864].map(bytes_text), ["0 B", "9,000 B", "32 KiB", "1.5 MiB"]);
    }

    #[test]
    fn ticks_lie_where_their_time_is() {
        let ticks = time_ticks(Ns(50), Ns(150), 10.0, 200.0, 40.0);
        assert_eq!(ticks[0], Tick { at: 30.0, label: "60 ns".to_owned() });
        assert!(ticks.iter().all(|tick| (10.0..=210.0).contains(&tick.at)));
    }

    #[test]
    fn a_window_of_no_length_has_a_tick_and_no_end() {
        assert!(labels(5, 5).len() <= 1);
        assert!(labels(0, i64::MAX / 2).len() < 30);
    }
}
