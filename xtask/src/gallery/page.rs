//! The text of `docs/gallery/README.md`, and of the pages with figures of papers beside it.

use super::{Entry, Figure};

const HEAD: &str = "\
# Gallery

Figures of [Heddle](../../README.md), each made by `heddle render` without a screen: `cargo xtask gallery` draws them and
writes this page. They are the same bytes on every machine, so a figure changes only when the code does. The call view,
logical time, networks and task-based programs have pages of their own: [calls](calls.md), [logical time](logical.md), [torus networks](network.md),
[fat-trees and dragonflies](fat-trees.md), [progression](progression.md). What one does by hand on the page, such as measuring and comparing two
windows, is shown [there](../browser.md).
";

const CASES: &str = "\
## Case studies

Simulated, so that everybody can have them: the command opens the case in the browser, with a tour.
";

const SAMPLES: &str = "\
## Recorded traces

One of each format, as their recorders wrote them.
";

/// The head of the page of the call view.
pub(super) const CALLS: &str = "\
# The call view

Figures of Muelder, Gygi and Ma, *Visual analysis of inter-process communication for large-scale parallel computing* (2009),
made again by [Heddle](../../README.md): from recorded traces where those suffice, and from simulated programs where more
processes are needed. `cargo xtask gallery` draws them and writes this page; the rest of the gallery is [here](README.md).
";

/// The head of the page of logical time.
pub(super) const LOGICAL: &str = "\
# Logical time

Figures of Isaacs, Bremer, Jusufi, Gamblin, Bhatele, Schulz and Hamann, *Combing the communication hairball: visualizing
parallel execution traces using logical time* (2014), made again by [Heddle](../../README.md) from simulated programs. `heddle
demo merge-tree`, `heddle demo pf3d` and `heddle demo multigrid` lead through them. `cargo xtask gallery` draws them and writes
this page; the rest of the gallery is [here](README.md).

A column is a logical step, a box a call that communicates, a small box before it what the rank did since its last one. Colour
is lateness: how much later a call ended than the first one of its step.
";

/// The head of the page of fat-trees and dragonflies.
pub(super) const FAT_TREES: &str = "\
# Fat-trees and dragonflies

Figures of Berkbigler, Bush, Davis, Hoisie, Smith, Zhou, Summers and Caudell, *Graph visualization for the analysis of the structure
and dynamics of extreme-scale supercomputers* (2002), made again by [Heddle](../../README.md) from simulated traffic: ranks
that talk to their neighbours on a grid, and ranks that talk to anybody. `heddle demo fat-tree` leads through them. `cargo xtask
gallery` draws them and writes this page; the rest of the gallery is [here](README.md).

A cell is a switch, the darker the more of what could leave it did; its frame has the colour of its layer.
";

/// The head of the page of progression.
pub(super) const PROGRESSION: &str = "\
# Progression of task-based programs

Figures of Nesi, Garcia Pinto, Schnorr and Legrand, *Summarizing task-based applications behavior over many nodes through progression
clustering* (2023), made again by [Heddle](../../README.md) from its own simulated factorisations. `heddle demo tasks` leads
through them; [Progression](../progression.md) says how to read them. `cargo xtask gallery` draws them and writes this page; the rest of
the gallery is [here](README.md).
";

/// The head of the page of networks.
pub(super) const NETWORK: &str = "\
# Traffic on torus networks

Figures of Landge, Levine, Isaacs, Bhatele, Gamblin, Schulz, Langer, Bremer and Pascucci, *Visualizing network traffic to
understand the performance of massively parallel simulations* (2012), made again by [Heddle](../../README.md): from counters of
a Blue Gene/P where they are at hand, and predicted from simulated runs of pF3D where they are not. `heddle demo mappings` leads
through them. `cargo xtask gallery` draws them and writes this page; the rest of the gallery is [here](README.md).

A line is a link between two nodes; the darker, the more it carries. On a plane one looks along a dimension: its lines of nodes
are the short diagonals.
";

/// A page of figures of a paper.
pub(super) fn plates(head: &str, plates: &[Entry], is_there: &dyn Fn(&Figure) -> bool) -> String {
    plates.iter().fold(head.to_owned(), |text, entry| text + &section(entry, is_there))
}

/// The page. A figure that has never been drawn is left out.
pub(super) fn page(cases: &[Entry], samples: &[Entry], is_there: &dyn Fn(&Figure) -> bool) -> String {
    let mut text = HEAD.to_owned();
    for (head, entries) in [(CASES, cases), (SAMPLES, samples)] {
        text += &format!("\n{head}");
        for entry in entries {
            text += &section(entry, is_there);
        }
    }
    text
}

fn section(entry: &Entry, is_there: &dyn Fn(&Figure) -> bool) -> String {
    let mut text = format!("\n### {}\n\n{}\n\n```sh\n{}\n```\n", entry.title, entry.about, entry.command);
    for figure in entry.figures.iter().filter(|figure| is_there(figure)) {
        text += &format!("\n![{}]({}.png)\n\n", figure.caption, figure.file);
        text += &format!("{} `heddle render {}`\n", figure.caption, figure.render);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_is_not_there_is_not_linked() {
        let figure = |file: &str| Figure {
            file: file.to_owned(),
            caption: "Waves.".to_owned(),
            render: "timeline".to_owned(),
            input: None,
        };
        let entry = Entry {
            title: "Halo".to_owned(),
            about: "About.".to_owned(),
            command: "heddle demo halo".to_owned(),
            figures: vec![figure("a"), figure("b")],
        };
        let text = page(&[entry], &[], &|figure| figure.file == "a");
        assert!(text.contains("### Halo") && text.contains("heddle demo halo"), "{text}");
        assert!(text.contains("![Waves.](a.png)") && !text.contains("b.png"), "{text}");
    }
}
