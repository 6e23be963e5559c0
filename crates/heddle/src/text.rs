//! Text for people: numbers with separators, durations in units people use, names made harmless.

pub(crate) use heddle_view::{duration_text as duration, grouped};

/// Names in traces are hostile: control characters could drive a terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// The same for a name within a line: a line end in it would let it pass for a line of ours.
pub(crate) fn printable_name(name: &str) -> String {
    printable(name).replace('\n', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_in_names_lose_their_power() {
        assert_eq!(printable("a\u{1b}[2Jb\r"), "a\u{fffd}[2Jb\u{fffd}");
    }
}
