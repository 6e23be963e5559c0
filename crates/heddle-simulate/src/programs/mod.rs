//! Programs to simulate, one module each: what their ranks do, and what can be asked of them.

mod grid;
mod halo;
mod ring;

pub use halo::{Dimensions, Halo, HaloOptions, halo, spans_of};
pub use ring::{Ring, RingOptions, ring};

use crate::SimulateError;

/// Refuses a count of zero.
fn at_least_one(what: &'static str, count: u32) -> Result<(), SimulateError> {
    if count == 0 { Err(SimulateError::None { what }) } else { Ok(()) }
}
