//! How often messages and pairs are slow by chance: where many ranks share few processors, many are.

use super::pairs::{Pairs, Score};
use super::usual::quantile;
use super::way::Ground;

/// The least part of messages that is thought to be slow by chance; and how often all pairs together may be wrongly blamed.
const LEAST_CHANCE: f64 = 0.01;
const MOST_CHANCE: f64 = 0.001;

/// What is to be expected by chance.
#[derive(Debug)]
pub(super) struct Chance {
    /// Slow messages of a pair.
    messages: f64,
    /// How many pairs could be blamed.
    count: f64,
}

impl Chance {
    pub(super) fn new(ground: &Ground, pairs: &Pairs) -> Chance {
        let share = |score: &Score| f64::from(score.slow) / f64::from(score.inside.max(1));
        let mut shares: Vec<f64> = pairs.scores.iter().map(share).collect();
        let count = pairs.scores.len() as f64;
        let messages = quantile(&mut shares, ground.middle(true)).unwrap_or(0.0).max(LEAST_CHANCE);
        Chance { messages, count }
    }

    /// Whether at least `slow` of `all` messages may be slow by chance once among so many pairs: the bound of Chernoff, in
    /// logarithms.
    pub(super) fn explains(&self, all: u32, slow: u32) -> bool {
        let usual = self.messages;
        let found = f64::from(slow) / f64::from(all.max(1));
        if found <= usual {
            return true;
        }
        let part = |part: f64, of: f64| if part > 0.0 { part * (part / of).ln() } else { 0.0 };
        let chance = -f64::from(all) * (part(found, usual) + part(1.0 - found, 1.0 - usual));
        chance + self.count.ln() > MOST_CHANCE.ln()
    }
}
