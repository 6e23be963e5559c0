//! Exchanges: every rank receives from exactly those that it sends to, such as its neighbours on a grid.

use rayon::prelude::*;

use super::flavour::{Flavour, partners, with_flavour};
use super::traffic::Traffic;
use super::{Recognise, several};

/// Every rank receives from those that it sends to. Who they are counts, not how many messages there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// How many ranks take part.
    pub ranks: u32,
    /// Fewest and most partners that a rank has.
    pub partners: (u32, u32),
    /// In which order ranks send and receive.
    pub flavour: Flavour,
}

impl Recognise for Exchange {
    const NAME: &'static str = "exchange";

    fn recognise(traffic: &Traffic<'_>) -> Option<Exchange> {
        if traffic.has_collectives() || traffic.pairs() == 0 {
            return None;
        }
        // Each sends to whom it hears from if every message has one in the other direction.
        let places = traffic.places().into_par_iter();
        let is_answered = |to: u32| traffic.heard(to).iter().all(|link| traffic.link(to, link.from).is_some());
        if !places.clone().all(is_answered) {
            return None;
        }
        let counts = places.map(|place| traffic.heard(place).len() as u32).filter(|count| *count > 0);
        let (ranks, fewest, most) = counts
            .map(|count| (1, count, count))
            .reduce(|| (0, u32::MAX, 0), |one, other| (one.0 + other.0, one.1.min(other.1), one.2.max(other.2)));
        Some(Exchange { ranks, partners: (fewest, most), flavour: Flavour::of(traffic) })
    }

    fn facts(&self) -> String {
        let ranks = several(u64::from(self.ranks), "rank");
        with_flavour(&format!("{ranks} with {} each", partners(self.partners)), &self.flavour)
    }

    fn flavour(&self) -> Option<&Flavour> {
        Some(&self.flavour)
    }
}
