//! One note, and what may stand in it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::NotesError;

/// Characters of a name: a line.
const LONGEST_NAME: usize = 200;
/// Characters of a text: some sentences, not an essay.
const LONGEST_TEXT: usize = 4000;
/// Bytes of a view: as long as a question of the page may be.
const LONGEST_VIEW: usize = 24 << 10;
const LONGEST_ID: usize = 32;

/// What of a link is no part of a note: which trace is told by where the note is, the others are of the page that was copied
/// from.
const NOT_KEPT: [&str; 4] = ["trace", "token", "stop", "note"];

/// A note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// What it is known by, whatever its name and place: letters and digits.
    pub id: String,
    /// A few words.
    pub name: String,
    /// Some sentences of plain text; may be empty.
    pub text: String,
    /// The view, as the page writes it into its address after the `#`, without the trace.
    pub view: String,
}

/// What a person writes down.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// A few words.
    pub name: String,
    /// Some sentences of plain text; may be empty.
    #[serde(default)]
    pub text: String,
    /// A view, or a whole link to one.
    pub view: String,
}

impl Draft {
    /// The same, tidied, if it may be kept.
    pub(super) fn checked(self) -> Result<Draft, NotesError> {
        let spaced = |text: &str, keeps: &[char]| -> String {
            text.chars().map(|c| if c.is_control() && !keeps.contains(&c) { ' ' } else { c }).collect()
        };
        let name = spaced(&self.name, &[]).split_whitespace().collect::<Vec<_>>().join(" ");
        let text = spaced(&self.text.replace("\r\n", "\n"), &['\n', '\t']).trim().to_owned();
        let view = view_of(&self.view).map_err(NotesError::Wrong)?;
        let draft = Draft { name, text, view };
        draft.clone().with_id("x".to_owned()).check().map_err(NotesError::Wrong)?;
        Ok(draft)
    }

    pub(super) fn with_id(self, id: String) -> Note {
        Note { id, name: self.name, text: self.text, view: self.view }
    }
}

impl Note {
    /// What is wrong with it, in words. A file is not trusted to hold what was once written into it.
    pub(super) fn check(&self) -> Result<(), String> {
        let Note { id, name, text, view } = self;
        if !is_id(id) {
            return Err(format!("an id is up to {LONGEST_ID} lower-case letters and digits"));
        }
        if name.trim().is_empty() {
            return Err("a note needs a name".to_owned());
        }
        if name.chars().count() > LONGEST_NAME {
            return Err(format!("a name has at most {LONGEST_NAME} characters"));
        }
        if text.chars().count() > LONGEST_TEXT {
            return Err(format!("a text has at most {LONGEST_TEXT} characters"));
        }
        match view_of(view) {
            Ok(known) if known == *view => Ok(()),
            Ok(_) => Err("a view begins with `v=1` and names neither a trace nor a page".to_owned()),
            Err(what) => Err(what),
        }
    }
}

/// The view of a link to this page, or of what stands after its `#`; whatever else it is, it never leads elsewhere.
fn view_of(link: &str) -> Result<String, String> {
    let link = link.trim();
    let fragment = link.split_once('#').map_or(link, |(_, fragment)| fragment);
    if fragment.len() > LONGEST_VIEW {
        return Err(format!("a view has at most {LONGEST_VIEW} characters"));
    }
    let key = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
    let kept: Vec<&str> = fragment.split('&').filter(|pair| !NOT_KEPT.contains(&key(pair).as_str())).collect();
    let is_versioned = kept.first().is_some_and(|first| {
        first.strip_prefix("v=").is_some_and(|v| !v.is_empty() && v.bytes().all(|byte| byte.is_ascii_digit()))
    });
    // What the page's links are written with; anything else is percent-encoded in them.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!*'(),:;=@/&%+".contains(&byte);
    if !is_versioned || !fragment.bytes().all(is_plain) {
        return Err("a view is a link that was copied from the page, or what stands in it after the `#`: \
                    `v=1&layout=timeline&time=0:1000000`"
            .to_owned());
    }
    Ok(kept.join("&"))
}

fn is_id(id: &str) -> bool {
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// An id that came from elsewhere, if it could be one.
pub(super) fn checked_id(id: &str) -> Result<String, NotesError> {
    // It is not said back: it may be anything.
    if is_id(id) {
        Ok(id.to_owned())
    } else {
        Err(NotesError::Wrong("an id of a note is lower-case letters and digits".to_owned()))
    }
}

/// An id that nobody has. It need not be hard to guess: it only tells notes of one trace apart.
pub(super) fn new_id(is_taken: impl Fn(&str) -> bool) -> String {
    static MADE: AtomicU64 = AtomicU64::new(0);
    loop {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        let mut seed = now.to_le_bytes().to_vec();
        seed.extend(std::process::id().to_le_bytes());
        seed.extend(MADE.fetch_add(1, Ordering::Relaxed).to_le_bytes());
        let id = format!("{:08x}", xxh3_64(&seed) as u32);
        if !is_taken(&id) {
            return id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(name: &str, text: &str, view: &str) -> Draft {
        Draft { name: name.to_owned(), text: text.to_owned(), view: view.to_owned() }
    }

    #[test]
    fn a_link_is_kept_as_its_view_without_trace_and_token() {
        let kept = |link: &str| draft("a", "", link).checked().map(|draft| draft.view).ok();
        let view = "v=1&layout=timeline&time=5:70&highlight=a%20b";
        assert_eq!(kept(view).as_deref(), Some(view));
        let link =
            "http://127.0.0.1:7700/#v=1&trace=run&layout=timeline&time=5:70&highlight=a%20b&stop=3&token=x&note=ab";
        assert_eq!(kept(link).as_deref(), Some(view));
        assert_eq!(kept(" v=1 ").as_deref(), Some("v=1"));
        // What merely looks like a view of this page leads nowhere else: only the view is kept.
        assert_eq!(kept("https://evil.example/#v=1").as_deref(), Some("v=1"));
        assert_eq!(kept("v=2#v=1").as_deref(), Some("v=1"));
        assert_eq!(kept("v=1#v=1#v=1"), None);
    }

    #[test]
    fn nothing_else_is_a_view() {
        for wrong in [
            "",
            "#",
            "https://evil.example/",
            "javascript:alert(1)",
            "v=",
            "v=x",
            "trace=v=1",
            "layout=timeline&v=1",
            "v=1&highlight=<script>",
            "v=1&highlight=a b",
            "v=1&highlight=`x`",
            "v=1\n",
            "v=1&highlight=\u{202e}",
        ] {
            let kept = draft("a", "", wrong).checked();
            // A line end at the end is taken off.
            assert_eq!(kept.is_ok(), wrong == "v=1\n", "{wrong:?}");
        }
        assert!(draft("a", "", &format!("v=1&layout={}", "x".repeat(LONGEST_VIEW))).checked().is_err());
    }

    #[test]
    fn words_are_tidied_and_bounded() {
        let tidy = draft("  two\n words\u{7} ", "one\r\ntwo\u{1b}[2J\n", "v=1").checked().unwrap();
        assert_eq!((tidy.name.as_str(), tidy.text.as_str()), ("two words", "one\ntwo [2J"));
        assert!(draft(" \n", "", "v=1").checked().is_err(), "no name");
        assert!(draft(&"ä".repeat(LONGEST_NAME), &"ß".repeat(LONGEST_TEXT), "v=1").checked().is_ok());
        assert!(draft(&"ä".repeat(LONGEST_NAME + 1), "", "v=1").checked().is_err());
        assert!(draft("a", &"ß".repeat(LONGEST_TEXT + 1), "v=1").checked().is_err());
    }

    #[test]
    fn ids_are_different_and_fit() {
        let first = new_id(|_| false);
        let second = new_id(|id| id == first);
        assert!(first != second && is_id(&first) && is_id(&second));
        for wrong in ["", "A", "a-b", "a/b", "..", &"a".repeat(33)] {
            assert!(checked_id(wrong).is_err(), "{wrong}");
        }
    }
}
