//! Numbers as Paje writes them: dates in a unit that the file does not state, and values.

use heddle_model::Ns;

/// What a date counts. The file does not say; its producer tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The convention, and what SimGrid writes.
    Seconds,
    /// What StarPU writes.
    Milliseconds,
    /// What some converters write.
    Microseconds,
    /// What some converters write.
    Nanoseconds,
}

impl Unit {
    /// How many decimal digits lie between this unit and a nanosecond.
    fn digits(self) -> u32 {
        match self {
            Unit::Seconds => 9,
            Unit::Milliseconds => 6,
            Unit::Microseconds => 3,
            Unit::Nanoseconds => 0,
        }
    }
}

const POWERS: [i64; 19] = {
    let mut powers = [1i64; 19];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// A date in nanoseconds, exact where it is written as plain decimals, rounded to nearest.
#[inline]
pub(crate) fn date(token: &[u8], unit: Unit) -> Option<Ns> {
    plain_date(token, unit).or_else(|| odd_date(token, unit))
}

/// Digits, perhaps a point, and not too many of them: nearly all dates there are.
#[inline]
fn plain_date(token: &[u8], unit: Unit) -> Option<Ns> {
    if token.is_empty() || token.len() > 18 {
        return None;
    }
    let (mut number, mut point) = (0i64, token.len());
    for (at, byte) in token.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            number = number * 10 + i64::from(digit);
        } else if *byte == b'.' && point == token.len() && token.len() > 1 {
            point = at;
        } else {
            return None;
        }
    }
    // Digits after the point.
    let fraction = (token.len() - point).saturating_sub(1) as u32;
    let ns = if fraction <= unit.digits() {
        number.checked_mul(POWERS[(unit.digits() - fraction) as usize])?
    } else {
        let beyond = POWERS[(fraction - unit.digits()) as usize];
        (number + beyond / 2) / beyond
    };
    Some(Ns(ns.min(Ns::MAX.0)))
}

/// Signs, exponents, more digits than fit.
#[cold]
fn odd_date(token: &[u8], unit: Unit) -> Option<Ns> {
    if let Some(rest) = token.strip_prefix(b"-")
        && let Some(ns) = plain_date(rest, unit)
    {
        return Some(Ns(-ns.0));
    }
    let value = value(token).filter(|value| value.is_finite())? * POWERS[unit.digits() as usize] as f64;
    // The cast saturates.
    Some(Ns((value.round() as i64).clamp(-Ns::MAX.0, Ns::MAX.0)))
}

/// A number; what is not one is `None`.
pub(crate) fn value(token: &[u8]) -> Option<f64> {
    std::str::from_utf8(token).ok()?.parse().ok()
}

/// A whole number that may be written as a real (`819200`, `2.000000`).
pub(crate) fn whole(token: &[u8]) -> Option<u64> {
    let value = value(token)?;
    (0.0..1.8e19).contains(&value).then_some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_exact() {
        for (text, unit, ns) in [
            ("0.000211103", Unit::Seconds, 211_103),
            ("0.0", Unit::Milliseconds, 0),
            ("7", Unit::Seconds, 7_000_000_000),
            ("15.631096000", Unit::Milliseconds, 15_631_096),
            ("0.0000004999", Unit::Milliseconds, 0),
            ("0.0000005", Unit::Milliseconds, 1),
            (".5", Unit::Microseconds, 500),
            ("3.", Unit::Nanoseconds, 3),
            ("-1.5", Unit::Microseconds, -1_500),
            ("1.5e-3", Unit::Seconds, 1_500_000),
            ("123456789.123456789", Unit::Seconds, 123_456_789_123_456_789),
            ("99999999999999999999", Unit::Seconds, Ns::MAX.0),
            ("999999999999999999", Unit::Seconds, Ns::MAX.0),
            ("-1e300", Unit::Seconds, -Ns::MAX.0),
        ] {
            let off = date(text.as_bytes(), unit).unwrap().0 - ns;
            // Nineteen characters go through a double.
            assert!(off.abs() <= if text.len() > 18 { 16 } else { 0 }, "{text}: off by {off}");
        }
        for text in ["", ".", "x", "1.2.3", "--1", "NaN", "inf", "0x10", "1 "] {
            assert_eq!(date(text.as_bytes(), Unit::Seconds), None, "{text}");
        }
    }

    #[test]
    fn lengths_may_be_written_as_reals() {
        assert_eq!(whole(b"819200"), Some(819_200));
        assert_eq!(whole(b"2.000000"), Some(2));
        assert_eq!((whole(b"NA"), whole(b"-1"), whole(b"1e30")), (None, None, None));
    }
}
