//! Text that came with a trace, made harmless before people or terminals see it.

/// Names in traces are hostile: they could drive a terminal, or show as what they are not. Whatever comes from a trace or
/// from a path goes through here on its way to a terminal.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if is_harmful(c) && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// Whether a character controls a terminal, turns the direction of text, or cannot be seen.
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
            // Zero width, directions, separators of lines, invisible operators.
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            // Tags and more variants; the last ones stand for bytes of names that are not UTF-8.
            | '\u{e0000}'..='\u{e0fff}' | '\u{10ff00}'..='\u{10ffff}')
}

/// The same for a name within a line: a line end in it would let it pass for a line of ours.
pub fn printable_name(name: &str) -> String {
    printable(name).replace('\n', "\u{fffd}")
}

/// A line of JSON, or several, for people and scripts: what could do harm on a terminal is escaped, which changes nothing for
/// those who parse it.
pub fn harmless_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_harmful(c) && c != '\n' {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}")));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// A text whose names cannot be taken for Markdown or HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if "\\`*_[]<>|#".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_in_names_lose_their_power() {
        assert_eq!(printable("a\u{1b}[2Jb\r"), "a\u{fffd}[2Jb\u{fffd}");
    }

    #[test]
    fn text_cannot_be_turned_around_or_hidden() {
        // Shown from right to left, this would end in ".c".
        assert_eq!(printable("evil\u{202e}c.\u{2069}"), "evil\u{fffd}c.\u{fffd}");
        assert_eq!(printable("MPI\u{200b}_Send\u{feff}\u{ad}\u{e0041}"), "MPI\u{fffd}_Send\u{fffd}\u{fffd}\u{fffd}");
        assert_eq!(
            printable("l\u{e4}uft \u{65e5}\u{672c} \u{5e9}\n"),
            "l\u{e4}uft \u{65e5}\u{672c} \u{5e9}\n",
            "other text stays"
        );
    }

    #[test]
    fn json_is_harmless_and_says_the_same() {
        let name = "a\u{9b}31m\u{202e}b\u{e0041}\n\u{1b}";
        let text = harmless_json(&serde_json::to_string(name).unwrap());
        assert!(text.is_ascii(), "{text:?}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), name);
    }
}
