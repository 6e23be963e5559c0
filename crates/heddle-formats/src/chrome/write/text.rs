//! Pieces of JSON.

use heddle_model::Ns;

/// A text between quotes.
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 | 0x7f => {
                let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&digits);
            }
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// A whole number.
pub(super) fn number(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Nanoseconds as microseconds with three decimals.
pub(super) fn time(out: &mut Vec<u8>, time: i64) {
    if time < 0 {
        out.push(b'-');
    }
    let time = time.unsigned_abs();
    number(out, time / 1000);
    let rest = time % 1000;
    out.push(b'.');
    out.extend([rest / 100, rest / 10 % 10, rest % 10].map(|digit| b'0' + digit as u8));
}

/// A member of an object that is a whole number.
pub(super) fn member(out: &mut Vec<u8>, key: &str, value: u64) {
    key_of(out, key);
    number(out, value);
}

/// A member of an object that is a time.
pub(super) fn time_member(out: &mut Vec<u8>, key: &str, value: i64) {
    key_of(out, key);
    time(out, value);
}

fn key_of(out: &mut Vec<u8>, key: &str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
}

/// An instant; `place` is the members `pid` and `tid`.
pub(super) fn mark(out: &mut Vec<u8>, at: Ns, name: &str, said: &str, reach: &str, place: &[u8]) {
    out.extend_from_slice(b",\n{\"ph\":\"i\",\"name\":");
    string(out, name);
    out.extend_from_slice(b",\"cat\":\"heddle\",\"s\":\"");
    out.extend_from_slice(reach.as_bytes());
    out.push(b'"');
    out.extend_from_slice(place);
    time_member(out, "ts", at.0);
    if !said.is_empty() {
        out.extend_from_slice(b",\"args\":{\"text\":");
        string(out, said);
        out.push(b'}');
    }
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(fill: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        fill(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn times_have_three_decimals() {
        for (ns, text) in
            [(0, "0.000"), (7, "0.007"), (-1_250, "-1.250"), (1_712_345_678_901_234_567, "1712345678901234.567")]
        {
            assert_eq!(made(|out| time(out, ns)), text);
        }
        assert_eq!(made(|out| time(out, i64::MIN)), "-9223372036854775.808");
    }

    #[test]
    fn texts_are_json() {
        for text in ["", "a \"b\" \\ c", "\0\u{1}\n\t\r\u{7f}", "é\u{1f600}"] {
            let json = made(|out| string(out, text));
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
