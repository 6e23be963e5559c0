//! Which messages take longer than others of their length, and whose fault that is.
//!
//! Messages are looked at as their receivers saw them ([`way`]), compared with those of their class ([`usual`]), and gathered by
//! pair of ranks ([`pairs`]). Pairs that stand out are a link's or a card's fault ([`blame`]).

mod blame;
mod chance;
mod collectives;
mod cuts;
mod network;
mod pairs;
mod suspects;
mod together;
mod usual;
mod way;

use heddle_store::{Progress, StoreError, Work};

use crate::rows::Rows;
use crate::run::Run;
use crate::suspect::Suspect;
use blame::Slow;
pub use network::{LEAST_TRANSFER, Network};
use pairs::Pairs;
use usual::Usual;
use way::Ground;

/// Messages are compared with each other.
pub const LINKS: Work = Work::new("comparing messages");

/// What of the run all messages and collectives of a suspect must take too long, for less cannot cost what is worth a sentence.
const LEAST_SHARE: f64 = 0.002;

/// What comparing messages gave.
#[derive(Debug, Default)]
pub struct Linked {
    /// Pairs, network cards, or the network as a whole, that carry messages slowly.
    pub suspects: Vec<Suspect>,
    /// What transfers take.
    pub network: Network,
}

/// Compares all messages.
pub fn links(rows: &Rows<'_>, run: &Run, progress: &dyn Progress) -> Result<Linked, StoreError> {
    progress.begin(LINKS, 2 * rows.len() as u64);
    let ground = Ground::new(rows);
    let usual = Usual::new(rows, &ground, progress)?;
    let pairs = Pairs::new(rows, &ground, &usual, progress)?;
    let together = together::together(rows, ground.overhead);
    let whole = run.efficiency(rows.store, rows.run);
    let network = Network::new(&ground, &usual, &pairs, &together, &whole);
    let slow = blame::blame(&ground, &pairs);
    let mut suspects: Vec<Suspect> = slow.iter().map(|slow| slow.suspect(rows)).collect();
    let in_collectives = collectives::cuts(rows, &ground, &usual, &slow, &suspects);
    for (suspect, in_collectives) in suspects.iter_mut().zip(in_collectives) {
        let mut cuts = cuts::cuts(rows, &ground, &usual, suspect);
        cuts.extend(in_collectives);
        suspect.cuts = cuts::once(cuts);
    }
    // What all its calls take too long is less than what is worth a sentence.
    let least = LEAST_SHARE * rows.run.1.since(rows.run.0) as f64;
    let is_enough = |(slow, suspect): &(&Slow, &Suspect)| slow.excess().max(suspect.excess() as f64) >= least;
    let enough: Vec<bool> = slow.iter().zip(&suspects).map(|both| is_enough(&both)).collect();
    let mut enough = enough.into_iter();
    suspects.retain(|_| enough.next().unwrap_or(false));
    if let Some((mut slow, rest)) = network::suspect(rows, &network, &pairs, &together) {
        // While everything is slow, nothing in particular is.
        suspects.retain(|link| {
            link.is_throughout || slow.is_throughout || link.until <= slow.since || slow.until <= link.since
        });
        // What a network that was never fast should take is not known.
        if rest.is_finite() {
            slow.cuts = cuts::of_network(rows, &ground, &usual, &together, &slow, rest);
        }
        suspects.push(slow);
    }
    Ok(Linked { suspects, network })
}
