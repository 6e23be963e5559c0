//! Communication events as columns: what phases and steps are computed from.

use heddle_model::Ns;

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Sends one or several messages.
    Send,
    /// Completes the receive of one or several messages.
    Receive,
    /// Takes part in a collective.
    Collective,
}

/// All communication events of a trace, by row, then in the order of the program. An event's id is its position.
///
/// A row is one rank. Neighbours on a row are neighbours here, so the order of a rank needs no links.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    /// The first event of each row, and behind the last row the number of events.
    pub first_of_row: Vec<u32>,
    /// What each event does.
    pub kind: Vec<Kind>,
    /// When its call was entered, of several the first.
    pub enter: Vec<Ns>,
    /// When its call was left, of several the last.
    pub leave: Vec<Ns>,
    /// Whether it belongs to the partition of the event before it on its row: sends up to the call that waits for them,
    /// events with one caller. False for the first event of a row.
    pub is_joined: Vec<bool>,
    /// How often the row has entered the function that begins phases; empty if phases are not given by a function.
    pub given_phase: Vec<u32>,
    /// Matched messages as (send event, receive event), ascending.
    pub messages: Vec<(u32, u32)>,
    /// Where the members of each collective begin in `members`, and behind the last one their number.
    pub first_of_collective: Vec<u32>,
    /// The members of each collective, ascending. Each event is a member of at most one.
    pub members: Vec<u32>,
}
