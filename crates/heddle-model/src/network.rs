//! What was measured on a machine's network: counters of its nodes and of its links, by section of the program.
//!
//! A measurement has no times and no records, so it is an input of its own beside the records of a [`crate::Source`]; a
//! source may offer both. Machines are tori and meshes of any number of dimensions. Where a node is, is one number, its
//! **place**: coordinates with the first one fastest.

/// A measurement of a network. Ids inside it are positions in these lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasuredNetwork {
    /// What the file calls the machine (`bgp`); empty if it does not say.
    pub hardware: String,
    /// Its dimensions.
    pub dimensions: Vec<NetworkDimension>,
    /// Nodes, each at a place of its own, by place.
    pub nodes: Vec<NetworkNode>,
    /// Directed links, no two the same way over the same cable, in the order of the file.
    pub links: Vec<NetworkLink>,
    /// Parts of the program, in the order in which they first occur.
    pub sections: Vec<Section>,
    /// Counters of links, then those of nodes.
    pub counters: Vec<NetworkCounter>,
    /// What was counted, by counter, section, and link or node. What was not measured is not here.
    pub tallies: Vec<Tally>,
    /// Position is the location; the node that it ran on, or [`MeasuredNetwork::NOWHERE`].
    pub places: Vec<u32>,
    /// Which links belong to a node.
    pub links_of_node: LinkEnd,
}

impl MeasuredNetwork {
    /// The node of a location that no node is known of.
    pub const NOWHERE: u32 = u32::MAX;

    /// A place as text: `(1,6,5)`.
    pub fn place_text(&self, place: u32) -> String {
        let mut rest = place;
        let coordinates = self.dimensions.iter().map(|dimension| {
            let size = dimension.size.max(1);
            let at = rest % size;
            rest /= size;
            at.to_string()
        });
        format!("({})", coordinates.collect::<Vec<_>>().join(","))
    }
}

/// A dimension of a torus or mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkDimension {
    /// `x`
    pub name: String,
    /// Number of nodes along it.
    pub size: u32,
    /// Whether the last node is joined to the first.
    pub wraps: bool,
    /// Cables between the two nodes of a dimension of size 2, 1 or 2; 1 in others.
    pub cables: u32,
}

/// A node of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkNode {
    /// Its id in the file; `None` if only links tell of it.
    pub file_id: Option<i64>,
    /// Where it is.
    pub place: u32,
}

/// A link in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkLink {
    /// Its id in the file; `None` if the file gives links none.
    pub file_id: Option<i64>,
    /// The node that sends over it.
    pub source: u32,
    /// The node that receives.
    pub destination: u32,
    /// The dimension that it lies along.
    pub dimension: u32,
    /// Whether it leads towards larger coordinates, around the ring. In a dimension of size 2 with two cables the ends do
    /// not tell: the first link of a node is taken for the one that does.
    pub is_positive: bool,
}

/// Which ends of a link tell the nodes that it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkEnd {
    /// The node that sends: packets are counted there.
    #[default]
    Source,
    /// The node that receives.
    Destination,
    /// Both. Sums over nodes count such a link twice.
    Both,
}

impl LinkEnd {
    /// All of them.
    pub const ALL: [LinkEnd; 3] = [LinkEnd::Source, LinkEnd::Destination, LinkEnd::Both];

    /// The word used in tables.
    pub fn name(self) -> &'static str {
        match self {
            LinkEnd::Source => "source",
            LinkEnd::Destination => "destination",
            LinkEnd::Both => "both",
        }
    }

    /// The inverse of [`LinkEnd::name`], whatever the case.
    pub fn from_name(name: &str) -> Option<LinkEnd> {
        LinkEnd::ALL.into_iter().find(|end| name.eq_ignore_ascii_case(end.name()))
    }
}

/// A part of the program that was measured by itself: a code region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its number in the file. Negative ones are what lies outside all marked regions.
    pub id: i64,
    /// How often it was entered and measured.
    pub visits: u32,
    /// What it is called; often empty.
    pub name: String,
}

/// What a counter is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counted {
    /// Links in one direction.
    Links,
    /// Nodes.
    Nodes,
}

impl Counted {
    /// The word used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Counted::Links => "links",
            Counted::Nodes => "nodes",
        }
    }
}

/// A counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkCounter {
    /// Its name: `packets`.
    pub name: String,
    /// What it is of.
    pub of: Counted,
}

/// What one counter of one link or node counted in one section, over all visits of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tally {
    /// Which counter.
    pub counter: u32,
    /// Which section.
    pub section: u32,
    /// Which link or node.
    pub entity: u32,
    /// Number of visits with a value.
    pub visits: u32,
    /// Sum over the visits.
    pub sum: f64,
    /// The smallest of them.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Tally {
    /// More than this, 2^62, no counter reaches: such values are negative ones of 64 bits without a sign.
    pub const LARGEST: f64 = 4_611_686_018_427_387_904.0;

    /// Whether a value can be what was counted: not below zero, and not beyond [`Tally::LARGEST`]. Counters that ran over, or
    /// were read before they were set, give others.
    pub fn is_possible_value(value: f64) -> bool {
        (0.0..Tally::LARGEST).contains(&value)
    }

    /// Whether all values can be. If not, the sum means nothing, and ranges of colours are to leave it out.
    pub fn is_possible(&self) -> bool {
        Tally::is_possible_value(self.min) && Tally::is_possible_value(self.max)
    }

    /// What decides the order of tallies.
    pub fn key(&self) -> (u32, u32, u32) {
        (self.counter, self.section, self.entity)
    }

    /// Adds further visits.
    pub fn add(&mut self, more: &Tally) {
        self.visits = self.visits.saturating_add(more.visits);
        self.sum += more.sum;
        self.min = self.min.min(more.min);
        self.max = self.max.max(more.max);
    }

    /// The mean over the visits.
    pub fn mean(&self) -> f64 {
        if self.visits == 0 { 0.0 } else { self.sum / f64::from(self.visits) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_with_the_first_coordinate_fastest() {
        let dimension = |size| NetworkDimension { name: String::new(), size, wraps: true, cables: 1 };
        let network = MeasuredNetwork { dimensions: [4, 3, 2].map(dimension).to_vec(), ..MeasuredNetwork::default() };
        assert_eq!(network.place_text(0), "(0,0,0)");
        assert_eq!(network.place_text(1 + 4 * (2 + 3)), "(1,2,1)");
    }

    #[test]
    fn one_impossible_visit_spoils_a_tally() {
        let of =
            |value: f64| Tally { counter: 0, section: 0, entity: 0, visits: 1, sum: value, min: value, max: value };
        let mut tally = of(5.0);
        assert!(tally.is_possible() && of(0.0).is_possible());
        tally.add(&of(3.0));
        assert_eq!((tally.visits, tally.sum, tally.min, tally.max, tally.mean()), (2, 8.0, 3.0, 5.0, 4.0));
        tally.add(&of(-1.0));
        assert!(tally.sum > 0.0 && !tally.is_possible());
        assert!(!of(f64::NAN).is_possible() && !of(1.8e19).is_possible());
    }
}
