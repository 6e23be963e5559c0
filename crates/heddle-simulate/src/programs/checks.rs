//! What the options of all programs have to keep to.

use crate::SimulateError;

/// More ranks than any machine has, and few enough for sums of them to fit.
pub(crate) const MOST_RANKS: u64 = 1 << 24;
/// Steps, panels, cycles and the like.
pub(crate) const MOST_STEPS: u64 = 1 << 20;
/// An hour: no single computation of a program takes longer.
pub(crate) const MOST_NS: u64 = 3_600_000_000_000;
/// A tebibyte.
pub(crate) const MOST_BYTES: u64 = 1 << 40;

/// A whole number within its limits.
pub(crate) fn within(what: &'static str, value: u64, least: u64, most: u64) -> Result<(), SimulateError> {
    match value {
        0 if least == 1 => Err(SimulateError::None { what }),
        _ if (least..=most).contains(&value) => Ok(()),
        _ => Err(SimulateError::OutOfRange { what, value: value as f64, least: least as f64, most: most as f64 }),
    }
}

/// The number of ranks.
pub(crate) fn ranks(count: u32) -> Result<(), SimulateError> {
    within("ranks", u64::from(count), 1, MOST_RANKS)
}

/// A factor or a share within its limits; not a number is in none.
pub(crate) fn between(what: &'static str, value: f64, least: f64, most: f64) -> Result<(), SimulateError> {
    if (least..=most).contains(&value) { Ok(()) } else { Err(SimulateError::OutOfRange { what, value, least, most }) }
}

/// `value * part / whole` without overflow.
pub(crate) fn share(value: u64, part: u32, whole: u32) -> u64 {
    (u128::from(value) * u128::from(part) / u128::from(whole.max(1))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_in_words() {
        assert_eq!(ranks(0).unwrap_err().to_string(), "ranks must be at least 1");
        assert_eq!(within("arity", 1, 2, 64).unwrap_err().to_string(), "arity is 1; it must be from 2 to 64");
        assert_eq!(
            between("noise", f64::NAN, 0.0, 1.0).unwrap_err().to_string(),
            "noise is NaN; it must be from 0 to 1"
        );
        assert_eq!(within("arity", 64, 2, 64), Ok(()));
    }

    #[test]
    fn shares_do_not_overflow() {
        assert_eq!(share(u64::MAX, 1, 2), u64::MAX / 2);
        assert_eq!(share(10, 3, 4), 7);
        assert_eq!(share(10, 0, 0), 0);
    }
}
