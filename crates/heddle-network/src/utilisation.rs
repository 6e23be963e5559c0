//! How much of what links and switches could carry they did carry.
//!
//! The utilisation of a link is its bytes by what it could have carried in the window, capacity times time. That of a switch, or
//! a node, is the bytes that leave it by what could have left it. A layer is told by the mean and the largest of its elements,
//! and how many of them are idle; a class of links likewise. Where nobody says a capacity, or there is no time (a pattern has
//! none), all links count as equally fast, or as fast as is known, and the fullest of them as full: values are then shares of it.

use heddle_topology::{Element, Link, LoadStatistics, Topology};

/// What is known of what links could have carried.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Offered {
    /// How long the window lasts, in seconds; none if the traffic has no times.
    pub seconds: Option<f64>,
    /// Bytes per second in one direction of any link, if somebody said so; else what the classes of the machine say.
    pub bandwidth: Option<f64>,
}

/// What utilisation is a share of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Whole {
    /// What could have been carried in the window.
    Capacity,
    /// What the fullest link carries, for its capacity where that is known.
    Fullest,
}

impl Whole {
    /// In words, after "per cent": `of capacity`.
    pub fn words(self) -> &'static str {
        match self {
            Whole::Capacity => "of capacity",
            Whole::Fullest => "of the fullest link",
        }
    }
}

/// How much of what they could carry links and switches did carry. Values are from 0 to 1; above 1 if messages would have needed
/// more time than there was; not a number where nobody knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Utilisation {
    /// What it is a share of.
    pub whole: Whole,
    /// By link.
    pub links: Vec<f64>,
    /// By element: of what leaves it.
    pub elements: Vec<f64>,
    /// By class of links, in the order of [`Topology::classes`].
    pub classes: Vec<Used>,
    /// By layer: nodes, then layers of switches from below.
    pub layers: Vec<Used>,
}

/// Links of a class, or elements of a layer, together.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    /// What they are called: `nodes`, `layer 2`, `global`.
    pub name: String,
    /// Their utilisation.
    pub utilisation: LoadStatistics,
    /// Bytes (or packets) over the links of the class, or out of the elements of the layer, together.
    pub bytes: f64,
}

impl Utilisation {
    /// Of what each link carried.
    pub fn of(topology: &dyn Topology, loads: &[f64], offered: Offered) -> Utilisation {
        let classes = topology.classes();
        let capacities: Option<Vec<f64>> = classes
            .iter()
            .map(|class| offered.bandwidth.or(class.capacity).filter(|capacity| *capacity > 0.0))
            .collect();
        let (whole, seconds) = match (&capacities, offered.seconds.filter(|seconds| *seconds > 0.0)) {
            (Some(_), Some(seconds)) => (Whole::Capacity, seconds),
            _ => (Whole::Fullest, 1.0),
        };
        let capacities = capacities.unwrap_or_else(|| vec![1.0; classes.len()]);
        let could = |link: Link| capacities[topology.class(link)] * seconds;
        let all_links = || (0..topology.links()).map(Link).zip(loads.iter().copied());
        let mut links: Vec<f64> = all_links().map(|(link, load)| load / could(link)).collect();
        let (mut sent, mut could_send) =
            (vec![0.0; topology.elements() as usize], vec![0.0; topology.elements() as usize]);
        for (link, load) in all_links().filter(|(_, load)| !load.is_nan()) {
            let from = topology.ends(link).0.index();
            sent[from] += load;
            could_send[from] += could(link);
        }
        // Nothing by nothing is not a number: nobody knows.
        let mut elements: Vec<f64> = sent.iter().zip(&could_send).map(|(sent, could)| sent / could).collect();
        if whole == Whole::Fullest {
            let fullest = links.iter().copied().filter(|value| !value.is_nan()).fold(0.0, f64::max);
            if fullest > 0.0 {
                links.iter_mut().chain(&mut elements).for_each(|value| *value /= fullest);
            }
        }
        let mut of_class = vec![0.0; classes.len()];
        for (link, load) in all_links().filter(|(_, load)| !load.is_nan()) {
            of_class[topology.class(link)] += load;
        }
        let used = |name: &str, utilisation, bytes| Used { name: name.to_owned(), utilisation, bytes };
        let by_class = LoadStatistics::by_class(topology, &links).into_iter().zip(of_class);
        let by_class = classes.iter().zip(by_class).map(|(class, (of, bytes))| used(&class.name, of, bytes)).collect();
        let mut of_layer: Vec<(Vec<f64>, f64)> = Vec::new();
        for (element, value) in elements.iter().enumerate() {
            let layer = topology.layer(Element(element as u32)) as usize;
            if of_layer.len() <= layer {
                of_layer.resize(layer + 1, (Vec::new(), 0.0));
            }
            of_layer[layer].0.push(*value);
            of_layer[layer].1 += sent[element];
        }
        let name = |layer: usize| if layer == 0 { "nodes".to_owned() } else { format!("layer {layer}") };
        let layers = of_layer.into_iter().enumerate();
        let layers = layers.map(|(at, (values, bytes))| used(&name(at), LoadStatistics::of(&values), bytes)).collect();
        Utilisation { whole, links, elements, classes: by_class, layers }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small fractions of powers of two are exact")]
mod tests {
    use heddle_topology::Shape;
    use heddle_topology::fat_tree::Xgft;

    use super::*;

    /// Four nodes below two switches below one; nodes 0 and 1 each send 100 bytes to node 2.
    fn tree(capacity: Vec<Option<f64>>) -> (Shape, Vec<f64>) {
        let rule = Xgft { capacity, ..Xgft::with(vec![2, 2], vec![1, 1], vec![1, 1]) };
        let shape = Shape::FatTree(heddle_topology::FatTree::new(rule).unwrap());
        let mut loads = vec![0.0; shape.links() as usize];
        // Cables 0 to 3 are those of nodes, 4 and 5 those of the two switches. Even links go up.
        for (link, bytes) in [(0, 100.0), (2, 100.0), (8, 200.0), (11, 200.0), (5, 200.0)] {
            loads[link] = bytes;
        }
        (shape, loads)
    }

    #[test]
    fn bytes_by_capacity_and_time_by_hand() {
        let (shape, loads) = tree(vec![Some(100.0), Some(200.0)]);
        let found = Utilisation::of(&*shape, &loads, Offered { seconds: Some(2.0), bandwidth: None });
        assert_eq!(found.whole, Whole::Capacity);
        // Up from node 0, 100 of 200 bytes; up from the first switch, 200 of 400; down to node 2, 200 of 200.
        assert_eq!([0, 8, 5].map(|link: usize| found.links[link]), [0.5, 0.5, 1.0]);
        // The first switch can send down 2 x 200 and up 400; the second sends 200 of as much; the top one 200 of 800.
        assert_eq!(found.elements, [0.5, 0.5, 0.0, 0.0, 0.25, 0.25, 0.25]);
        let nodes = &found.layers[0];
        assert_eq!((nodes.name.as_str(), nodes.bytes, nodes.utilisation.mean), ("nodes", 200.0, 0.25));
        assert_eq!((nodes.utilisation.unused, found.layers[1].bytes, found.layers[2].bytes), (2, 400.0, 200.0));
        let layer_2 = &found.classes[1];
        assert_eq!((layer_2.name.as_str(), layer_2.bytes, layer_2.utilisation.mean), ("layer 2", 400.0, 0.25));
        // What somebody says counts for all links.
        let found = Utilisation::of(&*shape, &loads, Offered { seconds: Some(2.0), bandwidth: Some(50.0) });
        assert_eq!([0, 8].map(|link: usize| found.links[link]), [1.0, 2.0], "more than it could have carried");
    }

    #[test]
    fn without_capacity_or_time_the_fullest_link_is_the_whole() {
        let (shape, loads) = tree(vec![None, Some(200.0)]);
        for seconds in [None, Some(2.0)] {
            let found = Utilisation::of(&*shape, &loads, Offered { seconds, bandwidth: None });
            assert_eq!((found.whole, found.links[0], found.links[8]), (Whole::Fullest, 0.5, 1.0));
        }
        // Known capacities count although there is no time.
        let (shape, loads) = tree(vec![Some(100.0), Some(400.0)]);
        let found = Utilisation::of(&*shape, &loads, Offered::default());
        assert_eq!((found.whole, found.links[5], found.links[8]), (Whole::Fullest, 1.0, 0.25));
        // No traffic at all, and links of which nobody knows.
        let silent = Utilisation::of(&*shape, &[0.0; 12], Offered::default());
        assert_eq!(silent.layers[1].utilisation.max, 0.0);
        let unknown = Utilisation::of(&*shape, &[f64::NAN; 12], Offered::default());
        assert!(unknown.elements.iter().all(|value| value.is_nan()));
        assert_eq!(unknown.classes[0].utilisation.links, 0);
    }
}
