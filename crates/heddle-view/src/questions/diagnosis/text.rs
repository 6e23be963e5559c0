//! A diagnosis as text: for people at a terminal, and as Markdown.

use super::efficiency::EfficiencyColumn;
use super::{DiagnosisTold, FindingTold};
use crate::harmless::escape;

/// Columns of text at a terminal.
const WIDTH: usize = 100;

/// Rows of the tree of efficiencies: name, depth, value.
fn tree(column: &EfficiencyColumn) -> [(&'static str, usize, f64); 5] {
    [
        ("parallel efficiency", 0, column.parallel),
        ("load balance", 1, column.load_balance),
        ("communication", 1, column.communication),
        ("serialisation", 2, column.serialisation),
        ("transfer", 2, column.transfer),
    ]
}

/// For people: the verdict, what costs time, efficiencies, what is not a problem. Every name of the trace goes through
/// `safe`, line by line.
pub fn diagnosis_text(told: &DiagnosisTold, columns: &[EfficiencyColumn], safe: impl Fn(&str) -> String) -> String {
    let mut lines = wrapped(&safe(&told.headline_text()), "");
    for finding in &told.findings {
        lines.push(String::new());
        lines.extend(finding_lines(finding, &safe));
    }
    lines.push(String::new());
    let parts = told.split.iter().filter(|part| part.text != "0.0 %" || part.kind == "useful");
    let parts: Vec<String> = parts
        .map(|part| match part.finding {
            Some(number) => format!("finding {number} {}", part.text),
            None => format!("{} {}", part_name(part.kind), part.text),
        })
        .collect();
    lines.extend(wrapped(&format!("Where the time went: {}.", parts.join(", ")), ""));
    if !told.remaining.is_empty() {
        lines.extend(wrapped(&safe(&told.remaining_text()), ""));
    }
    lines.push(String::new());
    lines.extend(efficiency_lines(columns, &safe));
    let good: Vec<&str> = told.checks.iter().filter(|check| check.ok).map(|check| check.text.as_str()).collect();
    if !good.is_empty() {
        lines.push(String::new());
        lines.push(format!("Not a problem: {}.", good.join(", ")));
    }
    for check in told.checks.iter().filter(|check| !check.ok) {
        lines.push(format!("Examined: {}.", check.text));
    }
    for note in &told.notes {
        lines.extend(wrapped(&format!("Note: {}", safe(note)), ""));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn finding_lines(finding: &FindingTold, safe: &impl Fn(&str) -> String) -> Vec<String> {
    let mut lines = vec![format!("{}. {}  {}", finding.number, safe(&finding.title), finding.cost_text)];
    let parts = [&finding.place, &finding.evidence(), &finding.without_text(), finding.advice];
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        lines.extend(wrapped(&safe(part), "   "));
    }
    lines
}

/// What a part of the time is called. What no finding explains may be chance, or the way that work is cut.
fn part_name(kind: &str) -> &str {
    if kind == "chance" { "other waiting" } else { kind }
}

/// The tree of efficiencies as lines, one column per stretch of time.
pub fn efficiency_lines(columns: &[EfficiencyColumn], safe: &impl Fn(&str) -> String) -> Vec<String> {
    let Some(first) = columns.first() else { return Vec::new() };
    let width = |name: &str| name.chars().count().clamp(6, 24);
    let names: Vec<String> = columns.iter().map(|column| cut(&safe(&column.name), 24)).collect();
    let head: Vec<String> = names.iter().map(|name| format!("  {name:>width$}", width = width(name))).collect();
    let head = head.concat();
    let mut lines = vec![format!("{:24}{head}", "Efficiency")];
    for (row, (name, depth, _)) in tree(first).into_iter().enumerate() {
        let values: Vec<String> = columns
            .iter()
            .zip(&names)
            .map(|(column, name)| format!("  {:>width$.2}", tree(column)[row].2, width = width(name)))
            .collect();
        let values = values.concat();
        lines.push(format!("{:24}{values}", format!("{}{name}", "  ".repeat(depth + 1))));
    }
    lines
}

fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most { name.to_owned() } else { name.chars().take(most - 1).chain(['…']).collect() }
}

/// A text in lines that fit, each begun by an indent.
fn wrapped(text: &str, indent: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    // A number stays with its unit.
    let text = text.replace(" %", "\u{a0}%");
    for word in text.split(' ') {
        if !line.is_empty() && indent.len() + line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(format!("{indent}{line}"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(format!("{indent}{line}"));
    lines.into_iter().map(|line| line.replace("\u{a0}%", " %")).collect()
}

/// The same as Markdown, for notes and reports. Every name of the trace goes through `safe`.
pub fn diagnosis_markdown(told: &DiagnosisTold, columns: &[EfficiencyColumn], safe: impl Fn(&str) -> String) -> String {
    let escaped = |text: &str| escape(&safe(text));
    let mut text = format!("# Diagnosis\n\n**{}**\n", escaped(&told.headline_text()));
    for finding in &told.findings {
        text += &format!(
            "\n## {}. {} ({})\n\n{}\n\n{}",
            finding.number,
            escaped(&finding.title),
            finding.cost_text,
            escaped(&finding.place),
            escaped(&finding.evidence())
        );
        let without = finding.without_text();
        if !without.is_empty() {
            text += &format!(" {}", escaped(&without));
        }
        text += &format!("\n\n{}\n", finding.advice);
    }
    text += "\n## Where the time went\n\n| part | share |\n|---|---:|\n";
    for part in &told.split {
        let name = part.finding.map_or_else(|| part_name(part.kind).to_owned(), |number| format!("finding {number}"));
        text += &format!("| {name} | {} |\n", part.text);
    }
    if !told.remaining.is_empty() {
        text += &format!("\n{}\n", escaped(&told.remaining_text()));
    }
    if let Some(first) = columns.first() {
        let heads: Vec<String> = columns.iter().map(|column| format!(" {} |", escaped(&column.name))).collect();
        let heads = heads.concat();
        text += &format!("\n## Efficiency\n\n| |{heads}\n|---|{}\n", "---:|".repeat(columns.len()));
        for (row, (name, depth, _)) in tree(first).into_iter().enumerate() {
            let values: Vec<String> = columns.iter().map(|column| format!(" {:.2} |", tree(column)[row].2)).collect();
            let values = values.concat();
            text += &format!("| {}{name} |{values}\n", "&emsp;".repeat(depth));
        }
    }
    if !told.checks.is_empty() {
        text += "\n## What was examined\n\n";
        for check in &told.checks {
            text += &format!("- [{}] {}\n", if check.ok { "x" } else { " " }, escaped(&check.text));
        }
    }
    if !told.notes.is_empty() {
        text += "\n## Notes\n\n";
        for note in &told.notes {
            text += &format!("- {}\n", escaped(note));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sentences_are_wrapped_between_words() {
        let text = "word ".repeat(60);
        let lines = wrapped(text.trim(), "   ");
        // Nineteen words and the indent take 97 columns, twenty would take 102.
        assert!(lines.len() == 4 && lines.iter().all(|line| line.chars().count() <= WIDTH && line.starts_with("   ")));
        assert_eq!(lines.iter().map(|line| line.split_whitespace().count()).sum::<usize>(), 60);
        let lines = wrapped(&format!("{} 0.5 %.", "x".repeat(WIDTH - 4)), "");
        assert_eq!(lines[1], "0.5 %.", "a number stays with its unit");
    }

    #[test]
    fn names_are_not_markdown() {
        assert_eq!(escape("a_b|<img>"), "a\\_b\\|\\<img\\>");
    }
}
