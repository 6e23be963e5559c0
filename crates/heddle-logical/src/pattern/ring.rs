//! Rings and shifts: every rank sends to the one so many places on, and around the end to the first ones.

use heddle_model::grouped;

use super::Recognise;
use super::flavour::{Flavour, with_flavour};
use super::traffic::Traffic;

/// Two are a pair.
const FEWEST: i64 = 3;

/// Every rank sends to the one so many places on.
#[derive(Clone, Debug, PartialEq)]
pub struct Ring {
    /// How many ranks there are.
    pub ranks: u32,
    /// How many places on the receiver is, among the ranks of the scope; negative if back is nearer.
    pub shift: i64,
    /// In which order ranks send and receive.
    pub flavour: Flavour,
}

impl Recognise for Ring {
    const NAME: &'static str = "ring";

    fn recognise(traffic: &Traffic<'_>) -> Option<Ring> {
        let ranks = traffic.ranks() as i64;
        if traffic.has_collectives() || ranks < FEWEST || traffic.pairs() as i64 != ranks {
            return None;
        }
        let shift_to = |place: u32| match traffic.heard(place) {
            [link] => Some((i64::from(place) - i64::from(link.from)).rem_euclid(ranks)),
            _ => None,
        };
        let shift = shift_to(0)?;
        // Half way round it is pairs that exchange.
        let is_one = 2 * shift != ranks && traffic.places().all(|place| shift_to(place) == Some(shift));
        let shift = if 2 * shift > ranks { shift - ranks } else { shift };
        is_one.then(|| Ring { ranks: ranks as u32, shift, flavour: Flavour::of(traffic) })
    }

    fn facts(&self) -> String {
        let to = match self.shift {
            1 => "the next one".to_owned(),
            -1 => "the one before it".to_owned(),
            shift if shift < 0 => format!("the one {} places back", grouped(shift.unsigned_abs())),
            shift => format!("the one {} places on", grouped(shift.unsigned_abs())),
        };
        with_flavour(&format!("each of {} ranks sends to {to}", grouped(u64::from(self.ranks))), &self.flavour)
    }

    fn flavour(&self) -> Option<&Flavour> {
        Some(&self.flavour)
    }
}
