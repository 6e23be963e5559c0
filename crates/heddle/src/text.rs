//! Text for people: numbers with separators, durations in units people use, names made harmless.

pub(crate) use heddle_view::grouped;

/// Names in traces are hostile: control characters could drive a terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// The same for a name within a line: a line end in it would let it pass for a line of ours.
pub(crate) fn printable_name(name: &str) -> String {
    printable(name).replace('\n', "\u{fffd}")
}

/// Nanoseconds in the unit that leaves three or four digits.
pub(crate) fn duration(ns: i64) -> String {
    let magnitude = ns.unsigned_abs() as f64;
    let (value, unit) = match magnitude {
        m if m < 1e3 => return format!("{ns} ns"),
        m if m < 1e6 => (ns as f64 / 1e3, "µs"),
        m if m < 1e9 => (ns as f64 / 1e6, "ms"),
        m if m < 1e12 => (ns as f64 / 1e9, "s"),
        _ => return format!("{} s", grouped((magnitude / 1e9) as u64)),
    };
    let decimals = if value.abs() < 10.0 { 2 } else { usize::from(value.abs() < 100.0) };
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_durations_read_well() {
        assert_eq!(duration(999), "999 ns");
        assert_eq!(duration(1_500), "1.50 µs");
        assert_eq!(duration(52_300_000), "52.3 ms");
        assert_eq!(duration(8_309_358_140), "8.31 s");
        assert_eq!(duration(3_600_000_000_000), "3,600 s");
    }

    #[test]
    fn escape_sequences_in_names_lose_their_power() {
        assert_eq!(printable("a\u{1b}[2Jb\r"), "a\u{fffd}[2Jb\u{fffd}");
    }
}
