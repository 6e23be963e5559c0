//! Options of the view of a fat-tree.

use heddle_options::{Count, OptionError, Words, options};
use heddle_topology::layout::tree::Representation;

options! {
    /// What is shown of a fat-tree, and how.
    pub struct FatTreeOptions {
        /// How the tree is drawn: qs (layers of switches on a plane), dl, dc, dr (in space: along a line, around a cone, on rectangles), lb (layered blocks), ht (H tree), f1 (fractal), or cells (by a file of generators); several side by side with commas between them; by default qs up to 64 nodes, else ht
        "as" ("Drawn as") drawn_as: String = String::new(),
        /// A file with a pair of generators for cells of your own: lines a and b with four points each, and A and B with factors
        "cells" cells: String = String::new(),
        /// What switches are coloured by: traffic (how much of what could leave them did), their busiest link, their layer, or nothing
        "switches" ("Switches by") switches: SwitchesBy = SwitchesBy::Traffic,
        /// What the size of a switch means in ht, f1 and cells
        "size-by" ("Size by") size_by: ByTraffic = ByTraffic::None,
        /// What the shape of a switch means in ht, f1 and cells
        "shape-by" ("Shape by") shape_by: ByLayer = ByLayer::None,
        /// What the third dimension means in qs, ht, f1 and cells
        "height-by" ("Height by") height: ByTraffic = ByTraffic::None,
        /// Which cables are drawn; by default all up to 64 nodes, else the busiest of qs, dl, dc and dr, and none of the others
        "wires" ("Cables") wires: Wires = Wires::Usual,
        /// Draw the network cards of nodes
        "nics" ("NICs") nics: bool = true,
        /// Only what a pod holds: its layer and its number, for instance 3,7
        "within" ("Only pod") within: String = String::new(),
        /// Blocks of lb that are drawn as single switches: layers and numbers, for instance 3,7;4,1
        "split" ("Split blocks") split: String = String::new(),
        /// How many layers further up the pods are that blocks of lb stand for: with 1, the first layer has groups of four switches instead of four nodes
        "grouping" grouping: Count<0, 8> = Count(0),
    }
}

/// What switches are coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchesBy {
    /// How much of what could leave them did.
    Traffic,
    /// The same of their busiest link.
    BusiestLink,
    /// Their layer.
    Layer,
    /// Nothing.
    Plain,
}

impl Words for SwitchesBy {
    const WORDS: &'static [(&'static str, SwitchesBy)] = &[
        ("traffic", SwitchesBy::Traffic),
        ("busiest-link", SwitchesBy::BusiestLink),
        ("layer", SwitchesBy::Layer),
        ("plain", SwitchesBy::Plain),
    ];
}

/// Nothing, or traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByTraffic {
    /// Nothing.
    None,
    /// What switches are coloured by, whatever colours show.
    Traffic,
}

impl Words for ByTraffic {
    const WORDS: &'static [(&'static str, ByTraffic)] = &[("none", ByTraffic::None), ("traffic", ByTraffic::Traffic)];
}

/// Nothing, or the layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByLayer {
    /// Nothing.
    None,
    /// The layer of a switch.
    Layer,
}

impl Words for ByLayer {
    const WORDS: &'static [(&'static str, ByLayer)] = &[("none", ByLayer::None), ("layer", ByLayer::Layer)];
}

/// Which cables are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wires {
    /// As fits the size of the tree and how it is drawn.
    Usual,
    /// None.
    None,
    /// Those with most traffic.
    Busy,
    /// All.
    All,
}

impl Words for Wires {
    const WORDS: &'static [(&'static str, Wires)] =
        &[("usual", Wires::Usual), ("none", Wires::None), ("busy", Wires::Busy), ("all", Wires::All)];
}

/// Nodes up to which a tree is drawn with all its cables, in layers.
pub(crate) const SMALL: u32 = 64;
/// Representations that fit side by side.
const MOST_BESIDE: usize = 8;

fn wrong(name: &str, why: String) -> OptionError {
    OptionError { name: name.to_owned(), why }
}

impl FatTreeOptions {
    /// How the tree is drawn; several are side by side.
    pub(crate) fn representations(&self, nodes: u32) -> Result<Vec<Representation>, OptionError> {
        let words: Vec<&str> = self.drawn_as.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        if words.len() > MOST_BESIDE {
            return Err(wrong("as", format!("can name at most {MOST_BESIDE}")));
        }
        if words.is_empty() {
            let usual = if nodes <= SMALL { Representation::Qs } else { Representation::Ht };
            return Ok(vec![if self.cells.trim().is_empty() { usual } else { Representation::Cells }]);
        }
        let read = |word: &str| word.parse::<Representation>().map_err(|error| wrong("as", error.to_string()));
        words.into_iter().map(read).collect()
    }

    /// The pod that is shown alone: layer and number.
    pub(crate) fn pod(&self) -> Result<Option<(u32, u32)>, OptionError> {
        if self.within.trim().is_empty() {
            return Ok(None);
        }
        pod(&self.within).map(Some).ok_or_else(|| {
            wrong("within", "must be a layer of switches and the number of a pod in it, for instance 3,7".to_owned())
        })
    }

    /// Blocks that are drawn as single switches: layers and numbers.
    pub(crate) fn split(&self) -> Result<Vec<(u32, u32)>, OptionError> {
        let words = self.split.split(';').map(str::trim).filter(|word| !word.is_empty());
        words
            .map(pod)
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| wrong("split", "must be layers and numbers of blocks, for instance 3,7;4,1".to_owned()))
    }

    /// The option `split` with a block more, or without it if it is there.
    pub(crate) fn split_with(&self, layer: u32, number: u32) -> String {
        let mut blocks = self.split().unwrap_or_default();
        match blocks.iter().position(|known| *known == (layer, number)) {
            Some(at) => drop(blocks.remove(at)),
            None => blocks.push((layer, number)),
        }
        blocks.iter().map(|(layer, number)| format!("{layer},{number}")).collect::<Vec<_>>().join(";")
    }
}

fn pod(text: &str) -> Option<(u32, u32)> {
    let (layer, number) = text.split_once(',')?;
    Some((layer.trim().parse().ok().filter(|layer| *layer > 0)?, number.trim().parse().ok()?))
}
