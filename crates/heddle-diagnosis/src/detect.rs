//! Who computes longer than its peers at the same place of the program.

use heddle_store::{Progress, StoreError};

use crate::rows::Rows;
use crate::run::Run;
use crate::suspect::{Place, Suspect};

/// What comparing the ranks' computing gave.
#[derive(Debug, Default)]
pub struct Detected {
    /// Who differs beyond chance.
    pub suspects: Vec<Suspect>,
    /// How much computing varies by chance: where most time goes first.
    pub spreads: Vec<Spread>,
}

/// How much visits of a place vary from one to the next on ranks that nobody suspects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Where in the program.
    pub place: Place,
    /// Robust relative standard deviation.
    pub deviation: f64,
    /// Share of the time of all ranks that is spent there.
    pub share: f64,
}

/// Compares all ranks.
pub fn detect(_rows: &Rows<'_>, _run: &Run, _progress: &dyn Progress) -> Result<Detected, StoreError> {
    Ok(Detected::default())
}
