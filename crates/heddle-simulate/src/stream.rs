//! The times of a rank, as little bytes as possible: how long each call took that could not have been worked out again.
//!
//! Seven bits a byte, low ones first; the eighth says that more follow. Waits are short against the time of day, so
//! most take two or three bytes.

/// Appends a duration. None is negative.
pub(crate) fn put(bytes: &mut Vec<u8>, ns: i64) {
    let mut rest = ns as u64;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// Reads durations in the order they were put.
#[derive(Debug)]
pub(crate) struct Durations<'a> {
    bytes: &'a [u8],
}

impl Durations<'_> {
    pub(crate) fn new(bytes: &[u8]) -> Durations<'_> {
        Durations { bytes }
    }

    /// The next one; 0 behind the end.
    pub(crate) fn next(&mut self) -> i64 {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let Some((byte, rest)) = self.bytes.split_first() else { break };
            self.bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        value as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_read() {
        let values = [0, 1, 127, 128, 16_383, 16_384, 1 << 40, i64::MAX];
        let mut bytes = Vec::new();
        for value in values {
            put(&mut bytes, value);
        }
        let mut durations = Durations::new(&bytes);
        assert_eq!(values.map(|_| durations.next()), values);
        assert_eq!(durations.next(), 0);
    }
}
