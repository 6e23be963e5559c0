//! A figure for a column of a paper, measured in its PDF and put into a page of LaTeX where there is one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say so and stop")]

mod common;

use std::io::Read;
use std::path::Path;
use std::process::Command;

use common::Place;

/// What is asked for: a column of 88 mm with text of 8 points.
const COLUMN: [&str; 4] = ["--width", "88mm", "--font-size", "8"];
/// Its width in points of PDF, of which 72 are an inch.
const POINTS: f64 = 88.0 / 25.4 * 72.0;

/// A PDF as text, each byte a character, and its streams, inflated.
struct Pdf {
    text: String,
    streams: Vec<Vec<u8>>,
}

impl Pdf {
    fn read(path: &Path) -> Pdf {
        let bytes = std::fs::read(path).unwrap();
        let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        let mut streams = Vec::new();
        let mut at = 0;
        while let Some(begin) = text_from(&bytes, at, b"stream\n") {
            let end = text_from(&bytes, begin, b"endstream").unwrap();
            let mut stream = Vec::new();
            // Some streams are no deflated ones: they have no use here.
            if flate2::read::ZlibDecoder::new(&bytes[begin..end]).read_to_end(&mut stream).is_ok() {
                streams.push(stream);
            }
            at = end + b"endstream".len();
        }
        Pdf { text, streams }
    }

    /// Width and height of a page.
    fn page(&self) -> (f64, f64) {
        let sides = self.text.split("/MediaBox").nth(1).unwrap().trim_start().strip_prefix('[').unwrap();
        let sides: Vec<f64> =
            sides.split(']').next().unwrap().split_whitespace().map(|side| side.parse().unwrap()).collect();
        (sides[2] - sides[0], sides[3] - sides[1])
    }

    /// The instructions that draw the page.
    fn content(&self) -> String {
        let is_content =
            |stream: &&Vec<u8>| stream.windows(3).any(|some| some == b"BT\n" || some == b"\nre" || some == b"re\n");
        let content = self.streams.iter().find(is_content).unwrap();
        content.iter().map(|byte| char::from(*byte)).collect()
    }

    /// Names of the fonts that the file brings along.
    fn fonts(&self) -> Vec<&str> {
        let names = self.text.split("/FontName").skip(1).map(|rest| rest.trim_start().trim_start_matches('/'));
        names
            .map(|name| name.split(|c: char| !(c.is_ascii_alphanumeric() || "+-".contains(c))).next().unwrap())
            .collect()
    }
}

/// The place behind some bytes, from a place on.
fn text_from(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let at = bytes[from..].windows(what.len()).position(|some| some == what)? + from;
    Some(if what == b"endstream" { at } else { at + what.len() })
}

/// Figures of a column: of calls, of ranks over time, and of functions.
fn figures() -> (Place, [&'static str; 3]) {
    let place = Place::new();
    place.ok(&["simulate", "halo", "--ranks", "12", "--iterations", "6", "-o", "x.heddle"]);
    let views = ["timeline", "calls", "profile"];
    for view in views {
        place.ok(&[
            &["render", view, "x.heddle", "-o", &format!("{view}.pdf")],
            &COLUMN[..],
            &["--no-title", "--no-notes"],
        ]
        .concat());
    }
    (place, views)
}

#[test]
fn a_figure_of_a_column_has_its_width_its_text_and_its_fonts() {
    let (place, views) = figures();
    for view in views {
        let pdf = Pdf::read(&place.path(&format!("{view}.pdf")));
        let (width, height) = pdf.page();
        assert!((width - POINTS).abs() < 0.01, "{view}: {width}");
        assert!((height - POINTS * 0.72).abs() < 0.01, "{view}: {height}");
        // Six letters and a plus: a part of the font, and that part is in the file.
        let fonts = pdf.fonts();
        assert!(!fonts.is_empty() && pdf.text.matches("/FontFile2").count() >= fonts.len(), "{view}: {fonts:?}");
        for font in fonts {
            let (tag, name) = font.split_once('+').unwrap();
            assert!(tag.len() == 6 && tag.chars().all(|c| c.is_ascii_uppercase()), "{view}: {font}");
            assert!(name.starts_with("DejaVuSans"), "{view}: {font}");
        }
        let content = pdf.content();
        let sizes: Vec<&str> =
            content.lines().filter(|line| line.ends_with(" Tf")).filter_map(|line| line.split(' ').nth(1)).collect();
        assert!(sizes.len() > 5 && sizes.iter().all(|size| *size == "8"), "{view}: {sizes:?}");
        // Marks are shapes: no picture of pixels is in the file.
        assert!(!pdf.text.contains("/Subtype/Image") && !pdf.text.contains("/Subtype /Image"), "{view}");
        let shapes =
            content.lines().filter(|line| line.ends_with(" re") || line.ends_with(" l") || line.ends_with(" c"));
        assert!(shapes.count() > 30, "{view}");
    }
}

/// A column as wide as the figure, with the figure in it as it is.
fn page_of(figures: &[&str]) -> String {
    let mut text = "\\documentclass{article}\n\\usepackage{graphicx}\n\\setlength{\\textwidth}{88mm}\n\\begin{document}\n\\typeout{column \\the\\columnwidth}\n".to_owned();
    for figure in figures {
        text += &format!(
            "\\begin{{figure}}[p]\\setbox0\\hbox{{\\includegraphics{{{figure}.pdf}}}}\\typeout{{{figure} \\the\\wd0}}\\box0\\caption{{{figure}}}\\end{{figure}}\n"
        );
    }
    text + "\\end{document}\n"
}

#[test]
fn latex_sets_a_figure_in_a_column_without_scaling_it() {
    let (place, views) = figures();
    std::fs::write(place.path("paper.tex"), page_of(&views)).unwrap();
    let compiled = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", "paper.tex"])
        .current_dir(place.path("."))
        .output();
    let compiled = match compiled {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: pdflatex is not on the PATH");
            return;
        }
        compiled => compiled.unwrap(),
    };
    let said = String::from_utf8_lossy(&compiled.stdout).into_owned();
    assert!(compiled.status.success(), "{said}");
    assert!(!said.contains("Overfull"), "it does not stand out of its column: {said}");
    // TeX's points: 72.27 are an inch.
    let column = 88.0 / 25.4 * 72.27;
    for name in ["column"].iter().chain(&views) {
        let line = said.lines().find(|line| line.starts_with(&format!("{name} ")) && line.ends_with("pt")).unwrap();
        let width: f64 = line[name.len() + 1..].trim_end_matches("pt").parse().unwrap();
        assert!((width - column).abs() < 0.05, "{line}");
    }
    let paper = std::fs::read(place.path("paper.pdf")).unwrap();
    assert!(paper.starts_with(b"%PDF-"));
    // The fonts of the figures came along.
    let paper = Pdf::read(&place.path("paper.pdf"));
    let objects: Vec<u8> = paper.streams.concat();
    let has = |bytes: &[u8]| bytes.windows(11).any(|some| some == b"+DejaVuSans");
    assert!(has(&objects) || has(paper.text.as_bytes()), "the figure's fonts are in the paper");
}
