//! Tables and numbers of the report, as people read them.

use super::measure::Rate;
use super::scenes::Times;

pub(super) fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut out = format!("| {} |\n|{}\n", head.join(" | "), "---:|".repeat(head.len()));
    for row in rows {
        out += &format!("| {} |\n", row.join(" | "));
    }
    out
}

/// Median, 95 %, and most.
pub(super) fn spread(times: &Times) -> String {
    [0.5, 0.95, 1.0].map(|share| milliseconds(times.share(share))).join(" / ")
}

pub(super) fn rate(rate: &Rate) -> String {
    format!("{:.2} M", rate.per_second() / 1e6)
}

pub(super) fn ratio(ratio: f64) -> String {
    format!("{ratio:.2}")
}

pub(super) fn seconds(seconds: f64) -> String {
    format!("{seconds:.3} s")
}

pub(super) fn milliseconds(seconds: f64) -> String {
    format!("{:.1} ms", seconds * 1e3)
}

/// Bytes per span.
pub(super) fn per_span(bytes: u64, spans: u64) -> String {
    format!("{:.1}", bytes as f64 / spans.max(1) as f64)
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

pub(super) fn none() -> String {
    "-".to_owned()
}

pub(super) fn mib(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / 1024.0 / 1024.0)
}

pub(super) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators() {
        assert_eq!([0, 999, 1_000, 1_048_576].map(thousands), ["0", "999", "1,000", "1,048,576"]);
    }
}
