//! Numbers from their digits. Times must not pass through floating point: microseconds since 1970 with three decimals
//! have 19 digits, and the nearest `f64` is up to 125 ns away.

/// Nanoseconds of a decimal number of microseconds, rounded half to even.
#[inline]
pub(super) fn nanoseconds(text: &[u8]) -> Option<i64> {
    // What nearly all writers write: some digits, and up to three decimals.
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.len() > 19 || !digits.iter().any(u8::is_ascii_digit) {
        return any_decimal(text);
    }
    let mut value = 0i64;
    let mut decimals = None;
    for byte in digits {
        match byte {
            b'0'..=b'9' => {
                if value > 100_000_000_000_000_000 || decimals == Some(3) {
                    return any_decimal(text);
                }
                value = value * 10 + i64::from(byte - b'0');
                decimals = decimals.map(|count| count + 1);
            }
            b'.' if decimals.is_none() => decimals = Some(0),
            _ => return any_decimal(text),
        }
    }
    let scaled = value.checked_mul([1000, 100, 10, 1][decimals.unwrap_or(0)])?;
    Some(if negative { -scaled } else { scaled })
}

/// Any decimal number, with as many digits and whatever exponent.
#[cold]
fn any_decimal(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    let split = digits.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (mantissa, exponent) = match split {
        Some(at) => (&digits[..at], std::str::from_utf8(&digits[at + 1..]).ok()?.parse::<i64>().ok()?),
        None => (digits, 0),
    };
    let (mut value, mut scale, mut seen, mut point) = (0i128, 3i64, false, false);
    for byte in mantissa {
        match byte {
            b'0'..=b'9' => {
                seen = true;
                if value < 1_000_000_000_000_000_000_000_000_000_000 {
                    value = value * 10 + i128::from(byte - b'0');
                    scale -= i64::from(point);
                } else {
                    scale += i64::from(!point);
                }
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    if !seen {
        return None;
    }
    let scale = scale.saturating_add(exponent);
    let value = if scale >= 0 {
        (0..scale.min(40)).try_fold(value, |value, _| value.checked_mul(10)).unwrap_or(i128::MAX)
    } else if scale < -36 {
        0
    } else {
        let unit = 10i128.pow(scale.unsigned_abs() as u32);
        let (whole, rest) = (value / unit, value % unit);
        let up = rest * 2 > unit || (rest * 2 == unit && whole % 2 == 1);
        whole + i128::from(up)
    };
    i64::try_from(if negative { -value } else { value }).ok()
}

/// A whole number, perhaps between quotes.
pub(super) fn integer(value: &[u8]) -> Option<i64> {
    std::str::from_utf8(super::scan::content(value)).ok()?.trim().parse().ok()
}

/// Any number, for counters.
pub(super) fn float(value: &[u8]) -> Option<f64> {
    std::str::from_utf8(value).ok()?.parse::<f64>().ok().filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_every_digit() {
        for (text, ns) in [
            ("0", Some(0)),
            ("12", Some(12_000)),
            ("1.5", Some(1_500)),
            ("-1.25", Some(-1_250)),
            ("1712345678901234.567", Some(1_712_345_678_901_234_567)),
            ("9007199254740.993", Some(9_007_199_254_740_993)),
            ("1.0005", Some(1_000)),
            ("1.0015", Some(1_002)),
            ("1.00050000001", Some(1_001)),
            ("2e3", Some(2_000_000)),
            ("1.7e-3", Some(2)),
            ("1E400", None),
            ("1e-400", Some(0)),
            ("99999999999999999999", None),
            ("", None),
            ("-", None),
            (".", None),
            ("1x", None),
            ("NaN", None),
        ] {
            assert_eq!(nanoseconds(text.as_bytes()), ns, "{text}");
        }
    }

    #[test]
    fn the_two_ways_agree() {
        for at in 0..2_000_000i64 {
            let us = at * 7_919 - 5_000_000;
            let text = format!("{}{}.{:03}", if us < 0 { "-" } else { "" }, us.abs() / 1000, us.abs() % 1000);
            assert_eq!(nanoseconds(text.as_bytes()), Some(us));
            if at % 100 == 0 {
                assert_eq!(any_decimal(text.as_bytes()), Some(us));
            }
        }
    }
}
