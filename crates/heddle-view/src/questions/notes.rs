//! Notes on a trace, as text for people and as Markdown. What stands in them is hostile until it has been made harmless.

use heddle_store::Note;

use crate::harmless::{escape, printable, printable_name};

/// Notes for a terminal: number, id and name; then the words, and the view.
pub fn notes_text(notes: &[Note]) -> String {
    let width = notes.len().to_string().len();
    let indent = " ".repeat(width + 2);
    let mut text = String::new();
    for (number, note) in (1..).zip(notes) {
        text += &format!("{number:width$}  {}  {}\n", note.id, printable_name(&note.name));
        for line in printable(&note.text).lines() {
            text += &format!("{indent}{line}\n");
        }
        text += &format!("{indent}#{}\n", note.view);
    }
    text
}

/// Notes for a report. Nothing in them can be taken for Markdown but the lists that people write.
pub fn notes_markdown(trace: &str, notes: &[Note]) -> String {
    let mut text = format!("# Notes on {}\n\n", escape(&printable_name(trace)));
    text += "Each view stands in the address of Heddle's page, after the `/`.\n";
    for (number, note) in (1..).zip(notes) {
        text += &format!("\n## {number}. {}\n", words(&printable_name(&note.name)));
        if !note.text.is_empty() {
            text += &format!("\n{}\n", words(&printable(&note.text)));
        }
        text += &format!("\nView: `#{}`\n", note.view);
    }
    text
}

/// Escaped; addresses, too, which many readers of Markdown would make links of.
fn words(text: &str) -> String {
    escape(text).replace("://", ":\\/\\/").replace("www.", "www\\.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes() -> Vec<Note> {
        let note = |id: &str, name: &str, text: &str| Note {
            id: id.to_owned(),
            name: name.to_owned(),
            text: text.to_owned(),
            view: "v=1&time=0:50".to_owned(),
        };
        vec![
            note("0a", "Rank 37 is late", "It computes.\nOthers wait."),
            note("b1", "<b>\u{1b}[2J\n## x", "[click](https://evil.example) `www.x.y`\u{202e}"),
        ]
    }

    #[test]
    fn on_a_terminal_names_have_no_power() {
        assert_eq!(
            notes_text(&notes()),
            "1  0a  Rank 37 is late\n   It computes.\n   Others wait.\n   #v=1&time=0:50\n\
             2  b1  <b>\u{fffd}[2J\u{fffd}## x\n   [click](https://evil.example) `www.x.y`\u{fffd}\n   #v=1&time=0:50\n"
        );
        assert_eq!(notes_text(&[]), "");
    }

    #[test]
    fn in_markdown_names_are_neither_html_nor_links() {
        let text = notes_markdown("run_1", &notes());
        assert_eq!(
            text,
            "# Notes on run\\_1\n\nEach view stands in the address of Heddle's page, after the `/`.\n\n\
             ## 1. Rank 37 is late\n\nIt computes.\nOthers wait.\n\nView: `#v=1&time=0:50`\n\n\
             ## 2. \\<b\\>\u{fffd}\\[2J\u{fffd}\\#\\# x\n\n\
             \\[click\\](https:\\/\\/evil.example) \\`www\\.x.y\\`\u{fffd}\n\nView: `#v=1&time=0:50`\n"
        );
    }
}
