//! Utilisation in tables: per class of links, and per layer of nodes and switches.

use std::io::Write;

use serde::Serialize;

use heddle_network::{Network, Part, Tests, Unit, Used, Utilisation};
use heddle_store::Store;
use heddle_view::load_text;

use crate::text::{grouped, printable};

/// How much of what they could carry the links and switches of a machine carried.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// What shares are of: `of capacity`, `of the fullest link`.
    pub(super) whole: &'static str,
    pub(super) links: Vec<Row>,
    /// None on a torus, whose nodes are all that there is.
    pub(super) layers: Vec<Row>,
}

/// Links of a class, or elements of a layer.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    /// How many.
    pub(super) count: usize,
    /// Mean and largest utilisation.
    pub(super) mean: f64,
    pub(super) max: f64,
    /// The share of those that carry nothing.
    pub(super) idle: f64,
    /// The mean by that of the fullest class or layer.
    pub(super) of_fullest: f64,
    /// Over these links, or out of these elements.
    pub(super) bytes: f64,
    #[serde(skip)]
    bytes_text: String,
}

impl Told {
    /// Of a part of a trace, in the sections that are wanted.
    pub(super) fn of(store: &Store, network: &Network, part: &Part) -> Told {
        let shape = &network.machine.shape;
        let traffic = network.traffic(store, part, Tests::default());
        let wanted = network.options().wanted_sections();
        let loads = traffic.loads(&***shape, |at| wanted.as_ref().is_none_or(|wanted| wanted.contains(&at)));
        let Utilisation { whole, classes, layers, .. } = network.utilisation(store, part, &traffic, &loads);
        let layers = if shape.torus().is_some() { Vec::new() } else { layers };
        Told { whole: whole.words(), links: rows(&classes, &traffic.unit), layers: rows(&layers, &traffic.unit) }
    }

    /// Two tables, or one on a torus.
    pub(super) fn write(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let mut table = |what: &str, rows: &[Row]| -> anyhow::Result<()> {
            writeln!(
                out,
                "\n  {:<20} {:>8} {:>8} {:>8} {:>7} {:>11} {:>12}",
                what, "", "mean", "max", "idle", "to fullest", "carried"
            )?;
            for row in rows {
                writeln!(
                    out,
                    "  {:<20} {:>8} {:>8} {:>8} {:>7} {:>11.3} {:>12}",
                    printable(&row.name),
                    grouped(row.count as u64),
                    percent(row.mean),
                    percent(row.max),
                    percent(row.idle),
                    row.of_fullest,
                    printable(&row.bytes_text)
                )?;
            }
            Ok(())
        };
        table("utilisation, links", &self.links)?;
        if !self.layers.is_empty() {
            table("nodes and switches", &self.layers)?;
        }
        writeln!(
            out,
            "\n  per cent {}; of a switch, what leaves it; to fullest: mean by that of the fullest row",
            self.whole
        )?;
        if self.whole != "of capacity" {
            writeln!(out, "  --link-bandwidth says what a link can carry, where a trace says how long")?;
        }
        Ok(())
    }
}

fn rows(used: &[Used], unit: &Unit) -> Vec<Row> {
    let fullest = used.iter().map(|used| used.utilisation.mean).fold(0.0, f64::max);
    let row = |used: &Used| Row {
        name: used.name.clone(),
        count: used.utilisation.links,
        mean: used.utilisation.mean,
        max: used.utilisation.max,
        idle: used.utilisation.unused_part(),
        of_fullest: if fullest > 0.0 { used.utilisation.mean / fullest } else { 0.0 },
        bytes: used.bytes,
        bytes_text: load_text(unit, used.bytes),
    };
    used.iter().map(row).collect()
}

/// `12.5%`; small ones with more digits, so that almost idle is not idle.
pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0%".to_owned(),
        small if small < 0.1 => format!("{small:.4}%"),
        value => format!("{value:.1}%"),
    }
}
