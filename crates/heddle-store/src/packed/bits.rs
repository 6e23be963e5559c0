//! Numbers of a few bits each, side by side, the lowest bit first.

/// Widths above this are stored as whole words: a value must lie within the eight bytes that begin at its first byte.
pub(super) const WIDEST: u32 = 57;

/// The width that a number of `bits` bits is stored in.
pub(super) fn stored_width(bits: u32) -> u32 {
    if bits > WIDEST { 64 } else { bits }
}

/// How many words `count` numbers take.
pub(super) fn words(count: usize, width: u32) -> usize {
    (count * width as usize).div_ceil(64)
}

/// Appends numbers that all fit into `width` bits.
pub(super) fn pack(codes: &[u64], width: u32, out: &mut Vec<u64>) {
    match width {
        0 => {}
        64 => out.extend_from_slice(codes),
        _ => {
            let (mut word, mut filled) = (0u64, 0u32);
            for code in codes {
                word |= code << filled;
                filled += width;
                if filled >= 64 {
                    out.push(word);
                    filled -= 64;
                    // What did not fit; nothing if the word was filled exactly.
                    word = if filled == 0 { 0 } else { code >> (width - filled) };
                }
            }
            if filled > 0 {
                out.push(word);
            }
        }
    }
}

/// One number. `bytes` reach at least seven bytes beyond the last one.
#[inline]
pub(super) fn get(bytes: &[u8], width: u32, at: usize) -> u64 {
    if width == 64 {
        return bytes.get(8 * at..8 * at + 8).and_then(|word| word.try_into().ok()).map_or(0, u64::from_le_bytes);
    }
    let bit = at * width as usize;
    let word = bytes.get(bit / 8..bit / 8 + 8).and_then(|word| word.try_into().ok()).map_or(0, u64::from_le_bytes);
    (word >> (bit % 8)) & mask(width)
}

#[inline]
fn mask(width: u32) -> u64 {
    (1u64 << width) - 1
}

/// The first numbers, as many as there is room for. `bytes` reach at least seven bytes beyond the last one.
pub(super) fn unpack(bytes: &[u8], width: u32, out: &mut [u64]) {
    macro_rules! by_width {
        ($($width:literal)*) => {
            match width {
                0 => out.fill(0),
                $($width => unpack_width::<$width>(bytes, out),)*
                _ => {
                    for (number, word) in out.iter_mut().zip(bytes.as_chunks::<8>().0) {
                        *number = u64::from_le_bytes(*word);
                    }
                }
            }
        };
    }
    by_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
        40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57);
}

fn unpack_width<const WIDTH: usize>(bytes: &[u8], out: &mut [u64]) {
    // Eight numbers take WIDTH bytes and begin at the same bits in each such group: constants, once the loop is unrolled.
    let (groups, rest) = out.as_chunks_mut::<8>();
    for (at, group) in groups.iter_mut().enumerate() {
        let Some(bytes) = bytes.get(at * WIDTH..(at + 1) * WIDTH + 7) else { return };
        for (j, number) in group.iter_mut().enumerate() {
            let first = j * WIDTH / 8;
            let Some(word) = bytes[first..].first_chunk::<8>() else { return };
            *number = (u64::from_le_bytes(*word) >> (j * WIDTH % 8)) & mask(WIDTH as u32);
        }
    }
    let before = groups.len() * 8;
    for (at, number) in rest.iter_mut().enumerate() {
        *number = get(bytes, WIDTH as u32, before + at);
    }
}
