//! What the page knows of options, views, analyses and selections: `web/src/api/options.ts`, written from the same
//! descriptions that the command line and the server use. Whoever changes an option finds the page's types stale, and the
//! test below red.

use std::fmt::Write as _;

use heddle_options::{Kind, OptionSpec};
use heddle_view::{AnalysisKind, Selection, View};

const HEADER: &str = "\
/**
 * What the options of views and analyses are. Generated from the Rust sources; do not edit.
 *
 * `HEDDLE_BLESS=1 cargo test -p heddle-server page_types` writes it anew.
 */

";

const TYPES: &str = "\
export type OptionName = keyof OptionValues;

/** How an option is written, checked and explained. */
export type OptionSpec =
  | { kind: \"switch\"; usual: boolean; flag: string; title: string; help: string }
  | { kind: \"word\"; words: readonly string[]; usual: string; flag: string; title: string; help: string }
  | { kind: \"range\"; whole: boolean; least: number; most: number; usual: null; flag: string; title: string; help: string }
  | { kind: \"number\"; whole: boolean; least: number; most: number; usual: number; flag: string; title: string; help: string }
  | { kind: \"id\"; usual: null; flag: string; title: string; help: string }
  | { kind: \"text\"; longest: number; usual: string; flag: string; title: string; help: string };

";

const VIEW_TYPES: &str = "\
/** What a view of the server is. */
export interface ViewSpec {
  /** What its axes run over. */
  x: \"time\" | \"steps\" | \"columns\" | \"across\" | \"values\";
  y: \"rows\" | \"down\" | \"values\";
  /** What it heeds. */
  options: readonly OptionName[];
  /** What it may rest on. */
  analyses: readonly AnalysisName[];
  /** One sentence, without a full stop. */
  about: string;
}

";

/// All options of all views, each once, in the order in which views name them.
fn all_options() -> Vec<OptionSpec> {
    let mut all: Vec<OptionSpec> = Vec::new();
    for spec in View::ALL.iter().flat_map(|view| view.options()) {
        match all.iter().find(|known| known.name == spec.name) {
            None => all.push(spec),
            Some(known) => assert!(
                (&known.kind, &known.default, known.title, &known.help)
                    == (&spec.kind, &spec.default, spec.title, &spec.help),
                "`{}` means two things in two views",
                spec.name
            ),
        }
    }
    all
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("text")
}

/// A name as a key of an object.
fn key(name: &str) -> String {
    if name.contains('-') { quoted(name) } else { name.to_owned() }
}

fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    format!("[{}]", names.into_iter().map(quoted).collect::<Vec<_>>().join(", "))
}

fn value_type(kind: &Kind) -> String {
    match kind {
        Kind::Switch => "boolean".to_owned(),
        Kind::Word(words) => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" | "),
        Kind::Range { .. } => "readonly [number, number] | null".to_owned(),
        Kind::Number { .. } => "number".to_owned(),
        Kind::Id => "number | null".to_owned(),
        Kind::Text { .. } => "string".to_owned(),
    }
}

fn spec_text(spec: &OptionSpec) -> String {
    let fields = match &spec.kind {
        Kind::Switch => format!("kind: \"switch\", usual: {}", spec.default == "1"),
        Kind::Word(words) => {
            format!("kind: \"word\", words: {}, usual: {}", list(words.iter().copied()), quoted(&spec.default))
        }
        Kind::Range { is_whole, least, most, .. } => {
            format!("kind: \"range\", whole: {is_whole}, least: {least}, most: {most}, usual: null")
        }
        Kind::Number { is_whole, least, most } => {
            format!("kind: \"number\", whole: {is_whole}, least: {least}, most: {most}, usual: {}", spec.default)
        }
        Kind::Id => "kind: \"id\", usual: null".to_owned(),
        Kind::Text { longest, .. } => {
            format!("kind: \"text\", longest: {longest}, usual: {}", quoted(&spec.default))
        }
    };
    let title = if spec.title.is_empty() { spec.name } else { spec.title };
    let [flag, title, help] = [&format!("--{}", spec.flag()), title, &spec.help].map(quoted);
    format!("{{ {fields}, flag: {flag}, title: {title}, help: {help} }}")
}

fn page_types() -> String {
    let (all, mut text) = (all_options(), HEADER.to_owned());
    text.push_str("/** The value of each option, by its name on the command line, in questions and in links. */\n");
    text.push_str("export interface OptionValues {\n");
    for spec in &all {
        let _ = writeln!(text, "  /** {}. */\n  {}: {};", spec.help, key(spec.name), value_type(&spec.kind));
    }
    text.push_str("}\n");
    text.push_str(TYPES);
    text.push_str("export const OPTIONS: { readonly [N in OptionName]: OptionSpec } = {\n");
    for spec in &all {
        let _ = writeln!(text, "  {}: {},", key(spec.name), spec_text(spec));
    }
    text.push_str("};\n\n");
    let names = AnalysisKind::ALL.map(|kind| quoted(kind.name())).join(" | ");
    let _ = writeln!(text, "/** What is computed on demand. */\nexport type AnalysisName = {names};\n");
    text.push_str("/** Which options decide the result of an analysis. */\n");
    text.push_str("export const ANALYSES: { readonly [A in AnalysisName]: readonly OptionName[] } = {\n");
    for kind in AnalysisKind::ALL {
        let _ = writeln!(text, "  {}: {},", key(kind.name()), list(kind.options().iter().map(|spec| spec.name)));
    }
    text.push_str("};\n\n");
    text.push_str(VIEW_TYPES);
    text.push_str("export const VIEWS: Readonly<Record<string, ViewSpec>> = {\n");
    for view in View::ALL {
        let (x, y) = view.axes();
        let analyses: Vec<&str> = view.analyses().map(AnalysisKind::name).collect();
        let _ = writeln!(
            text,
            "  {}: {{ x: {}, y: {}, options: {}, analyses: {}, about: {} }},",
            key(view.name()),
            quoted(x.name()),
            quoted(y.name()),
            list(view.options().iter().map(|spec| spec.name)),
            list(analyses),
            quoted(view.about())
        );
    }
    text.push_str("};\n\n/** The text of each kind of selection, for tests on both sides. */\n");
    let _ = writeln!(text, "export const SELECTIONS: readonly string[] = {};", list(Selection::SAMPLES));
    text
}

#[test]
fn the_page_knows_every_option_as_it_is() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/api/options.ts");
    let text = page_types();
    if std::env::var_os("HEDDLE_BLESS").is_some() {
        std::fs::write(file, &text).expect("writable");
    }
    let known = std::fs::read_to_string(file).expect("a committed file");
    assert!(
        known == text,
        "web/src/api/options.ts is stale: `HEDDLE_BLESS=1 cargo test -p heddle-server page_types` writes it anew"
    );
}
