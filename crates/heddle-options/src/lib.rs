//! Options of views and analyses, declared once.
//!
//! The same option is written on the command line (`--durations 10us:2ms`), in a question to the server and in a link
//! (`durations=10000:2000000`), and it has a control in the page. Its name, type, default, bounds and help stand in one
//! place: a line inside [`options!`]. From there come
//!
//! * the struct that the code reads, with its `Default`;
//! * [`OptionSpec`]s, from which the command line builds its arguments and the page's TypeScript is generated;
//! * reading from text ([`Given`]) with errors that say what was expected, and writing back to it.
//!
//! ```
//! heddle_options::options! {
//!     /// How a picture is drawn.
//!     pub struct Looks {
//!         /// Whether messages are drawn
//!         "messages" ("Lines of messages") messages: bool = true,
//!         /// Only calls that last this long
//!         "durations" durations: Option<(heddle_model::Ns, heddle_model::Ns)> = None,
//!     }
//! }
//! use heddle_options::{Given, Options};
//!
//! let given = Given::by_program([("durations".to_owned(), "5:10".to_owned())]);
//! let looks: Looks = given.read().unwrap();
//! assert!(looks.messages && looks.durations.is_some());
//! assert_eq!(looks.given(), [("durations", "5:10".to_owned())]);
//! ```

mod declare;
mod given;
mod spec;
pub mod units;
mod value;

pub use declare::Options;
pub use given::{Given, OptionError};
pub use spec::{Kind, OptionSpec};
pub use value::{Count, OptionValue, Share, ValueRange, Words, Written};
