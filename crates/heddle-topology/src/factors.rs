//! Numbers as products of numbers that are as equal as can be: balanced grids of ranks.

/// The largest divisor that is not above the square root.
pub fn divisor_below_root(number: u32) -> u32 {
    (1..=number.isqrt()).rev().find(|d| number.is_multiple_of(*d)).unwrap_or(1)
}

/// Three factors, longest first, that differ as little as possible.
pub fn most_cubic(number: u32) -> [u32; 3] {
    let mut best = [number, 1, 1];
    for short in (1..).take_while(|short| u64::from(*short).pow(3) <= u64::from(number)) {
        if number.is_multiple_of(short) {
            let middle = divisor_below_root(number / short);
            let long = number / short / middle;
            let (low, high) = (short.min(middle), long);
            if high - low < best[0] - best[2] {
                best = [long, middle.max(short), low];
            }
        }
    }
    best
}
