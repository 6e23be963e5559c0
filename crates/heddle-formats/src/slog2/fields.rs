//! Numbers and texts of SLOG-2: the highest byte first, nothing aligned.

/// Takes fields off the front of some bytes; `None` when they end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Fields<'a> {
        Fields { bytes }
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*taken)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn i16(&mut self) -> Option<i16> {
        self.array().map(i16::from_be_bytes)
    }

    pub(super) fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_be_bytes)
    }

    pub(super) fn f64(&mut self) -> Option<f64> {
        self.array().map(f64::from_be_bytes)
    }

    /// A count of two bytes, never negative.
    pub(super) fn short_count(&mut self) -> Option<usize> {
        self.i16()?.try_into().ok()
    }

    /// A count of four bytes, never negative.
    pub(super) fn count(&mut self) -> Option<usize> {
        self.i32()?.try_into().ok()
    }

    /// A length, then that many bytes.
    pub(super) fn short_bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.short_count()?;
        self.take(count)
    }

    /// A text; no more of it is kept than a name has.
    pub(super) fn text(&mut self) -> Option<String> {
        const LONGEST: usize = 256;
        let bytes = self.short_bytes()?;
        Some(String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]).into_owned())
    }

    /// Where a block of the file is and its size, if there is one.
    pub(super) fn pointer(&mut self) -> Option<(u64, u64)> {
        let (offset, size) = (self.i64()?, self.i32()?);
        let pointer = u64::try_from(offset).ok().zip(u64::try_from(size).ok());
        pointer.filter(|(offset, size)| *offset > 0 && *size > 0)
    }
}
