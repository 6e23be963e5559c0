//! The 32 bytes that a program may attach to an event, put into words by the format of its definition.
//!
//! Values are packed without gaps, the highest byte first in every file, whatever its byte order.

use std::fmt::Write;

/// The text that `format` makes of `cargo`. What cannot be filled from the bytes stays as it stands in the format.
pub(crate) fn text(format: &str, cargo: &[u8]) -> String {
    let mut out = String::new();
    let mut pieces = format.split('%');
    out.push_str(pieces.next().unwrap_or_default());
    let mut values = Values { bytes: cargo };
    for piece in pieces {
        let mut rest = piece.chars();
        let shown = rest.next().and_then(|letter| values.next(letter));
        if let Some(value) = shown {
            out.push_str(&value);
            out.push_str(rest.as_str());
        } else {
            out.push('%');
            out.push_str(piece);
        }
    }
    out
}

/// Takes values off the front of a cargo.
pub(crate) struct Values<'a> {
    /// What is left.
    pub(crate) bytes: &'a [u8],
}

impl Values<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (value, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*value)
    }

    /// A number of the kind `d`.
    pub(crate) fn int(&mut self) -> Option<i32> {
        self.take().map(i32::from_be_bytes)
    }

    /// The next value in words; `None` for a letter that stands for no value, or without enough bytes.
    pub(crate) fn next(&mut self, letter: char) -> Option<String> {
        Some(match letter {
            's' => {
                let length = usize::try_from(i16::from_be_bytes(self.take()?)).ok()?;
                let (text, rest) = self.bytes.split_at_checked(length)?;
                self.bytes = rest;
                String::from_utf8_lossy(text).into_owned()
            }
            'h' => i16::from_be_bytes(self.take()?).to_string(),
            'd' => self.int()?.to_string(),
            'l' => i64::from_be_bytes(self.take()?).to_string(),
            'x' => hex(&self.take::<4>()?),
            'X' => hex(&self.take::<8>()?),
            'e' => f32::from_be_bytes(self.take()?).to_string(),
            'E' => f64::from_be_bytes(self.take()?).to_string(),
            _ => return None,
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut out = String::from("0x");
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_packed_and_big_endian() {
        let mut cargo = vec![0, 0, 0, 1, 0, 5];
        cargo.extend_from_slice(b"abcde");
        cargo.extend_from_slice(&0.5f64.to_be_bytes());
        cargo.resize(32, 0xee);
        assert_eq!(text("iter=%d label=%s x=%E", &cargo), "iter=1 label=abcde x=0.5");
        assert_eq!(text("%h %l%x|%X %e", &[0xff; 32]), "-1 -10xffffffff|0xffffffffffffffff NaN");
        assert_eq!(text("no values", &cargo), "no values");
        assert_eq!(text("100% %q %d", &cargo), "100% %q 1");
    }

    #[test]
    fn what_is_not_there_is_not_shown() {
        assert_eq!(text("%s", &[0x7f; 32]), "%s", "a text longer than the cargo");
        assert_eq!(text("%s", &[0xff; 32]), "%s", "a negative length");
        assert_eq!(text("%E%E%E%E%E%", &[0; 32]), "0000%E%");
        assert_eq!(text("%dé%", &[0; 4]), "0é%");
    }
}
