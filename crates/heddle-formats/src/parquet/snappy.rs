//! Unpacks Snappy, in which most Parquet files are packed.

use super::thrift::varint;

/// Bytes that are written as they are; all else copies what came before.
const LITERAL: u8 = 0;

/// Unpacks at most `most` bytes; `None` if the bytes are not Snappy's, or more come out.
pub(super) fn unpack(mut packed: &[u8], most: usize) -> Option<Vec<u8>> {
    let length = usize::try_from(varint(&mut packed)?).ok().filter(|length| *length <= most)?;
    // What the length claims is not set aside before there is something to put there.
    let mut out: Vec<u8> = Vec::new();
    while let Some((tag, rest)) = packed.split_first() {
        packed = rest;
        let upper = usize::from(tag >> 2);
        let kind = tag & 3;
        if kind == LITERAL {
            let more = upper.saturating_sub(59).min(4);
            let count = if more == 0 { upper } else { number(&mut packed, more)? };
            let (literal, rest) = packed.split_at_checked(count.checked_add(1)?)?;
            packed = rest;
            out.extend_from_slice(literal);
        } else {
            let (count, back) = match kind {
                1 => (4 + (upper & 7), (upper >> 3) << 8 | number(&mut packed, 1)?),
                2 => (upper + 1, number(&mut packed, 2)?),
                _ => (upper + 1, number(&mut packed, 4)?),
            };
            // What is copied may reach into what is being written.
            let first = out.len().checked_sub(back).filter(|_| back > 0)?;
            for from in first..first + count {
                out.push(out[from]);
            }
        }
        if out.len() > length {
            return None;
        }
    }
    (out.len() == length).then_some(out)
}

fn number(packed: &mut &[u8], bytes: usize) -> Option<usize> {
    let (number, rest) = packed.split_at_checked(bytes)?;
    *packed = rest;
    Some(number.iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_copies_that_overlap() {
        // "ab", then eight bytes from two back.
        let packed = [10, 4, b'a', b'b', 0b0001_0001, 2];
        assert_eq!(unpack(&packed, 100).unwrap(), b"ababababab");
        assert_eq!(unpack(&packed, 9), None, "more than expected");
        for odd in [&[][..], &[10, 4, b'a'], &[10, 1, 9], &[3, 4, b'a', b'b'], &[2, 0xfc, 0xff, 0xff, 0xff, 0xff, 1]] {
            assert_eq!(unpack(odd, 100), None, "{odd:?}");
        }
    }
}
