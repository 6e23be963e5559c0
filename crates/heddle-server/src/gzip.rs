//! Compression of answers: as little as pays on a local line.

use axum::http::{HeaderMap, header};
use zlib_rs::{DeflateConfig, ReturnCode, compress_bound, compress_slice};

/// Shorter answers fit into one packet anyway.
const LEAST: usize = 1_400;
/// A scene is mostly runs: the fastest level takes away nearly all of them.
const LEVEL: i32 = 1;
/// A window of 2^15 bytes; 16 more asks for gzip's frame.
const GZIP: i32 = 15 + 16;

/// Whether the client takes gzip.
pub(crate) fn is_accepted(headers: &HeaderMap) -> bool {
    let takes = |item: &str| {
        let mut words = item.split(';').map(str::trim);
        let refused = |word: &str| word.strip_prefix("q=").is_some_and(|q| q.trim().parse::<f32>() == Ok(0.0));
        words.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip")) && !words.any(refused)
    };
    let values = headers.get_all(header::ACCEPT_ENCODING).iter();
    values.filter_map(|value| value.to_str().ok()).any(|value| value.split(',').any(takes))
}

/// The bytes compressed, if that makes them shorter.
pub(crate) fn compressed(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() < LEAST {
        return None;
    }
    // The bound is for zlib's frame; gzip's is 12 bytes longer.
    let mut room = vec![0; compress_bound(bytes.len()) + 12];
    let (written, code) =
        compress_slice(&mut room, bytes, DeflateConfig { window_bits: GZIP, ..DeflateConfig::new(LEVEL) });
    let length = written.len();
    if code != ReturnCode::Ok || length >= bytes.len() {
        return None;
    }
    room.truncate(length);
    Some(room)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(value: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, value.parse().unwrap());
        is_accepted(&headers)
    }

    #[test]
    fn only_clients_that_say_so_take_gzip() {
        assert!(accepts("gzip, deflate, br") && accepts("br;q=1.0, GZIP;q=0.5"));
        assert!(!accepts("br") && !accepts("gzip;q=0") && !accepts("gzip;q=0.0, br") && !accepts("x-gzip"));
        assert!(!is_accepted(&HeaderMap::new()));
    }

    #[test]
    fn what_is_compressed_comes_back() {
        let bytes: Vec<u8> = (0..100_000u32).flat_map(|n| (n / 100).to_le_bytes()).collect();
        let packed = compressed(&bytes).unwrap();
        assert!(packed.starts_with(&[0x1f, 0x8b]) && packed.len() < bytes.len() / 4);
        let mut room = vec![0; bytes.len()];
        let (back, code) = zlib_rs::decompress_slice(&mut room, &packed, zlib_rs::InflateConfig { window_bits: GZIP });
        assert_eq!((code, &*back), (ReturnCode::Ok, bytes.as_slice()));
        assert!(compressed(b"short").is_none());
        // Noise cannot be made shorter.
        let mut noise = vec![0; 10_000];
        getrandom::fill(&mut noise).unwrap();
        assert!(compressed(&noise).is_none());
    }
}
