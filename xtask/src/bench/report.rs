//! The report: a page of Markdown with a section per thing that was measured, each with the commands that repeat it.
//!
//! Measuring everything takes a good part of an hour, so sections stand for themselves: those that were measured replace
//! the older ones of the page, and all others stay.

use super::machine;
use super::peers::Peers;

/// All titles, in the order of the page.
const TITLES: [&str; 11] = [
    "Import",
    "Decoding alone, one core",
    "Growth with size",
    "Threads and stages",
    "`heddle info` on a store",
    "Other formats",
    "Large traces",
    "Simulation",
    "Scenes",
    "Logical time",
    "Progression",
];

/// What was measured, with a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    title: String,
    text: String,
}

impl Section {
    /// A title, what the numbers mean, the table, and what to type to see them again.
    pub(super) fn new(title: &str, about: &str, table: &str, commands: &[String]) -> Section {
        debug_assert!(TITLES.contains(&title), "{title}");
        let mut text = format!("{about}\n\n{table}");
        let mut different: Vec<&str> = Vec::new();
        for command in commands {
            if !different.contains(&command.as_str()) {
                different.push(command);
            }
        }
        if !different.is_empty() {
            text += &format!("\n```sh\n{}\n```\n", different.join("\n"));
        }
        Section { title: title.to_owned(), text }
    }
}

/// The page.
#[derive(Debug)]
pub(super) struct Report {
    intro: String,
    sections: Vec<Section>,
}

impl Report {
    /// A page about this machine.
    pub(super) fn new(rounds: usize, peers: &Peers) -> Report {
        Report::about(rounds, &machine::describe(), peers.version.as_deref())
    }

    fn about(rounds: usize, machine: &str, otf2: Option<&str>) -> Report {
        let intro = format!(
            "# Benchmarks\n\n\
             Written by `cargo xtask bench --write`, which builds Heddle for release, simulates its input and runs\n\
             Heddle and its peers on it in turn, with a warm file cache. {} Sections may be of different days: `--only` measures some of them anew.\n\n\
             - Machine: {machine}\n\
             - OTF2 library: {}\n\n",
            if rounds == 1 { "Each ran once.".to_owned() } else { format!("Best of {rounds} rounds.") },
            otf2.unwrap_or("not installed"),
        );
        Report { intro, sections: Vec::new() }
    }

    pub(super) fn add(&mut self, sections: impl IntoIterator<Item = Section>) {
        self.sections.extend(sections);
    }

    /// The sections of an older page that were not measured again. What nobody measures any more is left out.
    pub(super) fn keep(&mut self, page: &str) {
        for part in page.split("\n## ").skip(1) {
            let Some((title, text)) = part.split_once("\n\n") else { continue };
            let is_new = self.sections.iter().any(|section| section.title == title);
            if TITLES.contains(&title) && !is_new {
                let text = format!("{}\n", text.trim_end());
                self.sections.push(Section { title: title.to_owned(), text });
            }
        }
    }

    /// The whole text.
    pub(super) fn to_markdown(&self) -> String {
        let mut text = self.intro.clone();
        for title in TITLES {
            for section in self.sections.iter().filter(|section| section.title == title) {
                text += &format!("## {title}\n\n{}\n", section.text);
            }
        }
        format!("{}\n", text.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_again_replaces_what_was() {
        let commands = ["heddle a", "heddle a", "heddle b"].map(str::to_owned);
        let mut first = Report::about(3, "a machine", None);
        first.add([
            Section::new("Scenes", "Pictures.", "| 1 |\n", &[]),
            Section::new("Import", "Everything.", "| 2 |\n", &commands),
        ]);
        let text = first.to_markdown();
        assert!(text.contains("Best of 3 rounds.") && text.contains("- OTF2 library: not installed"), "{text}");
        let import = "## Import\n\nEverything.\n\n| 2 |\n\n```sh\nheddle a\nheddle b\n```\n";
        assert!(text.contains(import), "{text}");
        assert!(text.find("## Import") < text.find("## Scenes"), "{text}");

        let mut again = Report::about(3, "a machine", None);
        again.add([Section::new("Scenes", "Pictures.", "| 3 |\n", &[])]);
        again.keep(&text);
        let new = again.to_markdown();
        assert!(new.contains(import) && new.contains("| 3 |") && !new.contains("| 1 |"), "{new}");

        let mut same = Report::about(3, "a machine", None);
        same.keep(&new);
        assert_eq!(same.to_markdown(), new);
    }

    #[test]
    fn what_nobody_measures_any_more_goes() {
        let mut report = Report::about(1, "a machine", Some("3.0"));
        report.keep("# Benchmarks\n\n## Commands\n\nold\n\n## Import\n\n| 1 |\n");
        let text = report.to_markdown();
        assert!(text.contains("Each ran once.") && text.contains("| 1 |") && !text.contains("old"), "{text}");
    }
}
