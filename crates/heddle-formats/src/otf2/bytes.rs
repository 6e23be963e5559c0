//! Primitive encodings: fixed numbers in file byte order, and numbers that say their own length.
//!
//! A variable number is a count of bytes (0 to 4 or 8) followed by that many low-order bytes; a single
//! 0xff is all ones, which means "undefined" wherever an id is expected.

use std::borrow::Cow;

/// The byte order of a file, from its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// The second byte of every file says it.
    pub(crate) fn from_mark(mark: u8) -> Option<ByteOrder> {
        match mark {
            0x42 => Some(ByteOrder::Little),
            0x23 => Some(ByteOrder::Big),
            _ => None,
        }
    }
}

/// Reads fields one after the other; `None` once the bytes run out or make no sense.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    order: ByteOrder,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(bytes: &'a [u8], order: ByteOrder) -> Fields<'a> {
        Fields { bytes, at: 0, order }
    }

    /// How far reading has come.
    #[inline]
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Whether an optional tail follows: older writers leave fields out at the end.
    pub(crate) fn has_more(&self) -> bool {
        self.at < self.bytes.len()
    }

    /// How many bytes are left: the cap on every count that the file claims.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    #[inline]
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    #[inline]
    pub(crate) fn u8(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    #[inline]
    pub(crate) fn raw64(&mut self) -> Option<u64> {
        let order = self.order;
        let bytes: [u8; 8] = self.take(8)?.try_into().ok()?;
        Some(if order == ByteOrder::Little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) })
    }

    /// A variable number of at most `max` bytes; all ones is `u64::MAX`.
    #[inline]
    fn variable(&mut self, max: u8) -> Option<u64> {
        let count = *self.bytes.get(self.at)?;
        if count == 0xff {
            self.at += 1;
            return Some(u64::MAX);
        }
        if count > max {
            return None;
        }
        // One load and a mask where eight bytes can be had; byte by byte only at the very end.
        if let Some(word) = self.bytes.get(self.at + 1..self.at + 9) {
            let word: [u8; 8] = word.try_into().ok()?;
            self.at += 1 + count as usize;
            if count == 0 {
                return Some(0);
            }
            let unused = 64 - 8 * u32::from(count);
            return Some(match self.order {
                ByteOrder::Little => (u64::from_le_bytes(word) << unused) >> unused,
                ByteOrder::Big => u64::from_be_bytes(word) >> unused,
            });
        }
        self.at += 1;
        let order = self.order;
        let bytes = self.take(count as usize)?;
        let add = |value: u64, byte: &u8| (value << 8) | u64::from(*byte);
        Some(match order {
            ByteOrder::Little => bytes.iter().rev().fold(0, add),
            ByteOrder::Big => bytes.iter().fold(0, add),
        })
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Option<u32> {
        // Truncation keeps the meaning: all ones in 64 bits are all ones in 32.
        self.variable(4).map(|value| value as u32)
    }

    #[inline]
    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.variable(8)
    }

    pub(crate) fn i64(&mut self) -> Option<i64> {
        self.variable(8).map(u64::cast_signed)
    }

    /// Bytes up to a zero byte, which is eaten too. Not always UTF-8.
    pub(crate) fn zstr(&mut self) -> Option<Cow<'a, str>> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        self.at += length + 1;
        Some(String::from_utf8_lossy(&rest[..length]))
    }

    /// The length of a record: one byte, or 0xff and eight more.
    #[inline]
    pub(crate) fn record_length(&mut self) -> Option<u64> {
        match self.u8()? {
            0xff => self.raw64(),
            short => Some(u64::from(short)),
        }
    }

    /// The next `length` bytes as fields of their own; reading goes on after them.
    #[inline]
    pub(crate) fn sub(&mut self, length: u64) -> Option<Fields<'a>> {
        let order = self.order;
        let bytes = self.take(usize::try_from(length).ok()?)?;
        Some(Fields::new(bytes, order))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_numbers_of_the_format_brief() {
        for (bytes, value) in [
            (&[0x00][..], 0),
            (&[0x01, 0x2a], 42),
            (&[0x02, 0x00, 0x40], 16384),
            (&[0x04, 0x00, 0x00, 0x00, 0x80], 2_147_483_648),
            (&[0xff], u32::MAX),
        ] {
            assert_eq!(Fields::new(bytes, ByteOrder::Little).u32(), Some(value));
            let mut padded = bytes.to_vec();
            padded.extend([0xaa; 9]);
            assert_eq!(Fields::new(&padded, ByteOrder::Little).u32(), Some(value), "with bytes behind it");
        }
        assert_eq!(Fields::new(&[5, 0, 0, 0, 0, 0], ByteOrder::Little).u32(), None, "longer than 32 bits");
        assert_eq!(Fields::new(&[3, 1, 2], ByteOrder::Little).u32(), None, "cut");
    }

    #[test]
    fn big_endian_numbers_run_from_the_most_significant_byte() {
        assert_eq!(Fields::new(&[2, 0x40, 0x00], ByteOrder::Big).u64(), Some(16384));
        assert_eq!(Fields::new(&[2, 0x40, 0x00, 9, 9, 9, 9, 9, 9], ByteOrder::Big).u64(), Some(16384));
        assert_eq!(Fields::new(&[0, 0, 0, 0, 0, 0, 0, 1], ByteOrder::Big).raw64(), Some(1));
    }
}
