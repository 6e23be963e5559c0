//! Messages between all: every rank sends to every other one.

use heddle_model::grouped;

use super::Recognise;
use super::flavour::{Flavour, with_flavour};
use super::traffic::Traffic;

/// Fewer than this are all neighbours anyway.
const FEWEST: usize = 4;

/// Every rank sends to all others.
#[derive(Clone, Debug, PartialEq)]
pub struct AllToAll {
    /// How many ranks there are.
    pub ranks: u32,
    /// In which order ranks send and receive.
    pub flavour: Flavour,
}

impl Recognise for AllToAll {
    const NAME: &'static str = "all-to-all";

    fn recognise(traffic: &Traffic<'_>) -> Option<AllToAll> {
        let ranks = traffic.ranks();
        // A pair of sender and receiver is there once, and no rank is its own partner.
        let is_all = ranks >= FEWEST && traffic.pairs() == ranks * (ranks - 1);
        (is_all && !traffic.has_collectives()).then(|| AllToAll { ranks: ranks as u32, flavour: Flavour::of(traffic) })
    }

    fn facts(&self) -> String {
        with_flavour(&format!("each of {} ranks sends to all others", grouped(u64::from(self.ranks))), &self.flavour)
    }

    fn flavour(&self) -> Option<&Flavour> {
        Some(&self.flavour)
    }
}
