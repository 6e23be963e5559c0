//! JSON by the byte: where strings and values end, without making anything of them.
//!
//! Events are many and their arguments are most of the bytes, so what is not wanted is stepped over, never parsed. A
//! slice may end in the middle of anything: that is told apart from bytes that are wrong, for then more bytes help.

use std::borrow::Cow;

/// Why a value could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The bytes end before it does.
    Ends,
    /// It is not JSON.
    Bad,
}

const QUOTE: u8 = 1;
const OPEN: u8 = 2;
const CLOSE: u8 = 3;

/// What matters inside an object or array that is stepped over.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    class[b'"' as usize] = QUOTE;
    class[b'{' as usize] = OPEN;
    class[b'[' as usize] = OPEN;
    class[b'}' as usize] = CLOSE;
    class[b']' as usize] = CLOSE;
    class
};

#[inline]
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// The first place from `at` on that is no white space.
#[inline]
pub(super) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && is_space(bytes[at]) {
        at += 1;
    }
    at
}

/// Where the string ends whose first byte is at `at`: the place of its closing quote.
#[inline]
pub(super) fn string_end(bytes: &[u8], mut at: usize) -> Result<usize, Fault> {
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..).ok_or(Fault::Ends)?).ok_or(Fault::Ends)?;
        if bytes[at] == b'"' {
            return Ok(at);
        }
        at += 2;
    }
}

/// The same for the short strings that keys are: a call of its own would cost more than the search.
#[inline]
pub(super) fn short_string_end(bytes: &[u8], mut at: usize) -> Result<usize, Fault> {
    loop {
        match bytes.get(at) {
            None => return Err(Fault::Ends),
            Some(b'"') => return Ok(at),
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

/// Where the object or array ends that begins at `at`: the place behind its bracket. Kinds of brackets are not compared.
pub(super) fn container_end(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    let mut at = at + 1;
    let mut depth = 1usize;
    loop {
        let Some(byte) = bytes.get(at) else { return Err(Fault::Ends) };
        at += 1;
        match CLASS[usize::from(*byte)] {
            QUOTE => at = short_string_end(bytes, at)? + 1,
            OPEN => depth += 1,
            CLOSE => {
                depth -= 1;
                if depth == 0 {
                    return Ok(at);
                }
            }
            _ => {}
        }
    }
}

/// Where the value ends that begins at `at`. Words that are no JSON, such as `NaN`, are values here too.
#[inline]
pub(super) fn value_end(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match bytes.get(at) {
        None => Err(Fault::Ends),
        Some(b'"') => Ok(string_end(bytes, at + 1)? + 1),
        Some(b'{' | b'[') => container_end(bytes, at),
        Some(b',' | b':' | b'}' | b']') => Err(Fault::Bad),
        Some(_) => {
            let mut end = at;
            while let Some(byte) = bytes.get(end) {
                if is_space(*byte) || matches!(byte, b',' | b'}' | b']') {
                    return Ok(end);
                }
                if matches!(byte, b'"' | b'{' | b'[' | b':') {
                    return Err(Fault::Bad);
                }
                end += 1;
            }
            Err(Fault::Ends)
        }
    }
}

/// The next member of an object: its key and the place of its value; `None` at the closing brace. `at` is behind the
/// opening brace or behind a value, and moves on.
#[inline]
pub(super) fn next_key<'a>(bytes: &'a [u8], at: &mut usize) -> Result<Option<&'a [u8]>, Fault> {
    loop {
        *at = skip_space(bytes, *at);
        match bytes.get(*at) {
            None => return Err(Fault::Ends),
            // Commas are not counted: one too many harms nobody.
            Some(b',') => *at += 1,
            Some(b'}') => {
                *at += 1;
                return Ok(None);
            }
            Some(b'"') => break,
            Some(_) => return Err(Fault::Bad),
        }
    }
    let start = *at + 1;
    let end = short_string_end(bytes, start)?;
    let colon = skip_space(bytes, end + 1);
    match bytes.get(colon) {
        None => Err(Fault::Ends),
        Some(b':') => {
            *at = skip_space(bytes, colon + 1);
            Ok(Some(&bytes[start..end]))
        }
        Some(_) => Err(Fault::Bad),
    }
}

/// The members of an object, key and value as they stand; ends at the first that is broken.
pub(super) fn members(object: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut at = 1;
    std::iter::from_fn(move || {
        let key = next_key(object, &mut at).ok()??;
        let end = value_end(object, at).ok()?;
        let value = &object[at..end];
        at = end;
        Some((key, value))
    })
}

/// What stands between the quotes of a string value; any other value as it is.
#[inline]
pub(super) fn content(value: &[u8]) -> &[u8] {
    match value {
        [b'"', inside @ .., b'"'] => inside,
        other => other,
    }
}

/// The text of a string's content: escapes resolved, what is no UTF-8 replaced.
pub(super) fn text(content: &[u8]) -> Cow<'_, str> {
    if !content.contains(&b'\\') {
        return String::from_utf8_lossy(content);
    }
    let mut out = Vec::with_capacity(content.len());
    let mut at = 0;
    while at < content.len() {
        let byte = content[at];
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let escape = content.get(at).copied().unwrap_or(b'\\');
        at += 1;
        match escape {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'u' => {
                let (letter, length) = unicode(&content[at.min(content.len())..]);
                at += length;
                out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
            other => out.push(other),
        }
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

/// The letter of the four digits behind `\u`, or of two such that make one, and how many bytes that takes.
fn unicode(bytes: &[u8]) -> (char, usize) {
    let digits = |at: usize| {
        let four = bytes.get(at..at + 4).and_then(|four| std::str::from_utf8(four).ok())?;
        u32::from_str_radix(four, 16).ok()
    };
    let Some(first) = digits(0) else { return (char::REPLACEMENT_CHARACTER, 0) };
    if (0xd800..0xdc00).contains(&first)
        && bytes.get(4..6) == Some(b"\\u")
        && let Some(second @ 0xdc00..=0xdfff) = digits(6)
    {
        let both = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return (char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER), 10);
    }
    (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 4)
}

/// The next place from `at` on where one event seems to end and another to begin: behind the comma of `} , { "key" :`.
///
/// Inside a string a quote has a backslash before it, so what looks like this is never inside one in a sound file; it may
/// be inside the arguments of an event.
pub(super) fn next_border(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr(b'}', bytes.get(at..)?)? + 1;
        if let Some(border) = border_at(bytes, at) {
            return Some(border);
        }
    }
}

/// The last such place.
pub(super) fn last_border(bytes: &[u8]) -> Option<usize> {
    let mut end = bytes.len();
    loop {
        end = memchr::memrchr(b'}', &bytes[..end])?;
        if let Some(border) = border_at(bytes, end + 1) {
            return Some(border);
        }
    }
}

fn border_at(bytes: &[u8], after_brace: usize) -> Option<usize> {
    let comma = skip_space(bytes, after_brace);
    let brace = skip_space(bytes, comma + 1);
    let quote = skip_space(bytes, brace + 1);
    if bytes.get(comma) != Some(&b',') || bytes.get(brace) != Some(&b'{') || bytes.get(quote) != Some(&b'"') {
        return None;
    }
    let mut key = quote;
    matches!(next_key(&bytes[..bytes.len().min(quote + 64)], &mut key), Ok(Some(_))).then_some(comma + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_they_end() {
        for (json, end) in [
            (&b"12.5, "[..], Ok(4)),
            (b"12.5", Err(Fault::Ends)),
            (br#""a\"b" "#, Ok(6)),
            (br#""a\\" "#, Ok(5)),
            (br#""a\"#, Err(Fault::Ends)),
            (br#"{"a":[1,{"}":"]"}]},"#, Ok(19)),
            (b"[[[", Err(Fault::Ends)),
            (b"NaN}", Ok(3)),
            (b"}", Err(Fault::Bad)),
        ] {
            assert_eq!(value_end(json, 0), end, "{}", String::from_utf8_lossy(json));
        }
    }

    #[test]
    fn escapes_become_letters() {
        assert_eq!(text(br#"a\n\"\/\u00e9\ud83d\ude00\ud83d"#), "a\n\"/\u{e9}\u{1f600}\u{fffd}");
        assert_eq!(text(b"\xff\\u12"), "\u{fffd}\u{fffd}12");
    }

    #[test]
    fn borders_are_between_events_only() {
        let json = br#"{"a":"},{\"b\":1"} , {"c":[{"d":1},{"e":2}]}"#;
        let first = next_border(json, 0).unwrap();
        assert!(json[first..].starts_with(br#" {"c""#));
        assert!(json[last_border(json).unwrap()..].starts_with(br#"{"e""#), "may be inside arguments");
        assert_eq!(next_border(b"},{\"", 0), None);
    }
}
