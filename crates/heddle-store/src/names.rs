//! Names of files as text, and back.
//!
//! Readers know files by names that are text; on Unix a name is any bytes. Bytes that are not UTF-8 stand as characters of
//! the last private plane, one for each, so that every name has a text of its own, in which endings can be told and
//! exchanged as in any other.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// The character of byte 0.
const BASE: u32 = 0x0010_ff00;

fn stands_for_a_byte(c: char) -> Option<u8> {
    u32::from(c).checked_sub(BASE).map(|byte| byte as u8)
}

/// The text of a file's name.
pub fn name_to_text(name: &OsStr) -> String {
    let mut text = String::with_capacity(name.len());
    let append_bytes = |text: &mut String, bytes: &[u8]| {
        text.extend(bytes.iter().filter_map(|byte| char::from_u32(BASE + u32::from(*byte))));
    };
    for chunk in name.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            // Such a character itself is its bytes, or it would be taken for one.
            match stands_for_a_byte(c) {
                Some(_) => append_bytes(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes()),
                None => text.push(c),
            }
        }
        append_bytes(&mut text, chunk.invalid());
    }
    text
}

/// The name that has this text.
pub fn text_to_name(text: &str) -> OsString {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match stands_for_a_byte(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_text_of_its_own() {
        let names: [&[u8]; 6] = [
            b"run.otf2",
            "l\u{e4}uft.prv".as_bytes(),
            b"caf\xe9.prv",
            b"\xff\xfe/\x80",
            "\u{10ff80}".as_bytes(),
            b"\x80",
        ];
        let texts: std::collections::HashSet<String> = names
            .iter()
            .map(|name| {
                let text = name_to_text(OsStr::from_bytes(name));
                assert_eq!(text_to_name(&text).as_bytes(), *name);
                text
            })
            .collect();
        assert_eq!(texts.len(), names.len());
        assert_eq!(name_to_text(OsStr::new("run.otf2")), "run.otf2");
        assert_eq!(name_to_text(OsStr::from_bytes(b"caf\xe9.prv")), "caf\u{10ffe9}.prv", "endings stay");
    }
}
