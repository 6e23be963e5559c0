//! What ranks do together: patterns of messages that have a name (Isaacs 2014, section 3.3.2).
//!
//! A pattern is data. It says what it is called, what there is to know about it in words, and in which order ranks send and
//! receive, which decides how a cluster of them is drawn. Drawing itself is none of its business.
//!
//! A further pattern is a file with a type that implements [`Recognise`], and its place in the list below. Messages are read
//! once for all of them, into [`Traffic`].

mod all_to_all;
mod exchange;
mod flavour;
mod received;
mod ring;
mod traffic;
mod tree;
mod votes;

use heddle_store::{Progress, Store, StoreError};

use crate::Logical;
use crate::cluster::Scope;

pub use all_to_all::AllToAll;
pub use exchange::Exchange;
pub use flavour::{Flavour, Lanes};
pub use received::{Received, Waits};
pub use ring::Ring;
pub use traffic::{Link, Traffic};
pub use tree::{Tree, Way};

/// A kind of pattern.
pub trait Recognise: Sized {
    /// What it is called.
    const NAME: &'static str;

    /// Whether the messages of a scope are one, and which.
    fn recognise(traffic: &Traffic<'_>) -> Option<Self>;

    /// What there is to know about it, in words that go on after its name.
    fn facts(&self) -> String;

    /// In which order ranks send and receive; none if that says nothing about this pattern.
    fn flavour(&self) -> Option<&Flavour> {
        None
    }
}

/// Makes the enum of patterns out of their list, which is also the order in which they are tried.
macro_rules! patterns {
    ($($(#[$about:meta])* $Kind:ident,)*) => {
        /// A pattern that was recognised.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Pattern {
            $($(#[$about])* $Kind($Kind),)*
        }

        impl Pattern {
            /// The first pattern that the messages of a scope are.
            pub fn of(traffic: &Traffic<'_>) -> Option<Pattern> {
                None$(.or_else(|| $Kind::recognise(traffic).map(Pattern::$Kind)))*
            }

            /// What it is called.
            pub fn name(&self) -> &'static str {
                match self { $(Pattern::$Kind(_) => $Kind::NAME,)* }
            }

            /// What there is to know about it, in words that go on after its name.
            pub fn facts(&self) -> String {
                match self { $(Pattern::$Kind(pattern) => pattern.facts(),)* }
            }

            /// In which order ranks send and receive; none if that says nothing about this pattern.
            pub fn flavour(&self) -> Option<&Flavour> {
                match self { $(Pattern::$Kind(pattern) => pattern.flavour(),)* }
            }
        }
    };
}

// Special ones come first: messages between all are an exchange too, and so is a tree on which answers come back.
patterns! {
    /// All ranks send to all others.
    AllToAll,
    /// All ranks send to the one so many places on, around the end.
    Ring,
    /// Messages go up or down a tree.
    Tree,
    /// All ranks receive from those that they send to.
    Exchange,
}

/// The pattern of a scope; none if its messages have none that is known.
pub fn detect(
    store: &Store,
    logical: &Logical,
    scope: &Scope,
    progress: &dyn Progress,
) -> Result<Option<Pattern>, StoreError> {
    Ok(Pattern::of(&Traffic::read(store, logical, scope, progress)?))
}

/// A number of things in words: `1 rank`, `12 ranks`.
fn several(number: u64, one: &str) -> String {
    format!("{} {one}{}", heddle_model::grouped(number), if number == 1 { "" } else { "s" })
}
